// A store whose texts pass through codecs: encryption, compression.

import type {
  Batch,
  BatchResult,
  Codec,
  EncodedStore as PublicEncodedStore,
  ExecutionCount,
  ExecutionFilter,
  ExecutionRecord,
  Offloaded,
  Sharing,
  Store,
  StoredExecution,
  Texts,
} from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { Coding, dataOf, encodedMembers } from "./coding.ts";
import { type CountOptions, countsOf } from "./counts.ts";

/** Returns a store that encodes whatever executions contain. */
export function encoded(store: Store, codecs: readonly Codec[]): PublicEncodedStore {
  if (!Array.isArray(codecs) || codecs.length === 0) throw misuse("INVALID_ARGUMENT", "encoded() needs a list of at least one codec");
  const names = codecs.map(({ name }) => name);
  if (new Set(names).size < names.length || names.some((name) => typeof name !== "string" || name === ""))
    throw misuse("INVALID_ARGUMENT", `each codec needs a name of its own, but these are: ${names.join(", ")}`);
  const offloads = codecs.filter(isOffloaded);
  // The keys of blobs must be readable without the other codecs, and what a blob store has must be encoded, too.
  if (offloads.length > 0 && (offloads.length > 1 || codecs.at(-1) !== offloads[0]))
    throw misuse("INVALID_ARGUMENT", "encoded(): offloaded() must be the last codec, so that blobs are encoded, too");
  return new EncodedStore(store, new Coding(codecs), offloads[0]);
}

function isOffloaded(codec: Codec): codec is Offloaded {
  return typeof (codec as Partial<Offloaded>).collect === "function";
}

/** The shortest time between two searches for blobs that nothing refers to, in milliseconds, and the number of events read at once. */
const COLLECT_EVERY = 3_600_000;
const EVENTS = 5000;

class EncodedStore implements PublicEncodedStore {
  readonly #store: Store;
  readonly #coding: Coding;
  readonly #offloaded: Offloaded | undefined;
  #collectedAt = 0;

  constructor(store: Store, coding: Coding, offloaded: Offloaded | undefined) {
    this.#store = store;
    this.#coding = coding;
    this.#offloaded = offloaded;
  }

  get durable(): boolean {
    return this.#store.durable;
  }

