// Operations on executions on a real Restate server: migrations, retries, schedules and activities.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, startWorker, unavailable } from "./server.mjs";

const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
const APPROVE = "arn:aws:states:us-east-1:123456789012:activity:approve";
const asking = (last) => ({
  StartAt: "Ask",
  States: {
    Ask: task("arn:aws:states:::lambda:invoke.waitForTaskToken", {
      Parameters: { FunctionName: "ask", Payload: { "token.$": "$$.Task.Token" } },
      Next: "Last",
    }),
    Last: last,
  },
});
const each = (States) => {
  const ItemProcessor = { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, StartAt: Object.keys(States)[0], States };
  return { StartAt: "Each", States: { Each: { Type: "Map", Label: "L", MaxConcurrency: 1, ItemProcessor, End: true } } };
};
const machines = {
  Each: each({ Nap: { Type: "Wait", Seconds: 600, End: true } }),
  Asking: asking({ Type: "Pass", Result: "first", End: true }),
  Manual: {
    StartAt: "Approve",
    States: { Approve: task(APPROVE, { HeartbeatSeconds: 60, End: true }) },
  },
  Slow: { StartAt: "Slow", States: { Slow: task("slow", { End: true }) } },
  Once: { StartAt: "Note", States: { Note: task("note", { End: true }) } },
  Rounds: {
    StartAt: "More",
    States: {
      More: { Type: "Choice", Choices: [{ Variable: "$.round", NumericLessThan: 3, Next: "Count" }], Default: "Done" },
      Count: { Type: "Pass", Parameters: { "round.$": "States.MathAdd($.round, 1)" }, Next: "Again" },
      Again: task("urn:stepglass:continueAsNew", { Parameters: { "Input.$": "$" }, End: true }),
      Done: { Type: "Pass", End: true },
    },
  },
};
const tokens = new Map();
const notes = [];
let letGo = () => {};
const tasks = {
  ask: ({ token }, { execution }) => void tokens.set(execution.name, token),
  slow: () => new Promise((resolve) => (letGo = resolve)),
  note: (input, { idempotencyKey }) => (notes.push([input, idempotencyKey]), input),
};

