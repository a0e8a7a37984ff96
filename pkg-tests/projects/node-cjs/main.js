const assert = require("node:assert/strict");
const { StateMachine, validate } = require("stepglass");
const order = require("./order.json");

assert.equal(validate({ ...order, StartAt: "Nowhere" })[0].severity, "error");
assert.deepEqual(validate(order), []);

const tasks = { Price: async ({ price, quantity }) => price * quantity, Sum: (lines) => ({ total: lines.reduce((a, b) => a + b, 0) }) };
new StateMachine(order)
  .run(
    {
      lines: [
        { price: 10, quantity: 3 },
        { price: 4, quantity: 3 },
      ],
    },
    { tasks },
  )
  .then((output) => console.log(`stepglass: ${JSON.stringify(output)}`));
