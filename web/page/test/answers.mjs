// The answer on the first screen: lists, regions, call trees and heat maps, on the
// examples and, where they are at hand, on profiles of real programs.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { real, settled, step, visit } from "./harness.mjs";

const rows = (page, label) => page.locator(`table[aria-label="${label}"] tbody tr`);
const heads = (page, label) => page.locator(`table[aria-label="${label}"] th`).allTextContents();

/** Waits until the list knows what every run comes to. */
const known = (page) =>
  page.waitForFunction(() => {
    const table = document.querySelector('table[aria-label="Experiments"]');
    return table && ![...table.querySelectorAll("td")].some((td) => td.textContent === "…");
  });

step("the list says how long, how well and what is lost", async (page) => {
  await visit(page, "#/?find=unbalanced");
  await known(page);
  const head = await heads(page, "Experiments");
  for (const wanted of ["run time", "efficiency", "largest loss", "ranks"])
    assert.ok(head.some((h) => h.startsWith(wanted)), `${wanted} is a column of ${head}`);
  const row = await rows(page, "Experiments").first().textContent();
  assert.match(row, /42\ss/);
  assert.match(row, /33\s%\suneven work.*region 11/);
});

step("finding, sorting and going back", async (page) => {
  await visit(page, "#/");
  await page.getByLabel("Find").fill("nothing-is-called-this");
  await page.getByText(/No experiment fits/).first().waitFor();
  await page.getByRole("button", { name: /Show all/ }).click();
  await page.getByLabel("Find").fill("network=P4");
  await page.getByRole("button", { name: "experiment", exact: true }).click();
  await page.locator('th[aria-sort="descending"]').first().waitFor();
  const first = await rows(page, "Experiments").first().locator("a").textContent();
  await rows(page, "Experiments").first().locator("a").click();
  await settled(page);
  await page.goBack();
  await settled(page);
  assert.equal(await page.getByLabel("Find").inputValue(), "network=P4");
  assert.equal(await rows(page, "Experiments").first().locator("a").textContent(), first);
});

step("programs with their runs over time", async (page) => {
  await visit(page, "#/?view=programs");
  await page.locator(".programs svg circle").first().waitFor();
  const lapw0 = page.locator(".programs li", { hasText: "LAPW0" });
  assert.match(await lapw0.textContent(), /6 runs/);
  assert.match(await lapw0.getByRole("link", { name: "compare 6" }).getAttribute("href"), /compare/);
});

step("a table is saved as CSV", async (page) => {
  await visit(page, "#/e/unbalanced/regions");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: 'Save "Regions" as CSV' }).click();
  const text = await readFile(await (await saved).path(), "utf8");
  assert.match(text, /^region,alone \(share\),.*mean \(s\)/);
  assert.ok(text.trim().split("\r\n").length >= 15, "a line for every region");
});

step("all regions, found by parts of their names, and one of them", async (page) => {
  await visit(page, "#/e/before/regions");
  const all = await rows(page, "Regions").count();
  await page.getByLabel("Find").fill("mpi wait");
  await page.waitForFunction((n) => document.querySelectorAll('table[aria-label="Regions"] tbody tr').length < n, all);
  await page.getByText(/of 12 regions; these rows are/).first().waitFor();
  await rows(page, "Regions").first().locator("a").click();
  await settled(page);
  for (const part of ["Called from", "Calls", "What was measured of it"])
    await page.getByRole("heading", { name: part }).first().waitFor();
  assert.ok((await page.locator(".chart svg, .chart canvas").count()) >= 1, "its time over the units is drawn");
});

step("a flame graph: search, zoom, back, another run", async (page) => {
  await visit(page, "#/e/before/tree");
  const blocks = page.locator(".flame .block");
  const all = await blocks.count();
  assert.ok(all >= 8, `${all} blocks`);
  await page.getByLabel("Find").fill("solve");
  await page.getByText(/found: .* of the run/).first().waitFor();
  await page.getByLabel("Find").fill("");
  await blocks.nth(1).click();
  await page.locator(".chip").first().waitFor();
  assert.ok((await blocks.count()) < all);
  await page.goBack();
  await page.waitForFunction((n) => document.querySelectorAll(".flame .block").length === n, all);
  await page.getByLabel("Against").selectOption("after");
  await page.getByText(/took more here than in after/).first().waitFor();
  assert.match((await heads(page, "Call tree")).join(), /in after/);
});

step("the call tree opens and closes", async (page) => {
  await visit(page, "#/e/before/tree");
  const before = await rows(page, "Call tree").count();
  await page.getByRole("button", { name: /^Close main/ }).click();
  await page.waitForFunction((n) => document.querySelectorAll('table[aria-label="Call tree"] tbody tr').length < n, before);
  assert.equal(await rows(page, "Call tree").count(), 1);
  const share = /([\d.]+)\s%/.exec(await rows(page, "Call tree").first().textContent());
  assert.ok(Number(share[1]) > 90, `closed it has all it holds: ${share[1]} %`);
});

