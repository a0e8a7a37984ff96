// One execution in a run, the run's own or one that a task has started: its recording, its tasks at work, answers to come.

import type { AskedTask, DebugSession, TaskAnswer } from "../api/debug.d.ts";
import type {
  CancelReason,
  Definition,
  ExecutionResult,
  FinishCommand,
  InvokeCommand,
  MachineType,
  RecordedTask,
  StateMachine,
} from "../api/index.d.ts";
import { messageOf, misuse } from "../base/errors.ts";
import { LAST } from "../base/instant.ts";
import type { Fact } from "../border/facts.ts";
import type { MachineHandle } from "../border/instance.ts";
import type { TaskCall } from "../tasks/call.ts";
import { argumentText, failure, handlerInput, jsonText, resultText, submittedText } from "../tasks/integration.ts";
import type { Child } from "../execution/nested.ts";
import type { Host, Names } from "./host.ts";
import { Reply, type ReplyFact, factsOf } from "./mocks.ts";
import type { PastFact, Recording, Status } from "./recording.ts";
import type { Run } from "./run.ts";
import { lowerBound } from "./search.ts";

/** Numbers of tasks that belong to one execution: those of the run's own are smaller, as the engine gives them. */
export const TASKS = 2 ** 32;

/** A command to call a task, with the number of this call among those of its state, and who answers it. */
export type CallCommand = InvokeCommand & { call: number; mode?: string };

/** A task at work. */
export interface Call extends TaskCall {
  readonly command: CallCommand;
  /** When it was invoked. */
  since: number;
  /** Whether the service has answered the request, before this run or in it. */
  submitted: boolean;
  mode?: string;
  /** Whether a function is at work on it. */
  pending?: boolean;
  /** Whom it waits for: a person, one who has its token, or a worker. */
  asked?: AskedTask["kind"] | undefined;
  /** Whether a worker has taken it. */
  taken?: boolean;
  /** Whether no answer comes. */
  silent?: boolean;
  /** How many of its handler's sleeps there are, and what ends them. */
  sleeps?: number;
  asleep?: Set<(reason: unknown) => void>;
  /** Whether its taker has answered it. */
  finishing?: boolean;
  /** The execution that the same task of another run has started. */
  twin?: Execution | undefined;
  onStop?: (reason: CancelReason) => void;
}

/** An answer that a call is given again. */
export interface RepeatedAnswer {
  facts: ReplyFact[];
  silent?: boolean;
  /** The execution that the task has started. */
  started?: Execution | undefined;
}

/** What an execution is made of. */
export interface About {
  definition: Definition | StateMachine;
  machine: MachineHandle;
  info: Names;
  seed: bigint;
  /** JSON text. */
  input: string;
  /** Milliseconds since 1970. */
  start: number;
  recording: Recording;
  /** Of one that is taken over: of how many facts the commands were done. */
  performed?: number;
  /** Of one that a task has started: the execution of that task, its number, and the visit that it is of. */
  parent?: Execution | undefined;
  task?: number;
  visit?: number;
  /** Whether the task waits for its end. */
  awaited?: boolean;
  /** What its family knows of it. */
  record?: Child;
  type: MachineType;
  /** How many facts the run had been fed when it began. */
  born?: number;
}

type Timer = ReturnType<DebugSession["timers"]>[number];

/** What the time of a frame is for, by its phase. */
const KINDS: Readonly<Record<string, Timer["kind"]>> = { waiting: "wait", retrying: "retry", running: "timeout" };

/** What comes at a time: a fact, or the end of a handler's sleep. */
type Coming = { at: number; fact: Fact; wake?: undefined } | { at: number; fact?: undefined; wake: () => void };

