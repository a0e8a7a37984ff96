// Aborting, signals, calls from handlers, many executions at once, and the event loop.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine } from "stepglass";
import { HandClock, LAMBDA, deferred, lambda, sleep, task, turn, watchRejections } from "./machines.mjs";

watchRejections();

const never = () => new Promise(() => {});
const loop = () =>
  new StateMachine({
    StartAt: "A",
    States: {
      A: { Type: "Pass", Next: "B" },
      B: { Type: "Choice", Choices: [{ Variable: "$.x", IsPresent: true, Next: "C" }], Default: "A" },
      C: { Type: "Succeed" },
    },
  });
const parallel = (...resources) =>
  new StateMachine({
    StartAt: "P",
    States: {
      P: {
        Type: "Parallel",
        End: true,
        Branches: resources.map((name, i) => ({
          StartAt: `T${i}`,
          States: { [`T${i}`]: { Type: "Task", Resource: LAMBDA.replace("Add", name), End: true } },
        })),
      },
    },
  });

/** Returns a handler that never answers and counts how often its signal aborts. */
function patient() {
  const seen = { calls: 0, aborts: [] };
  const handler = (_, task) => {
    seen.calls += 1;
    task.signal.addEventListener("abort", () => seen.aborts.push(task.signal.reason));
    return never();
  };
  return { seen, handler };
}

test("abort() ends an execution as ABORTED and aborts the signals of its tasks once", async () => {
  const { seen, handler } = patient();
  const running = lambda().start({}, { tasks: { Add: handler } });
  await turn();
  assert.equal(running.status, "RUNNING");
  running.abort("Changed.Mind", "no longer needed");
  running.abort("Again");
  assert.deepEqual(await running.result, { status: "ABORTED", error: "Changed.Mind", cause: "no longer needed" });
  running.abort("Too late");
  assert.equal(seen.aborts.length, 1);
  assert.equal(seen.aborts[0].name, "AbortError");
  assert.equal(seen.aborts[0].reason, "Stopped");
  const last = running.history().at(-1);
  assert.equal(last.type, "ExecutionAborted");
  assert.deepEqual(last.executionAbortedEventDetails, { error: "Changed.Mind", cause: "no longer needed" });
});

test("abort() right after start() ends the execution as ABORTED", async () => {
  let calls = 0;
  const running = lambda().start({}, { tasks: { Add: () => (calls += 1) } });
  running.abort();
  assert.deepEqual(await running.result, { status: "ABORTED" });
  assert.ok(calls <= 1);
});

test("TimeoutSeconds aborts the task's signal once", async () => {
  const { seen, handler } = patient();
  const machine = lambda({ TimeoutSeconds: 1 });
  const result = await machine.start({}, { tasks: { Add: handler } }).result;
  assert.deepEqual([result.status, result.error], ["FAILED", "States.Timeout"]);
  assert.deepEqual(
    seen.aborts.map((reason) => reason.reason),
    ["Timeout"],
  );
});

test("HeartbeatSeconds aborts the task's signal once, unless heartbeat() is called in time", async () => {
  const { seen, handler } = patient();
  const clock = new HandClock();
  let beat;
  const machine = task("arn:aws:states:::ecs:runTask.sync", {}, { HeartbeatSeconds: 1, TimeoutSeconds: 60 });
  const running = machine.start({}, { clock, tasks: { T: (input, task) => ((beat = task.heartbeat), handler(input, task)) } });
  await turn();
  for (let i = 0; i < 5; i++) {
    clock.time += 900;
    beat();
    await turn();
  }
  assert.equal(running.status, "RUNNING");
  while (clock.ring()) await turn();
  assert.equal((await running.result).error, "States.Timeout");
  assert.deepEqual(
    seen.aborts.map((reason) => reason.reason),
    ["Heartbeat"],
  );
  beat();
  const events = running.history();
  assert.equal(Date.parse(events.at(-1).timestamp) - Date.parse(events[0].timestamp), 5 * 900 + 1000);
});

test("a branch that fails aborts the tasks of the other branches", async () => {
  const { seen, handler } = patient();
  const gate = deferred();
  const running = parallel("Fails", "Waits").start({}, { tasks: { Fails: () => gate.promise, Waits: handler } });
  await turn();
  gate.reject(new Error("no"));
  assert.equal((await running.result).status, "FAILED");
  assert.deepEqual(
    seen.aborts.map((reason) => reason.reason),
    ["SiblingFailed"],
  );
});

