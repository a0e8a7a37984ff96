// The store in a PostgreSQL database.
//
// Either one session owns all of it (postgres-session.ts), or several processes each own a part (postgres-shares.ts). A write reads
// the rows that its batches concern, decides in memory which batches are refused, and writes the others with one statement for each
// table. It is one transaction with few round trips, however many executions it concerns.

import type {
  Batch,
  BatchResult,
  EndedExecution,
  ExecutionCount,
  ExecutionFilter,
  ExecutionRecord,
  ExecutionSummary,
  Sharing,
  StoredExecution,
} from "../../core/api/durable.d.ts";
import type { Task, TaskHandler } from "../../core/api/index.d.ts";
import type { PostgresStore as PublicPostgresStore, PostgresTransaction } from "../../core/api/postgres.d.ts";
import { randomUuid } from "../../core/base/random.ts";
import { type CountOptions, sorted } from "./counts.ts";
import { StoreConflict } from "./errors.ts";
import { MANY, mostOfList } from "./narrowing.ts";
import { countOf, fewOf, selected } from "./postgres-lists.ts";
import { PostgresWrite, columnsOf } from "./postgres-write.ts";
import { type Row, Session, type SessionOptions } from "./postgres-session.ts";
import { Shares, type Use } from "./postgres-shares.ts";
import { Transactions } from "./postgres-transactions.ts";
import { type Due, type EndedPage, PAYLOADS, type Stored, closed, documentText, pageOf } from "./records.ts";
import { Reading } from "./reading.ts";
import { textOf } from "./texts.ts";

/** The number of documents that are read at once, and the number of executions that are removed at once. */
const DOCUMENTS = 1000;
const PIECE = 100;

/** The statements that read a summary and a record. */
const SUMMARY = "SELECT id, arn, machine, map_run, name, status, version, start_date, about FROM execution";
const RECORD = "SELECT * FROM execution";

/** The default of `leaseSeconds`, in seconds. */
export const LEASE = 10;

const reading = new Reading("PostgreSQL");

