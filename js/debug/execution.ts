// @ts-nocheck: has no types yet.
// One execution in a run, the run's own or one that a task has started: its recording, its tasks at work, answers to come.

import { TaskCancelled, misuse } from "../base/errors.ts";
import { argumentText, failure, handlerInput, resultText, submittedText, jsonText } from "../tasks/integration.ts";
import { LAST } from "../base/options.ts";
import { Reply, factsOf } from "./mocks.ts";
import { lowerBound } from "./search.ts";

/** Numbers of tasks that belong to one execution: those of the run's own are smaller, as the engine gives them. */
export const TASKS = 2 ** 32;

export class Execution {
  /** Tasks that wait for an answer by their number. */
  calls = new Map();
  /** How far the world has done what the engine wished: facts whose commands were done. */
  performed = 0;
  /** How it ended. */
  outcome;
  /** Answers of an earlier run that stand for tasks, by `keyOf`; and those of a recorded execution, which come after mocks. */
  answers;
  recorded;
  /** Facts to be fed. */
  inbox = [];
  #coming = [];
  #invoked = new Map();
  /** What calls are named, and the how manieth of their state they are: also those made before this run was forked. */
  #known = new Map();
  #host;
  /** Where each entry of its tape, and each of its facts, stands among those of all executions of the run. */
  places = [];
  order = [];

  /**
   * `parent` is the execution whose `task`, in the visit `visit`, has started it, `record` what its family knows of it;
   * `awaited` says whether the task waits for its end. The run's own has none of these. `born` says how many facts the run was fed by then.
   */
  constructor(run, { definition, machine, info, seed, input, start, recording, performed, parent, task, visit, awaited, record, type, born = 0 }) {
    Object.assign(this, { run, definition, machine, info, seed, input, start, recording, parent, task, visit, awaited, record, type, born });
    this.number = run.executions.length;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.#host = run.host;
    if (performed === undefined) this.inbox.push(["start", input, info, seed]);
    else this.#adopt(performed);
  }

  get name() {
    return this.info.name;
  }

  get arn() {
    return this.info.arn ?? `arn:aws:states:us-east-1:123456789012:execution:${this.info.stateMachineName}:${this.name}`;
  }

  get ended() {
    return this.outcome !== undefined;
  }

  /** Where on its own tape one looks; how far that was ever seen; where that begins which this run has done itself. */
  get position() {
    return lowerBound(this.places, this.run.position);
  }

  get frontier() {
    return lowerBound(this.places, this.run.frontier);
  }

  get own() {
    return lowerBound(this.places, this.run.own);
  }

  now() {
    return this.run.now();
  }

  /** When something happens by itself next, or null. */
  due() {
    if (this.ended) return null;
    this.#drop();
    const { deadline } = this.recording;
    const coming = this.#coming[0]?.at ?? null;
    return deadline === null ? coming : coming === null ? deadline : Math.min(deadline, coming);
  }

  /** Whether somebody may answer before time has to pass. */
  get busy() {
    for (const call of this.calls.values()) if ((call.pending && !call.sleeps) || (call.asked && !call.silent)) return true;
    return false;
  }

  // Facts.

  /** What to feed next whatever the time is, or undefined. */
  ready() {
    if (this.ended) return undefined;
    if (this.inbox.length > 0) return this.inbox.shift();
    return this.recording.more ? ["tick"] : undefined;
  }

  /** What to feed next because its time has come, or undefined. */
  timely() {
    const due = this.due();
    if (due === null || due > this.now()) return undefined;
    const first = this.#coming[0];
    const { deadline } = this.recording;
    // A tie is the engine's: a result in the very millisecond of its time out is too late.
    if (first === undefined || (deadline !== null && deadline <= first.at)) return ["tick"];
    this.#coming.shift();
    if (first.fact !== undefined) return first.fact;
    first.wake();
    return this.ready() ?? this.timely();
  }

