// What the accelerators of a job did: computing, communicating, both at once,
// copying, nothing; by rank, and of one rank by step, stream and kernel.
import { useMemo } from "preact/hooks";
import { live, type Breakdown, type Device, type DeviceCounter, type DeviceKernel, type DeviceOperator, type DeviceStream } from "../api";
import { axis, base, tip } from "../chart";
import { command, inOne, number, plural, seconds, share } from "../format";
import { brief } from "../names";
import { kindColour } from "../palette";
import { Chart, Command, Picture } from "../picture";
import { usePaint, type Paint } from "../theme";
import { Bar, Choice, Said, Table, Words, type Column } from "../ui";
import type { ViewProps } from "../view";

const mostBars = 256;

export function DevicesView({ name, query, refine, devices, first, lead }: ViewProps & { devices: Device[]; first?: number; lead: boolean }) {
  const chosen = devices.find((d) => String(d.rank) === query.rank) ?? devices.find((d) => d.rank === first) ?? devices[0];
  if (!chosen) return null;
  const line = command("device", name);
  return (
    <section>
      {lead && <Words text={chosen.words} />}
      <h2>What the devices did</h2>
      {devices.length > 1 && (
        <>
          <Parts title="Each rank’s device" of={devices.map((d) => ({ name: String(d.rank), seconds: d.seconds, ...d.breakdown }))} what="rank" line={line} />
          <Breakdowns label="Devices" head="rank" rows={devices.map((d) => ({ name: d.rank, seconds: d.seconds, ...d.breakdown }))} marked={chosen.rank} />
          {live() && (
            <div class="controls">
              <Choice
                label="Rank"
                value={String(chosen.rank)}
                options={devices.map((d) => ({ value: String(d.rank), label: String(d.rank) }))}
                onChange={(rank) => refine({ rank })}
              />
            </div>
          )}
        </>
      )}
      {!lead && (
        <p>
          <Said text={`Rank ${chosen.rank}: ${chosen.words}`} />
        </p>
      )}
      {chosen.steps.length > 0 && (
        <>
          <Parts title={`Steps of rank ${chosen.rank}`} of={chosen.steps.map((s) => ({ ...s, name: String(s.step) }))} what="step" line={line} />
          <Breakdowns label="Steps of the device" head="step" rows={chosen.steps.map((s) => ({ ...s, name: s.step }))} />
        </>
      )}
      <Kernels list={chosen.kernels ?? []} />
      <Operators list={chosen.operators ?? []} />
      <Streams list={chosen.streams ?? []} />
      <Counters list={chosen.counters ?? []} />
      <Command line={line} />
    </section>
  );
}

/** One stretch of a device, taken apart so that the parts add up to it. */
type Stretch = { name: string; seconds: number } & Breakdown;
const taken: [string, string, (b: Stretch) => number][] = [
  ["computing only", "#7fa7c4", (b) => b.computing_seconds - b.both_seconds],
  ["both at once", kindColour(2), (b) => b.both_seconds],
  ["communicating only", kindColour(3), (b) => b.communicating_seconds - b.both_seconds],
  ["copying only", kindColour(1), (b) => b.copying_seconds],
  ["idle", "#9a9a9a", (b) => b.idle_seconds],
];

function Parts({ title, of, what, line }: { title: string; of: Stretch[]; what: string; line: string }) {
  const p = usePaint();
  const shown = of.slice(0, mostBars);
  const option = useMemo(() => parts(p, title, shown, what), [of, p]);
  return (
    <Picture title={title} command={line} note={of.length > mostBars ? `The first ${mostBars} of ${of.length}.` : undefined}>
      <Chart option={option} height={240} label={`${title}: computing, communicating, copying and idle in ${plural(shown.length, what)}`} />
    </Picture>
  );
}

function parts(p: Paint, title: string, shown: Stretch[], what: string) {
  return {
    ...base(p, title),
    // On a phone the five parts take two or three lines.
    legend: { top: 0, left: 0, textStyle: { color: p.ink } },
    grid: { left: 8, right: 16, top: innerWidth < 500 ? 84 : 32, bottom: 28, containLabel: true },
    xAxis: axis(p, { type: "category", data: shown.map((s) => s.name), name: what, nameLocation: "middle" }),
    yAxis: axis(p, {
      type: "value",
      splitLine: { lineStyle: { color: p.line, type: "dotted" } },
      axisLabel: { color: p.soft, fontSize: 12, formatter: (v: number) => seconds(v) },
    }),
    tooltip: {
      ...(base(p, "").tooltip as object),
      trigger: "axis",
      formatter: (at: { dataIndex: number }[]) => {
        const s = shown[at[0]!.dataIndex]!;
        return tip(`${what} ${s.name}: ${seconds(s.seconds)}`, taken.map(([part, , value]) => [part, `${seconds(Math.max(0, value(s)))}, ${share(Math.max(0, value(s)) / s.seconds)}`]));
      },
    },
    series: taken.map(([part, color, value]) => ({ type: "bar", stack: "time", name: part, color, barMaxWidth: 36, data: shown.map((s) => Math.max(0, value(s))) })),
  };
}

type Row = { name: number; seconds: number } & Breakdown;

