// An execution that never waits does not block the server: its work and its writes are divided into parts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore, serve } from "../../dist/server.js";
import { machine, role } from "./endpoint.mjs";

const pass = { StartAt: "P", States: { P: { Type: "Pass", End: true } } };
const numbers = (count) => Array.from({ length: count }, (_, i) => i);
const definitions = {
  "a loop": JSON.stringify({
    QueryLanguage: "JSONata",
    StartAt: "Add",
    States: {
      Add: { Type: "Pass", Output: "{% $states.input + 1 %}", Next: "Again" },
      Again: { Type: "Choice", Choices: [{ Condition: "{% $states.input < 100000 %}", Next: "Add" }], Default: "Done" },
      Done: { Type: "Succeed" },
    },
  }),
  "a Map of 10,000 items in each iteration of a Map of 10,000 items": machine({
    Outer: {
      Type: "Map",
      ItemsPath: "$.items",
      ItemProcessor: {
        StartAt: "Inner",
        States: { Inner: { Type: "Map", ItemsPath: "$$.Execution.Input.items", ItemProcessor: pass, End: true } },
      },
      End: true,
    },
  }),
};
const inputs = { "a loop": "0" };

for (const [what, definition] of Object.entries(definitions)) {
  test(`other requests are answered between the parts of ${what}`, async (context) => {
    let turns = 0;
    const writes = [];
    class Counting extends MemoryStore {
      write(batches) {
        for (const { events } of batches) if (events !== undefined) writes.push({ count: events.count, turns });
        return super.write(batches);
      }
    }
    const server = await serve({ port: 0, store: new Counting() });
    const { stateMachineArn } = await server.call("CreateStateMachine", { name: "M", definition, roleArn: role });
    let isOver = false;
    context.after(() => {
      isOver = true;
      return server.close();
    });
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    turn();
    const input = inputs[what] ?? JSON.stringify({ items: numbers(10_000) });
    const { executionArn } = await server.call("StartExecution", { stateMachineArn, input });
    let described;
    let answers = 0;
    for (; described?.status !== "FAILED"; answers += 1) {
      described = await server.call("DescribeExecution", { executionArn });
      await new Promise(setImmediate);
    }
    isOver = true;
    assert.match(described.cause, /25000/);
    assert.ok(answers >= 10, `${answers} answers`);
    assert.ok(writes.length >= 10, `${writes.length} writes`);
    for (const [i, { count, turns: at }] of writes.entries()) {
      assert.ok(count <= 5000, `${count} events in a write`);
      assert.ok(i === 0 || at > writes[i - 1].turns, `no turn between the writes ${i - 1} and ${i}`);
    }
    assert.equal(
      writes.reduce((sum, { count }) => sum + count, 0),
      25_000,
    );
  });
}
