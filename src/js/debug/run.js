// One run of a machine: its recording, and the world that it runs in: tasks at work, answers to come, time.

import { failure, handlerInput, resultText, submittedText, jsonText } from "../integration.js";
import { misuse } from "../errors.js";
import { Recording } from "./recording.js";
import { Reply } from "./mocks.js";

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
  /** Answers of an earlier run or of a recorded execution that stand for tasks, by `keyOf`. */
  answers;
  #inbox = [];
  #coming = [];
  #invoked = new Map();
  /** What calls are named that were made before this run was forked. */
  #keys = new Map();
  #base;
  #since = 0;
  #speed = 0;
  #host;

  constructor({ id, parent, at, label, definition, machine, settings, info, seed, input, start, host, recording }) {
    Object.assign(this, { id, parent, at, label, definition, info, seed, input, start });
    this.#host = host;
    this.#base = start;
    this.recording = recording ?? new Recording(machine, settings);
    if (recording === undefined) this.#inbox.push(["start", input, info, seed]);
    else this.#adopt();
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
    for (const call of this.calls.values()) if (call.pending || (call.asked && !call.silent)) return true;
    return false;
  }

  // Facts.

  /** What to feed next without waiting, or undefined. */
  next() {
    if (this.#inbox.length > 0) return this.#inbox.shift();
    if (this.recording.more) return ["tick"];
    const due = this.due();
    if (due === null || due > this.now()) return undefined;
    const first = this.#coming[0];
    const { deadline } = this.recording;
    // A tie is the engine's: a result in the very millisecond of its time out is too late.
    if (first === undefined || (deadline !== null && deadline <= first.at)) return ["tick"];
    this.#coming.shift();
    return first.fact;
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
    this.#inbox.push(["stop", error, cause]);
  }

  // Tasks.

  /** The tasks that a person is asked about. */
  waiting() {
    return [...this.calls.values()].filter((call) => call.asked).map(({ command, asked, resource, silent, since }) => ({
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
    }));
  }

  /** A person's answer. */
  answer(task, answer) {
    const call = this.calls.get(task);
    if (call === undefined) return false;
    const at = this.now() + (answer.after ?? 0);
    switch (answer.kind) {
      case "heartbeat":
        this.#inbox.push(["heartbeat", task]);
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
    if (this.calls.has(task)) this.#inbox.push(["heartbeat", task]);
  }

  /** What tasks were answered, for another run: facts and how long after the invocation they came, in turn. */
  recordedAnswers(facts) {
    const answers = new Map();
    const counts = new Map();
    const byTask = new Map();
    for (const { fact, commands } of this.recording.facts.slice(0, facts)) {
      const [method, at, task, b, c] = fact;
      const known = typeof task === "number" ? byTask.get(task) : undefined;
      if (known && ["started", "submitted", "succeed", "fail", "heartbeat"].includes(method)) known.facts.push({ method, after: at - known.at, b, c });
      for (const command of commands) {
        if (command.type !== "Invoke") continue;
        const key = keyOf(command, counts);
        const entry = { at, facts: [] };
        byTask.set(command.task, entry);
        answers.set(key, entry);
      }
    }
    return answers;
  }

  /** Takes over what a forked recording has at work. */
  #adopt() {
    const { recording } = this;
    const last = recording.facts.at(-1)?.fact[1];
    if (last !== undefined) this.#base = last;
    this.performed = recording.facts.length;
    const status = recording.ask("status");
    if (status.status !== "RUNNING" && status.status !== "NOT_STARTED") this.outcome = status;
    for (const { commands } of recording.facts) for (const command of commands) if (command.type === "Invoke") this.#keys.set(command.task, keyOf(command, this.#invoked));
    if (status.status === "NOT_STARTED") this.#inbox.push(["start", this.input, this.info, this.seed]);
    const submitted = new Set(recording.facts.filter(({ fact }) => fact[0] === "submitted").map(({ fact }) => fact[2]));
    for (const command of recording.ask("pending")) this.#pending.push({ command, submitted: submitted.has(command.task) });
  }

  #pending = [];

  /** Invokes again what a fork has found at work. */
  resume() {
    const pending = this.#pending;
    this.#pending = [];
    for (const { command, submitted } of pending) this.#invoke(command, submitted, true);
  }

  #invoke(command, submitted = false, again = false) {
    const call = { command, resource: this.#host.resource(command.resource), since: this.now(), ended: false };
    this.calls.set(command.task, call);
    const { task } = command;
    const at = this.now();
    const recorded = this.answers?.get(again ? this.#keys.get(task) : keyOf(command, this.#invoked));
    if (recorded?.silent || recorded?.facts.length > 0) {
      for (const { method, after, b, c } of recorded.facts) if (!submitted || (method !== "submitted" && method !== "started")) this.#later(at + after, [method, task, b, c]);
      call.recorded = true;
      call.mode = command.mode = "recorded";
      return;
    }
    if (!again) {
      if (call.resource.kind === "activity") this.#inbox.push(["started", task, undefined]);
      if (call.resource.pattern.startsWith("sync")) this.#inbox.push(["submitted", task, submittedText(call.resource, command, at)]);
    }
    const { reply, mode } = this.#host.reply(command);
    call.mode = mode;
    command.mode = mode;
    if (submitted && call.resource.pattern === "waitForTaskToken" && mode === "handler") {
      call.asked = "token";
      return;
    }
    if (reply === undefined) {
      const { error, cause } = this.#host.missing(command);
      this.#later(at, ["fail", task, error, cause]);
      return;
    }
    let value;
    try {
      value = reply(command, call, this);
    } catch (thrown) {
      this.#reject(call, thrown);
      return;
    }
    if (typeof value?.then === "function") {
      call.pending = true;
      Promise.resolve(value).then(
        (result) => this.#settle(call, result, submitted),
        (thrown) => this.#reject(call, thrown),
      );
    } else {
      this.#settle(call, value, submitted);
    }
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
      // A mock of a callback answers the request too.
      if (byToken && !submitted) this.#inbox.push(["submitted", task, "{}"]);
      if (value.ask) call.asked = byToken ? "token" : "ask";
      else if (value.silent) call.silent = true;
      else if (value.error !== undefined) this.#later(at + value.after, ["fail", task, value.error, value.cause]);
      else this.#later(at + value.after, ["succeed", task, this.#resultOf(call, value.output)]);
    } else if (byToken) {
      if (!submitted) this.#inbox.push(["submitted", task, this.#resultOf(call, value)]);
      // Who holds the token may have answered already.
      if (!call.answered) call.asked = "token";
    } else {
      this.#later(at, ["succeed", task, this.#resultOf(call, value)]);
    }
  }

  #reject(call, thrown) {
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
    let i = this.#coming.length;
    while (i > 0 && this.#coming[i - 1].at > at) i--;
    this.#coming.splice(i, 0, { at, fact });
  }

  /** Forgets answers to tasks that have ended. */
  #drop() {
    while (this.#coming.length > 0 && !this.calls.has(this.#coming[0].fact[1])) this.#coming.shift();
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
    tasks.map(({ state, iterations, after = 0, submitted, workerName, output, error, cause, never, unknown }) => {
      const facts = [];
      if (workerName !== undefined) facts.push({ method: "started", after: 0, b: workerName ?? undefined });
      if (submitted !== undefined) facts.push({ method: "submitted", after: 0, b: JSON.stringify(submitted) });
      if (error !== undefined) facts.push({ method: "fail", after, b: error ?? undefined, c: cause });
      else if (output !== undefined) facts.push({ method: "succeed", after, b: JSON.stringify(output) });
      // What the recording has left out somebody else has to say.
      return [keyOf({ state, iterations }, counts), unknown ? { facts: [] } : { facts, silent: never === true }];
    }),
  );
}

/** Names a task in a way that holds in another run of the same path: state, iterations, and the how manieth it is there. */
function keyOf(command, counts) {
  const place = JSON.stringify([command.state, command.iterations ?? []]);
  const n = counts.get(place) ?? 0;
  counts.set(place, n + 1);
  return `${place} ${n}`;
}
