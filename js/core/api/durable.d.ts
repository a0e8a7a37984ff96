/**
 * Executions that outlive their process: they are kept in a store and resume after a restart.
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
  MapRunCounts,
  RunningProblem,
  StateMachine,
  Task,
  TaskHandlers,
} from "./index.js";

// ------------------------------------------------------------------------------------------------------- runtime

/**
 * Runs executions that are kept in a store. One runtime owns its store; its executions are in memory only while they have work to do.
 *
 * What it promises:
 * 1. Once `start`, a signal, an answer by token, `stop` or `redrive` resolves, it is in the store: a crash does not undo it.
 * 2. A task is called at least once. A task whose answer is in the store is never called again. `task.idempotencyKey` is the same
 *    in every call of a task, across retries and restarts: pass it to services that take one.
 * 3. An execution resumes where it was, with the same history as if the process had not ended. The time in between counts for Wait
 *    states and the machine's TimeoutSeconds, but a task that was not called does not time out.
 */
export class Runtime {
  constructor(options: RuntimeOptions);
  /** Opens the store and resumes its running executions. Resolves to the runtime. */
  open(): Promise<this>;
  /**
   * Starts an execution, and resolves when it is in the store. If an execution with this name and input is running, resolves to
   * that one, as AWS's StartExecution does. If the name is that of an execution with another input, or of one that has ended,
   * rejects with `EXECUTION_EXISTS`, unless {@link DurableStartOptions.onConflict} says otherwise.
   */
  start<Output = any>(machine: string, options?: DurableStartOptions): Promise<DurableExecution<Output>>;
  /**
   * Starts an execution and resolves to its output; rejects with {@link DurableError} if it does not succeed. Rejects with
   * `EXECUTION_SUSPENDED` when the execution is suspended, and with `RUNTIME_CLOSED` when the runtime is closed before its end; the
   * execution may still continue, and {@link Runtime.get} finds it.
   */
  run<Output = any>(machine: string, options?: DurableStartOptions): Promise<Output>;
  /**
   * Returns a handle to an execution, by its ARN or by its machine and name; if the name was used again, to the last one. Undefined if
   * there is none.
   */
  get<Output = any>(arn: string): Promise<DurableExecution<Output> | undefined>;
  get<Output = any>(machine: string, name: string): Promise<DurableExecution<Output> | undefined>;
  /**
   * Signals the execution with this ARN: {@link DurableExecution.signal}. Rejects with `UNKNOWN_EXECUTION`, or `NOT_RUNNING` for one that
   * has ended.
   */
  signal(arn: string, name: string, payload?: unknown, options?: { id?: string }): Promise<void>;
  /**
   * Returns the process that runs an execution, by the execution's ARN or by a task token. Processes that share a store need not ask:
   * `succeed()`, `fail()` and `heartbeat()` of each are passed on to the owner. But of several answers to the same task only the first
   * counts, and the others return `false`; so let one process answer it, for example the owner. Rejects with `UNKNOWN_EXECUTION`.
   */
  ownerOf(arnOrToken: string): Promise<ExecutionOwner>;
  /**
   * Returns executions, the latest first; `machine` in the filter is a name. With `mapRunArn`, returns the children of that Map Run that
   * have ended; rejects with `UNKNOWN_MAP_RUN` if the store has no record of it.
   */
  list(filter?: RuntimeFilter, page?: { before?: number; limit?: number }): Promise<{ items: ExecutionSummary[]; before?: number }>;
  /** Returns the machines that can be started, and those that are deprecated. */
  machines(): MachineDescription[];
  /** Counts executions. */
  count(filter?: RuntimeFilter): Promise<number>;
  /**
   * Counts executions by machine and status, and with `interval` (milliseconds, or a text such as `"1 hour"`) also by the time of their
   * start: `from` is the beginning of the interval. Only what occurs is listed, sorted by time, machine and status.
   *
   * @example
   * ```js
   * const lastDay = await runtime.counts({ startedFrom: Date.now() - 86_400_000 }, { interval: "1 hour" });
   * ```
   */
  counts(filter?: RuntimeFilter, options?: { interval?: number | string }): Promise<MachineCount[]>;
  /**
   * Completes the task with this token: SendTaskSuccess. False if the task has ended already; with `ifEnded: "throw"` it rejects with
   * an {@link EndedTaskCode} instead.
   */
  succeed(token: string, output?: unknown, options?: AnswerOptions): Promise<boolean>;
  /** Fails the task with this token: SendTaskFailure. If the task has ended already: as {@link Runtime.succeed}. */
  fail(token: string, failure?: { error?: string; cause?: string }, options?: AnswerOptions): Promise<boolean>;
  /** Reports that the task with this token is alive: SendTaskHeartbeat. If the task has ended already: as {@link Runtime.succeed}. */
  heartbeat(token: string, details?: unknown, options?: AnswerOptions): Promise<boolean>;
  /** Removes ended executions now, according to `retention`. Resolves to their ARNs. */
  prune(): Promise<string[]>;
  /**
   * Moves running executions to another definition; default: the one registered for their machine. Those that cannot continue with
   * it are left unchanged: see {@link DurableExecution.migrate}.
   */
  migrate(filter: RuntimeFilter, definition?: Definition | StateMachine): Promise<MigrationReport>;
  /** Returns the running executions of a machine that could not continue with a definition (default: the registered one). Changes nothing. */
  affected(machine: string, definition?: Definition | StateMachine): Promise<AffectedExecution[]>;
  /** Rebuilds executions from what is stored, without calling tasks, and reports those that come out differently. */
  verify(filter?: RuntimeFilter): Promise<VerificationReport>;
  /** Stops all running executions that the filter selects. Resolves to their number once their ends are in the store. */
  stopAll(filter: RuntimeFilter, error?: string, cause?: string): Promise<number>;
  /** Redrives all executions that the filter selects and that failed, timed out or were aborted. */
  redriveAll(filter: RuntimeFilter): Promise<RedriveReport>;
  /**
   * Starts executions of a machine on a schedule; an existing schedule of that name is changed. Schedules are kept in the store and
   * continue after a restart; each start happens once. The executions are named after the schedule and the time:
   * `nightly-20260105T020000Z`.
   */
  schedule(name: string, options: ScheduleOptions): Promise<ScheduleDescription>;
  /** Returns all schedules. */
  schedules(): Promise<ScheduleDescription[]>;
  /** Removes a schedule; executions that it has started continue. False if there is no schedule of that name. */
  unschedule(name: string): Promise<boolean>;
  /**
   * Starts a worker in this process. It takes the tasks of a queue: those whose {@link TaskOptions} name it. Without a worker, they
   * wait. Waiting tasks with a higher `priority` come first, then those that have waited longest.
   */
  worker(options: WorkerOptions): Worker;
  /** Returns the queues. */
  queues(): QueueDescription[];
  /** Returns what this runtime has counted since it was opened, and the number of executions in the store. */
  metrics(): Promise<RuntimeMetrics>;
  /** Returns the metrics as OpenMetrics text (`application/openmetrics-text`), which Prometheus and others read. */
  metricsText(): Promise<string>;
  /** The number of executions in memory. */
  readonly resident: number;
  /**
   * Ends the runtime, but not its executions. Running handlers have `grace` milliseconds (default: 0) to answer, then their signals
   * are aborted. The store is written and closed.
   */
  close(options?: { grace?: number }): Promise<void>;
  /** For `await using`: {@link Runtime.close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Functions around what a runtime does: for logs, traces, checks, and values that every handler needs. Each calls `next()` to go on,
 * with changed values if it wants, and may change the result, throw, or not call it at all.
 *
 * @example
 * ```js
 * const timing = {
 *   async task({ input, task }, next) {
 *     const begun = performance.now();
 *     try {
 *       return await next();
 *     } finally {
 *       console.log(`${task.stateName}: ${performance.now() - begun} ms`);
 *     }
 *   },
 * };
 * const runtime = new Runtime({ store, machines, tasks, interceptors: [timing] });
 * ```
 */
export interface Interceptor {
  /** Around each call of a handler, also those of workers. Built-in tasks, activities and started executions have no handler. */
  task?(call: InterceptedTask, next: (changed?: { input: any }) => unknown): unknown;
  /** Around {@link Runtime.start} and {@link Runtime.run}, and the starts of schedules. */
  start?(start: InterceptedStart, next: (changed?: InterceptedStart) => Promise<DurableExecution>): Promise<DurableExecution>;
  /** Around {@link Runtime.signal} and {@link DurableExecution.signal}. */
  signal?(signal: InterceptedSignal, next: (changed?: InterceptedSignal) => Promise<void>): Promise<void>;
}

/** A call of a handler, for an {@link Interceptor}. */
export interface InterceptedTask {
  readonly input: any;
  readonly task: Task;
}

/** A start, for an {@link Interceptor}. */
export interface InterceptedStart {
  readonly machine: string;
  readonly options: DurableStartOptions;
}

/** A signal, for an {@link Interceptor}. */
export interface InterceptedSignal {
  readonly arn: string;
  readonly name: string;
  readonly payload: unknown;
  readonly id?: string;
}

/** A machine of a runtime. */
export interface MachineDescription {
  name: string;
  arn: string;
  /** The hash of its definition, which executions keep. */
  definition: string;
  /** {@link RuntimeOptions.versions} */
  version?: string;
  /** {@link RuntimeOptions.deprecated} */
  deprecated?: true;
}

/** Options of an answer to a task by its token. */
export interface AnswerOptions {
  /** What happens if the task has ended already: the answer returns false, or rejects with an {@link EndedTaskCode}. Default: `"false"`. */
  ifEnded?: "false" | "throw";
}

/**
 * The `code` of the error for an answer that came too late. `TASK_ANSWERED`: an earlier answer counts. `TASK_TIMED_OUT`: the task had
 * timed out. `TASK_CANCELLED`: its execution did not need it any more, because it was stopped or cancelled, or another branch failed.
 * `TASK_ENDED`: it has ended, and the history does not say how (executions with a Distributed Map, or without a history).
 */
export type EndedTaskCode = "TASK_ANSWERED" | "TASK_TIMED_OUT" | "TASK_CANCELLED" | "TASK_ENDED";

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
  /** Settings of tasks that a definition cannot express, by the name of a state or by a Resource. */
  taskOptions?: Readonly<Record<string, TaskOptions>>;
  /**
   * What happens to a task that has no handler, for example because a deployment forgot it. `"suspend"`: its execution is suspended,
   * {@link RuntimeOptions.onSuspended} is called, and the execution continues in the next runtime that has the handler. `"fail"`: the
   * task fails with `States.TaskFailed`, which Retry and Catch handle. {@link TaskOptions.missingHandler} sets it for one task.
   * Default: `"suspend"`.
   */
  missingHandler?: "suspend" | "fail";
  /** Called for each entry of the log. Default: nothing is logged. */
  onLog?: (entry: LogEntry) => void;
  /** The API of OpenTelemetry, `import * as api from "@opentelemetry/api"`: executions and calls of handlers become spans of one trace. */
  telemetry?: TelemetryApi;
  /** Functions around the handlers of tasks, around starts and around signals; the first one is the outermost. */
  interceptors?: readonly Interceptor[];
  /**
   * The queue of tasks for which {@link TaskOptions} names none. Built-in tasks, activities and started executions are in no queue.
   * Default: none; a task without a queue is called at once.
   */
  defaultQueue?: string;
  /** Whether a task that would be called at once, without a queue, fails with `Stepglass.NoQueue`. Default: false. */
  requireQueue?: boolean;
  /**
   * The versions of machines, by name: any text. An execution keeps the version with which it was started, `describe()` shows it, and
   * {@link TaskOptions.queue} can choose a queue by it. A version stands for one definition in a store: with another one, `open()`
   * rejects with `VERSION_CONFLICT`. Default: machines have no versions, and can change.
   */
  versions?: Readonly<Record<string, string>>;
  /**
   * Machines that start no executions any more: `start()`, `run()` and schedules get `MACHINE_DEPRECATED`. What runs goes on.
   * {@link Runtime.machines} lists them. Default: none.
   */
  deprecated?: readonly string[];
  /** Limits of queues, by name. A queue needs no options. */
  queues?: Readonly<Record<string, QueueOptions>>;
  /**
   * Limits of starts. A start beyond one of them rejects with `THROTTLED`, and nothing is stored: {@link StartLimit}. Default: none.
   *
   * @example
   * ```js
   * const startLimits = [
   *   { executions: 100_000 }, // in the whole store
   *   { machine: "Order", startsPerSecond: 200 },
   *   { attribute: "tenant", executions: 1000, startsPerSecond: 20 }, // for each tenant
   * ];
   * ```
   */
  startLimits?: readonly StartLimit[];
  /**
   * Which child executions of Distributed Maps are stored when they end, with their histories: `"all"`, or those that did not succeed
   * (`"failed"`). `list({ mapRunArn })` lists them. Applies to executions that are started from now on. Default: `"all"`.
   */
  childRecords?: "all" | "failed";
  /** The name of this process, for {@link Runtime.ownerOf} and for logs of the database. Default: a random one. */
  owner?: string;
  /**
   * Which ended executions to keep: one rule or several, each of which removes what it does not keep. Children of Map Runs count.
   * Removal runs in the background, in small batches, after {@link Runtime.open} and then about once a minute while executions end.
   * Default: all are kept.
   *
   * @example
   * ```js
   * const retention = [
   *   { status: "SUCCEEDED", days: 7 },
   *   { days: 90, bytes: 10e9 },
   *   { machine: "Thumbnail", executions: 1000 },
   * ];
   * ```
   */
  retention?: RetentionRule | readonly RetentionRule[];
  /** How many waiting executions stay in memory; the others are loaded when they are due. Default: 1,000. */
  resident?: number;
  /** The region and the account in ARNs. Default: `"us-east-1"` and `"123456789012"`. */
  region?: string;
  account?: string;
  /** Default: `"real"`. */
  clock?: "real" | Clock;
  /** Called when an execution has ended and its end is in the store. */
  onEnd?: (execution: ExecutionDescription) => void;
  /**
   * Called when an execution cannot continue: its task has no handler (`execution.suspended.missing`), or its facts are damaged or no
   * longer lead to the same commands as before. The execution has not ended. For a missing handler it is called again by each runtime
   * that opens the store without the handler. Default: such a suspension is printed as a warning, unless there is an `onLog`.
   */
  onSuspended?: (execution: ExecutionDescription, reason: string) => void;
  /** Called when the store could not write, for example because the disk is full. The write is retried until it succeeds. */
  onStoreError?: (failure: { error: unknown; failures: number; retriesIn: number }) => void;
}

