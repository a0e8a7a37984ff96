// The entry `stepglass/testing`: machines under test, in any test runner.

import "./node.ts";

export { expectRun } from "../testing/kit/expect.ts";
export { testMachine } from "../testing/kit/test-machine.ts";
export { matchers } from "../testing/kit/matchers.ts";
export { MockConfig } from "../testing/mocks/config.ts";
export { loadMockConfig } from "../testing/mocks/file.ts";
export { PropertyError, property } from "../testing/kit/property.ts";
export { coverageReport, CoverageReport } from "../testing/kit/coverage-report.ts";
export { eachIteration, iterations, never, responds, returns, throws } from "../testing/mocks/results.ts";
export { MockError, TestKitError } from "../testing/mocks/errors.ts";
export { resetCoverage, startCoverage, stopCoverage } from "../testing/coverage/collect.ts";
