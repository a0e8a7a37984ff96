// The option `retention` of a Runtime: which ended executions it removes, and when.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Runtime, quiet, surroundings } from "./surroundings.mjs";

const DAY = 86_400_000;
const machines = {
  Other: { StartAt: "P", States: { P: { Type: "Pass", End: true } } },
  Fails: { StartAt: "F", States: { F: { Type: "Fail", Error: "Broken" } } },
  Done: { StartAt: "P", States: { P: { Type: "Pass", End: true } } },
  Wait: { StartAt: "W", States: { W: { Type: "Wait", Seconds: 10 * 86_400, End: true } } },
};
const names = async (runtime) => (await runtime.list()).items.map(({ name }) => name).toReversed();

test("ended executions are removed after the days of retention, and running ones stay", async () => {
  const { clock, restart, close } = surroundings({ machines, retention: { days: 1 } });
  let now = await restart();
  await now.start("Wait", { name: "runs" });
  const { arn, result } = await now.start("Done", { name: "old" });
  await result;
  await clock.pass(DAY - 1000);
  await (
    await now.start("Done", { name: "new" })
  ).result;
  assert.deepEqual(await now.prune(), []);
  await clock.pass(2000);
  assert.deepEqual(await now.prune(), [arn]);
  now = await restart();
  assert.deepEqual(await names(now), ["runs", "new"]);
  assert.equal(await now.get(arn), undefined);
  await close();
});

test("of ended executions, as many as retention says are kept, the latest", async () => {
  const { clock, restart, close } = surroundings({ machines, retention: { executions: 2 } });
  const now = await restart();
  for (const name of ["a", "b", "c", "d"]) {
    await (
      await now.start("Done", { name })
    ).result;
    await clock.pass(1000);
  }
  await now.prune();
  assert.deepEqual(await names(now), ["c", "d"]);
  await close();
});

async function ended(now, clock, machine, ...given) {
  for (const name of given) {
    await (
      await now.start(machine, { name, input: "x".repeat(1000) })
    ).result;
    await clock.pass(DAY);
  }
}

test("rules keep executions by machine, status, age, number and size, and each removes what it does not keep", async () => {
  const { store, clock, restart, close } = surroundings({ machines });
  let now = await restart();
  await now.start("Wait", { name: "runs" });
  await ended(now, clock, "Done", "d1", "d2", "d3");
  await ended(now, clock, "Other", "o1", "o2", "o3");
  await ended(now, clock, "Fails", "f1", "f2", "f3");
  const sizes = new Map((await store.ended({ limit: 100 })).map(({ id, size }) => [id.split(":").at(-1), size]));
  const retention = [
    { machine: "Done", executions: 2 },
    { status: ["FAILED", "ABORTED"], days: 2.5 },
    { machine: "Other", status: "SUCCEEDED", bytes: sizes.get("o2") + sizes.get("o3") },
    { days: 100 },
  ];
  now = await restart({ retention });
  await now.prune();
  assert.deepEqual(await names(now), ["runs", "d2", "d3", "o2", "o3", "f2", "f3"]);
  await clock.pass(100 * DAY);
  await now.prune();
  // Its wait of ten days has just ended.
  assert.deepEqual(await names(now), ["runs"]);
  await close();
});

test("what has expired is removed after the store was opened, and in the background as executions end", async () => {
  const { clock, restart, close } = surroundings({ machines });
  let now = await restart();
  await ended(now, clock, "Done", "a", "b", "c");
  now = await restart({ retention: { machine: "Done", executions: 1 } });
  assert.deepEqual(await names(now), ["c"]);
  await ended(now, clock, "Done", "d");
  await ended(now, clock, "Done", "e");
  await quiet();
  assert.deepEqual(await names(now), ["e"]);
  await close();
});

test("while many executions are removed, starts go on between the batches", async () => {
  const { store, clock, restart, close } = surroundings({ machines });
  let now = await restart();
  await Promise.all(Array.from({ length: 400 }, (_, i) => now.run("Done", { name: `e${i}` })));
  const removals = [];
  const { prune } = store;
  store.prune = (what) => (removals.push(what.ids.length), prune.call(store, what));
  now = await restart({ retention: { machine: "Done", days: 1 } });
  await clock.pass(2 * DAY);
  const pruned = now.prune();
  await now.start("Wait", { name: "between" });
  const before = removals.length;
  assert.equal((await pruned).length, 400);
  assert.ok(before < removals.length, `the start was answered after ${before} of ${removals.length} batches`);
  assert.ok(Math.max(...removals) <= 50);
  assert.deepEqual(await names(now), ["between"]);
  await close();
});

test("rules that say nothing, or that a store cannot follow, are refused", async () => {
  const { store } = surroundings({ machines });
  for (const retention of [
    {},
    [{ days: 1 }, { machine: "Done" }],
    { status: "RUNNING", days: 1 },
    { days: -1 },
    { hours: 1 },
    { machine: 1, days: 1 },
  ])
    assert.throws(() => new Runtime({ store, machines, retention }), { code: "INVALID_OPTION", message: /retention/ });
  store.ended = undefined;
  assert.throws(() => new Runtime({ store, machines, retention: { machine: "Done", days: 1 } }), {
    code: "INVALID_OPTION",
    message: /ended\(\)/,
  });
});
