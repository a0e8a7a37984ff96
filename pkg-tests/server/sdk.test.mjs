// Every operation of the API, called through @aws-sdk/client-sfn as programs do.
import assert from "node:assert/strict";
import { Agent } from "node:http";
import { test } from "node:test";
import * as sfn from "@aws-sdk/client-sfn";
import { account, eventually, lambda, machine, region, role, start } from "./endpoint.mjs";
import { sdkOf } from "./sdk.mjs";

const tasks = {
  double: ({ n }) => ({ n: n * 2 }),
  broken: () => {
    throw Object.assign(new Error("no stock"), { name: "OutOfStock" });
  },
  flaky: () => {
    if (!repaired) throw Object.assign(new Error("still down"), { name: "Down" });
    return "up";
  },
  "sqs:sendMessage": ({ MessageBody }) => void letters.push(MessageBody),
};
let repaired = false;
const letters = [];
const server = await start({ tasks });
const { client, send, create, run, refused, all } = sdkOf(server);
const arnOf = (name) => `arn:aws:states:${region}:${account}:stateMachine:${name}`;

const pass = machine({ Hello: { Type: "Pass", Result: "hello", End: true } });
const wait = machine({ Rest: { Type: "Wait", Seconds: 3600, End: true } });

test("the SDK's host prefix is accepted if the name resolves", async (t) => {
  const lookup = (name, options, done) => (options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4));
  const names = [];
  const agent = new Agent({ lookup: (name, ...rest) => (names.push(name), lookup(name, ...rest)) });
  const prefixed = new sfn.SFNClient({
    endpoint: server.url.replace("127.0.0.1", "localhost"),
    region,
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
    requestHandler: { httpAgent: agent },
  });
  t.after(() => prefixed.destroy());
  const { status, output } = await prefixed.send(
    new sfn.TestStateCommand({ definition: JSON.stringify({ Type: "Pass", End: true }), input: "1", roleArn: role }),
  );
  assert.deepEqual([status, output, names], ["SUCCEEDED", "1", ["sync-localhost"]]);
});

test("a machine is created, described, updated, listed and deleted", async () => {
  const made = await send("CreateStateMachine", { name: "Life", definition: pass, roleArn: role });
  assert.deepEqual([made.stateMachineArn, made.creationDate instanceof Date], [arnOf("Life"), true]);
  assert.ok(Math.abs(made.creationDate - Date.now()) < 60_000);
  const { $metadata, creationDate, ...about } = await send("DescribeStateMachine", { stateMachineArn: arnOf("Life") });
  assert.deepEqual(about, {
    stateMachineArn: arnOf("Life"),
    name: "Life",
    status: "ACTIVE",
    definition: pass,
    roleArn: role,
    type: "STANDARD",
    loggingConfiguration: { level: "OFF", includeExecutionData: false },
    tracingConfiguration: { enabled: false },
    encryptionConfiguration: { type: "AWS_OWNED_KEY" },
  });
  assert.equal(await create("Life", pass, { roleArn: "another" }), arnOf("Life"));
  await refused(create("Life", wait), "StateMachineAlreadyExists", `State Machine Already Exists: '${arnOf("Life")}'`);

  const { updateDate, revisionId } = await send("UpdateStateMachine", { stateMachineArn: arnOf("Life"), definition: wait });
  assert.ok(updateDate >= creationDate && revisionId.length > 30);
  const same = await send("UpdateStateMachine", { stateMachineArn: arnOf("Life"), definition: wait });
  assert.equal(same.revisionId, revisionId);
  const after = await send("DescribeStateMachine", { stateMachineArn: arnOf("Life") });
  assert.deepEqual([after.definition, after.revisionId], [wait, revisionId]);
  await refused(send("UpdateStateMachine", { stateMachineArn: arnOf("Life") }), "MissingRequiredParameter", /^Either the definition/);

  const { executionArn } = await send("StartExecution", { stateMachineArn: arnOf("Life") });
  await send("DeleteStateMachine", { stateMachineArn: arnOf("Life") });
  await send("DeleteStateMachine", { stateMachineArn: arnOf("Life") });
  await refused(
    send("DescribeStateMachine", { stateMachineArn: arnOf("Life") }),
    "StateMachineDoesNotExist",
    `State Machine Does Not Exist: '${arnOf("Life")}'`,
  );
  await refused(send("DescribeExecution", { executionArn }), "ExecutionDoesNotExist");
});

