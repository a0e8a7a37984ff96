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
import type { Clock, TaskHandlers } from "./index.js";

/**
 * Starts a server; resolves when it listens. Rejects where the address is taken (`EADDRINUSE`) or the module of handlers
 * cannot be loaded.
 *
 * Whoever reaches the address may do everything: signatures are accepted and not checked. It listens on the loopback unless
 * `host` says otherwise, and refuses pages of other origins unless `allowOrigins` lets them in.
 */
export function serve(options?: ServeOptions): Promise<Server>;

/** Options of `serve()`. */
export interface ServeOptions {
  /** The address to listen on. Default: `"127.0.0.1"`. */
  host?: string;
  /** Default: 8083; 0 takes a free one. */
  port?: number;
  /**
   * What does the work of the tasks: handlers as for `machine.start()`, or the path of a module that exports them, which is
   * read again when its file changes. Running executions use the new handlers for their next tasks.
   */
  tasks?: TaskHandlers | string | URL;
  /** HTTP services by the names that handlers have: a task's input is POSTed there as JSON, the answer is its result. */
  urls?: Record<string, string | URL> | ReadonlyMap<string, string | URL>;
  /** Where Lambda's Invoke API answers, for functions without a handler. */
  lambdaEndpoint?: string;
  /**
   * A mock configuration of Step Functions Local, as a file or as what is in it. A test case is chosen by starting
   * `…:stateMachine:NAME#TestCase`; each execution counts its invocations anew.
   */
  mockConfig?: string | URL | object;
  /** Where machines and executions are kept. Default: a new {@link MemoryStore}. Must not be `durable`, as yet. */
  store?: Store;
  /** Of the ARNs. Default: `"us-east-1"`. */
  region?: string;
  /** Of the ARNs. Default: `"123456789012"`. */
  account?: string;
  /** Default: `"real"`. */
  clock?: "real" | Clock;
  limits?: ServerLimits;
  /** Origins whose pages may call the API, besides the server's own; `"*"` for all. */
  allowOrigins?: readonly string[];
  /** Names under which `/debugger` is served, besides those of the loopback and addresses. */
  allowHosts?: readonly string[];
  /** Bytes that the body of a request may have. Default: 4 MiB. */
  bodyLimit?: number;
  /** Milliseconds in which the headers (default: 10,000) and the whole of a request (30,000) have to arrive. */
  timeouts?: { headers?: number; request?: number };
  /** The folder of the debugger's page. Default: the one in the package. */
  page?: string;
  /** What is logged: `"error"` (the default), with `"info"` every request, with `"debug"` also the end of every execution. */
  logLevel?: "silent" | "error" | "info" | "debug";
  /** Gets the lines of the log. Default: they go to standard error. */
  log?: (level: "error" | "info" | "debug", line: string) => void;
}

/** What a server may use up. */
export interface ServerLimits {
  /** State machines, and activities, as on AWS; more are refused with StateMachineLimitExceeded, ActivityLimitExceeded. Default: 10,000. */
  registered?: number;
  /** Executions that run at once; more are refused with ExecutionLimitExceeded. Default: 100,000. */
  running?: number;
  /** Of executions that have ended, how many (default: 10,000) and how many characters of them (268,435,456) are kept. The oldest go first. */
  retain?: { executions?: number; bytes?: number };
  /** Milliseconds that GetActivityTask waits for a task. Default: 60,000, as on AWS. */
  poll?: number;
}

/** A server that listens. */
export interface Server {
  /** What clients take as their endpoint: `http://127.0.0.1:8083`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** How many executions run. */
  readonly running: number;
  /**
   * Performs an operation of the API without HTTP: `call("StartExecution", { stateMachineArn })`. Times are in seconds since
   * 1970, as on the wire. Rejects with {@link ApiError}.
   */
  call(operation: string, input?: object): Promise<any>;
  /**
   * Stops listening, aborts the executions that run, and resolves when nothing is left. Requests under way have `grace`
   * milliseconds (default: 2,000) to be answered.
   */
  close(options?: { grace?: number }): Promise<void>;
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
 * Where a server keeps what it knows. One process owns a store at a time.
 *
 * Every store promises:
 * 1. The facts of an execution are in one order without gaps; there is no order between executions.
 * 2. `append` is atomic: all of a batch is stored, or nothing.
 * 3. What a promise has resolved for is stored; in a `durable` one it outlives the process.
 * 4. `append` fails with {@link StoreConflict} where `expectedSeq` or `fence` is not the present one.
 * 5. `create` of an id that exists changes nothing.
 * 6. A snapshot stands for all facts up to its `seq`; those need not be kept.
 *
 * The suite `pkg-tests/server/store-suite.mjs` checks this of any store. Over a durable store a host has to write before it
 * acts: no command leaves the process before the batch that has it is appended. `serve()` keeps its executions' engines in
 * memory and refuses such a store as yet.
 */
export interface Store {
  /** Whether what it stores outlives the process. */
  readonly durable: boolean;
  /** Takes the store for its one owner; fails with {@link StoreConflict} while another has it. */
  open(options: { owner: string }): Promise<void>;
  close(): Promise<void>;

