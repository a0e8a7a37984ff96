// An answer to a task that has ended: the code says how the task has ended.
import assert from "node:assert/strict";
import { test } from "node:test";
import { quiet, surroundings } from "./surroundings.mjs";

const Ask = {
  Type: "Task",
  Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
  Parameters: {},
  TimeoutSeconds: 60,
};
const ask = { StartAt: "Ask", States: { Ask: { ...Ask, End: true } } };
const machines = {
  // The second task of an execution is answered, so that tasks are told apart.
  Two: {
    StartAt: "Before",
    States: { Before: { ...Ask, Next: "Ask" }, Ask: { ...Ask, Next: "Rest" }, Rest: { Type: "Wait", Seconds: 3600, End: true } },
  },
  One: ask,
  Mapped: {
    StartAt: "Each",
    States: {
      Each: {
        Type: "Map",
        ItemsPath: "$.items",
        ItemProcessor: { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, ...ask },
        End: true,
      },
    },
  },
};

/** Starts an execution, and returns it with the token of its task. */
function world() {
  const tokens = [];
  const tasks = { "sqs:sendMessage.waitForTaskToken": (_, { token }) => void tokens.push(token) };
  const { clock, restart, close } = surroundings({ machines, tasks });
  return { clock, restart, close, tokens };
}

const late = (code) => ({ code, name: "Error" });

test("the second answer to a callback is refused as TASK_ANSWERED, while the execution runs, after a restart and after its end", async () => {
  const { clock, restart, close, tokens } = world();
  let runtime = await restart();
  const one = await runtime.start("Two");
  await quiet();
  assert.equal(await runtime.succeed(tokens[0], 1), true);
  await quiet();
  const [, token] = tokens;
  const both = await Promise.allSettled([
    runtime.succeed(token, "a", { ifEnded: "throw" }),
    runtime.succeed(token, "b", { ifEnded: "throw" }),
  ]);
  assert.deepEqual(
    both.map(({ value, reason }) => value ?? reason.code),
    [true, "TASK_ANSWERED"],
  );
  assert.equal(await runtime.succeed(token, "c"), false);
  runtime = await restart();
  await assert.rejects(runtime.fail(token, {}, { ifEnded: "throw" }), late("TASK_ANSWERED"));
  await assert.rejects(runtime.heartbeat(tokens[0], {}, { ifEnded: "throw" }), late("TASK_ANSWERED"));
  await clock.pass(3_600_000);
  assert.equal((await (await runtime.get(one.arn)).result).status, "SUCCEEDED");
  await assert.rejects(runtime.succeed(token, 1, { ifEnded: "throw" }), late("TASK_ANSWERED"));
  await close();
});

test("an answer after the timeout is refused as TASK_TIMED_OUT, and after a stop or a cancellation as TASK_CANCELLED", async () => {
  const { clock, restart, close, tokens } = world();
  const runtime = await restart();
  const stopped = await runtime.start("One");
  await quiet();
  const cancelled = await runtime.start("One");
  await quiet();
  await runtime.start("One");
  await quiet();
  await stopped.stop();
  await cancelled.cancel();
  await clock.pass(61_000);
  const codes = [];
  for (const token of tokens) codes.push(await runtime.succeed(token, 1, { ifEnded: "throw" }).catch(({ code }) => code));
  assert.deepEqual(codes, ["TASK_CANCELLED", "TASK_CANCELLED", "TASK_TIMED_OUT"]);
  await close();
});

test("an answer to an ended task of a Distributed Map is refused as TASK_ENDED, and an unknown option is refused", async () => {
  const { restart, close, tokens } = world();
  const runtime = await restart();
  const one = await runtime.start("Mapped", { input: { items: [1] } });
  await quiet();
  await runtime.succeed(tokens[0], 1);
  await one.result;
  await assert.rejects(runtime.succeed(tokens[0], 1, { ifEnded: "throw" }), late("TASK_ENDED"));
  await assert.rejects(runtime.succeed(tokens[0], 1, { ifEndet: "throw" }), { code: "INVALID_OPTION" });
  await close();
});
