// View 2: one experiment. The answer in words, then the numbers behind it.
import { useState } from "preact/hooks";
import { api, live, type Checked, type Rules, type Summary } from "../api";
import { command, inOne, ratio, plural, ranges, seconds, share, unitOf } from "../format";
import { lastName, shortened } from "../names";
import { useLoad } from "../load";
import { Command } from "../picture";
import { labelled, Region } from "../region";
import { link } from "../router";
import { Answer, Bar, Failure, Said, Table, Warnings, Words, type Column } from "../ui";
import type { ViewProps } from "../view";
import { useDiagnosis } from "./diagnosis";
import { LedgerBar } from "./ledger";
import { RanksPicture } from "./training";

export function Experiment({ name }: ViewProps) {
  const summary = useLoad(() => api.experiment(name), [name]);
  const diagnosis = useDiagnosis(name);
  const rules = useLoad(() => api.rules(name), [name]);
  const timed = !summary.data || !!summary.data.time_metric;
  // Of one unit nothing can be compared: what it did says more.
  const alone = !timed || (diagnosis.data?.unit_count ?? 2) <= 1;
  const training = summary.data?.training;
  const job = useLoad(training ? () => api.stragglers(name) : undefined, [name, training]);
  // What a table of operations tells, stages and slowdown, its profile does not know.
  const table = job.data?.clock_residual_seconds === null ? job.data.words : undefined;
  const [first, more] = split(job.loading ? "" : table ?? (alone ? summary.data?.words : diagnosis.data?.words) ?? summary.data?.words ?? "");
  return (
    <>
      <Words text={first} />
      {diagnosis.loading && !diagnosis.data && (
        <p class="wait" role="status">
          {diagnosis.stage}
        </p>
      )}
      {diagnosis.error && live() && timed && <p class="note">No diagnosis: {diagnosis.error.message}</p>}
      <Answer of={summary} wait="Reading the experiment…">
        {(s) => (
          <>
            {!!job.data?.ranks.length && <RanksPicture s={job.data} timed={job.data.ranks.some((r) => r.late_seconds !== null)} line={command("stragglers", name)} />}
            {s.ledger && <LedgerBar name={s.name} lines={s.ledger} units={s.ledger_units} of={s.other_ledgers.length ? plural(s.ledger_units, "processor thread") : undefined} />}
            {s.other_ledgers.map((o) => (
              <LedgerBar key={o.type} name={s.name} lines={o.lines} units={o.units} of={plural(o.units, o.type)} />
            ))}
            {more && (
              <p class="lead-on">
                <Said text={more} />
              </p>
            )}
            {diagnosis.data && !alone && (
              <p class="note">
                {live() ? <a href={link(["e", name, "kinds"])}>{kindsLine(diagnosis.data.kinds)}</a> : diagnosis.data.kinds.length > 1 && kindsLine(diagnosis.data.kinds)}
              </p>
            )}
            {s.training && live() && (
              <p class="note">
                <a href={link(["e", name, "training"])}>The training job: its ranks, steps and devices</a>
              </p>
            )}
            <Heaviest s={s} />
            <Warnings list={[...(s.incomplete ? [s.incomplete] : []), ...(s.warnings ?? [])]} />
            <div class="columns">
              {timed && s.units > 1 && !s.other_ledgers.length && <EfficiencyBars efficiency={s.efficiency} useful={usefulOf(s)} />}
              <Facts s={s} />
            </div>
          </>
        )}
      </Answer>
      {rules.data && !summary.data?.training && <Problems rules={rules.data} />}
      {live() && <Check name={name} />}
    </>
  );
}

/** The first sentence, and what follows it. */
function split(text: string): [string, string] {
  const end = /\. (?=\p{Lu}|\d)/u.exec(text.slice(60));
  const cut = end ? 60 + end.index + 1 : text.length;
  return [text.slice(0, cut), text.slice(cut + 1)];
}

function kindsLine(kinds: (number | string)[][]): string {
  if (kinds.length < 2) return "How the units compare";
  const shown = kinds.slice(0, 6).map((k) => ranges(k, 8));
  return `${kinds.length} kinds: ${shown.map((s) => `{${s}}`).join(" ")}${kinds.length > 6 ? " …" : ""}`;
}

const parts = [
  ["parallel", "Parallel efficiency", "useful work, of all the time of all units"],
  ["load_balance", "Load balance", "work of the mean unit, of the busiest one’s"],
  ["communication", "Communication", "work of the busiest unit, of the run time"],
  ["serialization", "Serialization", "the same on an ideal network"],
  ["transfer", "Transfer", "what messages leave beyond waiting for one another"],
] as const;

/** The share of useful work by the ledger; undefined where there is none. */
const usefulOf = (s: Summary): number | undefined =>
  s.ledger?.length ? s.ledger.filter((l) => l.line === "useful").reduce((sum, l) => sum + l.share, 0) : undefined;

