// A small table of numbers from 0 to 1, each cell in the colour of its number
// (Soft performance analysis, Figure 6).
import { degree } from "./format";
import { apart } from "./names";
import { inkOn, rgb, scale } from "./palette";
import { Drawing } from "./picture";
import { usePaint } from "./theme";

interface Props {
  label: string;
  columns: string[];
  rows: { name: string; values: (number | null)[] }[];
}

const cellHeight = 24;
/** Paths are told apart by their ends. */
const cut = (s: string, n: number) => (s.length > n ? "…" + s.slice(s.length - n + 1) : s);

export function HeatTable({ label, columns, rows }: Props) {
  const p = usePaint();
  const longest = Math.max(4, ...rows.map((r) => Math.min(34, r.name.length)));
  const names = longest * 7.8 + 14;
  const slanted = columns.some((c) => c.length > 9);
  const head = slanted ? Math.min(110, 26 + Math.max(...columns.map((c) => Math.min(c.length, 18))) * 4.4) : 24;
  const cell = columns.length > 30 ? 26 : columns.length > 12 ? 34 : slanted ? 62 : 56;
  const numbers = cell >= 32;
  const heads = apart(columns, 18, cut);
  const labels = apart(rows.map((r) => r.name), 34, cut);
  const width = names + columns.length * cell + (slanted ? 70 : 8);
  const height = head + rows.length * cellHeight + 6;
  return (
    <Drawing width={width} height={height} class="drawing natural" label={label}>
      {columns.map((c, i) => {
        const x = names + (i + 0.5) * cell;
        return (
          <text
            key={i}
            x={x}
            y={head - 7}
            fill={p.soft}
            font-size="12"
            text-anchor={slanted ? "start" : "middle"}
            transform={slanted ? `rotate(-32 ${x} ${head - 7})` : undefined}
          >
            <title>{c}</title>
            {heads[i]}
          </text>
        );
      })}
      {rows.map((row, r) => (
        <g key={r}>
          <text x={names - 8} y={head + r * cellHeight + 16} text-anchor="end" fill={p.ink} font-size="12">
            <title>{row.name}</title>
            {labels[r]}
          </text>
          {row.values.map((v, c) => {
            const colour = scale(v ?? 0, p.dark);
            return (
              <g key={c}>
                <title>{`${row.name}, ${columns[c]}: ${degree(v, 3)}`}</title>
                <rect
                  x={names + c * cell}
                  y={head + r * cellHeight}
                  width={cell - 1}
                  height={cellHeight - 1}
                  fill={v === null ? "none" : rgb(colour)}
                  stroke={v === null ? p.line : "none"}
                />
                {numbers && (
                  <text
                    x={names + (c + 0.5) * cell}
                    y={head + r * cellHeight + 16}
                    text-anchor="middle"
                    fill={v === null ? p.soft : inkOn(colour)}
                    font-size="12"
                  >
                    {degree(v)}
                  </text>
                )}
              </g>
            );
          })}
        </g>
      ))}
    </Drawing>
  );
}
