// Executions that tasks start, in the debugger: stepping into them and out again, forwards and backwards.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DebugSession, restoreSession, saveSession } from "stepglass/debug";
import { turn, watchRejections } from "./machines.mjs";

watchRejections();

const START = "arn:aws:states:::states:startExecution";
const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";
const chain = (states) => {
  const names = Object.keys(states);
  return {
    StartAt: names[0],
    States: Object.fromEntries(
      names.map((name, i) => [
        name,
        {
          ...states[name],
          ...(states[name].Type === "Fail" || states[name].Next ? {} : i + 1 < names.length ? { Next: names[i + 1] } : { End: true }),
        },
      ]),
    ),
  };
};
const calls = (machine, pattern = ".sync:2", fields = {}) => ({
  Type: "Task",
  Resource: START + pattern,
  Parameters: { StateMachineArn: machine, Name: "first", "Input.$": "$" },
  ...fields,
});

const payment = chain({
  Check: { Type: "Pass", Assign: { checked: true } },
  Hold: { Type: "Wait", Seconds: 60 },
  Done: { Type: "Pass", Result: { paid: true } },
});
const order = (pattern, fields) => chain({ Check: { Type: "Pass" }, Pay: calls("Payment", pattern, fields), Ship: { Type: "Pass" } });

const sessions = [];
const session = (definition, options = {}) => {
  const debug = new DebugSession(definition, { startTime: 0, input: { n: 1 }, machines: { Payment: payment }, name: "main", ...options });
  sessions.push(debug);
  return debug;
};

/** Runs a command, and returns where the session is then, as "machine: state". */
async function go(debug, command, ...rest) {
  const stopped = new Promise((resolve) => {
    // The end of the run is not a stop while the user looks at another execution that continues.
    const off = ["stopped", "terminated"].map((name) =>
      debug.on(name, () => debug.status !== "running" && (off.forEach((end) => end()), resolve())),
    );
  });
  debug[command](...rest);
  await stopped;
  return where(debug);
}

function where(debug) {
  const [top] = debug.stackTrace();
  return `${debug.stopped.execution?.machine ?? "main"}: ${top?.state ?? "nowhere"}`;
}

/** Steps over until a state of the run's own execution is entered. */
async function to(debug, state) {
  assert.equal(await go(debug, "runTo", state), `main: ${state}`);
}

const lastEvent = (debug) => debug.history()[debug.event - 1]?.type;
const named = (debug, id) => debug.executions().find((one) => one.id === id);

