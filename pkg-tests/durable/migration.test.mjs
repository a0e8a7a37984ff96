// Migration to another definition, suspension and resumption, of one execution and of many at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { quiet, TestClock } from "./clock.mjs";

const { MemoryStore, Runtime } = await importSource("js/entries/durable-node.ts");

const TOKEN = "arn:aws:states:::sqs:sendMessage.waitForTaskToken";
const ask = (more = {}) => ({ Type: "Task", Resource: TOKEN, Parameters: { "Token.$": "$$.Task.Token" }, End: true, ...more });
const OLD = {
  StartAt: "First",
  States: {
    First: { Type: "Pass", Assign: { "amount.$": "$.amount" }, Next: "Both" },
    Both: {
      Type: "Parallel",
      Branches: [
        { StartAt: "Ask", States: { Ask: ask() } },
        { StartAt: "Pause", States: { Pause: { Type: "Wait", Seconds: 60, End: true } } },
      ],
      Next: "Last",
    },
    Last: { Type: "Pass", Result: "old", End: true },
  },
};

/** A copy of the old definition, which `change` has edited. */
function changed(change) {
  const copy = structuredClone(OLD);
  change(copy.States, copy);
  return copy;
}

function surroundings() {
  const store = new MemoryStore();
  const clock = new TestClock();
  const tokens = [];
  const suspended = [];
  const tasks = { "sqs:sendMessage.waitForTaskToken": ({ Token }) => void tokens.push(Token), fail: () => Promise.reject(new Error("no")) };
  const onSuspended = (execution, reason) => suspended.push([execution.name, reason]);
  const runtime = (definition = OLD, more = {}) => new Runtime({ store, clock, machines: { M: definition }, tasks, onSuspended, ...more });
  return { store, clock, tokens, suspended, runtime };
}

/** Starts an execution that waits in both branches. */
async function waiting(runtime) {
  const now = await runtime().open();
  const execution = await now.start("M", { name: "e", input: { amount: 12 } });
  await quiet();
  return { now, execution };
}

const BETTER = changed((states) => {
  states.Last = { Type: "Pass", Parameters: { "paid.$": "$amount", note: "new" }, End: true };
  delete states.Both.Branches[0].States.Ask.End;
  Object.assign(states.Both.Branches[0].States, {
    Ask: ask({ End: undefined, Next: "Thanks" }),
    Thanks: { Type: "Pass", Result: "thanks", End: true },
  });
});

test("a migrated execution continues with the new definition and keeps its history", async () => {
  const { clock, tokens, runtime } = surroundings();
  const { now, execution } = await waiting(runtime);
  const before = await execution.history();
  await execution.migrate(BETTER);
  assert.deepEqual(await execution.history(), before);
  assert.equal((await execution.describe()).migratedDate, clock.now());
  await quiet();
  assert.equal(tokens.length, 1, "a task that waits for its token is not called again");
  await now.close();

  // The registered machine is still the old one, but the execution has its own definition.
  const next = await runtime().open();
  assert.equal(await next.succeed(tokens[0], { by: "Ann" }), true);
  await clock.pass(60_000);
  const again = await next.get("M", "e");
  assert.deepEqual(await again.result, { status: "SUCCEEDED", output: { paid: 12, note: "new" } });
  const events = await again.history();
  assert.deepEqual(events.slice(0, before.length), before);
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map((_, i) => i + 1),
  );
  assert.equal(events.filter(({ stateEnteredEventDetails: of }) => of?.name === "Thanks").length, 1);
  assert.deepEqual(await next.verify(), { executions: 1, differing: [] });
  await next.close();
});

test("an answer that arrives during a migration is not lost", async () => {
  const { clock, tokens, runtime } = surroundings();
  const { now, execution } = await waiting(runtime);
  const [, counts] = await Promise.all([execution.migrate(BETTER), now.succeed(tokens[0], "x")]);
  assert.equal(counts, true);
  await now.close();
  const next = await runtime(BETTER).open();
  await clock.pass(60_000);
  assert.equal((await (await next.get("M", "e")).result).output.note, "new");
  await next.close();
});

