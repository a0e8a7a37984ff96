// The stages of data flow as they happen, and what editors ask of a definition.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine, complete } from "stepglass";
import { watchRejections } from "./machines.mjs";

watchRejections();

test("stages come as they happen, in order with the events", async () => {
  const machine = new StateMachine({
    StartAt: "A",
    States: {
      A: { Type: "Pass", InputPath: "$.x", Parameters: { "y.$": "$.n" }, ResultPath: "$.r", Assign: { v: 5 }, Next: "T" },
      T: { Type: "Task", Resource: "later", ResultSelector: { "z.$": "$" }, End: true },
    },
  });
  const seen = [];
  const later = () => new Promise((resolve) => setTimeout(resolve, 5, 7));
  const execution = machine.start({ x: { n: 1 } }, {
    tasks: { later },
    onEvent: ({ id, type }) => seen.push(`${id} ${type}`),
    onStage: ({ event, state, stage, value, after, child }, by) => {
      assert.equal(by, execution);
      assert.equal(child, undefined);
      assert.ok(after >= event);
      seen.push(`${state}(${event}) ${stage} ${JSON.stringify(value)}`);
    },
  });
  await execution.result;
  const before = (first, second) => {
    const [a, b] = [first, second].map((part) => seen.findIndex((line) => line.includes(part)));
    assert.ok(a >= 0 && a < b, `${first} < ${second} in\n${seen.join("\n")}`);
  };
  before("2 PassStateEntered", 'A(2) afterInputPath {"n":1}');
  before('A(2) afterInputPath {"n":1}', 'A(2) afterParameters {"y":1}');
  before('A(2) afterParameters {"y":1}', 'A(2) assignedVariables {"v":5}');
  before('A(2) assignedVariables {"v":5}', 'A(2) output {"x":{"n":1},"r":{"y":1}}');
  before('A(2) output', "3 PassStateExited");
  before("TaskStateEntered", "T(4) afterInputPath");
  before("T(4) afterInputPath", "TaskScheduled");
  before("TaskSucceeded", "T(4) result 7");
  before("T(4) result 7", 'T(4) afterResultSelector {"z":7}');
  before('T(4) afterResultSelector {"z":7}', "TaskStateExited");
  assert.deepEqual(execution.trace(), []);
});

test("stages of child executions say whose they are", async () => {
  const ItemProcessor = { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, StartAt: "P", States: { P: { Type: "Pass", End: true } } };
  const machine = new StateMachine({ StartAt: "M", States: { M: { Type: "Map", ItemProcessor, End: true } } });
  const stages = [];
  const children = [];
  await machine.run([1, 2], { seed: 1, onStage: (stage) => stages.push(stage), onChild: ({ name }) => children.push(name) });
  const inside = stages.filter(({ state }) => state === "P");
  assert.deepEqual([...new Set(inside.map(({ child }) => child))], children);
  assert.ok(inside.every(({ event }) => event === 2));
  assert.ok(stages.filter(({ state }) => state === "M").every(({ child }) => child === undefined));
});

test("a Map tells what it selects of each item, and its batches, before their executions begin", async () => {
  const machine = new StateMachine({
    StartAt: "M",
    States: {
      M: {
        Type: "Map",
        QueryLanguage: "JSONata",
        Items: "{% $states.input.rows %}",
        ItemSelector: { n: "{% $states.context.Map.Item.Value %}" },
        ItemBatcher: { MaxItemsPerBatch: 2 },
        ItemProcessor: { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, StartAt: "P", States: { P: { Type: "Pass", End: true } } },
        End: true,
      },
    },
  });
  const seen = [];
  await machine.run({ rows: [7, 8, 9] }, { onStage: ({ stage, index, value }) => stage.startsWith("afterItem") && seen.push([stage, index, value]) });
  assert.deepEqual(seen, [
    ["afterItems", undefined, [7, 8, 9]],
    ["afterItemSelector", 0, { n: 7 }],
    ["afterItemSelector", 1, { n: 8 }],
    ["afterItemBatcher", 0, { Items: [{ n: 7 }, { n: 8 }] }],
    ["afterItemSelector", 2, { n: 9 }],
    ["afterItemBatcher", 1, { Items: [{ n: 9 }] }],
  ]);
});

test("an observer's mistake changes nothing", async (t) => {
  const errors = t.mock.method(console, "error", () => {});
  const machine = new StateMachine({ StartAt: "P", States: { P: { Type: "Pass", End: true } } });
  const wrong = () => {
    throw new Error("oops");
  };
  assert.deepEqual(await machine.run({ a: 1 }, { onStage: wrong, onEvent: async () => wrong() }), { a: 1 });
  assert.ok(errors.mock.callCount() > 0);
  for (const name of ["onStage", "onChild", "onNested", "onEvent"]) assert.throws(() => machine.start({}, { [name]: 1 }), { code: "INVALID_OPTION" });
});

test("complete() says what may stand at a place, in UTF-16 units", () => {
  const text = '{"Comment":"é😀","StartAt":"😀","States":{"😀":{"Type":"Pass","Next":"Sh"},"Ship":{"Type":"Succeed"}}}';
  const at = text.indexOf('Sh"') + 2;
  const { replace, items } = complete(text, at);
  assert.equal(text.slice(replace.start, replace.end), "Sh");
  assert.deepEqual(items[0], { label: "Ship", kind: "state", detail: "state", insert: "Ship" });
  assert.deepEqual(items.map(({ label }) => label), ["Ship", "😀"]);
  assert.ok(complete('{"').items.some(({ label }) => label === "StartAt"));
  for (const offset of [0, -1, 1e9, text.indexOf("😀") + 1]) assert.ok(Array.isArray(complete(text, offset).items));
  assert.throws(() => complete({}), TypeError);
});

test("variableReferences names the variables that each state reads", () => {
  const machine = new StateMachine({
    StartAt: "A",
    States: {
      A: { Type: "Pass", Assign: { total: 1 }, Next: "B" },
      B: { Type: "Pass", QueryLanguage: "JSONata", Output: "{% $total + $sum([1]) %}", Next: "C" },
      C: { Type: "Pass", Parameters: { "t.$": "$total", "u.$": "$total" }, End: true },
    },
  });
  assert.deepEqual(machine.variableReferences, { B: ["total"], C: ["total"] });
});
