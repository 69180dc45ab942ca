// Numbers as people read them: four digits, a prefix, a unit.

const prefixes: [number, string][] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

export const missing = "–";

// Between a number and its unit, where no line may break.
const gap = "\u00a0";

type Maybe = number | null | undefined;

const absent = (x: Maybe): x is null | undefined => x === null || x === undefined || !Number.isFinite(x);

/** A number with `digits` significant digits, never in exponent form unless huge. */
export function number(x: Maybe, digits = 4): string {
  if (absent(x)) return missing;
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e15 || size < 1e-6) return x.toExponential(digits - 1);
  if (Number.isInteger(x) && size < 1e5) return String(x);
  if (size >= 1e5) return scaled(x, "", digits);
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return trimmed(x.toFixed(places));
}

const trimmed = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

function scaled(x: number, unit: string, digits: number): string {
  const size = Math.abs(x);
  const [factor, prefix] = prefixes.find(([f]) => size >= f * 0.99995) ?? prefixes[prefixes.length - 1]!;
  const value = x / factor;
  const places = Math.max(0, digits - 1 - Math.max(0, Math.floor(Math.log10(Math.abs(value)))));
  return `${trimmed(value.toFixed(places))}${unit || prefix ? gap : ""}${prefix}${unit}`;
}

/** Seconds in a list of runs that have nothing in common: from one second to some hours all in seconds, so that they can be compared. */
export const runSeconds = (x: Maybe): string => (absent(x) || x < 120 || x >= 1e5 ? seconds(x) : Math.round(x).toLocaleString("en") + gap + "s");

/** From so many seconds on times are read in hours; below, in seconds, as the terminal writes them. */
const hoursFrom = 10_000;

/** Seconds: 12.3 s, 4.56 ms, 3.2 h. */
export function seconds(x: Maybe, digits = 3): string {
  if (absent(x)) return missing;
  if (x === 0) return "0" + gap + "s";
  const size = Math.abs(x);
  if (size >= hoursFrom) return number(x / 3600, digits) + gap + "h";
  return size >= 1 ? number(x, digits) + gap + "s" : scaled(x, "s", digits);
}

/** A share of one in per cent. */
export function share(x: Maybe, places = 1): string {
  if (absent(x)) return missing;
  const value = 100 * x;
  if (value !== 0 && Math.abs(value) < 0.05) return "<0.1" + gap + "%";
  return value.toFixed(Math.abs(value) >= 99.95 ? 0 : places).replace("-", "−") + gap + "%";
}

/** A ratio, with as many places in every row of a column. */
export const ratio = (x: Maybe, places = 2): string => (absent(x) ? missing : x >= 1000 ? number(x) : x.toFixed(places));

/** A degree of truth or similarity. */
export function degree(x: Maybe, places = 2): string {
  if (absent(x)) return missing;
  const least = 10 ** -places;
  return x > 0 && x < least / 2 ? `<${least.toFixed(places)}` : x.toFixed(places);
}

/** A value in the unit a metric is measured in. */
export function quantity(x: Maybe, unit = "", digits = 4): string {
  if (absent(x)) return missing;
  switch (unit) {
    case "s":
    case "seconds":
      return seconds(x, digits);
    case "share":
    case "ratio":
    case "":
      return number(x, digits);
    case "B":
    case "bytes":
      return x === 0 ? "0" + gap + "B" : scaled(x, "B", digits);
    default:
      return Math.abs(x) >= 1e4 ? scaled(x, "", digits) : number(x, digits);
  }
}

const times: [number, string][] = [
  [3600, "h"],
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];

/** Writes the values of one column in one unit: that of the largest. */
export function inOne(values: Maybe[], unit = "", digits = 4): (x: Maybe) => string {
  const most = Math.max(0, ...values.map((v) => (absent(v) ? 0 : Math.abs(v))));
  const seconds = unit === "s" || unit === "seconds";
  const bytes = unit === "B" || unit === "bytes";
  if (most === 0 || (!seconds && !bytes && most < 1e4)) return (x) => quantity(x, unit, digits);
  const [factor, name] = oneUnit(most, unit);
  const places = Math.max(0, digits - 1 - Math.max(0, Math.floor(Math.log10(most / factor))));
  return (x) => {
    if (absent(x)) return missing;
    if (x === 0) return "0" + (name ? gap + name : "");
    const text = (x / factor).toFixed(places);
    const shown = Number(text) === 0 ? `<${(10 ** -places).toFixed(places)}` : text;
    return shown + (name ? gap + name : "");
  };
}

/** Writes the values of many small cells in one unit, which is named once beside them. */
export function inCells(values: Maybe[], unit = ""): { text: (x: Maybe) => string; unit: string } {
  const most = values.reduce<number>((m, v) => (absent(v) ? m : Math.max(m, Math.abs(v))), 0);
  const [factor, name] = most > 0 ? oneUnit(most, unit) : [1, unit];
  const size = most / factor;
  const places = !name && Number.isInteger(most) && most < 1e4 ? 0 : size >= 1000 ? 0 : size >= 100 ? 1 : 2;
  return { unit: name, text: (x) => (absent(x) ? missing : x === 0 ? "0" : (x / factor).toFixed(places)) };
}

/** The unit in which a number is read most easily, and how much one of it is. */
function oneUnit(most: number, unit: string): [number, string] {
  const seconds = unit === "s" || unit === "seconds";
  const bytes = unit === "B" || unit === "bytes";
  if (!seconds && !bytes && most < 1e4) return [1, unit === "share" || unit === "ratio" ? "" : unit];
  const least = (factor: number) => (seconds && factor === 3600 ? hoursFrom : factor * 0.99995);
  const steps: [number, string][] = seconds ? times : prefixes.map(([f, prefix]) => [f, prefix + (bytes ? "B" : "")]);
  return steps.find(([f]) => most >= least(f)) ?? steps[steps.length - 1]!;
}

/** The unit of a metric by its name, where the answer does not tell. */
export function unitOf(metric: string): string {
  const name = metric.replace(/\.(inc|exc)$/, "");
  if (/[*/+ ()-]/.test(name)) return "";
  if (/(^|_)(time|wtime|lost)$/.test(name)) return "s";
  if (/^bytes_|^io_(read|written)$/.test(name)) return "B";
  return "";
}

/** Process numbers with ranges: 0–3, 5; at most so many ranges. */
export function ranges(units: (number | string)[], most = Infinity): string {
  const out: string[] = [];
  for (let i = 0; i < units.length; i++) {
    const from = units[i]!;
    let j = i;
    while (typeof from === "number" && j + 1 < units.length && units[j + 1] === from + (j + 1 - i)) j++;
    out.push(j > i + 1 ? `${from}–${units[j]}` : String(from));
    if (j > i + 1) i = j;
  }
  return out.slice(0, most).join(", ") + (out.length > most ? ", …" : "");
}

export function plural(n: number, one: string, many = one + "s"): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** A word as the shell needs it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The command line that prints what a view shows. */
export function command(...words: (string | undefined | false)[]): string {
  return ["auspex", ...words.filter((w): w is string => !!w).map(quoted)].join(" ");
}
