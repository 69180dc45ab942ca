// Every region of an experiment, to be searched; one of them is a page of its own.
import { api, live, type RegionRow } from "../api";
import { command, inOne, ratio, plural, share } from "../format";
import { useLoad, useSettled } from "../load";
import { MetricField } from "../metricfield";
import { Command } from "../picture";
import { labelled, Region } from "../region";
import { link } from "../router";
import { Answer, Bar, Choice, Table, Warnings, type Column } from "../ui";
import type { ViewProps } from "../view";
import { Where } from "./experiment";
import { RegionView } from "./regionview";

export function Regions(props: ViewProps) {
  return props.query.region ? <RegionView {...props} region={props.query.region} /> : <All {...props} />;
}

function All({ name, query, refine }: ViewProps) {
  const find = useSettled(query.find ?? "", 200);
  const table = useLoad(
    (signal) => api.table(name, { metric: query.metric, by: query.by, find }, signal),
    [name, query.metric, query.by, find],
  );
  return (
    <>
      <div class="controls">
        <label class="field">
          <span>Find</span>
          <input
            type="search"
            placeholder="parts of the name or path"
            value={query.find ?? ""}
            onInput={(e) => refine({ find: e.currentTarget.value })}
          />
        </label>
        <Choice
          label="Regions are"
          value={query.by ?? table.data?.by ?? "path"}
          options={[
            { value: "name", label: "functions" },
            { value: "path", label: "call paths" },
          ]}
          onChange={(by) => refine({ by })}
        />
        <MetricField name={name} value={query.metric} onChange={(metric) => refine({ metric })} />
      </div>
      <Answer of={table} wait="Reading the regions…">
        {(t) => {
          const labels = labelled(t.rows.map((r) => r.region));
          const value = inOne(t.rows.flatMap((r) => [r.max, r.inclusive]), t.unit);
          const unit = t.unit ? ` (${t.unit})` : "";
          const spread: Column<RegionRow>[] = [
            { key: "max", head: "largest", csv: "largest" + unit, wide: true, right: true, by: (r) => r.max, cell: (r) => value(r.max) },
            { key: "ratio", head: "largest / mean", wide: true, right: true, by: (r) => r.max_over_mean, cell: (r) => ratio(r.max_over_mean) },
            { key: "units", head: "units", wide: true, right: true, by: (r) => r.units, cell: (r) => r.units.toLocaleString("en") },
          ];
          const columns: Column<RegionRow>[] = [
            {
              key: "region",
              head: t.by === "name" ? "function" : "region",
              by: (r) => r.region,
              cell: (r) => <Region path={r.region} label={labels.get(r.region)} href={live() ? link(["e", name, "regions"], { region: r.region, by: t.by }) : undefined} />,
            },
            { key: "share", head: "alone", csv: "alone (share)", by: (r) => r.share, cell: (r) => <Bar value={r.share} text={share(r.share)} /> },
            { key: "whole", head: "with all it calls", csv: "with all it calls (share)", wide: true, right: true, by: (r) => r.inclusive_share, cell: (r) => share(r.inclusive_share) },
            { key: "mean", head: t.units > 1 ? "mean" : t.metric, csv: "mean" + unit, right: true, by: (r) => r.mean, cell: (r) => value(r.mean) },
            ...(t.units > 1 ? spread : []),
            { key: "where", head: "source", wide: true, by: (r) => r.file ?? r.kind, cell: (r) => <Where name={name} of={r} /> },
          ];
          return t.total === 0 ? (
            <p class="words small">
              {query.find ? `No region fits “${query.find}”.` : "No region has a part in this metric."}
            </p>
          ) : (
            <>
              <p class="note" role="status">
                {t.total === t.regions ? plural(t.total, "region") : `${t.total.toLocaleString("en")} of ${plural(t.regions, "region")}`}
                ; {t.rows.length < t.total ? `the first ${t.rows.length} rows` : "these rows"} are {share(t.covered)} of {t.timed ? "the run’s" : "all"} {t.metric}.
              </p>
              <Table
                label="Regions"
                rows={t.rows}
                columns={columns}
                rowKey={(r) => r.region}
                top={50}
                sort={query.sort ?? "-share"}
                onSort={(sort) => refine({ sort })}
                all={{ total: t.total, command: command("show", name, "--regions") }}
              />
            </>
          );
        }}
      </Answer>
      <Warnings list={table.data?.note ? [table.data.note] : []} />
      <Command line={command("show", name, "--top", "500", query.by ? "--by" : undefined, query.by)} />
    </>
  );
}
