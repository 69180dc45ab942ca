// Every place of the page, visited once, and what must hold at each: names for
// everything, contrast in light and dark, pictures that are XML, tables that are
// CSV, nothing wider than a phone. What the page shows beside each command is
// written down, and web/browser_test.go holds it against what the command prints.
import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import { parses, real, saved, settled, step, visit } from "./harness.mjs";

export const examples = [
  "#/",
  "#/?view=programs",
  "#/e/before",
  "#/e/unbalanced",
  "#/e/many",
  "#/e/markup",
  "#/e/before/regions",
  "#/e/before/regions?region=main%2Fsolve&by=path",
  "#/e/unbalanced/regions?region=main%2Fregion+14%2Fregion+11&by=path",
  "#/e/before/tree?against=after",
  "#/e/unbalanced/tree",
  "#/e/unbalanced/heat",
  "#/e/unbalanced/heat?metric=instructions%2Fcpu_time",
  "#/e/unbalanced/heat?metric=instructions",
  "#/e/many/heat",
  "#/e/wordy",
  "#/e/wordy/heat",
  "#/e/wordy/regions",
  "#/e/before/heat?arrange=tree",
  "#/e/unbalanced/kinds",
  "#/e/many/kinds",
  "#/e/before/words?q=wtime+is+high",
  "#/e/3dpic/bottlenecks",
  "#/e/before/similar",
  "#/e/unbalanced/source",
  "#/e/trained",
  "#/e/trained/training",
  "#/e/trained/kinds",
  "#/e/counted",
  "#/e/counted/regions",
  "#/e/counted/tree",
  "#/e/counted/heat",
  "#/e/traced/trace",
  "#/e/traced/whatif",
  "#/compare/before/after",
  "#/compare/2Nx4P-GM-36/3Nx4P-GM-36/3Nx4P-GM-72",
  "#/predictions",
  "#/predictions/sort",
  "#/simulations/sort-8",
  "#/studies",
  "#/studies/intsort",
  "#/nowhere",
];

export const profiles = [
  "#/e/gromacs-32",
  "#/e/gromacs-32/kinds",
  "#/e/mpas",
  "#/e/mpas/heat",
  "#/e/mpas/bottlenecks",
  "#/e/nas-bt/regions",
  "#/e/nas-bt/tree",
  "#/e/nas-bt/similar",
  "#/e/kineto-hta",
  "#/e/kineto-hta/regions",
  "#/e/kineto-hta/similar",
  "#/e/kineto-hta/heat",
  "#/e/kineto-hta/words?q=wtime+is+high",
  "#/e/allgather/kinds",
  "#/e/allgather/similar",
  "#/e/allgather/tree",
  "#/e/ml-loader",
  "#/e/ml-loader/training",
  "#/e/ml-loader/kinds",
  "#/e/lassen_clang10.0.1_nvcc10.2.89_1048576_1_Base_CUDA-block_128",
  "#/compare/lassen_clang10.0.1_nvcc10.2.89_1048576_1_Base_CUDA-block_128/lassen_clang10.0.1_nvcc10.2.89_1048576_1_Base_CUDA-block_256",
  "#/e/operations",
  "#/e/operations/training",
  "#/e/kineto-hta/training",
  "#/e/epoch-8/trace",
  "#/e/epoch-8/whatif",
  "#/compare/gromacs-2/gromacs-4/gromacs-8/gromacs-16/gromacs-32",
];

for (const hash of [...examples, ...(real ? profiles : [])])
  step(
    `place ${hash}`,
    async (page) => {
      await visit(page, hash);
      await named(page);
      await said(page);
      await legible(page);
      await drawn(page, hash);
      const tables = await tabled(page);
      const commands = await page.locator(".command code").allTextContents();
      if (process.env.AUSPEX_SHOWN) await appendFile(process.env.AUSPEX_SHOWN, JSON.stringify({ place: hash, commands, tables }) + "\n");
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await settled(page);
        await contrasting(page);
      }
      await narrow(page);
      await visit(page, "#/nowhere"); // so that it is drawn anew, as on a phone from the start
      await page.setViewportSize({ width: 390, height: 844 });
      await visit(page, hash);
      await narrow(page);
      await legible(page);
    },
    { shared: true },
  );

