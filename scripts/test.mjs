// Runs every test, from a fresh clone on:   npm test [-- WORD…] [-- --list] [-- --fuzz-seconds N]
//
// WORD: only the steps whose names hold one of the words (the set-up always runs). The first step that fails ends the
// run with exit code 1. What a machine cannot run, for want of a browser, is skipped with the reason; on CI that fails.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { findBrowser } from "./browser.mjs";
import { installBundlers } from "./bundlers.mjs";
import { emulator, installAwsClients, installNodeClients, pythonClients } from "./clients.mjs";
import { RESULT } from "./files-reporter.mjs";
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

// In the order in which mistakes are found soonest.
const steps = [
  ["set-up", () => setUp({ build: false })],
  ["JavaScript: lints", [...bin("oxlint", "bin/oxlint"), "--deny-warnings", "js", "www", "scripts", "pkg-tests"]],
  ["JavaScript: format", [...bin("oxfmt", "bin/oxfmt"), "--check"]],
  ["rust: format", cargo("fmt", "--all", "--check")],
  ["rust: lints", cargo("clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings")],
  [
    "rust: lints of the border",
    cargo("clippy", "--package", "stepglass", "--lib", "--target", "wasm32-unknown-unknown", "--locked", "--", "-D", "warnings"),
  ],
  ["rust: tests", cargo("test", "--workspace", "--locked")],
  ["rust: documentation", cargo("doc", "--package", "stepglass", "--no-deps", "--locked", "--quiet"), { RUSTDOCFLAGS: "-D warnings" }],
  ["package: build", node("scripts/build.mjs", "--if-stale")],
  ["package: size", node("scripts/size.mjs", "--check")],
  ["package: types of its sources", [...bin("typescript", "bin/tsc"), "-p", "js/tsconfig.json"]],
  ["package: types (node16)", [...bin("typescript", "bin/tsc"), "-p", "pkg-tests/types/tsconfig.json"]],
  ["package: types (bundler)", [...bin("typescript", "bin/tsc"), "-p", "pkg-tests/types/tsconfig.bundler.json"]],
  ["package: types (no DOM, no Node)", [...bin("typescript", "bin/tsc"), "-p", "pkg-tests/types/tsconfig.plain.json"]],
  ["stores: set-up", setUpStores],
  ["package: behaviour", () => nodeTests("pkg-tests/api")],
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
  ["browser: set-up", setUpBrowser],
  ["aws: tasks at moto's server", () => nodeTests("pkg-tests/aws")],
  ["server: real clients", () => nodeTests("pkg-tests/server")],
  ["package: tarball in projects", () => nodeTests("pkg-tests/packed")],
  ["page: types", [...bin("typescript", "bin/tsc"), "-p", "www/tsconfig.json"], {}, "www/tsconfig.json"],
  ["page: build", [...bin("vite", "bin/vite.js"), "build", "--config", "www/vite.config.js"], {}, "www/index.html"],
  ["browser: page", () => ({ files: testFiles("pkg-tests/browser") }), {}, "www/index.html"],
  ["fuzz", node("scripts/fuzz.mjs", "--seconds", given.values["fuzz-seconds"])],
];

/** Steps whose tests need the drivers of databases, or a Node that has one. */
const STORES = [
  "package: behaviour",
  "stores: their promises",
  "durable executions",
  "server: real clients",
  "package: tarball in projects",
];