export function EfficiencyBars({ efficiency, useful }: { efficiency: Summary["efficiency"]; useful?: number }) {
  // Efficiency counts all time outside communication; the ledger knows of some that was no work.
  const differs = useful !== undefined && Math.abs((efficiency.parallel ?? 0) - useful) >= 0.001;
  const known = parts.filter(([key]) => efficiency[key] !== undefined); // without a trace some are not
  if (known.every(([key]) => efficiency[key] === null)) return <p class="note">Efficiency needs a time metric.</p>;
  return (
    <section>
      <h2>Efficiency</h2>
      <div class="big-bars">
        {known.map(([key, label, about]) => (
          <>
            <span>
              {label}
              <small>{key === "parallel" && differs ? "all time outside communication, of all the time of all units" : about}</small>
            </span>
            <Bar value={efficiency[key]} tone={(efficiency[key] ?? 1) < 0.8 ? "warn" : undefined} />
          </>
        ))}
      </div>
    </section>
  );
}

/** How many processes, threads and nodes a run had. */
export function sizeOf(s: Summary): string {
  const each = s.processes > 1 ? " each" : "";
  return [
    s.processes !== s.units || s.threads <= 1 ? plural(s.processes, "process", "processes") : "",
    s.threads > 1 ? (s.units < s.processes * s.threads ? "up to " : "") + plural(s.threads, "thread") + each : "",
    s.nodes ? plural(s.nodes, "node") : "",
  ]
    .filter(Boolean)
    .join(", ");
}

const longFact = 300;

function Facts({ s }: { s: Summary }) {
  const facts: [string, string][] = [
    ["run time", s.runtime === null ? "" : seconds(s.runtime, 4)],
    ["program", s.program],
    ["command", s.command],
    ["units", sizeOf(s)],
    ["regions", s.regions.toLocaleString("en")],
    ["repeats", s.runs > 1 ? String(s.runs) : ""],
    [
      "factors",
      Object.entries(s.factors)
        .map(([k, v]) => `${k} = ${v}`)
        .join(", "),
    ],
    ["metrics", s.metrics.join(", ")],
    ["created", s.created.slice(0, 16).replace("T", " ")],
    ["read from", [s.format, (s.sources ?? []).join(", ")].filter(Boolean).join(": ")],
  ];
  return (
    <section>
      <h2>The run</h2>
      <dl class="facts">
        {facts
          .filter(([, v]) => v)
          .map(([k, v]) => (
            <>
              <dt>{k}</dt>
              <dd title={v.length > longFact ? v : undefined}>{shortened(v, longFact)}</dd>
            </>
          ))}
      </dl>
    </section>
  );
}

function Heaviest({ s }: { s: Summary }) {
  const words = useLoad(s.time_metric ? () => api.classify(s.name) : undefined, [s.name]);
  if (!s.heaviest.length) return null;
  const said = new Map(words.data?.rows.map((r) => [r.region, r.terms]));
  const unit = unitOf(s.metric);
  const one = s.units === 1;
  const time = inOne(s.heaviest.map((r) => r.max ?? r.mean), unit);
  const labels = labelled(s.heaviest.map((r) => r.region));
  const told = s.heaviest.some((r) => said.has(r.region));
  const spread: Column<Summary["heaviest"][0]>[] = [
    { key: "max", head: "slowest", csv: unit ? `slowest (${unit})` : "slowest", right: true, wide: true, by: (r) => r.max, cell: (r) => time(r.max) },
    { key: "ratio", head: "slowest / mean", right: true, wide: true, by: (r) => r.max_over_mean, cell: (r) => ratio(r.max_over_mean) },
  ];
  const columns: Column<Summary["heaviest"][0]>[] = [
    {
      key: "region",
      head: s.by === "name" ? "function" : "region",
      by: (r) => r.region,
      cell: (r) => (
        <Region path={r.region} label={labels.get(r.region)} href={live() ? link(["e", s.name, "regions"], { region: r.region, by: s.by }) : undefined} />
      ),
    },
    {
      key: "share",
      head: s.time_metric ? "of the run" : `of all ${s.metric}`,
      by: (r) => r.share,
      cell: (r) => <Bar value={r.share ?? 0} text={share(r.share)} />,
    },
    ...(told
      ? [{ key: "word", head: "in words", wide: true, cell: (r: Summary["heaviest"][0]) => <TermWords terms={said.get(r.region)} /> }]
      : []),
    { key: "mean", head: one ? (s.time_metric ? "time" : s.metric) : "mean", csv: unit ? `mean (${unit})` : "mean", right: true, by: (r) => r.mean, cell: (r) => time(r.mean) },
    ...(one ? [] : spread),
    {
      key: "where",
      head: s.heaviest.some((r) => r.file) ? "source" : "kind",
      wide: true,
      cell: (r) => <Where name={s.name} of={r} />,
    },
  ];
  return (
    <section>
      <h2>{s.time_metric ? "Where the time goes" : `Where the ${s.metric} are`}{s.by === "name" && ", all call paths of a function together"}</h2>
      <Table label="Heaviest regions" rows={s.heaviest} columns={columns} rowKey={(r) => r.region} top={12} />
      <p class="note">
        {s.heaviest.length === 1 ? "This row is" : `These ${s.heaviest.length} rows are`} {share(s.covered)} of {s.time_metric ? "the run" : `all ${s.metric}`}.{" "}
        {live() && <a href={link(["e", s.name, "regions"])}>All {s.regions.toLocaleString("en")} regions</a>}
      </p>
      <Command line={command("show", s.name)} />
    </section>
  );
}

