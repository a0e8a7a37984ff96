// Executions are moved from one store to another while they wait, with everything that belongs to them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { drivers, folder } from "../store/drivers.mjs";
import { pg, programs, startServer } from "../store/postgres-server.mjs";
import { MemoryStore, Runtime, TestClock, quiet } from "./surroundings.mjs";

const { exportExecutions, importExecutions, aesGcm, encoded } = await importSource("js/entries/durable-node.ts");
const { postgres } = await importSource("js/entries/postgres.ts");

const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
const one = (state) => ({ StartAt: "S", States: { S: { ...state, End: true } } });
const machines = {
  Timer: {
    StartAt: "A",
    States: { A: task("echo", { Next: "W" }), W: { Type: "Wait", Seconds: 3600, Next: "B" }, B: task("echo", { End: true }) },
  },
  Signal: one(task("urn:stepglass:waitForSignal", { Parameters: { Name: "go" } })),
  Later: {
    StartAt: "W",
    States: {
      W: { Type: "Wait", Seconds: 60, Next: "S" },
      ...one(task("urn:stepglass:waitForSignal", { Parameters: { Name: "go" } })).States,
    },
  },
  Token: one(task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", { Parameters: { "Token.$": "$$.Task.Token" } })),
  Parent: one(
    task("arn:aws:states:::states:startExecution.sync:2", {
      Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Child", "Input.$": "$" },
      OutputPath: "$.Output",
    }),
  ),
  Child: one({ Type: "Wait", Seconds: 7200 }),
  Each: one({
    Type: "Map",
    ItemProcessor: {
      ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
      StartAt: "Item",
      States: { Item: task("item", { End: true }) },
    },
  }),
  Loop: {
    StartAt: "L",
    States: {
      L: task("echo", { Next: "C" }),
      C: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 0, Next: "L" }], Default: "W" },
      W: { Type: "Wait", Seconds: 10, End: true },
    },
  },
};

function world() {
  const clock = new TestClock();
  const tokens = [];
  const calls = [];
  const tasks = {
    echo: (input, { idempotencyKey }) => (calls.push(idempotencyKey), input),
    item: (input) => {
      if (input === 2) throw new Error("two");
      return input;
    },
    "sqs:sendMessage.waitForTaskToken": ({ Token }) => void tokens.push(Token),
  };
  const open = async (store) => {
    const runtime = await new Runtime({ store, clock, machines, tasks }).open();
    await quiet();
    return runtime;
  };
  return { clock, tokens, calls, open };
}

/** Starts executions of all kinds and leaves them where they wait. */
async function begin({ open, tokens }, store) {
  const runtime = await open(store);
  for (const name of Object.keys(machines))
    if (name !== "Child")
      await runtime.start(name, {
        ...{ name: "1", input: name === "Each" ? [1, 2, 3] : { n: 1, text: "Zoë \ud83d\ude00" }, tags: { k: "v" } },
        attributes: { customer: "c-7", amount: 12.5, late: true },
      });
  await quiet();
  const later = await runtime.get("Later", "1");
  await later.signal("go", { by: "before" }, { id: "s" });
  while (tokens.length === 0) await quiet();
  await (
    await runtime.get("Each", "1")
  ).result;
  await (
    await runtime.start("Signal", { name: "1", onConflict: "terminate" })
  ).arn;
  await runtime.schedule("nightly", { machine: "Timer", cron: "@yearly" });
  await runtime.close();
}

