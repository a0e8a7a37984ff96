// The sync of a database's write-ahead log, by us instead of SQLite.
//
// With `synchronous=FULL`, COMMIT waits for the disk, and the whole process waits with it: for most of the time of a busy server.
// So SQLite commits with `synchronous=NORMAL`, which writes the log but does not sync it, and the store syncs the log before it
// reports a write as stored. In both modes SQLite syncs the log before it copies pages from it to the database, and the header of a
// log that begins anew. A log that was not synced ends, after a loss of power, with the last transaction that is complete.

import { close, fdatasync, fdatasyncSync, openSync } from "node:fs";
import type { Connection } from "./sqlite-database.ts";

/** The write-ahead log of an open database. */
export class Log {
  readonly #file: number;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  private constructor(file: number) {
    this.#file = file;
  }

  /**
   * Takes over the sync of a database's log. Returns undefined if its file cannot be opened; SQLite then goes on to sync it at each
   * commit.
   */
  static of(connection: Connection): Log | undefined {
    const database = connection.all("PRAGMA database_list").find(({ name }) => name === "main")?.file;
    if (typeof database !== "string" || database === "") return undefined;
    let file: number;
    try {
      // SQLite has no POSIX lock on this file, so closing it later frees none.
      file = openSync(`${database}-wal`, "r+");
    } catch {
      return undefined;
    }
    connection.exec("PRAGMA synchronous=NORMAL");
    return new Log(file);
  }

  /** Throws the error of a sync that has failed. Afterwards nobody can know what is on the disk, until the database is opened again. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Waits in this thread until all commits are on the disk. */
  syncNow(): void {
    try {
      fdatasyncSync(this.#file);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** Resolves when all commits are on the disk. */
  sync(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#running === undefined) return this.#begin();
    // The sync that is running may have missed the last commit.
    return (this.#next = this.#running.then(() => this.#begin()));
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    const running = new Promise<void>((resolve, reject) => {
      fdatasync(this.#file, (error) => {
        this.#running = undefined;
        if (error === null) return resolve();
        this.#next = undefined;
        this.#failure = { error };
        reject(error);
      });
    });
    this.#running = running;
    return running;
  }

  /** The sync for which commits wait; undefined if all of them are on the disk. */
  get pending(): Promise<void> | undefined {
    return this.#next ?? this.#running;
  }

  /** Closes the file, when its last sync has ended. */
  async close(): Promise<void> {
    while (this.pending !== undefined) await this.pending.catch(() => undefined);
    await new Promise<void>((resolve) => close(this.#file, () => resolve()));
  }
}
