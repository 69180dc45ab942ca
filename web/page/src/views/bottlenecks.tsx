// View 6: bottlenecks. The threshold, the band around it and the severity
// above it, with the regions where they stand (Soft performance analysis §6.3,
// Figure 4).
import { useMemo } from "preact/hooks";
import { api, live, type Bottlenecks as Found } from "../api";
import { axis, base, tip } from "../chart";
import { command, degree, number } from "../format";
import { lastName } from "../names";
import { degreeOf, parseShape, spokenShape } from "../fuzzy";
import { useLoad } from "../load";
import { MetricField } from "../metricfield";
import { kindColour } from "../palette";
import { Chart, Picture } from "../picture";
import { Region } from "../region";
import { usePaint, type Paint } from "../theme";
import { Answer, Degree, Table, Warnings, Words, type Column } from "../ui";
import type { ViewProps } from "../view";

type Row = Found["rows"][0];

export function Bottlenecks({ name, query, refine }: ViewProps) {
  const threshold = query.threshold && Number.isFinite(Number(query.threshold)) ? Number(query.threshold) : undefined;
  const found = useLoad(
    () => api.bottlenecks(name, { metric: query.metric || undefined, threshold }),
    [name, query.metric, query.threshold],
  );
  return (
    <>
      {live() && (
        <div class="controls">
          <MetricField
            name={name}
            value={query.metric}
            placeholder="time_share"
            onChange={(metric) => refine({ metric, threshold: undefined })}
          />
          <label class="field">
            <span>Threshold</span>
            <input
              type="text"
              inputMode="decimal"
              placeholder={String(found.data?.threshold ?? 0.1)}
              defaultValue={query.threshold ?? ""}
              key={query.threshold}
              onChange={(e) => refine({ threshold: e.currentTarget.value.trim() })}
            />
          </label>
        </div>
      )}
      <Answer of={found} wait="Looking…">
        {(b) => (
          <>
            <Words text={b.words} />
            <Warnings list={b.warnings} />
            <Figure b={b} />
            {b.rows.length > 0 && <Rows b={b} />}
          </>
        )}
      </Answer>
    </>
  );
}

function Figure({ b }: { b: Found }) {
  const p = usePaint();
  const option = useMemo(() => figure(b, p), [b, p]);
  return (
    <Picture
      title={`Bottlenecks of ${b.experiment}: ${b.metric} above ${number(b.threshold)}`}
      command={command("bottlenecks", b.experiment, "--metric", b.metric, "--threshold", String(b.threshold))}
      note={`Each dot is a region. ${[...b.severity_sets.map((s) => `${s.name}: ${spokenShape(s.set)}`), ...(b.negligible_set ? [`negligible: ${spokenShape(b.negligible_set)}`] : [])].join("; ")}.`}
    >
      <Chart option={option} height={320} label={b.words} />
    </Picture>
  );
}

