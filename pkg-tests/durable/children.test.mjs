// Child executions: tasks of a runtime start them, find them again after a crash, never start them twice, and end them with their
// parents where the policy says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atEveryWrite, execution, quiet, surroundings } from "./surroundings.mjs";

const ARN = "arn:aws:states:us-east-1:123456789012";
const start = (pattern, parameters, more) => ({
  Type: "Task",
  Resource: `arn:aws:states:::states:startExecution${pattern}`,
  Parameters: { StateMachineArn: `${ARN}:stateMachine:Child`, ...parameters },
  ...more,
});
const one = (state) => ({ StartAt: "S", States: { S: { ...state, End: true } } });
const PAY = one({ Type: "Task", Resource: "pay" });
const WAITS = one({ Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "go" } });

test("a parent continues with its child's output, whichever write the process dies at, and the child runs once", async () => {
  const Parent = one(start(".sync:2", { "Input.$": "$" }, { OutputPath: "$.Output" }));
  let effects;
  const outlived = await atEveryWrite(
    () => {
      effects = new Set();
      const tasks = { pay: async ({ amount }, task) => (effects.add(task.idempotencyKey), { paid: amount }) };
      return {
        options: { machines: { Parent, Child: PAY }, tasks },
        check: async (runtime) => {
          assert.deepEqual(await (await runtime.get("Parent", "p")).result, { status: "SUCCEEDED", output: { paid: 12 } });
          const { items } = await runtime.list({ machine: "Child" });
          assert.equal(items.length, 1);
          assert.equal(effects.size, 1);
          const child = await (await runtime.get(items[0].id)).describe();
          assert.deepEqual(child.parent, { arn: `${ARN}:execution:Parent:p` });
          assert.deepEqual(child.tags, {});
        },
      };
    },
    async (runtime) => void (await (await execution(runtime, "Parent", { name: "p", input: { amount: 12 } })).result),
  );
  assert.ok(outlived >= 4, `${outlived} writes`);
});

test("a parent that waits for its child is unloaded from memory, and loaded again when the child ends", async () => {
  const { restart, close } = surroundings({ machines: { Parent: one(start(".sync:2", { Name: "c" })), Child: WAITS }, resident: 0 });
  let now = await restart();
  const { arn } = await now.start("Parent", { name: "p" });
  await quiet();
  assert.equal(now.resident, 0);
  now = await restart();
  assert.equal(now.resident, 0);
  await now.signal(`${ARN}:execution:Child:c`, "go", 7);
  const { output } = await (await now.get(arn)).result;
  assert.equal(output.Output, 7);
  assert.equal(output.Name, "c");
  await close();
});

test("a failed child fails its parent's task, and a retry starts a new child", async () => {
  const Parent = one(start(".sync", {}, { Retry: [{ ErrorEquals: ["States.TaskFailed"], MaxAttempts: 1 }] }));
  let broken = true;
  const tasks = {
    pay: () => {
      if (broken) throw new Error("no money");
      return "paid";
    },
  };
  const { clock, restart, close } = surroundings({ machines: { Parent, Child: PAY }, tasks });
  let now = await restart();
  const { arn } = await now.start("Parent", { name: "p" });
  now = await restart();
  broken = false;
  await clock.pass(1_000);
  const { output } = await (await now.get(arn)).result;
  assert.equal(output.Output, '"paid"');
  assert.deepEqual(
    (await now.list({ machine: "Child" })).items.map(({ status }) => status),
    ["SUCCEEDED", "FAILED"],
  );
  await close();
});

