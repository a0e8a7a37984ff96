// Runs every test, from a fresh clone on:   npm test [-- WORD…] [-- --list] [-- --prepare] [-- --fuzz-seconds N]
//
// WORD chooses the steps whose names contain it, or the test files whose paths contain it: `npm test -- rust`,
// `npm test -- debug.test`. What they need, such as the build, runs first.
//
// Steps run side by side, one more than the machine has cores: while one waits for a browser or a disk, another computes. A
// step begins when what it needs has ended; those of Rust take turns. What needs the network is fetched meanwhile. All steps
// run to their end, and the summary lists every failure. What a machine cannot run, for want of a browser for example, is
// skipped with the reason; on CI that fails. `--prepare` only installs what the chosen steps need, for a machine that will have
// no network.
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { runBrowserFiles } from "./browser-groups.mjs";
import { Floor, command as measured, sideBySide } from "./lanes.mjs";
import { main } from "./setup.mjs";
import { root } from "./steps.mjs";
import { TestOutput } from "./test-output.mjs";
import { cargoTests, filesOf, node, nodeTests, stepsOf } from "./test-steps.mjs";

let given;
try {
  given = parseArgs({
    allowPositionals: true,
    options: { list: { type: "boolean" }, prepare: { type: "boolean" }, "fuzz-seconds": { type: "string", default: "60" } },
  });
} catch (error) {
  console.error(`test: ${error.message}\nusage: npm test [-- WORD…] [-- --list] [-- --prepare] [-- --fuzz-seconds N]`);
  process.exit(2);
}

const words = given.positionals;
const options = { fuzzSeconds: given.values["fuzz-seconds"] };
let steps = stepsOf(options);
// If only files were chosen, and no step, somebody is waiting for a quick result.
if (words.length > 0 && !steps.some(({ name }) => words.some((word) => name.includes(word)))) steps = stepsOf({ ...options, quick: true });
const totals = { passed: 0, failed: 0, skipped: 0 };
const report = [];
const floor = new Floor();
/** The set-ups that have started before their steps, with their costs. */
const prepared = new Map();

await main(async () => {
  if (given.values.list) {
    for (const { name } of steps) console.log(name);
    return;
  }
  const chosen = given.values.prepare ? choose().filter((step) => step.setUp !== undefined) : choose();
  const [first, ...others] = chosen;
  if (await run(first)) {
    ahead(others.filter(isSetUp));
    await sideBySide(others, {
      width: availableParallelism() + 1,
      name: ({ name }) => name,
      needs: ({ needs = [] }) => needs,
      // Cargo would make the second one wait.
      turn: ({ name }) => (name === "fuzz" || name.startsWith("rust: ") ? "rust" : undefined),
      // A set-up that is being prepared already only waits.
      idle: isSetUp,
      begin: run,
      omit: ({ name }, needed) => report.push({ state: "NOT RUN", name, seconds: 0, note: `it needs "${needed}"`, failures: [] }),
    });
  }
  summary();
});

function isSetUp({ name }) {
  return name.endsWith(": set-up");
}

/** Returns the steps that the words choose, with all that they need. Throws for a word that chooses nothing. */
function choose() {
  const chosen = new Map([[steps[0], undefined]]);
  for (const step of words.length === 0 ? steps : steps.filter(({ name }) => words.some((word) => name.includes(word))))
    chosen.set(step, undefined);
  const unknown = words.filter((word) => !steps.some(({ name }) => name.includes(word)));
  const found = new Set();
  for (const step of steps) {
    const files = filesOf(step).filter((file) => unknown.some((word) => file.includes(word) && found.add(word)));
    if (files.length > 0 && !chosen.has(step)) chosen.set(step, files);
  }
  const nothing = unknown.filter((word) => !found.has(word));
  if (nothing.length > 0) {
    console.error(`test: no step and no test file has ${nothing.map((word) => `"${word}"`).join(" or ")} in its name.`);
    console.error("`npm test -- --list` prints the steps; files are chosen by a part of their path, such as debug.test.");
    process.exit(2);
  }
  // The map grows during the loop, because needed steps have needs of their own.
  for (const [{ needs = [] }] of chosen) {
    for (const step of steps) if (needs.includes(step.name) && !chosen.has(step)) chosen.set(step, undefined);
  }
  return steps.filter((step) => chosen.has(step)).map((step) => ({ ...step, chosen: chosen.get(step) }));
}

