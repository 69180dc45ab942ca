// One region: what was measured of it, how the units differ, who calls it and whom
// it calls.
import { useMemo } from "preact/hooks";
import { api, live, type Heatmap, type RegionPage, type Related } from "../api";
import { axis, base, tip } from "../chart";
import { command, inOne, number, plural, quantity, share } from "../format";
import { useLoad } from "../load";
import { folded, lastName } from "../names";
import { kindColour } from "../palette";
import { Chart, Command, Picture } from "../picture";
import { Region } from "../region";
import { link } from "../router";
import { usePaint } from "../theme";
import { Answer, Bar, Table, type Column } from "../ui";
import type { ViewProps } from "../view";
import { Where } from "./experiment";

export function RegionView({ name, query, region }: ViewProps & { region: string }) {
  const page = useLoad(() => api.region(name, region, query.by), [name, region, query.by]);
  const here = (r: string) => (live() ? link(["e", name, "regions"], { region: r, by: page.data?.by }) : undefined);
  return (
    <Answer of={page} wait="Reading the region…">
      {(p) => (
        <>
          <h2 class="region-title" data-whole={region}>
            <bdi>{folded(lastName(region))}</bdi>
          </h2>
          {folded(lastName(region)) !== region && (
            <p class="note whole-name">
              <code>{region}</code>
            </p>
          )}
          <p class="words small">{inWords(p)}</p>
          <p>
            <Where name={name} of={p} />
            {" · "}
            <a href={link(["e", name, "heat"], { region: p.paths[0]?.region ?? region })}>in the heat map</a>
            {" · "}
            <a href={link(["e", name, "tree"], { root: p.paths[0]?.region ?? region })}>in the call tree</a>
            {" · "}
            <a href={link(["e", name, "regions"])}>all regions</a>
          </p>
          {p.own && p.own.cols.length > 1 && <OverUnits p={p} map={p.own} />}
          <div class="columns">
            <Others title="Called from" label="Callers" rows={p.callers} none="It is where a unit begins." here={here} />
            <Others title="Calls" label="Callees" rows={p.callees} none="It calls nothing that was measured." here={here} />
          </div>
          {p.by === "name" && p.paths_of > 1 && (
            <Others
              title={`On ${p.paths_of.toLocaleString("en")} call paths`}
              label="Call paths"
              rows={p.paths}
              none=""
              here={(r) => (live() ? link(["e", name, "regions"], { region: r, by: "path" }) : undefined)}
            />
          )}
          <Metrics p={p} />
          <Command line={command("show", name, "--regions")} />
        </>
      )}
    </Answer>
  );
}

function inWords(p: RegionPage): string {
  if (p.share === null) return "No time was measured of it.";
  const alone = `Alone it is ${share(p.share)} of the run`;
  const whole = p.inclusive_share !== null && p.inclusive_share > p.share * 1.001 ? `, with all it calls ${share(p.inclusive_share)}` : "";
  const who = p.entered === p.units ? (p.units > 1 ? `; all ${p.units.toLocaleString("en")} units spend time in it` : "") : `; ${p.entered.toLocaleString("en")} of ${p.units.toLocaleString("en")} units spend time in it`;
  return `${alone}${whole}${who}.`;
}

/** Its own time in every unit: bars, or the range where a bar stands for several. */
function OverUnits({ p, map }: { p: RegionPage; map: Heatmap }) {
  const paint = usePaint();
  const unit = "s";
  const option = useMemo(() => {
    const text = inOne(map.max, unit);
    const names = map.cols.map((c) => (c.to - c.from > 1 ? `${c.unit} to ${c.last}` : c.unit));
    return {
      ...base(paint, `Its own time in ${map.units} units`),
      xAxis: axis(paint, { type: "category", data: names, name: "unit", nameLocation: "middle" }),
      yAxis: axis(paint, { type: "value", axisLabel: { color: paint.soft, formatter: (v: number) => quantity(v, unit, 3) } }),
      tooltip: {
        ...(base(paint, "").tooltip as object),
        trigger: "axis",
        formatter: (e: { dataIndex: number }[]) => {
          const i = e[0]!.dataIndex;
          const several = map.cols[i]!.to - map.cols[i]!.from > 1;
          return tip(`unit ${names[i]}`, several ? [["largest", text(map.max[i])], ["mean", text(map.mean[i])], ["smallest", text(map.min[i])]] : [["time", text(map.max[i])]]);
        },
      },
      series: [{ type: "bar", name: "largest", data: map.max.map((v) => v ?? 0), color: kindColour(0), barCategoryGap: "8%", large: map.cols.length > 200 }],
    };
  }, [map, paint]);
  const several = map.cols.some((c) => c.to - c.from > 1);
  return (
    <Picture
      title={`Time of ${lastName(p.region)} over the units`}
      command={command("show", p.name, "--regions")}
      note={several ? "A bar stands for several units and has the largest of them." : undefined}
    >
      <Chart option={option} height={220} label={`Its own time in ${plural(map.units, "unit")}`} canvas={map.cols.length > 300} />
    </Picture>
  );
}

function Others(props: { title: string; label: string; rows: Related[]; none: string; here: (region: string) => string | undefined }) {
  const time = inOne(props.rows.map((r) => r.mean), "s");
  const columns: Column<Related>[] = [
    { key: "region", head: "region", by: (r) => r.region, cell: (r) => <Region path={r.region} href={props.here(r.region)} most={40} /> },
    { key: "share", head: "of the run", by: (r) => r.share, cell: (r) => <Bar value={r.share} text={share(r.share)} /> },
    { key: "mean", head: "mean", csv: "mean (s)", right: true, by: (r) => r.mean, cell: (r) => time(r.mean) },
  ];
  return (
    <section>
      <h2>{props.title}</h2>
      {props.rows.length ? (
        <Table label={props.label} rows={props.rows} columns={columns} rowKey={(r) => r.region} top={10} />
      ) : (
        <p class="note">{props.none}</p>
      )}
    </section>
  );
}

function Metrics({ p }: { p: RegionPage }) {
  type Row = RegionPage["metrics"][0];
  const cell = (r: Row, v: number | null) => quantity(v, r.unit);
  const columns: Column<Row>[] = [
    { key: "metric", head: "metric", by: (r) => r.metric, cell: (r) => r.metric },
    { key: "min", head: "smallest", right: true, wide: true, by: (r) => r.own.min, cell: (r) => cell(r, r.own.min) },
    { key: "mean", head: "mean", right: true, by: (r) => r.own.mean, cell: (r) => cell(r, r.own.mean) },
    { key: "max", head: "largest", right: true, by: (r) => r.own.max, cell: (r) => cell(r, r.own.max) },
    { key: "ratio", head: "largest / mean", right: true, wide: true, by: (r) => ratio(r), cell: (r) => number(ratio(r), 3) },
    { key: "inc", head: "mean with all it calls", right: true, wide: true, by: (r) => r.inclusive.mean, cell: (r) => cell(r, r.inclusive.mean) },
    { key: "share", head: "of the program", right: true, by: (r) => r.share, cell: (r) => share(r.share) },
  ];
  return (
    <section>
      <h2>What was measured of it, over the units that entered</h2>
      <Table label="Metrics of the region" rows={p.metrics} columns={columns} rowKey={(r) => r.metric} top={20} />
      {p.metrics_left > 0 && <p class="note">{plural(p.metrics_left, "metric")} more would take long to read here.</p>}
    </section>
  );
}

const ratio = (r: RegionPage["metrics"][0]): number | null => (r.own.mean && r.own.max !== null ? r.own.max / r.own.mean : null);
