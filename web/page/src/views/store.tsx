// View 1: the experiments of the store: how long each ran, how well, and what cost
// it most; pick some to compare.
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, type Glance, type Listed } from "../api";
import { command, number, plural, runSeconds, share } from "../format";
import { useLoad } from "../load";
import { brief, lastName, shortened } from "../names";
import { Command } from "../picture";
import { go, link } from "../router";
import { Answer, Choice, Table, Warnings, type Column } from "../ui";
import type { ViewProps } from "../view";
import { fits, usefulFactors } from "./storefind";
import { Programs } from "./programs";

export function Store({ query, refine }: Omit<ViewProps, "name">) {
  const listing = useLoad(() => api.experiments(), []);
  return (
    <>
      <h1>Experiments</h1>
      <Answer of={listing} wait="Reading the store…">
        {(data) =>
          data.experiments.length ? (
            <Experiments list={data.experiments} query={query} refine={refine} />
          ) : (
            <p class="words">
              This store is empty. <code>auspex import PROFILE</code> or <code>auspex run</code> fills it.
            </p>
          )
        }
      </Answer>
      <Warnings list={listing.data?.problems} />
    </>
  );
}

const atOnce = 12;
const mostAsked = 600;
const large = (e: Listed): boolean => e.units * e.regions > 100_000;

/** What each run comes to, some at a time, so that the list is there at once. */
function useGlances(list: Listed[]): Map<string, Glance> {
  const [known, setKnown] = useState(new Map<string, Glance>());
  const key = list.map((e) => e.id).join();
  useEffect(() => {
    const stop = new AbortController();
    const ask = async () => {
      // Those of many regions last: the others need not wait for them.
      const wanted = list.slice(0, mostAsked).sort((a, b) => Number(large(a)) - Number(large(b))).map((e) => e.name);
      for (let i = 0; i < wanted.length && !stop.signal.aborted; i += atOnce) {
        const some = wanted.slice(i, i + atOnce);
        const found = await api.glances(some, stop.signal).catch(() => oneByOne(some, stop.signal));
        if (stop.signal.aborted) return;
        setKnown((old) => new Map([...old, ...found.glances.map((g): [string, Glance] => [g.id, g])]));
      }
    };
    void ask();
    return () => stop.abort();
  }, [key]);
  return known;
}

/** One that cannot be read does not hide the others. */
async function oneByOne(names: string[], signal: AbortSignal): Promise<{ glances: Glance[] }> {
  const glances: Glance[] = [];
  for (const name of names) {
    if (signal.aborted) break;
    const found = await api.glances([name], signal).catch(() => ({ glances: [] }));
    glances.push(...found.glances);
  }
  return { glances };
}

const lossWords: Record<string, string> = {
  imbalance: "uneven work",
  waiting: "waiting",
  communication: "communication",
  io: "input and output",
  start_end: "start and end",
  shared_cores: "off the cores",
  idle: "idle units",
  late_rank: "waiting for a late rank",
  device_idle: "device idle",
};

export function Loss({ glance }: { glance?: Glance }) {
  if (!glance) return <span class="soft">…</span>;
  if (!glance.timed) return <span class="soft">no time measured</span>;
  if (!glance.loss) return <span class="soft">none of 2 % or more</span>;
  const { line, region, share: part } = glance.loss;
  const rest = glance.whole - part > 0.01;
  const where = region ? `, ${rest ? share(part, 0) + " in " : ""}${lastName(region)}` : "";
  return (
    <span class="loss" title={`${lossWords[line] ?? line}${region ? " in " + region : ""}`}>
      {share(glance.whole, 0)} {lossWords[line] ?? line}
      {where && <bdi class="soft">{brief(where, 28)}</bdi>}
    </span>
  );
}

const size = (e: Listed, g?: Glance): string =>
  !g ? e.units.toLocaleString("en") : g.threads > 1 ? `${g.processes} × ${g.threads}` : g.processes.toLocaleString("en");

