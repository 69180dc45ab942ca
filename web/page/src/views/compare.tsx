// Two experiments or more beside each other: time, efficiency, regions, the
// factors they ran under, their kinds.
import { useMemo, useState } from "preact/hooks";
import { api, live, type Comparison, type Glance, type SimilarExperiments } from "../api";
import { axis, base, tip } from "../chart";
import { command, inOne, number, quantity, ratio, share, unitOf } from "../format";
import { apart, lastName, shortened } from "../names";
import { HeatTable } from "../heattable";
import { useLoad } from "../load";
import { kindColour } from "../palette";
import { Chart, Picture } from "../picture";
import { Region } from "../region";
import { link } from "../router";
import { usePaint } from "../theme";
import { csvOfLines } from "../csv";
import { Answer, Choice, Said, Table, Warnings, Words, type Column, SaveCsv } from "../ui";
import type { Query, Refine } from "../view";
import { OneDiagnosis } from "./kinds";
import { OverFactor } from "./overfactor";
import { ScalingView } from "./scaling";

export function Compare({ names, query, refine }: { names: string[]; query: Query; refine: Refine }) {
  const known = useLoad(() => api.glances(names), [names.join("\n")]);
  if (names.length < 2)
    return (
      <p class="error">
        Two experiments are needed to compare. <a href="#/">Pick them</a>
      </p>
    );
  const order = (query.order ?? "picked") as Order;
  const glance = new Map(known.data?.glances.map((g) => [g.name, g]));
  const sorted = inOrder(names, order, glance);
  const base = query.base && names.includes(query.base) ? query.base : sorted[0]!;
  const others = sorted.filter((n) => n !== base);
  // Of runs of one unit each there are no kinds.
  const several = [...glance.values()].some((g) => g.processes * g.threads > 1) || !live();
  const other = query.with && others.includes(query.with) ? query.with : others.at(-1)!;
  return (
    <>
      <div class="title">
        <h1>
          {base} and {others.length === 1 ? other : `${others.length} others`}
        </h1>
      </div>
      {live() && (
        <div class="controls">
          <Choice
            label="Baseline"
            value={base}
            options={names.map((o) => ({ value: o, label: o }))}
            onChange={(v) => refine({ base: v, with: v === query.with ? undefined : query.with })}
          />
          {others.length > 1 && (
            <>
              <Choice
                label="In detail"
                value={other}
                options={others.map((o) => ({ value: o, label: o }))}
                onChange={(v) => refine({ with: v })}
              />
              <Choice<Order> label="Order" value={order} options={orders} onChange={(v) => refine({ order: v })} />
            </>
          )}
        </div>
      )}
      {others.length > 1 && <Runs names={sorted} base={base} glance={glance} />}
      {others.length > 1 && <OverFactor names={sorted} base={base} glance={glance} query={query} refine={refine} />}
      {new Set(known.data?.glances.map((g) => g.processes)).size > 1 && <ScalingView names={sorted} />}
      {others.length > 1 && (
        <h2>
          {other} against {base}
        </h2>
      )}
      <Pair key={base + other} a={base} b={other} />
      <AgainstBase names={[base, ...others]} />
      {several && (
        <>
      <h2>Kinds, side by side</h2>
      <div class="pair">
        <h3>
          <a href={link(["e", base, "kinds"])}>{base}</a>
        </h3>
        <OneDiagnosis key={base} name={base} query={{}} />
        <h3>
          <a href={link(["e", other, "kinds"])}>{other}</a>
        </h3>
        <OneDiagnosis key={other} name={other} query={{}} />
      </div>
        </>
      )}
    </>
  );
}

type Order = "picked" | "ranks" | "time" | "name";
const orders: { value: Order; label: string }[] = [
  { value: "picked", label: "as picked" },
  { value: "ranks", label: "by ranks" },
  { value: "time", label: "the fastest first" },
  { value: "name", label: "by name" },
];

