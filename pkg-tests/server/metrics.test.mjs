// GET /metrics: what the server counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { account, eventually, machine, region, role, start } from "./endpoint.mjs";

const activity = `arn:aws:states:${region}:${account}:activity:review`;

test("GET /metrics counts executions and the tasks of activities", async () => {
  const server = await start();
  const call = async (operation, input) => {
    const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AWSStepFunctions.${operation}` };
    const response = await fetch(server.url, { method: "POST", headers, body: JSON.stringify(input) });
    assert.equal(response.status, 200, operation);
    return response.json();
  };
  await call("CreateActivity", { name: "review" });
  const definition = machine({ Review: { Type: "Task", Resource: activity, End: true } });
  const { stateMachineArn } = await call("CreateStateMachine", { name: "reviews", definition, roleArn: role });
  for (const name of ["a", "b"]) await call("StartExecution", { stateMachineArn, name });
  const lines = async () => {
    const response = await fetch(`${server.url}/metrics`);
    assert.match(response.headers.get("content-type"), /^application\/openmetrics-text; version=1\.0\.0/);
    return (await response.text()).split("\n");
  };
  const has = (line) => eventually(async () => (await lines()).includes(line));
  await has('stepglass_executions{status="RUNNING"} 2');
  await has(`stepglass_queue_waiting{queue="${activity}"} 2`);
  const { taskToken } = await call("GetActivityTask", { activityArn: activity });
  await has(`stepglass_queue_active{queue="${activity}"} 1`);
  await call("SendTaskSuccess", { taskToken, output: "{}" });
  await has('stepglass_executions{status="SUCCEEDED"} 1');
  await has('stepglass_executions_ended_total{status="SUCCEEDED"} 1');
  assert.equal((await lines()).at(-2), "# EOF");
});
