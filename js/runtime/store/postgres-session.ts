// A session with a PostgreSQL server. The session that holds the lock of a store owns the store.
//
// The lock belongs to the server's session, and all writes go through that session. When the connection breaks or the process dies,
// the server ends the session and frees the lock. A process that has lost the lock can therefore not write any more: the lock is
// the fence.

import { messageOf } from "../../core/base/errors.ts";
import type { PostgresClient } from "../../core/api/postgres.d.ts";
import { closed } from "./records.ts";
import { bound } from "./texts.ts";
import { StoreConflict, StoreError } from "./errors.ts";
import { migrate } from "./postgres-schema.ts";

/** A row of a result: its values by the names of their columns. */
export type Row = Readonly<Record<string, unknown>>;

/** The options of a session. */
export interface SessionOptions {
  /** Returns a client that is not connected yet. */
  client: () => PostgresClient | Promise<PostgresClient>;
  /** The name of the schema, in quotes. */
  schema: string;
  /** Whether to wait until the owner ends. */
  wait: boolean;
  /** How long to retry while a server does not answer or is recovering, in milliseconds. */
  patience: number;
  /** The lease in milliseconds if several processes share the store. A process that does not answer for that long loses its part. */
  lease?: number | undefined;
  /** In a shared store: whether this process takes a part only while no other process is there. */
  guest?: boolean;
}

// The class of the advisory locks of stores: "Step" in ASCII.
const LOCK = 0x53746570;
const MIGRATION = LOCK + 1;
/** How often a waiting session tries to get the lock, in milliseconds. */
const POLL = 500;
/** How often a session looks whether another one has migrated the schema, in milliseconds. */
const MIGRATION_POLL = 50;
/** The first and the longest delay, in milliseconds, before a server that refused is tried again. The delay doubles each time. */
const FIRST_DELAY = 50;
const LONGEST_DELAY = 2000;

/** The default of `connectSeconds`, in milliseconds. */
export const PATIENCE = 30_000;

/**
 * The codes of errors that may pass soon: the server is starting, recovering, shutting down or has too many sessions, no server
 * listens yet, or the connection broke. The error of a connection that ends while it is being made has no code.
 */
const PASSING: ReadonlySet<unknown> = new Set([
  ...["57P01", "57P02", "57P03", "53300", "08000", "08001", "08003", "08006", undefined],
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ENOENT", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
]);

export class Session {
  readonly #client: PostgresClient;
  /** The last work in the queue of this session. Work runs one at a time, so that no other work gets into a transaction. */
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;
  /** The names of the prepared statements, by their texts. */
  readonly #prepared = new Map<string, string>();

