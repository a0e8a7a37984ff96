// Executions from a script of results, without waiting.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine, simulate, testState } from "stepglass";
import { LAMBDA, lambda, task } from "./machines.mjs";

const retrying = lambda({ Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 2, MaxAttempts: 5, BackoffRate: 2 }] });

test("a script has one result for each call", () => {
  const script = { Add: [{ error: "Busy" }, { error: "Busy", cause: "still", after: 500 }, { output: 3, after: 250 }] };
  const report = simulate(retrying, { x: 1 }, script);
  assert.deepEqual([report.status, report.output], ["SUCCEEDED", 3]);
  assert.equal(report.duration, 2000 + 500 + 4000 + 250);
  assert.deepEqual(
    report.calls.map(({ attempt, at }) => [attempt, at - report.startTime]),
    [
      [0, 0],
      [1, 2000],
      [2, 6500],
    ],
  );
  assert.deepEqual(report.calls[0].input, { x: 1 });
});

test("equal arguments give equal results", () => {
  const machine = new StateMachine({
    StartAt: "U",
    States: { U: { Type: "Pass", Parameters: { "id.$": "States.UUID()" }, Next: "T" }, T: { Type: "Task", Resource: LAMBDA, End: true } },
  });
  const run = () => simulate(machine, {}, { Add: { output: 1, after: 10 } });
  assert.deepEqual(run(), run());
  assert.notDeepEqual(run().history, simulate(machine, {}, { Add: { output: 1, after: 10 } }, { seed: 2 }).history);
});

test("a definition can be given instead of a machine", () => {
  assert.equal(simulate({ StartAt: "W", States: { W: { Type: "Wait", Seconds: 99, End: true } } }).duration, 99_000);
});

test("a task can have one result for all calls, or a function", () => {
  const map = new StateMachine({
    StartAt: "M",
    States: {
      M: { Type: "Map", End: true, ItemProcessor: { StartAt: "T", States: { T: { Type: "Task", Resource: LAMBDA, End: true } } } },
    },
  });
  assert.deepEqual(simulate(map, [1, 2, 3], { T: { output: "same" } }).output, ["same", "same", "same"]);
  // Later items answer first, but the output has the order of the items.
  const report = simulate(map, [1, 2, 3], { Add: (n, { iterations }) => ({ output: n * 10, after: 100 - iterations[0] }) });
  assert.deepEqual(report.output, [10, 20, 30]);
  assert.equal(report.duration, 100);
});

test("timeouts and heartbeats elapse", () => {
  const timed = lambda({ TimeoutSeconds: 10 });
  assert.equal(simulate(timed, {}, { Add: { output: 1, after: 9_999 } }).status, "SUCCEEDED");
  assert.equal(simulate(timed, {}, { Add: { output: 1, after: 10_000 } }).error, "States.Timeout");
  assert.equal(simulate(timed, {}, { Add: { never: true } }).error, "States.Timeout");
  const beating = task("arn:aws:states:::ecs:runTask.sync", {}, { HeartbeatSeconds: 10 });
  assert.equal(simulate(beating, {}, { T: { output: 1, after: 25_000 } }).error, "States.Timeout");
  assert.equal(simulate(beating, {}, { T: { output: 1, after: 25_000, heartbeats: [9_000, 18_000] } }).output, 1);
});

test("callbacks are answered automatically", () => {
  const machine = task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", {});
  const report = simulate(machine, {}, { T: { submitted: { MessageId: "1" }, output: "approved", after: 86_400_000 } });
  assert.equal(report.output, "approved");
  assert.ok(report.history.some((event) => event.type === "TaskSubmitted"));
});

test("a result is wrapped, unless the whole response is given", () => {
  const machine = task("arn:aws:states:::lambda:invoke", { FunctionName: "f" });
  assert.equal(simulate(machine, {}, { f: { output: 5 } }).output.Payload, 5);
  assert.deepEqual(simulate(machine, {}, { f: { response: { StatusCode: 202 } } }).output, { StatusCode: 202 });
});