/** Runs a step and adds it to the report. Resolves to whether it succeeded. */
async function run(step) {
  const { name, requires } = step;
  if (requires !== undefined && !existsSync(join(root, requires))) {
    report.push({ state: "skipped", name, seconds: 0, note: `${requires} does not exist`, failures: [] });
    totals.skipped += 1;
    return true;
  }
  const { say, end } = floor.speaker();
  say(`\n── ${name}\n`);
  const before = await prepared.get(name);
  const begin = performance.now();
  const cost = { cpu: before?.cpu };
  try {
    const { ok, counts, failures = [], note } = await outcomeOf(step, say, cost);
    const seconds = (before?.seconds ?? 0) + (performance.now() - begin) / 1000;
    for (const kind of Object.keys(totals)) totals[kind] += counts[kind];
    report.push({ state: ok ? "ok" : "FAILED", name, seconds, cpu: cost.cpu, note, failures });
    say(`── ${name}: ${ok ? "ok" : "FAILED"} (${seconds.toFixed(1)} s)\n`);
    return ok;
  } finally {
    end();
  }
}

/** Returns the result of a step: `{ ok, counts, failures, note }`. */
async function outcomeOf(step, say, cost) {
  if (step.setUp !== undefined) {
    const { ok, note } = await step.setUp();
    return {
      ok,
      note,
      counts: { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 },
      failures: ok ? [] : [note ?? "it could not be installed"],
    };
  }
  const files = step.chosen ?? filesOf(step);
  if (step.browser !== undefined)
    return runBrowserFiles(files, { say, run: (command, show) => perform(command, step.env, say, cost, show) });
  if (step.tests !== undefined) return perform(nodeTests(files), step.env, say, cost);
  return perform(step.cargo && step.chosen ? cargoTests(files) : step.command, step.env, say, cost);
}

/** Starts these set-ups one after the other, because two system installations would block each other. */
function ahead(setUps) {
  let last = Promise.resolve();
  for (const { name } of setUps) {
    last = last.then(async () => {
      const begin = performance.now();
      const printed = [];
      const { cpu } = await measured(node("scripts/ahead.mjs", name.replace(": set-up", "")), { stdout: (chunk) => printed.push(chunk) });
      for (const chunk of printed) process.stderr.write(chunk);
      return { seconds: (performance.now() - begin) / 1000, cpu };
    });
    prepared.set(name, last);
  }
}

/** Runs a command whose output is printed, or passed to `show`. Its seconds of CPU are added to the cost. */
async function perform(command, env, say, cost, show = say) {
  const output = new TestOutput();
  const color = process.stdout.isTTY ? { CARGO_TERM_COLOR: "always", FORCE_COLOR: "1" } : {};
  const stdout = (chunk) => {
    show(chunk);
    output.read(String(chunk));
  };
  const { code, cpu } = await measured(command, { env: { ...color, ...env }, stdout, stderr: show });
  if (cpu !== undefined) cost.cpu = (cost.cpu ?? 0) + cpu;
  return output.end(code);
}

function summary() {
  const line = (state, seconds, cpu, text) =>
    `  ${state.padEnd(8)}${seconds.toFixed(1).padStart(7)} s ${cpu === undefined ? " ".repeat(9) : `${cpu.toFixed(1).padStart(7)} s`}  ${text}`;
  console.log(`\nSummary: what took how long, and how much of that was CPU, on ${availableParallelism()} cores`);
  const order = steps.map(({ name }) => name);
  report.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  for (const { state, name, seconds, cpu, note } of report) console.log(line(state, seconds, cpu, `${name}${note ? `: ${note}` : ""}`));
  const known = report.filter(({ cpu }) => cpu !== undefined);
  const all = known.length === 0 ? undefined : known.reduce((sum, { cpu }) => sum + cpu, 0);
  console.log(`${line("", performance.now() / 1000, all, "in all, with steps side by side")}\n`);
  const failed = report.filter(({ state }) => state === "FAILED");
  if (failed.length > 0) console.log("Failures:");
  for (const { name, failures } of failed) console.log(`  ${name}\n${failures.map((failure) => `    ✖ ${failure}\n`).join("")}`);
  const omitted = report.filter(({ state }) => state === "NOT RUN");
  // A step that did not run counts as failed, because the results of its tests are unknown.
  totals.failed += omitted.length;
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  process.exitCode = failed.length + omitted.length > 0 ? 1 : 0;
}
