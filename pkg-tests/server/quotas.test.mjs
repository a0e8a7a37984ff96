// With quotas, callers are throttled as AWS documents it. The tests move the clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as sfn from "@aws-sdk/client-sfn";
import { serve } from "../../dist/server.js";
import { eventually, machine, role, start } from "./endpoint.mjs";

/** A clock that stands still until the test calls `pass`. */
function manualClock() {
  let now = Date.UTC(2026, 0, 1);
  return { clock: { now: () => now, setTimeout: () => 0, clearTimeout: () => {} }, pass: (seconds) => (now += seconds * 1000) };
}

const client = (server, region = "us-east-1", accessKeyId = "any") =>
  new sfn.SFNClient({
    endpoint: server.url,
    region,
    credentials: { accessKeyId, secretAccessKey: "any" },
    disableHostPrefix: true,
    maxAttempts: 1,
  });

/** Makes `count` calls. Returns the number of those that are not throttled. */
async function countAccepted(sdk, count, command) {
  let done = 0;
  for (let i = 0; i < count; i++) {
    try {
      await sdk.send(command());
      done += 1;
    } catch (error) {
      assert.equal(error.name, "ThrottlingException");
      assert.equal(error.message, "Rate exceeded");
      assert.equal(error.$metadata.httpStatusCode, 400);
    }
  }
  return done;
}

const waits = machine({ W: { Type: "Wait", Seconds: 3600, End: true } });
const pass = machine({ P: { Type: "Pass", End: true } });

