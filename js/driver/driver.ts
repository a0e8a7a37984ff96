// The driver runs one engine: it feeds facts, performs commands and keeps one timer.
//
// All facts go through one inbox, so a handler may call every method of its execution: the fact is fed after the commands at
// hand. An answer that is no promise is fed at once, without a microtask.

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
import type { HistoryEngine } from "../border/history.ts";
import type { Completion, EndedCall, TaskDriver, TaskFailure } from "../tasks/call.ts";
import type { Handlers } from "../tasks/resource.ts";
import type { ClockMember } from "./clock.ts";
import type { ObserverOptions } from "./observers.ts";
import type { TaskHost } from "./task.ts";

/** How an execution ended; `error` and `cause` belong to one that did not succeed. */
export type Outcome = ExecutionResult & { output?: unknown; error?: string; cause?: string };

/** What a driver is made of. */
interface DriverOptions {
  engine: HistoryEngine;
  handlers: Handlers;
  clock: Clock | VirtualClock;
  family?: DriverFamily | undefined;
  seed: bigint;
  observers: ObserverOptions;
  /** Of an execution that outlives its process. */
  journal?: Journal | undefined;
  /** Called once, with the time of the end. */
  onFinish: (outcome: Outcome, now: number) => void;
}

export class Driver implements TaskDriver, TaskHost, ClockMember {
  #engine: HistoryEngine;
  #handlers: Handlers;
  #clock: Clock | VirtualClock;
  /** The clock, where its time is virtual. */
  #virtual: VirtualClock | undefined;
  #alarm: Alarm | undefined;
  #observers: Observers;
  #onFinish: DriverOptions["onFinish"];
  #journal: Journal | undefined;
  // Steps whose facts are not kept yet, and how many of them have tasks to call.
  #held = 0;
  #heldTasks = 0;
  /** Whether it has left the memory: what its tasks have started is still needed. */
  isAbandoned = false;
  // Facts, and how many of them were fed.
  #inbox: (Fact | undefined)[] = [];
  #read = 0;
  // Commands, and how many of them are done.
  #commands: Command[] = [];
  #done = 0;
  #stopping = false;
  #stoppedBy: Thrown | undefined;
  // The last error that a handler has thrown, with the Error and Cause of the task.
  #failure: (Thrown & TaskFailure) | undefined;
  #calls = new OpenCalls();
  #tokens = new Map<string, Call | EndedCall>();
  #work = new Work();
  // The number of tokens that can still be answered.
  #tokensOut = 0;
  #jumping = false;
  #toldIdle = false;
  #running = false;
  #queued = false;
  #more = false;
  #deadline: number | null = null;
  #waiters: (() => void)[] = [];
  // The last event of an execution that the engine could not end.
  #crash: HistoryEvent | undefined;

  /** The error of the handler that made the execution fail, or the reason of the signal that stopped it. */
  thrown: Thrown | undefined;

  /** The execution that handlers see; it is set before anything runs. */
  execution!: Execution;
  /** How it ended. */
  outcome: Outcome | undefined;
  /** What heartbeats have told of. */
  beats: Beats | undefined;
  /** How many events there are. */
  events = 0;

  /** The executions that were started by one another, this one among them; undefined where none can be. */
  family: DriverFamily | undefined;
  /** The seed of the names and seeds of executions that this one starts. */
  seed: bigint;

  constructor({ engine, handlers, clock, family, seed, observers, journal, onFinish }: DriverOptions) {
    this.#engine = engine;
    this.#handlers = handlers;
    this.#clock = clock;
    if (clock instanceof VirtualClock) this.#virtual = clock;
    else this.#alarm = new Alarm(clock, () => this.#post(TICK));
    this.#observers = new Observers(observers, this);
    this.#journal = journal;
    this.family = family;
    this.seed = seed;
    this.#onFinish = onFinish;
  }

  /** The execution's time. */
  now(): number {
    return this.#clock.now();
  }

