// @ts-nocheck: has no types yet.
// stepglass test

import { existsSync, readdirSync, statSync, watch as watchFolder, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { performance } from "node:perf_hooks";
import { resetCoverage, startCoverage, stopCoverage } from "../coverage/collect.ts";
import { coverageReport } from "../testing/coverage.ts";
import { coverageFormats, writeCoverage } from "./coverage.ts";
import { Unusable } from "../files/problem.ts";
import { colorful } from "../files/terminal.ts";
import { reporters, totalsOf } from "./test-report.ts";
import { runTestFile } from "./test-run.ts";

const help = `stepglass test [FILE or FOLDER…] [options]

Runs tests written in YAML or JSON, without JavaScript. A test says how tasks answer and what you expect of the run.
Without a FILE, runs all files named *.stepglass.yaml, .yml or .json in the working directory and below.

  stepglass test                                    runs all test files in this folder and below
  stepglass test order.stepglass.yaml --watch       runs again whenever a file changes
  stepglass test --coverage                         shows which states, rules, retries and catches were never used
  stepglass test --coverage=text,html,lcov          also writes coverage/stepglass.html and .lcov
  stepglass test --reporter junit -o report.xml     writes a report for a build server

A test file:

  definition: order.asl.json                        or template.yaml#OrderMachine
  tests:
    - name: a declined card is tried again an hour later
      input: { order: 7 }
      mocks:
        Charge:
          - throw: Declined
          - return: { amount: 120 }
      expect:
        status: SUCCEEDED
        path: [Charge, Enough, Gift, Done]
        retries: { Charge: 1 }
        waits: { Charge: 1h }

Options
  -f, --filter TEXT       runs only tests whose file or name contains TEXT
  -w, --watch             runs again whenever a test file or a definition changes
      --reporter NAME     spec (default), dot, tap, junit or json
      --define NAME=VALUE     the value of a placeholder \${NAME}; can be repeated
      --json              the same as --reporter json
  -o, --output FILE       the file for the report; default: standard output
      --coverage[=LIST]   text (default), json, lcov, html
      --coverage-dir DIR  the folder for coverage files; default: coverage
      --threshold NUMBER  the smallest percentage that passes

Exit code: 0 all tests passed; 1 a test failed, or coverage is below the threshold; 2 wrong usage, or an invalid file.
`;

export const command = {
  name: "test",
  summary: "run tests written in YAML or JSON, with coverage",
  help,
  options: {
    define: { type: "string", multiple: true },
    filter: { type: "string", short: "f" },
    watch: { type: "boolean", short: "w" },
    reporter: { type: "string", values: Object.keys(reporters) },
    json: { type: "boolean" },
    output: { type: "string", short: "o", file: true },
    coverage: { type: "string" },
    "coverage-dir": { type: "string", file: true },
    threshold: { type: "string" },
  },
  prepare: (args) => ({ args: args.map((arg) => (arg === "--coverage" ? "--coverage=text" : arg)) }),
  act: test,
};

const NAME = /\.stepglass\.(ya?ml|json)$/i;
const PASSED_OVER = new Set(["node_modules", ".git", "dist", "coverage", "target", "cdk.out", ".aws-sam", ".serverless"]);

async function test(given, values) {
  const threshold = values.threshold === undefined ? undefined : Number(values.threshold);
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 100)) throw new Unusable("--threshold must be a percentage from 0 to 100", { usage: true });
  const formats = coverageFormats(values.coverage ?? (threshold === undefined ? undefined : "text"));
  if (values.json && values.reporter !== undefined && values.reporter !== "json") throw new Unusable("--json cannot be combined with another --reporter", { usage: true });
  const options = { ...values, reporter: values.json ? "json" : (values.reporter ?? "spec"), formats, threshold };
  if (values.watch && options.reporter === "json") throw new Unusable("--watch cannot be combined with --json, which prints one JSON value", { usage: true });
  const once = () => runAll(given, options);
  if (!values.watch) return (await once()).code;
  await watch(given, once);
  return 0;
}

