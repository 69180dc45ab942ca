// How busy the processors were over time, where it was sampled.
import { useMemo } from "preact/hooks";
import type { Samples } from "../api";
import { axis, base, tip } from "../chart";
import { command, seconds, share } from "../format";
import { kindColour } from "../palette";
import { Chart, Picture } from "../picture";
import { usePaint } from "../theme";

export function Utilisation({ samples }: { samples: Samples }) {
  const p = usePaint();
  const option = useMemo(
    () => ({
      ...base(p, `CPU utilisation over time of ${samples.name}`),
      grid: { left: 8, right: 16, top: 30, bottom: 8, containLabel: true },
      legend: { type: "scroll", top: 0, textStyle: { color: p.soft }, show: samples.nodes.length > 1 },
      xAxis: axis(p, { type: "value", axisLabel: { color: p.soft, formatter: (v: number) => seconds(v) } }),
      yAxis: axis(p, {
        type: "value",
        min: 0,
        max: 1,
        axisLabel: { color: p.soft, formatter: (v: number) => share(v, 0) },
      }),
      tooltip: {
        ...(base(p, "").tooltip as object),
        trigger: "axis",
        formatter: (at: { seriesName: string; data: [number, number] }[]) =>
          tip(
            seconds(at[0]?.data[0]),
            at.slice(0, 12).map((s) => [s.seriesName, share(s.data[1])]),
          ),
      },
      series: samples.nodes.slice(0, 64).map((n, i) => ({
        type: "line",
        name: n.node || "node",
        symbol: "none",
        step: "middle",
        color: kindColour(i),
        lineStyle: { width: 1.5, type: (["solid", "dashed", "dotted"] as const)[Math.floor(i / 8) % 3] },
        data: n.seconds.map((s, k) => [s, n.busy[k] ?? 0]),
      })),
    }),
    [samples, p],
  );
  return (
    <Picture title={`CPU utilisation of ${samples.name}`} command={command("show", samples.name, "--units")}>
      <Chart option={option} height={200} label={`CPU utilisation over time of ${samples.nodes.length} nodes`} />
    </Picture>
  );
}
