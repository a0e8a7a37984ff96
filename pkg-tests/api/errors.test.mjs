// Invalid arguments to public functions: each throws an Error with a message and a code, and nothing hangs.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import * as stepglass from "stepglass";
import { DebugSession, ask, exampleInput, measureCoverage, mockFor, restoreSession } from "stepglass/debug";
import { folder } from "stepglass/node";
import { MemoryStore, serve } from "stepglass/server";
import * as testing from "stepglass/testing";
import { BAD, circular, documented } from "./bad-values.mjs";
import { lambda, task, turn, deferred } from "./machines.mjs";

const { Activity, Engine, Execution, StateMachine, TaskCancelled, TaskError, simulate } = stepglass;
const GOOD = { StartAt: "A", States: { A: { Type: "Succeed" } } };
const WAIT = { StartAt: "W", States: { W: { Type: "Wait", Seconds: 5, End: true } } };
/** Fails unless an error is an Error with a message and a documented code. */
function assertOurs(thrown, where) {
  assert.ok(thrown instanceof Error, `${where} has thrown ${String(thrown)}`);
  assert.ok(typeof thrown.message === "string" && thrown.message.length > 0, where);
  assert.ok(documented.has(thrown.code), `${where}: code ${thrown.code} (${thrown.stack})`);
  assert.notEqual(thrown.code, "INTERNAL", `${where}: ${thrown.stack}`);
}

/** Calls a function with every bad value in every position; the other arguments are valid. */
async function everywhere(name, call, good, check = assertOurs) {
  for (let place = 0; place < good.length; place++) {
    for (const bad of BAD) {
      const given = [...good];
      given[place] = bad;
      const where = `${name} with ${typeof bad === "object" && bad !== null ? bad.constructor?.name : String(bad)} in place ${place}`;
      try {
        await call(...given);
      } catch (thrown) {
        check(thrown, where);
      }
    }
  }
}

/** Fails unless an error is an Error, and not an internal error of the interpreter. */
function assertError(thrown, where) {
  assert.ok(thrown instanceof Error && thrown.message.length > 0, `${where} has thrown ${String(thrown)}`);
  assert.notEqual(thrown.code, "INTERNAL", `${where}: ${thrown.stack}`);
}

/** Returns the names of a class's methods. */
const methods = (Class) =>
  Object.getOwnPropertyNames(Class.prototype).filter(
    (name) => name !== "constructor" && typeof Object.getOwnPropertyDescriptor(Class.prototype, name).value === "function",
  );

const text = JSON.stringify(GOOD);
const calls = {
  validate: [text, {}],
  renderDiagnostics: [text, {}],
  complete: [text, 1],
  layout: [text, {}],
  renderSvg: [text, {}],
  renderMermaid: [text, {}],
  testState: [{ definition: GOOD.States.A, input: {} }],
  compare: [GOOD, GOOD],
  replayHistory: [
    GOOD,
    [{ id: 1, previousEventId: 0, timestamp: 0, type: "ExecutionStarted", executionStartedEventDetails: { input: "{}" } }],
    {},
  ],
  simulate: [GOOD, {}, {}, {}],
  s3Handlers: [{}],
  version: [],
  init: [],
  initSync: [],
};
const classes = [
  "Activity",
  "DefinitionError",
  "Engine",
  "Execution",
  "ExecutionError",
  "InternalError",
  "JsonText",
  "RestoreError",
  "StateMachine",
  "TaskCancelled",
  "TaskError",
  "TaskResponse",
];

test("the codes in the types are those in the documentation", () => {
  const types = readFileSync(new URL("../../js/core/api/index.d.ts", import.meta.url), "utf8");
  const [, union] = /export type ErrorCode =([^;]*);/.exec(types);
  const ours = [...documented].filter((code) => /^[A-Z_]+$/.test(code));
  assert.deepEqual([...union.matchAll(/"(\w+)"/g)].map(([, code]) => code).sort(), ours.sort());
});

test("every export is covered", () => {
  assert.deepEqual(Object.keys(stepglass).sort(), [...Object.keys(calls), ...classes, "language"].sort());
});

for (const [name, good] of Object.entries(calls)) test(name, () => everywhere(name, stepglass[name], good));