  /** With virtual time: whether nothing but the passing of time can move the execution. */
  get quiet(): boolean {
    return (
      !this.#running &&
      !this.#queued &&
      this.#work.active === 0 &&
      this.#held === 0 &&
      !this.#more &&
      this.#done === this.#commands.length &&
      this.#read === this.#inbox.length
    );
  }

  /** Whether a handler is at work, and not asleep. */
  get atWork(): boolean {
    return this.#work.active > 0;
  }

  /** When time moves the execution, or null. */
  get deadline(): number | null {
    const wakes = this.#work.wakesAt;
    return this.#deadline !== null && this.#deadline <= wakes ? this.#deadline : wakes === Infinity ? null : wakes;
  }

  /** Tokens that somebody may still answer. */
  get tokens(): number {
    return this.#tokensOut;
  }

  /**
   * When an execution that is kept has to be taken up again by a process that did not die with it: 0 for at once, because tasks are to
   * be called; null for when somebody answers one. The steps that are not kept yet count as done.
   */
  get wakeAt(): number | null {
    return this.#wakeAt((call) => call.isOutside);
  }

  /** The same in this process, which tells when an execution that is waited for has ended. */
  get restsUntil(): number | null {
    return this.#wakeAt((call) => call.isOutside || call.isWatched);
  }