/** A Store in a PostgreSQL database. */
export class PostgresStore implements PublicPostgresStore {
  readonly #options: SessionOptions;
  readonly #transactions: Transactions;
  #owner: string | undefined;
  #session: Session | undefined;
  #shares: Shares | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#transactions = new Transactions(options);
  }

  get durable(): true {
    return true;
  }

  async open({ owner }: { owner: string }): Promise<void> {
    if (this.#owner !== undefined && this.#owner !== owner) throw new StoreConflict(`the store is already open for ${this.#owner}`);
    if (this.#owner !== undefined) return;
    this.#owner = owner;
    const { schema, lease, guest = false } = this.#options;
    // The UUID makes the name new each time, so that a process does not regain by its name what it owned before.
    const me = `${owner}-${randomUuid()}`;
    this.#shares = lease === undefined ? undefined : new Shares((work) => this.#use(work), me, { schema, lease, guest });
    try {
      this.#session = await this.#connect(this.#options, () => this.#owner === owner);
      await this.#shares?.open();
      this.#transactions.open();
    } catch (error) {
      this.#owner = undefined;
      throw error;
    }
  }

  async #connect(options: SessionOptions, isWanted: () => boolean): Promise<Session> {
    const session = await Session.open(options, isWanted);
    try {
      await this.#shares?.begin(session);
      return session;
    } catch (error) {
      await session.end();
      throw error;
    }
  }

  async close(): Promise<void> {
    const session = this.#session;
    await this.#transactions.close();
    if (session !== undefined) await this.#shares?.close(session);
    this.#owner = this.#session = undefined;
    await session?.end();
  }

  transactional<Input, Output>(
    handler: (input: Input, task: Task, transaction: PostgresTransaction) => Output | PromiseLike<Output>,
  ): TaskHandler<Input, Output> {
    return this.#transactions.handler(handler) as TaskHandler<Input, Output>;
  }

  /** The interface for processes that share the store. */
  get sharing(): Sharing | undefined {
    return this.#shares;
  }

  /** Runs `work` on the session. A lost connection is made again first, if no other process has taken over the store. */
  readonly #use: Use = async (work) => {
    if (this.#session === undefined) throw closed();
    if (this.#session.isEnded) await (this.#connecting ??= this.#reconnect().finally(() => (this.#connecting = undefined)));
    const session = this.#session;
    let begun = false;
    try {
      return await session.use(() => ((begun = true), work(session)));
    } catch (error) {
      // The connection broke before this work began, so it can be tried again.
      if (begun || this.#session === undefined) throw error;
      return this.#use(work);
    }
  };

  #connecting: Promise<void> | undefined;

  async #reconnect(): Promise<void> {
    const session = await this.#connect({ ...this.#options, wait: false }, () => this.#owner !== undefined);
    if (this.#owner === undefined) return session.end();
    this.#session = session;
    this.#shares?.reconnected();
  }

  /** Runs `work`, which only reads, on one snapshot, so that the writes of other processes do not get in between. */
  #read<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    if (this.#shares === undefined) return this.#use(work);
    return this.#use((session) => session.transaction(() => work(session), "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
  }

  // ------------------------------------------------------------------------------------------------- documents

  async put(collection: string, key: string, value: unknown): Promise<void> {
    const text = documentText(collection, key, value);
    await this.#use(async (session) => {
      await session.query(
        "INSERT INTO document (collection, key, value) VALUES ($1, $2, $3) ON CONFLICT (md5(collection), md5(key)) DO UPDATE SET value = excluded.value",
        [collection, key, text],
      );
      await this.#shares?.documented(session, collection, key);
    });
  }

  async remove(collection: string, key: string): Promise<void> {
    await this.#use(async (session) => {
      await session.query("DELETE FROM document WHERE md5(collection) = md5($1) AND md5(key) = md5($2)", [collection, key]);
      await this.#shares?.documented(session, collection, key);
    });
  }

  async document(collection: string, key: string): Promise<any> {
    const [row] = await this.#use((session) =>
      session.query("SELECT value FROM document WHERE md5(collection) = md5($1) AND md5(key) = md5($2)", [collection, key]),
    );
    return row && reading.parse(row.value, `document ${collection} ${key}`);
  }

  async *all(collection: string): AsyncGenerator<[key: string, value: any]> {
    const next = "SELECT position, key, value FROM document WHERE md5(collection) = md5($1) AND position > $2 ORDER BY position LIMIT $3";
    for (let position = 0; ;) {
      const from = position;
      const rows = await this.#use((session) => session.query(next, [collection, from, DOCUMENTS]));
      for (const row of rows) {
        const key = textOf(row.key);
        yield [key, reading.parse(row.value, `document ${collection} ${key}`)];
        position = Number(row.position);
      }
      if (rows.length < DOCUMENTS) return;
    }
  }

  async putDefinition(hash: string, text: string): Promise<void> {
    const put = "INSERT INTO definition VALUES ($1, $2) ON CONFLICT (md5(hash)) DO UPDATE SET text = excluded.text";
    await this.#use((session) => session.query(put, [hash, text]));
  }

  async getDefinition(hash: string): Promise<string | undefined> {
    const [row] = await this.#use((session) => session.query("SELECT text FROM definition WHERE md5(hash) = md5($1)", [hash]));
    return row && textOf(row.text);
  }

  // ------------------------------------------------------------------------------------------------ executions

  async write(batches: readonly Batch[]): Promise<BatchResult[]> {
    return this.#use((session) =>
      batches.length === 0
        ? Promise.resolve([])
        : session.transaction(async () => {
            const write = new PostgresWrite(session, this.#shares);
            await write.read(batches);
            const results = batches.map((batch) => write.add(batch));
            const late = await write.perform();
            for (const [i, { id }] of batches.entries())
              if (late.has(id)) results[i] = { ok: false, error: new StoreConflict(`an execution ${id} exists already`) };
            // The result of a refused batch has the record that the batch conflicts with, with the changes of all batches of this
            // write.
            for (const [i, result] of results.entries()) {
              const id = batches[i]?.id ?? "";
              if (!result.ok && write.knows(id)) result.record = await recordOf(session, id);
            }
            return results;
          }),
    );
  }

  async get(id: string): Promise<ExecutionRecord | undefined> {
    return this.#use((session) => recordOf(session, id));
  }

  async load(id: string): Promise<StoredExecution | undefined> {
    return this.#read(async (session) => {
      const [row] = await session.query(`${RECORD} WHERE arn = $1`, [id]);
      if (row === undefined) return undefined;
      const record = whole(row);
      const [facts, events, base] = [Number(row.facts), Number(row.events), Number(row.base)];
      const rows = await session.query("SELECT seq, count, body FROM fact WHERE execution = $1 ORDER BY seq", [record.order]);
      const journal = reading.journal(rows, `execution ${id}`, base, facts);
      const [snapshot] = await session.query("SELECT body FROM snapshot WHERE execution = $1", [record.order]);
      if ((snapshot === undefined ? 0 : 1) !== row.snapshots) throw reading.damaged(`execution ${id}`, "the snapshot");
      const wakeAt = row.wake_at as number | null;
      return { record, facts, events, journal, wakeAt, ...(snapshot && { snapshot: textOf(snapshot.body) }) };
    });
  }

  async history(
    id: string,
    page: { from?: number; limit?: number; reverse?: boolean } = {},
  ): Promise<{ events: any[]; total: number } | undefined> {
    return this.#read(async (session) => {
      const [row] = await session.query("SELECT id, events FROM execution WHERE arn = $1", [id]);
      if (row === undefined) return undefined;
      const total = Number(row.events);
      const { first, count } = pageOf(total, page);
      const pieces = await session.query(
        "SELECT first, count, body FROM history WHERE execution = $1 AND first < $2 AND first + count > $3 ORDER BY first",
        [row.id, first + count, first],
      );
      const events = reading.events(pieces, `execution ${id}`, { first, count });
      return { events: page.reverse ? events.reverse() : events, total };
    });
  }

  async list(
    filter: ExecutionFilter = {},
    { before = Infinity, limit = 100 }: { before?: number; limit?: number } = {},
  ): Promise<{ items: ExecutionSummary[]; before?: number }> {
    const some = Number.isFinite(limit) ? ` LIMIT ${Math.max(Math.trunc(limit), 0) + 1}` : "";
    const rows = await this.#use(async (session) => {
      const few = await fewOf(session, filter, mostOfList(filter));
      const { text, values } = selected(filter, before === Infinity ? few : [["id < ?", before], ...few]);
      return session.query(`${SUMMARY} ${text} ORDER BY id DESC${some}`, values);
    });
    const items = rows.slice(0, limit).map(summaryOf);
    const last = items.at(-1);
    return { items, ...(rows.length > limit && last && { before: last.order }) };
  }

  async count(filter: ExecutionFilter = {}): Promise<number> {
    return this.#use(async (session) => {
      const { text, values } = selected(filter, await fewOf(session, filter, MANY));
      return countOf(session, `SELECT count(*) AS count FROM execution ${text}`, values);
    });
  }

  async counts(filter: ExecutionFilter, { interval }: CountOptions): Promise<ExecutionCount[]> {
    const slot = interval === undefined ? "NULL" : `floor(start_date / ${Number(interval)})`;
    const rows = await this.#use(async (session) => {
      const { text, values } = selected(filter, await fewOf(session, filter, MANY));
      return session.query(`SELECT machine, status, ${slot} AS slot, count(*) AS count FROM execution ${text} GROUP BY 1, 2, 3`, values);
    });
    return sorted(
      rows.map(({ machine, status, slot, count }) => ({
        machineArn: textOf(machine),
        status: textOf(status) as ExecutionCount["status"],
        ...(interval !== undefined && { from: Number(slot) * interval }),
        count: Number(count),
      })),
    );
  }

  async ended({ before, limit }: EndedPage): Promise<EndedExecution[]> {
    const from = before === undefined ? "" : " AND (ended_at, id) < ($2, $3)";
    const latest = `SELECT id, arn, machine, status, ended_at, bytes FROM execution WHERE ended_at IS NOT NULL${from}`;
    const rows = await this.#use((session) =>
      session.query(`${latest} ORDER BY ended_at DESC, id DESC LIMIT $1`, [limit, ...(before ?? [])]),
    );
    return rows.map((row) => ({
      ...{ id: textOf(row.arn), machineArn: textOf(row.machine), status: textOf(row.status) as ExecutionCount["status"] },
      ...{ endedAt: Number(row.ended_at), order: Number(row.id), size: Number(row.bytes) },
    }));
  }

  async due({ after = -Infinity, until, limit = Infinity }: Due): Promise<{ id: string; wakeAt: number }[]> {
    const own = this.#shares === undefined ? "" : ` AND shard = ANY('{${this.#shares.own.join(",")}}')`;
    const due = `SELECT id, arn, wake_at FROM execution WHERE status = 'RUNNING' AND wake_at IS NOT NULL${own} AND`;
    return this.#use(async (session) => {
      const some = Number.isFinite(limit) ? ` LIMIT ${limit}` : "";
      const rows = await session.query(`${due} wake_at > $1 AND wake_at <= $2 ORDER BY wake_at, id${some}`, [after, until]);
      const last = rows.at(-1);
      // The next page starts after the time of the last row, so all rows of that time belong to this page.
      if (last !== undefined && rows.length >= limit)
        rows.push(...(await session.query(`${due} wake_at = $1 AND id > $2 ORDER BY id`, [last.wake_at, last.id])));
      return rows.map((row) => ({ id: textOf(row.arn), wakeAt: Number(row.wake_at) }));
    });
  }

  // --------------------------------------------------------------------------------------------------- removal

  async prune(what: { ids?: readonly string[]; endedBefore?: number; executions?: number; bytes?: number }): Promise<string[]> {
    const ids = [...new Set(what.ids)];
    const gone: string[] = [];
    for (let from = 0; from < ids.length; from += PIECE) {
      const piece = ids.slice(from, from + PIECE);
      gone.push(
        ...(await this.#remove(async (session) => {
          const rows = await session.query("SELECT id, arn FROM execution WHERE arn = ANY($1) ORDER BY id FOR UPDATE", [piece]);
          // The executions are removed in the order in which the caller named them.
          return rows.sort((a, b) => piece.indexOf(textOf(a.arn)) - piece.indexOf(textOf(b.arn)));
        })),
      );
    }
    for (;;) {
      const removed = await this.#remove((session) => surplus(session, what));
      if (removed.length === 0) return gone;
      gone.push(...removed);
    }
  }

  /** Removes executions, and returns their ids. */
  #remove(choose: (session: Session) => Promise<Row[]>): Promise<string[]> {
    return this.#use((session) =>
      session.transaction(async () => {
        const rows = await choose(session);
        if (rows.length === 0) return [];
        const numbers = rows.map(({ id }) => id);
        for (const table of ["fact", "snapshot", "history"])
          await session.query(`DELETE FROM ${table} WHERE execution = ANY($1::bigint[])`, [numbers]);
        await session.query("DELETE FROM execution WHERE id = ANY($1::bigint[])", [numbers]);
        return rows.map(({ arn }) => textOf(arn));
      }),
    );
  }
}

