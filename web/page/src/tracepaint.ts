// Paints a measured trace: a row a location, its regions and calls as bars, what it
// waits for below them, the critical path as a line, messages as arrows.
import type { TracePicture } from "./api";
import { timeTicks } from "./ganttpaint";
import { kindColour } from "./palette";
import type { Paint } from "./theme";

export const rowHeight = 24;
export const axisHeight = 22;

/** Calls and pauses are grey, from dark to light; regions have the colours of kinds. */
export function partColour(t: TracePicture, part: number, p: Paint): string {
  if (part >= t.calls) return kindColour(part - t.calls);
  const greys = p.dark ? ["#59636e", "#6c7681", "#454e57", "#7d8792"] : ["#c2c8cf", "#aeb5bd", "#d4d8dd", "#98a1aa"];
  return greys[part % greys.length]!;
}

/** Waits by cause: warm colours that regions do not have beside each other. */
export const causeColour = (cause: number): string => ["#d55e00", "#cc2f6a", "#e69f00", "#8c4aa8", "#a4480b", "#b3a72b"][cause % 6]!;

export const laneName = (r: TracePicture["rows"][0]): string => {
  const one = (l: { rank: number; thread: number }) => (l.thread > 0 ? `${l.rank}.${l.thread}` : String(l.rank));
  return one(r.from) === one(r.to) ? `rank ${one(r.from)}` : `${one(r.from)}–${one(r.to)}`;
};

type Draw = {
  rect: (x: number, y: number, w: number, h: number, colour: string, alpha: number) => void;
  line: (points: [number, number][], colour: string, width: number) => void;
  text: (x: number, y: number, text: string) => void;
};

/** The same marks for the screen and for keeping. */
export function marks(t: TracePicture, width: number, p: Paint, say: (s: number) => string, d: Draw): void {
  const x = (s: number) => ((s - t.from) / (t.to - t.from)) * width;
  const y = (row: number) => axisHeight + row * rowHeight;
  for (const tick of timeTicks(t.from, t.to, Math.max(2, width / 100))) d.text(x(tick), 12, say(tick));
  for (let i = 0; i < t.bars.row.length; i++) {
    const x0 = x(t.bars.begin[i]!);
    d.rect(x0, y(t.bars.row[i]!) + 2, Math.max(0.5, x(t.bars.end[i]!) - x0), 13, partColour(t, t.bars.part[i]!, p), 0.35 + 0.65 * t.bars.share[i]!);
  }
  for (let i = 0; i < t.waits.row.length; i++) {
    const x0 = x(t.waits.begin[i]!);
    d.rect(x0, y(t.waits.row[i]!) + 16, Math.max(0.5, x(t.waits.end[i]!) - x0), 5, causeColour(t.waits.part[i]!), 1);
  }
  const m = t.messages;
  for (let i = 0; i < m.sent.length; i++) {
    if (m.from_row[i]! < 0 || m.to_row[i]! < 0) continue;
    const [x0, y0, x1, y1] = [x(m.sent[i]!), y(m.from_row[i]!) + 9, x(m.arrived[i]!), y(m.to_row[i]!) + 9];
    const back = Math.atan2(y1 - y0, x1 - x0);
    const tip = (turn: number): [number, number] => [x1 - 6 * Math.cos(back + turn), y1 - 6 * Math.sin(back + turn)];
    d.line([[x0, y0], [x1, y1]], p.ink, 0.8);
    d.line([tip(0.4), [x1, y1], tip(-0.4)], p.ink, 0.8);
  }
  const path = t.critical_path;
  const way: [number, number][] = [];
  for (let i = 0; i < path.row.length; i++)
    if (path.row[i]! >= 0) way.push([x(path.begin[i]!), y(path.row[i]!) + 1], [x(path.end[i]!), y(path.row[i]!) + 1]);
  d.line(way, p.warn, 2);
}

export function paintTrace(canvas: HTMLCanvasElement, t: TracePicture, width: number, p: Paint, say: (s: number) => string): void {
  const dpr = devicePixelRatio || 1;
  const height = axisHeight + t.rows.length * rowHeight;
  canvas.width = Math.round(width * dpr);
  canvas.height = Math.round(height * dpr);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const g = canvas.getContext("2d")!;
  g.scale(dpr, dpr);
  g.font = '11px system-ui, "Noto Sans", "DejaVu Sans", sans-serif';
  marks(t, width, p, say, {
    rect: (x, y, w, h, colour, alpha) => {
      g.globalAlpha = alpha;
      g.fillStyle = colour;
      g.fillRect(x, y, w, h);
      g.globalAlpha = 1;
    },
    line: (points, colour, wide) => {
      g.strokeStyle = colour;
      g.lineWidth = wide;
      g.beginPath();
      points.forEach(([x, y], i) => (i ? g.lineTo(x, y) : g.moveTo(x, y)));
      g.stroke();
    },
    text: (x, y, text) => {
      g.fillStyle = p.soft;
      const half = g.measureText(text).width / 2;
      g.fillText(text, Math.min(width - 2 * half, Math.max(0, x - half)), y);
    },
  });
}

const escape = (s: string): string => s.replace(/[&<>"']/g, (ch) => `&#${ch.charCodeAt(0)};`);

export function traceSVG(t: TracePicture, title: string, p: Paint, say: (s: number) => string): { text: string; width: number; height: number } {
  const [names, width, top] = [90, 900, 34];
  const height = top + axisHeight + t.rows.length * rowHeight + 10;
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${names + width + 20}" height="${height}" font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="${p.paper}"/>`,
    `<text x="8" y="20" font-size="13" fill="${p.ink}">${escape(title)}</text>`,
  ];
  t.rows.forEach((r, i) => out.push(`<text x="${names - 8}" y="${top + axisHeight + i * rowHeight + 13}" text-anchor="end" fill="${p.ink}">${escape(laneName(r))}</text>`));
  out.push(`<g transform="translate(${names} ${top})">`);
  marks(t, width, p, say, {
    rect: (x, y, w, h, colour, alpha) => out.push(`<rect x="${x.toFixed(2)}" y="${y}" width="${w.toFixed(2)}" height="${h}" fill="${colour}" opacity="${alpha.toFixed(2)}"/>`),
    line: (points, colour, wide) => points.length && out.push(`<polyline points="${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")}" fill="none" stroke="${colour}" stroke-width="${wide}"/>`),
    text: (x, y, text) => out.push(`<text x="${x.toFixed(1)}" y="${y}" text-anchor="middle" fill="${p.soft}">${escape(text)}</text>`),
  });
  out.push("</g></svg>");
  return { text: out.join("\n"), width: names + width + 20, height };
}
