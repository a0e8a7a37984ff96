// Runs every test, from a fresh clone on:   npm test [-- WORD…] [-- --list] [-- --fuzz-seconds N]
//
// WORD: only the steps whose names hold one of the words (the set-up always runs). The first step that fails ends the
// run with exit code 1. What a machine cannot run, for want of a browser, is skipped with the reason; on CI that fails.
//
// Steps run side by side, one more than the machine has cores: while one waits, for a browser or a disk, another computes. A step begins
// when what it needs has ended (NEEDS); those of Rust take turns. What needs the network is got meanwhile.
import { existsSync, readdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { findBrowser } from "./browser.mjs";
import { installBundlers } from "./bundlers.mjs";
import { emulator, installAwsClients, installNodeClients, pythonClients } from "./clients.mjs";
import { RESULT } from "./files-reporter.mjs";
import { Floor, command as measured, sideBySide } from "./lanes.mjs";
import { getFonts } from "./fonts.mjs";
import { setUpPipelines } from "./pipelines.mjs";
import { Missing, installIn, main, setUp } from "./setup.mjs";
import { root } from "./steps.mjs";
import { setUpStores } from "./stores.mjs";

let given;
try {
  given = parseArgs({ allowPositionals: true, options: { list: { type: "boolean" }, "fuzz-seconds": { type: "string", default: "60" } } });
} catch (error) {
  console.error(`test: ${error.message}\nusage: npm test [-- WORD…] [-- --list] [-- --fuzz-seconds N]`);
  process.exit(2);
}

const bin = (name, path) => [process.execPath, join(root, "node_modules", name, path)];
const cargo = (...args) => ["cargo", ...args];
const node = (...args) => [process.execPath, ...args];
// Left to itself, Node keeps one core free: on a machine with two, files would run one after the other.
const [major, minor] = process.versions.node.split(".").map(Number);
const concurrency = major > 20 || minor >= 10 ? [`--test-concurrency=${availableParallelism()}`] : [];
const nodeTests = (...folders) => node("--test", "--test-reporter=spec", ...concurrency, ...folders.flatMap(testFiles));

// In the order in which they begin: mistakes are found soonest, and what takes long does not come last.
const steps = [
  ["set-up", () => setUp({ build: false })],
  ["JavaScript: lints", [...bin("oxlint", "bin/oxlint"), "--deny-warnings", "js", "www", "scripts", "pkg-tests"]],
  ["JavaScript: format", [...bin("oxfmt", "bin/oxfmt"), "--check"]],
  ["rust: format", cargo("fmt", "--all", "--check")],
  ["package: build", node("scripts/build.mjs", "--if-stale")],
  ["rust: lints", cargo("clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings")],
  [
    "rust: lints of the border",
    cargo("clippy", "--package", "stepglass", "--lib", "--target", "wasm32-unknown-unknown", "--locked", "--", "-D", "warnings"),
  ],
  ["rust: tests", cargo("test", "--workspace", "--locked")],
  ["rust: documentation", cargo("doc", "--package", "stepglass", "--no-deps", "--locked", "--quiet"), { RUSTDOCFLAGS: "-D warnings" }],
  // With the programs that the Rust tests have built: nothing is compiled for it.
  ["fuzz", node("scripts/fuzz.mjs", "--quick", "--seconds", given.values["fuzz-seconds"])],
  ["package: size", node("scripts/size.mjs", "--check")],
  ["package: types of its sources", [...bin("typescript", "bin/tsc"), "-p", "js/tsconfig.json"]],
  ["package: types (node16)", [...bin("typescript", "bin/tsc"), "-p", "pkg-tests/types/tsconfig.json"]],
  ["package: types (bundler)", [...bin("typescript", "bin/tsc"), "-p", "pkg-tests/types/tsconfig.bundler.json"]],
  ["package: types (no DOM, no Node)", [...bin("typescript", "bin/tsc"), "-p", "pkg-tests/types/tsconfig.plain.json"]],
  ["browser: set-up", setUpBrowser],
  ["page: build", node("scripts/page.mjs", "--if-stale"), {}, "www/index.html"],
  ["browser: page", () => ({ files: testFiles("pkg-tests/browser") }), {}, "www/index.html"],
  ["page: types", [...bin("typescript", "bin/tsc"), "-p", "www/tsconfig.json"], {}, "www/tsconfig.json"],
  ["stores: set-up", setUpStores],
  ["package: behaviour", () => nodeTests("pkg-tests/api")],
  ["package: tarball in projects", () => nodeTests("pkg-tests/packed")],
  ["stores: their promises", () => nodeTests("pkg-tests/store")],
  // workerd is among them, which runs a host.
  ["bundlers: set-up", installBundlers],
  ["durable executions", () => nodeTests("pkg-tests/durable", "pkg-tests/hosts")],
  ["restate: set-up", setUpRestate],
  ["restate: executions on its server", () => nodeTests("pkg-tests/restate")],
  ["server: set-up", setUpClients],
  ["pipelines: set-up", setUpPreCommit],
  ["pipelines: reports, hooks, the action", () => nodeTests("pkg-tests/pipelines")],
  ["aws: set-up", setUpAws],
  ["aws: tasks at moto's server", () => nodeTests("pkg-tests/aws")],
  ["server: real clients", () => nodeTests("pkg-tests/server")],
];

/** What must have ended before a step, besides the set-up; who chooses a step has these too. */
const NEEDS = {
  "package: size": ["package: build"],
  "package: types of its sources": ["package: build"],
  "package: types (node16)": ["package: build"],
  "package: types (bundler)": ["package: build"],
  "package: types (no DOM, no Node)": ["package: build"],
  "page: types": ["package: build"],
  "page: build": ["package: build"],
  "browser: page": ["page: build", "browser: set-up"],
  "package: behaviour": ["package: build", "stores: set-up"],
  "package: tarball in projects": [
    "package: build",
    "stores: set-up",
    "bundlers: set-up",
    "server: set-up",
    "aws: set-up",
    "browser: set-up",
  ],
  "stores: their promises": ["package: build", "stores: set-up"],
  "durable executions": ["package: build", "stores: set-up", "bundlers: set-up"],
  "restate: executions on its server": ["package: build", "restate: set-up"],
  "pipelines: reports, hooks, the action": ["package: build", "pipelines: set-up"],
  "aws: tasks at moto's server": ["package: build", "aws: set-up"],
  "server: real clients": ["package: build", "stores: set-up", "server: set-up", "browser: set-up"],
};
const needsOf = ([name]) => NEEDS[name] ?? [];

const totals = { passed: 0, failed: 0, skipped: 0 };
const report = [];
const floor = new Floor();
/** Of set-ups that have begun before their steps: what they cost. */
const prepared = new Map();
/** Whether a step has failed: none begins any more. */
let failed = false;
/** What of the set-up of browser and clients a machine cannot have. */
let noBrowser;
let noPython;
let noPreCommit;

await main(async () => {
  if (given.values.list) {
    for (const [name] of steps) console.log(name);
    return;
  }
  const words = given.positionals;
  const chosen = steps.filter(([name]) => name === "set-up" || words.length === 0 || words.some((word) => name.includes(word)));
  // The list grows while it is walked: what is needed has needs.
  for (const one of chosen) chosen.push(...steps.filter((step) => needsOf(one).includes(step[0]) && !chosen.includes(step)));
  chosen.sort((a, b) => steps.indexOf(a) - steps.indexOf(b));

  const [first, ...others] = chosen;
  if (await step(first)) {
    ahead(others.map(([name]) => name).filter(isSetUp));
    await sideBySide(others, {
      width: availableParallelism() + 1,
      name: ([name]) => name,
      needs: needsOf,
      // Cargo would let the second one wait.
      turn: ([name]) => (name === "fuzz" || name.startsWith("rust: ") ? "rust" : undefined),
      // What it gets is being got already, so that it only waits.
      idle: ([name]) => isSetUp(name),
      begin: step,
    });
  }
  summary();
});

function isSetUp(name) {
  return name.endsWith(": set-up");
}

/** One step, with its line in the report; whether all is well. */
async function step([name, action, env, needs]) {
  if (needs && !existsSync(join(root, needs))) {
    report.push({ state: "skipped", name, seconds: 0, note: `${needs} does not exist` });
    totals.skipped += 1;
    return true;
  }
  const { say, end } = floor.speaker();
  say(`\n── ${name}\n`);
  const before = await prepared.get(name);
  const begin = performance.now();
  const cost = { cpu: before?.cpu };
  let outcome;
  try {
    const command = typeof action === "function" ? await action(say) : action;
    outcome = command?.files ? await performFiles(command.files, env, say, cost) : { ok: await perform(command, env, say, cost) };
  } catch (error) {
    failed = true;
    throw error;
  } finally {
    if (!outcome) end();
  }
  const { ok, note } = outcome;
  const seconds = (before?.seconds ?? 0) + (performance.now() - begin) / 1000;
  const lacking = { "browser: set-up": noBrowser, "server: set-up": noPython, "aws: set-up": noPython, "pipelines: set-up": noPreCommit }[
    name
  ];
  report.push({ state: ok ? "ok" : "FAILED", name, seconds, cpu: cost.cpu, note: note ?? lacking });
  say(`── ${name}: ${ok ? "ok" : "FAILED"} (${seconds.toFixed(1)} s)\n`);
  end();
  if (!ok) failed = true;
  return ok;
}

/** Begins what these set-ups get, one after the other, because two installations of a system do not go together. */
function ahead(names) {
  let last = Promise.resolve();
  for (const name of names) {
    last = last.then(async () => {
      if (failed) return;
      const begin = performance.now();
      const said = [];
      const { cpu } = await measured(node("scripts/ahead.mjs", name.replace(": set-up", "")), { stdout: (chunk) => said.push(chunk) });
      for (const chunk of said) process.stderr.write(chunk);
      return { seconds: (performance.now() - begin) / 1000, cpu };
    });
    prepared.set(name, last);
  }
}

/** Restate's server and its SDK. Without them its tests are skipped, and counted as that. */
function setUpRestate() {
  try {
    installIn("pkg-tests/restate", "restate");
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    console.log(`restate: ${error.message}restate: its tests are skipped`);
  }
}

/** Performs a step's command, or takes its result, and adds it to the totals. */
async function perform(command, env, say, cost) {
  if (!Array.isArray(command)) {
    const ok = command !== false;
    totals[ok ? "passed" : "failed"] += 1;
    return ok;
  }
  const { ok, counts } = await run(command, env, say, cost);
  add(counts);
  return ok;
}

/**
 * Runs test files in groups, as many side by side as the machine has cores, each a process with one browser for all of its
 * files; then once more those that failed, one at a time: a browser on a busy machine may miss a moment, and what is broken
 * fails again. Each file is shown when it has ended, the last run of each is counted, and the note names those that needed
 * another run: what needs one hides a fault.
 */
async function performFiles(files, env, say, cost) {
  const results = new Map();
  const width = Math.max(1, Math.min(4, availableParallelism(), files.length));
  // A few groups for each core, by size, which is a rough guess of the time: who is done takes the next one.
  const groups = Array.from({ length: Math.min(4 * width, files.length) }, () => ({ size: 0, files: [] }));
  for (const [file, size] of files.map((file) => [file, statSync(join(root, file)).size]).sort(([, a], [, b]) => b - a)) {
    const group = groups.reduce((least, other) => (other.size < least.size ? other : least));
    group.size += size;
    group.files.push(file);
  }
  groups.sort((a, b) => b.size - a.size);
  const queue = async () => {
    for (let group; (group = groups.shift()) !== undefined;) await runFiles(group.files, 1);
  };
  await Promise.all(Array.from({ length: width }, queue));
  for (const file of files.filter((file) => !results.get(file)?.ok)) {
    say(`\n${file}: once more, because it failed\n`);
    await runFiles([file], 2);
  }
  say("\n");
  for (const [file, { ok, seconds }] of [...results].sort())
    say(`${ok ? "ok    " : "FAILED"}${seconds.toFixed(1).padStart(7)} s  ${file}\n`);
  for (const { counts } of results.values()) add(counts);
  const again = [...results]
    .filter(([, { round }]) => round > 1)
    .map(([file, { ok }]) => `${basename(file)} ${ok ? "passed in its second run" : "failed twice"}`);
  return { ok: files.every((file) => results.get(file)?.ok), note: again.length > 0 ? again.join(", ") : undefined };

  async function runFiles(some, round) {
    const begun = new Map();
    let rest = "";
    let shown = "";
    const show = (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line.startsWith(RESULT)) take(JSON.parse(line.slice(RESULT.length)));
        else shown += `${line}\n`;
      }
    };
    const take = ({ file, ok, seconds, counts }) => {
      const name = some.find((name) => resolve(root, name) === file) ?? some.at(-1);
      say(`\n${name}\n${shown.trimEnd()}\n`);
      shown = "";
      // A file may have several suites.
      const sum = begun.get(name) ?? { round, ok: true, seconds: 0, counts: { passed: 0, failed: 0, skipped: 0 } };
      for (const kind of Object.keys(counts)) sum.counts[kind] += counts[kind];
      begun.set(name, { ...sum, ok: sum.ok && ok, seconds: sum.seconds + seconds });
    };
    const { ok } = await run(
      node("--test-reporter=./scripts/files-reporter.mjs", "scripts/browser-files.mjs", ...some),
      env,
      say,
      cost,
      show,
    );
    if (shown.trim() !== "" || rest !== "") say(`\n${shown}${rest}\n`);
    const lost = { round, ok: false, seconds: 0, counts: { passed: 0, failed: 1, skipped: 0 } };
    // What fails outside of any test is nobody's, so that all are run again.
    const nobodys = !ok && some.every((file) => begun.get(file)?.ok);
    for (const file of some) results.set(file, nobodys ? lost : (begun.get(file) ?? lost));
  }
}

