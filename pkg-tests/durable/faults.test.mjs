// What a runtime does when its store fails, when stored data is damaged, and when its clock is wrong.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { TestClock, quiet } from "./clock.mjs";

const { MemoryStore, Runtime, StoreConflict, StoreError } = await importSource("js/entries/durable-node.ts");
const { SteadyClock } = await importSource("js/core/driver/steady-clock.ts");

const task = (Resource, more) => ({ Type: "Task", Resource, End: true, ...more });
const machine = (States) => ({ StartAt: Object.keys(States)[0], States });
const DAY = 86_400_000;
const machines = {
  Task: machine({ A: task("echo") }),
  Wait: machine({ W: { Type: "Wait", SecondsPath: "$.seconds", Next: "A" }, A: task("echo") }),
  Token: machine({
    T: task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", { Parameters: { "token.$": "$$.Task.Token" }, TimeoutSeconds: 100 }),
  }),
  Loop: machine({
    P: { Type: "Pass", Next: "C" },
    C: { Type: "Choice", Choices: [{ Variable: "$.never", IsPresent: true, Next: "E" }], Default: "P" },
    E: { Type: "Succeed" },
  }),
};

/** A store whose methods a test can replace by setting them on `own`. */
function overriding(store, own) {
  return new Proxy(store, {
    get: (target, name) => own[name] ?? (typeof target[name] === "function" ? target[name].bind(target) : target[name]),
  });
}

function surroundings(own = {}, more = {}) {
  const store = new MemoryStore();
  const clock = new TestClock();
  const calls = [];
  const tokens = [];
  const reports = [];
  const tasks = {
    echo: (input, { idempotencyKey }) => (calls.push(idempotencyKey), input),
    "sqs:sendMessage.waitForTaskToken": ({ token }) => void tokens.push(token),
  };
  const runtime = (options = {}) =>
    new Runtime({
      store: overriding(store, own),
      clock,
      machines,
      tasks,
      onSuspended: ({ name }, why) => reports.push(["suspended", name, why]),
      onStoreError: ({ error }) => reports.push(["store", error.message]),
      ...more,
      ...options,
    });
  return { store, clock, calls, tokens, reports, runtime };
}

/** Waits until a condition is true. */
async function until(holds) {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("a failed write is repeated until it succeeds, and no handler is called before", async () => {
  let full = 0;
  const own = {};
  const { store, calls, reports, runtime } = surroundings(own);
  own.write = async (batches) => {
    if (full-- > 0) throw new StoreError("STORE_FULL", "the disk is full");
    return store.write(batches);
  };
  const now = await runtime().open();
  full = 3;
  const starting = now.start("Task", { name: "t", input: { n: 1 } });
  await until(() => reports.length > 0);
  assert.deepEqual(calls, []);
  const execution = await starting;
  full = 1;
  assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { n: 1 } });
  assert.equal(calls.length, 1);
  assert.ok(reports.every(([what, why]) => what === "store" && why === "the disk is full"));
  await now.close();
});

/** Makes writes fail with STORE_FULL once they would exceed `room.size` characters. */
function limitRoom(own, store, room) {
  room.used = 0;
  own.write = async (batches) => {
    const size = JSON.stringify(batches).length;
    if (room.used + size > room.size) throw new StoreError("STORE_FULL", "the disk is full");
    const results = await store.write(batches);
    room.used += size;
    return results;
  };
}

