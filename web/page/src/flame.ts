// A call tree laid out as a flame graph: a row a depth, as wide as what a region
// takes with all it calls.
import type { CallNode, CallTree } from "./api";

export interface Block {
  node: CallNode;
  at: number; // position in the tree
  x: number; // 0 to 1
  width: number;
  row: number;
  /** What a search found lies below it, though it has not the name itself. */
  holds: boolean;
  found: boolean;
}

export interface Node {
  node: CallNode;
  at: number;
  parts: Node[];
}

/** The list as a tree. */
export function nested(tree: CallNode[]): Node[] {
  const roots: Node[] = [];
  const open: Node[] = [];
  tree.forEach((node, at) => {
    const one: Node = { node, at, parts: [] };
    while (open.length && open.at(-1)!.node.depth >= node.depth) open.pop();
    (open.at(-1)?.parts ?? roots).push(one);
    open.push(one);
  });
  return roots;
}

export const find = (roots: Node[], region: string): Node | undefined => {
  for (const n of roots) {
    if (n.node.region === region) return n;
    if (region.startsWith(n.node.region + "/")) {
      const inside = find(n.parts, region);
      if (inside) return inside;
    }
  }
  return undefined;
};

/** Blocks that are at least so wide, from the roots that are given. */
export function layout(roots: Node[], least: number, matches?: (n: CallNode) => boolean): { blocks: Block[]; rows: number } {
  const blocks: Block[] = [];
  const whole = roots.reduce((sum, n) => sum + (n.node.width ?? 0), 0);
  let rows = 0;
  const place = (n: Node, x: number, row: number): boolean => {
    const width = whole > 0 ? (n.node.width ?? 0) / whole : 0;
    const found = !!matches?.(n.node);
    if (width < least) return found || (!!matches && n.parts.some((p) => deep(p, matches)));
    const block: Block = { node: n.node, at: n.at, x, width, row, holds: false, found };
    blocks.push(block);
    rows = Math.max(rows, row + 1);
    let inside = x;
    for (const p of n.parts) {
      if (place(p, inside, row + 1)) block.holds = true;
      inside += whole > 0 ? (p.node.width ?? 0) / whole : 0;
    }
    return found || block.holds;
  };
  let x = 0;
  for (const n of roots) {
    place(n, x, 0);
    x += whole > 0 ? (n.node.width ?? 0) / whole : 0;
  }
  return { blocks, rows };
}

const deep = (n: Node, matches: (n: CallNode) => boolean): boolean => matches(n.node) || n.parts.some((p) => deep(p, matches));

/** What share of the run the regions found take, none counted inside another. */
export function foundShare(roots: Node[], matches: (n: CallNode) => boolean, run: CallTree["run"]): number {
  const sum = (list: Node[]): number => list.reduce((s, n) => s + (matches(n.node) ? (n.node.width ?? 0) : sum(n.parts)), 0);
  return run > 0 ? sum(roots) / run : 0;
}
