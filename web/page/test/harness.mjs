// What the browser tests stand on: a browser, a page that complains about any
// error in the console, steps with names.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

export const address = process.env.AUSPEX_ADDRESS;
export const report = process.env.AUSPEX_REPORT;
export const pictures = process.env.AUSPEX_PICTURES;
/** Whether the store has profiles of real programs beside the examples. */
export const real = process.env.AUSPEX_REAL === "1";
const root = address.replace(/\?.*/, "");

const browser = await chromium.launch({ executablePath: process.env.AUSPEX_CHROMIUM, args: ["--no-sandbox"] });
// The token becomes a cookie, which every step brings along.
const entered = await browser.newContext();
await (await entered.newPage()).goto(address);
const { cookies } = await entered.storageState();
const blank = await entered.newPage(); // without the page's policy on styles
const steps = [];
const under = new Map(); // requests under way, by page

/** Declares a step. It gets a page of its own, or with shared one that other such steps had before. AUSPEX_STEP runs those alone whose name it fits, as a regular expression; AUSPEX_LOOK those that take pictures to be looked at. */
export function step(name, run, options = {}) {
  if (!new RegExp(process.env.AUSPEX_STEP ?? (process.env.AUSPEX_LOOK ? "^look " : "")).test(name)) return;
  steps.push({ name, run, options });
}

/** Opens a place of the page and waits until it has its answers. */
export async function visit(page, hash) {
  await page.goto(root + hash);
  await settled(page);
}

/** Waits until nothing is asked or drawn any more. */
export async function settled(page) {
  for (let calm = 0; calm < 3;) {
    const waits = await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => done(!!document.querySelector(".wait, .stale")))),
    );
    calm = waits || under.get(page) > 0 ? 0 : calm + 1;
    if (calm < 3) await page.waitForTimeout(20);
  }
}

/** What a button saves as a file, as text. */
export function saved(button) {
  return button.evaluate(async (el) => {
    let made;
    let kept;
    const [make, click] = [URL.createObjectURL, HTMLAnchorElement.prototype.click];
    URL.createObjectURL = (blob) => make.call(URL, (made = blob));
    HTMLAnchorElement.prototype.click = function () {
      if (this.download) kept = made;
      else click.call(this);
    };
    try {
      el.click();
      while (!kept) await new Promise(requestAnimationFrame);
      return await kept.text();
    } finally {
      URL.createObjectURL = make;
      HTMLAnchorElement.prototype.click = click;
    }
  });
}

/** Why a text is not XML; empty where it is. */
export const parses = (text) =>
  blank.evaluate((t) => new DOMParser().parseFromString(t, "image/svg+xml").querySelector("parsererror")?.textContent ?? "", text);

const usual = { viewport: { width: 1280, height: 900 }, colorScheme: "light" };

async function open(options) {
  const context = await browser.newContext({
    ...usual,
    acceptDownloads: true,
    storageState: { cookies, origins: [] },
    ...options,
  });
  context.setDefaultTimeout(90_000); // machines that test may be busy
  const page = await context.newPage();
  const complaints = [];
  under.set(page, 0);
  const count = (by) => () => under.set(page, under.get(page) + by);
  page.on("request", count(1));
  page.on("requestfinished", count(-1));
  page.on("requestfailed", count(-1));
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && complaints.push(`${m.text()} ${m.location().url}`.trim()));
  page.on("pageerror", (e) => complaints.push(String(e)));
  page.on("dialog", (d) => {
    complaints.push(`a dialog: ${d.message()}`);
    void d.dismiss();
  });
  return { context, page, complaints };
}

/** So many steps may be left out where the time is up; more would say nothing of the page. */
const mayBeLeftOut = 5;

/** Runs all steps; the process fails where one did, or where more than a few were left out. */
export async function run() {
  let failed = 0;
  const leftOut = [];
  let common; // the page of steps that share one
  for (const { name, run, options } of steps) {
    const began = Date.now();
    if (began > Number(process.env.AUSPEX_DEADLINE ?? Infinity)) {
      leftOut.push(name);
      continue;
    }
    const { expected = () => false, shared = false, ...rest } = options;
    const opened = (shared && common) || (await open(rest));
    const { context, page, complaints } = opened;
    common = shared ? opened : common;
    try {
      if (shared) {
        await page.setViewportSize(usual.viewport);
        await page.emulateMedia({ colorScheme: usual.colorScheme });
      }
      await run(page, context);
      const unexpected = complaints.filter((c) => !expected(c));
      assert.deepEqual(unexpected, [], "the console is free of errors");
      console.log(`ok    ${name} (${Date.now() - began} ms)`);
    } catch (e) {
      failed++;
      const shown = await page.evaluate(() => document.body?.innerText ?? "").catch(String);
      console.log(`FAIL  ${name}\n${e.stack ?? e}\n${complaints.join("\n")}\nThe page at ${page.url()} says: ${shown.slice(0, 2000)}`);
      if (process.env.AUSPEX_FAILURES)
        await page.screenshot({
          path: `${process.env.AUSPEX_FAILURES}/${name.replace(/\W+/g, "-")}.png`,
          fullPage: true,
        });
      common = shared ? undefined : common; // the next begins anew
    }
    if (!shared) {
      await context.close();
      under.delete(page);
    }
  }
  await browser.close();
  console.log(`${steps.length - leftOut.length - failed} of ${steps.length} steps are as they should be, ${failed} failed, ${leftOut.length} were left out as the time was up${leftOut.map((n) => "\n      " + n).join("")}`);
  process.exit(failed || leftOut.length > mayBeLeftOut ? 1 : 0);
}
