// The timeline of a replay.
import { useMemo } from "preact/hooks";
import { api, type Simulation, type Timeline } from "../api";
import { command, seconds, share } from "../format";
import { partText, replayLanes } from "../lanepaint";
import { barAt, namesWidth, TimeLanes } from "../lanes";
import { useLoad } from "../load";
import { Picture } from "../picture";
import { usePaint } from "../theme";
import { Answer } from "../ui";
import type { Query, Refine } from "../view";
import { useWidth } from "../width";

const mostRows = 48;

export function Gantt({ s, query, refine }: { s: Simulation; query: Query; refine: Refine }) {
  const [box, room] = useWidth();
  const width = Math.max(0, room - namesWidth);
  const at = (v?: string) => (v && Number.isFinite(Number(v)) ? Number(v) : undefined);
  const ask = {
    from: at(query.from),
    to: at(query.to),
    from_rank: at(query.top),
    to_rank: at(query.bottom),
    rows: mostRows,
    cols: Math.max(50, Math.floor(width / 2)),
  };
  const found = useLoad(width > 0 ? (signal) => api.timeline(s.name, ask, signal) : undefined, [s.name, JSON.stringify(ask), width > 0]);
  const zoomed = query.from || query.to || query.top || query.bottom;
  return (
    <Picture
      title={`Timeline of ${s.name}`}
      command={command("show", s.name)}
      hint="Drag over a stretch or turn the wheel to see it closer; with the keyboard: + and − zoom, arrows move, 0 shows all."
    >
      {zoomed && (
        <div class="chips">
          <button type="button" class="chip" onClick={() => refine({ from: undefined, to: undefined, top: undefined, bottom: undefined })}>
            all of it <span aria-hidden="true">×</span>
          </button>
        </div>
      )}
      <div ref={box}>
        <Answer of={found} wait="Drawing…">
          {(t) => <Rows t={t} width={width} whole={s.simulated_seconds} change={refine} title={`Timeline of ${s.name}`} />}
        </Answer>
      </div>
    </Picture>
  );
}

function Rows({ t, ...rest }: { t: Timeline; width: number; whole: number; change: Refine; title: string }) {
  const p = usePaint();
  const lanes = useMemo(() => replayLanes(t, p), [t, p]);
  const tell = (row: number, when: number) => {
    const i = barAt(t, row, when);
    if (i < 0) return `${lanes.rows[row]} at ${seconds(when, 5)}`;
    const busy = t.share[i]! < 0.999 ? ` for ${share(t.share[i])} of this stretch` : "";
    return `${lanes.rows[row]} ${partText(t.parts[t.part[i]!]!, p)}${busy}, ${seconds(t.begin[i], 5)} to ${seconds(t.end[i], 5)}`;
  };
  return <TimeLanes lanes={lanes} tell={tell} {...rest} />;
}
