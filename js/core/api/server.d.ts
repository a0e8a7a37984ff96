/**
 * The AWS Step Functions API on this machine, for the `aws` command and every AWS SDK. Node only.
 *
 * @example
 * ```js
 * import { serve } from "stepglass/server";
 *
 * const server = await serve({ port: 0, tasks: { charge: async ({ amount }) => ({ paid: amount }) } });
 * const client = new SFNClient({ endpoint: server.url, region: "us-east-1", disableHostPrefix: true, credentials });
 * // …
 * await server.close();
 * ```
 *
 * @packageDocumentation
 */
import type { Runtime, Store } from "./durable.js";
import type { Clock, PlatformUrl, ServiceModels, TaskHandler, TaskHandlers } from "./index.js";

/**
 * Starts a server; resolves when it listens. Rejects if the address is in use (`EADDRINUSE`) or the module of handlers cannot be
 * loaded.
 *
 * The server does not check signatures, so anyone who can reach its address can do everything. By default it listens on the
 * loopback address (see `host`) and refuses pages of other origins (see `allowOrigins`).
 */
export function serve(options?: ServeOptions): Promise<Server>;

/** Options of `serve()`. */
export interface ServeOptions {
  /** The address to listen on. Default: `"127.0.0.1"`. */
  host?: string;
  /** Default: 8083; 0 chooses a free port. */
  port?: number;
  /**
   * The task handlers, as for `machine.start()`, or the path of a module that exports them. The module is reloaded when its file
   * changes; running executions use the new handlers from their next task on.
   */
  tasks?: TaskHandlers | string | PlatformUrl;
  /**
   * Handlers for tasks for which `tasks` has none or only a less specific one, such as those of `awsTasks()`. They stay in use when
   * the module of `tasks` is reloaded.
   */
  otherTasks?: Record<string, TaskHandler>;
  /**
   * HTTP services that perform tasks, by the names that handlers have. The server sends the task's input as JSON by POST; the
   * response is the result.
   */
  urls?: Record<string, string | PlatformUrl> | ReadonlyMap<string, string | PlatformUrl>;
  /** The endpoint of Lambda's Invoke API, for functions without a handler. */
  lambdaEndpoint?: string;
  /**
   * A mock configuration of Step Functions Local, as a file or its contents. To choose a test case, start
   * `…:stateMachine:NAME#TestCase`. Each execution counts its invocations from 0.
   */
  mockConfig?: string | PlatformUrl | object;
  /**
   * The shapes of the services' responses, with which TestState checks mocks as AWS does; `"installed"` for those that
   * `findServiceModels()` of `stepglass/node` finds, if there are any. Default: mocks are not checked.
   */
  serviceModel?: ServiceModels | "installed";
  /**
   * A folder in which everything is kept, in the file `stepglass.db`; it is created if it does not exist. Everything that the
   * server has confirmed survives it, however it ends, and its executions resume when it starts again. Needs Node 22.13 or newer.
   *
   * Or the address of a PostgreSQL database, `postgres://…`, in whose schema `stepglass` (or `?schema=NAME`) everything is kept;
   * the package `pg` must be installed in the current folder. Several servers can use one database: they share its executions.
   */
  data?: string | PlatformUrl;
  /**
   * The store of machines and executions, in place of `data`: `sqlite()` of `stepglass/sqlite` with another driver, or your own
   * store. Default: a new {@link MemoryStore}.
   */
  store?: Store;
  /**
   * Serves executions on Restate, by the URL of its ingress; with `admin`, also their lists. The machines and tasks are those of
   * the workers (`serveOnRestate()` of `stepglass/restate`). docs/restate.md says which part of the API is then served; there is no
   * debugger.
   */
  restate?: string | { ingress: string; admin?: string };
  /**
   * With `data` or a durable store: what happens to a task without a handler if an earlier server started its execution. `"suspend"`:
   * the execution is suspended, and continues in a server that has the handler, or when the module of `tasks` gets it. `"fail"`: the
   * task fails. In executions that this server has started, such a task always fails. Default: `"suspend"`.
   */
  missingHandler?: "suspend" | "fail";
  /** The region in ARNs. Default: `"us-east-1"`. */
  region?: string;
  /** The account in ARNs. Default: `"123456789012"`. */
  account?: string;
  /** Default: `"real"`. */
  clock?: "real" | Clock;
  limits?: ServerLimits;
  /**
   * Enforces AWS's quotas: the documented rates of each operation, by account and region, and the numbers of open executions and
   * registered resources. Calls above the rates get ThrottlingException. Default: false.
   */
  quotas?: boolean | Quotas;
  /**
   * Where to send an event when the status of a Standard execution changes, in EventBridge's form ("Step Functions Execution Status
   * Change"): to a file, as lines of JSON; to an address, as JSON arrays by POST; or to a function. Nothing waits for it.
   */
  statusEvents?: NoticeTarget | readonly NoticeTarget[];
  /** The address of an emulator of EventBridge, which gets the same events by PutEvents. */
  eventsEndpoint?: string | PlatformUrl;
  /**
   * Where to send the execution events that CloudWatch Logs would get, for machines with a `loggingConfiguration`: its level and
   * `includeExecutionData` determine the content.
   */
  executionLogs?: NoticeTarget | readonly NoticeTarget[];
  /** The address of an emulator of CloudWatch Logs, which gets the same by PutLogEvents, in the log group of the machine. */
  logsEndpoint?: string | PlatformUrl;
  /**
   * The keys that requests must have, and what each of them may do. Default: nothing is checked, and anyone who can reach the address
   * can do everything.
   */
  access?: AccessOptions;
  /** Origins whose pages can call the API, besides the server's own; `"*"` for all. */
  allowOrigins?: readonly string[];
  /** Host names under which `/debugger` is served, besides loopback names and addresses. */
  allowHosts?: readonly string[];
  /** The largest body of a request, in bytes. Default: 4 MiB; with `quotas` 1 MiB, as on AWS. */
  bodyLimit?: number;
  /** How many milliseconds the headers (default: 10,000) and the whole request (30,000) can take to arrive. */
  timeouts?: { headers?: number; request?: number };
  /** The folder of the debugger's page. Default: the one in the package. */
  page?: string;
  /** What to log: `"error"` (the default) only errors, `"info"` also every request, `"debug"` also the end of every execution. */
  logLevel?: "silent" | "error" | "info" | "debug";
  /** Receives the lines of the log. Default: they are written to standard error. */
  log?: (level: "error" | "info" | "debug", line: string) => void;
}