function figure(b: Found, p: Paint) {
  const values = b.values.slice(0, 400);
  const labelled = new Set(b.rows.slice(0, 12).map((r) => r.region));
  const byRegion = new Map(b.rows.map((r) => [r.region, r]));
  const dots = values.map((v) => {
    const row = byRegion.get(v.region);
    const best = Math.max(
      0,
      ...(row?.crisp ? Object.values(row.severity ?? {}).map((d) => d ?? 0) : [row?.negligible ?? 0]),
    );
    return {
      value: [v.value, best],
      name: v.region,
      symbol: row?.crisp ? "circle" : row ? "diamond" : "emptyCircle",
      symbolSize: row ? 10 : 6,
      itemStyle: { color: row?.crisp ? p.warn : row ? p.accent : p.faint },
      label: { show: labelled.has(v.region), distance: 6 },
    };
  });
  const top = Math.max(b.upper, b.threshold * 1.2, ...values.map((v) => v.value));
  const above = distances(dots.filter((d) => d.label.show), top / 4);
  for (const d of dots) d.label.distance = above.get(d.name) ?? 6;
  return {
    ...base(p, `Bottlenecks of ${b.experiment}`),
    legend: { top: 0, left: 0, textStyle: { color: p.ink }, data: b.curves.map((c) => c.name), itemWidth: 28 },
    grid: { left: 8, right: 24, top: 52, bottom: 28, containLabel: true },
    xAxis: axis(p, {
      type: "value",
      min: Math.min(0, ...values.map((v) => v.value)),
      max: top,
      name: b.metric,
      nameLocation: "middle",
      axisLabel: { color: p.soft, formatter: (v: number) => number(v, 3) },
    }),
    yAxis: axis(p, {
      type: "value",
      min: 0,
      max: 1,
      interval: 0.5,
      splitLine: { lineStyle: { color: p.line, type: "dotted" } },
    }),
    tooltip: {
      ...(base(p, "").tooltip as object),
      trigger: "item",
      formatter: (e: { seriesType: string; seriesName: string; name: string; value: [number, number] }) =>
        e.seriesType === "scatter"
          ? tip(e.name, [
              [b.metric, number(e.value[0])],
              ["degree", degree(e.value[1])],
            ])
          : tip(e.seriesName),
    },
    series: [
      ...b.curves.map((c, i) => ({
        type: "line",
        name: c.name,
        symbol: "none",
        data: line(c, b, top),
        color: kindColour(i),
        lineStyle: { width: 2, type: (["solid", "dashed", "dotted"] as const)[i % 3] },
        areaStyle: { opacity: 0.06 },
        ...(i === 0
          ? {
              markLine: {
                symbol: "none",
                silent: true,
                data: [{ xAxis: b.threshold }],
                lineStyle: { color: p.ink, type: "solid" },
                label: { formatter: `threshold ${number(b.threshold)}`, color: p.ink, fontSize: 12, distance: 20 },
              },
            }
          : {}),
      })),
      {
        type: "scatter",
        data: dots,
        z: 5,
        label: {
          position: "top",
          formatter: (e: { name: string }) => lastName(e.name),
          color: p.ink,
          fontSize: 12,
          textBorderColor: p.paper, // curves pass behind it
          textBorderWidth: 3,
        },
      },
    ],
  };
}

/** How far above its dot each label stands, so that labels of dots close together stand above each other. */
function distances(dots: { name: string; value: number[] }[], wide: number): Map<string, number> {
  const placed: { x: number; y: number }[] = [];
  const above = new Map<string, number>();
  for (const { name, value } of [...dots].sort((a, b) => a.value[1]! - b.value[1]!)) {
    let steps = 0;
    const meets = (o: { x: number; y: number }) => Math.abs(o.x - value[0]!) < wide && Math.abs(o.y - (value[1]! + steps * labelHeight)) < labelHeight;
    while (placed.some(meets)) steps += 0.25;
    placed.push({ x: value[0]!, y: value[1]! + steps * labelHeight });
    above.set(name, 6 + steps * labelHeight * plotHeight);
  }
  return above;
}

const plotHeight = 210; // pixels for degrees from 0 to 1
const labelHeight = 13 / plotHeight;

/** A curve, drawn anew where its shape is known: the peaks are narrow. */
function line(c: Found["curves"][0], b: Found, top: number): number[][] {
  const shape = parseShape(
    c.name === "negligible" ? b.negligible_set : (b.severity_sets.find((s) => s.name === c.name)?.set ?? ""),
  );
  if (!shape) return c.x.map((x, k) => [x, c.y[k]!]);
  return Array.from({ length: 601 }, (_, k) => (k / 600) * top).map((x) => [x, degreeOf(shape.shape, shape.params, x)]);
}

function Rows({ b }: { b: Found }) {
  const columns: Column<Row>[] = [
    { key: "region", head: "region", by: (r) => r.region, cell: (r) => <Region path={r.region} /> },
    { key: "value", head: b.metric, right: true, by: (r) => r.value, cell: (r) => number(r.value) },
    { key: "crisp", head: "bottleneck", by: (r) => Number(r.crisp), cell: (r) => (r.crisp ? "yes" : "no") },
    ...b.severity_sets.map((s): Column<Row> => ({
      key: "severity " + s.name,
      head: s.name,
      by: (r) => r.severity?.[s.name],
      cell: (r) => (r.crisp ? <Degree value={r.severity?.[s.name]} /> : ""),
    })),
    ...(b.negligible_set
      ? [
          {
            key: "negligible",
            head: "negligible",
            wide: true,
            by: (r: Row) => r.negligible,
            cell: (r: Row) => (r.negligible ? <Degree value={r.negligible} /> : ""),
          },
        ]
      : []),
  ];
  const all = {
    total: b.total,
    command: command("bottlenecks", b.experiment, "--metric", b.metric, "--threshold", String(b.threshold)),
  };
  return <Table label="Bottlenecks" rows={b.rows} columns={columns} rowKey={(r) => r.region} top={20} all={all} />;
}
