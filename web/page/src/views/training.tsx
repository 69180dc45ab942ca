// A training job: which rank the others wait for, why, and what it costs; then
// rank by rank and step by step, and what the devices did.
import { useMemo } from "preact/hooks";
import { api, type Hold, type JobRank, type JobStep, type Straggler, type Stragglers } from "../api";
import { axis, base, tip } from "../chart";
import { command, inOne, plural, ratio, seconds, share } from "../format";
import { useLoad } from "../load";
import { brief } from "../names";
import { Chart, Command, Picture } from "../picture";
import { Region } from "../region";
import { usePaint, type Paint } from "../theme";
import { Answer, Table, Warnings, Words, type Column } from "../ui";
import type { ViewProps } from "../view";
import { DevicesView } from "./devices";

export function Training(props: ViewProps) {
  const { name } = props;
  const job = useLoad(() => api.stragglers(name), [name]);
  const devices = useLoad(() => api.devices(name), [name]);
  const worst = job.data?.stragglers?.[0]?.rank;
  return (
    <>
      <Answer of={job} wait="Reading the job…">{(s) => (s ? <Job name={name} s={s} /> : null)}</Answer>
      <Answer of={devices} wait="Reading the devices…">
        {(d) => (d && !job.loading ? <DevicesView {...props} devices={d.devices} first={worst} lead={!job.data} /> : null)}
      </Answer>
      {job.data === null && devices.data === null && <p class="words">This experiment was not imported from the traces of a training job.</p>}
    </>
  );
}

/** What can be drawn of every rank: how late it was, or how slow where times are not known. */
function Job({ name, s }: { name: string; s: Stragglers }) {
  const timed = s.ranks.some((r) => r.late_seconds !== null);
  const line = command("stragglers", name);
  return (
    <>
      <Words text={s.words} />
      <Warnings list={s.notes ?? []} />
      {!!s.stragglers?.length && <Causes list={s.stragglers} />}
      {!!s.holds?.length && <Holds list={s.holds} />}
      {s.ranks.length > 0 && <RanksPicture s={s} timed={timed} line={line} />}
      {s.ranks.length > 0 && <Ranks s={s} timed={timed} />}
      {!!s.steps?.length && <Steps steps={s.steps} line={line} />}
      <div class="columns">
        {!!s.stages?.length && (
          <section>
            <h2>Pipeline stages</h2>
            <Table label="Pipeline stages" rows={s.stages} rowKey={(r) => String(r.stage)} columns={[
              { key: "stage", head: "stage", by: (r) => r.stage, cell: (r) => r.stage },
              { key: "slowdown", head: "slowdown", right: true, by: (r) => r.slowdown, cell: (r) => ratio(r.slowdown, 3) },
            ]} />
          </section>
        )}
        {!!s.kinds?.length && (
          <section>
            <h2>Kinds of operation</h2>
            <Table label="Kinds of operation" rows={s.kinds} rowKey={(r) => r.kind} columns={[
              { key: "kind", head: "kind", by: (r) => r.kind, cell: (r) => r.kind },
              { key: "slowdown", head: "slowdown", right: true, by: (r) => r.slowdown, cell: (r) => ratio(r.slowdown, 3) },
            ]} />
          </section>
        )}
      </div>
      <p class="note">Slowdown: how much longer the job takes than with every operation at its ideal time, if only this rank, stage or kind were as slow as it is.</p>
      <Command line={line} />
    </>
  );
}

function Causes({ list }: { list: Straggler[] }) {
  const time = inOne(list.flatMap((s) => [s.seconds, s.others_seconds, s.late_seconds]), "s");
  const columns: Column<Straggler>[] = [
    { key: "rank", head: "rank", by: (s) => s.rank, cell: (s) => s.rank },
    { key: "cause", head: "why it is late", by: (s) => s.cause, cell: (s) => `${s.cause} (${s.side}, ${s.pattern})` },
    { key: "region", head: "in", by: (s) => s.region, cell: (s) => (s.region ? <Region path={s.region} /> : "no named range") },
    { key: "seconds", head: "there", csv: "there (s)", right: true, wide: true, by: (s) => s.seconds, cell: (s) => time(s.seconds) },
    { key: "others", head: "others", csv: "others (s)", right: true, wide: true, by: (s) => s.others_seconds, cell: (s) => time(s.others_seconds) },
    { key: "late", head: "late", csv: "late (s)", right: true, wide: true, by: (s) => s.late_seconds, cell: (s) => time(s.late_seconds) },
    { key: "share", head: "of the job", right: true, by: (s) => s.lost_share, cell: (s) => share(s.lost_share) },
    { key: "fix", head: "what to do", wide: true, cell: (s) => s.fix },
  ];
  return (
    <section>
      <h2>Who is late, and why</h2>
      <Table label="Stragglers" rows={list} columns={columns} rowKey={(s) => `${s.rank} ${s.cause}`} top={8} />
    </section>
  );
}