/**
 * A limit of {@link Runtime.start} and {@link Runtime.run}. An error with the code `THROTTLED` has the limit as `limit`, and for a rate
 * the milliseconds until the next start as `retryAfter`. Executions that a state starts or continues, and redriven ones, are not refused,
 * but they count as running. It needs `executions` or `startsPerSecond`.
 */
export interface StartLimit {
  /** The name of the machine to which it applies. Default: all machines together. */
  machine?: string;
  /** The name of an attribute: the limit applies to each of its values alone, and not to starts without it. Default: to all together. */
  attribute?: string;
  /**
   * How many executions can run at once. Those of all processes that share the store count; they are counted once a second, so that
   * several processes can exceed it by what they start within a second.
   */
  executions?: number;
  /** How many starts per second this process accepts; after a pause, as many at once. */
  startsPerSecond?: number;
}

/** Selects ended executions, and says which of them are kept. At least one of the limits is needed. */
export interface RetentionRule {
  /** The name of a machine. Default: all. */
  machine?: string;
  /** Default: all. */
  status?: Exclude<ExecutionStatus, "RUNNING"> | readonly Exclude<ExecutionStatus, "RUNNING">[];
  /** How many days after their end they are kept. */
  days?: number;
  /** How many are kept, the latest. */
  executions?: number;
  /** How many characters the texts of those may have that are kept, the latest. */
  bytes?: number;
}

