import assert from "node:assert/strict";
import { StateMachine, validate } from "stepglass";
import { StateMachine as Slim } from "stepglass/slim";
import order from "./order.json" with { type: "json" };

assert.equal(Slim, StateMachine, "both entries share their classes");
assert.equal(validate({ ...order, StartAt: "Nowhere" })[0].severity, "error");
assert.deepEqual(validate(order), []);

const machine = new StateMachine(order);
const tasks = { Price: async ({ price, quantity }) => price * quantity, Sum: (lines) => ({ total: lines.reduce((a, b) => a + b, 0) }) };
const output = await machine.run(
  {
    lines: [
      { price: 10, quantity: 3 },
      { price: 4, quantity: 3 },
    ],
  },
  { tasks },
);
console.log(`stepglass: ${JSON.stringify(output)}`);
