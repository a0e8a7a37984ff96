// Executions that never wait do not block the event loop: their work and their writes are divided into parts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore, Runtime, atEveryWrite, execution } from "./surroundings.mjs";

const Pass = { Type: "Pass", End: true };
const machines = {
  Loop: {
    QueryLanguage: "JSONata",
    StartAt: "Add",
    States: {
      Add: { Type: "Pass", Output: { n: "{% $states.input.n + 1 %}", most: "{% $states.input.most %}" }, Next: "Enough" },
      Enough: { Type: "Choice", Choices: [{ Condition: "{% $states.input.n >= $states.input.most %}", Next: "Done" }], Default: "Add" },
      Done: { Type: "Succeed" },
    },
  },
  Nested: {
    StartAt: "Outer",
    States: {
      Outer: {
        Type: "Map",
        ItemProcessor: {
          StartAt: "Inner",
          States: { Inner: { Type: "Map", ItemProcessor: { StartAt: "P", States: { P: Pass } }, End: true } },
        },
        End: true,
      },
    },
  },
  // 10,000 iterations of 10,000 each.
  Wide: {
    StartAt: "Outer",
    States: {
      Outer: {
        Type: "Map",
        ItemsPath: "$.items",
        ItemProcessor: {
          StartAt: "Inner",
          States: {
            Inner: {
              Type: "Map",
              ItemsPath: "$$.Execution.Input.items",
              ItemProcessor: { StartAt: "P", States: { P: Pass } },
              End: true,
            },
          },
        },
        End: true,
      },
    },
  },
};
const numbers = (count) => Array.from({ length: count }, (_, i) => i);

for (const [machine, input] of [
  ["Loop", { n: 0, most: 100_000 }],
  ["Nested", numbers(100).map(() => numbers(100))],
  ["Wide", { items: numbers(10_000) }],
]) {
  test(`an execution of 25,000 events (${machine}) lets other work run between its parts, and writes them in parts`, async () => {
    const store = new MemoryStore();
    const writes = [];
    let turns = 0;
    const counting = new Proxy(store, {
      get(target, name) {
        if (name === "write")
          return (batches) => {
            for (const { events } of batches) if (events !== undefined) writes.push({ count: events.count, turns });
            return store.write(batches);
          };
        return typeof target[name] === "function" ? target[name].bind(target) : target[name];
      },
    });
    const runtime = await new Runtime({ store: counting, machines }).open();
    let runs = true;
    const turn = () => {
      turns += 1;
      if (runs) setImmediate(turn);
    };
    turn();
    const one = await runtime.start(machine, { name: "e", input });
    assert.match((await one.result).cause, /25000/);
    runs = false;
    const events = await one.history();
    assert.deepEqual(
      events.map(({ id }) => id),
      numbers(events.length).map((i) => i + 1),
    );
    // Other work ran between every two writes, and every write contains only a small part of the events.
    assert.ok(writes.length >= 10, `${writes.length} writes`);
    for (const [i, { count, turns: at }] of writes.entries()) {
      assert.ok(count <= 5000, `${count} events in a write`);
      assert.ok(i === 0 || at > writes[i - 1].turns, `no turn between the writes ${i - 1} and ${i}`);
    }
    await runtime.close();
  });
}

test("a loop whose process dies at any write ends with a complete history", async () => {
  const outlived = await atEveryWrite(
    () => ({
      options: { machines },
      check: async (runtime) => {
        const one = await runtime.get("Loop", "e");
        assert.deepEqual(await one.result, { status: "SUCCEEDED", output: { n: 1200, most: 1200 } });
        const events = await one.history();
        assert.deepEqual(
          events.map(({ id }) => id),
          numbers(events.length).map((i) => i + 1),
        );
        assert.equal(events.filter(({ stateEnteredEventDetails: entered }) => entered?.name === "Add").length, 1200);
        assert.deepEqual((await runtime.verify()).differing, []);
      },
    }),
    async (runtime) => void (await (await execution(runtime, "Loop", { name: "e", input: { n: 0, most: 1200 } })).result),
  );
  assert.ok(outlived >= 3, `${outlived} writes`);
});

test("verify replays an execution with the step budget that it was started with", async () => {
  const store = new MemoryStore();
  const first = await new Runtime({ store, machines, stepBudget: 100 }).open();
  await first.run("Loop", { name: "e", input: { n: 0, most: 600 } });
  await first.close();
  const second = await new Runtime({ store, machines, stepBudget: 7000 }).open();
  assert.deepEqual((await second.verify()).differing, []);
  await second.close();
});