/**
 * Serves a console of the executions of an open Runtime: lists with filters, counts over time, each execution in the debugger, and the
 * actions on one or on many of them. Resolves when it listens. Closing it does not close the runtime.
 *
 * It has the pages and the JSON of `/debugger` of a server (docs/server.md), `/health` and `/metrics`.
 *
 * @example
 * ```js
 * import { serveConsole } from "stepglass/server";
 *
 * const board = await serveConsole(runtime, { port: 0 }); // its page is board.url + "/debugger/"
 * // …
 * await board.close();
 * ```
 */
export function serveConsole(runtime: Runtime, options?: ConsoleOptions): Promise<ConsoleServer>;

/** Options of `serveConsole()`: as those of `serve()`. */
export interface ConsoleOptions extends Pick<
  ServeOptions,
  "host" | "port" | "access" | "allowOrigins" | "allowHosts" | "page" | "logLevel" | "log"
> {}

/** A console that listens. */
export interface ConsoleServer extends Pick<Server, "url" | "host" | "port" | "close"> {
  /** For `await using`: {@link Server.close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Who may call a server. */
export interface AccessOptions {
  keys: readonly AccessKey[];
  /**
   * The audit log: a file, to which lines of JSON are added, or a function. It has an entry for each request that changes something and
   * for each that is refused. A line is written before the answer is sent.
   */
  audit?: string | PlatformUrl | ((entry: AuditEntry) => void);
}

/**
 * A key: a pair with which AWS's SDKs sign requests (Signature Version 4), or a token, which is sent as `Authorization: Bearer TOKEN`
 * and with which people log in to the pages; or both.
 */
export interface AccessKey {
  /** The name of its holder in the audit log and on the pages. */
  name: string;
  accessKeyId?: string;
  secretAccessKey?: string;
  /** At least 16 characters, without spaces. */
  token?: string;
  /** `"read"`: only operations that change nothing and call no handler. Default: `"write"`. */
  rights?: "read" | "write";
  /** The beginning of the names of the state machines and activities that the key may use. Default: all. */
  prefix?: string;
}

/** An entry of the audit log. */
export interface AuditEntry {
  /** In ISO 8601. */
  time: string;
  /** The name of the key; absent if the request had no valid one. */
  key?: string;
  /** The operation of the API, or an action of the console: `stop`, `signal` … */
  operation: string;
  /** The ARN of the first resource that the request names. */
  resource?: string;
  /** `"ok"`, or the type of the error. */
  result: string;
  /** The network address of the client. Behind a proxy, that of the proxy. */
  address?: string;
  /** The x-amzn-RequestId of the response. */
  requestId: string;
}

/** Where notices go: the path of a file, an address that begins with `http:` or `https:`, or a function. */
export type NoticeTarget = string | PlatformUrl | ((notice: any) => void | Promise<void>);

/** Quotas in place of AWS's. */
export interface Quotas {
  /** By operation, for example `{ StartExecution: { bucket: 10, refill: 5 } }`; `StartExecution.EXPRESS` is for Express machines. */
  rates?: Record<string, RateQuota>;
  /** How many Standard executions of an account can run in a region. Default: 1,000,000. */
  openExecutions?: number;
  /** How many state machines, and activities, there can be. Default: 100,000. */
  registered?: number;
}

/** How often an operation can be called: up to `bucket` times at once, and then as often as the bucket is refilled. */
export interface RateQuota {
  bucket: number;
  /** The number of requests that are added to the bucket each second. */
  refill: number;
}

/** The limits of a server. */
export interface ServerLimits {
  /** The largest number of state machines, and of activities; more are refused with StateMachineLimitExceeded or ActivityLimitExceeded. Default: 10,000; with `quotas` 100,000 for each account, as on AWS. */
  registered?: number;
  /** The largest number of running executions; more are refused with ExecutionLimitExceeded. Default: 100,000. */
  running?: number;
  /** How many waiting executions stay in memory with a durable store; the others are loaded when they are due. Default: 1,000. */
  resident?: number;
  /** How many ended executions (default: 10,000) and how many characters of them (268,435,456) to keep. The oldest are removed first. */
  retain?: { executions?: number; bytes?: number };
  /** How many milliseconds GetActivityTask waits for a task. Default: 60,000, as on AWS. */
  poll?: number;
}

/** A running server. */
export interface Server {
  /** The endpoint for clients: `http://127.0.0.1:8083`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** The number of running executions. */
  readonly running: number;
  /**
   * Performs an operation of the API without HTTP: `call("StartExecution", { stateMachineArn })`. Times are in seconds since
   * 1970, as on the wire. Rejects with {@link ApiError}.
   */
  call(operation: string, input?: object): Promise<any>;
  /**
   * Sends a signal to a running execution, as `signal()` of a `Runtime` does; resolves when it is in the store. A Task with the
   * Resource `urn:stepglass:waitForSignal` gets it. A signal with an `id` counts only once, even if it is sent again.
   */
  signal(executionArn: string, name: string, payload?: unknown, options?: { id?: string }): Promise<void>;
  /**
   * Stops listening, and resolves when everything has ended. Requests in progress, and with a durable store running handlers, have
   * `grace` milliseconds (default: 2,000) to finish. Running executions are aborted, but those of a durable store resume when it is
   * served again.
   */
  close(options?: { grace?: number }): Promise<void>;
  /** For `await using`: {@link Server.close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The signals of an execution, as `/debugger/api/executions/ARN` has them. */
export interface ServerExecutionSignals {
  /** The names that it waits for. */
  waiting: string[];
  /** The number of received signals that no state has taken yet, by name. */
  buffered: Record<string, number>;
}

/** An error of the API. */
export class ApiError extends Error {
  constructor(type: string, message: string, members?: { status?: number; [member: string]: unknown });
  /** AWS's name: `ExecutionDoesNotExist`. */
  readonly type: string;
  /** The HTTP status. */
  readonly status: number;
}

export { MemoryStore, StoreConflict, StoreError } from "./durable.js";
export type { Batch, BatchResult, ExecutionFilter, ExecutionRecord, ExecutionSummary, Store, StoredExecution, Texts } from "./durable.js";