async function runAll(given, { filter, reporter, output, formats, "coverage-dir": folder, threshold }) {
  const files = testFiles(given);
  const stream = output === undefined ? process.stdout : { text: "", write(text) { this.text += text; } };
  const report = reporters[reporter](stream);
  const began = performance.now();
  const covering = formats !== undefined;
  resetCoverage();
  if (covering) startCoverage();
  const results = [];
  try {
    for (const file of files) {
      const result = await runTestFile(file, { filter, shown: shortest(file) });
      if (filter !== undefined && result.problem === undefined && result.tests.length === 0) continue;
      results.push(result);
      report.file(result);
    }
  } finally {
    if (covering) stopCoverage();
  }
  const coverage = covering ? coverageReport({ definitions: [...new Set(results.map(({ definition }) => definition).filter(Boolean))] }) : undefined;
  report.end(results, performance.now() - began, coverage && { coverage: JSON.parse(coverage.json()) });
  if (output !== undefined) save(output, stream.text);
  // Where standard output is for programs, people read the other one.
  const people = reporter === "spec" || reporter === "dot" || output !== undefined ? process.stdout : process.stderr;
  if (coverage) writeCoverage(coverage, formats, { folder, stream: people, color: colorful(people) });
  const { failed, unusable, passed, skipped } = totalsOf(results);
  if (passed + failed + skipped + unusable === 0 && filter !== undefined) throw new Unusable(`no test's file or name contains ${JSON.stringify(filter)}`);
  let code = unusable > 0 ? 2 : failed > 0 ? 1 : 0;
  if (code === 0 && threshold !== undefined && coverage.percent < threshold) {
    process.stderr.write(`stepglass: coverage is ${coverage.percent.toFixed(1)} %, below the threshold of ${threshold} %\n`);
    code = 1;
  }
  return { code, results };
}

function save(file, text) {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Unusable(`cannot write ${file}: ${error.message}`);
  }
}

/** The test files that are meant: those given, or all in the folders given. */
function testFiles(given) {
  const files = [];
  for (const path of given.length === 0 ? ["."] : given) {
    if (!existsSync(path)) throw new Unusable(`cannot read ${path}: no such file`);
    if (statSync(path).isDirectory()) files.push(...below(path));
    else files.push(path);
  }
  if (files.length === 0) throw new Unusable("there are no test files (*.stepglass.yaml, .yml, .json) here; stepglass help test shows an example");
  return [...new Set(files.map((file) => resolve(file)))];
}

function below(folder) {
  const out = [];
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!PASSED_OVER.has(entry.name)) out.push(...below(path));
    } else if (NAME.test(entry.name)) out.push(path);
  }
  return out;
}

function shortest(file) {
  const short = relative(process.cwd(), file);
  return (short.startsWith("..") ? file : short).split(sep).join("/");
}

/** Runs, and again whenever one of the files that took part changes; until it is interrupted. */
async function watch(given, once) {
  let files = new Set();
  // In a run as well as between two: there is nothing to put in order.
  process.once("SIGINT", () => process.exit(0));
  for (;;) {
    const began = Date.now();
    try {
      const { results } = await once();
      files = new Set(results.flatMap(({ files: all, file }) => all ?? [file]).map((file) => resolve(file)));
    } catch (error) {
      // What is half written now took part before, and will again: it stays among those that are watched.
      if (!(error instanceof Unusable)) throw error;
      process.stderr.write(`stepglass: ${error.message}\n`);
    }
    process.stdout.write(`\n── ${shortest(await change(files, given, began))} has changed\n`);
  }
}

// File systems tell the time of a change in steps; so much earlier than it was.
const STEP = 10;

/**
 * The file that changes next, of those named and of test files that come to be, or one that has changed since the run that
 * read it began.
 */
function change(files, given, began) {
  return new Promise((done) => {
    const folders = new Set([...files].map(dirname));
    for (const path of given.length === 0 ? ["."] : given) if (existsSync(path) && statSync(path).isDirectory()) folders.add(resolve(path));
    let timer;
    const end = (file) => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      done(file);
    };
    // Editors write a file in several steps.
    const soon = (file) => {
      clearTimeout(timer);
      timer = setTimeout(() => end(file), 60);
    };
    const watchers = [...folders].map((folder) =>
      watchFolder(folder, (_, name) => {
        if (name === null) return;
        const file = join(folder, String(name));
        if (files.has(file) || NAME.test(basename(file))) soon(file);
      }),
    );
    const since = [...files].find((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs > began - STEP);
    if (since !== undefined) soon(since);
    process.stdout.write("\nwaiting for changes; press Ctrl+C to stop\n");
  });
}