function inOrder(names: string[], order: Order, glance: Map<string, Glance>): string[] {
  const value = (n: string): number =>
    (order === "ranks" ? glance.get(n)?.processes : order === "time" ? glance.get(n)?.runtime : 0) ?? Infinity;
  if (order === "picked") return names;
  return [...names].sort((a, b) => value(a) - value(b) || a.localeCompare(b, "en", { numeric: true }));
}

/** Every run against the baseline. */
function Runs({ names, base, glance }: { names: string[]; base: string; glance: Map<string, Glance> }) {
  const first = glance.get(base);
  const rows = names.map((n) => glance.get(n)).filter((g): g is Glance => !!g);
  if (!rows.length) return null;
  const time = inOne(rows.map((g) => g.runtime), "s");
  const speedup = (g: Glance) => (first?.runtime && g.runtime ? first.runtime / g.runtime : null);
  const columns: Column<Glance>[] = [
    { key: "name", head: "run", by: (g) => g.name, cell: (g) => <a href={link(["e", g.name])}>{g.name}</a> },
    { key: "ranks", head: "ranks", right: true, by: (g) => g.processes, cell: (g) => g.processes.toLocaleString("en") },
    { key: "time", head: "run time", csv: "run time (s)", right: true, by: (g) => g.runtime, cell: (g) => time(g.runtime) },
    { key: "diff", head: "difference", csv: "difference (s)", right: true, wide: true, by: (g) => (first?.runtime != null && g.runtime !== null ? g.runtime - first.runtime : null), cell: (g) => (g.name === base ? "baseline" : first?.runtime != null && g.runtime !== null ? signed(g.runtime - first.runtime, time) : "–") },
    { key: "speedup", head: "speedup", right: true, by: speedup, cell: (g) => ratio(speedup(g)) },
    { key: "parallel", head: "efficiency", right: true, wide: true, by: (g) => g.efficiency.parallel, cell: (g) => share(g.efficiency.parallel, 0) },
  ];
  return <Table label="Runs" rows={rows} columns={columns} rowKey={(g) => g.name} top={50} marked={(g) => g.name === base} />;
}

const signed = (x: number, text: (x: number) => string): string => (x > 0 ? "+" : x < 0 ? "−" : "") + text(Math.abs(x));

export function Pair({ a, b }: { a: string; b: string }) {
  const [force, setForce] = useState(false);
  const found = useLoad(() => api.compare(a, b, force), [a, b, force]);
  if (found.error && unrelated(found.error) && live())
    return (
      <div class="error" role="alert">
        <p>{found.error.message.replace(/;.*/, "")}.</p>
        <button type="button" onClick={() => setForce(true)}>
          Compare them all the same
        </button>
      </div>
    );
  const line = command("compare", a, b, force && "--force");
  return (
    <Answer of={found} wait="Comparing…">
      {(c) => (
        <>
          <Words text={c.words} />
          <Warnings list={c.warnings} />
          <div class="columns">
            <EfficiencyTable c={c} />
            <FactorTable c={c} />
          </div>
          <RegionPicture c={c} line={line} />
          <RegionTable c={c} line={line} />
        </>
      )}
    </Answer>
  );
}

/** Refused since the programs have nothing in common, which can be overruled. */
const unrelated = (e: Error): boolean => / are different programs: /.test(e.message);

/** The name of a run above its column: a long one must not push the numbers out of sight. */
const RunHead = ({ name }: { name: string }) => (
  <th scope="col" class="right" title={name}>
    {shortened(name, 22)}
  </th>
);

