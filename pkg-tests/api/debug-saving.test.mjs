// A debugging session as data: saved, sent as JSON, and restored.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DebugSession, restoreSession, saveSession } from "stepglass/debug";
import { turn, watchRejections } from "./machines.mjs";

watchRejections();

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";
const MACHINE = {
  StartAt: "Set",
  States: {
    Set: { Type: "Pass", Assign: { limit: 5, "id.$": "States.UUID()" }, Next: "Both" },
    Both: {
      Type: "Parallel",
      Branches: [
        {
          StartAt: "Charge",
          States: {
            Charge: { Type: "Task", Resource: `${LAMBDA}charge`, Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 2 }], Next: "Rest" },
            Rest: { Type: "Wait", Seconds: 10, End: true },
          },
        },
        {
          StartAt: "Ask",
          States: {
            Ask: {
              Type: "Task",
              Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
              Parameters: { QueueUrl: "q", "MessageBody.$": "$$.Task.Token" },
              End: true,
            },
          },
        },
      ],
      Next: "Enough",
    },
    Enough: { Type: "Pass", Parameters: { "limit.$": "$limit", "id.$": "$id", "all.$": "$" }, End: true },
  },
};
const options = {
  input: { n: 1 },
  startTime: 0,
  seed: 7,
  ask: true,
  mocks: {
    Charge: {
      mode: "script",
      steps: [
        { attempt: "0", error: "Busy" },
        { result: "paid", after: 500 },
      ],
    },
  },
};
const again = (debug, given = options) =>
  restoreSession(JSON.parse(JSON.stringify(saveSession(debug))), { ...given, input: undefined, seed: undefined, startTime: undefined });

/** Continues until a task asks for a result. */
async function asked(debug) {
  debug.continue();
  for (let turns = 0; turns < 200 && debug.waiting().length === 0; turns++) await turn();
  return debug.waiting()[0];
}

async function end(debug, output = "yes") {
  const ended = new Promise((resolve) => debug.on("terminated", resolve));
  debug.continue();
  const waiting = await asked(debug);
  debug.answer(waiting.task, { kind: "succeed", output });
  return ended;
}

describe("saving", () => {
  test("restores a run that has ended, with all its data", async () => {
    const debug = new DebugSession(MACHINE, options);
    const outcome = await end(debug);
    const other = again(debug);
    assert.equal(other.status, "ended");
    assert.deepEqual(other.outcome, outcome);
    assert.deepEqual(other.history(), debug.history());
    const look = (session) =>
      [5, 9].map((event) => (session.goto(event), [session.stackTrace(), session.scopes(), session.stages(), session.now]));
    assert.deepEqual(look(other), look(debug));
  });

  test("continues a paused run: calls pending tasks again, and keeps task tokens", async () => {
    const debug = new DebugSession(MACHINE, options);
    const { token } = await asked(debug);
    debug.pause();
    const other = again(debug);
    assert.equal(other.status, "paused");
    assert.deepEqual(other.history(), debug.history());
    assert.equal((await asked(other)).token, token);
    const [a, b] = [await end(other), await end(debug)];
    assert.deepEqual(a, b);
    assert.equal(JSON.stringify(other.history()), JSON.stringify(debug.history()));
  });

  test("can be done before the first state and after each step", async () => {
    const debug = new DebugSession(MACHINE, options);
    const whole = await end(new DebugSession(MACHINE, options));
    for (let step = 0; step < 6; step++) {
      const other = again(debug);
      assert.deepEqual(
        [other.event, other.position, other.status, other.runs()],
        [debug.event, debug.position, debug.status, debug.runs()],
        `after ${step} steps`,
      );
      assert.deepEqual((await end(other)).output, whole.output, `after ${step} steps`);
      debug.stepStage();
      await turn();
    }
  });

  test("keeps forks, changed values and edited definitions in the tree of runs", async () => {
    const debug = new DebugSession(MACHINE, options);
    await end(debug);
    debug.goto(4);
    debug.setVariable("limit", 50);
    const { output } = await end(debug, "fifty");
    assert.equal(output.limit, 50);
    debug.goto(3);
    debug.fork({ event: 3, label: "once more" });
    debug.applyDefinition({ ...MACHINE, States: { ...MACHINE.States, Enough: { Type: "Pass", Result: "edited", End: true } } });
    assert.equal((await end(debug)).output, "edited");
    const other = again(debug);
    assert.deepEqual(other.runs(), debug.runs());
    for (const { id } of debug.runs()) {
      debug.selectRun(id);
      other.selectRun(id);
      assert.deepEqual(other.history(), debug.history(), `run ${id}`);
      assert.deepEqual(other.outcome, debug.outcome);
    }
    const text = JSON.stringify(saveSession(debug));
    assert.ok(text.length < 40_000, `${text.length} characters: what runs share is written once`);
    other.goto(2);
    other.fork();
    assert.equal((await end(other)).status, "SUCCEEDED", "and forks go on from there");
  });

  test("refuses what is not a saved session, or is damaged", async () => {
    const debug = new DebugSession(MACHINE, options);
    await end(debug);
    const saved = () => JSON.parse(JSON.stringify(saveSession(debug)));
    const damaged = [null, {}, { version: 2, runs: [] }, { ...saved(), runs: [] }];
    const change = (edit) => {
      const one = saved();
      edit(one.runs[0]);
      damaged.push(one);
    };
    change((run) => (run.facts = "none"));
    change((run) => (run.facts[1] = ["succeed", 0, 99, "{}"]));
    change((run) => (run.facts[1] = ["nothing", 0]));
    change((run) => (run.facts[1] = ["patch", 0, "{}"]));
    change((run) => (run.definition = "{}"));
    change((run) => (run.shared = 4));
    for (const one of damaged)
      assert.throws(
        () => restoreSession(one, options),
        (error) => error.name === "RestoreError" || error.name === "DefinitionError",
        JSON.stringify(one).slice(0, 200),
      );
  });
});

