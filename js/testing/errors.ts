// What the test kit throws.

import { AssertionError } from "node:assert";

/** A test that cannot be run as it is written. */
export class TestKitError extends Error {
  declare code: string;

  constructor(message: string) {
    super(message);
    this.name = "TestKitError";
    this.code = "TEST_KIT";
  }
}

/** A task that no mock answers: none is given for it, or its results are used up. */
export class MockError extends TestKitError {
  declare readonly state: string;
  declare readonly resource: string;
  declare readonly invocation: number;

  constructor(message: string, { state, resource, invocation }: { state: string; resource: string; invocation: number }) {
    super(message);
    this.name = "MockError";
    this.code = "NO_MOCK";
    this.state = state;
    this.resource = resource;
    this.invocation = invocation;
  }
}

/** A function: the stack of a failed expectation begins at its caller. */
export type Caller = (...args: never[]) => unknown;

/** What a failed expectation shows beside its message; `from` is the expectation's function. */
export interface Mismatch {
  actual: unknown;
  expected: unknown;
  operator: string;
  from: Caller;
}

/** A failed expectation. Test runners show `actual` and `expected` beside the message, which tells what happened. */
export function failed(message: string, { actual, expected, operator, from }: Mismatch): AssertionError {
  return new AssertionError({ message, actual, expected, operator, stackStartFn: from });
}
