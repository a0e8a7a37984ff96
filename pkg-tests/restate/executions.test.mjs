// Executions on a real Restate server: their results, and their histories compared with those in memory.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { startServer, startWorker, unavailable } from "./server.mjs";

const { RestateClient, StateMachine } = await importSource("pkg-tests/restate/inside.mjs");
const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
const pass = { Type: "Pass", End: true };

/** The definitions that the tests start. */
const machines = {
  Three: {
    StartAt: "A",
    States: { A: task("first", { Next: "B" }), B: task("second", { Next: "C" }), C: task("third", { End: true }) },
  },
  Retried: {
    StartAt: "Shaky",
    States: {
      Shaky: task("shaky", {
        Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1, MaxAttempts: 2, BackoffRate: 1 }],
        Catch: [{ ErrorEquals: ["States.ALL"], ResultPath: "$.error", Next: "Caught" }],
        End: true,
      }),
      Caught: pass,
    },
  },
  Waiting: { StartAt: "Wait", States: { Wait: { Type: "Wait", Seconds: 1, Next: "Then" }, Then: task("first", { End: true }) } },
  Asked: {
    StartAt: "Ask",
    States: {
      Ask: task("arn:aws:states:::lambda:invoke.waitForTaskToken", {
        Parameters: { FunctionName: "ask", Payload: { "token.$": "$$.Task.Token" } },
        Next: "Done",
      }),
      Done: pass,
    },
  },
  Both: {
    StartAt: "Both",
    States: {
      Both: {
        Type: "Parallel",
        Branches: [
          { StartAt: "A", States: { A: task("first", { End: true }) } },
          {
            StartAt: "Each",
            States: {
              Each: {
                Type: "Map",
                ItemsPath: "$.items",
                ItemProcessor: { StartAt: "B", States: { B: task("double", { End: true }) } },
                End: true,
              },
            },
          },
        ],
        End: true,
      },
    },
  },
  Parent: {
    StartAt: "Child",
    States: {
      Child: task("arn:aws:states:::states:startExecution.sync:2", {
        Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Three", Input: { x: 1 } },
        ResultSelector: { "status.$": "$.Status", "output.$": "$.Output" },
        End: true,
      }),
    },
  },
  ParentOfSlow: {
    StartAt: "Child",
    States: {
      Child: task("arn:aws:states:::states:startExecution.sync", {
        Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Slow", Name: "slow-child", Input: {} },
        End: true,
      }),
    },
  },
  Slow: { StartAt: "Slow", States: { Slow: task("slow", { End: true }) } },
  Beating: { StartAt: "Beat", States: { Beat: task("beat", { HeartbeatSeconds: 2, TimeoutSeconds: 30, End: true }) } },
  Timed: { StartAt: "Slow", States: { Slow: task("slow", { TimeoutSeconds: 1, End: true }) } },
  Signalled: {
    StartAt: "Show",
    States: {
      Show: task("urn:stepglass:setState", { Parameters: { Value: { step: "waiting" } }, Next: "Label" }),
      Label: task("urn:stepglass:setAttributes", { Parameters: { Attributes: { stage: "waiting", amount: null } }, Next: "Signal" }),
      Signal: task("urn:stepglass:waitForSignal", { Parameters: { Name: "go" }, End: true }),
    },
  },
  Resting: {
    StartAt: "Items",
    States: {
      Items: {
        Type: "Map",
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "Rest",
          States: { Rest: { Type: "Wait", Seconds: 2, Next: "B" }, B: task("double", { End: true }) },
        },
        End: true,
      },
    },
  },
  Spread: {
    StartAt: "Items",
    States: {
      Items: {
        Type: "Map",
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "B",
          States: { B: task("double", { End: true }) },
        },
        ItemsPath: "$.items",
        MaxConcurrency: 100,
        ToleratedFailurePercentage: 10,
        End: true,
      },
    },
  },
  Redriven: { StartAt: "A", States: { A: task("first", { Next: "B" }), B: task("mended", { End: true }) } },
};

/** What handlers have received: their calls with idempotency keys, task tokens, and reasons of aborted signals. */
const calls = [];
const tokens = [];
const aborted = [];
let isMended = false;
let shaken = 0;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const called = (name, handler) => async (input, task) => {
  calls.push([name, task.idempotencyKey]);
  return handler(input, task);
};
const tasks = {
  first: called("first", (input) => ({ ...input, first: true })),
  second: called("second", (input) => ({ ...input, second: true })),
  third: called("third", (input, { stateName }) => ({ ...input, third: stateName })),
  double: called("double", (input) => {
    if (input === "odd") throw new Error("odd");
    return input * 2;
  }),
  shaky: called("shaky", () => {
    shaken += 1;
    throw Object.assign(new Error(`shaken ${shaken}`), { name: shaken < 3 ? "Busy" : "Broken" });
  }),
  ask: ({ token }) => void tokens.push(token),
  slow: (_input, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => aborted.push(signal.reason.reason));
      setTimeout(resolve, 20_000).unref();
    }),
  beat: async (_input, task) => {
    for (let i = 0; i < 4; i += 1) {
      await sleep(700);
      task.heartbeat({ i });
    }
    return { beats: 4 };
  },
  mended: () => {
    if (!isMended) throw new Error("not yet");
    return { mended: true };
  },
};

