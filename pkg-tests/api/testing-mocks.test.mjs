// Mocks: by state, function and resource, for attempts and iterations, and the mock configuration file of Step Functions Local.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  MockError,
  TestKitError,
  eachIteration,
  expectRun,
  iterations,
  loadMockConfig,
  never,
  responds,
  returns,
  testMachine,
  throws,
} from "stepglass/testing";

const FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function:work";
const one = (fields) => testMachine({ StartAt: "T", States: { T: { Type: "Task", Resource: FUNCTION, End: true, ...fields } } });
const retrying = { Retry: [{ ErrorEquals: ["Busy"], MaxAttempts: 5 }] };

test("a mock is named by the state, the function, the Resource, or a pattern", async () => {
  for (const name of ["T", "work", FUNCTION, "*", "arn:aws:lambda:*:work"]) {
    expectRun(await one().run({}, { mocks: { [name]: returns(7) } })).succeeded(7);
  }
  const send = one({ Resource: "arn:aws:states:::sqs:sendMessage", Parameters: { QueueUrl: "q", MessageBody: "b" } });
  for (const name of ["sqs:sendMessage", "sqs:*"])
    expectRun(await send.run({}, { mocks: { [name]: returns({ MessageId: "1" }) } })).succeeded({ MessageId: "1" });
});

test("an array has a result for each call, an object for numbers and ranges of calls", async () => {
  const machine = one(retrying);
  expectRun(await machine.run({}, { mocks: { T: [throws("Busy"), throws("Busy"), returns(1)] } }))
    .succeeded(1)
    .called("T", 3);
  expectRun(await machine.run({}, { mocks: { T: { "0-2": throws("Busy"), 3: returns(2) } } }))
    .succeeded(2)
    .called("T", 4)
    .retried("T", 3, { on: "Busy" });
});

test("a call without a result ends the run with an error that names the call, whatever the machine catches", async () => {
  const caught = testMachine({
    StartAt: "T",
    States: {
      T: { Type: "Task", Resource: FUNCTION, Catch: [{ ErrorEquals: ["States.ALL"], Next: "C" }], ...retrying, End: true },
      C: { Type: "Succeed" },
    },
  });
  await assert.rejects(caught.run({}, { mocks: { T: [throws("Busy")] } }), (error) => {
    assert.ok(error instanceof MockError);
    assert.equal(error.message, 'The mock of "T" has no result for invocation 1 (the 2nd call) of state "T": it has 1 result.');
    assert.deepEqual([error.state, error.resource, error.invocation], ["T", FUNCTION, 1]);
    return true;
  });
  await assert.rejects(
    caught.run({}, { mocks: { T: { "0-1": throws("Busy"), 5: returns(1) } } }),
    /invocation 2 \(the 3rd call\).*results for "5", "0-1"/,
  );
  await assert.rejects(caught.run({}), /No mock and no handler for state "T", which calls arn.*No mocks were given\. Add one/);
});

test("handlers answer tasks without a mock, and mocks take precedence", async () => {
  const tasks = { work: (input) => input.n + 1 };
  const machine = one();
  const real = await machine.run({ n: 1 }, { tasks });
  expectRun(real).succeeded(2);
  assert.equal(real.calls[0].mocked, false);
  expectRun(await machine.run({ n: 1 }, { tasks, mocks: { "*": returns("mock") } })).succeeded("mock");
  const run = await machine.run({ n: 1 }, { mocks: { T: (input, task) => ({ ...input, attempt: task.attempt }) } });
  expectRun(run).succeeded({ n: 1, attempt: 0 });
});

test("mocks of a run take precedence over those of the machine", async () => {
  const machine = testMachine(
    { StartAt: "T", States: { T: { Type: "Task", Resource: FUNCTION, End: true } } },
    { mocks: { T: returns("machine") }, input: { n: 1 } },
  );
  const run = await machine.run();
  expectRun(run).succeeded("machine");
  assert.deepEqual(run.calls[0].input, { n: 1 });
  expectRun(await machine.run({}, { mocks: { work: returns("run") } })).succeeded("run");
});

test("returns() is wrapped by lambda:invoke, and responds() is the whole response", async () => {
  const machine = one({ Resource: "arn:aws:states:::lambda:invoke", Parameters: { FunctionName: "work", Payload: { a: 1 } } });
  const wrapped = await machine.run({}, { mocks: { work: returns({ ok: true }) } });
  expectRun(wrapped)
    .outputMatches({ Payload: { ok: true }, StatusCode: 200 })
    .calledWith("work", { a: 1 });
  expectRun(await machine.run({}, { mocks: { T: responds({ Payload: 1 }) } })).succeeded({ Payload: 1 });
});