for (const [policy, status] of [
  [undefined, "ABORTED"],
  ["terminate", "ABORTED"],
  ["request-cancel", "FAILED"],
  ["abandon", "RUNNING"],
]) {
  test(`stopping a parent ends its child as parentClosePolicy says: ${policy ?? "the default"}`, async () => {
    const taskOptions = policy === undefined ? {} : { S: { parentClosePolicy: policy } };
    await atEveryWrite(
      () => ({
        options: { machines: { Parent: one(start(".sync:2", { Name: "c" })), Child: WAITS }, taskOptions },
        check: async (runtime) => {
          await quiet();
          const child = await (await runtime.get("Child", "c"))?.describe();
          // The parent may have been stopped before it started its child.
          if (child === undefined) return;
          assert.equal(child.status, status);
          if (status === "ABORTED") assert.match(child.cause, /execution \[.*:Parent:p\] which was managing this resource was aborted/);
          if (status === "FAILED") assert.equal(child.error, "Stepglass.Cancelled");
        },
      }),
      async (runtime) => {
        const parent = await execution(runtime, "Parent", { name: "p" });
        await quiet();
        await parent.stop("Enough");
        await parent.result;
        await quiet();
      },
    );
  });
}

test("a child whose parent does not wait continues when the parent ends, or is stopped with it if parentClosePolicy says so", async () => {
  for (const policy of ["abandon", "terminate"]) {
    await atEveryWrite(
      () => ({
        options: {
          machines: { Parent: one(start("", { Name: "c" })), Child: WAITS },
          taskOptions: { S: { parentClosePolicy: policy } },
        },
        check: async (runtime) => {
          await quiet();
          const { status } = await (await runtime.get("Child", "c")).describe();
          assert.equal(status, policy === "abandon" ? "RUNNING" : "ABORTED");
        },
      }),
      async (runtime) => void (await (await execution(runtime, "Parent", { name: "p" })).result),
    );
  }
});

test("starting a child is idempotent by name and input as on AWS, and an unknown machine fails the task", async () => {
  const machines = {
    Same: one(start("", { Name: "c", "Input.$": "$" }, { ResultSelector: { "arn.$": "$.ExecutionArn" } })),
    Nobody: one({ ...start(""), Parameters: { StateMachineArn: `${ARN}:stateMachine:Nobody2` } }),
    Child: WAITS,
  };
  const { restart, close } = surroundings({ machines });
  const now = await restart();
  assert.deepEqual(await now.run("Same", { input: { a: 1 } }), { arn: `${ARN}:execution:Child:c` });
  assert.deepEqual(await now.run("Same", { input: { a: 1 } }), { arn: `${ARN}:execution:Child:c` });
  await assert.rejects(now.run("Same", { input: { a: 2 } }), { error: "StepFunctions.ExecutionAlreadyExistsException" });
  await assert.rejects(now.run("Nobody"), { error: "StepFunctions.StateMachineDoesNotExistException" });
  assert.equal(await now.count({ machine: "Child" }), 1);
  await close();
});

test("tasks can describe and stop other executions and answer task tokens", async () => {
  const sdk = (action, parameters, more) => ({
    Type: "Task",
    Resource: `arn:aws:states:::aws-sdk:sfn:${action}`,
    Parameters: parameters,
    ...more,
  });
  const Parent = {
    StartAt: "Start",
    States: {
      Start: start("", { Name: "c" }, { ResultPath: null, Next: "Describe" }),
      Describe: sdk("describeExecution", { ExecutionArn: `${ARN}:execution:Child:c` }, { ResultPath: "$.before", Next: "Stop" }),
      Stop: sdk("stopExecution", { ExecutionArn: `${ARN}:execution:Child:c`, Error: "Over" }, { ResultPath: null, Next: "Again" }),
      Again: sdk("describeExecution", { ExecutionArn: `${ARN}:execution:Child:c` }, { ResultPath: "$.after", Next: "None" }),
      None: sdk(
        "stopExecution",
        { ExecutionArn: `${ARN}:execution:Child:none` },
        {
          Catch: [{ ErrorEquals: ["Sfn.ExecutionDoesNotExistException"], ResultPath: null, Next: "Answer" }],
          End: true,
        },
      ),
      Answer: sdk("sendTaskSuccess", { "TaskToken.$": "$.token", Output: '{"by":"task"}' }, { ResultPath: null, End: true }),
    },
  };
  const Asks = one({
    Type: "Task",
    Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
    Parameters: { "Token.$": "$$.Task.Token" },
  });
  let token;
  const { restart, close } = surroundings({
    machines: { Parent, Child: WAITS, Asks },
    tasks: { "sqs:sendMessage.waitForTaskToken": ({ Token }) => void (token = Token) },
  });
  let now = await restart();
  await now.start("Asks", { name: "a" });
  now = await restart();
  const { before, after } = await now.run("Parent", { input: { token } });
  assert.deepEqual([before.Status, after.Status, after.Error], ["RUNNING", "ABORTED", "Over"]);
  assert.deepEqual(await (await now.get("Asks", "a")).result, { status: "SUCCEEDED", output: { by: "task" } });
  await assert.rejects(now.run("Parent", { name: "again", input: { token } }), { error: "StepFunctions.ExecutionAlreadyExistsException" });
  await close();
});

