// Which handler a task calls, with which arguments, and how its result is used.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine, TaskError } from "stepglass";
import { LAMBDA, lambda, task, turn, watchRejections } from "./machines.mjs";

watchRejections();

const SQS = "arn:aws:states:::sqs:sendMessage";

// Resource, Parameters, the keys of the handlers, and the key of the handler that is called.
const matches = [
  [LAMBDA, undefined, ["Add", "T", LAMBDA], LAMBDA],
  [LAMBDA, undefined, ["Add", "T"], "T"],
  [LAMBDA, undefined, ["Add", "*"], "Add"],
  [`${LAMBDA}:PROD`, undefined, ["Add"], "Add"],
  [LAMBDA, undefined, ["arn:aws:lambda:*:*:function:Add", "arn:aws:lambda:*"], "arn:aws:lambda:*:*:function:Add"],
  ["arn:aws:states:us-east-1:123456789012:activity:Approve", undefined, ["Approve", "*"], "Approve"],
  ["arn:aws:states:::lambda:invoke", { FunctionName: "Add" }, ["lambda:invoke", "Add"], "Add"],
  ["arn:aws:states:::lambda:invoke", { FunctionName: "Add:3" }, ["Add"], "Add"],
  ["arn:aws:states:::lambda:invoke", { FunctionName: `${LAMBDA}:$LATEST` }, ["Add"], "Add"],
  ["arn:aws:states:::lambda:invoke", { FunctionName: "123456789012:function:Add" }, ["Add"], "Add"],
  ["arn:aws:states:::lambda:invoke", { FunctionName: LAMBDA }, ["Add", LAMBDA], LAMBDA],
  ["arn:aws:states:::lambda:invoke", { FunctionName: "Other" }, ["lambda:invoke", "Add"], "lambda:invoke"],
  [
    "arn:aws:states:::states:startExecution.sync:2",
    { StateMachineArn: "arn:aws:states:us-east-1:1:stateMachine:Child" },
    ["Child", "states:*"],
    "Child",
  ],
  [SQS, {}, ["sqs:sendMessage", "sqs:*", "*"], "sqs:sendMessage"],
  [SQS, {}, ["*", "sqs:*"], "sqs:*"],
  [SQS, {}, ["arn:aws:states:::sqs:*", "*"], "arn:aws:states:::sqs:*"],
  [SQS, {}, ["sqs:send*", "arn:aws:states:::sqs:*"], "sqs:send*"],
  [`${SQS}.waitForTaskToken`, {}, ["sqs:sendMessage", "sqs:sendMessage.waitForTaskToken"], "sqs:sendMessage.waitForTaskToken"],
  ["arn:aws-cn:states:::aws-sdk:s3:getObject", {}, ["aws-sdk:s3:*", "aws-sdk:*"], "aws-sdk:s3:*"],
  ["arn:aws:states:::ecs:runTask.sync", {}, ["ecs:runTask"], "ecs:runTask"],
];
for (const [resource, parameters, keys, expected] of matches) {
  test(`with handlers for ${keys.join(", ")}, ${expected} is called for ${resource} ${JSON.stringify(parameters ?? "")}`, async () => {
    const called = [];
    for (const order of [keys, keys.toReversed?.() ?? [...keys].reverse()]) {
      for (const tasks of [Object.fromEntries(order.map((key) => [key, handler(key)])), new Map(order.map((key) => [key, handler(key)]))]) {
        const running = task(resource, parameters).start({}, { tasks });
        await turn();
        if (running.status === "RUNNING") running.abort();
        await running.result;
      }
    }
    function handler(key) {
      return () => (called.push(key), {});
    }
    assert.deepEqual(called, [expected, expected, expected, expected]);
  });
}

test("one function can handle all tasks", async () => {
  const seen = [];
  const tasks = (input, about) => (seen.push(about.stateName), input);
  await lambda().run({ x: 1 }, { tasks });
  await task(SQS, { a: 1 }).run({}, { tasks });
  assert.deepEqual(seen, ["T", "T"]);
});

test("keys that a prototype has are ordinary keys", async () => {
  const names = ["constructor", "toString", "hasOwnProperty", "valueOf", "then", "toJSON", "prototype"];
  for (const name of names) {
    const arn = `arn:aws:lambda:us-east-1:123456789012:function:${name}`;
    const machine = new StateMachine({
      StartAt: name,
      States: { [name]: { Type: "Task", Resource: arn, ResultPath: `$['${name}']`, End: true } },
    });
    const missing = await machine.start({}, { tasks: {} }).result;
    assert.equal(missing.error, "States.TaskFailed", name);
    assert.deepEqual(await machine.run({ a: 1 }, { tasks: { [name]: () => ({ [name]: name }) } }), { a: 1, [name]: { [name]: name } });
  }
});

