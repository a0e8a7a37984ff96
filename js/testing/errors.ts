// @ts-nocheck: has no types yet.
// What the test kit throws.

import { AssertionError } from "node:assert";

/** A test that cannot be run as it is written. */
export class TestKitError extends Error {
  constructor(message) {
    super(message);
    this.name = "TestKitError";
    this.code = "TEST_KIT";
  }
}

/** A task that no mock answers: none is given for it, or its results are used up. */
export class MockError extends TestKitError {
  constructor(message, { state, resource, invocation }) {
    super(message);
    this.name = "MockError";
    this.code = "NO_MOCK";
    this.state = state;
    this.resource = resource;
    this.invocation = invocation;
  }
}

/** A failed expectation. Test runners show `actual` and `expected` beside the message, which tells what happened. */
export function failed(message, { actual, expected, operator, from }) {
  return new AssertionError({ message, actual, expected, operator, stackStartFn: from });
}
