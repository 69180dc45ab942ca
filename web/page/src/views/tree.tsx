// The call tree: as a flame graph and as a list that opens, in any metric, coloured
// by how uneven a region is over the units or by the difference to another run.
import { useMemo } from "preact/hooks";
import { api, live, type CallNode, type CallTree } from "../api";
import { command, plural, quantity, share } from "../format";
import { find, foundShare, layout, nested, type Node } from "../flame";
import { useLoad } from "../load";
import { MetricField } from "../metricfield";
import { brief, folded, lastName } from "../names";
import { inkOn, rgb, scale, sided } from "../palette";
import { Drawing, Picture } from "../picture";
import { link, step } from "../router";
import { usePaint, type Paint } from "../theme";
import { Answer, Choice, Rest } from "../ui";
import type { ViewProps } from "../view";
import { useWidth } from "../width";
import { TreeList } from "./treelist";

type Colouring = "share" | "imbalance" | "difference";

export function Tree({ name, query, refine }: ViewProps) {
  const tree = useLoad(() => api.calltree(name, query.metric, query.against), [name, query.metric, query.against]);
  const list = useLoad(live() ? () => api.experiments() : undefined, []);
  const program = list.data?.experiments.find((e) => e.name === name)?.program;
  const others = (list.data?.experiments ?? []).filter((e) => e.name !== name).sort((a, b) => Number(b.program === program) - Number(a.program === program));
  // Nothing is uneven on one unit.
  const usual: Colouring = tree.data?.units === 1 ? "share" : "imbalance";
  const by: Colouring = query.against ? (query.colour === "imbalance" ? "imbalance" : "difference") : query.colour === "share" || query.colour === "imbalance" ? query.colour : usual;
  return (
    <>
      <div class="controls">
        <label class="field">
          <span>Find</span>
          <input type="search" placeholder="part of a name" value={query.find ?? ""} onInput={(e) => refine({ find: e.currentTarget.value })} />
        </label>
        <MetricField name={name} value={query.metric} onChange={(metric) => refine({ metric })} />
        <Choice
          label="Against"
          value={query.against ?? ""}
          options={[{ value: "", label: "no other run" }, ...others.slice(0, 200).map((e) => ({ value: e.name, label: e.name }))]}
          onChange={(against) => refine({ against, colour: undefined })}
        />
        <Choice<Colouring>
          label="Coloured by"
          value={by}
          options={[
            { value: "imbalance", label: "imbalance" },
            query.against ? { value: "difference", label: "difference" } : { value: "share", label: "share" },
          ]}
          onChange={(colour) => refine({ colour })}
        />
      </div>
      <Answer of={tree} wait="Reading the call tree…">
        {(t) => <Drawn key={t.name + t.metric + t.against} t={t} by={by} query={query} refine={refine} name={name} />}
      </Answer>
    </>
  );
}

/** Where a value lies on the scale of colours, with the words for it. */
export function coloured(t: CallTree, by: Colouring, p: Paint): (n: CallNode) => [number, number, number] {
  if (by === "difference")
    return (n) => {
      const here = n.inclusive ?? 0;
      const there = n.other ?? 0;
      return sided(Math.max(-1, Math.min(1, (here - there) / Math.max(here, there, 1e-30))), p.dark);
    };
  if (by === "imbalance") return (n) => scale(Math.min(1, ((n.max_over_mean ?? 1) - 1) / 1), p.dark);
  return (n) => scale(t.run > 0 ? (n.width ?? 0) / t.run : 0, p.dark);
}

const rowHeight = 20;

function Drawn({ t, by, query, refine, name }: ViewProps & { t: CallTree; by: Colouring }) {
  const [box, width] = useWidth();
  const p = usePaint();
  const roots = useMemo(() => nested(t.tree), [t]);
  const zoomed = query.root ? find(roots, query.root) : undefined;
  const shown = zoomed ? [zoomed] : roots;
  const wanted = (query.find ?? "").trim().toLowerCase();
  const matches = wanted ? (n: CallNode) => n.name.toLowerCase().includes(wanted) : undefined;
  const colour = coloured(t, by, p);
  const title = `${t.metric} of ${name} by call path${t.against ? `, against ${t.against}` : ""}`;
  return (
    <>
      {t.flat && <p class="note">This profile knows no callers: every region stands for itself, as wide as its own part.</p>}
      {matches && (
        <p class="note" role="status">
          {foundWords(t, roots, matches)}
        </p>
      )}
      <Picture title={title} command={command("show", name, "--regions", "--by", "path", ...(query.metric ? ["--metric", query.metric] : []))} note={legend(by, t, p.dark)}>
        {zoomed && (
          <div class="chips">
            <button type="button" class="chip" onClick={() => step({ root: undefined })} aria-label="Show the whole tree again">
              only {brief(lastName(zoomed.node.region), 40)} <span aria-hidden="true">×</span>
            </button>
          </div>
        )}
        <div ref={box} class="flame">
          {width > 0 && <Flame t={t} roots={shown} width={width} matches={matches} colour={colour} paint={p} title={title} />}
        </div>
      </Picture>
      <TreeList t={t} roots={shown} query={query} refine={refine} colour={colour} matches={matches} name={name} />
      {t.tree.length < t.total && <Rest shown={t.tree.length} total={t.total} command={command("show", name, "--regions", "--by", "path")} />}
    </>
  );
}

