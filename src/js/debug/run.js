// One run of a machine: its recording, and the world that it runs in: tasks at work, answers to come, time.

import { misuse } from "../errors.js";
import { TaskResponse, failure, handlerInput, resultText, submittedText, jsonText } from "../integration.js";
import { Children } from "./children.js";
import { Reply, factsOf } from "./mocks.js";
import { Recording } from "./recording.js";

const now = performance.now.bind(performance);

export class Run {
  /** Tasks that wait for an answer by their number. */
  calls = new Map();
  /** How far the world has done what the engine wished: facts whose commands were done. */
  performed = 0;
  /** Where on the tape one looks: so many entries have been seen. */
  position = 0;
  /** The furthest place on the tape that was ever seen. */
  frontier = 0;
  /** Where on the tape begins what this run has done itself: a fork has the rest from its parent. */
  own = 0;
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
  #base;
  #since = 0;
  #speed = 0;
  #host;

  constructor({ id, parent, at, label, definition, machine, settings, info, seed, input, start, host, recording, performed }) {
    Object.assign(this, { id, parent, at, label, definition, info, seed, input, start });
    this.#host = host;
    this.#base = start;
    this.recording = recording ?? new Recording(machine, settings);
    /** Executions that tasks have started. */
    this.children = new Children(this, host);
    if (recording === undefined) this.inbox.push(["start", input, info, seed]);
    else this.#adopt(performed);
  }

  get ended() {
    return this.outcome !== undefined;
  }

  // Time.

  now() {
    return this.#speed === 0 ? this.#base : Math.floor(this.#base + (now() - this.#since) * this.#speed);
  }

  /** Lets time flow so many times as fast as real time; 0 stops it. */
  flow(speed) {
    this.#base = this.now();
    this.#since = now();
    this.#speed = speed;
  }

  jump(to) {
    this.#base = Math.max(to, this.now());
    this.#since = now();
  }

  /** When something happens by itself next, or null. */
  due() {
    this.#drop();
    const { deadline } = this.recording;
    const coming = this.#coming[0]?.at ?? null;
    return deadline === null ? coming : coming === null ? deadline : Math.min(deadline, coming);
  }

  /** Whether somebody may answer before time has to pass. */
  get busy() {
    for (const call of this.calls.values()) if ((call.pending && !call.sleeps) || (call.asked && !call.silent)) return true;
    return this.children.busy;
  }

  // Facts.

  /** What to feed next without waiting, or undefined. */
  next() {
    if (this.inbox.length > 0) return this.inbox.shift();
    if (this.recording.more) return ["tick"];
    const due = this.due();
    if (due === null || due > this.now()) return undefined;
    const first = this.#coming[0];
    const { deadline } = this.recording;
    // A tie is the engine's: a result in the very millisecond of its time out is too late.
    if (first === undefined || (deadline !== null && deadline <= first.at)) return ["tick"];
    this.#coming.shift();
    if (first.fact !== undefined) return first.fact;
    first.wake();
    return this.next();
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
    this.inbox.push(["stop", error, cause]);
  }

  // Tasks.

  /** The tasks that a person is asked about. */
  waiting() {
    return this.children.among([...this.calls.values()].filter((call) => call.asked).map(({ command, asked, resource, silent, since, taken }) => ({
      task: command.task,
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
      since,
    })));
  }

  /** A person's answer. */
  answer(task, answer) {
    const call = this.calls.get(task);
    if (call === undefined) return this.children.answer(task, answer);
    const at = this.now() + (answer.after ?? 0);
    // Only a worker who has taken it can say anything of it.
    if (answer.kind !== "silence") this.children.take(task);
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
        throw misuse("INVALID_ARGUMENT", `no answer is of the kind ${JSON.stringify(answer.kind)}`);
    }
  }

  /** The call that a token names. */
  callOf(token) {
    for (const call of this.calls.values()) if (call.command.token === token) return call;
    return undefined;
  }

  heartbeat(task) {
    if (this.calls.has(task)) this.post(["heartbeat", task]);
  }

  /** Takes a fact in. */
  post(fact) {
    this.inbox.push(fact);
  }

  /** Calls a function when the run's time is there; returns what calls that off. */
  wakeAt(time, wake) {
    const entry = { at: time, wake };
    this.#insert(entry);
    return () => {
      const place = this.#coming.indexOf(entry);
      if (place >= 0) this.#coming.splice(place, 1);
    };
  }

  /** The calls of tasks in turn, and what they were answered: facts and how long after the invocation they came. */
  answered(facts) {
    const byTask = new Map();
    for (const { fact, commands } of this.recording.facts.slice(0, facts)) {
      const [method, at, task, b, c] = fact;
      const known = typeof task === "number" ? byTask.get(task) : undefined;
      if (known && ["started", "submitted", "succeed", "fail", "heartbeat"].includes(method)) known.facts.push({ method, after: at - known.at, b, c });
      for (const command of commands) if (command.type === "Invoke") byTask.set(command.task, { command, at, facts: [] });
    }
    return [...byTask.values()];
  }

  /** The same for another run, by `keyOf`. */
  recordedAnswers(facts) {
    const counts = new Map();
    return new Map(this.answered(facts).map((call) => [keyOf(call.command, counts), call]));
  }

  /** Takes over what a recording has at work, of which the commands of so many facts were done. */
  #adopt(performed) {
    const { recording } = this;
    const { facts } = recording;
    const last = facts.at(-1)?.fact[1];
    if (last !== undefined) this.#base = last;
    this.performed = performed ?? facts.length;
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
    const earlier = this.answers?.get(known?.key);
    if (repeats(earlier)) return this.#repeat(call, earlier);
    const { reply, mode, taker, mocked } = this.#host.reply(command);
    const recorded = mocked ? undefined : this.recorded?.get(known?.key);
    if (repeats(recorded)) return this.#repeat(call, recorded);
    call.mode = mode;
    command.mode = mode;
    if (taker) return this.children.hand(call, taker);
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

  /** Answers as a recording has it. */
  #repeat(call, { facts, silent }) {
    call.mode = call.command.mode = "recorded";
    call.silent = silent === true;
    for (const { method, after, b, c } of facts) if (!call.submitted || (method !== "submitted" && method !== "started")) this.#later(this.now() + after, [method, call.command.task, b, c]);
  }

  #settle(call, value, submitted) {
    call.pending = false;
    if (call.ended) return this.#host.changed(this);
    const { task } = call.command;
    try {
      this.#take(call, value, submitted);
    } catch (thrown) {
      this.#later(this.now(), ["fail", task, "States.TaskFailed", `the answer for state ${JSON.stringify(call.command.state)} cannot be written as JSON: ${thrown?.message ?? thrown}`]);
    }
    this.#host.changed(this);
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
    this.#host.changed(this);
  }

  #resultOf(call, value) {
    return call.asked === "token" || call.resource.pattern === "waitForTaskToken" ? jsonText(value) : resultText(call.resource, call.command, value, this.now());
  }

  #later(at, fact) {
    this.#insert({ at, fact });
  }

  #insert(entry) {
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
  }
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
function keyOf(command, counts) {
  const place = JSON.stringify([command.state, command.iterations ?? []]);
  const n = counts.get(place) ?? 0;
  counts.set(place, n + 1);
  return `${place} ${n}`;
}
