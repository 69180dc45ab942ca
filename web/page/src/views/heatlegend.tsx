// What the colours of a heat map mean.
import type { Heatmap } from "../api";
import { domain, colouredValues, type HeatLook } from "../heatpaint";
import { rgb, scale } from "../palette";

const steps = 24;

export function HeatLegend({ map, look }: { map: Heatmap; look: HeatLook }) {
  const d = domain(colouredValues(map, look.shown), look.log);
  return (
    <span class="legend">
      <span>{look.text(d.low)}</span>
      <svg width={steps * 5} height="12" aria-hidden="true">
        {Array.from({ length: steps }, (_, i) => (
          <rect key={i} x={i * 5} width="5.2" height="12" fill={rgb(scale(i / (steps - 1), look.paint.dark))} />
        ))}
      </svg>
      <span>{look.text(d.high)}</span>
    </span>
  );
}
