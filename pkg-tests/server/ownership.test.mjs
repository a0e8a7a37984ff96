// Servers on stores with executions of others: of an application with a Runtime, and of servers with other handlers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Runtime } from "../../dist/durable-node.js";
import { MemoryStore, serve } from "../../dist/server.js";
import { eventually, machine, role } from "./endpoint.mjs";

/** A store in memory that claims to be durable, so that it can outlive its servers. */
class DurableMemoryStore extends MemoryStore {
  get durable() {
    return true;
  }
}

const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
const ship = task("arn:aws:lambda:us-east-1:123456789012:function:ship", {
  Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 1, MaxAttempts: 1 }],
  Catch: [{ ErrorEquals: ["States.ALL"], Next: "Compensate" }],
  End: true,
});
const Order = {
  StartAt: "Ask",
  States: {
    Ask: task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", { Parameters: { "Token.$": "$$.Task.Token" }, Next: "Ship" }),
    Ship: ship,
    Compensate: { Type: "Pass", Result: "compensated", End: true },
  },
};

async function opened(t, options) {
  const server = await serve({ port: 0, ...options });
  t.after(() => server.close({ grace: 0 }));
  return server;
}

/** Everything that a store contains of an execution. */
async function everything(store, arn) {
  await store.open({ owner: "test" });
  const found = JSON.stringify(await store.load(arn));
  await store.close();
  return found;
}

test("a server shows the running executions of a Runtime, logs that, and does not change them", async (t) => {
  const store = new DurableMemoryStore();
  const tokens = [];
  const tasks = { "sqs:sendMessage.waitForTaskToken": ({ Token }) => void tokens.push(Token), ship: () => "shipped" };
  const first = await new Runtime({
    store,
    machines: { Order, Busy: { StartAt: "Ship", States: { Ship: ship, Compensate: Order.States.Compensate } } },
    tasks: { ...tasks, ship: () => new Promise(() => {}) },
  }).open();
  const asked = await first.start("Order", { name: "asked", input: { n: 1 } });
  const busy = await first.start("Busy", { name: "busy" });
  await eventually(() => tokens.length > 0);
  await eventually(async () => (await busy.history()).some(({ type }) => type === "LambdaFunctionStarted"));
  await first.close();
  const before = [await everything(store, asked.arn), await everything(store, busy.arn)];

  const lines = [];
  const server = await opened(t, { store, log: (level, line) => lines.push(`${level}: ${line}`) });
  assert.deepEqual(lines, [
    "error: 2 running executions of the store are run by an application, with a Runtime of stepglass/durable: the server only shows them",
  ]);
  const { status, input, stateMachineArn } = await server.call("DescribeExecution", { executionArn: asked.arn });
  assert.deepEqual({ status, input }, { status: "RUNNING", input: '{"n":1}' });
  const { executions } = await server.call("ListExecutions", { stateMachineArn, statusFilter: "RUNNING" });
  assert.deepEqual(
    executions.map(({ name, redriveCount }) => [name, redriveCount]),
    [["asked", 0]],
  );
  const { events } = await server.call("GetExecutionHistory", { executionArn: busy.arn });
  assert.equal(events.at(-1).type, "LambdaFunctionStarted");
  const { definition } = await server.call("DescribeStateMachineForExecution", { executionArn: asked.arn });
  assert.deepEqual(JSON.parse(definition), Order);
  const page = await (await fetch(`${server.url}/debugger/api/executions/${encodeURIComponent(busy.arn)}`)).json();
  assert.deepEqual(
    { name: page.name, status: page.status, events: page.events.length },
    { name: "busy", status: "RUNNING", events: events.length },
  );
  const listed = await (await fetch(`${server.url}/debugger/api/executions`)).json();
  assert.deepEqual(listed.executions.map(({ name }) => name).sort(), ["asked", "busy"]);
  for (const [operation, request] of [
    ["StopExecution", { executionArn: asked.arn }],
    ["SendTaskSuccess", { taskToken: tokens[0], output: "1" }],
  ])
    await assert.rejects(server.call(operation, request), { code: "ExecutionRunsElsewhere", message: /is run by an application/ });
  const signal = await fetch(`${server.url}/debugger/api/executions/${encodeURIComponent(asked.arn)}/signal`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "go" }),
  });
  assert.equal(signal.status, 400);
  await server.close({ grace: 0 });
  assert.deepEqual([await everything(store, asked.arn), await everything(store, busy.arn)], before);

  const second = await new Runtime({ store, machines: { Order }, tasks }).open();
  assert.equal(await second.succeed(tokens[0], "yes"), true);
  for (const { arn } of [asked, busy]) assert.equal((await (await second.get(arn)).result).output, "shipped");
  await second.close();
});

