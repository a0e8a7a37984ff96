// The steps of `npm test`, in the order in which they begin: frequent mistakes are found first, and long steps do not come last.
//
// A step has a `name` and one of
//   command   what to run: [program, ...arguments]
//   setUp     a function that installs what other steps need; it resolves to `{ ok, note }`
//   tests     folders of *.test.mjs files for Node's test runner
//   browser   a folder of such files, which run in groups with one browser each
//   cargo     true: the crate's tests, of which `npm test -- WORD` can choose a file of tests/
// and may have `needs` (steps that must have ended), `env`, and `requires` (a file; without it the step is skipped).
import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { findBrowser } from "./browser.mjs";
import { installBundlers } from "./bundlers.mjs";
import { emulator, installAwsClients, installNodeClients, pythonClients } from "./clients.mjs";
import { installExtension } from "./editor.mjs";
import { getFonts } from "./fonts.mjs";
import { setUpPipelines } from "./pipelines.mjs";
import { Missing, installIn, setUp } from "./setup.mjs";
import { root } from "./steps.mjs";
import { setUpStores } from "./stores.mjs";

const bin = (name, path) => [process.execPath, join(root, "node_modules", name, path)];
const cargo = (...args) => ["cargo", ...args];
export const node = (...args) => [process.execPath, ...args];
const types = (project) => [...bin("typescript", "bin/tsc"), "-p", project];
const BUILD = "package: build";
const WASM = "wasm32-unknown-unknown";

/**
 * - `fuzzSeconds`: how long the random tests run
 * - `quick`: a quick build of the WebAssembly will do, for somebody who runs a few files while they work
 */
export const stepsOf = ({ fuzzSeconds, quick = false }) => [
  {
    name: "set-up",
    setUp: async () => {
      await setUp({ build: false });
      return { ok: true };
    },
  },
  {
    name: "JavaScript: lints",
    command: [...bin("oxlint", "bin/oxlint"), "--deny-warnings", "js", "www", "scripts", "pkg-tests", "editors"],
  },
  { name: "JavaScript: format", command: [...bin("oxfmt", "bin/oxfmt"), "--check"] },
  { name: "rust: format", command: cargo("fmt", "--all", "--check") },
  { name: BUILD, command: node("scripts/build.mjs", "--if-stale", ...(quick ? ["--dev"] : [])) },
  { name: "rust: lints", command: cargo("clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings") },
  {
    name: "rust: lints of the border",
    command: cargo("clippy", "--package", "stepglass", "--lib", "--target", WASM, "--locked", "--", "-D", "warnings"),
  },
  { name: "rust: tests", command: cargo("test", "--workspace", "--locked", "--no-fail-fast"), cargo: true },
  {
    name: "rust: documentation",
    command: cargo("doc", "--package", "stepglass", "--no-deps", "--locked", "--quiet"),
    env: { RUSTDOCFLAGS: "-D warnings" },
  },
  // It runs the programs that the Rust tests have built, so that it compiles nothing.
  { name: "fuzz", command: node("scripts/fuzz.mjs", "--quick", "--seconds", fuzzSeconds) },
  { name: "package: size", command: node("scripts/size.mjs", "--check"), needs: [BUILD] },
  { name: "package: types of its sources", command: types("js/tsconfig.json"), needs: [BUILD] },
  { name: "package: types (node16)", command: types("pkg-tests/types/tsconfig.json"), needs: [BUILD] },
  { name: "package: types (bundler)", command: types("pkg-tests/types/tsconfig.bundler.json"), needs: [BUILD] },
  { name: "package: types (no DOM, no Node)", command: types("pkg-tests/types/tsconfig.plain.json"), needs: [BUILD] },
  { name: "browser: set-up", setUp: setUpBrowser },
  { name: "page: build", command: node("scripts/page.mjs", "--if-stale"), needs: [BUILD], requires: "www/index.html" },
  { name: "browser: page", browser: "pkg-tests/browser", needs: ["page: build", "browser: set-up"], requires: "www/index.html" },
  { name: "page: types", command: types("www/tsconfig.json"), needs: [BUILD], requires: "www/tsconfig.json" },
  { name: "stores: set-up", setUp: () => installed(setUpStores) },
  { name: "package: behaviour", tests: ["pkg-tests/api"], needs: [BUILD, "stores: set-up"] },
  {
    name: "package: tarball in projects",
    tests: ["pkg-tests/packed"],
    needs: [BUILD, "stores: set-up", "bundlers: set-up", "server: set-up", "aws: set-up", "browser: set-up"],
  },
  { name: "stores: their promises", tests: ["pkg-tests/store"], needs: [BUILD, "stores: set-up"] },
  // workerd is one of the bundlers' runtimes, and a host runs in it.
  { name: "bundlers: set-up", setUp: () => installed(installBundlers) },
  { name: "durable executions", tests: ["pkg-tests/durable", "pkg-tests/hosts"], needs: [BUILD, "stores: set-up", "bundlers: set-up"] },
  { name: "restate: set-up", setUp: setUpRestate },
  { name: "restate: executions on its server", tests: ["pkg-tests/restate"], needs: [BUILD, "restate: set-up"] },
  { name: "editor: set-up", setUp: () => installed(installExtension) },
  { name: "editor: build", command: node("scripts/editor.mjs", "--build"), needs: [BUILD, "editor: set-up"] },
  { name: "editor: types", command: types("editors/vscode/tsconfig.json"), needs: ["editor: build"] },
  { name: "editor: extension for VS Code", tests: ["pkg-tests/editor"], needs: ["editor: build"] },
  { name: "server: set-up", setUp: setUpClients },
  { name: "pipelines: set-up", setUp: setUpPreCommit },
  { name: "pipelines: reports, hooks, the action", tests: ["pkg-tests/pipelines"], needs: [BUILD, "pipelines: set-up"] },
  { name: "aws: set-up", setUp: setUpAws },
  { name: "aws: tasks at moto's server", tests: ["pkg-tests/aws"], needs: [BUILD, "aws: set-up"] },
  // The pages of the server are also opened in a browser.
  {
    name: "server: real clients",
    tests: ["pkg-tests/server"],
    needs: [BUILD, "page: build", "stores: set-up", "server: set-up", "browser: set-up"],
  },
];