for (const name of Object.keys(stepglass.language)) {
  test(`language.${name}`, () =>
    everywhere(
      name,
      stepglass.language[name],
      {
        rename: [text, 1, "B"],
        codeActions: [text, 0, 1, {}],
        format: [text, {}],
        outline: [text],
        expressions: [text, "A"],
        apply: [text, []],
        edit: [text, { kind: "rename", state: "/States/A", to: "B" }, {}],
        gestures: [text, "", {}],
      }[name] ?? [text, 1],
    ));
}

test("new StateMachine() and the executions that it starts", async () => {
  await everywhere("new StateMachine()", (definition, options) => new StateMachine(definition, options), [GOOD, {}]);
  const machine = new StateMachine(WAIT);
  const start = (input, options) => machine.start(input, options).abort();
  await everywhere("start()", start, [{}, {}]);
  await everywhere("run()", (input, options) => new StateMachine(GOOD).run(input, options), [{}, {}]);
  const running = machine.start();
  const snapshot = running.snapshot();
  running.abort();
  await running.result;
  await everywhere("restore()", (given, options) => machine.restore(given, options).abort(), [snapshot, {}]);
  await everywhere("redrive()", (given, options) => machine.redrive(given, options).abort(), [running, {}]);
});

test("every option of start()", async () => {
  const machine = new StateMachine(WAIT);
  const options = [
    "tasks",
    "machines",
    "name",
    "arn",
    "clock",
    "startTime",
    "signal",
    "seed",
    "coverage",
    "onEvent",
    "onStage",
    "onChild",
    "onNested",
    "onIdle",
    "history",
    "payloadLimit",
    "historyLimit",
    "stepBudget",
    "trace",
  ];
  for (const name of options) {
    await everywhere(name, (value) => machine.start({}, { [name]: value }).abort(), [undefined]);
    for (const [where, call] of [
      ["simulate", (value) => simulate(GOOD, {}, {}, { [name]: value })],
      ["new Engine", (value) => new Engine(machine, { [name]: value })],
      ["DebugSession", (value) => new DebugSession(GOOD, { [name]: value })],
    ])
      await everywhere(`${where}: ${name}`, call, [undefined]);
  }
});

test("the methods of an execution", async () => {
  for (const name of methods(Execution)) {
    await everywhere(name, (...given) => new StateMachine(WAIT).start({}, { clock: "virtual" })[name](...given), [undefined, undefined]);
  }
  await everywhere("new Execution()", (...given) => new Execution(...given), [undefined]);
});

test("the methods of an engine, before its start, after it and after its end", async () => {
  const good = {
    start: [0, {}, {}, 0],
    started: [0, 1, "w"],
    submitted: [0, 1, {}],
    succeed: [0, 1, {}],
    fail: [0, 1, "E", "c"],
    heartbeat: [0, 1],
    tick: [0],
    redrive: [0],
    recovered: [0, [1]],
    updateMapRun: [0, "arn", {}],
    stop: [0, "E", "c"],
    history: [0],
    snapshot: [{ history: "none" }],
  };
  for (const name of methods(Engine).filter((method) => method !== "drive")) {
    for (const begin of [[], ["start"], ["start", "stop"]]) {
      const call = (...given) => {
        const engine = new Engine(lambda());
        for (const first of begin) engine[first](0);
        engine[name](...given);
      };
      await everywhere(name, call, good[name] ?? []);
      try {
        call(...(good[name] ?? []));
      } catch (thrown) {
        assertOurs(thrown, `${name} after ${begin}`);
      }
    }
  }
  const engine = new Engine(lambda());
  assert.throws(() => engine.tick(0), { code: "NOT_STARTED", name: "Error", message: /has not been started|not started/ });
  engine.start(0);
  assert.throws(() => engine.start(0), { code: "ALREADY_STARTED", name: "Error" });
  assert.throws(() => engine.succeed(0, 99), { code: "UNKNOWN_TASK", name: "RangeError" });
  assert.throws(() => engine.succeed(NaN, 1), { code: "INVALID_ARGUMENT" });
  await everywhere("restore", (machine, snapshot) => Engine.restore(machine, snapshot), [lambda(), engine.snapshot()]);
  for (const bad of [undefined, null, 5, "f", {}]) await assert.rejects(engine.drive(bad), { code: "INVALID_ARGUMENT" });
});

