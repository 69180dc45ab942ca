// The timeline of a replay: drag over a stretch of time to see it closer.
import { useEffect, useRef, useState } from "preact/hooks";
import { api, live, type Simulation, type Timeline } from "../api";
import { command, seconds, share } from "../format";
import { axisHeight, ganttSVG, looks, paintGantt, rowHeight, rowName } from "../ganttpaint";
import { useLoad } from "../load";
import { Picture, rasterised, useSaver } from "../picture";
import { usePaint } from "../theme";
import { Answer } from "../ui";
import type { Query, Refine } from "../view";
import { useWidth } from "../width";

const names = 72;
const mostRows = 48;

export function Gantt({ s, query, refine }: { s: Simulation; query: Query; refine: Refine }) {
  const [box, room] = useWidth();
  const width = Math.max(0, room - names);
  const at = (v?: string) => (v && Number.isFinite(Number(v)) ? Number(v) : undefined);
  const ask = {
    from: at(query.from),
    to: at(query.to),
    from_rank: at(query.top),
    to_rank: at(query.bottom),
    rows: mostRows,
    cols: Math.max(50, Math.floor(width / 2)),
  };
  const found = useLoad(width > 0 ? (signal) => api.timeline(s.name, ask, signal) : undefined, [
    s.name,
    JSON.stringify(ask),
    width > 0,
  ]);
  const zoomed = query.from || query.to || query.top || query.bottom;
  return (
    <Picture
      title={`Timeline of ${s.name}`}
      command={command("show", s.name)}
      note={
        live()
          ? "Drag over a stretch to see it closer; with the keyboard: + and − zoom, arrows move, 0 shows all."
          : undefined
      }
    >
      {zoomed && (
        <div class="chips">
          <button
            type="button"
            class="chip"
            onClick={() => refine({ from: undefined, to: undefined, top: undefined, bottom: undefined })}
          >
            all of it <span aria-hidden="true">×</span>
          </button>
        </div>
      )}
      <div ref={box}>
        <Answer of={found} wait="Drawing…">
          {(t) => (
            <Rows t={t} width={width} whole={s.simulated_seconds} refine={refine} title={`Timeline of ${s.name}`} />
          )}
        </Answer>
      </div>
    </Picture>
  );
}

function Rows({
  t,
  width,
  whole,
  refine,
  title,
}: {
  t: Timeline;
  width: number;
  whole: number;
  refine: Refine;
  title: string;
}) {
  const p = usePaint();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [from, setFrom] = useState<{ x: number; row: number }>();
  const [now, setNow] = useState<{ x: number; row: number }>();
  const say = (v: number) => seconds(v, 4);
  useEffect(() => paintGantt(canvas.current!, t, width, p, say), [t, width, p]);
  useSaver(() => ({
    svg: () => ganttSVG(t, title, p, say).text,
    png: () => {
      const svg = ganttSVG(t, title, p, say);
      return rasterised(svg.text, svg.width, svg.height);
    },
  }));
  const spot = (e: PointerEvent) => {
    const area = canvas.current!.getBoundingClientRect();
    return {
      x: Math.min(1, Math.max(0, (e.clientX - area.left) / area.width)),
      row: Math.floor((e.clientY - area.top - axisHeight) / rowHeight),
    };
  };
  const time = (x: number) => t.from + x * (t.to - t.from);
  const show = (a: number, b: number) => {
    const lo = Math.max(0, a);
    const hi = Math.min(whole, b);
    refine(
      lo <= 0 && hi >= whole ? { from: undefined, to: undefined } : { from: lo.toPrecision(9), to: hi.toPrecision(9) },
    );
  };
  const up = (e: PointerEvent) => {
    const to = spot(e);
    if (from && live() && Math.abs(to.x - from.x) > 0.005)
      show(time(Math.min(from.x, to.x)), time(Math.max(from.x, to.x)));
    setFrom(undefined);
  };
  const key = (e: KeyboardEvent) => {
    if (!live()) return;
    const span = t.to - t.from;
    const middle = now ? time(now.x) : (t.from + t.to) / 2;
    if (e.key === "+" || e.key === "=") show(middle - span / 4, middle + span / 4);
    else if (e.key === "-") show(middle - span, middle + span);
    else if (e.key === "0") show(0, whole);
    else if (e.key === "ArrowLeft") show(Math.max(0, t.from - span / 4), Math.max(span, t.to - span / 4));
    else if (e.key === "ArrowRight") show(Math.min(whole - span, t.from + span / 4), t.to + span / 4);
    else return;
    e.preventDefault();
  };
  return (
    <>
      <p class="legend parts">
        {t.parts
          .filter((_, i) => t.part.includes(i))
          .map((part) => (
            <span key={part}>
              <span
                class={`swatch ${looks[part].hatch ?? ""}`}
                style={{ backgroundColor: looks[part].colour(p) }}
                aria-hidden="true"
              />
              {looks[part].label}
            </span>
          ))}
      </p>
      <div class="heat">
        <ol class="heat-names" style={{ width: `${names}px`, paddingTop: `${axisHeight}px` }}>
          {t.rows.map((r) => (
            <li key={r.from} style={{ height: `${rowHeight}px` }}>
              {rowName(r)}
            </li>
          ))}
        </ol>
        <div class="heat-cells">
          <canvas
            ref={canvas}
            tabIndex={0}
            role="img"
            aria-label={`${title}, ${seconds(t.from)} to ${seconds(t.to)}`}
            onKeyDown={key}
            onPointerDown={(e) => setFrom(spot(e))}
            onPointerMove={(e) => setNow(spot(e))}
            onPointerUp={up}
            onPointerLeave={() => {
              setFrom(undefined);
              setNow(undefined);
            }}
          />
          {from && now && (
            <div
              class="brush"
              style={{
                left: `${Math.min(from.x, now.x) * width}px`,
                width: `${Math.abs(from.x - now.x) * width}px`,
                top: "0",
                bottom: "0",
              }}
            />
          )}
        </div>
      </div>
      <p class="readout" role="status">
        {(now && tell(t, now.row, time(now.x))) || `${seconds(t.from)} to ${seconds(t.to)}`}
      </p>
    </>
  );
}

/** What a rank does at a moment. */
function tell(t: Timeline, row: number, at: number): string | undefined {
  if (!t.rows[row]) return undefined;
  for (let i = 0; i < t.row.length; i++) {
    if (t.row[i] !== row || t.begin[i]! > at || t.end[i]! < at) continue;
    const part = looks[t.parts[t.part[i]!]!].label;
    const busy = t.share[i]! < 0.999 ? ` for ${share(t.share[i])} of this stretch` : "";
    return `${rowName(t.rows[row])} ${part}${busy}, ${seconds(t.begin[i], 5)} to ${seconds(t.end[i], 5)}`;
  }
  return `${rowName(t.rows[row])} at ${seconds(at, 5)}`;
}