function add(counts) {
  for (const kind of Object.keys(totals)) totals[kind] += counts[kind];
}

/**
 * Runs a command with its output said, or given to `show`, and its tests counted; one without tests counts as one. Its seconds of CPU
 * are added to the cost.
 */
async function run(command, env, say, cost, show = say) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const color = process.stdout.isTTY ? { CARGO_TERM_COLOR: "always", FORCE_COLOR: "1" } : {};
  let rest = "";
  const stdout = (chunk) => {
    show(chunk);
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) count(stripVTControlCharacters(line), counts);
  };
  const { code, cpu } = await measured(command, { env: { ...color, ...env }, stdout, stderr: show });
  if (cpu !== undefined) cost.cpu = (cost.cpu ?? 0) + cpu;
  if (counts.passed + counts.failed + counts.skipped === 0) counts.passed += code === 0 ? 1 : 0;
  if (code !== 0 && counts.failed === 0) counts.failed += 1;
  return { ok: code === 0, counts };
}

/** Adds what a line of cargo's or Node's test runner says. */
function count(line, counts) {
  const cargo = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
  if (cargo) {
    counts.passed += Number(cargo[1]);
    counts.failed += Number(cargo[2]);
    counts.skipped += Number(cargo[3]);
  }
  const node = /^ℹ (pass|fail|cancelled|skipped|todo) (\d+)$/.exec(line);
  if (node)
    counts[{ pass: "passed", fail: "failed", cancelled: "failed", skipped: "skipped", todo: "skipped" }[node[1]]] += Number(node[2]);
}

