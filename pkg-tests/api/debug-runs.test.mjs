// Several runs of one debugging session: coverage, comparison, and restarting with other options.
import assert from "node:assert/strict";
import { test } from "node:test";
import { StateMachine, TaskError } from "stepglass";
import { DebugSession, measureCoverage } from "stepglass/debug";
import { watchRejections } from "./machines.mjs";

watchRejections();

const MACHINE = {
  StartAt: "Size",
  States: {
    Size: {
      Type: "Choice",
      // Two rules have one target, so the history alone does not show which one matched.
      Choices: [
        { Variable: "$.n", NumericGreaterThan: 10, Next: "Work" },
        { Variable: "$.n", NumericGreaterThan: 5, Next: "Work" },
      ],
      Default: "Each",
    },
    Work: {
      Type: "Task",
      Resource: "work",
      ResultPath: "$.done",
      Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 2, MaxAttempts: 2 }],
      Catch: [
        { ErrorEquals: ["Other"], ResultPath: "$.error", Next: "Each" },
        { ErrorEquals: ["States.ALL"], Next: "Sorry" },
      ],
      Next: "Each",
    },
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      ItemProcessor: { StartAt: "One", States: { One: { Type: "Pass", Result: 1, Next: "Two" }, Two: { Type: "Succeed" } } },
      ResultPath: "$.each",
      End: true,
    },
    Sorry: { Type: "Fail", Error: "Sorry" },
  },
};

function ended(session) {
  return new Promise((resolve) => {
    const end = session.on("terminated", (outcome) => {
      end();
      resolve(outcome);
    });
    session.continue();
  });
}

/** Returns a handler that gives these results in order. A string is the name of an error. */
function answers(results) {
  let call = 0;
  return () => {
    const result = results[call++];
    if (typeof result === "string") throw new TaskError(result);
    return result;
  };
}

const ITEMS = [1, 2];
for (const [name, input, results] of [
  ["a rule, the way out", { n: 7, items: ITEMS }, ["fine"].map((text) => ({ text }))],
  ["the default", { n: 1, items: ITEMS }, []],
  ["retries, then a catcher", { n: 70, items: ITEMS }, ["Busy", "Busy", "Other"]],
  ["a failure that is caught and fails", { n: 70, items: [] }, ["Strange"]],
]) {
  test(`coverage equals that of the engine: ${name}`, async () => {
    const execution = new StateMachine(MACHINE).start(input, { tasks: { work: answers(results) }, clock: "virtual", coverage: true });
    await execution.result.catch(() => {});
    const session = new DebugSession(MACHINE, { input, tasks: { work: answers(results) }, startTime: 0 });
    await ended(session);
    assert.deepEqual(sorted(session.coverage()), sorted(execution.coverage().hits));
  });
}