test("a signal that a handler first reads after its execution was aborted is already aborted", async () => {
  let context;
  const running = lambda().start({}, { tasks: { Add: (_, task) => ((context = task), never()) } });
  await turn();
  running.abort();
  await running.result;
  assert.equal(context.signal.aborted, true);
});

test("the signal of a task that has succeeded is not aborted", async () => {
  let signal;
  await lambda().run({}, { tasks: { Add: async (_, task) => ((signal = task.signal), 1) } });
  await turn();
  assert.equal(signal.aborted, false);
});

test("a result that arrives after the end of the execution is ignored", async () => {
  const late = deferred();
  const running = lambda({ TimeoutSeconds: 1 }).start({}, { tasks: { Add: () => late.promise } });
  await running.result;
  late.reject(new Error("much too late"));
  await turn();
  assert.equal(running.status, "FAILED");
});

test("the option signal aborts the execution, and its listener is removed when the execution ends", async () => {
  const controller = new AbortController();
  const running = lambda().start({}, { tasks: { Add: never }, signal: controller.signal });
  await turn();
  controller.abort(new Error("shutting down"));
  assert.deepEqual(await running.result, { status: "ABORTED", cause: "shutting down" });

  const already = lambda().start({}, { tasks: { Add: never }, signal: AbortSignal.abort("before") });
  assert.deepEqual(await already.result, { status: "ABORTED", cause: "before" });

  const shared = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = shared.signal;
  shared.signal.addEventListener = (...args) => ((listeners += 1), addEventListener.apply(shared.signal, args));
  shared.signal.removeEventListener = (...args) => ((listeners -= 1), removeEventListener.apply(shared.signal, args));
  for (let i = 0; i < 100; i++) await lambda().run({}, { tasks: { Add: () => 1 }, signal: shared.signal });
  assert.equal(listeners, 0);
});

test("a handler can read its own execution and run another one", async () => {
  const seen = [];
  const machine = lambda({ ResultPath: "$.r" });
  const running = machine.start(
    { x: 1 },
    {
      tasks: {
        Add(input, task) {
          seen.push(task.execution === running, running.status, running.history().length > 0, running.frames()[0].state);
          assert.equal(running.snapshot().version, 1);
          return machine.run({ inner: true }, { tasks: { Add: () => "inner" } });
        },
      },
    },
  );
  assert.deepEqual((await running.result).output, { x: 1, r: { inner: true, r: "inner" } });
  assert.deepEqual(seen, [true, "RUNNING", true, "T"]);
});

test("a handler may abort its own execution", async () => {
  const running = lambda().start({}, { tasks: { Add: () => (running.abort("Own", "will"), 5) } });
  assert.deepEqual(await running.result, { status: "ABORTED", error: "Own", cause: "will" });
});

test("abort() in a handler prevents the calls of tasks that are scheduled with it", async () => {
  const machine = new StateMachine({
    StartAt: "M",
    States: {
      M: { Type: "Map", End: true, ItemProcessor: { StartAt: "T", States: { T: { Type: "Task", Resource: LAMBDA, End: true } } } },
    },
  });
  let calls = 0;
  const running = machine.start([1, 2, 3, 4], { tasks: { Add: (_, task) => (++calls === 2 && task.execution.abort(), 1) } });
  assert.equal((await running.result).status, "ABORTED");
  assert.equal(calls, 2);
});

test("handlers that take long do not block the event loop between them", async () => {
  const machine = new StateMachine({
    StartAt: "M",
    States: {
      M: { Type: "Map", End: true, ItemProcessor: { StartAt: "T", States: { T: { Type: "Task", Resource: LAMBDA, End: true } } } },
    },
  });
  const work = () => {
    const until = performance.now() + 12;
    while (performance.now() < until);
  };
  let done = 0;
  const running = machine.start(Array.from({ length: 40 }), { tasks: { Add: () => (work(), (done += 1)) } });
  let between = 0;
  while (running.status === "RUNNING") {
    await new Promise((resolve) => setImmediate(resolve));
    if (done > 0 && done < 40) between += 1;
  }
  assert.ok(between > 5, `${between} turns of the event loop between the handlers`);
});

test("an abort listener may call the execution", async () => {
  const running = lambda().start(
    {},
    { tasks: { Add: (_, task) => (task.signal.addEventListener("abort", () => (running.history(), running.abort("inner"))), never()) } },
  );
  await turn();
  running.abort("outer");
  assert.equal((await running.result).error, "outer");
});

