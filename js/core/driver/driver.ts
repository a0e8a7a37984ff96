// The driver runs one engine: it feeds facts, performs commands and has one timer.
//
// All facts go through one inbox, so a handler may call every method of its execution: the fact is fed after the current commands.
// An answer that is not a promise is fed at once, without a microtask.

import { InternalError, TaskCancelled, messageOf, misuse } from "../base/errors.ts";
import { failure, submittedText, taskInput } from "../tasks/integration.ts";
import { shown } from "../base/shown.ts";
import { isThenable } from "../base/thenable.ts";
import { Alarm, VirtualClock, timeOf } from "./clock.ts";
import { inTime, later, mayBegin, soon, untilLater } from "./scheduler.ts";
import type { Journal, Unhandled } from "./journal.ts";
import { Observers } from "./observers.ts";
import type { Beats, DriverFamily, NestedSnapshot } from "./calls.ts";
import { Call, ENDED, OpenCalls, answerOf, beatText, crashEvent, isResumer, refusedAnswer } from "./calls.ts";
import { Task } from "./task.ts";
import { Work, asleep } from "./work.ts";
import type {
  CancelReason,
  Clock,
  Command,
  Execution,
  ExecutionCoverage,
  ExecutionResult,
  ExecutionSnapshot,
  Frame,
  HistoryEvent,
  InvokeCommand,
  PendingTask,
  Step,
  TraceStage,
} from "../api/index.d.ts";
import type { Thrown } from "../base/errors.ts";
import type { Fact } from "../border/facts.ts";
import type { HistoryEngine } from "../border/history-engine.ts";
import type { Completion, EndedCall, TaskDriver, TaskFailure } from "../tasks/call.ts";
import type { Handlers } from "../tasks/resource.ts";
import type { ClockMember } from "./clock.ts";
import type { ObserverOptions } from "./observers.ts";
import type { TaskHost } from "./task.ts";

/** The outcome of an execution. `error` and `cause` are set if it did not succeed. */
export type Outcome = ExecutionResult & { output?: unknown; error?: string; cause?: string };

/** The parts of a driver. */
interface DriverOptions {
  engine: HistoryEngine;
  handlers: Handlers;
  clock: Clock | VirtualClock;
  family?: DriverFamily | undefined;
  seed: bigint;
  observers: ObserverOptions;
  /** The journal of an execution that outlives its process. */
  journal?: Journal | undefined;
  /** Whether the engine waits for a confirmation that the activity of a task exists. */
  confirmedActivities?: boolean | undefined;
  /** Is called once, with the time of the end. */
  onFinish: (outcome: Outcome, now: number) => void;
}

export class Driver implements TaskDriver, TaskHost, ClockMember {
  /** Whether a task has failed because it has no handler. */
  failedWithoutHandler = false;
  #engine: HistoryEngine;
  #handlers: Handlers;
  #clock: Clock | VirtualClock;
  /** The clock, if it is virtual. */
  #virtual: VirtualClock | undefined;
  #alarm: Alarm | undefined;
  /** Undefined if nobody observes the execution. */
  #observers: Observers | undefined;
  #onFinish: DriverOptions["onFinish"];
  #confirmedActivities: boolean;
  #journal: Journal | undefined;
  // The number of steps whose facts are not stored yet, and of those that have tasks to call.
  #sleeping = 0;
  #heldTasks = 0;
  /** Whether it was unloaded. The executions that its tasks have started are still needed. */
  isAbandoned = false;
  // The facts, and the number of those that were fed.
  #inbox: (Fact | undefined)[] = [];
  #read = 0;
  // The commands, and the number of those that were performed.
  #commands: Command[] = [];
  #done = 0;
  #stopping = false;
  #stoppedBy: Thrown | undefined;
  // The last error that a handler has thrown, with the Error and Cause of the task.
  #failure: (Thrown & TaskFailure) | undefined;
  #calls = new OpenCalls();
  #tokens: Map<string, Call | EndedCall> | undefined;
  #work = new Work();
  // The number of tokens that can still be answered.
  #tokensOut = 0;
  #jumping = false;
  #toldIdle = false;
  #running = false;
  #queued = false;
  #more = false;
  #deadline: number | null = null;
  #waiters: (() => void)[] | undefined;
  // The last event of an execution that the engine could not end.
  #crash: HistoryEvent | undefined;

