import { StateMachine, validate } from "stepglass";
import order from "./order.json";

export default {
  async fetch(request) {
    if (validate(order).length > 0) throw new Error(validate(order)[0].message);
    const tasks = { Price: async ({ price, quantity }) => price * quantity, Sum: (lines) => ({ total: lines.reduce((a, b) => a + b, 0) }) };
    const output = await new StateMachine(order).run(await request.json(), { tasks });
    return new Response(`stepglass: ${JSON.stringify(output)}`);
  },
};
