// Measures the page:   npm run bench:page [-- PART…] [--json]     (npm run build first)
//
// PART is loading, reading, graph, writing, running, bombs, links or machine; without one all are measured. Sizes are exact. Times of CPU are
// in units of a machine on which a loop of 1e8 rounds takes 730 ms, so that a slow or busy machine gives the same figures,
// each the best of some rounds, as another's work on the machine makes a round only worse; wall-clock times say so.
// Exit code 0 whatever is missed.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { launch, skip } from "../pkg-tests/browser.mjs";
import { bombsOfThePage } from "./bench-page/bombs.mjs";
import { serveZipped } from "./bench-page/browser.mjs";
import { editing } from "./bench-page/editing.mjs";
import { graph } from "./bench-page/graph.mjs";
import { layouts } from "./bench-page/layouts.mjs";
import { links } from "./bench-page/links.mjs";
import { loading } from "./bench-page/loading.mjs";
import { machine } from "./bench-page/machine.mjs";
import { Rows, calibrate } from "./bench-page/rows.mjs";
import { running } from "./bench-page/running.mjs";
import { root } from "./steps.mjs";

const PARTS = { loading, reading: layouts, graph, writing: editing, running, bombs: bombsOfThePage, links, machine };

const args = process.argv.slice(2);
const json = args.includes("--json");
const wanted = args.filter((arg) => !arg.startsWith("-"));
const unknown = [...wanted.filter((part) => !Object.hasOwn(PARTS, part)), ...args.filter((arg) => arg.startsWith("-") && arg !== "--json")];
if (unknown.length > 0) {
  console.error(`bench:page: ${unknown.join(", ")} is no part; there are ${Object.keys(PARTS).join(", ")}`);
  process.exit(2);
}
if (skip) {
  console.error(`bench:page: ${skip}`);
  process.exit(1);
}
const dist = join(root, "www/dist");
if (!existsSync(join(root, "dist/stepglass.wasm"))) {
  console.error("bench:page: there is no dist/stepglass.wasm yet: npm run build");
  process.exit(1);
}
const { profile } = JSON.parse(readFileSync(join(root, "dist/.built.json"), "utf8"));
execFileSync(
  process.execPath,
  [join(root, "node_modules/vite/bin/vite.js"), "build", "--config", join(root, "www/vite.config.js"), "--logLevel", "warn"],
  { stdio: "inherit" },
);

const rows = new Rows(json);
if (!json) console.log(`calibration ${calibrate(3).toFixed(2)}; WebAssembly of profile ${profile}`);
const server = await serveZipped(dist);
const chrome = await launch({ whole: true });
try {
  for (const [name, measure] of Object.entries(PARTS)) {
    if (wanted.length === 0 || wanted.includes(name)) await measure({ rows, chrome, server, dist });
  }
} finally {
  await chrome.close();
  server.close();
}
if (json) console.log(JSON.stringify(rows.all, null, 2));
else console.log(`\n${rows.missed === 0 ? "All targets are met." : `${rows.missed} missed.`}`);
