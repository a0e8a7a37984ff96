// Executions whose handlers are missing in a deployment are suspended until a deployment has them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore, Runtime, TestClock, quiet } from "./surroundings.mjs";

const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
const machines = {
  Order: {
    StartAt: "Pause",
    States: {
      Pause: { Type: "Wait", Seconds: 60, Next: "Ship" },
      Ship: task("ship", {
        TimeoutSeconds: 30,
        Retry: [{ ErrorEquals: ["States.ALL"] }],
        Catch: [{ ErrorEquals: ["States.ALL"], Next: "Refund" }],
        End: true,
      }),
      Refund: task("refund", { End: true }),
    },
  },
  Both: {
    StartAt: "Both",
    States: {
      Both: {
        Type: "Parallel",
        Branches: [
          {
            StartAt: "Ask",
            States: {
              Ask: task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", { Parameters: { "Token.$": "$$.Task.Token" }, End: true }),
            },
          },
          { StartAt: "Ship", States: { Ship: task("ship", { End: true }) } },
        ],
        End: true,
      },
    },
  },
  Own: { StartAt: "New", States: { New: task("urn:stepglass:fromTheFuture", { End: true }) } },
  Parent: {
    StartAt: "Child",
    States: {
      Child: task("arn:aws:states:::states:startExecution.sync:2", { Parameters: { StateMachineArn: "Nobody", Input: {} }, End: true }),
    },
  },
};

/** Runtimes of one store. `deploy` closes the last one and opens the next one without the handlers that it names. */
function deployments(more = {}) {
  const store = new MemoryStore();
  const clock = new TestClock();
  const calls = [];
  const suspensions = [];
  const tokens = [];
  const all = {
    ship: (input, { idempotencyKey }) => (calls.push(["ship", idempotencyKey]), "shipped"),
    refund: () => (calls.push(["refund"]), "refunded"),
    "sqs:sendMessage.waitForTaskToken": ({ Token }) => void tokens.push(Token),
  };
  let now;
  const deploy = async (forgotten = [], options = {}) => {
    await quiet();
    await now?.close();
    const tasks = Object.fromEntries(Object.entries(all).filter(([name]) => !forgotten.includes(name)));
    const onSuspended = ({ name, suspended }, reason) => suspensions.push({ name, suspended, reason });
    now = await new Runtime({ store, clock, machines, tasks, onSuspended, ...more, ...options }).open();
    await quiet();
    return now;
  };
  return { store, clock, calls, suspensions, tokens, deploy };
}

test("a handler that a deployment forgot suspends its execution, which continues when the handler is there", async () => {
  const { clock, calls, suspensions, deploy } = deployments();
  let now = await deploy();
  const { arn } = await now.start("Order", { name: "o-1" });
  now = await deploy(["ship"]);
  await clock.pass(60_000);
  assert.deepEqual(calls, [], "neither Retry nor Catch may handle a missing handler, which is not an error of the task");
  assert.equal(suspensions.length, 1);
  assert.deepEqual(suspensions[0].suspended.missing, { state: "Ship", resource: "ship" });
  assert.match(suspensions[0].reason, /No task handler for resource "ship" of state "Ship"\. The handlers are: "refund"/);
  const { status, suspended } = await (await now.get(arn)).describe();
  assert.equal(status, "RUNNING");
  assert.equal(suspended.reason, suspensions[0].reason);
  const { at } = suspended;

  // Another deployment without the handler is notified too, and the record does not change.
  await clock.pass(3_600_000);
  now = await deploy(["ship"]);
  assert.equal(suspensions.length, 2);
  assert.equal(suspensions[1].suspended.at, at);
  await assert.rejects((await now.get(arn)).resume(), { code: "EXECUTION_SUSPENDED" });

  now = await deploy();
  const execution = await now.get(arn);
  assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: "shipped" });
  assert.equal(calls.length, 1);
  assert.equal((await execution.describe()).suspended, undefined);
  const types = (await execution.history()).map(({ type }) => type);
  assert.ok(!types.some((type) => /Failed|TimedOut/.test(type)), types.join());
  assert.deepEqual((await now.verify()).differing, []);
  await now.close();
});

