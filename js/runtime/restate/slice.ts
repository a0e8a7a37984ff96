// A slice of an execution on Restate: one invocation of its virtual object. It restores the engine from the last slice, feeds it
// the new messages, performs the short tasks that follow, and ends when only long waits are left.
//
// After a crash Restate repeats the invocation and returns the recorded results of `run` and of other calls. So a slice must depend
// on these results alone: they include the time and the random values, and the engine derives the same commands from the same
// facts.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import type { Command, HistoryEvent, InvokeCommand, PendingTask, Step } from "../../core/api/index.d.ts";
import { TaskCancelled } from "../../core/base/errors.ts";
import { Call, refusedAnswer } from "../../core/driver/calls.ts";
import type { Outcome } from "../../core/driver/driver.ts";
import { Task, type TaskHost } from "../../core/driver/task.ts";
import type { Fact } from "../../core/border/facts.ts";
import type { HistoryEngine } from "../../core/border/history-engine.ts";
import type { Completion, EndedCall, TaskCall } from "../../core/tasks/call.ts";
import { attemptIn, begunFacts } from "./attempt.ts";
import { EXECUTION, NEWS, TASKS, type Durable, type ObjectContext } from "./context.ts";
import type {
  Answer,
  AttemptRequest,
  ChildAnswer,
  ChildOf,
  ChildStart,
  EventAnswer,
  ExecutionEvent,
  News,
  ShardAnswer,
  ShardRequest,
  Standing,
  Watcher,
} from "./events.ts";
import type { FirstAnswer, FirstCall } from "./first.ts";
import { count, drop } from "./gathering.ts";
import { type StoredExecution, type Notes, clearHistory, storeHistory, storeRecord } from "./persistence.ts";
import type { Program } from "./registered-machines.ts";
import { MapRuns, type RunCommand, endOfChild, engineOf, notifyShard } from "./mapruns.ts";
import type { SliceDriver, SliceHost } from "./slice-host.ts";
import { BuiltinTask, cancelBuiltinTask, stopBuiltinTasks, applyToBuiltinTasks } from "./builtin-tasks.ts";
import { RunRecords } from "./runs.ts";
import { notifyWatchers } from "./watchers.ts";

/** The number of events from which AWS does not redrive an execution. */
const FULL = 24_999;
const TICK: Fact = ["tick"];
/** Maximum number of messages that are remembered per slice. */
const REMEMBERED_MESSAGES = 100;
/** If a timer is later than this, in milliseconds, the tasks that follow it get their full timeouts. */
const LATE = 1000;

/** A promise that the slice waits for. */
interface Pending {
  /** Whether the slice stays open for it. */
  keeps: boolean;
  promise: Durable<{ id: number; value?: unknown; failure?: Error }>;
  done: (value: unknown, failure: Error | undefined) => void;
}

export class Slice implements SliceDriver {
  readonly ctx: ObjectContext;
  readonly host: SliceHost;
  record: ExecutionRecord;
  readonly notes: Notes;
  readonly #program: Program;
  #engine: HistoryEngine;
  #at: number;
  readonly #begun: number;
  /** The number of stored events. */
  #events: number;
  #deadline: number | null = null;
  #inbox: Fact[] = [];
  #calls: Call[] = [];
  /** Tasks that are called in the slice, and the controllers that abort them. */
  readonly #controllers = new Map<number, AbortController>();
  readonly #open = new Map<number, Call>();
  readonly #pending = new Map<number, Pending>();
  #entries = 0;
  #outcome: Outcome | undefined;
  /** The awakeables of callers that have stopped the execution and wait for the answer. */
  readonly #stoppers: string[] = [];
  #alarm: { at: number; id: number } | undefined;
  readonly #family: SliceDriver["execution"];
  readonly #mapRuns: MapRuns;
  readonly #records: RunRecords | undefined;
  #answers = false;
  /** Whether this is the first slice of the execution. */
  readonly #isFirst: boolean;
  /** The answer of the first task, which was called together with the start. */
  #first: FirstAnswer | undefined;
  /** The call of the first task, while it is running in this process. */
  #firstCall: FirstCall | undefined;

