// The views, used as a person would.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { settled, step, visit } from "./harness.mjs";

step("the store lists, finds and compares experiments", async (page) => {
  await visit(page, "#/");
  const names = page.locator('table[aria-label="Experiments"] tbody tr td:nth-child(2)');
  const all = await names.count();
  assert.ok(all >= 12, `${all} experiments`);
  await page.getByLabel("Find").fill("atoms>36 network=GM");
  await page.waitForFunction(() => document.querySelectorAll('table[aria-label="Experiments"] tbody tr').length === 1);
  assert.equal(await names.first().textContent(), "3Nx4P-GM-72");
  await page.getByLabel("Find").fill("");
  await page.getByRole("button", { name: "ranks" }).click();
  await names.first().filter({ hasText: "many" }).first().waitFor();
  await page.getByLabel("Pick before to compare").check();
  await page.getByLabel("Pick after to compare").check();
  await page.getByRole("button", { name: "Compare 2" }).click();
  await settled(page);
  assert.match(await page.locator(".words").first().textContent(), /times faster than|times slower than|take the same time/);
  assert.match(await page.locator("main").textContent(), /Similarity of performance/);
  assert.equal(await page.locator(".pair .diagnosis").count(), 2);
});

step("an experiment answers in words first", async (page) => {
  await visit(page, "#/e/unbalanced");
  assert.match(await page.locator(".words").first().textContent(), /region 11/);
  assert.match(await page.locator(".lead-on").textContent(), /8 processes fall into 5 kinds/);
  assert.equal(await page.locator(".big-bars .bar").count(), 3);
  await page.locator('table[aria-label="Heaviest regions"] a').first().click();
  await settled(page);
  assert.match(page.url(), /regions\?region=/);
  await page.getByRole("link", { name: "in the heat map" }).click();
  await page.locator(".chip").first().waitFor();
});

step("a contract is checked", async (page) => {
  await visit(page, "#/e/before");
  await page.getByText("Check it against a contract").click();
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByText(/The contract is broken/).first().waitFor();
});

step("the heat map zooms and tells its numbers", async (page) => {
  await visit(page, "#/e/many/heat");
  const canvas = page.locator(".heat canvas");
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.locator(".readout", { hasText: /units \d+ to \d+: .* in the mean, from/ }).first().waitFor();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.35, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.locator(".chip").first().waitFor();
  await settled(page);
  assert.match(await page.locator(".chip").first().textContent(), /units \d+ to \d+ of 3,000/);
  await canvas.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.locator(".readout", { hasText: /main/ }).first().waitFor();
  await page.keyboard.press("+");
  await settled(page);
  await page.keyboard.press("0");
  await page.waitForFunction(() => !document.querySelector(".chip"));
});

step("the heat map takes any metric", async (page) => {
  await visit(page, "#/e/unbalanced/heat");
  await page.getByLabel("Metric").fill("instructions/cpu_time");
  await page.getByLabel("Metric").press("Enter");
  await page.getByText("instructions/cpu_time of unbalanced").first().waitFor();
  await page.getByLabel("Counting").selectOption("inclusive");
  await page.getByLabel("Colour by").selectOption("region");
  await settled(page);
  assert.equal(await page.locator("main .error").count(), 0);
});

step("kinds are plotted, explained and put beside others", async (page) => {
  await visit(page, "#/e/unbalanced/kinds");
  assert.ok((await page.locator(".chart svg").count()) >= 1, "reachability is drawn");
  assert.match(await page.locator(".drawing.tree").textContent(), /2-CCR & CCCR/);
  await page.getByText("changes the kinds when its time is set to zero").waitFor();
  assert.equal(await page.locator('table[aria-label="Decision table"] tbody tr').count(), 7);
  assert.equal(await page.locator('table[aria-label="Discernibility matrix"] tbody tr').count(), 5);
  await page.getByLabel("Beside").selectOption("balanced");
  await page.getByText("8 processes are of one kind").first().waitFor();
});

step(
  "a good query and a bad one",
  async (page) => {
    await visit(page, "#/e/before/words");
    const box = page.getByLabel("PERFQL query");
    await box.fill("wtime is high");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByText(/rows? fits? to a degree/).first().waitFor();
    assert.match(await page.locator('table[aria-label="Answer"]').textContent(), /update_cells/);
    await box.fill("wtiem is high");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Ask" }).click();
    const caret = page.locator("pre.caret");
    await caret.first().waitFor();
    assert.match(await caret.textContent(), /did you mean wtime\?[\s\S]*\^/);
    assert.equal((await page.locator("main").textContent()).match(/did you mean/g).length, 1, "the hint is given once");
    await box.fill("wtime is high and §");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Ask" }).click();
    await caret.filter({ hasText: "§" }).first().waitFor();
    assert.equal((await page.locator("main").textContent()).match(/put unusual names in double quotes/g).length, 1, "the hint is given once");
  },
  { expected: (c) => /status of 4\d\d/.test(c) },
);

