// View 1: the experiments of the store with their factors; pick some to compare.
import { useMemo } from "preact/hooks";
import { api, type Listed } from "../api";
import { command, plural } from "../format";
import { useLoad } from "../load";
import { Command } from "../picture";
import { go, link } from "../router";
import { Answer, Table, Warnings, type Column } from "../ui";
import type { ViewProps } from "../view";

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

function Experiments({ list, query, refine }: { list: Listed[] } & Omit<ViewProps, "name">) {
  const picked = useMemo(() => new Set(query.pick ? query.pick.split(",").map(decodeURIComponent) : []), [query.pick]);
  const pick = (name: string, on: boolean) => {
    const next = new Set(picked);
    if (on) next.add(name);
    else next.delete(name);
    refine({ pick: [...next].map(encodeURIComponent).join(",") });
  };
  const factors = useMemo(() => usefulFactors(list), [list]);
  const shown = useMemo(() => list.filter((e) => fits(e, query.find ?? "")), [list, query.find]);
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
    { key: "name", head: "experiment", by: (e) => e.name, cell: (e) => <a href={link(["e", e.name])}>{e.name}</a> },
    { key: "units", head: "units", right: true, by: (e) => e.units, cell: (e) => e.units.toLocaleString("en") },
    {
      key: "regions",
      head: "regions",
      right: true,
      wide: true,
      by: (e) => e.regions,
      cell: (e) => e.regions.toLocaleString("en"),
    },
    ...factors.map((f): Column<Listed> => ({
      key: "factor " + f,
      head: f,
      right: list.every((e) => typeof e.factors[f] !== "string"),
      wide: true,
      by: (e) => e.factors[f],
      cell: (e) => String(e.factors[f] ?? ""),
    })),
    {
      key: "metrics",
      head: "metrics",
      wide: true,
      by: (e) => e.metrics.length,
      cell: (e) => <span title={e.metrics.join(", ")}>{plural(e.metrics.length, "metric")}</span>,
    },
    {
      key: "created",
      head: "measured",
      wide: true,
      by: (e) => e.created,
      cell: (e) => e.created.slice(0, 16).replace("T", " "),
    },
    {
      key: "note",
      head: "",
      wide: true,
      cell: (e) => (e.incomplete ? <span title={e.incomplete}>incomplete</span> : ""),
    },
  ];
  const names = list.filter((e) => picked.has(e.name)).map((e) => e.name);
  return (
    <>
      <div class="controls">
        <label class="field">
          <span>Find</span>
          <input
            type="search"
            placeholder="name, format, ranks=8, atoms>36 …"
            value={query.find ?? ""}
            onInput={(e) => refine({ find: e.currentTarget.value })}
          />
        </label>
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
      <Table
        label="Experiments"
        rows={shown}
        columns={columns}
        rowKey={(e) => e.id + e.name}
        top={100}
        sort="-created"
        marked={(e) => picked.has(e.name)}
      />
      <Command line={command("ls")} />
    </>
  );
}

/** The factors worth a column: those that differ first, at most six. */
function usefulFactors(list: Listed[]): string[] {
  const values = new Map<string, Set<unknown>>();
  for (const e of list)
    for (const [k, v] of Object.entries(e.factors)) values.set(k, (values.get(k) ?? new Set()).add(v));
  return [...values]
    .sort((a, b) => Number(b[1].size > 1) - Number(a[1].size > 1) || a[0].localeCompare(b[0]))
    .slice(0, 6)
    .map(([k]) => k);
}

/** Every word must fit: a comparison with a factor, or part of the name, the format or a factor. */
function fits(e: Listed, text: string): boolean {
  return text
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => {
      const said = /^([^<>=]+)(<=|>=|<|>|=)(.+)$/.exec(word);
      if (!said)
        return [e.name, e.format, ...Object.values(e.factors), ...e.metrics].some((v) =>
          String(v).toLowerCase().includes(word),
        );
      const [, name, op, wanted] = said as unknown as [string, string, string, string];
      const own: Record<string, number | string> = {
        units: e.units,
        regions: e.regions,
        format: e.format,
        runs: e.runs,
      };
      const key = Object.keys(e.factors).find((k) => k.toLowerCase() === name);
      const value = key === undefined ? own[name] : e.factors[key];
      if (value === undefined) return false;
      const order = typeof value === "number" ? value - Number(wanted) : value.toLowerCase().localeCompare(wanted);
      if (Number.isNaN(order)) return false;
      return { "=": order === 0, "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0 }[op] ?? false;
    });
}