function Breakdowns({ label, head, rows, marked }: { label: string; head: string; rows: Row[]; marked?: number }) {
  const time = inOne(rows.map((r) => r.seconds), "s");
  const column = (key: string, of: (r: Row) => number, wide = false): Column<Row> => ({
    key, head: key, csv: `${key} (s)`, right: true, wide, by: of, cell: (r) => time(of(r)),
  });
  const columns: Column<Row>[] = [
    { key: "name", head, by: (r) => r.name, cell: (r) => r.name },
    column("time", (r) => r.seconds),
    column("computing", (r) => r.computing_seconds),
    column("communicating", (r) => r.communicating_seconds, true),
    { key: "overlap", head: "hidden by computing", right: true, wide: true, by: (r) => r.overlap, cell: (r) => share(r.overlap) },
    column("copying", (r) => r.copying_seconds, true),
    column("idle", (r) => r.idle_seconds),
  ];
  return <Table label={label} rows={rows} columns={columns} rowKey={(r) => String(r.name)} top={8} marked={(r) => r.name === marked} />;
}

function Kernels({ list }: { list: DeviceKernel[] }) {
  if (!list.length) return null;
  const time = inOne(list.map((k) => k.seconds), "s");
  const each = inOne(list.map((k) => k.most_seconds), "s");
  return (
    <section>
      <h3>Kernels</h3>
      <Table label="Kernels" rows={list} rowKey={(k) => k.kernel} top={8} columns={[
        { key: "kernel", head: "kernel", by: (k) => k.kernel, cell: (k) => <bdi class="path" title={k.kernel} data-whole={k.kernel}>{brief(k.kernel, 64)}</bdi> },
        { key: "kind", head: "kind", wide: true, by: (k) => k.kind, cell: (k) => k.kind },
        { key: "count", head: "count", right: true, wide: true, by: (k) => k.count, cell: (k) => k.count.toLocaleString("en") },
        { key: "share", head: "of all kernels", by: (k) => k.share, cell: (k) => <Bar value={k.share} /> },
        { key: "seconds", head: "time", csv: "time (s)", right: true, by: (k) => k.seconds, cell: (k) => time(k.seconds) },
        { key: "mean", head: "mean", csv: "mean (s)", right: true, wide: true, by: (k) => k.mean_seconds, cell: (k) => each(k.mean_seconds) },
        { key: "most", head: "longest", csv: "longest (s)", right: true, wide: true, by: (k) => k.most_seconds, cell: (k) => each(k.most_seconds) },
      ]} />
    </section>
  );
}

function Operators({ list }: { list: DeviceOperator[] }) {
  if (!list.length) return null;
  const time = inOne(list.map((o) => o.seconds), "s");
  return (
    <section>
      <h3>Operators that launched them</h3>
      <Table label="Operators" rows={list} rowKey={(o) => o.name} top={8} columns={[
        { key: "name", head: "operator", by: (o) => o.name, cell: (o) => <bdi class="path" title={o.name}>{o.name ? brief(o.name, 64) : "(no operator)"}</bdi> },
        { key: "kernels", head: "kernels", right: true, by: (o) => o.kernels, cell: (o) => o.kernels.toLocaleString("en") },
        { key: "seconds", head: "time", csv: "time (s)", right: true, by: (o) => o.seconds, cell: (o) => time(o.seconds) },
      ]} />
    </section>
  );
}

function Streams({ list }: { list: DeviceStream[] }) {
  if (!list.length) return null;
  const time = inOne(list.flatMap((s) => [s.busy_seconds, s.host_late_seconds, s.other_seconds]), "s");
  const column = (key: string, head: string, of: (s: DeviceStream) => number, wide = false): Column<DeviceStream> => ({
    key, head, csv: `${head} (s)`, right: true, wide, by: of, cell: (s) => time(of(s)),
  });
  return (
    <section>
      <h3>Why its streams were idle</h3>
      <Table label="Streams" rows={list} rowKey={(s) => String(s.stream)} top={8} columns={[
        { key: "stream", head: "stream", by: (s) => s.stream, cell: (s) => s.stream },
        column("busy", "busy", (s) => s.busy_seconds),
        column("host", "host had launched nothing", (s) => s.host_late_seconds),
        column("gap", "between two kernels", (s) => s.kernel_gap_seconds, true),
        column("other", "another reason", (s) => s.other_seconds),
      ]} />
    </section>
  );
}

function Counters({ list }: { list: DeviceCounter[] }) {
  if (!list.length) return null;
  return (
    <section>
      <h3>Counters of its kernels</h3>
      <Table label="Counters" rows={list} rowKey={(c) => `${c.counter} ${c.kernel} ${c.operator}`} top={8} columns={[
        { key: "counter", head: "counter", by: (c) => c.counter, cell: (c) => <bdi class="path">{c.counter}</bdi> },
        { key: "kernel", head: "kernel", by: (c) => c.kernel, cell: (c) => <bdi class="path" title={c.kernel} data-whole={c.kernel}>{brief(c.kernel, 48)}</bdi> },
        { key: "operator", head: "operator", wide: true, by: (c) => c.operator, cell: (c) => <bdi class="path">{c.operator || "(not known)"}</bdi> },
        { key: "count", head: "runs", right: true, wide: true, by: (c) => c.count, cell: (c) => c.count.toLocaleString("en") },
        { key: "sum", head: "sum", right: true, by: (c) => c.sum, cell: (c) => number(c.sum) },
        { key: "mean", head: "mean", right: true, wide: true, by: (c) => c.mean, cell: (c) => number(c.mean) },
      ]} />
    </section>
  );
}