export class Execution {
  readonly run: Run;
  /** Its place among those of the run. */
  readonly number: number;
  readonly definition: Definition | StateMachine;
  readonly machine: MachineHandle;
  readonly info: Names;
  readonly seed: bigint;
  readonly input: string;
  readonly start: number;
  readonly recording: Recording;
  readonly parent: Execution | undefined;
  readonly task: number | undefined;
  readonly visit: number | undefined;
  readonly awaited: boolean | undefined;
  record: Child | undefined;
  readonly type: MachineType;
  readonly born: number;
  /** How many executions have started each other above it. */
  readonly depth: number;
  /** Tasks that wait for an answer by their number. */
  calls = new Map<number, Call>();
  /** How far the world has done what the engine wished: facts whose commands were done. */
  performed = 0;
  /** How it ended. */
  outcome: ExecutionResult | undefined;
  /** What is done when it ends. */
  onEnd: ((outcome: ExecutionResult, now: number) => void) | undefined;
  /** Answers of an earlier run that stand for tasks, by `keyOf`; and those of a recorded execution, which come after mocks. */
  answers: Map<string, RepeatedAnswer> | undefined;
  recorded: Map<string, RepeatedAnswer> | undefined;
  /** Facts to be fed. */
  inbox: Fact[] = [];
  #coming: Coming[] = [];
  #invoked = new Map<string, number>();
  /** The names of calls, and their numbers among the calls of their state: also those made before this run was forked. */
  #known = new Map<number, { key: string; call: number }>();
  /** What was at work when it was taken over. */
  #pending: { command: InvokeCommand; submitted: boolean }[] = [];
  #host: Host;
  /** Where each entry of its tape, and each of its facts, stands among those of all executions of the run. */
  places: number[] = [];
  order: number[] = [];

  constructor(run: Run, about: About) {
    const { definition, machine, info, seed, input, start, recording, parent, performed } = about;
    this.run = run;
    this.number = run.executions.length;
    this.definition = definition;
    this.machine = machine;
    this.info = info;
    this.seed = seed;
    this.input = input;
    this.start = start;
    this.recording = recording;
    this.parent = parent;
    this.task = about.task;
    this.visit = about.visit;
    this.awaited = about.awaited;
    this.record = about.record;
    this.type = about.type;
    this.born = about.born ?? 0;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.#host = run.host;
    if (performed === undefined) this.inbox.push(["start", input, info, seed]);
    else this.#adopt(performed);
  }

  get name(): string {
    return this.info.name;
  }

  get arn(): string {
    return this.info.arn ?? `arn:aws:states:us-east-1:123456789012:execution:${this.info.stateMachineName}:${this.name}`;
  }

  get ended(): boolean {
    return this.outcome !== undefined;
  }

  /** Where on its own tape one looks; how far that was ever seen; where that begins which this run has done itself. */
  get position(): number {
    return lowerBound(this.places, this.run.position);
  }

  get frontier(): number {
    return lowerBound(this.places, this.run.frontier);
  }

  get own(): number {
    return lowerBound(this.places, this.run.own);
  }

  now(): number {
    return this.run.now();
  }

  /** When something happens by itself next, or null. */
  due(): number | null {
    if (this.ended) return null;
    this.#drop();
    const { deadline } = this.recording;
    const coming = this.#coming[0]?.at ?? null;
    return deadline === null ? coming : coming === null ? deadline : Math.min(deadline, coming);
  }

  /** When things happen in it by themselves. */
  timers(): Timer[] {
    const { parent, name } = this;
    return this.recording.timed().flatMap(({ until: at, phase, state, iterations = [], retries }) => {
      const kind = KINDS[phase];
      return at === undefined ? [] : [{ at, kind: kind ?? phase, state, iterations, retries, ...(parent && { execution: name }) } as Timer];
    });
  }

  /** Whether somebody may answer before time has to pass. */
  get busy(): boolean {
    for (const call of this.calls.values()) if ((call.pending && !call.sleeps) || (call.asked && !call.silent)) return true;
    return false;
  }

  // Facts.

  /** What to feed next whatever the time is, or undefined. */
  ready(): Fact | undefined {
    if (this.ended) return undefined;
    if (this.inbox.length > 0) return this.inbox.shift();
    return this.recording.more ? ["tick"] : undefined;
  }

