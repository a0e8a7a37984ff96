// Executions outlive their runtime: what a runtime promises about restarts, names, tokens and ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { quiet, TestClock } from "./clock.mjs";

const { DurableError, MemoryStore, Runtime } = await importSource("js/entries/durable-node.ts");

const ORDER = {
  StartAt: "Charge",
  States: {
    Charge: { Type: "Task", Resource: "charge", ResultPath: "$.paid", Next: "Approve" },
    Approve: {
      Type: "Task",
      Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
      Parameters: { "Token.$": "$$.Task.Token" },
      ResultPath: "$.approved",
      Next: "Pause",
    },
    Pause: { Type: "Wait", Seconds: 60, Next: "Ship" },
    Ship: { Type: "Task", Resource: "ship", End: true },
  },
};

function surroundings(more = {}) {
  const store = new MemoryStore();
  const clock = new TestClock();
  const calls = [];
  const tokens = [];
  const tasks = {
    charge: (input, task) => (calls.push(["charge", task.idempotencyKey]), { amount: input.amount }),
    "sqs:sendMessage.waitForTaskToken": ({ Token }) => void tokens.push(Token),
    ship: async (input, task) => (calls.push(["ship", task.idempotencyKey]), input),
  };
  const runtime = (options = {}) => new Runtime({ store, clock, machines: { Order: ORDER }, tasks, ...more, ...options });
  return { store, clock, calls, tokens, tasks, runtime };
}

test("an execution continues where it was, whichever state a restart interrupts", async () => {
  const { clock, calls, tokens, runtime } = surroundings();
  let now = await runtime().open();
  const { arn } = await now.start("Order", { name: "o-1", input: { amount: 12 } });
  const restart = async () => {
    await quiet();
    await now.close();
    now = await runtime().open();
    await quiet();
  };
  await restart();
  assert.equal(tokens.length, 1);
  await restart();
  assert.equal(await now.succeed(tokens[0], { by: "ann" }), true);
  await restart();
  await clock.pass(59_000);
  assert.deepEqual(
    calls.map(([name]) => name),
    ["charge"],
  );
  await restart();
  await clock.pass(1_000);
  await restart();
  const execution = await now.get(arn);
  assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { amount: 12, paid: { amount: 12 }, approved: { by: "ann" } } });
  assert.deepEqual(
    calls.map(([name]) => name),
    ["charge", "ship"],
  );
  const events = await execution.history();
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map((_, i) => i + 1),
  );
  assert.equal(events.at(-1).type, "ExecutionSucceeded");
  await now.close();
});

test("a task whose answer was lost is called again with the same key", async () => {
  const { clock, runtime } = surroundings();
  const keys = [];
  let answer;
  const tasks = { charge: (_, task) => (keys.push(task.idempotencyKey), new Promise((resolve) => (answer = resolve))) };
  const first = await runtime({ tasks }).open();
  const { arn } = await first.start("Order", { name: "o-1", input: {} });
  await quiet();
  await first.close();
  answer({ never: "counts" });
  await clock.pass(3_600_000);
  const second = await runtime({ tasks }).open();
  await quiet();
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  assert.ok(keys[0].startsWith(arn));
  await second.close();
});

test("a task token from before a restart is valid as soon as the runtime is open", async () => {
  const { runtime } = surroundings();
  const tokens = new Set();
  // The requests of all tasks are still open when the runtime closes, so that all are sent again.
  const tasks = { charge: () => ({}), "sqs:sendMessage.waitForTaskToken": ({ Token }) => (tokens.add(Token), new Promise(() => {})) };
  const first = await runtime({ tasks }).open();
  // This is more than a runtime resumes in one turn of the event loop.
  const COUNT = 300;
  for (let i = 0; i < COUNT; i++) await first.start("Order", { name: `o-${i}`, input: {} });
  while (tokens.size < COUNT) await quiet();
  await first.close();
  const second = await runtime({ tasks }).open();
  const answers = await Promise.all([...tokens].map((token) => second.succeed(token, { ok: true })));
  assert.deepEqual(
    answers.filter((counts) => counts !== true),
    [],
  );
  assert.equal(tokens.size, COUNT);
  await second.close();
});