test("the methods of an activity", async () => {
  for (const name of methods(Activity).filter((method) => !["getTask", "take", "taken"].includes(method)))
    await everywhere(name, (...given) => new Activity()[name](...given), ["token", {}]);
  await everywhere(
    "getTask()",
    (options) =>
      void new Activity()
        .getTask({ signal: AbortSignal.abort(Object.assign(new Error("enough"), { code: "INVALID_ARGUMENT" })), ...options })
        .catch((thrown) => assertOurs(thrown, "getTask")),
    [{}],
  );
  for (const signal of BAD.slice(1))
    assert.throws(() => new Activity().getTask({ signal }), { code: "INVALID_OPTION", message: /signal must be an AbortSignal, not / });
});

test("the exports besides a debug session", async () => {
  await everywhere("on", (...given) => new DebugSession(GOOD).on(...given), ["stopped", () => {}]);
  await everywhere("ask", ask, ["$", {}]);
  await everywhere("exampleInput", exampleInput, [text], assertError);
  await everywhere("measureCoverage", measureCoverage, [GOOD, {}], assertError);
  await everywhere("mockFor", mockFor, [{}, "A", "r"], assertError);
  await everywhere("restoreSession", restoreSession, [{}, {}]);
});

test("the entries for Node", async () => {
  await everywhere("folder", folder, ["."]);
  await assert.rejects(folder(".").get("..", "x"), { code: "INVALID_ARGUMENT", name: "RangeError" });
  await everywhere("serve", async (options) => (await serve({ port: 0, ...options })).close(), [{}]);
  for (const name of ["port", "host", "logLevel", "clock", "tasks", "region", "account", "limits", "store"]) {
    for (const bad of BAD.slice(1)) {
      try {
        await (await serve({ port: 0, [name]: bad })).close();
      } catch (thrown) {
        assertError(thrown, `serve ${name} ${String(bad)}`);
      }
    }
  }
  new MemoryStore();
});