test("a loop of Choice and Pass states does not block the event loop, and can be aborted", async () => {
  const running = loop().start({}, { historyLimit: 0, history: "none" });
  // Each of these timers needs a turn of the event loop. A loop that does not yield never gets here.
  for (let i = 0; i < 20; i++) await sleep(1);
  assert.equal(running.status, "RUNNING");
  running.abort();
  assert.equal((await running.result).status, "ABORTED");
});

test("the machine's TimeoutSeconds ends a loop", async () => {
  const machine = new StateMachine({
    TimeoutSeconds: 1,
    StartAt: "A",
    States: {
      A: { Type: "Pass", Next: "B" },
      B: { Type: "Choice", Choices: [{ Variable: "$.x", IsPresent: true, Next: "C" }], Default: "A" },
      C: { Type: "Succeed" },
    },
  });
  const running = machine.start({}, { historyLimit: 0, history: "none" });
  assert.equal((await running.result).status, "TIMED_OUT");
});

for (const [name, handler] of [
  ["sync", () => 1],
  ["async", async () => 1],
]) {
  test(`an endless loop of ${name} tasks does not block the event loop`, async () => {
    const machine = new StateMachine({
      StartAt: "T",
      States: {
        T: { Type: "Task", Resource: LAMBDA, ResultPath: null, Next: "U" },
        U: { Type: "Choice", Choices: [{ Variable: "$.x", IsPresent: true, Next: "V" }], Default: "T" },
        V: { Type: "Succeed" },
      },
    });
    const running = machine.start({}, { tasks: { Add: handler }, historyLimit: 0, history: "none" });
    for (let i = 0; i < 20; i++) await sleep(1);
    assert.equal(running.status, "RUNNING");
    running.abort();
    assert.equal((await running.result).status, "ABORTED");
  });
}

test("10,000 executions run at once", async () => {
  const machine = lambda({ ResultPath: "$.sum" });
  const tasks = { Add: async ({ i }) => (await turn(), i + 1) };
  const results = await Promise.all(Array.from({ length: 10_000 }, (_, i) => machine.run({ i }, { tasks })));
  assert.ok(results.every(({ i, sum }) => sum === i + 1));
});

test("a Map of 500 tasks returns results in the order of its items", async () => {
  const machine = new StateMachine({
    StartAt: "M",
    States: {
      M: { Type: "Map", End: true, ItemProcessor: { StartAt: "T", States: { T: { Type: "Task", Resource: LAMBDA, End: true } } } },
    },
  });
  const items = Array.from({ length: 500 }, (_, i) => i);
  const indices = [];
  const output = await machine.run(items, {
    tasks: {
      Add: async (i, task) => {
        indices.push(task.iterations);
        if (i % 7 === 0) await turn();
        return i * 2;
      },
    },
  });
  assert.deepEqual(
    output,
    items.map((i) => i * 2),
  );
  assert.ok(indices.every((index) => index.length === 1));
});

test("retries have the number of the attempt", async () => {
  const attempts = [];
  const machine = lambda({ Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 1, MaxAttempts: 3 }] });
  const output = await machine.run(
    {},
    {
      clock: "virtual",
      tasks: {
        Add: (_, task) => {
          attempts.push(task.attempt);
          if (task.attempt < 2) throw new Error("again");
          return "done";
        },
      },
    },
  );
  assert.equal(output, "done");
  assert.deepEqual(attempts, [0, 1, 2]);
});

test("a handler receives its task's state, resource, attempt, timeout, credentials, parameters and purpose", async () => {
  const machine = task(
    "arn:aws:states:::sqs:sendMessage",
    { Body: "b" },
    { TimeoutSeconds: 30, Credentials: { RoleArn: "arn:aws:iam::1:role/r" } },
  );
  let seen;
  await machine.run({}, { tasks: { "sqs:sendMessage": (input, task) => ((seen = { input, task }), {}) } });
  const { input, task: about } = seen;
  assert.deepEqual(input, { Body: "b" });
  assert.deepEqual(
    [
      about.stateName,
      about.resource,
      about.attempt,
      about.timeoutSeconds,
      about.credentials,
      about.parameters,
      about.iterations,
      about.purpose,
    ],
    ["T", "arn:aws:states:::sqs:sendMessage", 0, 30, { RoleArn: "arn:aws:iam::1:role/r" }, { Body: "b" }, [], "Task"],
  );
});
