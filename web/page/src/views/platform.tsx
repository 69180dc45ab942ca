// The platform as a graph, its links as thick and as coloured as they are busy.
import { useMemo } from "preact/hooks";
import type { LinkLoad, PlatformEdge, PlatformNode, Simulation } from "../api";
import { base, tip } from "../chart";
import { plural, quantity, ranges, seconds, share } from "../format";
import { place, type Point } from "../forces";
import { rgb, scale } from "../palette";
import { Chart, Picture } from "../picture";
import { usePaint, type Paint } from "../theme";

export function PlatformGraph({ s, command }: { s: Simulation; command: string }) {
  const p = usePaint();
  const option = useMemo(() => graph(s, p), [s, p]);
  if (!s.graph.nodes.length) return null;
  return (
    <Picture
      title={`Link load of ${s.name} on ${s.platform}`}
      command={command}
      note={`${plural(s.graph.hosts, "host")}: squares, with their ranks; circles are switches. The thicker a link, the longer it is busy. Drag to move the picture.`}
    >
      <Chart
        option={option}
        height={460}
        label={`Platform graph with ${plural(s.graph.nodes.length, "node")} and ${plural(s.graph.edges.length, "link")}`}
        canvas={s.graph.nodes.length > 300}
      />
    </Picture>
  );
}

function graph(s: Simulation, p: Paint) {
  const { nodes, edges } = s.graph;
  const index = new Map(nodes.map((n, i) => [n.id, i]));
  const known = edges.filter((e) => index.has(e.from) && index.has(e.to));
  const pairs = known.map((e): [number, number] => [index.get(e.from)!, index.get(e.to)!]);
  const at = place(nodes.length, pairs, 900, 420);
  const outward = sides(at, pairs);
  const labelled = new Set(
    [...known]
      .sort((a, b) => b.utilisation - a.utilisation)
      .slice(0, 12)
      .filter((e) => e.utilisation >= 0.05),
  );
  return {
    ...base(p, `Platform ${s.platform}`),
    tooltip: {
      ...(base(p, "").tooltip as object),
      formatter: (e: { dataType: string; dataIndex: number }) =>
        e.dataType === "edge" ? edgeTip(known[e.dataIndex]!, nodes, index) : nodeTip(nodes[e.dataIndex]!),
    },
    series: [
      {
        type: "graph",
        layout: "none",
        roam: "move",
        preserveAspect: true,
        left: 60,
        right: 60,
        top: 24,
        bottom: 34,
        data: nodes.map((n, i) => ({
          name: n.id,
          x: at[i]!.x,
          y: at[i]!.y,
          ...look(n, p),
          label: {
            show: nodes.length <= 60 || n.kind !== "host",
            position: outward[i],
            formatter: caption(n),
            color: p.soft,
            fontSize: 12,
            lineHeight: 12,
          },
        })),
        links: known.map((e) => ({
          source: index.get(e.from),
          target: index.get(e.to),
          lineStyle: {
            width: 1 + 8 * e.utilisation,
            color: e.utilisation > 0 ? rgb(scale(0.25 + 0.75 * e.utilisation, p.dark)) : p.line,
            opacity: 1,
            curveness: 0,
          },
          label: {
            show: labelled.has(e),
            formatter: share(e.utilisation, 0),
            color: p.ink,
            fontSize: 12,
            fontWeight: 600,
            backgroundColor: p.paper,
            padding: 2,
          },
        })),
        labelLayout: { hideOverlap: true },
        emphasis: { disabled: true },
      },
    ],
  };
}

/** The side of each node that faces away from its neighbours. */
function sides(at: Point[], pairs: [number, number][]): ("top" | "bottom" | "left" | "right")[] {
  const pull = at.map(() => ({ x: 0, y: 0 }));
  for (const [i, j] of pairs) {
    for (const [a, b] of [
      [i, j],
      [j, i],
    ] as const) {
      const far = Math.hypot(at[b]!.x - at[a]!.x, at[b]!.y - at[a]!.y) || 1;
      pull[a]!.x += (at[b]!.x - at[a]!.x) / far;
      pull[a]!.y += (at[b]!.y - at[a]!.y) / far;
    }
  }
  return pull.map((f) => (Math.abs(f.x) > Math.abs(f.y) ? (f.x > 0 ? "left" : "right") : f.y > 0 ? "top" : "bottom"));
}

/** Hosts are squares, switches circles, links that all share diamonds. */
function look(n: PlatformNode, p: Paint) {
  if (n.kind === "host" || n.kind === "hosts")
    return { symbol: "rect", symbolSize: n.kind === "hosts" ? 22 : 13, itemStyle: { color: p.accent } };
  if (n.kind === "link")
    return {
      symbol: "diamond",
      symbolSize: 12 + 14 * n.utilisation,
      itemStyle: { color: rgb(scale(0.25 + 0.75 * n.utilisation, p.dark)) },
    };
  return { symbol: "circle", symbolSize: 14, itemStyle: { color: p.raised, borderColor: p.faint, borderWidth: 2 } };
}

function caption(n: PlatformNode): string {
  const name = n.kind === "hosts" ? plural(n.count, "host") : n.name;
  if (n.kind === "link") return `${name} ${share(n.utilisation, 0)}`;
  return n.ranks.length ? `${name}\n${short(n.ranks)}` : name;
}

const short = (ranks: number[]) => `rank ${ranges(ranks.slice(0, 8))}${ranks.length > 8 ? ", …" : ""}`;

function nodeTip(n: PlatformNode): HTMLElement {
  return tip(n.name || n.kind, [
    ...(n.kind === "hosts" ? [["hosts", String(n.count)] as [string, string]] : []),
    ...(n.kind === "link" ? load(n) : []),
    ...(n.speed ? [["speed", `${quantity(n.speed, "flops")}f/s`] as [string, string]] : []),
    ...(n.ranks.length ? [["ranks", short(n.ranks).slice(5)] as [string, string]] : []),
  ]);
}

function edgeTip(e: PlatformEdge, nodes: PlatformNode[], index: Map<string, number>): HTMLElement {
  const name = (id: string) => nodes[index.get(id)!]!.name || "switch";
  return tip(`${name(e.from)} – ${name(e.to)}`, load(e));
}

function load(l: LinkLoad): [string, string][] {
  return [
    ["links", l.links.slice(0, 4).join(", ") + (l.links.length > 4 ? ", …" : "")],
    ["busy", share(l.utilisation)],
    ["carried", quantity(l.bytes, "B")],
    ["bandwidth", `${quantity(l.bandwidth, "B")}/s`],
    ["latency", seconds(l.latency)],
  ];
}
