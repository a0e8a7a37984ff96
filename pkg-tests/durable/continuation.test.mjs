// urn:stepglass:continueAsNew: an execution ends, and the next one starts with a new history.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { atEveryWrite, execution, surroundings } from "./surroundings.mjs";

const { MemoryStore, Runtime } = await importSource("js/entries/durable-node.ts");
const again = (parameters, more) => ({ Type: "Task", Resource: "urn:stepglass:continueAsNew", Parameters: parameters, ...more });
const COUNT = {
  StartAt: "Work",
  States: {
    Work: { Type: "Task", Resource: "work", ResultPath: "$.n", Next: "More" },
    More: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 3, Next: "Again" }], Default: "Done" },
    Again: again({ Input: { "n.$": "$.n" } }, { End: true }),
    Done: { Type: "Succeed" },
  },
};

test("each execution of a chain runs once, whichever write the process dies at", async () => {
  let keys;
  const outlived = await atEveryWrite(
    () => {
      keys = new Set();
      const tasks = { work: async ({ n }, task) => (keys.add(task.idempotencyKey), n + 1) };
      return {
        options: { machines: { Count: COUNT }, tasks },
        check: async (runtime) => {
          const first = await runtime.get("Count", "c");
          assert.deepEqual(await first.outcome({ follow: true }), { status: "SUCCEEDED", output: { n: 3 } });
          const { items } = await runtime.list();
          assert.deepEqual(
            items.map(({ name }) => name),
            ["c.3", "c.2", "c"],
          );
          assert.equal(keys.size, 3);
          const [third, second, one] = await Promise.all(items.map(async ({ id }) => (await runtime.get(id)).describe()));
          assert.deepEqual([one.continuedTo, one.continuedFrom, one.run], [{ arn: second.arn }, undefined, undefined]);
          assert.deepEqual([second.continuedTo, second.continuedFrom, second.run], [{ arn: third.arn }, { arn: one.arn }, 2]);
          assert.deepEqual([third.continuedTo, third.continuedFrom, third.run], [undefined, { arn: second.arn }, 3]);
          assert.equal((await first.outcome()).output.ExecutionArn, second.arn);
        },
      };
    },
    async (runtime) => void (await (await execution(runtime, "Count", { name: "c", input: { n: 0 } })).outcome({ follow: true })),
  );
  assert.ok(outlived >= 4, `${outlived} writes`);
});

test("one write both ends an execution and starts the next one", async () => {
  const store = new MemoryStore();
  const writes = [];
  const { write } = store;
  store.write = (batches) => (
    writes.push(batches.map(({ id, create, change }) => [id.split(":").at(-1), create?.status ?? change?.status])),
    write.call(store, batches)
  );
  const runtime = await new Runtime({ store, machines: { Count: COUNT }, tasks: { work: ({ n }) => n + 1 } }).open();
  const first = await runtime.start("Count", { name: "c", input: { n: 0 } });
  await first.outcome({ follow: true });
  const [one, two] = ["c.2", "c.3"].map((name) =>
    writes.filter((batches) => batches.some(([id, status]) => id === name && status === "RUNNING")),
  );
  assert.deepEqual(
    one.map((batches) => batches.toSorted()),
    [
      [
        ["c", "SUCCEEDED"],
        ["c.2", "RUNNING"],
      ],
    ],
  );
  assert.deepEqual(
    two.map((batches) => batches.toSorted()),
    [
      [
        ["c.2", "SUCCEEDED"],
        ["c.3", "RUNNING"],
      ],
    ],
  );
  // There is one write for the first start and, for each of the three executions, one for its task's answer and one for its end.
  // The end of one execution and the start of the next one share a write.
  assert.equal(writes.length, 6);
  await runtime.close();
});

test("an execution that is stopped while it continues as new is either aborted without a successor or has one", async () => {
  for (let turns = 0; turns < 12; turns += 1) {
    const runtime = await new Runtime({ machines: { Count: COUNT }, tasks: { work: ({ n }) => n + 1 } }).open();
    const first = await runtime.start("Count", { name: "c", input: { n: 0 } });
    for (let i = 0; i < turns; i += 1) await new Promise((resolve) => setImmediate(resolve));
    await first.stop("Stopped");
    const { status, continuedTo } = await first.describe();
    const next = await runtime.get("Count", "c.2");
    assert.deepEqual([status, continuedTo?.arn], next === undefined ? ["ABORTED", undefined] : ["SUCCEEDED", next.arn], `${turns} turns`);
    await runtime.close();
  }
});

test("an execution can continue as another machine and keeps its tags; continueAsNew is refused in a state that is not the last", async () => {
  const one = (S, more) => ({ StartAt: "S", States: { S, ...more } });
  const machines = {
    First: one(again({ Machine: "Next", Input: { "kept.$": "$.n" } }, { End: true })),
    Next: { StartAt: "P", States: { P: { Type: "Pass", End: true } } },
    Middle: one(again({}, { Next: "P" }), { P: { Type: "Pass", End: true } }),
    Branch: one({ Type: "Parallel", Branches: [{ StartAt: "B", States: { B: again({}, { End: true }) } }], End: true }),
    Nobody: one(again({ Machine: "None" }, { End: true })),
  };
  const { restart, close } = surroundings({ machines });
  let now = await restart();
  const first = await now.start("First", { name: "f", input: { n: 1.5 }, tags: { team: "a" } });
  assert.deepEqual(await first.outcome({ follow: true }), { status: "SUCCEEDED", output: { kept: 1.5 } });
  now = await restart();
  const next = await (await now.get("Next", "f.2")).describe();
  assert.deepEqual([next.tags, next.continuedFrom], [{ team: "a" }, { arn: first.arn }]);
  for (const machine of ["Middle", "Branch", "Nobody"]) {
    const { error } = await (await now.start(machine)).result;
    assert.equal(error, "Stepglass.InvalidRequest", machine);
  }
  await close();
});

test("the next execution has the tags and priority that the task sets, or else those of the previous execution", async () => {
  const tasks = { work: ({ n }) => n + 1 };
  const given = again({ Input: { "n.$": "$.n" }, Tags: { team: "b" }, Priority: 3 }, { End: true });
  const Given = { ...COUNT, States: { ...COUNT.States, Again: given } };
  const Wrong = { StartAt: "S", States: { S: again({ Tags: { team: 1 } }, { End: true }) } };
  const { store, restart, close } = surroundings({ machines: { Count: COUNT, Given, Wrong }, tasks });
  const now = await restart();
  for (const [machine, tags, priority] of [
    ["Count", { team: "a" }, 2],
    ["Given", { team: "b" }, 3],
  ]) {
    const first = await now.start(machine, { name: "c", input: { n: 0 }, tags: { team: "a" }, priority: 2 });
    await first.outcome({ follow: true });
    const record = await store.get((await now.get(machine, "c.3")).arn);
    assert.deepEqual([record.tags, record.priority], [tags, priority], machine);
  }
  assert.equal((await (await now.start("Wrong")).result).error, "Stepglass.InvalidRequest");
  await close();
});

test("continuing as new fails if the next execution's name is taken", async () => {
  const { restart, close } = surroundings({ machines: { Count: COUNT }, tasks: { work: ({ n }) => n + 1 } });
  const now = await restart();
  await (
    await now.start("Count", { name: "c.2", input: { n: 9 } })
  ).result;
  const { status, error } = await (await now.start("Count", { name: "c", input: { n: 0 } })).result;
  assert.deepEqual([status, error], ["FAILED", "Stepglass.ContinueFailed"]);
  await close();
});
