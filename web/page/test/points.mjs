// Points of the page that no other step shows, each on its own.
import assert from "node:assert/strict";
import { real, settled, step, visit } from "./harness.mjs";

step("the list has the factors that differ and are mostly there", async (page) => {
  const heads = () => page.locator('table[aria-label="Experiments"] th').allTextContents();
  await visit(page, "#/?find=network%3DP4");
  const few = await heads();
  assert.ok(few.some((h) => h.startsWith("atoms")), `atoms differ: ${few}`);
  assert.ok(!few.some((h) => h.startsWith("network")), `all have one network: ${few}`);
  await visit(page, "#/");
  assert.ok(!(await heads()).some((h) => h.startsWith("atoms")), "most runs know no atoms");
});

step("a run that took longer than those before it stands out", async (page) => {
  await visit(page, "#/?view=programs&find=nightly");
  const warned = page.locator(".programs .warn");
  await warned.first().waitFor();
  assert.match(await warned.textContent(), /nightly-3 took 50\s%\smore than the 2 runs before/);
});

step("bars are shares of the whole run", async (page) => {
  await visit(page, "#/e/before");
  const rows = page.locator('table[aria-label="Heaviest regions"] tbody tr');
  for (let i = 0; i < Math.min(4, await rows.count()); i++) {
    const bar = rows.nth(i).locator(".bar");
    const [text, width, whole] = [await bar.locator(".value").textContent(), await bar.locator(".fill").evaluate((f) => f.getBoundingClientRect().width), await bar.locator(".track").evaluate((f) => f.getBoundingClientRect().width)];
    assert.ok(Math.abs((100 * width) / whole - Number.parseFloat(text)) < 1.5, `${text} is ${width} of ${whole} px`);
  }
});

step("the flame graph in another metric, coloured by shares", async (page) => {
  await visit(page, "#/e/unbalanced/tree");
  const fill = () => page.locator(".flame .block rect").first().getAttribute("fill");
  const before = await fill();
  await page.getByLabel("Coloured by").selectOption("share");
  await page.getByText(/the larger the share of the run/).first().waitFor();
  assert.notEqual(await fill(), before);
  await page.getByLabel("Metric").fill("instructions");
  await page.getByLabel("Metric").press("Enter");
  await page.getByText("instructions of unbalanced by call path").first().waitFor();
});

step("what the colours mean is said for the page as it is", async (page) => {
  await visit(page, "#/e/before/tree");
  await page.getByText(/Pale regions take the same on every unit/).first().waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByText(/Dark regions take the same on every unit/).first().waitFor();
});

step("axis, legend and read-out of the heat map are in sight, and a drag may end beside it", async (page) => {
  await visit(page, "#/e/many/heat");
  for (const part of [".heat canvas", ".heat-foot .legend", ".heat-foot .readout"]) {
    const box = await page.locator(part).first().boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= 900, `${part} ends at ${box.y + box.height} of 900 px`);
  }
  const box = await page.locator(".heat canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 30, box.y + 70, { steps: 4 });
  await page.mouse.up();
  await page.locator(".chip", { hasText: /units 1500 to 2999 of 3,000/ }).first().waitFor();
});

step("efficiencies are coloured from a half to one", async (page) => {
  await visit(page, "#/compare/2Nx4P-GM-36/3Nx4P-GM-36/3Nx4P-GM-72");
  const cells = page.locator('table[aria-label="Efficiencies"] td');
  const shades = await cells.evaluateAll((all) => all.filter((td) => /^[\d.]+$/.test(td.textContent)).map((td) => [Number(td.textContent), getComputedStyle(td).backgroundColor]));
  assert.ok(shades.length >= 6 && shades.every(([, c]) => c.startsWith("rgb(")), "every cell has a colour");
  const [best, worst] = [shades.reduce((a, b) => (b[0] > a[0] ? b : a)), shades.reduce((a, b) => (b[0] < a[0] ? b : a))];
  assert.notEqual(best[1], worst[1], `${best} and ${worst}`);
});

step("names: separators inside them, underscores, other scripts, copies", async (page) => {
  await visit(page, "#/e/names/regions");
  const text = await page.locator('table[aria-label="Regions"]').innerText();
  assert.match(text, /read\/write/, "a slash inside a name is a slash");
  assert.doesNotMatch(text, /\\\//);
  assert.match(text, /apply<…>/, "what templates were given is folded");
  assert.ok((await page.locator(".path bdi", { hasText: "שלום" }).count()) > 0, "names of other scripts stand for themselves");
  const link = page.locator('table[aria-label="Regions"] a', { hasText: "under_score_" }).first();
  assert.ok(await link.evaluate((a) => getComputedStyle(a).textDecorationLine === "none" || Number.parseFloat(getComputedStyle(a).textUnderlineOffset) >= 3), "underlines do not hide underscores");
  const copied = await page.locator(".path[data-whole]", { hasText: "apply" }).first().evaluate((el) => {
    getSelection().selectAllChildren(el);
    const e = new ClipboardEvent("copy", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
    el.dispatchEvent(e);
    return e.clipboardData.getData("text/plain");
  });
  assert.match(copied, /apply<std::vector<double, std::allocator<double>>>/, "a name is copied whole");
});

step("the bar of where the run went is full, however small its parts are", async (page) => {
  for (const name of ["wordy", "unbalanced", "before"]) {
    await visit(page, `#/e/${name}`);
    const bar = page.locator("figure", { hasText: "Where the run went" }).locator("svg");
    const [end, whole] = await bar.evaluate((svg) => [Math.max(...[...svg.querySelectorAll("rect")].map((r) => r.getBoundingClientRect().right)), svg.getBoundingClientRect().right]);
    assert.ok(whole - end < 3, `${name}: ${end} of ${whole} px`);
  }
});

if (real) step("real: what a part of the run is called is not said twice", async (page) => {
  await visit(page, "#/e/mpas"); // writes its result
  assert.match(await page.locator(".ledger").textContent(), /input and output \(/);
  assert.match(await page.locator(".ledger").textContent(), /imbalance: /);
});

step("long names in the heat map differ, and are shown to their ends", async (page) => {
  await visit(page, "#/e/wordy/heat");
  for (const viewport of [undefined, { width: 390, height: 844 }]) {
    if (viewport) await page.setViewportSize(viewport);
    await settled(page);
    const labels = await page.locator(".heat-names button").allTextContents();
    assert.equal(new Set(labels).size, labels.length, labels.join("\n"));
    const cut = await page.locator(".heat-names button").evaluateAll((all) => all.filter((b) => b.scrollWidth > b.clientWidth + 1).map((b) => b.textContent));
    assert.deepEqual(cut, []);
  }
});

step("the lines of a file that take most are one click away", async (page) => {
  await visit(page, "#/e/unbalanced/source");
  await page.getByRole("link", { name: "line 41", exact: true }).click();
  await settled(page);
  const line = page.locator("tr.marked.region");
  assert.match(await line.textContent(), /41/);
  const box = await line.boundingBox();
  assert.ok(box.y > 0 && box.y < 900, `it is at ${box.y}`);
  await visit(page, "#/e/before/source"); // not at hand
  assert.equal(await page.getByText("Most time:").count(), 0);
});
