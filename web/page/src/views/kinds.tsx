// View 4: which units are alike, which regions part them, and why. With a
// second experiment, before and after stand side by side.
import { api, live, type Diagnosis } from "../api";
import { command, degree, number, plural, ranges, seconds, share } from "../format";
import { useLoad } from "../load";
import { kindColour } from "../palette";
import { Command } from "../picture";
import { Region } from "../region";
import { Choice, Rest, Switch, Warnings, Words } from "../ui";
import type { ViewProps } from "../view";
import { Causes } from "./causes";
import { useDiagnosis } from "./diagnosis";
import { CriticalTree } from "./criticaltree";
import { ReachabilityPlot } from "./reachability";
import { Utilisation } from "./utilisation";

export function Kinds({ name, query, refine }: ViewProps) {
  const others = useLoad(live() ? () => api.experiments() : undefined, []);
  return (
    <>
      {live() && (
        <div class="controls">
          <Choice
            label="Compare"
            value={query.units ?? ""}
            options={[
              { value: "", label: "what suits" },
              { value: "processes", label: "processes" },
              { value: "threads", label: "threads" },
              { value: "nodes", label: "nodes" },
            ]}
            onChange={(units) => refine({ units })}
          />
          <Switch
            label="time in communication counts too"
            on={query.mpi === "1"}
            onChange={(on) => refine({ mpi: on ? "1" : undefined })}
          />
          <Choice
            label="Beside"
            value={query.beside ?? ""}
            options={[
              { value: "", label: "nothing" },
              ...(others.data?.experiments ?? [])
                .filter((e) => e.name !== name)
                .map((e) => ({ value: e.name, label: e.name })),
            ]}
            onChange={(beside) => refine({ beside })}
          />
        </div>
      )}
      <div class={query.beside ? "pair" : undefined}>
        {query.beside && <h2>{name}</h2>}
        <OneDiagnosis name={name} query={query} />
        {query.beside && <h2>{query.beside}</h2>}
        {query.beside && <OneDiagnosis key={query.beside} name={query.beside} query={query} />}
      </div>
    </>
  );
}

export function OneDiagnosis({ name, query }: Omit<ViewProps, "refine">) {
  const units =
    query.units === "processes" || query.units === "threads" || query.units === "nodes" ? query.units : undefined;
  const d = useDiagnosis(name, { units, with_mpi: query.mpi === "1" || undefined, details: true });
  const samples = useLoad(() => api.samples(name), [name]);
  const flags = [units && "--units", units, query.mpi === "1" && "--with-mpi"];
  return (
    <section class="diagnosis">
      {d.error && (
        <p class="error" role="alert">
          {d.error.message}
        </p>
      )}
      {d.loading && !d.data && (
        <p class="wait" role="status">
          {d.stage}
        </p>
      )}
      {d.data && !d.error && (
        <div class={d.loading ? "stale" : undefined}>
          <Words text={d.data.words} />
          <Warnings list={d.data.warnings} />
          <KindList d={d.data} />
          {d.data.reachability && d.data.reachability.units.length > 1 && (
            <ReachabilityPlot d={d.data} command={command("diagnose", name, ...flags)} />
          )}
          <CriticalTree d={d.data} command={command("diagnose", name, ...flags)} />
          <Causes d={d.data} command={command("diagnose", name, ...flags, "--show-table", "--show-matrix")} />
          <Shared d={d.data} />
        </div>
      )}
      {samples.data && samples.data.nodes.length > 0 && <Utilisation samples={samples.data} />}
      <Command line={command("diagnose", name, ...flags)} />
    </section>
  );
}

const mostUnits = 512;

/** Every unit as a square with the number of its kind. */
function KindList({ d }: { d: Diagnosis }) {
  const word = d.units === "processes" ? "process" : d.units === "threads" ? "thread" : "node";
  return (
    <section>
      <h2>{d.kinds.length === 1 ? `One kind of ${d.units}` : `${d.kinds.length} kinds of ${d.units}`}</h2>
      <dl class="kinds">
        {d.kinds.slice(0, 40).map((kind, k) => (
          <>
            <dt>
              <span class="kind-mark" style={{ background: kindColour(k) }} aria-hidden="true" />
              kind {k}
            </dt>
            <dd>
              {d.unit_count <= mostUnits && d.unit_count <= 64 ? (
                <span class="units">
                  {kind.map((u) => (
                    <span key={u} class="unit" title={`${word} ${u}`} style={{ borderColor: kindColour(k) }}>
                      {u}
                    </span>
                  ))}
                </span>
              ) : (
                <>
                  {ranges(kind, 60)} <span class="path">({kind.length.toLocaleString("en")})</span>
                </>
              )}
            </dd>
          </>
        ))}
        {d.idle.length > 0 && (
          <>
            <dt>idle</dt>
            <dd>{ranges(d.idle)}</dd>
          </>
        )}
      </dl>
      <p class="note">
        Severity {degree(d.severity, 3)}
        {severityWord(d)}
        {d.level1 === 0 ? " by when each arrived where the others waited." : <>; compared by {d.metric} {d.with_mpi ? "with" : "outside"} communication in {plural(d.level1, "region")}
        {d.region_of && (
          <>
            {" "}
            below <Region path={d.region_of} most={40} />
          </>
        )}
        . Units less than {seconds(d.parameters.radius)} apart are of one kind.</>}
        {d.continuum && " The units differ in steps too small to part them: a continuum."}
        {d.scattered && " The units are scattered: there are hardly two alike."}
      </p>
    </section>
  );
}

function severityWord(d: Diagnosis): string {
  const best = Object.entries(d.severity_degrees ?? {})
    .filter((e): e is [string, number] => (e[1] ?? 0) > 0)
    .sort((a, b) => b[1] - a[1])[0];
  return best ? ` (${best[0].replaceAll("_", " ")})` : "";
}

/** What all units spend most on. */
function Shared({ d }: { d: Diagnosis }) {
  const cores = d.internal.regions.filter((r) => r.core);
  if (!cores.length) return null;
  return (
    <section>
      <h2>Costly in all units</h2>
      <ul class="plain">
        {cores.map((r) => (
          <li key={r.region}>
            <Region path={r.region} />: {r.class.replaceAll("_", " ")}, {share(r.time_share)} of the run
            {r.cycles_per_instruction !== null && `, ${number(r.cycles_per_instruction, 3)} cycles an instruction`}
          </li>
        ))}
      </ul>
      {d.total > d.internal.regions.length && (
        <Rest shown={d.internal.regions.length} total={d.total} command={command("diagnose", d.experiment, "--json")} />
      )}
      {d.internal.attributes.length > 0 && (
        <p class="note">What sets them apart from the other regions: {d.internal.attributes.join(", ")}.</p>
      )}
    </section>
  );
}