test("a write that is larger than the free space is divided: what fits is stored, and a start that does not fit is refused with its size", async () => {
  const own = {};
  const { store, calls, reports, runtime } = surroundings(own);
  const room = { size: Infinity };
  limitRoom(own, store, room);
  const now = await runtime().open();
  const before = await now.start("Wait", { name: "before", input: { seconds: 10 } });
  room.size = 120_000;
  const text = "x".repeat(20_000);
  const starts = await Promise.allSettled(
    Array.from({ length: 30 }, (_, n) => now.start("Wait", { name: `w-${n}`, input: { seconds: 10_000, text } })),
  );
  const refused = starts.filter(({ status }) => status === "rejected").map(({ reason }) => reason);
  assert.ok(refused.length > 20 && refused.length < 30, `${refused.length} were refused`);
  for (const { code, message } of refused) {
    assert.equal(code, "STORE_FULL");
    assert.match(message, /the disk is full: the start of arn:.*:w-\d+ needs about 4\d{4} bytes/);
  }
  assert.equal(await now.count({ namePrefix: "w-" }), 30 - refused.length);
  // Small executions continue.
  assert.equal(await (await now.start("Task", { name: "t", input: { n: 1 } })).result.then(({ status }) => status), "SUCCEEDED");
  assert.equal(calls.length, 1);
  assert.equal((await before.describe()).status, "RUNNING");
  assert.ok(reports.length > 0);
  await now.close();
});

test("progress that does not fit in a full store is written when there is room, and smaller executions continue meanwhile", async () => {
  const own = {};
  const { store, clock, runtime } = surroundings(own, {
    tasks: { echo: ({ text, ...input }) => ({ ...input, text: text ?? "x".repeat(30_000) }) },
  });
  const room = { size: Infinity };
  limitRoom(own, store, room);
  const now = await runtime().open();
  const large = await now.start("Wait", { name: "large", input: { seconds: 1 } });
  const others = await Promise.all(
    Array.from({ length: 5 }, (_, n) => now.start("Wait", { name: `w-${n}`, input: { seconds: 1, text: "" } })),
  );
  room.size = room.used + 50_000;
  await clock.pass(1_000);
  for (const { result } of others) assert.equal((await result).status, "SUCCEEDED");
  assert.equal((await large.describe()).status, "RUNNING");
  room.size = Infinity;
  assert.equal((await large.result).output.text.length, 30_000);
  await now.close();
});

test("an execution and the one that it continues as are written together, also when the store is nearly full", async () => {
  const own = {};
  const again = {
    StartAt: "C",
    States: { C: task("urn:stepglass:continueAsNew", { Parameters: { "Input.$": "$", Machine: "Task" } }) },
  };
  const { store, runtime } = surroundings(own, { machines: { ...machines, Again: again } });
  let full = false;
  own.write = async (batches) => {
    if (full && batches.length !== 2) throw new StoreError("STORE_FULL", "the disk is full");
    return store.write(batches);
  };
  const now = await runtime().open();
  const executions = [];
  for (const name of ["a", "b", "c"]) executions.push(await now.start("Again", { name, input: { text: "x" } }));
  full = true;
  await quiet();
  for (const execution of executions) assert.equal((await execution.result).status, "SUCCEEDED");
  full = false;
  await now.close();
});

test("a start that a damaged store cannot write is rejected, and other starts succeed", async () => {
  const own = {};
  const { store, reports, runtime } = surroundings(own);
  own.write = async (batches) => {
    if (batches.some(({ id }) => id.endsWith(":bad"))) throw new StoreError("STORE_DAMAGED", "the last pages are damaged");
    return store.write(batches);
  };
  const now = await runtime().open();
  const starts = ["a", "bad", "b", "c"].map((name) => now.start("Task", { name, input: {} }));
  const results = await Promise.allSettled(starts);
  assert.deepEqual(
    results.map(({ reason }) => reason?.code),
    [undefined, "STORE_DAMAGED", undefined, undefined],
  );
  for (const { value } of results) if (value !== undefined) assert.equal((await value.result).status, "SUCCEEDED");
  assert.deepEqual(
    reports.map(([what]) => what),
    ["store"],
  );
  await now.close();
});

test("a runtime can be closed while its store cannot write, and starts that were not acknowledged are refused", async () => {
  const own = {};
  const { calls, runtime } = surroundings(own);
  const now = await runtime().open();
  own.write = () => Promise.reject(new StoreError("STORE_FULL", "the disk is full"));
  const starting = assert.rejects(now.start("Task", { name: "t" }), { code: "RUNTIME_CLOSED" });
  await quiet();
  await now.close();
  await starting;
  assert.deepEqual(calls, []);
  delete own.write;
  const again = await runtime().open();
  assert.equal(await again.get("Task", "t"), undefined);
  await again.close();
});