  #wakeAt(waits: (call: Call) => boolean): number | null {
    if (this.#more || this.#heldTasks > 0 || this.#done < this.#commands.length) return 0;
    // The calls of answers that are not fed yet are closed, but nothing is kept of them.
    if (this.#read < this.#inbox.length) return 0;
    for (const call of this.#calls.list()) if (!waits(call)) return 0;
    return this.#deadline;
  }

  /** Whether the engine was fed all facts. */
  get isFed(): boolean {
    return this.#read === this.#inbox.length;
  }

  /** Whether tasks are to be called in a later turn, or facts may still lead to some. */
  get hasCallsToMake(): boolean {
    return this.#done < this.#commands.length || !this.isFed;
  }

  /** Whether nothing here moves the execution, so that it need not be in memory until its deadline. */
  get isAtRest(): boolean {
    const busy = this.#running || this.#queued || this.#held > 0 || this.#read < this.#inbox.length || this.#work.wakesAt < Infinity;
    return !busy && !this.#isOver && this.restsUntil !== 0;
  }

  /** Checks again whether there is anything to do. */
  wake(): void {
    if (this.outcome === undefined) this.#kick();
  }

  /** For a handler: the promise resolves after this many milliseconds of the execution's time. */
  sleep(task: Task, milliseconds: number): Promise<void> {
    const duration = Number(milliseconds);
    if (!(duration >= 0)) throw misuse("INVALID_ARGUMENT", "task.sleep() takes a number of milliseconds", RangeError);
    const call = this.#calls.get(task.id);
    if (call?.task !== task) return asleep(Promise.reject(task.signal.reason ?? new TaskCancelled("Stopped", task.stateName)));
    // Time must not pass this sleep: the timer is set again.
    later(() => this.#kick());
    return this.#work.sleep(call, this.#clock.now() + duration);
  }

  /** With virtual time: nothing can move any execution on this clock. */
  idle(): void {
    if (this.#toldIdle || this.outcome !== undefined) return;
    this.#toldIdle = true;
    this.#observers.tellIdle();
  }

  /** Begins with these facts after the caller's code has run, because handlers may use the variable that holds the execution. */
  begin(facts: readonly Fact[]): void {
    this.#virtual?.join(this);
    this.family?.drivers.add(this);
    this.#inbox.push(...facts);
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
    this.#observers.skip(this.events);
    if (status.status !== "RUNNING") {
      soon(() => this.#end(status));
      return;
    }
    const pending: PendingTask[] = JSON.parse(this.#engine.ask("pending"));
    // What had taken these on was a part of the process that is gone.
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

  /** Goes on with an engine that was made again from the facts that were kept; `away` if nobody could do its tasks meanwhile. */
  recover(away: boolean): void {
    this.events = this.#engine.events;
    this.#observers.skip(this.events);
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

  /** Of an engine that was made again: a task that would be called and waits for a handler. */
  unhandled(): Unhandled | undefined {
    for (const { phase, resource, state, input } of JSON.parse(this.#engine.ask("pending")) as PendingTask[]) {
      const isOutside = phase === "submitted" && this.#handlers.resource(resource).pattern === "waitForTaskToken";
      if (isOutside || this.#handlers.find(resource, state, input) !== undefined) continue;
      const { cause, waits } = this.#handlers.missing(resource, state, input);
      if (waits) return { state, resource, cause };
    }
    return undefined;
  }

  /** Opens the call of a task that somebody outside has. Whether anybody has it: what had it may be gone with its process. */
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

  /** Stops without an end: the execution goes on where its facts are taken up again. The signals of its tasks are aborted. */
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
      // The execution still needs what the task has started.
      call.onCancel = undefined;
      this.#close(call.command.task, "Stopped");
    }
    this.#virtual?.leave(this);
    this.family?.drivers.delete(this);
    this.#engine.discard();
    this.#wake();
  }

  /** Whether nothing moves the execution here any more. */
  get #isOver(): boolean {
    return this.outcome !== undefined || this.isAbandoned;
  }

  /** Redrives an execution that did not succeed. Throws if that is impossible. */
  redrive(): void {
    this.events = this.#engine.events;
    this.#observers.skip(this.events);
    const now = this.#clock.now();
    const step = this.#engine.feed("redrive", now);
    this.#stepped(now, ["redrive"], step);
    this.begin([TICK]);
  }

  /** Gives the engine's memory back. */
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

  /** A task's worker is alive. */
  heartbeat(task: number, details?: unknown): void {
    const call = this.#calls.get(task);
    if (call === undefined || call.ended) return;
    if (details !== undefined) (this.beats ??= new Map()).set(call.task.idempotencyKey, beatText(details));
    this.post("heartbeat", task);
  }

  /** The JSON text of a waiting task's input, or of a member of it, with all digits of its numbers. */
  inputOf(task: number, member?: string): string | undefined {
    return this.#engine.ask("inputOf", task, member);
  }

  /** For a handler that is being called: it tells of the request's answer itself, in place of the one that was made for it. */
  submission(task: number): (text: string) => void {
    this.#inbox.pop();
    return (text) => this.#calls.get(task) && this.#post(["submitted", task, text]);
  }

  /** The call of a task token. Throws if the token is not from this execution. */
  callOf(token: string): Call | EndedCall {
    const call = this.#tokens.get(token);
    if (call === undefined) throw misuse("UNKNOWN_TOKEN", `no task of this execution has the token ${shown(token)}`, RangeError);
    return call;
  }

  /** The call of a task token; undefined if the token is not from this execution. */
  findCall(token: string): Call | EndedCall | undefined {
    return this.#tokens.get(token);
  }

  /** The events from an index on, parsed; up to another index. */
  history(from = 0, to = Infinity): HistoryEvent[] {
    if (this.#journal !== undefined) to = Math.min(to, this.events);
    const events = this.#engine.history(from, to);
    if (this.#crash && from < this.events && to >= this.events) events.push(this.#crash);
    return events;
  }

  /** The events from an index on, in lists of a bounded size. */
  *pages(from: number): Generator<HistoryEvent[], void, undefined> {
    const to = this.#journal === undefined ? Infinity : this.events;
    for (const page of this.#engine.pages(from, to)) yield page.map(([, event]) => event);
    if (this.#crash && from < this.events) yield [this.#crash];
  }

  /** The events from an index on, as one JSON text. */
  historyText(from = 0): string {
    return this.#crash ? JSON.stringify(this.history(from)) : this.#engine.historyText(from);
  }

  /** Resolves when there are more events, or when the execution has ended. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** What is running now. */
  frames(): Frame[] {
    return JSON.parse(this.#engine.ask("frames"));
  }

  /** The stages of data flow since the last call. */
  trace(): TraceStage[] {
    return JSON.parse(this.#engine.ask("takeTrace"));
  }

  /** The parts of the definition that were used, and the errors that were handled. */
  coverage(): ExecutionCoverage {
    return JSON.parse(this.#engine.ask("coverage"));
  }

  /** The engine's snapshot, and the tasks that wait for their token or for an execution. */
  snapshot(): Pick<ExecutionSnapshot, "engine" | "submitted" | "nested"> {
    // An execution that has not begun begins now; its commands are performed in the next turn.
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

  /** Feeds and performs until there is nothing to do at once, or the turn is over. */
  #run(): void {
    if (this.#running) return;
    this.#running = true;
    let idle = false;
    try {
      for (let done = 0; ; done += 1) {
        const command = this.#commands[this.#done];
        idle = command === undefined && this.#isIdle();
        // Reading the clock costs as much as some states: it is not read before the first fact and its first command.
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
        this.#observers.tell();
      }
      if (!this.#isOver) this.#alarm?.set(idle ? this.deadline : null);
    } catch (bug) {
      // A bug of this package, or a clock that throws.
      this.#fail(new InternalError(bug).message);
      idle = true;
    }
    this.#running = false;
    if (!idle) this.#queue();
    this.#wake();
  }

  /** Whether there is no fact, without reading the clock. */
  #isIdle(): boolean {
    if (this.#isOver) return true;
    const waits = this.#read === this.#inbox.length && !this.#more && this.#work.wakesAt === Infinity;
    return waits && !(this.#virtual !== undefined && this.#work.active === 0 && this.#held === 0);
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
      this.#journal.keep(() => this.#kick());
      return undefined;
    }
    if (this.#virtual !== undefined && this.#work.active === 0 && this.#held === 0) {
      if (!this.#jump(this.#virtual)) return undefined;
      if (this.#deadline !== null && this.#deadline <= this.#clock.now()) return TICK;
    }
    this.#wakeSleepers();
    return undefined;
  }

  /** Moves virtual time to this execution's deadline; false while others come first, or a token may still be answered. */
  #jump(clock: VirtualClock): boolean {
    const first = clock.first(this);
    if (first !== this) {
      if (first !== undefined) later(() => first.wake());
      else if (clock.idle(this)) later(() => this.quiet && clock.idle(this) && clock.tellIdle());
      return false;
    }
    // A token may be answered in this turn of the event loop: time jumps after it.
    if (clock.tokens > 0 && !this.#jumping) {
      this.#jumping = true;
      later(() => this.#kick());
      return false;
    }
    this.#jumping = false;
    // The first execution on the clock has a deadline.
    clock.jump(this.deadline ?? clock.now());
    return true;
  }

  /** Ends the sleeps that are over. The engine's own deadline comes first. */
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

  /** Takes a step up that the engine has made. */
  #stepped(now: number, fact: Fact, step: Step): void {
    this.#more = step.more;
    this.#deadline = step.deadline;
    this.#toldIdle = false;
    if (this.#journal !== undefined) return this.#hold(this.#journal, now, fact, step);
    this.events = step.events;
    this.#queueCommands(step);
  }

  /** Keeps a fact; the commands of its step are performed when it is kept. */
  #hold(journal: Journal, now: number, fact: Fact, step: Step): void {
    const calls = step.commands.some(({ type }) => type === "Invoke") ? 1 : 0;
    this.#held += 1;
    this.#heldTasks += calls;
    journal.fed(now, fact, step);
    journal.keep(() => {
      this.#held -= 1;
      this.#heldTasks -= calls;
      if (this.isAbandoned) return;
      this.events = step.events;
      this.#queueCommands(step);
      this.#observers.tell();
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

  /** Fails the task whose answer the engine refuses: it is too large, or nested too deeply. */
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
        // The stop cancels this task before its handler could do anything.
        if (!this.#stopping) this.#invoke(command);
        break;
      case "Cancel":
        this.#close(command.task, command.reason);
        break;
      case "ChildFinished": {
        const { type, ...child } = command;
        this.#observers.tellChild(child);
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
      this.#tokens.set(command.token, call);
      this.#tokensOut += 1;
    }
    return call;
  }

  /** Ends a call: answers that come later change nothing. */
  #leave(call: Call): void {
    if (call.ended) return;
    call.ended = true;
    this.#work.disturb(call);
    call.onEnd?.();
    this.#calls.delete(call);
    const { token } = call.command;
    if (token !== undefined) {
      this.#tokens.set(token, ENDED);
      this.#tokensOut -= 1;
    }
  }

  #invoke(command: InvokeCommand): void {
    const call = this.#open(command);
    const { resource, state, input, task } = command;
    const handler = this.#handlers.find(resource, state, input);
    if (handler === undefined) return this.#unhandled(call);
    if (typeof handler !== "function") return handler.take(call, this);
    if (call.resource.kind === "activity") this.#inbox.push(["started", task, undefined]);
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

  /** Fails a task without a handler. Of an execution that waits for handlers, the journal is told. */
  #unhandled(call: Call): void {
    const { resource, state, input, task } = call.command;
    const { error, cause, waits } = this.#handlers.missing(resource, state, input);
    if (waits && this.#journal !== undefined) return this.#journal.unhandled({ state, resource, cause });
    this.#leave(call);
    this.#inbox.push(["fail", task, error, cause]);
  }

  #settle(call: Call, value: unknown): void {
    if (!this.#answered(call)) return;
    const fact = answerOf(call, value, this);
    if (fact[0] === "submitted") this.#post(fact);
    else if (fact[0] === "items" && fact[2].length > LONG) this.#takeIn(call, fact);
    else this.#finish(call, fact);
  }

  /** A long text goes into the engine a part at a time, as if its handler worked as much longer: the host is not held up. */
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

  /** Notes that a handler has answered. Whether the answer still counts. */
  #answered(call: Call): boolean {
    this.#work.setPending(call, false);
    call.answered = true;
    if (!call.ended) return true;
    // Virtual time may have waited for this promise.
    this.#kick();
    return false;
  }

  /** Ends a call with its result. */
  #finish(call: Call, fact: Fact): void {
    this.#leave(call);
    // Results that are to be stored would pile up behind other facts.
    if (call.command.purpose === "ResultWriter" && !this.#isOver) {
      this.#inbox.splice(this.#read, 0, fact);
      this.#kick();
    } else {
      this.#post(fact);
    }
  }

  /** Ends a call, or reports that it is alive. Returns false if it has already ended. */
  complete(call: Call | EndedCall, ...completion: Completion): boolean {
    if (call.ended || this.#isOver) return false;
    const { task } = call.command;
    if (completion[0] === "heartbeat") this.heartbeat(task, completion[1]);
    else if (completion[0] === "succeed") this.#finish(call, ["succeed", task, completion[1]]);
    else this.#finish(call, ["fail", task, completion[1], completion[2]]);
    return true;
  }

  /** Asks a task to end by itself: its signal is aborted, and its answer still counts. */
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
      // A clock that throws rings no timer.
    }
    for (const { command } of this.#calls.list()) this.#close(command.task, "Stopped");
    this.#observers.tell();
    this.#engine.retire();
    this.#virtual?.leave(this);
    this.family?.drivers.delete(this);
    this.#onFinish(outcome, timeOf(this.#clock));
  }

  /** Ends the execution if the engine cannot, with the history so far. */
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
      // The journal traps again: there is no history.
    }
    this.#crash = crashEvent(last, timeOf(this.#clock), error, cause);
    this.events += 1;
    this.#commands = [];
    this.#done = 0;
    this.#end({ status: "FAILED", error, cause });
  }

  #wake(): void {
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}

const TICK: Fact = ["tick"];
// A file of more characters is taken in over several turns of the event loop.
const LONG = 2 ** 21;
