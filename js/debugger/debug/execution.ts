// One execution of a run, the main execution or a nested one: its recording, its running tasks and the answers that are due.

import type { AskedTask, DebugSession, TaskAnswer } from "../../core/api/debug.d.ts";
import type {
  CancelReason,
  Definition,
  ExecutionResult,
  FinishCommand,
  InvokeCommand,
  MachineType,
  RecordedTask,
  StateMachine,
} from "../../core/api/index.d.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { LAST } from "../../core/base/instant.ts";
import type { Fact } from "../../core/border/facts.ts";
import type { MachineHandle } from "../../core/border/instance.ts";
import type { TaskCall, Taker } from "../../core/tasks/call.ts";
import type { Resource } from "../../core/tasks/resource.ts";
import { argumentText, failure, handlerInput, jsonText, resultText, submittedText } from "../../core/tasks/integration.ts";
import type { Child } from "../../core/execution/nested.ts";
import { Reply, factsOf } from "./mocks.ts";
import type { CallCommand, Names, ReplyFact } from "./model.ts";
import type { PastFact, Recording, Status } from "./recording.ts";
import { lowerBound } from "./search.ts";

/** Factor between the task numbers of successive executions. The engine numbers the tasks of one execution below it. */
export const TASKS = 2 ** 32;

/** A task that is running. */
export interface Call extends TaskCall {
  readonly command: CallCommand;
  /** When the task was invoked. */
  since: number;
  /** Whether the service has answered the request, in this run or in the run that it was forked from. */
  submitted: boolean;
  mode?: string;
  /** Whether a function is working on it. */
  pending?: boolean;
  /** Whose answer the call waits for: a person, the holder of its token, or a worker. */
  asked?: AskedTask["kind"] | undefined;
  /** Whether a worker has taken it. */
  taken?: boolean;
  /** Whether it will get no answer. */
  silent?: boolean;
  /** The number of pending sleeps of its handler, and the callbacks that end them. */
  sleeps?: number;
  sleepers?: Set<(reason: unknown) => void>;
  /** Whether its taker has answered it. */
  finishing?: boolean;
  /** The execution that the same task has started in another run. */
  earlierExecution?: Execution | undefined;
  onStop?: (reason: CancelReason) => void;
}

/** An answer of an earlier run that is given to a call again. */
export interface RepeatedAnswer {
  facts: ReplyFact[];
  silent?: boolean;
  /** The execution that the task has started. */
  started?: Execution | undefined;
}

/** The properties of a new execution. */
export interface ExecutionInit {
  definition: Definition | StateMachine;
  machine: MachineHandle;
  info: Names;
  seed: bigint;
  /** The input as JSON text. */
  input: string;
  /** The start time in milliseconds since 1970. */
  start: number;
  recording: Recording;
  /** For an adopted execution: the number of facts whose commands have been performed. */
  performed?: number;
  /** For a nested execution: the parent execution, the number of its task, and the visit of the task. */
  parent?: Execution | undefined;
  task?: number;
  visit?: number;
  /** Whether the task waits for the execution to end. */
  awaited?: boolean;
  /** The record of the execution in its family. */
  record?: Child;
  type: MachineType;
  /** The number of facts that the run had been fed when the execution began. */
  born?: number;
}

/** What answers a task, and the mode under which it is reported. */
export interface Answering {
  /** A function that answers. If it is undefined, the task fails because nothing answers it. */
  reply?: (command: CallCommand, call: Call, execution: Execution) => unknown;
  mode: string;
  /** Takes over the call in place of a function. */
  taker?: Taker;
  /** Whether a mock answers. Mocks take precedence over recorded answers. */
  mocked?: boolean;
}

/** What an execution needs of the surroundings of its run. */
export interface ExecutionHost {
  resource(text: string): Resource;
  /** Returns what answers a task. */
  answering(command: InvokeCommand): Answering;
  /** Returns the error of a task that nothing answers. */
  missing(command: InvokeCommand): { error: string; cause: string };
}

/** What an execution needs of the relations between the executions of its run. */
export interface ExecutionRelations {
  /** Passes a task to a taker instead of a function: the workers of an activity, or a machine. */
  handOver(execution: Execution, call: Call, taker: Taker): void;
  /** Connects a task to its execution, which is running already or has ended. */
  rejoin(execution: Execution, call: Call, started: Execution): void;
  /** Unregisters an execution that has ended. */
  unregister(execution: Execution): void;
}