function EfficiencyTable({ c }: { c: Comparison }) {
  const rows = [
    ["parallel", "Parallel efficiency"],
    ["load_balance", "Load balance"],
    ["communication", "Communication"],
  ] as const;
  return (
    <section>
      <h2>Efficiency</h2>
      <div class="table"><table aria-label="Efficiency">
        <thead>
          <tr>
            <th scope="col">efficiency</th>
            <RunHead name={c.a} />
            <RunHead name={c.b} />
          </tr>
        </thead>
        <tbody>
          {rows.map(([key, label]) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              <td class="right">{share(c.efficiency.a[key])}</td>
              <td class="right">{share(c.efficiency.b[key])}</td>
            </tr>
          ))}
        </tbody>
      </table>
        <SaveCsv label="Efficiency" text={() => csvOfLines([["efficiency", c.a, c.b], ...rows.map(([key, label]) => [label, c.efficiency.a[key], c.efficiency.b[key]])])} />
      </div>
    </section>
  );
}

function FactorTable({ c }: { c: Comparison }) {
  if (!c.factors?.length) return null;
  return (
    <section>
      <h2>Factors</h2>
      <div class="table"><table aria-label="Factors">
        <thead>
          <tr>
            <th scope="col">factor</th>
            <RunHead name={c.a} />
            <RunHead name={c.b} />
          </tr>
        </thead>
        <tbody>
          {c.factors.map((f) => (
            <tr key={f.name}>
              <th scope="row">{f.name}</th>
              <td class="right" title={String(f.a ?? "")}>{shortened(String(f.a ?? "–"), 22)}</td>
              <td class="right" title={String(f.b ?? "")}>{shortened(String(f.b ?? "–"), 22)}</td>
            </tr>
          ))}
        </tbody>
      </table>
        <SaveCsv label="Factors" text={() => csvOfLines([["factor", c.a, c.b], ...(c.factors ?? []).map((f) => [f.name, f.a, f.b])])} />
      </div>
    </section>
  );
}

function RegionPicture({ c, line }: { c: Comparison; line: string }) {
  const p = usePaint();
  const rows = useMemo(
    () => [...c.regions].sort((x, y) => Math.max(y.a ?? 0, y.b ?? 0) - Math.max(x.a ?? 0, x.b ?? 0)).slice(0, 12),
    [c],
  );
  const unit = unitOf(c.time_metric) || "s";
  const labels = apart(rows.map((r) => lastName(r.region)), 34);
  const below = c.a.length + c.b.length > 36; // two names that may not fit beside each other
  const option = useMemo(
    () => ({
      ...base(p, `Time by region in ${c.a} and ${c.b}`),
      grid: { left: 8, right: 56, top: below ? 50 : 28, bottom: 4, containLabel: true },
      legend: { top: 0, left: 0, orient: below ? "vertical" : "horizontal", formatter: (v: string) => shortened(v, 44), textStyle: { color: p.ink }, itemWidth: 14 },
      aria: { enabled: true, decal: { show: true } },
      xAxis: axis(p, { type: "value", axisLabel: { show: false }, axisLine: { show: false } }),
      yAxis: axis(p, {
        type: "category",
        inverse: true,
        data: rows.map((r) => r.region),
        axisLine: { show: false },
        axisLabel: {
          color: p.ink,
          fontSize: 12,
          width: 230,
          overflow: "truncate",
          formatter: (_: string, i: number) => labels[i]!,
        },
      }),
      tooltip: {
        ...(base(p, "").tooltip as object),
        trigger: "item",
        formatter: (e: { dataIndex: number }) => {
          const r = rows[e.dataIndex]!;
          return tip(r.region, [
            [c.a, quantity(r.a, unit)],
            [c.b, quantity(r.b, unit)],
            ["ratio", number(r.ratio, 3)],
          ]);
        },
      },
      series: [
        ["a", c.a, 4],
        ["b", c.b, 0],
      ].map(([key, name, colour]) => ({
        type: "bar",
        name,
        data: rows.map((r) => r[key as "a" | "b"] ?? 0),
        color: kindColour(colour as number),
        barMaxWidth: 11,
        label: {
          show: true,
          position: "right",
          color: p.soft,
          fontSize: 12,
          formatter: (e: { value: number }) => quantity(e.value, unit),
        },
      })),
    }),
    [c, p],
  );
  return (
    <Picture title={`Time by region, ${c.a} and ${c.b}`} command={line}>
      <Chart option={option} height={rows.length * 36 + (below ? 62 : 40)} label={c.words} />
    </Picture>
  );
}

