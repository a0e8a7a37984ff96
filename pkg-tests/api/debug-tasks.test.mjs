// The tasks of a debugger: every kind of mock, activities, task tokens, and machines that tasks start.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Activity, StateMachine, TaskError } from "stepglass";
import { DebugSession, mockFor } from "stepglass/debug";
import { turn, watchRejections } from "./machines.mjs";

watchRejections();

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";
const CHILD = "arn:aws:states:us-east-1:123456789012:stateMachine:Child";

const task = (resource, fields = {}) => ({ StartAt: "T", States: { T: { Type: "Task", Resource: resource, End: true, ...fields } } });
const invoke = task("arn:aws:states:::lambda:invoke", { Parameters: { FunctionName: "f", "Payload.$": "$" } });
const chain = (states) => ({ StartAt: Object.keys(states)[0], States: states });

function session(definition, options = {}) {
  return new DebugSession(definition, { startTime: 0, input: { n: 1 }, ...options });
}

/** Runs to the end, and returns the outcome. */
function ended(debug) {
  return new Promise((resolve) => {
    debug.on("terminated", resolve);
    debug.continue();
  });
}

/** Continues until a task asks for a result, and returns the task. */
async function asked(debug) {
  debug.continue();
  for (let turns = 0; turns < 200; turns++) {
    const waiting = debug.waiting();
    if (waiting.length > 0) return waiting;
    await turn();
  }
  assert.fail("nobody is asked");
}

describe("mocks", () => {
  const check = async (definition, mocks, expected, options = {}) => {
    const { output, error, cause } = await ended(session(definition, { mocks, ...options }));
    assert.deepEqual(error === undefined ? output : [error, cause], expected);
  };

  test("wrap a result as the service does, but not a response", async () => {
    const debug = session(invoke, { mocks: { T: { mode: "result", result: { ok: true } } } });
    const { output } = await ended(debug);
    assert.deepEqual([output.Payload, output.StatusCode], [{ ok: true }, 200]);
    await check(invoke, { T: { mode: "result", response: { Payload: 7 } } }, { Payload: 7 });
    await check(invoke, { T: { mode: "script", steps: [{ response: { Payload: 8 } }] } }, { Payload: 8 });
    const token = task("arn:aws:states:::sqs:sendMessage.waitForTaskToken", {
      Parameters: { QueueUrl: "q", "MessageBody.$": "$$.Task.Token" },
    });
    await check(token, { T: { mode: "result", response: { approved: true } } }, { approved: true });
  });

  test("give echo and expressions the same values as a handler", async () => {
    const { output } = await ended(session(invoke, { mocks: { T: { mode: "echo" } } }));
    assert.deepEqual(output.Payload, { n: 1 });
    const { output: doubled } = await ended(session(invoke, { mocks: { T: { mode: "expression", expression: "$states.input.n * 2" } } }));
    assert.equal(doubled.Payload, 2);
  });

  test("count attempts, iterations and calls in a script", async () => {
    const each = chain({
      Each: {
        Type: "Map",
        MaxConcurrency: 1,
        ItemProcessor: {
          StartAt: "T",
          States: { T: { Type: "Task", Resource: `${LAMBDA}f`, Retry: [{ ErrorEquals: ["Busy"] }], End: true } },
        },
        End: true,
      },
    });
    const steps = [{ call: "1", error: "Busy" }, { call: "0,2", result: "early" }, { result: "late" }];
    await check(each, { T: { mode: "script", steps } }, ["early", "early", "late"], { input: [1, 2, 3] });
    await check(
      each,
      { T: { mode: "script", steps: [{ call: "9", result: 0 }] } },
      ["States.TaskFailed", "the mock's script has no step for attempt 0 of iteration 0, call 0"],
      { input: [1] },
    );
  });

  test("call a function like a handler, and let it sleep in the run's time", async () => {
    const retried = task(`${LAMBDA}f`, { Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 5 }] });
    const handler = async (input, { attempt, sleep }) => {
      if (attempt === 0) throw new TaskError("Busy");
      await sleep(90_000);
      return input.n + 1;
    };
    const debug = session(retried, { mocks: { T: { mode: "function", handler } } });
    assert.equal((await ended(debug)).output, 2);
    assert.equal(debug.now, 95_000);
    assert.throws(() => debug.setMocks({ T: { mode: "function" } }), { code: "INVALID_OPTION" });
  });

  test("cut off a handler that sleeps longer than the task's timeout", async () => {
    let why;
    const slow = async (_, { sleep }) => sleep(60_000).catch((error) => (why = error.name));
    const debug = session(task(`${LAMBDA}f`, { TimeoutSeconds: 10 }), { tasks: { f: slow } });
    assert.equal((await ended(debug)).error, "States.Timeout");
    assert.deepEqual([debug.now, why], [10_000, "AbortError"]);
  });

  test("take a recording call by call, with its times", async () => {
    const twice = chain({ T: { Type: "Task", Resource: `${LAMBDA}f`, Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1 }], End: true } });
    const debug = session(twice, {
      mocks: {
        T: {
          mode: "recorded",
          answers: [
            { state: "T", error: "Busy", after: 200 },
            { state: "T", output: "done", after: 300 },
          ],
        },
      },
    });
    assert.equal((await ended(debug)).output, "done");
    assert.equal(debug.now, 1500);
    await check(twice, { T: { mode: "recorded", answers: [] } }, ["States.TaskFailed", "the recording has no answer for call 0"]);
  });

  test("take precedence over the results of a recorded execution", async () => {
    const recorded = [{ state: "T", iterations: [], output: "recorded" }];
    await check(task(`${LAMBDA}f`), {}, "recorded", { recorded });
    await check(task(`${LAMBDA}f`), { T: { mode: "result", result: "mocked" } }, "mocked", { recorded });
  });

  test('are looked up by state, then by resource, then by pattern; "handler" skips them', async () => {
    const echo = (name) => ({ mode: "result", result: name });
    const all = {
      [`${LAMBDA}f`]: echo("resource"),
      T: echo("state"),
      f: echo("function"),
      "*:function:*": echo("pattern"),
      "*": echo("default"),
    };
    for (const name of ["T", `${LAMBDA}f`, "f", "*:function:*", "*"]) {
      assert.equal(mockFor(all, { state: "T", resource: `${LAMBDA}f` }), name);
      await check(task(`${LAMBDA}f`), all, all[name].result);
      delete all[name];
    }
    assert.equal(mockFor(all, { state: "T", resource: `${LAMBDA}f` }), undefined);
    await check(task(`${LAMBDA}f`), { "*": echo("default"), T: { mode: "handler" } }, "handled", { tasks: { T: () => "handled" } });
  });
});

