// @ts-nocheck: has no types yet.
// What a mock answers.

import { milliseconds, spoken } from "./duration.ts";
import { argumentText } from "../tasks/integration.ts";
import { brief } from "./compare.ts";
import { TestKitError } from "./errors.ts";

const RESULT = Symbol.for("stepglass.MockResult");
const ITERATIONS = Symbol.for("stepglass.IterationMock");

/** One answer to one call. Made by `returns`, `responds`, `throws` and `never`. */
export class MockResult {
  constructor(fields) {
    Object.assign(this, { delay: 0, ...fields });
    Object.freeze(this);
  }

  get [RESULT]() {
    return true;
  }

  /** The same answer, so much later: a number of seconds, or "90 s", "2h". */
  after(duration) {
    const delay = milliseconds(duration);
    if (delay === undefined) throw new TestKitError(`after() takes a duration with its unit, such as "90 s" or "1h 30m", not ${brief(duration)}`);
    return new MockResult({ ...this, delay });
  }

  toString() {
    const late = this.delay > 0 ? `.after("${spoken(this.delay)}")` : "";
    if (this.kind === "throw") return `throws(${[this.error, this.cause].filter((part) => part !== undefined).map((part) => brief(part, 1e4)).join(", ")})${late}`;
    if (this.kind === "never") return "never()";
    return `${this.kind === "respond" ? "responds" : "returns"}(${this.value === undefined ? "" : brief(this.value, 1e4)})${late}`;
  }
}

/** The task succeeds with this result; of `lambda:invoke` it is the function's payload. */
export function returns(value) {
  return new MockResult({ kind: "return", value });
}

/** The task succeeds with the service's whole response: nothing is put around it. */
export function responds(value) {
  return new MockResult({ kind: "respond", value });
}

/** The task fails with this `Error` and `Cause`. */
export function throws(error, cause) {
  if (typeof error !== "string") throw new TestKitError("throws() takes the error's name and, optionally, its cause");
  return new MockResult({ kind: "throw", error, cause: cause === undefined || typeof cause === "string" ? cause : argumentText(cause, "the cause") });
}

/** No answer comes: the task runs into its TimeoutSeconds. */
export function never() {
  return new MockResult({ kind: "never" });
}

/** Results for each iteration of the Map around the state, which count anew in every one. */
export class IterationMock {
  /** @param each the results of all iterations, or @param some those of single ones, by index or range. */
  constructor({ each, some }) {
    this.each = each;
    this.some = some;
  }

  get [ITERATIONS]() {
    return true;
  }
}

/** The same results in every iteration, counted anew in each. */
export function eachIteration(mock) {
  return new IterationMock({ each: mock });
}

/** Results by the iteration's index: `{ 0: …, "1-3": …, "*": … }`. */
export function iterations(mocks) {
  if (typeof mocks !== "object" || mocks === null) throw new TestKitError("iterations() takes an object of mocks by index, or an array of mocks");
  return new IterationMock({ some: Array.isArray(mocks) ? Object.fromEntries(mocks.entries()) : mocks });
}

export function isResult(value) {
  return typeof value === "object" && value !== null && value[RESULT] === true;
}

export function isIterations(value) {
  return typeof value === "object" && value !== null && value[ITERATIONS] === true;
}
