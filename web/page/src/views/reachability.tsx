// The order in which OPTICS walks through the units, and how far each step is:
// valleys are kinds, the line is where they are cut.
import { useMemo } from "preact/hooks";
import type { Diagnosis } from "../api";
import { axis, base, tip } from "../chart";
import { number, seconds, unitOf } from "../format";
import { kindColour } from "../palette";
import { Chart, Picture } from "../picture";
import { usePaint } from "../theme";

export function ReachabilityPlot({ d, command }: { d: Diagnosis; command: string }) {
  const p = usePaint();
  const plot = d.reachability!;
  const say =
    unitOf(d.metric) === "s" || d.metric === "cpu_time"
      ? (v: number | null) => seconds(v)
      : (v: number | null) => number(v, 3);
  const option = useMemo(() => {
    const far = Math.max(plot.radius, ...plot.distance.map((v) => v ?? 0));
    const bars = plot.distance.map((v, i) => ({
      // A new start has no step before it: a full bar, marked as such.
      value: v ?? far * 1.08,
      itemStyle: {
        color: kindColour(plot.kind[i]!),
        opacity: v === null ? 0.35 : 1,
        decal:
          v === null
            ? { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: Math.PI / 4, color: p.paper }
            : undefined,
      },
    }));
    const few = plot.units.length <= 40;
    return {
      ...base(p, `Reachability of ${plot.units.length} units`),
      grid: { left: 8, right: 76, top: 16, bottom: few ? 40 : 28, containLabel: true },
      xAxis: axis(p, {
        type: "category",
        data: plot.units.map((u, i) => (few ? `${u}\nkind ${plot.kind[i]}` : String(u))),
        axisLabel: { color: p.soft, fontSize: 12, lineHeight: 15, hideOverlap: true },
        name: `${d.units}, in the order they are reached`,
        nameLocation: "middle",
        nameGap: few ? 40 : 26,
      }),
      yAxis: axis(p, {
        type: "value",
        axisLabel: { color: p.soft, fontSize: 12, formatter: (v: number) => say(v) },
        splitLine: { lineStyle: { color: p.line, type: "dotted" } },
        axisLine: { show: false },
      }),
      tooltip: {
        ...(base(p, "").tooltip as object),
        trigger: "item",
        formatter: (e: { dataIndex: number }) =>
          tip(`${d.units.replace(/(es|s)$/, "")} ${plot.units[e.dataIndex]}`, [
            ["kind", String(plot.kind[e.dataIndex])],
            ["step", plot.distance[e.dataIndex] === null ? "a new start" : say(plot.distance[e.dataIndex]!)],
          ]),
      },
      series: [
        {
          type: "bar",
          data: bars,
          barCategoryGap: few ? "25%" : "0%",
          markLine: {
            symbol: "none",
            silent: true,
            data: [{ yAxis: plot.radius }],
            lineStyle: { color: p.ink, type: "dashed" },
            label: { formatter: `cut ${say(plot.radius)}`, color: p.ink, fontSize: 12 },
          },
        },
      ],
    };
  }, [d, p]);
  return (
    <Picture
      title={`Reachability of ${d.experiment}`}
      command={command}
      note="A bar is the step to the next unit that is most like one seen before. Steps above the line begin a new kind; a pale bar is a new start."
    >
      <Chart
        option={option}
        height={260}
        label={`Reachability plot: ${plot.units.length} units in ${d.kinds.length} kinds, cut at ${say(plot.radius)}`}
        canvas={plot.units.length > 400}
      />
    </Picture>
  );
}
