// Before, what if and after as timelines on one axis of time: where the time that
// a change gains was.
import { useMemo } from "preact/hooks";
import { api, type ChangesQuery, type TracePicture } from "../api";
import { command, seconds } from "../format";
import { orderOf, stacked, traceLanes } from "../lanepaint";
import { barAt, namesWidth, TimeLanes } from "../lanes";
import { useLoad } from "../load";
import { Picture } from "../picture";
import { usePaint } from "../theme";
import type { Query, Refine } from "../view";
import { useWidth } from "../width";

const mostRows = 12;

interface Props {
  name: string;
  changes?: ChangesQuery;
  /** What the run would take with the changes: what a replay does not tell of the run is in it. */
  priced?: number;
  after?: string;
  query: Query;
  refine: Refine;
}

export function Timelines({ name, changes, priced, after, query, refine }: Props) {
  const [box, room] = useWidth();
  const width = Math.max(0, room - namesWidth);
  const at = (v?: string) => (v && Number.isFinite(Number(v)) ? Number(v) : undefined);
  const ask = { from: at(query.from), to: at(query.to), rows: mostRows, cols: Math.max(50, Math.floor(width)) };
  const key = [name, JSON.stringify(ask), width > 0];
  // A run that ended before the window begins has nothing to show in it.
  const nothing = () => undefined;
  const before = useLoad(width > 0 ? (signal) => api.trace(name, ask, signal).catch(nothing) : undefined, key);
  const then = useLoad(width > 0 && changes ? (signal) => api.trace(name, { ...ask, ...changes }, signal).catch(nothing) : async () => undefined, [...key, JSON.stringify(changes)]);
  const later = useLoad(width > 0 && after ? (signal) => api.trace(after, ask, signal).catch(nothing) : async () => undefined, [...key, after]);
  const runs: [string, TracePicture | undefined][] = [
    ["before", before.data],
    ["what if", then.data],
    ["after", later.data],
  ];
  const shown = runs.filter((r): r is [string, TracePicture] => !!r[1]);
  return (
    <Picture title={`Timelines of ${name}, on one axis`} command={command("waits", name)} hint="Drag over a stretch or turn the wheel to see it closer in all of them; 0 shows all.">
      <div ref={box}>{shown.length > 0 && <Drawn runs={shown} priced={priced} width={width} zoomed={ask.to} title={`Timelines of ${name}`} change={refine} />}</div>
    </Picture>
  );
}

function Drawn({ runs, priced, width, zoomed, title, change }: { runs: [string, TracePicture][]; priced?: number; width: number; zoomed?: number; title: string; change: Refine }) {
  const p = usePaint();
  const whole = Math.max(...runs.map(([, t]) => t.run_seconds));
  const from = Math.min(...runs.map(([, t]) => t.from));
  const to = Math.min(zoomed ?? whole, whole);
  const lanes = useMemo(
    () => {
      const order = orderOf(runs.map(([, t]) => t));
      return stacked(runs.map(([text, t]) => ({ title: text, lanes: traceLanes({ ...t, from, to }, p, order) })), from, to);
    },
    [...runs.map(([, t]) => t), from, to, p],
  );
  const tell = (row: number, when: number) => {
    let first = 0;
    for (const [text, t] of runs) {
      const own = row - first - 1;
      if (own >= 0 && own < t.rows.length) {
        const bar = barAt(t.bars, own, when);
        const doing = bar < 0 ? (when > t.run_seconds ? "has ended" : "nothing recorded") : t.parts[t.bars.part[bar]!];
        return `${text}, ${lanes.rows[row]} at ${seconds(when, 4)}: ${doing}`;
      }
      first += t.rows.length + 1;
    }
    return undefined;
  };
  const end = (text: string, drawn: string) => {
    const told = text === "what if" && priced !== undefined ? seconds(priced, 4) : drawn;
    return told === drawn ? `${text} ${drawn}` : `${text} ${told} (${drawn} in the replay, which is drawn)`;
  };
  const ends = runs.map(([text, t]) => end(text, seconds(t.run_seconds, 4))).join(", ");
  return <TimeLanes lanes={lanes} width={width} whole={whole} title={title} change={change} tell={tell} rest={ends} />;
}