test("__proto__ is an ordinary name", async () => {
  const text = `{"StartAt":"__proto__","States":{"__proto__":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:__proto__","End":true}}}`;
  const machine = new StateMachine(text);
  assert.equal((await machine.start({}, { tasks: {} }).result).error, "States.TaskFailed");
  const payload = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
  const seen = [];
  const handlers = new Map([["__proto__", (input) => (seen.push(input), input)]]);
  const output = await machine.run(payload, { tasks: handlers });
  assert.equal(JSON.stringify(output), JSON.stringify(payload));
  assert.equal(JSON.stringify(seen[0]), JSON.stringify(payload));
  assert.equal(Object.getPrototypeOf(output), Object.prototype);
  assert.equal({}.polluted, undefined);
});

test("an output with a member then is not awaited", async () => {
  const machine = new StateMachine({ StartAt: "A", States: { A: { Type: "Pass", Result: { then: "x" }, End: true } } });
  assert.deepEqual(await machine.run(), { then: "x" });
});

test("lambda:invoke passes the payload to the handler, and the wrapped result to the machine", async () => {
  const machine = task("arn:aws:states:::lambda:invoke", { FunctionName: "f", "Payload.$": "$" });
  let about;
  const output = await machine.run({ x: 1 }, { tasks: { f: (input, task) => ((about = task), { got: input }) } });
  assert.deepEqual(Object.keys(output), ["ExecutedVersion", "Payload", "SdkHttpMetadata", "SdkResponseMetadata", "StatusCode"]);
  assert.deepEqual([output.ExecutedVersion, output.Payload, output.StatusCode], ["$LATEST", { got: { x: 1 } }, 200]);
  assert.deepEqual(about.parameters, { FunctionName: "f", Payload: { x: 1 } });
  const bare = await task("arn:aws:states:::lambda:invoke", { FunctionName: "f" }).run({ x: 1 }, { tasks: { f: (input) => input } });
  assert.deepEqual(bare.Payload, {});
});

test("http:invoke passes a response to the machine", async () => {
  const machine = task("arn:aws:states:::http:invoke", {
    ApiEndpoint: "https://example.com",
    Method: "GET",
    Authentication: { ConnectionArn: "arn:aws:events:us-east-1:1:connection/c/1" },
  });
  assert.deepEqual(await machine.run({}, { tasks: { "http:invoke": () => ({ a: 1 }) } }), {
    Headers: {},
    ResponseBody: { a: 1 },
    StatusCode: 200,
    StatusText: "OK",
  });
  const whole = { Headers: { x: ["1"] }, ResponseBody: "no", StatusCode: 201, StatusText: "Created" };
  assert.deepEqual(await machine.run({}, { tasks: { "http:invoke": () => whole } }), whole);
});

test("a handler can run a child execution, whose result has the form of AWS", async () => {
  const StateMachineArn = "arn:aws:states:us-east-1:123456789012:stateMachine:Child";
  const child = new StateMachine({
    StartAt: "D",
    States: { D: { Type: "Pass", Parameters: { "doubled.$": "States.MathAdd($.n, $.n)" }, End: true } },
  });
  const Child = (input, task) => child.run(input, { signal: task.signal });
  const parameters = { StateMachineArn, Input: { n: 4 }, Name: "kid" };
  const arn = "arn:aws:states:us-east-1:123456789012:execution:Child:kid";

  const started = await task("arn:aws:states:::states:startExecution", parameters).run({}, { tasks: { Child } });
  assert.equal(started.ExecutionArn, arn);
  assert.ok("StartDate" in started);

  const asText = await task("arn:aws:states:::states:startExecution.sync", parameters).run({}, { tasks: { Child } });
  assert.deepEqual([asText.Status, asText.Input, asText.Output], ["SUCCEEDED", '{"n":4}', '{"doubled":8}']);

  const asJson = await task("arn:aws:states:::states:startExecution.sync:2", parameters).run({}, { tasks: { Child } });
  assert.deepEqual([asJson.Status, asJson.Input, asJson.Output, asJson.Name], ["SUCCEEDED", { n: 4 }, { doubled: 8 }, "kid"]);

  const failing = new StateMachine({ StartAt: "F", States: { F: { Type: "Fail", Error: "Kid.Error", Cause: "fell" } } });
  const failed = await task("arn:aws:states:::states:startExecution.sync:2", parameters).start(
    {},
    { tasks: { Child: () => failing.run() } },
  ).result;
  assert.equal(failed.error, "States.TaskFailed");
  const cause = JSON.parse(failed.cause);
  assert.deepEqual(
    [cause.Error, cause.Cause, cause.Status, cause.ExecutionArn, cause.Input],
    ["Kid.Error", "fell", "FAILED", arn, '{"n":4}'],
  );
});

