// A fake of Restate in memory, for tests of slices: objects with state, calls and delayed calls on its own clock, and journals. An
// invocation can die after any of its steps. It is then repeated, and has to request the same steps in the same order.
import assert from "node:assert/strict";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The promise of a journal's entry. `Context.race` finds which of several entries was completed first. */
class Durable extends Promise {
  static get [Symbol.species]() {
    return Promise;
  }

  static of(
    entry,
    change = (value, failure) => {
      if (failure) throw failure;
      return value;
    },
  ) {
    const durable = new Durable((resolve, reject) => {
      entry.done.then(
        (value) => {
          try {
            resolve(change(copy(value)));
          } catch (error) {
            reject(error);
          }
        },
        (failure) => {
          try {
            resolve(change(undefined, failure));
          } catch (error) {
            reject(error);
          }
        },
      );
    });
    durable.catch(() => {});
    durable.entry = entry;
    durable.map = (next) => Durable.of(entry, (value, failure) => next(value, failure));
    return durable;
  }
}

class Died extends Error {}

export class FakeRestate {
  now = 1_700_000_000_000;
  /** The number of steps after which the invocation that makes the last of them dies. Only one dies. */
  dieAfter = Infinity;
  attempts = 0;
  #objects = new Map();
  #queues = new Map();
  #timers = [];
  #running = new Map();
  #invocations = 0;
  #awakeables = new Map();
  #open = 0;
  /** The errors of handlers. Only cancellations (code 409) are expected. */
  #failures = [];
  #handlers;

  /** `handlers` are `{ "Service/handler": { handle, shared } }`. */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  state(key) {
    return this.#objects.get(key) ?? new Map();
  }