test("a running handler is called again with the same key after a migration, and an execution can be migrated several times", async () => {
  const machine = (resource, result) => ({
    StartAt: "Work",
    States: { Work: { Type: "Task", Resource: resource, Next: "Last" }, Last: { Type: "Pass", Result: result, End: true } },
  });
  const keys = [];
  const answers = [];
  const tasks = { work: (_, task) => (keys.push(task.idempotencyKey), new Promise((resolve) => answers.push(resolve))) };
  const now = await new Runtime({ machines: { M: machine("work", 1) }, tasks }).open();
  const execution = await now.start("M", { name: "e" });
  await quiet();
  await Promise.all([execution.migrate(machine("work", 2)), execution.migrate(machine("work", 2)).catch(() => {})]);
  await execution.migrate(machine("work", 3));
  await quiet();
  assert.equal(new Set(keys).size, 1);
  answers[0]("of no effect: it was called again");
  answers.at(-1)("done");
  assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: 3 });
  await assert.rejects(execution.migrate(machine("work", 4)), { code: "NOT_MIGRATABLE" });
  await now.close();
});

const REFUSED = {
  "a state is gone": [
    (states) => (states.Both.Branches[0] = { StartAt: "Other", States: { Other: ask() } }),
    ["gone", "/States/Both/Branches/0/States/Ask"],
  ],
  "a state is of another type": [
    (states) => (states.Both.Branches[1].States.Pause = { Type: "Pass", End: true }),
    ["gone", "/States/Both/Branches/1/States/Pause"],
  ],
  "branches have changed places": [
    (states) => states.Both.Branches.reverse(),
    ["gone", "/States/Both/Branches/0/States/Ask"],
    ["gone", "/States/Both/Branches/1/States/Pause"],
  ],
  "there is another branch": [
    (states) => states.Both.Branches.push({ StartAt: "More", States: { More: { Type: "Succeed" } } }),
    ["branches", "/States/Both"],
  ],
  "a task in flight has another resource": [
    (states) => (states.Both.Branches[0].States.Ask.Resource = TOKEN.replaceAll("sqs:sendMessage", "sns:publish")),
    ["meaning", "/States/Both/Branches/0/States/Ask/Resource"],
  ],
  "a variable is read that was never set": [
    (states) => {
      states.First.Assign["currency"] = "EUR";
      states.Last = { Type: "Pass", Parameters: { "in.$": "$currency" }, End: true };
    },
    ["variable", "/States/Last"],
  ],
};
for (const [what, [change, ...expected]] of Object.entries(REFUSED)) {
  test(`a migration is refused with all reasons: ${what}`, async () => {
    const { clock, tokens, runtime } = surroundings();
    const { now, execution } = await waiting(runtime);
    const definition = changed(change);
    await assert.rejects(execution.migrate(definition), (error) => {
      assert.equal(error.code, "NOT_MIGRATABLE");
      assert.deepEqual(
        error.problems.map(({ kind, pointer }) => [kind, pointer]),
        expected,
      );
      return true;
    });
    const [one, ...others] = await now.affected("M", definition);
    assert.deepEqual([one.name, one.problems.length, others], ["e", expected.length, []]);
    // The execution continues as if nobody had tried to migrate it.
    await now.succeed(tokens[0]);
    await clock.pass(60_000);
    assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: "old" });
    await now.close();
  });
}

test("a migration may remove a state that the execution has already left", async () => {
  const { runtime } = surroundings();
  const { now, execution } = await waiting(runtime);
  const definition = changed((states, machine) => {
    delete states.First;
    machine.StartAt = "Both";
  });
  assert.deepEqual(await now.affected("M", definition), []);
  await execution.migrate(definition);
  await now.close();
});

test("migrating by filter changes the matching executions and leaves those that cannot be migrated as they are", async () => {
  const { tokens, clock, runtime } = surroundings();
  const now = await runtime().open();
  for (const name of ["a", "b", "c"]) await now.start("M", { name, input: { amount: 1 }, tags: { of: name === "c" ? "x" : "y" } });
  await quiet();
  assert.deepEqual((await now.affected("M")).length, 0, "the registered definition is the one that they have");
  await now.close();
  const next = await runtime(BETTER).open();
  const { migrated, refused } = await next.migrate({ machine: "M", tags: { of: "y" } });
  assert.deepEqual(migrated.map((arn) => arn.at(-1)).sort(), ["a", "b"]);
  assert.deepEqual(refused, []);
  const bad = changed((states) => (states.Both.Branches[1].States.Pause.Type = "Succeed"));
  delete bad.States.Both.Branches[1].States.Pause.Seconds;
  delete bad.States.Both.Branches[1].States.Pause.End;
  const report = await next.migrate({ machine: "M" }, bad);
  assert.deepEqual([report.migrated, report.refused.map(({ name }) => name).sort()], [[], ["a", "b", "c"]]);
  await Promise.all(tokens.slice(0, 3).map((token) => next.succeed(token)));
  await clock.pass(60_000);
  const outputs = await Promise.all(["a", "c"].map(async (name) => (await (await next.get("M", name)).result).output));
  assert.deepEqual(outputs, [{ paid: 1, note: "new" }, "old"]);
  await next.close();
});

