// What the engine offers to hosts that survive processes: downtime, and the progress of tasks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine, StateMachine } from "stepglass";
import { LAMBDA, lambda, task } from "./machines.mjs";

const HOUR = 3_600_000;
const CALLBACK = "arn:aws:states:::sqs:sendMessage.waitForTaskToken";
const ACTIVITY = "arn:aws:states:us-east-1:123456789012:activity:a";
const store = (snapshot) => JSON.parse(JSON.stringify(snapshot));
/** Recreates the engine as in another process. */
const elsewhere = (machine, engine) => Engine.restore(machine, store(engine.snapshot()));

test("downtime does not time out a task that is called again", () => {
  const machine = new StateMachine({
    StartAt: "W",
    States: { W: { Type: "Wait", Seconds: 60, Next: "T" }, T: { Type: "Task", Resource: LAMBDA, TimeoutSeconds: 10, End: true } },
  });
  let engine = new Engine(machine);
  engine.start(0, {}, {}, 1);
  engine = elsewhere(machine, engine);
  const { commands, deadline } = engine.recovered(HOUR);
  assert.deepEqual([commands.map(({ type, state }) => `${type} ${state}`), deadline], [["Invoke T"], HOUR + 10_000]);
  const events = engine.history().length;
  engine = elsewhere(machine, engine);
  assert.deepEqual(engine.recovered(2 * HOUR), { commands: [], more: false, deadline: 2 * HOUR + 10_000, events });
  assert.equal(engine.status.status, "RUNNING");
  engine.tick(2 * HOUR + 10_000);
  assert.deepEqual(engine.status, { status: "FAILED", error: "States.Timeout" });
  assert.deepEqual(engine.recovered(3 * HOUR).commands, []);
});

test("an activity that was fetched waits for its worker, unless the host itself is the worker", () => {
  const machine = task(ACTIVITY, undefined, { TimeoutSeconds: 300 });
  const engine = new Engine(machine);
  engine.start(0, {}, {}, 1);
  assert.deepEqual(engine.recovered(HOUR).deadline, HOUR + 300_000);
  engine.started(HOUR, 1, "w");
  assert.equal(elsewhere(machine, engine).recovered(2 * HOUR).deadline, 2 * HOUR + 60_000);
  assert.equal(elsewhere(machine, engine).recovered(2 * HOUR, [1]).deadline, 2 * HOUR + 300_000);
  for (const bad of [5, "1", {}, null, [-1], ["1"], [2 ** 32]])
    assert.throws(() => engine.recovered(HOUR, bad), { code: "INVALID_ARGUMENT" }, JSON.stringify(bad));
});

test("pending() reports the progress of each task", () => {
  const phases = (machine, ...facts) => {
    const engine = new Engine(machine);
    engine.start(0, {}, {}, 1);
    return [undefined, ...facts].map((fact) => {
      if (fact !== undefined) engine[fact](1, 1);
      return elsewhere(machine, engine)
        .pending()
        .map(({ task, phase }) => `${task} ${phase}`)
        .join();
    });
  };
  assert.deepEqual(phases(lambda(), "heartbeat"), ["1 scheduled", "1 scheduled"]);
  assert.deepEqual(phases(task(ACTIVITY), "started", "succeed"), ["1 scheduled", "1 started", ""]);
  assert.deepEqual(phases(task(CALLBACK, {}), "submitted", "fail"), ["1 scheduled", "1 submitted", ""]);
  assert.deepEqual(phases(task("arn:aws:states:::glue:startJobRun.sync", { JobName: "j" }), "submitted"), ["1 scheduled", "1 submitted"]);
});

test("a journal with downtime recreates the same engine after a trap, and in another process", () => {
  const machine = task(CALLBACK, {}, { HeartbeatSeconds: 20, TimeoutSeconds: 600 });
  const journal = [
    ["start", 0, {}, { name: "e" }, 1],
    ["submitted", 5, 1, {}],
    ["recovered", HOUR],
    ["recovered", HOUR + 10, [1]],
    ["heartbeat", HOUR + 15_000, 1],
  ];
  const engines = [new Engine(machine), new Engine(machine)];
  for (const engine of engines) for (const [method, ...rest] of journal) engine[method](...rest);
  // A released engine is recreated from its own journal.
  engines[1].free();
  assert.deepEqual(engines[1].snapshot(), engines[0].snapshot());
  assert.equal(engines[0].deadline, HOUR + 35_000);
});

test("a digest of the commands finds the fact after which a replay diverges", () => {
  const machine = (name) =>
    new StateMachine({
      StartAt: "A",
      States: {
        A: { Type: "Task", Resource: LAMBDA, Next: "B" },
        B: { Type: "Wait", Seconds: 5, Next: "C" },
        C: { Type: "Task", Resource: LAMBDA.replace("Add", name), End: true },
      },
    });
  const journal = [
    ["start", 0, { x: 1 }, { name: "e" }, 1],
    ["succeed", 5, 1, { y: 2 }],
    ["tick", 5_005],
    ["succeed", 6_000, 2, { z: 3 }],
  ];
  const digests = (subject, facts = journal, next = (engine) => engine) => {
    let engine = new Engine(subject);
    return facts.map(([method, ...rest]) => {
      engine[method](...rest);
      engine = next(engine);
      return engine.commandsDigest;
    });
  };
  const stored = digests(machine("Old"));
  assert.ok(stored.every((digest) => Number.isSafeInteger(digest) && digest >= 0 && digest < 2 ** 52));
  assert.equal(new Set(stored).size, 4);
  assert.deepEqual(digests(machine("Old")), stored);
  assert.deepEqual(
    digests(machine("Old"), journal, (engine) => elsewhere(machine("Old"), engine)),
    stored,
  );
  const replayed = digests(machine("New"));
  assert.deepEqual(
    replayed.map((digest, i) => digest === stored[i]),
    [true, true, false, false],
  );
  const other = digests(machine("Old"), [...journal.slice(0, 3), ["succeed", 6_000, 2, { z: 4 }]]);
  assert.deepEqual(other.slice(0, 3), stored.slice(0, 3));
  assert.notEqual(other[3], stored[3]);
});
