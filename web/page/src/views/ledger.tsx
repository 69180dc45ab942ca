// The ledger of an experiment: one bar that adds up to the run, and what each
// part of it is. The words come from the server, as in the terminal.
import type { LedgerLine } from "../api";
import { command, seconds, share } from "../format";
import { kindColour } from "../palette";
import { Drawing, Picture } from "../picture";
import { Region } from "../region";

// Useful work is calm; each kind of loss has a colour of its own.
const kinds = ["useful", "imbalance", "waiting", "communication", "io", "shared_cores", "start_end", "idle"];
const colour = (line: string): string => (line === "useful" ? "#7fa7c4" : kindColour(Math.max(1, kinds.indexOf(line))));
const plain = (line: string): string => ({ io: "input and output", start_end: "start and end", useful: "useful work" })[line] ?? line.replaceAll("_", " ");

const width = 900;

export function LedgerBar({ name, lines }: { name: string; lines: LedgerLine[] }) {
  const seen = lines.filter((l) => l.share >= 0.0005);
  if (!seen.length) return null;
  const ends: number[] = [];
  for (const l of seen) ends.push((ends.at(-1) ?? 0) + Math.max(0, l.share) * width);
  const label = seen.map((l) => `${plain(l.line)} ${share(l.share)}`).join(", ");
  return (
    <Picture title="Where the run went" command={command("show", name)}>
      <Drawing width={width} height={30} label={label}>
        {seen.map((l, i) => (
          <rect
            key={i}
            x={i ? ends[i - 1] : 0}
            width={Math.max(0.5, ends[i]! - (i ? ends[i - 1]! : 0) - 1)}
            height="30"
            fill={colour(l.line)}
          >
            <title>{`${plain(l.line)}: ${share(l.share)}`}</title>
          </rect>
        ))}
      </Drawing>
      <ul class="ledger">
        {seen.map((l, i) => (
          <li key={i}>
            <span class="swatch" style={{ background: colour(l.line) }} />
            <b>{share(l.share)}</b>
            <span>
              {plain(l.line)}
              {l.region !== null && (
                <>
                  {" "}
                  in <Region path={l.region} />
                </>
              )}
              : {l.words} <small>({seconds(l.seconds)} over all units)</small>
            </span>
          </li>
        ))}
      </ul>
    </Picture>
  );
}
