// Which experiments fit what was typed, and which factors are worth a column.
import type { Listed } from "../api";

/** The factors worth a column: those that differ and that most of the runs have, at most four. */
export function usefulFactors(list: Listed[]): string[] {
  const values = new Map<string, { seen: Set<unknown>; n: number; long: number }>();
  for (const e of list)
    for (const [k, v] of Object.entries(e.factors)) {
      const at = values.get(k) ?? { seen: new Set(), n: 0, long: 0 };
      at.seen.add(v);
      at.n++;
      at.long += String(v).length > 24 ? 1 : 0;
      values.set(k, at);
    }
  return [...values]
    .filter(([k, v]) => v.seen.size > 1 && v.n >= 0.6 * list.length && v.long * 2 < v.n && !/^(ranks|threads)$/.test(k))
    .sort((a, b) => b[1].n - a[1].n || a[1].seen.size - b[1].seen.size || a[0].localeCompare(b[0]))
    .slice(0, 4)
    .map(([k]) => k);
}

/** Every word must fit: a comparison with a factor, or part of the name, the program, the format or a factor. */
export function fits(e: Listed, text: string): boolean {
  return questions(text, e).every((one) => (one.op ? compared(e, one.name, one.op, one.wanted) : said(e, one.wanted)));
}

interface Question {
  name: string;
  op: string;
  wanted: string;
}

/** The text's parts: names of factors may have spaces, and so may what follows the sign, up to the next comparison. */
function questions(text: string, e: Listed): Question[] {
  const out: Question[] = [];
  const known = [...Object.keys(e.factors), "units", "regions", "format", "runs", "program"].sort((a, b) => b.length - a.length);
  let rest = text.trim().toLowerCase();
  while (rest) {
    const factor = known.find((k) => rest.startsWith(k.toLowerCase()) && /^\s*(<=|>=|<|>|=)/.test(rest.slice(k.length)));
    const sign = /^([^\s<>=]*)\s*(<=|>=|<|>|=)\s*/.exec(factor ? rest.slice(factor.length) : rest);
    if (sign) {
      rest = (factor ? rest.slice(factor.length) : rest).slice(sign[0].length);
      const quoted = /^"([^"]*)"?\s*/.exec(rest);
      const next = quoted ? quoted[0].length : ends(rest, known);
      out.push({ name: factor?.toLowerCase() ?? sign[1]!, op: sign[2]!, wanted: (quoted?.[1] ?? rest.slice(0, next)).trim() });
      rest = rest.slice(next).trim();
      continue;
    }
    const word = /^(?:"([^"]*)"?|(\S+))\s*/.exec(rest)!;
    out.push({ name: "", op: "", wanted: word[1] ?? word[2]! });
    rest = rest.slice(word[0].length);
  }
  return out;
}

/** Where what a factor is compared with ends: a number at its end, a text before the next comparison. */
function ends(rest: string, known: string[]): number {
  const number = /^-?[\d.]+(e[-+]?\d+)?(?=\s|$)/.exec(rest);
  if (number) return number[0].length;
  for (let i = 0; i < rest.length; i++) {
    if (i > 0 && !/\s/.test(rest[i - 1]!)) continue;
    const tail = rest.slice(i);
    if (i > 0 && (known.some((k) => tail.startsWith(k.toLowerCase()) && /^\s*(<|>|=)/.test(tail.slice(k.length))) || /^[^\s<>=]+(<=|>=|<|>|=)/.test(tail)))
      return i;
  }
  return rest.length;
}

const said = (e: Listed, word: string): boolean =>
  [e.name, e.program, e.format, ...Object.keys(e.factors), ...Object.values(e.factors), ...e.metrics].some((v) =>
    String(v).toLowerCase().includes(word),
  );

function compared(e: Listed, name: string, op: string, wanted: string): boolean {
  const own: Record<string, number | string> = {
    units: e.units,
    regions: e.regions,
    format: e.format,
    runs: e.runs,
    program: e.program,
  };
  const key = Object.keys(e.factors).find((k) => k.toLowerCase() === name);
  const value = key === undefined ? own[name] : e.factors[key];
  if (value === undefined) return false;
  if (typeof value === "string" && op === "=") return value.toLowerCase().includes(wanted);
  const order = typeof value === "number" ? value - Number(wanted) : value.toLowerCase().localeCompare(wanted);
  if (Number.isNaN(order)) return false;
  return { "=": order === 0, "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0 }[op] ?? false;
}
