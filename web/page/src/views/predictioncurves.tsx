// Predicted times over the number of processes: a line a platform and level,
// intervals, measured points.
import { useMemo } from "preact/hooks";
import type { PredictedRow, Prediction } from "../api";
import { axis, base, tip } from "../chart";
import { command, plural, seconds, share } from "../format";
import { lastName } from "../names";
import { kindColour } from "../palette";
import { Chart, Picture } from "../picture";
import { usePaint, type Paint } from "../theme";
import { Switch } from "../ui";

export function Curves({ d, log, onLog }: { d: Prediction; log: boolean; onLog: (on: boolean) => void }) {
  const p = usePaint();
  const option = useMemo(() => curves(d, log, p), [d, log, p]);
  return (
    <Picture
      title={`Predicted time of ${d.name}`}
      command={asked(d)}
      controls={<Switch label="logarithmic" on={log} onChange={onLog} />}
      note={drawn(d.predictions)}
    >
      <Chart option={option} height={340} label={d.words} />
    </Picture>
  );
}

/** What the marks are, of those that are there. */
function drawn(rows: PredictedRow[]): string {
  const marks = [rows.length > new Set(lines(rows).map((l) => l.name)).size ? "lines join the predictions of one platform and level" : "points are predictions"];
  if (rows.some((r) => r.low_seconds !== null && r.high_seconds !== null && r.high_seconds > r.low_seconds)) marks.push("bars are their 90 % intervals");
  if (rows.some((r) => r.extrapolated)) marks.push("hollow points are of process counts that were not run");
  if (rows.some((r) => r.measured_seconds !== null)) marks.push("diamonds are what was measured");
  const text = marks.join("; ");
  return text[0]!.toUpperCase() + text.slice(1) + ".";
}

/** The command that made the prediction. */
function asked(d: Prediction): string {
  const all = (key: "np" | "opt" | "platform") => [...new Set(d.predictions.map((r) => String(r[key])))];
  return command(
    "predict",
    "--name",
    d.name,
    ...all("platform").flatMap((p) => ["--platform", p]),
    "--np",
    all("np").join(","),
    "--opt",
    all("opt").join(","),
    "--method",
    d.method,
    "--build",
    d.build,
    "--run",
    d.run,
  );
}

/** One line a platform, level and method. */
function lines(rows: PredictedRow[]): { name: string; rows: PredictedRow[] }[] {
  const several = (key: "platform" | "opt" | "method") => new Set(rows.map((r) => r[key])).size > 1;
  const parts = (["platform", "opt", "method"] as const).filter(several);
  const out = new Map<string, PredictedRow[]>();
  for (const r of rows) {
    const name =
      (parts.length ? parts : (["platform"] as const))
        .map((k) => (k === "opt" && r.opt ? `-O${r.opt}` : k === "platform" ? lastName(r.platform) : r[k]))
        .filter(Boolean)
        .join(", ") || "prediction";
    out.set(name, [...(out.get(name) ?? []), r]);
  }
  return [...out].map(([name, list]) => ({ name, rows: list }));
}

const symbols = ["circle", "rect", "triangle", "roundRect", "pin", "arrow"] as const;
const hollow = ["emptyCircle", "emptyRect", "emptyTriangle", "emptyRoundRect", "emptyPin", "emptyArrow"] as const;

function curves(d: Prediction, log: boolean, p: Paint) {
  const counts = [...new Set(d.predictions.map((r) => r.np))].sort((a, b) => a - b);
  const all = lines(d.predictions);
  const series = all.flatMap(({ name, rows }, i) => {
    const colour = kindColour(i);
    const sorted = [...rows].sort((a, b) => a.np - b.np);
    // Side by side, so that intervals do not cover each other.
    const at = (r: PredictedRow) => counts.indexOf(r.np) + (i - (all.length - 1) / 2) * 0.03;
    return [
      {
        type: "line",
        name,
        color: colour,
        symbol: symbols[i % symbols.length],
        symbolSize: 8,
        lineStyle: { type: (["solid", "dashed", "dotted"] as const)[i % 3] },
        data: sorted
          .filter((r) => r.predicted_seconds !== null)
          .map((r) => ({
            value: [at(r), r.predicted_seconds],
            row: r,
            ...(r.extrapolated ? { symbol: hollow[i % hollow.length] } : {}),
          })),
      },
      {
        type: "custom",
        encode: { x: 0, y: [1, 2] }, // the axis covers the intervals
        name,
        color: colour,
        z: 3,
        silent: true,
        data: sorted
          .filter((r) => r.low_seconds !== null && r.high_seconds !== null)
          .map((r) => [at(r), r.low_seconds, r.high_seconds]),
        renderItem: (_: unknown, to: { value(i: number): number; coord(v: number[]): number[] }) => {
          const [x = 0, low = 0] = to.coord([to.value(0), to.value(1)]);
          const high = to.coord([to.value(0), to.value(2)])[1]!;
          const stroke = { stroke: colour, lineWidth: 1.5 };
          const line = (x1: number, y1: number, x2: number, y2: number) => ({
            type: "line",
            shape: { x1, y1, x2, y2 },
            style: stroke,
          });
          return {
            type: "group",
            children: [line(x, low, x, high), line(x - 4, low, x + 4, low), line(x - 4, high, x + 4, high)],
          };
        },
      },
      {
        type: "scatter",
        name,
        color: colour,
        symbol: "emptyDiamond",
        symbolSize: 12,
        z: 4,
        itemStyle: { borderWidth: 2 },
        data: sorted
          .filter((r) => r.measured_seconds !== null)
          .map((r) => ({ value: [at(r), r.measured_seconds], row: r })),
      },
    ];
  });
  return {
    ...base(p, d.words),
    grid: { left: 8, right: 16, top: 40, bottom: 28, containLabel: true },
    legend: { top: 0, left: 0, type: "scroll", textStyle: { color: p.ink }, pageTextStyle: { color: p.ink }, pageIconColor: p.ink, pageIconInactiveColor: p.soft, data: all.map((l) => l.name) },
    xAxis: axis(p, {
      type: "value",
      min: -0.4,
      max: counts.length - 0.6,
      axisLabel: {
        color: p.soft,
        customValues: counts.map((_, i) => i),
        formatter: (v: number) => String(counts[v] ?? ""),
      },
      name: "processes",
      nameLocation: "middle",
    }),
    yAxis: axis(p, {
      type: log ? "log" : "value",
      axisLabel: { color: p.soft, formatter: (v: number) => seconds(v) },
      splitLine: { lineStyle: { color: p.line, type: "dotted" } },
      axisLine: { show: false },
    }),
    tooltip: {
      ...(base(p, "").tooltip as object),
      trigger: "item",
      formatter: (e: { seriesName: string; data: { row: PredictedRow } }) => {
        const r = e.data.row;
        return tip(`${e.seriesName}, ${plural(r.np, "process", "processes")}`, [
          [r.extrapolated ? "predicted, not run" : "predicted", seconds(r.predicted_seconds, 4)],
          ...(r.low_seconds !== null
            ? [["interval", `${seconds(r.low_seconds)} – ${seconds(r.high_seconds)}`] as [string, string]]
            : []),
          ...(r.measured_seconds !== null
            ? [
                ["measured", seconds(r.measured_seconds, 4)] as [string, string],
                ["error", share(r.error)] as [string, string],
              ]
            : []),
        ]);
      },
    },
    series,
  };
}
