// Runs the tests of a test file.

import type { AssertionError } from "node:assert";
import { performance } from "node:perf_hooks";
import type { OneRunOptions, PropertyOptions, RunExpectation, TestRun } from "../core/api/testing.d.ts";
import type { TaskHandlers } from "../core/api/index.d.ts";
import { DefinitionError, codeOf } from "../core/base/errors.ts";
import { Unusable } from "../language/files/problem.ts";
import { unhandledError } from "../language/files/unhandled.ts";
import { TestKitError } from "../testing/mocks/errors.ts";
import { expectRun } from "../testing/kit/expect.ts";
import { testMachine, type TestMachine } from "../testing/kit/test-machine.ts";
import { withoutStory } from "../testing/kit/mismatch.ts";
import { type Again, PropertyError, property } from "../testing/kit/property.ts";
import { handlersOf } from "./tasks.ts";
import { type MockCheck, mockProblems } from "./test-mocks.ts";
import { BadFile } from "./checked-yaml.ts";
import { readTestFile, type Counts, type Expected, type FileTest, type TestFileContent } from "./test-file.ts";

/** An expectation that does not hold, or the reason why there was no run. */
export interface Failure {
  message: string;
  line: number;
  /** The expectation. */
  field?: string;
  actual?: unknown;
  expected?: unknown;
}

/** The result of a test. */
export interface TestResult {
  name: string;
  line: number;
  status: "passed" | "failed" | "skipped";
  milliseconds: number;
  failures: Failure[];
  /** A description of a failed run. */
  story?: string;
}

/** The results of a test file, or the problem because of which it cannot be used. */
export interface FileResult {
  file: string;
  /** All files that the tests depend on. */
  files: string[];
  definition?: string | undefined;
  problem?: string;
  tests: TestResult[];
}

/** Options of all runs of a file. */
interface RunOptions {
  tasks?: TaskHandlers;
  signal?: AbortSignal;
}

/** Adds handlers to those of a test file. */
export type Complement = (tasks: TaskHandlers) => TaskHandlers;

/** How the tests of a file are run. */
export interface TestFileOptions {
  /** Runs only the tests whose names contain this text. */
  filter?: string | undefined;
  /** Runs only the tests with these names. */
  names?: ReadonlySet<string> | undefined;
  /** The name of the file in messages. */
  shown?: string;
  /** The text of a test that is not in a file. */
  text?: string | undefined;
  /** Throws if the file refers to something that is not allowed. */
  allow?: (content: TestFileContent) => void;
  /** Ends the runs. */
  signal?: AbortSignal;
  /** Adds handlers to those of the file. */
  complement?: Complement | undefined;
  /** The check of the services' mocked responses. */
  mockCheck?: MockCheck | undefined;
}

/** Runs the tests of a file. */
export async function runTestFile(
  file: string,
  { filter, names, shown = file, text, allow, signal, mockCheck, complement }: TestFileOptions = {},
): Promise<FileResult> {
  const files = [file];
  let content: TestFileContent;
  let machine: TestMachine;
  let options: RunOptions;
  try {
    content = readTestFile(file, text);
    allow?.(content);
    files.splice(0, 1, ...content.files);
    const tasks = await handlersOf(content.tasks);
    const hasTasks = content.tasks !== undefined || complement !== undefined;
    options = { ...(hasTasks && { tasks: complement?.(tasks) ?? tasks }), ...(signal && { signal }) };
    machine = testMachine(content.source, content.options);
  } catch (error) {
    return { file: shown, files, problem: problemOf(error, shown), tests: [] };
  }
  const only = content.tests.some((test) => test.only);
  const tests: TestResult[] = [];
  for (const test of content.tests) {
    if (!isChosen(`${shown} > ${test.name}`, filter) || names?.has(test.name) === false) continue;
    const { name, line } = test;
    if (test.skip || (only && !test.only)) tests.push({ name, line, status: "skipped", milliseconds: 0, failures: [] });
    else tests.push(await runTest(machine, test, options, mockCheck));
  }
  return { file: shown, files, definition: machine.file, tests };
}

/** Returns whether a test with this name is run. */
export function isChosen(name: string, filter: string | undefined): boolean {
  return filter === undefined || name.toLowerCase().includes(filter.toLowerCase());
}

/** Returns why a test file cannot be used. Throws errors of other kinds again. */
export function problemOf(error: unknown, shown: string): string {
  if (error instanceof BadFile)
    return error.problems.map(({ message, line, column }) => `${shown}:${line}:${column}: ${message}`).join("\n");
  if (error instanceof DefinitionError || error instanceof TestKitError || error instanceof Unusable) return `${shown}: ${error.message}`;
  throw error;
}

async function runTest(machine: TestMachine, test: FileTest, options: RunOptions, mockCheck?: MockCheck): Promise<TestResult> {
  const { name, line } = test;
  const began = performance.now();
  const { failures, run } =
    test.property === undefined
      ? await runOnce(machine, test, options)
      : { failures: await runProperty(machine, test, options), run: undefined };
  if (run !== undefined && mockCheck !== undefined)
    failures.push(...mockProblems(run, mockCheck).map((message) => ({ message, line: test.line })));
  const status = failures.length === 0 ? "passed" : "failed";
  const story = status === "failed" && run !== undefined ? storyOf(machine, run) : undefined;
  return { name, line, status, milliseconds: performance.now() - began, failures, ...(story !== undefined && { story }) };
}

