import { readFileSync } from "node:fs";
import { type Diagnostic, ExecutionError, StateMachine, validate } from "stepglass";

interface Line {
  price: number;
  quantity: number;
}

const order: string = readFileSync("order.json", "utf8");
const problems: Diagnostic[] = validate(order);
if (problems.length > 0) throw new Error(problems[0]?.message ?? "");

const machine = new StateMachine(order);
const tasks = {
  Price: async ({ price, quantity }: Line) => price * quantity,
  Sum: (lines: number[]) => ({ total: lines.reduce((a, b) => a + b, 0) }),
};
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

try {
  await machine.run({ lines: [] }, { tasks });
  throw new Error("an empty order fails");
} catch (error) {
  if (!(error instanceof ExecutionError)) throw error;
  const name: string | undefined = error.error;
  if (name !== "Order.Empty") throw error;
}
