// The marks of timelines: a row a rank or thread, bars of its time. Replays and
// measured traces share the axis, the bars and how both are kept.
import type { Part, Timeline, TracePicture } from "./api";
import { seconds } from "./format";
import { brief, parts } from "./names";
import { kindColour } from "./palette";
import { keyOf, type Hatch, type Surface } from "./surface";
import type { Paint } from "./theme";

export const axisHeight = 22;

/** What a kind of time looks like. */
export interface Look {
  colour: string;
  text: string;
  hatch?: Hatch;
  /** A thin line, not an area. */
  thin?: boolean;
}

/** A timeline as it is painted. */
export interface Lanes {
  from: number;
  to: number;
  rows: string[];
  rowHeight: number;
  legend: Look[];
  marks(s: Surface, width: number): void;
}

function timeTicks(from: number, to: number, most: number): number[] {
  const raw = (to - from) / most;
  if (!(raw > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw)!;
  const out = [];
  for (let k = Math.ceil(from / step); k * step <= to; k++) out.push(Number((k * step).toPrecision(12)));
  return out;
}

/** The axis of time with its lines, then the marks. */
export function paintLanes(s: Surface, l: Lanes, width: number, p: Paint): void {
  const ticks = timeTicks(l.from, l.to, Math.max(2, width / 100));
  // As many digits as tell neighbours apart.
  const digits = ticks.length > 1 ? Math.max(3, Math.ceil(Math.log10(Math.abs(l.to) / (ticks[1]! - ticks[0]!))) + 1) : 4;
  for (const tick of ticks) {
    const x = ((tick - l.from) / (l.to - l.from)) * width;
    s.rect(x, axisHeight - 4, 1, 4 + l.rows.length * l.rowHeight, p.line);
    s.text(x, axisHeight / 2 - 1, seconds(tick, digits), p.soft);
  }
  l.marks(s, width);
}

/** What is kept of a timeline. */
export const lanesSheet = (l: Lanes, title: string, p: Paint) => ({
  title,
  paint: p,
  names: l.rows.map((text) => ({ text })),
  namesWidth: 90,
  axisHeight,
  rowHeight: l.rowHeight,
  draw: (s: Surface, width: number) => paintLanes(s, l, width, p),
  key: keyOf(l.legend, p),
});

interface Bars {
  row: number[];
  part: number[];
  begin: number[];
  end: number[];
  share: number[];
}

/** Bars of a row's height, or of a part of it. */
function bars(s: Surface, l: { from: number; to: number; rowHeight: number }, width: number, b: Bars, look: (part: number) => { colour: string; hatch?: Hatch }, top: number, high: number): void {
  const x = (t: number) => ((t - l.from) / (l.to - l.from)) * width;
  for (let i = 0; i < b.row.length; i++) {
    const { colour, hatch } = look(b.part[i]!);
    const x0 = x(b.begin[i]!);
    s.rect(x0, axisHeight + b.row[i]! * l.rowHeight + top, Math.max(0.5, x(b.end[i]!) - x0), high, colour, 0.35 + 0.65 * (b.share[i] ?? 1), hatch);
  }
}

// ---- replays

const replayLooks: Record<Part, (p: Paint) => Look> = {
  compute: () => ({ colour: kindColour(0), text: "computes" }),
  send: () => ({ colour: kindColour(1), hatch: "up", text: "sends" }),
  receive: () => ({ colour: kindColour(4), hatch: "down", text: "receives" }),
  collective: () => ({ colour: kindColour(2), hatch: "dots", text: "in a collective" }),
  wait: (p) => ({ colour: p.dark ? "#4a525b" : "#c9ced4", hatch: "up", text: "waits" }),
  sleep: (p) => ({ colour: p.line, text: "sleeps" }),
};

export const partText = (part: Part, p: Paint): string => replayLooks[part](p).text;

const ranksName = (r: { from: number; to: number }): string => (r.to - r.from > 1 ? `${r.from}–${r.to - 1}` : `rank ${r.from}`);

export function replayLanes(t: Timeline, p: Paint): Lanes {
  const look = t.parts.map((part) => replayLooks[part](p));
  const lanes = { from: t.from, to: t.to, rowHeight: 20 };
  return {
    ...lanes,
    rows: t.rows.map(ranksName),
    legend: look.filter((_, i) => t.part.includes(i)),
    marks: (s, width) => bars(s, lanes, width, t, (part) => look[part]!, 2, 16),
  };
}

// ---- measured traces

// So many regions and causes, the largest, have a colour of their own; the others
// share one, so that no two that are named look alike.
const mostParts = 7;
const mostCauses = 5;

/** Names by their numbers: the colours of regions and causes in all pictures that stand together. */
export interface Order {
  parts: Map<string, number>;
  causes: Map<string, number>;
}

/** The order of pictures is that of the first, then what only the others have; names that read alike are one. */
export function orderOf(pictures: TracePicture[]): Order {
  const numbered = (paths: string[]) => {
    const number = new Map<string, number>();
    for (const text of paths.map(laneText)) if (!number.has(text)) number.set(text, number.size);
    return number;
  };
  return { parts: numbered(pictures.flatMap((t) => t.parts.slice(t.calls))), causes: numbered(pictures.flatMap((t) => t.causes)) };
}

/** Calls and pauses are grey, from dark to light; regions have the colours of kinds. */
function partLook(t: TracePicture, part: number, order: Order, p: Paint): Look {
  if (part >= t.calls) {
    const text = laneText(t.parts[part]!);
    const at = order.parts.get(text)!;
    return at >= mostParts ? { colour: p.dark ? "#8d7f6a" : "#b9ab94", text: "other regions" } : { colour: kindColour(at), text };
  }
  const greys = p.dark ? ["#59636e", "#6c7681", "#454e57", "#7d8792"] : ["#c2c8cf", "#aeb5bd", "#d4d8dd", "#98a1aa"];
  return { colour: greys[part % greys.length]!, text: t.parts[part]! };
}

/** Waits by cause: colours that no region has. */
function causeLook(cause: string, order: Order): Look {
  const text = laneText(cause);
  const at = order.causes.get(text)!;
  if (at >= mostCauses) return { colour: "#8d8079", text: "waits for other causes" };
  return { colour: ["#b5121b", "#e7298a", "#7a3fb0", "#ff8c69", "#f2c500"][at]!, text: `waits for ${text}` };
}

/** A path by its last name, and by who calls it where that is a call of MPI. */
function laneText(path: string): string {
  const names = parts(path);
  const last = brief(names.at(-1)!, 32);
  return /^P?MPI_/i.test(last) && names.length > 1 ? `${last} ‹ ${brief(names.at(-2)!, 24)}` : last;
}

const laneName = (r: TracePicture["rows"][0]): string => {
  const one = (l: { rank: number; thread: number }) => (l.thread > 0 ? `${l.rank}.${l.thread}` : String(l.rank));
  return one(r.from) === one(r.to) ? `rank ${one(r.from)}` : `${one(r.from)}–${one(r.to)}`;
};

/** What is seen, the largest first: parts, causes of waits, the critical path. */
function traceLegend(t: TracePicture, looks: Look[], causeLooks: Look[], p: Paint): Look[] {
  const weight = new Map<string, [number, Look]>();
  const add = (look: Look, seconds: number) => weight.set(look.text, [(weight.get(look.text)?.[0] ?? 0) + seconds, look]);
  t.bars.part.forEach((part, i) => add(looks[part]!, t.bars.end[i]! - t.bars.begin[i]!));
  const seen = [...weight.values()].sort((a, b) => b[0] - a[0]).map(([, look]) => look);
  const causes = new Map([...new Set(t.waits.part)].sort((a, b) => a - b).map((i): [string, Look] => [causeLooks[i]!.text, causeLooks[i]!]));
  return [...seen, ...causes.values(), ...(t.critical_path.row.some((r) => r >= 0) ? [{ colour: p.warn, text: "critical path", thin: true }] : [])];
}

export function traceLanes(t: TracePicture, p: Paint, order = orderOf([t])): Lanes {
  const lanes = { from: t.from, to: t.to, rowHeight: 24 };
  const looks = t.parts.map((_, part) => partLook(t, part, order, p));
  const causeLooks = t.causes.map((cause) => causeLook(cause, order));
  return {
    ...lanes,
    rows: t.rows.map(laneName),
    legend: traceLegend(t, looks, causeLooks, p),
    marks: (s, width) => {
      bars(s, lanes, width, t.bars, (part) => looks[part]!, 2, 13);
      bars(s, lanes, width, t.waits, (part) => causeLooks[part]!, 16, 5);
      messages(s, t, lanes, width, p);
      criticalPath(s, t, lanes, width, p);
    },
  };
}

type Scale = { from: number; to: number; rowHeight: number };
const atTime = (l: Scale, width: number, t: number): number => ((t - l.from) / (l.to - l.from)) * width;

function messages(s: Surface, t: TracePicture, l: Scale, width: number, p: Paint): void {
  const m = t.messages;
  const y = (row: number) => axisHeight + row * l.rowHeight + 9;
  for (let i = 0; i < m.sent.length; i++) {
    if (m.from_row[i]! < 0 || m.to_row[i]! < 0) continue;
    const [x0, y0, x1, y1] = [atTime(l, width, m.sent[i]!), y(m.from_row[i]!), atTime(l, width, m.arrived[i]!), y(m.to_row[i]!)];
    const back = Math.atan2(y1 - y0, x1 - x0);
    const tip = (turn: number): [number, number] => [x1 - 6 * Math.cos(back + turn), y1 - 6 * Math.sin(back + turn)];
    s.line([[x0, y0], [x1, y1]], p.ink, 0.8);
    s.line([tip(0.4), [x1, y1], tip(-0.4)], p.ink, 0.8);
  }
}

function criticalPath(s: Surface, t: TracePicture, l: Scale, width: number, p: Paint): void {
  const path = t.critical_path;
  const way: [number, number][] = [];
  for (let i = 0; i < path.row.length; i++) {
    const y = axisHeight + path.row[i]! * l.rowHeight + 1;
    if (path.row[i]! >= 0) way.push([atTime(l, width, path.begin[i]!), y], [atTime(l, width, path.end[i]!), y]);
  }
  s.line(way, p.warn, 2);
}

// ---- several runs below each other

/** Timelines on one axis of time, each below a row with its name. */
export function stacked(runs: { title: string; lanes: Lanes }[], from: number, to: number): Lanes {
  const rowHeight = runs[0]!.lanes.rowHeight;
  const legend = new Map(runs.flatMap((r) => r.lanes.legend.map((l): [string, Look] => [l.text, l])));
  return {
    from,
    to,
    rowHeight,
    rows: runs.flatMap((r) => [r.title, ...r.lanes.rows]),
    legend: [...legend.values()],
    marks: (s, width) => {
      let down = rowHeight;
      for (const { lanes } of runs) {
        const by = down;
        lanes.marks(
          {
            rect: (x, y, w, h, colour, alpha, hatch) => s.rect(x, y + by, w, h, colour, alpha, hatch),
            line: (points, colour, wide) => s.line(points.map(([x, y]) => [x, y + by]), colour, wide),
            text: (x, y, text, colour, anchor) => s.text(x, y + by, text, colour, anchor),
          },
          width,
        );
        down += (lanes.rows.length + 1) * rowHeight;
      }
    },
  };
}