// By default Node keeps one core free. On a machine with two, files would run one after the other.
const [major, minor] = process.versions.node.split(".").map(Number);
const concurrency = major > 20 || minor >= 10 ? [`--test-concurrency=${availableParallelism()}`] : [];

/** Returns the command that runs test files with Node's test runner. */
export const nodeTests = (files) => node("--test", "--test-reporter=spec", ...concurrency, ...files);

/** Returns the command that runs some of the crate's test programs, by their files. */
export const cargoTests = (files) =>
  cargo("test", "--locked", "--no-fail-fast", ...files.flatMap((file) => ["--test", basename(file, ".rs")]));

/** Returns the test files of a step, by their paths in the repository; none for a command without files. */
export function filesOf({ tests, browser, cargo }) {
  if (cargo) {
    const found = readdirSync(join(root, "tests")).filter((name) => name.endsWith(".rs"));
    return found.map((name) => join("tests", name)).sort();
  }
  return (browser === undefined ? (tests ?? []) : [browser]).flatMap((folder) => {
    const names = existsSync(join(root, folder)) ? readdirSync(join(root, folder), { recursive: true }) : [];
    const files = names.filter((name) => name.endsWith(".test.mjs") && !name.includes("node_modules")).map((name) => join(folder, name));
    if (files.length === 0) throw new Error(`${folder} has no *.test.mjs`);
    return files.sort();
  });
}

/**
 * Skips the tests that need something which this machine cannot have, and reports it. On CI this fails, because a CI that skips
 * would always pass.
 */
function lacking(reason, what, variable) {
  if (reason === undefined) return { ok: true };
  if (variable !== undefined) process.env[variable] = reason;
  console.log(`${what} are skipped: ${reason}`);
  return { ok: !process.env.CI, note: reason };
}

async function installed(install) {
  const result = await install();
  return { ok: result !== false };
}

function setUpBrowser() {
  const found = findBrowser({ install: true, shell: true });
  if (!found.path) return lacking(found.reason, "the browser tests", "STEPGLASS_NO_BROWSER");
  process.env.CHROME_PATH = found.path;
  console.log(found.version ?? found.path);
  const missing = Object.entries(getFonts()).map(([name, reason]) => `${name} (${reason})`);
  if (missing.length === 0) return { ok: true };
  console.log(`without the fonts ${missing.join(", ")}, tests in these fonts are skipped`);
  return { ok: true, note: `without the fonts ${missing.join(", ")}` };
}

function setUpClients() {
  installNodeClients();
  return lacking(pythonClients().reason, "the tests of boto3 and of the aws command", "STEPGLASS_NO_PYTHON");
}

function setUpAws() {
  installAwsClients();
  return lacking(emulator().reason, "the tests against moto's server", "STEPGLASS_NO_PYTHON");
}

function setUpPreCommit() {
  return lacking(setUpPipelines(), "the tests of pre-commit");
}

/** Restate's server has no build for some machines. Its tests are skipped there, also on CI. */
function setUpRestate() {
  try {
    installIn("pkg-tests/restate", "restate");
    return { ok: true };
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    console.log(`${error.message}The tests on Restate's server are skipped.`);
    return { ok: true, note: "Restate's server could not be installed" };
  }
}
