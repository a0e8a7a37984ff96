// What the test kit throws for mocks and tests that cannot be used as they are written.

/** A test that cannot be run as it is written. */
export class TestKitError extends Error {
  declare readonly code: "TEST_KIT" | "NO_MOCK";

  constructor(message?: string) {
    super(message);
    this.name = "TestKitError";
    this.code = "TEST_KIT";
  }
}

/** A task that no mock answers: none is given for it, or its results are used up. */
export class MockError extends TestKitError {
  declare readonly code: "NO_MOCK";
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
