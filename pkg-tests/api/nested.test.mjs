// Machines that start machines: responses, time, names, and what ends together.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine, simulate } from "stepglass";
import { turn, watchRejections } from "./machines.mjs";

watchRejections();

const ARN = "arn:aws:states:eu-west-1:111122223333:stateMachine:Child";
const EXECUTION = "arn:aws:states:eu-west-1:111122223333:execution:Child:first";
const START = Date.UTC(2025, 0, 1);

/** A machine whose one state "S" starts the child. */
function parent(resource, parameters = {}, fields = {}) {
  const Parameters = { StateMachineArn: ARN, Name: "first", ...("Input" in parameters ? {} : { "Input.$": "$" }), ...parameters };
  return new StateMachine(
    { StartAt: "S", States: { S: { Type: "Task", Resource: `arn:aws:states:::${resource}`, Parameters, End: true, ...fields } } },
    { name: "Parent" },
  );
}

const machine = (states, options) => new StateMachine({ StartAt: Object.keys(states)[0], States: states }, options);
const minute = machine(
  { W: { Type: "Wait", Seconds: 60, Next: "P" }, P: { Type: "Pass", Result: { done: true }, End: true } },
  { name: "Child" },
);
const broken = machine({ F: { Type: "Fail", Error: "Broken", Cause: "quite" } }, { name: "Child" });
const forever = machine({ W: { Type: "Wait", Seconds: 99999, End: true } }, { name: "Child" });
const virtual = { clock: "virtual", startTime: START, seed: 1 };

const DESCRIPTION = {
  ExecutionArn: EXECUTION,
  Input: '{"n":1}',
  InputDetails: { Included: true },
  Name: "first",
  Output: '{"done":true}',
  OutputDetails: { Included: true },
  RedriveCount: 0,
  RedriveStatus: "NOT_REDRIVABLE",
  RedriveStatusReason: "Execution is SUCCEEDED and cannot be redriven",
  StartDate: START,
  StateMachineArn: ARN,
  Status: "SUCCEEDED",
  StopDate: START + 60_000,
};

test(".sync returns the child's description with texts, .sync:2 with JSON; the child's wait takes virtual time of both", async () => {
  for (const [resource, expected] of [
    ["states:startExecution.sync", DESCRIPTION],
    ["states:startExecution.sync:2", { ...DESCRIPTION, Input: { n: 1 }, Output: { done: true } }],
  ]) {
    const execution = parent(resource).start({ n: 1 }, { ...virtual, machines: [minute] });
    const { output } = await execution.result;
    assert.equal(JSON.stringify(output), JSON.stringify(expected));
    const types = execution.history().map(({ type }) => type);
    assert.deepEqual(types.slice(2, 6), ["TaskScheduled", "TaskStarted", "TaskSubmitted", "TaskSucceeded"]);
    assert.equal(Date.parse(execution.history().at(-1).timestamp), START + 60_000);
  }
});

test("without .sync the parent continues at once, and the child runs on the same timeline", async () => {
  for (const [resource, response] of [
    ["states:startExecution", { ExecutionArn: EXECUTION, StartDate: START }],
    ["aws-sdk:sfn:startExecution", { ExecutionArn: EXECUTION, StartDate: "2025-01-01T00:00:00.000Z" }],
  ]) {
    const children = [];
    const output = await parent(resource).run(
      { n: 1 },
      { ...virtual, machines: [minute], onNested: (child, by) => children.push([child, by.name]) },
    );
    const { SdkHttpMetadata, SdkResponseMetadata, ...rest } = output;
    assert.deepEqual(rest, response);
    assert.equal(children.length, 1);
    const [child] = children[0];
    assert.deepEqual([child.name, child.arn, children[0][1]], ["first", EXECUTION, "seed-1"]);
    assert.deepEqual(await child.result, { status: "SUCCEEDED", output: { done: true } });
    assert.equal(Date.parse(child.history().at(-1).timestamp), START + 60_000);
  }
});