  /** What to feed next because its time has come, or undefined. */
  timely(): Fact | undefined {
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

  feed(fact: Fact): void {
    const [method, a, b, c] = fact;
    try {
      this.recording.feed([method, this.now(), a, b, c]);
    } catch (thrown) {
      if (fact[0] !== "succeed" && fact[0] !== "submitted") throw thrown;
      this.recording.feed(["fail", this.now(), fact[1], "States.TaskFailed", `the answer cannot be read: ${messageOf(thrown)}`]);
    }
    if (fact[0] === "succeed" || fact[0] === "fail") this.#finish(fact[1]);
  }

  /** Does what the engine wished and was not done yet. */
  perform(): void {
    this.#resume();
    const { facts } = this.recording;
    while (this.performed < facts.length) {
      for (const command of facts[this.performed]!.commands) {
        if (command.type === "Invoke") this.#invoke(command);
        else if (command.type === "Cancel") this.#cancel(command.task, command.reason);
        else if (command.type === "Finish") this.#end(command);
      }
      this.performed += 1;
    }
  }

  stop(error?: string, cause?: string): void {
    if (!this.ended) this.inbox.push(["stop", error, cause]);
  }

  // Tasks.

  /** The tasks that a person is asked about. */
  waiting(): AskedTask[] {
    return [...this.calls.values()].flatMap(({ command, asked, resource, silent, since, taken }) =>
      asked === undefined
        ? []
        : [
            {
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
            },
          ],
    );
  }

  /** A person's answer. */
  answer(task: number, answer: TaskAnswer): boolean {
    const call = this.calls.get(task);
    if (call === undefined) return false;
    const at = this.now() + (("after" in answer ? answer.after : undefined) ?? 0);
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
        throw misuse("INVALID_ARGUMENT", `there is no answer kind ${JSON.stringify((answer as { kind?: unknown }).kind)}`);
    }
  }

  /** The call that a token names. */
  callOf(token: string): Call | undefined {
    for (const call of this.calls.values()) if (call.command.token === token) return call;
    return undefined;
  }

  /** A person takes an activity's task as its worker. */
  take(task: number, workerName?: string): boolean {
    const call = this.calls.get(task);
    if (call?.asked !== "activity" || call.taken) return false;
    call.taken = true;
    this.post(["started", task, workerName]);
    return true;
  }

  heartbeat(task: number): void {
    if (this.calls.has(task)) this.post(["heartbeat", task]);
  }

  /** Takes a fact in. */
  post(fact: Fact): void {
    this.inbox.push(fact);
  }

  /** Calls a function when the run's time has come to an instant. */
  wakeAt(at: number, wake: () => void): void {
    this.#insert({ at, wake });
  }

  /** Takes over what a recording has at work, of which the commands of so many facts were done. */
  #adopt(performed: number): void {
    const { recording } = this;
    const { facts } = recording;
    this.performed = Math.min(performed, facts.length);
    const status = recording.ask("status");
    // An end that nobody has seen yet is to come.
    if (this.performed === facts.length && hasEnded(status)) this.outcome = status;
    for (const { commands } of facts.slice(0, this.performed))
      for (const command of commands) if (command.type === "Invoke") this.#name(command);
    if (status.status === "NOT_STARTED") this.inbox.push(["start", this.input, this.info, this.seed]);
    const submitted = new Set(facts.filter(({ fact }) => fact[0] === "submitted").map(({ fact }) => fact[2]));
    for (const command of recording.ask("pending"))
      if (this.#known.has(command.task)) this.#pending.push({ command, submitted: submitted.has(command.task) });
  }

