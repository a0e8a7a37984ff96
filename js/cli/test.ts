// The command `stepglass test` runs tests written in YAML or JSON, with coverage.

import { existsSync, readdirSync, statSync, watch as watchFolder, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import type { AwsCall } from "../core/api/aws.d.ts";
import { messageOf } from "../core/base/errors.ts";
import { resetCoverage, startCoverage, stopCoverage } from "../testing/coverage/collect.ts";
import { Unusable } from "../language/files/problem.ts";
import { shortPath } from "../language/files/short-path.ts";
import { colorful, writeJson, type Output } from "../language/files/terminal.ts";
import { coverageReport } from "../testing/kit/coverage-report.ts";
import { awsOptions, wantsAws } from "./aws-options.ts";
import { defineCommand, type Options, type Values } from "./command.ts";
import { formatsOf, isBelow, thresholdOf, writeCoverage, type Format } from "./coverage.ts";
import { MODES, type MockCheck, mockCheckOf } from "./test-mocks.ts";
import { REPORTERS, reporter, totalsOf } from "./test-report.ts";
import { callsOfTests } from "./test-calls.ts";
import { runTestFile, type Complement, type FileResult } from "./test-run.ts";

const help = `stepglass test [FILE or FOLDER…] [options]

Runs tests written in YAML or JSON, without JavaScript. A test says how tasks answer and what you expect of the run.
Without a FILE, runs all files named *.stepglass.yaml, .yml or .json in the working directory and below.

  stepglass test                                    runs all test files in this folder and below
  stepglass test order.stepglass.yaml --watch       runs again whenever a file changes
  stepglass test --coverage                         shows which states, rules, retries and catches were never used
  stepglass test --coverage=text,html,lcov          also writes coverage/stepglass.html and .lcov
  stepglass test --reporter junit -o report.xml     writes a report for a build server
  stepglass test --record order-7.sfnrun order.asl.json   writes a test from an execution, as stepglass fetch brings it

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
      --record FILE       writes a test file from an execution (*.sfnrun, or a history) with its input and the answers of its
                          tasks, and runs it. The FILE after it is the definition; without one, that which ran goes into
                          the test file. The test is NAME.stepglass.yaml, or --output
      --minimize          with --record, leaves out of payloads what the path does not depend on. Every step is run. The
                          test then expects no output
  -w, --watch             runs again whenever a test file or a definition changes
      --reporter NAME     spec (default), dot, tap, junit or json
      --define NAME=VALUE     the value of a placeholder \${NAME}; can be repeated
      --json              the same as --reporter json
      --aws               sends tasks without a mock or handler to AWS, through this project's AWS SDK
      --aws-endpoint [SERVICE=]URL
                          sends them, or those of one service, to an emulator; can be repeated
      --aws-only PATTERN  sends only tasks of this name, such as "sqs:*"; can be repeated
      --aws-dry-run       prints what the tests would call, and exits
  -o, --output FILE       the file for the report; default: standard output
      --check-mocks[=MODE]    fails if a service could not answer as a mock does, by the models of an installed AWS CLI or
                              boto3; PRESENT (default) checks the fields that a mock has, STRICT also missing ones
      --models DIR        the models for --check-mocks: botocore's data folder
      --coverage[=LIST]   text (default), json, lcov, html
      --coverage-dir DIR  the folder for coverage files; default: coverage
      --threshold NUMBER  the smallest percentage that passes

Exit code: 0 all tests passed; 1 a test failed, or coverage is below the threshold; 2 wrong usage, or an invalid file.
`;

const options = {
  define: { type: "string", multiple: true },
  filter: { type: "string", short: "f" },
  watch: { type: "boolean", short: "w" },
  record: { type: "string", file: true },
  minimize: { type: "boolean" },
  ...awsOptions,
  reporter: { type: "string", values: REPORTERS },
  json: { type: "boolean" },
  output: { type: "string", short: "o", file: true },
  coverage: { type: "string" },
  "coverage-dir": { type: "string", file: true },
  threshold: { type: "string" },
  "check-mocks": { type: "string", values: MODES },
  models: { type: "string", file: true },
} as const satisfies Options;

export const command = defineCommand({
  name: "test",
  summary: "run tests written in YAML or JSON, with coverage",
  help,
  options,
  prepare: (args) =>
    args.map((arg) => (arg === "--coverage" ? "--coverage=text" : arg === "--check-mocks" ? "--check-mocks=PRESENT" : arg)),
  run: test,
});

const NAME = /\.stepglass\.(ya?ml|json)$/i;
const PASSED_OVER = new Set(["node_modules", ".git", "dist", "coverage", "target", "cdk.out", ".aws-sam", ".serverless"]);

/** The settings of a test run. */
interface Settings {
  filter: string | undefined;
  reporter: (typeof REPORTERS)[number];
  /** The file of the report. */
  output: string | undefined;
  /** The formats of the coverage report. Undefined if none is requested. */
  formats: Set<Format> | undefined;
  folder: string | undefined;
  threshold: number | undefined;
  mockCheck: MockCheck | undefined;
  /** Adds handlers to those of a test file. */
  complement: Complement | undefined;
}

/** The exit code of a run, and its results. */
interface Outcome {
  code: number;
  results: FileResult[];
}

async function test(given: string[], values: Values<typeof options>): Promise<number> {
  if (values.record !== undefined) return record(values.record, given, values);
  if (values.minimize) throw new Unusable("--minimize needs --record", { usage: true });
  const threshold = thresholdOf(values.threshold);
  const list = values.coverage ?? (threshold === undefined ? undefined : "text");
  const formats = list === undefined ? undefined : formatsOf(list);
  if (values.json && values.reporter !== undefined && values.reporter !== "json")
    throw new Unusable("--json cannot be combined with another --reporter", { usage: true });
  const settings: Settings = {
    filter: values.filter,
    reporter: values.json ? "json" : (values.reporter ?? "spec"),
    output: values.output,
    formats,
    folder: values["coverage-dir"],
    threshold,
    mockCheck: mockCheckOf(values["check-mocks"], values.models),
    complement: undefined,
  };
  if (wantsAws(values, process.env)) {
    const { requestedHandlers, withAws, callLines } = await import("./aws.ts");
    const all = requestedHandlers(values, process.env, { lambda: true });
    if (all.isDry) return listCalls(given, values, (tasks) => withAws(tasks, all), callLines);
    settings.complement = (tasks) => withAws(tasks, all);
  }
  if (values.watch && settings.reporter === "json")
    throw new Unusable("--watch cannot be combined with --json, which prints one JSON value", { usage: true });
  const once = () => runAll(given, settings);
  if (!values.watch) return (await once()).code;
  return watch(given, once);
}

/** Writes a test from a recorded execution. */
async function record(
  file: string,
  [definition, ...others]: string[],
  { output, minimize, json }: Values<typeof options>,
): Promise<number> {
  if (others.length > 0) throw new Unusable("--record takes one definition", { usage: true });
  const { recordTest } = await import("./test-record.ts");
  return recordTest(file, { definition, output, minimize: minimize === true, json: json === true });
}

/** Prints what the tests would call. */
async function listCalls(given: string[], values: Values<typeof options>, complement: Complement, lines: (calls: AwsCall[]) => string) {
  const listed = [];
  for (const file of testFiles(given)) listed.push(...(await callsOfTests(file, { ...values, shown: shortPath(file), complement })));
  if (values.json) writeJson(listed);
  else process.stdout.write(listed.map(({ test, calls }) => `${test}\n${lines(calls).replace(/^/gm, "  ").trimEnd()}\n`).join(""));
  return 0;
}

async function runAll(given: string[], settings: Settings): Promise<Outcome> {
  const { filter, output, formats, folder, threshold, mockCheck, complement } = settings;
  const files = testFiles(given);
  let text = "";
  const stream: Output = output === undefined ? process.stdout : { write: (part) => void (text += part) };
  const report = reporter(settings.reporter, stream);
  const began = performance.now();
  resetCoverage();
  if (formats !== undefined) startCoverage();
  const results: FileResult[] = [];
  try {
    for (const file of files) {
      const result = await runTestFile(file, { filter, shown: shortPath(file), mockCheck, complement });
      if (filter !== undefined && result.problem === undefined && result.tests.length === 0) continue;
      results.push(result);
      report.file(result);
    }
  } finally {
    if (formats !== undefined) stopCoverage();
  }
  const definitions = [...new Set(results.flatMap(({ definition }) => definition ?? []))];
  const coverage = formats === undefined ? undefined : coverageReport({ definitions });
  report.end(results, performance.now() - began, coverage === undefined ? {} : { coverage: JSON.parse(coverage.json()) as unknown });
  if (output !== undefined) save(output, text);
  // If standard output is for programs, people read standard error.
  const people = settings.reporter === "spec" || settings.reporter === "dot" || output !== undefined ? process.stdout : process.stderr;
  if (coverage !== undefined && formats !== undefined)
    writeCoverage(coverage, formats, { folder, stream: people, color: colorful(people) });
  const { failed, unusable } = totalsOf(results);
  if (results.length === 0 && filter !== undefined) throw new Unusable(`no test's file or name contains ${JSON.stringify(filter)}`);
  if (unusable > 0 || failed > 0) return { code: unusable > 0 ? 2 : 1, results };
  return { code: coverage !== undefined && isBelow(coverage, threshold) ? 1 : 0, results };
}

function save(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Unusable(`cannot write ${file}: ${messageOf(error)}`);
  }
}