test("closing a runtime waits for a write, and the execution that it stores is still there", async () => {
  const own = {};
  const { store, runtime } = surroundings(own);
  let go;
  const now = await runtime().open();
  own.write = async (batches) => {
    await new Promise((resolve) => (go = resolve));
    return store.write(batches);
  };
  const starting = now.start("Wait", { name: "w", input: { seconds: 10 } });
  await until(() => go !== undefined);
  const closing = now.close();
  delete own.write;
  go();
  const { arn } = await starting;
  await closing;
  const again = await runtime().open();
  assert.equal((await (await again.get(arn)).describe()).status, "RUNNING");
  await again.close();
});

test("two concurrent starts with the name of an ended execution are both refused", async () => {
  const { runtime } = surroundings();
  const now = await runtime().open();
  await now.run("Task", { name: "t", input: { n: 1 } });
  const both = await Promise.allSettled([2, 3].map((n) => now.start("Task", { name: "t", input: { n } })));
  assert.deepEqual(
    both.map(({ reason }) => reason?.code),
    ["EXECUTION_EXISTS", "EXECUTION_EXISTS"],
  );
  await now.close();
});

test("starting a loop that never waits returns at once, and its facts are written while it runs", async () => {
  let written = 0;
  const own = {};
  const { store, runtime } = surroundings(own, { historyLimit: 24_000, stepBudget: 10 });
  own.write = (batches) => {
    written += 1;
    return store.write(batches);
  };
  const now = await runtime().open();
  const loop = await now.start("Loop", { name: "l" });
  // Nothing is awaited between the start and this race, because on a busy machine the loop could end meanwhile.
  const ended = loop.result.then(() => "ended");
  assert.equal(await Promise.race([ended, "running"]), "running");
  assert.equal((await loop.result).status, "FAILED");
  assert.ok(written >= 2, `${written} writes`);
  await now.close();
});

test("a damaged execution is suspended, and the others continue", async () => {
  for (const damage of [
    (stored) => ({ ...stored, journal: ["[[1,2"] }),
    (stored) => ({ ...stored, snapshot: `{"form":1,"at":0,"events":1,"notes":{}}\n{"torn`, journal: [] }),
    (stored) => ({ ...stored, snapshot: '{"form":99}\n{}', journal: [] }),
    () => {
      throw new StoreError("STORE_DAMAGED", "the facts are missing");
    },
  ]) {
    const own = {};
    const { store, clock, reports, runtime } = surroundings(own);
    const first = await runtime().open();
    for (const name of ["a", "b", "c"]) await first.start("Wait", { name, input: { seconds: 10 } });
    await quiet();
    await first.close();
    own.load = async (id) => {
      const stored = await store.load(id);
      return id.endsWith(":b") ? damage(stored) : stored;
    };
    const now = await runtime().open();
    await clock.pass(20_000);
    assert.deepEqual(
      reports.map(([what, name]) => [what, name]),
      [["suspended", "b"]],
    );
    for (const name of ["a", "c"]) assert.equal((await (await now.get("Wait", name)).result).status, "SUCCEEDED");
    const { status, suspended } = await (await now.get("Wait", "b")).describe();
    assert.equal(status, "RUNNING");
    assert.equal(suspended.reason, reports[0][2]);
    await now.close();
    // The damage is gone, so the execution continues when it is resumed.
    delete own.load;
    const again = await runtime().open();
    const execution = await again.get("Wait", "b");
    await execution.resume?.();
    if (execution.resume) assert.equal((await execution.result).status, "SUCCEEDED");
    await again.close();
  }
});