/** Everything that is pressed, chosen or looked at has a name; headings, tables and focus are in order. */
async function named(page) {
  const amiss = await page.evaluate(() => {
    const all = (what) => [...document.querySelectorAll(what)];
    const things = all("button, a[href], input, select, textarea, canvas, [role=img], [role=slider], table");
    const nameless = things.filter((el) => el.offsetParent !== null && !el.parentElement.closest("[role=img][aria-label]") && !(el.getAttribute("aria-label") || el.textContent.trim() || el.labels?.length || el.title));
    const ids = all("[id]").map((el) => el.id);
    const levels = all("h1, h2, h3, h4").filter((h) => h.checkVisibility()).map((h) => Number(h.tagName[1]));
    return [
      ...nameless.map((el) => `it has no name: ${el.outerHTML.slice(0, 120)}`),
      ...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `two elements are called ${id}`),
      ...(document.documentElement.lang ? [] : ["the page does not say its language"]),
      ...(all("main").length === 1 ? [] : ["there is not one main part"]),
      ...(all("h1").length === 1 ? [] : [`there are ${all("h1").length} titles`]),
      ...levels.filter((l, i) => i > 0 && l > levels[i - 1] + 2).map((l) => `a heading of level ${l} stands too deep`),
      ...all("th").filter((th) => !th.scope).map((th) => `a table's head without a scope: ${th.textContent}`),
      ...all("[tabindex]").filter((el) => el.tabIndex > 0).map((el) => `focus does not go in the order of reading: ${el.outerHTML.slice(0, 120)}`),
    ];
  });
  assert.deepEqual(amiss, []);
}

