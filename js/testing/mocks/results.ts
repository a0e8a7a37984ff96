// The results with which mocks answer.

import type { Duration, IterationMock as IterationAnswers, Mock, MockResult as Answer } from "../../core/api/testing.d.ts";
import { argumentText } from "../../core/tasks/integration.ts";
import { brief } from "./display.ts";
import { milliseconds, spoken } from "../../core/base/duration.ts";
import { TestKitError } from "./errors.ts";

const RESULT = Symbol.for("stepglass.MockResult");
const ITERATIONS = Symbol.for("stepglass.IterationMock");

/** The content of a mock result: `value` for "return" and "respond", `error` and `cause` for "throw". */
interface ResultFields {
  kind: "return" | "respond" | "throw" | "never";
  value?: unknown;
  error?: string;
  cause?: string | undefined;
  /** Delay of the answer, in milliseconds. */
  delay?: number;
}

/** One answer to one call. `returns`, `responds`, `throws` and `never` create it. */
export class MockResult implements Answer {
  declare readonly kind: ResultFields["kind"];
  declare readonly value: unknown;
  declare readonly error: string | undefined;
  declare readonly cause: string | undefined;
  declare readonly delay: number;

  constructor(fields: ResultFields) {
    Object.assign(this, { delay: 0, ...fields });
    Object.freeze(this);
  }

  get [RESULT]() {
    return true;
  }

  /** Returns the same answer with a delay: "90 s", "2h". */
  after(duration: Duration): MockResult {
    const delay = milliseconds(duration);
    if (delay === undefined)
      throw new TestKitError(`after() takes a duration with its unit, such as "90 s" or "1h 30m", not ${brief(duration)}`);
    return new MockResult({ ...this, delay });
  }

  toString(): string {
    const late = this.delay > 0 ? `.after("${spoken(this.delay)}")` : "";
    if (this.kind === "throw")
      return `throws(${[this.error, this.cause]
        .filter((part) => part !== undefined)
        .map((part) => brief(part, 1e4))
        .join(", ")})${late}`;
    if (this.kind === "never") return "never()";
    return `${this.kind === "respond" ? "responds" : "returns"}(${this.value === undefined ? "" : brief(this.value, 1e4)})${late}`;
  }
}

/** The task succeeds with this result. For `lambda:invoke`, it is the function's payload. */
export function returns(value?: unknown): MockResult {
  return new MockResult({ kind: "return", value });
}

/** The task succeeds with the service's whole response, without a wrapper. */
export function responds(value: unknown): MockResult {
  return new MockResult({ kind: "respond", value });
}

/** The task fails with this `Error` and `Cause`. */
export function throws(error: string, cause?: unknown): MockResult {
  if (typeof error !== "string") throw new TestKitError("throws() takes the error's name and, optionally, its cause");
  return new MockResult({
    kind: "throw",
    error,
    cause: cause === undefined || typeof cause === "string" ? cause : argumentText(cause, "the cause"),
  });
}

/** The task gets no answer and runs into its TimeoutSeconds. */
export function never(): MockResult {
  return new MockResult({ kind: "never" });
}

/** Results for each iteration of the Map around the state. Calls are counted from 0 in every iteration. */
export class IterationMock implements IterationAnswers {
  /** The results of all iterations. */
  readonly each: Mock | undefined;
  /** The results of single iterations, by index or range. */
  readonly some: Readonly<Record<string, Mock>> | undefined;

  constructor({ each, some }: IterationAnswers) {
    this.each = each;
    this.some = some;
  }

  get [ITERATIONS]() {
    return true;
  }
}

/** Gives the same results in every iteration. Calls are counted from 0 in each. */
export function eachIteration(mock: Mock): IterationMock {
  return new IterationMock({ each: mock });
}

/** Gives results by the iteration's index: `{ 0: …, "1-3": …, "*": … }`. */
export function iterations(mocks: Readonly<Record<string, Mock>> | readonly Mock[]): IterationMock {
  if (typeof mocks !== "object" || mocks === null)
    throw new TestKitError("iterations() takes an object of mocks by index, or an array of mocks");
  return new IterationMock({ some: isList(mocks) ? Object.fromEntries(mocks.entries()) : mocks });
}

/** `Array.isArray` does not narrow the type of a readonly array. */
function isList(mocks: Readonly<Record<string, Mock>> | readonly Mock[]): mocks is readonly Mock[] {
  return Array.isArray(mocks);
}

/** Returns whether a value is an answer of a mock, of this copy of the package or of another. */
export function isResult(value: unknown): value is MockResult {
  return typeof value === "object" && value !== null && RESULT in value && value[RESULT] === true;
}

/** Returns whether a value has results for iterations, of this copy of the package or of another. */
export function isIterations(value: unknown): value is IterationMock {
  return typeof value === "object" && value !== null && ITERATIONS in value && value[ITERATIONS] === true;
}