test("no execution is suspended when the store cannot read for a while", async () => {
  const own = {};
  const { store, clock, reports, runtime } = surroundings(own);
  const first = await runtime().open();
  await first.start("Wait", { name: "w", input: { seconds: 10 } });
  await quiet();
  await first.close();
  let busy = 2;
  own.load = async (id) => {
    if (busy-- > 0) throw new StoreError("STORE_FAILED", "input/output error");
    return store.load(id);
  };
  const now = await runtime().open();
  await clock.pass(10_000);
  for (let i = 0; i < 5; i += 1) await clock.pass(1_000);
  assert.equal((await (await now.get("Wait", "w")).result).status, "SUCCEEDED");
  assert.deepEqual(reports, [
    ["store", "input/output error"],
    ["store", "input/output error"],
  ]);
  await now.close();
});

test("an execution that another writer has changed continues from the changed state", async () => {
  const own = {};
  const { store, clock, runtime } = surroundings(own);
  const now = await runtime().open();
  const execution = await now.start("Wait", { name: "w", input: { seconds: 10 } });
  await quiet();
  const { version } = await store.get(execution.arn);
  await store.write([{ id: execution.arn, version, change: { tags: { by: "another" } } }]);
  await clock.pass(10_000);
  for (let i = 0; i < 3; i += 1) await clock.pass(1_000);
  assert.equal((await execution.result).status, "SUCCEEDED");
  assert.deepEqual((await execution.describe()).tags, { by: "another" });
  await now.close();
});

test("answering a token rejects with StoreConflict if another writer has changed the execution", async () => {
  const own = {};
  const { store, tokens, runtime } = surroundings(own);
  const now = await runtime().open();
  const execution = await now.start("Token", { name: "t" });
  await quiet();
  const { version } = await store.get(execution.arn);
  await store.write([{ id: execution.arn, version, change: { tags: {} } }]);
  await assert.rejects(now.succeed(tokens[0], 1), (error) => error instanceof StoreConflict || error.name === "StoreConflict");
  await now.close();
});

test("a second runtime cannot open a store that has an owner", async () => {
  const { runtime } = surroundings();
  const now = await runtime().open();
  await assert.rejects(runtime().open(), { name: "StoreConflict" });
  await now.close();
  await (await runtime().open()).close();
});

test("an execution that is unloaded while the runtime reads the due executions is still woken", async () => {
  const own = {};
  const { store, clock, runtime } = surroundings(own, { resident: 0 });
  let answer;
  const now = await runtime().open();
  own.due = async (range) => {
    const due = await store.due(range);
    await new Promise((resolve) => (answer = resolve));
    return due;
  };
  // The runtime asks the store for the due executions, and the store answers late.
  await clock.pass(30_000);
  const execution = await now.start("Wait", { name: "w", input: { seconds: 50 } });
  await quiet();
  delete own.due;
  answer();
  await quiet();
  for (let i = 0; i < 6; i += 1) await clock.pass(10_000);
  assert.equal((await execution.result).status, "SUCCEEDED");
  await now.close();
});

test("executions that are loaded only for a query do not stay in memory", async () => {
  const { runtime } = surroundings({}, { resident: 3 });
  const now = await runtime().open();
  const all = await Promise.all(Array.from({ length: 12 }, (_, i) => now.start("Wait", { name: `w-${i}`, input: { seconds: 10_000 } })));
  await quiet();
  assert.equal(now.resident, 3);
  for (const execution of all) await execution.frames();
  await quiet();
  for (const execution of all) await execution.frames();
  await quiet();
  assert.equal(now.resident, 3);
  await now.close();
});

test("a runtime that was closed for a year runs all due executions, with a bounded number in memory", async () => {
  const { clock, calls, runtime } = surroundings();
  const first = await runtime().open();
  await Promise.all(Array.from({ length: 300 }, (_, i) => first.start("Wait", { name: `w-${i}`, input: { seconds: 60 + i } })));
  const token = await first.start("Token", { name: "t" });
  await quiet();
  await first.close();
  clock.time += 365 * DAY;
  let most = 0;
  const now = await runtime({ onEnd: () => (most = Math.max(most, now.resident)) }).open();
  await until(async () => (await now.count({ status: "SUCCEEDED" })) === 300);
  assert.equal(calls.length, 300);
  assert.equal(new Set(calls).size, 300);
  assert.ok(most < 200, `${most} at a time`);
  // Nobody could answer the token for a year, so the task has not timed out yet.
  assert.equal((await (await now.get(token.arn)).describe()).status, "RUNNING");
  await now.close();
});