test("parent and child alternate in the order of their deadlines", async () => {
  const seen = [];
  const tick = (name, seconds) => ({
    [`${name}W`]: { Type: "Wait", Seconds: seconds, Next: `${name}T` },
    [`${name}T`]: { Type: "Task", Resource: "note", Next: `${name}W2` },
    [`${name}W2`]: { Type: "Wait", Seconds: seconds, Next: `${name}T2` },
    [`${name}T2`]: { Type: "Task", Resource: "note", End: true },
  });
  const child = machine(tick("c", 3), { name: "Child" });
  const main = machine({
    S: { Type: "Task", Resource: "arn:aws:states:::states:startExecution", Parameters: { StateMachineArn: "Child" }, Next: "pW" },
    ...tick("p", 2),
  });
  let ended;
  await main.run(
    {},
    {
      ...virtual,
      machines: { Child: child },
      tasks: { note: (_, { stateName }) => void seen.push(stateName) },
      onNested: (nested) => (ended = nested.result),
    },
  );
  await ended;
  assert.deepEqual(seen, ["pT", "cT", "pT2", "cT2"]);
});

test("the clock stands still while a handler of any execution works", async () => {
  const child = machine({ T: { Type: "Task", Resource: "slow", End: true } }, { name: "Child" });
  const slow = () => new Promise((resolve) => setTimeout(resolve, 20, "done"));
  const output = await parent("states:startExecution.sync:2", {}, { TimeoutSeconds: 5 }).run(
    {},
    { ...virtual, machines: [child], tasks: { slow } },
  );
  assert.equal(output.Output, "done");
});

test("however the child fails, the error is States.TaskFailed and the cause its description", async () => {
  const late = new StateMachine(
    { StartAt: "W", TimeoutSeconds: 5, States: { W: { Type: "Wait", Seconds: 9, End: true } } },
    { name: "Child" },
  );
  for (const [child, stop, expected] of [
    [broken, undefined, { Cause: "quite", Error: "Broken", Status: "FAILED", StopDate: START }],
    [late, undefined, { Status: "TIMED_OUT", StopDate: START + 5000 }],
    [forever, (nested) => nested.abort("Enough", "by hand"), { Cause: "by hand", Error: "Enough", Status: "ABORTED", StopDate: START }],
  ]) {
    const result = await parent("states:startExecution.sync:2").start({ n: 1 }, { ...virtual, machines: [child], onNested: stop }).result;
    const { Cause, Error, Status, StopDate } = expected;
    const cause = {
      Cause,
      Error,
      ExecutionArn: EXECUTION,
      Input: '{"n":1}',
      InputDetails: { Included: true },
      Name: "first",
      RedriveCount: 0,
      RedriveStatus: "REDRIVABLE",
      StartDate: START,
      StateMachineArn: ARN,
      Status,
      StopDate,
    };
    assert.deepEqual(result, { status: "FAILED", error: "States.TaskFailed", cause: JSON.stringify(cause) });
  }
});

test("a child is stopped when its parent no longer waits for it", async () => {
  const cause = (arn) => `The Task state in AWS Step Functions execution [${arn}] which was managing this resource was aborted`;
  const failing = { StartAt: "F", States: { F: { Type: "Wait", Seconds: 1, Next: "G" }, G: { Type: "Fail", Error: "X" } } };
  const sync = { Type: "Task", Resource: "arn:aws:states:::states:startExecution.sync", Parameters: { StateMachineArn: ARN }, End: true };
  for (const [main, status, stop] of [
    [parent("states:startExecution.sync"), "ABORTED", (_, by) => setImmediate(() => by.abort())],
    [parent("states:startExecution.sync", {}, { TimeoutSeconds: 5 }), "FAILED", () => {}],
    [machine({ P: { Type: "Parallel", Branches: [failing, { StartAt: "S", States: { S: sync } }], End: true } }), "FAILED", () => {}],
  ]) {
    let child;
    const execution = main.start(
      {},
      {
        ...virtual,
        clock: stop.length > 0 ? "real" : "virtual",
        machines: [forever],
        onNested: (nested, by) => ((child = nested), stop(nested, by)),
      },
    );
    assert.equal((await execution.result).status, status);
    assert.deepEqual(await child.result, { status: "ABORTED", cause: cause(execution.arn) });
  }
});