test("start is idempotent by name and input, like StartExecution", async () => {
  const { runtime } = surroundings();
  const now = await runtime().open();
  const first = await now.start("Order", { name: "o-1", input: { amount: 1 } });
  const [again, also] = await Promise.all([
    now.start("Order", { name: "o-1", input: { amount: 1 } }),
    now.start("Order", { name: "o-1", input: { amount: 1 } }),
  ]);
  assert.equal(again.arn, first.arn);
  assert.equal(also.arn, first.arn);
  await assert.rejects(now.start("Order", { name: "o-1", input: { amount: 2 } }), { code: "EXECUTION_EXISTS" });
  await first.stop("Enough", "for a test");
  await assert.rejects(now.start("Order", { name: "o-1", input: { amount: 1 } }), { code: "EXECUTION_EXISTS" });
  assert.deepEqual(await first.result, { status: "ABORTED", error: "Enough", cause: "for a test" });
  await assert.rejects(now.start("Nothing"), { code: "UNKNOWN_MACHINE" });
  await assert.rejects(now.start({ name: "Order" }), { code: "INVALID_OPTION", message: /must be given by its name/ });
  await now.close();
});

test("machines are given by their names, and a list of them is refused", () => {
  const { runtime } = surroundings();
  assert.throws(() => runtime({ machines: [{ StartAt: "A", States: { A: { Type: "Succeed" } } }] }), {
    code: "INVALID_OPTION",
    message: /by their names: \{ Order: definition \}/,
  });
});

test("an execution can be redriven as soon as its record says FAILED, even if it is read meanwhile or still in memory", async () => {
  const { store, runtime } = surroundings();
  let failures = 0;
  const machines = { Order: { StartAt: "A", States: { A: { Type: "Task", Resource: "charge", End: true } } } };
  const tasks = {
    charge: () => {
      if ((failures += 1) < 3) throw new Error("no money");
      return 1;
    },
  };
  // The store writes the end at once and acknowledges it later.
  let acknowledge;
  const acknowledged = new Promise((resolve) => (acknowledge = resolve));
  const slow = new Proxy(store, {
    get: (target, name) => {
      const method = target[name];
      if (typeof method !== "function") return method;
      if (name !== "write") return method.bind(target);
      return async (batches) => {
        const results = await target.write(batches);
        if (batches.some(({ change }) => change?.status === "FAILED")) await acknowledged;
        return results;
      };
    },
  });
  const now = await runtime({ store: slow, tasks, machines }).open();
  const execution = await now.start("Order", { name: "r" });
  await quiet();
  assert.equal((await execution.describe()).status, "FAILED");
  const first = execution.redrive();
  await quiet();
  acknowledge();
  await first;
  await quiet();
  assert.deepEqual([(await execution.describe()).status, failures], ["FAILED", 2]);
  // Reading a history loads the execution from the store first, at the same time as the redrive.
  const [events] = await Promise.all([execution.history(), execution.redrive()]);
  assert.equal(events.at(-1).type, "ExecutionFailed");
  await quiet();
  assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: 1 });
  assert.equal((await execution.describe()).redriveCount, 2);
  await now.close();
});

test("a failed execution can be redriven after a restart", async () => {
  const { runtime } = surroundings();
  let broken = true;
  const tasks = {
    charge: () => {
      if (broken) throw new Error("no money");
      return 1;
    },
  };
  const machines = { Order: { StartAt: "A", States: { A: { Type: "Task", Resource: "charge", End: true } } } };
  const first = await runtime({ tasks, machines }).open();
  await assert.rejects(first.run("Order", { name: "r" }), (thrown) => thrown instanceof DurableError && thrown.error === "Error");
  await first.close();
  broken = false;
  const second = await runtime({ tasks, machines }).open();
  const execution = await second.get("Order", "r");
  await execution.redrive();
  assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: 1 });
  assert.equal((await execution.describe()).redriveCount, 1);
  const types = (await execution.history()).map(({ type }) => type);
  assert.deepEqual(
    types.filter((type) => type.startsWith("Execution")),
    ["ExecutionStarted", "ExecutionFailed", "ExecutionRedriven", "ExecutionSucceeded"],
  );
  await assert.rejects(execution.redrive(), { code: "NOT_REDRIVABLE" });
  await second.close();
});

