// Runs of the test kit: what they contain, expectations, and the messages of failed expectations.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import * as testing from "stepglass/testing";
import { expectRun, iterations, matchers, never, returns, testMachine, throws } from "stepglass/testing";

const definition = {
  StartAt: "Charge",
  States: {
    Charge: {
      Type: "Task",
      Resource: "arn:aws:lambda:us-east-1:123456789012:function:charge",
      TimeoutSeconds: 60,
      Retry: [{ ErrorEquals: ["Declined"], IntervalSeconds: 3600, MaxAttempts: 1 }],
      Catch: [
        { ErrorEquals: ["Fraud"], Next: "Refused" },
        { ErrorEquals: ["States.ALL"], ResultPath: "$.error", Next: "Nap" },
      ],
      ResultPath: "$.receipt",
      Next: "Enough",
    },
    Enough: { Type: "Choice", Choices: [{ Variable: "$.receipt.amount", NumericGreaterThan: 100, Next: "Gift" }], Default: "Done" },
    Gift: { Type: "Pass", Result: "voucher", ResultPath: "$.gift", Next: "Done" },
    Nap: { Type: "Wait", Seconds: 5400, Next: "Each" },
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      ItemProcessor: {
        StartAt: "Item",
        States: { Item: { Type: "Task", Resource: "item", Retry: [{ ErrorEquals: ["Busy"] }], End: true } },
      },
      ResultPath: "$.items",
      Next: "Done",
    },
    Refused: { Type: "Fail", Error: "OrderRefused", Cause: "fraud" },
    Done: { Type: "Succeed" },
  },
};
const order = testMachine(definition);
const paid = () => order.run({ order: 7 }, { mocks: { Charge: [throws("Declined", "card"), returns({ amount: 120 })] } });
const napped = () =>
  order.run(
    { order: 7, items: ["a", "b"] },
    { mocks: { Charge: never(), Item: iterations({ 0: [throws("Busy"), returns(1)], "*": returns(2) }) } },
  );

test("expectations can be chained, and check what happened", async () => {
  const run = await paid();
  expectRun(run)
    .succeeded({ order: 7, receipt: { amount: 120 }, gift: "voucher" })
    .outputEquals({ order: (n) => n === 7, receipt: { amount: 120 }, gift: /^vou/ })
    .outputMatches({ receipt: { amount: 120 } })
    .tookPath("Charge", "Enough", "Gift", "Done")
    .tookPath(["Charge", "Enough", "Gift", "Done"])
    .passedThrough("Charge", "Gift")
    .entered("Gift")
    .entered("Gift", 1)
    .neverEntered("Nap")
    .called("Charge")
    .called("charge", 2)
    .neverCalled("Item")
    .calledWith("charge", { order: 7 })
    .calledWith("charge", { order: 7 }, 2)
    .retried("Charge")
    .retried("Charge", 1, { on: "Declined" })
    .retried("Charge", 0, { on: /Busy/ })
    .neverRetried("Item")
    .waited("Charge", "3600 s")
    .waited("Charge", "1h")
    .lasted("60 minutes")
    .caughtNothing()
    .inputOf("Enough", { receipt: { amount: 120 } })
    .outputOf("Gift", { gift: "voucher" });
  const other = await napped();
  expectRun(other)
    .succeeded()
    .caught("States.Timeout")
    .caught(/Timeout/, "Charge", 1)
    .waited("Nap", "1h 30m")
    .called("Item", 3)
    .passedThrough("Nap", "Item", "Item", "Done")
    .retried("Item", 1)
    .lasted("1h 31m 1s");
  expectRun(await order.run({}, { mocks: { charge: throws("Fraud") } }))
    .failedWith("OrderRefused", "fraud")
    .failedWith(/Order/, /fr/)
    .caught("Fraud", "Charge", 0);
  const limited = testMachine({ ...definition, TimeoutSeconds: 10 });
  expectRun(await limited.run({}, { mocks: { Charge: never() } }))
    .timedOut()
    .lasted("10 s");
});

test("a run lists calls, visits, retries, caught errors and waits, with iterations", async () => {
  const run = await napped();
  assert.deepEqual(run.path, ["Charge", "Nap", "Each", "Done"]);
  assert.deepEqual(run.waits, [{ state: "Nap", duration: 5_400_000, iterations: [] }]);
  assert.deepEqual(run.caught, [{ state: "Charge", error: "States.Timeout", cause: undefined, index: 1, iterations: [] }]);
  assert.deepEqual(
    run.retries.map(({ state, error, delay, iterations: at }) => [state, error, delay, at]),
    [["Item", "Busy", 1000, [0]]],
  );
  assert.deepEqual(
    run.calls.map(({ state, input, attempt, iterations: at, error }) => [state, input, attempt, at, error]),
    [
      ["Charge", { order: 7, items: ["a", "b"] }, 0, [], "AbortError"],
      ["Item", "a", 0, [0], "Busy"],
      ["Item", "b", 0, [1], undefined],
      ["Item", "a", 1, [0], undefined],
    ],
  );
  const items = run.visits.filter(({ state }) => state === "Item");
  assert.deepEqual(
    items.map(({ iterations: at, input, output, duration }) => [at, input, output, duration]),
    [
      [[0], "a", 1, 1000],
      [[1], "b", 2, 0],
    ],
  );
  assert.equal(run.hits["/States/Charge/Catch/1"], 1);
});