describe("stepping", () => {
  for (const pattern of [".sync", ".sync:2", ""]) {
    test(`goes into, over and out of an execution${pattern === "" ? " that no task waits for" : ` of ${pattern}`}`, async () => {
      const debug = session(order(pattern));
      await to(debug, "Pay");
      assert.equal(await go(debug, "stepIn"), "Payment: Check");
      assert.deepEqual(debug.stopped.execution, { id: 1, name: "first", machine: "Payment" });
      assert.equal(debug.execution, 1);
      assert.deepEqual(
        debug.stackTrace().map(({ execution, state }) => [execution, state]),
        [
          [1, "Check"],
          [0, "Pay"],
        ],
      );
      assert.deepEqual(JSON.parse(debug.history()[0].executionStartedEventDetails.input), { n: 1 });
      assert.equal(await go(debug, "next"), "Payment: Hold");
      assert.deepEqual(debug.scopes(), { checked: { value: true, state: "Check", event: 3, visit: 0, outer: false } });
      assert.equal(await go(debug, "next"), "Payment: Done");
      assert.equal(debug.now, 60_000, "time is one");
      assert.deepEqual(debug.evaluate("n"), { value: 1 });
      if (pattern === "") {
        assert.equal(await go(debug, "next"), "Payment: Done");
        assert.equal(lastEvent(debug), "ExecutionSucceeded");
        await go(debug, "continue");
        assert.equal(debug.status, "ended");
        assert.equal(debug.outcome.status, "SUCCEEDED");
        return;
      }
      assert.equal(await go(debug, "next"), "main: Pay", "after the last state one is where the task has its answer");
      assert.equal(lastEvent(debug), "TaskSucceeded");
      assert.equal(debug.execution, 0);
      assert.equal(await go(debug, "next"), "main: Ship");
    });
  }

  test("steps out of the middle, and over the task as a whole", async () => {
    const debug = session(order());
    await to(debug, "Pay");
    await go(debug, "stepIn");
    assert.equal(await go(debug, "stepOut"), "main: Pay");
    assert.equal(lastEvent(debug), "TaskSucceeded");
    const over = session(order());
    await to(over, "Pay");
    assert.equal(await go(over, "next"), "main: Ship");
    assert.equal(over.now, 60_000);
  });

  test("steps into a mocked task's first stage, because a mock starts no execution", async () => {
    const debug = session(order(), { mocks: { Pay: { mode: "result", result: {} } } });
    await to(debug, "Pay");
    assert.equal(await go(debug, "stepIn"), "main: Pay");
    assert.equal(debug.stackTrace()[0].stage, "afterInputPath");
    assert.deepEqual(
      debug.executions().map(({ id }) => id),
      [0],
    );
  });

  test("stops at the error and at the timeout of the task", async () => {
    const debug = session(order(undefined, { TimeoutSeconds: 5 }));
    await to(debug, "Pay");
    await go(debug, "stepIn");
    assert.equal(await go(debug, "stepOut"), "main: Pay");
    assert.equal(lastEvent(debug), "TaskTimedOut");
    await go(debug, "continue");
    assert.equal(named(debug, 1).status, "ABORTED");
    assert.deepEqual(
      session(order())
        .executions()
        .map(({ status }) => status),
      ["RUNNING"],
      "what has not begun is not there",
    );
  });

  test("steps by stage in the selected execution", async () => {
    const debug = session(order());
    await to(debug, "Pay");
    await go(debug, "stepIn");
    assert.equal(await go(debug, "stepStage"), "Payment: Check");
    assert.equal(debug.stackTrace()[0].stage, "afterInputPath");
    assert.deepEqual(
      debug.stages().stages.map(({ stage }) => stage),
      ["afterInputPath"],
    );
  });
});

describe("breakpoints", () => {
  test("belong to a machine, and also stop while stepping over", async () => {
    const debug = session(order(), {
      breakpoints: [
        { kind: "entry", state: "Check", machine: "Payment" },
        { kind: "stage", state: "Done", machine: "Payment", stage: "output" },
      ],
    });
    await to(debug, "Pay");
    assert.equal(await go(debug, "next"), "Payment: Check");
    assert.deepEqual([debug.stopped.reason, debug.stopped.breakpoint, debug.stopped.execution.name], ["breakpoint", 1, "first"]);
    assert.equal(await go(debug, "continue"), "Payment: Done");
    assert.deepEqual(
      debug.breakpoints.map(({ hits }) => hits),
      [1, 1],
    );
    assert.equal(await go(debug, "continue"), "main: Ship");
    const own = session(order(), { breakpoints: [{ kind: "entry", state: "Check" }] });
    assert.equal(await go(own, "continue"), "main: Check");
    assert.equal(await go(own, "continue"), "main: Ship", "one without a machine is of the session's own");
    assert.equal(own.status, "ended");
  });

  test("stop at an uncaught error inside, before the task's Catch is evaluated", async () => {
    const machines = {
      Payment: chain({
        Try: { Type: "Task", Resource: `${LAMBDA}pay`, Catch: [{ ErrorEquals: ["Soft"], Next: "Hard" }] },
        Hard: { Type: "Fail", Error: "Hard" },
      }),
    };
    const tasks = { pay: () => Promise.reject(Object.assign(new Error("no"), { name: "Soft" })) };
    const caught = session(order(".sync:2", { Catch: [{ ErrorEquals: ["States.ALL"], Next: "Ship" }] }), {
      machines,
      tasks,
      exceptions: "uncaught",
    });
    assert.equal(await go(caught, "continue"), "Payment: Hard");
    assert.equal(caught.stopped.reason, "exception");
    assert.equal(await go(caught, "continue"), "main: Ship", "the parent catches it");
    const uncaught = session(order(), { machines, tasks, exceptions: "uncaught" });
    assert.equal(await go(uncaught, "continue"), "Payment: Hard");
    assert.equal(await go(uncaught, "continue"), "main: Pay");
    assert.equal(uncaught.stopped.reason, "exception");
    const all = session(order(), { machines, tasks, breakpoints: [{ kind: "error" }] });
    assert.equal(await go(all, "continue"), "Payment: Try", "one that names neither state nor machine is of all");
  });
});