step("one function of many call paths is one row", async (page) => {
  await visit(page, "#/e/split");
  const first = await rows(page, "Heaviest regions").first().textContent();
  assert.match(first, /hot_function.*93\.[78]\d*\s%/, "60 call paths of 1.6 % each are one function");
  const covered = /These \d+ rows are ([\d.]+)/.exec(await page.locator("main").textContent());
  assert.ok(Number(covered[1]) > 94, `the rows are ${covered[1]} % of the run`);
  await rows(page, "Heaviest regions").first().locator("a").first().click();
  await settled(page);
  await page.getByText(/60 (call )?paths/).first().waitFor();
});

step("the heat map: the heaviest and the rest, the wheel, Escape, Back", async (page) => {
  await visit(page, "#/e/many/heat");
  const names = page.locator(".heat-names li");
  assert.match(await names.last().textContent(), /the other \d+ together/);
  const canvas = page.locator(".heat canvas");
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.locator(".at-pointer").first().waitFor();
  await page.mouse.wheel(0, -200);
  await page.locator(".chip").first().waitFor();
  await settled(page);
  await page.goBack();
  await page.waitForFunction(() => !document.querySelector(".chip"));
  await names.last().locator("button").click();
  await page.locator(".chip", { hasText: /rows \d+ to 151 of 151/ }).first().waitFor();
  await canvas.focus();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".chip"));
});

step("the heat map along the tree opens and closes by a click", async (page) => {
  await visit(page, "#/e/many/heat?arrange=tree");
  const names = page.locator(".heat-names li");
  const texts = () => names.allTextContents();
  const before = await texts();
  const closed = page.locator(".heat-names button", { hasText: "▸" }).first();
  const opened = (await closed.textContent()).replace("▸", "▾");
  await closed.click();
  await page.waitForFunction((n) => document.querySelectorAll(".heat-names li").length > n, before.length);
  await settled(page);
  const after = await texts();
  const at = after.indexOf(opened);
  assert.ok(at > 0, `${opened} is open: ${after}`);
  const parts = after.length - before.length;
  // Its parts came below it, and no other row moved.
  assert.deepEqual([...after.slice(0, at), ...after.slice(at + 1 + parts)], [...before.slice(0, at), ...before.slice(at + 1)]);
  await names.nth(at).locator("button").click();
  await page.waitForFunction((n) => document.querySelectorAll(".heat-names li").length === n, before.length);
  await page.goBack();
  await page.goBack();
  await settled(page);
  assert.deepEqual(await texts(), before, "Back goes back");
  // The lighter parts of a region are shown when asked for.
  const others = page.locator(".heat-names button", { hasText: /the other \d+ together/ }).first();
  await others.click();
  await page.waitForFunction((n) => document.querySelectorAll(".heat-names li").length > n, before.length);
});

step(
  "a server that is gone",
  async (page) => {
    await visit(page, "#/e/before");
    await page.route("**/api/**", (r) => r.abort());
    await page.goto(page.url().replace(/#.*/, "#/e/before/regions"));
    const again = page.getByRole("button", { name: "Try again" }).first();
    await again.first().waitFor();
    await page.unroute("**/api/**");
    await again.click();
    await rows(page, "Regions").first().waitFor();
  },
  { expected: (c) => /ERR_FAILED/.test(c) },
);

step("a measured trace: zoom by the wheel, back, Escape", async (page) => {
  await visit(page, "#/e/traced/trace");
  const canvas = page.locator(".heat canvas");
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + 40);
  await page.locator(".at-pointer", { hasText: /rank 0/ }).first().waitFor();
  await page.mouse.wheel(0, -200);
  await page.getByRole("button", { name: "all of it" }).first().waitFor();
  await settled(page);
  await page.goBack();
  await page.waitForFunction(() => !document.querySelector(".chip"));
  await canvas.focus();
  await page.keyboard.press("+");
  await page.locator(".chip").first().waitFor();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".chip"));
  assert.match(await page.locator(".legend.parts").first().textContent(), /critical path/);
});

step("what if: a slider, a new time, an opportunity taken", async (page) => {
  await visit(page, "#/e/traced/whatif");
  await page.getByRole("heading", { name: "What would pay" }).first().waitFor();
  await page.getByRole("slider").first().fill("2");
  await page.getByText(/4 × as fast/).first().waitFor();
  await page.locator("figure", { hasText: "what if" }).first().waitFor();
  await page.getByLabel("Network").selectOption("ideal");
  await page.waitForFunction(() => /network ideal/.test(document.querySelector(".whatif .command code")?.textContent ?? ""));
  await settled(page);
  await page.getByRole("button", { name: "all as it is" }).click();
  await page.getByText("as it is").first().waitFor();
});

step("compare several: baseline, order, difference, scaling", async (page) => {
  await visit(page, "#/compare/2Nx4P-GM-36/3Nx4P-GM-36/3Nx4P-GM-72");
  await page.getByRole("heading", { name: "How it scales" }).first().waitFor();
  assert.ok((await rows(page, "Efficiencies").count()) >= 3);
  await page.getByLabel("Order").selectOption("time");
  await page.locator("label.field", { hasText: /^Baseline/ }).locator("select").selectOption("3Nx4P-GM-36");
  await settled(page);
  assert.match(await page.locator('table[aria-label="Runs"] tr.marked').textContent(), /3Nx4P-GM-36.*baseline/);
  assert.ok((await heads(page, "Regions of both")).some((h) => h.startsWith("difference")));
});

