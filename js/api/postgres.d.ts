/**
 * A store in a PostgreSQL database. The entry `stepglass/postgres`. The driver is yours: the npm package `pg`.
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

/**
 * Makes a {@link Store} of a schema in a PostgreSQL database, which is created if it does not exist.
 *
 * One process has a store at a time, by an advisory lock of its session. With `wait`, other processes stand by: `open` resolves when the
 * owner ends or its connection breaks, and they continue its executions. A process that has lost its connection has lost the lock with
 * it and cannot write any more.
 *
 * With `shared`, several processes have it at once, with the same machines and tasks. Executions are divided among them by their ARNs;
 * what is asked of an execution in any process reaches the one that has it. When a process joins or leaves, or its lease runs out, the
 * executions are divided anew.
 */
export function postgres(options: PostgresOptions): Store;

/** Options of a store in PostgreSQL. */
export interface PostgresOptions {
  /** Makes a client that is not connected yet: `() => new pg.Client(…)`. A pool does not do: the lock belongs to the connection. */
  client: () => PostgresClient | Promise<PostgresClient>;
  /** The schema that has the tables. Default: `"stepglass"`. */
  schema?: string;
  /** Whether `open` waits until no other process has the store. Default: false, it is refused with {@link StoreConflict}. */
  wait?: boolean;
  /** Whether several processes have the store at once, each a part of its executions. Default: false. */
  shared?: boolean;
  /**
   * Of a shared store: after how many seconds others continue the executions of a process that does not say any more that it is alive,
   * by the clock of PostgreSQL. Default: 10.
   */
  leaseSeconds?: number;
}

/** What a store needs of a client: `pg.Client` has it. */
export interface PostgresClient {
  connect(): Promise<unknown>;
  query(query: string | { text: string; values: unknown[] }): Promise<any>;
  end(): Promise<unknown>;
  on?(event: "error" | "end" | "notification", listener: (what?: any) => void): unknown;
}
