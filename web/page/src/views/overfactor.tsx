// Speedup and efficiency of runs over any factor in which they differ.
import { useMemo } from "preact/hooks";
import { api, live, type Glance } from "../api";
import { axis, base, tip } from "../chart";
import { command, number, ratio, share } from "../format";
import { useLoad } from "../load";
import { kindColour } from "../palette";
import { Chart, Picture } from "../picture";
import { usePaint } from "../theme";
import { Choice } from "../ui";
import type { Query, Refine } from "../view";

interface Props {
  names: string[];
  base: string;
  glance: Map<string, Glance>;
  query: Query;
  refine: Refine;
}

/** The value of a factor; numbers stay numbers. */
type Value = number | string;

export function OverFactor({ names, base: baseline, glance, query, refine }: Props) {
  const listing = useLoad(live() ? () => api.experiments() : undefined, []);
  const p = usePaint();
  const factors = useMemo(() => {
    const of = new Map<string, Map<string, Value>>([["ranks", new Map()]]);
    for (const n of names) {
      const g = glance.get(n);
      if (g) of.get("ranks")!.set(n, g.processes);
      for (const [k, v] of Object.entries(listing.data?.experiments.find((e) => e.name === n)?.factors ?? {})) {
        if (k === "ranks" || v === null) continue;
        if (!of.has(k)) of.set(k, new Map());
        of.get(k)!.set(n, v as Value);
      }
    }
    return new Map([...of].filter(([, values]) => values.size === names.length && new Set(values.values()).size > 1));
  }, [names.join("\n"), glance.size, listing.data]);
  const over = query.over && factors.has(query.over) ? query.over : [...factors.keys()][0];
  const option = useMemo(() => {
    const values = over ? factors.get(over) : undefined;
    const first = glance.get(baseline)?.runtime;
    if (!values || !first) return undefined;
    const numeric = [...values.values()].every((v) => typeof v === "number");
    const runs = names.flatMap((n) => {
      const g = glance.get(n);
      return g?.runtime ? [{ name: n, x: values.get(n)!, speedup: first / g.runtime, efficiency: g.efficiency.parallel }] : [];
    });
    if (numeric) runs.sort((a, b) => (a.x as number) - (b.x as number));
    const at = (r: (typeof runs)[0]) => (numeric ? r.x : String(r.x));
    return {
      ...base(p, `Speedup and efficiency of ${runs.length} runs over ${over}`),
      grid: { left: 8, right: 16, top: 52, bottom: 26, containLabel: true },
      legend: { top: 0, left: 0, textStyle: { color: p.ink }, itemWidth: 18 },
      xAxis: axis(p, { type: numeric ? "value" : "category", name: over, nameLocation: "middle", scale: true, ...(numeric ? {} : { data: [...new Set(runs.map((r) => String(r.x)))] }) }),
      yAxis: [
        axis(p, { type: "value", name: "speedup", min: 0 }),
        axis(p, { type: "value", name: "efficiency", min: 0, max: 1, axisLabel: { color: p.soft, formatter: (v: number) => share(v, 0) } }),
      ],
      tooltip: {
        ...(base(p, "").tooltip as object),
        trigger: "item",
        formatter: (e: { data: { row: (typeof runs)[0] } }) =>
          tip(e.data.row.name, [
            [over!, typeof e.data.row.x === "number" ? number(e.data.row.x) : e.data.row.x],
            ["speedup", ratio(e.data.row.speedup)],
            ["efficiency", share(e.data.row.efficiency)],
          ]),
      },
      series: [
        { type: numeric ? "line" : "scatter", name: "speedup", color: kindColour(0), symbol: "circle", symbolSize: 9, data: runs.map((row) => ({ value: [at(row), row.speedup], row })) },
        { type: numeric ? "line" : "scatter", name: "efficiency", yAxisIndex: 1, color: kindColour(1), symbol: "rect", symbolSize: 8, lineStyle: { type: "dashed" }, data: runs.filter((r) => r.efficiency !== null).map((row) => ({ value: [at(row), row.efficiency], row })) },
      ],
    };
  }, [factors, over, baseline, glance.size, p]);
  if (!over || !option) return null;
  return (
    <Picture
      title={`Speedup and efficiency over ${over}`}
      command={command("compare", ...names, "--baseline", baseline)}
      controls={factors.size > 1 && <Choice label="Over" value={over} options={[...factors.keys()].map((f) => ({ value: f, label: f }))} onChange={(v) => refine({ over: v })} />}
      note={`Speedup: the run time of ${baseline} over that of the run. Efficiency: the useful share of all units' time.`}
    >
      <Chart option={option} height={260} label={`Speedup and efficiency over ${over}`} />
    </Picture>
  );
}
