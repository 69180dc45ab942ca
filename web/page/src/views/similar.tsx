// View 6, second half: regions of an experiment against each other, and units
// in one of them.
import { useMemo } from "preact/hooks";
import { api, live, type SimilarRegions, type SimilarUnits } from "../api";
import { command, degree, inOne, quantity, unitOf } from "../format";
import { brief, lastName, shortened } from "../names";
import { HeatTable } from "../heattable";
import { useLoad } from "../load";
import { Picture } from "../picture";
import { link } from "../router";
import { Answer, Choice, Degree, Table, Warnings, Words } from "../ui";
import type { ViewProps } from "../view";

export function Similar({ name, query, refine }: ViewProps) {
  const summary = useLoad(() => api.experiment(name, "path"), [name]);
  const heaviest = useMemo(() => (summary.data?.heaviest ?? []).map((r) => r.region), [summary.data]);
  const region = query.region || heaviest[0];
  const units = useLoad(region ? () => api.similar([name], { region: [region] }) : undefined, [name, region]);
  const regions = useLoad(heaviest.length > 1 ? () => api.similar([name], { region: heaviest }) : undefined, [heaviest]);
  return (
    <>
      {summary.data && !region && <p class="words">No region has a part in the time of this experiment.</p>}
      {live() && region && (
        <div class="controls">
          <Choice
            label="Units in"
            value={region}
            options={[...new Set([region, ...heaviest])].map((r) => ({ value: r, label: shortened(r, 60) }))}
            onChange={(v) => refine({ region: v })}
          />
          <a href={link([], { pick: encodeURIComponent(name) })}>compare with other experiments</a>
        </div>
      )}
      {region && (
        <Answer of={units} wait="Comparing units…">
          {(s) => (s.kind === "units" ? <Units s={s} /> : null)}
        </Answer>
      )}
      {heaviest.length > 1 && (
        <section>
          <h2>Regions</h2>
          <Answer of={regions} wait="Comparing regions…">
            {(s) => (s.kind === "regions" ? <Regions s={s} /> : null)}
          </Answer>
        </section>
      )}
    </>
  );
}

function Regions({ s }: { s: SimilarRegions }) {
  return (
    <>
      <Words text={s.words} />
      <Warnings list={s.warnings} />
      <Picture
        title={`The heaviest regions of ${s.experiment} against each other`}
        command={command("similar", s.experiment, ...s.regions.flatMap((r) => ["--region", r]))}
        note="1 is the same, 0 as different as can be."
      >
        <div class="scroll">
          <HeatTable
            label={s.words}
            columns={s.regions.map(lastName)}
            rows={s.regions.map((r, i) => ({ name: r, values: s.matrix[i]! }))}
          />
        </div>
      </Picture>
    </>
  );
}

function Units({ s }: { s: SimilarUnits }) {
  const columns = s.metrics.map((m, i) => inOne(s.rows.map((r) => r.values[i]), unitOf(m.metric)));
  return (
    <>
      <Words text={s.words} />
      <Warnings list={s.warnings} />
      {s.matrix && s.units.length <= 64 && (
        <Picture
          title={`Units of ${s.experiment} against each other in ${brief(lastName(s.region), 48)}`}
          command={command("similar", s.experiment, "--region", s.region)}
          note="1 is the same, 0 as different as can be."
        >
          <div class="scroll">
            <HeatTable
              label={s.words}
              columns={s.units.map(String)}
              rows={s.units.map((u, i) => ({ name: String(u), values: s.matrix![i]! }))}
            />
          </div>
        </Picture>
      )}
      <Table
        label="Units against the typical one"
        rows={s.rows}
        rowKey={(r) => String(r.unit)}
        top={16}
        columns={[
          { key: "unit", head: "unit", by: (r) => r.unit, cell: (r) => r.unit },
          {
            key: "similarity",
            head: "similarity to the typical one",
            by: (r) => r.similarity,
            cell: (r) => <Degree value={r.similarity} />,
          },
          ...s.metrics.map((m, i) => ({
            key: m.metric,
            head: m.metric,
            right: true,
            by: (r: SimilarUnits["rows"][0]) => r.values[i],
            csv: unitOf(m.metric) ? `${m.metric} (${unitOf(m.metric)})` : undefined,
            cell: (r: SimilarUnits["rows"][0]) => columns[i]!(r.values[i]),
          })),
          { key: "odd", head: "", cell: (r) => (r.odd ? "odd" : "") },
        ]}
      />
      <p class="note">
        The typical unit has {s.metrics.map((m, i) => `${m.metric} ${quantity(s.typical[i], unitOf(m.metric))}`).join(", ")}; distance{" "}
        {s.distance}; a similarity of {degree(1)} is the same.
      </p>
    </>
  );
}
