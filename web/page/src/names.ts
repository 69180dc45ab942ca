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
export const brief = (name: string, most = 56): string => shortened(folded(name), most).replace(/…[<>…]*…/g, "…");

/** Short names of a list, no two of different names alike: where shortening leaves out
 * what tells them apart, that is what is shown. */
export function apart(names: string[], most: number, short: (name: string, most: number) => string = brief): string[] {
  const labels = names.map((n) => short(n, most));
  const groups = new Map<string, Set<string>>();
  names.forEach((n, i) => groups.set(labels[i]!, (groups.get(labels[i]!) ?? new Set()).add(n)));
  return names.map((n, i) => {
    const alike = [...groups.get(labels[i]!)!];
    if (alike.length < 2) return labels[i]!;
    let same = 0;
    while (alike.every((o) => same < o.length && o[same] === alike[0]![same])) same++;
    // Some of what they have in common before it, and as much after it as fits.
    const from = Math.max(0, Math.min(same - Math.floor(most / 2), n.length - most + 1));
    const cut = n.slice(from, from + most - 2);
    return (from > 0 ? "…" : "") + cut + (from + cut.length < n.length ? "…" : "");
  });
}