test("the test kit", async () => {
  await everywhere("testMachine", testing.testMachine, [GOOD, {}], assertError);
  await everywhere("run", (input, options) => testing.testMachine(GOOD).run(input, options), [{}, {}], assertError);
  for (const name of ["returns", "throws", "iterations"]) await everywhere(name, testing[name], [undefined, undefined], assertError);
  const definition = {
    StartAt: "T",
    States: { T: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:f", End: true } },
  };
  const run = await testing.testMachine(definition).run({}, { mocks: { T: testing.returns(1) } });
  // An assertion about a run that fails throws an AssertionError of its own.
  const told = (thrown, where) => {
    assertError(thrown, where);
    assert.ok(thrown.code === "TEST_KIT" || thrown.code === "ERR_ASSERTION" || documented.has(thrown.code), `${where}: ${thrown.stack}`);
  };
  for (const name of methods(testing.expectRun(run).constructor))
    await everywhere(`expectRun().${name}`, (...given) => void testing.expectRun(run)[name](...given), ["T", "T", 1], told);
  for (const [name, match] of Object.entries(testing.matchers))
    await everywhere(name, (...given) => void match(...given), [run, "T", 1], told);
  for (const name of methods(run.constructor)) await everywhere(`run.${name}`, (...given) => void run[name](...given), [{}], told);
  for (const name of ["testMachine", "loadMockConfig", "expectRun"]) await everywhere(name, testing[name], [undefined], told);
  for (const name of ["eachIteration", "responds"])
    await everywhere(name, (given) => testing.testMachine(definition).run({}, { mocks: { T: testing[name](given) } }), [undefined], told);
  await everywhere("property", testing.property, [definition, { runs: 1 }], told);
  for (const name of [
    "runs",
    "seed",
    "check",
    "outputs",
    "input",
    "inputs",
    "errors",
    "mocks",
    "delays",
    "allow",
    "failures",
    "maxCalls",
  ]) {
    await everywhere(
      `property ${name}`,
      (value) => testing.property(definition, { runs: 2, [name]: value }),
      [undefined],
      (thrown, where) => {
        assertError(thrown, where);
        assert.ok(
          ["TEST_KIT", "PROPERTY", "ERR_ASSERTION", ...documented].includes(thrown.code) || thrown.name === "PropertyError",
          `${where}: ${thrown.stack}`,
        );
        assert.ok(!/Cannot |is not a function|is not iterable/.test(thrown.message), `${where}: ${thrown.message}`);
      },
    );
  }
});

describe("memory limits", () => {
  const big = "x".repeat(20e6);
  const options = { payloadLimit: 2 ** 32 - 1, history: "none" };

  test("are reported before they are reached, with the size and the limit", async () => {
    const pass = new StateMachine({ StartAt: "A", States: { A: { Type: "Pass", End: true } } });
    const refused = {
      name: "RangeError",
      code: "PAYLOAD_TOO_LARGE",
      message: /^the input is 20\.0 MB; the interpreter's memory \(1073\.7 MB\) takes at most 16\.8 MB at once$/,
    };
    assert.throws(() => pass.start(big, options), refused);
    assert.throws(() => simulate(pass, big, {}, options), refused);
    assert.throws(() => new Engine(pass, options).start(0, big), refused);
    assert.throws(() => new StateMachine(`${JSON.stringify(GOOD)}${" ".repeat(20e6)}`), {
      code: "PAYLOAD_TOO_LARGE",
      message: /^the definition is 20\.0 MB/,
    });
    assert.throws(() => stepglass.validate(" ".repeat(20e6)), { code: "PAYLOAD_TOO_LARGE" });
    const outcome = await lambda().start({}, { ...options, tasks: { Add: () => big } }).result;
    assert.deepEqual([outcome.status, outcome.error], ["FAILED", "States.DataLimitExceeded"]);
    assert.match(outcome.cause, /^the output is 20\.0 MB/);
    // A value that fits is accepted.
    assert.equal((await pass.run("é".repeat(2e6), options)).length, 2e6);
  });

  test("are reported as the reason if memory runs out, and other executions continue", async () => {
    const pass = new StateMachine({ StartAt: "A", States: { A: { Type: "Pass", End: true } } });
    const gate = deferred();
    const other = lambda().start({}, { tasks: { Add: () => gate.promise } });
    await turn();
    const large = Array(5e6).fill([]);
    const ranOut = {
      name: "InternalError",
      code: "OUT_OF_MEMORY",
      message: /^the interpreter's memory ran out: \d+ of 1074 MB were in use and more was needed for the input \(15\.0 MB\)/,
    };
    const engines = [];
    const fill = (most) => {
      while (engines.length < most) {
        const engine = new Engine(pass, options);
        engine.start(0, large);
        engines.push(engine);
      }
    };
    assert.throws(() => fill(20), ranOut);
    const most = engines.length;
    for (const engine of engines.splice(0)) engine.free();
    fill(most);
    const outcome = await pass.start(large, options).result;
    assert.equal(outcome.status, "FAILED");
    assert.match(outcome.cause, ranOut.message);
    gate.resolve(5);
    assert.equal((await other.result).output, 5);
  });

  test("are the module's own", () => {
    const [, bytes] = /--max-memory=(\d+)/.exec(readFileSync(new URL("../../.cargo/config.toml", import.meta.url), "utf8"));
    const [, power] = /export const MEMORY = 2 \*\* (\d+);/.exec(
      readFileSync(new URL("../../js/core/border/instance.ts", import.meta.url), "utf8"),
    );
    assert.equal(2 ** Number(power), Number(bytes));
  });
});

describe("using", () => {
  const [dispose, asyncDispose] = [
    Symbol.dispose ?? Symbol.for("Symbol.dispose"),
    Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose"),
  ];

  test("aborts an execution at the end of its block, but leaves one that has ended", async () => {
    const execution = new StateMachine(WAIT).start();
    await execution[asyncDispose]();
    assert.equal(execution.status, "ABORTED");
    const done = new StateMachine(GOOD).start();
    await done.result;
    await done[asyncDispose]();
    assert.equal(done.status, "SUCCEEDED");
  });

  test("closes an engine, a session and a server", async () => {
    new Engine(lambda())[dispose]();
    new DebugSession(GOOD)[dispose]();
    const server = await serve({ port: 0 });
    await server[asyncDispose]();
    await assert.rejects(fetch(server.url));
  });
});

describe("error messages", () => {
  test("list all wrong options, each with its value and what is allowed", () => {
    assert.throws(() => new StateMachine(GOOD).start({}, { history: "ful", payloadLimit: -1, startTime: NaN, signal: {}, trace: "yes" }), {
      code: "INVALID_OPTION",
      message:
        'machine.start(): history must be "full" or "none", not "ful"; payloadLimit must be a whole number from 1 to 4294967295, not -1; startTime must be a number of milliseconds since 1970, not NaN; signal must be an AbortSignal, not an object; trace must be true or false, not "yes"',
    });
  });

  test("report an input that JSON cannot express", () => {
    for (const input of [circular, { big: 5n }])
      assert.throws(() => new StateMachine(GOOD).start(input), {
        code: "INVALID_ARGUMENT",
        message: /^the input cannot be written as JSON: /,
      });
  });

  test("report a clock that returns no time, which fails the execution", { timeout: 30_000 }, async () => {
    const clock = { now: () => NaN, setTimeout, clearTimeout };
    const { status, cause } = await new StateMachine(WAIT).start({}, { clock }).result;
    assert.equal(status, "FAILED");
    assert.match(cause, /clock\.now\(\) must give a number of milliseconds since 1970, not NaN/);
  });

  test("have the handler's error as cause of the rejection of run(), and AWS's Cause as errorCause", async () => {
    const thrown = Object.assign(new Error("no funds", { cause: "bank" }), { name: "Declined" });
    const error = await task("arn:aws:states:::sqs:sendMessage", {})
      .run({}, { tasks: { T: () => Promise.reject(thrown) } })
      .then(assert.fail, (one) => one);
    assert.deepEqual([error.code, error.error, error.errorCause, error.cause], ["EXECUTION_FAILED", "Declined", "no funds", thrown]);
    const exact = new TaskError("E", { a: 1 }, { cause: thrown });
    assert.deepEqual([exact.code, exact.error, exact.errorCause, exact.cause], ["TASK_ERROR", "E", '{"a":1}', thrown]);
    const refused = await task("arn:aws:states:::sqs:sendMessage", {})
      .run({}, { tasks: { T: () => Promise.reject(exact) } })
      .then(assert.fail, (one) => one);
    assert.deepEqual([refused.error, refused.errorCause, refused.cause], ["E", '{"a":1}', exact]);
    // The error of a Fail state has no underlying error.
    const failed = await new StateMachine({ StartAt: "F", States: { F: { Type: "Fail", Error: "E", Cause: "c" } } })
      .run()
      .then(assert.fail, (one) => one);
    assert.deepEqual([failed.errorCause, failed.cause, "cause" in failed], ["c", undefined, false]);
  });

  test("pass the reason of an abort to all who wait, and to the tasks, immediately", async () => {
    for (const reason of [new Error("enough"), "enough", { code: 5 }, undefined]) {
      const controller = new AbortController();
      const seen = deferred();
      const running = lambda().run(
        {},
        { signal: controller.signal, tasks: { Add: (_, { signal }) => (seen.resolve(signal), new Promise(() => {})) } },
      );
      const signal = await seen.promise;
      controller.abort(reason);
      assert.equal(signal.aborted, true);
      assert.ok(signal.reason instanceof TaskCancelled);
      assert.equal(signal.reason.code, "TASK_CANCELLED");
      assert.equal(signal.reason.cause, controller.signal.reason);
      const error = await running.then(assert.fail, (one) => one);
      assert.deepEqual([error.code, error.status, error.cause], ["EXECUTION_ABORTED", "ABORTED", controller.signal.reason]);
      assert.match(error.errorCause, reason === undefined ? /aborted/ : /enough|5/);
    }
  });

  test("execution.abort() aborts the signals of tasks before it returns", async () => {
    const seen = deferred();
    const execution = lambda().start({}, { tasks: { Add: (_, { signal }) => (seen.resolve(signal), new Promise(() => {})) } });
    const signal = await seen.promise;
    await turn();
    execution.abort("E", "c");
    assert.equal(signal.aborted, true);
    assert.equal((await execution.result).error, "E");
  });

  test("instanceof works across copies of the package, and for subclasses", () => {
    const path = createRequire(import.meta.url).resolve("stepglass");
    const require = createRequire(path);
    const before = { ...require.cache };
    for (const file of Object.keys(require.cache)) if (file.startsWith(path.slice(0, path.lastIndexOf("/")))) delete require.cache[file];
    const other = require(path);
    Object.assign(require.cache, before);
    assert.notEqual(other.TaskError, TaskError);
    assert.ok(new other.TaskError("E") instanceof TaskError);
    assert.ok(new TaskError("E") instanceof other.TaskError);
    assert.ok(!(new other.TaskError("E") instanceof stepglass.ExecutionError));
    class Mine extends TaskError {}
    assert.ok(new Mine("E") instanceof TaskError && new Mine("E") instanceof Mine);
    assert.ok(!(new TaskError("E") instanceof Mine));
    assert.ok(!(TaskError.prototype instanceof stepglass.ExecutionError) && !(null instanceof TaskError));
  });
});
