// Details of heartbeats: the next attempt receives those of the last one, so that it can continue from there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { quiet, surroundings } from "./surroundings.mjs";

const TASK = { Type: "Task", Resource: "copy", Retry: [{ ErrorEquals: ["Broken"], IntervalSeconds: 1 }], End: true };
const machine = { StartAt: "T", States: { T: TASK } };
const broken = () => Object.assign(new Error("broken"), { name: "Broken" });

test("a retry and a call after a restart receive the details of the last heartbeat", async () => {
  const seen = [];
  let settle;
  const tasks = {
    copy: async (_, task) => {
      seen.push(task.lastHeartbeat);
      task.heartbeat({ file: seen.length });
      // A heartbeat without details leaves the last details in place.
      task.heartbeat();
      assert.deepEqual(task.lastHeartbeat, { file: seen.length });
      if (seen.length === 1) throw broken();
      return new Promise((resolve) => (settle = resolve));
    },
  };
  const { clock, restart, close } = surroundings({ machines: { M: machine }, tasks });
  let now = await restart();
  const { arn } = await now.start("M", { name: "m" });
  await quiet();
  await clock.pass(1_000);
  now = await restart();
  settle("copied");
  assert.deepEqual(await (await now.get(arn)).result, { status: "SUCCEEDED", output: "copied" });
  assert.deepEqual(seen, [undefined, { file: 1 }, { file: 2 }]);
  await close();
});

test("a heartbeat by task token has details too, which the next attempt receives", async () => {
  const state = { ...TASK, Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken", Parameters: { "Token.$": "$$.Task.Token" } };
  const seen = [];
  const tokens = [];
  const { clock, restart, close } = surroundings({
    machines: { M: { StartAt: "T", States: { T: state } } },
    tasks: { T: ({ Token }, task) => void (seen.push(task.lastHeartbeat), tokens.push(Token)) },
  });
  let now = await restart();
  await now.start("M", { name: "m" });
  now = await restart();
  assert.equal(await now.heartbeat(tokens[0], "half"), true);
  await assert.rejects(now.heartbeat(tokens[0], "x".repeat(2048)), { code: "INVALID_ARGUMENT" });
  await now.fail(tokens[0], { error: "Broken" });
  now = await restart();
  await clock.pass(1_000);
  assert.deepEqual(seen, [undefined, "half"]);
  assert.equal(await now.heartbeat(tokens[0], "late"), false);
  await close();
});

test("a retry without a runtime receives the details of the last heartbeat too", async () => {
  const { StateMachine } = await importSource("js/entries/node.ts");
  const seen = [];
  const tasks = {
    copy: (_, task) => {
      seen.push(task.lastHeartbeat);
      task.heartbeat(1);
      if (seen.length === 1) throw broken();
    },
  };
  await new StateMachine(machine).run({}, { tasks, clock: "virtual" });
  assert.deepEqual(seen, [undefined, 1]);
});

test("a query shows the progress that a running task has reported, also after a restart", async () => {
  let report;
  let key;
  const tasks = {
    copy: (_, task) => {
      report = (details) => task.heartbeat(details);
      key = task.idempotencyKey;
      return new Promise(() => {});
    },
  };
  const { restart, close } = surroundings({ machines: { M: machine }, tasks });
  const first = await (await restart()).start("M");
  await quiet();
  assert.equal((await first.query()).heartbeats, undefined);
  for (const file of [1, 2, 3]) {
    report({ file });
    assert.deepEqual((await first.query()).heartbeats, { [key]: { file } });
  }
  const runtime = await restart();
  assert.deepEqual((await (await runtime.get(first.arn)).query()).heartbeats, { [key]: { file: 3 } });
  await close();
});
