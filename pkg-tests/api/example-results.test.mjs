// Generates results of tasks from what a definition reads of them later.
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulate } from "stepglass";
import { exampleInput, exampleResults } from "stepglass/debug";

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:f";
const then = (fields, after, more = {}) => ({
  ...more,
  StartAt: "Ask",
  States: {
    Ask: { Type: "Task", Resource: LAMBDA, Next: "After", ...fields },
    After: { Type: "Pass", End: true, ...after },
    Done: { Type: "Succeed" },
    Sad: { Type: "Fail" },
    Again: { Type: "Wait", Seconds: 1, Next: "Ask" },
  },
});
const jsonata = (fields, after) => then(fields, after, { QueryLanguage: "JSONata" });
const choice = (rules, Default, more = {}) => ({ Type: "Choice", Choices: rules, Default, End: undefined, ...more });
const parts = (value) => JSON.parse(JSON.stringify(value));

for (const [name, definition, expected] of [
  ["nothing is read", then({}, {}), {}],
  ["a path after it", then({}, { Parameters: { "id.$": "$.order.id" } }), { Ask: { order: { id: "id" } } }],
  ["a ResultSelector", then({ ResultSelector: { "n.$": "$.items[0].n" }, ResultPath: "$.x" }, {}), { Ask: { items: [{ n: "n" }] } }],
  [
    "a ResultPath",
    then({ ResultPath: "$.answer" }, { Parameters: { "a.$": "$.answer.text", "b.$": "$.given" } }),
    { Ask: { text: "text" } },
  ],
  ["a variable", then({ Assign: { "who.$": "$.user" } }, { Parameters: { "mail.$": "$who.mail" } }), { Ask: { user: { mail: "mail" } } }],
  [
    "a Payload is what a function answers",
    then(
      {
        Resource: "arn:aws:states:::lambda:invoke",
        Parameters: { FunctionName: "f" },
        ResultSelector: { "ok.$": "$.Payload.ok", "code.$": "$.StatusCode" },
      },
      {},
    ),
    { Ask: { ok: "ok" } },
  ],
  [
    "a way on, and not the failure",
    then(
      {},
      choice(
        [
          { Variable: "$.status", StringEquals: "FAILED", Next: "Sad" },
          { Variable: "$.status", StringEquals: "SUCCEEDED", Next: "Done" },
        ],
        "Again",
      ),
    ),
    { Ask: { status: "SUCCEEDED" } },
  ],
  ["a way out of a loop", then({}, choice([{ Variable: "$.left", NumericGreaterThan: 0, Next: "Again" }], "Done")), { Ask: { left: 0 } }],
  [
    "a way out of a loop, by a default that comes back",
    then(
      {},
      choice(
        [
          {
            And: [
              { Variable: "$.ready", BooleanEquals: true },
              { Variable: "$.n", NumericGreaterThan: 7 },
            ],
            Next: "Done",
          },
        ],
        "Again",
      ),
    ),
    { Ask: { ready: true, n: 8 } },
  ],
  ["what must not be", then({}, choice([{ Not: { Variable: "$.ok", BooleanEquals: true }, Next: "Sad" }], "Done")), { Ask: { ok: true } }],
  ["JSONata: of the result", jsonata({ Output: { id: "{% $states.result.order.id %}" } }, {}), { Ask: { order: { id: "id" } } }],
  [
    "JSONata: of what is assigned",
    jsonata({ Assign: { price: "{% $states.result.price %}" } }, { Output: "{% $price * 2 %}" }),
    { Ask: { price: 1 } },
  ],
  [
    "JSONata: sums and counts",
    jsonata({ Output: "{% $sum($states.result.prices) + $count($states.result.names) %}" }, {}),
    { Ask: { prices: [1], names: ["name"] } },
  ],
  [
    "JSONata: a condition",
    jsonata(
      { Output: "{% $states.result %}" },
      choice(
        [
          { Condition: "{% $states.input.status = 'RUNNING' %}", Next: "Again" },
          { Condition: "{% $states.input.status = 'COMPLETE' and $states.input.done %}", Next: "Done" },
        ],
        "Sad",
      ),
    ),
    { Ask: { status: "COMPLETE", done: "done" } },
  ],
]) {
  test(name, () => assert.deepEqual(exampleResults(parts(definition)), expected));
}

test("a definition as text is accepted, and what is not JSON is refused", () => {
  assert.deepEqual(exampleResults(JSON.stringify(then({}, { Parameters: { "id.$": "$.id" } }))), { Ask: { id: "id" } });
  assert.throws(() => exampleResults("{"), SyntaxError);
});

test("a machine that polls, maps and decides runs to its end with the generated results", () => {
  const definition = {
    StartAt: "Start",
    States: {
      Start: { Type: "Task", Resource: LAMBDA, ResultPath: "$.job", Next: "Poll" },
      Poll: {
        Type: "Task",
        Resource: "arn:aws:states:::lambda:invoke",
        Parameters: { FunctionName: "poll", "Payload.$": "$.job.id" },
        ResultSelector: { "status.$": "$.Payload.status", "rows.$": "$.Payload.rows" },
        ResultPath: "$.poll",
        Next: "Ready?",
      },
      "Ready?": {
        Type: "Choice",
        Choices: [
          { Variable: "$.poll.status", StringEquals: "FAILED", Next: "Failed" },
          { Variable: "$.poll.status", StringEquals: "SUCCEEDED", Next: "Rows" },
        ],
        Default: "Nap",
      },
      Nap: { Type: "Wait", Seconds: 60, Next: "Poll" },
      Rows: {
        Type: "Map",
        ItemsPath: "$.poll.rows",
        ItemProcessor: {
          StartAt: "Row",
          States: {
            Row: {
              Type: "Task",
              Resource: LAMBDA,
              Parameters: { "key.$": "$.key" },
              ResultSelector: { "sum.$": "States.MathAdd($.amount, 1)" },
              End: true,
            },
          },
        },
        End: true,
      },
      Failed: { Type: "Fail" },
    },
  };
  const tasks = Object.fromEntries(Object.entries(exampleResults(definition)).map(([state, output]) => [state, { output }]));
  const { status, output } = simulate(definition, exampleInput(definition), tasks);
  assert.deepEqual([status, output], ["SUCCEEDED", [{ sum: 2 }]]);
});
