// The debugger: steps, breakpoints, time travel, forks.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { JsonText } from "stepglass";
import { DebugSession, ask } from "stepglass/debug";
import { INPUT, LAMBDA, charges } from "../charges.mjs";
import { watchRejections } from "./machines.mjs";

watchRejections();

const MACHINE = charges({ InputPath: "$" });
const CHARGE = {
  Charge: {
    mode: "script",
    steps: [
      { attempt: "0", iteration: "1", error: "Busy" },
      { result: { ok: true }, after: 500 },
    ],
  },
};

function session(options = {}, definition = MACHINE) {
  return new DebugSession(definition, { input: INPUT, mocks: CHARGE, startTime: 0, ...options });
}

/** Runs a command, waits until the session has stopped or ended, and returns its position. */
function until(debug, command) {
  return new Promise((resolve) => {
    const ends = ["stopped", "terminated"].map((name) =>
      debug.on(name, () => {
        for (const end of ends) end();
        resolve(where(debug));
      }),
    );
    command(debug);
  });
}

function where(debug) {
  const [top] = debug.stackTrace();
  if (debug.status === "ended") return `ended ${debug.outcome.status}`;
  if (top === undefined) return "start";
  return [top.state, ...top.iterations.map((i) => `#${i}`), top.stage].filter((part) => part !== undefined).join(" ");
}

/** Runs commands by name one after the other, and returns the position after each. */
async function walk(debug, ...commands) {
  const seen = [];
  for (const command of commands) seen.push(await until(debug, (it) => it[command]()));
  return seen;
}

describe("steps", () => {
  test("over: goes to the next state of the same scope, and runs a Map as a whole", async () => {
    assert.deepEqual(await walk(session(), "next", "next", "next", "next", "next"), [
      "Prepare",
      "Each",
      "Enough?",
      "Done",
      "ended SUCCEEDED",
    ]);
  });

  test("in: goes into a Map, or to the first stage of another state; over stays in the iteration; out leaves it", async () => {
    const debug = session();
    const seen = await walk(debug, "stepIn", "stepIn", "stepIn", "stepIn", "next", "stepOut");
    assert.deepEqual(seen.slice(0, 5), ["Prepare", "Prepare afterInputPath", "Each", "Charge #0", "Rest #0"]);
    assert.equal(debug.history().at(-1).type, "MapIterationSucceeded");
    assert.deepEqual(await walk(debug, "stepIn", "stepOut", "stepOut").then((all) => all[0]), "Charge #1");
  });

  test("stage: goes through each stage of the data flow, then to the next state", async () => {
    const debug = session();
    const stages = [
      "",
      " afterInputPath",
      " afterParameters",
      " result",
      " afterResultSelector",
      " afterResultPath",
      " assignedVariables",
      " output",
    ];
    assert.deepEqual(
      await walk(debug, "next", ...Array(7).fill("stepStage")),
      stages.map((stage) => `Prepare${stage}`),
    );
    assert.deepEqual(debug.evaluate("$.items[0].n"), { value: 1 });
  });

  test("back: goes back in the branch, and forward again without calling a task twice", async () => {
    let calls = 0;
    const debug = session({ mocks: {}, tasks: { charge: () => ({ call: ++calls }) } });
    await until(debug, (it) => it.runTo("Rest"));
    assert.equal(calls, 1);
    const types = [];
    for (let i = 0; i < 3; i++) {
      await until(debug, (it) => it.stepBack());
      types.push(debug.history()[debug.event - 1].type);
    }
    assert.deepEqual(types, ["TaskStateExited", "LambdaFunctionSucceeded", "LambdaFunctionStarted"]);
    assert.deepEqual(await walk(debug, "next"), ["Rest #0"]);
    assert.equal(calls, 1);
    assert.equal(await until(debug, (it) => it.continue()), "ended SUCCEEDED");
    assert.equal(calls, 3);
  });

  test("pause stops a run that does not end, and it can continue", async () => {
    const loop = {
      StartAt: "A",
      States: {
        A: { Type: "Pass", Next: "B" },
        B: { Type: "Choice", Choices: [{ Variable: "$.stop", BooleanEquals: true, Next: "C" }], Default: "A" },
        C: { Type: "Succeed" },
      },
    };
    const debug = session({ input: { stop: false }, historyLimit: 10_000_000 }, loop);
    const off = debug.on("progress", () => debug.events > 100 && debug.pause());
    await until(debug, (it) => it.continue());
    off();
    assert.equal(debug.status, "paused");
    const { event } = debug;
    assert.ok(event > 100);
    await walk(debug, "next");
    assert.ok(debug.event > event && debug.event < event + 4);
    await until(debug, (it) => it.stop());
    assert.equal(debug.outcome.status, "ABORTED");
    debug.dispose();
  });
});

