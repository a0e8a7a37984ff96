// Runs the cases of tests/corpus/executions, which tests/corpus.rs runs natively, through the package. The WebAssembly, and an
// engine that is restored after every step, give the same verdicts, results, times and kinds of events.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as fast from "stepglass";
// The build for browsers: another copy of the package, with the module that is optimized for size.
import * as small from "../../dist/slim.js";
import { copyForBrowsers } from "../browsers-copy.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = join(root, "tests/corpus/executions");
small.initSync(readFileSync(join(root, "dist/stepglass.wasm")));
// The same in two files.
const parts = await copyForBrowsers();
await parts.init({ parts: "first" });
after(() => parts.remove());
const START = Date.UTC(2024, 0, 1);

for (const file of readdirSync(folder).sort()) {
  const cases = JSON.parse(readFileSync(join(folder, file), "utf8"));
  for (const [name, stepglass] of Object.entries({ fast, small, "parts of the small": parts })) {
    test(`corpus, the ${name} module: ${file}`, async (t) => {
      for (const one of cases) await t.test(one.name, () => check(stepglass, one));
    });
  }
}

function check(stepglass, { definition, input = {}, tasks = {}, seed = 0, seeds = 1, start, stop, options = {}, expect }) {
  const text = typeof definition === "string" ? definition : JSON.stringify(definition);
  const { express = false, ...limits } = options;
  const type = express ? "EXPRESS" : "STANDARD";
  if (expect.rejected) {
    const found = stepglass.validate(text, { type }).map(({ code, pointer }) => `${code} ${pointer}`.trim());
    assert.deepEqual(found.sort(), expect.rejected.map((line) => line.trim()).sort());
    return;
  }
  const machine = new stepglass.StateMachine(text, { type });
  const begin = start ? Date.parse(start) : START;
  for (let i = 0; i < seeds; i++) {
    const run = new Run(stepglass.Engine, machine, limits, tasks, begin, stop);
    const { status, output, error, cause } = run.toEnd(input, seed + i);
    assert.equal(status, expect.status);
    if ("output" in expect) assert.deepEqual(output, expect.output);
    assert.equal(error, expect.error);
    assert.equal(cause, expect.cause);
    if (expect.at !== undefined) {
      const [from, to] = [expect.at].flat();
      const took = run.now - begin;
      assert.ok(from <= took && took <= (to ?? from), `ends after ${took} ms, not ${expect.at}`);
    }
    if (expect.history && !expect.history.includes("…")) {
      const kinds = run.history.map(({ id, previousEventId, type }) => `${id}<-${previousEventId} ${type}`);
      assert.deepEqual(
        kinds,
        expect.history.map((line) => line.split(" ", 2).join(" ")),
      );
    }
  }
}

/** Runs an execution on virtual time. At equal times the engine's own timers come first. */
class Run {
  #due = [];
  #made = 0;

  constructor(Engine, machine, limits, tasks, begin, stop) {
    this.Engine = Engine;
    this.machine = machine;
    this.now = begin;
    this.engine = new Engine(machine, { ...limits, childHistories: true });
    this.queues = new Map(Object.entries(tasks).map(([name, answers]) => [name, [...answers]]));
    if (stop) this.#plan(begin + stop.at, (at) => this.engine.stop(at, stop.error, stop.cause));
  }

  toEnd(input, seed) {
    const names = { name: "execution", stateMachineName: "StateMachine" };
    let feed = (at) => this.engine.start(at, input, names, seed);
    let outcome;
    for (let facts = 0; feed !== undefined && outcome === undefined && facts < 1_000_000; facts++) {
      const step = feed(this.now);
      for (const command of step.commands) {
        if (command.type === "Invoke") this.#invoke(command);
        else if (command.type === "Cancel") this.#due = this.#due.filter(({ task }) => task !== command.task);
        else if (command.type === "Finish") outcome = command;
      }
      // The few cases with many steps continue in the same engine.
      if (facts < 100 && outcome === undefined) this.#restore();
      feed = this.#next(step);
    }
    this.history = this.engine.history();
    this.engine.free();
    return outcome ?? { status: "RUNNING" };
  }

  #restore() {
    const snapshot = JSON.parse(JSON.stringify(this.engine.snapshot()));
    this.engine.free();
    this.engine = this.Engine.restore(this.machine, snapshot);
  }

  #next({ more, deadline }) {
    const tick = (at) => this.engine.tick(at);
    if (more) return tick;
    const fact = this.#due[0];
    if (deadline !== null && deadline !== undefined && deadline <= (fact?.at ?? Infinity)) {
      this.now = deadline;
      return tick;
    }
    if (fact === undefined) return undefined;
    this.#due.shift();
    this.now = fact.at;
    return fact.feed;
  }

  #invoke(call) {
    const { task, state, resource, iterations } = call;
    const index = iterations?.at(-1);
    const names = [...(index === undefined ? [] : [`${state}@Map[${index}]`]), state, resource];
    const queue = names.map((name) => this.queues.get(name)).find((queue) => queue?.length > 0);
    const answer = (queue?.length > 1 ? queue.shift() : queue?.[0]) ?? {
      error: "States.TaskFailed",
      cause: `The script has no answer for the state '${state}' (${resource})`,
    };
    const plan = (after, feed) => this.#plan(this.now + after, feed, task);
    if ("submitted" in answer) plan(0, (at) => this.engine.submitted(at, task, answer.submitted));
    if ("worker" in answer || "startedAfter" in answer)
      plan(answer.startedAfter ?? 0, (at) => this.engine.started(at, task, answer.worker));
    for (const beat of answer.heartbeats ?? []) plan(beat, (at) => this.engine.heartbeat(at, task));
    const after = answer.after ?? 0;
    if ("output" in answer) plan(after, (at) => this.engine.succeed(at, task, answer.output));
    else if ("error" in answer || "cause" in answer) plan(after, (at) => this.engine.fail(at, task, answer.error, answer.cause));
  }

  #plan(at, feed, task) {
    this.#due.push({ at, order: this.#made++, feed, task });
    this.#due.sort((a, b) => a.at - b.at || a.order - b.order);
  }
}
