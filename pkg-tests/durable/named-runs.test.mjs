// A name that is used again: the option `onConflict` of a start.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore, Runtime, TestClock, quiet, surroundings } from "./surroundings.mjs";

const machines = {
  Waits: {
    StartAt: "Wait",
    States: { Wait: { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "go" }, End: true } },
  },
  Quick: {
    StartAt: "Pass",
    States: { Pass: { Type: "Pass", Parameters: { "id.$": "$$.Execution.Id", "name.$": "$$.Execution.Name" }, End: true } },
  },
};
const ARN = (machine, name) => `arn:aws:states:us-east-1:123456789012:execution:${machine}:${name}`;
const exists = { code: "EXECUTION_EXISTS" };

test("newRun starts another execution with a name whose last execution has ended, with an ARN and a number of its own", async () => {
  const { restart, close } = surroundings({ machines });
  let runtime = await restart();
  const start = (onConflict) => runtime.start("Quick", { name: "a", input: {}, ...(onConflict && { onConflict }) });
  const first = await start("newRun");
  assert.deepEqual((await first.result).output, { id: ARN("Quick", "a"), name: "a" });
  assert.equal((await first.describe()).runId, undefined);
  const second = await start("newRun");
  assert.deepEqual((await second.result).output, { id: `${ARN("Quick", "a")}~2`, name: "a" });
  await assert.rejects(start(), exists);
  runtime = await restart();
  const third = await start("newRun");
  await third.result;
  assert.equal((await third.describe()).runId, 3);
  // The name stands for the last execution, and the ARN for each.
  assert.equal((await runtime.get("Quick", "a")).arn, third.arn);
  assert.equal((await runtime.get(first.arn)).arn, first.arn);
  const { items } = await runtime.list({ machine: "Quick", namePrefix: "a" });
  assert.deepEqual(
    items.map(({ name, runId }) => [name, runId]),
    [
      ["a", 3],
      ["a", 2],
      ["a", undefined],
    ],
  );
  assert.equal((await third.history())[0].type, "ExecutionStarted");
  await close();
});

test("newRun uses an execution that runs with the same input, and refuses one that runs with another input", async () => {
  const { restart, close } = surroundings({ machines });
  const runtime = await restart();
  const one = await runtime.start("Waits", { name: "a", input: { n: 1 } });
  assert.equal((await runtime.start("Waits", { name: "a", input: { n: 1 }, onConflict: "newRun" })).arn, one.arn);
  await assert.rejects(runtime.start("Waits", { name: "a", input: { n: 2 }, onConflict: "newRun" }), exists);
  await close();
});

test("fail refuses every name that is taken, and use takes the last execution in whatever state", async () => {
  const { restart, close } = surroundings({ machines });
  const runtime = await restart();
  const one = await runtime.start("Waits", { name: "a", input: { n: 1 }, onConflict: "fail" });
  await assert.rejects(runtime.start("Waits", { name: "a", input: { n: 1 }, onConflict: "fail" }), exists);
  assert.equal((await runtime.start("Waits", { name: "a", input: { n: 2 }, onConflict: "use" })).arn, one.arn);
  await one.stop();
  await assert.rejects(runtime.start("Waits", { name: "a", input: { n: 1 }, onConflict: "fail" }), exists);
  assert.equal((await runtime.start("Waits", { name: "a", onConflict: "use" })).arn, one.arn);
  const two = await runtime.start("Waits", { name: "a", onConflict: "newRun" });
  assert.equal((await runtime.start("Waits", { name: "a", onConflict: "use" })).arn, two.arn);
  await close();
});

test("terminate stops the execution that runs and starts another one, whose signals and tokens are its own", async () => {
  const { restart, close } = surroundings({ machines });
  let runtime = await restart();
  const one = await runtime.start("Waits", { name: "a" });
  const two = await runtime.start("Waits", { name: "a", onConflict: "terminate" });
  assert.deepEqual(await one.result, {
    status: "ABORTED",
    error: "Stepglass.Replaced",
    cause: "another execution with this name was started",
  });
  runtime = await restart();
  const again = await runtime.get("Waits", "a");
  assert.equal(again.arn, two.arn);
  await again.signal("go", 7);
  assert.deepEqual(await again.result, { status: "SUCCEEDED", output: 7 });
  // The last one has ended, so there is nothing to stop.
  const three = await runtime.start("Waits", { name: "a", onConflict: "terminate" });
  assert.equal((await three.describe()).runId, 3);
  await close();
});

test("of simultaneous starts with newRun one creates the execution, and the others with its input return it", async () => {
  const { restart, close } = surroundings({ machines });
  const runtime = await restart();
  await (await runtime.start("Waits", { name: "a" })).stop();
  const starts = [1, 1, 2].map((n) => runtime.start("Waits", { name: "a", input: { n }, onConflict: "newRun" }));
  const [first, second, third] = await Promise.allSettled(starts);
  assert.equal(first.value.arn, `${ARN("Waits", "a")}~2`);
  assert.equal(second.value.arn, first.value.arn);
  assert.equal(third.reason.code, "EXECUTION_EXISTS");
  assert.equal(await runtime.count(), 2);
  await close();
});

test("a name is free again when retention has removed its executions, and numbers are not used twice", async () => {
  const { restart, close, clock } = surroundings({ machines, retention: { days: 1 } });
  const runtime = await restart();
  for (let i = 0; i < 2; i++) await (await runtime.start("Quick", { name: "a", onConflict: "newRun" })).result;
  await clock.pass(2 * 86_400_000);
  await runtime.prune();
  assert.equal(await runtime.get("Quick", "a"), undefined);
  const next = await runtime.start("Quick", { name: "a" });
  assert.equal(next.arn, `${ARN("Quick", "a")}~3`);
  await close();
});

test("a process that dies before it creates the execution leaves no gap", async () => {
  const store = new MemoryStore();
  const clock = new TestClock();
  const first = await new Runtime({ store, clock, machines }).open();
  await (
    await first.start("Quick", { name: "a" })
  ).result;
  await first.close();
  let isDead = false;
  const dying = new Proxy(store, {
    get: (target, name) => {
      if (name === "write" && isDead) return () => new Promise(() => {});
      if (name === "put") isDead = true;
      return typeof target[name] === "function" ? target[name].bind(target) : target[name];
    },
  });
  const second = await new Runtime({ store: dying, clock, machines }).open();
  void second.start("Quick", { name: "a", onConflict: "newRun" });
  await quiet();
  assert.equal(await store.get(`${ARN("Quick", "a")}~2`), undefined);
  await store.close();
  const third = await new Runtime({ store, clock, machines }).open();
  assert.equal((await third.get("Quick", "a")).arn, ARN("Quick", "a"));
  assert.equal((await third.start("Quick", { name: "a", onConflict: "newRun" })).arn, `${ARN("Quick", "a")}~2`);
  await third.close();
});

test("an unknown policy is refused", async () => {
  const { restart, close } = surroundings({ machines });
  const runtime = await restart();
  await assert.rejects(runtime.start("Quick", { onConflict: "new" }), { code: "INVALID_OPTION" });
  await close();
});
