// Distributed Maps on a fake of Restate: the children are separate executions with the same results as in memory, wherever a worker dies.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { FakeRestate, handlersOf } from "./fake.mjs";

const { StateMachine, partsOf } = await importSource("pkg-tests/restate/inside.mjs");

const ARN = "arn:aws:states:us-east-1:123456789012:execution:Many:one";
const STEP = { Type: "Task", Resource: "step", ResultPath: "$.step", Next: "Nap" };
const NAP = { Type: "Wait", Seconds: 5, Next: "Last" };

/** A definition with a Distributed Map, whose states are two tasks with a Wait between them unless `states` are given. */
function many({ kind = "STANDARD", states = { Step: STEP, Nap: NAP, Last: { Type: "Task", Resource: "last", End: true } }, ...more } = {}) {
  const ItemProcessor = { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: kind }, StartAt: Object.keys(states)[0], States: states };
  return { StartAt: "Each", States: { Each: { Type: "Map", Label: "L", ItemProcessor, ...more, End: true } } };
}

/** A fake of Restate with one worker, whose tasks record their idempotency keys. */
function surroundings(definition, { dieAfter = Infinity, tasks = {}, ...options } = {}) {
  const keys = [];
  const noted = (result) => (input, task) => (keys.push(task.idempotencyKey), result(input, task));
  const all = { step: noted(({ n }) => n * 10), last: noted((input) => input), "s3:putObject": () => ({}), ...tasks };
  let restate;
  restate = new FakeRestate(handlersOf(partsOf({ machines: { Many: definition }, tasks: all, shard: 2, ...options }, () => restate.now)));
  restate.dieAfter = dieAfter;
  const call = (handler, parameter = null, key = ARN) => restate.call({ service: "StepglassExecution", handler, key }, parameter);
  return {
    restate,
    keys,
    call,
    start: (items) => call("start", { machine: "Many", name: "one", input: JSON.stringify(items), seed: "7" }),
    record: (key) => call("describe", null, key),
    history: (key) => call("history", {}, key),
    get children() {
      return restate.keys.filter((key) => key.includes(":execution:Many/"));
    },
    /** Resolves when `count` children have begun, because a start waits a moment for its first task. */
    begun: async function (count) {
      while (this.children.length < count) await restate.settle();
      await restate.settle();
    },
    run: async () => {
      while (await restate.skip());
    },
  };
}

const items = (count) => Array.from({ length: count }, (_, n) => ({ n }));

/** Events without their times, which differ from those in memory. */
const plain = (events) => events.map(({ timestamp: _, ...event }) => event);

/** Runs the execution in memory. Returns its outcome, its history, and the histories of its children by name. */
async function inMemory(definition, input) {
  const children = new Map();
  const machine = new StateMachine(definition, { name: "Many", arn: "arn:aws:states:us-east-1:123456789012:stateMachine:Many" });
  const execution = machine.start(input, {
    ...{ name: "one", arn: ARN, seed: 7, clock: "virtual" },
    onChild: ({ name, history }) => children.set(name, history),
    tasks: { step: ({ n }) => n * 10, last: (one) => one, "s3:putObject": () => ({}), fail: failing },
  });
  const outcome = await execution.result;
  return { outcome, history: execution.history(), children };
}

function failing({ n }) {
  if (n % 3 === 1) throw Object.assign(new Error("one"), { name: "One" });
  return n;
}

const FAIL = { Fail: { Type: "Task", Resource: "fail", End: true } };

