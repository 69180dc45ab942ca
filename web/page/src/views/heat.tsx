// View 3: regions by units. The server sums up to what the screen can show;
// dragging over cells asks for more detail.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, live, type HeatRow, type Heatmap, type HeatmapQuery } from "../api";
import { command, inCells, number, plural, quantity, share } from "../format";
import { axisHeight, heatSVG, paintHeat, rowHeight, rowLabels, type HeatLook, type Shown } from "../heatpaint";
import { useLoad } from "../load";
import { Picture, rasterised, useSaver } from "../picture";
import { refine as replace, step } from "../router";
import { Answer, Warnings } from "../ui";
import { usePaint } from "../theme";
import type { Refine, ViewProps } from "../view";
import { useWidth } from "../width";
import { HeatControls } from "./heatcontrols";
import { HeatLegend } from "./heatlegend";

/** As many rows as fit the window with axis, legend and read-out. */
const fitting = (): number => Math.max(12, Math.min(40, Math.floor((innerHeight - 352) / rowHeight)));

export function Heat({ name, query, refine }: ViewProps) {
  const [box, width] = useWidth();
  const names = width < 560 ? 120 : 240;
  const cells = Math.max(120, width - names);
  const cols = Math.max(16, Math.floor(cells / 2));
  const ask: HeatmapQuery = {
    metric: query.metric || undefined,
    scope: query.scope === "inclusive" ? "inclusive" : undefined,
    normalise: query.normalise === "region" || query.normalise === "unit" ? query.normalise : undefined,
    region: query.region || undefined,
    depth: whole(query.depth),
    arrange: query.arrange === "tree" ? "tree" : undefined,
    opened: query.opened,
    closed: query.closed,
    whole: query.whole,
    from_unit: whole(query.from),
    to_unit: whole(query.to),
    from_row: whole(query.top),
    to_row: whole(query.bottom),
    rows: fitting(),
    cols,
  };
  const key = JSON.stringify(ask);
  const map = useLoad(width ? (signal) => api.heatmap(name, ask, signal) : undefined, [name, key, width > 0]);
  const shown: Shown = query.show === "mean" || query.show === "min" ? query.show : "max";
  const log = query.log === "1";
  const crowded =
    map.data && map.data.cols.some((c) => c.to - c.from > 1);
  const title = `${map.data?.metric ?? ask.metric ?? "Time"} of ${name}, regions × units`;
  return (
    <Picture
      title={title}
      command={commandFor(name, ask.metric)}
      hint="Drag over cells or turn the wheel to zoom in; Back or Escape goes back. Press a cell or a name to see only that region. With the keyboard: arrows move, Enter chooses, + and − zoom, 0 shows all."
      controls={<HeatControls name={name} query={query} refine={refine} crowded={!!crowded} />}
    >
      <Filters map={map.data} query={query} refine={refine} />
      <div ref={box}>
        <Answer of={map} wait="Summing up…">
          {(data) => !data.rows.length || !data.cols.length ? (
            <p class="note">Nothing to show here: no unit entered these regions.</p>
          ) : (
            <Map map={data} title={title} names={names} width={cells} shown={shown} log={log} query={query} refine={live() ? step : refine} />
          )}
        </Answer>
      </div>
      <Warnings list={map.data?.warnings} />
    </Picture>
  );
}

const whole = (s: string | undefined): number | undefined => (s && /^\d+$/.test(s) ? Number(s) : undefined);

/** What is left out, each with a way back. */
function Filters({ map, query, refine }: { map?: Heatmap; query: ViewProps["query"]; refine: Refine }) {
  const chips: [string, Record<string, undefined>][] = [];
  if (query.region) chips.push([`only ${query.region}`, { region: undefined, top: undefined, bottom: undefined }]);
  if (map && (query.from || query.to))
    chips.push([
      `units ${map.cols[0]?.unit} to ${map.cols[map.cols.length - 1]?.last} of ${map.units.toLocaleString("en")}`,
      { from: undefined, to: undefined },
    ]);
  if (map && (query.top || query.bottom))
    chips.push([
      `rows ${map.from_row + 1} to ${map.to_row} of ${map.regions.toLocaleString("en")}`,
      { top: undefined, bottom: undefined },
    ]);
  if (!chips.length) return null;
  return (
    <div class="chips">
      {chips.map(([text, undo]) => (
        <button
          key={text}
          type="button"
          class="chip"
          onClick={() => (live() ? step : refine)(undo)}
          aria-label={`${text}: show all again`}
        >
          {text} <span aria-hidden="true">×</span>
        </button>
      ))}
    </div>
  );
}

