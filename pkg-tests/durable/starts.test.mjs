// What a start waits for, how the failures of started executions are told apart, and clocks that run faster.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { MemoryStore, Runtime, TestClock, quiet, surroundings } from "./surroundings.mjs";

const { scaledClock } = await importSource("js/entries/durable-node.ts");
const Quick = { StartAt: "P", States: { P: { Type: "Pass", End: true } } };

test("a start waits for its input and for waitFor, and stores nothing before", async () => {
  const { restart, close } = surroundings({ machines: { Quick } });
  const runtime = await restart();
  let give;
  let go;
  const input = new Promise((resolve) => (give = resolve));
  const first = new Promise((resolve) => (go = resolve));
  const starting = runtime.start("Quick", { name: "q", input, waitFor: [first, 7] });
  give({ n: 1 });
  await quiet();
  assert.equal(await runtime.count(), 0);
  go();
  assert.deepEqual((await (await starting).result).output, { n: 1 });
  await assert.rejects(runtime.start("Quick", { waitFor: [Promise.reject(new RangeError("no"))] }), { message: "no" });
  await assert.rejects(runtime.start("Quick", { waitFor: 1 }), { code: "INVALID_OPTION" });
  assert.equal(await runtime.count(), 1);
  await close();
});

const child = (state) => ({ StartAt: "C", States: { C: state } });
const wait = { Type: "Wait", Seconds: 3600, End: true };
const parent = (name) => ({
  StartAt: "Child",
  States: {
    Child: {
      Type: "Task",
      Resource: "arn:aws:states:::states:startExecution.sync:2",
      Parameters: { StateMachineArn: name, "Name.$": "$$.Execution.Name", Input: {} },
      Catch: ["Child.Failed", "Child.TimedOut", "Child.Aborted"].map((error) => ({
        ErrorEquals: [error],
        ResultPath: "$.failure",
        Next: error,
      })),
      End: true,
    },
    ...Object.fromEntries(["Child.Failed", "Child.TimedOut", "Child.Aborted"].map((error) => [error, { Type: "Pass", End: true }])),
  },
});
const machines = {
  Failing: child({ Type: "Fail", Error: "Broken", Cause: "why" }),
  Late: { ...child(wait), TimeoutSeconds: 60 },
  Slow: child(wait),
  OfFailing: parent("Failing"),
  OfLate: parent("Late"),
  OfSlow: parent("Slow"),
};

test("with childErrors, each way in which a started execution fails has an error and a Catch of its own, also across a restart", async () => {
  const { restart, clock, close } = surroundings({ machines, taskOptions: { Child: { childErrors: "distinct" } } });
  let runtime = await restart();
  const started = [];
  for (const machine of ["OfFailing", "OfLate", "OfSlow"]) started.push(await runtime.start(machine, { name: "p" }));
  runtime = await restart();
  await (await runtime.get("Slow", "p")).stop("Stopped", "by hand");
  await clock.pass(61_000);
  const ends = [];
  for (const { arn } of started) {
    const one = await runtime.get(arn);
    const { output } = await one.result;
    const last = (await one.history()).findLast(({ type }) => type === "PassStateEntered").stateEnteredEventDetails.name;
    ends.push([last, output.failure.Error, JSON.parse(output.failure.Cause).Status]);
  }
  assert.deepEqual(ends, [
    ["Child.Failed", "Child.Failed", "FAILED"],
    ["Child.TimedOut", "Child.TimedOut", "TIMED_OUT"],
    ["Child.Aborted", "Child.Aborted", "ABORTED"],
  ]);
  await close();
  assert.throws(() => new Runtime({ machines, taskOptions: { Child: { childErrors: "all" } } }), { code: "INVALID_OPTION" });
});

test("without childErrors, a started execution that fails is States.TaskFailed, as on AWS", async () => {
  const { restart, close } = surroundings({ machines });
  const runtime = await restart();
  const { status, error } = await (await runtime.start("OfFailing")).result;
  assert.deepEqual([status, error], ["FAILED", "States.TaskFailed"]);
  await close();
});

test("a clock that runs by a factor lets a Wait of an hour take a minute", async () => {
  const base = new TestClock();
  const clock = scaledClock(60, base);
  assert.equal(clock.now(), base.now());
  const runtime = await new Runtime({ store: new MemoryStore(), clock, machines: { Slow: machines.Slow } }).open();
  const one = await runtime.start("Slow");
  await quiet();
  await base.pass(59_000);
  assert.equal((await one.describe()).status, "RUNNING");
  await base.pass(1000);
  const { status } = await one.result;
  assert.equal(status, "SUCCEEDED");
  const { startDate, stopDate } = await one.describe();
  assert.equal(stopDate - startDate, 3_600_000);
  await runtime.close();
  for (const factor of [0, -1, NaN, Infinity, "2x"]) assert.throws(() => scaledClock(factor), { code: "INVALID_ARGUMENT" });
});