  /** The keys of all objects that have a state. */
  get keys() {
    return [...this.#objects].filter(([, state]) => state.size > 0).map(([key]) => key);
  }

  /** Calls a handler and resolves to its answer. */
  call({ service, handler, key }, parameter) {
    const invocation = {
      id: `inv_${++this.#invocations}`,
      journal: [],
      order: [],
      target: `${service}/${handler}`,
      key,
      parameter: copy(parameter),
    };
    invocation.signals = new Map();
    this.#running.set(invocation.id, invocation);
    this.#open += 1;
    const { shared } = this.#handlers[invocation.target];
    const before = shared || key === undefined ? Promise.resolve() : (this.#queues.get(`${service}/${key}`) ?? Promise.resolve());
    const answer = before.then(() => this.#perform(invocation)).finally(() => (this.#open -= 1));
    if (!shared && key !== undefined)
      this.#queues.set(
        `${service}/${key}`,
        answer.catch(() => {}),
      );
    answer.catch((failure) => this.#failures.push(failure));
    return Object.assign(answer, { id: invocation.id });
  }

  async #perform(invocation) {
    for (;;) {
      this.attempts += 1;
      const controller = new AbortController();
      const context = new Context(this, invocation, controller.signal);
      let die;
      const died = new Promise((resolve) => (die = resolve));
      context.die = () => {
        controller.abort();
        die(Died);
      };
      const handling = Promise.resolve().then(() => this.#handlers[invocation.target].handle(context, copy(invocation.parameter)));
      handling.catch(() => {});
      const result = await Promise.race([handling, died]);
      if (result === Died) continue;
      context.check();
      this.#running.delete(invocation.id);
      return copy(result);
    }
  }

  stateOf(key) {
    if (!this.#objects.has(key)) this.#objects.set(key, new Map());
    return this.#objects.get(key);
  }

  later(delay, action) {
    const timer = { at: this.now + delay, action };
    this.#timers.push(timer);
    return timer;
  }

  cancel(id) {
    this.#running.get(id)?.cancel?.(Object.assign(new Error("cancelled"), { code: 409 }));
  }

  tell(id, name, value) {
    const invocation = this.#running.get(id);
    if (invocation === undefined) return;
    invocation.signals.set(name, value);
    invocation.onSignal?.(name);
  }

  awakeable() {
    const id = `sign_${this.#awakeables.size + 1}`;
    let resolve;
    const promise = new Promise((done) => (resolve = done));
    this.#awakeables.set(id, resolve);
    return { id, promise };
  }

  resolveAwakeable(id, value) {
    this.#awakeables.get(id)?.(copy(value));
  }

  /** Waits until everything has happened that needs no time. */
  async settle() {
    for (let i = 0; i < 60; i += 1) await turn();
    const failure = this.#failures.find(({ code }) => code !== 409);
    if (failure !== undefined) throw failure;
  }

  /** Advances the clock to the next timer, and by `by` ms more. Returns false if there is none. */
  async skip(by = 0) {
    await this.settle();
    this.#timers.sort((a, b) => a.at - b.at);
    const next = this.#timers.shift();
    if (next === undefined) return false;
    this.now = Math.max(this.now, next.at) + by;
    next.action();
    await this.settle();
    return true;
  }
}

const RETRY = 1000;

/** The context of an attempt. It replays the journal of earlier attempts, and then appends to it. */
class Context {
  #fake;
  #invocation;
  #at = 0;
  ended;
  die;

  constructor(fake, invocation, ended) {
    this.#fake = fake;
    this.#invocation = invocation;
    this.ended = ended;
  }

  get key() {
    return this.#invocation.key;
  }

  get invocation() {
    return this.#invocation.id;
  }

  /** Checks, at the end of an attempt, that it has requested every entry of the journal. */
  check() {
    assert.equal(this.#at, this.#invocation.journal.length, "an attempt has requested fewer steps than the one before");
  }

  /** Returns the entry of the next step: that of the journal, or a new one, which `begin` starts. */
  #step(what, begin) {
    if (this.ended.aborted) return { done: new Promise(() => {}) };
    const { journal, order } = this.#invocation;
    const known = journal[this.#at];
    this.#at += 1;
    if (known !== undefined) {
      assert.deepEqual(known.what, copy(what), "an attempt requests another step than the one before");
      if (!known.isDone) this.#resume(known, begin);
      return known;
    }
    const entry = { what: copy(what), isDone: false };
    entry.done = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    entry.done.catch(() => {});
    entry.complete = (value, failure) => {
      if (entry.isDone) return;
      entry.isDone = true;
      order.push(entry);
      if (failure === undefined) entry.resolve(copy(value));
      else entry.reject(failure);
    };
    journal.push(entry);
    entry.begun = begin(entry, true);
    if (--this.#fake.dieAfter === 0) this.die();
    return entry;
  }

  /** Starts a step again if the attempt that died was executing it. */
  #resume(entry, begin) {
    if (entry.what[0] === "run") begin(entry, false);
  }

  run(name, action) {
    const { ended } = this;
    return Durable.of(
      this.#step(["run", name], (entry) => {
        void turn()
          .then(action)
          .then(
            (value) => {
              // The result of an attempt that has died is dropped.
              if (!ended.aborted) entry.complete(value);
            },
            // Restate repeats the whole invocation after a delay.
            () => this.#fake.later(RETRY, () => this.die()),
          );
      }),
    );
  }

  sleep(milliseconds) {
    return Durable.of(this.#step(["sleep", milliseconds], (entry) => this.#fake.later(milliseconds, () => entry.complete())));
  }

  signal(name) {
    const { signals } = this.#invocation;
    return Durable.of(
      this.#step(["signal", name], (entry) => {
        // A signal that was not taken yet has the last value that was sent.
        const take = () => {
          entry.complete(signals.get(name));
          signals.delete(name);
          this.#invocation.onSignal = undefined;
        };
        if (signals.has(name)) take();
        else this.#invocation.onSignal = (sent) => sent === name && take();
      }),
    );
  }

  async race(durables) {
    for (;;) {
      const first = this.#invocation.order.find((entry) => durables.some((durable) => durable.entry === entry));
      if (first !== undefined) return durables.find((durable) => durable.entry === first);
      await Promise.race([
        ...durables.map(({ entry }) => entry.done.catch(() => {})),
        new Promise((resolve, reject) => (this.#invocation.cancel = reject)),
      ]);
    }
  }

  call(target, parameter) {
    const entry = this.#step(["call", target, parameter], (own) => {
      this.#fake.call(target, parameter).then(own.complete, (failure) => own.complete(undefined, failure));
    });
    return Object.assign(Durable.of(entry), { invocationId: Promise.resolve("inv") });
  }

  send(target, parameter, delay = 0) {
    const entry = this.#step(["send", target, parameter, delay], (own) => {
      if (delay > 0) this.#fake.later(delay, () => void this.#fake.call(target, parameter));
      own.complete(delay > 0 ? "delayed" : this.#fake.call(target, parameter).id);
    });
    return { invocationId: entry.done };
  }

  cancel(id) {
    this.#step(["cancel", id], (entry) => entry.complete(this.#fake.cancel(id)));
  }

  tell(id, name, value) {
    this.#step(["tell", id, name, value], (entry) => entry.complete(this.#fake.tell(id, name, value)));
  }

  awakeable() {
    const made = this.#step(["awakeable"], (entry) => {
      const { id, promise } = this.#fake.awakeable();
      entry.id = id;
      promise.then(entry.complete);
    });
    return { id: made.id, promise: Durable.of(made) };
  }

  resolveAwakeable(id, value) {
    this.#step(["resolve", id, value], (entry) => entry.complete(this.#fake.resolveAwakeable(id, value)));
  }

  get(name) {
    return this.#step(["get", name], (entry) => entry.complete(this.#fake.stateOf(this.key).get(name) ?? null)).done.then(copy);
  }

  names() {
    return this.#step(["names"], (entry) => entry.complete([...this.#fake.stateOf(this.key).keys()])).done;
  }

  set(name, value) {
    this.#step(["set", name, value], (entry) => entry.complete(void this.#fake.stateOf(this.key).set(name, copy(value))));
  }

  clear(name) {
    this.#step(["clear", name], (entry) => entry.complete(void this.#fake.stateOf(this.key).delete(name)));
  }

  clearAll() {
    this.#step(["clearAll"], (entry) => entry.complete(this.#fake.stateOf(this.key).clear()));
  }
}

