// TestState, called through @aws-sdk/client-sfn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lambda, machine, role, start } from "./endpoint.mjs";
import { sdkOf } from "./sdk.mjs";

const tasks = {
  double: ({ n }) => ({ n: n * 2 }),
  broken: () => {
    throw Object.assign(new Error("no stock"), { name: "OutOfStock" });
  },
};
const server = await start({ tasks });
const { send, refused } = sdkOf(server);
const pass = machine({ Hello: { Type: "Pass", Result: "hello", End: true } });

test("TestState returns the result, the next state and inspection data of a single state", async () => {
  const state = JSON.stringify({ Type: "Pass", Parameters: { "twice.$": "States.Array($.n, $.n)" }, Next: "Then" });
  const { status, output, nextState, inspectionData } = await send("TestState", {
    definition: state,
    input: '{"n":1}',
    inspectionLevel: "DEBUG",
  });
  assert.deepEqual(
    [status, output, nextState, inspectionData.afterParameters],
    ["SUCCEEDED", '{"twice":[1,1]}', "Then", '{"twice":[1,1]}'],
  );
  const task = JSON.stringify({ Type: "Task", Resource: lambda("double"), Retry: [{ ErrorEquals: ["Busy"] }], End: true });
  const retried = await send("TestState", { definition: task, roleArn: role, mock: { errorOutput: { error: "Busy", cause: "later" } } });
  assert.deepEqual([retried.status, retried.error], ["RETRIABLE", "Busy"]);
  await refused(send("TestState", { definition: "{}" }), "InvalidDefinition");
  await refused(send("TestState", { definition: pass, input: "no" }), "InvalidExecutionInput");
  await refused(
    send("TestState", { definition: pass, input: "[".repeat(129) + "]".repeat(129) }),
    "InvalidExecutionInput",
    "Invalid State Machine Execution Input: 'nested deeper than 128 levels at byte 128'",
  );
});

test("each test of a state is a separate execution with its own name and random values", async () => {
  const definition = JSON.stringify({
    Type: "Task",
    Resource: "arn:aws:states:::lambda:invoke",
    Parameters: { FunctionName: "double", Payload: { n: 1, "id.$": "States.UUID()" } },
    End: true,
  });
  const ask = () => send("TestState", { definition, roleArn: role, inspectionLevel: "DEBUG" });
  const [a, b] = [await ask(), await ask()].map(({ inspectionData }) => JSON.parse(inspectionData.afterParameters).Payload.id);
  assert.notEqual(a, b);
  const named = JSON.stringify({ Type: "Pass", Parameters: { "name.$": "$$.Execution.Name" }, End: true });
  const names = [await send("TestState", { definition: named }), await send("TestState", { definition: named })].map(
    ({ output }) => JSON.parse(output).name,
  );
  assert.notEqual(names[0], names[1]);
});

test("the inspection data of a Map state can be read with the SDK's types", async () => {
  const processor = {
    ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
    StartAt: "P",
    States: { P: { Type: "Pass", End: true } },
  };
  const definition = JSON.stringify({
    Type: "Map",
    ItemProcessor: processor,
    ItemSelector: { "v.$": "$$.Map.Item.Value" },
    ItemBatcher: { MaxItemsPerBatch: 2 },
    ToleratedFailurePercentage: 50,
    End: true,
  });
  const { inspectionData } = await send("TestState", {
    definition,
    input: "[1, 2, 3]",
    inspectionLevel: "DEBUG",
    mock: { result: "[1, 2]" },
  });
  assert.equal(inspectionData.afterItemSelector, '[{"v":1},{"v":2},{"v":3}]');
  assert.equal(inspectionData.afterItemBatcher, '[{"Items":[{"v":1},{"v":2}]},{"Items":[{"v":3}]}]');
  assert.equal(inspectionData.toleratedFailurePercentage, 50);
});

test("a Task state without a mock is tested with the server's handlers", async () => {
  const invoke = JSON.stringify({
    Type: "Task",
    Resource: "arn:aws:states:::lambda:invoke",
    Parameters: { FunctionName: "double", "Payload.$": "$" },
    OutputPath: "$.Payload",
    End: true,
  });
  const done = await send("TestState", { definition: invoke, roleArn: role, input: '{"n":4}' });
  assert.deepEqual([done.status, done.output], ["SUCCEEDED", '{"n":8}']);
  const broken = JSON.stringify({
    Type: "Task",
    Resource: lambda("broken"),
    Catch: [{ ErrorEquals: ["OutOfStock"], Next: "Sorry" }],
    End: true,
  });
  const caught = await send("TestState", { definition: broken, roleArn: role });
  assert.deepEqual([caught.status, caught.error, caught.nextState], ["CAUGHT_ERROR", "OutOfStock", "Sorry"]);
  const nobody = JSON.stringify({ Type: "Task", Resource: lambda("nobody"), End: true });
  await refused(send("TestState", { definition: nobody, roleArn: role }), "ValidationException");
});

test("mocks are checked against the server's service models", async () => {
  const asked = [];
  const serviceModel = (...names) => {
    asked.push(names);
    return { type: "structure", required: ["messageId"], members: { messageId: { type: "string" } } };
  };
  const checking = sdkOf(await start({ serviceModel }));
  const definition = JSON.stringify({ Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", End: true });
  const test = (mock) => checking.send("TestState", { definition, roleArn: role, mock });
  await checking.refused(
    test({ result: '{"MessageId":7}' }),
    "ValidationException",
    "Mock result schema validation error: Field 'MessageId' must be a string",
  );
  await checking.refused(
    test({ result: "{}" }),
    "ValidationException",
    "Mock result schema validation error: Required field 'MessageId' is missing",
  );
  assert.equal((await test({ result: '{"MessageId":7}', fieldValidationMode: "NONE" })).status, "SUCCEEDED");
  assert.equal((await test({ errorOutput: { error: "Busy" } })).status, "FAILED");
  assert.deepEqual(asked[0], ["sqs", "sendMessage"]);
  // Without models, which is the default, mocks are not checked.
  assert.equal((await send("TestState", { definition, roleArn: role, mock: { result: '{"MessageId":7}' } })).status, "SUCCEEDED");
  await assert.rejects(start({ serviceModel: "botocore" }), { code: "INVALID_OPTION" });
});
