// Property tests: what is generated, what must hold, and the shortest schedule that fails.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PropertyError, expectRun, property, returns, testMachine } from "stepglass/testing";

/** Cancels a reservation when the payment is declined, but not when it fails in another way. */
const saga = {
  StartAt: "Reserve",
  States: {
    Reserve: {
      Type: "Task",
      Resource: "reserve",
      Retry: [{ ErrorEquals: ["Busy"], MaxAttempts: 2 }],
      Catch: [{ ErrorEquals: ["States.ALL"], Next: "Failed" }],
      Next: "Charge",
    },
    Charge: {
      Type: "Task",
      Resource: "charge",
      TimeoutSeconds: 60,
      Retry: [{ ErrorEquals: ["Busy"] }],
      Catch: [{ ErrorEquals: ["Declined"], Next: "Release" }],
      Next: "Done",
    },
    Release: { Type: "Task", Resource: "release", Retry: [{ ErrorEquals: ["States.ALL"], MaxAttempts: 100 }], Next: "Failed" },
    Failed: { Type: "Fail", Error: "OrderFailed" },
    Done: { Type: "Succeed" },
  },
};
const released = (run) => run.status === "SUCCEEDED" || !run.hits["/States/Reserve/Next"] || run.hits["/States/Release/Next"] > 0;

async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof PropertyError, error.stack);
    return error;
  }
  return assert.fail("the property holds");
}

test("a correct machine passes, and the report says what was tried", async () => {
  const report = await property(saga, { runs: 200, seed: 5 });
  assert.deepEqual([report.seed, report.runs], [5, 200]);
  assert.ok(report.calls > 200);
  assert.ok(report.statuses.SUCCEEDED > 20 && report.statuses.FAILED > 20);
  assert.deepEqual(await property(saga, { runs: 200, seed: 5 }), report);
});

test("a failing schedule is minimized, and seed and schedule reproduce it", async () => {
  const error = await failure(property(saga, { runs: 500, seed: 11, delays: [1, 30], check: released }));
  assert.deepEqual(error.schedule, { "Charge#0": { kind: "throw", error: "Unexpected.Error" } });
  assert.equal(error.problem, "check() returned false");
  assert.match(error.message, /Charge, call 1: fails with Unexpected\.Error\n {2}every other call succeeds at once/);
  assert.match(error.message, new RegExp(`seed: ${error.seed}, runs: 1`));
  const [, printed] = /schedule: (\{.*\}) \}\)/.exec(error.message);
  assert.equal(
    (await failure(property(saga, { seed: error.seed, runs: 1, delays: [1, 30], check: released }))).message.split("What happened")[1],
    error.message.split("What happened")[1],
  );
  const again = await failure(property(saga, { schedule: JSON.parse(printed), check: released }));
  assert.deepEqual(again.run.text(), error.run.text());
});

test("failures that are needed together stay together", async () => {
  const twice = (run) => run.retries.filter(({ state, error }) => state === "Reserve" && error === "Busy").length < 2;
  const error = await failure(property(saga, { runs: 500, seed: 3, check: twice }));
  assert.deepEqual(error.schedule, { "Reserve#0": { kind: "throw", error: "Busy" }, "Reserve#1": { kind: "throw", error: "Busy" } });
});

test("the calls of iterations are distinguished", async () => {
  const map = {
    StartAt: "M",
    States: {
      M: {
        Type: "Map",
        ItemProcessor: {
          StartAt: "T",
          States: {
            T: { Type: "Task", Resource: "t", Catch: [{ ErrorEquals: ["Odd"], Next: "C" }], End: true },
            C: { Type: "Pass", End: true },
          },
        },
        Catch: [{ ErrorEquals: ["States.ALL"], Next: "Done" }],
        End: true,
      },
      Done: { Type: "Succeed" },
    },
  };
  const check = (run) => !run.caught.some(({ error, iterations }) => error === "Odd" && iterations[0] === 2);
  const error = await failure(property(map, { input: [1, 2, 3, 4], runs: 300, seed: 2, check }));
  assert.deepEqual(error.schedule, { "T[2]#0": { kind: "throw", error: "Odd" } });
});

