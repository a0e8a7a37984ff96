// Errors for invalid mocks and tests.

/** Thrown for a test that cannot be run in its present form. */
export class TestKitError extends Error {
  declare readonly code: "TEST_KIT" | "NO_MOCK";

  constructor(message?: string) {
    super(message);
    this.name = "TestKitError";
    this.code = "TEST_KIT";
  }
}

/** Thrown for a task that no mock answers: it has none, or its results are used up. */
export class MockError extends TestKitError {
  declare readonly code: "NO_MOCK";
  declare readonly state: string;
  declare readonly resource: string;
  declare readonly invocation: number;
  /** What is wrong, without the advice for programs in JavaScript. Not enumerable. */
  declare readonly problem: string;

  /** `advice` follows the problem in the message. */
  constructor(problem: string, { state, resource, invocation }: { state: string; resource: string; invocation: number }, advice = "") {
    super(problem + advice);
    Object.defineProperty(this, "problem", { value: problem });
    this.name = "MockError";
    this.code = "NO_MOCK";
    this.state = state;
    this.resource = resource;
    this.invocation = invocation;
  }
}
