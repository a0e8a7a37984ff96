// A quick check while you work:   npm run check [-- --watch] [-- --since REVISION]
//
// Checks formats, lints and types, and runs the tests that the changed files concern: changed test files, the test files that
// are called as a changed module (`js/runtime/durable/schedules.ts`: `schedules.test.mjs`), and the unit tests of a changed module of
// the crate. Changed are the files that differ from HEAD, or from REVISION. `npm test` remains what decides.
//
// Steps run side by side, and all run to their end. `--watch` checks again after each change.
import { existsSync, readdirSync, watch } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { Floor, command, sideBySide } from "./lanes.mjs";
import { main, setUp } from "./setup.mjs";
import { output, root } from "./steps.mjs";
import { TestOutput } from "./test-output.mjs";
import { cargoTests, nodeTests, stepsOf } from "./test-steps.mjs";

/** How long the watcher waits after a change for others that belong to it, in milliseconds. */
const PAUSE = 300;
/** The steps of `npm test` that take a few seconds. */
const JAVASCRIPT = ["JavaScript: lints", "JavaScript: format", "package: types of its sources", "page: types"];

let values;
try {
  ({ values } = parseArgs({ options: { watch: { type: "boolean", default: false }, since: { type: "string", default: "HEAD" } } }));
} catch (error) {
  console.error(`check: ${error.message}\nusage: npm run check [-- --watch] [-- --since REVISION]`);
  process.exit(2);
}

await main(async () => {
  await setUp({ build: false });
  const ok = await check();
  if (values.watch) await follow();
  else process.exitCode = ok ? 0 : 1;
});

/** Checks the present state once. Resolves to whether everything passed. */
async function check() {
  const begin = performance.now();
  const changed = changedFiles();
  const floor = new Floor();
  const failed = [];
  const ok = await sideBySide(stepsFor(changed), {
    width: availableParallelism(),
    name: ({ name }) => name,
    needs: ({ needs = [] }) => needs,
    turn: ({ name }) => (name.startsWith("rust: ") ? "rust" : undefined),
    begin: async ({ name, command: line, env }) => {
      const { say, end } = floor.speaker();
      const printed = [];
      const result = new TestOutput();
      const { code } = await command(line, {
        env,
        stdout: (chunk) => {
          printed.push(chunk);
          result.read(String(chunk));
        },
      });
      const { ok, counts } = result.end(code);
      if (ok) say(`ok      ${name}${counts.passed > 1 ? `: ${counts.passed} tests` : ""}\n`);
      else {
        failed.push(name);
        say(`FAILED  ${name}\n${printed.join("")}\n`);
      }
      end();
      return ok;
    },
    omit: ({ name }, needed) => {
      failed.push(name);
      console.log(`NOT RUN ${name}: it needs "${needed}"`);
    },
  });
  const files = `${changed.length} changed ${changed.length === 1 ? "file" : "files"}`;
  console.log(`${ok ? "ok" : `failed: ${failed.join(", ")}`} (${files}, ${((performance.now() - begin) / 1000).toFixed(1)} s)\n`);
  return ok;
}

/** Returns the files that differ from the revision, and the untracked files. */
function changedFiles() {
  const listed = output("git", ["diff", "--name-only", "--diff-filter=d", values.since]);
  if (listed === undefined) {
    console.error(`check: git cannot compare with ${values.since}`);
    process.exit(2);
  }
  const unknown = output("git", ["ls-files", "--others", "--exclude-standard"]) ?? "";
  return [...new Set(`${listed}\n${unknown}`.split("\n"))].filter((file) => file !== "" && existsSync(join(root, file)));
}

/** Returns the steps for these files. */
function stepsFor(changed) {
  const usual = stepsOf({ fuzzSeconds: "0", quick: true });
  const build = usual.find(({ name }) => name === "package: build");
  const steps = usual.filter(({ name }) => JAVASCRIPT.includes(name)).map(({ needs: _, ...step }) => step);
  const tests = testsOf(changed);
  // Tests, and the types of sources, use the output of the build.
  if (tests.length > 0 || !existsSync(join(root, "dist/index.d.ts"))) {
    steps.push(build);
    for (const step of steps) if (step.name.includes("types")) step.needs = [build.name];
  }
  if (tests.length > 0) steps.push({ name: "tests of the changed files", command: nodeTests(tests), needs: [build.name] });
  return [...steps, ...rustSteps(changed, usual)];
}

function rustSteps(changed, usual) {
  const sources = changed.filter((file) => file.endsWith(".rs"));
  if (sources.length === 0) return [];
  const modules = sources.filter((file) => file.startsWith("src/")).map(moduleOf);
  const programs = sources.filter((file) => /^tests\/[^/]+\.rs$/.test(file));
  return [
    usual.find(({ name }) => name === "rust: format"),
    { name: "rust: check", command: ["cargo", "check", "--quiet", "--workspace", "--all-targets", "--locked"] },
    ...(modules.length > 0
      ? [{ name: "rust: unit tests", command: ["cargo", "test", "--locked", "--lib", "--", ...new Set(modules)] }]
      : []),
    ...(programs.length > 0 ? [{ name: "rust: tests", command: cargoTests(programs) }] : []),
    { name: "rust: tidy", command: ["cargo", "test", "--locked", "--test", "tidy"] },
  ];
}

/**
 * Returns the module whose unit tests cover a file: `src/engine/retry.rs` is `engine::retry`, and a file of tests belongs to its
 * folder.
 */
function moduleOf(file) {
  const path = file.replace(/^src\//, "").replace(/\.rs$/, "");
  const name = ["mod", "tests", "lib"].includes(basename(path)) ? dirname(path) : path;
  return name === "." ? "" : `${name.replaceAll("/", "::")}::`;
}

/**
 * Returns the test files that changed, and those with the name of a changed module. Files for the browser only run if they changed
 * themselves.
 */
function testsOf(changed) {
  const all = readdirSync(join(root, "pkg-tests"), { recursive: true })
    .map((name) => `pkg-tests/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".test.mjs") && !name.includes("node_modules") && !name.includes("/.cache/"));
  const stems = new Set(changed.filter((file) => /^js\/.*\.ts$/.test(file)).map((file) => basename(file, ".ts")));
  return all.filter((file) => changed.includes(file) || (!file.startsWith("pkg-tests/browser/") && stems.has(basename(file, ".test.mjs"))));
}

/** Checks again after each change of a source, until the process is ended. */
async function follow() {
  console.log("Watching for changes; Ctrl+C ends.");
  let noticed;
  const wait = () => new Promise((resolve) => (noticed = resolve));
  for (const folder of ["src", "js", "www", "scripts", "tests", "xtask", "pkg-tests"])
    watch(join(root, folder), { recursive: true }, (_, name) => {
      if (name !== null && /\.(rs|ts|tsx|mjs|js|css|json)$/.test(name) && !/node_modules|\.cache|^dist/.test(name)) noticed?.();
    });
  for (;;) {
    await wait();
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    await check();
  }
}
