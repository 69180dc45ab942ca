// What words mean, drawn over the data: drag a point and the classification
// follows; keep the result as a vocabulary.
import { useMemo, useState } from "preact/hooks";
import { api, live, type Classification, type Term, type Terms as TermsAnswer, type Vocabulary } from "../api";
import { command, number, plural } from "../format";
import { meaning } from "../fuzzy";
import { useLoad, useSettled } from "../load";
import { Command, Picture } from "../picture";
import { Region } from "../region";
import { Answer, Choice, Degree, Failure, Table, type Column } from "../ui";
import type { ViewProps } from "../view";
import { TermEditor } from "./termeditor";

/** Changed numbers, by variable and term. */
type Changes = Record<string, Record<string, number[]>>;

export function Terms({ name, query, refine }: ViewProps) {
  const chosen = query.vocabulary ? [query.vocabulary] : undefined;
  const terms = useLoad(() => api.termsOf(name, chosen), [name, query.vocabulary]);
  return (
    <section>
      <h2>What the words mean</h2>
      <Answer of={terms} wait="Reading the words…">
        {(data) =>
          data.variables.length ? (
            <Variables key={query.vocabulary} name={name} data={data} query={query} refine={refine} />
          ) : (
            <p class="note">No word of the vocabulary can be said of this experiment’s metrics.</p>
          )
        }
      </Answer>
    </section>
  );
}

function Variables({ name, data, query, refine }: ViewProps & { data: TermsAnswer }) {
  const [changes, setChanges] = useState<Changes>({});
  const vocabularies = useLoad(live() ? () => api.vocabularies() : undefined, []);
  const variable = data.variables.find((v) => v.name === query.variable) ?? data.variables[0]!;
  const changed = changes[variable.name] ?? {};
  const settled = useSettled(changed, 60);
  const key = JSON.stringify(meanings(variable.terms, settled));
  const vocabulary = query.vocabulary ? [query.vocabulary] : undefined;
  const classified = useLoad<Classification>(
    async (signal) =>
      Object.keys(settled).length
        ? (
            await api.tryTerms(
              name,
              { variable: variable.name, meanings: meanings(variable.terms, settled), vocabulary },
              signal,
            )
          ).classification
        : api.classify(name, { metric: variable.name === "time_share" ? undefined : variable.metric, vocabulary }),
    [name, variable.name, key, query.vocabulary],
  );
  const change = (term: string, params: number[]) =>
    setChanges((all) => ({ ...all, [variable.name]: { ...all[variable.name], [term]: params } }));
  const forget = () => setChanges(({ [variable.name]: _, ...rest }) => rest);
  const touched = Object.keys(changed).length > 0;
  return (
    <>
      <Picture
        title={`The words of ${variable.name} over ${name}`}
        command={command(
          "classify",
          name,
          "--metric",
          variable.metric,
          query.vocabulary ? "--vocabulary" : "",
          query.vocabulary,
        )}
        note={
          <>
            {variable.about ? sentence(variable.about) : ""} The bars beneath count the regions with such a value.{" "}
            {live() && "Drag a point, or move it with the arrow keys."}
          </>
        }
        controls={
          <>
            <Choice
              label="Words of"
              value={variable.name}
              options={data.variables.map((v) => ({ value: v.name, label: v.name }))}
              onChange={(v) => refine({ variable: v })}
            />
            {(vocabularies.data?.vocabularies.length ?? 0) > 0 && (
              <Choice
                label="Vocabulary"
                value={query.vocabulary ?? ""}
                options={[
                  { value: "", label: "shipped" },
                  ...vocabularies.data!.vocabularies.map((v) => ({ value: v.name, label: v.name })),
                ]}
                onChange={(v) => refine({ vocabulary: v })}
              />
            )}
            {touched && (
              <button type="button" class="quiet" onClick={forget}>
                as it was
              </button>
            )}
          </>
        }
      >
        <TermEditor variable={variable} changed={changed} onChange={live() ? change : undefined} />
      </Picture>
      {classified.error && live() && <Failure error={classified.error} />}
      {classified.data && !classified.error && <Classified c={classified.data} stale={classified.loading} />}
      {live() && Object.keys(changes).length > 0 && <Save changes={changes} data={data} basedOn={vocabulary} />}
    </>
  );
}

const sentence = (s: string) => s.charAt(0).toUpperCase() + s.slice(1) + (s.endsWith(".") ? "" : ".");

function meanings(terms: Term[], changed: Record<string, number[]>): Record<string, string> {
  return Object.fromEntries(
    terms.filter((t) => t.shape && changed[t.name]).map((t) => [t.name, meaning(t.shape!, changed[t.name]!)]),
  );
}

function Classified({ c, stale }: { c: Classification; stale: boolean }) {
  const terms = useMemo(() => c.terms.filter((t) => !/^[A-Z][A-Z0-9_]+$/.test(t)), [c]);
  const columns: Column<Classification["rows"][0]>[] = [
    { key: "region", head: "region", by: (r) => r.region, cell: (r) => <Region path={r.region} /> },
    { key: "value", head: c.quantity || c.metric, right: true, by: (r) => r.value, cell: (r) => number(r.value, 3) },
    ...terms.map((t): Column<Classification["rows"][0]> => ({
      key: "term " + t,
      head: t,
      by: (r) => r.terms[t],
      cell: (r) => <Degree value={r.terms[t]} />,
    })),
  ];
  return (
    <div class={stale ? "stale" : undefined} id="classification">
      <Table
        label="Classification"
        rows={c.rows}
        columns={columns}
        rowKey={(r) => `${r.region} ${r.unit ?? ""}`}
        top={12}
      />
    </div>
  );
}

function Save({ changes, data, basedOn }: { changes: Changes; data: TermsAnswer; basedOn?: string[] }) {
  const [name, setName] = useState("");
  const [replace, setReplace] = useState(false);
  const [saved, setSaved] = useState<Vocabulary>();
  const [error, setError] = useState<Error>();
  const save = async (e: Event) => {
    e.preventDefault();
    try {
      setError(undefined);
      const variables = Object.entries(changes).map(([variable, changed]) => ({
        variable,
        meanings: meanings(data.variables.find((v) => v.name === variable)?.terms ?? [], changed),
      }));
      setSaved(
        await api.saveVocabulary({ name: name.trim(), replace: replace || undefined, based_on: basedOn, variables }),
      );
    } catch (failed) {
      setSaved(undefined);
      setError(failed as Error);
    }
  };
  return (
    <form class="save" onSubmit={save}>
      <h3>Save as vocabulary</h3>
      <p class="note">
        {plural(
          Object.values(changes).reduce((n, c) => n + Object.keys(c).length, 0),
          "word",
        )}{" "}
        changed.
      </p>
      <div class="controls">
        <label class="field">
          <span>Name</span>
          <input type="text" value={name} required pattern="[\w.\-]+" onInput={(e) => setName(e.currentTarget.value)} />
        </label>
        <label class="field switch">
          <input type="checkbox" checked={replace} onChange={(e) => setReplace(e.currentTarget.checked)} />
          <span>replace one of that name</span>
        </label>
        <button type="submit">Save</button>
      </div>
      {error && <Failure error={error} />}
      {saved && (
        <div role="status">
          <p>
            Saved as <code>{saved.name}</code>. Every command takes it:
          </p>
          <Command line={command("terms", "--vocabulary", saved.file)} />
        </div>
      )}
    </form>
  );
}