test("invalid requests are refused with AWS's errors and messages", async () => {
  const arn = await create("Refusals", pass);
  const execution = arn.replace("stateMachine", "execution");
  await refused(create("no such name", pass), "InvalidName", "Invalid Name: 'no such name'");
  await refused(
    create("Bad", '{"StartAt": "A"}'),
    "InvalidDefinition",
    "Invalid State Machine Definition: 'SCHEMA_VALIDATION_FAILED: These fields are required: [States] at /'",
  );
  await refused(
    create("Bad", "not JSON"),
    "InvalidDefinition",
    /^Invalid State Machine Definition: 'INVALID_JSON_DESCRIPTION: Unrecognized token 'not'/,
  );
  await refused(
    create("x".repeat(81), pass),
    "ValidationException",
    /^1 validation error detected: Value 'x{81}' at 'name' failed to satisfy constraint: Member must have length less than or equal to 80$/,
  );
  await refused(
    create("Bad", pass, { type: "FAST" }),
    "ValidationException",
    /at 'type' failed to satisfy constraint: Member must satisfy enum value set: \[STANDARD, EXPRESS\]$/,
  );
  await refused(
    send("CreateStateMachine", { name: "Bad" }),
    "ValidationException",
    /^2 validation errors detected: Value null at 'definition' .*; Value null at 'roleArn' failed to satisfy constraint: Member must not be null$/,
  );
  await refused(
    create("Bad", pass, { versionDescription: "x" }),
    "ValidationException",
    "Version description can only be set when publish is true",
  );
  await refused(
    create("Bad", pass, { loggingConfiguration: { level: "ALL" } }),
    "InvalidLoggingConfiguration",
    "Invalid Logging Configuration: Must specify exactly one Log Destination.",
  );
  await refused(send("DescribeStateMachine", { stateMachineArn: "nonsense" }), "InvalidArn", "Invalid Arn: 'Invalid ARN prefix: nonsense'");
  await refused(
    send("DescribeExecution", { executionArn: `${arn}` }),
    "InvalidArn",
    "Invalid Arn: 'Resource type not valid in this context: stateMachine'",
  );
  await refused(
    send("DescribeExecution", { executionArn: `${execution}:none` }),
    "ExecutionDoesNotExist",
    `Execution Does Not Exist: '${execution}:none'`,
  );
  await refused(send("GetExecutionHistory", { executionArn: `${execution}:none` }), "ExecutionDoesNotExist");
  await refused(send("StartExecution", { stateMachineArn: arnOf("None") }), "StateMachineDoesNotExist");
  await refused(
    send("StartExecution", { stateMachineArn: arn, input: "{'a': 1}" }),
    "InvalidExecutionInput",
    "Invalid State Machine Execution Input: 'Unexpected character (''' (code 39)): was expecting double-quote to start field name'",
  );
  await refused(
    send("StartExecution", { stateMachineArn: arn, input: "" }),
    "InvalidExecutionInput",
    "Invalid State Machine Execution Input: 'Invalid execution input.'",
  );
  await refused(
    send("StartExecution", { stateMachineArn: arn, input: "[".repeat(129) + "]".repeat(129) }),
    "InvalidExecutionInput",
    "Invalid State Machine Execution Input: 'the input is nested deeper than 128 levels at character 128'",
  );
  await refused(
    send("StartExecution", { stateMachineArn: arn, input: "1e999" }),
    "InvalidExecutionInput",
    "Invalid State Machine Execution Input: 'the input has a number that is larger than any double at character 0'",
  );
  await refused(
    send("StartExecution", { stateMachineArn: arn, input: JSON.stringify("x".repeat(262_143)) }),
    "ValidationException",
    /at 'input' failed to satisfy constraint/,
  );
  await refused(send("StartExecution", { stateMachineArn: arn, name: "a/b" }), "InvalidName");
  await refused(
    send("ListExecutions", { stateMachineArn: arn, statusFilter: "succeeded" }),
    "ValidationException",
    "1 validation error detected: Value 'succeeded' at 'statusFilter' failed to satisfy constraint: Member must satisfy enum value set: [SUCCEEDED, TIMED_OUT, PENDING_REDRIVE, ABORTED, FAILED, RUNNING]",
  );
  await refused(
    send("ListExecutions", { stateMachineArn: arn, maxResults: 1001 }),
    "ValidationException",
    "1 validation error detected: Value '1001' at 'maxResults' failed to satisfy constraint: Member must have value less than or equal to 1000",
  );
  await refused(send("ListExecutions", { stateMachineArn: arn, nextToken: "made up" }), "InvalidToken", "Invalid Token: 'Invalid token'");
  await refused(
    send("StartSyncExecution", { stateMachineArn: arn }),
    "StateMachineTypeNotSupported",
    "This operation is not supported by this type of state machine",
  );
});