step("a query is completed", async (page) => {
  await visit(page, "#/e/before/words");
  const box = page.getByLabel("PERFQL query");
  await box.fill("");
  await box.pressSequentially("imbal");
  await page.locator("#completions li").first().waitFor();
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.querySelector(".query textarea").value.startsWith("imbalance"));
});

step("a term is dragged and kept", async (page) => {
  await visit(page, "#/e/before/words");
  const row = page.locator('table[aria-label="Classification"] tbody tr', { hasText: "MPI_Allreduce" });
  const before = await row.textContent();
  const handle = page.locator('.handle[data-term="medium"]').nth(1);
  await handle.scrollIntoViewIfNeeded();
  const at = await handle.boundingBox();
  const editor = await page.locator("svg.editor").boundingBox();
  await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
  await page.mouse.down();
  await page.mouse.move(editor.x + editor.width * 0.24, at.y, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction(
    (old) =>
      [...document.querySelectorAll('table[aria-label="Classification"] tbody tr')].some(
        (r) => r.textContent.includes("MPI_Allreduce") && r.textContent !== old,
      ),
    before,
  );
  const dragged = Number(await handle.getAttribute("aria-valuenow"));
  await handle.focus();
  await page.keyboard.press("PageDown");
  assert.ok(Number(await handle.getAttribute("aria-valuenow")) < dragged);
  await page.getByLabel("Name", { exact: true }).fill("mine");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Every command takes it").first().waitFor();
  await visit(page, "#/e/before/words?vocabulary=mine");
  assert.notEqual(await row.textContent(), before);
});

step("bottlenecks, similar units and regions", async (page) => {
  await visit(page, "#/e/3dpic/bottlenecks?metric=L2_TCM%2FL2_TCA&threshold=0.7");
  assert.match(await page.locator(".words").textContent(), /1 bottleneck: .*PARTICLE_LOAD at 0.92/);
  assert.match(await page.locator(".words").textContent(), /SR_E_FIELD at 0\.690 is just below the threshold/);
  await visit(page, "#/e/before/similar");
  assert.match(await page.locator(".words").first().textContent(), /2 units of 8 differ/);
  assert.match(await page.locator(".words").nth(1).textContent(), /Most alike are .*least alike .*update_cells/);
  const columns = page.locator("svg.natural").nth(1).locator("g > rect");
  assert.ok((await columns.count()) >= 9, "regions are compared with each other");
});

step(
  "unrelated programs are compared only if one insists",
  async (page) => {
    await visit(page, "#/compare/before/3dpic");
    await page.getByText("before and 3dpic are different programs").first().waitFor();
    assert.equal(await page.locator('table[aria-label="Regions of both"]').count(), 0);
    assert.doesNotMatch(await page.locator("main").textContent(), /--force|force=true/, "the page has a button for it");
    await page.getByRole("button", { name: "Compare them all the same" }).click();
    await page.locator('table[aria-label="Regions of both"]').first().waitFor();
    await settled(page);
    assert.match(await page.locator(".warnings").first().textContent(), /different programs/, "it is still said");
    assert.ok((await page.locator(".command code").allTextContents()).includes("auspex compare before 3dpic --force"));
  },
  { expected: (c) => /status of 400/.test(c) },
);

step("six experiments against their factors", async (page) => {
  await visit(page, "#/compare/2Nx4P-P4-36/2Nx4P-GM-36/3Nx4P-P4-36/3Nx4P-GM-36/3Nx4P-P4-72/3Nx4P-GM-72");
  assert.match(await page.locator(".findings").textContent(), /sensitive to CPU/);
  assert.ok((await page.locator("svg.natural").count()) >= 2);
});

step("a replay: timeline and platform", async (page) => {
  await visit(page, "#/simulations/sort-8");
  assert.match(await page.locator(".words").textContent(), /8 ranks take 436\.9\sms/);
  const canvas = page.locator(".heat canvas");
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.getByRole("button", { name: "all of it" }).click();
  assert.ok((await page.locator(".chart svg").count()) === 1, "the platform is drawn");
});

step("a prediction: curves, table, and the replays behind it", async (page) => {
  await visit(page, "#/predictions");
  await page.getByRole("link", { name: "sort", exact: true }).click();
  await settled(page);
  assert.match(await page.locator(".words").textContent(), /site/);
  const rows = page.locator('table[aria-label="Predictions"] tbody tr');
  assert.equal(await rows.count(), 8);
  assert.equal(await page.locator('table[aria-label="Predictions"] tbody tr.marked').count(), 1);
  assert.ok((await page.locator(".chart svg").count()) >= 1, "the curves are drawn");
  await rows.first().getByRole("link", { name: "replay" }).click();
  await settled(page);
  assert.match(page.url(), /simulations\//);
  assert.match(await page.locator(".words").textContent(), /2 ranks take/);
});

step("a prediction with a loop cut short: how it settled", async (page) => {
  await visit(page, "#/predictions/settled");
  await settled(page);
  const picture = page.locator("figure", { hasText: "How the mean iteration of heat.c:19 settled, 2 processes, -O3" });
  assert.equal(await picture.count(), 1);
  assert.match(await picture.textContent(), /16 of 1,?000 iterations ran/);
  assert.match(await picture.locator(".chart svg").textContent(), /10 %/);
  await visit(page, "#/predictions/sort");
  await settled(page);
  assert.equal(await page.locator("figure", { hasText: "How the mean iteration" }).count(), 0, "no loop of it was cut short");
});

step("a study: its answer, its picture, its points", async (page) => {
  await visit(page, "#/studies");
  await page.getByRole("link", { name: "intsort", exact: true }).click();
  await settled(page);
  assert.match(await page.locator(".words").textContent(), /The shortest is .*np 8.*There is a cliff at np: from 8 to 16/);
  const picture = page.locator("figure", { hasText: "Time of intsort over platform and np" }).locator("svg.drawing");
  const cells = picture.locator("g > g > title");
  assert.equal(await cells.count(), 8, "two platforms by four numbers of ranks");
  assert.match(await cells.nth(2).textContent(), /site1\.xml, 8, ompi, 1: 411\.1\sms; 6 points here/);
  assert.equal(await picture.locator("rect.best").count(), 1);
  assert.equal(await picture.locator("line.cliff").count(), 1);
  assert.equal(await page.locator('table[aria-label="What matters"] tbody tr').count(), 4);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: 'Save "Points" as CSV' }).click();
  const lines = (await readFile(await (await saved).path(), "utf8")).trim().split("\r\n");
  assert.equal(lines[0], "platform,np,selector,bandwidth,time (s),× shortest");
  assert.equal(lines.length, 49);
});