for (const [what, definition] of Object.entries({
  "tasks and Waits": many(),
  "a few at once": many({ MaxConcurrency: 2 }),
  batches: many({ ItemBatcher: { MaxItemsPerBatch: 2 }, states: { Last: { Type: "Task", Resource: "last", End: true } } }),
  "Express children": many({ kind: "EXPRESS" }),
  "failures that are tolerated": many({ states: FAIL, ToleratedFailureCount: 2 }),
  "too many failures": many({ states: FAIL, ToleratedFailureCount: 1, MaxConcurrency: 1 }),
  "a writer of results": many({
    states: FAIL,
    ToleratedFailurePercentage: 100,
    ResultWriter: { Resource: "arn:aws:states:::s3:putObject", Parameters: { Bucket: "b", Prefix: "p" } },
  }),
  "records as the output": many({
    states: FAIL,
    ToleratedFailurePercentage: 100,
    ResultWriter: { WriterConfig: { Transformation: "NONE", OutputType: "JSON" } },
  }),
}))
  test(`the parent and each child have the histories that they have in memory: ${what}`, async () => {
    const memory = await inMemory(definition, items(5));
    const world = surroundings(definition, { tasks: { fail: failing } });
    world.start(items(5));
    await world.run();
    const { status, output, error } = await world.record();
    assert.deepEqual([status, error], [memory.outcome.status, memory.outcome.error]);
    // An output with the records of children contains times, which differ.
    if (output !== undefined && !output.includes("StartDate")) assert.deepEqual(JSON.parse(output), memory.outcome.output);
    const times = (events) => JSON.parse(JSON.stringify(plain(events)).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, ""));
    assert.deepEqual(times(await world.history()), times(memory.history));
    assert.equal(world.children.length, memory.children.size);
    for (const key of world.children) {
      const child = await world.record(key);
      assert.equal(child.machineArn, "arn:aws:states:us-east-1:123456789012:stateMachine:Many/L");
      assert.deepEqual(plain(await world.history(key)), plain(memory.children.get(child.name)), key);
    }
  });

test("a Map Run has the same output and idempotency keys if its worker dies after any step", async () => {
  const states = { Step: { ...STEP, Next: "Last" }, Last: { Type: "Task", Resource: "last", End: true } };
  const definition = many({ MaxConcurrency: 1, states });
  const whole = surroundings(definition);
  whole.start(items(2));
  await whole.run();
  const expected = await whole.record();
  assert.equal(expected.status, "SUCCEEDED");
  for (let dieAfter = 1; ; dieAfter += 1) {
    const world = surroundings(definition, { dieAfter });
    world.start(items(2));
    await world.run();
    const { status, output } = await world.record();
    assert.deepEqual([status, output], ["SUCCEEDED", expected.output], `died after step ${dieAfter}`);
    assert.deepEqual(new Set(world.keys), new Set(whole.keys), `died after step ${dieAfter}`);
    assert.ok(world.keys.length <= whole.keys.length + 1, `died after step ${dieAfter}: ${world.keys.length} calls`);
    if (world.restate.dieAfter > 0) break;
  }
});

test("at most MaxConcurrency children run at once", async () => {
  let [now, most] = [0, 0];
  const open = [];
  const step = () => {
    most = Math.max(most, (now += 1));
    return new Promise((resolve) => open.push(() => resolve((now -= 1))));
  };
  const world = surroundings(many({ MaxConcurrency: 3, states: { Step: { ...STEP, Next: undefined, End: true } } }), { tasks: { step } });
  world.start(items(10));
  do {
    await world.run();
    for (const end of open.splice(0)) end();
  } while ((await world.record())?.status !== "SUCCEEDED");
  assert.equal(most, 3);
});