test("each operation has a bucket of tokens for each account and region", async () => {
  const { clock, pass: wait } = manualClock();
  const server = await start({ quotas: true, clock });
  const sdk = client(server);
  const list = () => new sfn.ListExecutionsCommand({ stateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:M" });
  await sdk.send(new sfn.CreateStateMachineCommand({ name: "M", definition: pass, roleArn: role }));
  // The bucket of ListExecutions has 200 tokens, and 5 are added each second.
  assert.equal(await countAccepted(sdk, 210, list), 200);
  wait(1);
  assert.equal(await countAccepted(sdk, 10, list), 5);
  wait(0.3);
  assert.equal(await countAccepted(sdk, 10, list), 1);
  // Half a token was left.
  wait(0.1);
  assert.equal(await countAccepted(sdk, 10, list), 1);
  // A bucket never holds more tokens than its size.
  wait(86_400);
  assert.equal(await countAccepted(sdk, 210, list), 200);
  // Other operations, regions and accounts have their own buckets. Those of most regions are smaller.
  assert.equal(await countAccepted(sdk, 3, () => new sfn.ListStateMachinesCommand({})), 3);
  const machines = () => new sfn.ListActivitiesCommand({});
  assert.equal(await countAccepted(client(server, "eu-central-1"), 110, machines), 100);
  assert.equal(await countAccepted(client(server, "us-east-1", "210987654321"), 1, machines), 1);
  assert.equal(
    await countAccepted(sdk, 60, () => new sfn.TestStateCommand({ definition: '{"Type":"Pass","End":true}', roleArn: role })),
    50,
  );
});

test("starts of Standard and Express machines have separate quotas, and SDKs retry throttled calls", async () => {
  const server = await start({
    quotas: {
      rates: {
        StartExecution: { bucket: 2, refill: 0 },
        "StartExecution.EXPRESS": { bucket: 3, refill: 0 },
        StopExecution: { bucket: 1, refill: 20 },
      },
    },
  });
  const sdk = client(server);
  const machines = {};
  for (const type of ["STANDARD", "EXPRESS"])
    machines[type] = (
      await sdk.send(new sfn.CreateStateMachineCommand({ name: type, definition: waits, roleArn: role, type }))
    ).stateMachineArn;
  const begin = (type) => () => new sfn.StartExecutionCommand({ stateMachineArn: machines[type] });
  assert.equal(await countAccepted(sdk, 4, begin("STANDARD")), 2);
  assert.equal(await countAccepted(sdk, 5, begin("EXPRESS")), 3);
  const { executions } = await sdk.send(new sfn.ListExecutionsCommand({ stateMachineArn: machines.STANDARD }));
  // The SDK retries until the bucket has tokens again.
  const patient = new sfn.SFNClient({
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
    disableHostPrefix: true,
    maxAttempts: 10,
  });
  await Promise.all(executions.map(({ executionArn }) => patient.send(new sfn.StopExecutionCommand({ executionArn }))));
});

test("a task that starts executions is throttled too", async () => {
  const server = await start({ quotas: { rates: { StartExecution: { bucket: 1, refill: 0 } } } });
  const { stateMachineArn: child } = await server.call("CreateStateMachine", { name: "Child", definition: pass, roleArn: role });
  const resource = "arn:aws:states:::states:startExecution";
  const states = { S: { Type: "Task", Resource: resource, Parameters: { StateMachineArn: child }, End: true } };
  const { stateMachineArn } = await server.call("CreateStateMachine", { name: "Parent", definition: machine(states), roleArn: role });
  const { executionArn } = await server.call("StartExecution", { stateMachineArn });
  const about = await eventually(async () => {
    const now = await server.call("DescribeExecution", { executionArn });
    return now.status === "RUNNING" ? undefined : now;
  });
  assert.deepEqual([about.status, about.error], ["FAILED", "StepFunctions.ThrottlingException"]);
});

test("an execution can be redriven for 14 days, and a request can have 1 MiB", async () => {
  const { clock, pass: wait } = manualClock();
  const server = await start({ quotas: true, clock });
  const fail = machine({ F: { Type: "Fail", Error: "E" } });
  const { stateMachineArn } = await server.call("CreateStateMachine", { name: "F", definition: fail, roleArn: role });
  const { executionArn } = await server.call("StartExecution", { stateMachineArn });
  const describe = () => server.call("DescribeExecution", { executionArn });
  await eventually(async () => (await describe()).status === "FAILED");
  wait(14 * 86_400);
  assert.equal((await describe()).redriveStatus, "REDRIVABLE");
  wait(1);
  const { redriveStatus, redriveStatusReason } = await describe();
  assert.deepEqual([redriveStatus, redriveStatusReason], ["NOT_REDRIVABLE", "Execution redrivable period exceeded"]);
  await assert.rejects(
    client(server).send(new sfn.RedriveExecutionCommand({ executionArn })),
    (error) => error instanceof sfn.ExecutionNotRedrivable,
  );
  const large = JSON.stringify({ name: "x".repeat(1_100_000) });
  const { status } = await fetch(server.url, {
    method: "POST",
    headers: { "x-amz-target": "AWSStepFunctions.CreateActivity" },
    body: large,
  });
  assert.equal(status, 413);
});

test("the open executions and machines of an account are limited", async () => {
  const server = await start({ quotas: { openExecutions: 2, registered: 2 } });
  const sdk = client(server);
  const create = (name, type = "STANDARD") => sdk.send(new sfn.CreateStateMachineCommand({ name, definition: waits, roleArn: role, type }));
  const { stateMachineArn } = await create("M");
  const begin = (arn = stateMachineArn) => sdk.send(new sfn.StartExecutionCommand({ stateMachineArn: arn }));
  const [first] = [await begin(), await begin()];
  await assert.rejects(begin(), (error) => error instanceof sfn.ExecutionLimitExceeded);
  // Express executions are not counted, and other accounts have their own quota.
  await begin((await create("Quick", "EXPRESS")).stateMachineArn);
  const other = client(server, "us-east-1", "210987654321");
  const { stateMachineArn: otherArn } = await other.send(
    new sfn.CreateStateMachineCommand({ name: "M", definition: waits, roleArn: role }),
  );
  await other.send(new sfn.StartExecutionCommand({ stateMachineArn: otherArn }));
  await sdk.send(new sfn.StopExecutionCommand({ executionArn: first.executionArn }));
  await begin();
  await assert.rejects(create("More"), (error) => error instanceof sfn.StateMachineLimitExceeded);
});

test("invalid quotas are refused, and without quotas nothing is throttled", async () => {
  await assert.rejects(serve({ port: 0, quotas: { rates: { Start: { bucket: 1, refill: 1 } } } }), {
    code: "INVALID_OPTION",
    message: /"Start", which is not an operation/,
  });
  await assert.rejects(serve({ port: 0, quotas: { rates: { TestState: { bucket: 0, refill: 1 } } } }), { code: "INVALID_OPTION" });
  await assert.rejects(serve({ port: 0, quotas: { openExecutions: -1 } }), { code: "INVALID_OPTION" });
  const server = await start();
  assert.equal(
    await countAccepted(client(server), 20, () => new sfn.TestStateCommand({ definition: '{"Type":"Pass","End":true}', roleArn: role })),
    20,
  );
});
