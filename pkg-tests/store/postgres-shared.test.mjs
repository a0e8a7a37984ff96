// A PostgreSQL store that several processes share.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { pg, programs, startServer } from "./postgres-server.mjs";
import { append, factsOf, record, storeSuite, texts } from "./suite.mjs";

const { postgres } = await importSource("js/entries/postgres.ts");
const { Runtime } = await importSource("js/entries/durable-node.ts");
const { SHARDS, shardOf } = await importSource("js/runtime/store/shards.ts");
const why =
  pg === undefined
    ? "pg is not installed: npm ci --prefix pkg-tests/store"
    : programs() === undefined
      ? "there is no PostgreSQL server here"
      : false;

let server, folder;
before(() => {
  if (why) return;
  server = startServer();
  folder = mkdtempSync(join(tmpdir(), "stepglass-shared-"));
});
after(() => {
  server?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const client = () => new pg.Client(server.config);
let schemas = 0;
const newSchema = () => `shared${(schemas += 1)}`;
const open = (schema, more) => {
  const store = postgres({ client, schema, shared: true, ...more });
  cleanups.add(() => store.close());
  return store;
};

storeSuite(
  (name, run) => test(name, { skip: why }, run),
  "PostgreSQL, shared",
  () => {
    const schema = newSchema();
    return { store: open(schema), another: () => open(schema), shared: true };
  },
);

// Functions that close what a test has opened. A failed test leaves some of them.
const cleanups = new Set();

const check = (name, run) =>
  test(`PostgreSQL, shared: ${name}`, { skip: why }, async () => {
    try {
      await run();
    } finally {
      // The error of the test is reported, not an error of the clean-up.
      for (const cleanUp of cleanups) await Promise.resolve(cleanUp()).catch(() => {});
      cleanups.clear();
    }
  });

/** Resolves to the first truthy value that `is` returns. */
async function until(is) {
  for (;;) {
    const found = await is();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns a key in the store's share of the executions. */
async function keyOf(store, prefix = "e") {
  return until(() => Array.from({ length: 500 }, (_, i) => `${prefix}${i}`).find((key) => store.sharing.has(key)));
}

const shardsOf = (store) => {
  const keys = new Map(Array.from({ length: 2000 }, (_, i) => [shardOf(`k${i}`), `k${i}`]));
  return [...keys].filter(([, key]) => store.sharing.has(key)).map(([shard]) => shard);
};

check("each process has a share of the executions, and the shares are divided again when a process joins or leaves", async () => {
  const schema = newSchema();
  const stores = [open(schema), open(schema), open(schema)];
  const [a, b, c] = stores;
  const divided = (...counts) =>
    until(() => {
      const parts = stores.slice(0, counts.length).map(shardsOf);
      const all = new Set(parts.flat());
      return all.size === SHARDS && parts.flat().length === SHARDS && parts.every(({ length }, i) => length <= counts[i]);
    });
  await a.open({ owner: "a" });
  assert.equal(shardsOf(a).length, SHARDS);
  await b.open({ owner: "b" });
  a.sharing.listen(listener());
  await divided(32, 32);
  await c.open({ owner: "c" });
  await divided(22, 22, 22);
  await b.close();
  await until(() => shardsOf(a).length + shardsOf(c).length === SHARDS);
  await a.close();
  await until(() => shardsOf(c).length === SHARDS);
  await c.close();
});

const listener = (more = {}) => ({
  gained() {},
  lost() {},
  due() {},
  ended() {},
  changed() {},
  isBusy: () => false,
  asked: async () => undefined,
  ...more,
});

check("any process can create an execution, but only its owner can write to it", async () => {
  const schema = newSchema();
  const [a, b] = [open(schema), open(schema)];
  await a.open({ owner: "a" });
  await b.open({ owner: "b" });
  const key = await keyOf(b);
  await until(() => !a.sharing.has(key));
  const [begun] = await a.write([{ id: key, version: 0, create: record(key), facts: texts(1) }]);
  assert.equal(begun.ok, true);
  const [again] = await b.write([{ id: key, version: 0, create: record(key) }]);
  assert.deepEqual([again.ok, again.record.name], [false, record(key).name]);
  const [refused] = await a.write([{ id: key, version: 1, facts: texts(2) }]);
  assert.deepEqual([refused.ok, refused.error.code], [false, "STORE_CONFLICT"]);
  await append(b, key, { facts: texts(3) });
  assert.deepEqual(factsOf(await a.load(key)), [1, 3]);
  await a.close();
  await b.close();
});

check("when two processes create the same execution at once, one of them succeeds", async () => {
  const schema = newSchema();
  const [a, b] = [open(schema), open(schema)];
  await a.open({ owner: "a" });
  await b.open({ owner: "b" });
  const names = Array.from({ length: 40 }, (_, i) => `same${i}`);
  const begin = (store, ids) => store.write(ids.map((id) => ({ id, version: 0, create: record(id), facts: texts(0) })));
  const [first, second] = await Promise.all([begin(a, names), begin(b, names.toReversed())]);
  for (const [i, id] of names.entries()) {
    assert.equal([first[i], second.at(-1 - i)].filter(({ ok }) => ok).length, 1, id);
    assert.deepEqual(factsOf(await a.load(id)), [0]);
  }
  await a.close();
  await b.close();
});

check("a process that shares the store and one that does not cannot open it at the same time", async () => {
  const schema = newSchema();
  const [one, shared] = [postgres({ client, schema }), open(schema)];
  await one.open({ owner: "one" });
  await assert.rejects(shared.open({ owner: "a" }), { code: "STORE_CONFLICT", message: /does not share/ });
  await one.close();
  await shared.open({ owner: "a" });
  await assert.rejects(one.open({ owner: "one" }), { code: "STORE_CONFLICT" });
  await shared.close();
});

const service = (name) => `arn:aws:states:::${name}`;
const steps = {
  StartAt: "One",
  States: Object.fromEntries(
    ["One", "Two", "Three"].map((name, i, all) => [
      name,
      { Type: "Task", Resource: "step", ...(i < 2 ? { Next: all[i + 1] } : { End: true }) },
    ]),
  ),
};
const signal = {
  StartAt: "Before",
  States: {
    Before: { Type: "Task", Resource: "step", ResultPath: null, Next: "Wait" },
    Wait: { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "go" }, ResultPath: "$.go", Next: "After" },
    After: { Type: "Task", Resource: "step", End: true },
  },
};
const parent = {
  StartAt: "Child",
  States: {
    Child: {
      Type: "Task",
      Resource: service("states:startExecution.sync:2"),
      Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Steps", Input: { of: "child" } },
      OutputPath: "$.Output",
      End: true,
    },
  },
};
const ask = {
  StartAt: "Ask",
  States: {
    Ask: { Type: "Task", Resource: service("sqs:sendMessage.waitForTaskToken"), Parameters: { "Token.$": "$$.Task.Token" }, End: true },
  },
};
const slow = { StartAt: "Slow", States: { Slow: { Type: "Task", Resource: "slow", End: true } } };
const machines = { Steps: steps, Signal: signal, Parent: parent, Ask: ask, Slow: slow };

/** Opens runtimes in this process that share a schema. */
async function runtimes(count, { tasks = {}, ...more } = {}) {
  const schema = newSchema();
  const all = [];
  for (let i = 0; i < count; i += 1) {
    const store = open(schema);
    const step = (input) => input;
    const runtime = new Runtime({ store, machines, tasks: { step, ...tasks }, owner: `worker-${i}`, ...more });
    cleanups.add(() => runtime.close());
    all.push({ store, runtime: await runtime.open() });
  }
  await until(() => all.every(({ store }) => shardsOf(store).length <= Math.ceil(SHARDS / count)));
  await until(() => new Set(all.flatMap(({ store }) => shardsOf(store))).size === SHARDS);
  return { all, close: () => Promise.all(all.map(({ runtime }) => runtime.close())) };
}

check(
  "executions are distributed over the processes, and each process can start, describe, signal, stop and redrive all of them",
  async () => {
    const tokens = [];
    const { all, close } = await runtimes(2, { tasks: { "sqs:sendMessage.waitForTaskToken": ({ Token }) => void tokens.push(Token) } });
    const [{ runtime: a, store }, { runtime: b, store: other }] = all;
    const started = await Promise.all(Array.from({ length: 40 }, (_, i) => a.start("Signal", { name: `s${i}`, input: { i } })));
    const parts = [store, other].map(({ sharing }) => started.filter(({ arn }) => sharing.has(arn)).length);
    assert.ok(Math.min(...parts) > 5 && parts[0] + parts[1] === 40, String(parts));
    for (const { arn } of started) await b.signal(arn, "go", { to: arn });
    for (const [i, execution] of started.entries())
      assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { i, go: { to: execution.arn } } });
    // Both runtimes return the same execution for the same name.
    const [one, same] = await Promise.all([a, b].map((each) => each.start("Signal", { name: "twice", input: {} })));
    assert.equal(one.arn, same.arn);
    for (const runtime of [a, b]) {
      const mine = await runtime.start("Signal", { input: {} });
      const there = runtime === a ? b : a;
      const handle = await there.get(mine.arn);
      await until(async () => (await handle.frames())[0]?.state === "Wait");
      assert.equal((await handle.query()).frames[0].state, "Wait");
      assert.ok((await handle.history()).some(({ type }) => type === "TaskStateEntered"));
      await handle.stop("Stopped", "by the other");
      assert.equal((await mine.result).error, "Stopped");
      await handle.redrive();
      await handle.signal("go", 1);
      assert.deepEqual((await handle.result).output, { go: 1 });
      assert.equal((await mine.describe()).redriveCount, 1);
      await assert.rejects(handle.redrive(), { code: "NOT_REDRIVABLE" });
    }
    const asked = await Promise.all([a, b, a, b].map((runtime, i) => runtime.start("Ask", { name: `ask${i}` })));
    await until(() => tokens.length === 4);
    // Each process names the owner of a task and forwards the answer to it.
    for (const token of tokens) {
      const [ofA, ofB] = [await a.ownerOf(token), await b.ownerOf(token)];
      assert.equal(ofA.isHere, !ofB.isHere);
      assert.equal(ofA.owner, ofB.owner);
      assert.equal(ofA.owner, ofA.isHere ? "worker-0" : "worker-1");
    }
    await assert.rejects(a.ownerOf("arn:aws:states:us-east-1:123456789012:execution:Ask:none"), { code: "UNKNOWN_EXECUTION" });
    for (const token of tokens) assert.equal(await b.succeed(token, "yes"), true);
    for (const token of tokens) assert.equal(await a.succeed(token, "again"), false);
    for (const { result } of asked) assert.equal((await result).output, "yes");
    // A child has the same owner as its parent.
    const parents = await Promise.all(Array.from({ length: 6 }, (_, i) => a.start("Parent", { name: `p${i}` })));
    for (const { result } of parents) assert.deepEqual((await result).output, { of: "child" });
    await close();
  },
);

check("a child ends with its parent although their process ended after the parent and before the child", async () => {
  const { all, close } = await runtimes(1);
  const [{ runtime, store }] = all;
  const schema = `shared${schemas}`;
  const other = open(schema, { leaseSeconds: 1 });
  await other.open({ owner: "other" });
  const near = await keyOf(other);
  const { arn: above } = await runtime.start("Steps", { name: "above" });
  await until(async () => (await store.get(above)).status === "SUCCEEDED");
  const child = {
    ...(await runtime.get(above).then((one) => store.get(one.arn))),
    id: `${above}:child`,
    name: "child",
    near,
    status: "RUNNING",
  };
  const parent = { arn: above, task: 1, waits: false, policy: "terminate" };
  const tags = { "stepglass:supervised": "yes", "stepglass:parent": above };
  // The child has no facts with which it could continue, so it is suspended.
  const suspended = { reason: "made by a test", at: 0 };
  const [made] = await other.write([{ id: child.id, version: 0, create: { ...child, parent, tags, suspended } }]);
  assert.equal(made.ok, true);
  await other.close();
  await until(async () => (await store.get(child.id)).status === "ABORTED");
  await close();
});

check("every process can create, list and remove schedules, and one of them runs all", async () => {
  const { all, close } = await runtimes(2);
  for (const [i, { runtime }] of all.entries()) await runtime.schedule(`every${i}`, { machine: "Steps", every: "1 s", overlap: "allow" });
  for (const { runtime } of all) assert.deepEqual((await runtime.schedules()).map(({ name }) => name).toSorted(), ["every0", "every1"]);
  await until(async () => (await all[0].runtime.count({ machine: "Steps", status: "SUCCEEDED" })) >= 2);
  for (const [i, { runtime }] of all.entries()) assert.equal(await runtime.unschedule(`every${1 - i}`), true);
  assert.deepEqual(await all[0].runtime.schedules(), []);
  await close();
});

/** Forks a process that shares a schema. `request` sends it a command and resolves to its answer. */
async function processOf(schema, log, leaseSeconds = 1) {
  const options = { config: server.config, schema, leaseSeconds, log, machines };
  const child = fork(new URL("shared-process.mjs", import.meta.url).pathname, [JSON.stringify(options)]);
  cleanups.add(() => child.kill("SIGKILL"));
  const waiting = new Map();
  let ids = 0;
  child.on("message", ({ id, value, error }) => {
    const { resolve, reject } = waiting.get(id);
    if (error === undefined) resolve(value);
    else reject(new Error(error));
  });
  const answer = (id) => new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  await answer(0);
  const request = (command, ...args) => {
    const id = (ids += 1);
    child.send({ id, command, args });
    return answer(id);
  };
  return { child, request };
}

const linesOf = (log) => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);