for (const kind of ["STANDARD", "EXPRESS"])
  test(`a stop aborts the children, and a redrive runs them again: ${kind}`, async () => {
    const aborted = [];
    let isStuck = true;
    const step = ({ n }, { signal }) => {
      if (n !== 1 || !isStuck) return n * 10;
      return new Promise((resolve, reject) => signal.addEventListener("abort", () => reject(aborted.push(n))));
    };
    const world = surroundings(many({ kind }), { tasks: { step } });
    world.start(items(4));
    await world.begun(4);
    await world.call("stop", {});
    await world.restate.settle();
    assert.equal((await world.record()).status, "ABORTED");
    const statuses = async () => Promise.all(world.children.map(async (key) => (await world.record(key)).status));
    assert.deepEqual(await statuses(), Array(4).fill("ABORTED"));
    assert.deepEqual(aborted, [1]);
    await world.run();
    isStuck = false;
    world.keys.length = 0;
    await world.call("tell", { type: "redrive" });
    await world.run();
    const { status, output } = await world.record();
    assert.equal(status, "SUCCEEDED");
    assert.deepEqual(
      JSON.parse(output),
      items(4).map(({ n }) => ({ n, step: n * 10 })),
    );
    assert.deepEqual(await statuses(), Array(4).fill("SUCCEEDED"));
    for (const key of world.children) {
      const events = await world.history(key);
      assert.deepEqual(
        events.map(({ id }) => id),
        events.map((_, i) => i + 1),
      );
      // An Express child starts from the beginning, a Standard child continues.
      assert.equal(events.filter(({ type }) => type === "ExecutionStarted").length, 1);
      assert.equal(
        events.some(({ type }) => type === "ExecutionRedriven"),
        kind === "STANDARD",
      );
      assert.equal((await world.record(key)).redriveCount, 1);
    }
  });

test("a redrive does not run the children again that have succeeded", async () => {
  let isMended = false;
  const fail = (input) => (isMended ? input.n : failing(input));
  const calls = [];
  const definition = many({ states: FAIL, ToleratedFailureCount: 0, MaxConcurrency: 1 });
  const world = surroundings(definition, { tasks: { fail: (input) => (calls.push(input.n), fail(input)) } });
  world.start(items(4));
  await world.run();
  assert.deepEqual([(await world.record()).status, calls], ["FAILED", [0, 1]]);
  isMended = true;
  await world.call("tell", { type: "redrive" });
  await world.run();
  assert.deepEqual([(await world.record()).output, calls], ["[0,1,2,3]", [0, 1, 1, 2, 3]]);
});

test("a child's end is ignored if it is repeated, unknown or of another redrive", async () => {
  const world = surroundings(many());
  world.start(items(2));
  await world.begun(2);
  const { mapRunArn } = await world.record(world.children[0]);
  const end = (index, redrive, output) => JSON.stringify({ index, redrive, status: "SUCCEEDED", output });
  const reportEnds = (...ends) => world.call("event", { type: "children", ended: [[mapRunArn, ends]] });
  await reportEnds(end(0, 1, "late"), end(5, 0, "nobody"), "no JSON");
  assert.equal((await world.record()).status, "RUNNING");
  await reportEnds(end(0, 0, "first"));
  await reportEnds(end(0, 0, "twice"));
  await world.run();
  // The shard's own report about the first child comes too late.
  assert.equal((await world.record()).output, '["first",{"n":1,"step":10}]');
});

test("a child that is stopped before its start arrives runs nothing, and runs when it is redriven", async () => {
  const world = surroundings(many());
  world.start(items(1));
  await world.begun(1);
  const [key] = world.children;
  const { child, definition } = await world.record(key);
  const other = `${key}2`;
  const of = { ...child, index: 9 };
  const { engine } = world.restate.state(key).get("standing");
  const whole = JSON.parse(engine);
  // This imitates another child, whose start arrives after its stop and after its redrive.
  await world.call("event", { type: "stop", redrive: 0 }, other);
  const again = await world.call("child", { machine: "Many", definition, of: { ...of, redrive: 1 } }, other);
  assert.equal(again, null);
  const calls = world.keys.length;
  const own = {
    ...whole.executions[0],
    arn: other,
    events: [[0, { type: "ExecutionStarted", id: 1, previousEventId: 0, executionStartedEventDetails: { input: '{"n":8}' } }]],
    lastEvent: 1,
    input: { n: 8 },
  };
  const begun = { ...whole.frames[0], phase: "enter", input: { n: 8 }, state: "Step" };
  delete begun.timer;
  const text = JSON.stringify({ ...whole, ready: [begun.id], executions: [own], frames: [begun] });
  const end = JSON.parse(await world.call("child", { machine: "Many", definition, of, engine: text }, other));
  assert.deepEqual([end.status, world.keys.length], ["ABORTED", calls]);
  await world.run();
  assert.deepEqual((await world.record(other)).status, "SUCCEEDED");
});