/** An entry of the log: what happened, and to which execution. */
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
  /** Tasks that had to be called, and their answers. Calls that are repeated after a restart are not counted again. */
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
    /** How long writes took: the number of those that took at most `le` seconds, the sum in seconds, and the number of all writes. */
    seconds: { buckets: { le: number; count: number }[]; sum: number; count: number };
  };
  queues: QueueDescription[];
  /** The duration of `open()`, in seconds. */
  recoverySeconds: number;
}

/** The part of OpenTelemetry's API (the module `@opentelemetry/api`) that is used. */
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
  setAttribute?(name: string, value: string): unknown;
  recordException(exception: Error): void;
  end(time?: Date): void;
}

/** Settings of a task that a definition cannot express. */
export interface TaskOptions {
  /**
   * What {@link DurableExecution.cancel} does to the task. `"abandon"` (the default): its signal is aborted, and the state fails at
   * once with `Stepglass.Cancelled`. `"wait"`: the same, but handlers that are called afterwards (the clean-up) wait until this
   * handler has settled; this applies to every other cancellation of the task too. `"request"`: its signal is aborted, and the
   * handler's own answer counts.
   */
  onCancel?: "abandon" | "request" | "wait";
  /**
   * What happens to the task if it has no handler: {@link RuntimeOptions.missingHandler}. In a queue, `"suspend"` leaves the task in the
   * queue until a worker has a handler for it, and `"fail"` fails it as soon as a worker without one takes it. Default: the runtime's
   * setting.
   */
  missingHandler?: "suspend" | "fail";
  /**
   * What happens, when this execution ends, to an execution that the task has started and that still runs. Default: see {@link
   * ParentClosePolicy}.
   */
  parentClosePolicy?: ParentClosePolicy;
  /**
   * With which error a task fails whose started execution has not succeeded. `"aws"`: with `States.TaskFailed`, as on AWS.
   * `"distinct"`: with `Child.Failed`, `Child.TimedOut` or `Child.Aborted`, which Retry and Catch can tell apart; `States.TaskFailed`
   * in them stands for all three. The cause is the same. Default: `"aws"`.
   */
  childErrors?: "aws" | "distinct";
  /**
   * Whether each attempt of the task is called at most once. The call is stored before it is made, which costs one more write. If the
   * process ends before the answer is stored, the task is not called again, but fails with `Stepglass.Unknown`; a Retry handles that
   * only if it names it, and then makes another attempt. For handlers that are functions. Default: false; the task is called again.
   */
  atMostOnce?: boolean;
  /**
   * How long the task may be retried, in seconds from its first attempt. A later failure becomes `Stepglass.RetryExpired`, which a
   * Retry handles only if it names it.
   */
  retryExpirationSeconds?: number;
  /**
   * The queue in which the task waits for a worker: {@link Runtime.worker}. A function chooses it for each task, also after a restart; if
   * it returns no name, the task fails with `Stepglass.NoQueue`. Default: {@link RuntimeOptions.defaultQueue}.
   *
   * @example
   * ```js
   * const taskOptions = { Charge: { queue: ({ input, version }) => `${input.region}-${version}` } };
   * ```
   */
  queue?: string | ((task: QueuedTask) => string);
  /**
   * In a queue, waiting tasks of the highest priority come first. If the task starts an execution, this is that execution's
   * priority. Default: in a queue, the priority of the task's execution; for a started execution, 0.
   */
  priority?: number;
  /**
   * How long the task may wait in the queue before it fails with `States.Timeout`. Default: the queue's setting. Counted from zero
   * again after a restart.
   */
  scheduleToStartSeconds?: number;
}

/** A task for which a function chooses the queue: {@link TaskOptions.queue}. */
export interface QueuedTask {
  /** The handler's first argument. */
  readonly input: any;
  readonly task: Task;
  /** The hash of the definition that its execution keeps. */
  readonly definition: string;
  /** The version of its machine when the execution was started: {@link RuntimeOptions.versions}. */
  readonly version?: string;
}

