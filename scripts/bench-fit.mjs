// Measures how graphs fill their pane at Fit:   npm run bench:fit [-- --json] [-- --each]     (npm run build first)
//
// For each definition and each pane: the share of the pane that the drawing covers at Fit, and whether each card shows its icon and
// its whole name. The definitions are the page's examples and patterns, generated ones, and recorded ones if STEPGLASS_RECORDINGS
// names their folder or if they are beside the checkout. Names are measured with the widths of common sans-serif fonts.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gallery } from "../pkg-tests/api/examples.mjs";
import { recordings } from "./recordings.mjs";
import { importSource } from "./sources.mjs";
import { root } from "./steps.mjs";

if (!existsSync(join(root, "dist/stepglass.wasm"))) {
  console.error("bench:fit: there is no dist/stepglass.wasm yet: npm run build");
  process.exit(1);
}
const { layout } = await import("../dist/node.js");
const { GraphIndex, isState } = await importSource("www/src/model/graph.ts");
const { fittedView } = await importSource("www/src/model/fit.ts");
const { largestName, leastScale, legibleSize, placeName } = await importSource("www/src/model/cards.ts");

/** The panes: of a window of 1280 × 800 while a definition is written, of the same window while a run is debugged, of a phone. */
const PANES = [
  ["write, 1280", { width: 556, height: 640 }],
  ["debug, 1280", { width: 1160, height: 440 }],
  ["debug, 1440", { width: 1320, height: 560 }],
  ["phone, 360", { width: 360, height: 520 }],
];
/** Machines with at most so many states must have no cut name; smaller ones cannot fill a pane. */
const MOST = 40;
const LEAST_STATES = 4;

const definitions = [...examples(), ...patterns(), ...recorded("definitions.jsonl"), ...recorded("aws-recorded.jsonl")];
const rows = [];
for (const [pane, size] of PANES) {
  const sum = { pane, machines: 0, used: 0, whole: 0, cut: [], poor: [] };
  for (const [name, definition] of definitions) {
    const found = fitted(definition, size);
    if (!found || found.states > MOST || found.states < LEAST_STATES) continue;
    sum.machines += 1;
    sum.used += found.used;
    sum.whole += found.whole ? 1 : 0;
    if (found.cut > 0) sum.cut.push(`${name}: ${found.cut} of ${found.states} at ${found.k.toFixed(2)}`);
    if (found.used < 0.4) sum.poor.push(`${name}: ${Math.round(found.used * 100)} % at ${found.k.toFixed(2)}, ${found.states} states`);
  }
  sum.used /= sum.machines;
  rows.push(sum);
}
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 2));
else {
  console.log(`${"".padEnd(16)} machines  used at Fit  shown whole  with a cut name`);
  for (const { pane, machines, used, whole, cut, poor } of rows) {
    const percent = (value) => `${Math.round(value * 100)} %`;
    console.log(
      `${pane.padEnd(16)} ${String(machines).padStart(8)} ${percent(used).padStart(12)} ${percent(whole / machines).padStart(12)} ${String(cut.length).padStart(16)}`,
    );
    if (process.argv.includes("--each")) for (const one of [...cut.map((text) => `cut ${text}`), ...poor]) console.log(`     ${one}`);
  }
}
process.exitCode = rows.every(({ cut }) => cut.length === 0) ? 0 : 1;

function fitted(definition, size) {
  const ratio = Math.min(5, Math.max(0.2, Math.round((size.width / size.height) * 10) / 10));
  const graph = layout(definition, { foldLarge: true, aspect: ratio, ...more(size) });
  const index = new GraphIndex(graph);
  if (index.stateCount === 0) return undefined;
  const { k, x, y } = fittedView(index, size, {
    barBeside: true,
    legible: index.stateCount > 60 ? 0 : leastScale(largestName(index, widthOf)),
  });
  const name = legibleSize(k);
  const icons = name <= Math.max(17, largestName(index, widthOf));
  const states = graph.nodes.filter(isState);
  const cut = states.filter((node) => {
    const { lines } = placeName(node, name, icons, widthOf);
    return !icons || lines.at(-1).endsWith("…");
  });
  const seen = (from, length, room) => Math.max(0, Math.min(room, from + length) - Math.max(0, from));
  const [across, along] = [seen(x, graph.width * k, size.width), seen(y, graph.height * k, size.height)];
  return {
    k,
    states: index.stateCount,
    cut: cut.length,
    used: (across * along) / (size.width * size.height),
    whole: graph.width * k <= size.width && graph.height * k <= size.height,
  };
}

/** Returns the further options of the layout: the height of the pane. */
function more({ height }) {
  return process.argv.includes("--before") ? { selectors: true } : { height };
}

/** Returns the width of a text in bold, as the layout estimates it. */
function widthOf(text, size) {
  let sum = 0;
  for (const char of text) sum += /[ilI.,:;'|!\s]/.test(char) ? 305 : /[mwMW@%]/.test(char) ? 900 : /[A-Z…]/.test(char) ? 750 : 605;
  return (sum * size) / 1000;
}

function examples() {
  return gallery()
    .filter(({ format }) => format === "json")
    .map(({ id, definition }) => [id, JSON.parse(definition)]);
}

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