/** Returns the selected test files: those that are given, or all in the given folders. */
function testFiles(given: string[]): string[] {
  const files: string[] = [];
  for (const path of given.length === 0 ? ["."] : given) {
    if (!existsSync(path)) throw new Unusable(`cannot read ${path}: no such file`);
    if (statSync(path).isDirectory()) files.push(...below(path));
    else files.push(path);
  }
  if (files.length === 0)
    throw new Unusable("there are no test files (*.stepglass.yaml, .yml, .json) here; stepglass help test shows an example");
  return [...new Set(files.map((file) => resolve(file)))];
}

function below(folder: string): string[] {
  const out: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!PASSED_OVER.has(entry.name)) out.push(...below(path));
    } else if (NAME.test(entry.name)) out.push(path);
  }
  return out;
}

/** Runs the tests, and again whenever one of their files changes, until it is interrupted. */
async function watch(given: string[], once: () => Promise<Outcome>): Promise<never> {
  let files = new Set<string>();
  // This applies during a run as well as between two. Nothing needs to be cleaned up.
  process.once("SIGINT", () => process.exit(0));
  for (;;) {
    const began = Date.now();
    try {
      const { results } = await once();
      files = new Set(results.flatMap((result) => result.files).map((file) => resolve(file)));
    } catch (error) {
      // A file that is incomplete now was used before and will be used again, so it is still watched.
      if (!(error instanceof Unusable)) throw error;
      process.stderr.write(`stepglass: ${error.message}\n`);
    }
    process.stdout.write(`\n── ${shortPath(await change(files, given, began))} has changed\n`);
  }
}

// Resolution of the file system's modification times, in milliseconds. A file that was changed that much earlier counts as changed.
const STEP = 10;

/**
 * Returns the next file that changes, of `files` and of new test files. Returns at once if a file has changed since the run that
 * read it began.
 */
function change(files: Set<string>, given: string[], began: number): Promise<string> {
  return new Promise((done) => {
    const folders = new Set([...files].map((file) => dirname(file)));
    for (const path of given.length === 0 ? ["."] : given) if (existsSync(path) && statSync(path).isDirectory()) folders.add(resolve(path));
    let timer: NodeJS.Timeout | undefined;
    const end = (file: string) => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      done(file);
    };
    // Editors write a file in several steps.
    const soon = (file: string) => {
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
    const since = [...files].find((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > began - STEP);
    if (since !== undefined) soon(since);
    process.stdout.write("\nwaiting for changes; press Ctrl+C to stop\n");
  });
}