/** Options of a queue. */
export interface QueueOptions {
  /** How many of its tasks may run at once, over all workers of this process. Default: no limit. */
  concurrency?: number;
  /** How many of its tasks may begin per second. Default: no limit. */
  rate?: number;
  /** How long tasks may wait in it. Default: as long as the state's TimeoutSeconds allows. */
  scheduleToStartSeconds?: number;
  /**
   * The name of an attribute of executions. Within a priority, a task comes first for whose value the fewest tasks are running, so that
   * no customer waits for another one's thousand tasks. Default: none; the tasks come in their order.
   */
  fairBy?: string;
  /** With `fairBy`: how many of its tasks may run at once for each value of the attribute. Default: no limit. */
  concurrencyPerKey?: number;
}

/** Options of a worker. */
export interface WorkerOptions {
  queue: string;
  /** Its handlers. Default: those of the runtime. */
  tasks?: TaskHandlers;
  /** How many tasks it does at once. Default: 1. */
  concurrency?: number;
  /** How many tasks it begins per second. Default: no limit. */
  rate?: number;
}

/** Takes tasks of a queue in this process. */
export interface Worker {
  readonly queue: string;
  /** How many tasks it is doing. */
  readonly active: number;
  /** Takes no more tasks; waiting tasks stay in the queue. Resolves when the tasks that it has taken are done. */
  stop(): Promise<void>;
}

/** A queue: how many tasks wait in it, how many are running, and how many workers take from it. */
export interface QueueDescription {
  name: string;
  waiting: number;
  active: number;
  workers: number;
}

/**
 * What happens to an execution that a task has started, when the task no longer waits for it (`.sync`, `.sync:2`), or when the
 * task's own execution has ended (without a suffix): it is stopped, asked to end ({@link DurableExecution.cancel}), or continues.
 * The default is what AWS does: `"terminate"` for a task that waits, `"abandon"` for one that does not.
 */
export type ParentClosePolicy = "terminate" | "request-cancel" | "abandon";

/** The value of an attribute: a boolean, a finite number, or a text of at most 256 characters. */
export type AttributeValue = string | number | boolean;

/** The attributes of an execution, by name. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/**
 * Selects attributes: those with this value, or those in this range. A range has two numbers or two texts, or one of them; texts are
 * compared by their code points, so dates in RFC 3339 are in order.
 */
export type AttributeFilter = AttributeValue | { from?: number; before?: number } | { from?: string; before?: string };

/** Options of a start that every host of executions takes: a {@link Runtime}, and Restate. */
export interface ExecutionStartOptions {
  /** Default: a random UUID. */
  name?: string;
  /** Default: `{}`. */
  input?: unknown;
  /** For `list()`. */
  tags?: Record<string, string>;
  /**
   * Values by which `list()` and `count()` filter: at most 64, with names of up to 128 characters. A state changes them with
   * `urn:stepglass:setAttributes`. An execution that continues this one keeps them.
   */
  attributes?: Attributes;
  /** The seed of UUIDs, random numbers and task tokens: equal seeds give equal ones. Default: random. */
  seed?: number | bigint;
}

/** Options of a start. */
export interface DurableStartOptions extends ExecutionStartOptions {
  /** A value, or a promise of one, which the start waits for. Default: `{}`. */
  input?: unknown;
  /** Promises that the start waits for. Nothing is stored before; if one of them rejects, the start rejects. */
  waitFor?: readonly unknown[];
  /** The priority of its tasks in queues: waiting tasks of the highest priority come first. Default: 0. */
  priority?: number;
  /**
   * The longest time of this execution, in seconds, in place of the machine's TimeoutSeconds. It is part of the definition that the
   * execution keeps: `migrate()` gives it the limit of the other definition. Default: the machine's TimeoutSeconds.
   */
  timeoutSeconds?: number;
  /**
   * What happens if another execution of the machine has this name. `"fail"`: the start rejects with `EXECUTION_EXISTS`. `"use"`: it
   * resolves to the last execution with this name, whether it runs or has ended, and whatever its input was. `"newRun"`: if that
   * has ended, another execution with this name begins; if it runs with another input, the start rejects. `"terminate"`: if it runs,
   * it is stopped with the error `Stepglass.Replaced`; then another execution with this name begins. Default: as AWS's
   * StartExecution: one that runs with this input is used, and in every other case the start rejects.
   *
   * Each further execution with a name has an ARN of its own, which ends in `~2`, `~3` and so on, and that number as its `runId`.
   * The names of Express executions are never taken.
   */
  onConflict?: "fail" | "use" | "terminate" | "newRun";
}

/** Selects executions: those to which every member applies. */
export interface RuntimeFilter extends Omit<ExecutionFilter, "machineArn"> {
  /** The name of the machine. */
  machine?: string;
}

/** How many executions of a machine have a status: {@link Runtime.counts}. */
export interface MachineCount extends Omit<ExecutionCount, "machineArn"> {
  /** The name of the machine. */
  machine: string;
}

/** An execution that outlives its process, whichever host runs it: a {@link Runtime}, or Restate. */
export interface ExecutionHandle<Output = any> {
  readonly arn: string;
  readonly name: string;
  /** The machine's name. */
  readonly machine: string;
  /** Resolves to the outcome when it ends. */
  readonly result: Promise<ExecutionResult<Output>>;
  /**
   * Returns the outcome as a new promise. With `follow`, it is the outcome of the last execution that continues this one
   * (`urn:stepglass:continueAsNew`).
   */
  outcome(options?: { follow?: boolean }): Promise<ExecutionResult<Output>>;
  /**
   * Sends a signal, and resolves when it is stored. A state with `"Resource": "urn:stepglass:waitForSignal"` and this name takes it,
   * now or later; signals of the same name are taken in order. A signal whose `id` was sent before changes nothing. Rejects with
   * `NOT_RUNNING` if the execution has ended.
   */
  signal<Payload = any>(name: string, payload?: Payload, options?: { id?: string }): Promise<void>;
  /** Returns the state that it shows (`urn:stepglass:setState`) and where it is, without moving it. */
  query<State = any>(): Promise<ExecutionQuery<State>>;
  /**
   * Asks it to end by itself, and resolves when that is stored. Open tasks, Wait states and retry delays fail with the error
   * `Stepglass.Cancelled` and these details as cause. Catch handles it like any other error; Retry does only if it names it.
   * Another `cancel()` does not affect the states that Catch leads to; `stop()` does. Has no effect once the execution has ended.
   */
  cancel(details?: unknown): Promise<void>;
  /** Returns what is stored about it. */
  describe(): Promise<ExecutionDescription>;
  /** All events so far, as GetExecutionHistory returns them. */
  history(page?: { from?: number; limit?: number; reverse?: boolean }): Promise<HistoryEvent[]>;
  /** Returns what is running now; empty for an execution that has ended. */
  frames(): Promise<Frame[]>;
  /** Ends it as ABORTED, with this error and cause. Resolves when that is stored. Has no effect once it has ended. */
  stop(error?: string, cause?: string): Promise<void>;
  /**
   * Changes the limits of one of its running Map Runs (UpdateMapRun); limits that you omit stay the same. `maxConcurrency` 0 means
   * as many as AWS allows. The ARN is in {@link Frame.mapRun} of `frames()` and in the history. Has no effect if no Map Run with
   * this ARN is running.
   */
  updateMapRun(mapRunArn: string, change: MapRunChange): Promise<void>;
  /** Restarts it from where it failed: RedriveExecution. Rejects with `NOT_REDRIVABLE` if that is not possible. */
  redrive(): Promise<void>;
  /**
   * Continues it with another definition; default: the one registered for its machine. That definition must have each state that it
   * is in, in the same branch or Map and of the same type; each task in flight, with the same resource; and the variables that
   * later states read. Otherwise rejects with `NOT_MIGRATABLE` and all `problems` ({@link RunningProblem}), and changes nothing.
   *
   * The history continues. Waits, retries and timeouts that have begun stay as they are.
   */
  migrate(definition?: Definition | StateMachine): Promise<void>;
  /** Tries again to continue a suspended execution. Rejects with `EXECUTION_SUSPENDED` if it still cannot continue. */
  resume(): Promise<void>;
}

