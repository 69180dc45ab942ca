// A heat map's marks: labels of columns, cells in the colours of their values.
import type { HeatRow, Heatmap } from "./api";
import { apart, brief, parts } from "./names";
import { inkOn, rgb, scale } from "./palette";
import { onCanvas, svgOf, type Saved, type Surface } from "./surface";
import type { Paint } from "./theme";

export type Shown = "mean" | "max" | "min";

export interface HeatLook {
  shown: Shown;
  log: boolean;
  paint: Paint;
  /** The text of a value with its unit. */
  text: (v: number) => string;
  /** The text of a value in a cell that has room for it, in the unit of all cells. */
  cell: (v: number) => string;
}

export interface Domain {
  low: number;
  high: number;
  at: (v: number) => number;
}

export const rowHeight = 22;
export const axisHeight = 20;
const letter = 7.7; // a wide one of 12 px

/** From what to what the colours go. */
export function domain(values: (number | null)[], log: boolean): Domain {
  let low = Infinity;
  let high = -Infinity;
  for (const v of values) {
    if (v === null || (log && v <= 0)) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (low === Infinity) low = high = 0;
  if (!log && low > 0) low = 0;
  const span = log ? Math.log(high / low) : high - low;
  return { low, high, at: (v) => (span > 0 ? (log ? Math.log(Math.max(v, low) / low) : v - low) / span : 0) };
}

/** What the colours are for: all rows but the one that has all others together. */
export const colouredValues = (map: Heatmap, shown: Shown): (number | null)[] =>
  map.rows.length > 1 && map.rows.at(-1)!.regions > 1 ? map[shown].slice(0, (map.rows.length - 1) * map.cols.length) : map[shown];

/** A row's name: with who calls it where others have the same name. */
function rowLabel(map: Heatmap, row: HeatRow, most: number): string {
  if (row.regions > 1 && most < 24) return `${row.regions.toLocaleString("en")} others`;
  if (row.regions > 1) return `the other ${row.regions.toLocaleString("en")}${row.summed ? " together" : ""}`;
  const names = parts(row.region);
  if (names.length > 1 && row.depth === 0 && map.rows.some((r) => r !== row && r.name === row.name)) {
    const own = brief(row.name, Math.ceil(most * 0.6));
    return `${own} ‹ ${brief(names.at(-2)!, Math.max(8, most - own.length - 3))}`;
  }
  return brief(row.name, most);
}

/** The rows' names, those of different regions never alike. */
export function rowLabels(map: Heatmap, most: (row: HeatRow) => number): string[] {
  const labels = map.rows.map((row) => rowLabel(map, row, most(row)));
  const others = (r: number) => map.rows.some((o, i) => labels[i] === labels[r] && o.name !== map.rows[r]!.name);
  const alike = map.rows.flatMap((row, r) => (row.regions === 1 && others(r) ? [r] : []));
  const told = apart(alike.map((r) => map.rows[r]!.name), Math.min(...alike.map((r) => most(map.rows[r]!))));
  alike.forEach((r, i) => (labels[r] = told[i]!));
  return labels;
}

/** Columns that get a label: evenly spread, as many as fit. */
function columnLabels(map: Heatmap, width: number): { c: number; text: string }[] {
  const cell = width / map.cols.length;
  const widest = Math.max(...map.cols.map((c) => c.unit.length)) * letter + 10;
  const step = Math.max(1, Math.ceil(widest / cell));
  const out = [];
  for (let c = 0; c < map.cols.length; c += step) {
    const text = map.cols[c]!.unit;
    if (c * cell + text.length * letter <= width) out.push({ c, text });
  }
  return out;
}

/** The letters a cell has room for; 0 where numbers are left out. */
const room = (cell: number): number => (cell >= 36 ? Math.floor((cell - 2) / 7) : 0);

function marks(s: Surface, map: Heatmap, width: number, look: HeatLook): void {
  const n = map.cols.length;
  const cell = width / n;
  for (const { c, text } of columnLabels(map, width))
    s.text(cell >= 30 ? (c + 0.5) * cell : c * cell, axisHeight / 2, text, look.paint.soft, cell >= 30 ? "middle" : "start");
  const values = map[look.shown];
  const colours = domain(colouredValues(map, look.shown), look.log);
  const letters = room(cell);
  const gap = cell > 12 ? 1 : 0;
  for (let r = 0; r < map.rows.length; r++) {
    const y = axisHeight + r * rowHeight;
    for (let c = 0; c < n; c++) {
      const v = values[r * n + c];
      if (v === null || v === undefined) continue;
      const colour = scale(colours.at(v), look.paint.dark);
      const x0 = gap ? c * cell : Math.floor(c * cell);
      const x1 = gap ? (c + 1) * cell - gap : Math.ceil((c + 1) * cell);
      s.rect(x0, y, x1 - x0, rowHeight - 1, rgb(colour));
      const text = letters ? look.cell(v) : "";
      if (text && text.length <= letters) s.text((c + 0.5) * cell, y + rowHeight / 2, text, inkOn(colour));
    }
  }
}

export function paintHeat(canvas: HTMLCanvasElement, map: Heatmap, width: number, look: HeatLook, cursor?: { r: number; c: number }): void {
  const s = onCanvas(canvas, width, axisHeight + map.rows.length * rowHeight, look.paint);
  marks(s, map, width, look);
  if (!cursor) return;
  const cell = width / map.cols.length;
  const [x, y, w, h] = [cursor.c * cell + 1, axisHeight + cursor.r * rowHeight + 1, Math.max(3, cell - 2), rowHeight - 3];
  s.line([[x, y], [x + w, y], [x + w, y + h], [x, y + h], [x, y - 1]], look.paint.ink, 2);
}

const steps = 40;

/** The same picture with its labels and its scale of colours, for keeping. */
export function heatSVG(map: Heatmap, title: string, look: HeatLook): Saved {
  const colours = domain(colouredValues(map, look.shown), look.log);
  return svgOf({
    title,
    paint: look.paint,
    names: rowLabels(map, () => 36).map((text, r) => ({ text, indent: 10 * Math.min(map.rows[r]!.depth, 6) })),
    namesWidth: 260,
    axisHeight,
    rowHeight,
    draw: (s, width) => marks(s, map, width, look),
    key: {
      height: 24,
      draw: (s) => {
        s.text(70, 7, look.text(colours.low), look.paint.soft, "end");
        for (let i = 0; i < steps; i++) s.rect(78 + i * 5, 0, 5.2, 14, rgb(scale(i / (steps - 1), look.paint.dark)));
        s.text(86 + steps * 5, 7, look.text(colours.high) + (look.log ? ", logarithmic" : ""), look.paint.soft, "start");
      },
    },
  });
}
