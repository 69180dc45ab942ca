// The call tree as a list: what is closed has all it holds; the heaviest way down is
// open at first.
import { useMemo, useState } from "preact/hooks";
import { live, type CallNode, type CallTree } from "../api";
import { inOne, ratio, share } from "../format";
import type { Node } from "../flame";
import { brief } from "../names";
import { rgb } from "../palette";
import { csvOfLines } from "../csv";
import { Bar, SaveCsv } from "../ui";
import type { Query, Refine } from "../view";
import { regionLink, tooltip } from "./tree";

interface Props {
  t: CallTree;
  roots: Node[];
  query: Query;
  refine: Refine;
  colour: (n: CallNode) => [number, number, number];
  matches?: (n: CallNode) => boolean;
  name: string;
}

const opensFrom = 0.1; // of the run
const smallBelow = 0.005; // of the run: shown when asked for
const firstRows = 80;

export function TreeList({ t, roots, colour, matches, name }: Props) {
  const [most, setMost] = useState(firstRows);
  const [toggled, setToggled] = useState(new Set<string>());
  const flip = (region: string) =>
    setToggled((old) => {
      const next = new Set(old);
      if (!next.delete(region)) next.add(region);
      return next;
    });
  const holding = useMemo(() => (matches ? holders(roots, matches) : undefined), [roots, matches]);
  const rows: { n: Node; open: boolean; depth: number; small?: Node[] }[] = [];
  const walk = (list: Node[], depth: number) => {
    for (const n of list) {
      const usual = holding ? holding.has(n.at) : (n.node.width ?? 0) >= opensFrom * t.whole;
      const open = n.parts.length > 0 && usual !== toggled.has(n.node.region);
      rows.push({ n, open, depth });
      if (!open) continue;
      const rest = n.parts.filter((x, i) => i > 1 && (x.node.width ?? 0) < smallBelow * t.whole && !holding?.has(x.at) && !matches?.(x.node));
      const all = rest.length < 3 || toggled.has(n.node.region + "\n");
      walk(all ? n.parts : n.parts.filter((x) => !rest.includes(x)), depth + 1);
      if (!all) rows.push({ n, open, depth: depth + 1, small: rest });
    }
  };
  walk(roots, 0);
  const shown = rows.slice(0, most);
  const value = inOne(shown.map((r) => r.n.node.inclusive), t.unit);
  return (
    <div class="table">
      <table aria-label="Call tree" class="calltree">
        <thead>
          <tr>
            <th scope="col">region</th>
            <th scope="col">{t.timed ? "of the run" : `of all ${t.metric}`}</th>
            <th scope="col" class="right">
              with all it calls
            </th>
            <th scope="col" class="right wide">
              alone
            </th>
            {t.units > 1 && (
              <th scope="col" class="right wide">
                largest / mean
              </th>
            )}
            {t.against && (
              <th scope="col" class="right wide">
                in {t.against}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ n, open, depth, small }) => small ? (
            <tr key={"small" + n.at}>
              <td colSpan={t.against ? 6 : 5}>
                <span class="indent" style={{ "--depth": Math.min(depth, 14), marginLeft: "1.5rem" }}>
                  <button type="button" class="quiet" onClick={() => flip(n.node.region + "\n")}>
                    {small.length.toLocaleString("en")} more of {brief(n.node.name, 32)}, each below {share(smallBelow)}
                  </button>
                </span>
              </td>
            </tr>
          ) : (
            <tr key={n.at} class={matches?.(n.node) ? "marked" : undefined} title={tooltip(t, n.node)}>
              <td>
                <span class="indent" style={{ "--depth": Math.min(depth, 14) }}>
                  {n.parts.length ? (
                    <button type="button" class="toggle" aria-expanded={open} aria-label={`${open ? "Close" : "Open"} ${n.node.name}`} onClick={() => flip(n.node.region)}>
                      {open ? "▾" : "▸"}
                    </button>
                  ) : (
                    <span class="toggle" />
                  )}
                  <span class="swatch" style={{ background: rgb(colour(n.node)) }} />
                  {live() ? (
                    <a class="plain" href={regionLink(name, n.node.region)} data-whole={n.node.region}>
                      <bdi>{brief(n.node.name, 48)}</bdi>
                    </a>
                  ) : (
                    <bdi data-whole={n.node.region}>{brief(n.node.name, 48)}</bdi>
                  )}
                  {!open && n.parts.length > 0 && <small class="soft"> +{n.parts.length}</small>}
                </span>
              </td>
              <td>
                <Bar value={t.run > 0 ? (n.node.width ?? 0) / t.run : 0} />
              </td>
              <td class="right">{value(n.node.inclusive)}</td>
              <td class="right wide">{value(n.node.exclusive)}</td>
              {t.units > 1 && <td class="right wide">{ratio(n.node.max_over_mean)}</td>}
              {t.against && <td class="right wide">{n.node.other === null ? "–" : `${value(n.node.other)} ${change(n.node)}`}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > most && (
        <button type="button" class="quiet more" onClick={() => setMost(most * 4)}>
          {(rows.length - most).toLocaleString("en")} more
        </button>
      )}
      <SaveCsv label="Call tree" text={() => csvOfLines(lines(t))} />
    </div>
  );
}

/** The whole tree, a line a place. */
const lines = (t: CallTree): unknown[][] => [
  ["region", "depth", `with all it calls${t.unit ? ` (${t.unit})` : ""}`, `alone${t.unit ? ` (${t.unit})` : ""}`, "largest / mean", ...(t.against ? [`in ${t.against}`] : [])],
  ...t.tree.map((n) => [n.region, n.depth, n.inclusive, n.exclusive, n.max_over_mean, ...(t.against ? [n.other] : [])]),
];

function change(n: CallNode): string {
  if (!n.other || n.inclusive === null) return "";
  const by = n.inclusive / n.other - 1;
  return `(${by >= 0 ? "+" : "−"}${share(Math.abs(by), 0)})`;
}

/** The places on the way to what was found. */
function holders(roots: Node[], matches: (n: CallNode) => boolean): Set<number> {
  const out = new Set<number>();
  const walk = (n: Node): boolean => {
    const inside = n.parts.map(walk).some(Boolean);
    if (inside) out.add(n.at);
    return inside || matches(n.node);
  };
  roots.forEach(walk);
  return out;
}
