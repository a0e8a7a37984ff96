// The history, as a whole and while it grows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine } from "stepglass";
import { deferred, lambda, turn, watchRejections } from "./machines.mjs";

watchRejections();

const TYPES = [
  "ExecutionStarted",
  "TaskStateEntered",
  "LambdaFunctionScheduled",
  "LambdaFunctionStarted",
  "LambdaFunctionSucceeded",
  "TaskStateExited",
  "ExecutionSucceeded",
];

test("the history is what GetExecutionHistory returns", async () => {
  const running = lambda().start({ x: 1 }, { tasks: { Add: () => 2 }, startTime: 0, clock: "virtual" });
  await running.result;
  const events = running.history();
  assert.deepEqual(
    events.map((event) => event.type),
    TYPES,
  );
  assert.deepEqual(
    events.map((event) => event.id),
    [1, 2, 3, 4, 5, 6, 7],
  );
  assert.deepEqual(
    events.map((event) => event.previousEventId),
    [0, 0, 2, 3, 4, 5, 6],
  );
  assert.deepEqual(events[1].stateEnteredEventDetails, { name: "T", input: '{"x":1}', inputDetails: { truncated: false } });
  assert.ok(!Number.isNaN(Date.parse(events[0].timestamp)));
});

test("iteration returns events as they happen, to several readers, and to late ones from the start", async () => {
  const gate = deferred();
  const running = lambda().start({}, { tasks: { Add: () => gate.promise } });
  const early = [];
  const first = (async () => {
    for await (const event of running) early.push(event.type);
  })();
  await turn();
  assert.deepEqual(early, TYPES.slice(0, 4));
  const second = collect(running);
  gate.resolve(1);
  await first;
  assert.deepEqual(early, TYPES);
  assert.deepEqual(
    (await second).map((event) => event.type),
    TYPES,
  );
  assert.deepEqual(
    (await collect(running)).map((event) => event.type),
    TYPES,
  );
});

test("the histories of many ended executions can still be read", async () => {
  const machine = lambda();
  const many = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const running = machine.start({ i }, { tasks: { Add: () => i } });
      await running.result;
      return running;
    }),
  );
  many.forEach((running, i) => {
    const events = running.history();
    assert.deepEqual(
      events.map((event) => event.type),
      TYPES,
    );
    assert.equal(events.at(-1).executionSucceededEventDetails.output, String(i));
    assert.deepEqual(running.history(), events);
  });
});

test("iteration can be left early", async () => {
  const running = lambda().start({}, { tasks: { Add: () => 1 } });
  for await (const event of running) {
    assert.equal(event.type, "ExecutionStarted");
    break;
  }
  assert.equal((await running.result).status, "SUCCEEDED");
});

test("iteration of an aborted execution ends", async () => {
  const running = lambda().start({}, { tasks: { Add: () => new Promise(() => {}) } });
  const events = collect(running);
  await turn();
  running.abort();
  assert.equal((await events).at(-1).type, "ExecutionAborted");
});

test("iteration without history ends with the execution", async () => {
  const running = lambda().start({}, { tasks: { Add: () => 1 }, history: "none" });
  assert.deepEqual(await collect(running), []);
});

test("onEvent is called for every event in order, also from within a call", async () => {
  const heard = [];
  const running = lambda().start(
    {},
    {
      tasks: { Add: () => 1 },
      onEvent(event, execution) {
        assert.equal(execution, running);
        assert.ok(execution.history().length >= event.id);
        heard.push(event.type);
      },
    },
  );
  await running.result;
  assert.deepEqual(heard, TYPES);
});

test("an onEvent that throws or rejects affects nothing", async (t) => {
  const said = t.mock.method(console, "error", () => {});
  for (const onEvent of [
    () => {
      throw new Error("observer");
    },
    async () => {
      throw new Error("observer");
    },
  ]) {
    assert.equal(await lambda().run({}, { tasks: { Add: () => 1 }, onEvent }), 1);
    await turn();
  }
  assert.ok(said.mock.callCount() > 0);
});

test("a history of 25,000 events ends the execution, as on AWS", async () => {
  const machine = new StateMachine({
    StartAt: "A",
    States: {
      A: { Type: "Pass", Next: "B" },
      B: { Type: "Choice", Choices: [{ Variable: "$.x", IsPresent: true, Next: "C" }], Default: "A" },
      C: { Type: "Succeed" },
    },
  });
  const running = machine.start({});
  const result = await running.result;
  assert.equal(result.status, "FAILED");
  assert.equal(running.history().length, 25_000);
  assert.equal((await collect(running)).length, 25_000);
});

async function collect(running) {
  const events = [];
  for await (const event of running) events.push(event);
  return events;
}
