// Map Runs through @aws-sdk/client-sfn.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as sfn from "@aws-sdk/client-sfn";
import { eventually, lambda, machine, start } from "./endpoint.mjs";
import { sdkOf } from "./sdk.mjs";

const server = await start({ tasks: { double: ({ n }) => ({ n: n * 2 }) } });
const { client, send, create, run, refused, all } = sdkOf(server);

test("the Map Runs of a Distributed Map and their children can be listed and described", async () => {
  const arn = await create(
    "Mapped",
    machine({
      Each: {
        Type: "Map",
        MaxConcurrency: 4,
        ToleratedFailurePercentage: 50,
        Label: "Each",
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "Double",
          States: { Double: { Type: "Task", Resource: lambda("double"), End: true } },
        },
        End: true,
      },
    }),
  );
  const { executionArn } = await run(arn, [{ n: 1 }, { n: 2 }, { n: 3 }]);
  const { found: runs } = await all(sfn.paginateListMapRuns({ client, pageSize: 1 }, { executionArn }), "mapRuns");
  assert.equal(runs.length, 1);
  const [{ mapRunArn, stateMachineArn }] = runs;
  assert.match(mapRunArn, new RegExp(`^${arn.replace("stateMachine", "mapRun")}/Each:`));
  assert.equal(stateMachineArn, `${arn}/Each`);
  const about = await send("DescribeMapRun", { mapRunArn });
  assert.deepEqual(
    [about.status, about.maxConcurrency, about.toleratedFailurePercentage, about.toleratedFailureCount, about.executionArn],
    ["SUCCEEDED", 4, 50, 0, executionArn],
  );
  assert.deepEqual(
    [about.itemCounts.total, about.itemCounts.succeeded, about.executionCounts.succeeded, about.executionCounts.failed],
    [3, 3, 3, 0],
  );
  assert.ok(about.stopDate >= about.startDate);
  const { found: children } = await all(sfn.paginateListExecutions({ client, pageSize: 2 }, { mapRunArn }), "executions");
  assert.deepEqual(
    children.map((child) => [child.status, child.mapRunArn, child.itemCount]),
    Array(3).fill(["SUCCEEDED", mapRunArn, 1]),
  );
  const child = await send("DescribeExecution", { executionArn: children[0].executionArn });
  assert.equal(child.mapRunArn, mapRunArn);
  assert.ok((await send("GetExecutionHistory", { executionArn: child.executionArn })).events.length >= 7);
  assert.deepEqual(
    (await send("ListExecutions", { stateMachineArn: arn })).executions.map((one) => one.executionArn),
    [executionArn],
  );
  await refused(send("UpdateMapRun", { mapRunArn, maxConcurrency: 1 }), "ValidationException", /already completed/);
  await refused(send("UpdateMapRun", { mapRunArn }), "ValidationException");
  await refused(send("DescribeMapRun", { mapRunArn: `${mapRunArn}x` }), "ResourceNotFound");
});

test("the page of an execution whose Map failed links to the child that failed first", async () => {
  const states = { Seat: { Type: "Pass", Next: "No" }, No: { Type: "Fail", Error: "NoSeat", Cause: "there is <no> seat" } };
  const processor = { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, StartAt: "Seat", States: states };
  const arn = await create("Seats", machine({ Each: { Type: "Map", MaxConcurrency: 1, ItemProcessor: processor, End: true } }));
  const { executionArn } = await send("StartExecution", { stateMachineArn: arn, input: "[1,2,3]" });
  await eventually(async () => (await send("DescribeExecution", { executionArn })).status === "FAILED");
  const address = (of) => `${server.url}/debugger/executions/${encodeURIComponent(of)}`;
  const page = await (await fetch(address(executionArn))).text();
  const [, link] = /<a href="([^"]+)">item 0<\/a>: NoSeat: there is &lt;no&gt; seat/.exec(page);
  assert.match(page, /1 of 3 failed, 0 succeeded/);
  const child = await fetch(new URL(link, server.url));
  assert.equal(child.status, 200);
  assert.match(await child.text(), /NoSeat/);
});

test("the limits of a running Map Run can be updated, and a failed Map Run is redriven with its execution", async () => {
  const { activityArn } = await send("CreateActivity", { name: "Items" });
  const arn = await create(
    "Held",
    machine({
      Each: {
        Type: "Map",
        MaxConcurrency: 1,
        Label: "Each",
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "Do",
          States: { Do: { Type: "Task", Resource: activityArn, End: true } },
        },
        End: true,
      },
    }),
  );
  const { executionArn } = await send("StartExecution", { stateMachineArn: arn, input: "[1,2,3,4]" });
  const first = await send("GetActivityTask", { activityArn });
  const [{ mapRunArn }] = (await send("ListMapRuns", { executionArn })).mapRuns;
  const about = await send("DescribeMapRun", { mapRunArn });
  assert.deepEqual([about.status, about.maxConcurrency, about.itemCounts.running, about.itemCounts.pending], ["RUNNING", 1, 1, 3]);
  await send("UpdateMapRun", { mapRunArn, maxConcurrency: 3, toleratedFailureCount: 1 });
  const others = [await send("GetActivityTask", { activityArn }), await send("GetActivityTask", { activityArn })];
  const changed = await send("DescribeMapRun", { mapRunArn });
  assert.deepEqual([changed.maxConcurrency, changed.toleratedFailureCount, changed.itemCounts.running], [3, 1, 3]);
  await send("SendTaskSuccess", { taskToken: first.taskToken, output: "1" });
  for (const { taskToken } of others) await send("SendTaskFailure", { taskToken, error: "No" });
  const ended = await eventually(async () => {
    const now = await send("DescribeMapRun", { mapRunArn });
    return now.status !== "RUNNING" && now;
  });
  assert.deepEqual(
    [ended.status, ended.itemCounts.succeeded, ended.itemCounts.failed, ended.itemCounts.aborted, ended.itemCounts.total],
    ["FAILED", 1, 2, 1, 4],
  );
  await eventually(async () => (await send("DescribeExecution", { executionArn })).status === "FAILED");
  const { executions } = await send("ListExecutions", { mapRunArn, statusFilter: "FAILED" });
  assert.equal(executions.length, 2);
  const { redriveStatus } = await send("DescribeExecution", { executionArn: executions[0].executionArn });
  assert.equal(redriveStatus, "REDRIVABLE_BY_MAP_RUN");

  await send("RedriveExecution", { executionArn });
  for (let i = 0; i < 3; i++) {
    const { taskToken, input } = await send("GetActivityTask", { activityArn });
    await send("SendTaskSuccess", { taskToken, output: input });
  }
  const again = await eventually(async () => {
    const now = await send("DescribeMapRun", { mapRunArn });
    return now.status === "SUCCEEDED" && now;
  });
  assert.deepEqual([again.redriveCount, again.itemCounts.succeeded, again.itemCounts.failed, again.itemCounts.total], [1, 4, 0, 4]);
  assert.equal((await send("ListMapRuns", { executionArn })).mapRuns.length, 1);
  const child = await send("DescribeExecution", { executionArn: executions[0].executionArn });
  assert.deepEqual([child.status, child.redriveCount], ["SUCCEEDED", 1]);
  const { events } = await send("GetExecutionHistory", { executionArn: child.executionArn });
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map((_, i) => i + 1),
  );
  assert.ok(events.some(({ type }) => type === "ExecutionRedriven"));
});