  /** Keeps a small document: a machine with its versions and aliases, an activity. */
  put(collection: string, key: string, value: unknown): Promise<void>;
  /** Of no effect where there is none. */
  remove(collection: string, key: string): Promise<void>;
  /** All documents of a collection, in the order in which their keys were first put. */
  all(collection: string): AsyncIterable<[key: string, value: any]>;
  /** Keeps the text of a definition under its hash. */
  putDefinition(hash: string, text: string): Promise<void>;
  getDefinition(hash: string): Promise<string | undefined>;

  /** Begins the record of an execution, or gives the one that there is. Adds `order` to it, which grows. */
  create(about: ExecutionRecord): Promise<{ outcome: "created" | "exists"; about: ExecutionRecord }>;
  append(id: string, batch: Batch): Promise<void>;
  /** Many batches with one write; each is atomic by itself, and one that fails does not hinder the others. */
  appendMany(batches: readonly [id: string, batch: Batch][]): Promise<({ ok: true } | { ok: false; error: Error })[]>;
  get(id: string): Promise<ExecutionRecord | undefined>;
  /** What an execution is taken up from: its last snapshot, and the facts since. */
  load(id: string): Promise<{ about: ExecutionRecord; seq: number; fence: number; snapshot?: Snapshot; facts: unknown[] } | undefined>;
  /** Events of the history, `from` counted from the beginning, or with `reverse` from the end. */
  history(id: string, page?: { from?: number; limit?: number; reverse?: boolean }): Promise<{ events: any[]; total: number } | undefined>;
  /** Executions of a machine, of a Map Run, or all but children of Map Runs; newest first, begun before `before`. */
  list(
    filter?: { machine?: string; mapRun?: string; matches?: (about: ExecutionRecord) => boolean },
    page?: { before?: number; limit?: number },
  ): Promise<{ items: ExecutionRecord[]; before?: number }>;

  /** What executions that run have open: what is to be done again after a crash. */
  pending(): AsyncIterable<{ id: string; outbox: OutboxCommand[]; timers: { id: string; at: number }[]; tokens: string[] }>;
  /** Timers that are due, the earliest first. */
  dueTimers(now: number, limit?: number): Promise<{ execution: string; id: string; at: number }[]>;
  /** The task that a token was given out for. */
  findToken(token: string): Promise<{ id: string; command: number } | undefined>;
  /** Takes an execution over: its fence, which grows where several processes share a store. */
  claim(id: string, owner: string, ttl: number): Promise<number | undefined>;
  /** Forgets executions: those named, and ended ones, the oldest first, that ended before a time or are too many. Returns their ids. */
  prune(what: { ids?: readonly string[]; endedBefore?: number; executions?: number; bytes?: number }): Promise<string[]>;
}

/** What is known of an execution. Members that are not listed are kept as they are. */
export interface ExecutionRecord {
  /** Its ARN. */
  id: string;
  machineArn: string;
  mapRunArn?: string;
  /** Grows with every execution of the store. */
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

/** What is stored at once. */
export interface Batch {
  /** How many facts there are so far. */
  expectedSeq: number;
  /** What `claim` gave; absent where one process owns the store. */
  fence?: number;
  /** What the engine is told, in order: JSON data with everything that time and chance have decided. */
  facts?: unknown[];
  /** Events that go on the history: the JSON text of an array, and its length. */
  history?: { text: string; count: number };
  /** Commands that the facts have led to. */
  outbox?: OutboxCommand[];
  /** The ids of commands whose results are among the facts. */
  done?: number[];
  timers?: { set?: { id: string; at: number }[]; clear?: string[] };
  tokens?: { put?: { token: string; command: number }[]; del?: string[] };
  /** Changes of the record; a member that is undefined is taken away. */
  about?: Partial<ExecutionRecord>;
  /** Stands for the facts up to `seq`; null takes the one away that there is. */
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

/** A Store that forgets with the process. */
export interface MemoryStore extends Store {}
export class MemoryStore {
  readonly durable: false;
}

/** A write that came too late: somebody else has appended since, or owns the store or execution now. */
export class StoreConflict extends Error {}
