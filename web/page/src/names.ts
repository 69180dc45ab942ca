// Names of regions as people read them: what is long is shortened in the middle,
// what templates were given is folded away. The whole name is always at hand.

/** The names of a path, outermost first; a slash inside a name is written \/. */
export function parts(path: string): string[] {
  const names: string[] = [];
  let name = "";
  for (let i = 0; i < path.length; i++) {
    const c = path.charAt(i);
    const next = path.charAt(i + 1);
    if (c === "\\" && (next === "/" || next === "\\")) {
      name += next;
      i++;
    } else if (c === "/") {
      names.push(name);
      name = "";
    } else name += c;
  }
  return [...names, name];
}

/** The last name of a region's path. */
export const lastName = (path: string): string => parts(path).at(-1) || path;

/** Without what stands between the brackets of templates, where that is long. */
export function folded(name: string): string {
  let out = "";
  let depth = 0;
  let inside = "";
  for (let i = 0; i < name.length; i++) {
    const c = name[i]!;
    const operator = /operator\s*[-<>=]*$/.test(name.slice(Math.max(0, i - 12), i)) || name[i - 1] === "-";
    if (c === "<" && !operator && !/\s/.test(name[i - 1] ?? " ")) {
      if (depth++ === 0) inside = "";
      else inside += c;
    } else if (c === ">" && !operator && depth > 0) {
      if (--depth === 0) out += inside.length > 8 ? "<…>" : `<${inside}>`;
      else inside += c;
    } else if (depth > 0) inside += c;
    else out += c;
  }
  return depth > 0 ? name : out; // a name that only looks like a template
}

/** At most so many letters, the middle left out: beginnings and ends tell names apart. */
export function shortened(text: string, most: number): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const head = Math.ceil((most - 1) * 0.45);
  return letters.slice(0, head).join("") + "…" + letters.slice(letters.length - (most - 1 - head)).join("");
}

/** A name that fits into a cell or a label. */
export const brief = (name: string, most = 56): string => {
  const whole = folded(name);
  if ([...whole].length <= most) return whole;
  return shortened(innermost(bare(whole), most), most).replace(/…[<>…]*…/g, "…");
};

/** Where the bracket that opens at a place closes; -1 where it does not. */
function closing(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")" && --depth === 0) return i;
  }
  return -1;
}

/** A C++ signature without what tells least: the types of parameters and of what is returned. Other names stay as they are. */
function bare(name: string): string {
  const clean = name.replaceAll("(anonymous namespace)::", "");
  if (!/^[^(]*[\w>}\]<=]\(.*\)( (const|volatile|noexcept|&&?))*( \[.*\])*$/.test(clean)) return clean;
  let out = "";
  for (let i = 0; i < clean.length; i++) {
    const end = clean[i] === "(" ? closing(clean, i) : -1;
    if (end < 0) out += clean[i];
    else {
      if (/\boperator$/.test(out)) out += "()";
      i = end;
    }
  }
  out = out.replace(/ (const|volatile|noexcept|&&?)(?=::|$| )/g, "").replaceAll(/(\{lambda[^}]*\})::operator\(\)/g, "$1");
  return /\boperator /.test(out) ? out : out.slice(typeEnd(out));
}

/** Where the type of what is returned ends: behind the last space outside of brackets. */
function typeEnd(signature: string): number {
  let depth = 0;
  for (let i = signature.length - 1; i >= 0; i--) {
    if (/[>\])}]/.test(signature[i]!)) depth++;
    else if (/[<\[({]/.test(signature[i]!)) depth--;
    else if (signature[i] === " " && depth === 0 && !signature.startsWith("[", i + 1)) return i + 1;
  }
  return 0;
}

/** Without as many of the outer namespaces, classes (C++) or modules (Fortran) as must go for the rest to fit. */
function innermost(name: string, most: number): string {
  if (name.length <= most) return name;
  const starts = [...name.matchAll(/::|_MOD_|_mp_/g)].filter((m) => level(name, m.index) === 0).map((m) => m.index + m[0].length);
  const from = starts.find((at) => name.length - at + 1 <= most) ?? starts.at(-1);
  return from === undefined ? name : "…" + name.slice(from);
}

/** How many brackets are open before a place. */
const level = (text: string, at: number): number => [...text.slice(0, at)].reduce((n, c) => n + ("<({[".includes(c) ? 1 : ">)}]".includes(c) ? -1 : 0), 0);

/** Short names of a list, no two of different names alike: where shortening leaves out
 * what tells them apart, that is what is shown. */
export function apart(names: string[], most: number, short: (name: string, most: number) => string = brief): string[] {
  const labels = new Map(names.map((n) => [n, short(n, most)]));
  tellApart([...labels.keys()], labels, most);
  return names.map((n) => labels.get(n)!);
}

/** Gives names whose labels are alike others, each around the first letter that differs. */
function tellApart(names: string[], labels: Map<string, string>, most: number): void {
  const groups = new Map<string, string[]>();
  for (const n of names) groups.set(labels.get(n)!, [...(groups.get(labels.get(n)!) ?? []), n]);
  for (const alike of groups.values()) {
    if (alike.length < 2) continue;
    let same = 0;
    while (alike.every((o) => same < o.length && o[same] === alike[0]![same])) same++;
    for (const n of alike) {
      // Some of what they have in common before it, and as much after it as fits.
      const from = Math.max(0, Math.min(same - Math.floor(most / 2), n.length - most + 1));
      const cut = n.slice(from, from + most - 2);
      labels.set(n, (from > 0 ? "…" : "") + cut + (from + cut.length < n.length ? "…" : ""));
    }
    if (new Set(alike.map((n) => labels.get(n))).size > 1) tellApart(alike, labels, most);
  }
}
