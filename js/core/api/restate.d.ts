/**
 * Executions on Restate, a distributed engine for durable code, for when one process with a database is not enough. The entry
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
import type { Definition, ExecutionResult, Limits, StateMachine, TaskHandlers } from "./index.js";
import type {
  AffectedExecution,
  ExecutionHandle,
  ExecutionSummary,
  MigrationReport,
  RedriveReport,
  RuntimeFilter,
  ScheduleDescription,
  ScheduleOptions,
  ExecutionStartOptions,
} from "./durable.js";

/**
 * Starts a worker: an HTTP/2 server that Restate calls to perform the steps of executions and their tasks. Any number of workers
 * may run, as long as all have the same machines. Resolves when it listens, and with `admin` when it is registered with Restate.
 *
 * What it promises:
 * 1. Once `start`, a signal, an answer by token, `stop` or `redrive` resolves, Restate has it on disk; in a cluster, on as many
 *    nodes as it is configured to use.
 * 2. A task is called at least once. A task whose answer Restate has is never called again. After a crash of a worker or a server,
 *    two calls of a task may run at the same time; `task.idempotencyKey` is the same in both. The `signal` of a call that no longer
 *    counts is aborted as soon as its worker learns of it, and its answer is refused.
 * 3. An execution resumes where it was, even on another worker.
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
   * Names of states, or Resources, whose tasks may take long. A separate service calls them, so their execution can take signals,
   * tokens and other answers meanwhile. The same applies to all tasks with HeartbeatSeconds. Default: none.
   */
  longTasks?: readonly string[];
  /**
   * What happens to a task that has no handler, for example because a deployment forgot it. `"suspend"`: its execution waits, and Restate
   * tries again with longer and longer pauses, until a worker has the handler; after Restate's last attempt,
   * {@link RestateExecution.resume} has it try again. `"fail"`: the task fails with `States.TaskFailed`, which Retry and Catch handle.
   * Default: `"suspend"`.
   */
  missingHandler?: "suspend" | "fail";
  /** The module `@restatedev/restate-sdk`. Default: it is imported. */
  sdk?: unknown;
  /** Default: 9080; 0 for any free one. */
  port?: number;
  /** The address that it listens on. Default: `"127.0.0.1"`. */
  host?: string;
  /** The URL at which Restate reaches the worker. Default: that of `host` and `port`. */
  url?: string;
  /** The URL of Restate's admin API, such as `http://127.0.0.1:9070`, where the worker registers itself. Default: you register it. */
  admin?: string;
  /** The public keys of the Restate servers that may call the worker. Default: any server that can reach it. */
  identityKeys?: readonly string[];
  /** When a slice stops calling tasks and leaves them to others: after this many seconds (default: 60) or calls (default: 1,000). */
  slice?: { seconds?: number; entries?: number };
  /**
   * How many children of a Distributed Map are started together and report their ends together (default: 100). Also, of tasks to be
   * called at the same time, how many are passed to another worker in one call, if there are at least half as many.
   */
  shard?: number;
  /** How long ended executions can be read, in days. Default: forever. */
  retention?: { days?: number };
  /** The region and the account in ARNs. Default: `"us-east-1"` and `"123456789012"`. */
  region?: string;
  account?: string;
  /** Called for each entry of the SDK's log. Default: nothing is logged. */
  onLog?: (entry: { level: string; message: string }) => void;
}

