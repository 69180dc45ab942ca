// The timeline of a measured trace: who did what when, what they waited for, and the
// way that decides how long the run takes. The server sums up what cannot be told
// apart; zooming asks for more detail.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, live, type TracePicture } from "../api";
import { command, plural, seconds, share } from "../format";
import { useLoad } from "../load";
import { brief } from "../names";
import { Picture, rasterised, useSaver } from "../picture";
import { refine as replace, step } from "../router";
import { usePaint } from "../theme";
import { axisHeight, causeColour, laneName, paintTrace, partColour, rowHeight, traceSVG } from "../tracepaint";
import { Answer, Warnings } from "../ui";
import type { Refine, ViewProps } from "../view";
import { useWidth } from "../width";

const names = 72;
const mostRows = 32;

export function Trace({ name, query, refine }: ViewProps) {
  const [box, room] = useWidth();
  const width = Math.max(0, room - names);
  const at = (v?: string) => (v && Number.isFinite(Number(v)) ? Number(v) : undefined);
  const ask = { from: at(query.from), to: at(query.to), from_lane: at(query.top), to_lane: at(query.bottom), rows: mostRows, cols: Math.max(50, Math.floor(width)) };
  const found = useLoad(width > 0 ? (signal) => api.trace(name, ask, signal) : undefined, [name, JSON.stringify(ask), width > 0]);
  const change = live() ? step : refine;
  return (
    <Picture
      title={`Timeline of ${name}`}
      command={command("waits", name)}
      note={live() ? "Drag over a stretch or turn the wheel to see it closer; Back or Escape goes back. With the keyboard: + and − zoom, arrows move, 0 shows all." : undefined}
    >
      {(query.from || query.to) && (
        <div class="chips">
          <button type="button" class="chip" onClick={() => change({ from: undefined, to: undefined })}>
            all of it <span aria-hidden="true">×</span>
          </button>
        </div>
      )}
      <div ref={box}>
        <Answer of={found} wait="Reading the trace…">
          {(t) => <Lanes t={t} width={width} change={change} title={`Timeline of ${name}`} />}
        </Answer>
      </div>
      <Warnings list={found.data?.notes} />
    </Picture>
  );
}

function Lanes({ t, width, change, title }: { t: TracePicture; width: number; change: Refine; title: string }) {
  const p = usePaint();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [from, setFrom] = useState<number>();
  const [now, setNow] = useState<{ x: number; row: number; left: number; top: number }>();
  const say = (v: number) => seconds(v, 4);
  useEffect(() => paintTrace(canvas.current!, t, width, p, say), [t, width, p]);
  useSaver(() => ({
    svg: () => traceSVG(t, title, p, say).text,
    png: () => {
      const svg = traceSVG(t, title, p, say);
      return rasterised(svg.text, svg.width, svg.height);
    },
  }));
  const at = (e: PointerEvent) => {
    const area = canvas.current!.getBoundingClientRect();
    return { x: Math.min(1, Math.max(0, (e.clientX - area.left) / area.width)), row: Math.floor((e.clientY - area.top - axisHeight) / rowHeight), left: e.clientX, top: e.clientY };
  };
  const time = (x: number) => t.from + x * (t.to - t.from);
  const show = (a: number, b: number, how: Refine = change) => {
    const [lo, hi] = [Math.max(0, a), Math.min(t.run_seconds, b)];
    how(lo <= 0 && hi >= t.run_seconds ? { from: undefined, to: undefined } : { from: lo.toPrecision(9), to: hi.toPrecision(9) });
  };
  const zoom = (factor: number, how?: Refine) => {
    const middle = now ? time(now.x) : (t.from + t.to) / 2;
    const left = now ? now.x : 0.5;
    const span = (t.to - t.from) * factor;
    show(middle - span * left, middle + span * (1 - left), how);
  };
  const key = (e: KeyboardEvent) => {
    const span = t.to - t.from;
    if (!live()) return;
    else if (e.key === "+" || e.key === "=") zoom(0.5);
    else if (e.key === "-") zoom(2);
    else if (e.key === "0" || e.key === "Escape") show(0, t.run_seconds);
    else if (e.key === "ArrowLeft") show(Math.max(0, t.from - span / 4), Math.max(span, t.to - span / 4));
    else if (e.key === "ArrowRight") show(Math.min(t.run_seconds - span, t.from + span / 4), t.to + span / 4);
    else return;
    e.preventDefault();
  };
  const turned = useRef(0);
  useEffect(() => {
    const el = canvas.current!;
    const wheel = (e: WheelEvent) => {
      if (!live() || (e.deltaY > 0 && t.to - t.from >= t.run_seconds)) return;
      e.preventDefault();
      zoom(e.deltaY > 0 ? 2 : 0.5, Date.now() - turned.current > 800 ? change : replace);
      turned.current = Date.now();
    };
    el.addEventListener("wheel", wheel, { passive: false });
    return () => el.removeEventListener("wheel", wheel);
  });
  const said = now && tell(t, now.row, time(now.x));
  return (
    <>
      <Legend t={t} />
      <div class="heat">
        <ol class="heat-names" style={{ width: `${names}px`, paddingTop: `${axisHeight}px` }}>
          {t.rows.map((r, i) => (
            <li key={i} style={{ height: `${rowHeight}px` }}>
              {laneName(r)}
            </li>
          ))}
        </ol>
        <div class="heat-cells">
          <canvas
            ref={canvas}
            tabIndex={0}
            role="img"
            aria-label={`${title}, ${seconds(t.from)} to ${seconds(t.to)}, ${plural(t.ranks, "rank")}`}
            onKeyDown={key}
            onPointerDown={(e) => {
              setFrom(at(e).x);
              e.currentTarget.setPointerCapture(e.pointerId);
            }}
            onPointerMove={(e) => setNow(at(e))}
            onPointerUp={(e) => {
              const to = at(e).x;
              if (from !== undefined && live() && Math.abs(to - from) > 0.005) show(time(Math.min(from, to)), time(Math.max(from, to)));
              setFrom(undefined);
            }}
            onPointerLeave={() => from === undefined && setNow(undefined)}
          />
          {from !== undefined && now && <div class="brush" style={{ left: `${Math.min(from, now.x) * width}px`, width: `${Math.abs(from - now.x) * width}px`, top: "0", bottom: "0" }} />}
          {said && now && (
            <div class="tip at-pointer" aria-hidden="true" style={{ left: `${Math.max(8, Math.min(now.left + 14, innerWidth - 340))}px`, top: `${now.top + 18}px` }}>
              {said}
            </div>
          )}
        </div>
      </div>
      <p class="readout" role="status">
        {said || `${seconds(t.from)} to ${seconds(t.to)} of ${seconds(t.run_seconds)}; ${messageWords(t)}`}
      </p>
    </>
  );
}

