// Runs the browser tests; web/browser_test.go starts it with the address of a
// server and the path of a report.
import { pictures, run } from "./harness.mjs";
import "./views.mjs";
import "./answers.mjs";
import "./frame.mjs";
import "./names.mjs";
import "./points.mjs";
import "./jobs.mjs";
import "./places.mjs";
import "./tasks.mjs";

if (pictures) await import("./pictures.mjs");
if (process.env.AUSPEX_LOOK) await import("./look.mjs");
await run();
