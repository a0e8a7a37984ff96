// @ts-nocheck: has no types yet.
// The expectations as matchers of Vitest and Jest: expect.extend(matchers).

import { expectRun } from "./expect.ts";

/** Matcher name → expectation. */
const NAMES = {
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

/** For `expect.extend()`. */
export const matchers = Object.fromEntries(
  Object.entries(NAMES).map(([name, expectation]) => [
    name,
    function (run, ...args) {
      try {
        expectRun(run)[expectation](...args);
      } catch (error) {
        if (error.code !== "ERR_ASSERTION") throw error;
        return { pass: false, message: () => error.message, actual: error.actual, expected: error.expected };
      }
      return { pass: true, message: () => `Expected the run not to satisfy ${name}.\n\nWhat happened:\n${run.text({ times: true, lines: 60 })}` };
    },
  ]),
);
