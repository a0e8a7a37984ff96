// Reports of test results: for people (spec, dot) and for programs (tap, junit, json).

import { colors, type Colors, type Output } from "../language/files/terminal.ts";
import type { FileResult, TestResult } from "./test-run.ts";
import { xml } from "./xml.ts";

/** Reports results as they come, and at the end. */
interface Reporter {
  file(result: FileResult): void;
  /** `extra` are additional members of the JSON report. */
  end(results: FileResult[], milliseconds: number, extra: object): void;
}

export const REPORTERS = ["spec", "dot", "tap", "junit", "json"] as const;

const KINDS: Record<(typeof REPORTERS)[number], (stream: Output) => Reporter> = { spec, dot, tap, junit, json };

export function reporter(name: (typeof REPORTERS)[number], stream: Output): Reporter {
  return KINDS[name](stream);
}

/** The number of tests by result, and of files that cannot be used. */
export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
  unusable: number;
}

/** Sums up the results of all files. */
export function totalsOf(results: Pick<FileResult, "tests" | "problem">[]): Totals {
  const tests = results.flatMap((result) => result.tests);
  const of = (status: TestResult["status"]) => tests.filter((test) => test.status === status).length;
  return {
    passed: of("passed"),
    failed: of("failed"),
    skipped: of("skipped"),
    unusable: results.filter(({ problem }) => problem !== undefined).length,
  };
}

function summary({ passed, failed, skipped, unusable }: Totals, milliseconds: number, paint: Colors): string {
  const parts = [
    passed > 0 && paint.green(`${passed} passed`),
    failed > 0 && paint.red(`${failed} failed`),
    skipped > 0 && paint.yellow(`${skipped} skipped`),
    unusable > 0 && paint.red(`${unusable} ${unusable === 1 ? "file" : "files"} unusable`),
  ].filter(Boolean);
  return `${parts.join(", ") || "no tests"}${paint.dim(` in ${Math.round(milliseconds)} ms`)}\n`;
}

function indented(text: string, by: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : by + line))
    .join("\n");
}

function failures({ file, tests }: FileResult, paint: Colors): string {
  return tests
    .filter(({ status }) => status === "failed")
    .map((test) => failure(file, test, paint))
    .join("\n");
}

function failure(file: string, { name, failures: all, story }: TestResult, paint: Colors): string {
  const details = all.map(({ message, line }) => `${paint.dim(`  ${file}:${line}`)}\n${indented(message, "    ")}\n`).join("\n");
  return `${paint.red(`✗ ${name}`)}\n${details}${story === undefined ? "" : `\n    What happened:\n${indented(story.trimEnd(), "    ")}\n`}`;
}

/** Prints each test on a line, then the failures. */
function spec(stream: Output): Reporter {
  const paint = colors(stream);
  const signs = { passed: paint.green("✓"), failed: paint.red("✗"), skipped: paint.yellow("-") };
  return {
    file({ file, tests, problem }) {
      stream.write(`${paint.bold(file)}\n`);
      if (problem !== undefined) stream.write(`${indented(paint.red(problem), "  ")}\n`);
      for (const { status, name, milliseconds } of tests) {
        const note =
          status === "skipped" ? paint.dim(" (skipped)") : milliseconds > 300 ? paint.dim(` (${Math.round(milliseconds)} ms)`) : "";
        stream.write(`  ${signs[status]} ${name}${note}\n`);
      }
    },
    end(results, milliseconds) {
      const broken = results.map((result) => failures(result, paint)).filter(Boolean);
      if (broken.length > 0) stream.write(`\n${broken.join("\n")}`);
      stream.write(`\n${summary(totalsOf(results), milliseconds, paint)}`);
    },
  };
}

/** Prints a dot for each test, then the failures. */
function dot(stream: Output): Reporter {
  const paint = colors(stream);
  const signs = { passed: ".", failed: paint.red("F"), skipped: paint.yellow("s") };
  return {
    file({ tests, problem }) {
      stream.write(problem === undefined ? tests.map(({ status }) => signs[status]).join("") : paint.red("E"));
    },
    end(results, milliseconds) {
      for (const { problem } of results) if (problem !== undefined) stream.write(`\n${paint.red(problem)}\n`);
      const broken = results.map((result) => failures(result, paint)).filter(Boolean);
      if (broken.length > 0) stream.write(`\n\n${broken.join("\n")}`);
      stream.write(`\n${summary(totalsOf(results), milliseconds, paint)}`);
    },
  };
}