  /** The error of the handler that made the execution fail, or the reason of the signal that stopped it. */
  thrown: Thrown | undefined;

  /** The execution that handlers get. It is set before anything runs. */
  execution!: Execution;
  /** The outcome of the execution, once it has ended. */
  outcome: Outcome | undefined;
  /** The details of the last heartbeats. */
  beats: Beats | undefined;
  /** The number of events. */
  events = 0;

  /** The executions that have started each other, including this one; undefined if tasks cannot start executions. */
  family: DriverFamily | undefined;
  /** The seed for the names and seeds of executions that this one starts. */
  seed: bigint;

  constructor({ engine, handlers, clock, family, seed, observers, journal, confirmedActivities, onFinish }: DriverOptions) {
    this.#engine = engine;
    this.#handlers = handlers;
    this.#clock = clock;
    if (clock instanceof VirtualClock) this.#virtual = clock;
    else this.#alarm = new Alarm(clock, this);
    for (const name in observers) {
      if (observers[name as keyof ObserverOptions] === undefined) continue;
      this.#observers = new Observers(observers, this);
      break;
    }
    this.#journal = journal;
    this.family = family;
    this.seed = seed;
    this.#onFinish = onFinish;
    this.#confirmedActivities = confirmedActivities ?? false;
  }

  /** Returns the execution's time. */
  now(): number {
    return this.#clock.now();
  }

  /** Whether only the passing of time can move the execution. For virtual time. */
  get quiet(): boolean {
    return (
      !this.#running &&
      !this.#queued &&
      this.#work.active === 0 &&
      this.#sleeping === 0 &&
      !this.#more &&
      this.#done === this.#commands.length &&
      this.#read === this.#inbox.length
    );
  }

  /** Whether values that JSON would change are refused. */
  get isStrict(): boolean {
    return this.#handlers.isStrict;
  }

  /** Whether a handler is working, and not sleeping. */
  get atWork(): boolean {
    return this.#work.active > 0;
  }

  /** The time at which the execution continues by itself, or null. */
  get deadline(): number | null {
    const wakes = this.#work.wakesAt;
    return this.#deadline !== null && this.#deadline <= wakes ? this.#deadline : wakes === Infinity ? null : wakes;
  }

  /** The number of tokens that can still be answered. */
  get tokens(): number {
    return this.#tokensOut;
  }

  /**
   * The time at which another process must resume a stored execution: 0 means at once, because tasks are to be called; null means
   * when a task is
   * answered from outside. Steps that are not stored yet count as done.
   */
  get wakeAt(): number | null {
    return this.#wakeAt((call) => call.isOutside);
  }

  /** The same for this process, which is notified of the end of an execution that a task waits for. */
  get restsUntil(): number | null {
    return this.#wakeAt((call) => call.isOutside || call.isWatched);
  }

