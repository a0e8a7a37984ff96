/**
 * Executions on Restate, a distributed engine for durable code: for those who outgrow one process with a database. The entry
 * `stepglass/restate`, for Node. The SDK is yours: the npm package `@restatedev/restate-sdk`.
 *
 * @example
 * ```js
 * import { RestateClient, serveOnRestate } from "stepglass/restate";
 *
 * const worker = await serveOnRestate({
 *   machines: { Order: definition },
 *   tasks: { charge: async ({ amount }, task) => pay(amount, { key: task.idempotencyKey }) },
 *   admin: "http://127.0.0.1:9070",
 * });
 * const client = new RestateClient("http://127.0.0.1:8080");
 * const execution = await client.start("Order", { name: "order-7", input: { amount: 12 } });
 * console.log(await execution.result); // { status: "SUCCEEDED", output: { paid: 12 } }
 * await worker.close();
 * ```
 *
 * @packageDocumentation
 */
import type { Definition, ExecutionResult, Frame, HistoryEvent, Limits, MapRunChange, StateMachine, TaskHandlers } from "./index.js";
import type {
  AffectedExecution,
  ExecutionDescription,
  ExecutionQuery,
  ExecutionSummary,
  MigrationReport,
  RedriveReport,
  RuntimeFilter,
  ScheduleDescription,
  ScheduleOptions,
} from "./durable.js";

/**
 * Starts a worker: an HTTP/2 server that Restate calls to do the steps of executions and their tasks. Any number of workers may run, as
 * long as all have the same machines. Resolves when it listens, and with `admin` when Restate knows it.
 *
 * What it promises:
 * 1. When `start`, a signal, a token's answer, `stop` or `redrive` resolves, Restate has it on disk, in a cluster on as many nodes as it
 *    is set to.
 * 2. A task is called at least once. A task whose answer Restate has is never called again. After a crash of a worker or of a server, two
 *    calls of a task may be at work at the same time; `task.idempotencyKey` is the same in both. The `signal` of a call that does not count
 *    any more is aborted as soon as its worker hears of it, and its answer is refused.
 * 3. An execution continues where it was, also with another worker.
 */
export function serveOnRestate(options: RestateOptions): Promise<RestateWorker>;

/** Options of a worker. */
export interface RestateOptions extends Limits {
  /** The machines that can be started, by name: definitions or state machines. */
  machines: Readonly<Record<string, Definition | StateMachine>>;
  /**
   * The handlers of the Task states: functions. Tasks that start, describe and stop executions of `machines`
   * (`arn:aws:states:::states:startExecution.sync:2` …), and those whose Resource is `urn:stepglass:waitForSignal`, `signalExecution`,
   * `cancelExecution`, `continueAsNew` or `setState` need none.
   */
  tasks?: TaskHandlers;
  /**
   * Names of states, or Resources, whose tasks may last long: they are called by a service of their own, and their execution takes signals,
   * tokens and other answers meanwhile. So do all tasks with a HeartbeatSeconds. Default: none.
   */
  longTasks?: readonly string[];
  /** The module `@restatedev/restate-sdk`. Default: it is imported. */
  sdk?: unknown;
  /** Default: 9080; 0 for any free one. */
  port?: number;
  /** The address that it listens on. Default: `"127.0.0.1"`. */
  host?: string;
  /** The URL at which Restate reaches the worker. Default: that of `host` and `port`. */
  url?: string;
  /** The URL of Restate's admin API, such as `http://127.0.0.1:9070`: the worker registers itself there. Default: you register it. */
  admin?: string;
  /** The public keys of the Restate servers that may call the worker. Default: all that reach it. */
  identityKeys?: readonly string[];
  /** When a slice calls no more tasks itself, and others do them: after so many seconds (default: 60), or calls (default: 1,000). */
  slice?: { seconds?: number; entries?: number };
  /**
   * How many children of a Distributed Map are started together, and tell their ends together (default: 100). And of tasks that are to be
   * called at once, how many are one call of another worker, if there are half as many or more.
   */
  shard?: number;
  /** How long ended executions are kept. Default: for ever. */
  retention?: { days?: number };
  /** The region and the account in ARNs. Default: `"us-east-1"` and `"123456789012"`. */
  region?: string;
  account?: string;
  /** Called for each entry of the SDK's log. Default: nothing is logged. */
  onLog?: (entry: { level: string; message: string }) => void;
}

