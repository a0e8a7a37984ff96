// Snapshots without the history, for hosts that store it separately: an engine that is restored from one continues the same way.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Engine, StateMachine } from "stepglass";
import { importSource } from "../../scripts/sources.mjs";
import { root } from "../../scripts/steps.mjs";
import { LAMBDA, lambda } from "./machines.mjs";

const { Archive, HistoryEngine, MachineHandle, initSync } = await importSource("pkg-tests/api/border.mjs");
initSync(readFileSync(join(root, "dist/stepglass.wasm")));

const chain = (count) => ({
  StartAt: "S0",
  States: Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `S${i}`,
      { Type: "Task", Resource: LAMBDA, ...(i + 1 < count ? { Next: `S${i + 1}` } : { End: true }) },
    ]),
  ),
});

/** Lets an engine's tasks succeed one after the other. `next` returns the engine for the next fact. */
function answer(engine, tasks, next = (same) => same) {
  const steps = [engine.feed("start", 0, "{}", { name: "e" }, 1n)];
  for (let task = 1; task <= tasks; task++) {
    engine = next(engine);
    steps.push(engine.feed("succeed", task * 10, task, JSON.stringify({ task, text: "x".repeat(100) })));
  }
  return { engine, steps };
}

test("an engine that is restored from a lean snapshot after every fact takes the same steps and adds the same events", () => {
  const machine = new MachineHandle(JSON.stringify(chain(40)), {});
  const whole = answer(new HistoryEngine(machine, {}, undefined, new Archive()), 40);
  const expected = whole.engine.history();
  const kept = [];
  const lean = answer(new HistoryEngine(machine, {}, undefined, new Archive()), 40, (engine) => {
    kept.push(...engine.history(kept.length));
    const { text, events } = engine.leanSnapshot();
    assert.equal(events, kept.length);
    assert.ok(text.length < 4_000, `${text.length}`);
    return new HistoryEngine(machine, {}, text, new Archive(events));
  });
  assert.deepEqual(lean.steps, whole.steps);
  const from = kept.length;
  kept.push(...lean.engine.history(from));
  assert.deepEqual(kept, expected);
  assert.deepEqual(lean.engine.history(from, from + 2), expected.slice(from, from + 2));
  assert.equal(lean.engine.historyText(from), JSON.stringify(expected.slice(from)));
  assert.equal(lean.engine.events, expected.length);
  for (const read of [() => lean.engine.history(), () => lean.engine.history(from - 1), () => lean.engine.snapshot()])
    assert.throws(read, { code: "HISTORY_ELSEWHERE", message: new RegExp(`the first ${from} events`) });
});

test("a restored engine writes its history to pages, can be released and recreated", () => {
  const machine = new MachineHandle(JSON.stringify(chain(60)), {});
  const large = (task) => JSON.stringify({ task, text: "é".repeat(60_000) });
  const drive = (engine, from, to) => {
    for (let task = from; task <= to; task++) engine.feed("succeed", task, task, large(task));
    return engine;
  };
  const begin = () => {
    const engine = new HistoryEngine(machine, {}, undefined, new Archive());
    engine.feed("start", 0, "{}", { name: "e" }, 1n);
    return drive(engine, 1, 20);
  };
  const expected = drive(begin(), 21, 60).history();
  const { text, events } = begin().leanSnapshot();
  const engine = drive(new HistoryEngine(machine, {}, text, new Archive(events)), 21, 45);
  engine.release();
  drive(engine, 46, 60);
  engine.retire();
  engine.release();
  assert.deepEqual(engine.history(events), expected.slice(events));
  assert.deepEqual(engine.history(events + 7, events + 9), expected.slice(events + 7, events + 9));
  assert.equal(engine.events, expected.length);
});

test("the events that a host of the Engine stores separately count towards the limit", () => {
  const machine = new StateMachine(chain(1000));
  const run = (restores) => {
    let engine = new Engine(machine, { historyLimit: 60 });
    let step = engine.start(0, {}, { name: "e" }, 1);
    const kept = [];
    const restore = () => {
      kept.push(...engine.history(kept.length));
      const snapshot = JSON.parse(JSON.stringify(engine.snapshot({ history: "none" })));
      engine = Engine.restore(machine, snapshot);
      assert.deepEqual(engine.snapshot({ history: "none" }), snapshot);
      if (kept.length > 0) assert.throws(() => engine.history(), { code: "HISTORY_ELSEWHERE" });
    };
    for (let at = 1; !step.commands.some(({ type }) => type === "Finish"); at++) {
      if (restores) restore();
      step = engine.succeed(at, step.commands[0].task, at);
    }
    if (restores) restore();
    assert.equal(engine.status.error, "States.Runtime");
    assert.throws(() => engine.redrive(99), { code: "NOT_REDRIVABLE" });
    return [...kept, ...engine.history(kept.length)];
  };
  const expected = run(false);
  assert.equal(expected.length, 60);
  assert.deepEqual(run(true), expected);
});

test("a redrive continues after a lean snapshot", () => {
  const machine = lambda();
  const first = new Engine(machine);
  first.start(0, {}, { name: "e" }, 1);
  first.fail(1, 1, "Bad");
  const { length } = first.history();
  const second = Engine.restore(machine, first.snapshot({ history: "none" }));
  for (const engine of [first, second]) {
    engine.redrive(5);
    engine.succeed(6, 2, "done");
    assert.equal(engine.status.output, "done");
  }
  assert.deepEqual(second.history(length), first.history(length));
  // An execution without a history has none elsewhere either.
  const silent = new Engine(machine, { history: "none" });
  silent.start(0, {}, { name: "e" }, 1);
  assert.deepEqual(Engine.restore(machine, silent.snapshot({ history: "none" })).history(), []);
});
