// Generates an input from what a definition reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleInput } from "stepglass/debug";

const task = (fields) => ({ StartAt: "A", States: { A: { Type: "Task", Resource: "a", End: true, ...fields } } });
const jsonata = (fields) => ({ QueryLanguage: "JSONata", ...task(fields) });
const choice = (...rules) => ({
  StartAt: "A",
  States: { A: { Type: "Choice", Choices: rules.map((rule) => ({ ...rule, Next: "B" })), Default: "B" }, B: { Type: "Succeed" } },
});

for (const [name, definition, expected] of [
  ["nothing is read", { StartAt: "A", States: { A: { Type: "Succeed" } } }, {}],
  [
    "JSONPath in a template",
    task({ Parameters: { "id.$": "$.order.id", "total.$": "$.order.total" } }),
    { order: { id: "id", total: "total" } },
  ],
  [
    "calls inside of calls",
    task({
      Parameters: {
        "x.$": "States.Format('{}', States.MathAdd($.n, 1))",
        "y.$": "States.ArrayLength(States.StringSplit($.words, ','))",
        "z.$": "States.ArrayLength($.all)",
      },
    }),
    { n: 1, words: "words", all: ["all"] },
  ],
  ["an InputPath before it", task({ InputPath: "$.order", Parameters: { "id.$": "$.id" } }), { order: { id: "id" } }],
  [
    "types that a Choice asks for",
    choice(
      { Variable: "$.n", NumericGreaterThan: 3 },
      { Variable: "$.ok", BooleanEquals: true },
      { Variable: "$.name", StringEquals: "x" },
    ),
    { n: 1, ok: true, name: "name" },
  ],
  [
    "the items of a Map, and what is read of each",
    {
      StartAt: "M",
      States: {
        M: {
          Type: "Map",
          ItemsPath: "$.orders",
          ItemProcessor: {
            StartAt: "C",
            States: {
              C: { Type: "Choice", Choices: [{ Variable: "$.price", NumericLessThan: 5, Next: "D" }], Default: "D" },
              D: { Type: "Succeed" },
            },
          },
          End: true,
        },
      },
    },
    { orders: [{ price: 1 }] },
  ],
  [
    "what a state before has put there is not asked for",
    {
      StartAt: "P",
      States: {
        P: { Type: "Pass", Result: { id: 1 }, ResultPath: "$.made", Next: "A" },
        A: { Type: "Task", Resource: "a", Parameters: { "a.$": "$.made.id", "b.$": "$.given" }, End: true },
      },
    },
    { given: "given" },
  ],
  ["JSONata: a path", jsonata({ Arguments: { id: "{% $states.input.order.id %}" } }), { order: { id: "id" } }],
  [
    "JSONata: within a larger expression",
    jsonata({ Arguments: "{% $sum($states.input.prices) + $states.input.fee %}" }),
    { prices: [1], fee: 1 },
  ],
  [
    "JSONata: what is assigned is followed",
    {
      QueryLanguage: "JSONata",
      StartAt: "P",
      States: {
        P: { Type: "Pass", Assign: { who: "{% $states.input.customer %}" }, Next: "A" },
        A: { Type: "Task", Resource: "a", Arguments: "{% $who.email %}", End: true },
      },
    },
    { customer: { email: "email" } },
  ],
  ["JSONata: a merge of nothing", jsonata({ Arguments: "{% $merge([]) %}", Output: "{% $states.input.id %}" }), { id: "id" }],
  [
    "catchers and rules that are none, in a definition with mistakes",
    task({ Parameters: { "id.$": "$.id" }, Catch: [null, 1] }),
    { id: "id" },
  ],
  [
    "rules that are none, in a definition with mistakes",
    { StartAt: "A", States: { A: { Type: "Choice", Choices: [null, { And: 5, Variable: "$.n", NumericEquals: 1 }], Default: "A" } } },
    { n: 1 },
  ],
  ["a name that would be dangerous", task({ Parameters: { "a.$": "$['__proto__'].x", "b.$": "$.safe" } }), { safe: "safe" }],
]) {
  test(name, () => assert.deepEqual(exampleInput(definition), expected));
}

test("a definition as text is accepted, and what is not JSON is refused", () => {
  assert.deepEqual(exampleInput(JSON.stringify(task({ Parameters: { "id.$": "$.id" } }))), { id: "id" });
  assert.throws(() => exampleInput("{"), SyntaxError);
});
