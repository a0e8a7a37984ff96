// TestState: one state with a mock. Answers of AWS are quoted if they are recorded or documented.

import assert from "node:assert/strict";
import { test } from "node:test";
import { testState } from "stepglass";

const roleArn = "arn:aws:iam::123456789012:role/tests";
const invoke = "arn:aws:states:::lambda:invoke";
const task = { Type: "Task", Resource: invoke, End: true };
const pass = { Type: "Pass", End: true };
const itemProcessor = (mode) => ({
  ProcessorConfig: mode === "INLINE" ? { Mode: mode } : { Mode: mode, ExecutionType: "STANDARD" },
  StartAt: "P",
  States: { P: pass },
});
const map = (more, mode = "INLINE") => ({ Type: "Map", ItemProcessor: itemProcessor(mode), End: true, ...more });
const reader = { Resource: "arn:aws:states:::s3:getObject", ReaderConfig: { InputType: "JSON" }, Parameters: { Bucket: "b", Key: "k" } };

const debug = (request) => testState({ roleArn, inspectionLevel: "DEBUG", ...request });
const refusal = (request) => {
  try {
    return testState({ roleArn, ...request });
  } catch (error) {
    return `${error.code}: ${error.message}`;
  }
};

test("every test is an execution of its own", () => {
  const definition = { Type: "Pass", Parameters: { "context.$": "$$", "id.$": "States.UUID()" }, End: true };
  const context = (more) => JSON.parse(testState({ definition, ...more }).output);
  const [a, b] = [context({}), context({})];
  const { Execution, StateMachine } = a.context;
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
  assert.match(Execution.Name, uuid);
  assert.match(StateMachine.Name, uuid);
  assert.equal(Execution.Id, `arn:aws:states:us-east-1:123456789012:express:${StateMachine.Name}:${Execution.Name}`);
  assert.notEqual(Execution.Name, b.context.Execution.Name);
  assert.notEqual(a.id, b.id);
  assert.ok(Math.abs(Date.parse(Execution.StartTime) - Date.now()) < 60_000_000, Execution.StartTime);
  const startTime = Date.UTC(2026, 0, 2);
  assert.deepEqual(context({ seed: 7, startTime }), context({ seed: 7n, startTime }));
  assert.equal(context({ startTime }).context.Execution.StartTime, "2026-01-02T00:00:00Z");
  assert.throws(() => testState({ definition, seed: "x" }), { code: "INVALID_OPTION" });
  assert.throws(() => testState({ definition, startTime: "now" }), { code: "INVALID_OPTION" });
});

test("errorDetails names the retrier, also after its last attempt", () => {
  const Retry = [{ ErrorEquals: ["Other"] }, { ErrorEquals: ["Busy"], IntervalSeconds: 2, MaxAttempts: 3, BackoffRate: 2 }];
  const mock = { errorOutput: { error: "Busy", cause: "later" } };
  const ask = (retrierRetryCount, more) =>
    debug({ definition: { ...task, Retry, ...more }, mock, stateConfiguration: { retrierRetryCount } });
  const [first, last, caught] = [ask(1), ask(3), ask(3, { Catch: [{ ErrorEquals: ["States.ALL"], Next: "Fallback" }] })];
  assert.deepEqual([first.status, first.inspectionData.errorDetails], ["RETRIABLE", { retryIndex: 1, retryBackoffIntervalSeconds: 4 }]);
  assert.deepEqual([last.status, last.inspectionData.errorDetails], ["FAILED", { retryIndex: 1 }]);
  assert.deepEqual([caught.status, caught.inspectionData.errorDetails], ["CAUGHT_ERROR", { retryIndex: 1, catchIndex: 0 }]);
  assert.equal(debug({ definition: { ...task, Retry: [Retry[0]] }, mock }).inspectionData.errorDetails, undefined);
});

test("a Context Object is checked member by member", () => {
  const mock = { result: {} };
  const check = (context, definition = task) => refusal({ definition, context, mock });
  const prefix = "ValidationException: Invalid Context object provided: ";
  for (const [context, problem] of [
    [{ Map: {} }, "'Map' field is not supported when mocking a Context object"],
    [{ Other: {} }, "Field 'Other' is not allowed"],
    [{ Execution: { Colour: 1 } }, "Field 'Colour' is not allowed"],
    [{ Execution: { Name: 1 } }, "Execution.Name must be a string"],
    [{ Execution: { StartTime: 0 } }, "Execution.StartTime must be a string"],
    [{ State: "A" }, "State must be a object"],
    [{ State: { RetryCount: "1" } }, "State.RetryCount must be a integer"],
    [{ StateMachine: { Id: null } }, "StateMachine.Id must be a string"],
    [
      { Task: { Token: "t" } },
      "Context object contains 'Task' when state is not a Task state with a '.sync' or '.waitForTaskToken' service integration pattern",
    ],
  ]) {
    assert.equal(check(context), prefix + problem, JSON.stringify(context));
    assert.equal(check(JSON.stringify(context)), prefix + problem);
  }
  assert.match(check("{"), /^ValidationException: Invalid Context object provided: /);
  const waits = { ...task, Resource: `${invoke}.waitForTaskToken`, Parameters: { "token.$": "$$.Task.Token" } };
  const context = { Execution: { Name: "mine", Input: [1] }, State: { RetryCount: 2 }, Task: { Token: "t" } };
  assert.equal(check(context, waits).status, "SUCCEEDED");
});

