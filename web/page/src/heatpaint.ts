// Paints a heat map: onto a canvas for the screen, into SVG for keeping.
import type { HeatRow, Heatmap } from "./api";
import { brief, parts } from "./names";
import { inkOn, rgb, scale } from "./palette";
import type { Paint } from "./theme";

export type Shown = "mean" | "max" | "min";

export interface HeatLook {
  shown: Shown;
  log: boolean;
  paint: Paint;
  /** The text of a value, for cells that have room for it. */
  text: (v: number) => string;
}

export interface Domain {
  low: number;
  high: number;
  at: (v: number) => number;
}

export const rowHeight = 22;
export const axisHeight = 20;

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

export const valuesOf = (map: Heatmap, shown: Shown): (number | null)[] => map[shown];

/** What the colours are for: all rows but the one that has all others together. */
export const colouredValues = (map: Heatmap, shown: Shown): (number | null)[] =>
  map.rows.length > 1 && map.rows.at(-1)!.regions > 1 ? map[shown].slice(0, (map.rows.length - 1) * map.cols.length) : map[shown];

/** A row's name: with who calls it where others have the same name. */
export function rowLabel(map: Heatmap, row: HeatRow, most: number): string {
  if (row.regions > 1) return `the other ${row.regions.toLocaleString("en")}${row.summed ? " together" : ""}`;
  const names = parts(row.region);
  if (names.length > 1 && row.depth === 0 && map.rows.some((r) => r !== row && r.name === row.name)) {
    const own = brief(row.name, Math.ceil(most * 0.6));
    return `${own} ‹ ${brief(names.at(-2)!, Math.max(8, most - own.length - 3))}`;
  }
  return brief(row.name, most);
}

/** Columns that get a label: evenly spread, as many as fit. */
export function columnLabels(map: Heatmap, width: number): { c: number; text: string }[] {
  const cell = width / map.cols.length;
  const widest = Math.max(...map.cols.map((c) => c.unit.length)) * 7 + 10;
  const step = Math.max(1, Math.ceil(widest / cell));
  const out = [];
  for (let c = 0; c < map.cols.length; c += step) {
    const text = map.cols[c]!.unit;
    if (c * cell + text.length * 7 <= width) out.push({ c, text });
  }
  return out;
}

/** The letters a cell has room for; 0 where numbers are left out. */
const room = (map: Heatmap, width: number): number =>
  width / map.cols.length >= 44 ? Math.floor(width / map.cols.length / 7) : 0;

export function paintCanvas(
  canvas: HTMLCanvasElement,
  map: Heatmap,
  width: number,
  look: HeatLook,
  cursor?: { r: number; c: number },
): void {
  const dpr = devicePixelRatio || 1;
  const height = axisHeight + map.rows.length * rowHeight;
  canvas.width = Math.round(width * dpr);
  canvas.height = Math.round(height * dpr);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const g = canvas.getContext("2d")!;
  g.scale(dpr, dpr);
  g.font = '11px system-ui, "Noto Sans", "DejaVu Sans", sans-serif';
  g.textBaseline = "middle";
  const n = map.cols.length;
  const cell = width / n;
  g.fillStyle = look.paint.soft;
  for (const { c, text } of columnLabels(map, width)) {
    g.textAlign = cell >= 30 ? "center" : "left";
    g.fillText(text, cell >= 30 ? (c + 0.5) * cell : c * cell, axisHeight / 2);
  }
  const values = valuesOf(map, look.shown);
  const colours = domain(colouredValues(map, look.shown), look.log);
  const letters = room(map, width);
  const gap = cell > 12 ? 1 : 0;
  g.textAlign = "center";
  for (let r = 0; r < map.rows.length; r++) {
    const y = axisHeight + r * rowHeight;
    for (let c = 0; c < n; c++) {
      const v = values[r * n + c];
      if (v === null || v === undefined) continue;
      const colour = scale(colours.at(v), look.paint.dark);
      g.fillStyle = rgb(colour);
      const x0 = gap ? c * cell : Math.floor(c * cell);
      const x1 = gap ? (c + 1) * cell - gap : Math.ceil((c + 1) * cell);
      g.fillRect(x0, y, x1 - x0, rowHeight - 1);
      if (letters) {
        const text = look.text(v);
        if (text.length <= letters) {
          g.fillStyle = inkOn(colour);
          g.fillText(text, (c + 0.5) * cell, y + rowHeight / 2);
        }
      }
    }
  }
  if (cursor) {
    g.strokeStyle = look.paint.ink;
    g.lineWidth = 2;
    g.strokeRect(cursor.c * cell + 1, axisHeight + cursor.r * rowHeight + 1, Math.max(3, cell - 2), rowHeight - 3);
  }
}

