/**
 * A store in an SQLite database: one file, no server. The entry `stepglass/sqlite`.
 *
 * @example
 * ```js
 * import { sqlite } from "stepglass/sqlite";
 *
 * const store = sqlite("orders.db"); // Node 22.13 or newer
 * ```
 *
 * @packageDocumentation
 */
import type { Store } from "./durable.js";
import type { PlatformUrl, Task, TaskHandler } from "./index.js";

/**
 * Makes a {@link SqliteStore} in a file, which is created if it does not exist. Uses `node:sqlite`, which is in Node 22.13 and
 * newer.
 */
export function sqlite(path: string | PlatformUrl): SqliteStore;
/**
 * Makes a {@link SqliteStore} with another driver, for Node 20 and Bun: better-sqlite3, libsql, `bun:sqlite`. Pass a function, so
 * that the store can be opened again after it was closed. The store closes the database.
 *
 * @example
 * ```js
 * import Database from "libsql";
 * import { sqlite } from "stepglass/sqlite";
 *
 * const store = sqlite({ database: () => new Database("orders.db") });
 * ```
 */
export function sqlite(options: { database: SqliteDatabase | (() => SqliteDatabase) }): SqliteStore;

/**
 * A {@link Store} in an SQLite database. Only the process that opens it writes to it, until it closes it or ends in any way; other
 * programs may read the database meanwhile.
 */
export interface SqliteStore extends Store {
  /** Writes a copy of the database to a new file while the store stays in use. The file appears once it is complete. */
  backup(file: string | PlatformUrl): Promise<void>;
  /**
   * Returns a handler for `tasks` that is called in a transaction of this database, on the store's own connection. Its answer commits
   * with its changes: if the process ends afterwards, the task gets this answer and the handler is not called again; if it ends before,
   * nothing was changed. If the handler throws, everything is rolled back. The handler must return its answer and not a promise, and
   * must not begin or end transactions. Its tables are in the same file: begin their names with a prefix of your own.
   *
   * The answer is kept with the execution, and is not encoded by `encoded()`.
   *
   * @example
   * ```js
   * const book = store.transactional(({ seat, guest }, task, database) => {
   *   database.prepare("INSERT INTO app_booking VALUES (?, ?)").run(seat, guest);
   *   return { seat };
   * });
   * const runtime = new Runtime({ store, machines, tasks: { book } });
   * ```
   */
  transactional<Input = any, Output = unknown>(
    handler: (input: Input, task: Task, database: SqliteDatabase) => Output,
  ): TaskHandler<Input, Output>;
}

/** What a store needs from an SQLite driver. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

/** A prepared statement with positional parameters. Rows are objects. */
export interface SqliteStatement {
  run(...values: any[]): unknown;
  get(...values: any[]): unknown;
  all(...values: any[]): unknown[];
}
