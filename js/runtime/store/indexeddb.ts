// The store in a browser's IndexedDB, in windows and workers.
//
// A write is one transaction over all object stores. Another tab cannot open the store at the same time, because its owner holds a
// Web Lock. The browser frees the lock when the tab ends, however it ends.

import type {
  Batch,
  BatchResult,
  EndedExecution,
  ExecutionFilter,
  ExecutionRecord,
  ExecutionSummary,
  StoredExecution,
} from "../../core/api/durable.d.ts";
import type { IndexedDBOptions, IndexedDBStore } from "../../core/api/indexeddb.d.ts";
import { StoreConflict, StoreError } from "./errors.ts";
import { selects } from "./filter.ts";
import { documentText, type EndedPage } from "./records.ts";
import { storedJson } from "./stored-json.ts";
import { type Free, answer, inTransaction, storeError, takeLock, walk } from "./requests.ts";
import { type DocumentRow, type Piece, type Row, SCHEMA, STORES, checkedFacts, keysOf, migrate, rangeOf, recordOf, visit } from "./rows.ts";
import { Writing } from "./writing.ts";

// The number of executions that are removed in one transaction. It is small so that other transactions need not wait long.
const MOST_PRUNED = 100;

/** The open database, and the function that frees its lock. */
interface Connection {
  database: IDBDatabase;
  free: Free;
}

/** A store in IndexedDB. */
class DatabaseStore implements IndexedDBStore {
  readonly name: string;
  readonly #durability: "strict" | "relaxed";
  readonly #wait: boolean;
  readonly #persist: boolean;
  #owner: string | undefined;
  #opening: Promise<void> | undefined;
  #waiting: AbortController | undefined;
  #connection: Connection | undefined;
  /** The reason why the store is not open. */
  #closed = "it is not open";
  readonly #transactions = new Set<Promise<unknown>>();
  #persisted: Promise<boolean>;
  #ask!: () => void;

  constructor(name: string, { durability = "strict", wait = false, persist = true }: IndexedDBOptions) {
    this.name = name;
    this.#durability = durability;
    this.#wait = wait;
    this.#persist = persist;
    this.#persisted = new Promise<void>((resolve) => (this.#ask = resolve)).then(() => persisted(this.#persist));
  }

  get durable(): true {
    return true;
  }

  get persisted(): Promise<boolean> {
    return this.#persisted;
  }

  // ---------------------------------------------------------------------------------------------- opening, closing

