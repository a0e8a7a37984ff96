// Writes to the browser's database in one transaction.

import type { Batch, BatchResult, Texts } from "../../core/api/durable.d.ts";
import { PAYLOADS, changed, piecesOf, refused, type Stored } from "./records.ts";
import { answer, walk } from "./requests.ts";
import { type Piece, type Row, index, keysOf, newRow, recordOf, withoutPayloads } from "./rows.ts";

/** The keys of the object store of counters: the order of the last execution, and the length of the texts of ended executions. */
const COUNTERS = ["order", "bytes"] as const;
type Counter = (typeof COUNTERS)[number];

/** A row, and whether the transaction has changed it. */
interface Known {
  row: Row;
  changed: boolean;
}

export class Writing {
  readonly #transaction: IDBTransaction;
  /** The rows that the transaction touches, with the changes made so far. */
  readonly #rows = new Map<string, Known>();
  readonly #counters: Record<Counter, number> = { order: 0, bytes: 0 };

  constructor(transaction: IDBTransaction) {
    this.#transaction = transaction;
  }

  #store(name: string): IDBObjectStore {
    return this.#transaction.objectStore(name);
  }

  /** Reads the stored rows of these executions, and the counters. */
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

  /** Writes the changed rows, and the counters. */
  #put(): void {
    const executions = this.#store("execution");
    for (const { row, changed } of this.#rows.values()) if (changed) executions.put(row);
    for (const name of COUNTERS) this.#store("counter").put(this.#counters[name], name);
  }

  async write(batches: readonly Batch[]): Promise<BatchResult[]> {
    await this.#read(batches.map(({ id }) => id));
    const results = batches.map((batch) => this.#write(batch));
    this.#put();
    // The result of a refused batch has the record that the batch conflicts with, with the changes of all batches of this write.
    return Promise.all(
      results.map(async (result, i) => {
        const row = result.ok ? undefined : this.#rows.get(batches[i]!.id)?.row;
        return row === undefined ? result : { ...result, record: await recordOf(this.#transaction, row) };
      }),
    ) as Promise<BatchResult[]>;
  }

  #write(batch: Batch): BatchResult {
    const { id, facts, snapshot, wakeAt } = batch;
    const known = this.#rows.get(id);
    const error = refused(batch, known?.row.record.version);
    if (error !== undefined) return { ok: false, error };
    let record: Stored;
    let pieces: Texts[];
    try {
      // Everything that can fail comes before the first change. Payloads are stored apart from the record, so `input` is only a
      // placeholder.
      record = changed(known && { ...known.row.record, input: "" }, batch, known?.row.order ?? this.#counters.order + 1);
      pieces = batch.events === undefined || batch.events.count === 0 ? [] : piecesOf(batch.events);
    } catch (error) {
      return { ok: false, error: error as Error };
    }
    const row = known?.row ?? this.#add(record);
    this.#weigh(row, -1);
    for (const name of PAYLOADS)
      if (known === undefined || (batch.change !== undefined && name in batch.change)) this.#text(row, name, record[name]);
    if (facts !== undefined && facts.count > 0) {
      this.#store("fact").put(facts.text, [row.order, row.facts]);
      row.facts += facts.count;
      this.#size(row, "facts", (row.sizes["facts"] ?? 0) + facts.text.length);
    }
    if (snapshot !== undefined) {
      this.#store("fact").delete(keysOf(row.order));
      this.#size(row, "facts", 0);
      this.#text(row, "snapshot", snapshot ?? undefined);
    }
    this.#keep(row, pieces);
    if (wakeAt !== undefined) row.wakeAt = wakeAt;
    row.record = withoutPayloads(record);
    row.status = record.status;
    index(row);
    this.#weigh(row, 1);
    this.#rows.set(id, { row, changed: true });
    return { ok: true, version: record.version, order: row.order };
  }

  #add(record: Stored): Row {
    this.#counters.order = record.order;
    return newRow(record);
  }

  #text(row: Row, name: string, text: string | undefined): void {
    const texts = this.#store("text");
    if (text !== undefined) texts.put(text, [row.order, name]);
    else if (name in row.sizes) texts.delete([row.order, name]);
    this.#size(row, name, text?.length);
  }

  #size(row: Row, name: string, size: number | undefined): void {
    row.bytes += (size ?? 0) - (row.sizes[name] ?? 0);
    if (size === undefined) delete row.sizes[name];
    else row.sizes[name] = size;
  }

  /** Adds the texts of an ended execution to the counter if `times` is 1, and subtracts them if it is -1. */
  #weigh({ ended, bytes }: Row, times: 1 | -1): void {
    if (ended !== undefined) this.#counters.bytes += times * bytes;
  }

  /** Appends events to the history. */
  #keep(row: Row, pieces: readonly Texts[]): void {
    for (const { text, count } of pieces) {
      const piece: Piece = { from: row.events, count, text };
      this.#store("history").put(piece, [row.order, piece.from]);
      row.events += count;
      this.#size(row, "events", (row.sizes["events"] ?? 0) + text.length);
    }
  }

  // -------------------------------------------------------------------------------------------------- removal

  /** Removes these executions, and returns the ids of those that existed. */
  async remove(ids: readonly string[]): Promise<string[]> {
    await this.#read(ids);
    const rows = [...this.#rows.values()].map(({ row }) => row);
    this.#rows.clear();
    for (const row of rows) this.#drop(row);
    this.#put();
    return rows.map(({ id }) => id);
  }

  /** Removes ended executions, the oldest first, until the limits hold, but at most `most` of them. */
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

  #drop(row: Row): void {
    const { order } = row;
    this.#weigh(row, -1);
    this.#store("execution").delete(order);
    for (const name of ["text", "fact", "history"]) this.#store(name).delete(keysOf(order));
  }
}