/** Returns what happened in a run, and why nothing handled the error that ended it. */
function storyOf(tested: TestMachine, run: TestRun): string {
  const { definition, type } = tested.machine;
  const lines =
    run.status === "FAILED" ? unhandledError({ definition, place: (pointer) => tested.place(pointer) }, run.history, { type }) : [];
  return run.text({ times: true, lines: 60 }) + lines.map((line) => `  ${line}\n`).join("");
}

async function runOnce(machine: TestMachine, test: FileTest, options: RunOptions): Promise<{ failures: Failure[]; run?: TestRun }> {
  const own: OneRunOptions = { ...options, mocks: test.mocks ?? {} };
  if (test.seed !== undefined) own.seed = test.seed;
  try {
    const run = test.testCase === undefined ? await machine.run(test.input, own) : await machine.test(test.testCase, test.input, own);
    return { failures: failuresOf(run, test), run };
  } catch (error) {
    if (!(error instanceof TestKitError)) throw error;
    return { failures: [{ message: error.message, line: test.line }] };
  }
}

async function runProperty(machine: TestMachine, test: FileTest, { tasks }: RunOptions): Promise<Failure[]> {
  const check = (run: TestRun) => {
    const [failure] = failuresOf(run, test);
    if (failure) throw new Error(failure.message);
  };
  // `property()` checks its options itself, so the values of the test file may be invalid here.
  const options = {
    input: test.input,
    ...test.property,
    ...(tasks && { tasks }),
    ...(test.mocks && { mocks: test.mocks }),
    check,
  } as PropertyOptions;
  try {
    await property(machine, options);
    return [];
  } catch (error) {
    if (!(error instanceof TestKitError || error instanceof PropertyError)) throw error;
    return [{ message: error instanceof PropertyError ? error.text(IN_FILE) : error.message, line: test.line }];
  }
}

/** How a test file runs a failure of a property again. */
const IN_FILE: Again = {
  run: (seed) => `property: { seed: ${seed}, runs: 1 }`,
  schedule: (schedule, input) => `property: { schedule: ${schedule} }${input === undefined ? "" : `, with input: ${input}`}`,
};

/** Checks an expectation of a run. */
type ExpectationCheck = (it: RunExpectation) => unknown;

/** Returns all expectations that do not hold, not only the first. */
function failuresOf(run: TestRun, { expect, lineOf }: FileTest): Failure[] {
  const failures: Failure[] = [];
  for (const [field, holds] of Object.entries(holdsOf(expect))) {
    for (const hold of holds) {
      try {
        hold(expectRun(run));
      } catch (error) {
        if (codeOf(error) !== "ERR_ASSERTION") throw error;
        const { actual, expected } = error as AssertionError;
        failures.push({ message: withoutStory(error), line: lineOf(field), field, actual, expected });
      }
    }
  }
  return failures;
}

const ENDS: Record<Expected["status"], ExpectationCheck> = {
  SUCCEEDED: (it) => it.succeeded(),
  FAILED: (it) => it.failedWith(),
  TIMED_OUT: (it) => it.timedOut(),
  ABORTED: (it) => it.aborted(),
  RUNNING: (it) => it.waitsForEver(),
};

/** How each expectation is checked. */
const EXPECTATION_CHECKS: { [Field in keyof Expected]: (expected: Expected[Field]) => ExpectationCheck[] } = {
  status: (status) => [ENDS[status]],
  output: (output) => [(it) => it.succeeded(output)],
  outputMatches: (output) => [(it) => it.outputMatches(output)],
  error: (error) => [(it) => it.failedWith(error)],
  cause: (cause) => [(it) => it.failedWith(undefined, cause)],
  path: (path) => [(it) => it.tookPath(path)],
  passedThrough: (path) => [(it) => it.passedThrough(path)],
  entered: (states) =>
    counted(states).map(
      ([state, times]) =>
        (it) =>
          it.entered(state, times),
    ),
  neverEntered: (states) => states.map((state) => (it) => it.neverEntered(state)),
  calls: (calls) =>
    Object.entries(calls).map(
      ([name, wanted]) =>
        (it) =>
          holdCalls(it, name, wanted),
    ),
  neverCalled: (names) => names.map((name) => (it) => it.neverCalled(name)),
  retries: (states) =>
    counted(states).map(
      ([state, times]) =>
        (it) =>
          it.retried(state, times),
    ),
  waits: (waits) =>
    Object.entries(waits).map(
      ([state, duration]) =>
        (it) =>
          it.waited(state, duration),
    ),
  lasted: (duration) => [(it) => it.lasted(duration)],
  caught: (caught) =>
    Object.entries(caught).map(
      ([state, error]) =>
        (it) =>
          it.caught(error, state),
    ),
};

function holdsOf(expect: Partial<Expected>): Record<string, ExpectationCheck[]> {
  const holds: Record<string, ExpectationCheck[]> = {};
  const add = <Field extends keyof Expected>(field: Field) => {
    // A field that exists has a value, because YAML has no undefined.
    if (Object.hasOwn(expect, field)) holds[field] = EXPECTATION_CHECKS[field](expect[field] as Expected[Field]);
  };
  for (const field of Object.keys(expect)) add(field as keyof Expected);
  return holds;
}

function counted(states: Counts): [state: string, times: number | undefined][] {
  return Array.isArray(states) ? [...new Set(states)].map((state) => [state, undefined]) : Object.entries(states);
}

function holdCalls(it: RunExpectation, name: string, wanted: number | unknown[]): void {
  it.called(name, Array.isArray(wanted) ? wanted.length : wanted);
  if (!Array.isArray(wanted)) return;
  for (const [i, input] of wanted.entries()) if (input !== null) it.calledWith(name, input, i + 1);
}