describe("time travel", () => {
  test("moves all executions to the same moment", async () => {
    const debug = session(order());
    await to(debug, "Ship");
    const moment = (event) => {
      debug.selectExecution(0);
      debug.goto(event);
      debug.selectExecution(1);
      return debug.event;
    };
    const at = (type) => debug.history(0, debug.run).find((event) => event.type === type).id;
    assert.equal(moment(at("TaskStateEntered")), 0);
    assert.equal(moment(at("TaskSucceeded")), debug.events);
    // Steps back from the first state of the nested execution to the task.
    debug.goto(2);
    assert.equal(debug.now, 0);
    debug.stepBack();
    assert.deepEqual([debug.execution, where(debug)], [0, "main: Pay"]);
    assert.ok(debug.event < at("TaskSucceeded"));
    // And forward again through the recorded events.
    assert.equal(await go(debug, "runTo", "Ship"), "main: Ship");
    assert.equal(debug.events, debug.event);
  });

  test("goes back to a breakpoint inside", async () => {
    const debug = session(order());
    await to(debug, "Ship");
    debug.setBreakpoints([{ kind: "entry", state: "Done", machine: "Payment" }]);
    debug.reverseContinue();
    assert.equal(where(debug), "Payment: Done");
    assert.equal(debug.event, debug.history().find((event) => event.type === "PassStateEntered" && event.id > 3).id);
    assert.equal(await go(debug, "stepOut"), "main: Pay", "out of it along what has been seen");
  });
});

describe("forks", () => {
  const work = {
    Payment: chain({
      Ask: { Type: "Task", Resource: `${LAMBDA}ask` },
      Work: { Type: "Task", Resource: `${LAMBDA}work` },
      Done: { Type: "Pass", Parameters: { "was.$": "$" } },
    }),
  };

  test("restore the executions of that moment, and call none of their tasks again", async () => {
    const called = [];
    const tasks = { ask: () => called.push("ask"), work: () => called.push("work") };
    const debug = session(order(), { machines: work, tasks });
    await to(debug, "Pay");
    await go(debug, "stepIn");
    assert.equal(await go(debug, "next"), "Payment: Work");
    const entered = debug.event;
    await go(debug, "continue");
    const [result] = [debug.outcome.output.Output.was];
    assert.deepEqual(called, ["ask", "work"]);
    debug.selectExecution(1);
    debug.fork({ event: entered });
    assert.deepEqual([debug.execution, where(debug), debug.status], [1, "Payment: Work", "paused"]);
    await go(debug, "stepOut");
    assert.deepEqual(called, ["ask", "work", "work"], "what came before the fork is not done again");
    await go(debug, "continue");
    assert.deepEqual(debug.outcome.output.Output.was, result + 1);
    assert.deepEqual(
      debug.runs().map(({ parent, atExecution }) => [parent, atExecution]),
      [
        [undefined, undefined],
        [1, 1],
      ],
    );
    // From the parent, in the middle of the execution that it waits for.
    debug.selectRun(1);
    debug.selectExecution(0);
    debug.fork({ event: debug.history().find(({ type }) => type === "TaskSubmitted").id });
    await go(debug, "continue");
    assert.equal(debug.executions().length, 2);
    assert.equal(debug.outcome.status, "SUCCEEDED");
    assert.equal(named(debug, 1).name, "first");
  });

  test("take another value inside", async () => {
    const debug = session(order(), { machines: work, mocks: { Ask: { mode: "echo" }, Work: { mode: "echo" } } });
    await to(debug, "Pay");
    await go(debug, "stepIn");
    await go(debug, "next");
    debug.setValue({ target: "input", value: { n: 2 } });
    await go(debug, "continue");
    assert.deepEqual(debug.outcome.output.Output, { was: { n: 2 } });
    assert.equal(debug.runs()[1].label, "✎ input of Work");
  });

  test("take over a definition inside at the same moment, with the existing results", async () => {
    const called = [];
    const debug = session(order(), { machines: work, tasks: { ask: () => called.push("ask"), work: () => called.push("work") } });
    await to(debug, "Pay");
    await go(debug, "stepIn");
    await go(debug, "next");
    const { event } = debug;
    const edited = order();
    edited.States.Ship.Result = "edited";
    assert.deepEqual(debug.applyDefinition(edited), { same: true });
    assert.deepEqual([where(debug), debug.event], ["Payment: Work", event]);
    await go(debug, "continue");
    assert.equal(debug.outcome.output, "edited");
    assert.deepEqual(called, ["ask", "work"]);
  });
});

