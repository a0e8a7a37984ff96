// An execution has the X-Amzn-Trace-Id of its start request, and sends it with the calls of its tasks.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { eventually, lambda, machine, role, start } from "./endpoint.mjs";
import { sdkOf } from "./sdk.mjs";

const TRACE = "Root=1-67891233-abcdef012345678912345678;Parent=53995c3f42cd8ad8;Sampled=1";
const calls = [];
const service = createServer((request, response) => {
  calls.push([request.url, request.headers["x-amzn-trace-id"]]);
  response.end("{}");
});
await new Promise((resolve) => service.listen(0, "127.0.0.1", resolve));
after(() => service.close());
const url = `http://127.0.0.1:${service.address().port}`;

const server = await start({ urls: { charge: `${url}/charge` }, lambdaEndpoint: url });
const { client, send, create } = sdkOf(server);

test("an execution passes its trace header to HTTP services, functions and nested executions", async () => {
  const child = await create("Child", machine({ Ship: { Type: "Task", Resource: lambda("ship"), End: true } }));
  const definition = machine({
    Charge: { Type: "Task", Resource: lambda("charge"), Next: "Sub" },
    Sub: {
      Type: "Task",
      Resource: "arn:aws:states:::states:startExecution.sync:2",
      Parameters: { StateMachineArn: child, Name: "c" },
      End: true,
    },
  });
  const stateMachineArn = await create("Parent", definition);
  const { executionArn } = await send("StartExecution", { stateMachineArn, traceHeader: TRACE });
  const about = await eventually(async () => {
    const now = await send("DescribeExecution", { executionArn });
    return now.status === "RUNNING" ? undefined : now;
  });
  assert.deepEqual([about.status, about.traceHeader], ["SUCCEEDED", TRACE]);
  assert.deepEqual(calls, [
    ["/charge", TRACE],
    ["/2015-03-31/functions/ship/invocations", TRACE],
  ]);
  const { traceHeader } = await send("DescribeExecution", { executionArn: `${child.replace(":stateMachine:", ":execution:")}:c` });
  assert.equal(traceHeader, TRACE);
});

test("the HTTP header X-Amzn-Trace-Id is used if the request has no traceHeader", async () => {
  const definition = machine({ P: { Type: "Pass", End: true } });
  const quick = await create("Quick", definition, { type: "EXPRESS" });
  const other = TRACE.replace("Sampled=1", "Sampled=0");
  client.middlewareStack.add(
    (next) => (args) =>
      next({ ...args, request: Object.assign(args.request, { headers: { ...args.request.headers, "x-amzn-trace-id": other } }) }),
    { step: "build", name: "trace" },
  );
  assert.equal((await send("StartSyncExecution", { stateMachineArn: quick })).traceHeader, other);
  assert.equal((await send("StartSyncExecution", { stateMachineArn: quick, traceHeader: TRACE })).traceHeader, TRACE);
  const slow = await create("Slow", definition);
  const { executionArn } = await send("StartExecution", { stateMachineArn: slow });
  assert.equal((await send("DescribeExecution", { executionArn })).traceHeader, other);
});

test("tasks of an execution without a trace send no header", async () => {
  calls.length = 0;
  const { stateMachineArn } = await server.call("CreateStateMachine", {
    name: "None",
    definition: machine({ T: { Type: "Task", Resource: lambda("charge"), End: true } }),
    roleArn: role,
  });
  await server.call("StartExecution", { stateMachineArn });
  await eventually(() => calls.length === 1);
  assert.deepEqual(calls, [["/charge", undefined]]);
});