test("each visit in nested Maps has all indices around it", async () => {
  const inner = { Type: "Map", ItemProcessor: { StartAt: "Leaf", States: { Leaf: { Type: "Pass", End: true } } }, Next: "After" };
  const nested = testMachine({
    StartAt: "Outer",
    States: {
      Outer: {
        Type: "Map",
        ItemProcessor: { StartAt: "Inner", States: { Inner: inner, After: { Type: "Pass", End: true } } },
        Next: "End",
      },
      End: { Type: "Pass", End: true },
    },
  });
  const run = await nested.run([["a"], ["b", "c"]]);
  const of = (name) =>
    run.visits
      .filter(({ state }) => state === name)
      .map((visit) => visit.iterations.join("/"))
      .sort();
  assert.deepEqual(of("Leaf"), ["0/0", "1/0", "1/1"]);
  assert.deepEqual(of("After"), ["0", "1"]);
  assert.deepEqual(of("End"), [""]);
});

test("states of a Distributed Map are found in its child executions", async () => {
  const distributed = testMachine({
    StartAt: "M",
    States: {
      M: {
        Type: "Map",
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "Leaf",
          States: { Leaf: { Type: "Task", Resource: "leaf", End: true } },
        },
        End: true,
      },
    },
  });
  const run = await distributed.run([1, 2, 3], { mocks: { Leaf: (n) => n * 2 } });
  expectRun(run).succeeded([2, 4, 6]).entered("Leaf", 3).called("Leaf", 3).tookPath("M");
  assert.equal(run.children.length, 3);
});

test("the text of a run is readable, and the same in every run", async () => {
  const run = await napped();
  assert.equal(run.text(), (await napped()).text());
  assert.equal(
    run.text({ times: true, payloads: false }),
    `        0 s  start
        0 s  → Charge (Task)
        0 s      call charge
        1 m      ✗ States.Timeout
        1 m      ⤷ States.Timeout caught by Charge/Catch/1
        1 m  → Nap (Wait)
   1 h 31 m  → Each (Map)
   1 h 31 m      2 items
   1 h 31 m  → [0] Item (Task)
   1 h 31 m      [0] call item
   1 h 31 m  → [1] Item (Task)
   1 h 31 m      [1] call item
   1 h 31 m      [0] ✗ Busy
   1 h 31 m      [0] ↻ retry in 1 s by Item/Retry/0
   1 h 31 m      [1] ✓
   1 h 31 m  ← [1] Item
1 h 31 m 1 s      [0] call item
1 h 31 m 1 s      [0] ✓
1 h 31 m 1 s  ← [0] Item
1 h 31 m 1 s  → Done (Succeed)
1 h 31 m 1 s  SUCCEEDED
`,
  );
  assert.match(
    (await paid()).text(),
    /^start \{"order":7\}\n→ Charge \(Task\)\n {4}call charge\n {4}✗ Declined: card\n {4}↻ retry in 1 h by Charge\/Retry\/0\n/,
  );
  assert.equal(run.text({ lines: 4 }).split("\n").length, 6);
});

test("the history for snapshots has neither times nor ids, except on request", async () => {
  const [started, entered] = (await paid()).historySnapshot();
  assert.deepEqual(started, {
    type: "ExecutionStarted",
    executionStartedEventDetails: { input: { order: 7 }, roleArn: started.executionStartedEventDetails.roleArn },
  });
  assert.deepEqual(entered, { type: "TaskStateEntered", stateEnteredEventDetails: { name: "Charge", input: { order: 7 } } });
  const [first] = (await paid()).historySnapshot({ ids: true, times: true });
  assert.deepEqual([first.id, first.previousEventId, first.timestamp], [1, 0, "2025-01-01T00:00:00Z"]);
  assert.deepEqual((await paid()).historySnapshot(), (await paid()).historySnapshot());
});

test("a snapshot and console.log() show a readable run", async () => {
  const run = await paid();
  const { status, output, story } = JSON.parse(JSON.stringify(run));
  assert.deepEqual([status, output.order, story[0], story.at(-1).slice(0, 9)], ["SUCCEEDED", 7, 'start {"order":7}', "SUCCEEDED"]);
  assert.equal(inspect(run), run.text({ times: true }));
});