describe("several at once", () => {
  const map = {
    StartAt: "Each",
    States: {
      Each: {
        Type: "Map",
        ItemsPath: "$.items",
        ItemProcessor: {
          StartAt: "Pay",
          States: { Pay: { ...calls("Payment"), Parameters: { StateMachineArn: "Payment", "Input.$": "$" }, End: true } },
        },
        End: true,
      },
    },
  };

  test("of a Map belong to their iterations, and all wait at the same time", async () => {
    const debug = session(map, {
      input: { items: [1, 2, 3] },
      breakpoints: [{ kind: "entry", state: "Done", machine: "Payment", condition: "$ = 2" }],
    });
    assert.equal(await go(debug, "continue"), "Payment: Done");
    assert.equal(debug.now, 60_000);
    assert.deepEqual(
      debug.stackTrace().map(({ state, iterations }) => [state, iterations]),
      [
        ["Done", []],
        ["Pay", [1]],
        ["Each", []],
      ],
    );
    assert.deepEqual(
      debug
        .executions()
        .slice(1)
        .map(({ state, iterations, machine, depth }) => [state, iterations, machine, depth]),
      [0, 1, 2].map((i) => ["Pay", [i], "Payment", 1]),
    );
    await go(debug, "continue");
    assert.deepEqual(
      debug.executions().map(({ status }) => status),
      Array(4).fill("SUCCEEDED"),
    );
  });

  test("name their timers and waiting tasks; pause pauses all, stop ends all", async () => {
    const machines = { Payment: payment, Asks: chain({ Ask: { Type: "Task", Resource: `${LAMBDA}ask` } }) };
    const parallel = {
      StartAt: "Both",
      States: {
        Both: {
          Type: "Parallel",
          Branches: [
            chain({ P: calls("Payment") }),
            chain({ A: calls("Asks") }),
            chain({ Own: { Type: "Task", Resource: `${LAMBDA}own` } }),
          ],
          End: true,
        },
      },
    };
    const debug = session(parallel, { machines, ask: true, clock: "manual" });
    debug.continue();
    for (let turns = 0; turns < 100 && debug.waiting().length < 2; turns++) await turn();
    assert.deepEqual(
      debug
        .waiting()
        .map(({ state, execution }) => [state, execution])
        .sort(),
      [
        ["Ask", "first"],
        ["Own", undefined],
      ],
    );
    debug.pause();
    assert.equal(debug.status, "paused");
    assert.deepEqual(
      debug.timers().map(({ state, execution, at }) => [state, execution, at]),
      [["Hold", "first", 60_000]],
    );
    const ask = debug.waiting().find(({ state }) => state === "Ask");
    debug.answer(ask.task, { kind: "succeed", output: "by hand" });
    assert.equal(debug.waiting().length, 1);
    await go(debug, "stop");
    assert.equal(debug.outcome.status, "ABORTED");
    assert.ok(
      debug.executions().every(({ status }) => status === "ABORTED" || status === "SUCCEEDED"),
      JSON.stringify(debug.executions()),
    );
  });

  test("continue in parallel if no task waits for them, also after the end of the run", async () => {
    const debug = session(order(""));
    await go(debug, "continue");
    assert.deepEqual([debug.outcome.status, debug.status, named(debug, 1).status], ["SUCCEEDED", "paused", "RUNNING"]);
    await go(debug, "continue");
    assert.deepEqual([debug.status, named(debug, 1).status, debug.now], ["ended", "SUCCEEDED", 60_000]);
  });

  test("end at the maximum depth if a machine starts itself, and each has its position in the stack", async () => {
    const self = chain({ Again: calls("Self") });
    self.States.Again.Parameters = { StateMachineArn: "Self", "Input.$": "$" };
    const debug = session(self, { machines: { Self: self } });
    await go(debug, "continue");
    assert.deepEqual([debug.outcome.status, debug.outcome.error], ["FAILED", "States.TaskFailed"]);
    const depths = debug.executions().map(({ depth }) => depth);
    assert.deepEqual([depths.length, Math.max(...depths)], [33, 32]);
    debug.selectExecution(32);
    assert.match(JSON.stringify(debug.history()), /ExecutionLimitExceeded/);
    debug.selectExecution(20);
    debug.goto(2);
    assert.equal(debug.stackTrace().length, 21);
    assert.throws(() => debug.selectExecution(40), { code: "INVALID_ARGUMENT" });
  });
});

