import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { StateMachine, initSync, validate } from "stepglass/slim";

assert.throws(() => validate("{}"), { code: "NOT_LOADED" });
const require = createRequire(import.meta.url);
initSync(new WebAssembly.Module(readFileSync(require.resolve("stepglass/stepglass.wasm"))));

const order = require("./order.json");
assert.deepEqual(validate(order), []);
const tasks = { Price: async ({ price, quantity }) => price * quantity, Sum: (lines) => ({ total: lines.reduce((a, b) => a + b, 0) }) };
const output = await new StateMachine(order).run(
  {
    lines: [
      { price: 10, quantity: 3 },
      { price: 4, quantity: 3 },
    ],
  },
  { tasks },
);
console.log(`stepglass: ${JSON.stringify(output)}`);