test("a wait still ends after the clock is set back, and timestamps do not decrease", async () => {
  const { clock, runtime } = surroundings();
  const first = await runtime().open();
  const execution = await first.start("Wait", { name: "w", input: { seconds: 60 } });
  await quiet();
  await first.close();
  clock.time -= 3_600_000;
  const now = await runtime().open();
  for (let i = 0; i < 130; i += 1) await clock.pass(30_000);
  const again = await now.get(execution.arn);
  assert.equal((await again.result).status, "SUCCEEDED");
  const times = (await again.history()).map(({ timestamp }) => Date.parse(timestamp));
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  await now.close();
});

/** A steady clock whose sources a test moves. `pass` advances time by `milliseconds` and shifts the system's clock by `step` more. */
function steady({ hasBoot = true } = {}) {
  const now = { wall: 1_000_000, at: 500, boot: 90_000 };
  const clock = new SteadyClock({
    wall: () => now.wall,
    monotonic: () => now.at,
    // Operating systems report the time since boot in whole seconds.
    boot: hasBoot ? () => Math.floor(now.boot / 1000) * 1000 : undefined,
  });
  const pass = (milliseconds, step = 0) => {
    now.at += milliseconds;
    now.boot += milliseconds;
    now.wall += Math.floor(milliseconds) + step;
    return clock.now();
  };
  const sleep = (milliseconds) => {
    now.boot += milliseconds;
    now.wall += milliseconds;
    return clock.now();
  };
  return { now, clock, pass, sleep };
}

test("time advances at its usual rate while the system's clock is set back", () => {
  const { now, clock, pass } = steady();
  assert.equal(pass(100), 1_000_100);
  // The system's clock is set back by a day; time also advances by fractions of milliseconds.
  assert.equal(pass(100, -DAY), 1_000_200);
  for (let i = 0; i < 2000; i += 1) pass(0.5);
  assert.equal(clock.now(), 1_001_200);
  // The system's clock is corrected.
  now.wall = 1_001_300;
  assert.equal(pass(100), 1_001_400);
  // A small correction backwards never makes the time decrease.
  const before = clock.now();
  assert.equal(pass(10, -50), before);
});

test("when the system's clock is set forward, time runs a tenth faster until it has caught up", () => {
  const { now, clock, pass } = steady();
  assert.equal(pass(1000, 3_600_000), 1_001_100);
  assert.equal(pass(1000), 1_002_200);
  assert.equal(pass(9 * 3_600_000), 1_002_200 + 9.9 * 3_600_000);
  // A second step while the clock still lags is not taken for sleep either.
  assert.equal(pass(1000, DAY), 1_002_200 + 9.9 * 3_600_000 + 1100);
  for (let i = 0; i < 12 * 24; i += 1) pass(3_600_000);
  assert.equal(clock.now(), now.wall);
  assert.equal(pass(100), now.wall);
});

test("time in which the machine slept counts as passed, even if the system's clock was set forward too", () => {
  const { now, clock, pass, sleep } = steady();
  sleep(8 * 3_600_000);
  assert.equal(clock.now(), now.wall);
  const before = clock.now();
  now.wall += DAY;
  sleep(3_600_000);
  const after = clock.now();
  assert.ok(after >= before + 3_600_000 - 1000 && after <= before + 3_600_000 + 1000, `${after - before}`);
  assert.ok(pass(1000) < now.wall);
});

test("without a boot clock, a step forward of the system's clock counts as sleep", () => {
  const { now, pass } = steady({ hasBoot: false });
  assert.equal(pass(100, DAY), now.wall);
});