/** What an execution needs of its run. */
export interface ExecutionRun {
  /** The main execution, then the nested ones in the order in which they began. */
  readonly executions: readonly Execution[];
  readonly first: Execution;
  /** The current position, the furthest that was ever reached, and that at which the run's own part begins. */
  readonly position: number;
  readonly frontier: number;
  readonly own: number;
  readonly host: ExecutionHost;
  /** Undefined if tasks cannot start executions. */
  readonly nested: ExecutionRelations | undefined;
  /** Returns the time of the run's clock, in milliseconds since 1970. */
  now(): number;
  /** Returns the execution that a task of `parent` has started, or undefined. */
  startedBy(parent: Execution, task: number): Execution | undefined;
  /** Notifies the host that tasks were answered or are waiting again. */
  changed(): void;
}

type Timer = ReturnType<DebugSession["timers"]>[number];

/** The kind of timer that a frame waits for, by the frame's phase. */
const KINDS: Readonly<Record<string, Timer["kind"]>> = { waiting: "wait", retrying: "retry", running: "timeout" };

/** Something that happens at a given time: a fact, or the end of a handler's sleep. */
type Scheduled = { at: number; fact: Fact; wake?: undefined } | { at: number; fact?: undefined; wake: () => void };

export class Execution {
  readonly run: ExecutionRun;
  /** The index of the execution in its run. */
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
  /** Nesting depth: how many parent executions it has. */
  readonly depth: number;
  /** The tasks that wait for an answer, by number. */
  calls = new Map<number, Call>();
  /** The number of facts whose commands have been performed. */
  performed = 0;
  /** The result of the execution, once it has ended. */
  outcome: ExecutionResult | undefined;
  /** Called when the execution ends. */
  onEnd: ((outcome: ExecutionResult, now: number) => void) | undefined;
  /**
   * `answers` are those of an earlier run, by `keyOf`; they replace handlers. `recorded` are those of a recorded execution; mocks
   * take precedence over them.
   */
  answers: Map<string, RepeatedAnswer> | undefined;
  recorded: Map<string, RepeatedAnswer> | undefined;
  /** Facts that wait to be fed. */
  inbox: Fact[] = [];
  #scheduled: Scheduled[] = [];
  #invoked = new Map<string, number>();
  /** The key of each call, and its index among the calls of its state. Includes calls from before a fork. */
  #known = new Map<number, { key: string; call: number }>();
  /** Tasks that were running when the execution was adopted. */
  #pending: { command: InvokeCommand; submitted: boolean }[] = [];
  #host: ExecutionHost;
  /** For each entry of the recording, and for each fact, its position in the sequence of all executions of the run. */
  positions: number[] = [];
  order: number[] = [];

  constructor(run: ExecutionRun, about: ExecutionInit) {
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

  /** The current position in the recording of this execution. */
  get position(): number {
    return lowerBound(this.positions, this.run.position);
  }

  /** The furthest position that was ever reached in this recording. */
  get frontier(): number {
    return lowerBound(this.positions, this.run.frontier);
  }

  /** The position at which this run's own part of the recording begins. What precedes it comes from the run that was forked. */
  get own(): number {
    return lowerBound(this.positions, this.run.own);
  }

  now(): number {
    return this.run.now();
  }

  /** Returns when the next timer or scheduled answer is due, or null. */
  due(): number | null {
    if (this.ended) return null;
    this.#drop();
    const { deadline } = this.recording;
    const coming = this.#scheduled[0]?.at ?? null;
    return deadline === null ? coming : coming === null ? deadline : Math.min(deadline, coming);
  }

  /** Returns the timers of the execution. */
  timers(): Timer[] {
    const { parent, name } = this;
    return this.recording.timed().flatMap(({ until: at, phase, state, iterations = [], retries }) => {
      const kind = KINDS[phase];
      return at === undefined ? [] : [{ at, kind: kind ?? phase, state, iterations, retries, ...(parent && { execution: name }) } as Timer];
    });
  }

  /** Whether an answer may come before the clock has to advance. */
  get busy(): boolean {
    for (const call of this.calls.values()) if ((call.pending && !call.sleeps) || (call.asked && !call.silent)) return true;
    return false;
  }

  // Facts.

  /** Returns the next fact that can be fed at any time, or undefined. */
  ready(): Fact | undefined {
    if (this.ended) return undefined;
    if (this.inbox.length > 0) return this.inbox.shift();
    return this.recording.more ? ["tick"] : undefined;
  }

  /** Returns the next fact whose time has come, or undefined. */
  nextDue(): Fact | undefined {
    const due = this.due();
    if (due === null || due > this.now()) return undefined;
    const first = this.#scheduled[0];
    const { deadline } = this.recording;
    // If both are due at the same time, the engine comes first: a result in the very millisecond of its timeout is too late.
    if (first === undefined || (deadline !== null && deadline <= first.at)) return ["tick"];
    this.#scheduled.shift();
    if (first.fact !== undefined) return first.fact;
    first.wake();
    return this.ready() ?? this.nextDue();
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

  /** Performs the commands of facts that have not been performed yet. */
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

  /** Returns the tasks that a person is asked to answer. */
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

  /** Applies an answer of a person. Returns whether the task accepted it. */
  answer(task: number, answer: TaskAnswer): boolean {
    const call = this.calls.get(task);
    if (call === undefined) return false;
    const at = this.now() + (("after" in answer ? answer.after : undefined) ?? 0);
    if (answer.kind === "succeed") argumentText(answer.output, "the output");
    // Only a worker that has taken the task can answer it.
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
        this.#schedule(at, ["fail", task, answer.error, answer.cause]);
        return true;
      }
      case "succeed":
        call.asked = undefined;
        this.#schedule(at, ["succeed", task, this.#resultOf(call, answer.output)]);
        return true;
      default:
        throw misuse("INVALID_ARGUMENT", `there is no answer kind ${JSON.stringify((answer as { kind?: unknown }).kind)}`);
    }
  }