test("an execution is described, with its history and machine, as on AWS", async () => {
  const arn = await create("Run", machine({ Double: { Type: "Task", Resource: lambda("double"), End: true } }));
  const { executionArn, startDate } = await send("StartExecution", {
    stateMachineArn: arn,
    name: "first",
    input: '{"n": 21}',
    traceHeader: "Root=1",
  });
  assert.equal(executionArn, `${arn.replace("stateMachine", "execution")}:first`);
  await eventually(async () => (await send("DescribeExecution", { executionArn })).status !== "RUNNING");
  const { $metadata, stopDate, ...about } = await send("DescribeExecution", { executionArn });
  assert.ok(stopDate >= startDate);
  assert.deepEqual(about, {
    executionArn,
    stateMachineArn: arn,
    name: "first",
    status: "SUCCEEDED",
    startDate,
    input: '{"n": 21}',
    inputDetails: { included: true },
    output: '{"n":42}',
    outputDetails: { included: true },
    traceHeader: "Root=1",
    redriveCount: 0,
    redriveStatus: "NOT_REDRIVABLE",
    redriveStatusReason: "Execution is SUCCEEDED and cannot be redriven",
  });
  const metadata = await send("DescribeExecution", { executionArn, includedData: "METADATA_ONLY" });
  assert.deepEqual([metadata.input, metadata.output, metadata.inputDetails], [undefined, undefined, { included: false }]);

  const { events } = await send("GetExecutionHistory", { executionArn });
  assert.deepEqual(
    events.map(({ type }) => type),
    [
      "ExecutionStarted",
      "TaskStateEntered",
      "LambdaFunctionScheduled",
      "LambdaFunctionStarted",
      "LambdaFunctionSucceeded",
      "TaskStateExited",
      "ExecutionSucceeded",
    ],
  );
  assert.ok(events[0].timestamp instanceof Date);
  assert.equal(events[0].executionStartedEventDetails.roleArn, role);
  assert.equal(events[4].lambdaFunctionSucceededEventDetails.output, '{"n":42}');
  const bare = await send("GetExecutionHistory", { executionArn, includeExecutionData: false });
  assert.deepEqual(bare.events[4].lambdaFunctionSucceededEventDetails, { outputDetails: { truncated: false } });

  const machineOf = await send("DescribeStateMachineForExecution", { executionArn });
  assert.deepEqual(
    [machineOf.stateMachineArn, machineOf.name, machineOf.roleArn, JSON.parse(machineOf.definition).StartAt],
    [arn, "Run", role, "Double"],
  );
});

test("an execution keeps its definition when the machine is updated", async () => {
  const arn = await create("Kept", wait);
  const { executionArn } = await send("StartExecution", { stateMachineArn: arn });
  await send("UpdateStateMachine", { stateMachineArn: arn, definition: pass });
  assert.equal((await send("DescribeStateMachineForExecution", { executionArn })).definition, wait);
  assert.equal((await run(arn)).output, '"hello"');
});

test("starting is idempotent by name and input until the execution has ended", async () => {
  const arn = await create("Names", wait);
  const first = await send("StartExecution", { stateMachineArn: arn, name: "one", input: '{"a":1}' });
  const again = await send("StartExecution", { stateMachineArn: arn, name: "one", input: '{"a":1}' });
  assert.deepEqual([again.executionArn, again.startDate], [first.executionArn, first.startDate]);
  await refused(
    send("StartExecution", { stateMachineArn: arn, name: "one", input: '{"a":2}' }),
    "ExecutionAlreadyExists",
    `Execution Already Exists: '${first.executionArn}'`,
  );
  const { stopDate } = await send("StopExecution", { executionArn: first.executionArn, error: "Enough", cause: "it is late" });
  const stopped = await send("DescribeExecution", { executionArn: first.executionArn });
  assert.deepEqual([stopped.status, stopped.error, stopped.cause, stopped.stopDate], ["ABORTED", "Enough", "it is late", stopDate]);
  await refused(send("StartExecution", { stateMachineArn: arn, name: "one", input: '{"a":1}' }), "ExecutionAlreadyExists");
  assert.deepEqual((await send("StopExecution", { executionArn: first.executionArn })).stopDate, stopDate);
});

test("executions are listed newest first, filtered, in pages", async () => {
  const arn = await create(
    "Listed",
    machine({
      Which: { Type: "Choice", Choices: [{ Variable: "$.fail", BooleanEquals: true, Next: "No" }], Default: "Yes" },
      No: { Type: "Fail", Error: "No" },
      Yes: { Type: "Succeed" },
    }),
  );
  const names = Array.from({ length: 23 }, (_, i) => `e${String(i).padStart(2, "0")}`);
  for (const [i, name] of names.entries()) await run(arn, { fail: i % 5 === 0 }, { name });
  const { found, count } = await all(sfn.paginateListExecutions({ client, pageSize: 10 }, { stateMachineArn: arn }), "executions");
  assert.deepEqual([found.map(({ name }) => name), count], [[...names].reverse(), 3]);
  const failed = await all(
    sfn.paginateListExecutions({ client, pageSize: 2 }, { stateMachineArn: arn, statusFilter: "FAILED" }),
    "executions",
  );
  assert.deepEqual([failed.found.map(({ name }) => name), failed.count], [["e20", "e15", "e10", "e05", "e00"], 3]);
  const redriven = await send("ListExecutions", { stateMachineArn: arn, redriveFilter: "REDRIVEN" });
  assert.deepEqual(redriven.executions, []);
});

