// Stopping in the middle, storing, and continuing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine, RestoreError, StateMachine } from "stepglass";
import { LAMBDA, deferred, lambda, task, turn, watchRejections } from "./machines.mjs";

watchRejections();

const store = (snapshot) => JSON.parse(JSON.stringify(snapshot));
const noUse = () => new Promise(() => {});

test("a restored execution invokes its pending tasks again", async () => {
  const machine = lambda({ ResultPath: "$.r" });
  const first = machine.start({ x: 1 }, { tasks: { Add: noUse }, name: "kept" });
  await turn();
  const snapshot = store(first.snapshot());
  first.abort();
  const second = machine.restore(snapshot, { tasks: { Add: (input) => input.x + 1 } });
  assert.deepEqual((await second.result).output, { x: 1, r: 2 });
  assert.equal(second.name, "kept");
  assert.equal(second.history()[0].type, "ExecutionStarted");
  assert.equal(second.history().at(-1).type, "ExecutionSucceeded");
});

test("a snapshot can be taken before the first step", async () => {
  const machine = lambda();
  const first = machine.start({ x: 1 }, { tasks: { Add: () => 1 } });
  const second = machine.restore(store(first.snapshot()), { tasks: { Add: () => 2 } });
  assert.deepEqual([(await first.result).output, (await second.result).output], [1, 2]);
});

test("a snapshot can be taken in a handler", async () => {
  const machine = lambda();
  let snapshot;
  await machine.run({}, { tasks: { Add: (_, task) => ((snapshot = store(task.execution.snapshot())), 1) } });
  assert.equal((await machine.restore(snapshot, { tasks: { Add: () => 2 } }).result).output, 2);
});

test("a wait continues where it was", async () => {
  const machine = new StateMachine({ StartAt: "W", States: { W: { Type: "Wait", Seconds: 3600, End: true } } });
  const first = machine.start({}, {});
  await turn();
  const snapshot = store(first.snapshot());
  first.abort();
  const second = machine.restore(snapshot, { clock: "virtual" });
  await second.result;
  const events = second.history();
  assert.equal(Date.parse(events.at(-1).timestamp) - Date.parse(events[0].timestamp), 3_600_000);
});

test("a callback task whose request was made does not repeat it", async () => {
  const machine = task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", {});
  let token;
  const first = machine.start({}, { tasks: { T: (_, task) => ((token = task.token), {}) } });
  await turn();
  const snapshot = store(store(first.snapshot()));
  first.abort();
  let calls = 0;
  const second = machine.restore(snapshot, { tasks: { T: () => (calls += 1) } });
  await turn();
  const third = machine.restore(store(second.snapshot()), { tasks: { T: () => (calls += 1) } });
  await turn();
  third.succeed(token, "done");
  second.succeed(token, "done");
  assert.equal((await third.result).output, "done");
  assert.equal((await second.result).output, "done");
  assert.equal(calls, 0);
});

test("a task that is called again has its full time, and a callback may be answered again if no execution took the answer", async () => {
  const clock = { at: 0, now: () => clock.at, setTimeout: () => 0, clearTimeout: () => {} };
  const resources = {
    [LAMBDA]: 10,
    "arn:aws:states:::glue:startJobRun.sync": 10,
    "arn:aws:states:us-east-1:123456789012:activity:a": 10,
    "arn:aws:states:::sqs:sendMessage.waitForTaskToken": 10,
  };
  for (const [resource, TimeoutSeconds] of Object.entries(resources)) {
    const machine = task(resource, {}, { TimeoutSeconds });
    clock.at = 0;
    let token;
    const tasks = (_, { token: own }) => ((token = own), resource.endsWith("Token") ? {} : noUse());
    const first = machine.start({}, { tasks, clock });
    await turn();
    const snapshot = store(first.snapshot());
    first.abort();
    clock.at = 3_600_000;
    let calls = 0;
    const second = machine.restore(snapshot, { tasks: () => (calls += 1), clock });
    await turn();
    if (resource.endsWith("Token")) second.succeed(token, 1);
    assert.deepEqual(await second.result, { status: "SUCCEEDED", output: 1 }, resource);
    assert.equal(calls, resource.endsWith("Token") ? 0 : 1, resource);
  }
});

test("a callback whose answer only the engine knows is not requested again", async () => {
  const machine = task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", {});
  let token;
  const first = machine.start({}, { tasks: { T: (_, task) => ((token = task.token), {}) } });
  await turn();
  const { submitted, ...snapshot } = store(first.snapshot());
  first.abort();
  assert.deepEqual(submitted, [1]);
  const second = machine.restore(snapshot, { tasks: { T: () => assert.fail("called again") } });
  second.succeed(token, "done");
  assert.equal((await second.result).output, "done");
});

test("an execution that has ended stays ended", async () => {
  const machine = lambda();
  const first = machine.start({}, { tasks: { Add: () => 5 } });
  await first.result;
  const second = machine.restore(store(first.snapshot()));
  assert.deepEqual(await second.result, { status: "SUCCEEDED", output: 5 });
  assert.deepEqual(second.history(), first.history());
});