/** Runs everything to its end. */
async function finish({ open, clock, tokens, calls }, store) {
  const before = calls.length;
  const runtime = await open(store);
  assert.equal(await runtime.succeed(tokens[0], { by: "Ann" }), true);
  const signal = await runtime.get("Signal", "1");
  assert.ok(signal.arn.endsWith("~2"));
  await signal.signal("go", { n: 2 });
  await (await runtime.get("Later", "1")).signal("go", { by: "again" }, { id: "s" });
  while ((await runtime.count({ status: "RUNNING" })) > 0) await clock.pass(3_600_000);
  const ends = {};
  for (const name of Object.keys(machines)) {
    const { items } = await runtime.list({ machine: name });
    const execution = await runtime.get(items[0].id);
    const { status, output, attributes } = await execution.describe();
    const ids = (await execution.history()).map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.map((_, i) => i + 1),
    );
    ends[name] = [status, output, attributes?.customer];
  }
  const input = { n: 1, text: "Zoë \ud83d\ude00" };
  assert.deepEqual(ends, {
    Timer: ["SUCCEEDED", input, "c-7"],
    Signal: ["SUCCEEDED", { n: 2 }, undefined],
    Later: ["SUCCEEDED", { by: "before" }, "c-7"],
    Token: ["SUCCEEDED", { by: "Ann" }, "c-7"],
    Parent: ["SUCCEEDED", input, "c-7"],
    Child: ["SUCCEEDED", input, undefined],
    Each: ["FAILED", undefined, "c-7"],
    Loop: ["SUCCEEDED", input, "c-7"],
  });
  const [run] = await (await runtime.get("Each", "1")).mapRuns();
  assert.equal(run.itemCounts.failed, 1);
  assert.equal((await runtime.list({ mapRunArn: run.mapRunArn })).items.length, 3);
  assert.equal((await runtime.list({ attributes: { customer: "c-7", amount: { from: 12 } } })).items.length >= 6, true);
  assert.deepEqual(
    (await runtime.schedules()).map(({ name }) => name),
    ["nightly"],
  );
  assert.deepEqual((await runtime.verify()).differing, []);
  // Only Timer's second task is called after the move.
  assert.equal(calls.length - before, 1);
  assert.equal(new Set(calls).size, calls.length);
  await runtime.close();
}

