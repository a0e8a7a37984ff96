// Details of AWS's answers that are easy to get wrong: payloads as text, digits of numbers, regions and refusals.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, test } from "node:test";
import * as sfn from "@aws-sdk/client-sfn";
import { account, eventually, lambda, machine, region, role, start } from "./endpoint.mjs";

const given = [];
const lambdas = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  given.push(Buffer.concat(chunks).toString());
  response.writeHead(200).end('{"price": 1.0, "id": 12345678901234567890}');
});
lambdas.listen(0, "127.0.0.1");
await once(lambdas, "listening");
after(() => lambdas.close());

const refusedEntries = {
  Entries: [{ EventId: "1" }, { ErrorCode: "MalformedDetail", ErrorMessage: "Detail is malformed." }],
  FailedEntryCount: 1,
};
const server = await start({
  tasks: { "events:putEvents": () => refusedEntries, "sqs:sendMessage": () => ({}) },
  lambdaEndpoint: `http://127.0.0.1:${lambdas.address().port}`,
});
const clientOf = (where, key = "any") =>
  new sfn.SFNClient({
    endpoint: server.url,
    region: where,
    credentials: { accessKeyId: key, secretAccessKey: "any" },
    disableHostPrefix: true,
  });
const client = clientOf(region);
const send = (name, input, by = client) => by.send(new sfn[`${name}Command`](input));

let names = 0;
async function create(definition, more = {}) {
  return (await send("CreateStateMachine", { name: `M${++names}`, definition, roleArn: role, ...more })).stateMachineArn;
}

async function run(stateMachineArn, input = "{}") {
  const { executionArn } = await send("StartExecution", { stateMachineArn, input });
  return eventually(async () => {
    const about = await send("DescribeExecution", { executionArn });
    return about.status === "RUNNING" ? undefined : about;
  });
}

const historyOf = async ({ executionArn }) => (await send("GetExecutionHistory", { executionArn })).events;
const invoke = (parameters) =>
  machine({
    T: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Parameters: { FunctionName: "f", ...parameters },
      OutputPath: "$.Payload",
      End: true,
    },
  });

test("a Payload that is a string is sent to the function as its JSON text; null is sent as an empty object", async () => {
  for (const [parameters, expected] of [
    [{ Payload: '{"a": 1.0}' }, '{"a": 1.0}'],
    [{ Payload: '"text"' }, '"text"'],
    [{ Payload: null }, "{}"],
    [{}, "{}"],
    [{ Payload: { a: 1 } }, '{"a":1}'],
  ]) {
    given.length = 0;
    const { status } = await run(await create(invoke(parameters)));
    assert.deepEqual([status, given], ["SUCCEEDED", [expected]], JSON.stringify(parameters));
  }
});

test("numbers keep their digits through tasks, child executions and answers", async () => {
  const input = '{"price": 1.0, "tax": 100.0}';
  const passed = await run(await create(machine({ P: { Type: "Pass", End: true } })), input);
  assert.deepEqual([passed.input, passed.output], [input, '{"price":1.0,"tax":100.0}']);
  const [started] = await historyOf(passed);
  assert.equal(started.executionStartedEventDetails.input, input, "the input in the history is the caller's own text");

  given.length = 0;
  const called = await run(
    await create(machine({ T: { Type: "Task", Resource: lambda("f"), ResultSelector: { "price.$": "$.price" }, End: true } })),
    input,
  );
  assert.deepEqual([given, called.output], [['{"price":1.0,"tax":100.0}'], '{"price":1.0}']);

  const child = await create(machine({ P: { Type: "Pass", End: true } }));
  const parent = machine({
    T: {
      Type: "Task",
      Resource: "arn:aws:states:::states:startExecution.sync:2",
      Parameters: { StateMachineArn: child, "Input.$": "$" },
      OutputPath: "$.Output",
      End: true,
    },
  });
  assert.equal((await run(await create(parent), input)).output, '{"price":1.0,"tax":100.0}');
});

