// Limits of starts and of queues: what is refused, what comes first, and for whom.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Runtime, quiet, surroundings } from "./surroundings.mjs";

const M = { StartAt: "Work", States: { Work: { Type: "Task", Resource: "work", End: true } } };

/** A runtime whose tasks end when `end(name)` is called, with the name of their execution. */
async function limited(startLimits, more = {}) {
  const ends = new Map();
  const work = (_, task) => new Promise((resolve) => ends.set(task.execution.name, resolve));
  const place = surroundings({ machines: { M, Other: M }, tasks: { work }, startLimits, ...more });
  const runtime = await place.restart();
  const end = async (name) => {
    ends.get(name)("done");
    await quiet();
  };
  return { place, runtime, end, ends };
}

const refused = { code: "THROTTLED" };
const outcomes = async (starts) => (await Promise.allSettled(starts)).map(({ status, reason }) => reason?.code ?? status);

test("executions limits how many run at once, whoever starts them at the same moment, and an end makes room", async () => {
  const { place, runtime, end } = await limited([{ executions: 2 }]);
  const starts = ["a", "b", "c", "d"].map((name) => runtime.start("M", { name }));
  assert.deepEqual(await outcomes(starts), ["fulfilled", "fulfilled", "THROTTLED", "THROTTLED"]);
  await assert.rejects(runtime.start("M", { name: "e" }), { ...refused, limit: { executions: 2 } });
  assert.equal(await runtime.get("M", "e"), undefined, "nothing of a refused start is stored");
  await end("a");
  await runtime.start("M", { name: "e" });
  await assert.rejects(runtime.start("M", { name: "f" }), refused);
  await place.close();
});

test("executions counts what the store has when it is opened", async () => {
  const { place, runtime } = await limited([{ executions: 2 }]);
  await runtime.start("M", { name: "a" });
  await runtime.start("M", { name: "b" });
  const next = await place.restart();
  await assert.rejects(next.start("M", { name: "c" }), refused);
  await place.close();
});

test("a limit of a machine does not concern other machines, and one for each value of an attribute no other value", async () => {
  const limits = [
    { machine: "Other", executions: 1 },
    { attribute: "tenant", executions: 1 },
  ];
  const { place, runtime, end } = await limited(limits);
  const of = (tenant, name) => runtime.start("M", { name, attributes: { tenant } });
  await of("x", "x1");
  await assert.rejects(of("x", "x2"), { ...refused, limit: limits[1] });
  await of("y", "y1");
  await runtime.start("M");
  await runtime.start("M");
  await runtime.start("Other");
  await assert.rejects(runtime.start("Other"), { ...refused, limit: limits[0] });
  await end("x1");
  await of("x", "x2");
  await place.close();
});

test("startsPerSecond allows that many at once, and then as time passes", async () => {
  const { place, runtime } = await limited([{ startsPerSecond: 2 }]);
  const starts = [runtime.start("M"), runtime.start("M"), runtime.start("M")];
  assert.deepEqual(await outcomes(starts), ["fulfilled", "fulfilled", "THROTTLED"]);
  await assert.rejects(runtime.start("M"), { ...refused, retryAfter: 500 });
  await place.clock.pass(500);
  assert.deepEqual(await outcomes([runtime.start("M"), runtime.start("M")]), ["fulfilled", "THROTTLED"]);
  await place.close();
});

test("limits that limit nothing are refused", async () => {
  for (const startLimits of [[{}], [{ executions: 0 }], [{ machine: 7, executions: 1 }], {}])
    assert.throws(() => new Runtime({ machines: {}, startLimits }), { code: "INVALID_OPTION" });
  for (const queue of [{ fairBy: 7 }, { concurrencyPerKey: 2 }, { fairBy: "tenant", concurrencyPerKey: 0 }])
    assert.throws(() => new Runtime({ machines: {}, queues: { q: queue } }), { code: "INVALID_OPTION" });
});

/** A runtime with a queue, in which executions of two tenants are waiting: first `x0` to `x3`, then `y0` and `y1`. */
async function queued(queue) {
  const { place, runtime, end, ends } = await limited(undefined, { taskOptions: { Work: { queue: "q" } }, queues: { q: queue } });
  for (const name of ["x0", "x1", "x2", "x3", "y0", "y1"]) await runtime.start("M", { name, attributes: { tenant: name[0] } });
  await quiet();
  const finish = async (name) => {
    await end(name);
    ends.delete(name);
  };
  return { place, runtime, finish, running: () => [...ends.keys()] };
}

test("a queue with fairBy takes the task whose key has the fewest running", async () => {
  const { place, runtime, finish, running } = await queued({ fairBy: "tenant" });
  runtime.worker({ queue: "q", concurrency: 3 });
  await quiet();
  assert.deepEqual(running(), ["x0", "y0", "x1"]);
  await finish("x0");
  assert.deepEqual(running(), ["y0", "x1", "x2"], "both have one running, so the order decides");
  await finish("x1");
  await finish("x2");
  assert.deepEqual(running(), ["y0", "x3", "y1"]);
  await place.close();
});

test("concurrencyPerKey bounds the running tasks of each key, and others overtake them", async () => {
  const { place, runtime, finish, running } = await queued({ fairBy: "tenant", concurrencyPerKey: 1 });
  runtime.worker({ queue: "q", concurrency: 10 });
  await quiet();
  assert.deepEqual(running(), ["x0", "y0"]);
  await finish("x0");
  assert.deepEqual(running(), ["y0", "x1"]);
  await finish("y0");
  assert.deepEqual(running(), ["x1", "y1"]);
  await place.close();
});

test("tasks of a higher priority come before fairness", async () => {
  const { place, runtime, running } = await queued({ fairBy: "tenant" });
  for (const name of ["x8", "x9"]) await runtime.start("M", { name, priority: 5, attributes: { tenant: "x" } });
  runtime.worker({ queue: "q", concurrency: 3 });
  await quiet();
  assert.deepEqual(running(), ["x8", "x9", "y0"]);
  await place.close();
});
