// A report opened from disk: the same views, one after the other, as far as
// the file brings their answers.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api, type Glance } from "../api";
import { inOne, share } from "../format";
import { useLoad } from "../load";
import { shortened } from "../names";
import { Answer, Table, type Column } from "../ui";
import type { Query, ViewProps } from "../view";
import { Bottlenecks } from "./bottlenecks";
import { AgainstBase, Pair } from "./compare";
import { ScalingView } from "./scaling";
import { Loss } from "./store";
import { Experiment } from "./experiment";
import { Heat } from "./heat";
import { Kinds } from "./kinds";
import { Prediction } from "./prediction";
import { Similar } from "./similar";
import { Simulation } from "./simulation";
import { Source } from "./source";
import { Terms } from "./terms";
import { Training } from "./training";

export function Report() {
  const listing = useLoad(() => api.experiments(), []);
  const about = useLoad(() => api.about(), []);
  const predictions = useLoad(() => api.predictions().catch(() => ({ predictions: [] })), []);
  const simulations = useLoad(() => api.simulations().catch(() => ({ simulations: [] })), []);
  return (
    <Answer of={listing} wait="Reading the report…">
      {({ experiments }) => {
        const names = experiments.map((e) => e.name);
        const others = [...(predictions.data?.predictions ?? []), ...(simulations.data?.simulations ?? [])].map((x) => x.name);
        return (
          <>
            <h1>{[...names, ...others].slice(0, 3).join(", ") + (names.length + others.length > 3 ? " and others" : "")}</h1>
            {about.data?.made && <p class="note">Report of {about.data.made.slice(0, 16).replace("T", " ")}</p>}
            <Contents names={[...(names.length > 1 ? ["Comparison"] : []), ...names, ...others]} />
            {names.length > 0 && <Summary names={names} />}
            {names.length > 1 && (
              <article class="chapter" id={anchor("Comparison")}>
                <Part title={`${names[0]} and ${names[1]}`} ask={() => api.compare(names[0]!, names[1]!)} open>
                  <Pair a={names[0]!} b={names[1]!} />
                </Part>
                <ScalingView names={names} />
                <Part title={`Similarity to ${names[0]}`} ask={() => api.similar(names)}>
                  <AgainstBase names={names} />
                </Part>
              </article>
            )}
            {names.map((name) => (
              <Chapter key={name} name={name} />
            ))}
            {predictions.data?.predictions.map((p) => (
              <article class="chapter" key={p.name} id={anchor(p.name)}>
                <Local name={p.name} view={Prediction} />
              </article>
            ))}
            {simulations.data?.simulations.map((s) => (
              <article class="chapter" key={s.name} id={anchor(s.name)}>
                <Local name={s.name} view={Simulation} />
              </article>
            ))}
          </>
        );
      }}
    </Answer>
  );
}

const anchor = (name: string): string => "of-" + name.replace(/[^\p{L}\p{N}]+/gu, "-");

function Contents({ names }: { names: string[] }) {
  if (names.length < 2) return null;
  return (
    <nav class="contents" aria-label="Contents">
      {names.map((n) => (
        <a key={n} href={"#" + anchor(n)}>
          {shortened(n, 32)}
        </a>
      ))}
    </nav>
  );
}

/** What the runs come to, before anything else. */
function Summary({ names }: { names: string[] }) {
  const known = useLoad(() => api.glances(names), []);
  const rows = known.data?.glances ?? [];
  if (!rows.length) return null;
  const time = inOne(rows.map((g) => g.runtime), "s");
  const columns: Column<Glance>[] = [
    { key: "name", head: "run", by: (g) => g.name, cell: (g) => <a href={"#" + anchor(g.name)}>{shortened(g.name, 32)}</a> },
    { key: "runtime", head: "run time", csv: "run time (s)", right: true, by: (g) => g.runtime, cell: (g) => time(g.runtime) },
    { key: "efficiency", head: "efficiency", right: true, by: (g) => g.efficiency.parallel, cell: (g) => share(g.efficiency.parallel, 0) },
    { key: "loss", head: "largest loss", csv: "largest loss (share)", wide: true, by: (g) => (g.loss ? g.whole : null), cell: (g) => <Loss glance={g} /> },
    { key: "ranks", head: "ranks", right: true, by: (g) => g.processes, cell: (g) => g.processes.toLocaleString("en") },
  ];
  return <Table label="Summary" rows={rows} columns={columns} rowKey={(g) => g.name} top={100} />;
}

function Chapter({ name }: { name: string }) {
  return (
    <article class="chapter" id={anchor(name)}>
      <h2 class="part">{name}</h2>
      <Local name={name} view={Experiment} />
      <Part title="Training job" ask={async () => (await api.stragglers(name)) ?? (await api.devices(name)) ?? Promise.reject()}>
        <Local name={name} view={Training} />
      </Part>
      <Part title="Regions × units" ask={() => api.heatmap(name, {})}>
        <Local name={name} view={Heat} />
      </Part>
      <Part title="Kinds" ask={() => api.diagnose(name, { details: true })}>
        <Local name={name} view={Kinds} />
      </Part>
      <Part title="Bottlenecks" ask={() => api.bottlenecks(name)}>
        <Local name={name} view={Bottlenecks} />
      </Part>
      <Part
        title="Similarity"
        ask={() => api.experiment(name, "path").then((s) => api.similar([name], { region: [s.heaviest[0]!.region] }))}
      >
        <Local name={name} view={Similar} />
      </Part>
      <Part title="Words" ask={() => api.termsOf(name)}>
        <Local name={name} view={Terms} />
      </Part>
      <Part
        title="Source"
        ask={() => api.sources(name).then((s) => (s.files.some((f) => f.available) ? s : Promise.reject()))}
      >
        <Local name={name} view={Source} />
      </Part>
    </article>
  );
}

/** A view that keeps its refinements to itself. */
function Local({ name, view: View }: { name: string; view: (props: ViewProps) => preact.JSX.Element | null }) {
  const [query, setQuery] = useState<Query>({});
  const refine: ViewProps["refine"] = (change) =>
    setQuery((old) =>
      Object.fromEntries(Object.entries({ ...old, ...change }).filter((e): e is [string, string] => !!e[1])),
    );
  return <View name={name} query={query} refine={refine} />;
}

/** Shown only where the report has the answer; drawn when it is opened, then kept. */
function Part({ title, ask, open = false, children }: { title: string; ask: () => Promise<unknown>; open?: boolean; children: ComponentChildren }) {
  const there = useLoad(
    () =>
      ask().then(
        () => true,
        () => false,
      ),
    [],
  );
  const [seen, setSeen] = useState(open);
  if (!there.data) return null;
  return (
    <details class="part" open={open} onToggle={(e) => e.currentTarget.open && setSeen(true)}>
      <summary>{title}</summary>
      {seen && children}
    </details>
  );
}