/** What all ranks wait for beside computing: no rank is to blame for it. */
function Holds({ list }: { list: Hold[] }) {
  const time = inOne(list.map((h) => h.seconds), "s");
  const columns: Column<Hold>[] = [
    { key: "cause", head: "cause", by: (h) => h.cause, cell: (h) => (h.when ? `${h.cause} (in ${h.when})` : h.cause) },
    ...(list.some((h) => h.what) ? [{ key: "what", head: "in", by: (h: Hold) => h.what, cell: (h: Hold) => <span class="path" title={h.what}>{brief(h.what, 56)}</span> }] : []),
    { key: "seconds", head: "time", csv: "time (s)", right: true, wide: true, by: (h) => h.seconds, cell: (h) => time(h.seconds) },
    { key: "share", head: "gain, at most", right: true, by: (h) => h.share, cell: (h) => share(h.share) },
    { key: "fix", head: "what to do", wide: true, cell: (h) => h.fix },
  ];
  return (
    <section>
      <h2>What costs all ranks alike</h2>
      <Table label="Holds" rows={list} columns={columns} rowKey={(h) => `${h.cause} ${h.what}`} top={8} />
      <p class="note">Time in which the typical rank’s device computes nothing, or, of a heavy layer, more than its siblings. The gain is a share of the job’s time.</p>
    </section>
  );
}

const mostBars = 256;

export function RanksPicture({ s, timed, line }: { s: Stragglers; timed: boolean; line: string }) {
  const p = usePaint();
  const title = timed ? "How late each rank was" : "What each rank costs the job";
  const late = new Set((s.stragglers ?? []).map((x) => x.rank));
  const shown = s.ranks.slice(0, mostBars);
  const option = useMemo(() => {
    const value = (r: JobRank) => (timed ? r.late_seconds : r.slowdown === null ? null : r.slowdown - 1) ?? 0;
    const text = (v: number) => (timed ? seconds(v) : share(v));
    return bars(p, title, shown.map((r) => `${r.rank}`), "rank", shown.map((r) => ({ value: value(r), itemStyle: { color: late.has(r.rank) ? p.warn : p.accent } })), text, (i) =>
      tip(`rank ${shown[i]!.rank}`, [
        [timed ? "late" : "longer", text(value(shown[i]!))],
        ["slowdown", ratio(shown[i]!.slowdown, 3)],
      ]),
    );
  }, [s, p]);
  return (
    <Picture
      title={title}
      command={line}
      note={
        (timed ? `Time in which the rank was missing where the median of the others had arrived.` : `How much longer the job takes if only this rank is as slow as it is.`) +
        (s.ranks.length > mostBars ? ` The first ${mostBars} of ${s.ranks.length} ranks.` : "")
      }
    >
      <Chart option={option} height={200} label={`${title}: ${plural(shown.length, "rank")}`} />
    </Picture>
  );
}

/** Upright bars, one for each name. */
function bars(p: Paint, title: string, names: string[], what: string, data: unknown[], text: (v: number) => string, told: (i: number) => HTMLElement) {
  return {
    ...base(p, title),
    grid: { left: 8, right: 16, top: 12, bottom: 28, containLabel: true },
    xAxis: axis(p, { type: "category", data: names, name: what, nameLocation: "middle" }),
    yAxis: axis(p, { type: "value", splitLine: { lineStyle: { color: p.line, type: "dotted" } }, axisLabel: { color: p.soft, fontSize: 12, formatter: text } }),
    tooltip: { ...(base(p, "").tooltip as object), trigger: "item", formatter: (e: { dataIndex: number }) => told(e.dataIndex) },
    series: [{ type: "bar", data, barMaxWidth: 36 }],
  };
}