test("a history is read in pages, from either end", async () => {
  const arn = await create(
    "Long",
    machine({
      Each: { Type: "Map", MaxConcurrency: 1, ItemProcessor: { StartAt: "Do", States: { Do: { Type: "Pass", End: true } } }, End: true },
    }),
  );
  const { executionArn } = await run(
    arn,
    Array.from({ length: 60 }, (_, i) => i),
  );
  const forth = await all(sfn.paginateGetExecutionHistory({ client, pageSize: 50 }, { executionArn }), "events");
  assert.deepEqual(
    forth.found.map(({ id }) => id),
    Array.from({ length: forth.found.length }, (_, i) => i + 1),
  );
  assert.ok(forth.found.length > 240 && forth.count === Math.ceil(forth.found.length / 50));
  const back = await all(sfn.paginateGetExecutionHistory({ client, pageSize: 70 }, { executionArn, reverseOrder: true }), "events");
  assert.deepEqual(back.found, [...forth.found].reverse());
  const [last] = (await send("GetExecutionHistory", { executionArn, reverseOrder: true, maxResults: 1 })).events;
  assert.equal(last.type, "ExecutionSucceeded");
});

test("the history of a running execution can be read", async () => {
  const arn = await create("Running", wait);
  const { executionArn } = await send("StartExecution", { stateMachineArn: arn });
  const events = await eventually(async () => {
    const page = await send("GetExecutionHistory", { executionArn, maxResults: 1, reverseOrder: true });
    return page.events[0].type === "WaitStateEntered" && page;
  });
  const { events: first, nextToken } = await send("GetExecutionHistory", {
    executionArn,
    maxResults: 1,
    reverseOrder: true,
    nextToken: events.nextToken,
  });
  assert.deepEqual([first[0].type, nextToken], ["ExecutionStarted", undefined]);
  const { executions } = await send("ListExecutions", { stateMachineArn: arn, statusFilter: "RUNNING" });
  assert.equal(executions[0].executionArn, executionArn);
});

test("StartSyncExecution returns the output of an Express machine with its billing details", async () => {
  const arn = await create("Quick", machine({ Double: { Type: "Task", Resource: lambda("double"), End: true } }), { type: "EXPRESS" });
  const { $metadata, startDate, stopDate, executionArn, ...about } = await send("StartSyncExecution", {
    stateMachineArn: arn,
    name: "q",
    input: '{"n":4}',
  });
  assert.match(executionArn, new RegExp(`^${arn.replace("stateMachine", "express")}:q:[0-9a-f-]{36}$`));
  assert.deepEqual(about, {
    stateMachineArn: arn,
    name: "q",
    status: "SUCCEEDED",
    input: '{"n":4}',
    inputDetails: { included: true },
    output: '{"n":8}',
    outputDetails: { included: true },
    billingDetails: { billedMemoryUsedInMB: 64, billedDurationInMilliseconds: 100 },
  });
  assert.ok(stopDate >= startDate);
  const failing = await create("QuickFail", machine({ Break: { Type: "Task", Resource: lambda("broken"), End: true } }), {
    type: "EXPRESS",
  });
  const failed = await send("StartSyncExecution", { stateMachineArn: failing });
  assert.deepEqual([failed.status, failed.error, failed.output], ["FAILED", "OutOfStock", undefined]);
  await send("StartExecution", { stateMachineArn: arn, name: "q" });
  await send("StartExecution", { stateMachineArn: arn, name: "q" });
  for (const name of ["DescribeExecution", "GetExecutionHistory", "StopExecution"])
    await refused(send(name, { executionArn }), "InvalidArn", "Invalid Arn: 'Resource type not valid in this context: express'");
  await refused(send("ListExecutions", { stateMachineArn: arn }), "StateMachineTypeNotSupported");
});