test("coverage of a Distributed Map's children equals that of the engine", async () => {
  const machine = structuredClone(MACHINE);
  machine.States.Each.ItemProcessor.ProcessorConfig = { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" };
  machine.States.Each.ItemProcessor.States.One = {
    Type: "Choice",
    Choices: [{ Variable: "$", NumericEquals: 1, Next: "Two" }],
    Default: "Two",
  };
  const execution = new StateMachine(machine).start({ n: 1, items: ITEMS }, { clock: "virtual", coverage: true });
  await execution.result;
  const session = new DebugSession(machine, { input: { n: 1, items: ITEMS }, startTime: 0 });
  await ended(session);
  assert.deepEqual(sorted(session.coverage()), sorted(execution.coverage().hits));
  assert.equal(session.coverage()["/States/Each/ItemProcessor/States/One/Choices/0"], 1);
});

test("coverage counts what was reached, and for a fork only what the fork did", async () => {
  const session = new DebugSession(MACHINE, { input: { n: 1, items: ITEMS }, startTime: 0 });
  session.setBreakpoints([{ kind: "entry", state: "Size" }]);
  await new Promise((resolve) => {
    session.on("stopped", resolve);
    session.continue();
  });
  assert.deepEqual(session.coverage(), { "/States/Size": 1 }, "paused before the Choice decides");
  session.setBreakpoints([]);
  await ended(session);
  const whole = session.coverage();
  session.fork({ event: session.history().find(({ type }) => type === "MapStateEntered").id });
  assert.deepEqual(session.coverage(), {});
  await ended(session);
  assert.equal(session.coverage()["/States/Size"], undefined);
  assert.deepEqual(session.coverage(session.run, { whole: true }), whole);
  assert.equal(session.coverage()["/States/Each/ItemProcessor/States/One"], 2);
});

test("a comparison says where two runs diverge, which path each took, and which data differ", async () => {
  const session = new DebugSession(MACHINE, { input: { n: 7, items: ITEMS }, tasks: { work: () => "fine" }, startTime: 0 });
  await ended(session);
  session.restart(undefined, { input: { n: 70, items: [1, 3] }, tasks: { work: answers(["Busy", "Other"]) } });
  await ended(session);
  const { common, visits, ways } = session.compare(1, 2);
  assert.equal(common, 0, "the input is another");
  const told = visits.map(({ state, iterations, changes }) => [state, ...iterations, ...changes].join(" "));
  assert.deepEqual(told, [
    "Size input output",
    "Work input output attempts",
    "Each input output",
    "One 0",
    "One 1 input",
    "Two 0",
    "Two 1",
  ]);
  const only = (run) => Object.keys(ways).filter((way) => ways[way] === run);
  assert.deepEqual(only("a"), ["/States/Size/Choices/1", "/States/Work/Next"]);
  assert.deepEqual(only("b").sort(), ["/States/Size/Choices/0", "/States/Work/Catch/0", "/States/Work/Retry/0"]);
  assert.equal(ways["/States/Each"], "both");
});

test("a comparison lists a visit that only one run has", async () => {
  const session = new DebugSession(MACHINE, { input: { n: 7, items: ITEMS }, tasks: { work: () => "fine" }, startTime: 0 });
  await ended(session);
  session.restart(undefined, { input: { n: 1, items: ITEMS } });
  await ended(session);
  const { visits } = session.compare(2, 1);
  const work = visits.find(({ state }) => state === "Work");
  assert.deepEqual(work.changes, ["only"]);
  assert.equal(work.a, undefined);
  assert.equal(session.history(0, 1)[work.b.enter - 1].stateEnteredEventDetails.name, "Work");
  assert.equal(work.b.end, "left");
});

test("a fork shares the events before it", async () => {
  const session = new DebugSession(MACHINE, { input: { n: 1, items: ITEMS }, startTime: 0 });
  await ended(session);
  const each = session.history().find(({ type }) => type === "MapStateEntered").id;
  session.goto(each);
  session.setValue({ target: "input", value: { n: 1, items: [9] } });
  await ended(session);
  const { common, visits } = session.compare(1, 2);
  assert.equal(common, each - 1);
  assert.deepEqual(
    visits.filter(({ changes }) => changes.length > 0).map(({ state, changes }) => `${state} ${changes.join(" ")}`),
    ["Each input output", "One input", "One only", "Two only"],
  );
});

test("restart takes new options, and keeps those that are absent", async () => {
  const machine = {
    StartAt: "Draw",
    States: {
      Draw: {
        Type: "Pass",
        Parameters: {
          "n.$": "States.MathRandom(1, 1000000)",
          "name.$": "$$.Execution.Name",
          "id.$": "$$.Execution.Id",
          "at.$": "$$.Execution.StartTime",
        },
        End: true,
      },
    },
  };
  const session = new DebugSession(machine, { seed: 1, startTime: 0, name: "first" });
  const first = (await ended(session)).output;
  session.restart();
  assert.deepEqual((await ended(session)).output, first);
  session.restart(undefined, {
    seed: 2,
    startTime: 86_400_000,
    name: "second",
    arn: "arn:aws:states:eu-west-1:1:execution:m:second",
    label: "another seed",
  });
  const second = (await ended(session)).output;
  assert.notEqual(second.n, first.n);
  assert.deepEqual(
    { ...second, n: 0 },
    { n: 0, name: "second", id: "arn:aws:states:eu-west-1:1:execution:m:second", at: "1970-01-02T00:00:00Z" },
  );
  assert.deepEqual(
    session.runs().map(({ id, label }) => `${id} ${label}`),
    ["1 Run", "2 Run", "3 another seed"],
  );
  assert.throws(() => session.restart(undefined, { sead: 1 }), /sead/);
});

test("a run can be deleted, and its number is not used again", async () => {
  const session = new DebugSession(MACHINE, { input: { n: 1, items: ITEMS }, startTime: 0 });
  await ended(session);
  session.fork({ event: 2 });
  await ended(session);
  assert.throws(() => session.removeRun(2), { code: "INVALID_ARGUMENT" });
  session.removeRun(1);
  assert.deepEqual(
    session.runs().map(({ id, parent }) => [id, parent]),
    [[2, undefined]],
  );
  session.restart();
  assert.equal(session.run, 3);
  assert.throws(() => session.selectRun(1), RangeError);
});

test("counts become the report that the command writes", async () => {
  const session = new DebugSession(MACHINE, { input: { n: 1, items: ITEMS }, startTime: 0 });
  await ended(session);
  const text = JSON.stringify(MACHINE, null, 1);
  const lines = text.split("\n");
  const line = (pointer) => lines.findIndex((one) => one.includes(`"${pointer.split("/").at(-1)}": {`)) + 1 || undefined;
  const report = measureCoverage(text, session.coverage(), { file: "size.asl.json", executions: 1, line });
  assert.deepEqual(report.totals.states, { covered: 4, total: 6 });
  assert.deepEqual(report.totals.rules, { covered: 0, total: 2 });
  assert.equal(report.places.find(({ pointer }) => pointer === "/States/Size/Default").count, 1);
  assert.match(report.lcov(), /^TN:\nSF:size\.asl\.json\nFN:4,Size\n[\s\S]*end_of_record\n$/);
  const json = JSON.parse(report.json());
  assert.equal(json.version, 1);
  assert.equal(json.machines[0].places.length, report.places.length);
});

function sorted(hits) {
  return Object.fromEntries(Object.entries(hits).sort(([a], [b]) => (a < b ? -1 : 1)));
}