async function until(holds) {
  for (;;) {
    const value = await holds();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("operations on Restate", { skip: unavailable }, () => {
  let server;
  let worker;
  let client;
  before(async () => {
    server = await startServer();
    worker = await startWorker({ server, machines, tasks });
    ({ client } = worker);
  });
  after(async () => {
    await worker?.close();
    await server?.stop();
  });

  test("an execution is migrated to another definition, and one that cannot be migrated stays as it is", async () => {
    const [one, two] = await Promise.all(["one", "two"].map((name) => client.start("Asking", { name, tags: { move: name } })));
    await until(() => tokens.size === 2);
    const renamed = { StartAt: "Other", States: { Other: { Type: "Pass", End: true } } };
    await assert.rejects(one.migrate(renamed), ({ code, problems }) => {
      assert.equal(code, "NOT_MIGRATABLE");
      assert.equal(problems[0].state, "Ask");
      return true;
    });
    await assert.rejects(one.migrate({ StartAt: "Nowhere", States: {} }), { name: "DefinitionError" });
    await one.migrate(asking({ Type: "Pass", Result: "second", End: true }));
    assert.ok((await one.describe()).migratedDate > 0);
    const report = await until(async () => {
      const found = await client.migrate({ machine: "Asking", tags: { move: "two" } }, asking({ Type: "Fail", Error: "Third" }));
      return found.migrated.length > 0 && found;
    });
    assert.deepEqual(report, { migrated: [two.arn], refused: [] });
    for (const name of ["one", "two"]) assert.equal(await client.succeed(tokens.get(name), {}), true);
    assert.deepEqual(await one.result, { status: "SUCCEEDED", output: "second" });
    assert.deepEqual(await two.result, { status: "FAILED", error: "Third" });
    await assert.rejects(one.migrate(), { code: "NOT_MIGRATABLE", message: /is not running any more/ });
  });

  test("executions are listed, stopped and redriven by filter, and migrations include their children", async () => {
    const names = ["a", "b", "c"];
    const filter = { machine: "Each", tags: { many: "yes" } };
    const executions = await Promise.all(names.map((name) => client.start("Each", { name, tags: { many: "yes" }, input: [1, 2, 3] })));
    const mapRunOf = (execution) =>
      until(async () => (await execution.frames()).find(({ mapRun }) => mapRun?.itemCounts.running > 0)?.mapRun);
    const [one] = executions;
    const { mapRunArn, maxConcurrency } = await mapRunOf(one);
    assert.equal(maxConcurrency, 1);
    await assert.rejects(one.updateMapRun(mapRunArn, { maxConcurrency: "many" }), { code: "INVALID_ARGUMENT" });
    await one.updateMapRun(mapRunArn, { maxConcurrency: 2 });
    const children = () => client.list({ mapRunArn, status: "RUNNING" });
    await until(async () => (await children()).items.length === 2);
    const gone = each({ Other: { Type: "Pass", End: true } });
    const affected = await client.affected("Each", gone);
    // The affected executions are the running children: two of the first execution, and one of each other.
    assert.deepEqual(
      affected.map(({ problems }) => problems[0].state),
      Array(4).fill("Nap"),
    );
    assert.ok(affected.every(({ arn }) => arn.includes("Each/")));
    assert.deepEqual(await client.affected("Each"), []);
    await one.migrate(each({ Nap: { Type: "Wait", Seconds: 600, Next: "New" }, New: { Type: "Pass", End: true } }));
    const { definition } = (await client.list({ namePrefix: "a", machine: "Each" })).items[0];
    await until(async () => (await children()).items.every((child) => child.definition === definition));
    assert.equal(await client.stopAll(filter, "Enough", "of it"), 3);
    assert.deepEqual((await one.result).error, "Enough");
    assert.deepEqual(await client.redriveAll({ ...filter, status: "SUCCEEDED" }), { redriven: [], refused: [] });
    const report = await client.redriveAll({ ...filter, namePrefix: "b" });
    assert.deepEqual(report, { redriven: [executions[1].arn], refused: [] });
    assert.equal(await client.stopAll(filter), 1);
  });

  test("an execution continues as a new one, and its outcome can be followed", async () => {
    const execution = await client.start("Rounds", { name: "rounds", input: { round: 1 } });
    assert.deepEqual(await execution.outcome({ follow: true }), { status: "SUCCEEDED", output: { round: 3 } });
    const { continuedTo } = await execution.describe();
    const next = await client.get(continuedTo.arn);
    const { run, continuedFrom } = await next.describe();
    assert.deepEqual([next.name, run, continuedFrom], ["rounds.2", 2, { arn: execution.arn }]);
  });

  test("a schedule starts executions until it is removed", async () => {
    await assert.rejects(client.schedule("wrong", { machine: "Once" }), { code: "INVALID_OPTION" });
    const made = await client.schedule("often", { machine: "Once", every: "1 s", input: { at: "<aws.scheduler.scheduled-time>" } });
    assert.equal(made.every, 1000);
    await until(() => notes.length >= 2);
    const [{ name, last, machine }] = await client.schedules();
    assert.deepEqual([name, machine], ["often", "Once"]);
    assert.equal((await client.get(last.arn)).machine, "Once");
    assert.equal(await client.unschedule("often"), true);
    assert.equal(await client.unschedule("often"), false);
    assert.deepEqual(await client.schedules(), []);
    assert.equal(notes[0][0].at, new Date(made.next).toISOString());
    assert.equal(new Set(notes.map(([, key]) => key)).size, notes.length);
  });

  test("workers of an activity fetch its tasks and answer them, in any process", async () => {
    assert.equal(await client.getActivityTask(APPROVE, { seconds: 0.1 }), undefined);
    await assert.rejects(client.getActivityTask("approve"), { code: "INVALID_ARGUMENT", message: /contains ":activity:"/ });
    // Two workers poll before there are tasks, and two tasks wait for a worker.
    const waiting = [1, 2].map((number) => client.getActivityTask(APPROVE, { workerName: `worker ${number}` }));
    const executions = await Promise.all([1, 2, 3, 4].map((amount) => client.start("Manual", { input: { amount } })));
    const taken = [...(await Promise.all(waiting)), await client.getActivityTask(APPROVE), await client.getActivityTask(APPROVE)];
    assert.deepEqual(taken.map(({ input }) => input.amount).sort(), [1, 2, 3, 4]);
    assert.equal(new Set(taken.map(({ taskToken }) => taskToken)).size, 4);
    for (const { taskToken, input } of taken) {
      assert.equal(await client.heartbeat(taskToken, { at: "work" }), true);
      assert.equal(await client.succeed(taskToken, { approved: input.amount }), true);
      assert.equal(await client.succeed(taskToken, {}), false);
    }
    const results = await Promise.all(executions.map(({ result }) => result));
    assert.deepEqual(
      results.map(({ output }) => output.approved),
      [1, 2, 3, 4],
    );
    const types = (await executions[0].history()).map(({ type }) => type);
    assert.deepEqual(types.slice(2, 5), ["ActivityScheduled", "ActivityStarted", "ActivitySucceeded"]);
  });

  test("resume retries an execution that cannot continue, and reports why if it still cannot", async () => {
    const execution = await client.start("Slow", { name: "slow" });
    await until(() => letGo.length === 1);
    // The execution's slice is running, and the next worker does not have its definition.
    const { port } = worker.worker;
    await worker.close();
    worker = await startWorker({ server, machines: {}, tasks, port });
    await until(() =>
      execution.resume().then(
        () => false,
        ({ code, message }) => code === "EXECUTION_SUSPENDED" && message.includes("cannot continue: "),
      ),
    );
    await worker.close();
    letGo = () => {};
    worker = await startWorker({ server, machines, tasks, port });
    await execution.resume();
    await until(() => letGo.length === 1);
    letGo({ slow: true });
    assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { slow: true } });
    // Resuming an execution that has no problem does nothing.
    await execution.resume();
  });
});
