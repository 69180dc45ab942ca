// The store by program: every program with its runs over time, so that one that
// took longer than those before it stands out.
import type { Glance, Listed } from "../api";
import { number, plural, seconds, share } from "../format";
import { shortened } from "../names";
import { link } from "../router";
import { usePaint } from "../theme";

interface Run {
  e: Listed;
  g?: Glance;
}

export function Programs({ list, known }: { list: Listed[]; known: Map<string, Glance> }) {
  const programs = new Map<string, Run[]>();
  for (const e of list) programs.set(e.program, [...(programs.get(e.program) ?? []), { e, g: known.get(e.id) }]);
  const order = [...programs].sort((a, b) => b[1].length - a[1].length || a[0].localeCompare(b[0]));
  return (
    <ul class="programs" aria-label="Programs">
      {order.map(([program, runs]) => (
        <Program key={program} program={program} runs={runs.sort((a, b) => a.e.created.localeCompare(b.e.created))} />
      ))}
    </ul>
  );
}

const ranksOf = (r: Run) => r.g?.processes ?? r.e.units;

function Program({ program, runs }: { program: string; runs: Run[] }) {
  const last = runs.at(-1)!;
  const timed = runs.filter((r) => r.g && r.g.runtime !== null);
  const fastest = [...timed].sort((a, b) => a.g!.runtime! - b.g!.runtime!)[0];
  return (
    <li>
      <div>
        <b title={program}>{shortened(program, 40)}</b>{" "}
        <span class="soft">
          {plural(runs.length, "run")}, last {last.e.created.slice(0, 10)}
        </span>
        <div class="soft">
          {slower(runs) ?? (fastest && runs.length > 1 && (
            <>
              fastest <a href={link(["e", fastest.e.name])}>{shortened(fastest.e.name, 32)}</a>: {seconds(fastest.g!.runtime)},{" "}
              {share(fastest.g!.efficiency.parallel, 0)} efficient
            </>
          ))}
        </div>
      </div>
      <Sparks runs={runs} />
      {runs.length > 1 && <a href={link(["compare", ...runs.map((r) => r.e.name)])}>compare {runs.length}</a>}
    </li>
  );
}

const worse = 1.1;

/** The last run against the median of those before it on as many ranks; said only where it is a tenth slower or more. */
function slower(runs: Run[]) {
  const last = runs.at(-1)!;
  const before = runs.slice(0, -1).filter((r) => r.g?.runtime && ranksOf(r) === ranksOf(last) && r.e.format === last.e.format && sameFactors(r.e, last.e));
  if (!last.g?.runtime || !before.length) return undefined;
  const times = before.map((r) => r.g!.runtime!).sort((a, b) => a - b);
  const usual = times[Math.floor(times.length / 2)]!;
  if (last.g.runtime < worse * usual) return undefined;
  return (
    <span class="warn">
      <a href={link(["e", last.e.name])}>{shortened(last.e.name, 32)}</a> took {last.g.runtime < 2 * usual ? `${share(last.g.runtime / usual - 1, 0)} more than` : `${number(last.g.runtime / usual, 2)} × the time of`}{" "}
      {before.length === 1 ? "the run before" : `the ${before.length} runs before`}
    </span>
  );
}

/** Words such as versions and paths change from run to run; numbers and what the program was given decide what it has to do. */
const sameFactors = (a: Listed, b: Listed): boolean =>
  a.factors.arguments === b.factors.arguments &&
  Object.entries(a.factors).every(([k, v]) => typeof v !== "number" || !(k in b.factors) || b.factors[k] === v);

const width = 220;
const height = 40;

/** The run times over time; a line joins runs on as many ranks. */
function Sparks({ runs }: { runs: Run[] }) {
  const p = usePaint();
  const timed = runs.filter((r) => r.g && r.g.runtime !== null);
  if (!timed.length) return <span />;
  const most = Math.max(...timed.map((r) => r.g!.runtime!)) || 1;
  const x = (i: number) => (timed.length === 1 ? width / 2 : 6 + (i * (width - 12)) / (timed.length - 1));
  const y = (r: Run) => height - 5 - ((height - 12) * r.g!.runtime!) / most;
  const label = `Run times from ${seconds(Math.min(...timed.map((r) => r.g!.runtime!)))} to ${seconds(most)}`;
  const lines = new Map<number, [number, number][]>();
  timed.forEach((r, i) => lines.set(ranksOf(r), [...(lines.get(ranksOf(r)) ?? []), [x(i), y(r)]]));
  return (
    <svg class="sparks" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <line x1="0" x2={width} y1={height - 4} y2={height - 4} stroke={p.line} />
      {[...lines].map(([ranks, points]) => (
        <polyline key={ranks} points={points.map((at) => at.join()).join(" ")} fill="none" stroke={p.accent} stroke-width="1.5" />
      ))}
      {timed.map((r, i) => (
        <a key={r.e.name} href={link(["e", r.e.name])} aria-label={`${r.e.name}, ${seconds(r.g!.runtime)}`}>
          <circle cx={x(i)} cy={y(r)} r="4" fill={p.accent}>
            <title>{`${r.e.name}: ${seconds(r.g!.runtime)} on ${ranksOf(r)} ranks, ${r.e.created.slice(0, 10)}`}</title>
          </circle>
        </a>
      ))}
    </svg>
  );
}
