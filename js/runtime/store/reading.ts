// Checks what SQL databases return of executions. A damaged row stops one execution, and the error names it.

import { StoreError } from "./errors.ts";
import { textOf } from "./texts.ts";

/** A row of a result: its values by the names of their columns. */
type Row = Readonly<Record<string, unknown>>;

/** Reads the rows of one database. */
export class Reading {
  readonly #database: string;

  /** `database` is the name of the database in messages. */
  constructor(database: string) {
    this.#database = database;
  }

  /** Returns the value of a JSON text. Throws STORE_DAMAGED. */
  parse(value: unknown, where: string): unknown {
    try {
      return JSON.parse(textOf(value));
    } catch (error) {
      throw this.damaged(where, "a text that is not JSON", error);
    }
  }

  /** Returns the texts of rows of facts (`seq`, `count`, `body`), which must follow one another from `from` to `to`. */
  journal(rows: readonly Row[], where: string, from: number, to: number): string[] {
    let seq = from;
    const journal = rows.map(({ seq: at, count, body }) => {
      const list = this.parse(body, where);
      if (at !== seq || !Array.isArray(list) || list.length !== count) throw this.damaged(where, `fact ${seq}`);
      seq += list.length;
      return textOf(body);
    });
    if (seq !== to) throw this.damaged(where, `fact ${seq}`);
    return journal;
  }

  /** Returns `count` events after the first `first` ones, from rows of a history (`first`, `count`, `body`). */
  events(rows: readonly Row[], where: string, { first, count }: { first: number; count: number }): unknown[] {
    const events: unknown[] = [];
    for (const row of rows) {
      const all = this.parse(row.body, where);
      if (!Array.isArray(all) || all.length !== row.count) throw this.damaged(where, "its history");
      const from = Number(row.first);
      for (const event of all.slice(Math.max(first - from, 0), first + count - from)) events.push(event);
    }
    if (events.length !== count) throw this.damaged(where, "its history");
    return events;
  }

  damaged(where: string, what: string, cause?: unknown): StoreError {
    return new StoreError("STORE_DAMAGED", `${this.#database}: the ${where} is damaged: ${what} is missing or wrong`, { cause });
  }
}