  feed([method, a, b, c]) {
    const fact = [method, this.now(), a, b, c];
    try {
      this.recording.feed(fact);
    } catch (thrown) {
      if (method !== "succeed" && method !== "submitted") throw thrown;
      this.recording.feed(["fail", this.now(), a, "States.TaskFailed", `the answer cannot be read: ${thrown?.message ?? thrown}`]);
    }
    if (method === "succeed" || method === "fail") this.#finish(a);
  }

  /** Does what the engine wished and was not done yet. */
  perform() {
    this.#resume();
    const { facts } = this.recording;
    while (this.performed < facts.length) {
      for (const command of facts[this.performed].commands) {
        if (command.type === "Invoke") this.#invoke(command);
        else if (command.type === "Cancel") this.#cancel(command.task, command.reason);
        else if (command.type === "Finish") this.#end(command);
      }
      this.performed += 1;
    }
  }

  stop(error, cause) {
    if (!this.ended) this.inbox.push(["stop", error, cause]);
  }

  // Tasks.

  /** The tasks that a person is asked about. */
  waiting() {
    return [...this.calls.values()].filter((call) => call.asked).map(({ command, asked, resource, silent, since, taken }) => ({
      task: this.number * TASKS + command.task,
      kind: asked,
      state: command.state,
      resource: command.resource,
      attempt: command.attempt,
      iterations: command.iterations ?? [],
      input: handlerInput(resource, command.input),
      ...(command.token !== undefined && { token: command.token }),
      ...(command.timeout !== undefined && { timeoutAt: since + command.timeout * 1000 }),
      ...(command.heartbeat !== undefined && { heartbeatSeconds: command.heartbeat }),
      silent: silent === true,
      ...(asked === "activity" && { taken: taken === true }),
      ...(this.parent && { execution: this.name }),
      since,
    }));
  }

  /** A person's answer. */
  answer(task, answer) {
    const call = this.calls.get(task);
    if (call === undefined) return false;
    const at = this.now() + (answer.after ?? 0);
    if (answer.kind === "succeed") argumentText(answer.output, "the output");
    // Only a worker who has taken it can say anything of it.
    if (answer.kind !== "silence") this.take(task);
    switch (answer.kind) {
      case "heartbeat":
        this.inbox.push(["heartbeat", task]);
        return true;
      case "silence":
        call.silent = true;
        return true;
      case "fail": {
        call.asked = undefined;
        this.#later(at, ["fail", task, answer.error, answer.cause]);
        return true;
      }
      case "succeed":
        call.asked = undefined;
        this.#later(at, ["succeed", task, this.#resultOf(call, answer.output)]);
        return true;
      default:
        throw misuse("INVALID_ARGUMENT", `there is no answer kind ${JSON.stringify(answer.kind)}`);
    }
  }

  /** The call that a token names. */
  callOf(token) {
    for (const call of this.calls.values()) if (call.command.token === token) return call;
    return undefined;
  }

  /** A person takes an activity's task as its worker. */
  take(task, workerName) {
    const call = this.calls.get(task);
    if (call?.asked !== "activity" || call.taken) return false;
    call.taken = true;
    this.post(["started", task, workerName]);
    return true;
  }

  heartbeat(task) {
    if (this.calls.has(task)) this.post(["heartbeat", task]);
  }

  /** Takes a fact in. */
  post(fact) {
    this.inbox.push(fact);
  }