  /** Returns the call with a given token. */
  callOf(token: string): Call | undefined {
    for (const call of this.calls.values()) if (call.command.token === token) return call;
    return undefined;
  }

  /** Takes the task of an activity on behalf of a person, as its worker. */
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

  /** Queues a fact. */
  post(fact: Fact): void {
    this.inbox.push(fact);
  }

  /** Calls a function when the clock of the run reaches a given time. */
  wakeAt(at: number, wake: () => void): void {
    this.#insert({ at, wake });
  }

  /** Adopts the running tasks of a recording. `performed` is the number of facts whose commands have been performed. */
  #adopt(performed: number): void {
    const { recording } = this;
    const { facts } = recording;
    this.performed = Math.min(performed, facts.length);
    const status = recording.ask("status");
    // If the last facts are not performed yet, the end of the execution is still to come.
    if (this.performed === facts.length && hasEnded(status)) this.outcome = status;
    for (const { commands } of facts.slice(0, this.performed))
      for (const command of commands) if (command.type === "Invoke") this.#name(command);
    if (status.status === "NOT_STARTED") this.inbox.push(["start", this.input, this.info, this.seed]);
    const submitted = new Set(facts.filter(({ fact }) => fact[0] === "submitted").map(({ fact }) => fact[2]));
    for (const command of recording.ask("pending"))
      if (this.#known.has(command.task)) this.#pending.push({ command, submitted: submitted.has(command.task) });
  }