check("the executions of a killed process continue in the others, and no task is called again if its answer is stored", async () => {
  const schema = newSchema();
  const log = join(folder, schema);
  // The lease is longer than one second, because on a busy machine a live process may renew a short lease too late and lose its executions.
  const processes = await Promise.all([1, 2, 3].map(() => processOf(schema, log, 8)));
  const [first, second, third] = processes;
  const arns = await Promise.all(Array.from({ length: 30 }, (_, i) => first.request("start", "Signal", { name: `e${i}`, input: { i } })));
  await until(() => linesOf(log).length === 30);
  assert.equal(new Set(linesOf(log).map((line) => line.split(" ")[1])).size, 3);
  third.child.kill("SIGKILL");
  await once(third.child, "exit");
  // Requests for the killed process's executions wait until another process has taken them over.
  await Promise.all(arns.map((arn, i) => [first, second][i % 2].request("signal", arn, "go", i)));
  const results = await Promise.all(arns.map((arn) => second.request("result", arn)));
  for (const [i, result] of results.entries()) assert.deepEqual(result, { status: "SUCCEEDED", output: { i, go: i } });
  // A task is called again only if its process was killed before the answer was stored.
  const [survivors, lines] = [[first, second].map(({ child }) => String(child.pid)), linesOf(log).map((line) => line.split(" "))];
  assert.equal(new Set(lines.map(([key]) => key)).size, 60);
  for (const [i, [key]] of lines.entries()) {
    const before = lines.slice(0, i).find(([other]) => other === key);
    assert.ok(before === undefined || !survivors.includes(before[1]), key);
  }
  await Promise.all([first, second].map(({ request }) => request("close")));
});

