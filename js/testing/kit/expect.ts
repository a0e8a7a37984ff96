// Expectations of a run that read like sentences, with messages that show what happened.

import type { ExecutionStatus } from "../../core/api/index.d.ts";
import type { Duration, RunExpectation as Expectation } from "../../core/api/testing.d.ts";
import { shown as named } from "../../core/base/shown.ts";
import { type MatchOptions, difference, matches } from "./compare.ts";
import { brief } from "../mocks/display.ts";
import { milliseconds, spoken } from "../../core/base/duration.ts";
import { TestKitError } from "../mocks/errors.ts";
import { type Caller, failed } from "./mismatch.ts";
import { isPromise } from "../mocks/answers.ts";
import type { TestRun } from "./run-result.ts";

const LINES = 60;

/** Begins expectations of a run. Each returns the same object, so that they can be chained. */
export function expectRun(run: unknown): RunExpectation {
  if (isPromise(run)) throw new TestKitError("expectRun() takes a run, not a promise: expectRun(await machine.run(input))");
  if (!isRun(run)) throw new TestKitError("expectRun() takes the run that machine.run() resolves to");
  return new RunExpectation(run);
}

/** Returns whether a value is a run, of this copy of the package or of another. */
function isRun(value: unknown): value is TestRun {
  return typeof (value as Partial<TestRun> | null | undefined)?.callsOf === "function";
}

export class RunExpectation implements Expectation {
  #run: TestRun;

  constructor(run: TestRun) {
    this.#run = run;
  }

  /** Expects success, with the given output if there is one. */
  succeeded(...output: unknown[]): this {
    this.#ended("SUCCEEDED", this.succeeded);
    return output.length > 0 ? this.#output(output[0], {}, this.succeeded) : this;
  }