/**
 * An execution of a runtime. It need not be in memory: `query()` does not load it. After `migrate()`, running handlers are called
 * again, with the same idempotency key.
 */
export interface DurableExecution<Output = any> extends ExecutionHandle<Output> {
  /** Resolves to the outcome when it ends. Never rejects; stays pending while the execution is suspended. */
  readonly result: Promise<ExecutionResult<Output>>;
  /**
   * Returns the outcome as a new promise, which rejects with `RUNTIME_CLOSED` when the runtime is closed before. With `follow`, it is
   * the outcome of the last execution that continues this one (`urn:stepglass:continueAsNew`).
   */
  outcome(options?: { follow?: boolean }): Promise<ExecutionResult<Output>>;
  /**
   * Cancels one scope: a state with everything in it, or with `index` one branch of a Parallel or iteration of a Map. What waits there
   * fails with `Stepglass.Cancelled` and these details as cause; Catch inside of the scope or around it handles that. Other branches
   * go on, unless the Parallel itself fails. The handlers of tasks are told by `task.signal`; `onCancel: "request"` does not apply.
   * Resolves when that is stored, to false if the execution is not in the state.
   */
  cancelScope(state: string, options?: { index?: number; details?: unknown }): Promise<boolean>;
  /**
   * Returns its Map Runs, the earliest first: how many children failed, which of them first, and with what error.
   * `runtime.list({ mapRunArn })` lists the children.
   */
  mapRuns(): Promise<MapRunDescription[]>;
}

/** A run of a Distributed Map. */
export interface MapRunDescription {
  mapRunArn: string;
  /** The execution that it is part of. */
  executionArn: string;
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "ABORTED";
  /** Milliseconds since 1970. */
  startDate: number;
  stopDate?: number;
  /** The number of items with each status. Items of failed children are in `failed` and `timedOut`. */
  itemCounts: Omit<MapRunCounts, "pendingRedrive">;
  /** The number of child executions with each status. A child can have several items. */
  executionCounts: Omit<MapRunCounts, "pendingRedrive">;
  redriveCount: number;
  /** The child execution that failed first since the last redrive; absent if none has failed. */
  firstFailure?: MapRunFailure;
}

/** A child execution of a Map Run that has failed or timed out. */
export interface MapRunFailure {
  /** The index of its item, or of its batch of items, from 0. */
  index: number;
  name: string;
  /** For {@link Runtime.get}: its input, its history. */
  arn: string;
  error?: string | undefined;
  cause?: string | undefined;
}

/** The process that runs an execution. */
export interface ExecutionOwner {
  /** {@link RuntimeOptions.owner} of that process; absent if the store does not know it, or while no process has the execution. */
  owner?: string;
  /** Whether this process runs the execution. */
  isHere: boolean;
}

/** Options of {@link Runtime.schedule}: `cron` or `every`, and what to start. */
export interface ScheduleOptions {
  /** The name of the machine. */
  machine: string;
  /** Default: `{}`. `"<aws.scheduler.scheduled-time>"` in it becomes the time, such as `2026-01-05T02:00:00.000Z`. */
  input?: unknown;
  /**
   * Minute, hour, day of the month, month, day of the week: `"0 2 * * MON-FRI"`, with lists, ranges, steps and names; or `@hourly`,
   * `@daily`, `@weekly`, `@monthly`, `@yearly`. When clocks go forward, starts in the skipped hour happen at its end; when they go
   * back, starts at a fixed hour happen once.
   */
  cron?: string;
  /** An interval, counted from the creation of the schedule: `"15 min"`. In descriptions, it is in milliseconds. */
  every?: string | number;
  /** The time zone of `cron`: `"Europe/Berlin"`. Default: `"UTC"`. */
  timezone?: string;
  /**
   * What happens while the previous execution is still running: `"skip"` omits this start, `"buffer"` delays it until the end (at
   * most one waits), `"allow"` starts it anyway. Default: `"skip"`.
   */
  overlap?: "skip" | "buffer" | "allow";
  /**
   * Which starts are made up for after the process was down: only the last `"one"`, `"all"` (at most 1,000), or `"none"`. Default:
   * `"one"`.
   */
  catchUp?: "one" | "all" | "none";
  /** For {@link Runtime.list}. */
  tags?: Record<string, string>;
  /** The attributes of the executions that it starts. */
  attributes?: Attributes;
}

/** A schedule. Times are milliseconds since 1970. */
export interface ScheduleDescription extends ScheduleOptions {
  name: string;
  created: number;
  /** When it starts an execution next. */
  next: number | null;
  /** The execution that it started last, and when that was due. */
  last?: { arn: string; at: number };
  /** When the start was due that waits for the last execution to end; absent if none waits. */
  buffered?: number;
  /** Why the last start failed. */
  problem?: string;
}

/** The outcome of {@link Runtime.migrate}. */
export interface MigrationReport {
  /** The ARNs of the executions that now continue with the new definition, except those that already had it. */
  migrated: string[];
  /** Those that were left unchanged. */
  refused: AffectedExecution[];
}

/** A running execution that cannot continue with another definition. */
export interface AffectedExecution {
  arn: string;
  name: string;
  reason: string;
  /** Everything that its states, tasks and variables lack there. Empty if there is another reason, such as a suspension. */
  problems: RunningProblem[];
}

