// Membership curves with the data's histogram beneath and points to drag.
import { useRef, useState } from "preact/hooks";
import type { Histogram, Term, Variable } from "../api";
import { number } from "../format";
import { controlAt, degreeOf, moved } from "../fuzzy";
import { kindColour } from "../palette";
import { Drawing } from "../picture";
import { usePaint } from "../theme";
import { useWidth } from "../width";

const left = 34;
const right = 20;
const top = 26;
const curves = 190;
const gap = 8;
const bars = 64;
const axisRoom = 24;
const height = top + curves + gap + bars + axisRoom;

const dashes = ["", "7 3", "2 3", "9 3 2 3", "4 2", "12 4"];

interface Props {
  variable: Variable & { histogram?: Histogram };
  changed: Record<string, number[]>;
  onChange?: (term: string, params: number[]) => void;
}

export function TermEditor({ variable, changed, onChange }: Props) {
  const p = usePaint();
  const [box, room] = useWidth();
  const width = Math.max(300, room);
  const [held, setHeld] = useState<{ term: string; control: number }>();
  const group = useRef<SVGGElement>(null);
  const terms = variable.terms.filter((t) => t.shape !== null && !t.global).slice(0, 12);
  const [low, high] = window(variable, terms);
  const x = (v: number) => left + ((v - low) / (high - low)) * (width - left - right);
  const y = (d: number) => top + (1 - d) * curves;
  const params = (t: Term) => changed[t.name] ?? t.params;

  const valueAt = (e: PointerEvent): number => {
    const area = group.current!.ownerSVGElement!.getBoundingClientRect();
    const at = ((e.clientX - area.left) / area.width) * width;
    return Math.min(high, Math.max(low, low + ((at - left) / (width - left - right)) * (high - low)));
  };
  const drag = (e: PointerEvent) => {
    if (!held || !onChange) return;
    const term = terms.find((t) => t.name === held.term)!;
    onChange(term.name, moved(term, params(term), held.control, valueAt(e)));
  };
  const step = (e: KeyboardEvent, term: Term, control: number) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[e.key];
    if (!by || !onChange) return;
    e.preventDefault();
    onChange(
      term.name,
      moved(term, params(term), control, controlAt(term, params(term), control).x + (by * (high - low)) / 200),
    );
  };
  return (
    <div ref={box}>
      <Drawing
        width={width}
        height={height}
        class="drawing editor"
        label={`Membership of ${terms.map((t) => `${t.name} = ${t.meaning}`).join(", ")}`}
      >
        <g
          ref={group}
          onPointerMove={drag}
          onPointerUp={() => setHeld(undefined)}
          onPointerCancel={() => setHeld(undefined)}
        >
          <rect x="0" y="0" width={width} height={height} fill="transparent" />
          {[0, 0.5, 1].map((d) => (
            <g key={d}>
              <line x1={left} x2={width - right} y1={y(d)} y2={y(d)} stroke={p.line} />
              <text x={left - 6} y={y(d) + 4} text-anchor="end" fill={p.soft} font-size="12">
                {d}
              </text>
            </g>
          ))}
          {ticks(low, high, width < 500 ? 4 : 8).map((t) => (
            <g key={t}>
              <line x1={x(t)} x2={x(t)} y1={top} y2={height - axisRoom} stroke={p.line} stroke-dasharray="1 4" />
              <text x={x(t)} y={height - 8} text-anchor="middle" fill={p.soft} font-size="12">
                {number(t, 3)}
              </text>
            </g>
          ))}
          {variable.histogram && (
            <Counts h={variable.histogram} width={width} x={x} low={low} high={high} fill={p.faint} ink={p.soft} />
          )}
          {terms.map((t, i) => {
            const q = params(t);
            const line = Array.from({ length: 241 }, (_, k) => low + (k / 240) * (high - low)).map(
              (v) => `${x(v).toFixed(1)},${y(degreeOf(t.shape!, q, v)).toFixed(1)}`,
            );
            const peak = labelAt(t, q, low, high);
            return (
              <g key={t.name}>
                <polyline
                  points={line.join(" ")}
                  fill="none"
                  stroke={kindColour(i)}
                  stroke-width="2.2"
                  stroke-dasharray={dashes[i % dashes.length]}
                />
                <text
                  x={Math.min(width - right - 4, Math.max(left + 4, x(peak)))}
                  y={top - 9}
                  text-anchor={peak <= low ? "start" : peak >= high ? "end" : "middle"}
                  fill={p.ink}
                  font-weight="600"
                >
                  {t.name}
                </text>
              </g>
            );
          })}
          {onChange &&
            handles(terms, params, low, high, x, y).map(({ t, i, k, at, cx, cy }) => (
              <circle
                key={`${t.name} ${k}`}
                class="handle"
                data-term={t.name}
                data-control={k}
                cx={cx}
                cy={cy}
                r="7"
                fill={p.raised}
                stroke={kindColour(i)}
                stroke-width="2.5"
                tabindex={0}
                role="slider"
                aria-label={`${t.name}, point ${k + 1}`}
                aria-valuemin={low}
                aria-valuemax={high}
                aria-valuenow={Number(at.x.toPrecision(4))}
                onPointerDown={(e) => {
                  (e.currentTarget as Element).setPointerCapture(e.pointerId);
                  setHeld({ term: t.name, control: k });
                }}
                onKeyDown={(e) => step(e, t, k)}
              >
                <title>{`${t.name} = ${number(at.x, 4)}`}</title>
              </circle>
            ))}
        </g>
      </Drawing>
    </div>
  );
}

