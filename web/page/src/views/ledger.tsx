// The ledger of an experiment: one bar that adds up to the run, and what each
// part of it is. The words come from the server, as in the terminal.
import { live, type LedgerLine } from "../api";
import { command, inOne, plural, share } from "../format";
import { kindColour } from "../palette";
import { Drawing, Picture } from "../picture";
import { labelled, Region } from "../region";
import { link } from "../router";

// Useful work is calm; each kind of loss has a colour of its own.
const kinds = ["useful", "imbalance", "waiting", "communication", "io", "shared_cores", "start_end", "idle"];
const colour = (line: string): string => (line === "useful" ? "#7fa7c4" : kindColour(Math.max(1, kinds.indexOf(line))));
const plain = (line: string): string => ({ io: "input and output", start_end: "start and end", useful: "useful work" })[line] ?? line.replaceAll("_", " ");

const width = 900;
const named = 4;
const visible = 0.002; // nearly two pixels

interface OfKind {
  line: string;
  share: number;
  seconds: number;
  words: string[];
  parts: LedgerLine[]; // of one region each, the largest first
}

/** The lines of one kind together, the largest first. */
function byKind(lines: LedgerLine[]): OfKind[] {
  const kinds = new Map<string, OfKind>();
  for (const l of lines) {
    const k = kinds.get(l.line) ?? { line: l.line, share: 0, seconds: 0, words: [], parts: [] };
    // What is idle may be so for two reasons; parts of one region each are of one.
    if (!k.words.length || (l.line === "idle" && !k.words.includes(l.words))) k.words.push(l.words);
    k.share += l.share;
    k.seconds += l.seconds;
    if (l.region !== null && l.line !== "useful") k.parts.push(l);
    kinds.set(l.line, k);
  }
  return [...kinds.values()].filter((k) => k.share >= 0.0005).sort((a, b) => b.share - a.share);
}

/** What the bar is made of: lines that can be seen, and of each kind those together that are too small for it. */
function pieces(lines: LedgerLine[]): { line: string; share: number }[] {
  const small = new Map<string, number>();
  for (const l of lines) if (l.share < visible) small.set(l.line, (small.get(l.line) ?? 0) + Math.max(0, l.share));
  const together = [...small].map(([line, share]) => ({ line, share }));
  return [...lines.filter((l) => l.share >= visible), ...together].filter((l) => l.share >= 0.0005);
}

/** The regions in which it was, with their shares. */
function Parts({ name, of }: { name: string; of: LedgerLine[] }) {
  const labels = labelled(of.map((l) => l.region!), 32);
  return of.map((l, i) => (
    <>
      {i ? ", " : "in "}
      <Region path={l.region!} label={labels.get(l.region!)} most={32} href={live() ? link(["e", name, "regions"], { region: l.region! }) : undefined} /> {share(l.share)}
    </>
  ));
}

/** Of the processes or threads, or of the units of another type, which are then named. */
export function LedgerBar({ name, lines, units, of }: { name: string; lines: LedgerLine[]; units: number; of?: string }) {
  const seen = pieces(lines);
  if (!seen.length) return null;
  const ends: number[] = [];
  for (const l of seen) ends.push((ends.at(-1) ?? 0) + l.share * width);
  const time = inOne(byKind(lines).map((k) => k.seconds), "s", 3);
  const label = seen.map((l) => `${plain(l.line)} ${share(l.share)}`).join(", ");
  return (
    <Picture title={of ? `Where the time of ${of} went` : "Where the run went"} command={command("show", name)}>
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
        {byKind(lines).map((k) => (
          <li key={k.line}>
            <span class="swatch" style={{ background: colour(k.line) }} />
            <b>{share(k.share)}</b>
            <span>
              {plain(k.line)}
              {k.line !== "useful" && k.words.some((w) => w !== plain(k.line)) && <>: {k.words.join("; ")}</>} <small>({time(k.seconds)}{units > 1 && ` over ${plural(units, "unit")}`})</small>
              {k.parts.length > 0 && (
                <span class="where">
                  {" "}
                  <Parts name={name} of={k.parts.slice(0, named)} />
                  {k.parts.length > named && `, and ${plural(k.parts.length - named, "region")} more`}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Picture>
  );
}
