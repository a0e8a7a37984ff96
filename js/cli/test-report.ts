// @ts-nocheck: has no types yet.
// How results of test files are told: for people (spec, dot), for programs (tap, junit, json).

import { colors } from "../files/terminal.ts";

export const reporters = { spec: Spec, dot: Dot, tap: Tap, junit: Junit, json: Json };

/** Sums over the results of all files. */
export function totalsOf(results) {
  const tests = results.flatMap(({ tests: all = [] }) => all);
  const of = (status) => tests.filter((test) => test.status === status).length;
  return { passed: of("passed"), failed: of("failed"), skipped: of("skipped"), unusable: results.filter(({ problem }) => problem !== undefined).length };
}

function summary({ passed, failed, skipped, unusable }, milliseconds, paint) {
  const parts = [passed > 0 && paint.green(`${passed} passed`), failed > 0 && paint.red(`${failed} failed`), skipped > 0 && paint.yellow(`${skipped} skipped`), unusable > 0 && paint.red(`${unusable} ${unusable === 1 ? "file" : "files"} unusable`)].filter(Boolean);
  return `${parts.join(", ") || "no tests"}${paint.dim(` in ${Math.round(milliseconds)} ms`)}\n`;
}

function indented(text, by) {
  return text.split("\n").map((line) => (line === "" ? "" : by + line)).join("\n");
}

function failures({ file, tests = [] }, paint) {
  return tests.filter(({ status }) => status === "failed").map((test) => failure(file, test, paint)).join("\n");
}

function failure(file, { name, failures: all, story }, paint) {
  const told = all.map(({ message, line }) => `${paint.dim(`  ${file}:${line}`)}\n${indented(message, "    ")}\n`).join("\n");
  return `${paint.red(`✗ ${name}`)}\n${told}${story === undefined ? "" : `\n    What happened:\n${indented(story.trimEnd(), "    ")}\n`}`;
}

/** Each test on a line, then what has failed. */
function Spec(stream) {
  const paint = colors(stream);
  const signs = { passed: paint.green("✓"), failed: paint.red("✗"), skipped: paint.yellow("-") };
  return {
    file({ file, tests = [], problem }) {
      stream.write(`${paint.bold(file)}\n`);
      if (problem !== undefined) stream.write(`${indented(paint.red(problem), "  ")}\n`);
      for (const { status, name, milliseconds } of tests) stream.write(`  ${signs[status]} ${name}${status === "skipped" ? paint.dim(" (skipped)") : milliseconds > 300 ? paint.dim(` (${Math.round(milliseconds)} ms)`) : ""}\n`);
    },
    end(results, milliseconds) {
      const broken = results.map((result) => failures(result, paint)).filter(Boolean);
      if (broken.length > 0) stream.write(`\n${broken.join("\n")}`);
      stream.write(`\n${summary(totalsOf(results), milliseconds, paint)}`);
    },
  };
}

/** A dot for each test, then what has failed. */
function Dot(stream) {
  const paint = colors(stream);
  const signs = { passed: ".", failed: paint.red("F"), skipped: paint.yellow("s") };
  return {
    file({ tests = [], problem }) {
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

/** Test Anything Protocol, version 14. */
function Tap(stream) {
  let number = 0;
  stream.write("TAP version 14\n");
  const name = (text) => text.replaceAll(/[\\#]/g, "\\$&").replaceAll("\n", " ");
  const block = (text) => indented(text, "    ");
  return {
    file({ file, tests = [], problem }) {
      if (problem !== undefined) stream.write(`not ok ${++number} - ${name(file)}\n  ---\n  message: |\n${block(problem)}\n  ...\n`);
      for (const test of tests) {
        stream.write(`${test.status === "failed" ? "not ok" : "ok"} ${++number} - ${name(`${file} > ${test.name}`)}${test.status === "skipped" ? " # SKIP" : ""}\n`);
        if (test.status === "failed") stream.write(`  ---\n  at: ${JSON.stringify(`${file}:${test.failures[0].line}`)}\n  message: |\n${block(test.failures.map(({ message }) => message).join("\n"))}\n${test.story ? `  story: |\n${block(test.story.trimEnd())}\n` : ""}  ...\n`);
      }
    },
    end() {
      stream.write(`1..${number}\n`);
    },
  };
}

/** The XML that build servers read. */
function Junit(stream) {
  const seconds = (milliseconds) => (milliseconds / 1000).toFixed(3);
  return {
    file() {},
    end(results, milliseconds) {
      const { passed, failed, skipped, unusable } = totalsOf(results);
      const suites = results.map(({ file, tests = [], problem }) => {
        const { failed: bad, skipped: left } = totalsOf([{ tests }]);
        const took = tests.reduce((sum, test) => sum + test.milliseconds, 0);
        const cases = tests.map((test) => {
          const open = `<testcase name="${xml(test.name)}" classname="${xml(file)}" file="${xml(file)}" line="${test.line}" time="${seconds(test.milliseconds)}"`;
          if (test.status === "passed") return `    ${open}/>`;
          if (test.status === "skipped") return `    ${open}><skipped/></testcase>`;
          const text = `${test.failures.map(({ message, line }) => `${file}:${line}\n${message}`).join("\n\n")}${test.story ? `\n\nWhat happened:\n${test.story}` : ""}`;
          return `    ${open}><failure message="${xml(test.failures[0].message.split("\n")[0])}">${xml(text)}</failure></testcase>`;
        });
        if (problem !== undefined) cases.push(`    <testcase name="${xml(file)}" classname="${xml(file)}" time="0"><error message="${xml(problem.split("\n")[0])}">${xml(problem)}</error></testcase>`);
        return `  <testsuite name="${xml(file)}" tests="${cases.length}" failures="${bad}" errors="${problem === undefined ? 0 : 1}" skipped="${left}" time="${seconds(took)}">\n${cases.join("\n")}\n  </testsuite>`;
      });
      stream.write(`<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="stepglass" tests="${passed + failed + skipped + unusable}" failures="${failed}" errors="${unusable}" skipped="${skipped}" time="${seconds(milliseconds)}">\n${suites.join("\n")}\n</testsuites>\n`);
    },
  };
}

function xml(text) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
  return String(text)
    .replaceAll(/[&<>"']/g, (character) => entities[character])
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

/** One object for programs. */
function Json(stream) {
  return {
    file() {},
    end(results, milliseconds, extra) {
      const plain = ({ file, definition, problem, tests }) => ({ file, ...(definition && { definition }), ...(problem && { problem }), tests: tests ?? [] });
      stream.write(`${JSON.stringify({ ok: isOk(results), totals: totalsOf(results), milliseconds: Math.round(milliseconds), files: results.map(plain), ...extra }, null, 2)}\n`);
    },
  };
}

function isOk(results) {
  const { failed, unusable } = totalsOf(results);
  return failed === 0 && unusable === 0;
}
