// Failed expectations.

import { AssertionError } from "node:assert";

/** A function: the stack of a failed expectation begins at its caller. */
export type Caller = (...args: never[]) => unknown;

/** What a failed expectation shows beside its message; `from` is the expectation's function. */
interface Mismatch {
  actual: unknown;
  expected: unknown;
  operator: string;
  from: Caller;
}

/** A failed expectation. Test runners show `actual` and `expected` beside the message, which tells what happened. */
export function failed(message: string, { actual, expected, operator, from }: Mismatch): AssertionError {
  return new AssertionError({ message, actual, expected, operator, stackStartFn: from });
}
