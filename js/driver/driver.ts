// @ts-nocheck: has no types yet.
// Runs one engine: feeds it facts, does what it asks for, keeps its one timer.
//
// All facts go through one inbox, so a handler may call anything of its execution while it runs: what it says is fed
// when the commands at hand are done. A handler whose answer is no promise is fed at once, without a microtask.

import { InternalError, TaskCancelled, misuse } from "../base/errors.ts";
import { answeredFailure, failure, resultText, submittedText, taskInput } from "../tasks/integration.ts";
import { shown } from "../base/options.ts";
import { Alarm, VirtualClock } from "./clock.ts";
import { inTime, later, mayBegin, soon } from "./scheduler.ts";
import { Task } from "./task.ts";

/** One task between its invocation and its end. */
class Call {
  constructor(command, resource, task) {
    this.command = command;
    this.resource = resource;
    this.task = task;
    // Whether a handler's promise is open, and whether the answer to come is only the request's.
    this.pending = false;
    // Sleeps of the handler that are not over; a handler that sleeps does not hold virtual time.
    this.sleeps = 0;
    this.submits = resource.pattern === "waitForTaskToken";
    this.answered = false;
    this.ended = false;
    // Of a handler that takes calls itself: what it does when nobody waits any more, and when the call has ended anyhow.
    this.onCancel = undefined;
    this.onEnd = undefined;
    // The execution that the call waits for.
    this.child = undefined;
  }
}

export class Driver {
  #engine;
  #handlers;
  #clock;
  #virtual;
  #alarm;
  #onEvent;
  #onStage;
  #onChild;
  #onIdle;
  #onFinish;
  #inbox = [];
  #read = 0;
  // Commands, and how many of them are done.
  #commands = [];
  #done = 0;
  #stopping = false;
  #stoppedBy;
  // What a handler has thrown last, and what was made of it.
  #failure;
  #calls = new Map();
  #tokens = new Map();
  // Handlers at work: with an open promise, and not asleep. And tokens that somebody may still answer.
  #promises = 0;
  #tokensOut = 0;
  #jumping = false;
  // What handlers sleep for, ordered by time: `{at, call, resolve, reject}`.
  #sleeps = [];
  #toldIdle = false;
  #running = false;
  #queued = false;
  #more = false;
  #deadline = null;
  #told = 0;
  #waiters = [];
  #crash;

  /** What the execution has failed with or was stopped for, as `{value}`: an error that a handler has thrown, a signal's reason. */
  thrown;

  /** The execution that handlers see. */
  execution;
  /** How it ended: `{status, output?, error?, cause?}`. */
  outcome;
  /** How many events there are. */
  events = 0;

  /** The executions that were started by one another, this one among them; undefined where none can be. */
  family;
  /** The seed of the names and seeds of executions that this one starts. */
  seed;

  constructor({ engine, handlers, clock, family, seed, onEvent, onStage, onChild, onIdle, onFinish }) {
    this.#engine = engine;
    this.#handlers = handlers;
    this.#clock = clock;
    this.#virtual = clock instanceof VirtualClock;
    this.#onEvent = onEvent;
    this.#onStage = onStage;
    this.#onChild = onChild;
    this.#onIdle = onIdle;
    this.family = family;
    this.seed = seed;
    this.#onFinish = onFinish;
    this.#alarm = new Alarm(clock, () => this.post(...TICK));
  }

  /** The execution's time. */
  now() {
    return this.#clock.now();
  }

  /** With virtual time: whether nothing but the passing of time can move the execution. */
  get quiet() {
    return !this.#running && !this.#queued && this.#promises === 0 && !this.#more && this.#done === this.#commands.length && this.#read === this.#inbox.length;
  }

  /** Whether a handler is at work, and not asleep. */
  get atWork() {
    return this.#promises > 0;
  }

  /** When time moves the execution, or null. */
  get deadline() {
    const wakes = this.#sleeps.length > 0 ? this.#sleeps[0].at : Infinity;
    return this.#deadline !== null && this.#deadline <= wakes ? this.#deadline : wakes === Infinity ? null : wakes;
  }