function Experiments({ list, query, refine }: { list: Listed[] } & Omit<ViewProps, "name">) {
  const picked = useMemo(() => new Set(query.pick ? query.pick.split(",").map(decodeURIComponent) : []), [query.pick]);
  const pick = (name: string, on: boolean) => {
    const next = new Set(picked);
    if (on) next.add(name);
    else next.delete(name);
    refine({ pick: [...next].map(encodeURIComponent).join(",") });
  };
  const shown = useMemo(() => list.filter((e) => fits(e, query.find ?? "")), [list, query.find]);
  const factors = useMemo(() => usefulFactors(shown), [shown]);
  const known = useGlances(shown);
  const at = (e: Listed) => known.get(e.id);
  const columns: Column<Listed>[] = [
    {
      key: "pick",
      head: "",
      cell: (e) => (
        <input
          type="checkbox"
          aria-label={`Pick ${e.name} to compare`}
          checked={picked.has(e.name)}
          onChange={(ev) => pick(e.name, ev.currentTarget.checked)}
        />
      ),
    },
    {
      key: "name",
      head: "experiment",
      by: (e) => e.name,
      cell: (e) => (
        <a href={link(["e", e.name])} title={e.name} data-whole={e.name}>
          {shortened(e.name, 40)}
        </a>
      ),
    },
    {
      key: "runtime",
      head: "run time",
      csv: "run time (s)",
      right: true,
      by: (e) => at(e)?.runtime,
      cell: (e) => (at(e) ? runSeconds(at(e)!.runtime) : "…"),
    },
    {
      key: "efficiency",
      head: "efficiency",
      right: true,
      by: (e) => at(e)?.efficiency.parallel,
      cell: (e) => (at(e) ? share(at(e)!.efficiency.parallel, 0) : "…"),
    },
    {
      key: "loss",
      head: "largest loss",
      csv: "largest loss (share)",
      wide: true,
      by: (e) => (at(e)?.timed ? at(e)!.whole : null),
      cell: (e) => <Loss glance={at(e)} />,
    },
    { key: "units", head: "ranks", right: true, by: (e) => at(e)?.processes ?? e.units, cell: (e) => <span class="nowrap">{size(e, at(e))}</span> },
    ...factors.map((f): Column<Listed> => ({
      key: "factor " + f,
      head: shortened(f, 18),
      csv: f,
      right: list.every((e) => typeof e.factors[f] !== "string"),
      wide: true,
      by: (e) => e.factors[f],
      cell: (e) => {
        const v = e.factors[f];
        return <span title={String(v ?? "")}>{typeof v === "number" ? number(v) : shortened(String(v ?? ""), 18)}</span>;
      },
    })),
    {
      key: "created",
      head: "created",
      wide: true,
      by: (e) => e.created,
      cell: (e) => e.created.slice(0, 10),
    },
    {
      key: "note",
      head: "",
      wide: true,
      cell: (e) => (e.incomplete ? <span title={e.incomplete}>incomplete</span> : ""),
    },
  ];
  const names = [...picked].filter((name) => list.some((e) => e.name === name)); // the first is the baseline
  const grouped = query.view === "programs";
  return (
    <>
      <div class="controls">
        <label class="field">
          <span>Find</span>
          <input
            type="search"
            placeholder="name, ranks=8, CPU Type=Opteron …"
            value={query.find ?? ""}
            onInput={(e) => refine({ find: e.currentTarget.value })}
          />
        </label>
        <Choice
          label="Show"
          value={grouped ? "programs" : "runs"}
          options={[
            { value: "runs", label: "every run" },
            { value: "programs", label: "by program" },
          ]}
          onChange={(v) => refine({ view: v === "programs" ? v : undefined })}
        />
        <button type="button" class="main" disabled={names.length < 2} onClick={() => go(["compare", ...names])}>
          {names.length < 2 ? "Pick two or more to compare" : `Compare ${names.length}`}
        </button>
        {names.length > 0 && (
          <button type="button" class="quiet" onClick={() => refine({ pick: undefined })}>
            none
          </button>
        )}
        <span class="note" role="status">
          {shown.length === list.length ? plural(list.length, "experiment") : `${shown.length} of ${list.length}`}
        </span>
      </div>
      {shown.length === 0 ? (
        <p class="words small">
          No experiment fits “{query.find}”.{" "}
          <button type="button" onClick={() => refine({ find: undefined })}>
            Show all {list.length}
          </button>
        </p>
      ) : grouped ? (
        <Programs list={shown} known={known} />
      ) : (
        <Table
          label="Experiments"
          rows={shown}
          columns={columns}
          rowKey={(e) => e.id + e.name}
          top={100}
          sort={query.sort ?? "-created"}
          onSort={(sort) => refine({ sort })}
          marked={(e) => picked.has(e.name)}
        />
      )}
      <Command line={command("ls")} />
    </>
  );
}