  /** Invokes again what a fork has found at work, and what was not answered by the fork itself. */
  #resume(): void {
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    if (this.ended) return;
    const open = new Set(this.recording.ask("pending").map(({ task }) => task));
    for (const { command, submitted } of pending) if (open.has(command.task)) this.#invoke(command, submitted, true);
  }

  /** Counts a call: its name in another run of the same path, and its number among the calls of its state. */
  #name(command: InvokeCommand): void {
    const counted = `${command.state} `;
    const call = this.#invoked.get(counted) ?? 0;
    this.#invoked.set(counted, call + 1);
    this.#known.set(command.task, { key: keyOf(command, this.#invoked), call });
  }

  /** Calls a task; one that was at work before a fork, `again`. */
  #invoke(invoked: InvokeCommand, submitted = false, again = false): void {
    const { task } = invoked;
    if (!again) this.#name(invoked);
    const { key = "", call: nth = 0 } = this.#known.get(task) ?? {};
    // Mocks and observers read of the command which call it is.
    const command = Object.assign(invoked, { call: nth }) as CallCommand;
    const call: Call = { command, resource: this.#host.resource(command.resource), since: this.now(), ended: false, submitted };
    this.calls.set(task, call);
    const started = again ? this.run.startedBy(this, task) : undefined;
    if (started) return this.run.relatives?.rejoin(this, call, started);
    const earlier = this.answers?.get(key);
    call.twin = earlier?.started;
    if (!call.twin && isAnswer(earlier)) return this.#repeat(call, earlier);
    const { reply, mode, taker, mocked } = this.#host.answering(command);
    const recorded = mocked ? undefined : this.recorded?.get(key);
    if (isAnswer(recorded)) return this.#repeat(call, recorded);
    call.mode = command.mode = mode;
    if (taker) return this.run.relatives?.hand(this, call, taker);
    if (!again && mode !== "recorded") this.#request(call);
    if (submitted && call.resource.pattern === "waitForTaskToken" && (mode === "handler" || mode === "function")) call.asked = "token";
    else if (reply === undefined) {
      const { error, cause } = this.#host.missing(command);
      this.#later(this.now(), ["fail", task, error, cause]);
    } else this.#answerBy(call, submitted, () => reply(command, call, this));
  }

  /** What is told of a call before it is answered. */
  #request({ command, resource, mode }: Call): void {
    const { task } = command;
    // Who is asked takes an activity's task like a worker.
    if (resource.kind === "activity" && mode !== "ask") this.inbox.push(["started", task, undefined]);
    if (resource.pattern.startsWith("sync")) this.inbox.push(["submitted", task, submittedText(resource, command, this.now())]);
  }

  /** Takes what a function replies, at once or when its promise is settled. */
  #answerBy(call: Call, submitted: boolean, reply: () => unknown): void {
    let value;
    try {
      value = reply();
    } catch (thrown) {
      this.reject(call, thrown);
      return;
    }
    if (typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function") {
      call.pending = true;
      Promise.resolve(value).then(
        (result) => this.#settle(call, result, submitted),
        (thrown: unknown) => this.reject(call, thrown),
      );
    } else this.#settle(call, value, submitted);
  }

  changed(): void {
    this.#host.changed(this.run);
  }

  /** Answers as a recording has it. */
  #repeat(call: Call, { facts, silent }: RepeatedAnswer): void {
    const { task } = call.command;
    call.mode = call.command.mode = "recorded";
    call.silent = silent === true;
    for (const { method, after, b, c } of facts) {
      if (call.submitted && (method === "submitted" || method === "started")) continue;
      // A fact of a task has two more arguments at most.
      this.#later(this.now() + after, [method, task, b, c] as Fact);
    }
  }

  #settle(call: Call, value: unknown, submitted: boolean): void {
    call.pending = false;
    if (call.ended) return this.changed();
    const { task } = call.command;
    try {
      this.#take(call, value, submitted);
    } catch (thrown) {
      this.#later(this.now(), [
        "fail",
        task,
        "States.TaskFailed",
        `the answer for state ${JSON.stringify(call.command.state)} cannot be written as JSON: ${messageOf(thrown)}`,
      ]);
    }
    this.changed();
  }

  #take(call: Call, value: unknown, submitted: boolean): void {
    const { task } = call.command;
    const byToken = call.resource.pattern === "waitForTaskToken";
    const at = this.now();
    if (value instanceof Reply) {
      const { facts, ask, silent, error, cause, output, after = 0 } = value.wanted;
      if (facts) return this.#repeat(call, { facts, silent });
      // A mock of a callback answers the request too.
      if (byToken && !submitted) this.inbox.push(["submitted", task, "{}"]);
      if (ask) call.asked = byToken ? "token" : call.resource.kind === "activity" ? "activity" : "ask";
      else if (silent) call.silent = true;
      else if (error !== undefined) this.#later(at + after, ["fail", task, error, cause]);
      else this.#later(at + after, ["succeed", task, this.#resultOf(call, output)]);
    } else if (byToken) {
      if (!submitted) this.inbox.push(["submitted", task, this.#resultOf(call, value)]);
      // Who holds the token may have answered already.
      if (!call.answered) call.asked = "token";
    } else {
      this.#later(at, ["succeed", task, this.#resultOf(call, value)]);
    }
  }

  /** Fails a call as its handler's error does. */
  reject(call: Call, thrown: unknown): void {
    call.pending = false;
    if (!call.ended) {
      const { error, cause } = failure(call.resource, call.command, thrown, this.now());
      this.#later(this.now(), ["fail", call.command.task, error, cause]);
    }
    this.changed();
  }

  #resultOf(call: Call, value: unknown): string {
    return call.asked === "token" || call.resource.pattern === "waitForTaskToken"
      ? jsonText(value)
      : resultText(call.resource, call.command, value, this.now());
  }

  #later(at: number, fact: Fact): void {
    this.#insert({ at, fact });
  }

  #insert(entry: Coming): void {
    entry.at = Math.min(entry.at, LAST);
    let i = this.#coming.length;
    while (i > 0 && this.#coming[i - 1]!.at > entry.at) i--;
    this.#coming.splice(i, 0, entry);
  }

  /** Forgets answers to tasks that have ended. */
  #drop(): void {
    for (let first = this.#coming[0]; first?.fact && !this.calls.has(first.fact[1] as number); first = this.#coming[0])
      this.#coming.shift();
  }

  #finish(task: number): void {
    const call = this.calls.get(task);
    if (call === undefined) return;
    call.ended = true;
    call.onEnd?.();
    this.calls.delete(task);
  }

  #cancel(task: number, reason: CancelReason): void {
    const call = this.calls.get(task);
    call?.onCancel?.(reason);
    call?.onStop?.(reason);
    this.#finish(task);
  }

  #end({ type: _, ...outcome }: FinishCommand): void {
    this.outcome = outcome;
    for (const task of [...this.calls.keys()]) this.#cancel(task, "Stopped");
    this.inbox.length = 0;
    this.run.relatives?.left(this);
  }
}