/** The limits for ended executions that are kept. */
type Limits = { endedBefore?: number; executions?: number; bytes?: number };

/** Returns the ended executions to remove next, the oldest first. */
async function surplus(session: Session, { endedBefore = -Infinity, executions = Infinity, bytes = Infinity }: Limits): Promise<Row[]> {
  let [count, size] = [0, 0];
  if (executions !== Infinity || bytes !== Infinity) {
    const [row] = await session.query("SELECT count(*) AS count, sum(bytes) AS bytes FROM execution WHERE ended_at IS NOT NULL");
    [count, size] = [Number(row?.count), Number(row?.bytes ?? 0)];
  }
  const oldest = await session.query(
    "SELECT id, arn, ended_at, bytes FROM execution WHERE ended_at IS NOT NULL ORDER BY ended_at, id LIMIT $1 FOR UPDATE SKIP LOCKED",
    [PIECE],
  );
  const rows: Row[] = [];
  for (const row of oldest) {
    if (!(Number(row.ended_at) < endedBefore || count > executions || size > bytes)) break;
    count -= 1;
    size -= Number(row.bytes);
    rows.push(row);
  }
  return rows;
}

async function recordOf(session: Session, id: string): Promise<Stored | undefined> {
  const [row] = await session.query(`${RECORD} WHERE arn = $1`, [id]);
  return row && whole(row);
}

/** Returns a record with its payloads. */
function whole(row: Row): Stored {
  const record = { ...(reading.parse(row.about, `execution ${textOf(row.arn)}`) as object), ...columnsOf(row) } as Stored;
  for (const name of PAYLOADS) if (typeof row[name] === "string") record[name] = textOf(row[name]);
  return record;
}

/** Returns an item of a list. A damaged one does not prevent the others from being listed. */
function summaryOf(row: Row): ExecutionSummary {
  try {
    return { ...(JSON.parse(textOf(row.about)) as object), ...columnsOf(row) } as ExecutionSummary;
  } catch {
    return { ...columnsOf(row), damaged: true } as ExecutionSummary;
  }
}