test("retries are counted across a restore", async () => {
  const machine = lambda({ Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 1, MaxAttempts: 2 }] });
  const gate = deferred();
  const first = machine.start(
    {},
    { clock: "virtual", tasks: { Add: (_, task) => (task.attempt === 0 ? Promise.reject(new Error("once")) : (gate.resolve(), noUse())) } },
  );
  await gate.promise;
  const snapshot = store(first.snapshot());
  first.abort();
  const attempts = [];
  const second = machine.restore(snapshot, {
    clock: "virtual",
    tasks: { Add: (_, task) => (attempts.push(task.attempt), Promise.reject(new Error("again"))) },
  });
  assert.equal((await second.result).status, "FAILED");
  assert.deepEqual(attempts, [1, 2]);
});

test("a value that is not a snapshot of this machine is refused", async () => {
  const machine = lambda();
  const running = machine.start({}, { tasks: { Add: noUse } });
  const snapshot = store(running.snapshot());
  running.abort();
  const other = lambda({ Comment: "another" });
  const cases = [
    [other, snapshot],
    [machine, {}],
    [machine, null],
    [machine, { ...snapshot, version: 99 }],
    [machine, { ...snapshot, engine: {} }],
    [machine, { ...snapshot, engine: { ...snapshot.engine, frames: 5 } }],
    [machine, { ...snapshot, engine: { ...snapshot.engine, frames: [{}] } }],
  ];
  for (const [target, value] of cases) {
    assert.throws(
      () => target.restore(value),
      (error) => error instanceof RestoreError && error.name === "RestoreError",
      JSON.stringify(value),
    );
  }
});

test("a failed execution is redriven from the state that failed", async () => {
  const machine = new StateMachine({
    StartAt: "First",
    States: {
      First: { Type: "Task", Resource: LAMBDA, ResultPath: "$.first", Next: "Second" },
      Second: { Type: "Task", Resource: LAMBDA, ResultPath: "$.second", End: true },
    },
  });
  const calls = [];
  let broken = true;
  const tasks = (_, { stateName }) => {
    calls.push(stateName);
    if (stateName === "Second" && broken) throw new Error("not yet");
    return stateName;
  };
  const failed = machine.start({}, { tasks });
  assert.equal((await failed.result).status, "FAILED");
  broken = false;
  const heard = [];
  const from = failed.history().length;
  for (const ended of [failed, store(failed.snapshot())]) {
    calls.length = 0;
    heard.length = 0;
    const redriven = machine.redrive(ended, { tasks, onEvent: (event) => heard.push(event.type) });
    assert.deepEqual((await redriven.result).output, { first: "First", second: "Second" });
    assert.deepEqual(calls, ["Second"]);
    assert.equal(heard[0], "ExecutionRedriven");
    assert.equal(heard.at(-1), "ExecutionSucceeded");
    assert.deepEqual(redriven.history().slice(0, from), failed.history());
    assert.throws(
      () => machine.redrive(redriven),
      (error) => error.code === "NOT_REDRIVABLE",
    );
  }
  assert.equal(failed.status, "FAILED");
  const running = machine.start({}, { tasks: noUse });
  await turn();
  assert.throws(
    () => machine.redrive(running),
    (error) => error.code === "NOT_REDRIVABLE",
  );
  running.abort();
});

test("the Engine is driven by its caller", async () => {
  const machine = lambda();
  const engine = new Engine(machine);
  assert.equal(engine.status.status, "NOT_STARTED");
  assert.throws(
    () => engine.tick(0),
    (error) => error.code === "NOT_STARTED",
  );
  const step = engine.start(1000, { x: 1 }, { name: "by-hand" }, 7);
  assert.deepEqual(step.commands, [{ type: "Invoke", task: 1, state: "T", resource: LAMBDA, input: { x: 1 }, attempt: 0, entered: 2 }]);
  assert.deepEqual([step.more, step.deadline], [false, null]);
  assert.throws(
    () => engine.succeed(1000, 9, 1),
    (error) => error.code === "UNKNOWN_TASK",
  );
  assert.throws(
    () => engine.start(1000, {}),
    (error) => error.code === "ALREADY_STARTED",
  );
  assert.equal(engine.frames()[0].state, "T");
  assert.equal(engine.pending()[0].task, 1);
  const copy = Engine.restore(machine, store(engine.snapshot()));
  for (const one of [engine, copy]) {
    assert.deepEqual(one.succeed(2000, 1, { y: 2 }).commands, [{ type: "Finish", status: "SUCCEEDED", output: { y: 2 } }]);
    assert.deepEqual(one.status, { status: "SUCCEEDED", output: { y: 2 } });
    assert.deepEqual(one.succeed(2000, 1, 3).commands, []);
  }
  assert.deepEqual(copy.history(), engine.history());
  assert.deepEqual(engine.snapshot(), copy.snapshot());
  engine.free();
  assert.deepEqual(engine.status, { status: "SUCCEEDED", output: { y: 2 } });
});

test("the Engine is driven in Rust", async () => {
  const machine = new StateMachine({
    StartAt: "W",
    States: {
      W: { Type: "Wait", Seconds: 1, Next: "T" },
      T: { Type: "Task", Resource: LAMBDA, End: true, Retry: [{ ErrorEquals: ["Once"], IntervalSeconds: 1, MaxAttempts: 1 }] },
    },
  });
  const engine = new Engine(machine);
  engine.start(Date.now(), { x: 1 });
  const status = await engine.drive(async (call) => {
    if (call.attempt === 0) throw Object.assign(new Error("no"), { name: "Once" });
    return { got: call.input };
  });
  assert.deepEqual(status, { status: "SUCCEEDED", output: { got: { x: 1 } } });
});
