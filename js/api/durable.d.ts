/**
 * Executions that outlive their process: they are kept in a store, and continue where they were after a restart.
 *
 * @example
 * ```js
 * import { Runtime } from "stepglass/durable";
 *
 * // sqlite("orders.db") of stepglass/sqlite, or indexedDB("orders") of stepglass/indexeddb
 * const runtime = new Runtime({
 *   store,
 *   machines: { Order: definition },
 *   tasks: { charge: async ({ amount }, task) => pay(amount, { key: task.idempotencyKey }) },
 * });
 * await runtime.open(); // continues what ran
 * const execution = await runtime.start("Order", { name: "order-7", input: { amount: 12 } });
 * console.log(await execution.result); // { status: "SUCCEEDED", output: { paid: 12 } }
 * await runtime.close();
 * ```
 *
 * @packageDocumentation
 */
import type {
  Clock,
  Definition,
  ExecutionResult,
  ExecutionStatus,
  Frame,
  HistoryEvent,
  Limits,
  MapRunChange,
  RunningProblem,
  StateMachine,
  TaskHandlers,
} from "./index.js";

// ------------------------------------------------------------------------------------------------------- runtime

/**
 * Runs executions that are kept in a store. One runtime owns its store; its executions are in memory only while they have work to do.
 *
 * What it promises:
 * 1. When `start`, a signal, a token's answer, `stop` or `redrive` resolves, it is in the store: a crash does not undo it.
 * 2. A task is called at least once. A task whose answer is in the store is never called again. `task.idempotencyKey` is the same in
 *    each call of a task, over retries and restarts: pass it on to services that take one.
 * 3. An execution continues where it was, with the same history as if the process had not ended. Time that passed meanwhile has passed for
 *    Wait states and the machine's TimeoutSeconds, but no task times out that was not called.
 */
