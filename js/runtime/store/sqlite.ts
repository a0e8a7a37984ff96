// The store in an SQLite database.
//
// Only one connection writes. It holds the lock of a file beside the database, which the kernel frees when the process ends,
// however it ends. Other connections may read. A write is one transaction with one sync of the log (`sqlite-log.ts`). A batch that
// conflicts is found before any of it is written, so there is nothing to undo.

import { fileURLToPath } from "node:url";
import type {
  Batch,
  BatchResult,
  EndedExecution,
  ExecutionCount,
  ExecutionFilter,
  ExecutionRecord,
  ExecutionSummary,
  Store,
  StoredExecution,
  Texts,
} from "../../core/api/durable.d.ts";
import type { PlatformUrl, Task, TaskHandler } from "../../core/api/index.d.ts";
import type { SqliteDatabase, SqliteStore as PublicSqliteStore } from "../../core/api/sqlite.d.ts";
import { TaskError } from "../../core/base/errors.ts";
import { answerText, executionOf, withoutExecution } from "./answers.ts";
import type { Attributes } from "./attributes.ts";
import { type CountOptions, sorted } from "./counts.ts";
import { StoreConflict } from "./errors.ts";
import {
  aboutOf,
  changed,
  closed,
  documentText,
  type Due,
  type EndedPage,
  endedAt,
  pageOf,
  PAYLOADS,
  piecesOf,
  refused,
  type Stored,
} from "./records.ts";
import { MANY, mostOfList } from "./narrowing.ts";
import { Reading } from "./reading.ts";
import { Connection, isBusy, storeError, type Row, type Value } from "./sqlite-database.ts";
import { attributeColumns, counted, countedBy, narrowed, page, ROW, type Narrowed, type Numbers } from "./sqlite-lists.ts";
import { Log } from "./sqlite-log.ts";
import { openToRead, open as openSchema } from "./sqlite-schema.ts";
import { copyTo, inOneStep, type Source } from "./sqlite-source.ts";
import { bound, textOf } from "./texts.ts";

// The limits of one transaction that removes executions, in executions and characters, and the number of pages that are given back
// at once.
const PIECE_EXECUTIONS = 100;
const PIECE_CHARACTERS = 1 << 22;
const PIECE_PAGES = 256;
/** The number of documents that are read at once. */
const DOCUMENTS = 1000;
/** A number that no count exceeds. SQLite accepts no infinite LIMIT. */
const ALL = 2 ** 52;
/** Maximum number of ARNs whose numbers are remembered. */
const ARNS = 1000;

/** The number of attempts to open a database that another connection uses. */
const ATTEMPTS = 4;

/** What the other tables contain of an execution. */
interface Counts {
  facts: number;
  events: number;
  /** The number of facts that the last snapshot has replaced. */
  base: number;
  /** 1 if there is a snapshot. */
  snapshot: number;
  /** The length of the snapshot and of the facts since, in characters. */
  held: number;
  /** The length of all texts, in characters. */
  bytes: number;
}

/** Selects the number of the execution that was created last, also if that execution was removed. */
const LAST = "SELECT max(id) AS id FROM (SELECT max(id) AS id FROM execution UNION ALL SELECT value FROM meta WHERE key = 'order')";

/** The number of executions for which a store remembers the result of its last write. */
const LEFT = 2000;

/** A Store in an SQLite database. */
export class SqliteStore implements PublicSqliteStore {
  readonly durable: boolean;
  readonly #source: Source;
  readonly #reading: Reading;
  #owner: string | undefined;
  #database: SqliteDatabase | undefined;
  #connection: Connection | undefined;
  /** Undefined if SQLite itself syncs the log at each commit, or if nothing is written to a disk. */
  #log: Log | undefined;
  /** The number of the execution that was created last. */
  #order = 0;
  /** The number and the size, in characters, of the ended executions; undefined until it is needed. */
  #ended: Ended | undefined;
  // The numbers that stand for the ARNs of machines and Map Runs.
  readonly #arns = new Map<string, number>();
  /** The state of running executions after their last write. Nobody else writes, so it need not be read again. */
  readonly #left = new Map<string, Left>();

  /** Whether this store only reads, while another process may write. */
  readonly #reads: boolean;

  constructor(source: Source, { reads = false }: { reads?: boolean } = {}) {
    this.#source = source;
    this.#reads = reads;
    this.#reading = new Reading(source.name);
    this.durable = source.durable;
  }

