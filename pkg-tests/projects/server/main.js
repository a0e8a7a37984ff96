import { StateMachine, validate } from "stepglass";
import { DebugSession } from "stepglass/debug";
import { serve } from "stepglass/server";
import order from "./order.json" with { type: "json" };

if (validate(order).length > 0) throw new Error(validate(order)[0].message);
if (typeof serve !== "function") throw new Error("stepglass/server has no serve()");
// Another entry of the package shares the classes and the WebAssembly of the main one.
new DebugSession(new StateMachine(order));

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