  /** Invokes the tasks again that were running at a fork, unless the fork itself has answered them. */
  #resume(): void {
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    if (this.ended) return;
    const open = new Set(this.recording.ask("pending").map(({ task }) => task));
    for (const { command, submitted } of pending) if (open.has(command.task)) this.#invoke(command, submitted, true);
  }

  /**
   * Counts a call: stores its key, which is the same in another run that takes the same path, and its index among the calls of its
   * state.
   */
  #name(command: InvokeCommand): void {
    const counted = `${command.state} `;
    const call = this.#invoked.get(counted) ?? 0;
    this.#invoked.set(counted, call + 1);
    this.#known.set(command.task, { key: keyOf(command, this.#invoked), call });
  }

  /** Calls a task. With `again`, the task was already running before a fork. */
  #invoke(invoked: InvokeCommand, submitted = false, again = false): void {
    const { task } = invoked;
    if (!again) this.#name(invoked);
    const { key = "", call: nth = 0 } = this.#known.get(task) ?? {};
    // Mocks and observers read the index of the call from the command.
    const command = Object.assign(invoked, { call: nth }) as CallCommand;
    const call: Call = { command, resource: this.#host.resource(command.resource), since: this.now(), ended: false, submitted };
    this.calls.set(task, call);
    const started = again ? this.run.startedBy(this, task) : undefined;
    if (started) return this.run.nested?.rejoin(this, call, started);
    const earlier = this.answers?.get(key);
    call.earlierExecution = earlier?.started;
    if (!call.earlierExecution && isAnswer(earlier)) return this.#repeat(call, earlier);
    const { reply, mode, taker, mocked } = this.#host.answering(command);
    const recorded = mocked ? undefined : this.recorded?.get(key);
    if (isAnswer(recorded)) return this.#repeat(call, recorded);
    call.mode = command.mode = mode;
    if (taker) return this.run.nested?.handOver(this, call, taker);
    if (!again && mode !== "recorded") this.#request(call);
    if (submitted && call.resource.pattern === "waitForTaskToken" && (mode === "handler" || mode === "function")) call.asked = "token";
    else if (reply === undefined) {
      const { error, cause } = this.#host.missing(command);
      this.#schedule(this.now(), ["fail", task, error, cause]);
    } else this.#answerBy(call, submitted, () => reply(command, call, this));
  }

  /** Queues the facts that precede the answer of a call. */
  #request({ command, resource, mode }: Call): void {
    const { task } = command;
    // If a person is asked, they take the activity's task like a worker.
    if (resource.kind === "activity" && mode !== "ask") this.inbox.push(["started", task, undefined]);
    if (resource.pattern.startsWith("sync")) this.inbox.push(["submitted", task, submittedText(resource, command, this.now())]);
  }

  /** Uses the reply of a function, at once or when its promise settles. */
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
    this.run.changed();
  }

  /** Answers a call with recorded facts. */
  #repeat(call: Call, { facts, silent }: RepeatedAnswer): void {
    const { task } = call.command;
    call.mode = call.command.mode = "recorded";
    call.silent = silent === true;
    for (const { method, after, b, c } of facts) {
      if (call.submitted && (method === "submitted" || method === "started")) continue;
      // A fact of a task has at most two more arguments.
      this.#schedule(this.now() + after, [method, task, b, c] as Fact);
    }
  }

  #settle(call: Call, value: unknown, submitted: boolean): void {
    call.pending = false;
    if (call.ended) return this.changed();
    const { task } = call.command;
    try {
      this.#take(call, value, submitted);
    } catch (thrown) {
      this.#schedule(this.now(), [
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
      // A mock of a callback task also answers the request.
      if (byToken && !submitted) this.inbox.push(["submitted", task, "{}"]);
      if (ask) call.asked = byToken ? "token" : call.resource.kind === "activity" ? "activity" : "ask";
      else if (silent) call.silent = true;
      else if (error !== undefined) this.#schedule(at + after, ["fail", task, error, cause]);
      else this.#schedule(at + after, ["succeed", task, this.#resultOf(call, output)]);
    } else if (byToken) {
      if (!submitted) this.inbox.push(["submitted", task, this.#resultOf(call, value)]);
      // The holder of the token may have answered already.
      if (!call.answered) call.asked = "token";
    } else {
      this.#schedule(at, ["succeed", task, this.#resultOf(call, value)]);
    }
  }

  /** Fails a call with the error of its handler. */
  reject(call: Call, thrown: unknown): void {
    call.pending = false;
    if (!call.ended) {
      const { error, cause } = failure(call.resource, call.command, thrown, this.now());
      this.#schedule(this.now(), ["fail", call.command.task, error, cause]);
    }
    this.changed();
  }

  #resultOf(call: Call, value: unknown): string {
    return call.asked === "token" || call.resource.pattern === "waitForTaskToken"
      ? jsonText(value)
      : resultText(call.resource, call.command, value, this.now());
  }

  #schedule(at: number, fact: Fact): void {
    this.#insert({ at, fact });
  }

  #insert(entry: Scheduled): void {
    entry.at = Math.min(entry.at, LAST);
    let i = this.#scheduled.length;
    while (i > 0 && this.#scheduled[i - 1]!.at > entry.at) i--;
    this.#scheduled.splice(i, 0, entry);
  }

  /** Drops scheduled answers to tasks that have ended. */
  #drop(): void {
    for (let first = this.#scheduled[0]; first?.fact && !this.calls.has(first.fact[1] as number); first = this.#scheduled[0])
      this.#scheduled.shift();
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
    this.run.nested?.unregister(this);
  }
}

function hasEnded(status: Status): status is ExecutionResult {
  return status.status !== "RUNNING" && status.status !== "NOT_STARTED";
}

/** Returns whether an answer has facts or says that none comes. */
function isAnswer(answer: RepeatedAnswer | undefined): answer is RepeatedAnswer {
  return answer !== undefined && (answer.silent === true || answer.facts.length > 0);
}

/** Returns the tasks of a recorded execution (see `replayHistory()`) as answers. */
export function answersOf(tasks: RecordedTask[]): Map<string, RepeatedAnswer> {
  const counts = new Map<string, number>();
  return new Map(
    // Something else has to answer a task whose answer is missing in the recording.
    tasks.map((task) => [keyOf(task, counts), task.unknown ? { facts: [] } : factsOf(task)]),
  );
}

/** Returns a key of a call that is the same in another run that takes the same path: state, iterations, and index there. */
export function keyOf(command: Pick<InvokeCommand, "state" | "iterations">, counts: Map<string, number>): string {
  const path = JSON.stringify([command.state, command.iterations ?? []]);
  const n = counts.get(path) ?? 0;
  counts.set(path, n + 1);
  return `${path} ${n}`;
}

/** Returns a recorded fact in the form in which it is fed. */
export function withoutTime([method, , ...rest]: PastFact): Fact {
  // A fork never starts at a change by hand, only at a fact that the engine was fed.
  return [method, ...rest] as Fact;
}
