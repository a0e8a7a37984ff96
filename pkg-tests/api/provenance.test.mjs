// The provenance of values that the page shows: for every example of the gallery, at every leaf of every stage.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { build } from "esbuild";
import { DebugSession } from "stepglass/debug";
import { parse } from "yaml";
import { gallery, handlersOf } from "./examples.mjs";

const worker = resolve(import.meta.dirname, "../../www/src/worker");
// "stepglass" resolves from here.
const folder = mkdtempSync(join(import.meta.dirname, "../.cache/provenance-"));
let page;

before(async () => {
  const outfile = join(folder, "page.mjs");
  const contents = ["origin", "sources", "select", "reads", "flow"].map((name) => `export * from "./${name}.ts";`).join("\n");
  await build({
    stdin: { contents, resolveDir: worker, loader: "ts" },
    bundle: true,
    format: "esm",
    outfile,
    alias: { "stepglass/events": resolve(worker, "../../../js/core/history/events.ts") },
    external: ["stepglass", "stepglass/debug"],
    logLevel: "error",
  });
  page = await import(pathToFileURL(outfile).href);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Returns a machine's session after the run has ended. */
async function ran(definition, input, { answers = {}, ...options } = {}) {
  const session = new DebugSession(definition, { input, seed: 1, startTime: 1_760_000_000_000, ...options });
  session.continue();
  while (session.status !== "ended") {
    for (const { task, state } of session.waiting()) session.answer(task, { kind: "succeed", output: answers[state] ?? { ok: true } });
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return session;
}

/** Returns the source of a part of a state's output, as the page shows it. */
async function chain(definition, input, state, path, { stage = "output", mocked, iteration, ...options } = {}) {
  const session = await ran(definition, input, options);
  const visits = session.visits(state);
  const visit = iteration === undefined ? visits.at(-1) : visits.find((one) => one.iterations.at(-1) === iteration);
  const { stages, attempts } = session.stages(visit.id, undefined, { all: true });
  const at = stage === "input" ? -1 : stages.findLastIndex((one) => one.stage === stage);
  return page
    .originOf(session, JSON.stringify(definition), visit.id, attempts - 1, at, path, mocked)
    .map(({ text, depth, approximate }) => `${"  ".repeat(depth)}${approximate ? "~ " : ""}${text}`);
}

function* leaves(value, path = []) {
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0)
    for (const key of Object.keys(value)) yield* leaves(value[key], [...path, Array.isArray(value) ? Number(key) : key]);
  else yield path;
}

const at = (value, path) => path.reduce((inner, step) => inner?.[step], value);
const END =
  /the execution's input$|written in |the task's result in |the Context Object$|the error of |, a child execution$|read by the ItemReader|is null$|nobody has assigned$|, which reads no input$|all branches of |as above$/;

describe("the gallery", () => {
  for (const example of gallery()) {
    test(example.title, async () => {
      const definition =
        example.format === "yaml"
          ? JSON.stringify(parse(example.definition.replace("Publsh", "Publish"), { merge: true }))
          : example.definition;
      let checked = 0;
      for (const { input, answers } of example.inputs) {
        const session = await ran(definition, input, { tasks: await handlersOf(example.tasks), ask: true, answers });
        const looking = new page.Looking(session, definition);
        for (const visit of looking.visits) {
          const { attempts } = session.stages(visit.id, undefined, { all: true });
          for (let attempt = 0; attempt < attempts; attempt++) {
            const scene = looking.scene(visit.id, attempt);
            for (const [stage, { stage: name, value }] of scene.stages.entries()) {
              if (["choice", "retry", "catch", "maxConcurrency", "error"].includes(name) || name.startsWith("tolerated")) continue;
              for (const path of [...leaves(value)].slice(0, 25)) {
                const about = `${visit.state} ${name} ${JSON.stringify(path)} = ${JSON.stringify(at(value, path))}`;
                const making = looking.making(scene, stage, path);
                // A source that is called exact has the same value.
                const untouched =
                  !making.approximate &&
                  !making.literal &&
                  making.places.length === 1 &&
                  (!making.leaf || page.readsOfPath(making.leaf.text).plain || page.readsOfJsonata(making.leaf.text).plain);
                if (untouched) {
                  const [source] = making.places;
                  assert.deepEqual(at(source.at < 0 ? scene.input : scene.stages[source.at].value, source.path), at(value, path), about);
                }
                const origins = page.originOf(session, definition, visit.id, attempt, stage, path);
                const end = origins.at(-1);
                assert.ok(end && (END.test(end.text) || origins.length === 60), `${about}\n${origins.map(({ text }) => text).join("\n")}`);
                checked += 1;
              }
            }
          }
        }
        session.dispose();
      }
      assert.ok(checked > 0);
    });
  }
});

describe("chains of sources", () => {
  const task = (more) => ({ Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:f", ...more });
  const machine = (States, more) => ({ StartAt: Object.keys(States)[0], ...more, States });

  test("lead through templates, filters, results and ResultPath to the execution's input", async () => {
    const definition = machine({
      Pick: {
        Type: "Pass",
        Parameters: { "dear.$": "$.lines[?(@.price > 10)].sku", "last.$": "$.lines[-1:]" },
        ResultPath: "$.picked",
        Next: "Price",
      },
      Price: task({
        InputPath: "$.picked",
        ResultSelector: { "total.$": "$.sum" },
        ResultPath: "$.pricing",
        OutputPath: "$['pricing', 'picked']",
        End: true,
      }),
    });
    const input = {
      lines: [
        { sku: "cap", price: 4 },
        { sku: "lens", price: 40 },
      ],
    };
    const tasks = { f: () => ({ sum: 40 }) };
    assert.deepEqual(await chain(definition, input, "Price", ["picked", "dear", 0], { tasks }), [
      "$.picked.dear[0] ← $['pricing', 'picked'] in OutputPath of Price",
      "$.picked.dear[0] ← output of Pick",
      "$.picked.dear[0] ← ResultPath $.picked of Pick",
      "$.dear[0] ← $.lines[?(@.price > 10)].sku in Parameters of Pick",
      "$.lines[1].sku ← the execution's input",
    ]);
    assert.deepEqual(await chain(definition, input, "Price", ["pricing", "total"], { tasks, mocked: (state) => state === "Price" }), [
      "$.pricing.total ← $['pricing', 'picked'] in OutputPath of Price",
      "$.pricing.total ← ResultPath $.pricing of Price",
      "$.total ← $.sum in ResultSelector of Price",
      "$.sum ← the task's result in Price (mock)",
    ]);
    assert.deepEqual(
      (await chain(definition, input, "Price", ["last", 0, "price"], { tasks, stage: "afterInputPath" })).at(-1),
      "$.lines[1].price ← the execution's input",
    );
  });

  test("end at a task, whose work is unknown, unless its result contains the same value", async () => {
    const definition = machine({
      Call: task({ Parameters: { "id.$": "$.order.id", twice: { "a.$": "$.order.who", "b.$": "$.order.who" }, yes: true }, End: true }),
    });
    const tasks = { f: ({ id, twice, yes }) => ({ confirmed: id, who: twice.a, made: "in the task", yes }) };
    const input = { order: { id: "A-17", who: "Ada" } };
    assert.deepEqual(await chain(definition, input, "Call", ["confirmed"], { tasks }), [
      "$.confirmed ← the task's result in Call",
      "~ the same value is in the input of the task, at $.id",
      "$.id ← $.order.id in Parameters of Call",
      "$.order.id ← the execution's input",
    ]);
    // If a value may have several sources or none, or is too common, no source is shown.
    for (const name of ["who", "made", "yes"])
      assert.deepEqual(await chain(definition, input, "Call", [name], { tasks }), [`$.${name} ← the task's result in Call`]);
  });

  test("of a batch's items lead to items of the Map and to the common input of batches", async () => {
    const ItemProcessor = {
      ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
      StartAt: "P",
      States: { P: { Type: "Pass", End: true } },
    };
    const definition = machine({
      M: {
        Type: "Map",
        ItemsPath: "$.rows",
        ItemBatcher: { MaxItemsPerBatch: 2, BatchInput: { "shop.$": "$.shop" } },
        ItemProcessor,
        End: true,
      },
    });
    const of = (path) =>
      chain(definition, { rows: [{ n: 1 }, { n: 2 }, { n: 3 }], shop: "north" }, "M", path, { stage: "afterItemBatcher" });
    assert.deepEqual(await of(["Items", 0, "n"]), ["$ ← $.rows in ItemsPath of M", "$.rows ← the execution's input"]);
    assert.deepEqual(await of(["BatchInput", "shop"]), [
      "$.BatchInput.shop ← $.shop in ItemBatcher of M",
      "$.shop ← the execution's input",
    ]);
  });

  test("lead through variables, which JSONata reads, to the state that assigned them", async () => {
    const definition = machine(
      {
        First: { Type: "Pass", Assign: { rate: "{% $states.input.rate %}", other: 1 }, Next: "Second" },
        Second: { Type: "Pass", Assign: { rate: "{% $rate * 2 %}" }, Next: "Third" },
        Third: { Type: "Pass", Output: { it: "{% $rate %}", sum: "{% $sum($states.input.lines[kept].price) %}" }, End: true },
      },
      { QueryLanguage: "JSONata" },
    );
    const input = {
      rate: 2,
      lines: [
        { kept: true, price: 1 },
        { kept: false, price: 2 },
      ],
    };
    assert.deepEqual(await chain(definition, input, "Third", ["it"]), [
      "$.it ← $rate in Output of Third",
      "$rate ← assigned by Second",
      "~ $.rate ← $rate * 2 in Assign of Second",
      "$rate ← assigned by First",
      "$.rate ← $states.input.rate in Assign of First",
      "$.rate ← the execution's input",
    ]);
    // The condition and the prices of the selected lines matter; those of the others do not.
    const session = await ran(definition, input);
    const third = session.visits("Third")[0].id;
    const looking = new page.Looking(session, JSON.stringify(definition));
    const lights = page.lightsOf(
      looking,
      third,
      0,
      looking.scene(third, 0).stages.findIndex(({ stage }) => stage === "output"),
      { path: ["sum"] },
    );
    assert.deepEqual(
      [lights.approximate, lights.places.map(({ path }) => path.join("."))],
      [true, ["lines.0.kept", "lines.0.price", "lines.1.kept"]],
    );
  });

  test("lead out of a Map and a Parallel into the branch, through items and ItemSelector, and through a rule of a Choice", async () => {
    const inner = machine({
      Big: {
        Type: "Choice",
        Choices: [{ Variable: "$.it.n", NumericGreaterThan: 1, Assign: { big: "yes" }, Next: "Double" }],
        Default: "Keep",
      },
      Double: { Type: "Pass", Parameters: { "twice.$": "$.it.n", "from.$": "$.shop" }, End: true },
      Keep: { Type: "Pass", End: true },
    });
    const definition = machine({
      Split: {
        Type: "Parallel",
        Branches: [
          machine({ Left: { Type: "Pass", OutputPath: "$.a", End: true } }),
          machine({ Right: { Type: "Pass", Result: 7, End: true } }),
        ],
        ResultPath: "$.split",
        Next: "Each",
      },
      Each: {
        Type: "Map",
        ItemsPath: "$.a.list",
        ItemSelector: { "it.$": "$$.Map.Item.Value", "shop.$": "$.shop", k: 1 },
        ItemProcessor: inner,
        ResultPath: "$.made",
        End: true,
      },
    });
    const input = { shop: "s", a: { list: [{ n: 1 }, { n: 2 }] } };
    assert.deepEqual(await chain(definition, input, "Each", ["made", 1, "twice"]), [
      "$.made[1].twice ← ResultPath $.made of Each",
      "$[1].twice ← iteration 1 of Each",
      "$.twice ← $.it.n in Parameters of Double",
      "$.it.n ← output of Big",
      "$.it.n ← item 1 of Each",
      "$.it.n ← $$.Map.Item.Value in ItemSelector of Each",
      "$$.Map.Item.Value.n ← item 1 of Each",
      "$[1].n ← $.a.list in ItemsPath of Each",
      "$.a.list[1].n ← output of Split",
      "$.a.list[1].n ← the execution's input",
    ]);
    assert.deepEqual((await chain(definition, input, "Double", ["from"])).at(-1), "$.shop ← the execution's input");
    assert.deepEqual(await chain(definition, input, "Keep", ["k"]), [
      "$.k ← output of Big",
      "$.k ← item 0 of Each",
      "$.k ← written in ItemSelector of Each",
    ]);
    assert.deepEqual((await chain(definition, input, "Split", ["split", 0, "list", 0, "n"])).slice(1), [
      "$[0].list[0].n ← branch 0 of Split",
      "$.list[0].n ← $.a in OutputPath of Left",
      "$.a.list[0].n ← input of Split",
      "$.a.list[0].n ← the execution's input",
    ]);
    assert.deepEqual((await chain(definition, input, "Each", ["split", 1])).at(-1), "$ ← written in Result of Right");
    assert.deepEqual(await chain(definition, input, "Big", ["big"], { stage: "assignedVariables", iteration: 1 }), [
      "$.big ← written in Choices[0].Assign of Big",
    ]);
  });

  test("lead through the output of a catcher, in both languages", async () => {
    const fail = { f: () => Promise.reject(Object.assign(new Error("no"), { name: "Broken" })) };
    const jsonpath = machine({
      T: task({
        Catch: [
          { ErrorEquals: ["Other"], Next: "N" },
          { ErrorEquals: ["Broken"], ResultPath: "$.why", Assign: { "e.$": "$.Error" }, Next: "N" },
        ],
        End: true,
      }),
      N: { Type: "Pass", End: true },
    });
    assert.deepEqual(await chain(jsonpath, { a: 1 }, "N", ["why", "Error"], { tasks: fail }), [
      "$.why.Error ← output of T",
      "$.why.Error ← ResultPath $.why of T",
      "$.Error ← the error of T",
    ]);
    assert.deepEqual(await chain(jsonpath, { a: 1 }, "N", ["a"], { tasks: fail }), ["$.a ← output of T", "$.a ← the execution's input"]);
    assert.deepEqual(await chain(jsonpath, { a: 1 }, "T", ["e"], { tasks: fail, stage: "assignedVariables" }), [
      "$.e ← $.Error in Catch[1].Assign of T",
      "$.Error ← the error of T",
    ]);
    const jsonata = machine(
      {
        T: task({
          Arguments: {},
          Catch: [
            { ErrorEquals: ["States.ALL"], Output: { why: "{% $states.errorOutput.Error %}", kept: "{% $states.input.a %}" }, Next: "N" },
          ],
          End: true,
        }),
        N: { Type: "Pass", End: true },
      },
      { QueryLanguage: "JSONata" },
    );
    assert.deepEqual(await chain(jsonata, { a: 1 }, "N", ["why"], { tasks: fail }), [
      "$.why ← output of T",
      "$.why ← $states.errorOutput.Error in Catch[0].Output of T",
      "$.Error ← the error of T",
    ]);
    assert.deepEqual((await chain(jsonata, { a: 1 }, "N", ["kept"], { tasks: fail })).at(-1), "$.a ← the execution's input");
  });
});

test("the inputs of expressions", () => {
  const reads = (text, by = page.readsOfJsonata) => by(text).reads.map(({ of, name, path }) => `${name ?? of}${path}`);
  assert.deepEqual(reads("{% $states.input.a.`b c`[0] & $x.y & '$no' /* $states.input.z */ %}"), ["input.a.`b c`[0]", "x.y"]);
  assert.deepEqual(reads("($own := $states.result.a; $map($own, function($v) { $v + $lookup($t, 'k') }))"), ["result.a", "t"]);
  assert.deepEqual(reads("$states.input.name.$uppercase()"), ["input.name"]);
  assert.deepEqual(reads("States.Format('{} $.no', $.a['b,c'], States.Array($$.State.Name, $v.w))", page.readsOfPath), [
    "data.a['b,c']",
    "context.State.Name",
    "v.w",
  ]);
  assert.equal(page.readsOfJsonata("{% $states.input.a %}").plain, true);
  assert.equal(page.readsOfJsonata("{% $states.input.a + 1 %}").plain, false);
  assert.deepEqual(page.readWords('$states.input.total > $limit and $count($states.input.`a b`) = 1 and "$no" != $states.input'), [
    "$states.input.total",
    "$limit",
    "$states.input.`a b`",
  ]);
});

test("are found where a path selects them", () => {
  const value = { a: [{ b: 1 }, { b: 2 }, { c: { b: 3 } }], "x y": { z: 1 }, n: null };
  const places = (path) => page.select(path, value)?.places.map((place) => place.join("."));
  assert.deepEqual(places(".a[*].b"), ["a.0.b", "a.1.b"]);
  assert.deepEqual(places(".a[-1].c.b"), ["a.2.c.b"]);
  assert.deepEqual(places(".a[0:2].b"), ["a.0.b", "a.1.b"]);
  assert.deepEqual(places(".a[0,2]"), ["a.0", "a.2"]);
  assert.deepEqual(places("..b"), ["a.0.b", "a.1.b", "a.2.c.b"]);
  assert.deepEqual(places("['x y']['z']"), ["x y.z"]);
  assert.deepEqual(places(".a[?(@.b > 1)].b"), ["a.1.b"]);
  assert.deepEqual(places(".nothing.at.all"), []);
  assert.equal(places(".a.length()"), undefined);
  assert.deepEqual(page.selectMapped(".a.b", value).places, [
    ["a", 0, "b"],
    ["a", 1, "b"],
  ]);
});