test("the stored state of a Map Run stays small with hundreds of running children", async () => {
  const count = 300;
  const world = surroundings(many({ states: { Nap: { ...NAP, Next: undefined, End: true } } }), { shard: 100 });
  world.start(Array.from({ length: count }, (_, i) => i));
  await world.begun(count);
  const { engine } = world.restate.state(ARN).get("standing");
  assert.ok(engine.length < 60 * count, `${engine.length} characters`);
  await world.run();
  assert.equal((await world.record()).status, "SUCCEEDED");
});

test("retention removes children with their parent", async () => {
  const world = surroundings(many(), { retention: { days: 1 } });
  world.start(items(3));
  await world.run();
  assert.deepEqual(
    world.restate.keys.filter((key) => key.startsWith("arn:")),
    [],
  );
});

const mapRunsOf = async (world) => (await world.call("mapRuns")).map(({ record, now }) => ({ ...record, now }));

test("a Map Run reports its counts while it runs and after it has ended, and its limits can be updated", async () => {
  const waiting = many({ MaxConcurrency: 1, states: { Nap: { ...NAP, Next: "Fail" }, ...FAIL } });
  const world = surroundings(waiting, { tasks: { fail: failing } });
  world.start(items(5));
  await world.begun(1);
  const [{ id, status, mapRunArn, machineArn, now }] = await mapRunsOf(world);
  assert.deepEqual([status, mapRunArn, machineArn.split(":").at(-1)], ["RUNNING", ARN, "Many/L"]);
  assert.deepEqual([now.maxConcurrency, now.itemCounts.running, now.itemCounts.pending], [1, 1, 4]);
  assert.equal(await world.restate.call({ service: "StepglassMapRun", handler: "execution", key: id }, null), ARN);
  const change = { maxConcurrency: 3, toleratedFailureCount: 1 };
  assert.equal((await world.call("tell", { type: "updateMapRun", mapRun: id, change })).counts, true);
  await world.begun(3);
  const [changed] = await mapRunsOf(world);
  assert.deepEqual([changed.now.maxConcurrency, changed.now.toleratedFailureCount, changed.now.itemCounts.running], [3, 1, 3]);
  await world.run();
  assert.equal((await world.record()).status, "FAILED");
  const [ended] = await mapRunsOf(world);
  assert.deepEqual([ended.status, ended.now, ended.stopDate > ended.startDate], ["FAILED", undefined, true]);
  assert.deepEqual([ended.run.items.succeeded, ended.run.items.failed, ended.run.items.total], [3, 2, 5]);
  assert.deepEqual([ended.run.maxConcurrency, ended.run.toleratedFailureCount], [3, 1]);
  assert.equal((await world.call("tell", { type: "updateMapRun", mapRun: id, change })).counts, false);
});

test("a Map Run has the same limits and counts if its worker dies after any step", async () => {
  const definition = many({
    MaxConcurrency: 1,
    ItemBatcher: { MaxItemsPerBatch: 2 },
    states: { Nap: { ...NAP, Next: undefined, End: true } },
  });
  const run = async (dieAfter) => {
    const world = surroundings(definition, { dieAfter });
    world.start(items(3));
    await world.begun(1);
    const [{ id }] = await mapRunsOf(world);
    await world.call("tell", { type: "updateMapRun", mapRun: id, change: { maxConcurrency: 2 } });
    await world.run();
    const [{ run, status }] = await mapRunsOf(world);
    return [[status, run.items.succeeded, run.executions.succeeded, run.maxConcurrency], world.restate.dieAfter > 0];
  };
  for (let dieAfter = 1, isWhole = false; !isWhole; dieAfter += 1) {
    const [ended, whole] = await run(dieAfter);
    assert.deepEqual(ended, ["SUCCEEDED", 3, 2, 2], `died after step ${dieAfter}`);
    isWhole = whole;
  }
});