test("startSyncExecution runs an Express machine and returns its outcome", async () => {
  const express = machine({ P: { Type: "Pass", End: true } }, { name: "Child", type: "EXPRESS" });
  const output = await parent("aws-sdk:sfn:startSyncExecution").run({ n: 1 }, { ...virtual, machines: [express] });
  assert.match(output.ExecutionArn, /^arn:aws:states:eu-west-1:111122223333:express:Child:first:[0-9a-f-]{36}$/);
  assert.deepEqual(
    [output.Status, output.Input, output.Output, output.StartDate],
    ["SUCCEEDED", '{"n":1}', '{"n":1}', "2025-01-01T00:00:00.000Z"],
  );
  const bad = machine({ F: { Type: "Fail", Error: "Broken" } }, { name: "Child", type: "EXPRESS" });
  const failed = await parent("aws-sdk:sfn:startSyncExecution").run({}, { ...virtual, machines: [bad] });
  assert.deepEqual([failed.Status, failed.Error, failed.Output], ["FAILED", "Broken", undefined]);
  const standard = await parent("aws-sdk:sfn:startSyncExecution").start({}, { machines: [minute] }).result;
  assert.equal(standard.error, "Sfn.StateMachineTypeNotSupportedException");
});

test("a child can answer its parent's task token", async () => {
  const send = (api, fields, token = "$.token") =>
    machine(
      { S: { Type: "Task", Resource: `arn:aws:states:::aws-sdk:sfn:${api}`, Parameters: { "TaskToken.$": token, ...fields }, End: true } },
      { name: "Child" },
    );
  const children = [];
  const wait = (child) =>
    parent("states:startExecution.waitForTaskToken", { Input: { "token.$": "$$.Task.Token", wrong: "made up" } }).start(
      {},
      { ...virtual, machines: [child], onNested: (nested) => children.push(nested) },
    );
  const good = wait(send("sendTaskSuccess", { Output: '{"answer":42}' }));
  assert.deepEqual(await good.result, { status: "SUCCEEDED", output: { answer: 42 } });
  assert.deepEqual(
    good
      .history()
      .map(({ type }) => type)
      .slice(4, 6),
    ["TaskSubmitted", "TaskSucceeded"],
  );
  const bad = wait(send("sendTaskFailure", { Error: "No", Cause: "never" }));
  assert.deepEqual(await bad.result, { status: "FAILED", error: "No", cause: "never" });
  const lost = wait(send("sendTaskSuccess", { Output: "1" }, "$.wrong"));
  await turn();
  assert.equal((await children[2].result).error, "Sfn.InvalidTokenException");
  assert.equal(lost.status, "RUNNING");
  lost.abort();
});

test("a name can be used once; a second start with the same input returns the running execution", async () => {
  const start = (Input, Next) => ({
    Type: "Task",
    Resource: "arn:aws:states:::states:startExecution",
    Parameters: { StateMachineArn: ARN, Name: "first", Input },
    ...(Next ? { Next } : { End: true }),
  });
  let started = 0;
  const same = machine({ A: start({ n: 1 }, "B"), B: start({ n: 1 }) });
  assert.equal((await same.run({}, { ...virtual, machines: [minute], onNested: () => started++ })).ExecutionArn, EXECUTION);
  assert.equal(started, 1);
  const other = machine({ A: start({ n: 1 }, "B"), B: start({ n: 2 }) });
  const { error, cause } = await other.start({}, { ...virtual, machines: [minute] }).result;
  assert.equal(error, "StepFunctions.ExecutionAlreadyExistsException");
  assert.match(cause, new RegExp(`^Execution Already Exists: '${EXECUTION}'`));
});