test("the number of failed iterations cannot exceed the number of items", () => {
  const words = "ValidationException: Map iteration failure count must be less than or equal to the number of Map iterations";
  const ask = (definition, mapIterationFailureCount, more) =>
    refusal({
      definition,
      input: [1, 2, 3, 4],
      mock: { result: [1, 1, 1, 1] },
      stateConfiguration: { mapIterationFailureCount, ...more?.stateConfiguration },
      ...(more?.mock && { mock: more.mock }),
    });
  const distributed = (more) => map(more, "DISTRIBUTED");
  assert.equal(ask(map(), 5), words);
  assert.equal(ask(map(), 4).status, "SUCCEEDED");
  assert.equal(ask(distributed({ ItemBatcher: { MaxItemsPerBatch: 2 } }), 3), words);
  // The items count, and not their mocked results.
  const writer = { Resource: "arn:aws:states:::s3:putObject", Parameters: { Bucket: "b" } };
  assert.equal(ask(distributed({ ResultWriter: writer }), 5, { mock: { result: {} } }), words);
  const read = { stateConfiguration: { mapItemReaderData: "[1,2]" } };
  assert.equal(ask(distributed({ ItemReader: reader }), 3, read), words);
  assert.equal(ask(distributed({ ItemReader: reader }), 5), words);
  const exceeded = ask(distributed({ ToleratedFailurePercentagePath: "$[1]" }), 1);
  assert.deepEqual([exceeded.status, exceeded.error], ["FAILED", "States.ExceedToleratedFailureThreshold"]);
  assert.equal(ask(distributed({ ToleratedFailureCountPath: "$[0]" }), 1).status, "SUCCEEDED");
});

test("a mocked result must have the type of the state", () => {
  const writer = { Resource: "arn:aws:states:::s3:putObject", Parameters: { Bucket: "b" } };
  const exports = map({ ResultWriter: writer }, "DISTRIBUTED");
  assert.equal(
    refusal({ definition: exports, input: [], mock: { result: "[]" } }),
    "ValidationException: Mocked result must be a JSON object.",
  );
  assert.equal(refusal({ definition: map(), input: [], mock: { result: "{}" } }), "ValidationException: Mocked result must be an array.");
});

test("the inspection has a Task's mocked result in both languages", () => {
  const mock = { result: '{"n": 1.0}' };
  assert.equal(debug({ definition: task, mock }).inspectionData.result, '{"n": 1.0}');
  const jsonata = { ...task, QueryLanguage: "JSONata", Output: "{% $states.result.n + 1 %}" };
  const { output, inspectionData } = debug({ definition: jsonata, mock });
  assert.deepEqual([output, inspectionData.result], ["2", '{"n": 1.0}']);
});

test("the inspection has the variables after the state", () => {
  const definition = { ...pass, Assign: { b: 2, "c.$": "$.x" } };
  assert.deepEqual(JSON.parse(debug({ definition, input: { x: 3 }, variables: { a: 1, b: 1 } }).inspectionData.variables), {
    a: 1,
    b: 2,
    c: 3,
  });
  assert.equal(debug({ definition: pass, variables: {} }).inspectionData.variables, undefined);
});