interface MapProps {
  map: Heatmap;
  title: string;
  names: number;
  width: number;
  shown: Shown;
  log: boolean;
  query: ViewProps["query"];
  refine: Refine;
}

interface Spot {
  r: number;
  c: number;
}

function Map({ map, title, names, width, shown, log, query, refine }: MapProps) {
  const p = usePaint();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [spot, setSpot] = useState<Spot>();
  const [from, setFrom] = useState<Spot>();
  const [pointer, setPointer] = useState<{ x: number; y: number }>();
  const text = useMemo(
    () => (map.normalise === "none" ? (v: number) => quantity(v, map.unit, 3) : (v: number) => share(v)),
    [map],
  );
  const cells = useMemo(() => (map.normalise === "none" ? inCells(map[shown], map.unit) : { text, unit: "" }), [map, shown]);
  const look: HeatLook = { shown, log, paint: p, text, cell: cells.text };
  // In the layout: a page that is printed is not painted again.
  useLayoutEffect(() => paintHeat(canvas.current!, map, width, look, spot), [map, width, shown, log, p, spot]);
  useSaver(() => ({
    svg: () => heatSVG(map, title, look).text,
    png: () => {
      const svg = heatSVG(map, title, look);
      return rasterised(svg.text, svg.width, svg.height);
    },
  }));
  // While something is dragged a pointer beside the cells counts as at their edge.
  const spotAt = (e: PointerEvent | WheelEvent, dragged: boolean): Spot | undefined => {
    const area = canvas.current!.getBoundingClientRect();
    const r = Math.floor((e.clientY - area.top - axisHeight) / rowHeight);
    const c = Math.floor(((e.clientX - area.left) / area.width) * map.cols.length);
    if (dragged) return { r: clamp(r, map.rows.length), c: clamp(c, map.cols.length) };
    return r >= 0 && r < map.rows.length && c >= 0 && c < map.cols.length ? { r, c } : undefined;
  };
  const units = (a: number, b: number) => {
    const lo = map.cols[Math.min(a, b)]!.from;
    const hi = map.cols[Math.max(a, b)]!.to;
    return lo === 0 && hi === map.units ? { from: undefined, to: undefined } : { from: String(lo), to: String(hi) };
  };
  const rows = (a: number, b: number) => {
    const lo = map.rows[Math.min(a, b)]!.from;
    const hi = map.rows[Math.max(a, b)]!.to;
    return lo === 0 && hi === map.regions
      ? { top: undefined, bottom: undefined }
      : { top: String(lo), bottom: String(hi) };
  };
  const choose = (s: Spot) => {
    const row = map.rows[s.r]!;
    if (row.regions > 1) refine(query.arrange === "tree" && row.of >= 0 ? { whole: [...(query.whole?.split(",") ?? []), row.of].join(",") } : rows(s.r, s.r));
    else if (query.arrange === "tree" && row.parts) refine(toggled(row));
    else refine({ region: row.region, top: undefined, bottom: undefined });
  };
  const toggled = (row: HeatRow) => {
    const without = (list?: string) => (list ?? "").split(",").filter((p) => p && p !== String(row.place));
    const into = (list?: string) => [...without(list), row.place].join(",");
    return row.closed
      ? { opened: into(query.opened), closed: without(query.closed).join(",") || undefined }
      : { closed: into(query.closed), opened: without(query.opened).join(",") || undefined };
  };
  const zoom = (factor: number, change = refine) => {
    const n = Math.max(1, Math.round((map.to_unit - map.from_unit) * factor));
    const middle = spot ? map.cols[spot.c]!.from : (map.from_unit + map.to_unit) / 2;
    const lo = Math.max(0, Math.min(map.units - n, Math.round(middle - n / 2)));
    change(
      n >= map.units
        ? { from: undefined, to: undefined }
        : { from: String(lo), to: String(Math.min(map.units, lo + n)) },
    );
  };
  const key = (e: KeyboardEvent) => {
    const now = spot ?? { r: 0, c: 0 };
    const moves: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const move = moves[e.key];
    if (move) setSpot({ r: clamp(now.r + move[0], map.rows.length), c: clamp(now.c + move[1], map.cols.length) });
    else if (!live()) return;
    else if (e.key === "Enter") choose(now);
    else if (e.key === "+" || e.key === "=") zoom(0.5);
    else if (e.key === "-") zoom(2);
    else if (e.key === "0" || (e.key === "Escape" && !from)) refine(everything);
    else if (e.key === "Escape") setFrom(undefined);
    else return;
    e.preventDefault();
  };
  const up = (e: PointerEvent) => {
    const to = spotAt(e, !!from);
    if (from && to && live()) {
      if (from.r === to.r && from.c === to.c) choose(to);
      else refine({ ...units(from.c, to.c), ...(Math.abs(from.r - to.r) > 0 ? rows(from.r, to.r) : {}) });
    }
    setFrom(undefined);
  };
  // The wheel zooms around the pointer; one turn of it is one step of the history.
  const turned = useRef(0);
  useEffect(() => {
    const el = canvas.current!;
    const wheel = (e: WheelEvent) => {
      const out = e.deltaY > 0;
      if (!live() || (out ? map.to_unit - map.from_unit >= map.units : map.to_unit - map.from_unit <= 1)) return;
      e.preventDefault();
      const now = Date.now();
      zoom(out ? 2 : 0.5, now - turned.current > 800 ? refine : replace);
      turned.current = now;
    };
    el.addEventListener("wheel", wheel, { passive: false });
    return () => el.removeEventListener("wheel", wheel);
  });
  const labels = useMemo(
    () => rowLabels(map, (row) => Math.max(12, Math.floor((names - 8) / 8.4) - mark(row, query.arrange === "tree").length - Math.min(row.depth, 8))),
    [map, names, query.arrange],
  );
  const brush =
    from && spot && (from.r !== spot.r || from.c !== spot.c)
      ? rectangle(from, spot, width / map.cols.length)
      : undefined;
  return (
    <>
      <div class="heat">
        <ol class="heat-names" style={{ width: `${names}px`, paddingTop: `${axisHeight}px` }}>
          {map.rows.map((row, r) => (
            <li
              key={row.place}
              class={spot?.r === r ? "here" : undefined}
              style={{
                height: `${rowHeight}px`,
                paddingLeft: `${Math.min(Math.max(0, row.depth - map.rows[0]!.depth), 12) * (names > 200 ? 12 : 5)}px`,
              }}
            >
              <button type="button" title={row.regions > 1 ? "those that are not among the heaviest" : row.region} data-whole={row.region} disabled={!live()} onClick={() => choose({ r, c: 0 })}>
                {mark(row, query.arrange === "tree") + labels[r]}
              </button>
            </li>
          ))}
        </ol>
        <div class="heat-cells">
          <canvas
            ref={canvas}
            tabIndex={0}
            role="img"
            aria-label={`${title}: ${plural(map.rows.length, "row")} by ${plural(map.cols.length, "column")}. The arrow keys read the cells.`}
            onKeyDown={key}
            onPointerDown={(e) => {
              setFrom(spotAt(e, false));
              e.currentTarget.setPointerCapture(e.pointerId);
            }}
            onPointerMove={(e) => {
              setSpot(spotAt(e, !!from));
              setPointer(e.pointerType === "touch" ? undefined : { x: e.clientX, y: e.clientY });
            }}
            onPointerUp={up}
            onPointerCancel={() => setFrom(undefined)}
            onPointerLeave={() => {
              setPointer(undefined);
              if (!from) setSpot(undefined);
            }}
          />
          {pointer && spot && map.rows[spot.r] && map.cols[spot.c] && (
            <div class="tip at-pointer" aria-hidden="true" style={beside(pointer)}>
              {tell(map, spot, text)}
            </div>
          )}
          {brush && <div class="brush" style={brush} />}
        </div>
      </div>
      <div class="heat-foot">
        <p class="readout" role="status">
          {spot && map.rows[spot.r] && map.cols[spot.c]
            ? tell(map, spot, text)
            : `${plural(map.regions, "region")} × ${plural(map.to_unit - map.from_unit, "unit")}${map.cols.some((c) => c.to - c.from > 1) ? `; a cell stands for several units and has their ${shown === "max" ? "largest" : shown === "min" ? "smallest" : "mean"}` : ""}${cells.unit ? `; numbers in ${cells.unit}` : ""}; blank where a unit never entered`}
        </p>
        {live() && (
          <span class="hint">
            <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in">
              +
            </button>{" "}
            <button
              type="button"
              onClick={() => zoom(2)}
              aria-label="Zoom out"
              disabled={map.to_unit - map.from_unit >= map.units}
            >
              −
            </button>
          </span>
        )}
        <HeatLegend map={map} look={look} />
      </div>
    </>
  );
}