/** The handlers of all services, in the form that FakeRestate takes. */
export function handlersOf({ object, schedule, activity, shards, mapRuns, tasks: service }) {
  const shared = (handle) => ({ handle, shared: true });
  const owned = (handle) => ({ handle, shared: false });
  return {
    "StepglassExecution/start": owned((ctx, request) => object.start(ctx, request)),
    "StepglassExecution/child": owned((ctx, request) => object.child(ctx, request)),
    "StepglassShard/start": owned((ctx, request) => shards.start(ctx, request)),
    "StepglassShard/settled": owned((ctx, settled) => shards.settled(ctx, settled)),
    "StepglassTasks/children": shared((ctx, request) => service.children(ctx, request)),
    "StepglassShard/ended": owned((ctx, ended) => shards.ended(ctx, ended)),
    "StepglassShard/tell": owned((ctx, timer) => shards.tell(ctx, timer)),
    "StepglassShard/stop": owned((ctx, redrive) => shards.stop(ctx, redrive)),
    "StepglassShard/migrate": owned((ctx, digest) => shards.migrate(ctx, digest)),
    "StepglassShard/forget": owned((ctx) => shards.forget(ctx)),
    "StepglassMapRun/put": owned((ctx, execution) => mapRuns.put(ctx, execution)),
    "StepglassMapRun/execution": shared((ctx) => mapRuns.execution(ctx)),
    "StepglassMapRun/forget": owned((ctx) => mapRuns.forget(ctx)),
    "StepglassExecution/event": owned((ctx, event) => object.event(ctx, event)),
    "StepglassExecution/tell": shared((ctx, event) => object.tell(ctx, event)),
    "StepglassExecution/ring": shared((ctx, news) => object.ring(ctx, news)),
    "StepglassExecution/stop": shared((ctx, about) => object.stop(ctx, about)),
    "StepglassExecution/describe": shared((ctx) => object.describe(ctx)),
    "StepglassExecution/history": shared((ctx, page) => object.history(ctx, page)),
    "StepglassExecution/result": shared((ctx) => object.result(ctx)),
    "StepglassExecution/mapRuns": shared((ctx) => object.mapRuns(ctx)),
    "StepglassExecution/problems": shared((ctx, definition) => object.problems(ctx, definition)),
    "StepglassTasks/attempt": shared((ctx, request) => service.attempt(ctx, request)),
    "StepglassTasks/shard": shared((ctx, request) => service.shard(ctx, request)),
    "StepglassTasks/ask": shared((ctx, request) => service.ask(ctx, request)),
    "StepglassSchedule/put": owned((ctx, options) => schedule.put(ctx, options)),
    "StepglassSchedule/remove": owned((ctx) => schedule.remove(ctx)),
    "StepglassSchedule/ring": owned((ctx, ring) => schedule.ring(ctx, ring)),
    "StepglassSchedule/ended": owned((ctx, about) => schedule.ended(ctx, about)),
    "StepglassActivity/offer": owned((ctx, offered) => activity.offer(ctx, offered)),
    "StepglassActivity/take": owned((ctx, poll) => activity.take(ctx, poll)),
    "StepglassActivity/leave": owned((ctx, poll) => activity.leave(ctx, poll)),
    "StepglassActivity/withdraw": owned((ctx, task) => activity.withdraw(ctx, task)),
    "StepglassActivity/poll": shared((ctx, poll) => activity.poll(ctx, poll)),
    "StepglassDefinition/put": owned(async (ctx, text) => void ctx.set("text", text)),
    "StepglassDefinition/get": shared((ctx) => ctx.get("text")),
  };
}

/** A copy of a value that has passed through JSON. */
function copy(value) {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
