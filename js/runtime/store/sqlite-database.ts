// A connection to an SQLite database, through any driver.
//
// Drivers differ. node:sqlite, better-sqlite3, libsql and bun:sqlite agree on exec, prepare, run, get, all and close. They differ
// in their errors, in what they return for a missing row, and in whether close() ends the statements.

import { messageOf } from "../../core/base/errors.ts";
import type { SqliteDatabase, SqliteStatement } from "../../core/api/sqlite.d.ts";
import { StoreConflict, StoreError } from "./errors.ts";

/** A value that SQLite stores in a column. */
export type Value = string | number | null;

/** A row of a result: its values by the names of their columns. */
export type Row = Readonly<Record<string, unknown>>;

/** The schema name of the attached file whose lock determines which process writes. */
export const OWNER = "owner";

/** An open database, and the statements that were prepared for it. */
export class Connection {
  readonly name: string;
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase, name: string) {
    this.#database = database;
    this.name = name;
  }

  /** Returns the first row of a result. */
  get(sql: string, ...values: Value[]): Row | undefined {
    return (this.#statement(sql).get(...values) as Row | null | undefined) ?? undefined;
  }

  /** Returns all rows of a result. */
  all(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** Performs a statement that returns nothing. */
  run(sql: string, ...values: Value[]): void {
    this.#statement(sql).run(...values);
  }

  /** Performs statements that are needed only once, and so are not prepared. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /**
   * Reads a PRAGMA, or sets one that returns a row, and returns the first column of that row. better-sqlite3 reads nothing where
   * there is no row.
   */
  pragma(text: string): unknown {
    const row: unknown = this.#database.prepare(`PRAGMA ${text}`).get();
    return Object.values(row ?? {})[0];
  }

  /** Performs all changes of `work`, or none of them. */
  transaction<Result>(work: () => Result): Result {
    this.run("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (error) {
      try {
        this.run("ROLLBACK");
      } catch {
        // SQLite has rolled back by itself, as it does when the disk is full.
      }
      throw error;
    }
  }

  /**
   * Closes the database and frees its lock, even if the driver keeps the file open for its prepared statements. If `log` is true,
   * the log is written into the database first, so that one file is left.
   */
  close({ log = true } = {}): void {
    this.#statements.clear();
    // If this fails, the next process that opens the database recovers from the log. The log stays while others read.
    if (log) this.#try("PRAGMA journal_mode=DELETE");
    for (const schema of ["main", OWNER]) {
      this.#try(`PRAGMA ${schema}.locking_mode=NORMAL`);
      this.#try(`SELECT 1 FROM ${schema}.sqlite_schema`);
    }
    this.#try(`DETACH DATABASE ${OWNER}`);
    this.#database.close();
  }

  #try(sql: string): void {
    try {
      this.#database.prepare(sql).get();
    } catch {
      // The database has no such file, or another connection is in the way.
    }
  }

  #statement(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}

// ----------------------------------------------------------------------------------------------------------- errors

/** The result codes of SQLite that are mapped to errors of a store. */
const RESULTS: Readonly<Record<string, number>> = {
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_NOTADB: 26,
};

/** Returns the result code of SQLite that a driver's error stands for. */
function resultOf(error: unknown): number | undefined {
  const { errcode, code, message } = (error ?? {}) as { errcode?: unknown; code?: unknown; message?: unknown };
  if (typeof errcode === "number") return errcode & 0xff;
  if (typeof code === "string" && code.startsWith("SQLITE_")) return RESULTS[code.split("_", 2).join("_")];
  return /database is locked/.test(String(message)) ? RESULTS.SQLITE_BUSY : undefined;
}

/** Returns whether an error says that another connection uses the database. */
export function isBusy(error: unknown): boolean {
  const result = resultOf(error);
  return result === RESULTS.SQLITE_BUSY || result === RESULTS.SQLITE_LOCKED;
}

/** Converts an error of SQLite to one of a store, and returns a store's own errors unchanged. */
export function storeError(error: unknown, name: string): Error {
  if (error instanceof StoreError || error instanceof StoreConflict) return error;
  if (isBusy(error)) return new StoreConflict(`${name} is open in another process`);
  const errorWith = (code: string, message: string): StoreError => new StoreError(code, `${name}: ${message}`, { cause: error });
  switch (resultOf(error)) {
    case RESULTS.SQLITE_FULL:
      return errorWith("STORE_FULL", "the disk is full; nothing was written");
    case RESULTS.SQLITE_NOTADB:
      return errorWith("STORE_DAMAGED", "the file is not an SQLite database");
    case RESULTS.SQLITE_CORRUPT:
      return errorWith("STORE_DAMAGED", `the database is damaged: ${messageOf(error)}`);
    default:
      return errorWith("STORE_FAILED", messageOf(error));
  }
}