test("a Runtime does not change the running executions of a server", async (t) => {
  const store = new DurableMemoryStore();
  const server = await opened(t, { store, tasks: { ship: () => new Promise(() => {}) } });
  const { stateMachineArn } = await server.call("CreateStateMachine", {
    name: "Order",
    definition: machine({ Ship: ship, Compensate: Order.States.Compensate }),
    roleArn: role,
  });
  const { executionArn } = await server.call("StartExecution", { stateMachineArn, name: "o-1" });
  await eventually(async () => (await server.call("GetExecutionHistory", { executionArn })).events.length > 3);
  await server.close({ grace: 0 });
  const before = await everything(store, executionArn);
  const runtime = await new Runtime({ store, machines: { Order }, tasks: {} }).open();
  const execution = await runtime.get(executionArn);
  assert.equal((await execution.describe()).status, "RUNNING");
  assert.equal((await execution.history()).at(-1).type, "LambdaFunctionStarted");
  await assert.rejects(execution.stop(), { code: "EXECUTION_ELSEWHERE" });
  await runtime.close();
  assert.equal(await everything(store, executionArn), before);
});

test("a server without the handlers of the previous one suspends running executions; in new ones the tasks fail", async (t) => {
  const store = new DurableMemoryStore();
  const definition = machine({ Ship: ship, Compensate: Order.States.Compensate });
  const first = await opened(t, { store, tasks: { ship: () => new Promise(() => {}) } });
  const { stateMachineArn } = await first.call("CreateStateMachine", { name: "Order", definition, roleArn: role });
  const start = (server, name) => server.call("StartExecution", { stateMachineArn, name }).then(({ executionArn }) => executionArn);
  const running = await start(first, "running");
  await eventually(async () => (await first.call("GetExecutionHistory", { executionArn: running })).events.length > 3);
  await first.close({ grace: 0 });

  const lines = [];
  const without = await opened(t, { store, log: (level, line) => lines.push(line) });
  await eventually(() => lines.some((line) => line.includes("is suspended")));
  assert.match(lines[0], /nothing handles arn:aws:lambda:.*: executions of Order will wait there until something does/);
  const describe = (server, executionArn) => server.call("DescribeExecution", { executionArn });
  assert.equal((await describe(without, running)).status, "RUNNING");
  const fresh = await start(without, "fresh");
  await eventually(async () => (await describe(without, fresh)).status === "SUCCEEDED");
  assert.equal((await describe(without, fresh)).output, '"compensated"');
  await without.close({ grace: 0 });

  const again = await opened(t, { store, tasks: { ship: () => "shipped" } });
  await eventually(async () => (await describe(again, running)).status === "SUCCEEDED");
  assert.equal((await describe(again, running)).output, '"shipped"');
  await again.close({ grace: 0 });

  const failing = await opened(t, { store, tasks: { ship: () => new Promise(() => {}) } });
  const other = await start(failing, "other");
  await eventually(async () => (await failing.call("GetExecutionHistory", { executionArn: other })).events.length > 3);
  await failing.close({ grace: 0 });
  const fails = await opened(t, { store, missingHandler: "fail" });
  await eventually(async () => (await describe(fails, other)).output === '"compensated"');
  await fails.close({ grace: 0 });
});
