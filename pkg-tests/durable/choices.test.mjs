// Choices that a definition cannot make: queues by data and version, handlers by data, versions of machines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore, Runtime, quiet, surroundings } from "./surroundings.mjs";

const M = { StartAt: "Work", States: { Work: { Type: "Task", Resource: "work", End: true } } };
const next = { StartAt: "Work", States: { Work: { ...M.States.Work, Comment: "changed" } } };

test("the queue of a task can depend on its input", async () => {
  const place = surroundings({ machines: { M }, taskOptions: { Work: { queue: ({ input }) => input.host } } });
  const runtime = await place.restart();
  for (const host of ["a", "b"]) runtime.worker({ queue: host, tasks: { work: () => `done by ${host}` } });
  assert.equal(await runtime.run("M", { input: { host: "b" } }), "done by b");
  assert.equal(await runtime.run("M", { input: { host: "a" } }), "done by a");
  await assert.rejects(runtime.run("M"), { error: "Stepglass.NoQueue" });
  await place.close();
});

test("each version of a machine has its own queue, also after a restart with the next version", async () => {
  const taskOptions = { Work: { queue: ({ version }) => `work-${version}` } };
  const place = surroundings({ machines: { M }, versions: { M: "1" }, taskOptions });
  await (await place.restart()).start("M", { name: "old" });
  const runtime = await place.restart({ machines: { M: next }, versions: { M: "2" } });
  await runtime.start("M", { name: "new" });
  runtime.worker({ queue: "work-2", tasks: { work: () => "by 2" } });
  await quiet();
  const [old, fresh] = [await runtime.get("M", "old"), await runtime.get("M", "new")];
  assert.deepEqual(await fresh.result, { status: "SUCCEEDED", output: "by 2" });
  assert.deepEqual(
    [(await old.describe()).status, (await old.describe()).version, (await fresh.describe()).version],
    ["RUNNING", "1", "2"],
  );
  runtime.worker({ queue: "work-1", tasks: { work: () => "by 1" } });
  assert.deepEqual(await old.result, { status: "SUCCEEDED", output: "by 1" });
  await place.close();
});

test("a version stands for one definition in a store", async () => {
  const store = new MemoryStore();
  const open = (definition, version) => new Runtime({ store, machines: { M: definition }, versions: { M: version } }).open();
  await (await open(M, "1")).close();
  await (await open(M, "1")).close();
  await assert.rejects(open(next, "1"), { code: "VERSION_CONFLICT" });
  // The refused runtime has closed the store.
  const runtime = await open(next, "2");
  assert.deepEqual(
    runtime.machines().map(({ name, version }) => [name, version]),
    [["M", "2"]],
  );
  await runtime.close();
});

test("a deprecated machine starts nothing, is listed, and its executions go on", async () => {
  let end;
  const place = surroundings({ machines: { M }, tasks: { work: () => new Promise((resolve) => (end = resolve)) } });
  await (await place.restart()).start("M", { name: "m" });
  const runtime = await place.restart({ deprecated: ["M"] });
  await assert.rejects(runtime.start("M"), { code: "MACHINE_DEPRECATED" });
  assert.deepEqual(
    runtime.machines().map(({ name, deprecated }) => [name, deprecated]),
    [["M", true]],
  );
  end("done");
  assert.deepEqual(await (await runtime.get("M", "m")).result, { status: "SUCCEEDED", output: "done" });
  await place.close();
});

test("tasks without a queue go to the default queue, or fail if a queue is required", async () => {
  const tasks = { work: () => "direct" };
  const place = surroundings({ machines: { M }, tasks, defaultQueue: "all" });
  const runtime = await place.restart();
  const one = await runtime.start("M");
  await quiet();
  assert.deepEqual(runtime.queues(), [{ name: "all", waiting: 1, active: 0, workers: 0 }]);
  runtime.worker({ queue: "all" });
  assert.deepEqual(await one.result, { status: "SUCCEEDED", output: "direct" });
  await place.close();
  const strict = surroundings({ machines: { M }, tasks, requireQueue: true });
  await assert.rejects((await strict.restart()).run("M"), { error: "Stepglass.NoQueue" });
  await strict.close();
});

test("a state calls the handler that its input names", async () => {
  const machine = {
    StartAt: "Which",
    States: {
      Which: { Type: "Task", Resource: "which", ResultPath: "$.which", Next: "Call" },
      Call: { Type: "Task", Resource: "urn:stepglass:invoke", Parameters: { "Resource.$": "$.which", "Input.$": "$.input" }, End: true },
    },
  };
  const tasks = { which: ({ which }) => which, "greet@1.0": ({ name }) => `hello ${name}`, "greet@2.0": ({ name }) => `hi ${name}` };
  const place = surroundings({ machines: { M: machine }, tasks });
  const runtime = await place.restart();
  const call = (which) => runtime.run("M", { input: { which, input: { name: "Ann" } } });
  assert.deepEqual([await call("greet@1.0"), await call("greet@2.0")], ["hello Ann", "hi Ann"]);
  await assert.rejects(call("greet@3.0"), { error: "Stepglass.InvalidRequest", errorCause: 'there is no handler "greet@3.0"' });
  await place.close();
});

test("two versions of a handler serve the machines that name them", async () => {
  const machineOf = (Resource) => ({ StartAt: "Work", States: { Work: { Type: "Task", Resource, End: true } } });
  const machines = { One: machineOf("greet@1.0"), Two: machineOf("greet@2.0") };
  const place = surroundings({ machines, tasks: { "greet@1.0": () => "one", "greet@2.0": () => "two" } });
  const runtime = await place.restart();
  assert.deepEqual([await runtime.run("One"), await runtime.run("Two")], ["one", "two"]);
  await place.close();
});

test("a handler that ends with the reason of its cancellation ends its task as cancelled", async () => {
  const machine = {
    StartAt: "Work",
    States: {
      Work: { ...M.States.Work, Catch: [{ ErrorEquals: ["Stepglass.Cancelled"], Next: "Cancelled" }] },
      Cancelled: { Type: "Pass", Result: "cancelled", End: true },
    },
  };
  const work = (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const place = surroundings({ machines: { M: machine }, tasks: { work }, taskOptions: { Work: { onCancel: "request" } } });
  const one = await (await place.restart()).start("M");
  await quiet();
  await one.cancel();
  assert.deepEqual(await one.result, { status: "SUCCEEDED", output: "cancelled" });
  await place.close();
});