test("waiting executions are unloaded from memory and loaded again when they are due", async () => {
  const { clock, runtime } = surroundings();
  const machines = { Nap: { StartAt: "W", States: { W: { Type: "Wait", SecondsPath: "$.s", End: true } } } };
  const now = await runtime({ machines, resident: 3 }).open();
  const all = await Promise.all(Array.from({ length: 20 }, (_, i) => now.start("Nap", { name: `n-${i}`, input: { s: 10 + i * 30 } })));
  await quiet();
  assert.equal(now.resident, 3);
  for (let i = 0; i < 60; i += 1) await clock.pass(10_000);
  for (const [i, execution] of all.entries()) {
    assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { s: 10 + i * 30 } });
    const [entered, exited] = (await execution.history()).filter(({ type }) => type.startsWith("WaitState"));
    assert.equal(Date.parse(exited.timestamp) - Date.parse(entered.timestamp), (10 + i * 30) * 1000);
  }
  assert.equal(now.resident, 0);
  assert.equal(await now.count({ status: "SUCCEEDED" }), 20);
  await now.close();
});

test("an execution keeps the definition that it was started with", async () => {
  const { tokens, runtime } = surroundings();
  const machine = (result) => ({
    StartAt: "T",
    States: { T: { ...ORDER.States.Approve, ResultPath: null, Next: "P" }, P: { Type: "Pass", Result: result, End: true } },
  });
  const first = await runtime({ machines: { Order: machine("old") } }).open();
  await first.start("Order", { name: "v" });
  await quiet();
  await first.close();
  const second = await runtime({ machines: { Order: machine("new") } }).open();
  await second.succeed(tokens[0], null);
  assert.deepEqual(await (await second.get("Order", "v")).result, { status: "SUCCEEDED", output: "old" });
  await second.close();
});

test("unloading an execution does not extend its heartbeat time-out; a closed runtime does", async () => {
  const { clock, tokens, runtime } = surroundings();
  const Approve = { ...ORDER.States.Approve, HeartbeatSeconds: 100, End: true };
  delete Approve.Next;
  const machines = { Order: { StartAt: "Approve", States: { Approve } } };
  const now = await runtime({ machines, resident: 0 }).open();
  const execution = await now.start("Order", { name: "h" });
  await quiet();
  assert.equal(now.resident, 0);
  await clock.pass(60_000);
  assert.equal((await execution.frames()).length, 1);
  await quiet();
  assert.equal(now.resident, 0);
  await clock.pass(39_000);
  assert.equal((await execution.describe()).status, "RUNNING");
  assert.equal(await now.heartbeat(tokens[0]), true);
  await clock.pass(99_000);
  await now.close();
  await clock.pass(3_600_000);
  const later = await runtime({ machines, resident: 0 }).open();
  await clock.pass(1_000);
  assert.equal(await later.succeed(tokens[0], 5), true);
  assert.equal((await (await later.get("Order", "h")).result).status, "SUCCEEDED");
  await later.close();
});

test("a damaged execution is suspended, and the others continue", async () => {
  const { clock, store, runtime } = surroundings();
  const machines = { Nap: { StartAt: "W", States: { W: { Type: "Wait", Seconds: 10, End: true } } } };
  const first = await runtime({ machines }).open();
  const [bad, good] = [await first.start("Nap", { name: "bad" }), await first.start("Nap", { name: "good" })];
  await quiet();
  await first.close();
  await store.open({ owner: "hand" });
  const { version } = await store.get(bad.arn);
  await store.write([{ id: bad.arn, version, snapshot: "no snapshot at all", wakeAt: 0 }]);
  await store.close();
  const suspended = [];
  const second = await runtime({ machines, onSuspended: ({ name }, reason) => suspended.push([name, reason]) }).open();
  await quiet();
  await clock.pass(10_000);
  assert.equal((await (await second.get("Nap", "good")).result).status, "SUCCEEDED");
  assert.equal(suspended.length, 1);
  assert.equal(suspended[0][0], "bad");
  const handle = await second.get("Nap", "bad");
  const { status, suspended: why } = await handle.describe();
  assert.equal(status, "RUNNING");
  assert.equal(why.reason, suspended[0][1]);
  await handle.stop("Damaged");
  assert.deepEqual(await handle.result, { status: "ABORTED", error: "Damaged" });
  assert.equal(good.name, "good");
  await second.close();
});