test("the output of an answered token keeps the digits of its numbers", async () => {
  const { activityArn } = await send("CreateActivity", { name: "digits" });
  const stateMachineArn = await create(machine({ T: { Type: "Task", Resource: activityArn, End: true } }));
  const ending = run(stateMachineArn, '{"price":1.0}');
  const { taskToken, input } = await eventually(async () => {
    const polled = await send("GetActivityTask", { activityArn });
    return polled.taskToken ? polled : undefined;
  });
  assert.equal(input, '{"price":1.0}');
  await send("SendTaskSuccess", { taskToken, output: '{"paid":1.0}' });
  assert.equal((await ending).output, '{"paid":1.0}');
  await assert.rejects(send("SendTaskSuccess", { taskToken: "unknown", output: "{not json" }), { name: "InvalidToken" });
});

test("one server keeps the machines of regions and accounts separate", async () => {
  const [here, there, other] = [clientOf("us-east-1"), clientOf("eu-west-1"), clientOf("eu-west-1", "210987654321")];
  const definition = machine({ P: { Type: "Pass", End: true } });
  const arns = [];
  for (const by of [here, there, other])
    arns.push((await send("CreateStateMachine", { name: "Twin", definition, roleArn: role }, by)).stateMachineArn);
  assert.deepEqual(arns, [
    `arn:aws:states:us-east-1:${account}:stateMachine:Twin`,
    `arn:aws:states:eu-west-1:${account}:stateMachine:Twin`,
    "arn:aws:states:eu-west-1:210987654321:stateMachine:Twin",
  ]);
  const { stateMachines } = await send("ListStateMachines", {}, there);
  assert.deepEqual(
    stateMachines.map(({ stateMachineArn }) => stateMachineArn),
    [arns[1]],
  );
  const { executionArn } = await send("StartExecution", { stateMachineArn: arns[1] }, there);
  assert.match(executionArn, /^arn:aws:states:eu-west-1:/);
});

test("creating a machine with an unknown integration is refused", async () => {
  for (const resource of ["dynamodb:query", "nosuch:op", "aws-sdk:nosuch:op", "sqs:sendMessage:more"]) {
    const arn = `arn:aws:states:::${resource}`;
    await assert.rejects(create(machine({ T: { Type: "Task", Resource: arn, End: true } })), (error) => {
      assert.equal(error.name, "InvalidDefinition");
      assert.match(error.message, new RegExp(`The resource provided ${arn} is not recognized.*at /States/T/Resource`));
      return true;
    });
  }
  for (const resource of [
    "aws-sdk:dynamodb:query",
    "aws-sdk:sfn:startExecution",
    "ecs:runTask.sync",
    "sns:publish.waitForTaskToken",
    "aws-sdk:elasticsearchservice:listTags",
  ]) {
    await create(
      machine({
        T: {
          Type: "Task",
          Resource: `arn:aws:states:::${resource}`,
          ...(resource.endsWith("Token") && { Parameters: { "t.$": "$$.Task.Token" } }),
          End: true,
        },
      }),
    );
  }
});

