// A trap in the WebAssembly instance affects only the execution that caused it.
//
// The test causes traps: it intercepts every instance that the package creates, and can make any of its functions fail as a panic
// does.
import assert from "node:assert/strict";
import { test } from "node:test";

const RealInstance = WebAssembly.Instance;
let instances = 0;
let armed;
let growing = false;
WebAssembly.Instance = function Instance(...args) {
  const real = new RealInstance(...args);
  instances += 1;
  const exports = Object.fromEntries(
    Object.entries(real.exports).map(([name, value]) => [
      name,
      typeof value !== "function"
        ? value
        : (...values) => {
            if (armed?.matches(name)) {
              armed = undefined;
              throw new WebAssembly.RuntimeError("unreachable");
            }
            const result = value(...values);
            // Growing the memory detaches all views of it.
            if (growing && /^(engine|machine|inbox)/.test(name)) real.exports.memory.grow(1);
            return result;
          },
    ]),
  );
  return { exports };
};
const { Engine, InternalError, StateMachine, simulate, validate } = await import("stepglass");
const { lambda, task, turn, watchRejections, deferred } = await import("./machines.mjs");

watchRejections();

const trapNext = (name, times = 1) => (armed = { matches: (called) => called === name && --times === 0 });

test("the execution that trapped fails, and keeps its history", async () => {
  const before = instances;
  const running = lambda().start({ x: 1 }, { tasks: { Add: () => (trapNext("engine_succeed"), 1) } });
  const result = await running.result;
  assert.equal(instances, before + 1);
  assert.deepEqual([result.status, result.error], ["FAILED", "States.Runtime"]);
  assert.match(result.cause, /internal error, please report it: unreachable/);
  const events = running.history();
  assert.deepEqual(
    events.map((event) => event.type),
    ["ExecutionStarted", "TaskStateEntered", "LambdaFunctionScheduled", "LambdaFunctionStarted", "ExecutionFailed"],
  );
  assert.deepEqual(
    events.map((event) => event.id),
    [1, 2, 3, 4, 5],
  );
  const iterated = [];
  for await (const event of running) iterated.push(event.type);
  assert.equal(iterated.length, 5);
});

// The functions of the engine that are called while another execution runs.
for (const name of [
  "engine_start",
  "engine_succeed",
  "engine_fail",
  "engine_tick",
  "engine_stop",
  "engine_heartbeat",
  "engine_submitted",
]) {
  test(`a trap in ${name} does not affect other executions`, async () => {
    const reference = await others((start) => start());
    const disturbed = await others(async (start) => {
      const running = start();
      await turn();
      trapNext(name);
      await victim(name);
      assert.equal(armed, undefined, "the trap was sprung");
      return running;
    });
    assert.deepEqual(disturbed, reference);
  });
}

async function others(begin) {
  const machine = new StateMachine({
    StartAt: "First",
    States: {
      First: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", ResultPath: "$.first", Next: "Id" },
      Id: { Type: "Pass", Parameters: { "first.$": "$.first", "id.$": "States.UUID()" }, Next: "Wait" },
      Wait: { Type: "Wait", Seconds: 1000, Next: "Second" },
      Second: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", ResultPath: "$.second", End: true },
    },
  });
  const gates = Array.from({ length: 3 }, deferred);
  const start = () =>
    gates.map((gate, i) =>
      machine.start(
        { i },
        { clock: "virtual", startTime: 0, seed: i, tasks: { First: () => gate.promise, Second: async () => `second ${i}` } },
      ),
    );
  const running = await begin(start);
  gates.forEach((gate, i) => gate.resolve(`first ${i}`));
  return Promise.all(running.map(async (one) => ({ result: await one.result, history: one.history() })));
}

