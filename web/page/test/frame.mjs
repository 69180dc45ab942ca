// What holds for every view: themes, keyboard, narrow screens, markup in names,
// and the report from disk.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { report, settled, step, visit } from "./harness.mjs";

step("light, dark and back", async (page) => {
  await visit(page, "#/e/unbalanced/kinds");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByLabel("Theme").selectOption("dark");
  const dark = await ground();
  assert.notEqual(light, dark);
  await page.reload();
  await settled(page);
  assert.equal(await ground(), dark, "the choice lasts");
  await page.getByLabel("Theme").selectOption("system");
  assert.equal(await ground(), light);
});

step(
  "a phone can choose its theme",
  async (page) => {
    await visit(page, "#/");
    const width = (await page.getByLabel("Theme").boundingBox()).width;
    assert.ok(width > 60, `its field is ${width} px wide`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `the page is wider by ${over} px`);
  },
  { viewport: { width: 320, height: 640 } },
);

step(
  "the system may be dark",
  async (page) => {
    await visit(page, "#/");
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(20, 24, 28)");
  },
  { colorScheme: "dark" },
);

step("the keyboard reaches everything", async (page) => {
  await visit(page, "#/e/before");
  await page.reload();
  await settled(page);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the answer");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
});

step(
  "paper is light and has all of a picture, also of a dark page",
  async (page) => {
    for (const at of ["many/heat", "traced/trace"]) {
      await visit(page, `#/e/${at}`);
      const picture = () => page.locator(".heat canvas").evaluate((c) => c.toDataURL());
      const dark = await picture();
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: 700, height: 900 }); // A4
      const seen = await page.evaluate(() => ({
        ink: getComputedStyle(document.body).color,
        over: document.querySelector(".heat canvas").getBoundingClientRect().right - document.querySelector("main").getBoundingClientRect().right,
        exact: getComputedStyle(document.querySelector(".legend, .heat-foot")).printColorAdjust,
        hints: [...document.querySelectorAll(".hint, .csv, .keep")].filter((el) => el.checkVisibility()).length,
      }));
      assert.deepEqual({ ...seen, over: seen.over <= 0 }, { ink: "rgb(28, 33, 39)", over: true, exact: "exact", hints: 0 }, at);
      if (at === "many/heat") assert.ok((await picture()) !== dark, "the cells have the colours of a light page");
      await page.emulateMedia({ media: "screen" });
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), "rgb(230, 232, 234)");
      await page.setViewportSize({ width: 1280, height: 900 });
    }
  },
  { colorScheme: "dark" },
);

step("markup in names is text", async (page) => {
  for (const tab of ["", "/regions", "/tree", "/heat", "/kinds", "/words", "/bottlenecks", "/similar", "/source"]) {
    await visit(page, "#/e/markup" + tab);
    await harmless(page);
  }
  await visit(page, "#/e/markup/heat");
  assert.match(await page.locator(".heat-names").textContent(), /<img src=x/);
  await visit(page, "#/e/markup/bottlenecks");
  const dot = page.locator(".chart svg path").last();
  await dot.hover({ force: true });
  await harmless(page);
});

step(
  "a report opens from disk without a network",
  async (page) => {
    await page.goto(pathToFileURL(report).href);
    await settled(page);
    await page.locator('table[aria-label="Summary"]').first().waitFor();
    assert.match(await page.locator("main .note").first().textContent(), /Report of \d{4}-\d\d-\d\d/);
    assert.equal(await page.locator("h1").count(), 1);
    for (const link of await page.locator(".contents a").all()) {
      const place = (await link.getAttribute("href")).slice(1);
      assert.equal(await page.locator(`[id="${place}"]`).count(), 1, `the contents lead to ${place}`);
    }
    const printed = await page.pdf({ format: "A4" });
    const pages = printed.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(pages >= 1 && pages <= 16, `three runs are printed on ${pages} pages`);
    await openAll(page);
    const text = await page.locator("main").textContent();
    for (const part of [
      "8 processes fall into 3 kinds",
      "Where the time goes",
      "Reachability of before",
      "Bottlenecks of before",
      "What the words mean",
      "times faster than",
      "<img src=x",
    ]) {
      assert.ok(text.includes(part), `the report has "${part}"`);
    }
    assert.equal(await page.locator(".error").count(), 0);
    assert.ok((await page.locator(".heat canvas").count()) >= 3);
    await harmless(page);
    const saved = page.waitForEvent("download");
    await page
      .getByRole("button", { name: /as SVG$/ })
      .first()
      .click();
    await saved;
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator("header.top").isVisible(), false);
  },
  { offline: true },
);

/** Opens what a report has folded, one after the other. */
async function openAll(page) {
  const folded = page.locator("details.part:not([open]) > summary");
  while (await folded.count()) {
    await folded.first().click();
    await settled(page);
  }
}

step(
  "a report fits a phone",
  async (page) => {
    await page.goto(pathToFileURL(report).href);
    await settled(page);
    await openAll(page);
    const over = await page.evaluate(() => {
      const clipped = (el) => el && (["auto", "scroll", "hidden"].includes(getComputedStyle(el).overflowX) || clipped(el.parentElement));
      const wide = [...document.querySelectorAll("body *")].filter((el) => el.getBoundingClientRect().right > innerWidth + 0.5 && !clipped(el.parentElement));
      return { by: document.documentElement.scrollWidth - innerWidth, wide: wide.map((el) => `${el.tagName}.${el.className} ${el.textContent.slice(0, 60)}`).slice(0, 5) };
    });
    assert.ok(over.by <= 0, `it is wider by ${over.by} px: ${over.wide.join("; ")}`);
  },
  { offline: true, viewport: { width: 390, height: 844 } },
);

async function harmless(page) {
  assert.equal(await page.locator("img").count(), 0);
  assert.doesNotMatch(await page.title(), /^harmed/);
}