/** A worker that listens. */
export interface RestateWorker {
  /** Where Restate calls it. */
  readonly url: string;
  readonly port: number;
  /** Has a Restate server call this worker from now on, by the URL of its admin API. */
  register(admin: string): Promise<void>;
  /** Ends the worker, not its executions: what it was doing is done by another one, or when it is back. */
  close(): Promise<void>;
  /** For `await using`: {@link RestateWorker.close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts executions on Restate, and talks to them. It needs no SDK, and has nothing to be closed. */
export class RestateClient {
  /** `ingress` is the URL of Restate's ingress, such as `http://127.0.0.1:8080`. */
  constructor(ingress: string, options?: RestateClientOptions);
  /**
   * Starts an execution, and resolves when Restate has kept that. With the name and input of a running execution it is that one; a name
   * with another input, or of one that has ended, is refused with `EXECUTION_EXISTS`.
   */
  start<Output = any>(machine: string, options?: RestateStart): Promise<RestateExecution<Output>>;
  /** Starts an execution and resolves to its output; rejects with `DurableError` of `stepglass/durable` if it does not succeed. */
  run<Output = any>(machine: string, options?: RestateStart): Promise<Output>;
  /** Returns a handle of an execution, by its ARN, or by its machine and its name. Undefined if there is none. */
  get<Output = any>(arn: string): Promise<RestateExecution<Output> | undefined>;
  get<Output = any>(machine: string, name: string): Promise<RestateExecution<Output> | undefined>;
  /** Signals the execution with this ARN: {@link RestateExecution.signal}. */
  signal(arn: string, name: string, payload?: unknown, options?: { id?: string }): Promise<void>;
  /**
   * Returns executions, the latest first. It needs `admin`. Restate reads all records for a list: it is for operators, not for each request
   * of a program.
   */
  list(filter?: RestateFilter, page?: { before?: number; limit?: number }): Promise<{ items: ExecutionSummary[]; before?: number }>;
  /** Counts executions, as `list` does. */
  count(filter?: RestateFilter): Promise<number>;
  /**
   * Has running executions continue with another definition; default: the registered one of their machine. Those that cannot are left as they
   * are, see {@link RestateExecution.migrate}. It needs `admin`, as `list` does.
   */
  migrate(filter: RestateFilter, definition?: Definition | StateMachine): Promise<MigrationReport>;
  /**
   * Returns the running executions of a machine that could not continue with a definition (default: the registered one), and the children of
   * their Map Runs that could not. Nothing changes. It needs `admin`.
   */
  affected(machine: string, definition?: Definition | StateMachine): Promise<AffectedExecution[]>;
  /** Stops all running executions that the filter selects. Resolves to how many there were, when Restate has their ends. It needs `admin`. */
  stopAll(filter: RestateFilter, error?: string, cause?: string): Promise<number>;
  /** Redrives all executions that the filter selects and that have failed, timed out or were aborted. It needs `admin`. */
  redriveAll(filter: RestateFilter): Promise<RedriveReport>;
  /**
   * Has executions of a machine started again and again; a schedule of that name is changed. Restate keeps it and calls a worker when it is
   * due: only the workers have to run, and each start happens once. The executions are named after the schedule and the time:
   * `nightly-20260105T020000Z`.
   */
  schedule(name: string, options: ScheduleOptions): Promise<ScheduleDescription>;
  /** Returns all schedules. It needs `admin`. */
  schedules(): Promise<ScheduleDescription[]>;
  /** Removes a schedule; executions that it has started run on. False if there is none of that name. */
  unschedule(name: string): Promise<boolean>;
  /** Completes the task with this token: SendTaskSuccess. False if the task has ended already. */
  succeed(token: string, output?: unknown): Promise<boolean>;
  /** Fails the task with this token: SendTaskFailure. False if the task has ended already. */
  fail(token: string, failure?: { error?: string; cause?: string }): Promise<boolean>;
  /** Says that the task with this token is alive: SendTaskHeartbeat. False if the task has ended already. */
  heartbeat(token: string, details?: unknown): Promise<boolean>;
  /**
   * Waits for a task of an activity: GetActivityTask. Resolves to undefined if none comes in so many seconds (default: 60). A task whose
   * Resource is an activity's ARN, and for which the workers have no handler, waits until somebody asks for it, in any process and any
   * language; then answer it with `succeed`, `fail` and `heartbeat`. It is not given to another one: a state with HeartbeatSeconds or
   * TimeoutSeconds notices that its worker has died. An activity needs no registration.
   */
  getActivityTask(activityArn: string, options?: { workerName?: string; seconds?: number }): Promise<RestateActivityTask | undefined>;
  /** Returns the names of the machines that the workers have. */
  machines(): Promise<string[]>;
}

/** A task of an activity that was fetched. */
export interface RestateActivityTask {
  taskToken: string;
  /** The task's input, parsed. */
  input: any;
}

/** Options of a client. */
export interface RestateClientOptions {
  /** The URL of Restate's admin API, for lists. */
  admin?: string;
  /** The region and the account in ARNs, as the workers have them. */
  region?: string;
  account?: string;
}

/** Options of a start. */
export interface RestateStart {
  /** Default: a random UUID. */
  name?: string;
  /** Default: `{}`. */
  input?: unknown;
  /** For {@link RestateClient.list}. */
  tags?: Record<string, string>;
  /** The seed of UUIDs, random numbers and task tokens: equal seeds give equal ones. Default: random. */
  seed?: number | bigint;
}

/** Selects executions: those to which every member applies. `machine` is a name. */
export interface RestateFilter extends RuntimeFilter {}

/** An execution on Restate. */
export interface RestateExecution<Output = any> {
  readonly arn: string;
  readonly name: string;
  /** The machine's name. */
  readonly machine: string;
  /** How it ends. While Restate is away it stays open; it rejects with `UNKNOWN_EXECUTION` if the execution was removed. */
  readonly result: Promise<ExecutionResult<Output>>;
  /**
   * The same as a promise of its own. With `follow`, the outcome of the last execution that this one is continued by
   * (`urn:stepglass:continueAsNew`).
   */
  outcome(options?: { follow?: boolean }): Promise<ExecutionResult<Output>>;
  /**
   * Sends a signal, and resolves when the execution has it. A state with `"Resource": "urn:stepglass:waitForSignal"` and this name takes
   * it, now or later. One with an `id` that was sent before changes nothing. Rejects with `NOT_RUNNING` if the execution has ended.
   */
  signal<Payload = any>(name: string, payload?: Payload, options?: { id?: string }): Promise<void>;
  /** What it shows (`urn:stepglass:setState`) and where it is, as the last slice has left it. */
  query<State = any>(): Promise<ExecutionQuery<State>>;
  /** Asks it to end by itself: what waits fails with `Stepglass.Cancelled` and these details as cause, which Catch can take. */
  cancel(details?: unknown): Promise<void>;
  /** What Restate keeps of it. */
  describe(): Promise<ExecutionDescription>;
  /** The events so far, as GetExecutionHistory returns them; those of a slice that is under way are not among them. */
  history(page?: { from?: number; limit?: number; reverse?: boolean }): Promise<HistoryEvent[]>;
  /** What runs now. Empty for an execution that has ended. */
  frames(): Promise<Frame[]>;
  /** Stops it: ABORTED, with the error and cause given. A slice that is under way hears of it at once. Of no effect once it has ended. */
  stop(error?: string, cause?: string): Promise<void>;
  /**
   * Changes the limits of one of its Map Runs that is under way (UpdateMapRun); limits that you omit stay the same. `maxConcurrency` 0 means as
   * many as AWS allows. The ARN is in {@link Frame.mapRun} of `frames()` and in the history. Of no effect if no Map Run with it is running.
   */
  updateMapRun(mapRunArn: string, change: MapRunChange): Promise<void>;
  /** Takes it up again where it failed: RedriveExecution. Rejects with `NOT_REDRIVABLE`. */
  redrive(): Promise<void>;
  /**
   * Continues with another definition; default: the one that the workers have registered for its machine. What runs has to have its place
   * there, as `migrate` of a `Runtime` asks for; otherwise it rejects with `NOT_MIGRATABLE` and all `problems`, and nothing has changed. It
   * happens between two slices: where one is under way, after it. Tasks that are called outside of slices go on, and their answers count.
   * Children of its Map Runs that run follow a moment later, each for itself: one that cannot keeps the definition that it has.
   */
  migrate(definition?: Definition | StateMachine): Promise<void>;
  /**
   * Has Restate try again at once what has failed and is tried later, or was put aside after many tries. It needs `admin`. Rejects with
   * `EXECUTION_SUSPENDED` and the reason if it still cannot go on. Of no effect where nothing has failed.
   */
  resume(): Promise<void>;
}
