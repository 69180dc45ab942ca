// How a program scales over runs: speedup with its model, and the efficiencies as a
// table, coloured from a half to one.
import { useMemo } from "preact/hooks";
import { api, live, type Scaling, type ScalingRun } from "../api";
import { axis, base, tip } from "../chart";
import { command, inOne, number, ratio, seconds, share } from "../format";
import { useLoad } from "../load";
import { inkOn, kindColour, rgb, scale } from "../palette";
import { Chart, Picture } from "../picture";
import { Region } from "../region";
import { usePaint, type Paint } from "../theme";
import { csvOfLines } from "../csv";
import { Table, Warnings, Words, type Column, SaveCsv } from "../ui";

/** Nothing where the runs are not of one program on several numbers of processes or threads. */
export function ScalingView({ names }: { names: string[] }) {
  const found = useLoad(() => api.scaling(names), [names.join("\n")]);
  if (!found.data || (!live() && !found.data)) return null;
  return (
    <section>
      <h2>How it scales</h2>
      <Words text={found.data.words} small />
      <SpeedupPicture s={found.data} names={names} />
      <Efficiencies s={found.data} />
      <NotScaling s={found.data} />
      <Warnings list={found.data.warnings} />
    </section>
  );
}

/** The model's value at a number of processes or threads: c0 and terms c · p^i · log2(p)^j (Calotoiu and others, SC 2013). */
const modelled = (m: NonNullable<Scaling["model"]>, p: number): number => m.terms.reduce((sum, t) => sum + t.c * p ** t.i * Math.log2(p) ** t.j, m.c0);

/** A formula of more terms is no name for a line. */
const mostTerms = 3;

function SpeedupPicture({ s, names }: { s: Scaling; names: string[] }) {
  const p = usePaint();
  const option = useMemo(() => {
    const runs = s.runs.filter((r) => r.run_seconds !== null);
    const [first] = runs;
    if (!first) return undefined;
    const ideal = (count: number) => (s.kind === "weak" ? first.run_seconds! : (first.run_seconds! * first.count) / count);
    const next = s.model?.next ?? [];
    const last = Math.max(...runs.map((r) => r.count), ...next.map((n) => n.ranks));
    const dots = runs.map((r) => [r.count, r.run_seconds!]);
    const steps = Array.from({ length: 40 }, (_, i) => first.count * (last / first.count) ** (i / 39));
    const line = (name: string, data: number[][], colour: string, dashed: boolean) => ({
      type: "line",
      name,
      data,
      color: colour,
      showSymbol: false,
      lineStyle: { width: 1.5, type: dashed ? "dashed" : "solid" },
    });
    return {
      ...base(p, `Run time over ${s.of} of ${runs.length} runs`),
      grid: { left: 8, right: 24, top: 52, bottom: 26, containLabel: true },
      legend: { top: 0, left: 0, textStyle: { color: p.ink }, itemWidth: 18 },
      xAxis: axis(p, { type: "log", logBase: 2, name: s.of, nameLocation: "middle", min: first.count, max: last }),
      yAxis: axis(p, { type: "log", name: "run time", axisLabel: { color: p.soft, formatter: (v: number) => seconds(v, 2) } }),
      tooltip: {
        ...(base(p, "").tooltip as object),
        trigger: "item",
        formatter: (e: { seriesName: string; data: [number, number] }) => tip(e.seriesName, [[s.of, number(e.data[0], 3)], ["run time", seconds(e.data[1], 4)]]),
      },
      series: [
        { type: "scatter", name: "measured", data: dots, color: kindColour(0), symbolSize: 9 },
        line(s.kind === "weak" ? "as the smallest run" : "ideal", steps.map((x) => [x, ideal(x)]), p.faint, true),
        ...(s.model ? [line(s.model.terms.length > mostTerms ? "model" : `model: ${s.model.formula}`, steps.map((x) => [x, modelled(s.model!, x)]).filter(([, y]) => y! > 0), kindColour(5), false)] : []),
        ...(next.length
          ? [{ type: "scatter", name: "expected, not run", data: next.filter((n) => n.seconds !== null && n.seconds > 0).map((n) => [n.ranks, n.seconds!]), color: kindColour(5), symbol: "emptyCircle", symbolSize: 9 }]
          : []),
      ],
    };
  }, [s, p]);
  if (!option) return null;
  return (
    <Picture title={`Run time over ${s.of}`} command={command("scaling", ...names)} note={s.model ? undefined : `A model of the growth takes runs on five numbers of ${s.of} or more.`}>
      <Chart option={option} height={300} label={s.words.replaceAll("`", "")} />
    </Picture>
  );
}

const kinds: [keyof ScalingRun, string][] = [
  ["global", "global"],
  ["parallel", "parallel"],
  ["load_balance", "load balance"],
  ["communication", "communication"],
  ["serialization", "serialization"],
  ["transfer", "transfer"],
  ["start_end", "start and end"],
  ["computation_scalability", "computation"],
  ["instruction_scalability", "instructions"],
  ["ipc_scalability", "instructions a cycle"],
  ["frequency_scalability", "clock"],
];

/** Efficiencies by run; dark is bad, and half or less is as bad as the scale goes. */
function Efficiencies({ s }: { s: Scaling }) {
  const runs = s.runs;
  const p = usePaint();
  const shown = kinds.filter(([key]) => runs.some((r) => r[key] !== null));
  return (
    <div class="table">
      <table aria-label="Efficiencies" class="efficiencies">
        <thead>
          <tr>
            <th scope="col">efficiency</th>
            {runs.map((r) => (
              <th key={r.name} scope="col" class="right" title={r.name}>
                {r.count.toLocaleString("en")} {s.of}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(([key, label]) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              {runs.map((r) => (
                <td key={r.name} class="right" style={shade(r[key] as number | null, p)}>
                  {ratio(r[key] as number | null)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">Pale: 1, nothing is lost. The darkest: 0.5 and below.</p>
      <SaveCsv label="Efficiencies" text={() => csvOfLines([["efficiency", ...runs.map((r) => r.name)], ...shown.map(([key, label]) => [label, ...runs.map((r) => r[key])])])} />
    </div>
  );
}

function shade(v: number | null, p: Paint) {
  if (v === null) return undefined;
  const c = scale(Math.min(1, Math.max(0, (1 - v) / 0.5)) * 0.75, p.dark);
  return { background: rgb(c), color: inkOn(c) };
}

function NotScaling({ s }: { s: Scaling }) {
  if (!s.regions.length) return null;
  type Row = Scaling["regions"][0];
  const time = inOne(s.regions.flatMap((r) => [...r.seconds, r.ideal_seconds]), "s");
  const columns: Column<Row>[] = [
    { key: "region", head: "does not scale", by: (r) => r.region, cell: (r) => <Region path={r.region} most={36} /> },
    ...s.runs.map((run, i): Column<Row> => ({
      key: "run " + i,
      head: `${run.count} ${s.of}`,
      csv: `${run.count} ${s.of} (s)`,
      right: true,
      wide: true,
      by: (r) => r.seconds[i],
      cell: (r) => time(r.seconds[i]),
    })),
    { key: "ideal", head: "ideal", csv: "ideal (s)", right: true, by: (r) => r.ideal_seconds, cell: (r) => time(r.ideal_seconds) },
    { key: "excess", head: "beyond it", right: true, by: (r) => r.excess_share, cell: (r) => share(r.excess_share) },
  ];
  return <Table label="Regions that do not scale" rows={s.regions} columns={columns} rowKey={(r) => r.region} top={8} />;
}
