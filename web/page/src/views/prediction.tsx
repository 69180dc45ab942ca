// View 7: how long it would take elsewhere. One prediction over process counts,
// levels and platforms, with what was measured.
import { api, type PredictedRow, type Prediction as Predicted } from "../api";
import { inOne, number, plural, share } from "../format";
import { lastName } from "../names";
import { useLoad } from "../load";
import { link } from "../router";
import { Answer, Bar, Table, Warnings, Words, type Column } from "../ui";
import type { ViewProps } from "../view";
import { Curves } from "./predictioncurves";
import { Settling } from "./settling";

export function Prediction({ name, query, refine }: ViewProps) {
  const found = useLoad(() => api.prediction(name), [name]);
  return (
    <>
      <div class="title">
        <h1>{name}</h1>
      </div>
      <Answer of={found} wait="Reading the prediction…">
        {(d) => (
          <>
            <Words text={d.words} />
            <Warnings list={d.notes} />
            <Curves d={d} log={query.log === "1"} onLog={(on) => refine({ log: on ? "1" : undefined })} />
            <Rows d={d} />
            <BestRanks d={d} />
            <Settling d={d} />
            <Loops d={d} />
          </>
        )}
      </Answer>
    </>
  );
}

function howMeasured(r: PredictedRow) {
  return r.extrapolated ? `${r.method}, not run` : r.method;
}

function Rows({ d }: { d: Predicted }) {
  const has = (key: keyof PredictedRow) => d.predictions.some((r) => r[key] !== null && r[key] !== "");
  const time = inOne(d.predictions.flatMap((r) => [r.predicted_seconds, r.measured_seconds, r.high_seconds]), "s", 5);
  const columns: Column<PredictedRow>[] = [
    { key: "np", head: "processes", right: true, by: (r) => r.np, cell: (r) => r.np },
    { key: "opt", head: "level", by: (r) => r.opt, cell: (r) => (r.opt ? `-O${r.opt}` : "–") },
    {
      key: "platform",
      head: "platform",
      by: (r) => r.platform,
      cell: (r) => <span title={r.platform}>{lastName(r.platform)}</span>,
    },
    { key: "method", head: "method", wide: true, by: howMeasured, cell: howMeasured },
    {
      key: "predicted",
      head: "predicted",
      right: true,
      by: (r) => r.predicted_seconds,
      csv: "predicted (s)",
      cell: (r) => time(r.predicted_seconds),
    },
    ...(has("low_seconds")
      ? [
          {
            key: "interval",
            head: "interval",
            right: true,
            wide: true,
            cell: (r: PredictedRow) =>
              r.low_seconds === null ? "–" : `${time(r.low_seconds)} – ${time(r.high_seconds)}`,
          },
        ]
      : []),
    ...(has("measured_seconds")
      ? [
          {
            key: "measured",
            head: "measured",
            right: true,
            by: (r: PredictedRow) => r.measured_seconds,
            csv: "measured (s)",
            cell: (r: PredictedRow) => time(r.measured_seconds),
          },
          {
            key: "error",
            head: "error",
            right: true,
            by: (r: PredictedRow) => r.error,
            cell: (r: PredictedRow) => share(r.error),
          },
        ]
      : []),
    ...(has("slowdown")
      ? [
          {
            key: "slowdown",
            head: "slowdown",
            right: true,
            wide: true,
            by: (r: PredictedRow) => r.slowdown,
            cell: (r: PredictedRow) => number(r.slowdown, 3),
          },
        ]
      : []),
    ...(has("gain")
      ? [
          {
            key: "gain",
            head: "gain",
            right: true,
            wide: true,
            by: (r: PredictedRow) => r.gain,
            cell: (r: PredictedRow) => number(r.gain, 3),
          },
        ]
      : []),
    ...(has("simulation")
      ? [
          {
            key: "replay",
            head: "",
            cell: (r: PredictedRow) => (r.simulation ? <a href={link(["simulations", r.simulation])}>replay</a> : ""),
          },
        ]
      : []),
  ];
  return (
    <>
      <Table
        label="Predictions"
        rows={d.predictions}
        columns={columns}
        rowKey={(r) => `${r.np} ${r.opt} ${r.platform} ${r.method}`}
        top={60}
        marked={(r) => r === d.predictions[d.best]}
      />
      <p class="note">
        The shortest is marked. Slowdown: the time to predict over the processor time of a measured run; gain is its
        inverse.
      </p>
    </>
  );
}

/** What the ranks of the shortest prediction spend their time on. */
function BestRanks({ d }: { d: Predicted }) {
  const best = d.predictions[d.best];
  if (!best?.ranks?.length) return null;
  const rows = best.ranks.map((r, rank) => ({ ...r, rank }));
  const time = inOne(rows.map((r) => r.finish), "s");
  const part = (
    key: "compute" | "send" | "receive" | "wait" | "collective",
    head: string,
  ): Column<(typeof rows)[0]> => ({
    key,
    head,
    csv: `${head} (s)`,
    by: (r) => r[key],
    cell: (r) => <Bar value={r.finish ? r[key] / r.finish : null} text={time(r[key])} />,
  });
  return (
    <section>
      <h2>
        Where the time goes with {plural(best.np, "process", "processes")} at -O{best.opt} on {lastName(best.platform)}
      </h2>
      <Table
        label="Ranks"
        rows={rows}
        rowKey={(r) => String(r.rank)}
        top={16}
        columns={[
          { key: "rank", head: "rank", right: true, by: (r) => r.rank, cell: (r) => r.rank },
          { key: "finish", head: "finish", csv: "finish (s)", right: true, by: (r) => r.finish, cell: (r) => time(r.finish) },
          part("compute", "computes"),
          ...(["send", "receive", "wait", "collective"] as const)
            .filter((k) => rows.some((r) => r[k] > 0))
            .map((k) =>
              part(k, { send: "sends", receive: "receives", wait: "waits", collective: "in collectives" }[k]),
            ),
        ]}
      />
    </section>
  );
}

/** How the time of each loop was found. */
function Loops({ d }: { d: Predicted }) {
  if (!d.loops?.length) return null;
  return (
    <details>
      <summary>How the time of {plural(d.loops.length, "loop")} was found</summary>
      <Table
        label="Loops"
        rows={d.loops}
        rowKey={(l) => `${l.file} ${l.line}`}
        top={40}
        columns={[
          { key: "where", head: "loop", cell: (l) => `${l.file}:${l.line}` },
          { key: "unit", head: "in", cell: (l) => l.unit },
          { key: "method", head: "method", by: (l) => l.method, cell: (l) => l.method },
          { key: "reason", head: "because", cell: (l) => l.reason },
        ]}
      />
    </details>
  );
}
