// A metric or an expression of metrics, with those of the experiment to choose from.
import { api, live } from "./api";
import { useLoad } from "./load";

interface Props {
  name: string;
  value: string | undefined;
  placeholder?: string;
  onChange: (metric: string) => void;
}

export function MetricField({ name, value, placeholder, onChange }: Props) {
  const metrics = useLoad(live() ? () => api.metrics(name) : undefined, [name]);
  const known = metrics.data;
  const names = known && [...known.metrics.map((m) => m.metric), ...known.built_in, ...known.expressions];
  return (
    <label class="field">
      <span>Metric</span>
      <input
        type="text"
        list="known-metrics"
        placeholder={placeholder || known?.time_metric || "metric or expression"}
        defaultValue={value ?? ""}
        key={value}
        onChange={(e) => onChange(e.currentTarget.value.trim())}
      />
      <datalist id="known-metrics">{names && [...new Set(names)].map((m) => <option key={m} value={m} />)}</datalist>
    </label>
  );
}