  /** Expects failure, with the given error and cause: strings, RegExps, or a RegExp for the cause. */
  failedWith(error?: string | RegExp, cause?: string | RegExp): this {
    const run = this.#run;
    this.#ended("FAILED", this.failedWith);
    for (const [what, actual, expected] of [
      ["error", run.error, error],
      ["cause", run.cause, cause],
    ] as const) {
      if (expected === undefined || matches(actual ?? null, expected)) continue;
      this.#fail(
        `Expected the execution to fail with the ${what} ${shown(expected)}, but it was ${shown(actual)}.`,
        actual,
        expected,
        this.failedWith,
      );
    }
    return this;
  }

  /** Expects that the machine's own TimeoutSeconds ended the run. */
  timedOut(): this {
    return this.#ended("TIMED_OUT", this.timedOut);
  }

  /** Expects that the run was aborted. */
  aborted(): this {
    return this.#ended("ABORTED", this.aborted);
  }

  /** Expects that the run would wait for ever for a task without an answer or a timeout: in one of the given states, if any. */
  waitsForEver(...states: string[]): this {
    this.#ended("RUNNING", this.waitsForEver);
    const { waiting } = this.#run;
    const missing = states.filter((state) => !waiting.includes(state));
    if (missing.length > 0)
      this.#fail(
        `Expected the execution to wait in ${missing.join(", ")}, but it waits in ${waiting.join(", ")}.`,
        waiting,
        states,
        this.waitsForEver,
      );
    return this;
  }

  /** Expects that the output equals a value, which may contain matchers: RegExps, predicates and `expect.any()`. */
  outputEquals(expected: unknown): this {
    this.#ended("SUCCEEDED", this.outputEquals);
    return this.#output(expected, {}, this.outputEquals);
  }

  /** Expects that the output has at least these members. */
  outputMatches(expected: unknown): this {
    this.#ended("SUCCEEDED", this.outputMatches);
    return this.#output(expected, { partly: true }, this.outputMatches);
  }

  /** Expects that the machine's states, without branches and iterations, were entered in exactly this order. */
  tookPath(...states: (string | readonly string[])[]): this {
    const expected = namesIn(states, "tookPath");
    const actual = this.#run.path;
    if (matches(actual, expected)) return this;
    const at = expected.findIndex((state, i) => actual[i] !== state);
    const where =
      at < 0
        ? `it continued to ${actual[expected.length]}`
        : at >= actual.length
          ? `it ended before ${expected[at]}`
          : `it entered ${actual[at]} instead of ${expected[at]}`;
    return this.#fail(
      `Expected the path ${expected.join(" → ")}, but ${where}.\n  path taken: ${actual.join(" → ")}`,
      actual,
      expected,
      this.tookPath,
    );
  }

  /** Expects that these states were entered in this order, at any depth, with any others in between. */
  passedThrough(...states: (string | readonly string[])[]): this {
    const expected = namesIn(states, "passedThrough");
    const actual = this.#run.visits.map(({ state }) => state);
    let from = 0;
    for (const state of expected) {
      const at = actual.indexOf(state, from);
      if (at < 0) {
        const why = actual.includes(state)
          ? `${state} was not entered after ${expected[expected.indexOf(state) - 1]}`
          : `${state} was never entered`;
        this.#fail(`Expected the execution to pass through ${expected.join(", ")}, but ${why}.`, actual, expected, this.passedThrough);
      }
      from = at + 1;
    }
    return this;
  }

  /** Expects that the state was entered, or that it was entered `times` times. */
  entered(state: string, times?: number): this {
    checkCount(times, "entered");
    this.#known(state, this.entered);
    const actual = this.#run.visits.filter((visit) => visit.state === state).length;
    if (times === undefined ? actual > 0 : actual === times) return this;
    return this.#fail(
      `Expected ${state} to be entered${times === undefined ? "" : ` ${count(times)}`}, but it was ${actual === 0 ? "not" : `entered ${count(actual)}`}.`,
      actual,
      times ?? "at least once",
      this.entered,
    );
  }

  /** Expects that the state was not entered. */
  neverEntered(state: string): this {
    this.#known(state, this.neverEntered);
    const actual = this.#run.visits.filter((visit) => visit.state === state).length;
    return actual === 0
      ? this
      : this.#fail(`Expected ${state} not to be entered, but it was ${count(actual)}.`, actual, 0, this.neverEntered);
  }

  /** Expects that a state, function or resource was called, or called `times` times. Every attempt is a call. */
  called(name: string, times?: number): this {
    checkCount(times, "called");
    this.#callable(name, this.called);
    const calls = this.#run.callsOf(name);
    if (times === undefined ? calls.length > 0 : calls.length === times) return this;
    return this.#fail(
      `Expected ${name} to be called${times === undefined ? "" : ` ${count(times)}`}, but it was called ${count(calls.length)}.${this.#called(name)}`,
      calls.length,
      times ?? "at least once",
      this.called,
    );
  }

  /** Expects that it was never called. */
  neverCalled(name: string): this {
    this.#callable(name, this.neverCalled);
    const calls = this.#run.callsOf(name);
    if (calls.length === 0) return this;
    return this.#fail(
      `Expected ${name} not to be called, but it was called ${count(calls.length)}.${this.#called(name)}`,
      calls.length,
      0,
      this.neverCalled,
    );
  }

  /** Expects that one of its calls, or the one numbered from 1, had this input. Additional members are allowed. */
  calledWith(name: string, input: unknown, call?: number): this {
    namesIn([name], "calledWith");
    checkCount(call, "calledWith");
    const calls = this.#run.callsOf(name);
    if (calls.length === 0) this.#fail(`Expected ${name} to be called, but it was not.${this.#called(name)}`, [], [input], this.calledWith);
    if (call !== undefined && calls[call - 1] === undefined) {
      this.#fail(
        `Expected ${name} to be called at least ${count(call)}, but it was called ${count(calls.length)}.`,
        calls.length,
        call,
        this.calledWith,
      );
    }
    const chosen = call === undefined ? calls : calls.slice(call - 1, call);
    if (chosen.some((one) => matches(one.input, input, { partly: true }))) return this;
    const nearest = chosen.at(-1)?.input;
    const which = call === undefined && chosen.length > 1 ? `none of its ${chosen.length} calls was; the last` : "it";
    return this.#fail(
      `Expected ${name} to be called with ${brief(input)}, but ${which} was called with ${brief(nearest)}.\n${indented(difference(nearest, input, { partly: true }))}`,
      nearest,
      input,
      this.calledWith,
    );
  }

  /** Expects `times` retries of the state in all, on this error if one is given. By default, expects at least one. */
  retried(state: string, times?: number, options?: { on?: string | RegExp }): this {
    checkCount(times, "retried");
    const { on } = options ?? {};
    this.#known(state, this.retried);
    const all = this.#run.retries.filter((retry) => retry.state === state);
    const actual = all.filter(({ error }) => on === undefined || matches(error, on)).length;
    if (times === undefined ? actual > 0 : actual === times) return this;
    const happened = all.map(({ error, delay, index }) => `\n  on ${error} after ${spoken(delay)} by Retry[${index}]`).join("");
    return this.#fail(
      `Expected ${state} to be retried${times === undefined ? "" : ` ${count(times)}`}${on === undefined ? "" : ` on ${shown(on)}`}, but it was retried ${count(actual)}.${happened}`,
      actual,
      times ?? "at least once",
      this.retried,
    );
  }

  /** Expects that the state was never retried. */
  neverRetried(state: string): this {
    return this.retried(state, 0);
  }

  /** Expects that a Wait, or a state's retry delay, took this long: a number of seconds, or "90 s", "1h 30m". */
  waited(state: string, duration: Duration): this {
    this.#known(state, this.waited);
    const expected = milliseconds(duration);
    if (expected === undefined)
      throw new TestKitError(`waited() takes a duration with its unit, such as "90 s" or "1h 30m", not ${named(duration)}`);
    const waits = [...this.#run.waits, ...this.#run.retries.map(({ state: retried, delay }) => ({ state: retried, duration: delay }))];
    const actual = waits.filter((wait) => wait.state === state).map((wait) => wait.duration);
    if (actual.includes(expected)) return this;
    const but = actual.length === 0 ? "did not wait" : `waited ${actual.map(spoken).join(", ")}`;
    return this.#fail(`Expected ${state} to wait ${spoken(expected)}, but it ${but}.`, actual, [expected], this.waited);
  }

  /** Expects that the whole run took this long, in its own time. */
  lasted(duration: Duration): this {
    const expected = milliseconds(duration);
    if (expected === undefined)
      throw new TestKitError(`lasted() takes a duration with its unit, such as "90 s" or "1h 30m", not ${named(duration)}`);
    const actual = this.#run.duration;
    return actual === expected
      ? this
      : this.#fail(`Expected the execution to last ${spoken(expected)}, but it lasted ${spoken(actual)}.`, actual, expected, this.lasted);
  }

  /** Expects that a catcher, of this state and at this index of its Catch if they are given, handled this error. */
  caught(error: string | RegExp, state?: string, index?: number): this {
    if (state !== undefined) this.#known(state, this.caught);
    checkCount(index, "caught");
    const all = this.#run.caught;
    const found = all.some(
      (one) =>
        matches(one.error ?? null, error) && (state === undefined || one.state === state) && (index === undefined || one.index === index),
    );
    if (found) return this;
    const happened =
      all.length === 0
        ? "no error was caught"
        : `the caught ${all.length === 1 ? "error is" : "errors are"} ${all.map((one) => `${one.error} in ${one.state} by Catch[${one.index}]`).join(", ")}`;
    const where = `${state === undefined ? "" : ` in ${state}`}${index === undefined ? "" : ` by Catch[${index}]`}`;
    return this.#fail(`Expected ${shown(error)} to be caught${where}, but ${happened}.`, all, [{ error, state, index }], this.caught);
  }

  /** Expects that no catcher handled an error. */
  caughtNothing(): this {
    const all = this.#run.caught;
    if (all.length === 0) return this;
    return this.#fail(
      `Expected no error to be caught, but ${all.map(({ error, state }) => `${error} was in ${state}`).join(", ")}.`,
      all,
      [],
      this.caughtNothing,
    );
  }

  /** Expects that the state's input, on one of its visits, had at least these members. */
  inputOf(state: string, expected: unknown): this {
    return this.#dataOf(state, "input", expected, this.inputOf);
  }

  /** Expects that the state's output, on one of its visits, had at least these members. */
  outputOf(state: string, expected: unknown): this {
    return this.#dataOf(state, "output", expected, this.outputOf);
  }

  #dataOf(state: string, what: "input" | "output", expected: unknown, from: Caller): this {
    this.#known(state, from);
    const values = this.#run.visits.filter((visit) => visit.state === state).map((visit) => visit[what]);
    if (values.some((value) => matches(value, expected, { partly: true }))) return this;
    if (values.length === 0) this.#fail(`Expected the ${what} of ${state} to match, but it was never entered.`, undefined, expected, from);
    return this.#fail(
      `Expected the ${what} of ${state} to match ${brief(expected)}.\n${indented(difference(values.at(-1), expected, { partly: true }))}`,
      values.at(-1),
      expected,
      from,
    );
  }

  #ended(status: ExecutionStatus, from: Caller): this {
    const run = this.#run;
    if (run.status === status) return this;
    const words = { SUCCEEDED: "succeed", FAILED: "fail", TIMED_OUT: "time out", ABORTED: "be aborted", RUNNING: "wait for ever" };
    return this.#fail(`Expected the execution to ${words[status]}. ${run.ending}`, run.status, status, from);
  }

  #output(expected: unknown, how: MatchOptions, from: Caller): this {
    const { output } = this.#run;
    if (matches(output, expected, how)) return this;
    return this.#fail(
      `Expected the output to ${how.partly ? "match" : "be"} ${brief(expected)}.\n${indented(difference(output, expected, how))}`,
      output,
      expected,
      from,
    );
  }

  /** Throws for a state that does not exist: it was never entered, but a misspelt name must not pass. */
  #known(state: string, from: Caller): void {
    const { outline } = this.#run.machine;
    if (outline.named.has(state)) return;
    const names = outline.states.map(({ name }) => name);
    throw failed(`There is no state ${named(state)}; the states are ${names.slice(0, 30).join(", ")}${names.length > 30 ? " …" : ""}.`, {
      actual: names,
      expected: state,
      operator: "state",
      from,
    });
  }

  /** Throws for a name that no task could ever call. */
  #callable(name: string, from: Caller): void {
    const { machine, nested } = this.#run;
    if (nested.length > 0 || machine.outline.calls(name) !== false) return;
    const { tasks } = machine.outline;
    throw failed(
      `Nothing in the definition calls ${named(name)}; its tasks are ${tasks.slice(0, 30).join(", ") || "none"}${tasks.length > 30 ? " …" : ""}.`,
      { actual: tasks, expected: name, operator: "task", from },
    );
  }

  #called(name: string): string {
    const calls = this.#run.callsOf(name);
    const lines = calls.map(
      ({ input, error, result }, i) => `\n  ${i + 1}. ${brief(input)} ${error === undefined ? `✓ ${brief(result)}` : `✗ ${error}`}`,
    );
    if (lines.length > 0) return lines.slice(0, 10).join("");
    const others = [...new Set(this.#run.calls.map(({ state }) => state))];
    return others.length === 0 ? " Nothing was called." : ` These were called: ${others.join(", ")}.`;
  }

  #fail(message: string, actual: unknown, expected: unknown, from: Caller): never {
    throw failed(message, {
      story: indented(this.#run.text({ times: true, lines: LINES }).trimEnd()),
      actual,
      expected,
      operator: from.name,
      from,
    });
  }
}

/** Returns the names that were passed one by one or in a list. */
function namesIn(states: readonly (string | readonly string[])[], where: string): string[] {
  const names = states.flat();
  for (const name of names) if (typeof name !== "string") throw new TestKitError(`${where}() takes names, not ${named(name)}`);
  return names;
}

function checkCount(number: number | undefined, where: string): void {
  if (number !== undefined && !(Number.isInteger(number) && number >= 0))
    throw new TestKitError(`${where}() takes a whole number that is not negative, not ${named(number)}`);
}

function count(times: number): string {
  return times === 1 ? "once" : times === 2 ? "twice" : `${times} times`;
}

function shown(value: unknown): string {
  return value instanceof RegExp ? String(value) : brief(value);
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