  constructor(
    ctx: ObjectContext,
    host: SliceHost,
    program: Program,
    stored: StoredExecution | Omit<StoredExecution, "engine">,
    now: number,
  ) {
    this.ctx = ctx;
    this.host = host;
    this.record = stored.record;
    this.notes = stored.notes;
    this.#program = program;
    this.#at = Math.max(stored.at, now);
    this.#begun = this.#at;
    this.#events = stored.events;
    this.#isFirst = stored.events === 0;
    this.#records = RunRecords.of(ctx, this.record, program.machine.definition, this.notes.mapRuns, stored.events);
    this.#mapRuns = new MapRuns(ctx, this.notes, host.limits.shard, (id) => this.#records?.isBatched(id) ?? false);
    const lean = "engine" in stored ? { text: stored.engine, events: stored.events } : undefined;
    this.#engine = engineOf(program, lean);
    this.#deadline = (lean && this.#engine.ask("deadline")) ?? null;
    this.#family = { name: this.record.name, arn: this.record.id, abort: () => this.post("stop") };
  }

  // ------------------------------------------------------------------------------- the interface for built-in tasks

  get execution(): SliceDriver["execution"] {
    return this.#family;
  }

  get definition(): string {
    return this.#program.machine.definition;
  }

  now(): number {
    return this.#at;
  }

  inputOf(task: number, member?: string): string | undefined {
    return this.#engine.ask("inputOf", task, member);
  }

  post(...fact: Fact): void {
    this.#inbox.push(fact);
  }

  complete(call: TaskCall | EndedCall, ...completion: Completion): boolean {
    if (call.ended || !("command" in call)) return false;
    this.#complete(call.command.task, completion);
    return true;
  }

  findCall(): undefined {
    return undefined;
  }

  /** The open tasks. */
  get pending(): PendingTask[] {
    return JSON.parse(this.#engine.ask("pending"));
  }

  get frames(): number {
    // A child of a Map Run is inside of a frame of its parent.
    const around = this.record.mapRunArn === undefined ? 0 : 1;
    return (JSON.parse(this.#engine.ask("frames")) as unknown[]).length + around;
  }

  /** Returns the call of an open task, also if an earlier slice made it. */
  callOf(task: number): Call | undefined {
    const known = this.#open.get(task);
    if (known !== undefined) return known;
    const pending = this.pending.find((one) => one.task === task);
    if (pending === undefined) return undefined;
    const { phase, ...command } = pending;
    return this.#opened(command);
  }

  /** Waits for a promise of Restate before the slice ends. */
  wait<T>(promise: Durable<T>, done: (value: T | undefined, failure: Error | undefined) => void, keeps = true): number {
    const id = ++this.#entries;
    this.#pending.set(id, {
      keeps,
      promise: promise.map((value, failure) => ({ id, ...(failure === undefined ? { value } : { failure }) })),
      done: done as Pending["done"],
    });
    return id;
  }

  // -------------------------------------------------------------------------------------------------------- events

  /** Starts the execution. Its first task may have been called together with the start: then it has answered, or is running. */
  start(fact: Fact & { 0: "start" }, first: FirstAnswer | undefined, call: FirstCall | undefined): Promise<Standing> {
    this.#first = first;
    this.#firstCall = call;
    this.#inbox.push(fact);
    return this.#run();
  }

  /**
   * Starts a child execution of a Map Run, whose engine has begun in the parent. The child may have been stopped already. Resolves
   * to its
   * end, or to null if it has not ended.
   */
  async startChild(of: ChildStart, fact: Fact, first: FirstAnswer | undefined, call: FirstCall | undefined): Promise<ChildAnswer> {
    const [began] = this.#engine.history(0, 1);
    if (began?.type !== "ExecutionStarted") throw new Error("the snapshot of a child has no beginning");
    const startDate = Date.parse(began.timestamp);
    this.record = { ...this.record, input: began.executionStartedEventDetails.input ?? "{}", startDate, order: startDate };
    storeRecord(this.ctx, this.record, this.ctx.invocation, true);
    this.#first = first;
    this.#firstCall = call;
    this.#inbox.push(fact);
    return this.#answering(of, () => this.#run());
  }

  /** Performs an action for a call that may be waiting. If it is, the end of the child is the answer, and no other message is sent. */
  async #answering({ sent }: ChildStart, action: () => Promise<unknown>): Promise<ChildAnswer> {
    this.#answers = sent !== true;
    await action();
    return this.record.status === "RUNNING" ? null : endOfChild(this.record);
  }

  #notifyShard(): void {
    if (!this.#answers) notifyShard(this.ctx, this.record);
  }

  /** Redrives a child. The answer is that of `startChild`. */
  redriveChild(request: ChildStart): Promise<ChildAnswer> {
    return this.#answering(request, () => this.redrive());
  }