  /** Tokens that somebody may still answer. */
  get tokens() {
    return this.#tokensOut;
  }

  /** Looks again whether there is anything to do. */
  wake() {
    if (this.outcome === undefined) this.#kick();
  }

  /** For a handler: a promise that resolves when so much of the execution's time has passed. */
  sleep(task, milliseconds) {
    const duration = Number(milliseconds);
    if (!(duration >= 0)) throw misuse("INVALID_ARGUMENT", "task.sleep() takes a number of milliseconds", RangeError);
    const call = this.#calls.get(task.id);
    if (call?.task !== task) return asleep(Promise.reject(task.signal.reason ?? new TaskCancelled("Stopped", task.stateName)));
    return asleep(
      new Promise((resolve, reject) => {
        const sleep = { at: this.#clock.now() + duration, call, resolve, reject };
        const before = this.#sleeps.findIndex(({ at }) => at > sleep.at);
        this.#sleeps.splice(before < 0 ? this.#sleeps.length : before, 0, sleep);
        this.#setSleeps(call, call.sleeps + 1);
        // Whoever waits for time waits for this, too.
        later(() => this.#kick());
      }),
    );
  }

  /** With virtual time: nothing moves this execution any more, nor another one on its clock. */
  idle() {
    if (this.#onIdle === undefined || this.#toldIdle || this.outcome !== undefined) return;
    this.#toldIdle = true;
    this.#observe("onIdle", this.#onIdle, undefined);
  }

  /** Begins with the given facts, after the caller's own code has run: a handler may use the execution's variable. */
  begin(facts) {
    this.#clock.join?.(this);
    this.family?.drivers.add(this);
    this.#inbox.push(...facts);
    soon(() => this.#kick());
  }

  /**
   * Goes on with a restored engine; the tasks in `submitted` wait for their token only, those in `nested` for an execution
   * that goes on too, the others are called again.
   */
  resume(submitted, nested) {
    const status = JSON.parse(this.#engine.ask("status"));
    this.events = this.#engine.events;
    this.#told = this.events;
    if (status.status !== "RUNNING") {
      soon(() => this.#end(status));
      return;
    }
    for (const command of JSON.parse(this.#engine.ask("pending"))) {
      const child = nested.get(command.task);
      const starter = child && this.#handlers.find(command.resource, command.state, command.input);
      if (submitted.has(command.task)) this.#open(command).answered = true;
      else if (starter?.resume) starter.resume(this.#open(command), this, child);
      else this.#commands.push(command);
    }
    this.begin([TICK]);
  }

  /** Takes up an execution that did not succeed. Throws where that is impossible. */
  redrive() {
    this.#told = this.#engine.events;
    const step = this.#engine.feed("redrive", this.#clock.now());
    this.#commands = step.commands;
    this.#more = step.more;
    this.#deadline = step.deadline;
    this.events = step.events;
    this.begin([TICK]);
  }

  /** Gives the engine's memory back. */
  release() {
    this.#engine.release();
  }

  /** Takes a fact in. */
  post(...fact) {
    this.#post(fact);
  }

  #post(fact) {
    if (this.outcome !== undefined) return;
    this.#inbox.push(fact);
    // Whoever looks at a task's signal after a stop finds it aborted, although the engine learns of it in a coming turn.
    if (fact[0] === "stop" && !this.#stopping) {
      this.#stopping = true;
      for (const call of [...this.#calls.values()]) Task.cancel(call.task, "Stopped", this.#stoppedBy);
    }
    this.#kick();
  }

  /** Ends the execution as ABORTED, for a reason as `{value}`. */
  stop(reason, cause) {
    this.#stoppedBy ??= reason;
    this.post("stop", undefined, cause);
  }

  /** A task's worker is alive. */
  heartbeat(task) {
    const call = this.#calls.get(task);
    if (call && !call.ended) this.post("heartbeat", task);
  }

  /** The JSON text of what a task that waits was given, or of a member of that, with the digits of its numbers. */
  inputOf(task, member) {
    return this.#engine.ask("inputOf", task, member);
  }

  /** The call that a task token names; throws for one that was never given out. */
  callOf(token) {
    const call = this.#tokens.get(token);
    if (call === undefined) {
      throw misuse("UNKNOWN_TOKEN", `no task of this execution has the token ${shown(token)}`, RangeError);
    }
    return call;
  }

  /** The call that a task token names, for those who try several executions: undefined where it is not of this one. */
  findCall(token) {
    return this.#tokens.get(token);
  }

  /** The events from an index on, parsed; up to another index. */
  history(from = 0, to = Infinity) {
    const events = this.#engine.history(from, to);
    if (this.#crash && from < this.events && to >= this.events) events.push(this.#crash);
    return events;
  }

  /** The events from an index on, in lists of a bounded size. */
  *pages(from) {
    for (const page of this.#engine.pages(from)) yield page.map(([, event]) => event);
    if (this.#crash && from < this.events) yield [this.#crash];
  }

  /** The events from an index on, as one JSON text. */
  historyText(from = 0) {
    return this.#crash ? JSON.stringify(this.history(from)) : this.#engine.historyText(from);
  }

  /** Resolves when there are more events, or when the execution has ended. */
  changed() {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** What runs now. */
  frames() {
    return JSON.parse(this.#engine.ask("frames"));
  }

  /** The stages of data flow since the last call. */
  trace() {
    return JSON.parse(this.#engine.ask("takeTrace"));
  }

  /** What of the definition was used, and what became of errors. */
  coverage() {
    return JSON.parse(this.#engine.ask("coverage"));
  }

  /** The engine's snapshot, and the tasks whose request was made and whose token is awaited. */
  snapshot() {
    // An execution that has not begun begins now; its commands are done in the turn that is coming.
    if (this.#inbox[this.#read]?.[0] === "start" && !this.#running) this.#feed(this.#inbox[this.#read++]);
    const calls = [...this.#calls.values()].filter((call) => !call.ended);
    const submitted = calls.filter((call) => call.submits && call.answered).map((call) => call.command.task);
    const nested = calls.filter((call) => call.child?.running).map(({ command, child }) => ({ task: command.task, child: child.toJSON(), snapshot: child.execution.snapshot() }));
    return { engine: this.#engine.snapshot(), submitted, ...(nested.length > 0 && { nested }) };
  }

  #kick() {
    if (this.#running || this.#queued) return;
    if (mayBegin()) this.#run();
    else this.#queue();
  }

  #queue() {
    this.#queued = true;
    later(() => {
      this.#queued = false;
      this.#run();
    });
  }

  /** Feeds and performs until there is nothing to do at once, or the turn is over. */
  #run() {
    if (this.#running) return;
    this.#running = true;
    let idle = false;
    try {
      for (let done = 0; ; done += 1) {
        const command = this.#commands[this.#done];
        idle = command === undefined && this.#isIdle();
        // To look at the clock costs as much as some states do: not before a fact and the first thing that comes of it.
        if (idle || (done > 1 && !inTime())) break;
        if (command !== undefined) {
          this.#done += 1;
          this.#perform(command);
          continue;
        }
        const fact = this.#next();
        idle = fact === undefined;
        if (idle) break;
        this.#feed(fact);
        this.#tell();
      }
      if (this.outcome === undefined) this.#alarm.set(idle && !this.#virtual ? this.deadline : null);
    } catch (bug) {
      // Of ours, or of a clock that throws.
      this.#fail(new InternalError(bug).message);
      idle = true;
    }
    this.#running = false;
    if (!idle) this.#queue();
    this.#wake();
  }

  /** Whether there is no fact, without a look at the time. */
  #isIdle() {
    if (this.outcome !== undefined) return true;
    const waits = this.#read === this.#inbox.length && !this.#more && this.#sleeps.length === 0;
    return waits && !(this.#virtual && this.#promises === 0);
  }

  #next() {
    if (this.#read < this.#inbox.length) {
      this.#jumping = false;
      if (this.#read === 0 && this.#inbox.length === 1) return this.#inbox.pop();
      const fact = this.#inbox[this.#read];
      this.#inbox[this.#read++] = undefined;
      if (this.#read === this.#inbox.length) {
        this.#inbox.length = 0;
        this.#read = 0;
      }
      return fact;
    }
    if (this.#more) return TICK;
    if (this.#virtual && this.#promises === 0) {
      const first = this.#clock.first(this);
      if (first !== this) {
        if (first !== undefined) later(() => first.wake());
        else if (this.#clock.idle(this)) later(() => this.quiet && this.#clock.idle(this) && this.#clock.tellIdle());
        return undefined;
      }
      // Whoever holds a token may answer in this very turn of the event loop: time jumps after it.
      if (this.#clock.tokens > 0 && !this.#jumping) {
        this.#jumping = true;
        later(() => this.#kick());
        return undefined;
      }
      this.#jumping = false;
      this.#clock.jump(this.deadline);
      if (this.#deadline !== null && this.#deadline <= this.#clock.now()) return TICK;
    }
    this.#wakeSleepers();
    return undefined;
  }

  /** Ends the sleeps that are over. What is due in the engine at the same instant comes first. */
  #wakeSleepers() {
    if (this.#sleeps.length === 0) return;
    const now = this.#clock.now();
    if (this.#sleeps[0].at > now || (this.#deadline !== null && this.#deadline <= now)) return;
    while (this.#sleeps.length > 0 && this.#sleeps[0].at <= now) {
      const { call, resolve } = this.#sleeps.shift();
      this.#setSleeps(call, call.sleeps - 1);
      resolve();
    }
    later(() => this.#kick());
  }

  #setPending(call, pending) {
    if (call.pending === pending) return;
    call.pending = pending;
    if (call.sleeps === 0) this.#promises += pending ? 1 : -1;
  }

  #setSleeps(call, sleeps) {
    const slept = call.sleeps > 0;
    call.sleeps = sleeps;
    if (call.pending && slept !== sleeps > 0) this.#promises += slept ? 1 : -1;
  }

  #feed(fact) {
    let step;
    try {
      step = this.#engine.feed(fact[0], this.#clock.now(), fact[1], fact[2], fact[3]);
    } catch (thrown) {
      if (thrown instanceof InternalError) return this.#fail(thrown.message);
      return this.#refused(fact[0], fact[1], thrown);
    }
    this.#more = step.more;
    this.#deadline = step.deadline;
    this.events = step.events;
    this.#toldIdle = false;
    if (this.#done === this.#commands.length) {
      this.#commands = step.commands;
      this.#done = 0;
    } else {
      for (const command of step.commands) this.#commands.push(command);
    }
  }

  /** A text that JavaScript takes for JSON and the engine does not: too deep. */
  #refused(method, task, thrown) {
    const why = thrown?.message ?? String(thrown);
    const call = this.#calls.get(task);
    if (call !== undefined) this.#leave(call);
    if (thrown?.code === "PAYLOAD_TOO_LARGE" && method !== "start") return this.#feed(["fail", task, "States.DataLimitExceeded", why]);
    if (method === "succeed" || method === "submitted") return this.#feed(["fail", task, "States.TaskFailed", `the handler's answer cannot be read: ${why}`]);
    this.#fail(why);
  }

  #perform(command) {
    switch (command.type) {
      case "Invoke":
        // Of a task that a stop is about to cancel nobody hears.
        if (!this.#stopping) this.#invoke(command);
        break;
      case "Cancel":
        this.#close(command.task, command.reason);
        break;
      case "ChildFinished": {
        const { type, ...child } = command;
        this.#observe("onChild", this.#onChild, child);
        break;
      }
      case "Finish": {
        const { type, ...outcome } = command;
        this.#end(outcome);
        break;
      }
    }
  }

  #open(command) {
    const resource = this.#handlers.resource(command.resource);
    const call = new Call(command, resource, new Task(command, this));
    this.#calls.set(command.task, call);
    if (command.token !== undefined) {
      this.#tokens.set(command.token, call);
      this.#tokensOut += 1;
    }
    return call;
  }

  /** Nothing of the call counts any more. */
  #leave(call) {
    if (call.ended) return;
    call.ended = true;
    if (call.sleeps > 0) this.#disturb(call);
    call.onEnd?.();
    this.#calls.delete(call.command.task);
    const { token } = call.command;
    if (token !== undefined) {
      this.#tokens.set(token, ENDED);
      this.#tokensOut -= 1;
    }
  }

  #invoke(command) {
    const call = this.#open(command);
    const { resource, state, input, task } = command;
    const handler = this.#handlers.find(resource, state, input);
    if (handler === undefined) {
      this.#leave(call);
      const { error, cause } = this.#handlers.missing(resource, state, input);
      this.#inbox.push(["fail", task, error, cause]);
      return;
    }
    if (typeof handler !== "function") {
      handler.take(call, this);
      return;
    }
    if (call.resource.kind === "activity") this.#inbox.push(["started", task, undefined]);
    if (call.resource.pattern.startsWith("sync")) this.#inbox.push(["submitted", task, submittedText(call.resource, command, this.#clock.now())]);
    let answer;
    try {
      answer = handler(taskInput(call.resource, input), call.task);
      if (isThenable(answer)) {
        this.#setPending(call, true);
        Promise.resolve(answer).then(
          (value) => this.#settle(call, value),
          (thrown) => this.#reject(call, thrown),
        );
        return;
      }
    } catch (thrown) {
      this.#reject(call, thrown);
      return;
    }
    this.#settle(call, answer);
  }

  #settle(call, value) {
    if (!this.#answered(call)) return;
    const reads = call.command.purpose === "ItemReader";
    if (reads && typeof value?.Body === "string" && value.Contents === undefined) {
      this.#finish(call, ["items", call.command.task, value.Body, true]);
      return;
    }
    const failed = answeredFailure(call.resource, value);
    if (failed !== undefined) return this.#finish(call, ["fail", call.command.task, failed.error, failed.cause]);
    let text;
    try {
      text = resultText(call.resource, call.command, value, this.#clock.now());
    } catch (thrown) {
      const cause = `the answer of the handler for state ${JSON.stringify(call.command.state)} cannot be written as JSON: ${messageOf(thrown)}`;
      this.#finish(call, ["fail", call.command.task, "States.TaskFailed", cause]);
      return;
    }
    if (reads) this.#finish(call, ["items", call.command.task, text, false]);
    else if (call.submits) this.post("submitted", call.command.task, text);
    else this.#finish(call, ["succeed", call.command.task, text]);
  }

  #reject(call, thrown) {
    if (!this.#answered(call)) return;
    const { error, cause } = failure(call.resource, call.command, thrown, this.#clock.now());
    this.#failure = { error, cause, value: thrown };
    this.#finish(call, ["fail", call.command.task, error, cause]);
  }

  /** Whether an answer still counts. */
  #answered(call) {
    this.#setPending(call, false);
    call.answered = true;
    if (!call.ended) return true;
    // With virtual time, this promise may have been what the clock waited for.
    this.#kick();
    return false;
  }

  /** Ends a call with its result. */
  #finish(call, fact) {
    this.#leave(call);
    // Until results are stored, those that come after them pile up behind.
    if (call.command.purpose === "ResultWriter" && this.outcome === undefined) {
      this.#inbox.splice(this.#read, 0, fact);
      this.#kick();
    } else {
      this.#post(fact);
    }
  }

  /** Completes a callback from outside. Whether it still counted. */
  complete(call, method, ...rest) {
    if (call.ended || this.outcome !== undefined) return false;
    if (method === "heartbeat") this.post("heartbeat", call.command.task);
    else this.#finish(call, [method, call.command.task, ...rest]);
    return true;
  }

  #close(task, reason) {
    const call = this.#calls.get(task);
    if (call === undefined) return;
    const sleeps = call.sleeps > 0 ? this.#disturb(call) : [];
    this.#leave(call);
    this.#setPending(call, false);
    Task.cancel(call.task, reason, this.#stoppedBy);
    for (const { reject } of sleeps) reject(call.task.signal.reason);
    call.onCancel?.();
  }

  /** Takes the sleeps of a call away that nobody waits for any more. */
  #disturb(call) {
    const disturbed = this.#sleeps.filter((sleep) => sleep.call === call);
    this.#sleeps = this.#sleeps.filter((sleep) => sleep.call !== call);
    this.#setSleeps(call, 0);
    return disturbed;
  }

  #end(outcome) {
    if (this.outcome !== undefined) return;
    this.outcome = outcome;
    const { status, error, cause } = outcome;
    if (status === "ABORTED") this.thrown = this.#stoppedBy;
    else if (status === "FAILED" && this.#failure?.error === error && this.#failure?.cause === cause) this.thrown = this.#failure;
    this.#failure = undefined;
    this.#more = false;
    this.#deadline = null;
    this.#inbox.length = 0;
    this.#read = 0;
    try {
      this.#alarm.set(null);
    } catch {
      // A clock that throws has nothing to clear that counts.
    }
    for (const task of [...this.#calls.keys()]) this.#close(task, "Stopped");
    this.#tell();
    this.#engine.retire();
    this.#clock.leave?.(this);
    this.family?.drivers.delete(this);
    this.#onFinish(outcome, this.#timeOfFailure());
  }

  /** Ends the execution where the engine cannot, with the history that it has or that its journal gives. */
  #fail(cause) {
    if (this.outcome !== undefined) return;
    const error = "States.Runtime";
    let last = 0;
    try {
      this.events = this.#engine.events;
      last = this.events;
    } catch {
      // The journal traps again: what is known is that it failed.
    }
    this.#crash = {
      id: last + 1,
      previousEventId: last,
      timestamp: new Date(this.#timeOfFailure()).toISOString(),
      type: "ExecutionFailed",
      executionFailedEventDetails: { error, cause },
    };
    this.events += 1;
    this.#commands = [];
    this.#done = 0;
    this.#end({ status: "FAILED", error, cause });
  }

  #timeOfFailure() {
    try {
      return this.#clock.now();
    } catch {
      return Date.now();
    }
  }

  /** Tells the observers of new events and stages, in the order in which they came about. */
  #tell() {
    if (this.#onStage !== undefined) return this.#tellAll();
    if (this.#onEvent === undefined || this.#told >= this.events) return;
    const from = this.#told;
    this.#told = this.events;
    for (const event of this.history(from)) this.#observe("onEvent", this.#onEvent, event);
  }

  #tellAll() {
    const events = this.#told < this.events ? this.history(this.#told) : [];
    this.#told = this.events;
    let next = 0;
    const upTo = (id) => {
      while (next < events.length && events[next].id <= id) this.#observe("onEvent", this.#onEvent, events[next++]);
    };
    for (const stage of this.trace()) {
      // Stages of child executions count events of their own histories.
      if (stage.child === undefined) upTo(stage.after);
      this.#observe("onStage", this.#onStage, stage);
    }
    upTo(Infinity);
  }

  /** An observer's mistake is not the execution's: it is said once, and neither stops it nor goes unhandled. */
  #observe(name, observer, what) {
    const report = (thrown) => console.error(`stepglass: ${name} has thrown`, thrown);
    try {
      const answer = observer?.(what, this.execution);
      if (isThenable(answer)) Promise.resolve(answer).catch(report);
    } catch (thrown) {
      report(thrown);
    }
  }

  #wake() {
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}

const TICK = ["tick"];

// Stands for every call whose token is spent: late answers are told apart from made up tokens, and nothing is kept.
const ENDED = { ended: true };

/** A promise that may be forgotten: a sleep that nobody waits for may be cut off without a word. */
function asleep(promise) {
  promise.catch(() => {});
  return promise;
}

function isThenable(value) {
  return (typeof value === "object" || typeof value === "function") && value !== null && typeof value.then === "function";
}

function messageOf(thrown) {
  try {
    return String(thrown?.message ?? thrown);
  } catch {
    return "unknown error";
  }
}
