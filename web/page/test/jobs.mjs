// Training jobs, profiles without times, and profiles of one process.
import assert from "node:assert/strict";
import { real, step, visit } from "./harness.mjs";

step("a training job: who is late and why, rank by rank and step by step", async (page) => {
  await visit(page, "#/e/trained");
  assert.match(await page.locator(".words").first().innerText(), /^Rank 3 makes the others wait/, "the overview says it first, as the terminal does");
  await page.getByRole("link", { name: "Training", exact: true }).click();
  await page.getByRole("table", { name: "Stragglers" }).waitFor();
  assert.match(await page.locator(".words").first().innerText(), /^Rank 3 makes the others wait/);
  assert.match(await page.getByRole("table", { name: "Stragglers" }).locator("tbody").innerText(), /3\s+loading data/);
  const holds = page.getByRole("table", { name: "Holds" });
  assert.match(await holds.locator("tbody").innerText(), /^\s*slow network\s+900\.0\sms\s+30\.0\s%\s+send less\s+saving \(in every third step\)\s+save_checkpoint\s+400\.0\sms\s+13\.3\s%\s+save less often/, "so is what costs all alike, the most first");
  assert.equal(await page.getByRole("heading", { name: "What costs all ranks alike" }).count(), 1);
  assert.equal(await page.getByRole("table", { name: "Ranks" }).locator("tr.marked").count(), 1, "the late rank is marked");
  assert.equal(await page.getByRole("table", { name: "Steps", exact: true }).locator("tbody tr").count(), 3);
  assert.equal(await page.getByRole("table", { name: "Devices" }).locator("tbody tr").count(), 8);
  assert.match(await page.locator("main").innerText(), /Rank 3: Of\s3000\sms the device computed 50\s%/, "the late rank’s device is shown first");
  await page.getByRole("combobox", { name: "Rank" }).selectOption("5");
  await page.getByRole("heading", { name: "Steps of rank 5" }).waitFor();
});

step("experiments that are no training job have no such view", async (page) => {
  await visit(page, "#/e/before");
  assert.equal(await page.getByRole("link", { name: "Training", exact: true }).count(), 0);
  await visit(page, "#/e/before/training");
  assert.match(await page.locator("main").innerText(), /was not imported from the traces of a training job/);
});

step("without times a profile is told by what was counted, and one process by what it did", async (page) => {
  await visit(page, "#/e/counted");
  const text = await page.locator("main").innerText();
  assert.match(text, /no time measured\. The heaviest region is main\/parse with 50\.0\s%\sof\sall instructions/);
  assert.doesNotMatch(text, /\d s\b|of the run\b|useful work|slowest/, "nothing is called time");
  assert.equal(await page.getByRole("link", { name: "Kinds", exact: true }).count(), 0, "one unit is not compared");
  await visit(page, "#/e/counted/regions");
  assert.equal(await page.getByRole("table", { name: "Regions" }).locator("tbody tr").count(), 4);
  await visit(page, "#/e/nightly-1");
  assert.match(await page.locator(".words").first().innerText(), /^1 process ran 10\.00\ss\. The heaviest region is main/);
});

if (real) {
  step("a real training job: the loader of rank 1*", async (page) => {
    await visit(page, "#/e/ml-loader/training");
    assert.match(await page.locator(".words").first().innerText(), /^Rank 1 makes the others wait .*load_batch/s);
    assert.match(await page.getByRole("table", { name: "Stragglers" }).innerText(), /loading data/);
    assert.match(await page.getByRole("table", { name: "Holds" }).innerText(), /slow network/);
    assert.equal(await page.getByRole("table", { name: "Devices" }).locator("tbody tr").count(), 4);
  });
  step("a table of operations: which worker costs the job most*", async (page) => {
    await visit(page, "#/e/operations/training");
    assert.equal(await page.getByRole("table", { name: "Holds" }).count(), 0, "of which nothing is known that costs all alike");
    assert.match(await page.locator(".words").first().innerText(), /slowdown 1\.97.*stage 0 of data-parallel rank 0/s);
    assert.equal(await page.getByRole("table", { name: "Pipeline stages" }).locator("tbody tr").count(), 4);
    await visit(page, "#/e/operations");
    assert.match(await page.locator(".words").first().innerText(), /^16 workers took .*slowdown 1\.973/s);
  });
}