test("call pending tasks of other branches again in a fork", async () => {
  const branch = (name, next) => ({ StartAt: name, States: { [name]: { Type: "Task", Resource: `${LAMBDA}${name}`, ...next } } });
  const both = chain({ P: { Type: "Parallel", Branches: [branch("slow", { End: true }), branch("quick", { End: true })], End: true } });
  const calls = { slow: 0, quick: 0 };
  const handler =
    (milliseconds) =>
    async (_, { stateName, sleep }) =>
      sleep(milliseconds).then(() => ++calls[stateName]);
  const debug = session(both, { tasks: { slow: handler(5000), quick: handler(1000) } });
  assert.deepEqual((await ended(debug)).output, [1, 1]);
  const event = debug.history().find(({ type }) => type === "LambdaFunctionSucceeded").id;
  debug.fork({ event });
  assert.deepEqual((await ended(debug)).output, [2, 1], "what had been answered stays so");
});

describe("activities", () => {
  const ACTIVITY = "arn:aws:states:us-east-1:123456789012:activity:label";
  const started = (debug) => debug.history().find(({ type }) => type === "ActivityStarted")?.activityStartedEventDetails;

  test("let a user fetch a task as a worker, and answer it", async () => {
    const debug = session(task(ACTIVITY), { ask: true });
    const [{ task: number, kind, taken }] = await asked(debug);
    assert.deepEqual([kind, taken], ["activity", false]);
    assert.equal(started(debug), undefined);
    assert.equal(debug.take(number, { workerName: "hand" }), true);
    assert.equal(debug.take(number), false, "once only");
    await turn();
    assert.deepEqual(started(debug), { workerName: "hand" });
    assert.equal(debug.waiting()[0].taken, true);
    const end = new Promise((resolve) => debug.on("terminated", resolve));
    debug.answer(number, { kind: "succeed", output: "L1" });
    assert.equal((await end).output, "L1");
  });

  test("time out if no worker fetches the task", async () => {
    const debug = session(task(ACTIVITY, { TimeoutSeconds: 60 }), { ask: true });
    const [{ task: number }] = await asked(debug);
    const end = new Promise((resolve) => debug.on("terminated", resolve));
    debug.answer(number, { kind: "silence" });
    assert.equal((await end).error, "States.Timeout");
    assert.equal(started(debug), undefined);
  });

  test("hand out the session's tasks to workers of an Activity", async () => {
    const activity = new Activity();
    const debug = session(task(ACTIVITY), { tasks: { label: activity } });
    const end = ended(debug);
    const { taskToken, input } = await activity.getTask({ workerName: "w1" });
    assert.deepEqual(input, { n: 1 });
    assert.equal(activity.succeed(taskToken, "L2"), true);
    assert.equal(activity.succeed(taskToken, "again"), false);
    assert.equal((await end).output, "L2");
    assert.deepEqual(started(debug), { workerName: "w1" });
  });
});

