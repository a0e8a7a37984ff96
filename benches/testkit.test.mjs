// A suite as people write them: 200 tests of one machine of 30 states, in node:test. For `npm run bench -- --testkit`.
import { test } from "node:test";
import { expectRun, returns, testMachine, throws } from "../dist/testing.js";

const TESTS = 200;
const STATES = 30;

/** Ten times: a Task with Retry and Catch, a Choice, a Wait. */
function definition() {
  const states = {};
  for (let i = 0; i < STATES / 3; i++) {
    const next = i === STATES / 3 - 1 ? { End: true } : { Next: `Task ${i + 1}` };
    states[`Task ${i}`] = {
      Type: "Task",
      Resource: `arn:aws:lambda:us-east-1:123456789012:function:work-${i}`,
      Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 60 }],
      Catch: [{ ErrorEquals: ["States.ALL"], ResultPath: "$.error", Next: `Wait ${i}` }],
      ResultPath: "$.result",
      Next: `Enough ${i}`,
    };
    states[`Enough ${i}`] = {
      Type: "Choice",
      Choices: [{ Variable: "$.result.n", NumericGreaterThan: 5, Next: `Wait ${i}` }],
      Default: `Wait ${i}`,
    };
    states[`Wait ${i}`] = { Type: "Wait", Seconds: 3600, ...next };
  }
  return { StartAt: "Task 0", States: states };
}

const machine = testMachine(definition(), { mocks: { "work-*": returns({ n: 10 }) } });

for (let i = 0; i < TESTS; i++) {
  test(`test ${i}`, async () => {
    const busy = `Task ${i % 10}`;
    const run = await machine.run({ order: i }, { mocks: { [busy]: [throws("Busy"), returns({ n: i })] } });
    expectRun(run)
      .succeeded()
      .outputMatches({ order: i })
      .called(busy, 2)
      .retried(busy, 1)
      .waited(`Wait ${i % 10}`, "1h")
      .entered("Enough 9")
      .caughtNothing();
  });
}

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`# cpu ${(user + system) / 1000}\n`);
});