/** What the rows and columns are without any zoom. */
const everything = { from: undefined, to: undefined, top: undefined, bottom: undefined, region: undefined };

/** Next to the pointer, inside the window. */
const beside = ({ x, y }: { x: number; y: number }) => ({
  left: `${Math.max(8, Math.min(x + 14, innerWidth - 340))}px`,
  top: `${y + 90 > innerHeight ? y - 70 : y + 18}px`,
});

/** Whether a row can be opened or closed. */
const mark = (row: HeatRow, tree: boolean): string => (!tree || !row.parts || row.regions > 1 ? "" : row.closed ? "▸ " : "▾ ");

const clamp = (i: number, n: number) => Math.min(n - 1, Math.max(0, i));

function rectangle(a: Spot, b: Spot, cell: number) {
  return {
    left: `${Math.min(a.c, b.c) * cell}px`,
    width: `${(Math.abs(a.c - b.c) + 1) * cell}px`,
    top: `${axisHeight + Math.min(a.r, b.r) * rowHeight}px`,
    height: `${(Math.abs(a.r - b.r) + 1) * rowHeight}px`,
  };
}

/** A cell in words. */
function tell(map: Heatmap, { r, c }: Spot, text: (v: number) => string): string {
  const row = map.rows[r]!;
  const col = map.cols[c]!;
  const i = r * map.cols.length + c;
  const mean = map.mean[i];
  const where =
    row.regions > 1
      ? `the other ${row.regions.toLocaleString("en")} regions, ${row.summed ? "together" : "the largest of them"}`
      : row.closed
        ? `${row.region} with all it calls`
        : row.region;
  const who = col.to - col.from > 1 ? `units ${col.unit} to ${col.last}` : `unit ${col.unit}`;
  if (mean === null || mean === undefined) return `${where}, ${who}: never entered`;
  const least = map.min[i] ?? mean;
  const most = map.max[i] ?? mean;
  const spread =
    col.to - col.from > 1
      ? ` in the mean, from ${text(least)} to ${text(most)}`
      : map.normalise === "none" && map.unit === ""
        ? ` (${number(mean, 6)})`
        : "";
  return `${where}, ${who}: ${text(mean)}${spread}`;
}

/** What prints the regions' values: a metric's tree, or the list of an expression's values. */
function commandFor(name: string, metric?: string): string {
  if (!metric) return command("show", name, "--regions");
  if (/^[\w.:]+$/.test(metric)) return command("show", name, "--regions", "--metric", metric);
  return command("bottlenecks", name, "--metric", metric, "--threshold", "0");
}