  async open({ owner }: { owner: string }): Promise<void> {
    if (this.#owner !== undefined && this.#owner !== owner)
      throw new StoreConflict(`${this.#source.name} is already open for ${this.#owner}`);
    if (this.#owner !== undefined) return;
    this.#owner = owner;
    try {
      await this.#openDatabase();
    } catch (error) {
      this.#owner = undefined;
      throw storeError(error, this.#source.name);
    }
  }

  async #openDatabase(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const database = await this.#source.open();
      const connection = new Connection(database, this.#source.name);
      try {
        if (this.#reads) openToRead(connection);
        else openSchema(connection, this.durable);
        this.#order = Number(connection.get(LAST)?.id ?? 0);
        this.#ended = undefined;
        this.#arns.clear();
        this.#left.clear();
        this.#log = this.durable && !this.#reads ? Log.of(connection) : undefined;
        this.#database = database;
        this.#connection = connection;
        return;
      } catch (error) {
        connection.close({ log: false });
        // The process before this one may be closing the database; two that open it at the same moment refuse each other.
        if (!isBusy(error) || attempt === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 60));
      }
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    const log = this.#log;
    this.#owner = this.#connection = this.#database = this.#log = undefined;
    await log?.close();
    try {
      connection?.close({ log: !this.#reads });
    } catch (error) {
      throw storeError(error, this.#source.name);
    }
  }

  /** Calls `work` with the database, and turns its errors into those of a store. */
  #use<Result>(work: (connection: Connection) => Result): Result {
    if (this.#connection === undefined) throw closed();
    try {
      this.#log?.check();
      return work(this.#connection);
    } catch (error) {
      throw storeError(error, this.#source.name);
    }
  }

  /** Performs all changes of `work` in one transaction, or none of them. */
  #transaction<Result>(work: (connection: Connection) => Result): Result {
    const order = this.#order;
    return this.#use((connection) => {
      try {
        return connection.transaction(() => work(connection));
      } catch (error) {
        this.#order = order;
        this.#ended = undefined;
        this.#arns.clear();
        this.#left.clear();
        throw error;
      }
    });
  }

  /**
   * Resolves when everything that was committed is on the disk. With `now`, the thread waits for it, which is faster if nothing else
   * is to be done.
   */
  async #stored({ now = false } = {}): Promise<void> {
    try {
      if (now) this.#log?.syncNow();
      else await this.#log?.sync();
    } catch (error) {
      throw storeError(error, this.#source.name);
    }
  }

  /** Resolves when a reader can see only what is on the disk. */
  async #settled(): Promise<void> {
    for (let pending; (pending = this.#log?.pending) !== undefined;) await pending.catch(() => undefined);
  }

  // ------------------------------------------------------------------------------------------------- documents

  async put(collection: string, key: string, value: unknown): Promise<void> {
    const text = bound(documentText(collection, key, value));
    this.#use((connection) =>
      connection.run(
        "INSERT INTO document (collection, key, value) VALUES (?, ?, ?) ON CONFLICT (collection, key) DO UPDATE SET value = excluded.value",
        bound(collection),
        bound(key),
        text,
      ),
    );
    await this.#stored({ now: true });
  }

  async remove(collection: string, key: string): Promise<void> {
    this.#use((connection) => connection.run("DELETE FROM document WHERE collection = ? AND key = ?", bound(collection), bound(key)));
    await this.#stored({ now: true });
  }

  async document(collection: string, key: string): Promise<any> {
    if (this.#log?.pending !== undefined) await this.#settled();
    const row = this.#use((connection) =>
      connection.get("SELECT value FROM document WHERE collection = ? AND key = ?", bound(collection), bound(key)),
    );
    return row && this.#reading.parse(row.value, `document ${collection} ${key}`);
  }

  async *all(collection: string): AsyncGenerator<[key: string, value: any]> {
    if (this.#log?.pending !== undefined) await this.#settled();
    for (let position = 0; ;) {
      const rows = this.#use((connection) =>
        connection.all(
          "SELECT position, key, value FROM document WHERE collection = ? AND position > ? ORDER BY position LIMIT ?",
          bound(collection),
          position,
          DOCUMENTS,
        ),
      );
      for (const row of rows) {
        const key = textOf(row.key);
        yield [key, this.#reading.parse(row.value, `document ${collection} ${key}`)];
        position = Number(row.position);
      }
      if (rows.length < DOCUMENTS) return;
    }
  }

  async putDefinition(hash: string, text: string): Promise<void> {
    this.#use((connection) => connection.run("INSERT OR REPLACE INTO definition (hash, text) VALUES (?, ?)", bound(hash), bound(text)));
    await this.#stored({ now: true });
  }

  async getDefinition(hash: string): Promise<string | undefined> {
    if (this.#log?.pending !== undefined) await this.#settled();
    const row = this.#use((connection) => connection.get("SELECT text FROM definition WHERE hash = ?", bound(hash)));
    return row && textOf(row.text);
  }

  // ---------------------------------------------------------------------------------------------------- writes

  async write(batches: readonly Batch[]): Promise<BatchResult[]> {
    if (batches.length === 0) {
      this.#use(() => undefined);
      return [];
    }
    const results = this.#transaction((connection) => batches.map((batch) => this.#write(connection, batch)));
    await this.#stored({ now: batches.length === 1 });
    return results;
  }

  #write(connection: Connection, batch: Batch): BatchResult {
    const left = this.#left.get(batch.id);
    const row = left?.row ?? connection.get(batch.change === undefined ? FIGURES : WHOLE, bound(batch.id));
    const error = refused(batch, row && Number(row.version));
    if (error !== undefined) return { ok: false, error, ...(row && { record: this.#record(connection, batch.id) }) };
    const order = row === undefined ? this.#order + 1 : Number(row.id);
    const version = row === undefined ? 1 : Number(row.version) + 1;
    let record: Stored | undefined;
    let known: Stored | undefined;
    let pieces: Texts[];
    try {
      // Whatever can fail comes before the first change.
      if (row !== undefined && batch.change !== undefined) known = left?.record ?? this.#known(row);
      if (row === undefined || known !== undefined) record = changed(known, batch, order);
      pieces = batch.events === undefined || batch.events.count === 0 ? [] : piecesOf(batch.events);
    } catch (error) {
      return { ok: false, error: error as Error };
    }
    const counts = row === undefined ? { ...NOTHING } : countsOf(row);
    this.#append(connection, order, batch, pieces, counts);
    if (record !== undefined) {
      counts.bytes += writePayloads(connection, order, record, known === undefined ? undefined : batch.change);
      if (record.tags !== undefined || known?.tags !== undefined) writeTags(connection, order, record.tags, known?.tags);
      if (record.attributes !== undefined || known?.attributes !== undefined)
        writeAttributes(connection, order, record.attributes, known?.attributes);
    }
    const wakeAt = batch.wakeAt === undefined ? ((row?.wake_at ?? null) as number | null) : batch.wakeAt;
    if (row === undefined) this.#insert(connection, record as Stored, counts, wakeAt);
    else update(connection, row, version, record, counts, wakeAt);
    if (row !== undefined && row.ended_at !== null) this.#count(-1, Number(row.bytes));
    if ((record === undefined ? row?.ended_at : endedAt(record)) !== null) this.#count(1, counts.bytes);
    this.#leave(batch.id, record ?? left?.record, { ...counts, id: order, version, wake_at: wakeAt });
    return { ok: true, version, order };
  }

  /** Remembers the row and the record of an execution after a write, if it is running and its record is known. */
  #leave(id: string, record: Stored | undefined, figures: Row): void {
    this.#left.delete(id);
    if (record?.status !== "RUNNING") return;
    const { name, status, startDate: start_date } = record;
    const about = withoutPayloads({ ...record, version: Number(figures.version) });
    this.#left.set(id, { row: { ...figures, name, status, start_date, ended_at: null }, record: about });
    if (this.#left.size <= LEFT) return;
    for (const longest of this.#left.keys()) return void this.#left.delete(longest);
  }

  /** Adds an ended execution to the totals if `one` is 1, and subtracts it if `one` is -1. */
  #count(one: 1 | -1, bytes: number): void {
    if (this.#ended === undefined) return;
    this.#ended.count += one;
    this.#ended.bytes += one * bytes;
  }

  /** Writes facts, snapshot and events, and updates the counts. */
  #append(connection: Connection, id: number, { facts, snapshot }: Batch, pieces: readonly Texts[], counts: Counts): void {
    if (facts !== undefined && facts.count > 0) {
      // A snapshot in the same batch replaces these facts at once, so they are not written.
      if (snapshot === undefined)
        connection.run(
          "INSERT INTO fact (execution, seq, count, body) VALUES (?, ?, ?, ?)",
          id,
          counts.facts,
          facts.count,
          bound(facts.text),
        );
      counts.facts += facts.count;
      counts.held += facts.text.length;
      counts.bytes += facts.text.length;
    }
    if (snapshot !== undefined) {
      if (counts.held > 0) connection.run("DELETE FROM fact WHERE execution = ?", id);
      if (snapshot === null) {
        if (counts.snapshot !== 0) connection.run("DELETE FROM snapshot WHERE execution = ?", id);
      } else connection.run("INSERT OR REPLACE INTO snapshot (execution, body) VALUES (?, ?)", id, bound(snapshot));
      const size = snapshot === null ? 0 : snapshot.length;
      counts.base = counts.facts;
      counts.snapshot = snapshot === null ? 0 : 1;
      counts.bytes += size - counts.held;
      counts.held = size;
    }
    for (const { text, count } of pieces) {
      connection.run("INSERT INTO history (execution, first, count, body) VALUES (?, ?, ?, ?)", id, counts.events, count, bound(text));
      counts.events += count;
      counts.bytes += text.length;
    }
  }

  #insert(connection: Connection, record: Stored, counts: Counts, wakeAt: number | null): void {
    const { facts, events, base, snapshot, held, bytes } = counts;
    const mapRun = record.mapRunArn === undefined ? null : this.#number(connection, "map_run", record.mapRunArn);
    connection.run(
      "INSERT INTO execution (id, arn, machine, map_run, name, status, version, start_date, ended_at, wake_at, facts, events, base, snapshot, held, bytes, about) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[record.order, bound(record.id), this.#number(connection, "machine", record.machineArn), mapRun, bound(record.name)],
      ...[bound(record.status), record.version, record.startDate, endedAt(record), wakeAt],
      ...[facts, events, base, snapshot, held, bytes, bound(aboutOf(record))],
    );
    this.#order = record.order;
  }

  /** Returns the number that stands for the ARN of a machine or Map Run. An ARN without a number gets one. */
  #number(connection: Connection, table: "machine" | "map_run", arn: string): number {
    const key = `${table} ${arn}`;
    const known = this.#arns.get(key) ?? numberOf(connection, table, arn);
    const number = known ?? Number(connection.get(`INSERT INTO ${table} (arn) VALUES (?) RETURNING id`, bound(arn))?.id);
    if (this.#arns.size >= ARNS) this.#arns.clear();
    this.#arns.set(key, number);
    return number;
  }

  // ----------------------------------------------------------------------------------------------------- reads

  async get(id: string): Promise<ExecutionRecord | undefined> {
    if (this.#log?.pending !== undefined) await this.#settled();
    return this.#use((connection) => this.#record(connection, id));
  }

  async load(id: string): Promise<StoredExecution | undefined> {
    if (this.#log?.pending !== undefined) await this.#settled();
    return this.#use((connection) => {
      const row = connection.get(`${ROW} WHERE e.arn = ?`, bound(id));
      if (row === undefined) return undefined;
      const record = this.#whole(connection, row);
      const { facts, events, base, snapshot } = countsOf(row);
      const rows = connection.all("SELECT seq, count, body FROM fact WHERE execution = ? ORDER BY seq", record.order);
      const journal = this.#reading.journal(rows, `execution ${id}`, base, facts);
      const stored = connection.get("SELECT body FROM snapshot WHERE execution = ?", record.order);
      if ((snapshot === 0 ? "undefined" : "string") !== typeof stored?.body) throw this.#reading.damaged(`execution ${id}`, "the snapshot");
      return { record, facts, events, journal, wakeAt: row.wake_at as number | null, ...(stored && { snapshot: textOf(stored.body) }) };
    });
  }

  async history(
    id: string,
    page: { from?: number; limit?: number; reverse?: boolean } = {},
  ): Promise<{ events: any[]; total: number } | undefined> {
    if (this.#log?.pending !== undefined) await this.#settled();
    return this.#use((connection) => {
      const row = connection.get("SELECT id, events FROM execution WHERE arn = ?", bound(id));
      if (row === undefined) return undefined;
      const total = Number(row.events);
      const { first, count } = pageOf(total, page);
      if (count === 0) return { events: [], total };
      const pieces = connection.all(
        "SELECT first, count, body FROM history WHERE execution = ? AND first < ? AND first >= (SELECT max(first) FROM history WHERE execution = ? AND first <= ?) ORDER BY first",
        ...[Number(row.id), first + count, Number(row.id), first],
      );
      const events = this.#reading.events(pieces, `execution ${id}`, { first, count });
      return { events: page.reverse ? events.reverse() : events, total };
    });
  }

  async list(
    filter: ExecutionFilter = {},
    { before = ALL, limit = 100 }: { before?: number; limit?: number } = {},
  ): Promise<{ items: ExecutionSummary[]; before?: number }> {
    if (this.#log?.pending !== undefined) await this.#settled();
    return this.#use((connection) => {
      const numbers = numbersOf(connection, filter);
      if (numbers === undefined) return { items: [] };
      const { text, values } = page(filter, withFew(connection, filter, numbers), Math.min(before, ALL), Math.min(limit, ALL) + 1);
      const rows = connection.all(`${ROW} WHERE e.id IN (${text}) ORDER BY e.id DESC`, ...values);
      const items = rows.slice(0, limit).map((row) => this.#summary(row));
      const last = items.at(-1);
      return { items, ...(rows.length > limit && last && { before: last.order }) };
    });
  }

  async count(filter: ExecutionFilter = {}): Promise<number> {
    if (this.#log?.pending !== undefined) await this.#settled();
    return this.#use((connection) => {
      const numbers = numbersOf(connection, filter);
      if (numbers === undefined) return 0;
      const { text, values } = counted(filter, withFew(connection, filter, numbers, MANY));
      return Number(connection.get(text, ...values)?.count);
    });
  }

  async counts(filter: ExecutionFilter, { interval }: CountOptions): Promise<ExecutionCount[]> {
    if (this.#log?.pending !== undefined) await this.#settled();
    return this.#use((connection) => {
      const numbers = numbersOf(connection, filter);
      if (numbers === undefined) return [];
      const { text, values } = countedBy(filter, withFew(connection, filter, numbers, MANY), interval);
      return sorted(connection.all(text, ...values).map((row) => countOf(row, interval)));
    });
  }

  async ended({ before, limit }: EndedPage): Promise<EndedExecution[]> {
    if (this.#log?.pending !== undefined) await this.#settled();
    return this.#use((connection) => {
      const from = before === undefined ? "" : " AND (e.ended_at, e.id) < (?, ?)";
      const rows = connection.all(`${LATEST}${from} ORDER BY e.ended_at DESC, e.id DESC LIMIT ?`, ...(before ?? []), limit);
      return rows.map((row) => ({
        ...{ id: textOf(row.arn), machineArn: textOf(row.machine_arn ?? ""), status: textOf(row.status) as ExecutionCount["status"] },
        ...{ endedAt: Number(row.ended_at), order: Number(row.id), size: Number(row.bytes) },
      }));
    });
  }

  async due({ after = -Infinity, until, limit = Infinity }: Due): Promise<{ id: string; wakeAt: number }[]> {
    if (this.#log?.pending !== undefined) await this.#settled();
    return this.#use((connection) => {
      const due = "SELECT id, arn, wake_at FROM execution WHERE status = 'RUNNING' AND wake_at IS NOT NULL AND";
      const rows = connection.all(`${due} wake_at > ? AND wake_at <= ? ORDER BY wake_at, id LIMIT ?`, after, until, Math.min(limit, ALL));
      const last = rows.at(-1);
      // The next page starts after the time of the last row, so all rows of that time belong to this page.
      if (last !== undefined && rows.length >= limit)
        rows.push(...connection.all(`${due} wake_at = ? AND id > ? ORDER BY id`, Number(last.wake_at), Number(last.id)));
      return rows.map((row) => ({ id: textOf(row.arn), wakeAt: Number(row.wake_at) }));
    });
  }

  #record(connection: Connection, id: string): Stored | undefined {
    const row = connection.get(`${ROW} WHERE e.arn = ?`, bound(id));
    return row && this.#whole(connection, row);
  }

  /** Returns the record of an execution with its payloads. */
  #whole(connection: Connection, row: Row): Stored {
    const id = textOf(row.arn);
    if (typeof row.machine_arn !== "string") throw this.#reading.damaged(`execution ${id}`, "its machine");
    const record = { ...this.#about(row), ...columnsOf(row) } as Stored;
    const number = Number(row.id);
    for (const payload of connection.all("SELECT id, text FROM payload WHERE id BETWEEN ? AND ?", number * 4, number * 4 + 3)) {
      const name = PAYLOADS[Number(payload.id) - number * 4];
      if (name !== undefined && typeof payload.text === "string") record[name] = textOf(payload.text);
    }
    if (typeof record.input !== "string") throw this.#reading.damaged(`execution ${id}`, "its input");
    return record;
  }

  /** Returns an item of a list. A damaged one does not prevent the others from being listed. */
  #summary(row: Row): ExecutionSummary {
    try {
      return { ...this.#about(row), ...columnsOf(row) } as ExecutionSummary;
    } catch {
      return { ...columnsOf(row), damaged: true } as ExecutionSummary;
    }
  }

  /** Returns the record before a change, without the values that other tables contain. */
  #known(row: Row): Stored {
    return { ...this.#about(row), ...columnsOf({ ...row, machine_arn: "", map_run_arn: null }), input: "" } as Stored;
  }

  #about(row: Row): Record<string, unknown> {
    return this.#reading.parse(row.about, `execution ${textOf(row.arn)}`) as Record<string, unknown>;
  }

  // --------------------------------------------------------------------------------------------------- removal

  async prune(what: { ids?: readonly string[]; endedBefore?: number; executions?: number; bytes?: number }): Promise<string[]> {
    const ids = [...new Set(what.ids)];
    const gone: string[] = [];
    const surplus = (connection: Connection): Row[] => this.#surplus(connection, what);
    for (let from = 0; from < ids.length; from += PIECE_EXECUTIONS) {
      const piece = ids.slice(from, from + PIECE_EXECUTIONS);
      const rows = (connection: Connection): Row[] =>
        piece.map((id) => connection.get(WHOLE, bound(id))).filter((row) => row !== undefined);
      gone.push(...this.#transaction((connection) => this.#remove(connection, rows(connection))));
      await turn();
      // The store was closed meanwhile. What has been removed stays removed.
      if (this.#connection === undefined) return gone;
    }
    for (let rows = this.#use(surplus); rows.length > 0; rows = this.#use(surplus)) {
      gone.push(...this.#transaction((connection) => this.#remove(connection, rows)));
      await turn();
      if (this.#connection === undefined) return gone;
    }
    if (gone.length > 0) {
      await this.#stored();
      await this.#shrink();
    }
    return gone;
  }

  /** Returns the ended executions to remove next, the oldest first. */
  #surplus(connection: Connection, { endedBefore = -Infinity, executions = Infinity, bytes = Infinity }: Limits): Row[] {
    const limited = executions !== Infinity || bytes !== Infinity;
    let { count, bytes: size } = limited ? (this.#ended ??= endedOf(connection)) : { count: 0, bytes: 0 };
    let piece = 0;
    const rows: Row[] = [];
    // This check is made often, so it reads a single row first.
    const is = (row: Row): boolean => Number(row.ended_at) < endedBefore || count > executions || size > bytes;
    const first = connection.get(OLDEST, 1);
    if (first === undefined || !is(first)) return rows;
    for (const row of connection.all(OLDEST, PIECE_EXECUTIONS)) {
      if (!is(row) || piece > PIECE_CHARACTERS) break;
      count -= 1;
      size -= Number(row.bytes);
      piece += Number(row.bytes);
      rows.push(row);
    }
    return rows;
  }

  /** Removes executions, and returns their ids. */
  #remove(connection: Connection, rows: readonly Row[]): string[] {
    const runs = new Set<number>();
    for (const row of rows) {
      const id = Number(row.id);
      const mapRun = row.map_run;
      this.#left.delete(textOf(row.arn));
      if (row.ended_at !== null) this.#count(-1, Number(row.bytes));
      if (typeof mapRun === "number") runs.add(mapRun);
      unlist(connection, id, textOf(row.about));
      connection.run("DELETE FROM answer WHERE execution = ?", id);
      connection.run("DELETE FROM fact WHERE execution = ?", id);
      connection.run("DELETE FROM snapshot WHERE execution = ?", id);
      connection.run("DELETE FROM history WHERE execution = ?", id);
      connection.run("DELETE FROM payload WHERE id BETWEEN ? AND ?", id * 4, id * 4 + 3);
      connection.run("DELETE FROM execution WHERE id = ?", id);
      // The number of the last execution is stored, so that no other execution ever gets it.
      if (id === this.#order) connection.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('order', ?)", id);
    }
    for (const run of runs)
      connection.run("DELETE FROM map_run WHERE id = ? AND NOT EXISTS (SELECT 1 FROM execution WHERE map_run = ?)", run, run);
    if (runs.size > 0) this.#arns.clear();
    return rows.map((row) => textOf(row.arn));
  }

  /** Returns empty pages to the file system if there are many. */
  async #shrink(): Promise<void> {
    const free = (connection: Connection): boolean => {
      const pages = Number(connection.pragma("freelist_count"));
      return pages > PIECE_PAGES && pages > Number(connection.pragma("page_count")) / 8;
    };
    while (this.#connection !== undefined && this.#use(free)) {
      this.#use((connection) => connection.exec(`PRAGMA incremental_vacuum(${PIECE_PAGES})`));
      await turn();
    }
  }

  /** Returns a handler that is called in a transaction of this database, and whose answer commits with it. */
  transactional<Input, Output>(handler: (input: Input, task: Task, database: SqliteDatabase) => Output): TaskHandler<Input, Output> {
    return async (input: Input, task: Task) => {
      let failure: { thrown: unknown } | undefined;
      const answer = (() => {
        try {
          return this.#transaction((connection) => {
            try {
              return this.#answered(connection, task, () => handler(input, task, this.#database!));
            } catch (thrown) {
              failure = { thrown };
              throw thrown;
            }
          });
        } catch (error) {
          // An error of the handler is the task's, and is not one of the store.
          throw failure === undefined ? error : failure.thrown;
        }
      })();
      await this.#stored();
      return answer;
    };
  }

  /** Returns the stored answer of a task, or else calls `work` and stores its answer. */
  #answered<Output>(connection: Connection, task: Task, work: () => Output): Output {
    const key = bound(task.idempotencyKey);
    const known = connection.get("SELECT body FROM answer WHERE key = ?", key);
    if (known !== undefined) return this.#reading.parse(known.body, `answer of ${task.idempotencyKey}`) as Output;
    const execution = connection.get("SELECT id FROM execution WHERE arn = ?", bound(executionOf(task)));
    if (execution === undefined) throw withoutExecution(task);
    const answer = work();
    if (typeof (answer as { then?: unknown } | null | undefined)?.then === "function") throw new TaskError("States.TaskFailed", NOT_ASYNC);
    connection.run("INSERT INTO answer (key, execution, body) VALUES (?, ?, ?)", key, Number(execution.id), bound(answerText(answer)));
    return answer;
  }

  /** Writes a copy of the database to a new file. */
  async backup(file: string | PlatformUrl): Promise<void> {
    if (this.#database === undefined) throw closed();
    const path = typeof file === "string" ? file : fileURLToPath(file);
    // A copy in steps begins anew after each write of another process, so a reader copies in one transaction. That blocks no writer.
    await copyTo(this.#reads ? inOneStep(this.#source) : this.#source, this.#database, path);
  }
}

const NOT_ASYNC =
  "a transactional handler of SQLite must return its answer and not a promise, because the store uses the connection for everything else, too; nothing was committed";

/** The state of an execution after a write, without its payloads. */
interface Left {
  row: Row;
  record: Stored;
}

function withoutPayloads(record: Stored): Stored {
  const about: Partial<Stored> = { ...record };
  for (const name of PAYLOADS) if (typeof about[name] === "string") delete about[name];
  // Every record has an input; a change that does not name it leaves the one that is stored.
  return { ...about, input: "" } as Stored;
}

/** FIGURES selects the columns for a batch that does not change the record; WHOLE selects those for one that does. */
const FIGURES = "SELECT id, version, ended_at, wake_at, facts, events, base, snapshot, held, bytes FROM execution WHERE arn = ?";
const WHOLE = "SELECT * FROM execution WHERE arn = ?";

/** Selects the number and the size, in characters, of the ended executions. */
const ENDED =
  "SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM execution INDEXED BY execution_ended WHERE ended_at IS NOT NULL";
interface Ended {
  count: number;
  bytes: number;
}

function countOf({ arn, status, slot, count }: Row, interval: number | undefined): ExecutionCount {
  const from = interval === undefined ? {} : { from: Number(slot) * interval };
  return { machineArn: textOf(arn), status: textOf(status) as ExecutionCount["status"], ...from, count: Number(count) };
}

function endedOf(connection: Connection): Ended {
  const row = connection.get(ENDED);
  return { count: Number(row?.count), bytes: Number(row?.bytes) };
}

/** Selects the executions that ended first. */
const OLDEST = "SELECT * FROM execution INDEXED BY execution_ended WHERE ended_at IS NOT NULL ORDER BY ended_at, id LIMIT ?";

/** Selects ended executions. */
const LATEST =
  "SELECT e.id, e.arn, e.status, e.ended_at, e.bytes, m.arn AS machine_arn FROM execution AS e INDEXED BY execution_ended LEFT JOIN machine AS m ON m.id = e.machine WHERE e.ended_at IS NOT NULL";

/** The limits for ended executions that are kept. */
type Limits = Omit<Parameters<Store["prune"]>[0], "ids">;

const NOTHING: Readonly<Counts> = { facts: 0, events: 0, base: 0, snapshot: 0, held: 0, bytes: 0 };

function countsOf(row: Row): Counts {
  const { facts, events, base, snapshot, held, bytes } = row as unknown as Counts;
  return { facts, events, base, snapshot, held, bytes };
}

/** Updates the row of an execution after a batch. Columns of an index are written only if their values differ. */
function update(
  connection: Connection,
  row: Row,
  version: number,
  record: Stored | undefined,
  counts: Counts,
  wakeAt: number | null,
): void {
  const { facts, events, base, snapshot, held, bytes } = counts;
  let set = "version = ?, facts = ?, events = ?, base = ?, snapshot = ?, held = ?, bytes = ?";
  const values: Value[] = [version, facts, events, base, snapshot, held, bytes];
  if (wakeAt !== row.wake_at) {
    set += ", wake_at = ?";
    values.push(wakeAt);
  }
  if (record !== undefined) {
    set += ", name = ?, about = ?";
    values.push(bound(record.name), bound(aboutOf(record)));
    const ended = endedAt(record);
    if (record.status !== row.status || record.startDate !== row.start_date || ended !== row.ended_at) {
      set += ", status = ?, start_date = ?, ended_at = ?";
      values.push(bound(record.status), record.startDate, ended);
    }
  }
  connection.run(`UPDATE execution SET ${set} WHERE id = ?`, ...values, Number(row.id));
}

/**
 * Writes the payloads of a new record, or those that change, and returns by how many characters the payloads have grown. Each
 * payload has a row of its own, whose number is four times the number of the execution, plus the index of the payload in PAYLOADS.
 */
function writePayloads(connection: Connection, id: number, record: Stored, change: Partial<ExecutionRecord> | undefined): number {
  let size = 0;
  for (const [place, name] of PAYLOADS.entries()) {
    if (change !== undefined && !(name in change)) continue;
    const key = id * 4 + place;
    if (change !== undefined) {
      const old = connection.get("SELECT text FROM payload WHERE id = ?", key);
      if (old !== undefined) size -= textOf(old.text).length;
    }
    const text = record[name];
    if (typeof text === "string") {
      connection.run("INSERT OR REPLACE INTO payload (id, text) VALUES (?, ?)", key, bound(text));
      size += text.length;
    } else if (change !== undefined) connection.run("DELETE FROM payload WHERE id = ?", key);
  }
  return size;
}

type Tags = Record<string, string> | undefined;

function writeTags(connection: Connection, id: number, tags: Tags, before: Tags): void {
  if (JSON.stringify(tags) === JSON.stringify(before)) return;
  for (const [key, value] of Object.entries(before ?? {}))
    connection.run("DELETE FROM tag WHERE key = ? AND value = ? AND execution = ?", bound(key), bound(String(value)), id);
  for (const [key, value] of Object.entries(tags ?? {}))
    if (typeof value === "string") connection.run("INSERT INTO tag (key, value, execution) VALUES (?, ?, ?)", bound(key), bound(value), id);
}

function writeAttributes(connection: Connection, id: number, attributes: Attributes = {}, before: Attributes = {}): void {
  for (const [name, value] of Object.entries(before))
    if (attributes[name] !== value)
      connection.run(
        "DELETE FROM attribute WHERE name = ? AND kind = ? AND value = ? AND execution = ?",
        ...[bound(name), ...attributeColumns(value), id],
      );
  for (const [name, value] of Object.entries(attributes))
    if (before[name] !== value)
      connection.run(
        "INSERT INTO attribute (name, kind, value, execution) VALUES (?, ?, ?, ?)",
        ...[bound(name), ...attributeColumns(value), id],
      );
}

/** Removes the tags and attributes of an execution. They are taken from its record if that can be read. */
function unlist(connection: Connection, id: number, about: string): void {
  let record: Pick<ExecutionRecord, "tags" | "attributes">;
  try {
    record = JSON.parse(about) as typeof record;
  } catch {
    connection.run("DELETE FROM tag WHERE execution = ?", id);
    connection.run("DELETE FROM attribute WHERE execution = ?", id);
    return;
  }
  if (record.tags !== undefined) writeTags(connection, id, undefined, record.tags);
  if (record.attributes !== undefined) writeAttributes(connection, id, undefined, record.attributes);
}

/** Returns the members of a record that have a column. */
function columnsOf(row: Row): Partial<Stored> {
  return {
    id: textOf(row.arn),
    name: textOf(row.name),
    machineArn: typeof row.machine_arn === "string" ? textOf(row.machine_arn) : "",
    ...(typeof row.map_run_arn === "string" && { mapRunArn: textOf(row.map_run_arn) }),
    status: textOf(row.status) as Stored["status"],
    startDate: Number(row.start_date),
    order: Number(row.id),
    version: Number(row.version),
  };
}

/** Returns the number that stands for the ARN of a machine or Map Run, if it has one. */
function numberOf(connection: Connection, table: "machine" | "map_run", arn: string): number | undefined {
  const row = connection.get(`SELECT id FROM ${table} WHERE arn = ?`, bound(arn));
  return row && Number(row.id);
}

/** Returns the numbers of the ARNs of a filter, or undefined if an ARN has none, so that no execution matches. */
function numbersOf(connection: Connection, { machineArn, mapRunArn }: ExecutionFilter): Numbers | undefined {
  const machine = machineArn === undefined ? undefined : numberOf(connection, "machine", machineArn);
  const mapRun = mapRunArn === undefined ? undefined : numberOf(connection, "map_run", mapRunArn);
  const missing = (machine === undefined && machineArn !== undefined) || (mapRun === undefined && mapRunArn !== undefined);
  return missing ? undefined : { machine, mapRun };
}

/** Adds the executions with the name or the time of start of a filter, if they are few. */
function withFew(connection: Connection, filter: ExecutionFilter, numbers: Numbers, most = mostOfList(filter)): Narrowed {
  return { ...numbers, narrow: narrowed(filter, most, ({ text, values }) => Number(connection.get(text, ...values)?.count)) };
}

/** Lets other work of the process run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