  #wakeAt(waits: (call: Call) => boolean): number | null {
    if (this.#more || this.#heldTasks > 0 || this.#done < this.#commands.length) return 0;
    // An answer that is not fed yet has closed its call, but is not stored.
    if (this.#read < this.#inbox.length) return 0;
    for (const call of this.#calls.list()) if (!waits(call)) return 0;
    return this.#deadline;
  }

  /** Whether all facts were fed to the engine. */
  get isFed(): boolean {
    return this.#read === this.#inbox.length;
  }

  /** Whether tasks are to be called in a later turn, or facts may still lead to tasks. */
  get hasCallsToMake(): boolean {
    return this.#done < this.#commands.length || !this.isFed;
  }

  /** Whether nothing in this process moves the execution, so that it can be unloaded until its deadline. */
  get isAtRest(): boolean {
    const busy = this.#running || this.#queued || this.#sleeping > 0 || this.#read < this.#inbox.length || this.#work.wakesAt < Infinity;
    return !busy && !this.#isOver && this.restsUntil !== 0;
  }

  /** Called when the deadline has come. */
  ring(): void {
    this.#post(TICK);
  }

  /** Checks again whether there is work. */
  wake(): void {
    if (this.outcome === undefined) this.#kick();
  }

  /** Called by handlers. The promise resolves after this many milliseconds of the execution's time. */
  sleep(task: Task, milliseconds: number): Promise<void> {
    const duration = Number(milliseconds);
    if (!(duration >= 0)) throw misuse("INVALID_ARGUMENT", "task.sleep() takes a number of milliseconds", RangeError);
    const call = this.#calls.get(task.id);
    if (call?.task !== task) return asleep(Promise.reject(task.signal.reason ?? new TaskCancelled("Stopped", task.stateName)));
    // Virtual time must not skip this sleep, so the timer is set again.
    later(() => this.#kick());
    return this.#work.sleep(call, this.#clock.now() + duration);
  }

  /** Called with virtual time, if nothing can move any execution on this clock. */
  idle(): void {
    if (this.#toldIdle || this.outcome !== undefined) return;
    this.#toldIdle = true;
    this.#observers?.notifyIdle();
  }

  /** Begins with these facts after the caller's code has run, because handlers may use the variable that holds the execution. */
  begin(facts: readonly Fact[]): void {
    this.#virtual?.join(this);
    this.family?.drivers.add(this);
    // A list that is pushed to has room for seventeen facts, for as long as the execution lasts.
    if (this.#inbox.length === 0) this.#inbox = [...facts];
    else this.#inbox.push(...facts);
    soon(() => this.#kick());
  }

  /**
   * Resumes a restored engine. Callbacks whose request was answered wait for their token, tasks that a worker has taken for the
   * worker, and tasks in `nested` for an execution that is resumed with this one. All other tasks are called again. `submitted` has
   * callbacks too: those whose answered request the engine had not been told of yet.
   */
  resume(submitted: ReadonlySet<number>, nested: ReadonlyMap<number, NestedSnapshot>): void {
    const status: Outcome | { status: "RUNNING" } = JSON.parse(this.#engine.ask("status"));
    this.events = this.#engine.events;
    this.#observers?.skip(this.events);
    if (status.status !== "RUNNING") {
      soon(() => this.#end(status));
      return;
    }
    const pending: PendingTask[] = JSON.parse(this.#engine.ask("pending"));
    // These tasks were running in the process that is gone.
    const again: number[] = [];
    for (const { phase, ...command } of pending) {
      const { task, resource, state, input } = command;
      const child = nested.get(task);
      const handler = child || phase === "started" ? this.#handlers.find(resource, state, input) : undefined;
      const waits = phase === "submitted" && this.#handlers.resource(resource).pattern === "waitForTaskToken";
      if (waits || submitted.has(task)) this.#open(command).answered = true;
      else if (child && handler && isResumer(handler)) handler.resume(this.#open(command), this, child);
      else if (phase === "started" && typeof handler === "object" && handler.taken) handler.taken(this.#open(command), this);
      else {
        if (phase !== "scheduled") again.push(task);
        this.#commands.push(command);
      }
    }
    this.begin([["recovered", again]]);
  }

  /**
   * Continues with an engine that was rebuilt from the stored facts. `away` means that no process could do its tasks in the
   * meantime.
   */
  recover(away: boolean): void {
    this.events = this.#engine.events;
    this.#observers?.skip(this.events);
    this.#deadline = this.#engine.ask("deadline") ?? null;
    const pending: PendingTask[] = JSON.parse(this.#engine.ask("pending"));
    const again: number[] = [];
    for (const { phase, ...command } of pending) {
      if (phase !== "scheduled" && this.#reopen(command, phase)) continue;
      if (phase !== "scheduled") again.push(command.task);
      this.#commands.push(command);
    }
    this.begin(away || again.length > 0 ? [["recovered", again]] : [TICK]);
  }

  /** Returns a task of a rebuilt engine that would be called but has no handler, if the execution waits for missing handlers. */
  unhandled(): Unhandled | undefined {
    for (const { phase, resource, state, input } of JSON.parse(this.#engine.ask("pending")) as PendingTask[]) {
      const isOutside = phase === "submitted" && this.#handlers.resource(resource).pattern === "waitForTaskToken";
      if (isOutside || this.#handlers.find(resource, state, input) !== undefined) continue;
      const { cause, waits } = this.#handlers.missing(resource, state, input);
      if (waits) return { state, resource, cause };
    }
    return undefined;
  }

  /** Reopens the call of a task that is done outside. Returns false if it was done in the process that is gone. */
  #reopen(command: InvokeCommand, phase: "started" | "submitted"): boolean {
    const { resource, state, input } = command;
    const handler = this.#handlers.find(resource, state, input);
    const taker = typeof handler === "object" && handler.taken !== undefined ? handler : undefined;
    if (taker === undefined && !(phase === "submitted" && this.#handlers.resource(resource).pattern === "waitForTaskToken")) return false;
    const call = this.#open(command);
    call.answered = phase === "submitted";
    taker?.taken?.(call, this);
    return true;
  }

  /** Stops driving without ending the execution, which continues when its facts are replayed. The signals of its tasks are aborted. */
  abandon(reason: Thrown): void {
    if (this.#isOver) return;
    this.isAbandoned = true;
    this.#stoppedBy ??= reason;
    this.#alarm?.set(null);
    this.#inbox.length = 0;
    this.#read = 0;
    this.#commands = [];
    this.#done = 0;
    this.#more = false;
    this.#deadline = null;
    for (const call of this.#calls.list()) {
      // The execution still needs what the task has started, so onCancel must not stop it.
      call.onCancel = undefined;
      this.#close(call.command.task, "Stopped");
    }
    this.#virtual?.leave(this);
    this.family?.drivers.delete(this);
    this.#engine.discard();
    this.#wake();
  }

  /** Whether nothing moves the execution in this process any more. */
  get #isOver(): boolean {
    return this.outcome !== undefined || this.isAbandoned;
  }

  /** Redrives an execution that did not succeed. Throws if that is impossible. */
  redrive(): void {
    this.events = this.#engine.events;
    this.#observers?.skip(this.events);
    const now = this.#clock.now();
    const step = this.#engine.feed("redrive", now);
    this.#stepped(now, ["redrive"], step);
    this.begin([TICK]);
  }

  /** Releases the engine's memory. */
  release(): void {
    this.#engine.release();
  }

  /** Adds a fact to the inbox. */
  post(...fact: Fact): void {
    this.#post(fact);
  }

  #post(fact: Fact): void {
    if (this.#isOver) return;
    this.#inbox.push(fact);
    // The signals of tasks are aborted at once, although the engine is fed the stop in a later turn.
    if (fact[0] === "stop" && !this.#stopping) {
      this.#stopping = true;
      for (const call of this.#calls.list()) Task.cancel(call.task, "Stopped", this.#stoppedBy);
    }
    this.#kick();
  }

  /** Ends the execution as ABORTED. */
  stop(reason: Thrown, cause: string): void {
    this.#stoppedBy ??= reason;
    this.post("stop", undefined, cause);
  }

  /** Applies a heartbeat of a task. */
  heartbeat(task: number, details?: unknown): void {
    const call = this.#calls.get(task);
    if (call === undefined || call.ended) return;
    if (details !== undefined) (this.beats ??= new Map()).set(call.task.idempotencyKey, beatText(details));
    this.post("heartbeat", task);
  }

  /** Returns the JSON text of a waiting task's input, or of a member of it, with the original digits of its numbers. */
  inputOf(task: number, member?: string): string | undefined {
    return this.#engine.ask("inputOf", task, member);
  }

  /**
   * For a handler that is being called and that submits the request's answer itself: removes the answer that was queued for it, and
   * returns the function that submits.
   */
  submission(task: number): (text: string) => void {
    this.#inbox.pop();
    return (text) => this.#calls.get(task) && this.#post(["submitted", task, text]);
  }

  /** Returns the call of a task token. Throws if the token is not from this execution. */
  callOf(token: string): Call | EndedCall {
    const call = this.#tokens?.get(token);
    if (call === undefined) throw misuse("UNKNOWN_TOKEN", `no task of this execution has the token ${shown(token)}`, RangeError);
    return call;
  }

  /** Returns the call of a task token; undefined if the token is not from this execution. */
  findCall(token: string): Call | EndedCall | undefined {
    return this.#tokens?.get(token);
  }

  /** Returns the events from index `from` to index `to`. */
  history(from = 0, to = Infinity): HistoryEvent[] {
    if (this.#journal !== undefined) to = Math.min(to, this.events);
    const events = this.#engine.history(from, to);
    if (this.#crash && from < this.events && to >= this.events) events.push(this.#crash);
    return events;
  }

  /** Yields the events from an index on, in lists of limited size. */
  *pages(from: number): Generator<HistoryEvent[], void, undefined> {
    const to = this.#journal === undefined ? Infinity : this.events;
    for (const page of this.#engine.pages(from, to)) yield page.map(([, event]) => event);
    if (this.#crash && from < this.events) yield [this.#crash];
  }

  /** Returns the events from an index on, as one JSON text. */
  historyText(from = 0): string {
    return this.#crash ? JSON.stringify(this.history(from)) : this.#engine.historyText(from);
  }

  /** Resolves when there are new events, or when the execution has ended. */
  changed(): Promise<void> {
    return new Promise((resolve) => (this.#waiters ??= []).push(resolve));
  }

  /** Returns the running frames. */
  frames(): Frame[] {
    return JSON.parse(this.#engine.ask("frames"));
  }

  /** Returns the stages of data flow since the last call. */
  trace(): TraceStage[] {
    return JSON.parse(this.#engine.ask("takeTrace"));
  }

  /** Returns the used parts of the definition, and the handled errors. */
  coverage(): ExecutionCoverage {
    return JSON.parse(this.#engine.ask("coverage"));
  }

  /** Returns the engine's snapshot, and the tasks that wait for their token or for an execution. */
  snapshot(): Pick<ExecutionSnapshot, "engine" | "submitted" | "nested"> {
    // An execution that has not begun begins now. Its commands are performed in the next turn.
    const first = this.#inbox[this.#read];
    if (first?.[0] === "start" && !this.#running) {
      this.#read += 1;
      this.#feed(first);
    }
    const calls = this.#calls.list().filter((call) => !call.ended);
    const submitted = calls.filter((call) => call.submits && call.answered).map((call) => call.command.task);
    const nested = calls.flatMap(({ command, child }): NestedSnapshot[] =>
      child?.running && child.execution?.snapshot !== undefined
        ? [{ task: command.task, child: child.toJSON(), snapshot: child.execution.snapshot() }]
        : [],
    );
    return { engine: this.#engine.snapshot(), submitted, ...(nested.length > 0 && { nested }) };
  }

  #kick(): void {
    if (this.#running || this.#queued) return;
    if (mayBegin()) this.#run();
    else this.#queue();
  }

  #queue(): void {
    this.#queued = true;
    later(() => {
      this.#queued = false;
      this.#run();
    });
  }

  /** Feeds facts and performs commands until there is nothing to do, or the turn has ended. */
  #run(): void {
    if (this.#running) return;
    this.#running = true;
    let idle = false;
    try {
      for (let done = 0; ; done += 1) {
        const command = this.#commands[this.#done];
        idle = command === undefined && this.#isIdle();
        // Reading the clock takes as long as some states, so it is not read before the first fact and its first command.
        if (idle || (done > 1 && !inTime())) break;
        if (command !== undefined) {
          this.#done += 1;
          this.#perform(command);
          continue;
        }
        const fact = this.#next();
        if (fact === undefined) {
          idle = true;
          break;
        }
        this.#feed(fact);
        this.#observers?.notify();
      }
      if (!this.#isOver) {
        this.#alarm?.set(idle ? this.deadline : null);
        if (idle) this.#rest();
      }
    } catch (bug) {
      // This is a bug of the package, or a clock that throws.
      this.#fail(new InternalError(bug).message);
      idle = true;
    }
    this.#running = false;
    if (!idle) this.#queue();
    this.#wake();
  }

  /**
   * Frees the engine of an execution that waits for a time. The engine is rebuilt from its facts when it continues. Executions in a
   * store are unloaded as a whole instead.
   */
  #rest(): void {
    if (this.#deadline === null || this.#alarm === undefined || this.#journal !== undefined || !this.#calls.isEmpty) return;
    if (this.#deadline - this.#clock.now() >= LONG_WAIT) this.#engine.rest();
  }

  /** Returns whether there is no fact, without reading the clock. */
  #isIdle(): boolean {
    if (this.#isOver) return true;
    const waits = this.#read === this.#inbox.length && !this.#more && this.#work.wakesAt === Infinity;
    return waits && !(this.#virtual !== undefined && this.#work.active === 0 && this.#sleeping === 0);
  }

  #next(): Fact | undefined {
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
    if (this.#more) {
      if (this.#journal?.isBehind !== true) return TICK;
      this.#journal.whenStored(() => this.#kick());
      return undefined;
    }
    if (this.#virtual !== undefined && this.#work.active === 0 && this.#sleeping === 0) {
      if (!this.#jump(this.#virtual)) return undefined;
      if (this.#deadline !== null && this.#deadline <= this.#clock.now()) return TICK;
    }
    this.#wakeSleepers();
    return undefined;
  }

  /**
   * Moves virtual time to this execution's deadline. Returns false if other members come first, or if a token may still be
   * answered.
   */
  #jump(clock: VirtualClock): boolean {
    const first = clock.first(this);
    if (first !== this) {
      if (first !== undefined) later(() => first.wake());
      else if (clock.idle(this)) later(() => this.quiet && clock.idle(this) && clock.notifyIdle());
      return false;
    }
    // A token may be answered in this turn of the event loop, so time jumps in the next turn.
    if (clock.tokens > 0 && !this.#jumping) {
      this.#jumping = true;
      later(() => this.#kick());
      return false;
    }
    this.#jumping = false;
    // The first member on the clock always has a deadline.
    clock.jump(this.deadline ?? clock.now());
    return true;
  }

  /** Ends the sleeps whose time has come. The engine's own deadline comes first. */
  #wakeSleepers(): void {
    const { wakesAt } = this.#work;
    if (wakesAt === Infinity) return;
    const now = this.#clock.now();
    if (this.#deadline !== null && this.#deadline <= now) return;
    if (this.#work.wake(now)) later(() => this.#kick());
  }

  #feed(fact: Fact): void {
    let step: Step;
    const now = this.#clock.now();
    try {
      step = this.#engine.feedFact(now, fact);
    } catch (thrown) {
      if (thrown instanceof InternalError) return this.#fail(thrown.message);
      return this.#refused(fact, thrown);
    }
    this.#stepped(now, fact, step);
  }

  /** Applies a step of the engine. */
  #stepped(now: number, fact: Fact, step: Step): void {
    this.#more = step.more;
    this.#deadline = step.deadline;
    this.#toldIdle = false;
    if (this.#journal !== undefined) return this.#hold(this.#journal, now, fact, step);
    this.events = step.events;
    this.#queueCommands(step);
  }

  /** Gives a fact to the journal. The commands of its step are performed when it is stored. */
  #hold(journal: Journal, now: number, fact: Fact, step: Step): void {
    const calls = step.commands.some(({ type }) => type === "Invoke") ? 1 : 0;
    this.#sleeping += 1;
    this.#heldTasks += calls;
    journal.fed(now, fact, step);
    journal.whenStored(() => {
      this.#sleeping -= 1;
      this.#heldTasks -= calls;
      if (this.isAbandoned) return;
      this.events = step.events;
      this.#queueCommands(step);
      this.#observers?.notify();
      this.#kick();
      this.#wake();
    });
  }

  #queueCommands(step: Step): void {
    if (this.#done === this.#commands.length) {
      this.#commands = step.commands;
      this.#done = 0;
    } else {
      for (const command of step.commands) this.#commands.push(command);
    }
  }

  /** Fails the task whose answer the engine refuses, because it is too large or nested too deeply. */
  #refused([method, task]: Fact, thrown: unknown): void {
    if (typeof task !== "number") return this.#fail(messageOf(thrown));
    const call = this.#calls.get(task);
    if (call !== undefined) this.#leave(call);
    const fact = refusedAnswer(method, task, thrown);
    if (fact === undefined) this.#fail(messageOf(thrown));
    else this.#feed(fact);
  }

  #perform(command: Command): void {
    switch (command.type) {
      case "Invoke":
        // A stop cancels this task before its handler could do anything.
        if (!this.#stopping) this.#invoke(command);
        break;
      case "Cancel":
        this.#close(command.task, command.reason);
        break;
      case "ChildFinished": {
        const { type, ...child } = command;
        this.#observers?.notifyChild(child);
        break;
      }
      case "Finish": {
        const { type, ...outcome } = command;
        this.#end(outcome);
        break;
      }
    }
  }

  #open(command: InvokeCommand): Call {
    const resource = this.#handlers.resource(command.resource);
    const call = new Call(command, resource, new Task(command, this));
    this.#calls.add(call);
    if (command.token !== undefined) {
      (this.#tokens ??= new Map()).set(command.token, call);
      this.#tokensOut += 1;
    }
    return call;
  }

  /** Ends a call. Later answers have no effect. */
  #leave(call: Call): void {
    if (call.ended) return;
    call.ended = true;
    this.#work.disturb(call);
    call.onEnd?.();
    this.#calls.delete(call);
    const { token } = call.command;
    if (token !== undefined) {
      (this.#tokens ??= new Map()).set(token, ENDED);
      this.#tokensOut -= 1;
    }
  }

  #invoke(command: InvokeCommand): void {
    const call = this.#open(command);
    const { resource, state, input, task } = command;
    const handler = this.#handlers.find(resource, state, input);
    if (handler === undefined) return this.#unhandled(call);
    const isActivity = call.resource.kind === "activity";
    if (isActivity && this.#confirmedActivities) this.#inbox.push(["scheduled", task]);
    if (typeof handler !== "function") return handler.take(call, this);
    if (isActivity) this.#inbox.push(["started", task, undefined]);
    if (call.resource.pattern.startsWith("sync"))
      this.#inbox.push(["submitted", task, submittedText(call.resource, command, this.#clock.now())]);
    let answer: unknown;
    try {
      answer = handler(taskInput(call.resource, input), call.task);
      if (isThenable(answer)) {
        this.#work.setPending(call, true);
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

  /** Fails a task without a handler. If the execution waits for missing handlers, the journal is notified instead. */
  #unhandled(call: Call): void {
    const { resource, state, input, task } = call.command;
    const { error, cause, waits } = this.#handlers.missing(resource, state, input);
    if (waits && this.#journal !== undefined) return this.#journal.unhandled({ state, resource, cause });
    this.failedWithoutHandler = true;
    this.#leave(call);
    this.#inbox.push(["fail", task, error, cause]);
  }

  #settle(call: Call, value: unknown): void {
    if (!this.#answered(call)) return;
    const fact = answerOf(call, value, this, this.isStrict);
    if (fact[0] === "submitted") this.#post(fact);
    else if (fact[0] === "items" && fact[2].length > LONG) this.#takeIn(call, fact);
    else this.#finish(call, fact);
  }

  /** Feeds a long text in parts over several turns, as if its handler were still working, so that the event loop is not blocked. */
  #takeIn(call: Call, fact: Extract<Fact, ["items", ...unknown[]]>): void {
    this.#work.setPending(call, true);
    void this.#engine.takeIn(fact[2], fact[3], untilLater).then(() => {
      if (this.#answered(call)) this.#finish(call, fact);
      else this.#engine.leaveOut(fact[2]);
    });
  }

  #reject(call: Call, thrown: unknown): void {
    if (!this.#answered(call)) return;
    const { error, cause } = failure(call.resource, call.command, thrown, this.#clock.now());
    this.#failure = { error, cause, value: thrown };
    this.#finish(call, ["fail", call.command.task, error, cause]);
  }

  /** Applies that a handler has answered. Returns whether the answer still counts. */
  #answered(call: Call): boolean {
    this.#work.setPending(call, false);
    call.answered = true;
    if (!call.ended) return true;
    // Virtual time may have been waiting for this promise.
    this.#kick();
    return false;
  }

  /** Ends a call with its result. */
  #finish(call: Call, fact: Fact): void {
    this.#leave(call);
    // The results of a ResultWriter are fed first, because they would pile up behind other facts.
    if (call.command.purpose === "ResultWriter" && !this.#isOver) {
      this.#inbox.splice(this.#read, 0, fact);
      this.#kick();
    } else {
      this.#post(fact);
    }
  }

  /** Ends a call, or applies a heartbeat. Returns false if the call has already ended. */
  complete(call: Call | EndedCall, ...completion: Completion): boolean {
    if (call.ended || this.#isOver) return false;
    const { task } = call.command;
    if (completion[0] === "heartbeat") this.heartbeat(task, completion[1]);
    else if (completion[0] === "succeed") this.#finish(call, ["succeed", task, completion[1]]);
    else this.#finish(call, ["fail", task, completion[1], completion[2]]);
    return true;
  }

  /** Asks a task to end: its signal is aborted, but its answer is still accepted. */
  requestEnd(task: number): void {
    this.#calls.get(task)?.requestEnd();
  }

  #close(task: number, reason: CancelReason): void {
    const call = this.#calls.get(task);
    if (call === undefined) return;
    const rejects = this.#work.disturb(call);
    this.#leave(call);
    this.#work.setPending(call, false);
    Task.cancel(call.task, reason, this.#stoppedBy);
    for (const reject of rejects) reject(call.task.signal.reason);
    call.onCancel?.(reason);
  }

  #end(outcome: Outcome): void {
    if (this.#isOver) return;
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
      this.#alarm?.set(null);
    } catch {
      // A clock that throws fires no timer.
    }
    for (const { command } of this.#calls.list()) this.#close(command.task, "Stopped");
    this.#observers?.notify();
    this.#engine.retire();
    this.#virtual?.leave(this);
    this.family?.drivers.delete(this);
    this.#onFinish(outcome, timeOf(this.#clock));
  }

  /** Ends the execution if the engine cannot do so, with the history so far. */
  #fail(cause: string): void {
    if (this.#isOver) return;
    if (this.#journal !== undefined) {
      this.abandon({ value: new InternalError(cause) });
      this.#journal.broken(cause);
      return;
    }
    const error = "States.Runtime";
    let last = 0;
    try {
      this.events = this.#engine.events;
      last = this.events;
    } catch {
      // The engine traps again, so the number of events is unknown.
    }
    this.#crash = crashEvent(last, timeOf(this.#clock), error, cause);
    this.events += 1;
    this.#commands = [];
    this.#done = 0;
    this.#end({ status: "FAILED", error, cause });
  }

  #wake(): void {
    const waiters = this.#waiters;
    if (waiters === undefined) return;
    this.#waiters = undefined;
    for (const resolve of waiters) resolve();
  }
}

const TICK: Fact = ["tick"];
// The time in milliseconds for which an execution waits at least if its engine is freed.
const LONG_WAIT = 1000;
// Files above this size, in characters, are fed over several turns of the event loop.
const LONG = 2 ** 21;
