// Failed expectations.

import { AssertionError } from "node:assert";
import { messageOf } from "../../core/base/errors.ts";

/** A function. The stack of a failed expectation begins at its caller. */
export type Caller = (...args: never[]) => unknown;

/** The details of a failed expectation. `from` is the expectation's function, and `story` what happened in the run. */
interface Mismatch {
  story?: string;
  actual: unknown;
  expected: unknown;
  operator: string;
  from: Caller;
}

/** Creates a failed expectation. Test runners show `actual` and `expected` next to the message, which describes the run. */
export function failed(problem: string, { story, actual, expected, operator, from }: Mismatch): AssertionError {
  const message = story === undefined ? problem : `${problem}\n\nWhat happened:\n${story}\n`;
  const error = new AssertionError({ message, actual, expected, operator, stackStartFn: from });
  // The property is not enumerable, because test runners would show it beside the message.
  return Object.defineProperty(error, "problem", { value: problem });
}

/** Returns the message of an error, without the story of the run if the error is a failed expectation. */
export function withoutStory(thrown: unknown): string {
  const { problem } = (thrown ?? {}) as { problem?: unknown };
  return typeof problem === "string" ? problem : messageOf(thrown);
}