test("a failed expectation says what is wrong, how it differs, and what happened", async () => {
  const run = await paid();
  for (const [expect, message, actual, expected] of [
    [
      (e) => e.tookPath("Charge", "Enough", "Done"),
      /^Expected the path Charge → Enough → Done, but it entered Gift instead of Done\.\n {2}path taken: Charge → Enough → Gift → Done\n/,
      run.path,
      ["Charge", "Enough", "Done"],
    ],
    [(e) => e.tookPath("Charge"), /but it continued to Enough/],
    [(e) => e.tookPath(...run.path, "More"), /but it ended before More/],
    [
      (e) => e.succeeded({ order: 8, receipt: { amount: 120 }, gift: "voucher" }),
      /^Expected the output to be \{.*\}\.\n {4}\{\n {6}"gift": "voucher",\n {2}- {3}"order": 8,\n {2}\+ {3}"order": 7,\n/,
      run.output,
    ],
    [(e) => e.outputMatches({ receipt: { amount: 1 } }), /-\s+"amount": 1\n.*\+\s+"amount": 120\n/],
    [(e) => e.failedWith("Declined"), /^Expected the execution to fail\. The execution succeeded with /, "SUCCEEDED", "FAILED"],
    [(e) => e.timedOut(), /Expected the execution to time out/],
    [(e) => e.waitsForEver(), /Expected the execution to wait for ever/],
    [
      (e) => e.called("Charge", 1),
      /^Expected Charge to be called once, but it was called twice\.\n {2}1\. \{"order":7\} ✗ Declined\n {2}2\. \{"order":7\} ✓ \{"amount":120\}\n/,
      2,
      1,
    ],
    [(e) => e.called("Item"), /^Expected Item to be called, but it was called 0 times\. These were called: Charge\./],
    [(e) => e.neverCalled("charge"), /^Expected charge not to be called, but it was called twice/],
    [(e) => e.calledWith("charge", { order: 8 }), /none of its 2 calls was; the last was called with \{"order":7\}\.[^]*- {3}"order": 8/],
    [(e) => e.calledWith("charge", {}, 3), /Expected charge to be called at least 3 times, but it was called twice/],
    [(e) => e.entered("Nap"), /^Expected Nap to be entered, but it was not\./],
    [(e) => e.entered("Gift", 2), /^Expected Gift to be entered twice, but it was entered once\./],
    [(e) => e.neverEntered("Gift"), /^Expected Gift not to be entered, but it was once\./],
    [(e) => e.passedThrough("Gift", "Charge"), /but Charge was not entered after Gift/],
    [
      (e) => e.retried("Charge", 2),
      /^Expected Charge to be retried twice, but it was retried once\.\n {2}on Declined after 1 h by Retry\[0\]\n/,
    ],
    [(e) => e.waited("Charge", "2h"), /^Expected Charge to wait 2 h, but it waited 1 h\./],
    [(e) => e.waited("Nap", "1 s"), /^Expected Nap to wait 1 s, but it did not wait\./],
    [(e) => e.lasted("5 s"), /^Expected the execution to last 5 s, but it lasted 1 h\./],
    [(e) => e.caught("Fraud", "Charge"), /^Expected "Fraud" to be caught in Charge, but no error was caught\./],
    [(e) => e.inputOf("Enough", { receipt: { amount: 1 } }), /^Expected the input of Enough to match/],
    [(e) => e.outputOf("Nap", {}), /never entered/],
  ]) {
    assert.throws(
      () => expect(expectRun(run)),
      (error) => {
        assert.ok(error instanceof assert.AssertionError, String(expect));
        assert.match(error.message, message);
        assert.match(error.message, /What happened:\n +0 s {2}start \{"order":7\}\n[^]*SUCCEEDED/);
        if (actual !== undefined) assert.deepEqual(error.actual, actual);
        if (expected !== undefined) assert.deepEqual(error.expected, expected);
        return true;
      },
      String(expect),
    );
  }
  assert.throws(() => expectRun(run).neverEntered("Gfit"), /There is no state "Gfit"; the states are Charge, Enough/);
  assert.throws(() => expectRun(run).neverCalled("chrage"), /Nothing in the definition calls "chrage"; its tasks are Charge, Item/);
  assert.throws(() => expectRun(paid()), /takes a run, not a promise/);
  assert.throws(() => expectRun(run).waited("Nap", "soon"), /takes a duration/);
});

test("matchers of Vitest and Jest have the same messages", async () => {
  const run = await paid();
  assert.deepEqual(
    Object.keys(matchers).filter((name) => !/^to[A-Z]/.test(name)),
    [],
  );
  assert.equal(matchers.toTakePath(run, "Charge", "Enough", "Gift", "Done").pass, true);
  assert.match(matchers.toTakePath(run, "Charge", "Enough", "Gift", "Done").message(), /not to satisfy/);
  const failing = matchers.toTakePath(run, "Charge");
  assert.equal(failing.pass, false);
  assert.match(failing.message(), /Expected the path Charge, but it continued to Enough/);
  assert.deepEqual([failing.actual, failing.expected], [run.path, ["Charge"]]);
});

test("definitions can be files in JSON and YAML, templates, texts, objects and machines", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-runs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const pass = { StartAt: "P", States: { P: { Type: "Pass", End: true } } };
  const yaml = "StartAt: P\nStates:\n  P:\n    Type: Pass\n    End: true\n";
  const template =
    "Resources:\n  Order:\n    Type: AWS::Serverless::StateMachine\n    Properties:\n      Definition:\n        StartAt: P\n        States:\n          P: { Type: Pass, End: true }\n";
  for (const source of [
    pass,
    JSON.stringify(pass),
    file("p.asl.json", JSON.stringify(pass)),
    file("p.yaml", yaml),
    `${file("t.yaml", template)}#Order`,
  ]) {
    expectRun(await testMachine(source).run({ a: 1 }))
      .succeeded({ a: 1 })
      .tookPath("P");
  }
  expectRun(await testMachine(order.machine).run({ order: 7 }, { mocks: { Charge: returns({ amount: 1 }) } })).tookPath(
    "Charge",
    "Enough",
    "Done",
  );
  assert.throws(() => testMachine(join(folder, "none.json")), /cannot read .*none\.json: no such file/);
  assert.throws(
    () => testMachine(file("bad.yaml", yaml.replace("Pass", "Pas"))),
    (error) => error.name === "DefinitionError" && /bad\.yaml:4:11/.test(error.message),
  );
  assert.throws(() => testMachine(pass, { mock: {} }), /testMachine\(\) has no option "mock"/);
});