  async open({ owner }: { owner: string }): Promise<void> {
    if (this.#opening !== undefined && this.#owner !== owner) throw new StoreConflict(`the store is already open for ${this.#owner}`);
    if (this.#opening === undefined) {
      this.#owner = owner;
      const opening = this.#begin();
      this.#opening = opening;
      opening.catch(() => {
        if (this.#opening === opening) this.#opening = undefined;
      });
    }
    await this.#opening;
    this.#ask();
  }

  async #begin(): Promise<void> {
    const { name } = this;
    if (typeof globalThis.indexedDB === "undefined")
      throw new StoreError("STORE_UNAVAILABLE", "there is no IndexedDB here; this store is for browsers");
    if (typeof navigator === "undefined" || navigator.locks === undefined)
      throw new StoreError(
        "STORE_UNAVAILABLE",
        "there are no Web Locks here: the page needs a secure context, which is HTTPS or localhost",
      );
    const waiting = new AbortController();
    this.#waiting = waiting;
    let free: Free | undefined;
    try {
      free = await takeLock(`stepglass:${name}`, {
        wait: this.#wait ? waiting.signal : undefined,
        lost: () => void this.#end("another script of this site has taken its lock"),
      });
    } catch (error) {
      throw waiting.signal.aborted ? new StoreError("STORE_CLOSED", `the store ${name} was closed before it was open`) : storeError(error);
    }
    if (free === undefined) throw new StoreConflict(`another tab or worker of this site has the store ${name} open`);
    try {
      const database = await this.#connect();
      if (waiting.signal.aborted) {
        database.close();
        throw new StoreError("STORE_CLOSED", `the store ${name} was closed before it was open`);
      }
      this.#connection = { database, free };
    } catch (error) {
      await free();
      throw error;
    }
  }

  #connect(): Promise<IDBDatabase> {
    const { name } = this;
    return new Promise((resolve, reject) => {
      const request = globalThis.indexedDB.open(name, SCHEMA);
      request.onupgradeneeded = ({ oldVersion }) => migrate(request.result, request.transaction!, oldVersion);
      request.onerror = () => {
        const { error } = request;
        if (error?.name !== "VersionError") return reject(storeError(error));
        reject(
          new StoreError("STORE_NEWER", `a newer version of Stepglass has written the store ${name}: reload the page`, { cause: error }),
        );
      };
      request.onsuccess = () => {
        const database = request.result;
        // Another script wants to delete the database, or to open it with a newer schema, and waits until nobody has it open.
        database.onversionchange = ({ newVersion }) =>
          void this.#end(
            newVersion === null ? "another tab has deleted it" : "another tab has a newer version of Stepglass: reload the page",
          );
        database.onclose = () => void this.#end("the browser has closed it, for example because the site's data was removed");
        resolve(database);
      };
    });
  }

  /** Closes the store. Later calls fail with the reason `why`. */
  async #end(why: string): Promise<void> {
    const connection = this.#connection;
    this.#closed = why;
    this.#connection = undefined;
    this.#opening = undefined;
    this.#waiting?.abort();
    if (connection === undefined) return;
    connection.database.close();
    // Running transactions finish before the next owner begins.
    await Promise.allSettled(this.#transactions);
    await connection.free();
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    await this.#end("it is closed");
    await opening?.catch(() => {});
  }

  /** Runs `body` in one transaction over all object stores. */
  async #do<Value>(mode: IDBTransactionMode, body: (transaction: IDBTransaction) => Promise<Value>): Promise<Value> {
    const { database } = this.#connection ?? {};
    if (database === undefined) throw new StoreError("STORE_CLOSED", `the store ${this.name} cannot be used: ${this.#closed}`);
    let doing: Promise<Value> | undefined;
    try {
      doing = inTransaction(database.transaction(STORES, mode, { durability: this.#durability }), body);
      this.#transactions.add(doing);
      return await doing;
    } catch (error) {
      throw storeError(error);
    } finally {
      if (doing) this.#transactions.delete(doing);
    }
  }

  // ------------------------------------------------------------------------------------------------- documents

  async put(collection: string, key: string, value: unknown): Promise<void> {
    const row: DocumentRow = { collection, key, text: documentText(collection, key, value) };
    return this.#do("readwrite", async (transaction) => {
      const documents = transaction.objectStore("document");
      const known = await answer(documents.index("key").getKey([collection, key]));
      await answer(known === undefined ? documents.add(row) : documents.put(row, known));
    });
  }

  remove(collection: string, key: string): Promise<void> {
    return this.#do("readwrite", async (transaction) => {
      const documents = transaction.objectStore("document");
      const known = await answer(documents.index("key").getKey([collection, key]));
      if (known !== undefined) await answer(documents.delete(known));
    });
  }

  document(collection: string, key: string): Promise<any> {
    return this.#do("readonly", async (transaction) => {
      const row: DocumentRow | undefined = await answer(transaction.objectStore("document").index("key").get([collection, key]));
      return row && storedJson(row.text, `the document ${collection} ${key}`);
    });
  }

  async *all(collection: string): AsyncGenerator<[key: string, value: any]> {
    // A transaction ends while the caller waits for something else, so all rows are read at once.
    const rows: DocumentRow[] = await this.#do("readonly", (transaction) =>
      answer(transaction.objectStore("document").index("collection").getAll(collection)),
    );
    for (const { key, text } of rows) yield [key, storedJson(text, `the document ${collection} ${key}`)];
  }

  putDefinition(hash: string, text: string): Promise<void> {
    return this.#do("readwrite", async (transaction) => void (await answer(transaction.objectStore("definition").put(text, hash))));
  }

  getDefinition(hash: string): Promise<string | undefined> {
    return this.#do("readonly", (transaction) => answer(transaction.objectStore("definition").get(hash)));
  }

  // ------------------------------------------------------------------------------------------------ executions

  write(batches: readonly Batch[]): Promise<BatchResult[]> {
    return this.#do("readwrite", (transaction) => new Writing(transaction).write(batches));
  }

  get(id: string): Promise<ExecutionRecord | undefined> {
    return this.#do("readonly", async (transaction) => {
      const row = await rowOf(transaction, id);
      return row && recordOf(transaction, row);
    });
  }

  load(id: string): Promise<StoredExecution | undefined> {
    return this.#do("readonly", async (transaction) => {
      const row = await rowOf(transaction, id);
      if (row === undefined) return undefined;
      const { order, facts, events, wakeAt } = row;
      const stored = transaction.objectStore("fact");
      const [record, snapshot, bodies, keys] = await Promise.all([
        recordOf(transaction, row),
        answer<string | undefined>(transaction.objectStore("text").get([order, "snapshot"])),
        answer<string[]>(stored.getAll(keysOf(order))),
        answer(stored.getAllKeys(keysOf(order))),
      ]);
      const journal = checkedFacts(bodies, keys as [order: number, seq: number][], row);
      return { record, facts, events, journal, wakeAt, ...(snapshot !== undefined && { snapshot }) };
    });
  }

  history(
    id: string,
    { from = 0, limit = Infinity, reverse = false }: { from?: number; limit?: number; reverse?: boolean } = {},
  ): Promise<{ events: any[]; total: number } | undefined> {
    return this.#do("readonly", async (transaction) => {
      const row = await rowOf(transaction, id);
      if (row === undefined) return undefined;
      const { order, events: total } = row;
      const count = Math.max(0, Math.min(limit, total - from));
      const first = reverse ? total - from - count : from;
      if (count === 0) return { events: [], total };
      const pieces = transaction.objectStore("history");
      // The piece that contains the first event starts at or before that event.
      let begin = 0;
      await walk(pieces.openCursor(IDBKeyRange.bound([order], [order, first]), "prev"), ({ value }) => {
        begin = (value as Piece).from;
        return false;
      });
      const found: Piece[] = await answer(pieces.getAll(IDBKeyRange.bound([order, begin], [order, first + count], false, true)));
      const events = found.flatMap((piece) => {
        const all: unknown[] = storedJson(piece.text, `the history of ${id}`);
        return all.slice(Math.max(first - piece.from, 0), first + count - piece.from);
      });
      return { events: reverse ? events.reverse() : events, total };
    });
  }

  list(
    filter: ExecutionFilter = {},
    { before = Infinity, limit = 100 }: { before?: number; limit?: number } = {},
  ): Promise<{ items: ExecutionSummary[]; before?: number }> {
    return this.#do("readonly", async (transaction) => {
      const items: ExecutionSummary[] = [];
      let more = false as boolean;
      await visit(transaction, filter, before, ({ record }) => {
        if (!selects(filter, record)) return true;
        more = items.length === limit;
        if (!more) items.push(record);
        return !more;
      });
      const last = items.at(-1);
      return { items, ...(more && last !== undefined && { before: last.order }) };
    });
  }

  count(filter: ExecutionFilter = {}): Promise<number> {
    return this.#do("readonly", async (transaction) => {
      const { index, range, exact } = rangeOf(filter, Infinity);
      const executions = transaction.objectStore("execution").index(index);
      if (exact) return answer(executions.count(range));
      let count = 0;
      await visit(transaction, filter, Infinity, ({ record }) => {
        if (selects(filter, record)) count += 1;
        return true;
      });
      return count;
    });
  }

  ended({ before, limit }: EndedPage): Promise<EndedExecution[]> {
    return this.#do("readonly", async (transaction) => {
      const range = before && IDBKeyRange.upperBound([...before], true);
      const page: EndedExecution[] = [];
      if (limit <= 0) return page;
      await walk(transaction.objectStore("execution").index("ended").openCursor(range, "prev"), ({ value }) => {
        const { id, machine: machineArn, record, ended, order, bytes: size } = value as Row;
        page.push({ id, machineArn, status: record.status, endedAt: ended?.[0] ?? Infinity, order, size });
        return page.length < limit;
      });
      return page;
    });
  }

  due({ after, until, limit = Infinity }: { after?: number; until: number; limit?: number }): Promise<{ id: string; wakeAt: number }[]> {
    return this.#do("readonly", async (transaction) => {
      if (after !== undefined && after >= until) return [];
      const range = after === undefined ? IDBKeyRange.upperBound(until) : IDBKeyRange.bound(after, until, true);
      const due: { id: string; wakeAt: number }[] = [];
      if (limit <= 0) return due;
      await walk(transaction.objectStore("execution").index("wake").openCursor(range), ({ value }) => {
        const { id, wake } = value as Row;
        // All executions with the same time belong to one page.
        if (due.length >= limit && wake !== due.at(-1)?.wakeAt) return false;
        // This index contains only rows with a wake time.
        due.push({ id, wakeAt: wake! });
        return true;
      });
      return due;
    });
  }

  async prune(what: { ids?: readonly string[]; endedBefore?: number; executions?: number; bytes?: number }): Promise<string[]> {
    const { ids = [], ...limits } = what;
    const gone: string[] = [];
    for (let from = 0; from < ids.length; from += MOST_PRUNED) {
      const some = ids.slice(from, from + MOST_PRUNED);
      gone.push(...(await this.#do("readwrite", (transaction) => new Writing(transaction).remove(some))));
    }
    for (;;) {
      const more = await this.#do("readwrite", (transaction) => new Writing(transaction).prune(limits, MOST_PRUNED));
      gone.push(...more);
      if (more.length < MOST_PRUNED) return gone;
    }
  }
}

/** Creates a store in IndexedDB. */
export function indexedDB(name: string, options: IndexedDBOptions = {}): IndexedDBStore {
  return new DatabaseStore(name, options);
}

function rowOf(transaction: IDBTransaction, id: string): Promise<Row | undefined> {
  return answer(transaction.objectStore("execution").index("id").get(id));
}

/** Returns whether the site's data is persistent. If `ask` is true, it asks the browser for that where possible: only windows can. */
async function persisted(ask: boolean): Promise<boolean> {
  try {
    const { storage } = navigator;
    if (await storage.persisted()) return true;
    return ask && typeof storage.persist === "function" ? await storage.persist() : false;
  } catch {
    return false;
  }
}
