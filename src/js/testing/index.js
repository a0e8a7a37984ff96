// The entry `stepglass/testing`: machines under test, in any test runner.

import { startCoverage } from "./coverage/collect.js";

export { expectRun } from "./expect.js";
export { testMachine } from "./machine.js";
export { matchers } from "./matchers.js";
export { loadMockConfig, MockConfig } from "./mock-config.js";
export { eachIteration, iterations, never, responds, returns, throws } from "./results.js";
export { MockError, TestKitError } from "./errors.js";
export { startCoverage, stopCoverage } from "./coverage/collect.js";

if (process.env.STEPGLASS_COVERAGE) startCoverage({ folder: process.env.STEPGLASS_COVERAGE });
