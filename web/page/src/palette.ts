// Colours that hold up for colour-blind readers and on paper.

// ColorBrewer's YlGnBu (Brewer, 2002): pale yellow to navy, ever darker, so that
// it can be told apart by lightness alone.
const steps: [number, number, number][] = [
  [250, 249, 226],
  [237, 248, 177],
  [199, 233, 180],
  [127, 205, 187],
  [65, 182, 196],
  [29, 145, 192],
  [34, 94, 168],
  [37, 52, 148],
  [8, 29, 88],
];

/** The colour of t in [0, 1]: the more, the farther from the paper. */
export function scale(t: number, dark: boolean): [number, number, number] {
  const at = Math.min(1, Math.max(0, dark ? 1 - t : t)) * (steps.length - 1);
  const i = Math.min(steps.length - 2, Math.floor(at));
  const a = steps[i]!;
  const b = steps[i + 1]!;
  return [0, 1, 2].map((k) => Math.round(a[k]! + (at - i) * (b[k]! - a[k]!))) as [number, number, number];
}

// ColorBrewer's RdBu, from less (blue) to more (red); pale in the middle.
const twoSides: [number, number, number][] = [
  [33, 102, 172],
  [103, 169, 207],
  [209, 229, 240],
  [247, 247, 247],
  [253, 219, 199],
  [239, 138, 98],
  [178, 24, 43],
];

/** The colour of t in [-1, 1]. */
export function sided(t: number, dark: boolean): [number, number, number] {
  const at = ((Math.min(1, Math.max(-1, t)) + 1) / 2) * (twoSides.length - 1);
  const i = Math.min(twoSides.length - 2, Math.floor(at));
  const mixed = [0, 1, 2].map((k) => twoSides[i]![k]! + (at - i) * (twoSides[i + 1]![k]! - twoSides[i]![k]!));
  const faint = dark ? 0.55 + 0.45 * Math.abs(t) : 1; // pale is glaring on a dark page
  return mixed.map((v) => Math.round(v * faint)) as [number, number, number];
}

export const rgb = (c: [number, number, number]): string => `rgb(${c[0]},${c[1]},${c[2]})`;

/** Black or white, whichever stands out more from a colour: by 4.5 to 1 or more (WCAG 2.2, 1.4.3). */
export function inkOn(c: [number, number, number]): string {
  const [r, g, b] = c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return (light + 0.05) ** 2 > 0.05 * 1.05 ? "#000000" : "#ffffff";
}

// Okabe and Ito's colours without black; their order keeps neighbours apart.
const kinds = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b3a72b", "#7a6ea8"];

/** The colour of the n-th kind, term or series. */
export const kindColour = (n: number): string => (n < 0 ? "#8a939c" : kinds[n % kinds.length]!);
