// Queues: tasks wait for the workers of a process, which take them in order and within the limits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { quiet, TestClock } from "./clock.mjs";

const { MemoryStore, Runtime } = await importSource("js/entries/durable-node.ts");

const MAIL = { StartAt: "Mail", States: { Mail: { Type: "Task", Resource: "mail", End: true } } };

function surroundings({ definition = MAIL, ...more } = {}) {
  const store = new MemoryStore();
  const clock = new TestClock();
  const options = { store, clock, machines: { M: definition }, taskOptions: { mail: { queue: "post" } }, ...more };
  const runtime = (again) => new Runtime({ ...options, ...again });
  return { store, clock, runtime };
}

/** Handlers that answer when the test calls `ends`. */
function manualTasks() {
  const began = [];
  const ends = [];
  const mail = ({ to }) => new Promise((resolve) => (began.push(to), ends.push(() => resolve(to))));
  return { began, ends, tasks: { mail } };
}

const start = async (now, ...names) => {
  for (const name of names) await now.start("M", { name, input: { to: name } });
  await quiet();
};

test("tasks wait in their queue until a worker takes them, also across a restart", async () => {
  const { runtime } = surroundings();
  const first = await runtime().open();
  await start(first, "a", "b");
  assert.deepEqual(first.queues(), [{ name: "post", waiting: 2, active: 0, workers: 0 }]);
  await first.close();
  const now = await runtime().open();
  await quiet();
  const { began, ends, tasks } = manualTasks();
  const worker = now.worker({ queue: "post", tasks });
  await quiet();
  assert.deepEqual(began, ["a"], "one at a time");
  assert.deepEqual(now.queues(), [{ name: "post", waiting: 1, active: 1, workers: 1 }]);
  ends[0]();
  assert.equal((await (await now.get("M", "a")).result).output, "a");
  await quiet();
  assert.deepEqual(began, ["a", "b"]);

  // A worker that is stopped finishes the tasks that it has taken, and takes no more.
  await start(now, "c");
  let stopped = false;
  const stop = worker.stop().then(() => (stopped = true));
  await quiet();
  assert.deepEqual([stopped, worker.active], [false, 1]);
  ends[1]();
  await stop;
  await quiet();
  assert.deepEqual([began.length, now.queues()], [2, [{ name: "post", waiting: 1, active: 0, workers: 0 }]]);
  const other = now.worker({ queue: "post", tasks: { mail: () => "other" } });
  assert.equal((await (await now.get("M", "c")).result).output, "other");
  await other.stop();
  await now.close();
});

test("tasks of executions with a higher priority come first, also after a restart", async () => {
  const { runtime } = surroundings();
  const first = await runtime().open();
  for (const [name, priority] of [
    ["low", -1],
    ["a", 0],
    ["high", 5],
    ["b", undefined],
    ["higher", 9],
  ])
    await first.start("M", { name, input: { to: name }, ...(priority !== undefined && { priority }) });
  await quiet();
  await first.close();
  const now = await runtime().open();
  await quiet();
  const order = [];
  now.worker({ queue: "post", tasks: { mail: ({ to }) => void order.push(to) } });
  await quiet();
  assert.deepEqual([order.slice(0, 2), order.at(-1)], [["higher", "high"], "low"]);
  assert.equal(order.length, 5);
  await assert.rejects(now.start("M", { priority: "high" }), { code: "INVALID_OPTION" });
  await now.close();
});

test("the concurrency limits of workers and of their queue apply together", async () => {
  const { runtime } = surroundings({ queues: { post: { concurrency: 3 } } });
  const now = await runtime().open();
  const { began, ends, tasks } = manualTasks();
  const [one, two] = [2, 2].map((concurrency) => now.worker({ queue: "post", tasks, concurrency }));
  await start(now, "a", "b", "c", "d", "e");
  assert.deepEqual(began, ["a", "b", "c"]);
  assert.deepEqual([one.active, two.active].sort(), [1, 2]);
  ends[0]();
  await quiet();
  assert.deepEqual(began, ["a", "b", "c", "d"]);
  await now.close();
});

for (const [whose, queues, rate] of [
  ["a queue", { post: { rate: 2 } }, {}],
  ["a worker", {}, { rate: 2 }],
]) {
  test(`the rate limit of ${whose} is respected`, async () => {
    const { clock, runtime } = surroundings({ queues });
    const now = await runtime().open();
    const began = [];
    now.worker({ queue: "post", tasks: { mail: ({ to }) => void began.push(to) }, concurrency: 10, ...rate });
    await start(now, "a", "b", "c", "d");
    assert.equal(began.length, 1);
    await clock.pass(499);
    assert.equal(began.length, 1);
    await clock.pass(1);
    assert.equal(began.length, 2);
    await clock.pass(500);
    await clock.pass(500);
    assert.deepEqual(began, ["a", "b", "c", "d"]);
    await now.close();
  });
}