test("no handler is called until the store can write the start", async () => {
  const { store, calls, runtime } = surroundings();
  const failures = [];
  let full = true;
  const write = store.write.bind(store);
  store.write = async (batches) => {
    if (full) throw new Error("no space left on device");
    return write(batches);
  };
  const now = await runtime({ onStoreError: ({ error, failures: count }) => failures.push([error.message, count]) }).open();
  const starting = now.start("Order", { name: "o", input: { amount: 3 } });
  await quiet();
  assert.deepEqual(calls, []);
  assert.deepEqual(failures[0], ["no space left on device", 1]);
  full = false;
  await starting;
  await quiet();
  assert.deepEqual(
    calls.map(([name]) => name),
    ["charge"],
  );
  await now.close();
});

test("an execution with answers that its engine has not processed yet is always stored with a wake time", async () => {
  let letGo;
  const gate = new Promise((resolve) => (letGo = resolve));
  // With this slow clock a turn ends before the engine has received all answers, so a write contains only some of them.
  let slow = false;
  const now = () => {
    for (const until = performance.now() + (slow ? 30 : 0); performance.now() < until;);
    return Date.now();
  };
  const clock = { now, setTimeout: (run, delay) => setTimeout(run, delay), clearTimeout: (timer) => clearTimeout(timer) };
  const tasks = { work: () => gate };
  const branch = (name) => ({ StartAt: name, States: { [name]: { Type: "Task", Resource: "work", End: true } } });
  const machines = { M: { StartAt: "P", States: { P: { Type: "Parallel", Branches: [..."ABCDEFGHIJKL"].map(branch), End: true } } } };
  const written = [];
  class Watched extends MemoryStore {
    async write(batches) {
      written.push(...batches.map(({ change, wakeAt }) => [change?.status ?? "RUNNING", wakeAt]));
      return super.write(batches);
    }
  }
  const runtime = await new Runtime({ store: new Watched(), machines, tasks, clock }).open();
  const execution = await runtime.start("M", { name: "m" });
  await quiet();
  slow = true;
  letGo();
  assert.equal((await execution.result).status, "SUCCEEDED");
  assert.deepEqual(
    written.filter(([status, wakeAt]) => status === "RUNNING" && wakeAt === null),
    [],
  );
  await runtime.close();
});

test("updated limits of a Map Run survive a restart", async () => {
  const { clock, runtime } = surroundings({
    machines: {
      Each: {
        StartAt: "Each",
        States: {
          Each: {
            Type: "Map",
            MaxConcurrency: 1,
            ItemProcessor: {
              ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
              StartAt: "Pause",
              States: { Pause: { Type: "Wait", Seconds: 60, End: true } },
            },
            End: true,
          },
        },
      },
    },
  });
  const now = await runtime().open();
  const execution = await now.start("Each", { name: "e", input: [1, 2, 3, 4] });
  await quiet();
  const mapRunOf = async (of) => (await of.frames()).find(({ mapRun }) => mapRun !== undefined).mapRun;
  const { mapRunArn, itemCounts } = await mapRunOf(execution);
  assert.equal(itemCounts.running, 1);
  await assert.rejects(execution.updateMapRun(mapRunArn, { maxConcurrency: -1 }), { code: "INVALID_ARGUMENT" });
  await execution.updateMapRun(`${mapRunArn}0`, { maxConcurrency: 9 });
  await execution.updateMapRun(mapRunArn, { maxConcurrency: 3 });
  await now.close();
  const next = await runtime().open();
  await quiet();
  const same = await next.get(execution.arn);
  const { maxConcurrency, itemCounts: counts } = await mapRunOf(same);
  assert.deepEqual([maxConcurrency, counts.running], [3, 3]);
  await clock.pass(60_000);
  await clock.pass(60_000);
  assert.equal((await same.result).status, "SUCCEEDED");
  await same.updateMapRun(mapRunArn, { maxConcurrency: 1 });
  await next.close();
});

test("a runtime that does not share its store owns all of its executions", async () => {
  const runtime = await new Runtime({ machines: { P: { StartAt: "P", States: { P: { Type: "Pass", End: true } } } }, owner: "one" }).open();
  const { arn } = await runtime.start("P");
  assert.deepEqual(await runtime.ownerOf(arn), { owner: "one", isHere: true });
  await assert.rejects(runtime.ownerOf(`${arn}0`), { code: "UNKNOWN_EXECUTION" });
  await runtime.close();
});
