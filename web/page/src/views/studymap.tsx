// The times of a study over two axes, each cell in the colour of the shortest time
// there: on a logarithmic scale, since studies span orders of magnitude.
import type { StudyPicture } from "../api";
import { command, plural, seconds } from "../format";
import { lastName, shortened } from "../names";
import { inkOn, rgb, scale } from "../palette";
import { Drawing, Picture } from "../picture";
import { usePaint } from "../theme";

const height = 30;
const most = 26; // letters of a row's name

export function StudyMap({ name, of }: { name: string; of: StudyPicture }) {
  const title = `Time of ${name} over ${[of.y, of.x].filter(Boolean).join(" and ")}`;
  const note = [
    (usePaint().dark ? "Lighter" : "Darker") + " takes longer; each cell has the shortest time there, with all other axes at their best.",
    "The framed cell is the shortest of all.",
    neighbours(of) ? "The dashed line is the cliff." : "",
  ];
  return (
    <Picture title={title} command={command("sweep", "table", name)} note={note.filter(Boolean).join(" ")}>
      <div class="scroll">
        <Cells title={title} of={of} />
      </div>
    </Picture>
  );
}

function Cells({ title, of }: { title: string; of: StudyPicture }) {
  const p = usePaint();
  const known = of.cells.flat().flatMap((c) => (c && c.seconds > 0 ? [Math.log(c.seconds)] : []));
  const low = Math.min(...known);
  const span = Math.max(...known) - low;
  const rows = of.rows.map((r) => shortened(lastName(r), most));
  const names = Math.max(of.y.length, ...rows.map((r) => r.length)) * 7.4 + 16;
  const heads = of.columns.map((c) => shortened(lastName(c), 10));
  const cell = of.columns.length > 24 ? 18 : 74;
  const every = cell < 40 ? Math.ceil((Math.max(...heads.map((h) => h.length)) * 7 + 8) / cell) : 1;
  const top = 46;
  const x = (c: number) => names + c * cell;
  const y = (r: number) => top + r * height;
  const wide = x(of.columns.length) + 8;
  const tall = y(of.rows.length) + 8;
  return (
    <Drawing width={wide} height={tall} class="drawing natural" label={title}>
      <text x={names} y={16} fill={p.soft} font-size="12">
        {of.x}
      </text>
      <text x={names - 8} y={38} fill={p.soft} font-size="12" text-anchor="end">
        {of.y}
      </text>
      {heads.map((h, c) =>
        c % every ? null : (
          <text key={c} x={x(c) + cell / 2} y={38} fill={p.ink} font-size="12" text-anchor="middle">
            <title>{of.columns[c]}</title>
            {h}
          </text>
        ),
      )}
      {of.cells.map((row, r) => (
        <g key={r}>
          <text x={names - 8} y={y(r) + 19} fill={p.ink} font-size="12" text-anchor="end">
            <title>{of.rows[r]}</title>
            {rows[r]}
          </text>
          {row.map((c, i) => {
            const colour = scale(c && span > 0 && c.seconds > 0 ? (Math.log(c.seconds) - low) / span : 0, p.dark);
            return (
              <g key={i}>
                <title>
                  {c
                    ? `${c.values.map(lastName).join(", ")}: ${seconds(c.seconds, 4)}` + (c.points > 1 ? `; ${plural(c.points, "point")} here, up to ${seconds(c.worst, 4)}` : "")
                    : "not done"}
                </title>
                <rect x={x(i)} y={y(r)} width={cell - 2} height={height - 2} fill={c ? rgb(colour) : p.paper} stroke={c ? "none" : p.line} />
                {cell > 40 && (
                  <text x={x(i) + cell / 2 - 1} y={y(r) + 19} fill={c ? inkOn(colour) : p.soft} font-size="12" text-anchor="middle">
                    {c ? seconds(c.seconds) : "–"}
                  </text>
                )}
              </g>
            );
          })}
        </g>
      ))}
      <rect class="best" x={x(of.best.column) - 1} y={y(of.best.row) - 1} width={cell} height={height} fill="none" stroke={p.warn} stroke-width="3" />
      {neighbours(of) && <Cliff of={of} x={x} y={y} wide={x(of.columns.length)} tall={y(of.rows.length)} colour={p.warn} />}
    </Drawing>
  );
}

/** Whether the cliff lies between two that stand side by side. */
const neighbours = (of: StudyPicture): boolean => !!of.cliff && Math.abs(of.cliff.from - of.cliff.to) === 1;

/** A line where the cliff is. */
function Cliff(props: { of: StudyPicture; x: (c: number) => number; y: (r: number) => number; wide: number; tall: number; colour: string }) {
  const { across, from, to } = props.of.cliff!;
  const at = Math.max(from, to);
  const line = across
    ? { x1: props.x(at) - 1, x2: props.x(at) - 1, y1: props.y(0) - 4, y2: props.tall + 4 }
    : { x1: props.x(0) - 4, x2: props.wide + 4, y1: props.y(at) - 1, y2: props.y(at) - 1 };
  return <line class="cliff" {...line} stroke={props.colour} stroke-width="2" stroke-dasharray="5 3" />;
}