/** Makes a store return loaded executions as the returned object's `alter` changes them. */
function alterReads(store) {
  const load = store.load.bind(store);
  const reading = { alter: undefined };
  store.load = async (id) => {
    const stored = await load(id);
    return stored && reading.alter ? reading.alter(stored) : stored;
  };
  return reading;
}

test("a replay that diverges suspends the execution and reports where; the execution continues when it is resumed", async () => {
  const { store, clock, tokens, suspended, runtime } = surroundings();
  const reading = alterReads(store);
  const { now, execution } = await waiting(() => runtime(OLD, { resident: 0 }));
  assert.equal(now.resident, 0);
  reading.alter = ({ journal, ...stored }) => {
    const facts = journal.flatMap((text) => JSON.parse(text));
    facts[0][1] = '3 Invoke 9 "Other"';
    return { ...stored, journal: [JSON.stringify(facts)] };
  };
  await assert.rejects(now.succeed(tokens[0], "yes"), { code: "EXECUTION_SUSPENDED" });
  const { status, suspended: why } = await execution.describe();
  assert.equal(status, "RUNNING");
  const { diverged } = why;
  assert.deepEqual([diverged.fact, diverged.event, diverged.at], [1, "start", clock.now()]);
  assert.equal(diverged.was, 'Invoke 9 "Other" after 3 events');
  assert.match(diverged.is, /^Invoke 1 "Ask" after \d+ events$/);
  assert.ok(why.reason.includes(diverged.was) && why.reason.includes(diverged.is), why.reason);
  assert.equal(suspended.length, 1);
  await assert.rejects(execution.resume(), { code: "EXECUTION_SUSPENDED" });
  await assert.rejects(execution.migrate(BETTER), { code: "EXECUTION_SUSPENDED" });
  const [differing] = (await now.verify()).differing;
  assert.deepEqual(differing.diverged, diverged);

  // The facts are read unchanged again, as if the version that has written them were deployed again.
  reading.alter = undefined;
  await execution.resume();
  assert.equal((await execution.describe()).suspended, undefined);
  assert.equal(await now.succeed(tokens[0], "yes"), true);
  await clock.pass(60_000);
  assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: "old" });
  await now.close();
});

test("a replay with a fact that the engine rejects suspends the execution with the engine's error", async () => {
  const { store, runtime } = surroundings();
  const reading = alterReads(store);
  const { now, execution } = await waiting(() => runtime(OLD, { resident: 0 }));
  reading.alter = ({ journal, ...stored }) => {
    const facts = journal.flatMap((text) => JSON.parse(text));
    facts.push([facts.at(-1)[0], 9, "succeed", 77, "1"]);
    return { ...stored, journal: [JSON.stringify(facts)] };
  };
  assert.deepEqual(await execution.frames(), []);
  assert.match((await execution.describe()).suspended.diverged.is, /^an error: .*77/);
  await now.close();
});

test("verify replays all executions and changes nothing", async () => {
  const { store, tokens, clock, runtime } = surroundings();
  const now = await runtime().open();
  for (const name of ["a", "b", "c"]) await now.start("M", { name, input: { amount: 1 } });
  await quiet();
  await now.succeed(tokens[0]);
  await now.fail(tokens[1], { error: "E" });
  await clock.pass(60_000);
  assert.deepEqual(await now.verify(), { executions: 3, differing: [] });
  assert.deepEqual(await now.verify({ status: "FAILED" }), { executions: 1, differing: [] });
  const reading = alterReads(store);
  reading.alter = (stored) => (stored.record.name === "b" ? { ...stored, snapshot: "{" } : { ...stored, events: stored.events + 1 });
  const { differing } = await now.verify();
  assert.deepEqual(differing.map(({ name }) => name).sort(), ["a", "b", "c"]);
  assert.match(differing.find(({ name }) => name === "a").reason, /its history has \d+ of \d+ events/);
  reading.alter = undefined;
  assert.equal((await (await now.get("M", "c")).describe()).status, "RUNNING");
  assert.equal(tokens.length, 3);
  await now.close();
});

