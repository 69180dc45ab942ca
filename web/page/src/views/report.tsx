// A report opened from disk: the same views, one after the other, as far as
// the file brings their answers.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api } from "../api";
import { useLoad } from "../load";
import { Answer } from "../ui";
import type { Query, ViewProps } from "../view";
import { Bottlenecks } from "./bottlenecks";
import { AgainstBase, Pair } from "./compare";
import { Experiment } from "./experiment";
import { Heat } from "./heat";
import { Kinds } from "./kinds";
import { Prediction } from "./prediction";
import { Similar } from "./similar";
import { Simulation } from "./simulation";
import { Source } from "./source";
import { Terms } from "./terms";

export function Report() {
  const listing = useLoad(() => api.experiments(), []);
  const predictions = useLoad(() => api.predictions().catch(() => ({ predictions: [] })), []);
  const simulations = useLoad(() => api.simulations().catch(() => ({ simulations: [] })), []);
  return (
    <Answer of={listing} wait="Reading the report…">
      {({ experiments }) => (
        <>
          {experiments.length > 1 && <Contents names={experiments.map((e) => e.name)} />}
          {experiments.length > 1 && (
            <Part
              title={`${experiments[0]!.name} and ${experiments[1]!.name}`}
              ask={() => api.compare(experiments[0]!.name, experiments[1]!.name)}
            >
              <Pair a={experiments[0]!.name} b={experiments[1]!.name} />
            </Part>
          )}
          {experiments.length > 1 && <AgainstBase names={experiments.map((e) => e.name)} />}
          {experiments.map((e) => (
            <Chapter key={e.name} name={e.name} />
          ))}
          {predictions.data?.predictions.map((p) => (
            <Local key={p.name} name={p.name} view={Prediction} />
          ))}
          {simulations.data?.simulations.map((s) => (
            <Local key={s.name} name={s.name} view={Simulation} />
          ))}
        </>
      )}
    </Answer>
  );
}

function Contents({ names }: { names: string[] }) {
  return (
    <nav class="contents" aria-label="Contents">
      {names.map((n) => (
        <button
          key={n}
          type="button"
          class="quiet"
          onClick={() => document.getElementById("of " + n)?.scrollIntoView()}
        >
          {n}
        </button>
      ))}
    </nav>
  );
}

function Chapter({ name }: { name: string }) {
  return (
    <article class="chapter">
      <h1 id={"of " + name}>{name}</h1>
      <Local name={name} view={Experiment} />
      <Part title="Regions × units" ask={() => api.heatmap(name, {})}>
        <Local name={name} view={Heat} />
      </Part>
      <Part title="Kinds" ask={() => api.diagnose(name, { details: true })}>
        <Local name={name} view={Kinds} />
      </Part>
      <Part title="Bottlenecks" ask={() => api.bottlenecks(name)}>
        <Local name={name} view={Bottlenecks} />
      </Part>
      <Part title="Similarity" ask={() => api.experiment(name, "path").then((s) => api.similar([name], { region: [s.heaviest[0]!.region] }))}>
        <Local name={name} view={Similar} />
      </Part>
      <Part ask={() => api.termsOf(name)}>
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

/** Shown only where the report has the answer. */
function Part({ title, ask, children }: { title?: string; ask: () => Promise<unknown>; children: ComponentChildren }) {
  const there = useLoad(
    () =>
      ask().then(
        () => true,
        () => false,
      ),
    [],
  );
  if (!there.data) return null;
  return (
    <section>
      {title && <h2 class="part">{title}</h2>}
      {children}
    </section>
  );
}
