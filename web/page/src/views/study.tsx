// View 8: what a study of many points answers: in words, as a picture over the two
// axes that matter most, and point by point.
import { api, type Study as Told, type StudyRow } from "../api";
import { command, inOne, number, plural, ratio, seconds } from "../format";
import { lastName } from "../names";
import { useLoad } from "../load";
import { Command } from "../picture";
import { Answer, Bar, Table, Warnings, Words, type Column } from "../ui";
import { StudyMap } from "./studymap";

export function Study({ name }: { name: string }) {
  const found = useLoad(() => api.study(name), [name]);
  return (
    <>
      <div class="title">
        <h1>{name}</h1>
        <p>study</p>
      </div>
      <Answer of={found} wait="Reading the study…">
        {(s) => (
          <>
            <Words text={s.table.words} />
            <p class="note">{progress(s)}</p>
            <Warnings list={s.status.errors.map((e) => `${plural(e.points, "point")} failed, first ${e.first}: ${e.error}`)} />
            {s.table.picture && <StudyMap name={name} of={s.table.picture} />}
            <Matters s={s} />
            <Points name={name} s={s} />
            <Next s={s} />
          </>
        )}
      </Answer>
    </>
  );
}

function progress({ status: s }: Told): string {
  const parts = [`${s.done.toLocaleString("en")} of ${plural(s.points, "point")} done`];
  if (s.failed) parts.push(`${s.failed.toLocaleString("en")} failed`);
  if (s.missing) parts.push(`${s.missing.toLocaleString("en")} missing`);
  if (s.stopped) parts.push("cancelled");
  return parts.join(", ") + ".";
}

function Matters({ s }: { s: Told }) {
  if (s.table.effects.length < 2) return null;
  return (
    <section>
      <h2>What matters</h2>
      <Table
        label="What matters"
        rows={s.table.effects}
        rowKey={(e) => e.axis}
        columns={[
          { key: "axis", head: "axis", by: (e) => e.axis, cell: (e) => e.axis },
          { key: "share", head: "of the variance", csv: "of the variance (share)", by: (e) => e.share, cell: (e) => <Bar value={e.share} /> },
          { key: "ratio", head: "worst / best", right: true, by: (e) => e.ratio, cell: (e) => ratio(e.ratio) },
          { key: "best", head: "best", by: (e) => e.best, cell: (e) => <span title={e.best}>{lastName(e.best)}</span> },
        ]}
      />
    </section>
  );
}

function Points({ name, s }: { name: string; s: Told }) {
  if (s.table.rows.length === 0) return null;
  const least = s.table.rows[0]!.seconds;
  const time = inOne(s.table.rows.map((r) => r.seconds), "s", 5);
  const columns: Column<StudyRow>[] = [
    ...s.table.axes.map((a, i) => ({
      key: "axis " + a.name,
      head: a.name,
      by: (r: StudyRow) => (r.values[i] !== "" && Number.isFinite(Number(r.values[i])) ? Number(r.values[i]) : r.values[i]),
      cell: (r: StudyRow) => <span title={r.values[i]}>{lastName(r.values[i]!)}</span>,
    })),
    { key: "seconds", head: "time", csv: "time (s)", right: true, by: (r) => r.seconds, cell: (r) => time(r.seconds) },
    { key: "over", head: "× shortest", right: true, by: (r) => (least > 0 ? r.seconds / least : null), cell: (r) => (least > 0 ? ratio(r.seconds / least) : "–") },
  ];
  const line = command("sweep", "table", name);
  return (
    <section>
      <h2>Points</h2>
      <Table label="Points" rows={s.table.rows} rowKey={(r) => r.values.join("\n")} columns={columns} top={12} all={{ total: s.total, command: line + " --top 0" }} />
      <Command line={line} />
    </section>
  );
}

function Next({ s }: { s: Told }) {
  const next = s.table.next ?? [];
  if (next.length === 0) return null;
  return (
    <section>
      <h2>What to run next</h2>
      <Table
        label="What to run next"
        rows={next}
        rowKey={(n) => n.values.join("\n") + n.why}
        columns={[
          ...s.table.axes.map((a, i) => ({
            key: "axis " + a.name,
            head: a.name,
            by: (n: (typeof next)[0]) => n.values[i],
            cell: (n: (typeof next)[0]) => <span title={n.values[i]}>{lastName(n.values[i]!)}</span>,
          })),
          { key: "expected", head: "expected", csv: "expected (s)", right: true, by: (n) => n.expected_seconds, cell: (n) => (n.expected_seconds ? seconds(n.expected_seconds) : number(null)) },
          { key: "why", head: "why", by: (n) => n.why, cell: (n) => n.why },
        ]}
      />
    </section>
  );
}
