// @ts-nocheck: has no types yet.
// stepglass coverage

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { coverageReport } from "../testing/coverage.ts";
import { TestKitError } from "../mocks/errors.ts";
import { Unusable } from "../files/problem.ts";
import { colorful } from "../files/terminal.ts";

const FORMATS = ["text", "json", "lcov", "html"];

const help = `stepglass coverage [options] -- COMMAND
stepglass coverage DIR [options]

Runs the tests of any test runner and reports which states, transitions, Choice rules, retriers and catchers their
executions have used. With DIR, reports on data that an earlier run wrote there, with STEPGLASS_COVERAGE=DIR.

  stepglass coverage -- node --test                 works with node:test, Vitest, Jest, any command
  stepglass coverage --format text,html -- npx vitest run
  stepglass coverage -d machines/order.asl.json -- npm test    includes this definition even if no test runs it
  STEPGLASS_COVERAGE=/tmp/c npm test; stepglass coverage /tmp/c --threshold 90

Options
      --format LIST       text (default), json, lcov, html, separated by commas
  -d, --definition FILE   includes a definition even if no test runs it; can be repeated
      --coverage-dir DIR  the folder for stepglass.json, .lcov and .html; default: coverage
      --threshold NUMBER  the smallest percentage that passes
      --json              prints the report as JSON to standard output, and what COMMAND prints to standard error

Exit code: that of COMMAND if it fails; otherwise 0, or 1 if coverage is below the threshold; 2 wrong usage.
`;

export const command = {
  name: "coverage",
  summary: "report which parts of definitions the tests of any runner have used",
  help,
  options: {
    format: { type: "string" },
    definition: { type: "string", short: "d", multiple: true, file: true },
    "coverage-dir": { type: "string", file: true },
    threshold: { type: "string" },
    json: { type: "boolean" },
  },
  prepare: (args) => {
    const at = args.indexOf("--");
    return at < 0 ? { args } : { args: args.slice(0, at), run: args.slice(at + 1) };
  },
  act: coverage,
};

async function coverage(given, { format, definition = [], "coverage-dir": folder, threshold: least, json }, { run }) {
  const threshold = least === undefined ? undefined : Number(least);
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 100)) throw new Unusable("--threshold must be a percentage from 0 to 100", { usage: true });
  const formats = coverageFormats(format ?? "text");
  if (run === undefined ? given.length !== 1 : given.length > 0 || run.length === 0) throw new Unusable("coverage needs -- and a command, or a folder", { usage: true });
  const own = run === undefined ? undefined : mkdtempSync(join(tmpdir(), "stepglass-coverage-"));
  try {
    const code = run === undefined ? 0 : await exitOf(run, own, json);
    const report = load({ folder: own ?? given[0], definitions: definition });
    if (json) process.stdout.write(report.json());
    else writeCoverage(report, formats, { folder, stream: process.stdout, color: colorful(process.stdout) });
    if (code !== 0) return code;
    if (threshold === undefined || report.percent >= threshold) return 0;
    process.stderr.write(`stepglass: coverage is ${report.percent.toFixed(1)} %, below the threshold of ${threshold} %\n`);
    return 1;
  } finally {
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }
}

function load(options) {
  try {
    return coverageReport(options);
  } catch (error) {
    if (error instanceof TestKitError) throw new Unusable(error.message);
    // Of a definition the diagnostics, by themselves.
    throw error.diagnostics === undefined ? error : new Unusable(error.message);
  }
}

/** The exit code of a command that writes its coverage into a folder. */
function exitOf([program, ...args], folder, json) {
  return new Promise((done, fail) => {
    // On Windows npm and npx are scripts, which only a shell runs.
    const child = spawn(program, args, { stdio: ["inherit", json ? 2 : "inherit", "inherit"], env: { ...process.env, STEPGLASS_COVERAGE: folder }, shell: process.platform === "win32" });
    // The terminal tells the tests of Ctrl+C, too; a signal that is for this process alone is passed on.
    process.on("SIGINT", () => {});
    for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
    child.on("error", (error) => fail(new Unusable(`cannot run ${program}: ${error.code === "ENOENT" ? "no such command" : error.message}`)));
    child.on("close", (code, signal) => done(code ?? 128 + constants.signals[signal]));
  });
}

/** The formats of a list with commas; undefined where no coverage is asked for. */
export function coverageFormats(list) {
  if (list === undefined) return undefined;
  const formats = list.split(",").map((format) => format.trim()).filter(Boolean);
  const unknown = formats.find((format) => !FORMATS.includes(format));
  if (unknown !== undefined || formats.length === 0) throw new Unusable(`there is no coverage format ${JSON.stringify(unknown ?? list)}; the formats are ${FORMATS.join(", ")}`, { usage: true });
  return new Set(formats);
}

/** Writes a report: the text to a stream, all others into files of the folder. */
export function writeCoverage(report, formats, { folder = "coverage", stream, color }) {
  if (formats.has("text")) stream.write(`\n${report.text({ color })}`);
  const files = ["json", "lcov", "html"].filter((format) => formats.has(format));
  if (files.length === 0) return;
  try {
    mkdirSync(folder, { recursive: true });
    for (const format of files) writeFileSync(join(folder, `stepglass.${format}`), report[format]());
  } catch (error) {
    throw new Unusable(`cannot write coverage to ${folder}: ${error.message}`);
  }
  stream.write(`\n${files.map((format) => join(folder, `stepglass.${format}`)).join(", ")}\n`);
}