async function victim(name) {
  if (name === "engine_tick") {
    await new StateMachine({ StartAt: "W", States: { W: { Type: "Wait", Seconds: 5, End: true } } }).start({}, { clock: "virtual" }).result;
  } else if (name === "engine_stop") {
    const running = lambda().start({}, { tasks: { Add: () => new Promise(() => {}) } });
    await turn();
    running.abort();
    assert.equal((await running.result).status, "FAILED");
  } else if (name === "engine_submitted") {
    await task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", {}).start({}, { tasks: { T: () => ({}) } }).result;
  } else if (name === "engine_heartbeat") {
    await lambda().start({}, { tasks: { Add: (_, task) => task.heartbeat() } }).result;
  } else if (name === "engine_fail") {
    await lambda().start({}, { tasks: { Add: () => Promise.reject(new Error("x")) } }).result;
  } else {
    await lambda().start({}, { tasks: { Add: () => 1 } }).result;
  }
}

test("a trap in a query is an InternalError, and the execution continues", async () => {
  const gate = deferred();
  const running = lambda().start({}, { tasks: { Add: () => gate.promise } });
  await turn();
  trapNext("engine_history");
  assert.throws(
    () => running.history(),
    (error) => error instanceof InternalError,
  );
  assert.equal(running.history().length, 4);
  trapNext("validate");
  assert.throws(() => validate("{}"), InternalError);
  assert.equal(validate("{}").length > 0, true);
  gate.resolve(3);
  assert.equal((await running.result).output, 3);
});

test("a trap while a trapped instance is being replaced is handled", async () => {
  const running = lambda().start({}, { tasks: { Add: () => (trapNext("engine_succeed"), 1) } });
  running.result.then(() => {});
  await turn();
  assert.equal((await running.result).status, "FAILED");
  trapNext("engine_history");
  assert.throws(() => running.history(), InternalError);
  assert.equal(running.history().length, 5);
});

test("an Engine survives the trap of another one", async () => {
  const engine = new Engine(lambda());
  engine.start(0, { x: 1 });
  trapNext("validate");
  assert.throws(() => validate("{}"), InternalError);
  assert.equal(engine.history().length, 4);
  assert.equal(engine.succeed(1, 1, "out").commands[0].output, "out");
});

test("an Engine that is driven in Rust is rejected when the instance is lost", async () => {
  const engine = new Engine(lambda());
  engine.start(0, {});
  const driven = engine.drive(() => new Promise(() => {}));
  await turn();
  trapNext("validate");
  assert.throws(() => validate("{}"), InternalError);
  await assert.rejects(driven, InternalError);
});

test("a simulation that traps throws, and the next one runs", () => {
  trapNext("engine_succeed");
  assert.throws(() => simulate(lambda(), {}, { Add: { output: 1 } }), InternalError);
  assert.equal(simulate(lambda(), {}, { Add: { output: 1 } }).output, 1);
});

test("long journals are folded into snapshots and still replayed", async () => {
  const machine = new StateMachine({
    StartAt: "T",
    States: {
      T: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", ResultPath: "$.n", Next: "C" },
      C: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 10_000, Next: "T" }], Default: "S" },
      S: { Type: "Succeed" },
    },
  });
  const springs = new Set([4096, 5000, 9000]);
  const output = await machine.run(
    { n: 0 },
    {
      historyLimit: 0,
      history: "none",
      tasks: {
        T: ({ n }) => {
          if (springs.has(n)) {
            trapNext("validate");
            assert.throws(() => validate("{}"), InternalError);
          }
          return n + 1;
        },
      },
    },
  );
  assert.deepEqual(output, { n: 10_000 });
});

test("the memory may grow in any call that allocates", async () => {
  const States = {};
  for (let i = 0; i < 4; i++)
    States[`T${i}`] = {
      Type: "Task",
      Resource: "arn:aws:lambda:us-east-1:123456789012:function:Add",
      Retry: [{ ErrorEquals: ["Again"] }],
      ...(i < 3 ? { Next: `T${i + 1}` } : { End: true }),
    };
  const tasks = {
    Add: async ({ n }, { attempt }) => {
      if (attempt < 2) throw Object.assign(new Error("later"), { name: "Again" });
      return { n: n + 1 };
    },
  };
  growing = true;
  try {
    assert.deepEqual(await new StateMachine({ StartAt: "T0", States }).run({ n: 0 }, { tasks, clock: "virtual" }), { n: 4 });
  } finally {
    growing = false;
  }
});