function setUpBrowser() {
  const found = findBrowser({ install: true, shell: true });
  if (found.path) {
    process.env.CHROME_PATH = found.path;
    console.log(found.version ?? found.path);
    const missing = Object.entries(getFonts()).map(([name, reason]) => `${name} (${reason})`);
    if (missing.length > 0) noBrowser = `without the fonts ${missing.join(", ")}`;
    console.log(noBrowser ?? "the page is tried in a narrow font, a wide one and one with tall lines");
    return true;
  }
  noBrowser = found.reason;
  process.env.STEPGLASS_NO_BROWSER = found.reason;
  console.log(`the browser tests are skipped: ${found.reason}`);
  // A CI that skips them would be green for ever.
  return !process.env.CI;
}

function setUpClients() {
  installNodeClients();
  const { reason } = pythonClients();
  if (reason === undefined) return true;
  noPython = reason;
  process.env.STEPGLASS_NO_PYTHON = reason;
  console.log(`the tests of boto3 and of the aws command are skipped: ${reason}`);
  return !process.env.CI;
}

function setUpAws() {
  installAwsClients();
  const { reason } = emulator();
  if (reason === undefined) return true;
  noPython = reason;
  process.env.STEPGLASS_NO_PYTHON = reason;
  console.log(`the tests against moto's server are skipped: ${reason}`);
  return !process.env.CI;
}

