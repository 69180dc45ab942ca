// What a heat map shows, and how.
import { live, type Normalise, type Scope } from "../api";
import type { Shown } from "../heatpaint";
import { MetricField } from "../metricfield";
import { Choice, Switch } from "../ui";
import type { ViewProps } from "../view";

/** A report holds the default metric in whole; everything else needs a server. */
export function HeatControls({ name, query, refine, crowded }: ViewProps & { crowded: boolean }) {
  return (
    <>
      {live() && <MetricField name={name} value={query.metric} onChange={(metric) => refine({ metric })} />}
      {live() && (
        <Choice
          label="Rows"
          value={query.arrange === "tree" ? "tree" : ""}
          options={[
            { value: "", label: "the heaviest" },
            { value: "tree", label: "along the call tree" },
          ]}
          onChange={(v) => refine({ arrange: v || undefined, top: undefined, bottom: undefined, opened: undefined, closed: undefined })}
        />
      )}
      {query.arrange !== "tree" && <Choice<Scope>
        label="Counting"
        value={query.scope === "inclusive" ? "inclusive" : "exclusive"}
        options={[
          { value: "exclusive", label: "the region alone" },
          { value: "inclusive", label: "all it calls" },
        ]}
        onChange={(v) => refine({ scope: v === "inclusive" ? v : undefined })}
      />}
      <Choice<Normalise>
        label="Colour by"
        value={query.normalise === "region" || query.normalise === "unit" ? query.normalise : "none"}
        options={[
          { value: "none", label: "value" },
          { value: "region", label: "part of the region’s largest" },
          { value: "unit", label: "part of the unit’s total" },
        ]}
        onChange={(v) => refine({ normalise: v === "none" ? undefined : v })}
      />
      {live() && (
        <Choice
          label="Depth"
          value={query.depth ?? ""}
          options={[
            { value: "", label: "all" },
            ...[0, 1, 2, 3, 4, 6, 8].map((d) => ({ value: String(d), label: d ? `${d}` : "roots" })),
          ]}
          onChange={(v) => refine({ depth: v, top: undefined, bottom: undefined })}
        />
      )}
      {crowded && (
        <Choice<Shown>
          label="Cells of many show"
          value={query.show === "mean" || query.show === "min" ? query.show : "max"}
          options={[
            { value: "max", label: "the largest" },
            { value: "mean", label: "the mean" },
            { value: "min", label: "the smallest" },
          ]}
          onChange={(v) => refine({ show: v === "max" ? undefined : v })}
        />
      )}
      <Switch label="logarithmic" on={query.log === "1"} onChange={(on) => refine({ log: on ? "1" : undefined })} />
    </>
  );
}
