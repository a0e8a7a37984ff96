// Replaces `node:assert` in a worker, as far as the test kit uses it.

interface Options {
  message?: string;
  actual?: unknown;
  expected?: unknown;
  operator?: string;
}

export class AssertionError extends Error {
  readonly code = "ERR_ASSERTION";
  readonly generatedMessage: boolean;
  actual: unknown;
  expected: unknown;
  operator: string;

  constructor({ message, actual, expected, operator = "fail" }: Options) {
    super(message ?? "Failed");
    this.name = "AssertionError";
    this.generatedMessage = message === undefined;
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
  }
}