check("a process that was suspended does not write to executions that another process has taken over", async () => {
  const schema = newSchema();
  const log = join(folder, schema);
  const zombie = await processOf(schema, log);
  const arn = await zombie.request("start", "Slow", { name: "slow" });
  await until(() => linesOf(log).length === 1);
  zombie.child.kill("SIGSTOP");
  const next = await processOf(schema, log);
  await until(() => linesOf(log).length === 2);
  const [[key, by], [again, other]] = linesOf(log).map((line) => line.split(" "));
  assert.equal(key, again);
  assert.notEqual(by, other);
  // The handler of the suspended process answers as soon as the process continues, before the process notices that it lost the execution.
  zombie.child.kill("SIGUSR2");
  zombie.child.kill("SIGCONT");
  const result = zombie.request("result", arn);
  next.child.kill("SIGUSR2");
  assert.deepEqual(await result, { status: "SUCCEEDED", output: { by: next.child.pid } });
  assert.deepEqual(await next.request("result", arn), { status: "SUCCEEDED", output: { by: next.child.pid } });
  // The process gets a share again and runs executions.
  const all = await Promise.all(Array.from({ length: 20 }, (_, i) => next.request("start", "Steps", { name: `n${i}` })));
  for (const one of all) assert.equal((await zombie.request("result", one)).status, "SUCCEEDED");
  await until(async () => (await Promise.all(all.map((one) => zombie.request("has", one)))).includes(true));
  await Promise.all([zombie, next].map(({ request }) => request("close")));
});