test("a new execution without a handler is suspended too: run() rejects, and a later deployment continues it", async () => {
  const { calls, suspensions, deploy, clock } = deployments();
  let now = await deploy(["ship"]);
  const running = assert.rejects(now.run("Order", { name: "o-1" }), { code: "EXECUTION_SUSPENDED", message: /"ship" of state "Ship"/ });
  await quiet();
  await clock.pass(60_000);
  await running;
  assert.equal(suspensions.length, 1);
  await assert.rejects(now.run("Order", { name: "o-1" }), { code: "EXECUTION_SUSPENDED" });
  now = await deploy();
  assert.equal(await (await now.get("Order", "o-1")).result.then(({ output }) => output), "shipped");
  assert.equal(calls.length, 1);
  await now.close();
});

test('missingHandler "fail", for all tasks or for one, makes the task fail instead', async () => {
  for (const [options, status] of [
    [{ missingHandler: "fail" }, "SUCCEEDED"],
    [{ taskOptions: { Ship: { missingHandler: "fail" } } }, "SUCCEEDED"],
    [{ missingHandler: "fail", taskOptions: { ship: { missingHandler: "suspend" } } }, "RUNNING"],
  ]) {
    const { clock, calls, deploy } = deployments(options);
    const now = await deploy(["ship"]);
    const execution = await now.start("Order", { name: "o-1" });
    for (let i = 0; i < 70; i += 1) await clock.pass(1_000);
    assert.equal((await execution.describe()).status, status);
    assert.deepEqual(calls, status === "SUCCEEDED" ? [["refund"]] : []);
    await now.close();
  }
  const { store } = deployments();
  for (const options of [{ missingHandler: "skip" }, { taskOptions: { ship: { missingHandler: "skip" } } }])
    assert.throws(() => new Runtime({ store, machines, ...options }), { code: "INVALID_OPTION" });
});

test("answering a token of a suspended execution is refused, and the token stays valid", async () => {
  const { tokens, deploy } = deployments();
  let now = await deploy(["ship"]);
  const { arn } = await now.start("Both", { name: "b" });
  await quiet();
  assert.equal(tokens.length, 1);
  await assert.rejects(now.succeed(tokens[0], "yes"), { code: "EXECUTION_SUSPENDED" });
  now = await deploy();
  assert.equal(await now.succeed(tokens[0], "yes"), true);
  assert.deepEqual((await (await now.get(arn)).result).output, ["yes", "shipped"]);
  await now.close();
});

test("a built-in task that this version does not have suspends the execution; an unknown child machine fails the task", async () => {
  const { suspensions, deploy } = deployments();
  const now = await deploy();
  const own = await now.start("Own", { name: "o" });
  const parent = await now.start("Parent", { name: "p" });
  assert.equal((await parent.result).error, "StepFunctions.StateMachineDoesNotExistException");
  await quiet();
  assert.deepEqual(
    suspensions.map(({ name }) => name),
    ["o"],
  );
  await own.stop("Enough");
  assert.deepEqual(await own.result, { status: "ABORTED", error: "Enough" });
  await now.close();
});

test("an execution continues although its process was killed before it stored the suspension", async () => {
  const { store, clock, suspensions, deploy } = deployments();
  const first = await deploy(["ship"]);
  const { arn } = await first.start("Order", { name: "o-1" });
  await quiet();
  const { write } = store;
  store.write = async (batches) => {
    if (batches.some(({ change }) => change?.suspended !== undefined)) return new Promise(() => {});
    return write.call(store, batches);
  };
  await clock.pass(60_000);
  await store.close();
  store.write = write;
  const second = await new Runtime({ store, clock, machines, tasks: { ship: () => "shipped" } }).open();
  assert.deepEqual((await (await second.get(arn)).result).output, "shipped");
  assert.deepEqual(suspensions, []);
  await second.close();
});

test("closing a runtime rejects the promises that wait for the ends of executions", async () => {
  const { deploy } = deployments();
  const now = await deploy();
  const running = now.run("Order", { name: "o-1" });
  const outcome = now.start("Order", { name: "o-2" }).then((execution) => execution.outcome());
  const both = Promise.allSettled([running, outcome]);
  await quiet();
  await now.close();
  for (const { reason } of await both) assert.equal(reason.code, "RUNTIME_CLOSED");
});
