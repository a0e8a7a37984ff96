// Writes to the browser's database, in one transaction.

import type { Batch, BatchResult, ExecutionRecord, Texts } from "../api/durable.d.ts";
import { StoreConflict } from "./errors.ts";
import { answer, walk } from "./requests.ts";
import { PAYLOADS, type Piece, type Row, type Stored, keysOf, newRow, recordOf, withoutPayloads } from "./rows.ts";

// Long histories are kept in pieces, so that reading a page does not parse the whole history.
const PIECE_EVENTS = 500;
const PIECE_TEXT = 1 << 18;

/** What the object store of counters has. */
const COUNTERS = ["order", "ended", "bytes"] as const;
type Counter = (typeof COUNTERS)[number];

/** What was done to one row. */
interface Known {
  row: Row;
  changed: boolean;
}

export class Writing {
  readonly #transaction: IDBTransaction;
  /** The rows that the transaction is about, as they become. */
  readonly #rows = new Map<string, Known>();
  readonly #counters: Record<Counter, number> = { order: 0, ended: 0, bytes: 0 };

  constructor(transaction: IDBTransaction) {
    this.#transaction = transaction;
  }

  #store(name: string): IDBObjectStore {
    return this.#transaction.objectStore(name);
  }

  /** Reads what is there of these executions, and the counters. */
  async #read(ids: Iterable<string>): Promise<void> {
    const executions = this.#store("execution").index("id");
    const counters = this.#store("counter");
    await Promise.all([
      ...COUNTERS.map(async (name) => (this.#counters[name] = (await answer(counters.get(name))) ?? 0)),
      ...Array.from(new Set(ids), async (id) => {
        const row: Row | undefined = await answer(executions.get(id));
        if (row !== undefined) this.#rows.set(id, { row, changed: false });
      }),
    ]);
  }

  /** Puts what has changed of rows and counters. */
  #put(): void {
    const executions = this.#store("execution");
    for (const { row, changed } of this.#rows.values()) if (changed) executions.put(row);
    for (const name of COUNTERS) this.#store("counter").put(this.#counters[name], name);
  }

  async write(batches: readonly Batch[]): Promise<BatchResult[]> {
    await this.#read(batches.map(({ id }) => id));
    const results = batches.map((batch) => this.#write(batch));
    this.#put();
    // A refused batch comes with the record that it met, as all batches before have left it.
    return Promise.all(
      results.map(async (result, i) => {
        const row = result.ok ? undefined : this.#rows.get(batches[i]!.id)?.row;
        return row === undefined ? result : { ...result, record: await recordOf(this.#transaction, row) };
      }),
    ) as Promise<BatchResult[]>;
  }

  #write(batch: Batch): BatchResult {
    const { id, create, version } = batch;
    const known = this.#rows.get(id);
    if (create !== undefined) {
      if (known !== undefined) return { ok: false, error: new StoreConflict(`there is an execution ${id} already`) };
      const made = { row: newRow(create, ++this.#counters.order), changed: true };
      this.#rows.set(id, made);
      this.#payloads(made.row, create);
      return this.#append(made, batch);
    }
    if (known === undefined) return { ok: false, error: new StoreConflict(`there is no execution ${id}`) };
    const { version: now } = known.row.record;
    if (version !== now) return { ok: false, error: new StoreConflict(`${id} has version ${now}, not ${version}`) };
    return this.#append(known, batch);
  }

  #append(known: Known, { change, facts, snapshot, events, wakeAt }: Batch): BatchResult {
    const { row } = known;
    known.changed = true;
    const { order } = row;
    if (facts !== undefined && facts.count > 0) {
      this.#store("fact").put(facts.text, [order, row.facts]);
      row.facts += facts.count;
      this.#weigh(row, "facts", (row.sizes["facts"] ?? 0) + facts.text.length);
    }
    if (snapshot !== undefined) {
      this.#store("fact").delete(keysOf(order));
      this.#weigh(row, "facts", 0);
      this.#text(row, "snapshot", snapshot ?? undefined);
    }
    if (events !== undefined && events.count > 0) this.#keep(row, events);
    if (wakeAt !== undefined) row.wakeAt = wakeAt;
    const version = row.record.version + 1;
    const changed: Record<string, unknown> = { ...row.record, ...change, order, version };
    for (const [name, value] of Object.entries(changed)) if (value === undefined) delete changed[name];
    if (change !== undefined) this.#payloads(row, change);
    // The members that every record has are never undefined.
    row.record = withoutPayloads(changed as unknown as Stored);
    row.status = row.record.status;
    this.#index(row);
    return { ok: true, version, order };
  }

  /** Sets the keys of a row that only some rows have. */
  #index(row: Row): void {
    const running = row.status === "RUNNING";
    if (running) delete row.ended;
    else row.ended ??= ++this.#counters.ended;
    if (running && row.wakeAt !== null) row.wake = row.wakeAt;
    else delete row.wake;
  }

  /** Keeps the payloads that a record or a change of one names. */
  #payloads(row: Row, given: Partial<ExecutionRecord>): void {
    for (const name of PAYLOADS) if (name in given) this.#text(row, name, given[name]);
  }

  #text(row: Row, name: string, text: string | undefined): void {
    const texts = this.#store("text");
    if (text !== undefined) texts.put(text, [row.order, name]);
    else if (name in row.sizes) texts.delete([row.order, name]);
    this.#weigh(row, name, text?.length);
  }

  #weigh(row: Row, name: string, size: number | undefined): void {
    const more = (size ?? 0) - (row.sizes[name] ?? 0);
    if (size === undefined) delete row.sizes[name];
    else row.sizes[name] = size;
    row.bytes += more;
    this.#counters.bytes += more;
  }

  /** Appends events of the history, which come as one JSON text. */
  #keep(row: Row, { text, count }: Texts): void {
    this.#weigh(row, "events", (row.sizes["events"] ?? 0) + text.length);
    const pieces = this.#store("history");
    const put = (piece: Piece): void => {
      pieces.put(piece, [row.order, piece.from]);
      row.events += piece.count;
    };
    if (count <= PIECE_EVENTS || text.length <= PIECE_TEXT) return put({ from: row.events, count, text });
    const events: unknown[] = JSON.parse(text);
    for (let at = 0; at < events.length; at += PIECE_EVENTS) {
      const some = events.slice(at, at + PIECE_EVENTS);
      put({ from: row.events, count: some.length, text: JSON.stringify(some) });
    }
  }

  // -------------------------------------------------------------------------------------------------- removal

  /** Removes these executions; returns the ids of those that there were. */
  async remove(ids: readonly string[]): Promise<string[]> {
    await this.#read(ids);
    const rows = [...this.#rows.values()].map(({ row }) => row);
    this.#rows.clear();
    for (const row of rows) this.#drop(row);
    this.#put();
    return rows.map(({ id }) => id);
  }

  /** Removes ended executions, the oldest first, until the limits hold, but not more than `most`. */
  async prune(
    { endedBefore = -Infinity, executions = Infinity, bytes = Infinity }: { endedBefore?: number; executions?: number; bytes?: number },
    most: number,
  ): Promise<string[]> {
    await this.#read([]);
    const ended = this.#store("execution").index("ended");
    let left = await answer(ended.count());
    const gone: Row[] = [];
    await walk(ended.openCursor(), ({ value }) => {
      const row = value as Row;
      const old = (row.record.stopDate ?? Infinity) < endedBefore;
      if (!old && left <= executions && this.#counters.bytes <= bytes) return false;
      left -= 1;
      this.#drop(row);
      gone.push(row);
      return gone.length < most;
    });
    this.#put();
    return gone.map(({ id }) => id);
  }

  #drop({ order, bytes }: Row): void {
    this.#counters.bytes -= bytes;
    this.#store("execution").delete(order);
    for (const name of ["text", "fact", "history"]) this.#store(name).delete(keysOf(order));
  }
}