/** The result of {@link Runtime.verify}. */
export interface VerificationReport {
  /** How many executions were checked. */
  executions: number;
  differing: {
    arn: string;
    name: string;
    status: ExecutionStatus;
    reason: string;
    /** The fact that now leads to other commands, if that is the reason. */
    diverged?: Divergence;
  }[];
}

/** The outcome of {@link Runtime.redriveAll}. */
export interface RedriveReport {
  /** The ARNs of the executions that run again. */
  redriven: string[];
  refused: { arn: string; name: string; reason: string }[];
}

/** A fact that no longer leads to the same commands, because of another version of Stepglass or a store that was changed by hand. */
export interface Divergence {
  /** The number of the fact since the last snapshot. */
  fact: number;
  /** When it happened, in milliseconds since 1970. */
  at: number;
  /** What happened: `start`, `succeed`, `fail`, `tick` … */
  event: string;
  /** The commands that it led to then, and those that it leads to now. */
  was: string;
  is: string;
}

/** The status of an execution, the state that it has published, and its current position. */
export interface ExecutionQuery<State = any> {
  status: ExecutionStatus;
  /** The value that `urn:stepglass:setState` set last; also after the end. */
  state?: State;
  /** The frames that are running now. */
  frames: Frame[];
  /** The number of signals that no state has taken yet, by name. */
  signals: Record<string, number>;
  /**
   * The details of the last heartbeats, by the idempotency keys of their tasks (`task.idempotencyKey`), also of tasks that have ended.
   * Absent if no task has reported details, and for executions on Restate.
   */
  heartbeats?: Record<string, any>;
}

/** An execution as DescribeExecution describes it. Times are milliseconds since 1970. */
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
  /** The version of its machine when it was started: {@link RuntimeOptions.versions}. */
  version?: string;
  /** Absent if it has none. */
  attributes?: Attributes;
  redriveCount: number;
  redriveDate?: number;
  /** When it was last moved to another definition. */
  migratedDate?: number;
  /** Its number among the executions with its name, from 2: {@link DurableStartOptions.onConflict}. Absent for the first one. */
  runId?: number;
  /** The execution whose task started it. */
  parent?: { arn: string };
  /** The value that `urn:stepglass:setState` set last. */
  state?: any;
  /** Whether {@link DurableExecution.cancel} was called. */
  cancelRequested?: true;
  /** The execution that this one continues (`urn:stepglass:continueAsNew`), and its number, counted from 1. */
  continuedFrom?: { arn: string };
  run?: number;
  /** The execution that continues this one. */
  continuedTo?: { arn: string };
  /** Why it cannot continue, and since when. */
  suspended?: {
    reason: string;
    at: number;
    diverged?: Divergence;
    /** The task that has no handler, if that is the reason. The execution continues in the next runtime that has one. */
    missing?: { state: string; resource: string };
  };
}

/** {@link Runtime.run} rejects with it if the execution did not succeed. */
export class DurableError extends Error {
  private constructor();
  readonly code: "EXECUTION_FAILED" | "EXECUTION_TIMED_OUT" | "EXECUTION_ABORTED";
  readonly status: "FAILED" | "TIMED_OUT" | "ABORTED";
  readonly error: string | undefined;
  readonly errorCause: string | undefined;
  readonly arn: string;
}

/**
 * Returns the ARN of the execution that a task token belongs to; undefined for a text that is not a token. Only the execution
 * itself knows whether the token is valid. For your own hosts ([host-guide.md](host-guide.md)).
 */
export function executionOfToken(token: string): string | undefined;

// -------------------------------------------------------------------------------------------------------- stores

/**
 * Keeps machines and executions. {@link Runtime} and the server of `stepglass/server` write to it; only one of them owns a store at
 * a time.
 *
 * An execution consists of a record, the last snapshot of its engine, the facts that the engine was fed since then, and the events
 * of its history that were written out. The facts are the source of truth: feeding them to the engine again rebuilds the execution.
 * Texts are opaque to a store.
 *
 * Every store guarantees:
 * 1. A {@link Batch} is atomic: all of it is stored, or nothing.
 * 2. When `write` resolves, what it reports as written is stored; in a `durable` store it outlives the process and a loss of power.
 * 3. A batch whose `version` is not the record's is refused with {@link StoreConflict} and changes nothing; the others are written.
 * 4. Facts and events keep the order in which they were written, without gaps. There is no order between executions.
 * 5. Only its owner writes: `open` fails with {@link StoreConflict} while another owner has the store. A process that dies owns nothing.
 * 6. Values are copied as JSON: what a caller does with them afterwards has no effect. A batch whose record cannot be written as
 *    JSON is refused with {@link StoreError}, like a conflict.
 * 7. A write that fails as a whole (the disk is full) has written nothing, and the store remains usable. `load` refuses an
 *    execution whose data is damaged with {@link StoreError}; all others remain usable.
 *
 * A store that is not open refuses every call with {@link StoreError}.
 *
 * `storeSuite` of `pkg-tests/store/suite.mjs` checks these guarantees for any store.
 */
export interface Store {
  /** Whether the data outlives the process. */
  readonly durable: boolean;
  /**
   * For a store that several processes share, once it is open: which executions this process has. Guarantee 5 then holds for each
   * execution: only the process that has it writes to it. Every process may create executions, also for others.
   */
  readonly sharing?: Sharing | undefined;
  /** Opens the store for its only owner. Creates or migrates its schema; a schema of a newer version is refused ({@link StoreError}). */
  open(options: { owner: string }): Promise<void>;
  /** Releases the store. Has no effect if it is not open. */
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
  /** Returns what rebuilds an execution: its last snapshot, and the facts since then. */
  load(id: string): Promise<StoredExecution | undefined>;
  /**
   * Returns events of the history that were written out; `from` counts from the beginning, or with `reverse` from the end. `total`
   * is the number of all that were written out.
   */
  history(id: string, page?: { from?: number; limit?: number; reverse?: boolean }): Promise<{ events: any[]; total: number } | undefined>;
  /** Returns executions, the latest first. The children of a Map Run are listed only with `mapRunArn`. */
  list(filter?: ExecutionFilter, page?: { before?: number; limit?: number }): Promise<{ items: ExecutionSummary[]; before?: number }>;
  /** Counts the executions that a filter selects. */
  count(filter?: ExecutionFilter): Promise<number>;
  /**
   * Counts the executions that a filter selects, grouped by machine and status. With `interval`, in milliseconds, they are also
   * grouped by the time of their start; the first interval begins at 1970-01-01T00:00:00Z. The groups are sorted by time, machine
   * and status. A store may lack this method: then the runtime counts the items of lists.
   */
  counts?(filter: ExecutionFilter, options: { interval?: number }): Promise<ExecutionCount[]>;
  /**
   * Returns running executions whose `wakeAt` is after `after` (default: all) and not after `until`, the earliest first. With
   * `limit` (default: all) a page ends once it has that many, but never between executions of the same time. For the next page,
   * pass the last `wakeAt` as `after`.
   */
  due(range: { after?: number; until: number; limit?: number }): Promise<{ id: string; wakeAt: number }[]>;
  /**
   * Returns at most `limit` ended executions, also children of Map Runs, the latest end first; those with the same end by their order.
   * For the next page, pass `endedAt` and `order` of the last one as `before`. A store need not have it: then retention by machine
   * and status is refused.
   */
  ended?(page: { before?: readonly [endedAt: number, order: number]; limit: number }): Promise<EndedExecution[]>;
  /**
   * Removes executions: those with the given ids, and ended ones, the earliest `stopDate` first, as long as that is before
   * `endedBefore`, or there are more than `executions` ended ones, or their texts have more than `bytes` characters. Returns their
   * ids.
   */
  prune(what: { ids?: readonly string[]; endedBefore?: number; executions?: number; bytes?: number }): Promise<string[]>;
}