describe("continuing a run after the session was closed", () => {
  const HOUR = 3_600_000;
  const machine = {
    StartAt: "Rest",
    States: {
      Rest: { Type: "Wait", Seconds: 60, Next: "Charge" },
      Charge: { Type: "Task", Resource: `${LAMBDA}charge`, TimeoutSeconds: 10, End: true },
    },
  };
  const ended = (debug) => new Promise((resolve) => debug.on("terminated", resolve));
  const times = (debug) => Object.fromEntries(debug.history().map(({ type, timestamp }) => [type, Date.parse(timestamp) / 1000]));

  test("ends waits at their own times, and gives the task that follows its full time", async () => {
    const debug = new DebugSession(machine, { startTime: 0, clock: "manual" });
    debug.continue();
    while (debug.due === null) await turn();
    const saved = JSON.parse(JSON.stringify(saveSession(debug)));
    debug.dispose();
    const called = [];
    const later = restoreSession(saved, { clock: 1, tasks: { charge: async (_, task) => (called.push(task.timeoutSeconds), "paid") } });
    assert.equal(later.recovered(HOUR), true);
    assert.deepEqual(called, [], "nothing happens before one continues");
    const end = ended(later);
    later.continue();
    assert.deepEqual([(await end).status, (await end).output, called], ["SUCCEEDED", "paid", [10]]);
    const at = times(later);
    assert.equal(at.WaitStateExited, 60);
    assert.ok(at.LambdaFunctionSucceeded >= HOUR / 1000, `${at.LambdaFunctionSucceeded}`);
    assert.equal(later.recovered(HOUR), false, "it has ended");
    later.dispose();
  });

  test("calls a pending task again, with its full time", async () => {
    const task = { StartAt: "Charge", States: { Charge: machine.States.Charge } };
    const debug = new DebugSession(task, { startTime: 0, clock: 1, tasks: { charge: () => new Promise(() => {}) } });
    debug.continue();
    for (let i = 0; i < 20; i++) await turn();
    const saved = JSON.parse(JSON.stringify(saveSession(debug)));
    debug.dispose();
    const timedOut = restoreSession(saved, { clock: 1, tasks: { charge: () => "paid" } });
    const failed = ended(timedOut);
    timedOut.advance(HOUR);
    timedOut.continue();
    assert.equal((await failed).error, "States.Timeout", "time that passes in the session counts");
    timedOut.dispose();
    const later = restoreSession(saved, { clock: 1, tasks: { charge: () => "paid" } });
    later.recovered(HOUR);
    const end = ended(later);
    later.continue();
    assert.equal((await end).output, "paid");
    // A run with injected data can be saved, and gives the same run.
    const same = restoreSession(JSON.parse(JSON.stringify(saveSession(later))), {});
    assert.deepEqual(same.history(), later.history());
    for (const one of [later, same]) one.dispose();
  });

  test("is saved alone, also if it is a fork", async () => {
    const debug = new DebugSession(MACHINE, { ...options, clock: "manual" });
    debug.continue();
    for (let i = 0; i < 20; i++) await turn();
    debug.pause();
    debug.fork({ event: 3 });
    const [first, fork] = debug.runs();
    const alone = restoreSession(JSON.parse(JSON.stringify(saveSession(debug, { run: fork.id }))), options);
    assert.deepEqual(
      alone.runs().map(({ id, parent, label }) => [id, parent, label]),
      [[fork.id, undefined, fork.label]],
    );
    assert.deepEqual(alone.history(), debug.history());
    const before = restoreSession(saveSession(debug, { run: first.id }), options);
    assert.deepEqual(before.history(0, first.id), debug.history(0, first.id));
    assert.throws(() => saveSession(debug, { run: 99 }), { code: "INVALID_ARGUMENT", message: "there is no run 99" });
    for (const one of [debug, alone, before]) one.dispose();
  });
});