const escape = (s: string): string => s.replace(/[&<>"']/g, (ch) => `&#${ch.charCodeAt(0)};`);

/** What the colours mean, below the cells. */
function scaleSVG(colours: Domain, look: HeatLook, x: number, y: number): string[] {
  const steps = 40;
  const text = (at: number, anchor: string, v: number) =>
    `<text x="${at}" y="${y + 11}" text-anchor="${anchor}" fill="${look.paint.soft}">${escape(look.text(v))}</text>`;
  const out = [text(x + 70, "end", colours.low)];
  for (let i = 0; i < steps; i++)
    out.push(
      `<rect class="scale" x="${x + 78 + i * 5}" y="${y}" width="5.2" height="14" fill="${rgb(scale(i / (steps - 1), look.paint.dark))}"/>`,
    );
  out.push(text(x + 78 + steps * 5 + 8, "start", colours.high));
  if (look.log)
    out.push(`<text x="${x + 78 + steps * 5 + 90}" y="${y + 11}" fill="${look.paint.soft}">logarithmic</text>`);
  return out;
}

/** The same picture with its labels, as an SVG document. */
export function heatSVG(map: Heatmap, title: string, look: HeatLook): { text: string; width: number; height: number } {
  const names = 260;
  const width = 900;
  const cell = width / map.cols.length;
  const height = 34 + axisHeight + map.rows.length * rowHeight + 40;
  const p = look.paint;
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${names + width + 10}" height="${height}" font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="${p.paper}"/>`,
    `<text x="8" y="20" font-size="13" fill="${p.ink}">${escape(title)}</text>`,
  ];
  const top = 30;
  for (const { c, text } of columnLabels(map, width)) {
    out.push(
      `<text x="${names + (c + 0.5) * cell}" y="${top + 13}" text-anchor="middle" fill="${p.soft}">${escape(text)}</text>`,
    );
  }
  const values = valuesOf(map, look.shown);
  const colours = domain(colouredValues(map, look.shown), look.log);
  const letters = room(map, width);
  map.rows.forEach((row, r) => {
    const y = top + axisHeight + r * rowHeight;
    const label = rowLabel(map, row, 36);
    out.push(`<text x="${8 + 10 * row.depth}" y="${y + 15}" fill="${p.ink}">${escape(label)}</text>`);
    for (let c = 0; c < map.cols.length; c++) {
      const v = values[r * map.cols.length + c];
      if (v === null || v === undefined) continue;
      const colour = scale(colours.at(v), p.dark);
      out.push(
        `<rect x="${(names + c * cell).toFixed(2)}" y="${y}" width="${(cell + 0.05).toFixed(2)}" height="${rowHeight - 1}" fill="${rgb(colour)}"/>`,
      );
      const text = look.text(v);
      if (letters && text.length <= letters) {
        out.push(
          `<text x="${(names + (c + 0.5) * cell).toFixed(2)}" y="${y + 15}" text-anchor="middle" fill="${inkOn(colour)}">${escape(text)}</text>`,
        );
      }
    }
  });
  out.push(...scaleSVG(colours, look, names, height - 28), "</svg>");
  return { text: out.join("\n"), width: names + width + 10, height };
}
