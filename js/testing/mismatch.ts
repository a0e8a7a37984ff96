// Failed expectations.

import { AssertionError } from "node:assert";

/** A function. The stack of a failed expectation begins at its caller. */
export type Caller = (...args: never[]) => unknown;

/** The details of a failed expectation. `from` is the expectation's function. */
interface Mismatch {
  actual: unknown;
  expected: unknown;
  operator: string;
  from: Caller;
}

/** Creates a failed expectation. Test runners show `actual` and `expected` next to the message, which describes the run. */
export function failed(message: string, { actual, expected, operator, from }: Mismatch): AssertionError {
  return new AssertionError({ message, actual, expected, operator, stackStartFn: from });
}
