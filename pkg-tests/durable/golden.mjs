// Golden executions: the cases of tests/corpus, each with a world in which it runs by a clock that the test moves.
//
// The world outlives the runtimes in it. It performs tasks once for each idempotency key and attempt, like a service that deduplicates by
// the key. Its outside callers (which start and stop the execution and answer tokens) repeat a call if the runtime died before it answered.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/steps.mjs";

const folder = join(root, "tests/corpus/executions");
const never = () => new Promise(() => {});
// After this number of turns of the event loop without activity, nothing is left to do.
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
  /** The runtime that is open now. */
  runtime;
  /** A counter of events. While it grows, something is at work. */
  activity = 0;
  /** The number of runtimes that have died. */
  deaths = 0;
  /** All calls of task handlers, in order. */
  calls = [];
  /** Unexpected errors that outside callers received. */
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

  /** The clock of the next runtime. Its timers do not fire after that runtime has died. */
  clock() {
    const { deaths } = this;
    const timers = new Map();
    let next = 1;
    return {
      now: () => (this.activity++, this.now),
      setTimeout: (run, delay) => {
        this.activity += 1;
        const timer = next++;
        const fire = () => {
          timers.delete(timer);
          if (this.deaths === deaths) run();
        };
        timers.set(timer, this.#plan(this.now + Math.max(0, delay), fire));
        return timer;
      },
      clearTimeout: (timer) => {
        this.#events = this.#events.filter((event) => event !== timers.get(timer));
        timers.delete(timer);
      },
    };
  }

  /** The runtime dies, with its timers and its handlers. */
  die() {
    this.deaths += 1;
    this.activity += 1;
  }

  /** A runtime has opened. The outside calls that the previous one did not answer are repeated. */
  live(runtime) {
    this.runtime = runtime;
    for (const one of this.#outside) if (one.asked) this.#ask(one);
  }

  /** Waits until nothing is left to do at the present time. */
  async quiet() {
    for (let still = 0, seen = -1; still < QUIET; still = this.activity === seen ? still + 1 : 0) {
      seen = this.activity;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Advances the clock to the next planned event and runs it. Returns false if there is none. */
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

  /** Plans a call of an outside caller. */
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
      // A repeated start of an execution that has ended is refused, as it should be.
      if (this.deaths === deaths && error.code !== "EXECUTION_EXISTS") this.problems.push(String(error.stack));
      done();
    });
  }

  /** The task handler of the next runtime, for all tasks. It passes each call to `called`. */
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

  /** Performs a task: takes its next answer and plans its heartbeats and its callback. */
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
