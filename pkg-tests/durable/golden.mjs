// Golden executions: the cases of tests/corpus, each with a world in which it runs by a clock that is moved by hand.
//
// The world outlives the runtimes in it. It does what tasks ask for, once for each idempotency key and attempt, as a service does that
// is given the key. Whoever is outside (who starts, stops and answers tokens) calls again when a runtime has died before it answered.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/steps.mjs";

const folder = join(root, "tests/corpus/executions");
const never = () => new Promise(() => {});
// Turns of the event loop in which nothing happened, after which nothing will.
const QUIET = 3;

/** The cases of the corpus that can be executed, each with the name of its file. */
export function goldenCases() {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")).map((one) => ({ file, ...one })))
    .filter(({ expect }) => !expect.rejected);
}

export class World {
  now;
  /** The runtime that lives. */
  runtime;
  /** What has happened: while this number grows, something is at work. */
  activity = 0;
  /** The number of runtimes that have died. */
  deaths = 0;
  /** All calls of tasks, in their order. */
  calls = [];
  /** What somebody outside was told that should not be. */
  problems = [];
  #events = [];
  #made = 0;
  #queues;
  #effects = new Map();
  #outside = new Set();

  constructor({ definition, input = {}, tasks = {}, seed = 0, start, stop }) {
    this.now = start ? Date.parse(start) : Date.UTC(2024, 0, 1);
    this.#queues = new Map(Object.entries(tasks).map(([name, answers]) => [name, [...answers]]));
    this.definition = typeof definition === "string" ? definition : JSON.stringify(definition);
    this.#call(this.now, (runtime) => runtime.start("StateMachine", { name: "execution", input, seed }));
    if (stop)
      this.#call(this.now + stop.at, async (runtime) => (await runtime.get("StateMachine", "execution")).stop(stop.error, stop.cause));
  }

  /** The clock of the runtime that is to live; it rings no more when that has died. */
  clock() {
    const { deaths } = this;
    const timers = new Map();
    let next = 1;
    return {
      now: () => (this.activity++, this.now),
      setTimeout: (run, delay) => {
        this.activity += 1;
        const timer = next++;
        const ring = () => {
          timers.delete(timer);
          if (this.deaths === deaths) run();
        };
        timers.set(timer, this.#plan(this.now + Math.max(0, delay), ring));
        return timer;
      },
      clearTimeout: (timer) => {
        this.#events = this.#events.filter((event) => event !== timers.get(timer));
        timers.delete(timer);
      },
    };
  }

  /** A runtime has died, with its timers and its handlers. */
  die() {
    this.deaths += 1;
    this.activity += 1;
  }

  /** A runtime is open: what the one before has not answered is asked of it. */
  live(runtime) {
    this.runtime = runtime;
    for (const one of this.#outside) if (one.asked) this.#ask(one);
  }

  /** Waits until nothing is left to do at this time. */
  async quiet() {
    for (let still = 0, seen = -1; still < QUIET; still = this.activity === seen ? still + 1 : 0) {
      seen = this.activity;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Moves time to what comes next, and does it. False if nothing comes. */
  pass() {
    if (this.#events.length === 0) return false;
    const first = this.#events.reduce((a, b) => (b.at < a.at || (b.at === a.at && b.order < a.order) ? b : a));
    this.#events = this.#events.filter((event) => event !== first);
    this.now = Math.max(this.now, first.at);
    first.run();
    return true;
  }

  #plan(at, run) {
    const event = { at, run, order: this.#made++ };
    this.#events.push(event);
    return event;
  }

  /** Somebody outside calls at a time. */
  #call(at, call) {
    const one = { call, asked: false };
    this.#outside.add(one);
    this.#plan(at, () => this.#ask(one));
  }

  #ask(one) {
    one.asked = true;
    this.activity += 1;
    const { deaths } = this;
    const done = () => {
      if (this.deaths !== deaths) return;
      this.activity += 1;
      this.#outside.delete(one);
    };
    one.call(this.runtime).then(done, (error) => {
      // An execution that has ended is not started again.
      if (this.deaths === deaths && error.code !== "EXECUTION_EXISTS") this.problems.push(String(error.stack));
      done();
    });
  }

  /** The handler of all tasks, of the runtime that is to live; `called` hears of each call. */
  handler(called) {
    const { deaths } = this;
    return (_input, task) => {
      if (this.deaths !== deaths) return never();
      this.activity += 1;
      const effect = `${task.idempotencyKey} ${task.attempt}`;
      const call = { effect, task: task.id };
      this.calls.push(call);
      called(call);
      if (!this.#effects.has(effect)) this.#effects.set(effect, this.#begin(task));
      return this.#answer(this.#effects.get(effect), deaths);
    };
  }

  /** Does what a task asks for. */
  #begin({ stateName, resource, token }) {
    const answers = this.#queues.get(stateName) ?? this.#queues.get(resource) ?? [];
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? { error: "States.TaskFailed", cause: "no answer" };
    const { after = 0, error, cause, heartbeats = [] } = answer;
    const calledBack = resource.endsWith(".waitForTaskToken");
    if (calledBack) {
      for (const beat of heartbeats) this.#call(this.now + beat, (runtime) => runtime.heartbeat(token));
      if (error !== undefined) this.#call(this.now + after, (runtime) => runtime.fail(token, { error, cause }));
      else if ("output" in answer) this.#call(this.now + after, (runtime) => runtime.succeed(token, answer.output));
    }
    const thrown = error === undefined ? undefined : Object.assign(new Error(cause ?? ""), { name: error, stack: error });
    return { answer, thrown, calledBack, at: this.now + after };
  }

  #answer({ answer, thrown, calledBack, at }, deaths) {
    if (calledBack) return answer.submitted ?? {};
    if (thrown === undefined && !("output" in answer)) return never();
    const settle = (resolve, reject) => (thrown === undefined ? resolve(answer.output) : reject(thrown));
    return new Promise((resolve, reject) => {
      if (at <= this.now) settle(resolve, reject);
      else this.#plan(at, () => this.deaths === deaths && settle(resolve, reject));
    });
  }
}

/** Whether two values have the same JSON. */
export function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}