/** A worker that listens. */
export interface RestateWorker {
  /** The URL at which Restate calls this worker. */
  readonly url: string;
  readonly port: number;
  /** Registers this worker with a Restate server, by the URL of its admin API: the server calls it from now on. */
  register(admin: string): Promise<void>;
  /** Ends the worker, but not its executions: another worker continues what it was doing, or this one does when it is back. */
  close(): Promise<void>;
  /** For `await using`: {@link RestateWorker.close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts executions on Restate and communicates with them. It needs no SDK, and you need not close it. */
export class RestateClient {
  /** `ingress` is the URL of Restate's ingress, such as `http://127.0.0.1:8080`. */
  constructor(ingress: string, options?: RestateClientOptions);
  /**
   * Starts an execution, and resolves when Restate has stored that. If an execution with this name and input is running, resolves
   * to that one. If the name is that of an execution with another input, or of one that has ended, rejects with `EXECUTION_EXISTS`.
   */
  start<Output = any>(machine: string, options?: RestateStart): Promise<RestateExecution<Output>>;
  /** Starts an execution and resolves to its output; rejects with `DurableError` of `stepglass/durable` if it does not succeed. */
  run<Output = any>(machine: string, options?: RestateStart): Promise<Output>;
  /** Returns a handle to an execution, by its ARN or by its machine and name. Undefined if there is none. */
  get<Output = any>(arn: string): Promise<RestateExecution<Output> | undefined>;
  get<Output = any>(machine: string, name: string): Promise<RestateExecution<Output> | undefined>;
  /** Signals the execution with this ARN: {@link RestateExecution.signal}. */
  signal(arn: string, name: string, payload?: unknown, options?: { id?: string }): Promise<void>;
  /**
   * Returns executions, the latest first. It needs `admin`. Restate reads all records for a list, so it is for operators, not for
   * every request of a program.
   */
  list(filter?: RestateFilter, page?: { before?: number; limit?: number }): Promise<{ items: ExecutionSummary[]; before?: number }>;
  /** Counts executions, as `list` does. */
  count(filter?: RestateFilter): Promise<number>;
  /**
   * Moves running executions to another definition; default: the one registered for their machine. Those that cannot continue with
   * it are left unchanged: see {@link RestateExecution.migrate}. It needs `admin`, as `list` does.
   */
  migrate(filter: RestateFilter, definition?: Definition | StateMachine): Promise<MigrationReport>;
  /**
   * Returns the running executions of a machine that could not continue with a definition (default: the registered one), and the
   * children of their Map Runs that could not. Changes nothing. It needs `admin`.
   */
  affected(machine: string, definition?: Definition | StateMachine): Promise<AffectedExecution[]>;
  /** Stops all running executions that the filter selects. Resolves to their number once Restate has their ends. It needs `admin`. */
  stopAll(filter: RestateFilter, error?: string, cause?: string): Promise<number>;
  /** Redrives all executions that the filter selects and that failed, timed out or were aborted. It needs `admin`. */
  redriveAll(filter: RestateFilter): Promise<RedriveReport>;
  /**
   * Starts executions of a machine on a schedule; an existing schedule of that name is changed. Restate keeps it and calls a worker
   * when it is due: only the workers have to run, and each start happens once. The executions are named after the schedule and the
   * time: `nightly-20260105T020000Z`.
   */
  schedule(name: string, options: ScheduleOptions): Promise<ScheduleDescription>;
  /** Returns all schedules. It needs `admin`. */
  schedules(): Promise<ScheduleDescription[]>;
  /** Removes a schedule; executions that it has started continue. False if there is no schedule of that name. */
  unschedule(name: string): Promise<boolean>;
  /** Completes the task with this token: SendTaskSuccess. False if the task has ended already. */
  succeed(token: string, output?: unknown): Promise<boolean>;
  /** Fails the task with this token: SendTaskFailure. False if the task has ended already. */
  fail(token: string, failure?: { error?: string; cause?: string }): Promise<boolean>;
  /** Reports that the task with this token is alive: SendTaskHeartbeat. False if the task has ended already. */
  heartbeat(token: string, details?: unknown): Promise<boolean>;
  /**
   * Waits for a task of an activity: GetActivityTask. Resolves to undefined if none comes within this many seconds (default: 60). A
   * task whose Resource is an activity's ARN, and for which the workers have no handler, waits until a process in any language asks
   * for it. Answer it with `succeed`, `fail` and `heartbeat`. No other process gets the same task: if its worker dies, the state
   * notices by its HeartbeatSeconds or TimeoutSeconds. An activity needs no registration.
   */
  getActivityTask(activityArn: string, options?: { workerName?: string; seconds?: number }): Promise<RestateActivityTask | undefined>;
  /** Returns the names of the machines that the workers have. */
  machines(): Promise<string[]>;
}

/** A task that was fetched from an activity. */
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
  /** Whether inputs, signals and outputs that JSON would silently change are refused, with `INVALID_ARGUMENT`. Default: false. */
  strict?: boolean;
}

/** Options of a start. */
export interface RestateStart extends ExecutionStartOptions {}

/** Selects executions: those to which every member applies. `machine` is a name. */
export interface RestateFilter extends RuntimeFilter {}

/**
 * An execution on Restate. Queries and the history have no events of a slice that is in progress. `stop()` reaches such a slice at
 * once.
 */
export interface RestateExecution<Output = any> extends ExecutionHandle<Output> {
  /**
   * Resolves to the outcome when it ends. Stays pending while Restate is unreachable; rejects with `UNKNOWN_EXECUTION` if the
   * execution was removed.
   */
  readonly result: Promise<ExecutionResult<Output>>;
  /**
   * Continues it with another definition; default: the one that the workers have registered for its machine. The conditions are those
   * of {@link ExecutionHandle.migrate}. The change happens between two slices: if one is in progress, after it. Tasks that are called
   * outside of slices continue, and their answers count. Running children of its Map Runs follow a moment later, each by itself; one
   * that cannot follow keeps its definition.
   */
  migrate(definition?: Definition | StateMachine): Promise<void>;
  /**
   * Makes Restate retry now what has failed and waits for its next try, or was paused after many tries. It needs `admin`. Rejects
   * with `EXECUTION_SUSPENDED` and the reason if it still cannot continue. Has no effect if nothing has failed.
   */
  resume(): Promise<void>;
}