function hasEnded(status: Status): status is ExecutionResult {
  return status.status !== "RUNNING" && status.status !== "NOT_STARTED";
}

/** Whether an answer says anything. */
function isAnswer(answer: RepeatedAnswer | undefined): answer is RepeatedAnswer {
  return answer !== undefined && (answer.silent === true || answer.facts.length > 0);
}

/** The tasks of a recorded execution, as `replayHistory()` tells of them, as answers. */
export function answersOf(tasks: RecordedTask[]): Map<string, RepeatedAnswer> {
  const counts = new Map<string, number>();
  return new Map(
    // What the recording has left out somebody else has to say.
    tasks.map((task) => [keyOf(task, counts), task.unknown ? { facts: [] } : factsOf(task)]),
  );
}

/** Names a task in a way that holds in another run of the same path: state, iterations, and its number there. */
export function keyOf(command: Pick<InvokeCommand, "state" | "iterations">, counts: Map<string, number>): string {
  const place = JSON.stringify([command.state, command.iterations ?? []]);
  const n = counts.get(place) ?? 0;
  counts.set(place, n + 1);
  return `${place} ${n}`;
}

/** A fact as it is fed again. */
export function withoutTime([method, , ...rest]: PastFact): Fact {
  // A change by hand is not fed: a fork leaves at one that the engine was fed.
  return [method, ...rest] as Fact;
}
