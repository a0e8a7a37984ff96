// Every execution in a store that an earlier build has written is continued. A new form of facts or snapshots gets a file of its own in
// `stores`, and no file is ever changed.
//
//   node pkg-tests/durable/forms.test.mjs --write     writes the stores of this build into a file that does not exist yet
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { TestClock, quiet } from "./clock.mjs";

const { MemoryStore, Runtime } = await importSource("js/entries/durable-node.ts");

const folder = join(import.meta.dirname, "stores");
const FORM = 1;
const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
const machine = (States) => ({ StartAt: Object.keys(States)[0], States });
// The files contain these definitions too, because an execution keeps its definition.
const machines = {
  Wait: machine({ A: task("echo", { Next: "W" }), W: { Type: "Wait", Seconds: 86_400, Next: "B" }, B: task("echo", { End: true }) }),
  Token: machine({
    T: task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", {
      Parameters: { "token.$": "$$.Task.Token" },
      ResultPath: "$.answer",
      Next: "B",
    }),
    B: task("echo", { End: true }),
  }),
  Retry: machine({
    A: task("flaky", { Retry: [{ ErrorEquals: ["Flaky"], IntervalSeconds: 3600, MaxAttempts: 3 }], End: true }),
  }),
  Parallel: machine({
    P: {
      Type: "Parallel",
      Branches: [machine({ X: task("echo", { End: true }) }), machine({ Y: { Type: "Wait", Seconds: 60, End: true } })],
      End: true,
    },
  }),
  Map: machine({
    M: {
      Type: "Map",
      ItemsPath: "$.items",
      MaxConcurrency: 1,
      ItemProcessor: machine({ I: task("echo", { Next: "J" }), J: { Type: "Wait", Seconds: 30, End: true } }),
      End: true,
    },
  }),
  Failed: machine({ A: task("echo", { Next: "B" }), B: task("broken", { End: true }) }),
};
const input = { n: 12345678901, text: "Zoë", items: [1, 2, 3] };

function surroundings(store, works) {
  const clock = new TestClock();
  const tokens = [];
  const fails = (name) => (given) => {
    if (works) return given;
    throw Object.assign(new Error("not yet"), { name });
  };
  const tasks = {
    echo: (given) => given,
    flaky: fails("Flaky"),
    broken: fails("Broken"),
    "sqs:sendMessage.waitForTaskToken": ({ token }) => void tokens.push(token),
  };
  return { clock, tokens, runtime: new Runtime({ store, clock, machines, tasks }) };
}

/** The stored data of executions that have not ended: once as facts alone, and once as snapshots. */
async function writeStores() {
  const store = new MemoryStore();
  const { runtime, tokens } = surroundings(store, false);
  await runtime.open();
  for (const name of Object.keys(machines)) await runtime.start(name, { name: "one", input, seed: 7 });
  await quiet();
  const definitions = {};
  const facts = await storedExecutions(store, definitions);
  // A runtime writes snapshots when it closes.
  await runtime.close();
  await store.open({ owner: "the test" });
  const snapshots = await storedExecutions(store, definitions);
  await store.close();
  return { form: FORM, token: tokens[0], definitions, facts, snapshots };
}

async function storedExecutions(store, definitions) {
  const all = [];
  for (const { id, definition } of (await store.list()).items) {
    definitions[definition] = await store.getDefinition(definition);
    const { record, journal, snapshot, wakeAt } = await store.load(id);
    all.push({ record, journal, snapshot, wakeAt, events: (await store.history(id)).events });
  }
  return all;
}

/** A store with the executions of a file. */
async function storeOf(definitions, executions) {
  const store = new MemoryStore();
  await store.open({ owner: "the test" });
  for (const [hash, text] of Object.entries(definitions)) await store.putDefinition(hash, text);
  for (const { record, journal, snapshot, wakeAt, events } of executions) {
    const { id, version, order, ...create } = record;
    const facts = journal.flatMap((text) => JSON.parse(text));
    const [result] = await store.write([
      {
        ...{ id, version: 0, create: { id, ...create }, wakeAt },
        ...(events.length > 0 && { events: { text: JSON.stringify(events), count: events.length } }),
        ...(snapshot !== undefined && { snapshot }),
      },
    ]);
    assert.ok(result.ok, String(result.error));
    if (journal.length > 0) {
      const text = `[${journal.map((one) => one.slice(1, -1)).join(",")}]`;
      await store.write([{ id, version: result.version, facts: { text, count: facts.length } }]);
    }
  }
  await store.close();
  return store;
}

/** Runs all executions to their ends. Returns the status and output of each. */
async function finish(store, token) {
  const suspended = [];
  const { runtime, clock } = surroundings(store, true);
  await runtime.open();
  await quiet();
  assert.equal(await runtime.succeed(token, { by: "Ann" }), true);
  await (await runtime.get("Failed", "one")).redrive();
  for (let i = 0; i < 30; i += 1) await clock.pass(3_600_000);
  const ends = {};
  for (const name of Object.keys(machines)) {
    const execution = await runtime.get(name, "one");
    const { status, output, suspended: why } = await execution.describe();
    if (why) suspended.push(why);
    const ids = (await execution.history()).map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.map((_, i) => i + 1),
    );
    ends[name] = [status, output];
  }
  await runtime.close();
  assert.deepEqual(suspended, []);
  return ends;
}

if (process.argv.includes("--write")) {
  const file = join(folder, `form-${FORM}.json`);
  if (existsSync(file)) throw new Error(`${file} exists: a file of an earlier build is never changed`);
  writeFileSync(file, `${JSON.stringify(await writeStores(), null, 1)}\n`);
} else {
  for (const file of readdirSync(folder))
    for (const kind of ["facts", "snapshots"])
      test(`the executions of ${file} continue from their ${kind}`, async () => {
        const { definitions, token, [kind]: executions } = JSON.parse(readFileSync(join(folder, file), "utf8"));
        assert.ok(executions.length >= 6);
        const ends = await finish(await storeOf(definitions, executions), token);
        assert.deepEqual(ends, {
          Wait: ["SUCCEEDED", input],
          Token: ["SUCCEEDED", { ...input, answer: { by: "Ann" } }],
          Retry: ["SUCCEEDED", input],
          Parallel: ["SUCCEEDED", [input, input]],
          Map: ["SUCCEEDED", input.items],
          Failed: ["SUCCEEDED", input],
        });
      });

  test("the newest file has the form that this build writes", async () => {
    const { facts, snapshots } = await writeStores();
    const newest = JSON.parse(readFileSync(join(folder, `form-${FORM}.json`), "utf8"));
    const shapes = (executions) =>
      executions.map(({ record, snapshot }) => [record.machine, snapshot && JSON.parse(snapshot.slice(0, snapshot.indexOf("\n"))).form]);
    assert.deepEqual(shapes(newest.facts).sort(), shapes(facts).sort());
    assert.deepEqual(shapes(newest.snapshots).sort(), shapes(snapshots).sort());
  });
}
