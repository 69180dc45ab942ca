// Screenshots for the README and docs.
import { pictures, real, step, visit } from "./harness.mjs";

const shots = [
  ["experiment-light", "#/e/before", {}],
  ["heatmap-light", "#/e/many/heat", {}],
  ["kinds-light", "#/e/unbalanced/kinds", {}],
  ["words-light", "#/e/before/words", {}],
  ["replay-light", "#/simulations/sort-8", {}],
  ["prediction-light", "#/predictions/sort", {}],
  ["store-light", real ? "#/?find=ranks%3E1&sort=-efficiency" : "#/", {}],
  ["tree-light", real ? "#/e/nas-bt/tree" : "#/e/before/tree", {}],
  ["trace-light", "#/e/traced/trace", {}],
  ["experiment-dark", "#/e/unbalanced", { colorScheme: "dark" }],
  ["heatmap-dark", "#/e/before/heat", { colorScheme: "dark" }],
  ["experiment-phone", "#/e/before", { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }],
];

for (const [name, hash, options] of shots) {
  step(
    `picture ${name}`,
    async (page) => {
      await visit(page, hash);
      await page.evaluate(() => document.querySelector("footer").remove()); // the store's place means nothing to others
      await page.screenshot({ path: `${pictures}/${name}.png` });
    },
    options,
  );
}
