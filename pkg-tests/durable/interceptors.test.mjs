// Interceptors: functions around handlers, starts and signals.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Runtime, surroundings } from "./surroundings.mjs";

const machines = {
  Work: { StartAt: "Work", States: { Work: { Type: "Task", Resource: "work", End: true } } },
  Waits: {
    StartAt: "Wait",
    States: { Wait: { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "go" }, End: true } },
  },
};

test("interceptors are around every call of a handler, the first one outermost, with its input, its task and its answer", async () => {
  const log = [];
  const outer = {
    async task({ input, task }, next) {
      log.push(`outer ${task.stateName} ${task.attempt}`);
      return { ...(await next({ input: { ...input, tenant: "t1" } })), by: "outer" };
    },
  };
  const inner = {
    task({ input }, next) {
      log.push(`inner ${input.tenant}`);
      return next();
    },
  };
  const tasks = { work: (input) => ({ got: input }) };
  for (const queue of [undefined, "q"]) {
    log.length = 0;
    const taskOptions = queue && { work: { queue } };
    const { restart, close } = surroundings({ machines, tasks, interceptors: [outer, inner], ...(taskOptions && { taskOptions }) });
    const runtime = await restart();
    if (queue) runtime.worker({ queue });
    assert.deepEqual(await runtime.run("Work", { input: { n: 1 } }), { got: { n: 1, tenant: "t1" }, by: "outer" });
    assert.deepEqual(log, ["outer Work 0", "inner t1"]);
    await close();
  }
});

test("an interceptor of tasks can answer by itself, and its error fails the task like that of a handler", async () => {
  let calls = 0;
  const cache = {
    task({ input }, next) {
      if (input.cached) return "from the cache";
      if (input.forbidden) throw Object.assign(new Error("no"), { name: "Forbidden" });
      return next();
    },
  };
  const { restart, close } = surroundings({ machines, tasks: { work: () => (calls += 1) }, interceptors: [cache] });
  const runtime = await restart();
  assert.equal(await runtime.run("Work", { input: { cached: true } }), "from the cache");
  const { error, cause } = await (await runtime.start("Work", { input: { forbidden: true } })).result;
  assert.deepEqual([error, cause], ["Forbidden", "no"]);
  assert.equal(calls, 0);
  await close();
});

test("interceptors change, observe and refuse starts, also those of run() and of schedules", async () => {
  const started = [];
  const owner = {
    async start({ machine, options }, next) {
      if (options.input?.refused) throw new TypeError("refused");
      const execution = await next({ machine, options: { ...options, tags: { ...options.tags, owner: "me" } } });
      started.push(execution.name);
      return execution;
    },
  };
  const { restart, close, clock } = surroundings({ machines, tasks: { work: () => 1 }, interceptors: [owner] });
  const runtime = await restart();
  const one = await runtime.start("Work", { name: "a" });
  await one.result;
  assert.deepEqual((await one.describe()).tags, { owner: "me" });
  await runtime.run("Work", { name: "b" });
  await assert.rejects(runtime.start("Work", { input: { refused: true } }), { message: "refused" });
  await runtime.schedule("hourly", { machine: "Work", every: "1 h" });
  await clock.pass(3_600_000);
  assert.deepEqual(started.slice(0, 2), ["a", "b"]);
  assert.match(started[2], /^hourly-/);
  assert.equal(await runtime.count({ tags: { owner: "me" } }), 3);
  await close();
});

test("interceptors change signals, by handle and by ARN", async () => {
  const stamp = { signal: (signal, next) => next({ ...signal, payload: { ...signal.payload, checked: true } }) };
  const { restart, close } = surroundings({ machines, interceptors: [stamp] });
  const runtime = await restart();
  const one = await runtime.start("Waits");
  await one.signal("go", { n: 1 });
  assert.deepEqual((await one.result).output, { n: 1, checked: true });
  const two = await runtime.start("Waits");
  await runtime.signal(two.arn, "go", { n: 2 });
  assert.deepEqual((await two.result).output, { n: 2, checked: true });
  await close();
});

test("unusable interceptors are refused", () => {
  const refused = { code: "INVALID_OPTION" };
  assert.throws(() => new Runtime({ machines, interceptors: {} }), refused);
  assert.throws(() => new Runtime({ machines, interceptors: [{ tasks() {} }] }), refused);
  assert.throws(() => new Runtime({ machines, interceptors: [{ task: 1 }] }), refused);
});
