// The interpreter's decisions about an error, and the page's words for them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { build } from "esbuild";
import { StateMachine } from "stepglass";
import { DebugSession } from "stepglass/debug";
import { watchRejections } from "./machines.mjs";

watchRejections();

const www = resolve(import.meta.dirname, "../../www/src");
// The import of "stepglass" resolves from this folder.
const folder = mkdtempSync(join(import.meta.dirname, "../.cache/error-facts-"));
let page;

before(async () => {
  const outfile = join(folder, "page.mjs");
  const contents = ["worker/failure", "worker/flow", "model/retries", "../../js/core/history/verdicts"]
    .map((name) => `export * from "./${name}.ts";`)
    .join("\n");
  await build({
    stdin: { contents, resolveDir: www, loader: "ts" },
    bundle: true,
    format: "esm",
    outfile,
    alias: {
      "stepglass/pointer": resolve(www, "../../js/core/base/pointer.ts"),
      "stepglass/events": resolve(www, "../../js/core/history/events.ts"),
    },
    external: ["stepglass", "stepglass/debug"],
    logLevel: "error",
  });
  page = await import(pathToFileURL(outfile).href);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const RESOURCE = "arn:aws:lambda:eu-west-1:123456789012:function:work";
const machine = (Retry, Catch) => ({
  StartAt: "Work",
  States: {
    Work: { Type: "Task", Resource: RESOURCE, HeartbeatSeconds: 5, TimeoutSeconds: 60, Retry, Catch, Next: "Done" },
    Done: { Type: "Succeed" },
  },
});
const retry = (...ErrorEquals) => ({ ErrorEquals, IntervalSeconds: 2, MaxAttempts: 1 });
const caught = (...ErrorEquals) => ({ ErrorEquals, Next: "Done" });

/** Runs to the end with the same answer for every task. Returns the session. */
async function ran(definition, answer, input = {}) {
  const session = new DebugSession(definition, { input, ask: true, mocks: {}, seed: 1, startTime: 1_760_000_000_000 });
  session.continue();
  for (let turn = 0; session.status !== "ended"; turn++) {
    assert.ok(turn < 1000, "the run does not end");
    for (const { task } of session.waiting()) session.answer(task, answer);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return session;
}

/** Returns the verdicts on the errors of each attempt of the state Work, and the outcome that the page shows. */
async function verdicts(definition, answer) {
  const session = await ran(definition, answer);
  const text = JSON.stringify(definition);
  const { attempts } = session.stages(session.visits("Work").at(-1).id, undefined, { all: true });
  return Array.from({ length: attempts }, (_, attempt) => {
    const flow = page.flowOf(session, text, "Work", undefined, attempt);
    const stage = flow.stages.find((one) => one.stage === "error");
    const { retriers, catchers } = stage.failure;
    const error = stage.value.Error;
    return {
      retriers: retriers.map((one) => one.verdict),
      catchers: catchers.map((one) => one.verdict),
      said: retriers.map((one) => page.whyNotRetried(one, error)),
      fate: page.fateOf(flow, stage, undefined),
      failure: stage.failure,
    };
  });
}

describe("verdicts of retriers and catchers", () => {
  test("a missed heartbeat is matched by States.HeartbeatTimeout and by States.Timeout", async () => {
    const definition = machine([retry("States.TaskFailed"), retry("States.HeartbeatTimeout")], [caught("States.Timeout")]);
    const [first, second] = await verdicts(definition, { kind: "silence" });
    assert.equal(first.failure.kind, "heartbeat");
    assert.deepEqual(first.retriers, ["notNamed", "retries"]);
    assert.deepEqual(first.catchers, ["retried"]);
    assert.equal(first.failure.retriers[1].delayMilliseconds, 2000);
    assert.deepEqual(second.retriers, ["notNamed", "maxAttempts"]);
    assert.equal(second.said[1], "used up: 1 of 1");
    assert.deepEqual(second.catchers, ["catches"]);
    assert.equal(second.fate.words, "Caught by catcher 1 → Done");
  });

  test("an error of Stepglass is retried only if its name is given", async () => {
    const fails = { kind: "fail", error: "Stepglass.Cancelled" };
    const all = await verdicts(machine([retry("States.ALL")], [caught("States.ALL")]), fails);
    assert.deepEqual(
      all.map((one) => [one.retriers, one.catchers]),
      [[["notByAll"], ["catches"]]],
    );
    assert.equal(all[0].said[0], "States.ALL does not retry Stepglass.Cancelled: name it in ErrorEquals");
    const named = await verdicts(machine([retry("Stepglass.Cancelled")], [caught("States.ALL")]), fails);
    assert.deepEqual(
      named.map((one) => one.retriers),
      [["retries"], ["maxAttempts"]],
    );
  });

  test("States.ALL matches States.DataLimitExceeded, and the page agrees", async () => {
    const fails = { kind: "fail", error: "States.DataLimitExceeded" };
    const [one] = await verdicts(machine([], [caught("Other"), caught("States.ALL")]), fails);
    assert.deepEqual(one.catchers, ["notNamed", "catches"]);
    assert.ok(one.failure.caughtBy.includes("States.ALL"));
    const [none] = await verdicts(machine([], [caught("Other")]), fails);
    assert.deepEqual(none.fate, { words: "Nothing caught this error: no catcher matches it.", open: true });
  });

  test("nothing matches States.Runtime", async () => {
    const [one] = await verdicts(machine([retry("States.ALL")], [caught("States.ALL")]), { kind: "fail", error: "States.Runtime" });
    assert.deepEqual([one.retriers, one.catchers, one.failure.caughtBy], [["uncatchable"], ["uncatchable"], []]);
    assert.equal(one.fate.words, "Nothing can catch this error: the execution fails.");
  });
});

test("the position of a failed expression is a JSON Pointer, whatever the names of its members are", async () => {
  const Output = { "a/b [0]": ["x", "{% $states.input.no.thing %}"] };
  const definition = { QueryLanguage: "JSONata", StartAt: "Make", States: { Make: { Type: "Pass", Output, End: true } } };
  const session = await ran(definition, undefined);
  const visit = session.visits("Make").at(-1).id;
  const { stages } = session.stages(visit, undefined, { all: true });
  const { failure } = stages.find(({ stage }) => stage === "error");
  assert.deepEqual([failure.kind, failure.pointer, failure.expression], ["expression", "/Output/a~1b [0]/1", "$states.input.no.thing"]);
  const info = page.failureOf(session, JSON.stringify(definition), visit, 0);
  assert.equal(info.expression, "$states.input.no.thing");
  assert.equal(info.field, "Output.a/b [0][1]");
  assert.equal(info.said, failure.message);
});

test("the part of an expression that throws is found without a second evaluation", async () => {
  const definition = {
    QueryLanguage: "JSONata",
    StartAt: "Make",
    States: { Make: { Type: "Pass", Output: "{% 'é😀' & $number('x') %}", End: true } },
  };
  const session = await ran(definition, undefined);
  const info = page.failureOf(session, JSON.stringify(definition), session.visits("Make").at(-1).id, 0);
  assert.equal(info.expression.slice(info.from, info.to), "$number");
});

describe("the field of a failed path or template", () => {
  const items = { ItemProcessor: { StartAt: "One", States: { One: { Type: "Pass", End: true } } } };
  for (const [title, fields, field, wrong, why] of [
    ["InputPath", { Type: "Pass", InputPath: "$.order.id" }, "InputPath", ".id", "$.order is an object with lines: it has no id."],
    [
      "a member of Parameters whose name has a slash",
      { Type: "Pass", Parameters: { "a/b": [1, { "c.$": "$.order.id" }] } },
      "Parameters.a/b[1].c.$",
      ".id",
      "$.order is an object with lines: it has no id.",
    ],
    [
      "the second argument of an intrinsic function",
      { Type: "Pass", Parameters: { "c.$": "States.MathAdd($.count, $.order.id)" } },
      "Parameters.c.$",
      ".id",
      "$.order is an object with lines: it has no id.",
    ],
    [
      "ResultPath",
      { Type: "Pass", Result: 1, ResultPath: "$.count.sum" },
      "ResultPath",
      ".sum",
      "$.count is the number 2, which cannot have sum.",
    ],
    [
      "SecondsPath",
      { Type: "Wait", SecondsPath: "$.order.wait" },
      "SecondsPath",
      ".wait",
      "$.order is an object with lines: it has no wait.",
    ],
    [
      "ItemsPath",
      { Type: "Map", ItemsPath: "$.lines", ...items },
      "ItemsPath",
      ".lines",
      "$ is an object with order, count: it has no lines.",
    ],
  ])
    test(`is reported for ${title}`, async () => {
      const definition = { StartAt: "Make", States: { Make: { ...fields, Next: "Done" }, Done: { Type: "Succeed" } } };
      const session = await ran(definition, undefined, { order: { lines: [] }, count: 2 });
      const info = page.failureOf(session, JSON.stringify(definition), session.visits("Make").at(-1).id, 0);
      assert.equal(info.field, field);
      assert.equal(info.expression.slice(info.from, info.to), wrong);
      assert.equal(info.why, why);
    });

  test("is the comparison of a rule inside of others", async () => {
    const Choices = [{ And: [{ Variable: "$.count", NumericGreaterThanPath: "$.most" }], Next: "Done" }];
    const definition = { StartAt: "Pick", States: { Pick: { Type: "Choice", Choices }, Done: { Type: "Succeed" } } };
    const session = await ran(definition, undefined, { count: 2 });
    const info = page.failureOf(session, JSON.stringify(definition), session.visits("Pick").at(-1).id, 0);
    assert.equal(info.field, "Choices[0].And[0].NumericGreaterThanPath");
    assert.equal(info.why, "$ is an object with count: it has no most.");
  });
});

test("a trace has the facts, and other stages have none", async () => {
  const definition = { StartAt: "Make", States: { Make: { Type: "Pass", InputPath: "$.no", End: true } } };
  const execution = new StateMachine(definition).start({}, { trace: true });
  await execution.result;
  const stages = execution.trace();
  assert.deepEqual(
    stages.filter((stage) => stage.failure).map(({ stage, failure }) => [stage, failure.expression]),
    [["error", "$.no"]],
  );
});