  private constructor(client: PostgresClient) {
    this.#client = client;
    // Without a listener the error of a connection that breaks would end the process.
    client.on?.("error", () => (this.#ended = true));
    client.on?.("end", () => (this.#ended = true));
  }

  /**
   * Returns a session that holds the lock of the schema. Throws StoreConflict while another session holds it. A server that cannot
   * accept a connection now is retried for as long as `patience` says.
   */
  static async open(options: SessionOptions, isWanted: () => boolean): Promise<Session> {
    const begun = performance.now();
    for (let delay = FIRST_DELAY; ; delay = Math.min(2 * delay, LONGEST_DELAY)) {
      try {
        return await Session.#open(options, isWanted);
      } catch (error) {
        const waited = performance.now() - begun;
        const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
        const passes = error instanceof StoreError && error.cause !== undefined && PASSING.has(code);
        if (!passes || !isWanted()) throw error;
        if (waited + delay > options.patience) {
          const message = `${error.message}; tried for ${Math.round(waited / 100) / 10} seconds (connectSeconds)`;
          throw new StoreError("STORE_FAILED", message, { cause: error.cause });
        }
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    }
  }

  static async #open({ client, schema, wait, lease }: SessionOptions, isWanted: () => boolean): Promise<Session> {
    const lock = lease === undefined ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared";
    const session = new Session(await client());
    try {
      await session.#client.connect();
      for (;;) {
        const [row] = await session.query(`SELECT ${lock}($1, hashtext($2)) AS got`, [LOCK, schema]);
        if (row?.got === true) break;
        if (!wait || !isWanted()) {
          const how = lease === undefined ? "" : " that does not share it";
          throw new StoreConflict(`the schema ${schema} is open in another process${how}`);
        }
        await new Promise((resolve) => setTimeout(resolve, POLL));
      }
      // Processes that share the schema must not migrate it at the same time. A process that waited in a statement would keep the other
      // one from building an index, because that waits for all statements that have begun before.
      for (;;) {
        const [row] = await session.query("SELECT pg_try_advisory_lock($1, hashtext($2)) AS got", [MIGRATION, schema]);
        if (row?.got === true) break;
        await new Promise((resolve) => setTimeout(resolve, MIGRATION_POLL));
      }
      await migrate(session, schema);
      await session.query("SELECT pg_advisory_unlock($1, hashtext($2))", [MIGRATION, schema]);
      return session;
    } catch (error) {
      await session.end();
      throw storeError(error);
    }
  }

  /** Calls back with the notifications of other sessions. */
  onNotification(listener: (payload: string) => void): void {
    this.#client.on?.("notification", (message) => listener(String((message as { payload?: unknown } | undefined)?.payload)));
  }

  /** Whether the connection has ended, and has lost the lock with that. */
  get isEnded(): boolean {
    return this.#ended;
  }

  /** Performs a statement, and returns the rows of its result. */
  async query(text: string, values?: readonly unknown[]): Promise<Row[]> {
    const { rows } = await (values === undefined ? this.#client.query(text) : this.#client.query({ text, values: values.map(valueOf) }));
    return (rows as Row[] | undefined) ?? [];
  }

  /**
   * Performs a statement that is performed again and again: the server parses and plans it once. The text must be one of few, because
   * the server keeps all of them, and must name the columns that it returns, because another process may add some.
   */
  async prepared(text: string, values: readonly unknown[]): Promise<Row[]> {
    let name = this.#prepared.get(text);
    if (name === undefined) this.#prepared.set(text, (name = `stepglass-${this.#prepared.size}`));
    const { rows } = await this.#client.query({ name, text, values: values.map(valueOf) });
    return (rows as Row[] | undefined) ?? [];
  }

  /** Runs `work` when all earlier work has ended. */
  use<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(() => {
      if (this.#ended) throw closed();
      return work();
    });
    this.#last = done.catch(() => {});
    return done.catch((error: unknown) => {
      throw storeError(error);
    });
  }

  /** Performs all changes of `work`, or none of them. Call it only inside `use`, or while nobody else uses the session. */
  async transaction<Result>(work: () => Promise<Result>, begin = "BEGIN"): Promise<Result> {
    await this.query(begin);
    try {
      const result = await work();
      await this.query("COMMIT");
      return result;
    } catch (error) {
      await this.query("ROLLBACK").catch(() => {});
      throw error;
    }
  }

  /** Ends the session after the work that has begun. */
  async end(): Promise<void> {
    await this.#last;
    if (this.#ended) return;
    this.#ended = true;
    await this.#client.end().catch(() => {});
  }
}

/** Converts an error of the server or of the connection to one of a store. */
function storeError(error: unknown): Error {
  if (error instanceof StoreConflict || error instanceof StoreError) return error;
  const { code } = error as { code?: unknown };
  // These codes are disk_full and its neighbours, which report that another resource is exhausted.
  if (typeof code === "string" && /^53[1-4]00$/.test(code))
    return new StoreError("STORE_FULL", `PostgreSQL is out of space: ${messageOf(error)}`, { cause: error });
  return new StoreError("STORE_FAILED", `PostgreSQL: ${messageOf(error)}`, { cause: error });
}

/** A text that already has the form in which PostgreSQL stores it. */
export class StoredText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns a value in the form in which PostgreSQL can store it. */
function valueOf(value: unknown): unknown {
  if (value instanceof StoredText) return value.text;
  if (typeof value === "string") return bound(value);
  return Array.isArray(value) ? value.map(valueOf) : value;
}
