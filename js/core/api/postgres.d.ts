/**
 * A store in a PostgreSQL database. The entry `stepglass/postgres`. You provide the driver: the npm package `pg`.
 *
 * @example
 * ```js
 * import pg from "pg";
 * import { postgres } from "stepglass/postgres";
 *
 * const store = postgres({ client: () => new pg.Client("postgres://localhost/orders"), wait: true });
 * ```
 *
 * @packageDocumentation
 */
import type { Store } from "./durable.js";
import type { Task, TaskHandler } from "./index.js";

/**
 * Makes a {@link Store} in a schema of a PostgreSQL database. The schema is created if it does not exist.
 *
 * Only one process has a store at a time, by an advisory lock of its session. With `wait`, other processes stand by: their `open`
 * resolves when the owner ends or loses its connection, and they continue its executions. A process that loses its connection also
 * loses the lock and can no longer write.
 *
 * With `shared`, several processes with the same machines and tasks have the store at once. The executions are divided among them
 * by ARN; a request for an execution, made in any process, reaches the one that has it. When a process joins, leaves or lets its
 * lease expire, the executions are divided again.
 */
export function postgres(options: PostgresOptions): PostgresStore;

/** A {@link Store} in a PostgreSQL database. */
export interface PostgresStore extends Store {
  /**
   * Returns a handler for `tasks` that is called in a transaction of the same database, on a connection of its own. Its answer commits
   * with its changes: if the process ends afterwards, the task gets this answer and the handler is not called again; if it ends before,
   * nothing was changed. If the handler throws, or its task is not needed any more, everything is rolled back. At most four run at
   * once. The handler must not commit by itself.
   *
   * The answer is kept with the execution, and is not encoded by `encoded()`.
   *
   * @example
   * ```js
   * const book = store.transactional(async ({ seat, guest }, task, transaction) => {
   *   await transaction.query("INSERT INTO booking VALUES ($1, $2)", [seat, guest]);
   *   return { seat };
   * });
   * const runtime = new Runtime({ store, machines, tasks: { book } });
   * ```
   */
  transactional<Input = any, Output = unknown>(
    handler: (input: Input, task: Task, transaction: PostgresTransaction) => Output | PromiseLike<Output>,
  ): TaskHandler<Input, Output>;
}

/** The client of a transaction: what `client` of {@link PostgresOptions} has made. */
export interface PostgresTransaction {
  query(query: any, values?: any[]): Promise<any>;
}

/** Options of a store in PostgreSQL. */
export interface PostgresOptions {
  /** Makes a client that is not connected yet: `() => new pg.Client(…)`. A pool does not work, because the lock belongs to the connection. */
  client: () => PostgresClient | Promise<PostgresClient>;
  /** The schema that has the tables. Default: `"stepglass"`. */
  schema?: string;
  /** Whether `open` waits until no other process has the store. Default: false; it fails with {@link StoreConflict}. */
  wait?: boolean;
  /** Whether several processes share the store, each with a part of its executions. Default: false. */
  shared?: boolean;
  /**
   * For a shared store: after how many seconds without a sign of life from a process others continue its executions, by
   * PostgreSQL's clock. Default: 10.
   */
  leaseSeconds?: number;
  /**
   * For how many seconds a server is asked again that cannot be reached, starts, recovers from a crash or has too many connections: by
   * `open`, and by every call after a connection was lost. The pauses grow to two seconds. 0: not at all. Default: 30.
   */
  connectSeconds?: number;
}

/** What a store needs from a client; `pg.Client` has it. */
export interface PostgresClient {
  connect(): Promise<unknown>;
  /** A statement with a `name` is prepared once in a session. A client may ignore the name. */
  query(query: string | { text: string; values: unknown[]; name?: string }, ...more: any[]): Promise<any>;
  end(): Promise<unknown>;
  on?(event: "error" | "end" | "notification", listener: (what?: any) => void): unknown;
}