test("the stages of a Map's items are strings, as in the API's types", () => {
  const selector = { ItemSelector: { "v.$": "$$.Map.Item.Value", "i.$": "$$.Map.Item.Index" } };
  const selected = debug({
    definition: map({ ItemsPath: "$.items", ...selector }),
    input: '{"items": [5, 6]}',
    mock: { result: "[50, 60]" },
  });
  assert.equal(selected.inspectionData.afterItemsPath, "[5, 6]");
  assert.equal(selected.inspectionData.afterItemSelector, '[{"v":5,"i":0},{"v":6,"i":1}]');
  assert.equal(selected.inspectionData.afterItemBatcher, undefined);
  const batched = map(
    {
      ItemReader: { ...reader, ReaderConfig: { InputType: "JSON", ItemsPointer: "/all" } },
      ...selector,
      ItemBatcher: { MaxItemsPerBatch: 2, BatchInput: { k: 1 } },
    },
    "DISTRIBUTED",
  );
  const { inspectionData } = debug({
    definition: batched,
    mock: { result: [] },
    stateConfiguration: { mapItemReaderData: '{"all": [7, 8, 9]}' },
  });
  assert.equal(inspectionData.afterItemsPointer, "[7,8,9]");
  assert.deepEqual(
    JSON.parse(inspectionData.afterItemSelector).map(({ v }) => v),
    [7, 8, 9],
  );
  assert.deepEqual(JSON.parse(inspectionData.afterItemBatcher), [
    {
      BatchInput: { k: 1 },
      Items: [
        { v: 7, i: 0 },
        { v: 8, i: 1 },
      ],
    },
    { BatchInput: { k: 1 }, Items: [{ v: 9, i: 2 }] },
  ]);
  // JSONata's Items has no name there.
  const jsonata = { QueryLanguage: "JSONata", ...map({ Items: "{% [1, 2] %}", ItemSelector: "{% $states.context.Map.Item.Value * 2 %}" }) };
  const stages = debug({ definition: jsonata, mock: { result: "[1, 2]" } }).inspectionData;
  assert.deepEqual(stages, { input: "{}", maxConcurrency: 0, afterItemSelector: "[2,4]" });
});

test("a selector that fails, fails the Map although it has a mock", () => {
  const { status, error } = debug({ definition: map({ ItemSelector: { "v.$": "$.nothing" } }), input: [1], mock: { result: [1] } });
  assert.deepEqual([status, error], ["FAILED", "States.Runtime"]);
});

test("a state inside a Map has the first item as its Map.Item", () => {
  const inner = { Type: "Pass", Parameters: { "item.$": "$$.Map.Item" }, End: true };
  const machine = (mode) => ({
    StartAt: "M",
    States: { M: { ...map({}, mode), ItemProcessor: { ...itemProcessor(mode), StartAt: "I", States: { I: inner } } } },
  });
  const item = (mode) => JSON.parse(testState({ definition: machine(mode), stateName: "I", input: { a: 1 } }).output).item;
  assert.deepEqual(item("INLINE"), { Index: 0, Value: { a: 1 } });
  assert.deepEqual(item("DISTRIBUTED"), { Index: 0, Value: { a: 1 }, Source: "STATE_DATA" });
});

test("a value that is passed on unchanged keeps its text", () => {
  const results = ["[1, 1.0, 12345678901234567890]", '{"a": [ 1e2 ]}', "1.50", "12345678901234567890", ' "text"'];
  for (const result of results) {
    const { output, inspectionData } = debug({ definition: task, mock: { result } });
    assert.deepEqual([output, inspectionData.result, inspectionData.afterResultPath], [result.trim(), result.trim(), result.trim()]);
  }
  const choice = { Type: "Choice", Choices: [{ Variable: "$.number", NumericEquals: 2, Next: "Equals 2" }] };
  assert.equal(testState({ definition: choice, input: '{"number": 2}' }).output, '{"number": 2}');
  // A new value is written in compact form.
  assert.equal(testState({ definition: { ...pass, Parameters: { "a.$": "$" } }, input: "[ 1 ]" }).output, '{"a":[1]}');
});

test("a text that is not JSON is refused", () => {
  assert.match(
    refusal({ definition: pass, input: "[1,]" }),
    /^InvalidExecutionInput: Invalid State Machine Execution Input: '.* at byte 3'$/,
  );
  assert.equal(refusal({ definition: task, mock: { result: "[1,]" } }), "ValidationException: Mocked result must be valid JSON");
  assert.match(refusal({ definition: pass, variables: "{a" }), /^ValidationException: variables must be valid JSON/);
  assert.match(refusal({ definition: "{", input: "1" }), /^InvalidDefinition: /);
  assert.equal(testState({ definition: pass, input: '"[1,]"' }).output, '"[1,]"');
  const deep = `${"[".repeat(129)}${"]".repeat(129)}`;
  for (const input of [deep, JSON.parse(deep)])
    assert.match(refusal({ definition: pass, input }), /^InvalidExecutionInput: .*nested deeper than 128 levels/);
  assert.equal(testState({ definition: pass, input: JSON.parse(deep.slice(1, -1)) }).output, deep.slice(1, -1));
  const long = "x".repeat(262_143);
  assert.match(
    refusal({ definition: pass, input: { long } }),
    /^ValidationException: .*'input' failed to satisfy constraint: Member must have length less than or equal to 262144/,
  );
});
