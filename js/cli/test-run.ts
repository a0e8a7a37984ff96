// @ts-nocheck: has no types yet.
// Runs the tests of a test file.

import { performance } from "node:perf_hooks";
import { DefinitionError } from "../entries/node.ts";
import { expectRun } from "../testing/expect.ts";
import { testMachine } from "../testing/machine.ts";
import { PropertyError, property } from "../testing/property.ts";
import { TestKitError } from "../mocks/errors.ts";
import { BadTestFile, readTestFile } from "./test-file.ts";
import { Unusable } from "../files/problem.ts";
import { handlersOf } from "./tasks.ts";

/** `{file, files, tests}` with the results of its tests, or `{file, problem}` where it cannot be used. */
export async function runTestFile(file, { filter, shown = file } = {}) {
  let content;
  let machine;
  let options = {};
  try {
    content = readTestFile(file);
    options = content.tasks === undefined ? {} : { tasks: await handlersOf(content.tasks) };
    machine = testMachine(content.source, content.options);
  } catch (error) {
    if (error instanceof BadTestFile) return { file: shown, files: [file], problem: error.problems.map(({ message, line, column }) => `${shown}:${line}:${column}: ${message}`).join("\n") };
    if (error instanceof DefinitionError || error instanceof TestKitError || error instanceof Unusable) return { file: shown, files: content?.files ?? [file], problem: `${shown}: ${error.message}` };
    throw error;
  }
  const only = content.tests.some((test) => test.only);
  const tests = [];
  for (const test of content.tests) {
    if (filter !== undefined && !`${shown} > ${test.name}`.toLowerCase().includes(filter.toLowerCase())) continue;
    const about = { name: test.name, line: test.line };
    if (test.skip || (only && !test.only)) tests.push({ ...about, status: "skipped", milliseconds: 0, failures: [] });
    else tests.push({ ...about, ...(await runTest(machine, test, options)) });
  }
  return { file: shown, files: content.files, definition: machine.file, tests };
}

async function runTest(machine, test, options) {
  const began = performance.now();
  const result = (failures, run) => ({ status: failures.length === 0 ? "passed" : "failed", milliseconds: performance.now() - began, failures, ...(run && failures.length > 0 && { story: run.text({ times: true, lines: 60 }) }) });
  try {
    if (test.property !== undefined) return await runProperty(machine, test, options, result);
    const own = { ...options, mocks: test.mocks ?? {}, ...(test.seed !== undefined && { seed: test.seed }) };
    const run = test.testCase === undefined ? await machine.run(test.input, own) : await machine.test(test.testCase, test.input, own);
    return result(failuresOf(run, test), run);
  } catch (error) {
    if (!(error instanceof TestKitError)) throw error;
    return result([{ message: error.message, line: test.line }]);
  }
}

async function runProperty(machine, test, options, result) {
  const check = (run) => {
    const [failure] = failuresOf(run, test);
    if (failure) throw new Error(failure.message);
  };
  try {
    await property(machine, { input: test.input, ...test.property, ...options, ...(test.mocks && { mocks: test.mocks }), check });
    return result([]);
  } catch (error) {
    if (!(error instanceof PropertyError)) throw error;
    // What the test file can be given is a schedule in its own words.
    const message = error.message.replace(/property\(machine, \{ …, seed: (\d+), runs: 1 \}\)/, "property: { seed: $1, runs: 1 }").replace(/property\(machine, \{ …, schedule: (\{.*?\})(?:, input: (.*))? \}\)/, (_, schedule, input) => `property: { schedule: ${schedule} }${input === undefined ? "" : `, with input: ${input}`}`);
    return result([{ message, line: test.line }]);
  }
}

/** Each expectation that does not hold, not only the first. */
function failuresOf(run, { expect, lineOf }) {
  const failures = [];
  const check = (field, hold) => {
    try {
      hold(expectRun(run));
    } catch (error) {
      if (error.code !== "ERR_ASSERTION") throw error;
      failures.push({ message: error.message.split("\n\nWhat happened:")[0], line: lineOf(field), field, actual: error.actual, expected: error.expected });
    }
  };
  const each = (field, entries, hold) => {
    for (const [name, value] of Object.entries(entries)) check(field, (it) => hold(it, name, value));
  };
  const counted = (list) => (Array.isArray(list) ? Object.fromEntries(list.map((name) => [name, undefined])) : list);
  const ended = { SUCCEEDED: (it) => it.succeeded(), FAILED: (it) => it.failedWith(), TIMED_OUT: (it) => it.timedOut(), ABORTED: (it) => it.aborted(), RUNNING: (it) => it.waitsForEver() };
  const checks = {
    status: (status) => check("status", ended[status]),
    output: (output) => check("output", (it) => it.succeeded(output)),
    outputMatches: (output) => check("outputMatches", (it) => it.outputMatches(output)),
    error: (error) => check("error", (it) => it.failedWith(error)),
    cause: (cause) => check("cause", (it) => it.failedWith(undefined, cause)),
    path: (path) => check("path", (it) => it.tookPath(path)),
    passedThrough: (path) => check("passedThrough", (it) => it.passedThrough(path)),
    entered: (states) => each("entered", counted(states), (it, state, times) => it.entered(state, times)),
    neverEntered: (states) => each("neverEntered", counted(states), (it, state) => it.neverEntered(state)),
    calls: (calls) =>
      each("calls", calls, (it, name, wanted) => {
        it.called(name, Array.isArray(wanted) ? wanted.length : wanted);
        if (Array.isArray(wanted)) wanted.forEach((input, i) => input !== null && it.calledWith(name, input, i + 1));
      }),
    neverCalled: (names) => each("neverCalled", counted(names), (it, name) => it.neverCalled(name)),
    retries: (states) => each("retries", counted(states), (it, state, times) => it.retried(state, times)),
    waits: (waits) => each("waits", waits, (it, state, duration) => it.waited(state, duration)),
    lasted: (duration) => check("lasted", (it) => it.lasted(duration)),
    caught: (caught) => each("caught", caught, (it, state, error) => it.caught(error, state)),
  };
  for (const [field, expected] of Object.entries(expect)) checks[field](expected);
  return failures;
}
