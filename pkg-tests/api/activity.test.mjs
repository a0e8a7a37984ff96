// Activities: tasks that workers fetch.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Activity, StateMachine } from "stepglass";
import { turn, watchRejections } from "./machines.mjs";

watchRejections();

const ARN = "arn:aws:states:us-east-1:123456789012:activity:review";
const review = (fields = {}) => new StateMachine({ StartAt: "R", States: { R: { Type: "Task", Resource: ARN, End: true, ...fields } } });
const types = (execution) => execution.history().map(({ type }) => type);

test("a worker gets the task with its name in the history, and completes it by its token", async () => {
  for (const key of ["review", ARN, "R", "*review"]) {
    const activity = new Activity();
    const execution = review().start({ page: 1 }, { tasks: { [key]: activity } });
    const { taskToken, input, task } = await activity.getTask({ workerName: "Ada" });
    assert.deepEqual([input, task.stateName, task.token, task.execution], [{ page: 1 }, "R", taskToken, execution]);
    assert.equal(activity.heartbeat(taskToken), true);
    assert.equal(activity.succeed(taskToken, { ok: true }), true);
    assert.equal(activity.succeed(taskToken, 2), false);
    assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { ok: true } });
    const started = execution.history().find(({ type }) => type === "ActivityStarted");
    assert.deepEqual(started.activityStartedEventDetails, { workerName: "Ada" });
  }
});

test("a worker that polls before the task is scheduled gets it, and a failure has an error and a cause", async () => {
  const activity = new Activity();
  const fetched = activity.getTask();
  const execution = review().start({}, { tasks: { review: activity } });
  const { taskToken } = await fetched;
  activity.fail(taskToken, { error: "Bad", cause: "smudged" });
  assert.deepEqual(await execution.result, { status: "FAILED", error: "Bad", cause: "smudged" });
  assert.deepEqual(types(execution).slice(2, 5), ["ActivityScheduled", "ActivityStarted", "ActivityFailed"]);
});

test("tasks are fetched in the order in which they were scheduled, by any number of workers", async () => {
  const activity = new Activity();
  const machine = new StateMachine({
    StartAt: "M",
    States: { M: { Type: "Map", ItemProcessor: { StartAt: "R", States: { R: { Type: "Task", Resource: ARN, End: true } } }, End: true } },
  });
  const executions = [];
  // The second execution starts after the first has scheduled its two tasks.
  for (const items of [[1, 2], [3]]) {
    executions.push(machine.start(items, { tasks: new Map([["review", activity]]) }));
    const waiting = activity.waiting + items.length;
    while (activity.waiting < waiting) await turn();
  }
  const seen = [];
  for (let i = 0; i < 3; i++) {
    const { taskToken, input, task } = await activity.getTask();
    seen.push(input);
    // The execution accepts task tokens as well.
    task.execution.succeed(taskToken, input * 10);
  }
  assert.deepEqual(seen, [1, 2, 3]);
  assert.deepEqual(await Promise.all(executions.map(async ({ result }) => (await result).output)), [[10, 20], [30]]);
});

test("a poll can be cancelled", async () => {
  const activity = new Activity();
  const controller = new AbortController();
  const poll = activity.getTask({ signal: controller.signal });
  controller.abort(new Error("closing time"));
  await assert.rejects(poll, /closing time/);
  await assert.rejects(activity.getTask({ signal: controller.signal }), /closing time/);
  const execution = review().start({}, { tasks: { review: activity } });
  while (activity.waiting < 1) await turn();
  execution.abort();
  await execution.result;
  assert.equal(activity.waiting, 0);
  assert.throws(() => activity.getTask({ workerName: 7 }), { code: "INVALID_OPTION" });
});

test("a task that no worker fetches, or whose worker does not answer, times out and is not handed out any more", async () => {
  const activity = new Activity();
  const late = review({ TimeoutSeconds: 60 }).start({}, { clock: "virtual", tasks: { review: activity } });
  assert.equal((await late.result).error, "States.Timeout");
  assert.equal(activity.waiting, 0);
  const idle = review({ HeartbeatSeconds: 5, TimeoutSeconds: 60 }).start({ n: 2 }, { clock: "virtual", tasks: { review: activity } });
  const { taskToken, input, task } = await activity.getTask();
  assert.deepEqual(input, { n: 2 });
  assert.equal((await idle.result).error, "States.Timeout");
  assert.equal(task.signal.reason.reason, "Heartbeat");
  assert.equal(activity.succeed(taskToken, 1), false);
  assert.equal(activity.succeed("made up"), false);
});

test("a task that a worker has fetched is not offered again after a restore, and its token stays valid", async () => {
  const before = new Activity();
  const machine = review({ TimeoutSeconds: 300 });
  const first = machine.start({ page: 1 }, { tasks: { review: before } });
  const offered = machine.start({ page: 2 }, { tasks: { review: new Activity() } });
  const { taskToken } = await before.getTask({ workerName: "Ada" });
  while (!types(first).includes("ActivityStarted") || !types(offered).includes("ActivityScheduled")) await turn();
  const [taken, waiting] = [first, offered].map((execution) => JSON.parse(JSON.stringify(execution.snapshot())));
  for (const execution of [first, offered]) execution.abort();

  const after = new Activity();
  const second = machine.restore(taken, { tasks: { review: after } });
  const third = machine.restore(waiting, { tasks: { review: after } });
  while (after.waiting < 1) await turn();
  assert.equal(after.heartbeat(taskToken), true);
  assert.equal(after.succeed(taskToken, "done"), true);
  assert.equal(after.succeed(taskToken, "twice"), false);
  assert.equal((await second.result).output, "done");
  assert.equal(types(second).filter((type) => type === "ActivityStarted").length, 1);
  const task = await after.getTask();
  assert.deepEqual([task.input, after.waiting], [{ page: 2 }, 0]);
  after.succeed(task.taskToken, "too");
  assert.equal((await third.result).output, "too");
});
