// What every rank did when, of a run that was traced: here or by another tool.
import { useMemo } from "preact/hooks";
import { api, live, type TracePicture } from "../api";
import { command, plural, seconds, share } from "../format";
import { traceLanes } from "../lanepaint";
import { barAt, namesWidth, TimeLanes } from "../lanes";
import { useLoad } from "../load";
import { Picture } from "../picture";
import { step } from "../router";
import { usePaint } from "../theme";
import { Answer, Warnings } from "../ui";
import type { Refine, ViewProps } from "../view";
import { useWidth } from "../width";

const mostRows = 32;

export function Trace({ name, query, refine }: ViewProps) {
  const [box, room] = useWidth();
  const width = Math.max(0, room - namesWidth);
  const at = (v?: string) => (v && Number.isFinite(Number(v)) ? Number(v) : undefined);
  const ask = { from: at(query.from), to: at(query.to), from_lane: at(query.top), to_lane: at(query.bottom), rows: mostRows, cols: Math.max(50, Math.floor(width)) };
  const found = useLoad(width > 0 ? (signal) => api.trace(name, ask, signal) : undefined, [name, JSON.stringify(ask), width > 0]);
  const change = live() ? step : refine;
  return (
    <Picture
      title={`Timeline of ${name}`}
      command={command("waits", name)}
      hint="Drag over a stretch or turn the wheel to see it closer; Back or Escape goes back. With the keyboard: + and − zoom, arrows move, 0 shows all."
    >
      {(query.from || query.to) && (
        <div class="chips">
          <button type="button" class="chip" onClick={() => change({ from: undefined, to: undefined })}>
            all of it <span aria-hidden="true">×</span>
          </button>
        </div>
      )}
      <div ref={box}>
        <Answer of={found} wait="Reading the trace…">
          {(t) => <Drawn t={t} width={width} change={change} title={`Timeline of ${name}`} />}
        </Answer>
      </div>
      <Warnings list={found.data?.notes} />
    </Picture>
  );
}

function Drawn({ t, ...rest }: { t: TracePicture; width: number; change: Refine; title: string }) {
  const p = usePaint();
  const lanes = useMemo(() => traceLanes(t, p), [t, p]);
  /** What a location does at a moment, and what it waits for. */
  const tell = (row: number, when: number) => {
    const who = lanes.rows[row];
    const bar = barAt(t.bars, row, when);
    const wait = barAt(t.waits, row, when);
    if (bar < 0) return `${who} at ${seconds(when, 5)}`;
    const part = t.bars.share[bar]! < 0.999 ? ` for ${share(t.bars.share[bar])} of this stretch` : "";
    const why = wait >= 0 ? `; waits for ${t.causes[t.waits.part[wait]!]}` : "";
    return `${who}: ${t.parts[t.bars.part[bar]!]}${part}, ${seconds(t.bars.begin[bar], 5)} to ${seconds(t.bars.end[bar], 5)}${why}`;
  };
  return <TimeLanes lanes={lanes} whole={t.run_seconds} tell={tell} rest={messageWords(t)} {...rest} />;
}

const messageWords = (t: TracePicture): string =>
  t.messages.count === 0 ? "no messages here" : t.messages.sent.length ? `${plural(t.messages.count, "message")} drawn` : `${plural(t.messages.count, "message")}: zoom in to see them as arrows`;
