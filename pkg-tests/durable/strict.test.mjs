// The option `strict` of a runtime: values that JSON would silently change are refused before anything is stored.
import assert from "node:assert/strict";
import { test } from "node:test";
import { surroundings } from "./surroundings.mjs";

const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
const machines = {
  Asks: {
    StartAt: "Ask",
    States: {
      Ask: task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", { Parameters: {}, Next: "Do" }),
      Do: task("do", { End: true }),
    },
  },
  Waits: { StartAt: "Wait", States: { Wait: task("urn:stepglass:waitForSignal", { Parameters: { Name: "go" }, End: true }) } },
};

test("a strict runtime refuses inputs, signals, cancellations and outputs of tokens, and fails tasks for their answers", async () => {
  let token;
  const tasks = { "sqs:sendMessage.waitForTaskToken": (_, task) => void (token = task.token), do: () => ({ when: new Map() }) };
  const { restart, close } = surroundings({ machines, tasks, strict: true });
  const runtime = await restart();
  const refused = { code: "INVALID_ARGUMENT" };
  await assert.rejects(runtime.start("Asks", { input: { at: Symbol("x") } }), refused);
  assert.equal(await runtime.count(), 0);
  const waits = await runtime.start("Waits");
  await assert.rejects(async () => waits.signal("go", "\ud800"), refused);
  await assert.rejects(async () => runtime.signal(waits.arn, "go", new Set()), refused);
  await assert.rejects(waits.cancel({ why: new Error("x") }), refused);
  assert.equal((await waits.describe()).cancelRequested, undefined);
  const asks = await runtime.start("Asks");
  while (token === undefined) await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(async () => runtime.succeed(token, new Map()), refused);
  assert.equal(await runtime.succeed(token, 1), true);
  const { status, error, cause } = await asks.result;
  assert.deepEqual({ status, error }, { status: "FAILED", error: "States.TaskFailed" });
  assert.match(cause, /state "Do" cannot be written as JSON without a change: at \$\.when, a Map becomes \{\}/);
  await close();
});
