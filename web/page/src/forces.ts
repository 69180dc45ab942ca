// Places the nodes of a graph: neighbours pull, all push (Fruchterman and
// Reingold, 1991). Nodes start on a circle, so that the same graph always
// looks the same.
export interface Point {
  x: number;
  y: number;
}

export function place(count: number, edges: [number, number][], width: number, height: number): Point[] {
  const at: Point[] = Array.from({ length: count }, (_, i) => ({
    x: Math.cos((2 * Math.PI * i) / count) * (1 + 0.01 * (i % 7)),
    y: Math.sin((2 * Math.PI * i) / count) * (1 + 0.01 * (i % 5)),
  }));
  const rest = 1.6 / Math.sqrt(Math.max(1, count));
  const rounds = count > 200 ? 120 : 400;
  for (let round = 0; round < rounds; round++) {
    const force: Point[] = at.map(() => ({ x: 0, y: 0 }));
    for (let i = 0; i < count; i++) {
      for (let j = i + 1; j < count; j++) {
        const dx = at[i]!.x - at[j]!.x;
        const dy = at[i]!.y - at[j]!.y;
        const push = (rest * rest) / Math.max(1e-6, dx * dx + dy * dy);
        force[i]!.x += dx * push;
        force[i]!.y += dy * push;
        force[j]!.x -= dx * push;
        force[j]!.y -= dy * push;
      }
    }
    for (const [i, j] of edges) {
      const dx = at[i]!.x - at[j]!.x;
      const dy = at[i]!.y - at[j]!.y;
      const pull = Math.hypot(dx, dy) / rest;
      force[i]!.x -= dx * pull;
      force[i]!.y -= dy * pull;
      force[j]!.x += dx * pull;
      force[j]!.y += dy * pull;
    }
    const heat = 0.1 * (1 - round / rounds);
    at.forEach((p, i) => {
      const size = Math.hypot(force[i]!.x, force[i]!.y) || 1;
      const step = Math.min(size, heat) / size;
      p.x += force[i]!.x * step;
      p.y += force[i]!.y * step;
    });
  }
  return fitted(at, width, height);
}

function fitted(at: Point[], width: number, height: number): Point[] {
  const xs = at.map((p) => p.x);
  const ys = at.map((p) => p.y);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  return at.map((p) => ({ x: ((p.x - x0) / (x1 - x0 || 1)) * width, y: ((p.y - y0) / (y1 - y0 || 1)) * height }));
}
