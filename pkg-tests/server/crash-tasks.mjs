// The task handlers of a server that is killed. Each appends its effect to a file, with the idempotency key by which a service would
// perform it once.
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.STEPGLASS_EFFECTS;

/** Appends an effect as one write of one line, so that a kill cannot leave half a line. */
function effect(task, name) {
  const line = { name, state: task.stateName, key: task.idempotencyKey, execution: task.execution.arn };
  appendFileSync(join(folder, "effects"), `${JSON.stringify(line)}\n`);
}

export async function work(input, task) {
  effect(task, input.name);
  await task.sleep(5 + (input.n % 7) * 10);
  return { ...input, steps: (input.steps ?? 0) + 1 };
}

/** Fails at the first attempt. */
export function unsteady(input, task) {
  effect(task, input.name);
  if (task.attempt === 0) throw Object.assign(new Error("not yet"), { name: "Unsteady" });
  return { ...input, steps: (input.steps ?? 0) + 1 };
}

const ask = ({ token, name }, task) => {
  effect(task, name);
  appendFileSync(join(folder, "tokens"), `${JSON.stringify({ token })}\n`);
};

export default { work, unsteady, "sqs:sendMessage.waitForTaskToken": ask };