function Ranks({ s, timed }: { s: Stragglers; timed: boolean }) {
  const late = new Set((s.stragglers ?? []).map((x) => x.rank));
  const time = (of: (r: JobRank) => number | null) => inOne(s.ranks.map(of), "s");
  const column = (key: string, head: string, of: (r: JobRank) => number | null, wide = true): Column<JobRank> => {
    const write = time(of);
    return { key, head, csv: `${head} (s)`, right: true, wide, by: of, cell: (r) => write(of(r)) };
  };
  const columns: Column<JobRank>[] = [
    { key: "rank", head: "rank", by: (r) => r.rank, cell: (r) => r.rank },
    { key: "slowdown", head: "slowdown", right: true, by: (r) => r.slowdown, cell: (r) => ratio(r.slowdown, 3) },
    ...(timed
      ? [
          column("late", "late", (r) => r.late_seconds, false),
          column("steps", "steps", (r) => r.step_seconds),
          column("kernels", "kernels", (r) => r.kernel_seconds),
          column("collectives", "collectives", (r) => r.collective_seconds),
          { key: "range", head: "longest range", wide: true, by: (r: JobRank) => r.regions?.[0]?.region, cell: (r: JobRank) => (r.regions?.[0] ? <Region path={r.regions[0].region} /> : "") },
          column("in", "in it", (r) => r.regions?.[0]?.seconds ?? null),
        ]
      : []),
  ];
  return <Table label="Ranks" rows={s.ranks} columns={columns} rowKey={(r) => String(r.rank)} top={16} marked={(r) => late.has(r.rank)} />;
}

function Steps({ steps, line }: { steps: JobStep[]; line: string }) {
  const p = usePaint();
  const shown = steps.slice(0, mostBars);
  const title = "Steps, and how long the others waited in them";
  const option = useMemo(
    () => ({
      ...bars(p, title, shown.map((s) => String(s.step)), "step", shown.map((s) => s.seconds), (v) => seconds(v), (i) =>
        tip(`step ${shown[i]!.step}`, [
          ["time", seconds(shown[i]!.seconds)],
          ["others waited", seconds(shown[i]!.waited_seconds)],
          ["last rank", shown[i]!.last_rank === null ? "none" : String(shown[i]!.last_rank)],
        ]),
      ),
      legend: { top: 0, left: 0, textStyle: { color: p.ink } },
      grid: { left: 8, right: 16, top: 32, bottom: 28, containLabel: true },
      series: [
        { type: "bar", name: "others waited", stack: "step", color: p.warn, barMaxWidth: 36, data: shown.map((s) => Math.min(s.seconds, s.waited_seconds)) },
        { type: "bar", name: "the rest of the step", stack: "step", color: "#7fa7c4", barMaxWidth: 36, data: shown.map((s) => Math.max(0, s.seconds - s.waited_seconds)) },
      ],
    }),
    [steps, p],
  );
  const time = inOne(steps.map((s) => s.seconds), "s");
  return (
    <section>
      <Picture title={title} command={line} note={`The mean over the ranks that waited${steps.length > mostBars ? `; the first ${mostBars} of ${steps.length} steps` : ""}.`}>
        <Chart option={option} height={220} label={`${title}: ${plural(shown.length, "step")}`} />
      </Picture>
      <Table label="Steps" rows={steps} rowKey={(s) => String(s.step)} top={8} columns={[
        { key: "step", head: "step", by: (s) => s.step, cell: (s) => s.step },
        { key: "seconds", head: "time", csv: "time (s)", right: true, by: (s) => s.seconds, cell: (s) => time(s.seconds) },
        { key: "last", head: "last rank", right: true, by: (s) => s.last_rank, cell: (s) => s.last_rank ?? "none" },
        { key: "waited", head: "others waited", csv: "others waited (s)", right: true, by: (s) => s.waited_seconds, cell: (s) => time(s.waited_seconds) },
      ]} />
    </section>
  );
}