describe("saving", () => {
  const again = (debug, options) =>
    restoreSession(JSON.parse(JSON.stringify(saveSession(debug))), { machines: { Payment: payment }, ...options });

  test("restores started executions, also those that have ended", async () => {
    const debug = session(order());
    await go(debug, "continue");
    const other = again(debug);
    assert.deepEqual(other.executions(), debug.executions());
    for (const one of [debug, other]) one.selectExecution(1);
    assert.deepEqual(other.history(), debug.history());
    assert.deepEqual(other.children(), debug.children());
    assert.deepEqual(other.childHistory(other.children()[0].arn), other.history());
  });

  test("continues as without saving, in the middle of one and after each step", async () => {
    const whole = session(order());
    await go(whole, "continue");
    const debug = session(order());
    for (let step = 0; step < 12; step++) {
      const other = again(debug);
      assert.deepEqual(
        [other.execution, other.event, where(other), other.status],
        [debug.execution, debug.event, where(debug), debug.status],
        `after ${step} steps`,
      );
      if (other.status !== "ended") await go(other, "continue", { ignoreBreakpoints: true });
      if (other.status !== "ended") await go(other, "continue");
      assert.deepEqual(other.history(0, other.run), whole.history(), `after ${step} steps`);
      if (debug.status !== "ended") await go(debug, "stepIn");
    }
  });

  test("restores their forks, and refuses inconsistent data", async () => {
    const debug = session(order());
    await to(debug, "Pay");
    await go(debug, "stepIn");
    await go(debug, "next");
    debug.fork();
    await go(debug, "continue");
    const other = again(debug);
    assert.deepEqual(other.runs(), debug.runs());
    assert.deepEqual(other.executions(), debug.executions());
    for (const damage of [
      (run) => run.turns.pop(),
      (run) => (run.turns = undefined),
      (run) => (run.executions[0].parent = 3),
      (run) => (run.executions[0].record = undefined),
      (run) => (run.executions = 1),
      (run) => (run.turns[0] = 9),
    ]) {
      const saved = JSON.parse(JSON.stringify(saveSession(debug)));
      damage(saved.runs[0]);
      assert.throws(() => restoreSession(saved), { name: "RestoreError" }, damage.toString());
    }
  });
});

test.after(() => sessions.forEach((debug) => debug.dispose()));