const opened = async (store, work) => {
  await store.open({ owner: "transfer" });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

async function linesOf(store, options) {
  const lines = [];
  for await (const line of exportExecutions(store, options)) lines.push(line);
  return lines;
}

async function* given(lines) {
  yield* lines;
}

test("executions of all kinds continue in the store to which they were moved, and not in the one that they have left", async () => {
  const made = world();
  const [from, to] = [new MemoryStore(), new MemoryStore()];
  await begin(made, from);
  await opened(from, (a) => opened(to, (b) => importExecutions(b, exportExecutions(a, { move: true }))));
  const left = await made.open(from);
  const [before] = [made.calls.length];
  await made.clock.pass(1000);
  assert.equal(made.calls.length, before);
  assert.match((await (await left.get("Timer", "1")).describe()).suspended.reason, /was moved to another store/);
  assert.deepEqual(await left.schedules(), []);
  await left.close();
  await finish(made, to);
});

const [driver] = Object.values(drivers);
const noDatabases = driver === undefined || pg === undefined || programs() === undefined ? "SQLite or PostgreSQL is missing" : false;
test("from SQLite to PostgreSQL and back, every byte stays the same, and the executions continue", { skip: noDatabases }, async () => {
  const made = world();
  const { file, done } = folder();
  const server = startServer();
  try {
    const keys = { a: new Uint8Array(32).fill(1) };
    const first = driver.store(file);
    const middle = postgres({ client: () => new pg.Client(server.config), shared: true });
    const last = encoded(driver.store(`${file}.2`), [aesGcm({ keys, current: "a" })]);
    await begin(made, first);
    const at = await opened(first, (store) => linesOf(store, { move: true }));
    await opened(middle, (store) => importExecutions(store, given(at)));
    const there = await opened(middle, (store) => linesOf(store, { move: true }));
    await opened(last, (store) => importExecutions(store, given(there)));
    const back = await opened(last, (store) => linesOf(store, { move: true }));
    assert.ok(at.length > 15);
    assert.deepEqual(there, at);
    assert.deepEqual(back, at);
    // It can also go back to where it was.
    const report = await opened(first, (store) => importExecutions(store, given(back)));
    assert.ok(report.imported >= 6);
    assert.deepEqual(report.refused, []);
    await finish(made, first);
  } finally {
    server.stop();
    done();
  }
});

test("a version stands for the same definition in the store to which everything was moved", async () => {
  const [from, to] = [new MemoryStore(), new MemoryStore()];
  const open = (store, M) => new Runtime({ store, machines: { M }, versions: { M: "1" } }).open();
  await (await open(from, machines.Child)).close();
  for (const store of [from, to]) await store.open({ owner: "test" });
  await importExecutions(to, exportExecutions(from));
  for (const store of [from, to]) await store.close();
  await assert.rejects(open(to, machines.Signal), { code: "VERSION_CONFLICT" });
  await (await open(to, machines.Child)).close();
});

test("an import can be repeated, also after it was interrupted anywhere", async () => {
  const made = world();
  const from = new MemoryStore();
  await begin(made, from);
  const lines = await opened(from, (store) => linesOf(store, { move: true }));
  for (let end = 1; end < lines.length; end += 3) {
    const to = new MemoryStore();
    await opened(to, async (store) => {
      await assert.rejects(importExecutions(store, given(lines.slice(0, end))), { code: "STORE_DAMAGED", message: /incomplete/ });
      const { imported, skipped, refused } = await importExecutions(store, given(lines));
      assert.deepEqual(refused, []);
      assert.deepEqual(await importExecutions(store, given(lines)), { imported: 0, skipped: imported + skipped, refused: [] });
      assert.deepEqual(await linesOf(store, { move: true }), lines);
    });
  }
});

test("an execution with facts after its snapshot waits until all of it is imported", async () => {
  const made = world();
  const from = new MemoryStore();
  await begin(made, from);
  const runtime = await made.open(from);
  await (await runtime.get("Later", "1")).signal("other", "a fact after the snapshot");
  const lines = await linesOf(from);
  await runtime.close();
  const to = new MemoryStore();
  await opened(to, async (store) => {
    const { write } = store;
    let left = 1;
    store.write = (...batches) => ((left -= 1) < 0 ? Promise.reject(new Error("killed")) : write.call(store, ...batches));
    await assert.rejects(importExecutions(store, given(lines), { copies: true }), /killed/);
    store.write = write;
    const later = (await store.list({ namePrefix: "1" })).items.find(({ id }) => id.endsWith(":Later:1"));
    assert.match(later.suspended.reason, /import was interrupted/);
    await importExecutions(store, given(lines), { copies: true });
    // Those of the first attempt were written again, so the order is another one.
    assert.deepEqual((await linesOf(store)).sort(), lines.toSorted());
  });
  await finish(made, to);
});

test("what may still run elsewhere is refused, and nothing that the store has is changed", async () => {
  const made = world();
  const [from, to] = [new MemoryStore(), new MemoryStore()];
  await begin(made, from);
  const runtime = await made.open(to);
  await runtime.start("Timer", { name: "1", input: "another" });
  await runtime.close();
  const lines = await opened(from, (store) => linesOf(store));
  const { refused } = await opened(to, (store) => importExecutions(store, given(lines)));
  assert.ok(refused.length >= 5);
  assert.ok(refused.some(({ arn, reason }) => arn.endsWith(":Timer:1") && /another execution with this ARN/.test(reason)));
  assert.ok(refused.some(({ arn, reason }) => arn.endsWith(":Token:1") && /may still run where it was exported/.test(reason)));
  const again = await made.open(to);
  assert.equal((await (await again.get("Timer", "1")).describe()).input, "another");
  assert.equal((await (await again.get("Each", "1")).describe()).status, "FAILED");
  assert.equal(await again.get("Token", "1"), undefined);
  await again.close();
  // The source runs on.
  const source = await made.open(from);
  assert.equal((await (await source.get("Timer", "1")).describe()).suspended, undefined);
  await source.close();
  // A copy is imported if it is asked for.
  const copy = new MemoryStore();
  const report = await opened(copy, (store) => importExecutions(store, given(lines), { copies: true }));
  assert.deepEqual(report.refused, []);
});

test("a move is refused if an execution has gone on meanwhile, and a file of something else is refused", async () => {
  const made = world();
  const from = new MemoryStore();
  await begin(made, from);
  await opened(from, async (store) => {
    const stored = async () => {
      const { items } = await store.list({ status: "RUNNING" });
      await store.write([{ id: items[0].id, version: items[0].version, wakeAt: 5 }]);
    };
    await assert.rejects(linesOf(store, { move: true, stored }), { code: "STORE_CONFLICT", message: /must not be used/ });
    await assert.rejects(importExecutions(store, given(['{"a":1}'])), { code: "STORE_DAMAGED" });
    await assert.rejects(importExecutions(store, given(["no json"])), { code: "STORE_DAMAGED", message: /line 1/ });
    await assert.rejects(importExecutions(store, given(['{"stepglass":"executions","form":99}'])), { code: "STORE_NEWER" });
  });
});