function RegionTable({ c, line }: { c: Comparison; line: string }) {
  const unit = unitOf(c.time_metric) || "s";
  type Row = Comparison["regions"][0];
  const time = inOne(c.regions.flatMap((r) => [r.a, r.b]), unit);
  const diff = (r: Row) => (r.a !== null && r.b !== null ? r.b - r.a : null);
  const columns: Column<Row>[] = [
    { key: "region", head: "region", by: (r) => r.region, cell: (r) => <Region path={r.region} /> },
    { key: "a", head: shortened(c.a, 24), csv: `${c.a} (${unit})`, right: true, by: (r) => r.a, cell: (r) => time(r.a) },
    { key: "b", head: shortened(c.b, 24), csv: `${c.b} (${unit})`, right: true, by: (r) => r.b, cell: (r) => time(r.b) },
    { key: "diff", head: "difference", csv: "difference (s)", right: true, by: diff, cell: (r) => (diff(r) === null ? "–" : signed(diff(r)!, time)) },
    { key: "ratio", head: "ratio", right: true, wide: true, by: (r) => r.ratio, cell: (r) => ratio(r.ratio) },
    {
      key: "significant",
      head: "beyond chance",
      wide: true,
      by: (r) => (r.significant === null ? null : Number(r.significant)),
      cell: (r) => (r.significant === null ? "–" : r.significant ? "yes" : "no"),
    },
  ];
  const all = { total: c.total, command: `${line} --top ${c.total}` };
  return (
    <>
      <Table label="Regions of both" rows={c.regions} columns={columns} rowKey={(r) => r.region} top={12} all={all} />
      <p class="note">
        {c.regions.every((r) => r.significant === null)
          ? "Whether a difference is beyond chance cannot be said: that takes repeated runs of each (auspex run --repeat)."
          : "Beyond chance: of the regions marked so, at most one in twenty differs by the chance of repeated runs alone (Welch’s t-tests)."}
      </p>
    </>
  );
}

/** Factors against performance, as Figure 6 has it. */
export function AgainstBase({ names }: { names: string[] }) {
  const key = names.join("\n");
  const found = useLoad((signal) => api.similar(names, {}, live() ? () => {} : undefined, signal), [key]);
  if (!live() && !found.data) return null;
  return (
    <section>
      <h2>Similarity to {names[0]}</h2>
      <Answer of={found} wait="Comparing experiments…">
        {(s) => (s.kind === "experiments" ? <Figure6 s={s} /> : null)}
      </Answer>
    </section>
  );
}

function Figure6({ s }: { s: SimilarExperiments }) {
  const factors = Object.entries(s.factors).map(([name, values]) => ({ name, values }));
  const performance = [
    { name: "whole program", values: s.program },
    ...s.regions.slice(0, 20).map((r) => ({ name: r.region, values: r.similarity })),
  ];
  const line = command("similar", ...s.experiments);
  return (
    <>
      {s.words.length > 0 && (
        <ul class="findings">
          {s.words.slice(0, 8).map((text, i) => (
            <li key={i}>
              <Said text={text} />
            </li>
          ))}
        </ul>
      )}
      <Warnings list={s.warnings} />
      {factors.length > 0 && (
        <Picture title={`Similarity of factors to ${s.base}`} command={line}>
          <div class="scroll">
            <HeatTable label="Similarity of factors" columns={s.experiments} rows={factors} />
          </div>
        </Picture>
      )}
      <Picture
        title={`Similarity of performance to ${s.base}`}
        command={line}
        note={`${s.metrics.map((m) => m.metric).join(", ")}, ${s.over} over units; 1 is the same.`}
      >
        <div class="scroll">
          <HeatTable label="Similarity of performance" columns={s.experiments} rows={performance} />
        </div>
      </Picture>
    </>
  );
}
