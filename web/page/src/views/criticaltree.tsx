// The critical regions as a tree: level 1 on the left, the cores stand out.
import type { CriticalRegion, Diagnosis } from "../api";
import { share } from "../format";
import { Drawing, Picture } from "../picture";
import { usePaint, type Paint } from "../theme";
import { brief } from "../names";
import { useWidth } from "../width";

const rowHeight = 46;
const colWidth = 350;
const boxWidth = 360;
const indent = 28;

interface Placed {
  r: CriticalRegion;
  x: number;
  y: number;
}

export function CriticalTree(props: { d: Diagnosis; command: string }) {
  return props.d.ccr.length ? <Tree {...props} /> : null;
}

function Tree({ d, command }: { d: Diagnosis; command: string }) {
  const p = usePaint();
  const [box, room] = useWidth();
  const shown = d.ccr.slice(0, 60);
  const depth = Math.max(...shown.map((r) => r.level));
  const wide = (depth - 1) * colWidth + boxWidth + 10;
  const narrow = room > 0 && room < wide;
  const placed = place(shown, narrow);
  const width = narrow ? Math.max(room, (depth - 1) * indent + boxWidth + 10) : wide;
  const height = Math.max(...placed.map((q) => q.y)) + rowHeight;
  return (
    <Picture
      title={`Critical regions of ${d.experiment}`}
      command={command}
      note={
        (d.level1 === 0
          ? "Where the late ranks lose their time."
          : d.continuum || d.scattered
            ? "A critical region (CCR) has much of the variance between units. A core (CCCR, filled) is the deepest on its path."
            : "A critical region (CCR) changes the kinds when its time is set to zero. A core (CCCR, filled) is the deepest on its path.") +
        (d.ccr.length > shown.length ? ` ${d.ccr.length - shown.length} more are not drawn.` : "")
      }
    >
      <div class="scroll" ref={box}>
        <Drawing
          width={width}
          height={height}
          class="drawing tree"
          label={d.ccr.map((r) => `${r.region}, level ${r.level}${r.core ? ", core" : ""}`).join("; ")}
        >
          {placed.map((q) => {
            const parent = placed.find((o) => o.r.region === q.r.inside);
            return (
              parent && <path key={"line " + q.r.region} d={joint(parent, q, narrow)} stroke={p.faint} fill="none" />
            );
          })}
          {placed.map((q) => (
            <Box key={q.r.region} {...q} p={p} compared={d.level1 > 0} />
          ))}
        </Drawing>
      </div>
    </Picture>
  );
}

function Box({ r, x, y, p, compared }: Placed & { p: Paint; compared: boolean }) {
  const label = brief(r.name, 34);
  const role = compared ? `${r.level}-CCR${r.core ? " & CCCR" : ""}` : "";
  const where = r.file ? `${r.file.slice(r.file.lastIndexOf("/") + 1)}:${r.line}` : "";
  return (
    <g>
      <title>{r.region}</title>
      <rect
        x={x + 1}
        y={y + 1}
        width={boxWidth - 2}
        height={36}
        rx="4"
        fill={r.core ? p.accent : p.raised}
        stroke={r.core ? p.accent : p.faint}
      />
      <text x={x + 10} y={y + 16} fill={r.core ? p.paper : p.ink} font-weight="600">
        {label}
      </text>
      <text x={x + 10} y={y + 30} fill={r.core ? p.paper : p.soft} font-size="12">
        {[role, where, varianceWords(compared ? r.variance_share : null)]
          .filter(Boolean)
          .join(" · ")}
      </text>
    </g>
  );
}

/** A region’s part of the variance; more than all of it where another evens it out. */
const varianceWords = (x: number | null): string =>
  x === null ? "" : x >= 1 ? "all of the variance" : `${share(x, 0)} of the variance`;

function joint(a: Placed, b: Placed, narrow: boolean): string {
  if (narrow) return `M${a.x + indent / 2} ${a.y + 37} V${b.y + 18} H${b.x}`;
  const x = a.x + boxWidth;
  return `M${x} ${a.y + 18} C ${x + 20} ${a.y + 18}, ${b.x - 20} ${b.y + 18}, ${b.x} ${b.y + 18}`;
}

/** Children stand right of their parents, leaves one below the other; where that is too wide, as an outline. */
function place(regions: CriticalRegion[], narrow: boolean): Placed[] {
  const out: Placed[] = [];
  let next = 4;
  const names = new Set(regions.map((r) => r.region));
  const put = (r: CriticalRegion): number => {
    const children = regions.filter((c) => c.inside === r.region && c !== r);
    if (narrow) {
      const own = next;
      next += rowHeight;
      out.push({ r, x: (r.level - 1) * indent, y: own });
      children.forEach(put);
      return own;
    }
    const ys = children.map(put);
    const y = ys.length ? (ys[0]! + ys[ys.length - 1]!) / 2 : next;
    if (!ys.length) next += rowHeight;
    out.push({ r, x: (r.level - 1) * colWidth, y });
    return y;
  };
  regions.filter((r) => !names.has(r.inside)).forEach(put);
  return out;
}
