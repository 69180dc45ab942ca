// View 6, second half: units of a region against each other.
import { useMemo } from "preact/hooks";
import { api, live, type SimilarUnits } from "../api";
import { command, degree, number, plural } from "../format";
import { HeatTable } from "../heattable";
import { useLoad } from "../load";
import { Picture } from "../picture";
import { link } from "../router";
import { Answer, Choice, Degree, Table, Warnings, Words } from "../ui";
import type { ViewProps } from "../view";

export function Similar({ name, query, refine }: ViewProps) {
  const summary = useLoad(() => api.experiment(name), [name]);
  const region = query.region || summary.data?.heaviest[0]?.region;
  const found = useLoad(region ? () => api.similar([name], { region: [region] }) : undefined, [name, region]);
  const options = useMemo(
    () => (summary.data?.heaviest ?? []).map((r) => ({ value: r.region, label: r.region })),
    [summary.data],
  );
  return (
    <>
      {live() && region && (
        <div class="controls">
          <Choice
            label="Units in"
            value={region}
            options={options.some((o) => o.value === region) ? options : [{ value: region, label: region }, ...options]}
            onChange={(v) => refine({ region: v })}
          />
          <a href={link([], { pick: encodeURIComponent(name) })}>compare with other experiments</a>
        </div>
      )}
      <Answer of={found} wait="Comparing units…">
        {(s) => (s.kind === "units" ? <Units s={s} /> : null)}
      </Answer>
    </>
  );
}

function Units({ s }: { s: SimilarUnits }) {
  const metrics = s.metrics.map((m) => m.metric).join(", ");
  const words = s.odd.length
    ? `${plural(s.odd.length, "unit")} of ${s.units.length} ${s.odd.length === 1 ? "differs" : "differ"} from the typical one in ${metrics} of \`${s.region}\`: ${s.odd.slice(0, 12).join(", ")}${s.odd.length > 12 ? ", …" : ""}.`
    : `All ${s.units.length} units are much like the typical one in ${metrics} of \`${s.region}\`.`;
  return (
    <>
      <Words text={words} />
      <Warnings list={s.warnings} />
      {s.matrix && s.units.length <= 64 && (
        <Picture
          title={`Units of ${s.experiment} against each other in ${s.region}`}
          command={command("similar", s.experiment, "--region", s.region)}
          note="1 is the same, 0 as different as can be."
        >
          <div class="scroll">
            <HeatTable
              label={words.replaceAll("`", "")}
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
            cell: (r: SimilarUnits["rows"][0]) => number(r.values[i]),
          })),
          { key: "odd", head: "", cell: (r) => (r.odd ? "odd" : "") },
        ]}
      />
      <p class="note">
        The typical unit has {s.metrics.map((m, i) => `${m.metric} ${number(s.typical[i])}`).join(", ")}; distance{" "}
        {s.distance}; a similarity of {degree(1)} is the same.
      </p>
    </>
  );
}
