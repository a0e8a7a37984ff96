// The AWS API in front of executions on Restate: `stepglass serve --restate`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { startServer, startWorker, unavailable } from "./server.mjs";

const { serve } = await importSource("js/entries/server.ts");
const cli = join(import.meta.dirname, "../../dist/cli.js");

const APPROVE = "arn:aws:states:us-east-1:123456789012:activity:approve";
const machines = {
  Sign: { StartAt: "Approve", States: { Approve: { Type: "Task", Resource: APPROVE, HeartbeatSeconds: 60, End: true } } },
  Order: {
    StartAt: "Ask",
    States: {
      Ask: {
        Type: "Task",
        Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
        Parameters: { FunctionName: "ask", Payload: { "token.$": "$$.Task.Token" } },
        Next: "Check",
      },
      Check: { Type: "Task", Resource: "check", End: true },
    },
  },
};
const ARN = "arn:aws:states:us-east-1:123456789012:stateMachine:Order";

describe("the AWS API in front of Restate", { skip: unavailable }, () => {
  const tokens = [];
  let server;
  let worker;
  let api;
  let mended = false;

  before(async () => {
    server = await startServer();
    const check = (input) => {
      if (!mended) throw Object.assign(new Error("not yet"), { name: "NotYet" });
      return input;
    };
    worker = await startWorker({ server, machines, tasks: { ask: ({ token }) => void tokens.push(token), check } });
    api = await serve({ restate: { ingress: server.ingress, admin: server.admin }, port: 0 });
  });
  after(async () => {
    await api?.close();
    await worker?.close();
    await server?.stop();
  });

  async function call(operation, input, url = api.url) {
    const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AWSStepFunctions.${operation}` };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(input) });
    const answer = await response.json();
    return response.ok ? answer : { refused: answer.__type, message: answer.message };
  }
  async function until(holds) {
    for (;;) {
      const value = await holds();
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test("starts, describes, lists and ends executions", async () => {
    const { stateMachines } = await call("ListStateMachines", {});
    assert.deepEqual(
      stateMachines.map(({ stateMachineArn }) => stateMachineArn),
      [ARN, ARN.replace(/Order$/, "Sign")],
    );
    assert.deepEqual(JSON.parse((await call("DescribeStateMachine", { stateMachineArn: ARN })).definition), machines.Order);
    const { executionArn, startDate } = await call("StartExecution", { stateMachineArn: ARN, name: "one", input: '{"id": 1.0}' });
    assert.ok(startDate > 1.7e9 && startDate < 1e10);
    const token = await until(() => tokens[0]);
    const running = await call("DescribeExecution", { executionArn });
    assert.deepEqual([running.status, running.input, running.redriveStatus], ["RUNNING", '{"id": 1.0}', "NOT_REDRIVABLE"]);
    assert.equal((await call("StartExecution", { stateMachineArn: ARN, name: "one", input: "{}" })).refused, "ExecutionAlreadyExists");
    assert.deepEqual(await call("SendTaskSuccess", { taskToken: token, output: '{"n": 9007199254740993}' }), {});
    assert.equal((await call("SendTaskSuccess", { taskToken: token, output: "{}" })).refused, "TaskTimedOut");
    const failed = await until(async () => {
      const about = await call("DescribeExecution", { executionArn });
      return about.status !== "RUNNING" && about;
    });
    assert.deepEqual([failed.status, failed.error, failed.redriveStatus], ["FAILED", "NotYet", "REDRIVABLE"]);
    mended = true;
    assert.ok((await call("RedriveExecution", { executionArn })).redriveDate >= startDate);
    const ended = await until(async () => {
      const about = await call("DescribeExecution", { executionArn });
      return about.status !== "RUNNING" && about;
    });
    assert.deepEqual([ended.status, ended.redriveCount], ["SUCCEEDED", 1]);
    const { executions } = await call("ListExecutions", { stateMachineArn: ARN, statusFilter: "SUCCEEDED" });
    assert.deepEqual(
      executions.map(({ name }) => name),
      ["one"],
    );
    const page = await call("GetExecutionHistory", { executionArn, maxResults: 4 });
    const rest = await call("GetExecutionHistory", { executionArn, nextToken: page.nextToken });
    assert.deepEqual(
      [...page.events, ...rest.events].map(({ id }) => id),
      Array.from({ length: page.events.length + rest.events.length }, (_, i) => i + 1),
    );
    assert.equal(rest.events.at(-1).type, "ExecutionSucceeded");
  });

  test("stops executions, and refuses unknown resources and operations", async () => {
    const { executionArn } = await call("StartExecution", { stateMachineArn: ARN });
    assert.ok((await call("StopExecution", { executionArn, error: "Enough" })).stopDate > 0);
    const { status, error } = await call("DescribeExecution", { executionArn });
    assert.deepEqual([status, error], ["ABORTED", "Enough"]);
    assert.equal((await call("DescribeExecution", { executionArn: `${executionArn}0` })).refused, "ExecutionDoesNotExist");
    assert.equal((await call("StartExecution", { stateMachineArn: `${ARN}0` })).refused, "StateMachineDoesNotExist");
    assert.equal((await call("SendTaskFailure", { taskToken: "none" })).refused, "InvalidToken");
    const { message } = await call("TagResource", { resourceArn: ARN, tags: [] });
    assert.match(message, /TagResource is not available with Restate/);
    assert.equal((await fetch(`${api.url}/debugger/`)).status, 404);
    assert.equal((await (await fetch(`${api.url}/health`)).json()).status, "ok");
  });

  test("gives the tasks of an activity to its workers", async () => {
    const { activityArn } = await call("CreateActivity", { name: "approve" });
    assert.equal(activityArn, APPROVE);
    const stateMachineArn = ARN.replace(/[^:]*$/, "Sign");
    const { executionArn } = await call("StartExecution", { stateMachineArn, input: '{"n": 9007199254740993}' });
    const { taskToken, input } = await call("GetActivityTask", { activityArn, workerName: "w" });
    assert.equal(input, '{"n":9007199254740993}');
    assert.deepEqual(await call("SendTaskHeartbeat", { taskToken }), {});
    assert.deepEqual(await call("SendTaskSuccess", { taskToken, output: '"yes"' }), {});
    assert.equal((await call("SendTaskSuccess", { taskToken, output: "1" })).refused, "TaskTimedOut");
    const ended = async () => {
      const { status, output } = await call("DescribeExecution", { executionArn });
      return status === "RUNNING" ? ended() : [status, output];
    };
    assert.deepEqual(await ended(), ["SUCCEEDED", '"yes"']);
    assert.equal((await call("GetActivityTask", { activityArn: "approve" })).refused, "InvalidArn");
  });

  test("is served by the command stepglass serve --restate", async () => {
    const args = ["serve", "--restate", server.ingress, "--port", "0", "--json"];
    const command = spawn(process.execPath, [cli, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const { url } = JSON.parse(await new Promise((resolve) => command.stdout.once("data", resolve)));
      assert.equal((await call("ListStateMachines", {}, url)).stateMachines[0].stateMachineArn, ARN);
      assert.match((await call("ListExecutions", { stateMachineArn: ARN }, url)).message, /admin/);
    } finally {
      command.kill("SIGKILL");
    }
  });

  test("refuses options that belong to the workers", async () => {
    await assert.rejects(serve({ restate: server.ingress, tasks: {} }), { code: "INVALID_OPTION", message: /tasks or restate/ });
    await assert.rejects(serve({ restate: "nowhere" }), { code: "INVALID_OPTION" });
  });
});