test("hundreds of executions are stopped and redriven by filter, also across restarts", async () => {
  const { tokens, runtime } = surroundings();
  const now = await runtime().open();
  for (let i = 0; i < 250; i += 1) await now.start("M", { name: `e-${i}`, input: { amount: i }, tags: { half: `${i % 2}` } });
  await quiet();
  assert.equal(await now.stopAll({ machine: "M", tags: { half: "0" } }, "Enough", "of it"), 125);
  assert.equal(await now.count({ status: "RUNNING" }), 125);
  const { error, cause, status } = await (await now.get("M", "e-0")).describe();
  assert.deepEqual([status, error, cause], ["ABORTED", "Enough", "of it"]);
  await now.close();
  const next = await runtime().open();
  const report = await next.redriveAll({ machine: "M", status: ["ABORTED", "RUNNING"] });
  assert.deepEqual([report.redriven.length, report.refused], [125, []]);
  assert.equal(await next.count({ status: "RUNNING" }), 250);
  assert.deepEqual(await next.redriveAll({ machine: "M", status: "SUCCEEDED" }), { redriven: [], refused: [] });
  assert.ok(tokens.length >= 250);
  await next.close();
});

for (const [mode, config] of [
  ["an inline Map", {}],
  ["a Distributed Map", { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" } }],
]) {
  test(`the iterations of ${mode} continue with the new states, also those that have not begun`, async () => {
    const each = (note) => ({
      ...config,
      StartAt: "Ask",
      States: { Ask: ask({ End: undefined, Next: "Note" }), Note: { Type: "Pass", Result: note, End: true } },
    });
    const machine = (note, more = {}) => ({
      StartAt: "Each",
      States: { Each: { Type: "Map", Label: "L", ItemsPath: "$.items", MaxConcurrency: 2, ItemProcessor: each(note), End: true, ...more } },
    });
    const { tokens, runtime } = surroundings();
    const now = await runtime(machine("old")).open();
    const execution = await now.start("M", { name: "e", input: { items: [1, 2, 3] } });
    await quiet();
    await now.succeed(tokens[0]);
    await quiet();
    const other = config.ProcessorConfig
      ? machine("x", { ItemProcessor: { ...each("x"), ProcessorConfig: { Mode: "INLINE" } } })
      : machine("x");
    other.States.Each.ItemProcessor.States.Ask.Resource = TOKEN.replaceAll("sqs:sendMessage", "sns:publish");
    await assert.rejects(execution.migrate(other), { code: "NOT_MIGRATABLE" });
    await execution.migrate(machine("new"));
    await now.close();
    const next = await runtime(machine("old")).open();
    await quiet();
    assert.equal(tokens.length, 3, "iterations that wait for their tokens are not called again");
    for (const token of tokens.slice(1)) assert.equal(await next.succeed(token), true);
    await quiet();
    assert.deepEqual((await (await next.get("M", "e")).result).output, ["old", "new", "new"]);
    assert.deepEqual(await next.verify(), { executions: 1, differing: [] });
    await next.close();
  });
}

test("an execution in a retry delay continues with the new state's Retry", async () => {
  const machine = (attempts, resource = "fail") => ({
    StartAt: "Work",
    States: {
      Work: {
        Type: "Task",
        Resource: resource,
        Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 60, MaxAttempts: attempts, BackoffRate: 1 }],
        End: true,
      },
    },
  });
  const { clock, runtime } = surroundings();
  const now = await runtime(machine(1)).open();
  const execution = await now.start("M", { name: "e" });
  await quiet();
  // Nothing is in flight during the delay, so another resource is called next.
  await execution.migrate(machine(2, "other"));
  await now.close();
  const calls = [];
  const tasks = { other: (_, { attempt }) => (calls.push(attempt), Promise.reject(new Error("again"))) };
  const next = await runtime(machine(1), { tasks }).open();
  await clock.pass(60_000);
  await clock.pass(60_000);
  assert.equal((await (await next.get("M", "e")).result).status, "FAILED");
  assert.deepEqual(calls, [1, 2]);
  await next.close();
});
