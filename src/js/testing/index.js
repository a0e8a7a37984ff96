// The entry `stepglass/testing`: machines under test, in any test runner.

export { expectRun } from "./expect.js";
export { testMachine } from "./machine.js";
export { matchers } from "./matchers.js";
export { loadMockConfig, MockConfig } from "./mock-config.js";
export { PropertyError, property } from "./property.js";
export { coverageReport, CoverageReport } from "./coverage/report.js";
export { eachIteration, iterations, never, responds, returns, throws } from "./results.js";
export { MockError, TestKitError } from "./errors.js";
export { resetCoverage, startCoverage, stopCoverage } from "./coverage/collect.js";