/** Prints the Test Anything Protocol, version 14. */
function tap(stream: Output): Reporter {
  let number = 0;
  stream.write("TAP version 14\n");
  const name = (text: string) => text.replaceAll(/[\\#]/g, "\\$&").replaceAll("\n", " ");
  const block = (text: string) => indented(text, "    ");
  return {
    file({ file, tests, problem }) {
      if (problem !== undefined) stream.write(`not ok ${++number} - ${name(file)}\n  ---\n  message: |\n${block(problem)}\n  ...\n`);
      for (const test of tests) {
        const [first] = test.failures;
        stream.write(
          `${first ? "not ok" : "ok"} ${++number} - ${name(`${file} > ${test.name}`)}${test.status === "skipped" ? " # SKIP" : ""}\n`,
        );
        if (first === undefined) continue;
        const story = test.story ? `  story: |\n${block(test.story.trimEnd())}\n` : "";
        stream.write(
          `  ---\n  at: ${JSON.stringify(`${file}:${first.line}`)}\n  message: |\n${block(test.failures.map(({ message }) => message).join("\n"))}\n${story}  ...\n`,
        );
      }
    },
    end() {
      stream.write(`1..${number}\n`);
    },
  };
}

/** Prints JUnit's XML, which build servers read. */
function junit(stream: Output): Reporter {
  return {
    file() {},
    end(results, milliseconds) {
      const { passed, failed, skipped, unusable } = totalsOf(results);
      const counts = `tests="${passed + failed + skipped + unusable}" failures="${failed}" errors="${unusable}" skipped="${skipped}" time="${seconds(milliseconds)}"`;
      stream.write(
        `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="stepglass" ${counts}>\n${results.map(suite).join("\n")}\n</testsuites>\n`,
      );
    },
  };
}

function suite({ file, tests, problem }: FileResult): string {
  const { failed, skipped } = totalsOf([{ tests }]);
  const took = tests.reduce((sum, test) => sum + test.milliseconds, 0);
  const cases = tests.map((test) => testcase(file, test));
  if (problem !== undefined) {
    cases.push(
      `    <testcase name="${xml(file)}" classname="${xml(file)}" time="0"><error message="${xml(firstLine(problem))}">${xml(problem)}</error></testcase>`,
    );
  }
  const counts = `tests="${cases.length}" failures="${failed}" errors="${problem === undefined ? 0 : 1}" skipped="${skipped}" time="${seconds(took)}"`;
  return `  <testsuite name="${xml(file)}" ${counts}>\n${cases.join("\n")}\n  </testsuite>`;
}

function testcase(file: string, { name, line, status, milliseconds, failures: all, story }: TestResult): string {
  const open = `<testcase name="${xml(name)}" classname="${xml(file)}" file="${xml(file)}" line="${line}" time="${seconds(milliseconds)}"`;
  if (status === "skipped") return `    ${open}><skipped/></testcase>`;
  const [first] = all;
  if (first === undefined) return `    ${open}/>`;
  const text = `${all.map((one) => `${file}:${one.line}\n${one.message}`).join("\n\n")}${story ? `\n\nWhat happened:\n${story}` : ""}`;
  return `    ${open}><failure message="${xml(firstLine(first.message))}">${xml(text)}</failure></testcase>`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function firstLine(text: string): string {
  return text.split("\n", 1).join();
}

/** Prints one JSON object for programs. */
function json(stream: Output): Reporter {
  return {
    file() {},
    end(results, milliseconds, extra) {
      const plain = ({ file, definition, problem, tests }: FileResult) => ({
        file,
        ...(definition && { definition }),
        ...(problem && { problem }),
        tests,
      });
      const totals = totalsOf(results);
      const ok = totals.failed === 0 && totals.unusable === 0;
      stream.write(
        `${JSON.stringify({ ok, totals, milliseconds: Math.round(milliseconds), files: results.map(plain), ...extra }, null, 2)}\n`,
      );
    },
  };
}