test("iterations can share results, or have their own, counted in each", async () => {
  const map = testMachine({
    StartAt: "M",
    States: {
      M: {
        Type: "Map",
        ItemProcessor: { StartAt: "T", States: { T: { Type: "Task", Resource: FUNCTION, ...retrying, End: true } } },
        End: true,
      },
    },
  });
  const each = await map.run([1, 2, 3], { mocks: { T: eachIteration([throws("Busy"), returns("ok")]) } });
  expectRun(each).succeeded(["ok", "ok", "ok"]).called("T", 6).retried("T", 3);
  assert.deepEqual(
    each.retries.map((retry) => retry.iterations),
    [[0], [1], [2]],
  );
  const some = await map.run([1, 2, 3, 4], {
    mocks: { T: iterations({ 1: [throws("Busy"), returns("late")], "2-3": returns("end"), "*": returns("first") }) },
  });
  expectRun(some).succeeded(["first", "late", "end", "end"]).retried("T", 1);
  await assert.rejects(map.run([1, 2], { mocks: { T: iterations([returns(1)]) } }), /no result for invocation .* in iteration 1/);
  // A list counts the calls of the whole execution.
  expectRun(await map.run([1, 2], { mocks: { T: [returns("a"), returns("b")] } })).succeeded(["a", "b"]);
  await assert.rejects(one().run({}, { mocks: { T: eachIteration(returns(1)) } }), /the state "T" is not in a Map/);
});

test("results can be delayed or missing, in the run's own time", async () => {
  const machine = one({ TimeoutSeconds: 60 });
  expectRun(await machine.run({}, { mocks: { T: returns(1).after("59 s") } }))
    .succeeded(1)
    .lasted("59 s");
  expectRun(await machine.run({}, { mocks: { T: returns(1).after("2h") } }))
    .failedWith("States.Timeout")
    .lasted("60 s");
  expectRun(await machine.run({}, { mocks: { T: never() } })).failedWith("States.Timeout");
  expectRun(await one().run({}, { mocks: { T: never() } })).waitsForEver("T");
});

test("task tokens, jobs and activities can be mocked", async () => {
  const token = one({
    Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
    Parameters: { QueueUrl: "q", "MessageBody.$": "$$.Task.Token" },
    HeartbeatSeconds: 60,
  });
  expectRun(await token.run({}, { mocks: { T: returns({ approved: true }) } })).succeeded({ approved: true });
  expectRun(await token.run({}, { mocks: { T: returns(1).after("30 s") } }))
    .succeeded(1)
    .lasted("30 s");
  expectRun(await token.run({}, { mocks: { T: throws("Refused", "no") } })).failedWith("Refused", "no");
  expectRun(await token.run({}, { mocks: { T: never() } })).failedWith(/States\.(Heartbeat)?Timeout/);
  const job = one({ Resource: "arn:aws:states:::glue:startJobRun.sync", Parameters: { JobName: "j" } });
  expectRun(await job.run({}, { mocks: { T: returns({ JobRunState: "SUCCEEDED" }) } })).succeeded({ JobRunState: "SUCCEEDED" });
  const activity = one({ Resource: "arn:aws:states:us-east-1:123456789012:activity:review" });
  expectRun(await activity.run({}, { mocks: { review: returns("ok") } })).succeeded("ok");
});

test("a token that is answered from outside is awaited", async () => {
  const machine = one({
    Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
    Parameters: { QueueUrl: "q", "MessageBody.$": "$$.Task.Token" },
  });
  const mocks = { T: (_, task) => void setTimeout(() => task.execution.succeed(task.token, "later"), 20) };
  expectRun(await machine.run({}, { mocks })).succeeded("later");
  expectRun(await machine.run({}, { mocks: { T: () => ({}) }, idleTimeout: 10 })).waitsForEver("T");
});