const messageWords = (t: TracePicture): string =>
  t.messages.count === 0 ? "no messages here" : t.messages.sent.length ? `${plural(t.messages.count, "message")} drawn` : `${plural(t.messages.count, "message")}: zoom in to see them as arrows`;

function Legend({ t }: { t: TracePicture }) {
  const p = usePaint();
  const weight = new Map<number, number>();
  t.bars.part.forEach((part, i) => weight.set(part, (weight.get(part) ?? 0) + (t.bars.end[i]! - t.bars.begin[i]!)));
  const parts = [...weight].sort((a, b) => b[1] - a[1]).slice(0, 10);
  const causes = [...new Set(t.waits.part)];
  return (
    <p class="legend parts">
      {parts.map(([i]) => (
        <span key={i} title={t.parts[i]}>
          <span class="swatch" style={{ background: partColour(t, i, p) }} aria-hidden="true" />
          {brief(t.parts[i]!, 28)}
        </span>
      ))}
      {causes.map((i) => (
        <span key={"cause" + i}>
          <span class="swatch" style={{ background: causeColour(i) }} aria-hidden="true" />
          waits for {brief(t.causes[i]!, 32)}
        </span>
      ))}
      {t.critical_path.row.some((r) => r >= 0) && (
        <span>
          <span class="swatch" style={{ background: p.warn, height: "3px", verticalAlign: "4px" }} aria-hidden="true" />
          critical path
        </span>
      )}
    </p>
  );
}

/** What a location does at a moment, and what it waits for. */
function tell(t: TracePicture, row: number, when: number): string | undefined {
  if (!t.rows[row]) return undefined;
  const bar = t.bars.row.findIndex((r, i) => r === row && t.bars.begin[i]! <= when && t.bars.end[i]! >= when);
  const wait = t.waits.row.findIndex((r, i) => r === row && t.waits.begin[i]! <= when && t.waits.end[i]! >= when);
  const who = laneName(t.rows[row]!);
  if (bar < 0) return `${who} at ${seconds(when, 5)}`;
  const part = t.bars.share[bar]! < 0.999 ? ` for ${share(t.bars.share[bar])} of this stretch` : "";
  const why = wait >= 0 ? `; waits for ${t.causes[t.waits.part[wait]!]}` : "";
  return `${who}: ${t.parts[t.bars.part[bar]!]}${part}, ${seconds(t.bars.begin[bar], 5)} to ${seconds(t.bars.end[bar], 5)}${why}`;
}