for (const kind of ["STANDARD", "EXPRESS"])
  test(`a migration gives the children the new definition too: ${kind}`, async () => {
    const states = (last) => ({ Nap: { ...NAP, Next: "Last" }, Last: { Type: "Pass", Result: last, End: true } });
    const given = (last, more) => many({ kind, MaxConcurrency: 2, states: states(last), ...more });
    const world = surroundings(given("first"));
    world.start(items(3));
    await world.begun(2);
    const to = JSON.stringify(given("second"));
    assert.deepEqual(await world.call("tell", { type: "migrate", definition: to }), { known: true, counts: true });
    await world.restate.settle();
    const { definition } = await world.record();
    for (const key of world.children) assert.equal((await world.record(key)).definition, definition);
    await world.run();
    // The third child has begun after the migration.
    assert.equal((await world.record()).output, '["second","second","second"]');
  });

test("a child that cannot be migrated keeps its definition", async () => {
  const last = { Type: "Pass", Result: "first", End: true };
  const states = { Short: { Type: "Choice", Choices: [{ Variable: "$.n", NumericEquals: 0, Next: "Nap" }], Default: "Other" } };
  const given = (more) => many({ states: { ...states, ...more, Last: last } });
  const world = surroundings(given({ Nap: { ...NAP, Next: "Last" }, Other: { ...NAP, Next: "Last" } }));
  world.start(items(2));
  await world.begun(2);
  const before = (await world.record()).definition;
  // The new definition lacks the state in which the second child is, but no state that the parent needs.
  const renamed = JSON.parse(
    JSON.stringify(given({ Nap: { ...NAP, Next: "Last" }, Another: { ...NAP, Next: "Last" } })).replace('"Other"', '"Another"'),
  );
  renamed.States.Each.ItemProcessor.States.Last.Result = "second";
  assert.equal((await world.call("tell", { type: "migrate", definition: JSON.stringify(renamed) })).counts, true);
  await world.restate.settle();
  const { children } = world;
  const own = await Promise.all(children.map(async (key) => (await world.record(key)).definition === before));
  assert.deepEqual([...own].sort(), [false, true]);
  // The child with the old definition has no state in the new one. The other child has the new definition.
  assert.equal((await world.call("problems", JSON.stringify(renamed), children[own.indexOf(true)]))[0].kind, "gone");
  assert.equal(await world.call("problems", JSON.stringify(renamed), children[own.indexOf(false)]), null);
  await world.run();
  assert.deepEqual(JSON.parse((await world.record()).output), ["second", "first"]);
});

test("a child can have its own Map Runs", async () => {
  const inner = many({ states: { Nap: { ...NAP, Next: undefined, End: true } } }).States.Each;
  const world = surroundings(many({ states: { Inner: { ...inner, Label: "I" } } }));
  world.start([items(2), items(3)]);
  await world.run();
  assert.equal((await world.record()).status, "SUCCEEDED");
  const [outer] = await mapRunsOf(world);
  assert.equal(outer.run.executions.succeeded, 2);
  const children = world.children.filter((key) => key.includes("Many/L:"));
  const runs = (await Promise.all(children.map((key) => world.call("mapRuns", null, key)))).flat();
  assert.deepEqual(runs.map(({ record }) => record.run.items.succeeded).sort(), [2, 3]);
  assert.deepEqual(new Set(runs.map(({ record }) => record.machineArn.split(":").at(-1))), new Set(["Many/L/I"]));
  assert.deepEqual(new Set(runs.map(({ record }) => record.mapRunArn)), new Set(children));
});