test("invalid mocks are refused before anything runs", async () => {
  for (const [mock, message] of [
    [{ amount: 1 }, /the mock of T must be a result such as returns\(\{"amount":1\}\)/],
    [7, /must be a result such as returns\(7\)/],
    [[returns(1), "x"], /the mock of T\[1\] must be a result such as returns\("x"\)/],
    [{ "3-1": returns(1) }, /the mock of T must be/],
    [{ Throw: { Cause: "c" } }, /Throw must have an Error/],
    [iterations({ a: returns(1) }), /an iteration must be "0", "1-3" or "\*", not "a"/],
  ]) {
    await assert.rejects(
      one().run({}, { mocks: { T: mock } }),
      (error) => error instanceof TestKitError && message.test(error.message),
      String(message),
    );
  }
  await assert.rejects(
    one().run({}, { mocks: { T: returns(1), Typo: returns(1) } }),
    /the mock of "Typo" matches nothing in the definition; its tasks are T/,
  );
  // If a function's name is computed, it is known only during the run; mocks of the machine may be for other functions.
  const computed = one({ Resource: "arn:aws:states:::lambda:invoke", Parameters: { "FunctionName.$": "$.f" } });
  expectRun(await computed.run({ f: "work" }, { mocks: { work: returns(1), other: returns(2) } }))
    .called("work", 1)
    .neverCalled("other");
  const shared = testMachine(
    { StartAt: "T", States: { T: { Type: "Task", Resource: FUNCTION, End: true } } },
    { mocks: { T: returns(1), Other: returns(2) } },
  );
  expectRun(await shared.run()).succeeded(1);
  for (const duration of ["soon", 90, "90", NaN, -1, null])
    assert.throws(() => returns(1).after(duration), /after\(\) takes a duration with its unit, such as "90 s" or "1h 30m", not /);
  await assert.rejects(one().run({}, { mock: {} }), /run\(\) has no option "mock"; it has mocks/);
});

// --------------------------------------------------------------------------------- Step Functions Local

/** The state machine and the mock configuration of AWS's documentation, with its structure: two Tasks, three test cases. */
const lambdaSqs = {
  StartAt: "LambdaState",
  States: {
    LambdaState: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Parameters: { "Payload.$": "$", FunctionName: "HelloWorldFunction" },
      Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 2, MaxAttempts: 3, BackoffRate: 2 }],
      Next: "SQSState",
    },
    SQSState: {
      Type: "Task",
      Resource: "arn:aws:states:::sqs:sendMessage",
      Parameters: { QueueUrl: "https://sqs.example/queue", "MessageBody.$": "$" },
      End: true,
    },
  },
};
const hello = { StatusCode: 200, Payload: { StatusCode: 200, body: "Hello" } };
const sent = { MessageId: "m-1", MD5OfMessageBody: "md5" };
const mockFile = {
  StateMachines: {
    LambdaSQSIntegration: {
      TestCases: {
        HappyPath: { LambdaState: "LambdaSuccess", SQSState: "SQSSuccess" },
        RetryPath: { LambdaState: "LambdaRetry", SQSState: "SQSSuccess" },
        HybridPath: { LambdaState: "LambdaSuccess" },
      },
    },
  },
  MockedResponses: {
    LambdaSuccess: { 0: { Return: hello } },
    SQSSuccess: { 0: { Return: sent } },
    LambdaRetry: {
      0: { Throw: { Error: "Lambda.ResourceNotReadyException", Cause: "Lambda resource is not ready." } },
      "1-2": { Throw: { Error: "Lambda.TimeoutException", Cause: "Lambda timed out." } },
      3: { Return: hello },
    },
  },
};

test("the test cases of AWS's documentation run as documented", async () => {
  const machine = testMachine(lambdaSqs, { name: "LambdaSQSIntegration", mockConfig: mockFile });
  assert.deepEqual(machine.testCases, ["HappyPath", "RetryPath", "HybridPath"]);

  // Every result is mocked.
  expectRun(await machine.test("HappyPath", { a: 1 }))
    .succeeded(sent)
    .called("LambdaState", 1)
    .calledWith("SQSState", { MessageBody: hello });

  // One error of its own, two more, then success: three retries with their back-off.
  const retried = await machine.test("RetryPath");
  expectRun(retried)
    .succeeded(sent)
    .called("LambdaState", 4)
    .retried("LambdaState", 3)
    .waited("LambdaState", "2 s")
    .waited("LambdaState", "4 s")
    .waited("LambdaState", "8 s");
  assert.deepEqual(
    retried.retries.map(({ error }) => error),
    ["Lambda.ResourceNotReadyException", "Lambda.TimeoutException", "Lambda.TimeoutException"],
  );

  // The second state is not mocked, so its handler is called.
  const tasks = { "sqs:sendMessage": (input) => ({ MessageId: "real", body: input.MessageBody.Payload.body }) };
  const hybrid = await machine.test("HybridPath", {}, { tasks });
  expectRun(hybrid).succeeded({ MessageId: "real", body: "Hello" });
  assert.deepEqual(
    hybrid.calls.map(({ state, mocked }) => [state, mocked]),
    [
      ["LambdaState", true],
      ["SQSState", false],
    ],
  );
  await assert.rejects(
    machine.test("HybridPath"),
    /No mock and no handler for state "SQSState", which calls arn:aws:states:::sqs:sendMessage/,
  );
});

