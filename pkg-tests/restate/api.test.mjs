// The AWS API in front of Restate, called through @aws-sdk/client-sfn: Map Runs with their children, Express executions and tests of
// states.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { sdk as restateSdk, startServer, unavailable } from "./server.mjs";

const { serve } = await importSource("js/entries/server.ts");
const clients = join(import.meta.dirname, "../server");
const skip =
  unavailable ??
  (existsSync(join(clients, "node_modules/@aws-sdk/client-sfn")) ? undefined : "the packages of pkg-tests/server are not installed");

const ITEMS = "arn:aws:states:us-east-1:123456789012:activity:Items";
const each = (Resource, more) => ({
  StartAt: "Each",
  States: {
    Each: {
      Type: "Map",
      Label: "Each",
      ItemProcessor: {
        ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
        StartAt: "Do",
        States: { Do: { Type: "Task", Resource, End: true } },
      },
      End: true,
      ...more,
    },
  },
});
const machines = {
  Held: each(ITEMS, { MaxConcurrency: 1 }),
  Batched: each("sum", { ItemBatcher: { MaxItemsPerBatch: 2 }, ToleratedFailurePercentage: 50 }),
  Empty: each("sum"),
};
const QUICK = { StartAt: "Add", States: { Add: { Type: "Task", Resource: "sum", End: true } } };
const arnOf = (name) => `arn:aws:states:us-east-1:123456789012:stateMachine:${name}`;