export class Runtime {
  constructor(options: RuntimeOptions);
  /** Opens the store and continues whatever ran. Resolves to the runtime. */
  open(): Promise<this>;
  /**
   * Starts an execution, and resolves when it is in the store. With the name and input of a running execution it is that one, as
   * StartExecution of AWS does; a name with another input, or of one that has ended, is refused with `EXECUTION_EXISTS`.
   */
  start<Output = any>(machine: string, options?: DurableStartOptions): Promise<DurableExecution<Output>>;
  /** Starts an execution and resolves to its output; rejects with {@link DurableError} if it does not succeed. */
  run<Output = any>(machine: string, options?: DurableStartOptions): Promise<Output>;
  /** Returns a handle of an execution, by its ARN, or by its machine and its name. Undefined if there is none. */
  get<Output = any>(arn: string): Promise<DurableExecution<Output> | undefined>;
  get<Output = any>(machine: string, name: string): Promise<DurableExecution<Output> | undefined>;
  /**
   * Signals the execution with this ARN: {@link DurableExecution.signal}. Rejects with `UNKNOWN_EXECUTION`, or `NOT_RUNNING` for one that
   * has ended.
   */
  signal(arn: string, name: string, payload?: unknown, options?: { id?: string }): Promise<void>;
  /** Returns executions, the latest first; `machine` is a name here. */
  list(filter?: RuntimeFilter, page?: { before?: number; limit?: number }): Promise<{ items: ExecutionSummary[]; before?: number }>;
  /** Counts executions. */
  count(filter?: RuntimeFilter): Promise<number>;
  /** Completes the task with this token: SendTaskSuccess. False if the task has ended already. */
  succeed(token: string, output?: unknown): Promise<boolean>;
  /** Fails the task with this token: SendTaskFailure. False if the task has ended already. */
  fail(token: string, failure?: { error?: string; cause?: string }): Promise<boolean>;
  /** Says that the task with this token is alive: SendTaskHeartbeat. False if the task has ended already. */
  heartbeat(token: string, details?: unknown): Promise<boolean>;
  /** Removes ended executions as `retention` says, at once. Resolves to their ARNs. */
  prune(): Promise<string[]>;
  /**
   * Has running executions continue with another definition; default: the registered one of their machine. Those that cannot are left as they
   * are, see {@link DurableExecution.migrate}.
   */
  migrate(filter: RuntimeFilter, definition?: Definition | StateMachine): Promise<MigrationReport>;
  /** Returns the running executions of a machine that could not continue with a definition (default: the registered one). Nothing changes. */
  affected(machine: string, definition?: Definition | StateMachine): Promise<AffectedExecution[]>;
  /** Makes executions again from what is stored, without calling a task, and returns those that are not what they were. */
  verify(filter?: RuntimeFilter): Promise<VerificationReport>;
  /** Stops all running executions that the filter selects. Resolves to how many there were, when their ends are in the store. */
  stopAll(filter: RuntimeFilter, error?: string, cause?: string): Promise<number>;
  /** Redrives all executions that the filter selects and that have failed, timed out or were aborted. */
  redriveAll(filter: RuntimeFilter): Promise<RedriveReport>;
  /**
   * Has executions of a machine started again and again; a schedule of that name is changed. It is kept in the store: after a restart it
   * goes on, and each start happens once. The executions are named after the schedule and the time: `nightly-20260105T020000Z`.
   */
  schedule(name: string, options: ScheduleOptions): Promise<ScheduleDescription>;
  /** Returns all schedules. */
  schedules(): Promise<ScheduleDescription[]>;
  /** Removes a schedule; executions that it has started run on. False if there is none of that name. */
  unschedule(name: string): Promise<boolean>;
  /**
   * Takes tasks of a queue in this process: those whose {@link TaskOptions} name it. Without a worker they wait. Of those that wait, executions
   * with a higher `priority` come first, then the first come.
   */
  worker(options: WorkerOptions): Worker;
  /** Returns the queues. */
  queues(): QueueDescription[];
  /** Returns what this runtime has counted since it was opened, and how many executions the store has. */
  metrics(): Promise<RuntimeMetrics>;
  /** Returns the same as OpenMetrics text, which Prometheus and others read (`application/openmetrics-text`). */
  metricsText(): Promise<string>;
  /** How many executions are in memory. */
  readonly resident: number;
  /**
   * Ends the runtime, not its executions: handlers at work have `grace` milliseconds (default: 0) to answer, then their signals are
   * aborted; the store is written and closed.
   */
  close(options?: { grace?: number }): Promise<void>;
  /** For `await using`: {@link Runtime.close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of a runtime. */
export interface RuntimeOptions extends Limits {
  /** Where executions are kept. Default: a new {@link MemoryStore}, which is lost with the process. */
  store?: Store;
  /** The machines that can be started, by name: definitions or state machines. */
  machines: Readonly<Record<string, Definition | StateMachine>>;
  /**
   * The handlers of the Task states. The runtime itself does the tasks whose Resource begins with `urn:stepglass:`, and those that start,
   * describe and stop executions of its machines (`arn:aws:states:::states:startExecution.sync:2`, `arn:aws:states:::aws-sdk:sfn:…`).
   */
  tasks?: TaskHandlers;
  /** What a definition does not say of its tasks, by the name of a state, or by a Resource. */
  taskOptions?: Readonly<Record<string, TaskOptions>>;
  /** Called for each entry of the log. Default: nothing is logged. */
  onLog?: (entry: LogEntry) => void;
  /** The API of OpenTelemetry, `import * as api from "@opentelemetry/api"`: executions and calls of handlers become spans of one trace. */
  telemetry?: TelemetryApi;
  /** Limits of queues, by name. A queue needs no options. */
  queues?: Readonly<Record<string, QueueOptions>>;
  /** Which ended executions to keep: for so many days, and so many of them. Default: all. */
  retention?: { days?: number; executions?: number };
  /** How many executions that wait stay in memory; the others are loaded when they are due. Default: 1,000. */
  resident?: number;
  /** The region and the account in ARNs. Default: `"us-east-1"` and `"123456789012"`. */
  region?: string;
  account?: string;
  /** Default: `"real"`. */
  clock?: "real" | Clock;
  /** Called when an execution has ended and its end is in the store. */
  onEnd?: (execution: ExecutionDescription) => void;
  /** Called when an execution cannot go on: its facts no longer lead to what they have led to, or are damaged. It is not ended. */
  onSuspended?: (execution: ExecutionDescription, reason: string) => void;
  /** Called when the store could not write, for example because the disk is full. It is tried again until it can. */
  onStoreError?: (failure: { error: unknown; failures: number; retriesIn: number }) => void;
}

/** An entry of the log: what has happened, and of which execution. */
export interface LogEntry {
  /** RFC 3339. */
  time: string;
  level: "info" | "warn" | "error";
  event: "runtime.opened" | "runtime.closed" | "execution.started" | "execution.ended" | "execution.suspended" | "store.failed";
  arn?: string;
  name?: string;
  machine?: string;
  status?: ExecutionStatus;
  [member: string]: unknown;
}

/** What {@link Runtime.metrics} returns. Except for `executions`, `resident` and `queues`, it counts since the runtime was opened. */
export interface RuntimeMetrics {
  /** Executions in the store, by status. */
  executions: Record<ExecutionStatus, number>;
  started: number;
  redriven: number;
  suspended: number;
  ended: Record<Exclude<ExecutionStatus, "RUNNING">, number>;
  /** Tasks that were to be called, and their answers. Calls that are repeated after a restart are not counted again. */
  tasks: { called: number; succeeded: number; failed: number; timedOut: number };
  /** Executions in memory. */
  resident: number;
  commits: {
    writes: number;
    /** Changes of executions; one write has many. */
    batches: number;
    facts: number;
    /** Writes that failed and were tried again. */
    failures: number;
    /** How long writes took: how many took at most `le` seconds, their sum in seconds, and their number. */
    seconds: { buckets: { le: number; count: number }[]; sum: number; count: number };
  };
  queues: QueueDescription[];
  /** How long `open()` took. */
  recoverySeconds: number;
}

/** What is used of the API of OpenTelemetry, the module `@opentelemetry/api`. */
export interface TelemetryApi {
  readonly ROOT_CONTEXT?: any;
  readonly context: { active(): any; with(context: any, run: () => unknown): any };
  readonly trace: {
    getTracer(name: string): { startSpan(name: string, options?: any, context?: any): TelemetrySpan };
    setSpan(context: any, span: any): any;
    setSpanContext(context: any, spanContext: any): any;
  };
}

/** A span of OpenTelemetry. */
export interface TelemetrySpan {
  spanContext(): { traceId: string; spanId: string; traceFlags: number };
  setStatus(status: { code: number; message?: string }): unknown;
  recordException(exception: Error): void;
  end(time?: Date): void;
}

/** What a definition does not say of a task. */
export interface TaskOptions {
  /**
   * What {@link DurableExecution.cancel} does to the task. `"abandon"` (the default): its signal is aborted, and the state fails at once with
   * `Stepglass.Cancelled`. `"wait"`: the same, but handlers that are called afterwards, those of the clean-up, wait until this handler has
   * settled; this holds for every other cancellation of the task too. `"request"`: its signal is aborted, and the handler's own answer
   * counts.
   */
  onCancel?: "abandon" | "request" | "wait";
  /** What becomes of an execution that the task has started. */
  parentClosePolicy?: ParentClosePolicy;
  /**
   * How long the task may be tried again, in seconds from its first attempt: what fails later fails with `Stepglass.RetryExpired`, which
   * Retry takes only where it names it.
   */
  retryExpirationSeconds?: number;
  /** The queue in which the task waits for a worker: {@link Runtime.worker}. Default: none, its handler is called at once. */
  queue?: string;
  /**
   * Of tasks that wait in a queue, those of the highest priority come first; of a task that starts an execution, that one has it. Default:
   * the priority of the execution in a queue, 0 for an execution that is started.
   */
  priority?: number;
  /** How long it may wait there; then it fails with `States.Timeout`. Default: as the queue has it. After a restart it counts anew. */
  scheduleToStartSeconds?: number;
}

/** Options of a queue. */
export interface QueueOptions {
  /** How many of its tasks may be at work at once, with all workers of this process. Default: no limit. */
  concurrency?: number;
  /** How many of its tasks may begin in a second. Default: no limit. */
  rate?: number;
  /** How long tasks may wait in it. Default: as long as the state's TimeoutSeconds allows. */
  scheduleToStartSeconds?: number;
}

/** Options of a worker. */
export interface WorkerOptions {
  queue: string;
  /** Its handlers. Default: those of the runtime. */
  tasks?: TaskHandlers;
  /** How many tasks it does at once. Default: 1. */
  concurrency?: number;
  /** How many tasks it begins in a second. Default: no limit. */
  rate?: number;
}

/** Takes tasks of a queue in this process. */
export interface Worker {
  readonly queue: string;
  /** How many tasks it is doing. */
  readonly active: number;
  /** Takes no more tasks; those that wait stay in the queue. Resolves when what it has taken is done. */
  stop(): Promise<void>;
}

/** A queue: how many tasks wait in it, how many are at work, and how many workers take from it. */
export interface QueueDescription {
  name: string;
  waiting: number;
  active: number;
  workers: number;
}

/**
 * What becomes of an execution that a task has started, when the task does not wait for it any more (`.sync`, `.sync:2`), or when the
 * execution of the task has ended (without a suffix): it is stopped, asked to end ({@link DurableExecution.cancel}), or goes on. The
 * default is what AWS does: `"terminate"` for a task that waits, `"abandon"` for one that does not.
 */
export type ParentClosePolicy = "terminate" | "request-cancel" | "abandon";

/** Options of a start. */
export interface DurableStartOptions {
  /** Default: a random UUID. */
  name?: string;
  /** Default: `{}`. */
  input?: unknown;
  /** For {@link Runtime.list}. */
  tags?: Record<string, string>;
  /** Of tasks that wait in a queue, those of the highest priority come first. Default: 0. */
  priority?: number;
  /** The seed of UUIDs, random numbers and task tokens: equal seeds give equal ones. Default: random. */
  seed?: number | bigint;
}

/** Selects executions: those to which every member applies. */
export interface RuntimeFilter extends Omit<ExecutionFilter, "machineArn"> {
  /** The name of the machine. */
  machine?: string;
}

/** An execution of a runtime. It need not be in memory. */
export interface DurableExecution<Output = any> {
  readonly arn: string;
  readonly name: string;
  /** The machine's name. */
  readonly machine: string;
  /** How it ends. It never rejects; while an execution is suspended it stays open. */
  readonly result: Promise<ExecutionResult<Output>>;
  /**
   * The same as a promise of its own. With `follow`, the outcome of the last execution that this one is continued by
   * (`urn:stepglass:continueAsNew`).
   */
  outcome(options?: { follow?: boolean }): Promise<ExecutionResult<Output>>;
  /**
   * Sends a signal, and resolves when it is in the store. A state with `"Resource": "urn:stepglass:waitForSignal"` and this name takes
   * it, now or later; several of one name are taken in their order. One with an `id` that was sent before changes nothing. Rejects with
   * `NOT_RUNNING` if the execution has ended.
   */
  signal<Payload = any>(name: string, payload?: Payload, options?: { id?: string }): Promise<void>;
  /** What it shows (`urn:stepglass:setState`) and where it is. It is not moved, and not taken into the memory. */
  query<State = any>(): Promise<ExecutionQuery<State>>;
  /**
   * Asks it to end by itself, and resolves when that is in the store: open tasks, Wait states and delays of Retry fail with the error
   * `Stepglass.Cancelled` and these details as cause, which Catch takes as any other; Retry only where it names the error. What Catch leads
   * to is not hit by another `cancel()`, but by `stop()`. Of no effect once the execution has ended.
   */
  cancel(details?: unknown): Promise<void>;
  /** What is in the store of it. */
  describe(): Promise<ExecutionDescription>;
  /** All events so far, as GetExecutionHistory returns them. */
  history(page?: { from?: number; limit?: number; reverse?: boolean }): Promise<HistoryEvent[]>;
  /** What runs now. Empty for an execution that has ended. */
  frames(): Promise<Frame[]>;
  /** Stops it: ABORTED, with the error and cause given. Resolves when that is in the store; of no effect once it has ended. */
  stop(error?: string, cause?: string): Promise<void>;
  /**
   * Changes the limits of one of its Map Runs that is under way (UpdateMapRun); limits that you omit stay the same. `maxConcurrency` 0 means as
   * many as AWS allows. The ARN is in {@link Frame.mapRun} of `frames()` and in the history. Of no effect if no Map Run with it is running.
   */
  updateMapRun(mapRunArn: string, change: MapRunChange): Promise<void>;
  /** Takes it up again where it failed: RedriveExecution. Rejects with `NOT_REDRIVABLE`. */
  redrive(): Promise<void>;
  /**
   * Continues with another definition; default: the registered one of its machine. What runs has to have its place there: each state that
   * it stands in, in the same branch or Map and of the same type; each task in flight, with the same resource; the variables that states
   * ahead of it read. Otherwise it rejects with `NOT_MIGRATABLE`, with all `problems` ({@link RunningProblem}), and nothing has changed.
   *
   * The history continues. Waits, retries and timeouts that have begun stay as they are. Handlers at work are called again, with the same
   * idempotency key.
   */
  migrate(definition?: Definition | StateMachine): Promise<void>;
  /** Tries again to continue an execution that is suspended. Rejects with `EXECUTION_SUSPENDED` if it still cannot. */
  resume(): Promise<void>;
}

/** Options of {@link Runtime.schedule}: `cron` or `every`, and what is started. */
export interface ScheduleOptions {
  /** The name of the machine. */
  machine: string;
  /** Default: `{}`. `"<aws.scheduler.scheduled-time>"` in it becomes the time, such as `2026-01-05T02:00:00.000Z`. */
  input?: unknown;
  /**
   * Minute, hour, day of the month, month, day of the week: `"0 2 * * MON-FRI"`, with lists, ranges, steps and names; or `@hourly`,
   * `@daily`, `@weekly`, `@monthly`, `@yearly`. When clocks go forward, what the skipped hour would have had starts at its end; when they
   * go back, a fixed hour starts once.
   */
  cron?: string;
  /** An interval, counted from when the schedule was made: `"15 min"`. Descriptions have it in milliseconds. */
  every?: string | number;
  /** Where the times of `cron` are: `"Europe/Berlin"`. Default: `"UTC"`. */
  timezone?: string;
  /**
   * If the execution before runs still: `"skip"` leaves this one out, `"buffer"` starts it afterwards (at most one waits), `"allow"` starts
   * it. Default: `"skip"`.
   */
  overlap?: "skip" | "buffer" | "allow";
  /** After a time in which the process was down: start only the `"one"` that was missed last, `"all"` (at most 1,000), or `"none"`. Default: `"one"`. */
  catchUp?: "one" | "all" | "none";
  /** For {@link Runtime.list}. */
  tags?: Record<string, string>;
}

/** A schedule. Times are milliseconds since 1970. */
export interface ScheduleDescription extends ScheduleOptions {
  name: string;
  created: number;
  /** When it starts an execution next. */
  next: number | null;
  /** The execution that it has started last, and when that was due. */
  last?: { arn: string; at: number };
  /** The start that waits for the last execution to end. */
  buffered?: number;
  /** Why the last start could not be made. */
  problem?: string;
}

/** The outcome of {@link Runtime.migrate}. */
export interface MigrationReport {
  /** The ARNs of those that continue with the new definition. Those that had it already are not among them. */
  migrated: string[];
  /** Those that are as they were. */
  refused: AffectedExecution[];
}

/** A running execution that cannot continue with another definition. */
export interface AffectedExecution {
  arn: string;
  name: string;
  reason: string;
  /** All that its place, its tasks and its variables lack. Empty if there is another reason, such as a suspension. */
  problems: RunningProblem[];
}

/** What {@link Runtime.verify} has found. */
export interface VerificationReport {
  /** How many executions were looked at. */
  executions: number;
  differing: {
    arn: string;
    name: string;
    status: ExecutionStatus;
    reason: string;
    /** The fact that leads to something else, if that is the reason. */
    diverged?: Divergence;
  }[];
}

/** The outcome of {@link Runtime.redriveAll}. */
export interface RedriveReport {
  /** The ARNs of those that run again. */
  redriven: string[];
  refused: { arn: string; name: string; reason: string }[];
}

/** A fact that no longer leads to what it has led to: another version of Stepglass, or a store that was changed by hand. */
export interface Divergence {
  /** The number of the fact since the last snapshot. */
  fact: number;
  /** When it was: milliseconds since 1970. */
  at: number;
  /** What has happened: `start`, `succeed`, `fail`, `tick` … */
  event: string;
  /** The commands that it has led to, and those that it leads to now. */
  was: string;
  is: string;
}

/** What an execution shows, and where it is. */
export interface ExecutionQuery<State = any> {
  status: ExecutionStatus;
  /** The value that `urn:stepglass:setState` has shown last; also after the end. */
  state?: State;
  /** What runs now. */
  frames: Frame[];
  /** How many signals nobody has taken yet, by name. */
  signals: Record<string, number>;
}

/** An execution as DescribeExecution tells it. Times are milliseconds since 1970. */
export interface ExecutionDescription {
  arn: string;
  name: string;
  machine: string;
  status: ExecutionStatus;
  startDate: number;
  stopDate?: number;
  input: any;
  output?: any;
  error?: string;
  cause?: string;
  tags: Record<string, string>;
  redriveCount: number;
  redriveDate?: number;
  /** When it has continued with another definition for the last time. */
  migratedDate?: number;
  /** The execution whose task has started it. */
  parent?: { arn: string };
  /** The value that `urn:stepglass:setState` has shown last. */
  state?: any;
  /** Whether it was asked to end: {@link DurableExecution.cancel}. */
  cancelRequested?: true;
  /** The execution that this one continues (`urn:stepglass:continueAsNew`), and its number, counted from 1. */
  continuedFrom?: { arn: string };
  run?: number;
  /** The execution that continues this one. */
  continuedTo?: { arn: string };
  /** Why it cannot go on, and since when. */
  suspended?: { reason: string; at: number; diverged?: Divergence };
}

/** Rejects {@link Runtime.run} of an execution that did not succeed. */
export class DurableError extends Error {
  private constructor();
  readonly code: "EXECUTION_FAILED" | "EXECUTION_TIMED_OUT" | "EXECUTION_ABORTED";
  readonly status: "FAILED" | "TIMED_OUT" | "ABORTED";
  readonly error: string | undefined;
  readonly errorCause: string | undefined;
  readonly arn: string;
}

/**
 * The ARN of the execution that a task token belongs to; undefined for what is no token. It says where to look: whether the token is good,
 * only the execution knows. For hosts of your own ([host-guide.md](host-guide.md)).
 */
export function executionOfToken(token: string): string | undefined;

// -------------------------------------------------------------------------------------------------------- stores

/**
 * Keeps machines and executions. {@link Runtime} and the server of `stepglass/server` write to it; one of them owns a store at a time.
 *
 * An execution is a record, the facts that its engine was fed since the last snapshot, that snapshot, and the events of its history
 * that were written out. Facts are the truth: feeding them to the engine again makes the execution again. Texts are opaque to a store.
 *
 * Every store guarantees:
 * 1. A {@link Batch} is atomic: all of it is stored, or nothing.
 * 2. When `write` resolves, what it reports as written is stored; in a `durable` store it outlives the process, and a loss of power.
 * 3. A batch whose `version` is not the record's is refused with {@link StoreConflict} and changes nothing; the others are written.
 * 4. Facts and events keep the order in which they were written, without gaps. There is no order between executions.
 * 5. Only its owner writes: `open` fails with {@link StoreConflict} while another owner has the store. A process that dies owns nothing.
 * 6. Values are copied as JSON: what a caller does with them afterwards has no effect. A batch whose record JSON does not have is refused
 *    with {@link StoreError}, like a conflict.
 * 7. A write that fails as a whole (the disk is full) has written nothing, and the store can be used again. An execution whose data is
 *    damaged is refused by `load` with {@link StoreError}; all others can be used.
 *
 * A store that is not open refuses every call with {@link StoreError}.
 *
 * `storeSuite` of `pkg-tests/store/suite.mjs` checks these guarantees for any store.
 */
export interface Store {
  /** Whether the data outlives the process. */
  readonly durable: boolean;
  /**
   * Of a store that several processes have open at once, when it is open: which executions are this process's. Guarantee 5 holds for each
   * execution then: only the process that has it writes to it. Every process may begin executions, also of others.
   */
  readonly sharing?: Sharing | undefined;
  /** Opens the store for its only owner. Creates or migrates its schema; a schema of a newer version is refused ({@link StoreError}). */
  open(options: { owner: string }): Promise<void>;
  /** Gives the store up. Has no effect if it is not open. */
  close(): Promise<void>;