test("handlers of the same name take precedence; wildcards and functions answer for machines that are not registered", async () => {
  const main = parent("states:startExecution.sync:2");
  for (const [tasks, machines, expected] of [
    [{ "states:startExecution": () => "mine" }, [broken], "mine"],
    [{ Child: () => "mine" }, [broken], "mine"],
    [{ S: () => "mine" }, [broken], "mine"],
    [{ "states:*": () => "mine" }, [minute], { done: true }],
    [() => "mine", [minute], { done: true }],
    [{ "states:*": () => "mine" }, [], "mine"],
    [() => "mine", {}, "mine"],
  ]) {
    assert.deepEqual((await main.run({}, { ...virtual, tasks, machines })).Output, expected);
  }
});

test("a machine is found by name, by ARN, with a version or alias; an unregistered machine does not exist", async () => {
  for (const [machines, given] of [
    [[minute], ARN],
    [{ Child: minute }, `${ARN}:7`],
    [new Map([[ARN, minute]]), `${ARN}:PROD`],
    [
      new Map([
        [`${ARN}:PROD`, minute],
        [ARN, broken],
      ]),
      `${ARN}:PROD`,
    ],
    [[machine({ P: { Type: "Pass", Result: { done: true }, End: true } }, { arn: ARN })], ARN],
    [{ Child: minute }, "Child"],
  ]) {
    const output = await parent("states:startExecution.sync:2", { StateMachineArn: given }).run({}, { ...virtual, machines });
    assert.deepEqual(output.Output, { done: true }, given);
  }
  const { error, cause } = await parent("states:startExecution").start({}, { machines: [] }).result;
  assert.equal(error, "StepFunctions.StateMachineDoesNotExistException");
  assert.match(
    cause,
    /^State Machine Does Not Exist: 'arn:aws:states:eu-west-1:111122223333:stateMachine:Child' \(Service: AWSStepFunctions; Status Code: 400; Error Code: StateMachineDoesNotExist; /,
  );
  assert.throws(() => minute.start({}, { machines: [{}] }), { code: "INVALID_OPTION" });
  assert.throws(() => minute.start({}, { machines: 1 }), { code: "INVALID_OPTION" });
});

test("machines can start themselves, and equal seeds give equal children", async () => {
  const down = machine(
    {
      C: { Type: "Choice", Choices: [{ Variable: "$.n", NumericEquals: 0, Next: "End" }], Default: "Less" },
      Less: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, -1)" }, Next: "S" },
      S: {
        Type: "Task",
        Resource: "arn:aws:states:::states:startExecution.sync:2",
        Parameters: { StateMachineArn: "Down", "Input.$": "$" },
        End: true,
      },
      End: { Type: "Succeed" },
    },
    { name: "Down" },
  );
  const names = [];
  for (const seed of [5, 5, 6]) {
    const run = [];
    let output = await down.run(
      { n: 4 },
      { clock: "virtual", seed, startTime: START, machines: [down], onNested: (child) => run.push(child.name) },
    );
    for (let i = 0; i < 4; i++) output = output.Output;
    assert.deepEqual(output, { n: 0 });
    names.push(run.join());
    assert.equal(new Set(run).size, 4);
  }
  assert.equal(names[0], names[1]);
  assert.notEqual(names[0], names[2]);
});

test("a snapshot of the parent contains the child, and both continue", async () => {
  const child = machine(
    { A: { Type: "Task", Resource: "once", Next: "B" }, B: { Type: "Task", Resource: "later", End: true } },
    { name: "Child" },
  );
  const main = parent("states:startExecution.sync:2");
  let calls = 0;
  const first = main.start({}, { machines: [child], tasks: { once: () => ++calls, later: () => new Promise(() => {}) } });
  await turn();
  const snapshot = JSON.parse(JSON.stringify(first.snapshot()));
  first.abort();
  const second = main.restore(snapshot, { machines: [child], tasks: { once: () => ++calls, later: (input) => input + 100 } });
  const { output } = await second.result;
  assert.deepEqual([output.Output, output.ExecutionArn, calls], [101, EXECUTION, 1]);
  assert.deepEqual(second.history().filter(({ type }) => type === "TaskSubmitted").length, 1);
});