test("a task that no worker takes in time fails with States.Timeout, which can be caught", async () => {
  const definition = structuredClone(MAIL);
  definition.States.Mail.Catch = [{ ErrorEquals: ["States.Timeout"], Next: "Late" }];
  definition.States.Late = { Type: "Pass", Result: "late", End: true };
  const { clock, runtime } = surroundings({ definition, queues: { post: { scheduleToStartSeconds: 60 } } });
  const first = await runtime().open();
  await start(first, "a");
  await clock.pass(59_000);
  await first.close();
  const now = await runtime().open();
  await quiet();
  await clock.pass(59_000);
  assert.equal(now.queues()[0].waiting, 1, "after a restart the time in the queue begins again");
  await clock.pass(1000);
  assert.equal((await (await now.get("M", "a")).result).output, "late");
  assert.equal(now.queues()[0].waiting, 0);
  await now.close();
});

test("the task of a stopped execution leaves its queue", async () => {
  const { runtime } = surroundings();
  const now = await runtime().open();
  await start(now, "a", "b");
  await (await now.get("M", "a")).stop();
  assert.equal(now.queues()[0].waiting, 1);
  const order = [];
  now.worker({ queue: "post", tasks: { mail: ({ to }) => void order.push(to) } });
  await quiet();
  assert.deepEqual(order, ["b"]);
  await now.close();
});

test("a worker leaves tasks without a handler to other workers, and an error of its handler fails the task", async () => {
  const { runtime } = surroundings({ tasks: { mail: () => Promise.reject(Object.assign(new Error("no"), { name: "Full" })) } });
  const now = await runtime().open();
  const wrong = now.worker({ queue: "post", tasks: { letter: () => 1 } });
  const left = await now.start("M", { name: "a" });
  await quiet();
  assert.deepEqual(now.queues(), [{ name: "post", waiting: 1, active: 0, workers: 1 }]);
  now.worker({ queue: "post" });
  assert.equal((await left.result).error, "Full");
  assert.equal(wrong.active, 0);
  for (const options of [{ queue: "post", concurrency: 0 }, { queue: "post", rate: -1 }, {}, { queue: "post", other: 1 }])
    assert.throws(() => now.worker(options), { code: "INVALID_OPTION" });
  await now.close();
});

test('with missingHandler: "fail", a worker without a handler for a task fails it', async () => {
  const { runtime } = surroundings({ taskOptions: { mail: { queue: "post", missingHandler: "fail" } } });
  const now = await runtime().open();
  now.worker({ queue: "post", tasks: { letter: () => 1 } });
  const failed = await (await now.start("M", { name: "a" })).result;
  assert.equal(failed.error, "States.TaskFailed");
  assert.match(failed.cause, /"letter"/);
  await now.close();
});

test("queued tasks keep their order across restarts, independently of the order of their executions", async () => {
  const definition = {
    StartAt: "First",
    States: { First: { Type: "Task", Resource: "first", ResultPath: null, Next: "Mail" }, ...MAIL.States },
  };
  const gates = new Map();
  const first = ({ to }) => new Promise((resolve) => gates.set(to, resolve));
  const { runtime } = surroundings({ definition, tasks: { first } });
  let now = await runtime().open();
  await start(now, "a", "b", "c", "d");
  await now.start("M", { name: "urgent", input: { to: "urgent" }, priority: 1 });
  await quiet();
  for (const name of ["c", "a", "urgent", "d"]) {
    gates.get(name)();
    await quiet();
  }
  await now.close();
  now = await runtime().open();
  // The worker is registered before all queued tasks have been loaded.
  const { began, ends, tasks } = manualTasks();
  now.worker({ queue: "post", tasks });
  await quiet();
  gates.get("b")(); // Its task is queued after all others.
  await quiet();
  await now.close();
  assert.deepEqual(began, ["urgent"]);
  now = await runtime().open();
  const again = manualTasks();
  now.worker({ queue: "post", tasks: again.tasks });
  for (let i = 0; i < 5; i += 1) {
    await quiet();
    again.ends[i]();
  }
  await quiet();
  assert.deepEqual(again.began, ["urgent", "c", "a", "d", "b"]);
  assert.equal(ends.length, 1);
  await now.close();
});

test("a state's priority overrides its execution's, and a child has the priority of the task that starts it", async () => {
  const startChild = {
    Type: "Task",
    Resource: "arn:aws:states:::states:startExecution",
    Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:M", "Name.$": "$.to", "Input.$": "$" },
    End: true,
  };
  const machines = {
    M: MAIL,
    Own: { StartAt: "Urgent", States: { Urgent: { ...MAIL.States.Mail, End: true } } },
    Child: { StartAt: "Start", States: { Start: startChild } },
  };
  const taskOptions = { mail: { queue: "post" }, Urgent: { queue: "post", priority: 10 }, Start: { priority: 5 } };
  const { runtime } = surroundings({ machines, taskOptions });
  const now = await runtime().open();
  await start(now, "first");
  await now.start("M", { name: "seven", input: { to: "seven" }, priority: 7 });
  await now.start("Child", { name: "parent", input: { to: "child" } });
  await now.start("Own", { name: "own", input: { to: "own" } });
  await quiet();
  const began = [];
  now.worker({ queue: "post", tasks: { mail: ({ to }) => void began.push(to) } });
  await quiet();
  assert.deepEqual(began, ["own", "seven", "child", "first"]);
  assert.throws(() => runtime({ taskOptions: { mail: { priority: "high" } } }), { code: "INVALID_OPTION" });
  await now.close();
});