  /** For handlers: resolves when so much of the run's time has passed; time goes on while they sleep. */
  sleep(call, milliseconds) {
    const duration = Number(milliseconds);
    if (!(duration >= 0)) throw misuse("INVALID_ARGUMENT", "task.sleep() takes a number of milliseconds", RangeError);
    const { promise, resolve, reject } = deferred();
    call.sleeps = (call.sleeps ?? 0) + 1;
    const asleep = (call.asleep ??= new Set());
    asleep.add(reject);
    call.onStop = (reason) => asleep.forEach((wake) => wake(new TaskCancelled(reason, call.command.state)));
    // Who sleeps for ever holds nothing up.
    if (duration < Infinity) this.#insert({
      at: this.now() + duration,
      wake: () => {
        asleep.delete(reject);
        call.sleeps -= 1;
        resolve();
      },
    });
    // One that is not awaited may be cut off.
    promise.catch(() => {});
    this.changed();
    return promise;
  }

  /** Takes over what a recording has at work, of which the commands of so many facts were done. */
  #adopt(performed) {
    const { recording } = this;
    const { facts } = recording;
    this.performed = Math.min(performed, facts.length);
    const status = recording.ask("status");
    // An end that nobody has seen yet is to come.
    if (this.performed === facts.length && status.status !== "RUNNING" && status.status !== "NOT_STARTED") this.outcome = status;
    for (const { commands } of facts.slice(0, this.performed)) for (const command of commands) if (command.type === "Invoke") this.#name(command);
    if (status.status === "NOT_STARTED") this.inbox.push(["start", this.input, this.info, this.seed]);
    const submitted = new Set(facts.filter(({ fact }) => fact[0] === "submitted").map(({ fact }) => fact[2]));
    for (const command of recording.ask("pending")) if (this.#known.has(command.task)) this.#pending.push({ command, submitted: submitted.has(command.task) });
  }

  #pending = [];

  /** Invokes again what a fork has found at work, and what was not answered by the fork itself. */
  #resume() {
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    if (this.ended) return;
    const open = new Set(this.recording.ask("pending").map(({ task }) => task));
    for (const { command, submitted } of pending) if (open.has(command.task)) this.#invoke(command, submitted, true);
  }

  /** Counts a call: what it is called in another run of the same way, and the how manieth of its state it is. */
  #name(command) {
    const counted = `${command.state} `;
    const call = this.#invoked.get(counted) ?? 0;
    this.#invoked.set(counted, call + 1);
    this.#known.set(command.task, { key: keyOf(command, this.#invoked), call });
  }

  #invoke(command, submitted = false, again = false) {
    const call = { command, resource: this.#host.resource(command.resource), since: this.now(), ended: false, submitted };
    this.calls.set(command.task, call);
    const { task } = command;
    if (!again) this.#name(command);
    const known = this.#known.get(task);
    command.call = known?.call ?? 0;
    const repeats = (answer) => answer?.silent || answer?.facts.length > 0;
    const started = again ? this.run.startedBy(this, task) : undefined;
    if (started) return this.run.relatives.rejoin(this, call, started);
    const earlier = this.answers?.get(known?.key);
    call.twin = earlier?.started;
    if (!call.twin && repeats(earlier)) return this.#repeat(call, earlier);
    const { reply, mode, taker, mocked } = this.#host.reply(command);
    const recorded = mocked ? undefined : this.recorded?.get(known?.key);
    if (repeats(recorded)) return this.#repeat(call, recorded);
    call.mode = mode;
    command.mode = mode;
    if (taker) return this.run.relatives.hand(this, call, taker);
    if (!again && mode !== "recorded") {
      // Who is asked takes an activity's task like a worker.
      if (call.resource.kind === "activity" && mode !== "ask") this.inbox.push(["started", task, undefined]);
      if (call.resource.pattern.startsWith("sync")) this.inbox.push(["submitted", task, submittedText(call.resource, command, this.now())]);
    }
    if (submitted && call.resource.pattern === "waitForTaskToken" && (mode === "handler" || mode === "function")) {
      call.asked = "token";
      return;
    }
    if (reply === undefined) {
      const { error, cause } = this.#host.missing(command);
      this.#later(this.now(), ["fail", task, error, cause]);
      return;
    }
    let value;
    try {
      value = reply(command, call, this);
    } catch (thrown) {
      this.reject(call, thrown);
      return;
    }
    if (typeof value?.then === "function") {
      call.pending = true;
      Promise.resolve(value).then(
        (result) => this.#settle(call, result, submitted),
        (thrown) => this.reject(call, thrown),
      );
    } else {
      this.#settle(call, value, submitted);
    }
  }

  changed() {
    this.#host.changed(this.run);
  }

  /** Answers as a recording has it. */
  #repeat(call, { facts, silent }) {
    call.mode = call.command.mode = "recorded";
    call.silent = silent === true;
    for (const { method, after, b, c } of facts) if (!call.submitted || (method !== "submitted" && method !== "started")) this.#later(this.now() + after, [method, call.command.task, b, c]);
  }

  #settle(call, value, submitted) {
    call.pending = false;
    if (call.ended) return this.changed();
    const { task } = call.command;
    try {
      this.#take(call, value, submitted);
    } catch (thrown) {
      this.#later(this.now(), ["fail", task, "States.TaskFailed", `the answer for state ${JSON.stringify(call.command.state)} cannot be written as JSON: ${thrown?.message ?? thrown}`]);
    }
    this.changed();
  }

  #take(call, value, submitted) {
    const { task } = call.command;
    const byToken = call.resource.pattern === "waitForTaskToken";
    const at = this.now();
    if (value instanceof Reply) {
      if (value.facts) return this.#repeat(call, value);
      // A mock of a callback answers the request too.
      if (byToken && !submitted) this.inbox.push(["submitted", task, "{}"]);
      if (value.ask) call.asked = byToken ? "token" : call.resource.kind === "activity" ? "activity" : "ask";
      else if (value.silent) call.silent = true;
      else if (value.error !== undefined) this.#later(at + value.after, ["fail", task, value.error, value.cause]);
      else this.#later(at + value.after, ["succeed", task, this.#resultOf(call, value.output)]);
    } else if (byToken) {
      if (!submitted) this.inbox.push(["submitted", task, this.#resultOf(call, value)]);
      // Who holds the token may have answered already.
      if (!call.answered) call.asked = "token";
    } else {
      this.#later(at, ["succeed", task, this.#resultOf(call, value)]);
    }
  }

  /** Fails a call as its handler's error does. */
  reject(call, thrown) {
    call.pending = false;
    if (!call.ended) {
      const { error, cause } = failure(call.resource, call.command, thrown, this.now());
      this.#later(this.now(), ["fail", call.command.task, error, cause]);
    }
    this.changed();
  }

  #resultOf(call, value) {
    return call.asked === "token" || call.resource.pattern === "waitForTaskToken" ? jsonText(value) : resultText(call.resource, call.command, value, this.now());
  }

  #later(at, fact) {
    this.#insert({ at, fact });
  }

  #insert(entry) {
    entry.at = Math.min(entry.at, LAST);
    let i = this.#coming.length;
    while (i > 0 && this.#coming[i - 1].at > entry.at) i--;
    this.#coming.splice(i, 0, entry);
  }

  /** Forgets answers to tasks that have ended. */
  #drop() {
    while (this.#coming[0]?.fact && !this.calls.has(this.#coming[0].fact[1])) this.#coming.shift();
  }

  #finish(task) {
    const call = this.calls.get(task);
    if (call === undefined) return;
    call.ended = true;
    call.onEnd?.();
    this.calls.delete(task);
  }

  #cancel(task, reason) {
    const call = this.calls.get(task);
    call?.onCancel?.(reason);
    call?.onStop?.(reason);
    this.#finish(task);
  }

  #end({ type, ...outcome }) {
    this.outcome = outcome;
    for (const task of [...this.calls.keys()]) this.#cancel(task, "Stopped");
    this.inbox.length = 0;
    this.run.relatives.left(this);
  }
}

function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

/** The tasks of a recorded execution, as `replayHistory()` tells of them, as answers. */
export function answersOf(tasks) {
  const counts = new Map();
  return new Map(
    // What the recording has left out somebody else has to say.
    tasks.map((task) => [keyOf(task, counts), task.unknown ? { facts: [] } : factsOf(task)]),
  );
}

/** Names a task in a way that holds in another run of the same path: state, iterations, and the how manieth it is there. */
export function keyOf(command, counts) {
  const place = JSON.stringify([command.state, command.iterations ?? []]);
  const n = counts.get(place) ?? 0;
  counts.set(place, n + 1);
  return `${place} ${n}`;
}

/** A fact as it is fed again. */
export function withoutTime([method, , ...rest]) {
  return [method, ...rest];
}
