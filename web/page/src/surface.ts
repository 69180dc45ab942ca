// What pictures of rows are painted on: a canvas for the screen, an SVG document
// for keeping. A view draws its marks once, on either.
import type { Paint } from "./theme";

export type Hatch = "up" | "down" | "dots";

export interface Surface {
  rect(x: number, y: number, w: number, h: number, colour: string, alpha?: number, hatch?: Hatch): void;
  line(points: [number, number][], colour: string, width: number): void;
  text(x: number, y: number, text: string, colour: string, anchor?: "start" | "middle" | "end"): void;
}

/** A saved picture. */
export interface Saved {
  text: string;
  width: number;
  height: number;
}

const font = 'system-ui, "Noto Sans", "DejaVu Sans", sans-serif';

/** Sets a canvas to a size on screen and paints on it. */
export function onCanvas(canvas: HTMLCanvasElement, width: number, height: number, p: Paint): Surface {
  const dpr = devicePixelRatio || 1;
  canvas.width = Math.round(width * dpr);
  canvas.height = Math.round(height * dpr);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const g = canvas.getContext("2d")!;
  g.scale(dpr, dpr);
  g.font = `12px ${font}`;
  g.textBaseline = "middle";
  return {
    rect(x, y, w, h, colour, alpha = 1, hatch) {
      g.globalAlpha = alpha;
      g.fillStyle = colour;
      g.fillRect(x, y, w, h);
      if (hatch && w > 3) {
        g.fillStyle = hatched(g, hatch, hatchInk(p));
        g.fillRect(x, y, w, h);
      }
      g.globalAlpha = 1;
    },
    line(points, colour, wide) {
      g.strokeStyle = colour;
      g.lineWidth = wide;
      g.beginPath();
      points.forEach(([x, y], i) => (i ? g.lineTo(x, y) : g.moveTo(x, y)));
      g.stroke();
    },
    text(x, y, text, colour, anchor = "middle") {
      g.fillStyle = colour;
      g.textAlign = "left";
      const room = g.measureText(text).width; // what would be cut off at an edge moves inside
      const left = x - room * { start: 0, middle: 0.5, end: 1 }[anchor];
      g.fillText(text, Math.min(Math.max(0, width - room), Math.max(0, left)), y);
    },
  };
}

const hatchInk = (p: Paint): string => (p.dark ? "rgba(0,0,0,.45)" : "rgba(255,255,255,.65)");

const hatches = new Map<string, CanvasPattern>();

function hatched(g: CanvasRenderingContext2D, kind: Hatch, ink: string): CanvasPattern {
  const key = kind + ink;
  const kept = hatches.get(key);
  if (kept) return kept;
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const t = tile.getContext("2d")!;
  t.strokeStyle = t.fillStyle = ink;
  if (kind === "dots") t.fillRect(2, 2, 2, 2);
  else {
    t.beginPath();
    for (const o of [-6, 0, 6]) {
      t.moveTo(o, kind === "up" ? 6 : 0);
      t.lineTo(o + 6, kind === "up" ? 0 : 6);
    }
    t.stroke();
  }
  const made = g.createPattern(tile, "repeat")!;
  hatches.set(key, made);
  return made;
}

const escape = (s: string): string => s.replace(/[&<>"']/g, (ch) => `&#${ch.charCodeAt(0)};`);
const short = (v: number): string => String(Number(v.toFixed(2)));

/** The rows of a picture: their names, and what is drawn beside them. */
export interface Sheet {
  title: string;
  paint: Paint;
  names: { text: string; indent?: number }[];
  namesWidth: number;
  axisHeight: number;
  rowHeight: number;
  draw(s: Surface, width: number): void;
  /** What the colours mean: drawn below the rows, on so many pixels. */
  key?: { height: number; draw(s: Surface): void };
}

/** The same marks as an SVG document of its own, with title, names and key. */
export function svgOf(sheet: Sheet): Saved {
  const [width, top, p] = [900, 34, sheet.paint];
  const rows = sheet.axisHeight + sheet.names.length * sheet.rowHeight;
  const size = { width: sheet.namesWidth + width + 20, height: top + rows + 14 + (sheet.key?.height ?? 0) };
  const out: string[] = [];
  const used = new Set<Hatch>();
  const surface: Surface = {
    rect(x, y, w, h, colour, alpha = 1, hatch) {
      const box = `x="${short(x)}" y="${short(y)}" width="${short(Math.max(0, w))}" height="${short(h)}"`;
      const faint = alpha < 1 ? ` opacity="${alpha.toFixed(2)}"` : "";
      out.push(`<rect ${box} fill="${colour}"${faint}/>`);
      if (hatch && w > 3) {
        used.add(hatch);
        out.push(`<rect ${box} fill="url(#${hatch})"${faint}/>`);
      }
    },
    line(points, colour, wide) {
      if (points.length)
        out.push(`<polyline points="${points.map(([x, y]) => `${short(x)},${short(y)}`).join(" ")}" fill="none" stroke="${colour}" stroke-width="${wide}"/>`);
    },
    text: (x, y, text, colour, anchor = "middle") =>
      out.push(`<text x="${short(x)}" y="${short(y + 4)}" text-anchor="${anchor}" fill="${colour}">${escape(text)}</text>`),
  };
  out.push(`<text x="8" y="20" font-size="13" fill="${p.ink}">${escape(sheet.title)}</text>`);
  sheet.names.forEach(({ text, indent = 0 }, i) => surface.text(8 + indent, top + sheet.axisHeight + (i + 0.5) * sheet.rowHeight, text, p.ink, "start"));
  out.push(`<g transform="translate(${sheet.namesWidth} ${top})">`);
  sheet.draw(surface, width);
  out.push("</g>");
  if (sheet.key) {
    out.push(`<g class="scale" transform="translate(${sheet.namesWidth} ${top + rows + 8})">`);
    sheet.key.draw(surface);
    out.push("</g>");
  }
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" font-family="system-ui, sans-serif" font-size="12">`;
  const ground = `<rect width="100%" height="100%" fill="${p.paper}"/>`;
  return { text: [head, patterns(used, hatchInk(p)), ground, ...out, "</svg>"].join("\n"), ...size };
}

function patterns(used: Set<Hatch>, ink: string): string {
  if (!used.size) return "";
  const marks = { up: `<path d="M0 6L6 0" stroke="${ink}"/>`, down: `<path d="M0 0L6 6" stroke="${ink}"/>`, dots: `<rect x="2" y="2" width="2" height="2" fill="${ink}"/>` };
  const all = [...used].map((h) => `<pattern id="${h}" width="6" height="6" patternUnits="userSpaceOnUse">${marks[h]}</pattern>`);
  return `<defs>${all.join("")}</defs>`;
}

/** Swatches with what they stand for, as many in a line as fit. */
export function keyOf(entries: { colour: string; text: string; hatch?: Hatch }[], p: Paint): NonNullable<Sheet["key"]> {
  const perLine = 5;
  const lines = Math.ceil(entries.length / perLine);
  return {
    height: lines * 18 + 4,
    draw: (s) =>
      entries.forEach(({ colour, text, hatch }, i) => {
        const [x, y] = [(i % perLine) * 180, Math.floor(i / perLine) * 18];
        s.rect(x, y, 12, 12, colour, 1, hatch);
        s.text(x + 18, y + 6, text, p.soft, "start");
      }),
  };
}
