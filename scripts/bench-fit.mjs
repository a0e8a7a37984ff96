// Measures how graphs fill their pane at Fit:   npm run bench:fit [-- --json] [-- --each]     (npm run build first)
//
// For each definition and each pane: the share of the pane that the drawing covers at Fit, and whether each card shows its icon and
// its whole name. The definitions are the page's examples and patterns, generated ones, and recorded ones if STEPGLASS_RECORDINGS
// names their folder or if they are beside the checkout. Names are measured with the widths of common sans-serif fonts.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { recordings } from "./recordings.mjs";
import { root } from "./steps.mjs";

if (!existsSync(join(root, "dist/stepglass.wasm"))) {
  console.error("bench:fit: there is no dist/stepglass.wasm yet: npm run build");
  process.exit(1);
}
const { MOST_STATES, PANES, examples, fittedGraph } = await import("./fitted-graphs.mjs");

/** Smaller machines cannot fill a pane. */
const LEAST_STATES = 4;

const definitions = [...examples(), ...patterns(), ...recorded("definitions.jsonl"), ...recorded("aws-recorded.jsonl")];
const rows = [];
for (const [pane, size] of PANES) {
  const sum = { pane, machines: 0, used: 0, whole: 0, cut: [], poor: [] };
  for (const [name, definition] of definitions) {
    const found = fittedGraph(definition, size);
    if (!found || found.states > MOST_STATES || found.states < LEAST_STATES) continue;
    sum.machines += 1;
    sum.used += found.used;
    sum.whole += found.whole ? 1 : 0;
    if (found.poor.length > 0) sum.cut.push(`${name}: ${found.poor.length} of ${found.states} at ${found.k.toFixed(2)}`);
    if (found.used < 0.4) sum.poor.push(`${name}: ${Math.round(found.used * 100)} % at ${found.k.toFixed(2)}, ${found.states} states`);
  }
  sum.used /= sum.machines;
  rows.push(sum);
}
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 2));
else {
  console.log(`${"".padEnd(16)} machines  used at Fit  shown whole  cut or without icon`);
  for (const { pane, machines, used, whole, cut, poor } of rows) {
    const percent = (value) => `${Math.round(value * 100)} %`;
    console.log(
      `${pane.padEnd(16)} ${String(machines).padStart(8)} ${percent(used).padStart(12)} ${percent(whole / machines).padStart(12)} ${String(cut.length).padStart(16)}`,
    );
    if (process.argv.includes("--each")) for (const one of [...cut.map((text) => `cut ${text}`), ...poor]) console.log(`     ${one}`);
  }
}
process.exitCode = rows.every(({ cut }) => cut.length === 0) ? 0 : 1;

function patterns() {
  const folder = join(root, "www/patterns");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => {
      const { states, definition, States, StartAt } = JSON.parse(readFileSync(join(folder, file), "utf8"));
      const machine =
        definition ?? (States ? { StartAt, States } : states ? { StartAt: Object.keys(states)[0], States: states } : undefined);
      return machine ? [[file, machine]] : [];
    });
}

/** Returns the recorded definitions of a file, each once. */
function recorded(name) {
  const beside = join(root, "../shared/conformance", name);
  const { file = existsSync(beside) ? beside : undefined } = recordings(name);
  if (file === undefined) return [];
  const seen = new Map();
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .forEach((line, i) => {
      const { definition } = JSON.parse(line);
      if (typeof definition === "object" && definition !== null && !Array.isArray(definition))
        seen.set(JSON.stringify(definition), [`${name}:${i + 1}`, definition]);
    });
  return [...seen.values()];
}