/** No jargon, nothing that fits to no degree, and one unit of time in a column. */
async function said(page) {
  const text = await page.locator("main").innerText();
  assert.doesNotMatch(text, /\b(?:severe|high|low|poor) \(degree 0\.00\)/, "what does not fit is not said");
  assert.doesNotMatch(text, /\bis [SZ]\(\d/, "curves are said in words");
  assert.doesNotMatch(text, /\bNaN\b|\bundefined\b|\bnull\b|\[object/, "nothing of the program's inside is shown");
  const mixed = await page.evaluate(() =>
    [...document.querySelectorAll("main table")].flatMap((table) => {
      if (/^(Experiments|Predictions|What if)/.test(table.getAttribute("aria-label") ?? "")) return []; // of programs that have nothing in common
      const units = [];
      for (const row of table.querySelectorAll("tbody tr"))
        [...row.children].forEach((cell, i) => {
          const unit = /^[<+−-]?[\d.,]+\s(ns|µs|ms|s|min|h)$/.exec(cell.textContent.trim())?.[1];
          if (unit) (units[i] ??= new Set()).add(unit);
        });
      return units.filter((u) => u?.size > 1).map((u) => `${table.getAttribute("aria-label")}: ${[...u]}`);
    }),
  );
  assert.deepEqual(mixed, [], "a column has one unit of time");
}

/** No text is smaller than 12 px on the screen, in pictures neither. */
async function legible(page) {
  const small = await page.evaluate(() => {
    const size = (el) => {
      const at = el.ownerSVGElement ? el.getScreenCTM() : undefined;
      return parseFloat(getComputedStyle(el).fontSize) * (at ? Math.hypot(at.a, at.b) : 1);
    };
    const own = (el) => [...el.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const shown = [...document.querySelectorAll("body *")].filter((el) => own(el) && el.tagName !== "title" && el.checkVisibility() && el.getBoundingClientRect().height > 1);
    return shown.filter((el) => size(el) < 11.9).map((el) => `${size(el).toFixed(1)} px: ${el.textContent.slice(0, 40)}`).slice(0, 5);
  });
  assert.deepEqual(small, [], "text is small");
}

/** Text stands out from its ground by 4.5 to 1, large text by 3 to 1 (WCAG 2.2, 1.4.3). */
async function contrasting(page) {
  const faint = await page.evaluate(() => {
    const channels = (c) => (c.match(/[\d.]+/g) ?? []).map(Number);
    const light = (c) => {
      const [r, g, b] = c.slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (el) => {
      for (let at = el; at; at = at.parentElement) {
        const c = channels(getComputedStyle(at).backgroundColor);
        if (c.length === 3 || c[3] > 0.99) return c;
      }
      return [255, 255, 255];
    };
    const out = [];
    for (const el of document.querySelectorAll("body *")) {
      const own = [...el.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
      if (!own || el.closest("svg, canvas, [aria-hidden=true], :disabled, .stale") || !el.checkVisibility()) continue;
      const style = getComputedStyle(el);
      const [a, b] = [light(channels(style.color)), light(ground(el))].sort((x, y) => y - x);
      const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && Number(style.fontWeight) >= 700);
      if ((a + 0.05) / (b + 0.05) < (large ? 3 : 4.5)) out.push(`${el.tagName} ${el.className} "${el.textContent.slice(0, 30)}" ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
    }
    return [...new Set(out)].slice(0, 10);
  });
  assert.deepEqual(faint, [], "text is faint");
}

/** Every picture is saved as XML, a heat map with its scale. */
async function drawn(page, hash) {
  const buttons = page.getByRole("button", { name: /^Save .* as SVG$/ });
  for (let i = 0; i < (await buttons.count()); i++) {
    const text = await saved(buttons.nth(i));
    assert.equal(await parses(text), "", `picture ${i} is XML`);
    if (/\/heat/.test(hash)) assert.match(text, /class="scale"/, "a heat map is saved with its colour scale");
  }
}

/** Every table is saved as CSV with as many fields in every line; gives their texts by name. */
async function tabled(page) {
  const labels = await page.locator("main table").evaluateAll((all) => all.filter((t) => t.checkVisibility()).map((t) => t.getAttribute("aria-label")));
  const texts = {};
  for (const label of new Set(labels)) {
    if (label === null || /^(Source|Lines)/.test(label)) continue; // the reader's own file
    const button = page.getByRole("button", { name: `Save "${label}" as CSV`, exact: true }).first();
    assert.ok(await button.count(), `the table "${label}" can be saved`);
    const lines = fields(await saved(button));
    assert.ok(lines.length > 1, `"${label}" has rows`);
    assert.ok(lines.every((l) => l.length === lines[0].length), `"${label}" is even`);
    assert.ok(lines[0].every((h) => h !== ""), `every column of "${label}" has a head: ${lines[0]}`);
    texts[label] = lines;
  }
  return texts;
}

/** The fields of a CSV file, line by line. */
function fields(text) {
  const lines = [[]];
  let field = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') field += text[i++];
      else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === "," || c === "\n") {
      lines.at(-1).push(field.replace(/\r$/, ""));
      field = "";
      if (c === "\n") lines.push([]);
    } else field += c;
  }
  assert.deepEqual(lines.pop(), [], "the last line ends");
  return lines;
}

/** Nothing reaches beyond the window of a phone, and no text is cut at its edge. */
async function narrow(page) {
  const over = await page.evaluate(() => {
    const clipped = (el) => el && (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(el).overflowX) || clipped(el.parentElement));
    const wide = [...document.querySelectorAll("body *")].filter((el) => el.getBoundingClientRect().right > innerWidth + 0.5 && !clipped(el.parentElement));
    return { by: document.documentElement.scrollWidth - innerWidth, wide: wide.map((el) => `${el.tagName}.${el.className} ${el.textContent.slice(0, 60)}`).slice(0, 5) };
  });
  assert.ok(over.by <= 0, `it is wider than a phone by ${over.by} px: ${over.wide.join("; ")}`);
  // A phone has no hover that would tell runs apart whose names begin alike.
  if (page.viewportSize().width <= 390) {
    const cut = await page.locator('table[aria-label="Experiments"] td a').evaluateAll((all) => all.filter((a) => a.scrollWidth > a.clientWidth + 1).map((a) => a.textContent));
    assert.deepEqual(cut, []);
  }
}
