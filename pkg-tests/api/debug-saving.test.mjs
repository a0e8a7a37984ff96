// A debugging session as data: saved, sent through JSON, and taken up again.
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

/** Goes on until somebody is asked. */
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
  test("a run that has ended is there again, with all its data", async () => {
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

  test("one that is paused goes on: what was at work is called again, and a token is the same", async () => {
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

  test("before the first state and after each step it can be saved", async () => {
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

  test("forks, changed values and edited definitions keep their place in the tree", async () => {
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

  test("what is no saved session, or a damaged one, is refused", async () => {
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
