// A session with a PostgreSQL server that owns a store: whoever holds the session's lock does.
//
// The lock belongs to the server's session, and all writes go through that session. When the connection breaks or the process dies, the
// server ends the session and frees the lock, so that a process that has lost it cannot write any more: the lock is the fence.

import { messageOf } from "../base/errors.ts";
import type { PostgresClient } from "../api/postgres.d.ts";
import { closed } from "./records.ts";
import { bound } from "./texts.ts";
import { StoreConflict, StoreError } from "./errors.ts";
import { migrate } from "./postgres-schema.ts";

/** A row of a result. */
export type Row = Readonly<Record<string, unknown>>;

/** How a session is made. */
export interface SessionOptions {
  /** A client that is not connected yet. */
  client: () => PostgresClient | Promise<PostgresClient>;
  /** The name of the schema, quoted. */
  schema: string;
  /** Whether to wait until the owner ends. */
  wait: boolean;
  /** For how many milliseconds a server that does not answer, or recovers, is asked again. */
  patience: number;
  /** Whether several processes have the store, and the milliseconds after which one that does not answer has lost its part. */
  lease?: number | undefined;
  /** Of those: whether this one has a part only while no other process is there. */
  guest?: boolean;
}

// The first number of the advisory locks of stores: "Step".
const LOCK = 0x53746570;
const MIGRATION = LOCK + 1;
/** How often, in milliseconds, a session that waits asks for the lock. */
const POLL = 500;
/** How long, in milliseconds, it waits before it asks a server again that did not take it: longer each time. */
const FIRST_DELAY = 50;
const LONGEST_DELAY = 2000;

/** Milliseconds: the default of `connectSeconds`. */
export const PATIENCE = 30_000;

/**
 * Errors of a server or a connection that may be over soon: it starts, recovers, shuts down or has too many sessions; nobody listens
 * yet, or the connection broke. A connection that ends while it is made has no code.
 */
const PASSING: ReadonlySet<unknown> = new Set([
  ...["57P01", "57P02", "57P03", "53300", "08000", "08001", "08003", "08006", undefined],
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ENOENT", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
]);

export class Session {
  readonly #client: PostgresClient;
  /** The work on the session, one after the other: a transaction is nobody else's. */
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;

  private constructor(client: PostgresClient) {
    this.#client = client;
    // Without a listener the error of a connection that breaks would end the process.
    client.on?.("error", () => (this.#ended = true));
    client.on?.("end", () => (this.#ended = true));
  }

  /**
   * A session that has the schema's lock. Throws StoreConflict while another one has it. A server that cannot take it now is asked again,
   * as long as `patience` says.
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
          const told = `${error.message}; tried for ${Math.round(waited / 100) / 10} seconds (connectSeconds)`;
          throw new StoreError("STORE_FAILED", told, { cause: error.cause });
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
      // Those that share it do not migrate it at once.
      await session.query("SELECT pg_advisory_lock($1, hashtext($2))", [MIGRATION, schema]);
      await migrate(session, schema);
      await session.query("SELECT pg_advisory_unlock($1, hashtext($2))", [MIGRATION, schema]);
      return session;
    } catch (error) {
      await session.end();
      throw storeError(error);
    }
  }

  /** Calls back with what other sessions notify this one of. */
  onNotification(told: (payload: string) => void): void {
    this.#client.on?.("notification", (message) => told(String((message as { payload?: unknown } | undefined)?.payload)));
  }

  /** Whether the connection is gone, and the lock with it. */
  get isEnded(): boolean {
    return this.#ended;
  }

  /** The rows of a result. */
  async query(text: string, values?: readonly unknown[]): Promise<Row[]> {
    const { rows } = await (values === undefined ? this.#client.query(text) : this.#client.query({ text, values: values.map(valueOf) }));
    return (rows as Row[] | undefined) ?? [];
  }

  /** Does some work when all before it is done. */
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

  /** Does everything that `work` does, or nothing. Only inside of `use`, or where the session is nobody else's. */
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

  /** Ends the session, when what was begun is done. */
  async end(): Promise<void> {
    await this.#last;
    if (this.#ended) return;
    this.#ended = true;
    await this.#client.end().catch(() => {});
  }
}

/** An error of the server or of the connection as one of a store. */
function storeError(error: unknown): Error {
  if (error instanceof StoreConflict || error instanceof StoreError) return error;
  const { code } = error as { code?: unknown };
  // disk_full, and what is out of some other resource.
  if (typeof code === "string" && /^53[1-4]00$/.test(code))
    return new StoreError("STORE_FULL", `PostgreSQL has no room: ${messageOf(error)}`, { cause: error });
  return new StoreError("STORE_FAILED", `PostgreSQL: ${messageOf(error)}`, { cause: error });
}

/** A text in the form in which PostgreSQL keeps it. */
export class Kept {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value as PostgreSQL can keep it. */
function valueOf(value: unknown): unknown {
  if (value instanceof Kept) return value.text;
  if (typeof value === "string") return bound(value);
  return Array.isArray(value) ? value.map(valueOf) : value;
}