  get sharing(): Sharing | undefined {
    const { sharing } = this.#store;
    return sharing && encodedSharing(sharing, this.#coding);
  }

  open(options: { owner: string }): Promise<void> {
    return this.#store.open(options);
  }

  async close(): Promise<void> {
    await this.#store.close();
    await this.#offloaded?.close();
  }

  async put(collection: string, key: string, value: unknown): Promise<void> {
    await this.#store.put(collection, key, await this.#coding.encodeValue(value));
  }

  remove(collection: string, key: string): Promise<void> {
    return this.#store.remove(collection, key);
  }

  async document(collection: string, key: string): Promise<any> {
    return this.#coding.decodeValue(await this.#store.document(collection, key));
  }

  async *all(collection: string): AsyncGenerator<[key: string, value: any]> {
    for await (const [key, value] of this.#store.all(collection)) yield [key, await this.#coding.decodeValue(value)];
  }

  async putDefinition(hash: string, text: string): Promise<void> {
    await this.#store.putDefinition(hash, await this.#coding.encode(text));
  }

  async getDefinition(hash: string): Promise<string | undefined> {
    const text = await this.#store.getDefinition(hash);
    return text === undefined ? undefined : this.#coding.decode(text);
  }

  async write(batches: readonly Batch[]): Promise<BatchResult[]> {
    const results = await this.#store.write(await Promise.all(batches.map((batch) => this.#batch(batch))));
    return Promise.all(
      results.map(async (result) =>
        result.ok || result.record === undefined ? result : { ...result, record: await this.#coding.decodeMembers(result.record) },
      ),
    );
  }

  async #batch({ create, change, facts, snapshot, events, ...more }: Batch): Promise<Batch> {
    const coding = this.#coding;
    const { id } = more;
    return {
      ...more,
      ...(create !== undefined && { create: await coding.encodeMembers(create, id) }),
      ...(change !== undefined && { change: await coding.encodeMembers(change, id) }),
      // A snapshot in the same batch replaces these facts, and a blob of theirs would never be read.
      ...(facts !== undefined && { facts: snapshot === undefined ? await coding.encodeList(facts, id) : without(facts) }),
      ...(snapshot !== undefined && { snapshot: snapshot === null ? null : await coding.encode(snapshot, id) }),
      ...(events !== undefined && { events: await coding.encodeList(events, id) }),
    };
  }

  async get(id: string): Promise<ExecutionRecord | undefined> {
    const record = await this.#store.get(id);
    return record && this.#coding.decodeMembers(record);
  }

  async load(id: string): Promise<StoredExecution | undefined> {
    const stored = await this.#store.load(id);
    if (stored === undefined) return undefined;
    const { record, snapshot, journal } = stored;
    const coding = this.#coding;
    return {
      ...stored,
      record: await coding.decodeMembers(record),
      journal: await Promise.all(journal.map((text) => coding.decodeList(text, `execution ${id}`))),
      ...(snapshot !== undefined && { snapshot: await coding.decode(snapshot) }),
    };
  }

  async history(
    id: string,
    page: { from?: number; limit?: number; reverse?: boolean } = {},
  ): Promise<{ events: any[]; total: number } | undefined> {
    const found = await this.#store.history(id, page);
    if (found === undefined) return undefined;
    const events = page.reverse ? found.events.toReversed() : found.events;
    const decoded = await this.#decodedEvents(id, events, page.reverse ? found.total - (page.from ?? 0) - events.length : (page.from ?? 0));
    return { events: page.reverse ? decoded.reverse() : decoded, total: found.total };
  }

  /** Decodes consecutive events of a history; `first` is the number of events before them. */
  async #decodedEvents(id: string, stored: readonly any[], first: number): Promise<any[]> {
    const events: any[] = [];
    let data: any[] = [];
    for (const [i, one] of stored.entries()) {
      if (typeof one === "number") {
        if (i === 0) {
          const begun = await this.#store.history(id, { from: first - one, limit: 1 });
          data = await this.#coding.decodeValue(begun?.events[0]);
        }
        events.push(data[one]);
        continue;
      }
      const value = await this.#coding.decodeValue(one);
      if (value === one) events.push(one);
      else {
        data = value;
        events.push(data[0]);
      }
    }
    return events;
  }

  async list(...args: Parameters<Store["list"]>): ReturnType<Store["list"]> {
    const { items, ...more } = await this.#store.list(...args);
    // A list is shown even if a key is missing.
    return { items: await Promise.all(items.map((item) => this.#coding.decodeMembers(item).catch(() => item))), ...more };
  }

  count(...args: Parameters<Store["count"]>): Promise<number> {
    return this.#store.count(...args);
  }

  counts(filter: ExecutionFilter, options: CountOptions): Promise<ExecutionCount[]> {
    return countsOf(this.#store, filter, options);
  }

  due(...args: Parameters<Store["due"]>): ReturnType<Store["due"]> {
    return this.#store.due(...args);
  }

  get ended(): Store["ended"] {
    const { ended } = this.#store;
    return ended && ((page) => ended.call(this.#store, page));
  }

  async prune(...args: Parameters<Store["prune"]>): Promise<string[]> {
    const gone = await this.#store.prune(...args);
    if (this.#offloaded === undefined) return gone;
    const isLate = Date.now() > this.#collectedAt + COLLECT_EVERY;
    // The executions are removed already. What stays of their blobs now is removed by a later search.
    if (gone.length > 0 || isLate) await this.#collect(isLate ? undefined : gone).catch(() => 0);
    return gone;
  }

  async collect(): Promise<{ removed: number }> {
    return { removed: await this.#collect() };
  }

  async #collect(executions?: readonly string[]): Promise<number> {
    if (executions === undefined) this.#collectedAt = Date.now();
    return (await this.#offloaded?.collect((id) => this.#references(id), executions)) ?? 0;
  }

  /** Returns what the stored data of an execution has in the place of texts that are in the blob store. */
  async #references(id: string): Promise<Uint8Array[]> {
    const stored = await this.#store.load(id);
    if (stored === undefined) return [];
    const texts: unknown[] = [...encodedMembers(stored.record), stored.snapshot, ...stored.journal];
    for (let from = 0; ; from += EVENTS) {
      const page = await this.#store.history(id, { from, limit: EVENTS });
      texts.push(...(page?.events ?? []));
      if (page === undefined || from + EVENTS >= page.total) break;
    }
    return texts.map((text) => dataOf(text, this.#offloaded!.name)).filter((data) => data !== undefined);
  }
}

/** Returns facts of which only the number counts. */
function without({ count }: Texts): Texts {
  return { text: JSON.stringify(Array.from({ length: count }, () => 0)), count };
}

/** Encodes what processes ask each other: it passes through the database. */
function encodedSharing(sharing: Sharing, coding: Coding): Sharing {
  return {
    has: (key) => sharing.has(key),
    ...(sharing.ownerOf !== undefined && { ownerOf: (key: string) => sharing.ownerOf!(key) }),
    ownKey: () => sharing.ownKey(),
    otherKeys: () => sharing.otherKeys(),
    listen: (listener) =>
      sharing.listen({
        gained: () => listener.gained(),
        lost: (has) => listener.lost(has),
        due: (id, wakeAt) => listener.due(id, wakeAt),
        ended: (ids) => listener.ended(ids),
        changed: (collection, key) => listener.changed(collection, key),
        isBusy: (of) => listener.isBusy(of),
        asked: async (name, [args]) =>
          coding.encodeValue(await listener.asked(name, (await coding.decodeValue(args)) as readonly unknown[])),
      }),
    ask: async (key, name, args) => coding.decodeValue(await sharing.ask(key, name, [await coding.encodeValue(args)])),
  };
}
