// Invalid arguments to the methods of a debug session: each throws an Error with a code that names the argument, and leaves the
// session usable. An allowed value has a result that the types document.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DebugSession } from "stepglass/debug";
import { BAD, circular, documented } from "./bad-values.mjs";
import { turn } from "./machines.mjs";

// The last values are numbers that sessions, runs and visits could have.
const VALUES = [...BAD, -Infinity, 1e99, "ful", "/States/Nope", Object.create(null), 7, 99, 2 ** 32 + 5];
const shown = (value) =>
  typeof value === "object" && value !== null
    ? `${Object.getPrototypeOf(value)?.constructor.name ?? "an object without a prototype"}`
    : String(value);

const definition = {
  StartAt: "A",
  States: {
    A: { Type: "Pass", Assign: { v: 1 }, Next: "T" },
    T: {
      Type: "Task",
      Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
      Parameters: { "token.$": "$$.Task.Token" },
      ResultPath: "$.t",
      Next: "W",
    },
    W: { Type: "Wait", Seconds: 5, Next: "M" },
    M: {
      Type: "Map",
      ItemsPath: "$.l",
      ItemProcessor: {
        StartAt: "I",
        States: { I: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:f", End: true } },
      },
      End: true,
    },
  },
};
const options = { input: { l: [1, 2] }, startTime: 0 };

/** Continues a session until a condition holds. Its work is done in turns of the event loop. */
async function goesOn(session, until) {
  session.continue();
  while (!until()) await turn();
  return session;
}

/** Sessions at different moments: before the first state, while a task waits, and in the past of a finished run. */
const moments = {
  "at its start": () => new DebugSession(definition, { ...options, ask: true }),
  "while it runs": async () => {
    const session = new DebugSession(definition, { ...options, ask: true });
    return goesOn(session, () => session.waiting().length === 1);
  },
  "in its past": async () => {
    const session = new DebugSession(definition, { ...options, mocks: { T: { mode: "result", result: {} }, I: { mode: "echo" } } });
    await goesOn(session, () => session.outcome !== undefined);
    session.goto(6);
    return session;
  },
};

/** Valid arguments of each method, for a session. */
const good = {
  on: () => ["stopped", () => {}],
  definitionOf: () => [0],
  selectExecution: () => [0],
  history: () => [0, 1, 0],
  childSteps: () => [0],
  continue: () => [{ ignoreBreakpoints: false }],
  goto: () => [1],
  gotoPlace: () => [1],
  restart: () => [
    definition,
    {
      input: {},
      name: "n",
      arn: "a",
      seed: 1,
      startTime: 0,
      tasks: {},
      machines: {},
      mocks: {},
      ask: true,
      clock: "skip",
      breakpoints: [],
      exceptions: "none",
      type: "STANDARD",
      jsonata: "2.1",
      payloadLimit: 9,
      historyLimit: 9,
      recorded: [],
      label: "l",
    },
  ],
  runTo: () => ["W"],
  stop: () => ["E", "c"],
  setBreakpoints: () => [
    [
      {
        id: 1,
        kind: "entry",
        state: "W",
        machine: "m",
        stage: "result",
        when: "after",
        errors: ["E"],
        uncaught: true,
        from: "A",
        to: "T",
        indices: "1",
        at: "end",
        path: "$",
        condition: "true",
        language: "jsonata",
        hit: ">= 3",
        taken: 0,
        log: "l",
        enabled: true,
      },
    ],
  ],
  setExceptionBreakpoints: () => ["all"],
  setTasks: () => [{}],
  setMachines: () => [{}],
  setMocks: () => [{ T: { mode: "script", after: 5, steps: [{ after: 5 }] } }],
  setClock: () => ["skip"],
  advance: () => [5],
  answer: (session) => [session.waiting()[0]?.task ?? 1, { kind: "succeed", output: {}, error: "E", cause: "c", after: 5 }],
  take: (session) => [session.waiting()[0]?.task ?? 1, { workerName: "w" }],
  childHistory: () => ["arn"],
  answerToken: (session) => [session.waiting()[0]?.token ?? "t", "succeed", {}],
  next: () => [0],
  stepIn: () => [0],
  stepOut: () => [0],
  childThreads: () => [{ start: 0, count: 1 }],
  stackTrace: () => [0],
  scopes: () => [0],
  stages: () => [0, 0, { all: true, item: 0 }],
  visits: () => ["A"],
  childVisits: () => ["A", { iterations: [0], most: 5 }],
  historyOf: () => [0],
  visitsInOrder: () => [0],
  evaluate: () => ["$", { language: "jsonata", visit: 0, values: {} }],
  values: () => [0],
  fork: () => [{ event: 2, label: "l" }],
  setValue: () => [{ target: "variable", name: "v", value: 1, visit: 0 }],
  setVariable: () => ["v", 1],
  applyDefinition: () => [definition],
  selectRun: () => [1],
  removeRun: () => [1],
  recovered: () => [1],
  coverage: () => [1, { whole: true }],
  compare: () => [1, 1],
};
const without = [
  "constructor",
  "pause",
  "stepStage",
  "stepBack",
  "reverseContinue",
  "executions",
  "runs",
  "dispose",
  "timers",
  "waiting",
  "calls",
  "children",
  "threads",
  "frames",
];

test("covers every method", () => {
  const methods = Object.getOwnPropertyNames(DebugSession.prototype).filter(
    (name) => typeof Object.getOwnPropertyDescriptor(DebugSession.prototype, name).value === "function",
  );
  assert.deepEqual(methods.sort(), [...Object.keys(good), ...without].sort());
});

/** Returns argument lists with one bad value in each position, and in each member of objects and arrays. */
function* spoilt(given, path = "argument ") {
  for (const key of Object.keys(given)) {
    const put = (value) => (Array.isArray(given) ? Object.assign([...given], { [key]: value }) : { ...given, [key]: value });
    for (const bad of VALUES) yield { given: put(bad), what: `${path}${key} is ${shown(bad)}` };
    const inner = given[key];
    if (inner !== definition && typeof inner === "object" && inner !== null)
      for (const { given: changed, what } of spoilt(inner, `${path}${key}.`)) yield { given: put(changed), what };
  }
}

/** Reads everything, plays on, and reads again. */
async function assertUsable(session) {
  for (let i = 0; i < 2; i++) {
    for (const name of ["timers", "waiting", "threads", "runs", "frames", "values", "executions", "calls", "stackTrace", "scopes"])
      session[name]();
    assert.ok(Number.isFinite(session.now), `now is ${session.now}`);
    new Date(session.now).toISOString();
    session.continue();
    await turn();
    session.pause();
  }
  session.reverseContinue();
}

for (const [name, args] of Object.entries(good)) {
  test(name, { timeout: 120_000 }, async () => {
    for (const [moment, begin] of Object.entries(moments)) {
      for (const { given, what } of spoilt(args(await begin()))) {
        const session = await begin();
        const where = `${name}() ${moment}, where ${what}`;
        try {
          const told = session[name](...given);
          if (typeof told?.next === "function") Array.from(told);
        } catch (thrown) {
          assert.ok(thrown instanceof Error, `${where} has thrown ${String(thrown)}`);
          assert.ok(documented.has(thrown.code) && thrown.code !== "INTERNAL", `${where}: code ${thrown.code}\n${thrown.stack}`);
          assert.ok(!/Cannot |undefined \(|is not (?:a function|iterable)/.test(thrown.message), `${where}: ${thrown.message}`);
        }
        try {
          await assertUsable(session);
        } catch (thrown) {
          throw new Error(`after ${where}`, { cause: thrown });
        }
        session.dispose();
      }
    }
  });
}

test("checks the setter of breakpointsEnabled", () => {
  const session = moments["at its start"]();
  for (const bad of VALUES.filter((one) => one !== true))
    assert.throws(() => (session.breakpointsEnabled = bad), {
      code: "INVALID_ARGUMENT",
      message: /^breakpointsEnabled must be true or false, not /,
    });
});

test("says which argument was wrong, and what is allowed", async () => {
  const session = await moments["while it runs"]();
  const [{ task }] = session.waiting();
  const refused = [
    [
      () => session.answer(task, { kind: "succeed", after: NaN }),
      "session.answer(): after must be a number of milliseconds from 0 to 8640000000000000, not NaN",
    ],
    [
      () => session.answer(task, { kind: "ful" }),
      'session.answer(): kind must be "succeed" or "fail" or "heartbeat" or "silence", not "ful"',
    ],
    [() => session.answer(task, { kind: "succeed", output: 5n }), /^the output cannot be written as JSON: /],
    [() => session.goto("3"), 'session.goto(): event must be a whole number or Infinity, not "3"'],
    [() => session.advance(-1), "session.advance(): milliseconds must be a number of milliseconds from 0 to 8640000000000000, not -1"],
    [() => session.stages(0, -1), "session.stages(): attempt must be a whole number that is not negative, not -1"],
    [() => session.continue(null), "session.continue(): options must be an object, not null"],
    [() => session.on("stopped", 5), "session.on(): listener must be a function, not 5"],
    [() => session.setBreakpoints([{ kind: "entry", state: "W", condition: true }]), "breakpoint 1: condition must be a string, not true"],
    [() => session.setBreakpoints([{ kind: "ful" }]), /^there is no breakpoint kind "ful"; the kinds are entry, /],
    [() => session.setVariable("", 1), 'session.setVariable(): name must be a string that is not empty, not ""'],
    [() => session.setVariable("v", circular), /^the value cannot be written as JSON: /],
    [() => session.selectRun(7), "there is no run 7"],
  ];
  for (const [call, message] of refused) assert.throws(call, { code: "INVALID_ARGUMENT", message });
  assert.throws(() => session.continue({ ignoreBreakpoint: true }), {
    code: "INVALID_OPTION",
    message: 'session.continue() has no option "ignoreBreakpoint"; it has ignoreBreakpoints',
  });
  assert.throws(() => session.setMocks({ T: { mode: "echo", after: NaN } }), {
    code: "INVALID_ARGUMENT",
    message: 'the mock of "T": after must be a number of milliseconds from 0 to 8640000000000000, not NaN',
  });
  assert.throws(() => session.setClock(Infinity), {
    code: "INVALID_OPTION",
    message: 'clock must be "skip", "manual" or a number above 0, not Infinity',
  });
  assert.throws(() => new DebugSession(definition, { input: circular }), {
    code: "INVALID_ARGUMENT",
    message: /^the input cannot be written as JSON: /,
  });
});

test("clamps numbers that are out of range", async () => {
  const session = await moments["in its past"]();
  session.goto(Infinity);
  assert.equal(session.event, session.events);
  session.goto(-5);
  assert.equal(session.event, 0);
  session.gotoPlace(1e9);
  assert.equal(session.event, session.events);
});

test("is not held up by a handler that sleeps forever", async () => {
  const machine = { StartAt: "I", States: { I: { ...definition.States.M.ItemProcessor.States.I, TimeoutSeconds: 60 } } };
  for (const milliseconds of [Infinity, 1e99]) {
    const session = new DebugSession(machine, { startTime: 0, tasks: { I: (_, task) => task.sleep(milliseconds) } });
    await goesOn(session, () => session.outcome !== undefined);
    assert.equal(session.outcome.error, "States.Timeout");
    assert.equal(session.now, 60_000);
  }
});

test("ends time where a Date ends", async () => {
  const session = new DebugSession(definition, { ...options, ask: true, startTime: 8.64e15 - 10 });
  await goesOn(session, () => session.waiting().length === 1 && session.atRest);
  session.advance(8.64e15);
  assert.equal(session.now, 8.64e15);
});