test("no memory is left in use after a thousand children have ended", async () => {
  const map = machine({
    M: {
      Type: "Map",
      ItemProcessor: {
        StartAt: "S",
        States: {
          S: {
            Type: "Task",
            Resource: "arn:aws:states:::states:startExecution.sync:2",
            Parameters: { StateMachineArn: "Child", "Input.$": "$" },
            OutputPath: "$.Output",
            End: true,
          },
        },
      },
      End: true,
    },
  });
  const double = machine(
    { P: { Type: "Wait", Seconds: 3, Next: "Q" }, Q: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($, $)" }, End: true } },
    { name: "Child" },
  );
  const items = Array.from({ length: 1000 }, (_, i) => i);
  const output = await map.run(items, { ...virtual, machines: [double] });
  assert.deepEqual(
    output,
    items.map((n) => ({ n: n + n })),
  );
});

test("a task describes and stops executions that belong to the same run", async () => {
  const ask = (api, more = {}) => ({
    Type: "Task",
    Resource: `arn:aws:states:::aws-sdk:sfn:${api}`,
    Parameters: { "ExecutionArn.$": "$.ExecutionArn", ...more },
  });
  const start = {
    Type: "Task",
    Resource: "arn:aws:states:::aws-sdk:sfn:startExecution",
    Parameters: { StateMachineArn: ARN, Name: "first", Input: '{"n":1}' },
    ResultSelector: { "ExecutionArn.$": "$.ExecutionArn" },
  };
  const into = (name) => ({ ResultPath: `$.${name}` });
  const boss = machine(
    {
      Start: { ...start, Next: "Before" },
      Before: { ...ask("describeExecution"), ...into("before"), Next: "Wait" },
      Wait: { Type: "Wait", Seconds: 5, Next: "Stop" },
      Stop: { ...ask("stopExecution", { Error: "Enough", Cause: "of it" }), ...into("stop"), Next: "After" },
      After: { ...ask("describeExecution"), ...into("after"), Next: "Again" },
      Again: { ...ask("stopExecution"), ...into("again"), Next: "Own" },
      Own: { ...ask("describeExecution", { "ExecutionArn.$": "$$.Execution.Id" }), ...into("own"), End: true },
    },
    { name: "Boss" },
  );
  const running = {
    ExecutionArn: EXECUTION,
    Input: '{"n":1}',
    InputDetails: { Included: true },
    Name: "first",
    RedriveCount: 0,
    RedriveStatus: "NOT_REDRIVABLE",
    RedriveStatusReason: "Execution is RUNNING and cannot be redriven",
    StartDate: "2025-01-01T00:00:00.000Z",
    StateMachineArn: ARN,
    Status: "RUNNING",
  };
  const { RedriveStatusReason, ...ended } = running;
  const stopped = "2025-01-01T00:00:05.000Z";
  const check = (output) => {
    assert.deepEqual(output.before, running);
    assert.deepEqual([output.stop, output.again], [{ StopDate: stopped }, { StopDate: stopped }]);
    assert.deepEqual(output.after, {
      ...ended,
      Cause: "of it",
      Error: "Enough",
      RedriveStatus: "REDRIVABLE",
      Status: "ABORTED",
      StopDate: stopped,
    });
    assert.equal(output.own.Status, "RUNNING");
    assert.equal(output.own.Input, '{"mine":true}');
  };
  check(await boss.run({ mine: true }, { ...virtual, machines: { [ARN]: forever } }));
  const report = simulate(boss, { mine: true }, {}, { machines: { [ARN]: forever } });
  check(report.output);
  assert.deepEqual(
    report.nested.map(({ arn, status, error, duration }) => [arn, status, error, duration]),
    [[EXECUTION, "ABORTED", "Enough", 5000]],
  );
});

test("a request that the service refuses is refused", async () => {
  const describe = (arn) =>
    machine({
      D: { Type: "Task", Resource: "arn:aws:states:::aws-sdk:sfn:describeExecution", Parameters: { ExecutionArn: arn }, End: true },
    });
  for (const [arn, error, cause] of [
    [EXECUTION, "Sfn.ExecutionDoesNotExistException", `Execution Does Not Exist: '${EXECUTION}' (Service: Sfn`],
    ["first", "Sfn.InvalidArnException", "Invalid Arn: 'Invalid ARN prefix: first' (Service: Sfn"],
    [
      EXECUTION.replace(":execution:", ":express:"),
      "Sfn.InvalidArnException",
      "Invalid Arn: 'Resource type not valid in this context: express' (Service: Sfn",
    ],
  ]) {
    const result = await describe(arn).start({}, { ...virtual, machines: [minute] }).result;
    assert.equal(result.error, error);
    assert.ok(result.cause.startsWith(cause), result.cause);
  }
});

test("a simulation runs registered machines on its timeline", () => {
  const machines = { [ARN]: minute };
  const report = simulate(parent("states:startExecution.sync:2"), { n: 1 }, {}, { machines, startTime: START });
  assert.equal(JSON.stringify(report.output), JSON.stringify({ ...DESCRIPTION, Input: { n: 1 }, Output: { done: true } }));
  assert.equal(report.duration, 60_000);
  assert.deepEqual(report.history.map(({ type }) => type).slice(2, 6), ["TaskScheduled", "TaskStarted", "TaskSubmitted", "TaskSucceeded"]);
  const [child] = report.nested;
  assert.deepEqual(
    [child.name, child.arn, child.status, child.duration, child.history.at(-1).type],
    ["first", EXECUTION, "SUCCEEDED", 60_000, "ExecutionSucceeded"],
  );
  // Equal arguments give equal reports.
  assert.deepEqual(simulate(parent("states:startExecution.sync:2"), { n: 1 }, {}, { machines, startTime: START }), report);
  // A child that fails, one that is stopped, and one that outlives its parent.
  assert.equal(simulate(parent("states:startExecution.sync"), {}, {}, { machines: { [ARN]: broken } }).error, "States.TaskFailed");
  const late = simulate(parent("states:startExecution.sync", {}, { TimeoutSeconds: 9 }), {}, {}, { machines: { [ARN]: forever } });
  assert.deepEqual([late.error, late.nested[0].status, late.nested[0].duration], ["States.Timeout", "ABORTED", 9000]);
  const alone = simulate(parent("states:startExecution"), {}, {}, { machines });
  assert.deepEqual([alone.status, alone.nested[0].status], ["SUCCEEDED", "RUNNING"]);
  // The children use the same script.
  const works = machine(
    { T: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Work", End: true } },
    { name: "Child" },
  );
  const worked = simulate(
    parent("states:startExecution.sync:2"),
    { n: 1 },
    { Work: { output: "worked", after: 70 } },
    { machines: { [ARN]: works } },
  );
  assert.deepEqual([worked.output.Output, worked.duration, worked.nested[0].calls.length], ["worked", 70, 1]);
});

test("a child with a name or an input that StartExecution refuses is refused", async () => {
  for (const [Name, error, cause] of [
    ["two words", "StepFunctions.InvalidNameException", "Invalid Name: 'two words'"],
    ["n".repeat(81), "StepFunctions.ValidationException", "1 validation error detected: Value 'nnn"],
  ]) {
    const result = await parent("states:startExecution.sync", { Name }).start({}, { ...virtual, machines: [minute] }).result;
    assert.equal(result.error, error);
    assert.ok(result.cause.startsWith(cause), result.cause);
  }
});