function foundWords(t: CallTree, roots: Node[], matches: (n: CallNode) => boolean): string {
  const n = t.tree.filter(matches).length;
  return n ? `${plural(n, "region")} found: ${share(foundShare(roots, matches, t.run))} of the run${t.flat ? "" : " with all they call"}.` : "No region has this in its name.";
}

/** What the colours mean; what stands out is dark on a light page, and light on a dark one. */
function legend(by: Colouring, t: CallTree, dark: boolean): string {
  const press = "Press a block to see it alone; Back goes back.";
  const [faint, strong, stronger] = dark ? ["Dark", "lightest", "lighter"] : ["Pale", "darkest", "darker"];
  if (by === "difference") return `Red took more here than in ${t.against}, blue less; ${dark ? "grey" : "pale"} about the same. ${press}`;
  if (by === "imbalance") return `${faint} regions take the same on every unit that enters them; the ${strong} twice the mean or more on the slowest. ${press}`;
  return `The ${stronger}, the larger the share of the run. ${press}`;
}

function Flame(props: { t: CallTree; roots: Node[]; width: number; matches?: (n: CallNode) => boolean; colour: (n: CallNode) => [number, number, number]; paint: Paint; title: string }) {
  const { t, roots, width, matches, colour, paint: p } = props;
  const { blocks, rows } = useMemo(() => layout(roots, 0.7 / width, matches), [roots, width, matches?.toString(), matches]);
  return (
    <Drawing width={width} height={Math.max(1, rows) * rowHeight} label={`${props.title}: ${plural(blocks.length, "region")} wide enough to be seen`}>
      {blocks.map((b) => {
        const c = colour(b.node);
        const w = b.width * width;
        const text = w > 36 ? fitting(folded(b.node.name), Math.floor((w - 8) / 7.4)) : "";
        const faded = matches && !b.found && !b.holds;
        const words = tooltip(t, b.node);
        return (
          <g
            key={b.at}
            class="block"
            opacity={faded ? 0.3 : 1}
            role={live() ? "button" : undefined}
            aria-label={live() ? words : undefined}
            tabIndex={live() && w > 30 ? 0 : undefined}
            onClick={() => live() && step({ root: b.node.region })}
            onKeyDown={(e) => live() && e.key === "Enter" && step({ root: b.node.region })}
          >
            <title>{words}</title>
            <rect x={b.x * width} y={b.row * rowHeight} width={Math.max(0.7, w - 0.7)} height={rowHeight - 1} fill={rgb(c)} stroke={b.found ? p.warn : "none"} stroke-width={b.found ? 2 : 0} />
            {text && (
              <text x={b.x * width + 4} y={b.row * rowHeight + 14} font-size="12" fill={inkOn(c)}>
                {text}
              </text>
            )}
          </g>
        );
      })}
    </Drawing>
  );
}

/** What of a name fits a block: of a short one its beginning, for the ends of names say little alone; nothing where not even that would. */
function fitting(name: string, room: number): string {
  if (name.length <= room || room >= 16) return brief(name, room);
  return room >= 6 ? name.slice(0, room - 1) + "…" : "";
}

/** A region in words, for those who point at it. */
export function tooltip(t: CallTree, n: CallNode): string {
  const own = `${quantity(n.inclusive, n.unit)} with all it calls (${share(n.share)}), ${quantity(n.exclusive, n.unit)} alone`;
  const uneven = n.max_over_mean !== null && t.units > 1 ? `; on the slowest unit ${n.max_over_mean.toFixed(2)} × the mean` : "";
  const other = t.against ? (n.other === null ? `; not in ${t.against}` : `; ${quantity(n.other, n.unit)} in ${t.against}`) : "";
  return `${n.region}: ${own}${uneven}${other}`;
}

export const regionLink = (name: string, region: string): string => link(["e", name, "regions"], { region, by: "path" });