test("runs are equal in every respect, and a seed changes what is random", async () => {
  const random = testMachine({
    StartAt: "R",
    States: {
      R: {
        Type: "Pass",
        Parameters: { "id.$": "States.UUID()", "at.$": "$$.Execution.StartTime", "name.$": "$$.Execution.Name" },
        End: true,
      },
    },
  });
  const [a, b] = [await random.run(), await random.run()];
  assert.deepEqual(a.output, b.output);
  assert.deepEqual([a.output.at, a.output.name], ["2025-01-01T00:00:00Z", "test"]);
  assert.notEqual((await random.run({}, { seed: 2 })).output.id, a.output.id);
});

test("machines that tasks start run too, unless they are mocked", async () => {
  const child = testMachine({ StartAt: "C", States: { C: { Type: "Task", Resource: "c", End: true } } }, { name: "Child" }).machine;
  const parent = testMachine(
    {
      StartAt: "P",
      States: {
        P: {
          Type: "Task",
          Resource: "arn:aws:states:::states:startExecution.sync:2",
          Parameters: { StateMachineArn: "Child", Input: { a: 1 } },
          OutputPath: "$.Output",
          End: true,
        },
      },
    },
    { machines: [child] },
  );
  const run = await parent.run({}, { mocks: { C: (input) => ({ got: input }) } });
  expectRun(run)
    .succeeded({ got: { a: 1 } })
    .called("C", 1);
  assert.equal(run.nested.length, 1);
  expectRun(await parent.run({}, { mocks: { P: { Return: { Output: "mocked" } } } })).succeeded("mocked");
});

test("both kinds of modules have the same exports", () => {
  const common = createRequire(import.meta.url)("stepglass/testing");
  assert.deepEqual(Object.keys(common).sort(), Object.keys(testing).sort());
});

test("every export has its type, and every typed value is exported", () => {
  const types = readFileSync(new URL("../../js/core/api/testing.d.ts", import.meta.url), "utf8");
  const typed = [...types.matchAll(/^export (?:function|class|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual([...new Set(typed)].sort(), Object.keys(testing).sort());
  const interfaces = (name) =>
    [...new RegExp(`export interface ${name}[^{]*\\{\\n([^]*?)\\n\\}`).exec(types)[1].matchAll(/^ {2}(?:readonly )?(\w+)\??[(:]/gm)].map(
      ([, member]) => member,
    );
  assert.deepEqual(interfaces("RunMatchers").sort(), Object.keys(matchers).sort());
  const expectation = Object.getPrototypeOf(expectRun({ callsOf: () => [] }));
  assert.deepEqual(
    interfaces("RunExpectation").sort(),
    Object.getOwnPropertyNames(expectation)
      .filter((name) => name !== "constructor")
      .sort(),
  );
});