describe("breakpoints", () => {
  const stops = async (breakpoints, options = {}) => {
    const debug = session({ ...options, breakpoints });
    const seen = [];
    for (let i = 0; i < 20 && debug.status !== "ended"; i++) {
      const at = await until(debug, (it) => it.continue());
      if (debug.status !== "ended") seen.push(`${at}: ${debug.stopped.description}`);
    }
    return seen;
  };
  const check = (name, breakpoint, expected) => test(name, async () => assert.deepEqual(await stops([breakpoint]), expected));

  check("entry", { kind: "entry", state: "Rest" }, ["Rest #0: before Rest", "Rest #1: before Rest", "Rest #2: before Rest"]);
  check("exit", { kind: "exit", state: "Prepare" }, ["Prepare output: after Prepare"]);
  check("stage", { kind: "stage", state: "Enough?", stage: "choice" }, ["Enough? choice: after choice of Enough?"]);
  check("before a stage", { kind: "stage", state: "Prepare", stage: "assignedVariables", when: "before" }, [
    `Prepare afterResultPath: before assignedVariables of Prepare`,
  ]);
  check("error", { kind: "error" }, ["Charge #1 error: Busy in Charge"]);
  check("an error that nothing takes", { kind: "error", uncaught: true }, []);
  check("error by name", { kind: "error", errors: ["States.Timeout"] }, []);
  check("retry", { kind: "retry", state: "Charge" }, ["Charge #1 retry: before Charge is retried, by retrier 1"]);
  check("transition", { kind: "transition", from: "Each", to: "Enough?" }, ["Enough?: from Each to Enough?"]);
  check("iterations", { kind: "iteration", state: "Each", indices: "1-2" }, [
    "Each maxConcurrency: iteration 1 of Each",
    "Each maxConcurrency: iteration 2 of Each",
  ]);
  check("condition, JSONata", { kind: "entry", state: "Rest", condition: "$iteration = 2 and $limit = 5 and $.paid.ok" }, [
    "Rest #2: before Rest",
  ]);
  check("condition, JSONPath", { kind: "entry", state: "Charge", condition: "$.n >= 2", language: "jsonpath" }, [
    "Charge #1: before Charge",
    "Charge #2: before Charge",
  ]);
  check("hit count", { kind: "entry", state: "Rest", hit: "% 2" }, ["Rest #1: before Rest"]);
  check("hit count, from", { kind: "entry", state: "Rest", hit: ">= 2" }, ["Rest #1: before Rest", "Rest #2: before Rest"]);
  check("change of a variable", { kind: "change", path: "$limit" }, ["Prepare output: $limit changed in Prepare"]);
  check(
    "change of data",
    { kind: "change", path: "$.paid", state: "Charge" },
    [0, 1, 2].map((i) => `Charge #${i} output: $.paid changed in Charge`),
  );
  check("disabled", { kind: "entry", state: "Rest", enabled: false }, []);

  test("stop at a condition that cannot be evaluated, and say so", async () => {
    const [only] = await stops([{ kind: "entry", state: "Done", condition: "$nosuch(" }]);
    assert.match(only, /^Done: the condition of a breakpoint cannot be evaluated: /);
  });

  test("that are log points print and do not stop", async () => {
    const debug = session({ breakpoints: [{ kind: "entry", state: "Rest", log: "item {% $iteration %}: {% $.paid.ok %}" }] });
    const lines = [];
    debug.on("output", ({ text }) => lines.push(text));
    assert.equal(await until(debug, (it) => it.continue()), "ended SUCCEEDED");
    assert.deepEqual(lines, ["item 0: true", "item 1: true", "item 2: true"]);
  });

  test("stop at uncaught errors", async () => {
    const failing = { Charge: { mode: "error", error: "Broken" } };
    assert.deepEqual(await stops([], { mocks: failing, exceptions: "uncaught" }), ["Charge #0 error: Broken in Charge, uncaught"]);
    assert.deepEqual(await stops([], { mocks: CHARGE, exceptions: "uncaught" }), []);
    assert.deepEqual(await stops([], { mocks: CHARGE, exceptions: ["Busy"] }), ["Charge #1 error: Busy in Charge, will be retried"]);
  });

  test("can be reached backwards", async () => {
    const debug = session({ breakpoints: [{ kind: "entry", state: "Rest" }] });
    await until(debug, (it) => it.continue({ ignoreBreakpoints: true }));
    assert.deepEqual(await walk(debug, "reverseContinue", "reverseContinue", "reverseContinue", "reverseContinue"), [
      "Rest #2",
      "Rest #1",
      "Rest #0",
      "start",
    ]);
  });

  test("stop in states of a Distributed Map's child executions, too", async () => {
    const ItemProcessor = {
      ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
      StartAt: "P",
      States: { P: { Type: "Pass", End: true } },
    };
    const debug = session(
      { input: [1, 2], breakpoints: [{ kind: "entry", state: "P" }] },
      { StartAt: "M", States: { M: { Type: "Map", ItemProcessor, End: true } } },
    );
    let stopped = 0;
    while (debug.status !== "ended") {
      await until(debug, (it) => it.continue());
      if (debug.status !== "ended") stopped += 1;
    }
    assert.equal(stopped, 2);
  });
});

