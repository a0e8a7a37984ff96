// The data flow of a recorded execution, which the page computes by replaying it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { layout, replayHistory, simulate } from "stepglass";
import { watchRejections } from "./machines.mjs";

watchRejections();

const www = resolve(import.meta.dirname, "../../www/src");
// The import of "stepglass" resolves from this folder.
const folder = mkdtempSync(join(import.meta.dirname, "../.cache/recorded-data-flow-"));
let page;

before(async () => {
  const outfile = join(folder, "page.mjs");
  const contents = ["worker/replayedRun", "worker/historyLists", "worker/failure", "model/graph"]
    .map((name) => `export * from "./${name}.ts";`)
    .join("\n");
  const core = (name) => resolve(www, `../../js/core/${name}.ts`);
  await build({
    stdin: { contents, resolveDir: www, loader: "ts" },
    bundle: true,
    format: "esm",
    outfile,
    alias: {
      "stepglass/pointer": core("base/pointer"),
      "stepglass/events": core("history/events"),
      "stepglass/chains": core("history/chains"),
      "stepglass/profile": core("history/profile"),
      "stepglass/search": core("base/search"),
    },
    external: ["stepglass", "stepglass/debug"],
    logLevel: "error",
  });
  page = await import(pathToFileURL(outfile).href);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const RESOURCE = "arn:aws:lambda:eu-west-1:123456789012:function:work";
const pass = (Parameters, more = { End: true }) => ({ Type: "Pass", Parameters, ...more });

/** Replays a history with a definition, as the page does. */
function replayed(t, definition, events) {
  const recording = new page.ListedHistory(new page.GraphIndex(layout(definition)));
  for (const event of events) recording.add(event);
  const run = new page.ReplayedRun(JSON.stringify(definition), recording, replayHistory(definition, events));
  t.after(() => run.dispose());
  return run;
}

const stagesOf = (flow) => flow && Object.fromEntries(flow.stages.map(({ stage, value }) => [stage, value]));

test("a recorded failure has the field that failed, and the part of its expression", async (t) => {
  const definition = { StartAt: "Total", States: { Total: pass({ "sum.$": "States.MathAdd($.price, $.tip)" }) } };
  const run = replayed(t, definition, simulate(definition, { price: 5 }).history);
  const flow = await run.flow({ state: "Total" });
  assert.equal(stagesOf(flow).error.Error, "States.Runtime");
  const { field, expression, from, to } = page.failureOf(run.session, run.definition(), flow.visit, flow.attempt);
  assert.deepEqual([field, expression.slice(from, to)], ["Parameters.sum.$", ".tip"]);
});

test("a recorded task has its attempts with their retries, and its result", async (t) => {
  const definition = {
    StartAt: "Work",
    States: { Work: { Type: "Task", Resource: RESOURCE, ResultPath: "$.done", Retry: [{ ErrorEquals: ["Busy"] }], End: true } },
  };
  const { history } = simulate(definition, { n: 1 }, { Work: [{ error: "Busy" }, { error: "Busy" }, { output: 7 }] });
  const run = replayed(t, definition, history);
  const { id: enter } = history.find(({ type }) => type === "TaskStateEntered");
  const first = await run.flow({ state: "Work", enter, attempt: 0 });
  assert.equal(first.attempts, 3);
  assert.deepEqual([stagesOf(first).error.Error, stagesOf(first).retry.attempt], ["Busy", 1]);
  assert.deepEqual(stagesOf(await run.flow({ state: "Work", enter })).output, { n: 1, done: 7 });
});

test("nothing is computed from the first state on that differs from the recording", async (t) => {
  const states = (sum) => ({
    StartAt: "Same",
    States: {
      Same: pass({ "n.$": "$.n" }, { Next: "Other" }),
      Other: pass({ n: sum }, { Next: "Last" }),
      Last: pass({ "n.$": "$.n" }),
    },
  });
  const run = replayed(t, states(2), simulate(states(1), { n: 0 }).history);
  assert.deepEqual(stagesOf(await run.flow({ state: "Same" })).output, { n: 0 });
  assert.equal(await run.flow({ state: "Other" }), null);
  assert.equal(await run.flow({ state: "Last" }), null);
});

test("visits are found although the recording has the branches in another order", async (t) => {
  const branch = (name) => ({ StartAt: name, States: { [name]: pass({ name, "n.$": "$.n" }) } });
  const definition = { StartAt: "Both", States: { Both: { Type: "Parallel", Branches: [branch("One"), branch("Two")], End: true } } };
  const { history } = simulate(definition, { n: 3 });
  const nameOf = ({ stateEnteredEventDetails, stateExitedEventDetails }) => (stateEnteredEventDetails ?? stateExitedEventDetails)?.name;
  const first = history.findIndex((event) => nameOf(event) === "One");
  const inside = history.filter((event) => /One|Two/.test(nameOf(event)));
  const order = [
    ...history.slice(0, first),
    ...inside.filter((event) => nameOf(event) === "Two"),
    ...inside.filter((event) => nameOf(event) === "One"),
    ...history.slice(first + inside.length),
  ];
  const ids = new Map(order.map(({ id }, i) => [id, i + 1]));
  const events = order.map((event, i) => ({ ...event, id: i + 1, previousEventId: ids.get(event.previousEventId) ?? 0 }));
  assert.notDeepEqual(events.map(nameOf), history.map(nameOf));

  const run = replayed(t, definition, events);
  for (const name of ["One", "Two"]) {
    const enter = events.find((event) => nameOf(event) === name).id;
    const flow = await run.flow({ state: name, enter });
    assert.deepEqual([flow.enter, stagesOf(flow).output], [enter, { name, n: 3 }]);
    const at = flow.stages.findIndex(({ stage }) => stage === "afterParameters");
    const [origin] = run.origin({ visit: flow.visit, attempt: 0, stage: at, path: ["n"], item: undefined });
    assert.deepEqual([origin.state, origin.event], [name, enter]);
  }
});

const distributed = (more) => ({
  Type: "Map",
  ItemsPath: "$.items",
  ItemProcessor: {
    ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
    StartAt: "Item",
    States: { Item: { Type: "Task", Resource: RESOURCE, End: true } },
  },
  ...more,
});

test("the states before and after a Distributed Map have their data, and the Map itself has none", async (t) => {
  const definition = {
    StartAt: "Before",
    States: {
      Before: pass({ "items.$": "$.items" }, { Next: "Each" }),
      Each: distributed({ ResultSelector: { "all.$": "$" }, ResultPath: "$.results", Next: "After" }),
      After: pass({ "first.$": "$.results.all[0]" }),
    },
  };
  const { history } = simulate(definition, { items: [1, 2] }, { Item: { output: { n: 7 } } });
  const run = replayed(t, definition, history);
  assert.deepEqual(stagesOf(await run.flow({ state: "Before" })).output, { items: [1, 2] });
  assert.equal(await run.flow({ state: "Each" }), null);
  assert.deepEqual(stagesOf(await run.flow({ state: "After" })).output, { first: { n: 7 } });
  // A new run calls the tasks of the children, for which this recording has no answers.
  const entered = (name) => history.find(({ stateEnteredEventDetails: at }) => at?.name === name).id;
  assert.equal(await run.entryOf("Before", entered("Before")), entered("Before"));
  assert.equal(await run.entryOf("After", entered("After")), undefined);
});

test("a Distributed Map whose error was caught, and its variables, lead to the data of the states after it", async (t) => {
  const items = { QueryLanguage: "JSONata", Items: "{% $states.input.items %}", ItemsPath: undefined };
  const definition = {
    QueryLanguage: "JSONata",
    StartAt: "Fails",
    States: {
      Fails: distributed({ ...items, Catch: [{ ErrorEquals: ["States.ALL"], Next: "Each" }], Next: "Each" }),
      Each: distributed({
        ...items,
        Items: [1],
        ItemProcessor: {
          ...distributed().ItemProcessor,
          StartAt: "Good",
          States: { Good: { Type: "Task", Resource: RESOURCE, End: true } },
        },
        Assign: { sum: "{% $sum($states.result) %}" },
        Output: "{% $states.input.Error %}",
        Next: "After",
      }),
      After: { Type: "Pass", Output: { error: "{% $states.input %}", sum: "{% $sum %}" }, End: true },
    },
  };
  for (const name of ["Fails", "Each"]) delete definition.States[name].ItemsPath;
  const answers = { Item: { error: "Broken", cause: "it is" }, Good: { output: 5 } };
  const { history, output } = simulate(definition, { items: [1, 2] }, answers);
  const run = replayed(t, definition, history);
  assert.deepEqual(stagesOf(await run.flow({ state: "After" })).output, output);
});

test("a task whose result is not in the recording ends the replay", async (t) => {
  const definition = {
    StartAt: "First",
    States: { First: { Type: "Task", Resource: RESOURCE, Next: "Second" }, Second: { Type: "Task", Resource: RESOURCE, End: true } },
  };
  const { history } = simulate(definition, {}, { First: { output: { n: 1 } }, Second: { output: { n: 2 } } });
  const second = history.findLastIndex(({ type }) => type === "LambdaFunctionScheduled");
  const events = history.map((event, i) => {
    if (i <= second || !event.lambdaFunctionSucceededEventDetails) return event;
    return { ...event, lambdaFunctionSucceededEventDetails: {} };
  });
  const run = replayed(t, definition, events);
  assert.deepEqual(stagesOf(await run.flow({ state: "First" })).output, { n: 1 });
  assert.equal(await run.flow({ state: "Second" }), null);
});
