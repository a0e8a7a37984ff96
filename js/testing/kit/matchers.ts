// The expectations as matchers of Vitest and Jest: `expect.extend(matchers)`.

import type { AssertionError } from "node:assert";
import type { RunExpectation, RunMatcher, RunMatchers, TestRun } from "../../core/api/testing.d.ts";
import { expectRun } from "./expect.ts";

/** The expectation of each matcher. */
const NAMES: Record<keyof RunMatchers, keyof RunExpectation> = {
  toSucceed: "succeeded",
  toFailWith: "failedWith",
  toTimeOut: "timedOut",
  toWaitForEver: "waitsForEver",
  toOutput: "outputEquals",
  toOutputMatching: "outputMatches",
  toTakePath: "tookPath",
  toPassThrough: "passedThrough",
  toEnter: "entered",
  toCall: "called",
  toCallWith: "calledWith",
  toRetry: "retried",
  toWait: "waited",
  toLast: "lasted",
  toCatch: "caught",
};

/** The argument of `expect.extend()`. */
export const matchers = Object.fromEntries(
  Object.entries(NAMES).map(([name, expectation]) => [name, matcherOf(name, expectation)]),
) as Record<keyof RunMatchers, RunMatcher>;

function matcherOf(name: string, expectation: keyof RunExpectation): RunMatcher {
  return function (run: TestRun, ...args: unknown[]) {
    try {
      const expected = expectRun(run);
      // RunMatchers declares the arguments of each matcher.
      const check: (...given: never[]) => unknown = expected[expectation];
      check.apply(expected, args as never[]);
    } catch (error) {
      if (!isAssertionError(error)) throw error;
      return { pass: false, message: () => error.message, actual: error.actual, expected: error.expected };
    }
    return {
      pass: true,
      message: () => `Expected the run not to satisfy ${name}.\n\nWhat happened:\n${run.text({ times: true, lines: 60 })}`,
    };
  };
}

function isAssertionError(error: unknown): error is AssertionError {
  return (error as { code?: unknown } | null | undefined)?.code === "ERR_ASSERTION";
}
