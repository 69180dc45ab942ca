// Pictures to be looked at by a person: every view on several experiments, at
// three sizes, light and dark. AUSPEX_LOOK names the folder they go to; with
// AUSPEX_LOOK_AT, a regular expression, only addresses that fit it are visited.
import { mkdir } from "node:fs/promises";
import { step, visit } from "./harness.mjs";
import { examples, profiles } from "./places.mjs";

const folder = process.env.AUSPEX_LOOK;
const wanted = new RegExp(process.env.AUSPEX_LOOK_AT ?? "");
const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 900 }, wall: { width: 1920, height: 1080 } };

await mkdir(folder, { recursive: true });
const all = [...examples, ...profiles, ...(process.env.AUSPEX_LOOK_MORE ?? "").split(" ").filter(Boolean)];
for (const [size, viewport] of Object.entries(sizes))
  for (const colorScheme of ["light", "dark"])
    for (const hash of all.filter((h) => wanted.test(h)))
      step(
        `look ${hash} ${size} ${colorScheme}`,
        async (page) => {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          await visit(page, hash);
          const name = hash.slice(2).replace(/\W+/g, "-").replace(/^-|-$/g, "") || "store";
          await page.screenshot({ path: `${folder}/${name}.${size}.${colorScheme}.png`, fullPage: size !== "wall" });
        },
        { shared: true },
      );
