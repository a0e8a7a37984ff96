// The stages of the data flow as they happen, and what editors ask of a definition.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { describe, test } from "node:test";
import { build } from "esbuild";
import { DebugSession } from "stepglass/debug";
import { StateMachine, complete } from "stepglass";
import { watchRejections } from "./machines.mjs";

watchRejections();

test("stages are reported as they happen, in order with the events", async () => {
  const machine = new StateMachine({
    StartAt: "A",
    States: {
      A: { Type: "Pass", InputPath: "$.x", Parameters: { "y.$": "$.n" }, ResultPath: "$.r", Assign: { v: 5 }, Next: "T" },
      T: { Type: "Task", Resource: "later", ResultSelector: { "z.$": "$" }, End: true },
    },
  });
  const seen = [];
  const later = () => new Promise((resolve) => setTimeout(resolve, 5, 7));
  const execution = machine.start(
    { x: { n: 1 } },
    {
      tasks: { later },
      onEvent: ({ id, type }) => seen.push(`${id} ${type}`),
      onStage: ({ event, state, stage, value, after, child }, by) => {
        assert.equal(by, execution);
        assert.equal(child, undefined);
        assert.ok(after >= event);
        seen.push(`${state}(${event}) ${stage} ${JSON.stringify(value)}`);
      },
    },
  );
  await execution.result;
  const before = (first, second) => {
    const [a, b] = [first, second].map((part) => seen.findIndex((line) => line.includes(part)));
    assert.ok(a >= 0 && a < b, `${first} < ${second} in\n${seen.join("\n")}`);
  };
  before("2 PassStateEntered", 'A(2) afterInputPath {"n":1}');
  before('A(2) afterInputPath {"n":1}', 'A(2) afterParameters {"y":1}');
  before('A(2) afterParameters {"y":1}', 'A(2) assignedVariables {"v":5}');
  before('A(2) assignedVariables {"v":5}', 'A(2) output {"x":{"n":1},"r":{"y":1}}');
  before("A(2) output", "3 PassStateExited");
  before("TaskStateEntered", "T(4) afterInputPath");
  before("T(4) afterInputPath", "TaskScheduled");
  before("TaskSucceeded", "T(4) result 7");
  before("T(4) result 7", 'T(4) afterResultSelector {"z":7}');
  before('T(4) afterResultSelector {"z":7}', "TaskStateExited");
  assert.deepEqual(execution.trace(), []);
});

test("stages of child executions name their execution", async () => {
  const ItemProcessor = {
    ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
    StartAt: "P",
    States: { P: { Type: "Pass", End: true } },
  };
  const machine = new StateMachine({ StartAt: "M", States: { M: { Type: "Map", ItemProcessor, End: true } } });
  const stages = [];
  const children = [];
  await machine.run([1, 2], { seed: 1, onStage: (stage) => stages.push(stage), onChild: ({ name }) => children.push(name) });
  const inside = stages.filter(({ state }) => state === "P");
  assert.deepEqual([...new Set(inside.map(({ child }) => child))], children);
  assert.ok(inside.every(({ event }) => event === 2));
  assert.ok(stages.filter(({ state }) => state === "M").every(({ child }) => child === undefined));
});

test("a Map reports ItemSelector and its batches before their executions start", async () => {
  const machine = new StateMachine({
    StartAt: "M",
    States: {
      M: {
        Type: "Map",
        QueryLanguage: "JSONata",
        Items: "{% $states.input.rows %}",
        ItemSelector: { n: "{% $states.context.Map.Item.Value %}" },
        ItemBatcher: { MaxItemsPerBatch: 2 },
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "P",
          States: { P: { Type: "Pass", End: true } },
        },
        End: true,
      },
    },
  });
  const seen = [];
  await machine.run(
    { rows: [7, 8, 9] },
    { onStage: ({ stage, index, value }) => stage.startsWith("afterItem") && seen.push([stage, index, value]) },
  );
  assert.deepEqual(seen, [
    ["afterItems", undefined, [7, 8, 9]],
    ["afterItemSelector", 0, { n: 7 }],
    ["afterItemSelector", 1, { n: 8 }],
    ["afterItemBatcher", 0, { Items: [{ n: 7 }, { n: 8 }] }],
    ["afterItemSelector", 2, { n: 9 }],
    ["afterItemBatcher", 1, { Items: [{ n: 9 }] }],
  ]);
});

test("an error of an observer has no effect", async (t) => {
  const errors = t.mock.method(console, "error", () => {});
  const machine = new StateMachine({ StartAt: "P", States: { P: { Type: "Pass", End: true } } });
  const wrong = () => {
    throw new Error("oops");
  };
  assert.deepEqual(await machine.run({ a: 1 }, { onStage: wrong, onEvent: async () => wrong() }), { a: 1 });
  assert.ok(errors.mock.callCount() > 0);
  for (const name of ["onStage", "onChild", "onNested", "onEvent"])
    assert.throws(() => machine.start({}, { [name]: 1 }), { code: "INVALID_OPTION" });
});

