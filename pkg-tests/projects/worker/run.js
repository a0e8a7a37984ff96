import { StateMachine, init, renderSvg, validate } from "stepglass";
import order from "./order.json";

// Vite builds workers as classic scripts by default, so `await` needs a function.
async function run() {
  await init({ parts: "first" });
  if (validate(order).length > 0) throw new Error(validate(order)[0].message);
  if (!renderSvg(order).startsWith("<svg")) throw new Error("no drawing");
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
  postMessage(`stepglass: ${JSON.stringify(output)}`);
}

run().catch((error) => postMessage(`failed: ${error.stack}`));
