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
import type { Clock, PlatformUrl, TaskHandlers } from "./index.js";

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
  /** HTTP services, by the names that handlers have. The server sends a task's input as JSON by POST; the response is the result. */
  urls?: Record<string, string | PlatformUrl> | ReadonlyMap<string, string | PlatformUrl>;
  /** The endpoint of Lambda's Invoke API, for functions without a handler. */
  lambdaEndpoint?: string;
  /**
   * A mock configuration of Step Functions Local, as a file or its contents. To choose a test case, start
   * `…:stateMachine:NAME#TestCase`. Each execution counts its invocations from 0.
   */
  mockConfig?: string | PlatformUrl | object;
  /** The store of machines and executions. Default: a new {@link MemoryStore}. `durable` stores are not supported yet. */
  store?: Store;
  /** The region in ARNs. Default: `"us-east-1"`. */
  region?: string;
  /** The account in ARNs. Default: `"123456789012"`. */
  account?: string;
  /** Default: `"real"`. */
  clock?: "real" | Clock;
  limits?: ServerLimits;
  /** Origins whose pages can call the API, besides the server's own; `"*"` for all. */
  allowOrigins?: readonly string[];
  /** Host names under which `/debugger` is served, besides loopback names and addresses. */
  allowHosts?: readonly string[];
  /** The largest body of a request, in bytes. Default: 4 MiB. */
  bodyLimit?: number;
  /** How many milliseconds the headers (default: 10,000) and the whole request (30,000) can take to arrive. */
  timeouts?: { headers?: number; request?: number };
  /** The folder of the debugger's page. Default: the one in the package. */
  page?: string;
  /** What to log: `"error"` (the default), with `"info"` also every request, with `"debug"` also the end of every execution. */
  logLevel?: "silent" | "error" | "info" | "debug";
  /** Receives the lines of the log. Default: they are written to standard error. */
  log?: (level: "error" | "info" | "debug", line: string) => void;
}

/** The limits of a server. */
export interface ServerLimits {
  /** The largest number of state machines, and of activities, as on AWS; more are refused with StateMachineLimitExceeded or ActivityLimitExceeded. Default: 10,000. */
  registered?: number;
  /** The largest number of running executions; more are refused with ExecutionLimitExceeded. Default: 100,000. */
  running?: number;
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
   * Stops listening, aborts the running executions, and resolves when everything has ended. Requests in progress have `grace`
   * milliseconds (default: 2,000) to finish.
   */
  close(options?: { grace?: number }): Promise<void>;
  /** For `await using`: {@link Server.close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** An error of the API. */
export class ApiError extends Error {
  constructor(type: string, message: string, members?: { status?: number; [member: string]: unknown });
  /** AWS's name: `ExecutionDoesNotExist`. */
  readonly type: string;
  /** The HTTP status. */
  readonly status: number;
}

// -------------------------------------------------------------------------------------------------------- store

/**
 * The data of a server. One process owns a store at a time.
 *
 * Every store guarantees:
 * 1. The facts of an execution are in one order without gaps; there is no order between executions.
 * 2. `append` is atomic: all of a batch is stored, or nothing.
 * 3. When the promise of a write resolves, the data is stored; in a `durable` store it outlives the process.
 * 4. `append` fails with {@link StoreConflict} if `expectedSeq` or `fence` is not the current one.
 * 5. `create` of an id that exists changes nothing.
 * 6. A snapshot replaces all facts up to its `seq`; these need not be kept.
 *
 * The suite `pkg-tests/server/store-suite.mjs` checks these guarantees for any store. With a durable store, a host must write before
 * it acts: no command leaves the process before its batch is appended. `serve()` keeps the engines of its executions in memory and
 * does not support durable stores yet.
 */
export interface Store {
  /** Whether the data outlives the process. */
  readonly durable: boolean;
  /** Opens the store for its only owner; fails with {@link StoreConflict} while it has another owner. */
  open(options: { owner: string }): Promise<void>;
  close(): Promise<void>;

  /** Stores a small document: a machine with its versions and aliases, or an activity. */
  put(collection: string, key: string, value: unknown): Promise<void>;
  /** Removes a document. Has no effect if there is none. */
  remove(collection: string, key: string): Promise<void>;
  /** Returns all documents of a collection, in the order in which their keys were first put. */
  all(collection: string): AsyncIterable<[key: string, value: any]>;
  /** Stores the text of a definition under its hash. */
  putDefinition(hash: string, text: string): Promise<void>;
  getDefinition(hash: string): Promise<string | undefined>;