step("source with shares in the gutter", async (page) => {
  await visit(page, "#/e/unbalanced/source?file=ramod3.c&line=41");
  assert.equal(await page.locator(".listing tr").count(), 80);
  assert.match(await page.locator(".listing tr.marked .gutter").textContent(), /%/);
  assert.match(await page.locator(".listing tr.marked").textContent(), /<b>line<\/b>/);
});

step("pictures are saved as SVG and PNG", async (page) => {
  for (const [hash, n] of [
    ["#/e/unbalanced/kinds", 2],
    ["#/e/before/heat", 1],
    ["#/e/before/words", 1],
    ["#/simulations/sort-8", 2],
  ]) {
    await visit(page, hash);
    for (let i = 0; i < n; i++) {
      for (const [kind, begins] of [
        ["SVG", "<svg"],
        ["PNG", "\x89PNG"],
      ]) {
        const saved = page.waitForEvent("download");
        await page
          .getByRole("button", { name: new RegExp(`^Save .* as ${kind}$`) })
          .nth(i)
          .click();
        const data = await readFile(await (await saved).path(), "latin1");
        assert.ok(
          data.startsWith(begins),
          `${hash} picture ${i} as ${kind} begins with ${JSON.stringify(data.slice(0, 8))}`,
        );
        assert.ok(data.length > 800, `${hash} picture ${i} as ${kind} has ${data.length} bytes`);
      }
    }
  }
});

step("an experiment's ledger adds up to the run", async (page) => {
  await visit(page, "#/e/unbalanced");
  const lines = await page.locator(".ledger li > b").allTextContents();
  assert.ok(lines.length >= 3, `${lines.length} lines`);
  const sum = lines.reduce((n, t) => n + Number.parseFloat(t), 0);
  assert.ok(Math.abs(sum - 100) < 1, `${lines} add up to ${sum}`);
  assert.match(await page.locator(".ledger").textContent(), /imbalance: .*region 11/);
});

step("an address that leads nowhere says so", async (page) => {
  for (const address of ["#/e/", "#/e/unbalanced/timeline", "#/e/unbalanced/regions/nope", "#/nonsense"]) {
    await visit(page, address);
    assert.equal(await page.locator("h1").textContent(), "There is no such page", address);
  }
  await visit(page, "#/e/unbalanced/timeline");
  await page.getByRole("link", { name: "unbalanced" }).click();
  await page.locator(".words").first().waitFor();
});