const totals = { passed: 0, failed: 0, skipped: 0 };
const report = [];
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
  // A part of the tests stands on what earlier steps leave.
  const names = chosen.map(([name]) => name);
  if (names.some((name) => /^((package|page|browser|server|stores|pipelines|aws|restate): (?!build|set-up)|durable)/.test(name)))
    need("package: build", "package:");
  if (names.some((name) => ["browser: page", "package: tarball in projects", "server: real clients"].includes(name)))
    need("browser: set-up", "package: tarball");
  if (names.some((name) => ["server: real clients", "package: tarball in projects"].includes(name))) need("server: set-up");
  if (names.some((name) => ["aws: tasks at moto's server", "package: tarball in projects"].includes(name))) need("aws: set-up");
  if (names.some((name) => ["durable executions", "package: tarball in projects"].includes(name))) need("bundlers: set-up");
  if (names.includes("pipelines: reports, hooks, the action")) need("pipelines: set-up");
  if (names.some((name) => STORES.includes(name))) need("stores: set-up");
  if (names.includes("restate: executions on its server")) need("restate: set-up");
  if (names.includes("browser: page")) need("page: build", "browser: page");
  chosen.sort((a, b) => steps.indexOf(a) - steps.indexOf(b));

  for (const [name, action, env, needs] of chosen) {
    if (needs && !existsSync(join(root, needs))) {
      report.push(["skipped", name, 0, `${needs} does not exist`]);
      totals.skipped += 1;
      continue;
    }
    console.log(`\n── ${name}`);
    const begin = performance.now();
    const command = typeof action === "function" ? await action() : action;
    const { ok, note } = command?.files ? await performFiles(command.files, env) : { ok: await perform(command, env) };
    const seconds = (performance.now() - begin) / 1000;
    report.push([
      ok ? "ok" : "FAILED",
      name,
      seconds,
      note ?? { "browser: set-up": noBrowser, "server: set-up": noPython, "aws: set-up": noPython, "pipelines: set-up": noPreCommit }[name],
    ]);
    console.log(`── ${name}: ${ok ? "ok" : "FAILED"} (${seconds.toFixed(1)} s)`);
    if (!ok) break;
  }
  summary();

  function need(name) {
    const step = steps.find(([other]) => other === name);
    if (!chosen.includes(step)) chosen.push(step);
  }
});

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
async function perform(command, env) {
  if (!Array.isArray(command)) {
    const ok = command !== false;
    totals[ok ? "passed" : "failed"] += 1;
    return ok;
  }
  const { ok, counts } = await run(command, env);
  add(counts);
  return ok;
}

/**
 * Runs test files in groups, as many side by side as the machine has cores, each a process with one browser for all of its
 * files; then once more those that failed, one at a time: a browser on a busy machine may miss a moment, and what is broken
 * fails again. Each file is shown when it has ended, the last run of each is counted, and the note names those that needed
 * another run: what needs one hides a fault.
 */
async function performFiles(files, env) {
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
    console.log(`\n${file}: once more, because it failed`);
    await runFiles([file], 2);
  }
  console.log("");
  for (const [file, { ok, seconds }] of [...results].sort())
    console.log(`${ok ? "ok    " : "FAILED"}${seconds.toFixed(1).padStart(7)} s  ${file}`);
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
      process.stdout.write(`\n${name}\n${shown.trimEnd()}\n`);
      shown = "";
      // A file may have several suites.
      const sum = begun.get(name) ?? { round, ok: true, seconds: 0, counts: { passed: 0, failed: 0, skipped: 0 } };
      for (const kind of Object.keys(counts)) sum.counts[kind] += counts[kind];
      begun.set(name, { ...sum, ok: sum.ok && ok, seconds: sum.seconds + seconds });
    };
    const { ok } = await run(node("--test-reporter=./scripts/files-reporter.mjs", "scripts/browser-files.mjs", ...some), env, show);
    if (shown.trim() !== "" || rest !== "") process.stdout.write(`\n${shown}${rest}\n`);
    const lost = { round, ok: false, seconds: 0, counts: { passed: 0, failed: 1, skipped: 0 } };
    // What fails outside of any test is nobody's, so that all are run again.
    const nobodys = !ok && some.every((file) => begun.get(file)?.ok);
    for (const file of some) results.set(file, nobodys ? lost : (begun.get(file) ?? lost));
  }
}

function add(counts) {
  for (const kind of Object.keys(totals)) totals[kind] += counts[kind];
}

/** Runs a command with its output shown, or given to `show`, and its tests counted; one without tests counts as one. */
async function run([program, ...args], env, show) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const color = process.stdout.isTTY ? { CARGO_TERM_COLOR: "always", FORCE_COLOR: "1" } : {};
  const code = await new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...color, ...env } });
    child.stdout.on("data", show ?? ((chunk) => process.stdout.write(chunk)));
    child.stderr.on("data", show ?? ((chunk) => process.stderr.write(chunk)));
    let rest = "";
    child.stdout.on("data", (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines) count(stripVTControlCharacters(line), counts);
    });
    child.on("error", (error) => {
      console.error(`${program}: ${error.message}`);
      resolve(1);
    });
    child.on("close", resolve);
  });
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
  console.log("\nSummary");
  for (const [state, name, seconds, note] of report) {
    console.log(`  ${state.padEnd(8)}${seconds.toFixed(1).padStart(7)} s  ${name}${note ? `: ${note}` : ""}`);
  }
  const all = report.reduce((sum, [, , seconds]) => sum + seconds, 0);
  console.log(`  ${"".padEnd(8)}${all.toFixed(1).padStart(7)} s  in all\n`);
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  process.exitCode = report.some(([state]) => state === "FAILED") ? 1 : 0;
}