test("a running task does not time out and a wait is not skipped when the system's clock is set forward by a day", async () => {
  const { now } = Date;
  let answer;
  const machines = {
    Task: { StartAt: "A", States: { A: task("slow", { TimeoutSeconds: 3600, HeartbeatSeconds: 1800 }) } },
    Wait: { StartAt: "W", States: { W: { Type: "Wait", Seconds: 3600, End: true } } },
    Short: { StartAt: "W", States: { W: { Type: "Wait", Seconds: 1, End: true } } },
  };
  const tasks = { slow: () => new Promise((resolve) => (answer = resolve)) };
  const runtime = await new Runtime({ store: new MemoryStore(), machines, tasks }).open();
  try {
    const [slow, waits] = [await runtime.start("Task", { name: "t" }), await runtime.start("Wait", { name: "w" })];
    await until(() => answer !== undefined);
    Date.now = () => now() + DAY;
    // This wait begins and ends after the step, so the runtime has checked its timers when it ends.
    assert.equal((await (await runtime.start("Short", { name: "s" })).result).status, "SUCCEEDED");
    assert.equal((await waits.describe()).status, "RUNNING");
    assert.equal((await slow.describe()).status, "RUNNING");
    answer("done");
    assert.equal((await slow.result).output, "done");
  } finally {
    Date.now = now;
    await runtime.close();
  }
});

test("waits and retries end when the system's clock is set back by a day", async () => {
  const machine = {
    StartAt: "W",
    States: {
      W: { Type: "Wait", Seconds: 1, Next: "A" },
      A: task("busy", { Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 1, MaxAttempts: 1 }] }),
    },
  };
  const { now } = Date;
  let calls = 0;
  const busy = () => {
    calls += 1;
    if (calls > 1) return "done";
    Date.now = () => now() - 2 * DAY;
    throw new Error("busy");
  };
  const runtime = await new Runtime({ store: new MemoryStore(), machines: { M: machine }, tasks: { busy } }).open();
  try {
    const execution = await runtime.start("M", { name: "m" });
    Date.now = () => now() - DAY;
    assert.equal((await execution.result).output, "done");
    const times = (await execution.history()).map(({ timestamp }) => Date.parse(timestamp));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  } finally {
    Date.now = now;
    await runtime.close();
  }
});

test("a repeated start with an existing name does not block the execution that has the name", async () => {
  const own = {};
  const { store, tokens, runtime } = surroundings(own);
  const first = await runtime().open();
  const { arn } = await first.start("Token", { name: "t", input: { n: 1 } });
  await quiet();
  await first.close();
  const now = await runtime().open();
  let go;
  own.write = async (batches) => {
    if (batches.some(({ create }) => create !== undefined)) await new Promise((resolve) => (go = resolve));
    return store.write(batches);
  };
  const again = now.start("Token", { name: "t", input: { n: 1 } });
  await until(() => go !== undefined);
  const answering = now.succeed(tokens[0], { answered: true });
  const history = (await now.get(arn)).history();
  await quiet();
  delete own.write;
  go();
  assert.equal((await again).arn, arn);
  assert.equal(await answering, true);
  assert.ok((await history).length > 0);
  assert.deepEqual((await (await now.get(arn)).result).output, { answered: true });
  await now.close();
});

test("a due execution is woken although its start is repeated at the same time", async () => {
  const { clock, runtime } = surroundings();
  const first = await runtime().open();
  for (let i = 0; i < 50; i += 1) await first.start("Wait", { name: `w-${i}`, input: { seconds: 10 } });
  await quiet();
  await first.close();
  clock.time += 20_000;
  const now = await runtime().open();
  // Clients whose starts were not acknowledged repeat them.
  const all = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => now.start("Wait", { name: `w-${i}`, input: { seconds: 10 } })));
  await quiet();
  assert.ok(all.every(({ status, reason }) => status === "fulfilled" || reason.code === "EXECUTION_EXISTS"));
  assert.equal(await now.count({ status: "SUCCEEDED" }), 50);
  await now.close();
});