  /** Creates the record of an execution, or returns the existing one. Adds `order` to it, which increases with every record. */
  create(about: ExecutionRecord): Promise<{ outcome: "created" | "exists"; about: ExecutionRecord }>;
  append(id: string, batch: Batch): Promise<void>;
  /** Appends many batches in one write. Each batch is atomic by itself; if one fails, the others are still stored. */
  appendMany(batches: readonly [id: string, batch: Batch][]): Promise<({ ok: true } | { ok: false; error: Error })[]>;
  get(id: string): Promise<ExecutionRecord | undefined>;
  /** Returns what is needed to resume an execution: its last snapshot, and the facts since. */
  load(id: string): Promise<{ about: ExecutionRecord; seq: number; fence: number; snapshot?: Snapshot; facts: unknown[] } | undefined>;
  /** Returns events of the history; `from` counts from the beginning, or with `reverse` from the end. */
  history(id: string, page?: { from?: number; limit?: number; reverse?: boolean }): Promise<{ events: any[]; total: number } | undefined>;
  /** Returns executions of a machine, of a Map Run, or all except children of Map Runs; newest first, started before `before`. */
  list(
    filter?: { machine?: string; mapRun?: string; matches?: (about: ExecutionRecord) => boolean },
    page?: { before?: number; limit?: number },
  ): Promise<{ items: ExecutionRecord[]; before?: number }>;

  /** Returns the open commands, timers and tokens of running executions, to repeat them after a crash. */
  pending(): AsyncIterable<{ id: string; outbox: OutboxCommand[]; timers: { id: string; at: number }[]; tokens: string[] }>;
  /** Returns the timers that are due, the earliest first. */
  dueTimers(now: number, limit?: number): Promise<{ execution: string; id: string; at: number }[]>;
  /** Returns the task that a token belongs to. */
  findToken(token: string): Promise<{ id: string; command: number } | undefined>;
  /** Claims an execution for an owner. Returns its fence, which increases with every claim if several processes share the store. */
  claim(id: string, owner: string, ttl: number): Promise<number | undefined>;
  /** Removes executions: those with the given ids, and ended ones, the oldest first, that ended before a time or exceed a limit. Returns their ids. */
  prune(what: { ids?: readonly string[]; endedBefore?: number; executions?: number; bytes?: number }): Promise<string[]>;
}

/** The record of an execution. Members that are not listed are kept unchanged. */
export interface ExecutionRecord {
  /** Its ARN. */
  id: string;
  machineArn: string;
  mapRunArn?: string;
  /** Increases with every execution of the store. */
  order?: number;
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
  /** Milliseconds since 1970. */
  startDate: number;
  stopDate?: number;
  /** JSON texts. */
  input: string;
  output?: string;
  [member: string]: unknown;
}

/** The data of one atomic write. */
export interface Batch {
  /** The number of facts so far. */
  expectedSeq: number;
  /** The result of `claim`; absent if one process owns the store. */
  fence?: number;
  /** The facts fed to the engine, in order: JSON data that includes all times and random values. */
  facts?: unknown[];
  /** Events to append to the history: the JSON text of an array, and its length. */
  history?: { text: string; count: number };
  /** The commands that resulted from the facts. */
  outbox?: OutboxCommand[];
  /** The ids of commands whose results are among the facts. */
  done?: number[];
  timers?: { set?: { id: string; at: number }[]; clear?: string[] };
  tokens?: { put?: { token: string; command: number }[]; del?: string[] };
  /** Changes of the record; a member that is undefined is removed. */
  about?: Partial<ExecutionRecord>;
  /** Replaces the facts up to `seq`; null removes the existing snapshot. */
  snapshot?: Snapshot | null;
}

/** A command that was issued and has no result yet; ids count from 1 in each execution. */
export interface OutboxCommand {
  id: number;
  [member: string]: unknown;
}

/** An execution as JSON text. */
export interface Snapshot {
  seq: number;
  text: string;
}

/** A Store in memory, which is lost when the process ends. */
export interface MemoryStore extends Store {}
export class MemoryStore {
  readonly durable: false;
}

/** A write conflict: another writer has appended since, or owns the store or the execution now. */
export class StoreConflict extends Error {}