/** An ended execution, for retention. */
export interface EndedExecution {
  id: string;
  machineArn: string;
  status: ExecutionStatus;
  /** Milliseconds since 1970; Infinity if that is not known. */
  endedAt: number;
  order: number;
  /** The length of its texts, in characters. */
  size: number;
}

/** How processes divide the executions of a store that they share. Each has a part of them at a time. */
export interface Sharing {
  /**
   * Whether this process has what belongs to a key. The key of an execution is the `near` of its record, or else its id. The answer
   * may change at any time; writes are then refused.
   */
  has(key: string): boolean;
  /** Returns the name of the process that has a key; undefined while none has it. A store need not know this. */
  ownerOf?(key: string): Promise<string | undefined>;
  /** A key that this process has; undefined if it has none. */
  ownKey(): string | undefined;
  /** For each other process that has a part, a key that it has. */
  otherKeys(): Promise<string[]>;
  /** Tells the listener what happens from now on. */
  listen(listener: ShareListener): void;
  /**
   * Asks the process that has a key; resolves to its answer, or rejects with its error. If that process ends, the next owner is
   * asked, so it may be done twice.
   */
  ask(key: string, name: string, args: readonly unknown[]): Promise<unknown>;
}

/** A message to a process that shares a store. */
export interface ShareListener {
  /** This process may have more than before, or may have missed something: ask {@link Store.due} what there is to do. */
  gained(): void;
  /** Others may now have what this process had; `has` says which keys it still has. */
  lost(has: (key: string) => boolean): void;
  /** An execution was created for this process, to be loaded at this time. */
  due(id: string, wakeAt: number): void;
  /** These executions have ended in other processes. */
  ended(ids: readonly string[]): void;
  /** Another process changed a document; without a key, any document of the collection. */
  changed(collection: string, key?: string): void;
  /** Returns whether work is in progress that should not move to another process now; `of` selects the keys. */
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
  /** Lists filter by them. Every store has an index of them. A batch with others than {@link AttributeValue} is refused. */
  attributes?: Attributes;
  /** Its number among the executions with its name, from 2. */
  runId?: number;
  /** In a shared store, the process that has this key has the execution; default: its id. It does not change. */
  near?: string;
  /** Increases with every execution of the store; the store sets it. */
  order?: number;
  /** How often the record was written; the store sets it. 1 after the batch that created it. */
  version?: number;
  [member: string]: unknown;
}

/** A record without its payloads. If the record cannot be read, it has only what lists need, and `damaged: true`. */
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
  /**
   * All of these attributes, with these values or in these ranges.
   *
   * @example
   * ```js
   * const { items } = await runtime.list({ attributes: { customer: "c-7", amount: { from: 100 }, due: { before: "2026-12-01" } } });
   * ```
   */
  attributes?: Readonly<Record<string, AttributeFilter>>;
  /** Started at this time or later. */
  startedFrom?: number;
  /** Started before this time. */
  startedBefore?: number;
}

/** How many executions of a machine have a status. */
export interface ExecutionCount {
  machineArn: string;
  status: ExecutionStatus;
  /** With an interval: they started at this time or later, and before the next interval. Milliseconds since 1970. */
  from?: number;
  count: number;
}