check("a broken connection is restored, and signals and ends of executions from the time between are not missed", async () => {
  const { all, close } = await runtimes(2, { onStoreError: () => {} });
  const started = await Promise.all(Array.from({ length: 10 }, (_, i) => all[0].runtime.start("Signal", { name: `e${i}`, input: {} })));
  const results = started.map(({ result }) => result);
  // A count makes sure that the records have been read before the connection breaks.
  await all[0].runtime.count();
  const spy = client();
  await spy.connect();
  await spy.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
  );
  await spy.end();
  for (const { arn } of started)
    await until(() =>
      all[1].runtime.signal(arn, "go", 1, { id: arn }).then(
        () => true,
        ({ code }) => {
          assert.ok(["STORE_FAILED", "STORE_CLOSED"].includes(code), code);
        },
      ),
    );
  for (const result of results) assert.deepEqual((await result).output, { go: 1 });
  await close();
});

check("two servers that share a store have the same machines, activities, executions and task tokens", async () => {
  const { serve } = await importSource("js/entries/server.ts");
  // The server resolves the driver from the working directory.
  process.chdir(import.meta.dirname);
  const { host, user, database } = server.config;
  const data = `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&schema=${newSchema()}&leaseSeconds=2`;
  const tokens = [];
  const tasks = { step: (input) => input, "sqs:sendMessage.waitForTaskToken": ({ Token }) => void tokens.push(Token) };
  const [a, b] = [await serve({ port: 0, data, tasks }), await serve({ port: 0, data, tasks })];
  for (const one of [a, b]) cleanups.add(() => one.close());
  const roleArn = "arn:aws:iam::123456789012:role/r";
  const machine = (on, name, definition) =>
    on.call("CreateStateMachine", { name, definition: JSON.stringify(definition), roleArn }).then(({ stateMachineArn }) => stateMachineArn);
  const described = (on, executionArn) =>
    until(async () => {
      const about = await on.call("DescribeExecution", { executionArn });
      return about.status !== "RUNNING" && about;
    });
  // A machine that is registered at one server can be used at the other at once.
  const stateMachineArn = await machine(a, "Ask", ask);
  const started = await Promise.all(
    Array.from({ length: 16 }, (_, i) => [a, b][i % 2].call("StartExecution", { stateMachineArn, name: `e${i}` })),
  );
  await until(() => tokens.length === 16);
  for (const [i, taskToken] of tokens.entries()) await [b, a][i % 2].call("SendTaskSuccess", { taskToken, output: '"yes"' });
  for (const [i, { executionArn }] of started.entries()) {
    assert.equal((await described([b, a][i % 2], executionArn)).output, '"yes"');
    const { events } = await [a, b][i % 2].call("GetExecutionHistory", { executionArn });
    assert.equal(events.at(-1).type, "ExecutionSucceeded");
  }
  await assert.rejects(b.call("SendTaskSuccess", { taskToken: tokens[0], output: "1" }), { code: "TaskTimedOut" });
  // A worker that polls one server receives the tasks of both.
  const { activityArn } = await b.call("CreateActivity", { name: "work" });
  const work = await machine(b, "Work", {
    StartAt: "Work",
    States: { Work: { Type: "Task", Resource: activityArn, TimeoutSeconds: 60, End: true } },
  });
  const works = await Promise.all(
    Array.from({ length: 8 }, (_, i) => a.call("StartExecution", { stateMachineArn: work, name: `w${i}`, input: JSON.stringify({ i }) })),
  );
  for (let i = 0; i < works.length; i += 1) {
    const { taskToken, input } = await a.call("GetActivityTask", { activityArn });
    await b.call("SendTaskSuccess", { taskToken, output: input });
  }
  for (const [i, { executionArn }] of works.entries()) assert.deepEqual(JSON.parse((await described(b, executionArn)).output), { i });
  const stopped = await Promise.all(
    Array.from({ length: 8 }, (_, i) => a.call("StartExecution", { stateMachineArn: work, name: `l${i}` })),
  );
  for (const [i, { executionArn }] of stopped.entries()) {
    await [a, b][i % 2].call("StopExecution", { executionArn, error: "Left" });
    assert.equal((await described(b, executionArn)).error, "Left");
  }
  await assert.rejects(b.call("RedriveExecution", { executionArn: started[0].executionArn }), { code: "ExecutionNotRedrivable" });
  const { executionArn } = stopped[0];
  await b.call("RedriveExecution", { executionArn });
  await a.close();
  // The remaining server continues all executions.
  const { taskToken } = await b.call("GetActivityTask", { activityArn });
  await b.call("SendTaskSuccess", { taskToken, output: "7" });
  assert.equal((await described(b, executionArn)).output, "7");
  await b.close();
});
