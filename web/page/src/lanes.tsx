// A timeline that can be looked at closer: dragged over, turned with the wheel or
// moved by keys. What is drawn is given; this is the same for all of them.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { live } from "./api";
import { seconds } from "./format";
import { axisHeight, lanesSheet, paintLanes, type Lanes } from "./lanepaint";
import { rasterised, useSaver } from "./picture";
import { refine as replace } from "./router";
import { onCanvas, svgOf } from "./surface";
import { usePaint } from "./theme";
import type { Refine } from "./view";

export const namesWidth = 72;

interface Props {
  lanes: Lanes;
  title: string;
  width: number;
  /** How long all of it takes, in seconds. */
  whole: number;
  change: Refine;
  /** What a row does at a moment. */
  tell: (row: number, when: number) => string | undefined;
  /** Said while nothing is pointed at. */
  rest?: string;
}

interface Spot {
  x: number; // 0 to 1
  row: number;
  left: number;
  top: number;
}

export function TimeLanes({ lanes, title, width, whole, change, tell, rest }: Props) {
  const p = usePaint();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [from, setFrom] = useState<number>();
  const [now, setNow] = useState<Spot>();
  const height = axisHeight + lanes.rows.length * lanes.rowHeight;
  useLayoutEffect(() => paintLanes(onCanvas(canvas.current!, width, height, p), lanes, width, p), [lanes, width, p]);
  useSaver(() => {
    const saved = () => svgOf(lanesSheet(lanes, title, p));
    return {
      svg: () => saved().text,
      png: () => {
        const svg = saved();
        return rasterised(svg.text, svg.width, svg.height);
      },
    };
  });
  const at = (e: PointerEvent): Spot => {
    const area = canvas.current!.getBoundingClientRect();
    return {
      x: Math.min(1, Math.max(0, (e.clientX - area.left) / area.width)),
      row: Math.floor((e.clientY - area.top - axisHeight) / lanes.rowHeight),
      left: e.clientX,
      top: e.clientY,
    };
  };
  const span = lanes.to - lanes.from;
  const time = (x: number) => lanes.from + x * span;
  const show = (a: number, b: number, how: Refine = change) => {
    const [lo, hi] = [Math.max(0, a), Math.min(whole, b)];
    how(lo <= 0 && hi >= whole ? { from: undefined, to: undefined } : { from: lo.toPrecision(12), to: hi.toPrecision(12) });
  };
  const zoom = (factor: number, how?: Refine) => {
    const x = now?.x ?? 0.5; // what is pointed at stays where it is
    if (factor < 1 && span * factor < 1e-9) return; // clocks tick in nanoseconds
    show(time(x) - span * factor * x, time(x) + span * factor * (1 - x), how);
  };
  const key = (e: KeyboardEvent) => {
    if (!live()) return;
    else if (e.key === "+" || e.key === "=") zoom(0.5);
    else if (e.key === "-") zoom(2);
    else if (e.key === "0" || e.key === "Escape") show(0, whole);
    else if (e.key === "ArrowLeft") show(Math.max(0, lanes.from - span / 4), Math.max(span, lanes.to - span / 4));
    else if (e.key === "ArrowRight") show(Math.min(whole - span, lanes.from + span / 4), lanes.to + span / 4);
    else return;
    e.preventDefault();
  };
  // One turn of the wheel is one step of the history.
  const turned = useRef(0);
  useEffect(() => {
    const el = canvas.current!;
    const wheel = (e: WheelEvent) => {
      if (!live() || (e.deltaY > 0 && span >= whole)) return;
      e.preventDefault();
      zoom(e.deltaY > 0 ? 2 : 0.5, Date.now() - turned.current > 800 ? change : replace);
      turned.current = Date.now();
    };
    el.addEventListener("wheel", wheel, { passive: false });
    return () => el.removeEventListener("wheel", wheel);
  });
  const said = now && lanes.rows[now.row] !== undefined ? tell(now.row, time(now.x)) : undefined;
  return (
    <>
      <p class="legend parts">
        {lanes.legend.map((l) => (
          <span key={l.text}>
            <span class={`swatch ${l.hatch ?? ""} ${l.thin ? "thin" : ""}`} style={{ backgroundColor: l.colour }} aria-hidden="true" />
            {l.text}
          </span>
        ))}
      </p>
      <div class="heat">
        <ol class="heat-names" style={{ width: `${namesWidth}px`, paddingTop: `${axisHeight}px` }}>
          {lanes.rows.map((name) => (
            <li key={name} style={{ height: `${lanes.rowHeight}px` }}>
              {name}
            </li>
          ))}
        </ol>
        <div class="heat-cells">
          <canvas
            ref={canvas}
            tabIndex={0}
            role="img"
            aria-label={`${title}, ${seconds(lanes.from)} to ${seconds(lanes.to)}, ${lanes.rows.length} rows`}
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
            onPointerCancel={() => setFrom(undefined)}
            onPointerLeave={() => from === undefined && setNow(undefined)}
          />
          {from !== undefined && now && (
            <div class="brush" style={{ left: `${Math.min(from, now.x) * width}px`, width: `${Math.abs(from - now.x) * width}px`, top: "0", bottom: "0" }} />
          )}
          {said && now && (
            <div class="tip at-pointer" aria-hidden="true" style={{ left: `${Math.max(8, Math.min(now.left + 14, innerWidth - 340))}px`, top: `${now.top + 18}px` }}>
              {said}
            </div>
          )}
        </div>
      </div>
      <p class="readout" role="status">
        {said || `${seconds(lanes.from, 4)} to ${seconds(lanes.to, 4)} of ${seconds(whole, 4)}${rest ? `; ${rest}` : ""}`}
      </p>
    </>
  );
}

/** The bar of a row at a moment; -1 where there is none. */
export const barAt = (b: { row: number[]; begin: number[]; end: number[] }, row: number, when: number): number =>
  b.row.findIndex((r, i) => r === row && b.begin[i]! <= when && b.end[i]! >= when);