function Counts({
  h,
  width,
  x,
  low,
  high,
  fill,
  ink,
}: {
  h: Histogram;
  width: number;
  x: (v: number) => number;
  low: number;
  high: number;
  fill: string;
  ink: string;
}) {
  const most = Math.max(1, ...h.counts);
  const floor = height - axisRoom;
  return (
    <g>
      {h.counts.map((n, i) => {
        const a = Math.max(low, h.edges[i]!);
        const b = Math.min(high, h.edges[i + 1]!);
        if (!n || b <= a) return null;
        const tall = (n / most) * (bars - 12);
        return (
          <rect key={i} x={x(a) + 0.5} y={floor - tall} width={Math.max(1, x(b) - x(a) - 1)} height={tall} fill={fill}>
            <title>{`${n} from ${number(h.edges[i], 3)} to ${number(h.edges[i + 1], 3)}`}</title>
          </rect>
        );
      })}
      {h.above > 0 && (
        <text x={width - right} y={floor - bars + 12} text-anchor="end" fill={ink} font-size="12">
          {h.above} above
        </text>
      )}
      {h.below > 0 && (
        <text x={left} y={floor - bars + 12} fill={ink} font-size="12">
          {h.below} below
        </text>
      )}
    </g>
  );
}

interface Handle {
  t: Term;
  i: number;
  k: number;
  at: { x: number; y: number };
  cx: number;
  cy: number;
}

/** The points to drag; those that would cover each other stand one above the other. */
function handles(
  terms: Term[],
  params: (t: Term) => number[],
  low: number,
  high: number,
  x: (v: number) => number,
  y: (d: number) => number,
): Handle[] {
  const out: Handle[] = [];
  terms.forEach((t, i) =>
    t.controls.forEach((_, k) => {
      const at = controlAt(t, params(t), k);
      if (at.x < low - 1e-12 || at.x > high + 1e-12) return;
      const cx = x(at.x);
      let cy = y(at.y);
      const step = at.y > 0.5 ? 16 : -16;
      while (out.some((h) => Math.abs(h.cx - cx) < 13 && Math.abs(h.cy - cy) < 13)) cy += step;
      out.push({ t, i, k, at, cx, cy });
    }),
  );
  return out;
}

/** The part of the universe where something happens. */
function window(v: Variable & { histogram?: Histogram }, terms: Term[]): [number, number] {
  const [a, b] = v.universe;
  const xs = terms.flatMap((t) => t.controls.map((c) => c.x));
  v.histogram?.counts.forEach((n, i) => n && xs.push(v.histogram!.edges[i]!, v.histogram!.edges[i + 1]!));
  if (!xs.length) return [a, b];
  const low = Math.min(...xs);
  const high = Math.max(...xs);
  const room = (high - low) * 0.12 || 1;
  return [Math.max(a, low - room), Math.min(b, high + room)].every(Number.isFinite) &&
    Math.min(b, high + room) > Math.max(a, low - room)
    ? [Math.max(a, low - room), Math.min(b, high + room)]
    : [a, b];
}

function ticks(low: number, high: number, most: number): number[] {
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw)!;
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k++)
    out.push(Number((k * step).toPrecision(10)));
  return out;
}

/** Where the name of a curve stands: the middle of where it is highest. */
function labelAt(t: Term, q: number[], low: number, high: number): number {
  let best = -1;
  let from = low;
  let to = low;
  for (let k = 0; k <= 120; k++) {
    const v = low + (k / 120) * (high - low);
    const d = degreeOf(t.shape!, q, v);
    if (d > best + 1e-9) {
      best = d;
      from = to = v;
    } else if (d > best - 1e-9) to = v;
  }
  return (from + to) / 2;
}
