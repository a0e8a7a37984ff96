// A store whose texts pass through codecs: encryption, compression.

import type {
  Batch,
  BatchResult,
  Codec,
  ExecutionCount,
  ExecutionFilter,
  ExecutionRecord,
  ExecutionSummary,
  Sharing,
  Store,
  StoredExecution,
  Texts,
} from "../../core/api/durable.d.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { hasLoneSurrogate } from "../../core/base/json.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { type CountOptions, countsOf } from "./counts.ts";
import { StoreError } from "./errors.ts";
import { storedJson } from "./stored-json.ts";

/** The only member of an encoded text. It has the names of the codecs, in the order in which they were applied, and the data. */
const MARK = "$encoded";
const PREFIX = `{"${MARK}":`;

/** The members of a record that are encoded. Lists filter by the others. */
const MEMBERS = ["input", "output", "cause", "state"] as const;

/** Returns a store that encodes whatever executions contain. */
export function encoded(store: Store, codecs: readonly Codec[]): Store {
  if (!Array.isArray(codecs) || codecs.length === 0) throw misuse("INVALID_ARGUMENT", "encoded() needs a list of at least one codec");
  const names = codecs.map(({ name }) => name);
  if (new Set(names).size < names.length || names.some((name) => typeof name !== "string" || name === ""))
    throw misuse("INVALID_ARGUMENT", `each codec needs a name of its own, but these are: ${names.join(", ")}`);
  return new EncodedStore(store, new Coding(codecs));
}

/** Applies codecs to texts. */
class Coding {
  readonly #codecs: readonly Codec[];

  constructor(codecs: readonly Codec[]) {
    this.#codecs = codecs;
  }

  async encode(text: string): Promise<string> {
    // UTF-8 has no lone surrogates, but JSON has escapes for them.
    const isEscaped = hasLoneSurrogate(text);
    let bytes: Uint8Array = new TextEncoder().encode(isEscaped ? JSON.stringify(text) : text);
    for (const codec of this.#codecs) bytes = await codec.encode(bytes);
    const parts: Parts = [this.#codecs.map(({ name }) => name), toBase64(bytes)];
    if (isEscaped) parts.push(true);
    return `${PREFIX}${JSON.stringify(parts)}}`;
  }

  /** Decodes a text. A text that is not encoded is returned unchanged: it is from before the store had codecs. */
  async decode(text: string): Promise<string> {
    if (!text.startsWith(PREFIX)) return text;
    const [names, data, isEscaped] = partsOf(text);
    let bytes: Uint8Array = fromBase64(data);
    for (const name of names.toReversed()) bytes = await this.#decoded(name, bytes);
    // A byte order mark is part of the text.
    const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    return isEscaped ? JSON.parse(decoded) : decoded;
  }

  /** Decodes a list of facts. */
  async decodeList(text: string, where: string): Promise<string> {
    if (!text.startsWith(`[${PREFIX}`)) return text;
    const [first, ...others] = JSON.parse(text);
    const decoded = await this.decode(JSON.stringify(first));
    const list: unknown = storedJson(decoded, `the facts of ${where}`);
    if (!Array.isArray(list) || list.length !== 1 + others.length)
      throw new StoreError("STORE_DAMAGED", `the facts of ${where} are damaged: their number is wrong`);
    return decoded;
  }

  async #decoded(name: string, bytes: Uint8Array): Promise<Uint8Array> {
    const codec = this.#codecs.find((one) => one.name === name);
    if (codec === undefined) throw new StoreError("STORE_CODEC", `a text of the store was encoded by the codec ${name}, which is missing`);
    try {
      return await codec.decode(bytes);
    } catch (error) {
      throw new StoreError("STORE_CODEC", `the codec ${name} cannot decode a text of the store: ${messageOf(error)}`, { cause: error });
    }
  }

  async encodeValue(value: unknown): Promise<unknown> {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? value : JSON.parse(await this.encode(text));
  }

  async decodeValue(value: unknown): Promise<any> {
    const isEncoded = typeof value === "object" && value !== null && Object.keys(value).join() === MARK;
    return isEncoded ? JSON.parse(await this.decode(JSON.stringify(value))) : value;
  }

  async encodeMembers<Given extends Partial<ExecutionRecord>>(record: Given): Promise<Given> {
    const changed: Record<string, unknown> = { ...record };
    for (const name of MEMBERS) if (typeof record[name] === "string") changed[name] = await this.encode(record[name]);
    return changed as Given;
  }

  async decodeMembers<Given extends Partial<ExecutionRecord> | ExecutionSummary>(record: Given): Promise<Given> {
    const changed: Record<string, unknown> = { ...record };
    for (const name of MEMBERS) {
      const text = (record as Record<string, unknown>)[name];
      if (typeof text === "string") changed[name] = await this.decode(text);
    }
    return changed as Given;
  }
}

/** The names of the codecs, the data as base64, and whether the data is the text as a JSON string. */
type Parts = [names: string[], data: string, isEscaped?: boolean];

function partsOf(text: string): Parts {
  try {
    const [names, data, isEscaped] = (JSON.parse(text) as { [MARK]: Parts })[MARK];
    return [[...names], String(data), isEscaped === true];
  } catch (error) {
    throw new StoreError("STORE_DAMAGED", "an encoded text of the store is damaged", { cause: error });
  }
}

class EncodedStore implements Store {
  readonly #store: Store;
  readonly #coding: Coding;

  constructor(store: Store, coding: Coding) {
    this.#store = store;
    this.#coding = coding;
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

  close(): Promise<void> {
    return this.#store.close();
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
    return {
      ...more,
      ...(create !== undefined && { create: await coding.encodeMembers(create) }),
      ...(change !== undefined && { change: await coding.encodeMembers(change) }),
      ...(facts !== undefined && { facts: await this.#list(facts) }),
      ...(snapshot !== undefined && { snapshot: snapshot === null ? null : await coding.encode(snapshot) }),
      ...(events !== undefined && { events: await this.#list(events) }),
    };
  }

  /**
   * Encodes the facts or the events of a batch together, as a list of the same length, because stores count and check lists and page
   * events. The first item carries the data, and the others only say how many items there are before them in that data.
   */
  async #list({ text, count }: Texts): Promise<Texts> {
    if (count === 0) return { text, count };
    const others = Array.from({ length: count - 1 }, (_, i) => i + 1);
    return { text: `[${[await this.#coding.encode(text), ...others].join(",")}]`, count };
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

  prune(...args: Parameters<Store["prune"]>): Promise<string[]> {
    return this.#store.prune(...args);
  }
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
