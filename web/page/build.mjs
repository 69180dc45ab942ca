// Builds the page into one script, one style sheet and one document:
//
//	node build.mjs [FOLDER]     (default ../bundle)
//
// The same sources give the same bytes: no dates, no paths, no chunks.
import { build } from "esbuild";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "..", "bundle"));
const limit = 400 * 1024;

await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { app: "src/main.tsx" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { "process.env.NODE_ENV": '"production"' },
});
await copyFile(join(here, "src", "index.html"), join(out, "index.html"));

let packed = 0;
for (const name of ["app.js", "app.css", "index.html"]) packed += gzipSync(await readFile(join(out, name))).length;
console.log(`${(packed / 1024).toFixed(0)} kB gzipped`);
if (packed > limit) {
  console.error(`the bundle is over its limit of ${limit / 1024} kB`);
  process.exit(1);
}