test("a script that is too short, or lacks a task, is reported", () => {
  const short = simulate(retrying, {}, { Add: [{ error: "Busy" }] });
  assert.match(short.cause, /has 1 results, but this is call 2/);
  assert.match(simulate(retrying, {}, { Sub: { output: 1 } }).cause, /The handlers are: "Sub"/);
  assert.throws(() => simulate(retrying, {}, { Add: { ouput: 1 } }), /no option "ouput"/);
  assert.throws(() => simulate(retrying, {}, { Add: [5] }), /must give an object/);
});

test("until stops the clock", () => {
  const report = simulate(
    { StartAt: "W", States: { W: { Type: "Wait", Seconds: 100, End: true } } },
    {},
    {},
    { until: Date.UTC(2025, 0, 1, 0, 1) },
  );
  assert.deepEqual([report.status, report.duration], ["RUNNING", 60_000]);
});

test("abortAt stops the execution", () => {
  const report = simulate(lambda(), {}, { Add: { never: true } }, { abortAt: Date.UTC(2025, 0, 1) + 5_000 });
  assert.deepEqual([report.status, report.duration], ["ABORTED", 5_000]);
});

test("testState tests one state", () => {
  const definition = { Type: "Choice", Default: "Low", Choices: [{ Variable: "$.n", NumericGreaterThan: 9, Next: "High" }] };
  const response = testState({ definition, input: { n: 12 } });
  assert.deepEqual(response, { status: "SUCCEEDED", output: '{"n":12}', nextState: "High" });
  assert.throws(
    () => testState({ definition: { Type: "Nonsense" }, input: {} }),
    (error) => error instanceof Error && typeof error.code === "string",
  );
});

test("a call without a result leaves the execution running", () => {
  assert.equal(simulate(lambda(), {}, { Add: { never: true } }).status, "RUNNING");
});

test("testState checks a mock against the model of its service", () => {
  const definition = { Type: "Task", Resource: "arn:aws:states:::aws-sdk:library:getBook", End: true };
  const book = {
    type: "structure",
    required: ["title"],
    members: { title: { type: "string", min: 1 }, pages: { type: "integer", max: 9999 }, sequel: { shape: "Book" } },
  };
  const model = { operations: { GetBook: { output: { shape: "Book" } } }, shapes: { Book: book } };
  const roleArn = "arn:aws:iam::123456789012:role/reader";
  const answer = (result, serviceModel, fieldValidationMode = "STRICT") => {
    try {
      return testState({ definition, roleArn, mock: { result, fieldValidationMode }, serviceModel }).status;
    } catch (error) {
      return `${error.code}: ${error.message}`;
    }
  };
  const refused = (problem) => `ValidationException: Mock result schema validation error: ${problem}`;
  const asked = [];
  const models = [
    { library: model },
    { library: { getBook: { ...book, shapes: { Book: book } } } },
    (...names) => (asked.push(names), { shape: "Book", shapes: { Book: book } }),
  ];
  for (const models_ of models) {
    assert.equal(answer({ Title: "Emma", Unknown: 1 }, models_), "SUCCEEDED");
    assert.equal(answer({ Pages: 5 }, models_), refused("Required field 'Title' is missing"));
    assert.equal(answer({ Pages: 10_000 }, models_, "PRESENT"), refused("Field 'Pages' exceeds the maximum value"));
    assert.equal(answer({ Sequel: { Title: "" } }, models_, "PRESENT"), refused("Field 'Title' is smaller than the minimum length"));
    assert.equal(answer({ Pages: "many" }, models_, "NONE"), "SUCCEEDED");
  }
  assert.deepEqual(asked[0], ["library", "getBook"]);
  assert.equal(answer({ Pages: "many" }), "SUCCEEDED");
  assert.equal(answer({ Pages: "many" }, { other: model }), "SUCCEEDED");
  assert.match(answer({}, 7), /^INVALID_OPTION/);
  const broken = new RangeError("no such service");
  assert.throws(
    () =>
      testState({
        definition,
        roleArn,
        mock: { result: {} },
        serviceModel: () => {
          throw broken;
        },
      }),
    broken,
  );
});