  /** Stores a small JSON document: a machine with its versions and aliases, an activity, a schedule, a Map Run. */
  put(collection: string, key: string, value: unknown): Promise<void>;
  /** Removes a document. Has no effect if there is none. */
  remove(collection: string, key: string): Promise<void>;
  /** Returns one document. */
  document(collection: string, key: string): Promise<any>;
  /** Returns all documents of a collection, in the order in which their keys were first put. */
  all(collection: string): AsyncIterable<[key: string, value: any]>;
  /** Stores the text of a definition under its hash. */
  putDefinition(hash: string, text: string): Promise<void>;
  getDefinition(hash: string): Promise<string | undefined>;

  /** Writes many batches, of different executions, with one sync to the disk. The results are in their order. */
  write(batches: readonly Batch[]): Promise<BatchResult[]>;
  /** Returns the record of an execution. */
  get(id: string): Promise<ExecutionRecord | undefined>;
  /** Returns what makes an execution again: its last snapshot, and the facts since. */
  load(id: string): Promise<StoredExecution | undefined>;
  /**
   * Returns events of the history that were written out; `from` counts from the beginning, or with `reverse` from the end. `total` is how
   * many were written out.
   */
  history(id: string, page?: { from?: number; limit?: number; reverse?: boolean }): Promise<{ events: any[]; total: number } | undefined>;
  /** Returns executions, the latest first. The children of Map Runs are only in a list of their Map Run. */
  list(filter?: ExecutionFilter, page?: { before?: number; limit?: number }): Promise<{ items: ExecutionSummary[]; before?: number }>;
  /** Counts the executions that a filter selects. */
  count(filter?: ExecutionFilter): Promise<number>;
  /**
   * Returns running executions whose `wakeAt` is after `after` (default: all) and not after `until`, the earliest first. With `limit`
   * (default: all) a page ends where it is reached, but never between executions of the same time: what comes after the last one of a
   * page is the next page.
   */
  due(range: { after?: number; until: number; limit?: number }): Promise<{ id: string; wakeAt: number }[]>;
  /**
   * Removes executions: those with the given ids, and ended ones, that which ended first (`stopDate`) first, as long as it ended before
   * `endedBefore`, or there are more than `executions` ended ones, or their texts have more than `bytes` characters. Returns their ids.
   */
  prune(what: { ids?: readonly string[]; endedBefore?: number; executions?: number; bytes?: number }): Promise<string[]>;
}

/** What processes that share a store have of it. Each has a part of the executions at a time. */
export interface Sharing {
  /**
   * Whether this process has what belongs to a key: an execution belongs to the `near` of its record, or to its id. It may change at any
   * time; writes are refused then.
   */
  has(key: string): boolean;
  /** A key that this process has; undefined if it has none. */
  ownKey(): string | undefined;
  /** For each other process that has a part, a key that it has. */
  otherKeys(): Promise<string[]>;
  /** From now on the listener is told what happens. */
  listen(listener: ShareListener): void;
  /**
   * Asks the process that has a key; resolves to its answer, or rejects with its error. If that process ends, the next one is asked: it
   * may do it once more.
   */
  ask(key: string, name: string, args: readonly unknown[]): Promise<unknown>;
}

/** What a process is told that shares a store. */
export interface ShareListener {
  /** This process may have more than before, or may have missed something: `due` says what is to be done. */
  gained(): void;
  /** Others may have what was this process's; `has` says of which keys that is not so. */
  lost(has: (key: string) => boolean): void;
  /** An execution was begun for this process, to be loaded at this time. */
  due(id: string, wakeAt: number): void;
  /** These executions have ended in other processes. */
  ended(ids: readonly string[]): void;
  /** A document was changed by another process; without a key, any of its collection. */
  changed(collection: string, key?: string): void;
  /** Whether something is at work that should not be moved now; `of` says of which keys. */
  isBusy(of: (key: string) => boolean): boolean;
  /** Another process asks. */
  asked(name: string, args: readonly any[]): Promise<unknown>;
}

/** The record of an execution. Members that are not listed are kept unchanged. Times are milliseconds since 1970. */
export interface ExecutionRecord {
  /** Its ARN. */
  id: string;
  name: string;
  machineArn: string;
  /** The Map Run that it is a child execution of. */
  mapRunArn?: string;
  /** The hash of the definition that it runs. */
  definition?: string;
  status: ExecutionStatus;
  startDate: number;
  stopDate?: number;
  /** JSON text. */
  input: string;
  /** JSON text. */
  output?: string;
  error?: string;
  cause?: string;
  tags?: Record<string, string>;
  /** A shared store has it where it has this key; default: its id. It does not change. */
  near?: string;
  /** Increases with every execution of the store; the store sets it. */
  order?: number;
  /** How often the record was written; the store sets it. 1 after the batch that has created it. */
  version?: number;
  [member: string]: unknown;
}

/** A record without its payloads. One whose record cannot be read has only what a list is made of, and `damaged: true`. */
export type ExecutionSummary = {
  [Member in keyof ExecutionRecord as Member extends "input" | "output" | "cause" ? never : Member]: ExecutionRecord[Member];
} & { order: number; version: number };

/** Selects executions: those to which every member applies. */
export interface ExecutionFilter {
  machineArn?: string;
  /** The child executions of this Map Run, which no other filter selects. */
  mapRunArn?: string;
  status?: ExecutionStatus | readonly ExecutionStatus[];
  /** The beginning of the name. */
  namePrefix?: string;
  /** All of these tags, with these values. */
  tags?: Record<string, string>;
  /** Started at this time or later. */
  startedFrom?: number;
  /** Started before this time. */
  startedBefore?: number;
}

/** One atomic write to an execution. */
export interface Batch {
  /** The ARN of the execution. */
  id: string;
  /** The record's version that the batch is written on; 0 with `create`. */
  version: number;
  /** The record of a new execution. If there is one with this id, the batch is refused, and the result has that record. */
  create?: ExecutionRecord;
  /**
   * Changes of the record; a member that is undefined is removed. `id`, `machineArn`, `mapRunArn`, `order` and `version` stay as they
   * are.
   */
  change?: Partial<ExecutionRecord>;
  /** Facts to append. */
  facts?: Texts;
  /** Replaces all facts so far, those of this batch among them; null removes the snapshot, too. */
  snapshot?: string | null;
  /** Events to append to the history. */
  events?: Texts;
  /**
   * When the execution has to be loaded again after a restart: 0 for at once, null for when somebody asks for it. Absent: as before, and
   * null for a new execution. An execution that is not RUNNING is never due.
   */
  wakeAt?: number | null;
}

/** JSON texts of the same kind: the text of an array, and its length. */
export interface Texts {
  text: string;
  count: number;
}

/** The result of a batch. */
export type BatchResult = { ok: true; version: number; order: number } | { ok: false; error: Error; record?: ExecutionRecord };

/** What a store keeps to make an execution again. */
export interface StoredExecution {
  record: ExecutionRecord;
  /** How many facts were written since the execution began, those that a snapshot has replaced among them. */
  facts: number;
  /** How many events were written out. */
  events: number;
  snapshot?: string;
  /** JSON texts of arrays: the facts since the snapshot, in their order. */
  journal: string[];
  wakeAt: number | null;
}

/** Another writer has written since, or owns the store. */
export class StoreConflict extends Error {
  constructor(message: string);
  readonly code: "STORE_CONFLICT";
}

/** The store cannot do what is asked: its schema is newer, the disk is full, a record is damaged. */
export class StoreError extends Error {
  constructor(code: string, message: string, options?: { cause?: unknown });
  readonly code: string;
}

/** A Store in memory, which is lost when the process ends. */
export interface MemoryStore extends Store {}
export class MemoryStore {
  readonly durable: false;
}