/** Where a region stands in the source. */
export function Where({ name, of: r }: { name: string; of: { file?: string; line?: number; kind: string } }) {
  if (!r.file) return <span class="path nowrap">{r.kind}</span>;
  const text = `${lastName(r.file)}${r.line ? ":" + r.line : ""}`;
  const short = <bdi class="nowrap" title={`${r.file}:${r.line ?? ""}`}>{shortened(text, 24)}</bdi>;
  return live() ? (
    <a href={link(["e", name, "source"], { file: r.file, line: r.line ? String(r.line) : undefined })}>{short}</a>
  ) : (
    short
  );
}

/** The word that fits a region best. */
function TermWords({ terms }: { terms?: Record<string, number | null> }) {
  const [best] = Object.entries(terms ?? {})
    .filter((e): e is [string, number] => e[1] !== null && e[1] >= 0.005 && !/^[A-Z_]+$/.test(e[0]))
    .sort((a, b) => b[1] - a[1]);
  return best ? <span class="nowrap">{`${best[0].replaceAll("_", " ")} ${best[1].toFixed(2)}`}</span> : null;
}

function Problems({ rules }: { rules: Rules }) {
  return (
    <section>
      <h2>Known problems</h2>
      <p>
        <Said text={rules.words} />
      </p>
      {rules.problems.map((p, n) => (
        <article class="problem" key={p.problem}>
          <h3>
            {p.problem.replaceAll("_", " ")}{" "}
            <Bar value={p.degree} text={p.degree === null ? "–" : p.degree.toFixed(2)} />
          </h3>
          <p>
            <Said text={p.advice} />
          </p>
          <ul>
            {p.places.slice(0, 4).map((place, k) => (
              <li key={`${place.region} ${place.unit}`}>
                {place.region ? (
                  <Region path={place.region} />
                ) : place.unit != null ? (
                  `unit ${place.unit}`
                ) : (
                  "the program"
                )}
                {": "}
                {rules.because[n]?.[k]}
              </li>
            ))}
            {p.places.length > 4 && <li>and {p.places.length - 4} more</li>}
          </ul>
        </article>
      ))}
      {rules.unjudged.length > 0 && (
        <details>
          <summary>{plural(rules.unjudged.length, "problem")} could not be judged</summary>
          <ul>
            {rules.unjudged.map((u) => (
              <li key={u.problem}>
                {u.problem.replaceAll("_", " ")}: {u.why}
              </li>
            ))}
          </ul>
        </details>
      )}
      <Command line={command("rules", rules.experiment)} />
    </section>
  );
}

const contractExample = `[clause.balance]
require = "load_balance IS NOT poor"

[clause.waiting]
region = "MPI_*"
require = "time_share IS NOT high"
`;

function Check({ name }: { name: string }) {
  const [contract, setContract] = useState(contractExample);
  const [result, setResult] = useState<Checked>();
  const [error, setError] = useState<Error>();
  const run = async () => {
    try {
      setError(undefined);
      setResult(await api.check(name, contract));
    } catch (e) {
      setResult(undefined);
      setError(e as Error);
    }
  };
  const mark = (holds: boolean | null) => (holds === null ? "?" : holds ? "✓" : "✗");
  return (
    <details class="check">
      <summary>Check it against a contract</summary>
      <textarea
        aria-label="Contract in TOML"
        rows={8}
        spellcheck={false}
        value={contract}
        onInput={(e) => setContract(e.currentTarget.value)}
      />
      <div class="controls">
        <button type="button" onClick={run}>
          Check
        </button>
      </div>
      {error && <Failure error={error} />}
      {result && (
        <>
          <p class="words small">
            {result.holds === null
              ? "The contract cannot be judged."
              : result.holds
                ? "The contract holds."
                : `The contract is broken: ${plural(result.broken.length, "clause")}.`}
          </p>
          <ul class="clauses">
            {result.clauses.map((c) => (
              <li key={c.clause}>
                {mark(c.holds)} {c.words || c.why}
              </li>
            ))}
          </ul>
        </>
      )}
      <Command line={command("check", name, "--contract", "perf.toml")} />
    </details>
  );
}