describe("inspecting", () => {
  test("shows threads, stack, variables, stages and timers", async () => {
    const debug = session();
    await until(debug, (it) => it.runTo("Charge"));
    assert.deepEqual(
      debug.threads().map(({ name, state }) => `${name}: ${state}`),
      ["Execution: Each", "Each #0: Charge"],
    );
    assert.deepEqual(
      debug.stackTrace().map(({ state, iterations }) => [state, iterations]),
      [
        ["Charge", [0]],
        ["Each", []],
      ],
    );
    assert.deepEqual(debug.scopes().limit, { value: 5, state: "Prepare", event: 3, visit: 0, outer: true });
    await until(debug, (it) => it.runTo("Rest"));
    const [first] = debug.visits("Charge");
    const { attempts, input, stages } = debug.stages(first.id);
    assert.equal(attempts, 1);
    assert.deepEqual(input, { n: 1 });
    assert.deepEqual(
      stages.map(({ stage }) => stage).filter((stage) => stage !== "afterResultSelector"),
      ["afterInputPath", "afterParameters", "result", "afterResultPath", "output"],
    );
    assert.deepEqual(stages.at(-1).value, { n: 1, paid: { ok: true } });
    const manual = session({ clock: "manual" });
    manual.runTo("Rest");
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(manual.status, "running");
    assert.equal(manual.advance(), true);
    while (manual.status === "running") await new Promise((resolve) => setImmediate(resolve));
    manual.continue();
    while (manual.timers().length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(manual.timers(), [{ at: 10_500, kind: "wait", state: "Rest", iterations: [0], retries: 0 }]);
    manual.dispose();
  });

  test("shows the rules of a Choice, and the delay of a retry", async () => {
    const debug = session();
    await until(debug, (it) => it.continue());
    const stage = (state, name) =>
      debug
        .visits(state)
        .flatMap(({ id }) => [0, 1].flatMap((attempt) => debug.stages(id, attempt).stages))
        .find((one) => one.stage === name).value;
    assert.deepEqual(stage("Enough?", "choice"), {
      rules: [{ holds: false, tests: [{ of: "$[0].n", operator: "NumericGreaterThan", value: 1, operand: 5, holds: false }] }],
      taken: "default",
    });
    assert.deepEqual(stage("Charge", "retry"), { retrier: 0, attempt: 1, delayMilliseconds: 2000 });
    assert.equal(stage("Charge", "error").Error, "Busy");
  });

  test("hides the variables of an earlier iteration", async () => {
    const Odd = { Type: "Choice", Choices: [{ Variable: "$", NumericEquals: 2, Next: "Second" }], Default: "First" };
    const States = { Odd, First: { Type: "Pass", Assign: { inside: 1 }, End: true }, Second: { Type: "Pass", End: true } };
    const debug = session(
      { input: [1, 2] },
      {
        StartAt: "Before",
        States: {
          Before: { Type: "Pass", Assign: { outside: 2 }, Next: "Each" },
          Each: { Type: "Map", MaxConcurrency: 1, ItemProcessor: { StartAt: "Odd", States }, End: true },
        },
      },
    );
    await until(debug, (it) => it.runTo("Second"));
    assert.deepEqual(
      Object.entries(debug.scopes()).map(([name, { value, outer }]) => [name, value, outer]),
      [["outside", 2, true]],
    );
    assert.deepEqual(debug.frames().find(({ state }) => state === "Second").variables, { outside: 2 });
    await until(debug, (it) => it.restart());
    debug.setBreakpoints([{ kind: "change", path: "$inside" }]);
    await until(debug, (it) => it.continue());
    assert.equal(debug.stopped.description, "$inside changed in First");
    await until(debug, (it) => it.continue());
    assert.equal(debug.status, "ended");
  });

  test("does not list a failed Parallel around the next attempt of the outer one", async () => {
    const leaf = { StartAt: "Leaf", States: { Leaf: { Type: "Task", Resource: `${LAMBDA}leaf`, End: true } } };
    const inner = { StartAt: "Inner", States: { Inner: { Type: "Parallel", Branches: [leaf], End: true } } };
    const outer = { Type: "Parallel", Branches: [inner], Retry: [{ ErrorEquals: ["Busy"] }], End: true };
    const debug = session(
      { mocks: { Leaf: { mode: "script", steps: [{ call: "0", error: "Busy" }, { result: 1 }] } } },
      { StartAt: "Outer", States: { Outer: outer } },
    );
    await until(debug, (it) => it.runTo("Leaf"));
    await until(debug, (it) => it.runTo("Leaf"));
    assert.deepEqual(
      debug.stackTrace().map(({ state }) => state),
      ["Leaf", "Inner", "Outer"],
    );
    assert.deepEqual(
      debug.threads().map(({ name, state }) => [name, state]),
      [
        ["Execution", "Outer"],
        ["Outer branch 1", "Inner"],
        ["Inner branch 1", "Leaf"],
      ],
    );
    assert.equal(debug.visits("Outer")[0].attempts, 2);
  });

  test("shows the start time before the first event", () => {
    const debug = session({ startTime: Date.UTC(2026, 0, 2) });
    assert.equal(debug.values().now, Date.UTC(2026, 0, 2));
    assert.deepEqual(debug.evaluate("$now()"), { value: "2026-01-02T00:00:00.000Z" });
  });

  test("evaluates expressions in each language", () => {
    const values = { input: { a: [1, 2], s: "x" }, variables: { v: 3 }, context: { Execution: { Name: "n" } } };
    for (const [dialect, question, expected] of [
      ["jsonata", "$sum(a) + $v", { value: 6 }],
      ["jsonata", "{% $.s %}", { value: "x" }],
      ["jsonata", "$.none", { nothing: true }],
      ["jsonpath", "$.a[1]", { value: 2 }],
      ["jsonpath", "$v", { value: 3 }],
      ["jsonpath", "$$.Execution.Name", { value: "n" }],
      ["jsonpath", "States.ArrayLength($.a)", { value: 2 }],
      ["template", '{"b.$":"$.a[0]"}', { value: { b: 1 } }],
    ])
      assert.deepEqual(ask(dialect, question, values), expected, question);
    assert.equal(ask("jsonata", "$.a +", values).code, "S0207");
    for (const [dialect, question] of [
      ["jsonpath", "$.["],
      ["jsonpath", "$.no"],
      ["template", "{"],
    ])
      assert.equal(typeof ask(dialect, question, values).message, "string");
  });
});

describe("time travel", () => {
  const plain = (value) => JSON.parse(JSON.stringify(value));
  const LONG = { ...MACHINE, States: { ...MACHINE.States, Each: { ...MACHINE.States.Each, MaxConcurrency: 3 } } };

  test("shows at replay(k) what live(k) showed: frames, and how the run continues", async () => {
    const input = { items: Array.from({ length: 120 }, (_, n) => ({ n: -n })) };
    const live = session({ input, seed: 7 }, LONG);
    const seen = [];
    // Reads the engine once after each of its transitions.
    while (live.status !== "ended") {
      await until(live, (it) => it.stepStage());
      // The engine is read again after a full record of a transition was requested.
      if (!live.atRest) continue;
      if (seen.length === 0 || live.event > seen.at(-1).event + 40)
        seen.push({ event: live.event, place: live.position, frames: plain(live.frames()) });
    }
    assert.ok(live.events > 1000 && seen.length > 20, `${live.events} events`);
    for (const { place, frames } of seen) {
      live.gotoPlace(place);
      assert.deepEqual(live.frames(), frames);
    }
    const history = live.history();
    for (const event of [1, 2, 300, 301, 700, history.length - 1]) {
      const fork = live.run;
      live.goto(event);
      live.fork({ event });
      await until(live, (it) => it.continue());
      assert.deepEqual(live.history(), history, `forked at ${event}`);
      live.selectRun(fork);
      live.goto(Infinity);
    }
  });

  test("goes on and back although the snapshots exceed the memory limit", async () => {
    const input = Array.from({ length: 240 }, (_, i) => `${i} ${"x".repeat(400)}`);
    const wait = { StartAt: "Wait", States: { Wait: { Type: "Wait", Seconds: 1, End: true } } };
    const definition = {
      StartAt: "Each",
      States: { Each: { Type: "Map", ItemSelector: { "all.$": "$" }, ItemProcessor: wait, OutputPath: "$[0].all[0]", End: true } },
    };
    const debug = session({ input, mocks: {}, payloadLimit: 2 ** 30 }, definition);
    assert.equal(await until(debug, (it) => it.continue()), "ended SUCCEEDED");
    assert.equal(debug.events, 1 + 2 + 240 * 4 + 3);
    assert.equal(debug.outcome.output, input[0]);
    // Both sides of the positions of the snapshots.
    for (const event of [255, 260, 515, 600]) {
      debug.goto(event);
      assert.equal(debug.event, event);
      const [top] = debug.stackTrace();
      assert.deepEqual(debug.values(top.visit).input, { all: input });
    }
  });

  test("gives equal runs for equal seeds", async () => {
    const definition = {
      StartAt: "A",
      States: { A: { Type: "Pass", Parameters: { "id.$": "States.UUID()", "n.$": "States.MathRandom(1, 1000)" }, End: true } },
    };
    const outputs = [];
    for (const seed of [1, 1, 2]) {
      const debug = session({ seed }, definition);
      await until(debug, (it) => it.continue());
      outputs.push(debug.outcome.output);
    }
    assert.deepEqual(outputs[0], outputs[1]);
    assert.notDeepEqual(outputs[0], outputs[2]);
  });

  test("sets an input, a result or a variable, in a fork that takes its own path", async () => {
    const debug = session();
    await until(debug, (it) => it.continue());
    debug.goto(debug.visits("Rest")[1].enter);
    debug.setValue({ target: "input", value: "another" });
    assert.equal(where(debug), "Rest #1");
    await until(debug, (it) => it.continue());
    assert.equal(debug.outcome.output[1], "another");

    debug.selectRun(1);
    debug.goto(debug.visits("Charge")[0].exit);
    debug.setValue({ target: "result", value: { ok: "by hand" } });
    assert.equal(where(debug), "Charge #0 result");
    await until(debug, (it) => it.continue());
    assert.deepEqual(debug.outcome.output[0], { n: 1, paid: { ok: "by hand" } });

    debug.selectRun(1);
    debug.goto(debug.visits("Charge")[2].enter);
    debug.setVariable("limit", 6);
    assert.equal(debug.scopes().limit.value, 6);
    assert.equal(debug.evaluate("$limit + 1").value, 7);
    assert.equal(debug.frames().find(({ state, iterations }) => state === "Charge" && iterations[0] === 2).variables.limit, 6);
    await until(debug, (it) => it.continue());
    assert.deepEqual(
      debug.runs().map(({ id, parent, label }) => [id, parent, label]),
      [
        [1, undefined, "Run"],
        [2, 1, "✎ input of Rest"],
        [3, 1, "✎ result of Charge"],
        [4, 1, "✎ $limit"],
      ],
    );
    assert.throws(() => debug.setValue({ target: "result", value: 1 }), { code: "NOT_SETTABLE" });
  });

  test("forks with another mock", async () => {
    const debug = session();
    await until(debug, (it) => it.continue());
    debug.goto(debug.visits("Charge")[2].enter);
    debug.setMocks({ Charge: { mode: "result", result: "other" } });
    debug.fork();
    await until(debug, (it) => it.continue());
    assert.deepEqual(
      debug.outcome.output.map(({ paid }) => paid),
      [{ ok: true }, { ok: true }, "other"],
    );
  });

  test("takes over an edited definition: keeps the path if it is the same, and reports another one", async () => {
    let calls = 0;
    const debug = session({ mocks: {}, tasks: { charge: () => ({ call: ++calls }) } });
    await until(debug, (it) => it.runTo("Enough?"));
    const edited = structuredClone(MACHINE);
    edited.States.Done = { Type: "Pass", Result: "new", End: true };
    assert.deepEqual(debug.applyDefinition(edited), { same: true });
    assert.equal(where(debug), "Enough?");
    assert.equal(await until(debug, (it) => it.continue()), "ended SUCCEEDED");
    assert.equal(debug.outcome.output, "new");
    assert.equal(calls, 3, "recorded answers stand for the calls");

    const other = structuredClone(edited);
    other.States["Enough?"].Choices[0].NumericGreaterThan = 0;
    const report = debug.applyDefinition(other);
    assert.match(report.was, /^PassStateEntered Done/);
    assert.match(report.now, /^FailStateEntered Refuse/);
    assert.equal(where(debug), "Refuse");
    assert.throws(() => debug.applyDefinition({ StartAt: "No", States: {} }), { name: "DefinitionError" });
    assert.equal(where(debug), "Refuse");
  });
});

describe("tasks", () => {
  const ONE = {
    StartAt: "T",
    States: { T: { Type: "Task", Resource: `${LAMBDA}f`, TimeoutSeconds: 30, Retry: [{ ErrorEquals: ["Again"] }], End: true } },
  };
  const outcome = async (options, definition = ONE) => {
    const debug = session({ input: { x: 1 }, mocks: {}, ...options }, definition);
    await until(debug, (it) => it.continue());
    return debug.outcome;
  };

  test("are answered by mocks of every mode", async () => {
    const check = async (mock, expected) => assert.deepEqual(await outcome({ mocks: { T: mock } }), expected, mock.mode);
    await check({ mode: "echo" }, { status: "SUCCEEDED", output: { x: 1 } });
    await check({ mode: "result", result: 5 }, { status: "SUCCEEDED", output: 5 });
    await check({ mode: "error", error: "E", cause: "c" }, { status: "FAILED", error: "E", cause: "c" });
    await check({ mode: "expression", expression: "$states.input.x + $attempt" }, { status: "SUCCEEDED", output: 1 });
    await check(
      { mode: "script", steps: [{ attempt: "0-1", error: "Again" }, { result: "third" }] },
      { status: "SUCCEEDED", output: "third" },
    );
    await check({ mode: "script", steps: [{ silent: true }] }, { status: "FAILED", error: "States.Timeout" });
    await check({ mode: "result", result: 1, after: 31_000 }, { status: "FAILED", error: "States.Timeout" });
    assert.deepEqual(await outcome({ mocks: { T: { mode: "handler" } }, tasks: { f: async ({ x }) => x + 1 } }), {
      status: "SUCCEEDED",
      output: 2,
    });
    assert.equal((await outcome({})).error, "States.TaskFailed");
    assert.throws(() => session({ mocks: { T: { mode: "nonsense" } } }), { code: "INVALID_OPTION" });
  });

  test("are answered by a user: result, error, heartbeat, timeout", async () => {
    for (const [answer, expected] of [
      [
        { kind: "succeed", output: 3 },
        { status: "SUCCEEDED", output: 3 },
      ],
      [
        { kind: "fail", error: "No", cause: "why" },
        { status: "FAILED", error: "No", cause: "why" },
      ],
      [{ kind: "silence" }, { status: "FAILED", error: "States.Timeout" }],
    ]) {
      const debug = session({ input: {}, mocks: {}, ask: true }, ONE);
      const ended = until(debug, (it) => it.continue());
      while (debug.waiting().length === 0) await new Promise((resolve) => setImmediate(resolve));
      const [{ task, state, kind, timeoutAt }] = debug.waiting();
      assert.deepEqual([state, kind, timeoutAt], ["T", "ask", 30_000]);
      assert.equal(debug.answer(task, { kind: "heartbeat" }), true);
      assert.equal(debug.answer(task, answer), true);
      await ended;
      assert.deepEqual(debug.outcome, expected);
      assert.equal(debug.answer(task, answer), false);
    }
  });

  test("of the callback pattern wait for their token", async () => {
    const callback = {
      StartAt: "T",
      States: {
        T: {
          Type: "Task",
          Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
          Parameters: { QueueUrl: "q", "MessageBody.$": "$$.Task.Token" },
          End: true,
        },
      },
    };
    const debug = session({ mocks: {}, tasks: { "sqs:sendMessage": () => ({ MessageId: "1" }) } }, callback);
    const ended = until(debug, (it) => it.continue());
    while (debug.waiting().length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [{ token, kind }] = debug.waiting();
    assert.equal(kind, "token");
    assert.equal(debug.answerToken(token, "succeed", { yes: 1 }), true);
    await ended;
    assert.deepEqual(debug.outcome, { status: "SUCCEEDED", output: { yes: 1 } });
    assert.deepEqual(
      debug
        .history()
        .map(({ type }) => type)
        .filter((type) => type.startsWith("Task") && !type.includes("State")),
      ["TaskScheduled", "TaskStarted", "TaskSubmitted", "TaskSucceeded"],
    );
    assert.equal(debug.answerToken("made up", "succeed"), false);
  });

  test("child executions of a Distributed Map report their stages and ends, also in a fork", async () => {
    const distributed = {
      StartAt: "Each",
      States: {
        Each: {
          Type: "Map",
          ItemsPath: "$.items",
          MaxConcurrency: 1,
          ToleratedFailureCount: 1,
          ItemProcessor: {
            ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
            StartAt: "Check",
            States: {
              Check: { Type: "Choice", Choices: [{ Variable: "$.n", NumericEquals: 2, Next: "Bad" }], Default: "Good" },
              Good: { Type: "Pass", End: true },
              Bad: { Type: "Fail", Error: "Bad" },
            },
          },
          End: true,
        },
      },
    };
    const debug = session({ input: { items: [{ n: 1 }, { n: 2 }, { n: 3 }] }, mocks: {}, tasks: {} }, distributed);
    await until(debug, (it) => it.continue());
    assert.equal(debug.outcome.status, "SUCCEEDED");
    const told = (steps) => {
      const byChild = new Map();
      for (const { child, index, event, status } of steps) {
        const words = byChild.get(child) ?? [];
        if (status) words.push(status);
        else if (event.type === "ExecutionStarted") words.push(`#${index}`);
        else if (event.type.endsWith("StateEntered")) words.push(event.stateEnteredEventDetails.name);
        byChild.set(child, words);
      }
      return [...byChild.values()].map((words) => words.join(" "));
    };
    const all = debug.childSteps();
    assert.deepEqual(told(all), ["#0 Check Good SUCCEEDED", "#1 Check Bad FAILED", "#2 Check Good SUCCEEDED"]);
    assert.ok(all.every(({ place, after, time }, i) => place > 0 && after > 0 && time >= 0 && (i === 0 || all[i - 1].place <= place)));
    // They have events of their own, and their Map Run starts before them.
    const types = debug.history().map(({ type }) => type);
    assert.ok(types.every((type) => !/^(Choice|Pass|Fail)/.test(type)));
    assert.ok(all[0].after >= types.indexOf("MapRunStarted") + 1);
    assert.deepEqual(debug.childSteps(all.length - 1), all.slice(-1));
    debug.fork({ event: types.indexOf("MapStateEntered") + 1 });
    assert.ok(debug.childSteps().length < all.length);
    await until(debug, (it) => it.continue());
    assert.deepEqual(told(debug.childSteps()), told(all));
  });

  describe("inside a child execution", () => {
    const nested = {
      StartAt: "Orders",
      States: {
        Orders: {
          Type: "Map",
          ItemSelector: { "lines.$": "$$.Map.Item.Value" },
          ItemProcessor: {
            ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
            StartAt: "Mark",
            States: {
              Mark: { Type: "Pass", Assign: { rate: 2 }, Next: "Lines" },
              Lines: {
                Type: "Map",
                ItemsPath: "$.lines",
                ItemProcessor: {
                  StartAt: "Price",
                  States: {
                    Price: { Type: "Task", Resource: "price", Retry: [{ ErrorEquals: ["Busy"], MaxAttempts: 1 }], Next: "Sum" },
                    Sum: { Type: "Pass", End: true },
                  },
                },
                End: true,
              },
            },
          },
          End: true,
        },
      },
    };
    const price = (n, task) => {
      if (n === 3 && task.attempt === 0) throw Object.assign(new Error("busy"), { name: "Busy" });
      return n * 10;
    };
    const orders = (options = {}) => session({ input: [[1, 2], [3]], tasks: { price }, mocks: {}, ...options }, nested);

    test("breakpoints, steps, the stack, variables and expressions work as elsewhere", async () => {
      const debug = orders({ breakpoints: [{ kind: "entry", state: "Price", condition: "$iteration = 1" }] });
      await until(debug, (it) => it.continue());
      const [top, lines, order] = debug.stackTrace();
      assert.deepEqual(
        [top, lines, order].map(({ state, iterations }) => [state, iterations]),
        [
          ["Price", [0, 1]],
          ["Lines", [0]],
          ["Orders", []],
        ],
      );
      assert.deepEqual([top.slot, lines.slot, lines.isIteration], [1, 0, true]);
      assert.ok(top.child === lines.child && top.child.length === 36 && order.child === undefined);
      assert.deepEqual(debug.evaluate("$states.input + $rate").value, 4);
      const { rate } = debug.scopes();
      assert.deepEqual([rate.value, rate.state, rate.outer], [2, "Mark", true]);
      await until(debug, (it) => it.stepIn());
      assert.match(debug.stackTrace()[0].stage, /^after/);
      await until(debug, (it) => it.next());
      assert.deepEqual(
        debug
          .stackTrace()
          .slice(0, 1)
          .map(({ state, iterations }) => [state, iterations]),
        [["Sum", [0, 1]]],
      );
      await until(debug, (it) => it.stepBack());
      assert.equal(debug.stackTrace()[0].state, "Price");
      await until(debug, (it) => it.stepOut());
      assert.deepEqual(debug.stackTrace()[0].state, "Lines");
      await until(debug, (it) => it.stepOut());
      assert.deepEqual(debug.stackTrace()[0].state, "Orders");
    });

    test("each stage of every attempt can be read after the run, and in a fork", async () => {
      const debug = orders();
      await until(debug, (it) => it.continue());
      assert.deepEqual(debug.outcome.output, [[10, 20], [30]]);
      const look = () => {
        const all = debug.childVisits("Price");
        assert.deepEqual(
          all.map(({ iterations, exit }) => [iterations, exit > 0]),
          [
            [[0, 0], true],
            [[0, 1], true],
            [[1, 0], true],
          ],
        );
        const [third] = debug.childVisits("Price", { iterations: [1] });
        const told = debug.stages(third.id, undefined, { all: true });
        assert.deepEqual([told.attempts, told.input, told.stages.find(({ stage }) => stage === "result").value], [2, 3, 30]);
        const first = debug.stages(third.id, 0, { all: true }).stages;
        assert.deepEqual(first.map(({ stage }) => stage).slice(-2), ["error", "retry"]);
        assert.equal(first.at(-2).value.Error, "Busy");
      };
      look();
      const [orders_] = debug.visits("Orders");
      const map = (item) => debug.stages(orders_.id, undefined, { all: true, item });
      const selected = ({ stages }) =>
        stages.filter(({ stage }) => stage === "afterItemSelector").map(({ index, value }) => [index, value]);
      assert.deepEqual(selected(map()), [[1, { lines: [3] }]]);
      assert.deepEqual(selected(map(0)), [[0, { lines: [1, 2] }]]);
      assert.deepEqual(map().items, { afterItemSelector: 2 });
      const started = debug.history().findIndex(({ type }) => type === "MapRunStarted") + 1;
      debug.fork({ event: started });
      await until(debug, (it) => it.continue());
      look();
    });

    test("a breakpoint on an item's stage stops once for each item, and by its value", async () => {
      const stops = async (breakpoint) => {
        const debug = orders({ breakpoints: [{ kind: "stage", state: "Orders", stage: "afterItemSelector", ...breakpoint }] });
        const seen = [];
        for (await until(debug, (it) => it.continue()); debug.status === "paused"; await until(debug, (it) => it.continue()))
          seen.push(debug.stopped.description);
        return seen;
      };
      assert.deepEqual(await stops({}), ["after afterItemSelector of Orders, item 0", "after afterItemSelector of Orders, item 1"]);
      assert.deepEqual(await stops({ condition: "$.lines[0] == 3", language: "jsonpath" }), ["after afterItemSelector of Orders, item 1"]);
    });

    test("data that exceeds the memory limit is recomputed", async () => {
      const rows = Array.from({ length: 40 }, (_, i) => [{ i, text: String.fromCharCode(97 + (i % 26)).repeat(20_000) }]);
      const debug = orders({ input: rows, tasks: { price: ({ i, text }) => ({ i, text: text.toUpperCase() }) }, payloadLimit: 2 ** 24 });
      await until(debug, (it) => it.continue());
      for (const index of [0, 17, 39]) {
        const [visit] = debug.childVisits("Sum", { iterations: [index] });
        const { input, stages } = debug.stages(visit.id, undefined, { all: true });
        const [{ text }] = rows[index];
        assert.deepEqual([input, stages.at(-1).value], Array(2).fill({ i: index, text: text.toUpperCase() }));
        assert.equal(debug.scopes(visit.id).rate.value, 2);
        const entered = debug.historyOf(visit.id).filter(({ type }) => type === "PassStateEntered");
        assert.equal(JSON.parse(entered[0].stateEnteredEventDetails.input).lines[0].text, text);
      }
    });

    test("the input of one state can be set, which creates a fork", async () => {
      const debug = orders({ breakpoints: [{ kind: "entry", state: "Sum", condition: "$iteration = 1" }] });
      await until(debug, (it) => it.continue());
      debug.setBreakpoints([]);
      debug.setValue({ target: "input", value: 21 });
      await until(debug, (it) => it.continue());
      assert.deepEqual(debug.outcome.output, [[10, 21], [30]]);
    });
  });
});

test("a definition or an input that AWS refuses starts no session", () => {
  const machine = { StartAt: "P", States: { P: { Type: "Pass", End: true } } };
  const large = { text: "x".repeat(262_144) };
  const begin = (options) => () => new DebugSession(machine, options);
  assert.throws(begin({ input: large }), {
    name: "RangeError",
    code: "ValidationException",
    message: /'input'.*less than or equal to 262144$/,
  });
  assert.throws(begin({ input: large, payloadLimit: 100_000 }), { message: /100000$/ });
  assert.throws(begin({ name: "a b" }), { code: "InvalidName" });
  const nested = (levels) => JSON.parse(`${"[".repeat(levels)}"]\\""${"]".repeat(levels)}`);
  assert.throws(begin({ input: nested(129) }), { code: "InvalidExecutionInput", message: /nested deeper than 128 levels/ });
  assert.throws(begin({ input: new JsonText("[1e999]") }), { code: "InvalidExecutionInput", message: /larger than any double/ });
  assert.equal(begin({ input: nested(128) })().status, "paused");
  const session = begin({ input: large, payloadLimit: 1_000_000 })();
  session.restart();
  assert.throws(() => session.restart(undefined, { input: large, payloadLimit: 262_144 }), { code: "ValidationException" });
  assert.equal(session.runs().length, 2, "the runs that there are stay");
});
