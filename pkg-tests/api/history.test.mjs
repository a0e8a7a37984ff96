// The reader of histories: visits of states, with their branches and iterations.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { StateMachine } from "stepglass";
import { importSource } from "../../scripts/sources.mjs";

const { Chains } = await importSource("js/core/history/chains.ts");
const { detailsOf } = await importSource("js/core/history/events.ts");

const RESOURCE = "arn:aws:lambda:us-east-1:123456789012:function:";
const task = (name, fields = { End: true }) => ({
  StartAt: name,
  States: { [name]: { Type: "Task", Resource: `${RESOURCE}${name}`, ...fields } },
});

function read(events, about = {}) {
  const chains = new Chains(() => about);
  for (const event of events) chains.add(event);
  return chains;
}

/** Returns the history of an execution, and of the child executions of its Distributed Maps. */
async function run(definition, input, tasks = {}) {
  const children = [];
  const execution = new StateMachine(definition).start(input, {
    clock: "virtual",
    startTime: 0,
    seed: 1,
    tasks,
    onChild: ({ history }) => children.push(history),
  });
  await execution.result;
  return { history: execution.history(), children };
}

/** Returns visits as `state iterations: enter–exit`, or `enter…end` if the state was not left. */
function told(chains) {
  return chains.visits.map((visit) => {
    const { iterations, slot, isIteration } = chains.threadOf(visit);
    const place = [...iterations.map((index) => `#${index}`), ...(isIteration || visit.around < 0 ? [] : [`branch ${slot}`])].join(" ");
    return `${[visit.state, place].filter(Boolean).join(" ")}: ${visit.enter}${visit.exit > 0 ? `–${visit.exit}` : `…${visit.end}`}`;
  });
}

