// Paints a timeline: one row a rank, one bar a part of its time. Parts differ
// in pattern as well as in colour.
import type { Part, Timeline } from "./api";
import { kindColour } from "./palette";
import type { Paint } from "./theme";

export const rowHeight = 20;
export const axisHeight = 22;

interface Look {
  colour: (p: Paint) => string;
  hatch?: "up" | "down" | "dots";
  label: string;
}

export const looks: Record<Part, Look> = {
  compute: { colour: () => kindColour(0), label: "computes" },
  send: { colour: () => kindColour(1), hatch: "up", label: "sends" },
  receive: { colour: () => kindColour(4), hatch: "down", label: "receives" },
  collective: { colour: () => kindColour(2), hatch: "dots", label: "in a collective" },
  wait: { colour: (p) => (p.dark ? "#4a525b" : "#c9ced4"), hatch: "up", label: "waits" },
  sleep: { colour: (p) => p.line, label: "sleeps" },
};

export function timeTicks(from: number, to: number, most: number): number[] {
  const raw = (to - from) / most;
  if (!(raw > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw)!;
  const out = [];
  for (let k = Math.ceil(from / step); k * step <= to; k++) out.push(Number((k * step).toPrecision(12)));
  return out;
}

const hatches = new Map<string, CanvasPattern>();

function hatched(g: CanvasRenderingContext2D, kind: "up" | "down" | "dots", ink: string): CanvasPattern {
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

export function paintGantt(
  canvas: HTMLCanvasElement,
  t: Timeline,
  width: number,
  p: Paint,
  say: (s: number) => string,
): void {
  const dpr = devicePixelRatio || 1;
  const height = axisHeight + t.rows.length * rowHeight;
  canvas.width = Math.round(width * dpr);
  canvas.height = Math.round(height * dpr);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const g = canvas.getContext("2d")!;
  g.scale(dpr, dpr);
  g.font = '11px system-ui, "Noto Sans", "DejaVu Sans", sans-serif';
  g.textBaseline = "middle";
  const x = (s: number) => ((s - t.from) / (t.to - t.from)) * width;
  for (const tick of timeTicks(t.from, t.to, Math.max(2, width / 90))) {
    g.fillStyle = p.soft;
    const text = say(tick);
    const half = g.measureText(text).width / 2;
    g.fillText(text, Math.min(width - 2 * half, Math.max(0, x(tick) - half)), axisHeight / 2);
    g.fillStyle = p.line;
    g.fillRect(x(tick), axisHeight - 4, 1, height);
  }
  const ink = p.dark ? "rgba(0,0,0,.45)" : "rgba(255,255,255,.65)";
  for (let i = 0; i < t.row.length; i++) {
    const look = looks[t.parts[t.part[i]!]!];
    const x0 = x(t.begin[i]!);
    const wide = Math.max(0.5, x(t.end[i]!) - x0);
    const y = axisHeight + t.row[i]! * rowHeight + 2;
    g.globalAlpha = 0.35 + 0.65 * (t.share[i] ?? 1);
    g.fillStyle = look.colour(p);
    g.fillRect(x0, y, wide, rowHeight - 4);
    if (look.hatch && wide > 3) {
      g.fillStyle = hatched(g, look.hatch, ink);
      g.fillRect(x0, y, wide, rowHeight - 4);
    }
  }
  g.globalAlpha = 1;
}

const escape = (s: string): string => s.replace(/[&<>"']/g, (ch) => `&#${ch.charCodeAt(0)};`);

export function ganttSVG(
  t: Timeline,
  title: string,
  p: Paint,
  say: (s: number) => string,
): { text: string; width: number; height: number } {
  const names = 90;
  const width = 900;
  const top = 54;
  const height = top + axisHeight + t.rows.length * rowHeight + 10;
  const x = (s: number) => names + ((s - t.from) / (t.to - t.from)) * width;
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${names + width + 20}" height="${height}" font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="${p.paper}"/>`,
    `<text x="8" y="20" font-size="13" fill="${p.ink}">${escape(title)}</text>`,
  ];
  t.parts.forEach((part, i) => {
    out.push(
      `<rect x="${8 + i * 110}" y="30" width="12" height="12" fill="${looks[part].colour(p)}"/><text x="${24 + i * 110}" y="40" fill="${p.soft}">${looks[part].label}</text>`,
    );
  });
  for (const tick of timeTicks(t.from, t.to, 9))
    out.push(`<text x="${x(tick)}" y="${top + 12}" text-anchor="middle" fill="${p.soft}">${escape(say(tick))}</text>`);
  t.rows.forEach((r, i) =>
    out.push(
      `<text x="${names - 8}" y="${top + axisHeight + i * rowHeight + 14}" text-anchor="end" fill="${p.ink}">${rowName(r)}</text>`,
    ),
  );
  for (let i = 0; i < t.row.length; i++) {
    const x0 = x(t.begin[i]!);
    out.push(
      `<rect x="${x0.toFixed(2)}" y="${top + axisHeight + t.row[i]! * rowHeight + 2}" width="${Math.max(0.3, x(t.end[i]!) - x0).toFixed(2)}" height="${rowHeight - 4}" fill="${looks[t.parts[t.part[i]!]!].colour(p)}"/>`,
    );
  }
  out.push("</svg>");
  return { text: out.join("\n"), width: names + width + 20, height };
}

export const rowName = (r: { from: number; to: number }): string =>
  r.to - r.from > 1 ? `${r.from}–${r.to - 1}` : `rank ${r.from}`;