async function until(holds) {
  for (;;) {
    const value = await holds();
    if (value) return value;
    await sleep(20);
  }
}

const types = (events) => events.map(({ type }) => type);

describe("executions on Restate", { skip: unavailable }, () => {
  let server;
  let worker;
  let client;
  before(async () => {
    server = await startServer();
    await assert.rejects(new RestateClient(server.ingress).start("Three"), { code: "RESTATE_NO_WORKER" });
    worker = await startWorker({ server, machines, tasks });
    ({ client } = worker);
  });
  after(async () => {
    await worker?.close();
    await server?.stop();
  });

  test("have the same results as in memory, with the same events", async () => {
    for (const [name, input] of [
      ["Three", { x: 1 }],
      ["Both", { items: [1, 2, 3] }],
      ["Waiting", { w: 1 }],
    ]) {
      const execution = await client.start(name, { input });
      const memory = new StateMachine(machines[name]).start(input, { tasks, clock: "virtual" });
      const here = await memory.result;
      assert.deepEqual(await execution.result, here, name);
      const [events, expected] = [await execution.history(), memory.history()];
      // The order of events of different branches is not promised.
      assert.deepEqual(types(events).sort(), types(expected).sort(), name);
      assert.deepEqual(await execution.history({ from: 1, limit: 2 }), events.slice(1, 3));
      assert.deepEqual(await execution.history({ limit: 2, reverse: true }), events.slice(-2).reverse());
    }
  });

  test("are found by name, and a name can be used once", async () => {
    const first = await client.start("Three", { name: "once", input: { x: 1 } });
    await first.result;
    await assert.rejects(client.start("Three", { name: "once", input: { x: 2 } }), { code: "EXECUTION_EXISTS" });
    await assert.rejects(client.start("Thre"), { code: "UNKNOWN_MACHINE", message: /"Three"/ });
    const found = await client.get("Three", "once");
    assert.equal((await found.describe()).status, "SUCCEEDED");
    assert.deepEqual((await found.describe()).output, { x: 1, first: true, second: true, third: "C" });
    assert.equal(await client.get("Three", "never"), undefined);
    const { items } = await client.list({ machine: "Three", status: "SUCCEEDED", namePrefix: "onc" });
    assert.deepEqual(
      items.map(({ name }) => name),
      ["once"],
    );
    assert.equal(await client.count({ machine: "Three", namePrefix: "once" }), 1);
  });

  test("retry and catch errors, with the same idempotency key for all attempts", async () => {
    const execution = await client.start("Retried", { input: {} });
    const { status, output } = await execution.result;
    assert.equal(status, "SUCCEEDED");
    assert.equal(output.error.Error, "Broken");
    const keys = calls.filter(([name]) => name === "shaky").map(([, key]) => key);
    assert.deepEqual(keys, [keys[0], keys[0], keys[0]]);
  });

  test("wait for a task token, which can be answered once", async () => {
    const execution = await client.start("Asked");
    const token = await until(() => tokens.at(-1));
    assert.equal((await execution.describe()).status, "RUNNING");
    assert.equal((await execution.frames())[0].state, "Ask");
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => client.succeed(token, { yes: true }))).then((all) => all.sort()), [
      false,
      false,
      true,
    ]);
    assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { yes: true } });
    assert.equal(await client.succeed(token, {}), false);
    const forged = token.slice(0, 20) + (token[20] === "A" ? "B" : "A") + token.slice(21);
    assert.equal(await client.fail(forged).catch(({ code }) => code === "UNKNOWN_TOKEN" && false), false);
    await assert.rejects(client.succeed("no token", {}), { code: "UNKNOWN_TOKEN" });
  });

  test("start child executions and wait for them", async () => {
    const execution = await client.start("Parent", { input: {} });
    assert.deepEqual(await execution.result, {
      status: "SUCCEEDED",
      output: { status: "SUCCEEDED", output: { x: 1, first: true, second: true, third: "C" } },
    });
  });

  test("stop at once, also while a slice runs, and stop their children", async () => {
    aborted.length = 0;
    const execution = await client.start("Slow");
    await until(async () => (await client.get("Slow", execution.name)) !== undefined);
    await execution.stop("Enough", "of it");
    assert.deepEqual(await execution.result, { status: "ABORTED", error: "Enough", cause: "of it" });
    await until(() => aborted.includes("Stopped"));
    const parent = await client.start("ParentOfSlow");
    const child = await until(() => client.get("Slow", "slow-child"));
    await parent.stop();
    assert.equal((await parent.result).status, "ABORTED");
    const { status, cause } = await child.result;
    assert.equal(status, "ABORTED");
    assert.match(cause, /ParentOfSlow/);
  });

  test("time out, and stay alive by heartbeats", async () => {
    aborted.length = 0;
    const timed = await client.start("Timed");
    const beating = await client.start("Beating");
    const { status, error } = await timed.result;
    assert.deepEqual([status, error], ["FAILED", "States.Timeout"]);
    await until(() => aborted.includes("Timeout"));
    assert.deepEqual(await beating.result, { status: "SUCCEEDED", output: { beats: 4 } });
  });

  test("take signals, expose a state, and can be cancelled", async () => {
    const execution = await client.start("Signalled", { attributes: { customer: "c-7", amount: 12 } });
    await execution.signal("other", 1);
    await until(async () => (await execution.query()).state !== undefined);
    const { state, signals, frames } = await execution.query();
    assert.deepEqual([state, signals, frames[0].state], [{ step: "waiting" }, { other: 1 }, "Signal"]);
    const attributes = { customer: "c-7", stage: "waiting" };
    assert.deepEqual((await execution.describe()).attributes, attributes);
    assert.deepEqual(
      (await client.list({ attributes })).items.map(({ id }) => id),
      [execution.arn],
    );
    assert.equal(await client.count({ attributes: { customer: { from: "c-7", before: "c-8" }, amount: 12 } }), 0);
    await execution.signal("go", { now: true }, { id: "a" });
    assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { now: true } });
    await assert.rejects(execution.signal("go"), { code: "NOT_RUNNING" });
    const cancelled = await client.start("Signalled");
    await until(async () => (await cancelled.query()).state !== undefined);
    await cancelled.cancel({ why: "changed" });
    const { error, cause } = await cancelled.result;
    assert.deepEqual([error, cause], ["Stepglass.Cancelled", '{"why":"changed"}']);
  });

  test("run the items of a Distributed Map as child executions, and tolerate failures", async () => {
    const items = Array.from({ length: 250 }, (_, i) => (i % 50 === 7 ? "odd" : i));
    const execution = await client.start("Spread", { input: { items } });
    const { status, output } = await execution.result;
    assert.equal(status, "SUCCEEDED");
    // Tolerated failures are not in the output.
    assert.equal(output.length, 245);
    assert.deepEqual(output.slice(0, 4), [0, 2, 4, 6]);
    // Each item is a child execution, which is listed only by its Map Run.
    const started = (await execution.history()).find(({ type }) => type === "MapRunStarted");
    const { mapRunArn } = started.mapRunStartedEventDetails;
    const { items: children } = await client.list({ mapRunArn }, { limit: Infinity });
    assert.equal(children.length, 250);
    assert.equal(await client.count({ mapRunArn, status: "FAILED" }), 5);
    const own = await client.list({ machine: "Spread" }, { limit: Infinity });
    assert.ok(own.items.every(({ id }) => id.includes(":execution:Spread:")));
    const child = await client.get(children.find(({ status: one }) => one === "FAILED").id);
    assert.equal((await child.result).status, "FAILED");
    assert.deepEqual(
      (await child.history()).map(({ type }) => type),
      ["ExecutionStarted", "TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskFailed", "ExecutionFailed"],
    );
  });

  test("stop the children of their Map Runs, and continue them when they are redriven", async () => {
    const execution = await client.start("Resting", { input: [0, 1, 2] });
    const map = async () => (await execution.history()).find(({ type }) => type === "MapRunStarted")?.mapRunStartedEventDetails;
    await until(async () => (await map()) !== undefined);
    const { mapRunArn } = await map();
    const statuses = async () => (await client.list({ mapRunArn })).items.map(({ status }) => status);
    await until(async () => (await statuses()).length === 3);
    await execution.stop();
    assert.equal((await execution.result).status, "ABORTED");
    await until(async () => (await statuses()).every((status) => status === "ABORTED"));
    await execution.redrive();
    assert.deepEqual((await execution.result).output, [0, 2, 4]);
    assert.deepEqual(await statuses(), ["SUCCEEDED", "SUCCEEDED", "SUCCEEDED"]);
  });

  test("continue at the failed state when they are redriven", async () => {
    const execution = await client.start("Redriven", { input: {} });
    assert.equal((await execution.result).status, "FAILED");
    const before = calls.filter(([name]) => name === "first").length;
    isMended = true;
    await execution.redrive();
    assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { mended: true } });
    assert.equal(calls.filter(([name]) => name === "first").length, before);
    assert.equal((await execution.describe()).redriveCount, 1);
    await assert.rejects(execution.redrive(), { code: "NOT_REDRIVABLE" });
  });
});