test("a child can answer the task token of its parent", async () => {
  const Parent = one(start(".waitForTaskToken", { Name: "c", Input: { "token.$": "$$.Task.Token" } }));
  const Child = one({
    Type: "Task",
    Resource: "arn:aws:states:::aws-sdk:sfn:sendTaskSuccess",
    Parameters: { "TaskToken.$": "$.token", Output: { answer: 42 } },
  });
  await atEveryWrite(
    () => ({
      options: { machines: { Parent, Child } },
      check: async (runtime) => assert.deepEqual((await (await runtime.get("Parent", "p")).result).output, { answer: 42 }),
    }),
    async (runtime) => void (await (await execution(runtime, "Parent", { name: "p" })).result),
  );
});

test("a task handler with a machine's name replaces the machine as a child", async () => {
  const { restart, close } = surroundings({ machines: { Parent: one(start(".sync:2")), Child: PAY }, tasks: { Child: () => "mock" } });
  assert.equal((await (await restart()).run("Parent")).Output, "mock");
  await close();
});

test("an Express child returns its output, and one that was interrupted starts again after a restart", async () => {
  const { Runtime: Built } = await import("stepglass/durable");
  const { StateMachine } = await import("stepglass");
  const Quick = new StateMachine(one({ Type: "Task", Resource: "quick" }), { name: "Quick", type: "EXPRESS" });
  const Parent = one({
    Type: "Task",
    Resource: "arn:aws:states:::aws-sdk:sfn:startSyncExecution",
    Parameters: { StateMachineArn: `${ARN}:stateMachine:Quick` },
    ResultSelector: { "out.$": "$.Output", "status.$": "$.Status" },
  });
  const { store, clock, restart } = surroundings({ machines: {} });
  await (await restart()).close();
  let answers = false;
  const tasks = { quick: () => (answers ? { quick: 1.5 } : new Promise(() => {})) };
  const options = { store, clock, machines: { Parent, Quick }, tasks };
  const first = await new Built(options).open();
  const { arn } = await first.start("Parent", { name: "p" });
  await quiet();
  await first.close();
  answers = true;
  const second = await new Built(options).open();
  assert.deepEqual((await (await second.get(arn)).result).output, { out: '{"quick":1.5}', status: "SUCCEEDED" });
  assert.equal(await second.count({ machine: "Quick" }), 1);
  await second.close();
});

test("a child that retention removed while no runtime was open is not started again; its parent fails", async () => {
  const { store, restart, close } = surroundings({ machines: { Parent: one(start(".sync", { Name: "c" })), Child: WAITS } });
  let now = await restart();
  const { arn } = await now.start("Parent", { name: "p" });
  await quiet();
  await now.close();
  const child = `${ARN}:execution:Child:c`;
  await store.open({ owner: "retention" });
  await store.prune({ ids: [child] });
  await store.close();
  now = await restart();
  const { status, error } = await (await now.get(arn)).result;
  assert.deepEqual([status, error], ["FAILED", "StepFunctions.ExecutionDoesNotExistException"]);
  assert.equal(await now.get(child), undefined);
  await close();
});