function setUpPreCommit() {
  noPreCommit = setUpPipelines();
  if (noPreCommit === undefined) return true;
  console.log(`the tests of pre-commit are skipped: ${noPreCommit}`);
  return !process.env.CI;
}

function testFiles(folder) {
  const names = existsSync(join(root, folder)) ? readdirSync(join(root, folder), { recursive: true }) : [];
  const files = names.filter((name) => name.endsWith(".test.mjs") && !name.includes("node_modules")).map((name) => join(folder, name));
  if (files.length === 0) throw new Error(`${folder} has no *.test.mjs`);
  return files.sort();
}

function summary() {
  const line = (state, seconds, cpu, text) =>
    `  ${state.padEnd(8)}${seconds.toFixed(1).padStart(7)} s ${cpu === undefined ? " ".repeat(9) : `${cpu.toFixed(1).padStart(7)} s`}  ${text}`;
  console.log(`\nSummary: what took how long, and how much of that was CPU, on ${availableParallelism()} cores`);
  const order = steps.map(([name]) => name);
  report.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  for (const { state, name, seconds, cpu, note } of report) console.log(line(state, seconds, cpu, `${name}${note ? `: ${note}` : ""}`));
  const known = report.filter(({ cpu }) => cpu !== undefined);
  const all = known.length === 0 ? undefined : known.reduce((sum, { cpu }) => sum + cpu, 0);
  console.log(`${line("", performance.now() / 1000, all, "in all, with steps side by side")}\n`);
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  process.exitCode = failed ? 1 : 0;
}