step("words: Enter asks, and so does an address", async (page) => {
  await visit(page, "#/e/before/words");
  const box = page.getByLabel("PERFQL query");
  await box.fill("");
  await box.pressSequentially("wtime is high");
  await page.keyboard.press("Enter");
  await page.getByText(/rows? fits? to a degree/).first().waitFor();
  assert.equal(await box.inputValue(), "wtime is high");
  await visit(page, "#/");
  await visit(page, "#/e/before/words?q=imbalance+is+high");
  await page.locator('table[aria-label="Answer"]').first().waitFor();
});

// ---- profiles of real programs

if (real) {
  step("real: by function where call paths split", async (page) => {
    await visit(page, "#/e/allgather");
    assert.match(await page.locator("main").textContent(), /all call paths of a function together/);
    assert.match(await rows(page, "Heaviest regions").first().textContent(), /libinfinipath/);
    const rowsAre = async () => Number(/([\d.]+)\s%\sof the run/.exec(await page.getByText(/rows? are/).first().textContent())[1]);
    const byName = await rowsAre();
    // Half of its units are idle, so that all regions together are half of the run.
    assert.ok(byName > 30, `the rows are ${byName} % of the run`);
  });

  step("real: every experiment of the list is known", async (page) => {
    await visit(page, "#/");
    await known(page);
    const gromacs = await page.locator("tr", { hasText: "gromacs-32" }).textContent();
    assert.match(gromacs, /101\ss.*39\s%.*32/);
    const heights = await page.locator('table[aria-label="Experiments"] tbody tr').evaluateAll((all) => all.map((tr) => tr.offsetHeight));
    assert.ok(Math.max(...heights) < 2 * Math.min(...heights), `one line a row: ${Math.max(...heights)} px`);
  });

  step("real: factors with spaces", async (page) => {
    await visit(page, "#/?find=CPU+Type%3Dppc");
    await page.locator("td a", { hasText: "gromacs-32" }).first().waitFor();
    assert.equal(await page.locator("td a", { hasText: "mpas" }).count(), 0);
  });

  step("real: which ranks differ in 128", async (page) => {
    await visit(page, "#/e/mpas/heat");
    assert.match(await page.locator(".heat-names li").first().textContent(), /MPI_Wait/);
    assert.match(await page.locator(".heat-names li").last().textContent(), /the other \d+ together/);
    await visit(page, "#/e/mpas/kinds"); // a continuum
    await page.getByText("has much of the variance between units").waitFor();
    assert.equal(await page.getByText("changes the kinds when").count(), 0);
  });

  step("real: a Paraver trace on the timeline, down to single messages", async (page) => {
    await visit(page, "#/e/epoch-8");
    await page.locator("nav.tabs a", { hasText: "Timeline" }).click();
    await settled(page);
    assert.equal(await page.locator(".heat-names li").count(), 8);
    assert.match(await page.locator(".legend.parts").textContent(), /critical path/);
    assert.match(await page.locator(".readout").textContent(), /3\.51\d*\ss.*messages: zoom in/);
    const canvas = page.locator(".heat canvas");
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 60);
    for (let i = 0; i < 8; i++) {
      await page.mouse.wheel(0, -200);
      await settled(page);
    }
    await page.mouse.move(box.x + box.width + 5, box.y - 40);
    await page.locator(".readout", { hasText: /\d messages? drawn|no messages here/ }).first().waitFor();
    await visit(page, "#/e/epoch-8/whatif");
    await page.getByRole("heading", { name: "What would pay" }).first().waitFor();
  });

  step("real: colours stay what they are when a slider moves, and the timeline has the time that the sentence has", async (page) => {
    const colours = () => page.locator(".across .legend.parts > span").evaluateAll((all) => all.map((one) => [one.textContent, one.firstElementChild.style.backgroundColor]));
    await visit(page, "#/e/epoch-8/whatif");
    await page.locator(".across .readout", { hasText: "before" }).first().waitFor();
    const before = new Map(await colours());
    await page.getByRole("slider").first().fill("4");
    await page.locator(".across .readout", { hasText: "what if" }).first().waitFor();
    await settled(page);
    for (const [text, colour] of await colours()) assert.equal(before.get(text) ?? colour, colour, text);
    const told = /it would take (\S+\s\S+?),? /.exec(await page.locator(".whatif .words").first().textContent())[1];
    assert.ok((await page.locator(".across .readout").textContent()).includes(`what if ${told}`), told);
  });

  step("real: long names are shortened, and whole on hover", async (page) => {
    await visit(page, "#/e/kineto-hta/regions");
    const cell = page.locator(".path[title]", { hasText: "…" }).first();
    const [shown, whole] = [await cell.textContent(), await cell.getAttribute("title")];
    assert.ok(whole.length > shown.length, `${shown} of ${whole}`);
  });
}