/** One atomic write to an execution. */
export interface Batch {
  /** The ARN of the execution. */
  id: string;
  /** The version of the record that the batch is based on; 0 with `create`. */
  version: number;
  /** The record of a new execution. If one with this id exists, the batch is refused, and the result has that record. */
  create?: ExecutionRecord;
  /**
   * Changes to the record; a member that is undefined is removed. `id`, `machineArn`, `mapRunArn`, `order` and `version` stay as
   * they are.
   */
  change?: Partial<ExecutionRecord>;
  /** Facts to append. */
  facts?: Texts;
  /** Replaces all facts so far, including those of this batch; null removes the snapshot too. */
  snapshot?: string | null;
  /** Events to append to the history. */
  events?: Texts;
  /**
   * When the execution has to be loaded again after a restart: 0 for at once, null for only on request. Absent: unchanged, or null
   * for a new execution. An execution that is not RUNNING is never due.
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

/** The stored data from which an execution is rebuilt. */
export interface StoredExecution {
  record: ExecutionRecord;
  /** How many facts were written since the execution began, including those that a snapshot has replaced. */
  facts: number;
  /** How many events were written out. */
  events: number;
  snapshot?: string;
  /** JSON texts of arrays: the facts since the snapshot, in their order. */
  journal: string[];
  wakeAt: number | null;
}

/** Another writer has written in the meantime, or owns the store. */
export class StoreConflict extends Error {
  constructor(message: string);
  readonly code: "STORE_CONFLICT";
}

/** The store cannot do what is asked: its schema is newer, the disk is full, a record is damaged. */
export class StoreError extends Error {
  constructor(code: string, message: string, options?: { cause?: unknown });
  readonly code: string;
}

/**
 * Encodes texts before they are stored, and decodes them when they are read. Your own codec may call a key management service. What
 * `encode` returned once must be decoded for as long as a store has it.
 */
export interface Codec {
  /** Is stored with each text, and finds the codec again. */
  readonly name: string;
  /**
   * Returns the encoded bytes, or undefined if this codec leaves the bytes as they are. `execution` is the ARN of the execution that the
   * text belongs to; it is absent for definitions, documents and requests between processes.
   */
  encode(bytes: Uint8Array, execution?: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /** Rejects if it cannot decode, for example because it lacks the key. */
  decode(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** A place for long texts outside of the store: {@link offloaded}. `stepglass/blobs` has some. A blob never changes. */
export interface BlobStore {
  /** Writes a new blob. When it resolves, the blob outlives the process. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns a blob; undefined if there is none with this key. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Removes blobs. Keys without a blob have no effect. */
  remove(keys: readonly string[]): Promise<void>;
  /** Returns the blobs whose keys begin with `prefix`, in any order. `modified` is in milliseconds since 1970. */
  list(prefix: string): AsyncIterable<{ key: string; modified: number }>;
  /** Is called when the store is closed. */
  close?(): Promise<void>;
}

/** A codec that moves long texts to a {@link BlobStore}. */
export interface Offloaded extends Codec {
  /**
   * Removes the blobs that nothing refers to, of some executions or of all. `inUse` returns the encoded bytes that the store has for an
   * execution. Returns the number of removed blobs.
   */
  collect(inUse: (execution: string) => Promise<readonly Uint8Array[]>, executions?: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

/** A store with codecs. */
export interface EncodedStore extends Store {
  /**
   * Removes the blobs of {@link offloaded} that nothing refers to: those of removed executions, of snapshots that others have replaced,
   * and of writes during which the process ended. `prune()` does it by itself about once an hour.
   */
  collect(): Promise<{ removed: number }>;
}

/**
 * Returns a codec that moves texts of more than `above` bytes (default: 32,768) to a blob store, and fetches them when they are read. It
 * must be the last codec, so that blobs are encrypted and compressed, too. A blob is written before the row that refers to it, so a
 * crash can only leave a blob that nothing refers to. Blobs are removed with their executions, but not before they are `graceSeconds`
 * old (default: 3600): a write that is under way may refer to them. Definitions and documents stay in the store.
 *
 * @example
 * ```js
 * import { Runtime, aesGcm, encoded, offloaded } from "stepglass/durable";
 * import { folderBlobs } from "stepglass/blobs";
 * import { sqlite } from "stepglass/sqlite";
 *
 * const codecs = [aesGcm({ keys, current: "2026" }), offloaded(folderBlobs("./blobs"), { above: 100_000 })];
 * const runtime = await new Runtime({ store: encoded(sqlite("orders.db"), codecs), machines }).open();
 * ```
 */
export function offloaded(blobs: BlobStore, options?: { above?: number; graceSeconds?: number }): Offloaded;

/**
 * Returns a store that keeps everything that executions contain only in encoded form: inputs, outputs, causes, exposed states, facts,
 * snapshots, histories, definitions, schedules, and what processes that share a store ask each other. The codecs are applied in their
 * order. ARNs, names, machines, statuses, times, tags, attributes and names of errors stay readable, because lists filter by them.
 *
 * Texts that the store has from before are read as they are, and are encoded when they are written again. A text whose codec or key
 * is missing rejects with `STORE_CODEC`; its execution continues once a process has it.
 *
 * @example
 * ```js
 * import { Runtime, aesGcm, encoded, gzip } from "stepglass/durable";
 * import { sqlite } from "stepglass/sqlite";
 *
 * const keys = { "2025": process.env.KEY_2025, "2026": process.env.KEY_2026 };
 * const store = encoded(sqlite("orders.db"), [gzip(), aesGcm({ keys, current: "2026" })]);
 * const runtime = await new Runtime({ store, machines }).open();
 * ```
 */
export function encoded(store: Store, codecs: readonly Codec[]): EncodedStore;

/**
 * Returns a codec that encrypts with AES-GCM of the Web Crypto API. Each text has the id of its key, so keys are rotated by adding one
 * and making it the `current` one; an old key is needed for as long as the store has texts of it. A text that was changed is refused.
 * Keys have 16, 24 or 32 bytes, as a Uint8Array or in base64.
 */
export function aesGcm(options: { keys: Readonly<Record<string, string | Uint8Array>>; current: string }): Codec;

/** Returns a codec that compresses with gzip. It comes before a codec that encrypts: encrypted texts cannot be compressed. */
export function gzip(): Codec;

/** What {@link exportExecutions} has written. */
export interface ExportReport {
  executions: number;
  /** How many of them were running. */
  running: number;
}

/** Options of {@link exportExecutions}. */
export interface ExportOptions {
  /** Default: all executions, and the machines, activities, names and schedules of the store. */
  filter?: ExecutionFilter;
  /**
   * Whether the running executions continue in another store: when everything is written, they are suspended in this one, and its
   * schedules are removed. No runtime may have them in memory. Default: false.
   */
  move?: boolean;
  /** With `move`: resolves when the lines are safe, for example synced to the disk. The executions stop here only then. */
  stored?: () => Promise<void>;
}

/** Options of {@link importExecutions}. */
export interface ImportOptions {
  /**
   * Whether running executions are imported that were not moved. They then run in both stores, with the same idempotency keys: for
   * tests with a copy. Default: false.
   */
  copies?: boolean;
}

/** What {@link importExecutions} has done. */
export interface ImportReport {
  imported: number;
  /** Those that the store had already. */
  skipped: number;
  refused: { arn: string; reason: string }[];
}

/**
 * Yields the executions of an open store as lines of JSON, with their facts, snapshots, histories, Map Runs and definitions, and last a
 * line with the numbers. Running ones keep their timers, signals, tokens and attributes. Texts of an `encoded()` store are decoded. The
 * lines do not depend on the kind of store.
 *
 * @example
 * ```js
 * import { exportExecutions, importExecutions } from "stepglass/durable";
 *
 * const lines = exportExecutions(sqliteStore, { move: true });
 * const { imported } = await importExecutions(postgresStore, lines);
 * ```
 */
export function exportExecutions(store: Store, options?: ExportOptions): AsyncGenerator<string, ExportReport>;

/**
 * Writes the executions of lines to an open store. What it has already stays as it is, so an import that was interrupted can be repeated.
 * A running execution that was not moved is refused, because it may still run where it comes from; so is one whose ARN another execution
 * has. Rejects with `STORE_DAMAGED` if lines are missing at the end. Open a runtime on the store afterwards.
 */
export function importExecutions(store: Store, lines: AsyncIterable<string>, options?: ImportOptions): Promise<ImportReport>;

/**
 * Returns a clock for `clock` of a runtime whose time passes `factor` times as fast as that of `base`: with 60, a Wait state of an hour
 * takes a minute. For tests of whole systems. Both clocks show the same time when it is made, so use one clock for all runtimes of
 * a store: the time of a new one would be before what the store has. Default of `base`: the system's clock.
 */
export function scaledClock(factor: number, base?: Clock): Clock;

/** A Store in memory, which is lost when the process ends. */
export interface MemoryStore extends Store {}
export class MemoryStore {
  readonly durable: false;
}
