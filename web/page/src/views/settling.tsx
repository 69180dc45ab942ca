// How the mean iteration of a loop that was cut short settled: the mean over the
// iterations, and from where on it stayed near its final value.
import { useMemo } from "preact/hooks";
import type { Cut, LoopUse, Prediction } from "../api";
import { axis, base, tip } from "../chart";
import { command, number, plural, seconds } from "../format";
import { kindColour } from "../palette";
import { Chart, Picture } from "../picture";
import { usePaint, type Paint } from "../theme";

/** Of the loop with the most estimated time, as in the terminal. */
export function Settling({ d }: { d: Prediction }) {
  const p = usePaint();
  const found = useMemo(() => most(d.loops ?? []), [d]);
  const option = useMemo(() => found && picture(found.cut, p), [found, p]);
  if (!found || !option) return null;
  const { loop, cut } = found;
  const level = cut.opt ? `, -O${cut.opt}` : "";
  return (
    <Picture
      title={`How the mean iteration of ${loop.file}:${loop.line} settled, ${plural(cut.np, "process", "processes")}${level}`}
      command={command("show", d.name)}
      note={`${number(cut.iterations_run)} of ${number(cut.iterations)} iterations ran. A dotted line is where the mean came that near to its end, and stayed there.`}
    >
      <Chart option={option} height={260} label="Mean time of an iteration over iterations" />
    </Picture>
  );
}

function most(loops: LoopUse[]): { loop: LoopUse; cut: Cut } | undefined {
  let best: { loop: LoopUse; cut: Cut } | undefined;
  for (const loop of loops)
    for (const cut of loop.cuts ?? [])
      if (!cut.why && (cut.curve?.length ?? 0) > 1 && (!best || cut.seconds_added > best.cut.seconds_added)) best = { loop, cut };
  return best;
}

function picture(cut: Cut, p: Paint) {
  const curve = cut.curve ?? [];
  return {
    ...base(p, "Mean time of an iteration over iterations"),
    grid: { left: 8, right: 24, top: 24, bottom: 28, containLabel: true },
    xAxis: axis(p, {
      type: "log",
      logBase: 2,
      min: curve[0]!.iterations,
      axisLabel: { color: p.soft, formatter: (v: number) => number(v) },
      name: "iterations",
      nameLocation: "middle",
    }),
    yAxis: axis(p, {
      type: "value",
      axisLabel: { color: p.soft, formatter: (v: number) => seconds(v) },
      splitLine: { lineStyle: { color: p.line, type: "dotted" } },
      axisLine: { show: false },
    }),
    tooltip: {
      ...(base(p, "").tooltip as object),
      trigger: "item",
      formatter: (e: { value: [number, number] }) =>
        tip(`After ${plural(e.value[0], "iteration")}`, [["mean", seconds(e.value[1], 4)]]),
    },
    series: [
      {
        type: "line",
        color: kindColour(0),
        symbolSize: 7,
        data: curve.map((c) => [c.iterations, c.seconds]),
        markLine: {
          symbol: "none",
          silent: true,
          lineStyle: { color: p.soft, type: "dotted" },
          label: { color: p.soft, formatter: (e: { name: string }) => e.name },
          data: near(cut).map((l) => ({ name: l.name, xAxis: l.iterations })),
        },
      },
    ],
  };
}

/** One mark for each place, with all that is reached there. */
function near(cut: Cut): { name: string; iterations: number }[] {
  const at = new Map<number, number>();
  for (const l of cut.levels ?? []) at.set(l.iterations, Math.min(l.epsilon, at.get(l.iterations) ?? 1));
  return [...at].map(([iterations, epsilon]) => ({ name: `${Math.round(100 * epsilon)} %`, iterations }));
}
