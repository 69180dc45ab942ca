// Ten tasks as a person would do them, with the presses they take: a press is a
// click, a choice or a text typed. docs/page.md has the table.
import assert from "node:assert/strict";
import { real, settled, step, visit } from "./harness.mjs";

/** Declares a task: it begins at the list of experiments and ends where the answer is read. */
function task(name, most, run) {
  step(`task: ${name}`, async (page) => {
    await visit(page, "#/");
    let presses = 0;
    const press = async (what) => {
      presses++;
      await what;
      await settled(page);
    };
    const open = (experiment) => press(page.locator('table[aria-label="Experiments"] a', { hasText: new RegExp(`^${experiment}$`) }).click());
    const tab = (label) => press(page.locator("nav.tabs a", { hasText: new RegExp(`^${label}$`) }).click());
    await run({ page, press, open, tab });
    console.log(`      ${presses} presses: ${name}`);
    assert.ok(presses <= most, `${presses} presses, at most ${most}`);
  });
}

const first = (page, label) => page.locator(`table[aria-label="${label}"] tbody tr`).first();

task("what changed between two runs", 3, async ({ page, press }) => {
  await press(page.getByLabel("Pick before to compare").check());
  await press(page.getByLabel("Pick after to compare").check());
  await press(page.getByRole("button", { name: "Compare 2" }).click());
  await page.getByText(/times faster than|times slower than/).first().waitFor();
});

task("when which rank waits, and for what", 2, async ({ page, open, tab }) => {
  await open("traced");
  await tab("Timeline");
  await page.getByText(/waits for/).first().waitFor();
});

task("what an ideal network would bring", 3, async ({ page, press, open, tab }) => {
  await open("traced");
  await tab("What if");
  await press(page.getByLabel("Network").selectOption("ideal"));
  await page.locator("figure", { hasText: "what if" }).first().waitFor();
});

task("the times of all regions as a file", 3, async ({ page, press, open, tab }) => {
  await open("unbalanced");
  await tab("Regions");
  const saved = page.waitForEvent("download");
  await press(page.getByRole("button", { name: 'Save "Regions" as CSV' }).click());
  await saved;
});

if (real) {
  task("the slowest function of a profile of 16 ranks", 1, async ({ page, open }) => {
    await open("nas-bt");
    assert.match(await first(page, "Heaviest regions").textContent(), /X_SOLVE_CELL/);
  });

  task("who calls it", 2, async ({ page, press, open }) => {
    await open("nas-bt");
    await press(first(page, "Heaviest regions").locator("a").first().click());
    await page.locator('table[aria-label="Callers"]', { hasText: "X_SOLVE" }).first().waitFor();
  });

  task("which ranks differ in a profile of 128", 2, async ({ page, open, tab }) => {
    await open("mpas");
    await tab("Heat map");
    await page.locator(".heat-names li", { hasText: "MPI_Wait" }).first().waitFor();
  });

  task("which of five runs was the fastest, and what it lost", 2, async ({ page, press }) => {
    await press(page.getByLabel("Find").fill("gromacs"));
    await page.waitForFunction(() => !/…/.test(document.querySelector('table[aria-label="Experiments"] tbody').textContent));
    await press(page.getByRole("button", { name: "largest loss" }).click());
    const text = await page.locator('table[aria-label="Experiments"]').textContent();
    assert.match(text, /101\ss/);
  });

  task("whether a program scales, and to where", 2, async ({ page, press }) => {
    await press(page.getByLabel("Show").selectOption("programs"));
    await press(page.locator(".programs li", { hasText: "mdrun" }).getByRole("link", { name: "compare 5" }).click());
    await page.getByRole("heading", { name: "How it scales" }).first().waitFor();
  });

  task("what all of MPI costs", 3, async ({ page, press, open, tab }) => {
    await open("gromacs-32");
    await tab("Regions");
    await press(page.getByLabel("Find").fill("mpi_"));
    await page.getByText(/of 643 regions; these rows are/).first().waitFor();
  });
}