describe("visits", () => {
  test("of branches, also of an attempt that another branch ended", async () => {
    let calls = 0;
    const fails = () => {
      if (calls++ === 0) throw Object.assign(new Error("busy"), { name: "Busy" });
    };
    const both = { Type: "Parallel", Branches: [task("Left"), task("Right")], Retry: [{ ErrorEquals: ["Busy"] }], End: true };
    const { history } = await run({ StartAt: "Both", States: { Both: both } }, {}, { Left: () => 1, Right: fails });
    const chains = read(history);
    assert.deepEqual(told(chains), [
      "Both: 2–26",
      "Left branch 0: 4–11",
      "Right branch 1: 7…13",
      "Left branch 0: 15–22",
      "Right branch 1: 18–24",
    ]);
    assert.deepEqual(
      chains.threads.map(({ around, attempt, slot }) => [around, attempt, slot]),
      [
        [-1, 1, 0],
        [0, 1, 0],
        [0, 1, 1],
        [0, 2, 0],
        [0, 2, 1],
      ],
    );
    assert.equal(chains.visits[0].attempts, 2);
    assert.deepEqual(
      chains.visitsOf("Right").map(({ id, attempts }) => [id, attempts]),
      [
        [2, 1],
        [4, 1],
      ],
    );
  });

  test("of a Parallel in a Parallel: a failed inner one is not started again, but the outer one is", async () => {
    const inner = { StartAt: "Inner", States: { Inner: { Type: "Parallel", Branches: [task("Leaf")], End: true } } };
    const outer = (fields) => ({
      StartAt: "Outer",
      States: { Outer: { Type: "Parallel", Branches: [inner], ...fields }, After: { Type: "Pass", End: true } },
    });
    let calls = 0;
    const Leaf = () => {
      if (calls++ === 0) throw Object.assign(new Error("busy"), { name: "Busy" });
    };
    const again = read((await run(outer({ Retry: [{ ErrorEquals: ["Busy"] }], Next: "After" }), {}, { Leaf })).history);
    assert.deepEqual(
      again.visits.map(({ state, around, attempts }) => [state, again.visits[around]?.state, attempts]),
      [
        ["Outer", undefined, 2],
        ["Inner", "Outer", 1],
        ["Leaf", "Inner", 1],
        ["Inner", "Outer", 1],
        ["Leaf", "Inner", 1],
        ["After", undefined, 0],
      ],
    );
    const [, first] = again.visitsOf("Inner").map(({ end }) => end);
    assert.ok(again.visits[1].end < first);
    calls = 0;
    const { history } = await run(outer({ Catch: [{ ErrorEquals: ["Busy"], Next: "After" }], End: true }), {}, { Leaf });
    const caught = read(history);
    assert.deepEqual(
      history.filter(({ type }) => type === "ParallelStateFailed").map(({ id }) => caught.visitOf(id).state),
      ["Inner", "Outer"],
    );
  });

  test("of a redriven execution continue where they were interrupted", async () => {
    const leaf = { StartAt: "Inner", States: { Inner: { Type: "Map", ItemProcessor: task("Leaf"), End: true } } };
    const machine = new StateMachine({ StartAt: "Outer", States: { Outer: { Type: "Map", ItemProcessor: leaf, End: true } } });
    let calls = 0;
    const Leaf = (item) => {
      if (calls++ === 0) throw new Error("busy");
      return item;
    };
    const options = { clock: "virtual", tasks: { Leaf } };
    const failed = machine.start([[1], [2]], options);
    await failed.result;
    const redriven = machine.redrive(failed, options);
    assert.equal((await redriven.result).status, "SUCCEEDED");
    const history = redriven.history();
    const chains = read(history);
    for (const visit of chains.visits) {
      const { type, stateExitedEventDetails: left } = history[visit.exit - 1];
      assert.ok(type.endsWith("StateExited") && left.name === visit.state && visit.end === visit.exit, visit.state);
    }
    assert.deepEqual(chains.openAt(history.length), []);
    for (const event of history) {
      const { name, index } = detailsOf(event);
      if (index !== undefined) assert.equal(chains.visitOf(event.id).state, name, `${event.id} ${event.type}`);
    }
  });

  test("of nested iterations, which follow each other in the history", async () => {
    const inner = { StartAt: "Inner", States: { Inner: { Type: "Map", MaxConcurrency: 1, ItemProcessor: task("Leaf"), End: true } } };
    const { history } = await run(
      { StartAt: "Outer", States: { Outer: { Type: "Map", MaxConcurrency: 1, ItemProcessor: inner, End: true } } },
      [[1, 2], [3]],
      { Leaf: (item) => item },
    );
    const chains = read(history);
    const seen = chains.visits.map((visit) => `${visit.state} ${chains.threadOf(visit).iterations}`);
    assert.deepEqual(seen, ["Outer ", "Inner 0", "Leaf 0,0", "Leaf 0,1", "Inner 1", "Leaf 1,0"]);
    for (const event of history) {
      const { name } = detailsOf(event);
      if (name !== undefined) assert.equal(chains.visitOf(event.id).state, name, `${event.id} ${event.type}`);
    }
  });

  test("of a child execution have its own iterations after those of the outer Map", async () => {
    const one = (name, next) => ({ Type: "Map", MaxConcurrency: 1, ItemProcessor: task(`${name}Leaf`), ...next });
    const processor = {
      ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
      StartAt: "First",
      States: { First: one("First", { Next: "Second" }), Second: one("Second", { End: true }) },
    };
    const { children } = await run({ StartAt: "All", States: { All: { Type: "Map", ItemProcessor: processor, End: true } } }, [[1, 2]], {
      FirstLeaf: (n) => n,
      SecondLeaf: (n) => n,
    });
    const chains = read(children[0]);
    assert.deepEqual(
      chains.visitsOf("SecondLeaf").map((visit) => chains.threadOf(visit).iterations),
      [[0], [1]],
    );
  });

  test("end when the execution fails, together with the states around them", async () => {
    const processor = { StartAt: "Check", States: { Check: { Type: "Fail", Error: "Wrong" } } };
    const { history } = await run({ StartAt: "Each", States: { Each: { Type: "Map", ItemProcessor: processor, End: true } } }, [1]);
    const chains = read(history);
    assert.deepEqual(
      chains.visits.map(({ state, exit }) => [state, exit]),
      [
        ["Each", 0],
        ["Check", 0],
      ],
    );
    for (const { end } of chains.visits) assert.ok(end > 0 && end <= history.length);
    assert.deepEqual(chains.openAt(history.length), []);
    assert.deepEqual(
      chains.openAt(chains.visits[1].enter).map(({ state }) => state),
      ["Each", "Check"],
    );
  });

  test("of a history that is read while it grows", async () => {
    const { history } = await run(task("Work"), {}, { Work: () => 1 });
    const chains = read(history.slice(0, 3));
    assert.deepEqual([chains.length, chains.visits[0].attempts, chains.visits[0].exit], [3, 1, 0]);
    for (const event of history.slice(3)) chains.add(event);
    assert.deepEqual(told(chains), told(read(history)));
    assert.equal(chains.entered(2), chains.visits[0]);
    assert.equal(chains.entered(3), undefined);
  });

  test("have the context that the reader was created with", async () => {
    const { history } = await run(task("Work"), {}, { Work: () => 1 });
    assert.deepEqual(
      read(history, { of: "a run" }).visits.map(({ of }) => of),
      ["a run"],
    );
  });

  test("are empty for a history without its start, which is not an error", () => {
    const event = (id, previousEventId, type, details = {}) => ({
      id,
      previousEventId,
      type,
      timestamp: "2026-01-01T00:00:00.000Z",
      ...details,
    });
    const orphans = [
      event(1, 7, "TaskStateExited", { stateExitedEventDetails: { name: "A" } }),
      event(2, 1, "MapIterationSucceeded", { mapIterationSucceededEventDetails: { name: "M", index: 0 } }),
      event(3, 2, "ParallelStateFailed"),
      event(4, 3, "TaskScheduled", { taskScheduledEventDetails: {} }),
      event(5, 4, "TaskStateAborted"),
      event(6, 5, "ExecutionFailed", { executionFailedEventDetails: {} }),
    ];
    const chains = read(orphans);
    assert.deepEqual([chains.visits, chains.threads, chains.length], [[], [], 6]);
  });
});

test("the member with the details of every event is the one that the core names", async () => {
  const { detailsMember } = await importSource("js/core/history/recorded.ts");
  const table = JSON.parse(readFileSync(new URL("../../js/core/history/events.json", import.meta.url), "utf8"));
  assert.ok(Object.keys(table).length > 50);
  for (const [type, member] of Object.entries(table)) assert.equal(detailsMember(type), member);
  // The core does not write this type of AWS.
  assert.equal(detailsMember("TaskSubmitFailed"), "taskSubmitFailedEventDetails");
});
