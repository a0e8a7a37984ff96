// Test cases of a mock configuration of Step Functions Local.

import type { TaskHandler } from "../api/index.d.ts";
import { type MockConfig, loadMockConfig } from "../mocks/config.ts";
import { answerer } from "../mocks/answers.ts";

/** The test cases of a mock configuration: a file, or what is in it. */
export class TestCases {
  readonly #config: MockConfig;

  /** Throws where it cannot be read. */
  constructor(source: unknown) {
    this.#config = loadMockConfig(source);
  }

  /** The mocks of a test case for one execution, by state: each counts the invocations of its state. Throws for an unknown one. */
  begin(machine: string, testCase: string): Map<string, TaskHandler> {
    const mocks = this.#config.mocks(machine, testCase);
    return new Map(Object.entries(mocks).map(([state, mock]) => [state, answerer(state, mock)]));
  }
}