test("a callback task continues with its token", async () => {
  const machine = task(`${SQS}.waitForTaskToken`, { MessageBody: { "token.$": "$$.Task.Token" } });
  let token;
  const running = machine.start(
    {},
    {
      tasks: {
        "sqs:sendMessage": ({ MessageBody }, task) => ((token = MessageBody.token), assert.equal(task.token, token), { MessageId: "1" }),
      },
    },
  );
  await turn();
  assert.equal(running.status, "RUNNING");
  assert.equal(running.heartbeat(token), true);
  assert.equal(running.succeed(token, { ok: true }), true);
  assert.deepEqual((await running.result).output, { ok: true });
  assert.equal(running.succeed(token, 1), false);
  assert.equal(running.fail(token, {}), false);
  assert.deepEqual(
    running.history().map((event) => event.type),
    [
      "ExecutionStarted",
      "TaskStateEntered",
      "TaskScheduled",
      "TaskStarted",
      "TaskSubmitted",
      "TaskSucceeded",
      "TaskStateExited",
      "ExecutionSucceeded",
    ],
  );
  assert.deepEqual(JSON.parse(running.history()[4].taskSubmittedEventDetails.output), { MessageId: "1" });
});

test("a callback task fails with its token", async () => {
  const running = task(`${SQS}.waitForTaskToken`, { "t.$": "$$.Task.Token" }).start({}, { tasks: { T: () => ({}) } });
  await turn();
  assert.throws(
    () => running.succeed("made up"),
    (error) => error instanceof RangeError && error.code === "UNKNOWN_TOKEN",
  );
  const { t } = JSON.parse(running.history().find((event) => event.type === "TaskScheduled").taskScheduledEventDetails.parameters);
  running.fail(t, { error: "Rejected", cause: "by hand" });
  assert.deepEqual(await running.result, { status: "FAILED", error: "Rejected", cause: "by hand" });
});

test("a callback task fails if its request fails", async () => {
  const running = task(`${SQS}.waitForTaskToken`, {}).start(
    {},
    {
      tasks: {
        T: () => {
          throw new TaskError("SQS.Down", "no queue");
        },
      },
    },
  );
  assert.deepEqual(await running.result, { status: "FAILED", error: "SQS.Down", cause: "no queue" });
});

test("a callback may be answered before its handler returns", async () => {
  const running = task(`${SQS}.waitForTaskToken`, {}).start(
    {},
    { tasks: { T: async (_, task) => (task.execution.succeed(task.token, "early"), { MessageId: "1" }) } },
  );
  assert.equal((await running.result).output, "early");
});

test("a job's handler returns the job's result", async () => {
  const running = task("arn:aws:states:::ecs:runTask.sync", {}).start({}, { tasks: { "ecs:*": async () => ({ exitCode: 0 }) } });
  assert.deepEqual((await running.result).output, { exitCode: 0 });
  assert.ok(running.history().some((event) => event.type === "TaskSubmitted"));
});

test("an activity's handler is its worker", async () => {
  const machine = task("arn:aws:states:us-east-1:123456789012:activity:Approve");
  const running = machine.start(
    { x: 1 },
    { tasks: { Approve: async (input, task) => (assert.equal(typeof task.token, "string"), input) } },
  );
  assert.deepEqual((await running.result).output, { x: 1 });
  assert.deepEqual(
    running
      .history()
      .map((event) => event.type)
      .slice(2, 5),
    ["ActivityScheduled", "ActivityStarted", "ActivitySucceeded"],
  );
});

test("a pattern also matches names of states, functions and activities", async () => {
  const machine = new StateMachine({
    StartAt: "Work 7",
    States: { "Work 7": { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:resize-images", End: true } },
  });
  for (const pattern of ["resize-*", "Work *", "*:function:resize*"])
    assert.equal(await machine.run({}, { tasks: { [pattern]: () => pattern } }), pattern);
});