test("the generated errors are those that Retry and Catch name around a task, one that is not named, and timeouts", async () => {
  const seen = new Set();
  await property(saga, {
    runs: 400,
    seed: 1,
    errors: { Release: ["Gone"] },
    check: (run) => run.calls.forEach(({ state, error }) => seen.add(`${state} ${error}`)),
  });
  for (const outcome of [
    "Reserve Busy",
    "Reserve Unexpected.Error",
    "Charge Busy",
    "Charge Declined",
    "Charge Unexpected.Error",
    "Charge AbortError",
    "Release Gone",
    "Release undefined",
  ])
    assert.ok(seen.has(outcome), outcome);
  // Only Charge has a timeout; Release handles no error by name.
  for (const outcome of ["Reserve AbortError", "Release Busy", "Reserve States.ALL"]) assert.ok(!seen.has(outcome), outcome);
});

test("an execution that waits forever is found", async () => {
  const error = await failure(property(saga, { timeouts: "all", seed: 1 }));
  assert.match(error.problem, /waits for ever in (Reserve|Release)/);
  assert.equal(Object.values(error.schedule).filter(({ kind }) => kind === "never").length, 1);
  await property(saga, { timeouts: "all", seed: 1, allow: ["hang"], runs: 30 });
});

test("States.Runtime is found, with the outputs that lead to it", async () => {
  const choice = {
    StartAt: "T",
    States: {
      T: { Type: "Task", Resource: "t", Next: "C" },
      C: { Type: "Choice", Choices: [{ Variable: "$.kind", StringEquals: "a", Next: "Done" }], Default: "Done" },
      Done: { Type: "Succeed" },
    },
  };
  await property(choice, { seed: 1, outputs: { T: [{ kind: "a" }, { kind: "b" }] } });
  const error = await failure(property(choice, { seed: 1, outputs: { T: [{ kind: "a" }, {}] } }));
  assert.match(error.problem, /States\.Runtime, which nothing can catch: .*\$\.kind/);
  assert.deepEqual(error.schedule, { "T#0": { kind: "return", pick: 1 } });
  await property(choice, { seed: 1, outputs: { T: {} }, allow: ["States.Runtime"] });
});

test("inputs are selected or generated; mocks and checks of any kind can be used", async () => {
  const inputs = new Set();
  await property(saga, {
    seed: 1,
    runs: 60,
    inputs: [1, 2, 3],
    mocks: { Reserve: returns({}), Charge: returns({}) },
    check: (run) => (inputs.add(run.input), expectRun(run).succeeded()),
  });
  assert.deepEqual([...inputs].sort(), [1, 2, 3]);
  const made = await failure(
    property(saga, {
      seed: 1,
      inputs: (random) => ({ n: random.below(10) }),
      check: async ({ input }) => assert.ok(input.n < 8, "too large"),
    }),
  );
  assert.equal(made.problem, "too large");
  assert.ok(made.input.n >= 8);
  await property(testMachine(saga), { seed: 1, runs: 5 });
  // The first input of a list that fails is reported with the schedule.
  const check = ({ input, retries }) => input < 2 || retries.length === 0;
  const shrunk = await failure(property(saga, { seed: 4, runs: 200, inputs: [1, 2, 3, 4, 5], check }));
  assert.equal(shrunk.input, 2);
  const [, schedule, input] = /schedule: (\{.*\}), input: (.*) \}\)/.exec(shrunk.message);
  assert.equal((await failure(property(saga, { schedule: JSON.parse(schedule), input: JSON.parse(input), inputs: [1], check }))).input, 2);
});

test("invalid options are refused", async () => {
  for (const [options, message] of [
    [{ run: 1 }, /property\(\) has no option "run"/],
    [{ runs: 0 }, /runs must be a whole number/],
    [{ seed: "a" }, /seed must be a whole number/],
  ]) {
    await assert.rejects(property(saga, options), message);
  }
});
