// The command `stepglass coverage` reports which parts of definitions the tests of any runner have used.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import type { CoverageOptions } from "../core/api/testing.d.ts";
import { DefinitionError, codeOf, messageOf } from "../core/base/errors.ts";
import { Unusable } from "../language/files/problem.ts";
import { colorful, type Output } from "../language/files/terminal.ts";
import { coverageReport, type CoverageReport } from "../testing/kit/coverage-report.ts";
import { TestKitError } from "../testing/mocks/errors.ts";
import { defineCommand, type Context, type Options, type Values } from "./command.ts";

const FILES = ["json", "lcov", "html"] as const;
const FORMATS = ["text", ...FILES] as const;

/** A format of the report. */
export type Format = (typeof FORMATS)[number];

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

const options = {
  format: { type: "string" },
  definition: { type: "string", short: "d", multiple: true, file: true },
  "coverage-dir": { type: "string", file: true },
  threshold: { type: "string" },
  json: { type: "boolean" },
} as const satisfies Options;

export const command = defineCommand({
  name: "coverage",
  summary: "report which parts of definitions the tests of any runner have used",
  help,
  options,
  takesProgram: true,
  run: coverage,
});

async function coverage(given: string[], values: Values<typeof options>, { program }: Context): Promise<number> {
  const threshold = thresholdOf(values.threshold);
  const formats = formatsOf(values.format ?? "text");
  const [folder, ...others] = given;
  const isUsage = program === undefined ? folder !== undefined && others.length === 0 : folder === undefined && program.length > 0;
  if (!isUsage) throw new Unusable("coverage needs -- and a command, or a folder", { usage: true });
  const own = program === undefined ? undefined : mkdtempSync(join(tmpdir(), "stepglass-coverage-"));
  try {
    const code = program === undefined || own === undefined ? 0 : await exitOf(program, own, values.json ?? false);
    const report = load({ folder: own ?? folder, definitions: values.definition ?? [] });
    if (values.json) process.stdout.write(report.json());
    else writeCoverage(report, formats, { folder: values["coverage-dir"], stream: process.stdout, color: colorful(process.stdout) });
    return code === 0 && isBelow(report, threshold) ? 1 : code;
  } finally {
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }
}

/** Parses the percentage of --threshold. */
export function thresholdOf(text: string | undefined): number | undefined {
  const threshold = text === undefined ? undefined : Number(text);
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 100))
    throw new Unusable("--threshold must be a percentage from 0 to 100", { usage: true });
  return threshold;
}

/** Returns whether coverage is below a threshold, and prints it if so. */
export function isBelow({ percent }: CoverageReport, threshold: number | undefined): boolean {
  if (threshold === undefined || percent >= threshold) return false;
  process.stderr.write(`stepglass: coverage is ${percent.toFixed(1)} %, below the threshold of ${threshold} %\n`);
  return true;
}

function load(from: CoverageOptions): CoverageReport {
  try {
    return coverageReport(from);
  } catch (error) {
    // The message of a DefinitionError has the diagnostics alone.
    if (error instanceof TestKitError || error instanceof DefinitionError) throw new Unusable(error.message);
    throw error;
  }
}

/** Runs a program that writes its coverage into a folder. Returns its exit code. */
function exitOf([program = "", ...args]: string[], folder: string, json: boolean): Promise<number> {
  return new Promise((done, fail) => {
    const env = { ...process.env, STEPGLASS_COVERAGE: folder };
    // On Windows npm and npx are scripts, which only a shell can run.
    const child = spawn(program, args, { stdio: ["inherit", json ? 2 : "inherit", "inherit"], env, shell: process.platform === "win32" });
    // The terminal sends Ctrl+C to the tests as well. A signal that only this process gets is passed on.
    process.on("SIGINT", () => {});
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    child.on("error", (error) =>
      fail(new Unusable(`cannot run ${program}: ${codeOf(error) === "ENOENT" ? "no such command" : error.message}`)),
    );
    child.on("close", (code, signal) => done(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

/** Parses a list of formats, separated by commas. */
export function formatsOf(list: string): Set<Format> {
  const words = list
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
  const formats = new Set(FORMATS.filter((format) => words.includes(format)));
  const unknown = words.find((word) => !FORMATS.some((format) => format === word));
  if (unknown !== undefined || formats.size === 0)
    throw new Unusable(`there is no coverage format ${JSON.stringify(unknown ?? list)}; the formats are ${FORMATS.join(", ")}`, {
      usage: true,
    });
  return formats;
}

/** Where a report is written: its text to the stream, all other formats into the folder. */
interface ReportTarget {
  folder: string | undefined;
  stream: Output;
  color: boolean;
}

export function writeCoverage(report: CoverageReport, formats: Set<Format>, { folder = "coverage", stream, color }: ReportTarget): void {
  if (formats.has("text")) stream.write(`\n${report.text({ color })}`);
  const files = FILES.filter((format) => formats.has(format));
  if (files.length === 0) return;
  try {
    mkdirSync(folder, { recursive: true });
    for (const format of files) writeFileSync(join(folder, `stepglass.${format}`), report[format]());
  } catch (error) {
    throw new Unusable(`cannot write coverage to ${folder}: ${messageOf(error)}`);
  }
  stream.write(`\n${files.map((format) => join(folder, `stepglass.${format}`)).join(", ")}\n`);
}