test("the file can be read by path and by URL; the file name of the definition selects the machine", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-mocks-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [config, definition] = [join(folder, "MockConfigFile.json"), join(folder, "LambdaSQSIntegration.asl.json")];
  writeFileSync(config, JSON.stringify({ ...mockFile, StateMachines: { Other: { TestCases: {} }, ...mockFile.StateMachines } }));
  writeFileSync(definition, JSON.stringify(lambdaSqs));
  for (const [a, b] of [
    [definition, config],
    [pathToFileURL(definition), pathToFileURL(config)],
  ]) {
    expectRun(await testMachine(a, { mockConfig: b }).test("HappyPath")).succeeded();
  }
  assert.deepEqual(loadMockConfig(config).stateMachines, ["Other", "LambdaSQSIntegration"]);
  assert.deepEqual(loadMockConfig(config).testCases("LambdaSQSIntegration"), ["HappyPath", "RetryPath", "HybridPath"]);
  writeFileSync(config, "{");
  assert.throws(() => loadMockConfig(config), /MockConfigFile\.json is not JSON/);
  assert.throws(() => loadMockConfig(join(folder, "none.json")), /cannot read .*none\.json: no such file/);
});

test("numbers count the calls of a state in the execution, also in Map iterations", async () => {
  const map = {
    StartAt: "M",
    States: {
      M: {
        Type: "Map",
        MaxConcurrency: 1,
        ItemProcessor: {
          StartAt: "Call",
          States: {
            Call: {
              Type: "Task",
              Resource: "arn:aws:states:::lambda:invoke",
              Parameters: { FunctionName: "f" },
              ResultSelector: { "p.$": "$.Payload" },
              Retry: [{ ErrorEquals: ["Boom"] }],
              End: true,
            },
          },
        },
        End: true,
      },
    },
  };
  const config = {
    StateMachines: { M: { TestCases: { C: { Call: "Seq" } } } },
    MockedResponses: { Seq: { 0: { Throw: { Error: "Boom" } }, 1: { Return: { Payload: "one" } }, 2: { Return: { Payload: "two" } } } },
  };
  expectRun(await testMachine(map, { mockConfig: config }).test("C", [1, 2])).succeeded([{ p: "one" }, { p: "two" }]);
});

test("unknown members of a mock configuration are ignored with a warning", async () => {
  const config = structuredClone(mockFile);
  config.Assert = { HappyPath: "SUCCEEDED" };
  config.StateMachines.LambdaSQSIntegration.Assert = {};
  for (const response of Object.values(config.MockedResponses)) for (const result of Object.values(response)) result.Assert = true;
  const { warnings } = loadMockConfig(config);
  assert.deepEqual(warnings.slice(-2), [
    'the mock configuration: MockedResponses/LambdaRetry/1-2/"Assert" is passed over; the members here are Return and Throw',
    'the mock configuration: StateMachines/LambdaSQSIntegration/"Assert" is passed over; the members here are TestCases',
  ]);
  assert.equal(warnings[0], 'the mock configuration: "Assert" is passed over; the members here are StateMachines and MockedResponses');
  const machine = testMachine(lambdaSqs, { mockConfig: loadMockConfig(config) });
  expectRun(await machine.test("RetryPath"))
    .succeeded()
    .retried("LambdaState", 3);
});

test("an invalid mock configuration is reported with the position", async () => {
  const good = () => structuredClone(mockFile);
  for (const [change, message] of [
    [(c) => delete c.StateMachines, /StateMachines must be an object/],
    [(c) => (c.StateMachines.LambdaSQSIntegration = {}), /StateMachines\/LambdaSQSIntegration must have an object called TestCases/],
    [
      (c) => (c.StateMachines.LambdaSQSIntegration.TestCases.HappyPath.SQSState = "Typo"),
      /TestCases\/HappyPath\/SQSState: there is no mocked response "Typo"; there are LambdaSuccess/,
    ],
    [
      (c) => (c.MockedResponses.SQSSuccess = { "0-": { Return: 1 } }),
      /MockedResponses\/SQSSuccess: "0-" is not the number of an invocation/,
    ],
    [
      (c) => (c.MockedResponses.SQSSuccess = { 0: { Return: 1, Throw: { Error: "E" } } }),
      /MockedResponses\/SQSSuccess\/0 must have either Return or Throw/,
    ],
    [(c) => (c.MockedResponses.SQSSuccess = { 0: { Throw: {} } }), /SQSSuccess\/0\/Throw must have an Error/],
  ]) {
    const config = good();
    change(config);
    assert.throws(() => loadMockConfig(config), message);
  }
  const machine = testMachine(lambdaSqs, { mockConfig: mockFile });
  await assert.rejects(machine.test("SadPath"), /has no test case "SadPath"; there are HappyPath, RetryPath, HybridPath/);
  await assert.rejects(testMachine(lambdaSqs).test("HappyPath"), /test\(\) needs a mock configuration/);
});