test("a redriven execution continues at the failed state", async () => {
  const arn = await create(
    "Again",
    machine({ Before: { Type: "Pass", Next: "Flaky" }, Flaky: { Type: "Task", Resource: lambda("flaky"), End: true } }),
  );
  repaired = false;
  const { executionArn, redriveStatus, error } = await run(arn);
  assert.deepEqual([redriveStatus, error], ["REDRIVABLE", "Down"]);
  const before = (await send("GetExecutionHistory", { executionArn })).events;
  repaired = true;
  const { redriveDate } = await send("RedriveExecution", { executionArn, clientToken: "token" });
  const about = await eventually(async () => {
    const now = await send("DescribeExecution", { executionArn });
    return now.status === "SUCCEEDED" && now;
  });
  assert.deepEqual([about.redriveCount, about.redriveDate, about.output, about.error], [1, redriveDate, '"up"', undefined]);
  assert.deepEqual((await send("RedriveExecution", { executionArn, clientToken: "token" })).redriveDate, redriveDate);
  await refused(send("RedriveExecution", { executionArn }), "ExecutionNotRedrivable", "Execution is SUCCEEDED and cannot be redriven");
  const { events } = await send("GetExecutionHistory", { executionArn });
  assert.deepEqual(events.slice(0, before.length), before);
  assert.equal(events[before.length].type, "ExecutionRedriven");
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map((_, i) => i + 1),
  );
  assert.equal(events.filter(({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name === "Before").length, 1);
  assert.equal((await send("ListExecutions", { stateMachineArn: arn, redriveFilter: "REDRIVEN" })).executions[0].redriveCount, 1);
});

test("publishing the same definition with another description makes a new version", async () => {
  const made = await send("CreateStateMachine", {
    name: "Described",
    definition: pass,
    roleArn: role,
    publish: true,
    versionDescription: "the first",
  });
  const update = (members) =>
    send("UpdateStateMachine", { stateMachineArn: made.stateMachineArn, definition: pass, publish: true, ...members });
  const description = async (arn) => (await send("DescribeStateMachine", { stateMachineArn: arn })).description;
  const { stateMachineVersionArn: second } = await update({ versionDescription: "the second" });
  assert.deepEqual([await description(second), await description(made.stateMachineVersionArn)], ["the second", "the first"]);
  // With the same description or none, the existing version is returned.
  assert.equal((await update({ versionDescription: "the second" })).stateMachineVersionArn, second);
  assert.equal((await update({})).stateMachineVersionArn, second);
});

test("a customer-managed key is refused without its id", async () => {
  const encryptionConfiguration = { type: "CUSTOMER_MANAGED_KMS_KEY", kmsDataKeyReusePeriodSeconds: 60 };
  const message = "Invalid Encryption Configuration: kmsKeyId is required for a customer-managed key";
  const name = "Keys";
  const create = (members) => send("CreateStateMachine", { name, definition: pass, roleArn: role, ...members });
  await refused(create({ encryptionConfiguration }), "InvalidEncryptionConfiguration", message);
  await refused(send("CreateActivity", { name, encryptionConfiguration }), "InvalidEncryptionConfiguration", message);
  const { stateMachineArn } = await create({ encryptionConfiguration: { ...encryptionConfiguration, kmsKeyId: "alias/key" } });
  await refused(send("UpdateStateMachine", { stateMachineArn, encryptionConfiguration }), "InvalidEncryptionConfiguration", message);
  await create({ name: "Owned", encryptionConfiguration: { type: "AWS_OWNED_KEY" } });
});

test("versions are published, listed, started and deleted", async () => {
  const made = await send("CreateStateMachine", {
    name: "Versions",
    definition: pass,
    roleArn: role,
    publish: true,
    versionDescription: "the first",
  });
  const { stateMachineArn: arn } = made;
  assert.equal(made.stateMachineVersionArn, `${arn}:1`);
  assert.equal((await send("PublishStateMachineVersion", { stateMachineArn: arn })).stateMachineVersionArn, `${arn}:1`);
  const second = machine({ Hello: { Type: "Pass", Result: "hello again", End: true } });
  const { revisionId } = await send("UpdateStateMachine", { stateMachineArn: arn, definition: second });
  await refused(
    send("PublishStateMachineVersion", { stateMachineArn: arn, revisionId: "INITIAL" }),
    "ConflictException",
    `Failed to publish the State Machine version for revision INITIAL. The current State Machine revision is ${revisionId}.`,
  );
  assert.equal(
    (await send("PublishStateMachineVersion", { stateMachineArn: arn, revisionId, description: "the second" })).stateMachineVersionArn,
    `${arn}:2`,
  );
  const { stateMachineVersions } = await send("ListStateMachineVersions", { stateMachineArn: arn });
  assert.deepEqual(
    stateMachineVersions.map(({ stateMachineVersionArn }) => stateMachineVersionArn),
    [`${arn}:2`, `${arn}:1`],
  );
  const page = await send("ListStateMachineVersions", { stateMachineArn: arn, maxResults: 1 });
  assert.equal(
    (await send("ListStateMachineVersions", { stateMachineArn: arn, maxResults: 1, nextToken: page.nextToken })).stateMachineVersions[0]
      .stateMachineVersionArn,
    `${arn}:1`,
  );
  const first = await send("DescribeStateMachine", { stateMachineArn: `${arn}:1` });
  assert.deepEqual([first.stateMachineArn, first.definition, first.description], [`${arn}:1`, pass, "the first"]);
  const about = await run(`${arn}:1`);
  assert.deepEqual([about.output, about.stateMachineArn, about.stateMachineVersionArn], ['"hello"', arn, `${arn}:1`]);
  assert.equal((await send("ListExecutions", { stateMachineArn: `${arn}:1` })).executions.length, 1);
  assert.equal((await send("ListExecutions", { stateMachineArn: `${arn}:2` })).executions.length, 0);
  await send("DeleteStateMachineVersion", { stateMachineVersionArn: `${arn}:1` });
  await send("DeleteStateMachineVersion", { stateMachineVersionArn: `${arn}:1` });
  await refused(run(`${arn}:1`), "StateMachineDoesNotExist", `State Machine Does Not Exist: '${arn}:1'`);
});

test("an alias routes executions to versions by weight", async () => {
  const { stateMachineArn: arn } = await send("CreateStateMachine", { name: "Aliases", definition: pass, roleArn: role, publish: true });
  const second = machine({ Hello: { Type: "Pass", Result: "two", End: true } });
  await send("UpdateStateMachine", { stateMachineArn: arn, definition: second, publish: true });
  const route = (...weights) => weights.map((weight, i) => ({ stateMachineVersionArn: `${arn}:${i + 1}`, weight }));
  const { stateMachineAliasArn } = await send("CreateStateMachineAlias", {
    name: "live",
    routingConfiguration: route(100),
    description: "what customers see",
  });
  assert.equal(stateMachineAliasArn, `${arn}:live`);
  await send("CreateStateMachineAlias", { name: "live", routingConfiguration: route(100), description: "what customers see" });
  await refused(
    send("CreateStateMachineAlias", { name: "live", routingConfiguration: route(50, 50) }),
    "ConflictException",
    /already exists\.$/,
  );
  await refused(
    send("CreateStateMachineAlias", { name: "123", routingConfiguration: route(100) }),
    "ValidationException",
    "1 validation error detected: Value '123' at 'name' failed to satisfy constraint: Member must satisfy regular expression pattern: ^(?=.*[a-zA-Z_\\-\\.])[a-zA-Z0-9_\\-\\.]+$",
  );
  await refused(
    send("CreateStateMachineAlias", { name: "x", routingConfiguration: route(101) }),
    "ValidationException",
    "1 validation error detected: Value '101' at 'routingConfiguration.1.member.weight' failed to satisfy constraint: Member must have value less than or equal to 100",
  );
  await refused(
    send("CreateStateMachineAlias", { name: "x", routingConfiguration: route(70, 29) }),
    "ValidationException",
    "Sum of routing configuration weights must equal 100. Received: [70, 29]",
  );
  await refused(
    send("CreateStateMachineAlias", { name: "x", routingConfiguration: [{ stateMachineVersionArn: arn, weight: 100 }] }),
    "ValidationException",
    `Routing configuration must contain state machine version ARNs. Received: [${arn}]`,
  );
  const about = await run(stateMachineAliasArn);
  assert.deepEqual([about.output, about.stateMachineAliasArn, about.stateMachineVersionArn], ['"hello"', stateMachineAliasArn, `${arn}:1`]);
  await send("UpdateStateMachineAlias", { stateMachineAliasArn, routingConfiguration: route(0, 100) });
  assert.equal((await run(stateMachineAliasArn)).output, '"two"');
  const alias = await send("DescribeStateMachineAlias", { stateMachineAliasArn });
  assert.deepEqual([alias.name, alias.description, alias.routingConfiguration], ["live", "what customers see", route(0, 100)]);
  assert.ok(alias.updateDate >= alias.creationDate);
  await refused(
    send("DeleteStateMachineVersion", { stateMachineVersionArn: `${arn}:2` }),
    "ConflictException",
    "Version to be deleted must not be referenced by an alias. Current list of aliases referencing this version: [live]",
  );
  assert.deepEqual(
    (await send("ListStateMachineAliases", { stateMachineArn: arn })).stateMachineAliases.map((one) => one.stateMachineAliasArn),
    [stateMachineAliasArn],
  );
  await send("DeleteStateMachineAlias", { stateMachineAliasArn });
  await refused(
    send("DescribeStateMachineAlias", { stateMachineAliasArn }),
    "ResourceNotFound",
    "Request references a resource that does not exist.",
  );
  await refused(send("UpdateStateMachineAlias", { stateMachineAliasArn, description: "x" }), "ResourceNotFound");
});

test("machines are listed by name, in pages", async () => {
  const names = Array.from({ length: 12 }, (_, i) => `Page${String.fromCharCode(65 + i)}`);
  for (const name of [...names].reverse()) await create(name, pass);
  const { found } = await all(sfn.paginateListStateMachines({ client, pageSize: 5 }, {}), "stateMachines");
  assert.deepEqual(
    found.filter(({ name }) => name.startsWith("Page")).map(({ name, type }) => [name, type]),
    names.map((name) => [name, "STANDARD"]),
  );
});

test("an activity's tasks are polled, kept alive and answered", async () => {
  const { activityArn } = await send("CreateActivity", { name: "Review", tags: [{ key: "team", value: "a" }] });
  assert.equal((await send("CreateActivity", { name: "Review" })).activityArn, activityArn);
  await refused(send("CreateActivity", { name: "No$" }), "InvalidName", "Invalid Name: 'No$'");
  const about = await send("DescribeActivity", { activityArn });
  assert.deepEqual([about.activityArn, about.name], [activityArn, "Review"]);
  for (const name of ["B", "A"]) await send("CreateActivity", { name });
  const { found } = await all(sfn.paginateListActivities({ client, pageSize: 2 }, {}), "activities");
  assert.deepEqual(
    found.map(({ name }) => name),
    ["A", "B", "Review"],
  );

  const arn = await create("Reviewed", machine({ Ask: { Type: "Task", Resource: activityArn, HeartbeatSeconds: 30, End: true } }));
  const waiting = send("GetActivityTask", { activityArn, workerName: "Ada" });
  const { executionArn } = await send("StartExecution", { stateMachineArn: arn, input: '{"page":1}' });
  const { taskToken, input } = await waiting;
  assert.equal(input, '{"page":1}');
  await send("SendTaskHeartbeat", { taskToken });
  await refused(send("SendTaskSuccess", { taskToken, output: "not JSON" }), "InvalidOutput", /^Invalid Output: 'Unrecognized token 'not'/);
  await send("SendTaskSuccess", { taskToken, output: '{"ok":true}' });
  const done = await eventually(async () => {
    const now = await send("DescribeExecution", { executionArn });
    return now.status === "SUCCEEDED" && now;
  });
  assert.equal(done.output, '{"ok":true}');
  const { events } = await send("GetExecutionHistory", { executionArn });
  assert.equal(events.find(({ type }) => type === "ActivityStarted").activityStartedEventDetails.workerName, "Ada");
  for (const name of ["SendTaskHeartbeat", "SendTaskFailure"])
    await refused(send(name, { taskToken }), "TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'");
  await refused(send("SendTaskFailure", { taskToken: "made up" }), "InvalidToken", "Invalid Token: 'Invalid token'");

  const failing = await send("StartExecution", { stateMachineArn: arn });
  const second = await send("GetActivityTask", { activityArn });
  await send("SendTaskFailure", { taskToken: second.taskToken, error: "Rejected", cause: "not good enough" });
  const failed = await eventually(async () => {
    const now = await send("DescribeExecution", { executionArn: failing.executionArn });
    return now.status === "FAILED" && now;
  });
  assert.deepEqual([failed.error, failed.cause], ["Rejected", "not good enough"]);
  for (const name of ["A", "B", "Review"]) await send("DeleteActivity", { activityArn: activityArn.replace("Review", name) });
  await refused(send("DescribeActivity", { activityArn }), "ActivityDoesNotExist", `Activity Does Not Exist: '${activityArn}'`);
  await refused(send("GetActivityTask", { activityArn }), "ActivityDoesNotExist");
});

test("a poll without tasks returns an empty answer, and a worker that disconnects takes no task", async () => {
  const quick = await start({ limits: { poll: 100 } });
  const other = new sfn.SFNClient({ endpoint: quick.url, region, credentials: { accessKeyId: "any", secretAccessKey: "any" } });
  const { activityArn } = await other.send(new sfn.CreateActivityCommand({ name: "Idle" }));
  const { taskToken, input } = await other.send(new sfn.GetActivityTaskCommand({ activityArn }));
  assert.deepEqual([taskToken, input], [undefined, undefined]);

  const { activityArn: left } = await send("CreateActivity", { name: "Left" });
  const leave = new AbortController();
  const poll = client.send(new sfn.GetActivityTaskCommand({ activityArn: left }), { abortSignal: leave.signal });
  const gone = assert.rejects(poll, { name: "AbortError" });
  // The poll has arrived, and later its end, when requests that are sent after it have been answered.
  for (let i = 0; i < 3; i++) await send("ListActivities", {});
  leave.abort();
  await gone;
  for (let i = 0; i < 3; i++) await send("ListActivities", {});
  await send("StartExecution", {
    stateMachineArn: await create("ToLeft", machine({ Ask: { Type: "Task", Resource: left, End: true } })),
    input: "7",
  });
  assert.equal((await send("GetActivityTask", { activityArn: left })).input, "7");
});

test("a task token of any service can be answered through the API", async () => {
  const arn = await create(
    "Callback",
    machine({
      Ask: {
        Type: "Task",
        Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
        Parameters: { QueueUrl: "q", MessageBody: { "token.$": "$$.Task.Token" } },
        End: true,
      },
    }),
  );
  const { executionArn } = await send("StartExecution", { stateMachineArn: arn });
  const { token } = await eventually(() => letters.pop());
  await send("SendTaskHeartbeat", { taskToken: token });
  await send("SendTaskSuccess", { taskToken: token, output: "[1,2]" });
  const about = await eventually(async () => {
    const now = await send("DescribeExecution", { executionArn });
    return now.status === "SUCCEEDED" && now;
  });
  assert.equal(about.output, "[1,2]");
});

test("machines of a server can start each other", async () => {
  const child = await create("Child", machine({ Double: { Type: "Task", Resource: lambda("double"), End: true } }));
  const task = (suffix, more = {}) =>
    machine({
      Call: {
        Type: "Task",
        Resource: `arn:aws:states:::states:startExecution${suffix}`,
        Parameters: { StateMachineArn: child, "Input.$": "$", ...more },
        End: true,
      },
    });
  const sync = JSON.parse((await run(await create("Sync", task(".sync")), { n: 1 })).output);
  assert.deepEqual([sync.Status, sync.Output, sync.StateMachineArn], ["SUCCEEDED", '{"n":2}', child]);
  const parsed = JSON.parse((await run(await create("Sync2", task(".sync:2", { Name: "named" })), { n: 2 })).output);
  assert.deepEqual([parsed.Output, parsed.Name], [{ n: 4 }, "named"]);
  const listed = await send("ListExecutions", { stateMachineArn: child });
  assert.equal(listed.executions.length, 2);
  assert.ok(listed.executions.some(({ executionArn }) => executionArn === parsed.ExecutionArn));
  const fire = JSON.parse((await run(await create("Fire", task("")), { n: 3 })).output);
  assert.equal(
    (
      await eventually(async () => {
        const now = await send("DescribeExecution", { executionArn: fire.ExecutionArn });
        return now.status === "SUCCEEDED" && now;
      })
    ).output,
    '{"n":6}',
  );

  const broken = await create("BrokenChild", machine({ No: { Type: "Fail", Error: "Inner", Cause: "why" } }));
  const failed = await run(
    await create(
      "Caller",
      machine({
        Call: {
          Type: "Task",
          Resource: "arn:aws:states:::states:startExecution.sync:2",
          Parameters: { StateMachineArn: broken },
          End: true,
        },
      }),
    ),
  );
  assert.deepEqual([failed.status, failed.error, JSON.parse(failed.cause).Error], ["FAILED", "States.TaskFailed", "Inner"]);
  const none = await run(
    await create(
      "CallerOfNone",
      machine({
        Call: {
          Type: "Task",
          Resource: "arn:aws:states:::states:startExecution",
          Parameters: { StateMachineArn: arnOf("Nobody") },
          End: true,
        },
      }),
    ),
  );
  assert.equal(none.error, "StepFunctions.StateMachineDoesNotExistException");

  const sleeper = await create("Sleeper", wait);
  const boss = await create(
    "Boss",
    machine({
      Call: {
        Type: "Task",
        Resource: "arn:aws:states:::states:startExecution.sync",
        Parameters: { StateMachineArn: sleeper, Name: "nap" },
        End: true,
      },
    }),
  );
  const { executionArn } = await send("StartExecution", { stateMachineArn: boss });
  const nap = `${sleeper.replace("stateMachine", "execution")}:nap`;
  await eventually(() => send("DescribeExecution", { executionArn: nap }).catch(() => undefined));
  await send("StopExecution", { executionArn });
  const napped = await eventually(async () => {
    const now = await send("DescribeExecution", { executionArn: nap });
    return now.status !== "RUNNING" && now;
  });
  assert.deepEqual(
    [napped.status, napped.cause],
    ["ABORTED", `The Task state in AWS Step Functions execution [${executionArn}] which was managing this resource was aborted`],
  );
});

test("SDK integrations of Step Functions call the server's own API", async () => {
  const child = await create("Asked", pass);
  const asked = await run(
    await create(
      "Asker",
      machine({
        Ask: {
          Type: "Task",
          Resource: "arn:aws:states:::aws-sdk:sfn:describeStateMachine",
          Parameters: { StateMachineArn: child },
          End: true,
        },
      }),
    ),
  );
  assert.equal(JSON.parse(asked.output).Definition, pass);
});

test("a definition is validated without being stored", async () => {
  assert.deepEqual((await send("ValidateStateMachineDefinition", { definition: pass })).result, "OK");
  const { result, diagnostics, truncated } = await send("ValidateStateMachineDefinition", {
    definition: '{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"}}}',
  });
  assert.deepEqual([result, truncated, diagnostics[0].severity], ["FAIL", false, "ERROR"]);
  assert.ok(diagnostics.some(({ code }) => code === "MISSING_TRANSITION_TARGET"));
});

test("machines can be tagged and untagged", async () => {
  const arn = await create("Tagged", pass, { tags: [{ key: "a", value: "1" }] });
  await send("TagResource", {
    resourceArn: arn,
    tags: [
      { key: "b", value: "2" },
      { key: "a", value: "3" },
    ],
  });
  await send("UntagResource", { resourceArn: arn, tagKeys: ["b", "none"] });
  assert.deepEqual((await send("ListTagsForResource", { resourceArn: arn })).tags, [{ key: "a", value: "3" }]);
  await refused(send("TagResource", { resourceArn: `${arn}:1`, tags: [] }), "ResourceNotFound", `Resource not found: '${arn}:1'`);
  await refused(
    send("TagResource", { resourceArn: arn, tags: Array.from({ length: 51 }, (_, i) => ({ key: `k${i}`, value: "" })) }),
    "TooManyTags",
  );
});