test("a definition with a byte order mark or a placeholder outside of strings is not JSON, as on AWS", async () => {
  const definition = machine({ W: { Type: "Wait", Seconds: 1, End: true } });
  for (const [text, what] of [
    [`\ufeff${definition}`, /^Invalid State Machine Definition: 'INVALID_JSON_DESCRIPTION: Unexpected character/],
    [
      definition.replace('"Seconds":1', '"Seconds":${Delay}'),
      /^Invalid State Machine Definition: 'INVALID_JSON_DESCRIPTION: Unrecognized token '\$'/,
    ],
  ]) {
    await assert.rejects(create(text), (error) => error.name === "InvalidDefinition" && what.test(error.message));
    assert.equal((await send("ValidateStateMachineDefinition", { definition: text })).result, "FAIL");
  }
  await create(machine({ P: { Type: "Pass", Comment: "${InAString}", End: true } }));
});

test("a task of a deleted activity fails the execution with an error that cannot be caught", async () => {
  const { activityArn } = await send("CreateActivity", { name: "gone" });
  const stateMachineArn = await create(
    machine({
      T: { Type: "Task", Resource: activityArn, Catch: [{ ErrorEquals: ["States.ALL"], Next: "End" }], End: true },
      End: { Type: "Succeed" },
    }),
  );
  await send("DeleteActivity", { activityArn });
  const { status, error, cause, executionArn } = await run(stateMachineArn);
  const prefix = "An error occurred while executing the state 'T' (entered at the event id #2).";
  assert.deepEqual([status, error, cause], ["FAILED", "States.Runtime", `${prefix} The activity ${activityArn} does not exist.`]);
  const events = (await historyOf({ executionArn })).map(({ type }) => type);
  assert.deepEqual(events, ["ExecutionStarted", "TaskStateEntered", "ExecutionFailed"]);
});

test("a task of an existing activity is scheduled before a worker polls for it", async () => {
  const { activityArn } = await send("CreateActivity", { name: "there" });
  const stateMachineArn = await create(machine({ T: { Type: "Task", Resource: activityArn, End: true } }));
  const { executionArn } = await send("StartExecution", { stateMachineArn });
  const types = async () => (await historyOf({ executionArn })).map(({ type }) => type);
  const scheduled = ["ExecutionStarted", "TaskStateEntered", "ActivityScheduled"];
  await eventually(async () => (await types()).length === scheduled.length || undefined);
  assert.deepEqual(await types(), scheduled);
  const { taskToken } = await send("GetActivityTask", { activityArn });
  assert.deepEqual(await types(), [...scheduled, "ActivityStarted"]);
  await send("SendTaskSuccess", { taskToken, output: "1" });
  await send("DeleteActivity", { activityArn });
});

test("entries that EventBridge refuses fail the task", async () => {
  const stateMachineArn = await create(
    machine({ T: { Type: "Task", Resource: "arn:aws:states:::events:putEvents", Parameters: { Entries: [] }, End: true } }),
  );
  const { error, cause } = await run(stateMachineArn);
  assert.deepEqual([error, JSON.parse(cause)], ["EventBridge.FailedEntry", refusedEntries]);
});

test("resources without a customer's key report AWS_OWNED_KEY; updating a version and AWS's own tags are refused", async () => {
  const definition = machine({ P: { Type: "Pass", End: true } });
  const stateMachineArn = await create(definition, { publish: true });
  assert.deepEqual((await send("DescribeStateMachine", { stateMachineArn })).encryptionConfiguration, { type: "AWS_OWNED_KEY" });
  const { activityArn } = await send("CreateActivity", { name: "sealed" });
  assert.deepEqual((await send("DescribeActivity", { activityArn })).encryptionConfiguration, { type: "AWS_OWNED_KEY" });
  await assert.rejects(send("UpdateStateMachine", { stateMachineArn: `${stateMachineArn}:1`, definition }), {
    name: "StateMachineDoesNotExist",
  });
  await assert.rejects(send("TagResource", { resourceArn: stateMachineArn, tags: [{ key: "aws:mine", value: "1" }] }), {
    name: "ValidationException",
  });
});

test("of two concurrent redrives of an execution one is refused", async () => {
  const stateMachineArn = await create(machine({ W: { Type: "Wait", Seconds: 3600, End: true } }));
  const { executionArn } = await send("StartExecution", { stateMachineArn });
  await send("StopExecution", { executionArn });
  const both = await Promise.allSettled([send("RedriveExecution", { executionArn }), send("RedriveExecution", { executionArn })]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  assert.equal(both.find(({ reason }) => reason).reason.name, "ExecutionNotRedrivable");
});

test("a tolerated failure percentage is written with a fraction", async () => {
  const definition = machine({
    M: {
      Type: "Map",
      ItemProcessor: {
        ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
        StartAt: "P",
        States: { P: { Type: "Pass", End: true } },
      },
      End: true,
    },
  });
  const { executionArn } = await run(await create(definition), "[1]");
  const { mapRuns } = await send("ListMapRuns", { executionArn });
  const response = await fetch(server.url, {
    method: "POST",
    headers: { "x-amz-target": "AWSStepFunctions.DescribeMapRun" },
    body: JSON.stringify({ mapRunArn: mapRuns[0].mapRunArn }),
  });
  assert.match(await response.text(), /"toleratedFailurePercentage":0\.0,/);
});
