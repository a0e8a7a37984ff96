// Coverage of a definition by an execution.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine, TaskError } from "stepglass";

const definition = {
  StartAt: "Route",
  States: {
    Route: {
      Type: "Choice",
      // Both transitions lead to one state, so only the engine knows which one was taken.
      Choices: [
        { Variable: "$.n", NumericGreaterThan: 10, Next: "Work" },
        { Variable: "$.n", NumericGreaterThan: 5, Next: "Work" },
      ],
      Default: "Done",
    },
    Work: {
      Type: "Task",
      Resource: "work",
      Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 2, BackoffRate: 3, MaxAttempts: 2 }],
      Catch: [
        { ErrorEquals: ["Other"], Next: "Done" },
        { ErrorEquals: ["States.ALL"], Next: "Done" },
      ],
      Next: "Each",
    },
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      ItemProcessor: { StartAt: "One", States: { One: { Type: "Pass", End: true } } },
      Next: "Done",
    },
    Done: { Type: "Succeed" },
  },
};

async function used(input, results = []) {
  let call = 0;
  const work = () => {
    const result = results[call++];
    if (typeof result === "string") throw new TaskError(result);
    return result;
  };
  const execution = new StateMachine(definition).start(input, { tasks: { work }, clock: "virtual", coverage: true });
  await execution.result;
  return execution.coverage();
}

test("counts states, transitions, rules and iterations", async () => {
  assert.deepEqual((await used({ n: 7 }, [{ items: [1, 2, 3] }])).hits, {
    "/States/Route": 1,
    "/States/Route/Choices/1": 1,
    "/States/Work": 1,
    "/States/Work/Next": 1,
    "/States/Each": 1,
    "/States/Each/Next": 1,
    "/States/Each/ItemProcessor/States/One": 3,
    "/States/Each/ItemProcessor/States/One/End": 3,
    "/States/Done": 1,
    "/States/Done/Type": 1,
  });
  assert.deepEqual((await used({ n: 1 })).hits, {
    "/States/Route": 1,
    "/States/Route/Default": 1,
    "/States/Done": 1,
    "/States/Done/Type": 1,
  });
});

test("counts retriers and catchers, with the errors that they handled", async () => {
  const { hits, handled } = await used({ n: 11 }, ["Busy", "Busy", "Busy"]);
  assert.equal(hits["/States/Route/Choices/0"], 1);
  assert.equal(hits["/States/Work/Retry/0"], 2);
  assert.equal(hits["/States/Work/Catch/1"], 1);
  assert.equal(hits["/States/Work/Next"], undefined);
  assert.deepEqual(
    handled.map(({ state, pointer, error, delay }) => [state, pointer, error, delay]),
    [
      ["Work", "/States/Work/Retry/0", "Busy", 2000],
      ["Work", "/States/Work/Retry/0", "Busy", 6000],
      ["Work", "/States/Work/Catch/1", "Busy", undefined],
    ],
  );
});

test("counts nothing without the option", async () => {
  const execution = new StateMachine(definition).start({ n: 1 }, { clock: "virtual" });
  await execution.result;
  assert.deepEqual(execution.coverage(), { hits: {}, handled: [] });
});

test("continues to count in a restored execution", async () => {
  const machine = new StateMachine({ StartAt: "A", States: { A: { Type: "Task", Resource: "a", Next: "B" }, B: { Type: "Succeed" } } });
  const execution = machine.start({}, { tasks: () => new Promise(() => {}), coverage: true });
  for await (const event of execution) if (event.type === "TaskStarted") break;
  const restored = machine.restore(execution.snapshot(), { tasks: () => 1, coverage: true });
  await restored.result;
  assert.deepEqual(restored.coverage().hits, { "/States/A/Next": 1, "/States/B": 1, "/States/B/Type": 1 });
});
