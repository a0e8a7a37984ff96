// The entry `stepglass/testing`: machines under test, in any test runner.

import "./node.ts";

export { expectRun } from "../testing/expect.ts";
export { testMachine } from "../testing/machine.ts";
export { matchers } from "../testing/matchers.ts";
export { MockConfig } from "../mocks/config.ts";
export { loadMockConfig } from "../mocks/file.ts";
export { PropertyError, property } from "../testing/property.ts";
export { coverageReport, CoverageReport } from "../testing/coverage.ts";
export { eachIteration, iterations, never, responds, returns, throws } from "../mocks/results.ts";
export { MockError, TestKitError } from "../mocks/errors.ts";
export { resetCoverage, startCoverage, stopCoverage } from "../coverage/collect.ts";