  /** Applies a message to the execution. Returns whether it had an effect. */
  async handleEvent(event: ExecutionEvent): Promise<boolean> {
    const counts = this.#apply(event);
    // The sender need not wait for the slice that follows.
    this.#answer(event, { known: true, counts });
    if (counts || this.#inbox.length > 0) await this.#run();
    return counts;
  }

  /** Receives messages while the slice is running. */
  #listen(): void {
    const onNews = (news: News | undefined) => {
      if (news !== undefined) this.#onNews(news);
      this.#listen();
    };
    this.wait(this.ctx.signal<News>(NEWS), onNews, false);
  }

  #onNews(news: News): void {
    const { told, at } = news;
    // The definition is only changed between two slices.
    if (news.type === "migrate") return;
    if (this.notes.heard.some(([known]) => known === told)) return;
    this.#at = Math.max(this.#at, at);
    const refused: EventAnswer["refused"] =
      news.type === "redrive" ? ["NOT_REDRIVABLE", "Execution is RUNNING and cannot be redriven"] : undefined;
    const counts = refused === undefined && this.#apply(news);
    this.notes.heard = [...this.notes.heard, [told, counts] as [string, boolean]].slice(-REMEMBERED_MESSAGES);
    this.#answer(news, { known: true, counts, ...(refused !== undefined && { refused }) });
  }

  /** Answers the sender of a message. The sender of a stop is answered when the end is stored. */
  #answer(event: ExecutionEvent & Partial<News>, answer: EventAnswer): void {
    if (event.told === undefined) return;
    if (event.type === "stop" && answer.counts) this.#stoppers.push(event.told);
    else this.ctx.resolveAwakeable(event.told, answer);
  }

  #apply(event: ExecutionEvent): boolean {
    switch (event.type) {
      case "timer":
        return this.#rang(event.id);
      case "stop":
        // This stop belongs to an earlier redrive of the Map Run.
        if (event.redrive !== undefined && event.redrive !== (this.record.child as ChildOf | undefined)?.redrive) return false;
        this.post("stop", event.error, event.cause);
        return true;
      case "cancel":
        return this.#cancelled(event.details);
      case "token": {
        const task = this.pending.find(({ token }) => token === event.token)?.task;
        if (task === undefined) return false;
        this.#complete(task, event.completion);
        return true;
      }
      case "children":
        for (const [mapRun, ends] of event.ended) {
          this.#mapRuns.childrenEnded(mapRun, ends.length);
          this.#records?.childrenEnded(mapRun, ends);
          for (const end of ends) this.post("updateMapRun", mapRun, end);
        }
        return true;
      case "updateMapRun":
        return this.#updated(event);
      case "answer":
        return this.#answered(event.task, event.fence, event.answer);
      case "beat":
        return this.#beat(event.task, event.fence, event.details);
      default:
        return applyToBuiltinTasks(this, event);
    }
  }

  /** Changes the limits of a Map Run. */
  #updated({ mapRun, change }: ExecutionEvent & { type: "updateMapRun" }): boolean {
    this.#records?.read(this.#engine);
    if (!this.#records?.update(mapRun, change)) return false;
    this.post("updateMapRun", mapRun, JSON.stringify(change));
    return true;
  }

  /** Handles a delayed call. */
  #rang(id: number): boolean {
    const { timer } = this.notes;
    if (timer?.id !== id) return false;
    delete this.notes.timer;
    // No worker was available to call the tasks that follow, so they get their full timeouts.
    if (this.#at > timer.at + LATE) this.post("recovered", []);
    else this.#inbox.push(TICK);
    return true;
  }

  #cancelled(details: string | undefined): boolean {
    if (this.record.cancelRequested !== undefined) return false;
    this.record = { ...this.record, cancelRequested: { at: this.#at, spared: [] } };
    this.post("cancel", details, []);
    return true;
  }

  /** Applies the answer of a task that was called outside of the slice. Answers of obsolete calls are refused. */
  #answered(task: number, fence: number, { at, facts }: Answer): boolean {
    const { long } = this.notes;
    const found = long.findIndex(([other, known]) => other === task && known === fence);
    if (found < 0) return false;
    long.splice(found, 1);
    this.#at = Math.max(this.#at, at);
    this.#inbox.push(...facts);
    return true;
  }

  #beat(task: number, fence: number, details: string | undefined): boolean {
    if (!this.notes.long.some(([other, known]) => other === task && known === fence)) return false;
    const key = details === undefined ? undefined : this.#keyOf(task);
    if (key !== undefined && details !== undefined)
      this.notes.beats = [...this.notes.beats.filter(([known]) => known !== key), [key, details] as [string, string]].slice(-100);
    this.post("heartbeat", task);
    return true;
  }

  #keyOf(task: number): string | undefined {
    const command = this.pending.find((pending) => pending.task === task);
    return command && new Task(command, this.#taskHost).idempotencyKey;
  }

  #complete(task: number, completion: Completion): void {
    if (completion[0] === "heartbeat") this.post("heartbeat", task);
    else if (completion[0] === "succeed") this.post("succeed", task, completion[1]);
    else this.post("fail", task, completion[1], completion[2]);
  }

  /** Redrives a failed execution. Throws NOT_REDRIVABLE. */
  async redrive(told?: string): Promise<void> {
    await this.#records?.load();
    const step = this.#engine.feed("redrive", this.#at);
    this.record = { ...this.record, status: "RUNNING", redriveCount: Number(this.record.redriveCount ?? 0) + 1, redriveDate: this.#at };
    for (const name of ["stopDate", "output", "error", "cause", "redrivable", "cancelRequested"]) delete this.record[name];
    this.ctx.clear("end");
    // The record must say that the execution is running before the caller is answered.
    storeRecord(this.ctx, this.record, this.ctx.invocation, false);
    if (told !== undefined) this.ctx.resolveAwakeable(told, { known: true, counts: true });
    this.#stepped(step);
    if (this.record.type === "EXPRESS") await this.#beginAnew();
    this.#inbox.push(TICK);
    await this.#run();
  }

  /** An Express child restarts: its history begins anew, too. */
  async #beginAnew(): Promise<void> {
    const text = this.#engine.ask("snapshot");
    this.#engine.discard();
    this.#engine = engineOf(this.#program, { text, events: 0 });
    this.#events = 0;
    await clearHistory(this.ctx);
  }

  // ---------------------------------------------------------------------------------------------------------- loop

  async #run(): Promise<Standing> {
    // From now on, messages can be sent to this invocation.
    if (!this.#isFirst) storeRecord(this.ctx, this.record, this.ctx.invocation, false);
    this.#listen();
    for (;;) {
      this.#feedAll();
      this.#records?.read(this.#engine);
      this.#mapRuns.send(this.record);
      if (this.#outcome !== undefined) break;
      this.#dispatch();
      if (this.#inbox.length > 0) continue;
      if (![...this.#pending.values()].some(({ keeps }) => keeps)) break;
      await this.#next();
    }
    await this.#leave();
    return this.#store();
  }

  #feedAll(): void {
    for (let i = 0; i < this.#inbox.length && this.#outcome === undefined; i += 1) this.#feed(this.#inbox[i] as Fact);
    this.#inbox = [];
  }

  #feed(fact: Fact): void {
    let step: Step;
    try {
      step = this.#engine.feedFact(this.#at, fact);
    } catch (thrown) {
      const instead = typeof fact[1] === "number" ? refusedAnswer(fact[0], fact[1], thrown) : undefined;
      if (instead === undefined) throw thrown;
      return this.#feed(instead);
    }
    this.#stepped(step);
    while (step.more && this.#outcome === undefined) {
      step = this.#engine.feedFact(this.#at, TICK);
      this.#stepped(step);
    }
  }

  #stepped({ commands, deadline }: Step): void {
    this.#deadline = deadline;
    for (const command of commands) this.#perform(command);
  }

  #perform(command: Command | RunCommand): void {
    if (command.type === "StartChild" || command.type === "StopChildren") this.#mapRuns.perform(command);
    else if (command.type === "Invoke") this.#calls.push(this.#opened(command));
    else if (command.type === "Cancel") this.#cancel(command.task, command.reason);
    else if (command.type === "Finish") {
      const { type, ...outcome } = command;
      this.#outcome = outcome;
    }
  }

  get #taskHost(): TaskHost {
    return { execution: this.#family as TaskHost["execution"], heartbeat: () => {}, sleep: () => Promise.resolve() };
  }

  #opened(command: InvokeCommand): Call {
    const { handlers } = this.#program;
    const call = new Call(command, handlers.resource(command.resource), new Task(command, this.#taskHost));
    this.#open.set(command.task, call);
    return call;
  }

  /** Cancels a task. */
  #cancel(task: number, reason: TaskCancelled["reason"]): void {
    const call = this.#open.get(task);
    this.#open.delete(task);
    if (call !== undefined) {
      call.ended = true;
      this.#calls = this.#calls.filter((other) => other !== call);
      call.onCancel?.(reason);
    }
    this.#controllers.get(task)?.abort(new TaskCancelled(reason, call?.command.state ?? ""));
    const long = this.notes.long.find(([other]) => other === task);
    if (long !== undefined) {
      this.notes.long = this.notes.long.filter((one) => one !== long);
      this.ctx.cancel(long[2]);
    }
    cancelBuiltinTask(this, task);
  }

  /** Calls the tasks that the last facts have led to. */
  #dispatch(): void {
    const calls = this.#calls;
    this.#calls = [];
    const { handlers } = this.#program;
    const short: InvokeCommand[] = [];
    for (const call of calls) {
      const { command } = call;
      const handler = handlers.find(command.resource, command.state, command.input);
      if (handler instanceof BuiltinTask) {
        handler.take(call, this);
        continue;
      }
      this.#inbox.push(...begunFacts(handlers, command, this.#at));
      if (this.host.isLong(command) || this.#isFull) this.#send(command);
      else short.push(command);
    }
    const { shard } = this.host.limits;
    if (short.length === 1 || short.length < shard / 2) for (const command of short) this.#call(command);
    else for (let i = 0; i < short.length; i += shard) this.#share(short.slice(i, i + shard));
  }

  /** Whether the slice has reached a limit, so that the next tasks are called outside of it. */
  get #isFull(): boolean {
    const { milliseconds, entries } = this.host.limits;
    return this.#entries >= entries || this.#at - this.#begun >= milliseconds;
  }

  /** Calls a task in the slice. */
  #call(command: InvokeCommand): void {
    const first = this.#first;
    this.#first = undefined;
    if (first?.task === command.task) return this.#take(command.task, first.answer);
    const begun = this.#firstCall?.task === command.task ? this.#firstCall : undefined;
    this.#firstCall = undefined;
    const controller = begun?.controller ?? new AbortController();
    this.#controllers.set(command.task, controller);
    const { handlers } = this.#program;
    const { info, beats } = this.notes;
    const options = { handlers, info, now: () => this.host.now(), beats: new Map(beats) };
    const promise = this.ctx.run(`${command.state} ${command.task}`, () => {
      return begun?.answer ?? attemptIn(this.ctx.ended, command, { ...options, signal: controller.signal });
    });
    this.wait(promise, (answer) => {
      this.#controllers.delete(command.task);
      this.#take(command.task, answer);
    });
  }

  #take(task: number, answer: Answer | undefined): void {
    // The task was cancelled in the meantime.
    if (answer === undefined || !this.#open.delete(task)) return;
    this.#at = Math.max(this.#at, answer.at);
    this.#inbox.push(...answer.facts);
  }

  /** Lets the task service call several tasks. It answers all of them together. */
  #share(commands: InvokeCommand[]): void {
    const request: ShardRequest = { commands, info: this.notes.info };
    const called = this.ctx.call<ShardAnswer>({ service: TASKS, handler: "shard" }, request);
    this.wait(called, (answers, failure) => {
      if (failure !== undefined) throw failure;
      for (const { task, ...answer } of answers ?? []) this.#take(task, answer);
    });
  }

  /** Lets the task service call a task. It sends the answer as a message, so the slice need not wait. */
  #send(command: InvokeCommand): void {
    const { info, beats } = this.notes;
    this.sendTask(command.task, (fence): AttemptRequest => ({ command, info, fence, beats }), "attempt");
  }

  /** Lets a handler of the task service answer a task. */
  sendTask(task: number, request: (fence: number) => unknown, handler: string): void {
    const fence = (this.notes.last += 1);
    const entry: Notes["long"][number] = [task, fence, ""];
    this.notes.long.push(entry);
    this.#sent.push({ entry, invocation: this.ctx.send({ service: TASKS, handler }, request(fence)).invocationId });
  }

  readonly #sent: { entry: Notes["long"][number]; invocation: Promise<string> }[] = [];

  /** Waits for the first promise that settles. */
  async #next(): Promise<void> {
    this.#setAlarm();
    const { id, value, failure } = await this.ctx.race([...this.#pending.values()].map(({ promise }) => promise));
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.done(value, failure);
  }

  /** Also waits for the next deadline of the engine. */
  #setAlarm(): void {
    const at = this.#deadline;
    if (at === null || (this.#alarm !== undefined && this.#alarm.at <= at)) return;
    if (this.#alarm !== undefined) this.#pending.delete(this.#alarm.id);
    const rang = () => {
      this.#alarm = undefined;
      this.#at = Math.max(this.#at, at);
      this.#inbox.push(TICK);
    };
    this.#alarm = { at, id: this.wait(this.ctx.sleep(Math.max(0, at - this.#at)), rang, false) };
  }

  // ----------------------------------------------------------------------------------------------------------- end

  /** Waits for the calls that were cancelled in the slice, because their results are recorded in this invocation. */
  async #leave(): Promise<void> {
    for (const controller of this.#controllers.values()) controller.abort(new TaskCancelled("Stopped", ""));
    for (const { entry, invocation } of this.#sent) entry[2] = await invocation;
  }

  async #store(): Promise<Standing> {
    const { ctx } = this;
    this.#events = storeHistory(ctx, this.#engine, this.#events);
    this.record = { ...this.record, events: this.#events };
    if (this.#outcome !== undefined) return this.#end(this.#outcome);
    this.#storeRuns();
    if (this.#mapRuns.more !== 0) await count(ctx, this.#mapRuns.more);
    this.#sendTimer();
    storeRecord(ctx, this.record, undefined, false);
    ctx.set("standing", this.#state());
    this.#engine.discard();
    return { status: "RUNNING" };
  }

  #storeRuns(): void {
    if (this.#records === undefined) return;
    this.notes.mapRuns = this.#records.state();
    if (this.#records.any) this.record = { ...this.record, hasRuns: true };
  }

  #state(): StoredExecution {
    const { text, events } = this.#engine.leanSnapshot();
    return { record: this.record, at: this.#at, events, engine: text, notes: this.notes };
  }

  /** Schedules a delayed call for the next deadline of the engine. */
  #sendTimer(): void {
    const at = this.#deadline;
    const { timer } = this.notes;
    // The earlier call comes first and schedules the next one.
    if (at === null || (timer !== undefined && timer.at <= at)) return;
    const id = (this.notes.last += 1);
    this.notes.timer = { id, at };
    this.sendToExecution(this.record.id, { type: "timer", id }, Math.max(0, at - this.#at));
  }

  /** Sends a message to an execution. */
  sendToExecution(arn: string, event: ExecutionEvent, delay?: number): void {
    this.ctx.send({ service: EXECUTION, handler: "event", key: arn }, event, delay);
  }

  /** Ends the execution. */
  async #end(outcome: Outcome): Promise<Standing> {
    const { ctx } = this;
    const { status, error, cause } = outcome;
    const [last] = this.#engine.history(this.#events - 1);
    const { mapRunArn } = this.record;
    const again = this.record.type !== "EXPRESS" ? this.#events < FULL : mapRunArn !== undefined;
    const redrivable = status !== "SUCCEEDED" && again;
    const standing: Standing = {
      status,
      ...(status === "SUCCEEDED" && { output: outputText(last, outcome.output) }),
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause }),
    };
    const stopDate = last === undefined ? this.#at : Date.parse(last.timestamp);
    this.record = { ...this.record, ...standing, stopDate, redrivable };
    this.#records?.finish(status, stopDate);
    this.#storeRuns();
    for (const [, , invocation] of this.notes.long) ctx.cancel(invocation);
    this.notes.long = [];
    delete this.notes.timer;
    stopBuiltinTasks(this);
    storeRecord(ctx, this.record, undefined, false);
    if (redrivable) ctx.set("standing", this.#state());
    else if (!this.#isFirst) ctx.clear("standing");
    for (const told of this.#stoppers) ctx.resolveAwakeable(told, { known: true, counts: true });
    this.#engine.discard();
    const watchers = (await ctx.get<Watcher[]>("watchers")) ?? [];
    if (watchers.length > 0) ctx.clear("watchers");
    const { parent } = this.record as { parent?: { arn: string; task: number; waits: boolean } };
    notifyWatchers(ctx, parent?.waits ? [...watchers, parent] : watchers, this.record);
    if (this.notes.runs !== undefined) {
      ctx.set("runs", this.notes.runs);
      await drop(ctx);
    }
    // Children are forgotten together with their parents.
    if (mapRunArn !== undefined) this.#notifyShard();
    else if (this.host.retention !== undefined) this.sendToExecution(this.record.id, { type: "forget", stopDate }, this.host.retention);
    return standing;
  }
}

/** Returns the JSON text of an output, with the original digits of its numbers. */
function outputText(last: HistoryEvent | undefined, output: unknown): string {
  return last?.type === "ExecutionSucceeded" ? (last.executionSucceededEventDetails.output ?? "null") : JSON.stringify(output);
}
