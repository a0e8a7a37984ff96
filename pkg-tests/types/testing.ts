// Compiled, but never run: the types of stepglass/testing.
import { StateMachine } from "stepglass";
import {
  MockError,
  PropertyError,
  coverageReport,
  eachIteration,
  expectRun,
  iterations,
  loadMockConfig,
  matchers,
  never,
  property,
  responds,
  returns,
  startCoverage,
  testMachine,
  throws,
} from "stepglass/testing";
import type { CoverageReport, Mock, Mocks, RunMatchers, TestMachine, TestRun } from "stepglass/testing";

const machine: TestMachine = testMachine("order.asl.json", {
  mockConfig: loadMockConfig("MockConfigFile.json"),
  mocks: { A: returns() },
  type: "EXPRESS",
});
testMachine(new URL("file:///order.asl.json"));
testMachine({ StartAt: "A", States: {} }, { input: { a: 1 } });
testMachine(new StateMachine("{}"));

const mocks: Mocks = {
  All: returns({ a: 1 }).after("1h"),
  Attempts: [throws("Busy"), { Throw: { Error: "E", Cause: "c" } }, returns(1), () => 2],
  Numbers: { 0: throws("Busy", { any: 1 }), "1-2": { Return: 1 } },
  Each: eachIteration([throws("Busy"), returns(1)]),
  Some: iterations({ 0: never(), "*": responds({ StatusCode: 200 }) }),
  Function: (input, task) => ({ ...input, n: task.attempt }),
};
const one: Mock = never();
const run: TestRun = await machine.run({}, { mocks, tasks: { A: () => 1 }, seed: 2 });
await machine.test("HappyPath", {}, { mocks: { A: one } });
expectRun(run)
  .succeeded()
  .tookPath("A", "B")
  .tookPath(["A"])
  .called("A", 2)
  .retried("A", 1, { on: /Busy/ })
  .waited("W", "1h")
  .caught("E", "A", 0);
const label: string = run.calls[0]?.state ?? run.visits[0]?.state ?? run.ending;

// @ts-expect-error a mock of a state is a result, not a value
await machine.run({}, { mocks: { A: 5 } });
// @ts-expect-error an expectation needs a run
expectRun(machine);
// @ts-expect-error there is no such expectation
expectRun(run).tookTheBus();

const report = await property(machine, {
  runs: 5,
  outputs: { A: [1, 2] },
  inputs: (random) => random.below(3),
  check: ({ status }) => status !== "FAILED",
});
report.statuses.FAILED satisfies number | undefined;
startCoverage({ folder: "coverage" });
const coverage: CoverageReport = coverageReport({ definitions: ["a.asl.json"] });
coverage.totals.states.covered satisfies number;
coverage.html({ title: label }) satisfies string;
matchers.toSucceed satisfies Function;
declare function expect(run: TestRun): RunMatchers<void>;
expect(run).toTakePath("A", "B");
try {
  await machine.run();
} catch (error) {
  if (error instanceof MockError) error.invocation satisfies number;
  if (error instanceof PropertyError) error.schedule["A#0"]?.kind satisfies string | undefined;
}
