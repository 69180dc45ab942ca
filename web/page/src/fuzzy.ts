// Membership curves as the page draws them while a point is dragged. The
// degrees in tables always come from the server; this is only the line on
// screen (Soft performance analysis §4; package fuzzy has the definitions).
import type { Term } from "./api";

/** How a shape is written. */
export function meaning(shape: string, params: number[]): string {
  const text = params.map((v) => String(Number(v.toPrecision(6))));
  if (shape !== "points") return `${shape}(${text.join(", ")})`;
  return `points(${text.flatMap((x, i) => (i % 2 ? [] : [`${x} ${text[i + 1]}`])).join(", ")})`;
}

function rise(x: number, a: number, c: number): number {
  if (x <= a) return 0;
  if (x >= c) return 1;
  const t = (x - a) / (c - a);
  return t <= 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t);
}

function through(points: [number, number][], x: number): number {
  if (x <= points[0]![0]) return points[0]![1];
  for (let i = 1; i < points.length; i++) {
    const [x0, y0] = points[i - 1]!;
    const [x1, y1] = points[i]!;
    if (x <= x1) return x1 === x0 ? y1 : y0 + ((x - x0) / (x1 - x0)) * (y1 - y0);
  }
  return points[points.length - 1]![1];
}

export function degreeOf(shape: string, q: number[], x: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = q;
  switch (shape) {
    case "linear":
      return through(
        a < b
          ? [
              [a, 0],
              [b, 1],
            ]
          : [
              [b, 1],
              [a, 0],
            ],
        x,
      );
    case "triangle":
      return through(
        [
          [a, 0],
          [b, 1],
          [c, 0],
        ],
        x,
      );
    case "trapezoid":
      return through(
        [
          [a, 0],
          [b, 1],
          [c, 1],
          [d, 0],
        ],
        x,
      );
    case "S":
      return rise(x, a, b);
    case "Z":
      return 1 - rise(x, a, b);
    case "Pi":
      return x <= a ? rise(x, a - b, a) : 1 - rise(x, a, a + b);
    case "gaussian":
      return Math.exp(-0.5 * ((x - a) / b) ** 2);
    case "points":
      return through(
        q.flatMap((v, i): [number, number][] => (i % 2 ? [] : [[v, q[i + 1] ?? 0]])),
        x,
      );
  }
  return x === a ? 1 : 0;
}

/** A shape as it is written, of those that need no point list. */
export function parseShape(text: string): { shape: string; params: number[] } | undefined {
  const parts = /^(linear|triangle|trapezoid|S|Z|Pi|gaussian)\(([^()]*)\)$/.exec(text.trim());
  const params = parts?.[2]!.split(",").map(Number);
  return parts && params!.every(Number.isFinite) ? { shape: parts[1]!, params: params! } : undefined;
}

/** Numbers in a text as a person would write them. */
export const tidy = (text: string): string =>
  text.replace(/\d+\.\d{7,}/g, (n) => String(Number(Number(n).toPrecision(6))));

/** A curve in words: from where to where it rises or falls. */
export function spokenShape(text: string): string {
  const shape = parseShape(text);
  const [a = 0, b = 0] = (shape?.params ?? []).map((v) => Number(v.toPrecision(3)));
  if (shape?.shape === "S") return `rises from 0 at ${a} to 1 at ${b}`;
  if (shape?.shape === "Z") return `falls from 1 at ${a} to 0 at ${b}`;
  if (shape?.shape === "Pi") return `1 at ${a}, 0 from ${b} away from it`;
  return tidy(text);
}

/** The numbers of a shape after its control point was moved to x; they stay a shape. */
export function moved(term: Term, params: number[], control: number, x: number): number[] {
  const next = [...params];
  const i = term.controls[control]!.param;
  if ((term.shape === "Pi" || term.shape === "gaussian") && i === 1) {
    next[1] = Math.max(Math.abs(x - params[0]!), 1e-9 * Math.max(1, Math.abs(params[0]!)));
    return next;
  }
  const step = term.shape === "points" ? 2 : 1;
  const bound = ["S", "Z", "triangle", "trapezoid", "points"].includes(term.shape ?? "");
  const strict = term.shape === "S" || term.shape === "Z";
  const gap = strict ? 1e-3 * Math.abs(params[1]! - params[0]!) : 0;
  const lower = bound ? (params[i - step] ?? -Infinity) + gap : -Infinity;
  const upper = bound ? (params[i + step] ?? Infinity) - gap : Infinity;
  next[i] = Math.min(upper, Math.max(lower, x));
  return next;
}

/** Where a control point stands for the present numbers. */
export function controlAt(term: Term, params: number[], control: number): { x: number; y: number } {
  const { param, x, y } = term.controls[control]!;
  if ((term.shape === "Pi" || term.shape === "gaussian") && param === 1) {
    const side = x < term.params[0]! ? -1 : 1;
    return { x: params[0]! + side * params[1]!, y };
  }
  return { x: params[param]!, y };
}
