// Why the kinds differ: for each core the metrics that tell them apart, with
// the decision table and the discernibility matrix they were found in.
import type { Cause, DecisionTable, Diagnosis, DiscernibilityMatrix } from "../api";
import { inOne, number, plural, quantity, ranges, seconds, share, unitOf } from "../format";
import { kindColour } from "../palette";
import { Command } from "../picture";
import { Region } from "../region";
import { csvOfLines } from "../csv";
import { Bar, Table, SaveCsv } from "../ui";

export function Causes({ d, command }: { d: Diagnosis; command: string }) {
  if (!d.causes.length) return null;
  return (
    <section>
      <h2>Causes, costliest first</h2>
      {d.causes.map((c, i) => (
        <OneCause key={c.region} c={c} d={d} first={i === 0 && d.unit_count <= fewUnits} />
      ))}
      <Command line={command} />
    </section>
  );
}

/** From so many units on the tables are too long to stand open. */
const fewUnits = 16;

/** What the values of a contrast are of: a metric, or one per another. */
const said = (e: Cause["evidence"][0]): string => (e.attribute.includes("/") ? e.attribute : e.metric);

function OneCause({ c, d, first }: { c: Cause; d: Diagnosis; first: boolean }) {
  return (
    <article class="cause">
      <h3>
        <Region path={c.region} />
      </h3>
      <p>
        {c.attributes.length ? (
          <>
            Because of <b>{c.attributes.join(" and ")}</b>.{" "}
          </>
        ) : (
          "The metrics that were collected do not explain it. "
        )}
        It loses {seconds(c.lost)}, {share(c.lost_share)} of the run: unit {c.slowest} takes {seconds(c.most)},{" "}
        {d.level1 ? "the mean is" : "the others"} {seconds(c.mean)}.
      </p>
      {c.evidence.length > 0 && (
        <ul class="plain">
          {c.evidence.map((e) => (
            <li key={e.attribute}>
              {said(e)}: {quantity(e.high_value, unitOf(said(e)))} in {ranges(e.high.slice(0, 24))} against{" "}
              {quantity(e.low_value, unitOf(said(e)))} in {ranges(e.low.slice(0, 24))}
              {e.ratio !== null && `, ${number(e.ratio, 3)} ×`}
              {e.correlation !== null && (
                <span class="path"> (correlation with the time {number(e.correlation, 3)})</span>
              )}
            </li>
          ))}
        </ul>
      )}
      {(c.table || c.matrix) && (
        <details open={first}>
          <summary>Which metrics tell the units apart</summary>
          <div class="columns">
            {c.table && <Decisions table={c.table} d={d} />}
            {c.matrix && c.matrix.units.length <= 24 && <Matrix matrix={c.matrix} />}
          </div>
        </details>
      )}
      {d.level1 > 0 && <details>
        <summary>What was left out, and how the work would be balanced</summary>
        <p class="note">
          Core: {c.core.join(", ") || "empty"}. Reducts: {c.reducts.map((r) => `{${r.join(", ")}}`).join(" ") || "none"}
          {c.complete ? "" : " and perhaps others"}.
        </p>
        <ul class="plain">
          {c.excluded.map((e) => (
            <li key={e.attribute}>
              {e.attribute}: {e.why}
            </li>
          ))}
        </ul>
        {c.inexplicable_pairs > 0 && (
          <p class="note">
            {plural(c.inexplicable_pairs, "pair")} of different kinds are alike in all metrics:{" "}
            {c.inexplicable
              .slice(0, 8)
              .map((q) => q.join("–"))
              .join(", ")}
            .
          </p>
        )}
        {c.balance.length > 0 && (
          <Table
            label={`Work that would balance ${c.region}`}
            rows={c.balance}
            rowKey={(b) => String(b.unit)}
            top={16}
            columns={[
              {
                key: "unit",
                head: "unit",
                by: (b) => (typeof b.unit === "number" ? b.unit : null),
                cell: (b) => b.unit,
              },
              {
                key: "measured",
                head: c.balance_by,
                right: true,
                by: (b) => b.measured,
                csv: `${c.balance_by}${unitOf(c.balance_by) && ` (${unitOf(c.balance_by)})`}`,
                cell: (b) => inOne(c.balance.map((o) => o.measured), unitOf(c.balance_by))(b.measured),
              },
              {
                key: "factor",
                head: "times its work now",
                right: true,
                by: (b) => b.factor,
                cell: (b) => number(b.factor, 3),
              },
              {
                key: "share",
                head: "share if all have equal shares now",
                by: (b) => b.share,
                cell: (b) => <Bar value={b.share} />,
              },
            ]}
          />
        )}
      </details>}
    </article>
  );
}

function Decisions({ table, d }: { table: DecisionTable; d: Diagnosis }) {
  return (
    <div>
      <h4>Decision table</h4>
      <div class="table">
        <table class="decisions" aria-label="Decision table">
          <thead>
            <tr>
              <th scope="col">{d.units}</th>
              {table.attributes.map((a, i) => (
                <th
                  key={a}
                  scope="col"
                  class={table.used[i] ? "used" : undefined}
                  title={table.used[i] ? "used" : "left out"}
                >
                  {breakable(a)}
                </th>
              ))}
              <th scope="col">kind</th>
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, 64).map((row, i) => (
              <tr key={i}>
                <td>
                  {ranges(row.units.slice(0, 12))}
                  {row.units.length > 12 ? ", …" : ""}
                </td>
                {row.values.map((v, j) => (
                  <td key={j} class={table.used[j] ? "used" : "path"}>
                    {v}
                  </td>
                ))}
                <td>
                  <span class="kind-mark" style={{ background: kindColour(row.decision) }} aria-hidden="true" />
                  {row.decision}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <SaveCsv
          label="Decision table"
          text={() => csvOfLines([[d.units, ...table.attributes, "kind"], ...table.rows.map((r) => [ranges(r.units), ...r.values, r.decision])])}
        />
      </div>
      <p class="note">Each number is the class of the metric’s values; the columns in bold were used.</p>
    </div>
  );
}

/** A metric's name that may be broken after a slash. */
const breakable = (name: string) => name.replaceAll("/", "/\u200b");

function Matrix({ matrix }: { matrix: DiscernibilityMatrix }) {
  const name = (i: number) => ranges((matrix.units[i] ?? []).slice(0, 6));
  return (
    <div>
      <h4>Discernibility matrix</h4>
      <div class="table">
        <table class="matrix" aria-label="Discernibility matrix">
          <thead>
            <tr>
              <td />
              {matrix.units.map((_, i) => (
                <th key={i} scope="col">
                  {name(i)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.entries.map((row, i) => (
              <tr key={i}>
                <th scope="row">{name(i)}</th>
                {row.map((entry, j) => (
                  <td key={j} class={entry === "0" ? "path" : entry === "-1" ? "bad" : undefined}>
                    {entry === "0" && i === j ? "·" : entry.split(" ").map((a) => <div key={a}>{a}</div>)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        <SaveCsv
          label="Discernibility matrix"
          text={() => csvOfLines([["units", ...matrix.units.map((u) => ranges(u))], ...matrix.entries.map((row, i) => [ranges(matrix.units[i] ?? []), ...row])])}
        />
      </div>
      <p class="note">
        The metrics in which two rows of different kinds differ; 0: the same kind, −1: nothing tells them apart.
      </p>
    </div>
  );
}
