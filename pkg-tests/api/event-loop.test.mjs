// What must not be done for many things at once, lest the event loop stands still: `npm run bench -- --bombs` has the times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine, TaskCancelled } from "stepglass";

const late = {
  StartAt: "M",
  States: {
    M: {
      Type: "Map",
      ItemProcessor: { ProcessorConfig: { Mode: "INLINE" }, StartAt: "T", States: { T: { Type: "Task", Resource: "Late", End: true } } },
      End: true,
    },
  },
};

test("an error is made for a cancelled task when its signal is looked at", async (context) => {
  let made = 0;
  Object.defineProperty(TaskCancelled.prototype, "code", {
    configurable: true,
    set(code) {
      made += 1;
      Object.defineProperty(this, "code", { value: code });
    },
  });
  context.after(() => delete TaskCancelled.prototype.code);
  const tasks = [];
  const looked = [];
  const Late = (item, task) => {
    tasks.push(task);
    if (item === 1) looked.push(task.signal);
    return new Promise(() => {});
  };
  const execution = new StateMachine(late).start([0, 1, 2, 3], { tasks: { Late } });
  while (tasks.length < 4) await new Promise(setImmediate);
  execution.abort();
  assert.equal((await execution.result).status, "ABORTED");
  assert.deepEqual([made, looked[0].aborted, looked[0].reason.code], [1, true, "TASK_CANCELLED"]);
  const { signal } = tasks[3];
  assert.deepEqual([made, signal.aborted, signal.reason instanceof TaskCancelled, signal.reason.reason], [2, true, true, "Stopped"]);
});