describe("the AWS API in front of Restate, through AWS's SDK", { skip }, () => {
  let server;
  let worker;
  let api;
  let sdk;
  let sfn;
  const ends = (executionArn) =>
    until(async () => {
      const about = await sdk.send("DescribeExecution", { executionArn });
      return about.status !== "RUNNING" && about;
    });
  async function until(holds) {
    for (;;) {
      const value = await holds();
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  before(async () => {
    // The machine and the worker must come from the same copy of the package.
    const { StateMachine } = await import("../../dist/node.js");
    const { serveOnRestate } = await import("../../dist/restate.js");
    server = await startServer();
    const sum = ({ Items = [] }) => Items.reduce((total, n) => total + n, 0);
    const Quick = new StateMachine(QUICK, { name: "Quick", arn: arnOf("Quick"), type: "EXPRESS" });
    const program = { machines: { ...machines, Quick }, tasks: { sum }, sdk: await restateSdk() };
    worker = await serveOnRestate({ port: 0, admin: server.admin, ...program });
    api = await serve({ restate: { ingress: server.ingress, admin: server.admin }, port: 0 });
    sdk = (await import(join(clients, "sdk.mjs"))).sdkOf(api);
    sfn = await import(join(clients, "node_modules/@aws-sdk/client-sfn/dist-cjs/index.js"));
  });
  after(async () => {
    await api?.close();
    await worker?.close();
    await server?.stop();
  });

  test("the limits of a running Map Run can be updated, and a failed Map Run is redriven with its execution", async () => {
    const { send, refused } = sdk;
    const take = () => send("GetActivityTask", { activityArn: ITEMS });
    const { executionArn } = await send("StartExecution", { stateMachineArn: arnOf("Held"), input: "[1,2,3,4]" });
    const first = await take();
    const [{ mapRunArn, stateMachineArn }] = (await send("ListMapRuns", { executionArn })).mapRuns;
    assert.equal(stateMachineArn, `${arnOf("Held")}/Each`);
    const about = await send("DescribeMapRun", { mapRunArn });
    assert.deepEqual([about.status, about.maxConcurrency, about.itemCounts.running, about.itemCounts.pending], ["RUNNING", 1, 1, 3]);
    assert.equal(about.executionArn, executionArn);
    await refused(send("UpdateMapRun", { mapRunArn }), "ValidationException", /At least one of/);
    await send("UpdateMapRun", { mapRunArn, maxConcurrency: 3, toleratedFailureCount: 1 });
    const others = [await take(), await take()];
    const changed = await send("DescribeMapRun", { mapRunArn });
    assert.deepEqual([changed.maxConcurrency, changed.toleratedFailureCount, changed.itemCounts.running], [3, 1, 3]);
    await send("SendTaskSuccess", { taskToken: first.taskToken, output: "1" });
    for (const { taskToken } of others) await send("SendTaskFailure", { taskToken, error: "No" });
    assert.equal((await ends(executionArn)).status, "FAILED");
    const ended = await send("DescribeMapRun", { mapRunArn });
    const { succeeded, failed, aborted, total } = ended.itemCounts;
    assert.deepEqual([ended.status, succeeded, failed, aborted, total], ["FAILED", 1, 2, 1, 4]);
    assert.deepEqual([ended.toleratedFailureCount, ended.stopDate >= ended.startDate], [1, true]);
    await refused(send("UpdateMapRun", { mapRunArn, maxConcurrency: 1 }), "ValidationException", /already completed/);
    const { executions } = await send("ListExecutions", { mapRunArn, statusFilter: "FAILED" });
    assert.deepEqual(
      executions.map((one) => [one.mapRunArn, one.itemCount, one.stateMachineArn]),
      Array(2).fill([mapRunArn, 1, stateMachineArn]),
    );
    const [{ executionArn: childArn }] = executions;
    assert.equal((await send("DescribeExecution", { executionArn: childArn })).redriveStatus, "REDRIVABLE_BY_MAP_RUN");
    await refused(send("RedriveExecution", { executionArn: childArn }), "ValidationException", /with their Map Run/);

    await send("RedriveExecution", { executionArn });
    for (let i = 0; i < 3; i++) {
      const { taskToken, input } = await take();
      await send("SendTaskSuccess", { taskToken, output: input });
    }
    assert.equal((await ends(executionArn)).output, "[1,2,3,4]");
    const again = await send("DescribeMapRun", { mapRunArn });
    assert.deepEqual(
      [again.status, again.redriveCount, again.itemCounts.succeeded, again.itemCounts.failed, again.itemCounts.total],
      ["SUCCEEDED", 1, 4, 0, 4],
    );
    assert.equal((await send("ListMapRuns", { executionArn })).mapRuns.length, 1);
    const child = await send("DescribeExecution", { executionArn: childArn });
    assert.deepEqual([child.status, child.redriveCount, child.mapRunArn], ["SUCCEEDED", 1, mapRunArn]);
    const { events } = await send("GetExecutionHistory", { executionArn: childArn });
    assert.deepEqual(
      events.map(({ id }) => id),
      events.map((_, i) => i + 1),
    );
    const { label, definition } = await send("DescribeStateMachineForExecution", { executionArn: childArn });
    assert.deepEqual([label, JSON.parse(definition)], ["Each", machines.Held]);
  });

  test("a Map Run with batches counts items and executions separately, and its children are listed in pages", async () => {
    const { send, run, all, client, refused } = sdk;
    const { executionArn, output } = await run(arnOf("Batched"), [1, 2, 3, 4, 5]);
    assert.deepEqual(JSON.parse(output), [3, 7, 5]);
    const { found: runs } = await all(sfn.paginateListMapRuns({ client, pageSize: 1 }, { executionArn }), "mapRuns");
    const [{ mapRunArn }] = runs;
    const { itemCounts, executionCounts, toleratedFailurePercentage } = await send("DescribeMapRun", { mapRunArn });
    assert.deepEqual([toleratedFailurePercentage, itemCounts.succeeded, itemCounts.total, itemCounts.resultsWritten], [50, 5, 5, 5]);
    assert.deepEqual([executionCounts.succeeded, executionCounts.total], [3, 3]);
    const { found: children } = await all(sfn.paginateListExecutions({ client, pageSize: 2 }, { mapRunArn }), "executions");
    assert.deepEqual(children.map((child) => child.itemCount).sort(), [1, 2, 2]);
    assert.deepEqual((await send("ListExecutions", { stateMachineArn: arnOf("Batched") })).executions.length, 1);
    await refused(send("DescribeMapRun", { mapRunArn: `${mapRunArn}x` }), "ResourceNotFound");
    await refused(send("ListExecutions", {}), "ValidationException", /Either the stateMachineArn or the mapRunArn/);
    await refused(send("ListMapRuns", { executionArn: `${executionArn}x` }), "ExecutionDoesNotExist");
    const empty = await run(arnOf("Empty"), []);
    const [none] = (await send("ListMapRuns", { executionArn: empty.executionArn })).mapRuns;
    const about = await send("DescribeMapRun", { mapRunArn: none.mapRunArn });
    assert.deepEqual([about.status, about.itemCounts.total], ["SUCCEEDED", 0]);
  });

  test("Express executions and TestState work, and versions, aliases and tags are empty lists", async () => {
    const { send, refused } = sdk;
    const { status, output } = await send("StartSyncExecution", { stateMachineArn: arnOf("Quick"), input: '{"Items":[1,2]}' });
    assert.deepEqual([status, output], ["SUCCEEDED", "3"]);
    await refused(send("StartSyncExecution", { stateMachineArn: arnOf("Held") }), "StateMachineTypeNotSupported");
    const definition = JSON.stringify(QUICK.States.Add);
    const tested = await send("TestState", { definition, roleArn: "arn:aws:iam::123456789012:role/r", mock: { result: "7" } });
    assert.deepEqual([tested.status, tested.output], ["SUCCEEDED", "7"]);
    assert.deepEqual((await send("ListStateMachineVersions", { stateMachineArn: arnOf("Held") })).stateMachineVersions, []);
    assert.deepEqual((await send("ListStateMachineAliases", { stateMachineArn: arnOf("Held") })).stateMachineAliases, []);
    assert.deepEqual((await send("ListTagsForResource", { resourceArn: arnOf("Held") })).tags, []);
    assert.equal((await send("DescribeActivity", { activityArn: ITEMS })).name, "Items");
    await assert.rejects(send("DeleteStateMachine", { stateMachineArn: arnOf("Held") }), /the workers have the machines/);
  });
});