test("complete() returns proposals for a position in UTF-16 units", () => {
  const text = '{"Comment":"é😀","StartAt":"😀","States":{"😀":{"Type":"Pass","Next":"Sh"},"Ship":{"Type":"Succeed"}}}';
  const at = text.indexOf('Sh"') + 2;
  const { replace, items } = complete(text, at);
  assert.equal(text.slice(replace.start, replace.end), "Sh");
  assert.deepEqual(items[0], { label: "Ship", kind: "state", detail: "state", insert: "Ship" });
  assert.deepEqual(
    items.map(({ label }) => label),
    ["Ship", "😀"],
  );
  assert.ok(complete('{"').items.some(({ label }) => label === "StartAt"));
  for (const offset of [0, -1, 1e9, text.indexOf("😀") + 1]) assert.ok(Array.isArray(complete(text, offset).items));
  assert.throws(() => complete({}), TypeError);
});

test("variableReferences lists the variables that each state reads", () => {
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

describe("the values that the page shows beside a stage", async () => {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-stages-"));
  const outfile = join(folder, "stages.mjs");
  await build({ entryPoints: [resolve(import.meta.dirname, "../../www/src/model/stages.ts")], format: "esm", outfile, logLevel: "error" });
  const { besideOf } = await import(pathToFileURL(outfile).href);
  rmSync(folder, { recursive: true, force: true });

  /** Returns each stage of a state with the labels of the values it is shown beside, and `*` before the one it is compared with. */
  async function shown(fields, { input = { a: 1, list: [7, 8] }, answer = { r: 2 }, language = "JSONPath" } = {}) {
    const states = {
      S: { ...fields, ...(["Succeed", "Fail", "Choice"].includes(fields.Type) ? {} : { End: true }) },
      ...(fields.Catch && { Other: { Type: "Succeed" } }),
    };
    const session = new DebugSession({ QueryLanguage: language, StartAt: "S", States: states }, { input, ask: true, seed: 1 });
    session.continue();
    while (session.status !== "ended") {
      for (const { task } of session.waiting())
        session.answer(task, answer.error ? { kind: "fail", ...answer } : { kind: "succeed", output: answer });
      await new Promise((done) => setImmediate(done));
    }
    const { input: given, stages } = session.stages(session.visits("S")[0].id, undefined, { all: true });
    const valueAt = (at) => (at < 0 ? given : stages[at].value);
    return Object.fromEntries(
      stages.map(({ stage, value }, at) => {
        const { sources, compared, whole } = besideOf(states.S, fields.Type, language, given, stages, at, isDeepStrictEqual);
        for (const source of sources) assert.ok(source.at < at, `${stage} is shown beside what comes after it`);
        const words = sources.map((source) => `${source === compared ? "*" : ""}${source.label} ${JSON.stringify(valueAt(source.at))}`);
        return [stage, { before: words, after: value, ...(whole && { whole }) }];
      }),
    );
  }

  const given = { a: 1, list: [7, 8] };
  const state = `*State input ${JSON.stringify(given)}`;

  test("ResultPath is compared with the input, into which it writes", async () => {
    const found = await shown({ Type: "Task", Resource: "r", ResultPath: "$.got" });
    assert.deepEqual(found.afterResultPath, { before: ['Result {"r":2}', state], after: { ...given, got: { r: 2 } } });
    assert.deepEqual(found.output, { before: [state], after: { ...given, got: { r: 2 } }, whole: true });
    assert.deepEqual((await shown({ Type: "Task", Resource: "r", ResultPath: null })).afterResultPath, {
      before: ['Result {"r":2}', state],
      after: given,
    });
    assert.deepEqual((await shown({ Type: "Task", Resource: "r" })).afterResultPath.before, [
      '*Result {"r":2}',
      "State input".concat(" ", JSON.stringify(given)),
    ]);
  });

  test("an Output stage that changes nothing shows the whole state, from its input to its output", async () => {
    assert.deepEqual((await shown({ Type: "Task", Resource: "r" })).output, { before: [state], after: { r: 2 }, whole: true });
    assert.deepEqual((await shown({ Type: "Task", Resource: "r" }, { language: "JSONata" })).output, {
      before: [state],
      after: { r: 2 },
      whole: true,
    });
    assert.deepEqual((await shown({ Type: "Wait", Seconds: 1 })).output, { before: [state], after: given, whole: true });
    assert.deepEqual((await shown({ Type: "Parallel", Branches: [{ StartAt: "B", States: { B: { Type: "Pass", End: true } } }] })).output, {
      before: [state],
      after: [given],
      whole: true,
    });
  });

  test("OutputPath and Output are compared with the value that they read", async () => {
    assert.deepEqual((await shown({ Type: "Task", Resource: "r", ResultPath: "$.got", OutputPath: "$.got" })).output, {
      before: ['*ResultPath {"a":1,"list":[7,8],"got":{"r":2}}'],
      after: { r: 2 },
    });
    assert.deepEqual(
      (await shown({ Type: "Task", Resource: "r", Output: "{% $states.result.r %}" }, { language: "JSONata" })).output.before,
      ['*Result {"r":2}', `State input ${JSON.stringify(given)}`],
    );
    assert.deepEqual((await shown({ Type: "Pass", Output: "{% $states.input.a %}" }, { language: "JSONata" })).output, {
      before: [state],
      after: 1,
    });
    assert.deepEqual((await shown({ Type: "Succeed", InputPath: "$.list", OutputPath: "$[0]" })).output, {
      before: ["*InputPath [7,8]"],
      after: 7,
    });
  });

  test("InputPath, Parameters, Arguments and ResultSelector are compared with their inputs", async () => {
    const path = await shown({
      Type: "Task",
      Resource: "r",
      InputPath: "$.list",
      Parameters: { "x.$": "$[0]" },
      ResultSelector: { "y.$": "$.r" },
      Assign: { "v.$": "$.r" },
    });
    assert.deepEqual(path.afterInputPath, { before: [state], after: [7, 8] });
    assert.deepEqual(path.afterParameters, { before: ["*InputPath [7,8]"], after: { x: 7 } });
    assert.deepEqual(path.result, { before: [], after: { r: 2 } });
    assert.deepEqual(path.afterResultSelector, { before: ['*Result {"r":2}'], after: { y: 2 } });
    assert.deepEqual(path.assignedVariables, { before: ['Result {"r":2}'], after: { v: 2 } });
    const jsonata = await shown(
      { Type: "Task", Resource: "r", Arguments: { x: "{% $states.input.a %}" }, Assign: { v: "{% $states.result.r %}" } },
      { language: "JSONata" },
    );
    assert.deepEqual(jsonata.afterArguments.before, [state]);
    assert.deepEqual(jsonata.assignedVariables, { before: ['Result {"r":2}', `State input ${JSON.stringify(given)}`], after: { v: 2 } });
  });

  test("Map and Parallel are compared with the results of their items and branches", async () => {
    const processor = { StartAt: "B", States: { B: { Type: "Pass", End: true } } };
    const path = await shown({
      Type: "Map",
      ItemsPath: "$.list",
      ItemSelector: { "i.$": "$$.Map.Item.Value", "a.$": "$.a" },
      ItemProcessor: processor,
      ResultPath: "$.all",
    });
    assert.deepEqual(path.afterItemsPath, { before: [state], after: [7, 8] });
    assert.deepEqual(path.afterItemSelector.before, [state]);
    assert.deepEqual(path.afterResultPath.before, ['Result [{"i":7,"a":1},{"i":8,"a":1}]', state]);
    const distributed = { ...processor, ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" } };
    const batched = await shown(
      {
        Type: "Map",
        Items: "{% $states.input.list %}",
        ItemSelector: { i: "{% $states.context.Map.Item.Value %}" },
        ItemBatcher: { MaxItemsPerBatch: 2 },
        ItemProcessor: distributed,
      },
      { language: "JSONata" },
    );
    assert.deepEqual(batched.afterItems, { before: [state], after: [7, 8] });
    // A batch contains several items, so no single one is its former value.
    assert.deepEqual(batched.afterItemBatcher, {
      before: ["Items [7,8]", `State input ${JSON.stringify(given)}`],
      after: { Items: [{ i: 7 }, { i: 8 }] },
    });
  });

  test("a caught error is compared with the input", async () => {
    const fails = { error: "E", cause: "why" };
    const caught = await shown(
      { Type: "Task", Resource: "r", Catch: [{ ErrorEquals: ["States.ALL"], ResultPath: "$.error", Next: "Other" }] },
      { answer: fails },
    );
    assert.deepEqual(caught.output.before, ['Error output {"Error":"E","Cause":"why"}', state]);
    const whole = await shown({ Type: "Task", Resource: "r", Catch: [{ ErrorEquals: ["States.ALL"], Next: "Other" }] }, { answer: fails });
    assert.deepEqual(whole.output, { before: [state], after: { Error: "E", Cause: "why" }, whole: true });
    const jsonata = await shown(
      { Type: "Task", Resource: "r", Catch: [{ ErrorEquals: ["States.ALL"], Output: "{% $states.errorOutput.Error %}", Next: "Other" }] },
      { answer: fails, language: "JSONata" },
    );
    assert.deepEqual(jsonata.output.before, ['*Error output {"Error":"E","Cause":"why"}', `State input ${JSON.stringify(given)}`]);
  });
});