describe("machines that tasks start", () => {
  const start = (pattern, fields = {}) =>
    task(`arn:aws:states:::states:startExecution${pattern}`, {
      Parameters: { StateMachineArn: CHILD, Name: "first", "Input.$": "$" },
      ...fields,
    });
  const minute = chain({ W: { Type: "Wait", Seconds: 60, Next: "P" }, P: { Type: "Pass", Result: { done: true }, End: true } });
  const works = chain({
    Work: { Type: "Task", Resource: `${LAMBDA}work`, Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 30 }], End: true },
  });

  test("with .sync and .sync:2 the parent waits, on the same timeline; otherwise it continues", async () => {
    for (const [pattern, output, at] of [
      [".sync", '{"done":true}', 60_000],
      [".sync:2", { done: true }, 60_000],
      ["", undefined, 0],
    ]) {
      const debug = session(start(pattern), { machines: { [CHILD]: minute } });
      const result = await ended(debug);
      assert.equal(result.status, "SUCCEEDED", result.cause);
      assert.deepEqual(result.output.Output, output);
      assert.equal(debug.now, at);
      const [child] = debug.children();
      assert.deepEqual([child.name, child.machine, child.status], ["first", "Child", pattern === "" ? "RUNNING" : "SUCCEEDED"]);
      if (pattern !== "") assert.equal(debug.childHistory(child.arn).at(-1).type, "ExecutionSucceeded");
    }
  });

  test("use the session's mocks and handlers for their states", async () => {
    for (const given of [
      {
        mocks: {
          Work: {
            mode: "script",
            steps: [
              { attempt: "0", error: "Busy", after: 500 },
              { result: "mocked", after: 500 },
            ],
          },
        },
      },
      {
        tasks: {
          work: (_, { attempt, sleep }) => sleep(500).then(() => (attempt === 0 ? Promise.reject(new TaskError("Busy")) : "mocked")),
        },
      },
    ]) {
      const debug = session(start(".sync:2"), { machines: { Child: works }, ...given });
      assert.equal((await ended(debug)).output.Output, "mocked");
      assert.equal(debug.now, 31_000);
    }
  });

  test("pass their failure to the task, also if the machine does not exist", async () => {
    const broken = chain({ F: { Type: "Fail", Error: "Broken" } });
    const { error, cause } = await ended(session(start(".sync"), { machines: { Child: broken } }));
    assert.deepEqual([error, JSON.parse(cause).Error], ["States.TaskFailed", "Broken"]);
    assert.equal((await ended(session(start(".sync"), { machines: {} }))).error, "StepFunctions.StateMachineDoesNotExistException");
    assert.throws(() => session(start(""), { machines: { Child: { StartAt: "Nowhere", States: {} } } }), { name: "DefinitionError" });
  });

  test("ask the user for results of their tasks, while the clock waits", async () => {
    const debug = session(start(".sync:2", { TimeoutSeconds: 5 }), { machines: [new StateMachine(works, { name: "Child" })], ask: true });
    const [{ task: number, execution, state }] = await asked(debug);
    assert.deepEqual([execution, state, debug.now], ["first", "Work", 0]);
    const end = new Promise((resolve) => debug.on("terminated", resolve));
    debug.answer(number, { kind: "succeed", output: "by hand", after: 2000 });
    assert.equal((await end).output.Output, "by hand");
    assert.equal(debug.now, 2000);
    assert.deepEqual(debug.waiting(), []);
  });

  test("end with the timeout of their parent if they hang", async () => {
    const debug = session(start(".sync:2", { TimeoutSeconds: 5 }), { machines: { Child: works }, ask: true });
    const [{ task: number }] = await asked(debug);
    const end = new Promise((resolve) => debug.on("terminated", resolve));
    debug.answer(number, { kind: "silence" });
    assert.equal((await end).error, "States.Timeout");
    await turn();
    assert.equal(debug.children()[0].status, "ABORTED");
  });

  test("accept the token of their tasks from the session", async () => {
    const callback = chain({
      C: {
        Type: "Task",
        Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
        Parameters: { QueueUrl: "q", "MessageBody.$": "$$.Task.Token" },
        End: true,
      },
    });
    const debug = session(start(".sync:2"), { machines: { Child: callback }, ask: true });
    const [{ token, kind }] = await asked(debug);
    assert.equal(kind, "token");
    assert.equal(debug.answerToken("no such token", "succeed", 1), false);
    const end = new Promise((resolve) => debug.on("terminated", resolve));
    assert.equal(debug.answerToken(token, "heartbeat"), true);
    assert.equal(debug.answerToken(token, "succeed", { yes: 1 }), true);
    assert.deepEqual((await end).output.Output, { yes: 1 });
    assert.deepEqual(debug.waiting(), []);
  });

  test("are equal for equal seeds, and a fork starts again what it waits for", async () => {
    const definition = chain({
      S: { ...start(".sync:2").States.T, Parameters: { StateMachineArn: CHILD, "Input.$": "$" }, End: undefined, Next: "End" },
      End: { Type: "Succeed" },
    });
    delete definition.States.S.End;
    const run = async () => {
      const debug = session(definition, { machines: { Child: minute }, seed: 7 });
      await ended(debug);
      return debug;
    };
    const [a, b] = [await run(), await run()];
    assert.deepEqual(a.history(), b.history());
    const submitted = a.history().find(({ type }) => type === "TaskSubmitted").id;
    const end = new Promise((resolve) => a.on("terminated", resolve));
    a.fork({ event: submitted });
    a.continue();
    assert.equal((await end).status, "SUCCEEDED");
    assert.equal(a.now, 60_000);
    assert.equal(a.children().length, 1, "of this run");
  });
});
