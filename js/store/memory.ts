// The store in memory, which is lost when the process ends.
//
// `js/api/durable.d.ts` has the guarantees of every store; `pkg-tests/store/suite.mjs` checks them.

import type {
  Batch,
  BatchResult,
  ExecutionFilter,
  ExecutionRecord,
  ExecutionSummary,
  Store,
  StoredExecution,
  Texts,
} from "../api/durable.d.ts";
import { StoreConflict } from "./errors.ts";
import { selects } from "./filter.ts";

// Long histories are kept in pieces, so that reading a page does not parse the whole history.
const PIECE_EVENTS = 500;
const PIECE_TEXT = 1 << 18;

/** A part of a history: the JSON text of `count` events after the first `from` ones. */
interface Piece extends Texts {
  from: number;
}

/** The record of an execution in a store. */
type Stored = ExecutionRecord & { order: number; version: number };

/** The data of an execution. */
interface Entry {
  record: Stored;
  facts: number;
  journal: string[];
  snapshot: string | undefined;
  pieces: Piece[];
  /** How many events the pieces have. */
  events: number;
  wakeAt: number | null;
  bytes: number;
}

/** A Store in memory. */
export class MemoryStore implements Store {
  #owner: string | undefined;
  readonly #documents = new Map<string, Map<string, string>>();
  readonly #definitions = new Map<string, string>();
  readonly #executions = new Map<string, Entry>();
  // Executions in the order in which they began: of each machine, of each Map Run, and all.
  readonly #groups = new Map<string, Entry[]>();
  // Ended executions, in the order in which they ended.
  readonly #ended = new Set<Entry>();
  // Running executions that have to be loaded by themselves.
  readonly #waking = new Set<Entry>();
  #order = 0;
  #bytes = 0;

  /** The data does not outlive the process. */
  get durable(): false {
    return false;
  }

  async open({ owner }: { owner: string }): Promise<void> {
    if (this.#owner !== undefined && this.#owner !== owner) throw new StoreConflict(`the store is already open for ${this.#owner}`);
    this.#owner = owner;
  }

  async close(): Promise<void> {
    this.#owner = undefined;
  }

  // ------------------------------------------------------------------------------------------------- documents

  async put(collection: string, key: string, value: unknown): Promise<void> {
    entryOf(this.#documents, collection, () => new Map<string, string>()).set(key, JSON.stringify(value));
  }

  async remove(collection: string, key: string): Promise<void> {
    this.#documents.get(collection)?.delete(key);
  }

  async document(collection: string, key: string): Promise<any> {
    const text = this.#documents.get(collection)?.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async *all(collection: string): AsyncGenerator<[key: string, value: any]> {
    for (const [key, value] of [...(this.#documents.get(collection) ?? [])]) yield [key, JSON.parse(value)];
  }

  async putDefinition(hash: string, text: string): Promise<void> {
    this.#definitions.set(hash, text);
  }

  async getDefinition(hash: string): Promise<string | undefined> {
    return this.#definitions.get(hash);
  }

  // ------------------------------------------------------------------------------------------------ executions

  async write(batches: readonly Batch[]): Promise<BatchResult[]> {
    return batches.map((batch) => this.#write(batch));
  }

  #write(batch: Batch): BatchResult {
    const known = this.#executions.get(batch.id);
    if (batch.create !== undefined) {
      if (known !== undefined)
        return { ok: false, error: new StoreConflict(`there is an execution ${batch.id} already`), record: { ...known.record } };
      const entry = this.#create(batch.create);
      return this.#append(entry, batch);
    }
    if (known === undefined) return { ok: false, error: new StoreConflict(`there is no execution ${batch.id}`) };
    const { version } = known.record;
    if (batch.version !== version)
      return {
        ok: false,
        error: new StoreConflict(`${batch.id} has version ${version}, not ${batch.version}`),
        record: { ...known.record },
      };
    return this.#append(known, batch);
  }

  #create(record: ExecutionRecord): Entry {
    const entry: Entry = {
      record: { ...record, order: ++this.#order, version: 0 },
      facts: 0,
      journal: [],
      snapshot: undefined,
      pieces: [],
      events: 0,
      wakeAt: null,
      bytes: 0,
    };
    this.#executions.set(record.id, entry);
    for (const group of groupsOf(record)) entryOf(this.#groups, group, (): Entry[] => []).push(entry);
    this.#weigh(entry, textSize(record.input));
    return entry;
  }

  #append(entry: Entry, { change, facts, snapshot, events, wakeAt }: Batch): BatchResult {
    entry.record.version += 1;
    if (facts !== undefined && facts.count > 0) {
      entry.facts += facts.count;
      entry.journal.push(facts.text);
      this.#weigh(entry, facts.text.length);
    }
    if (snapshot !== undefined) {
      const replaced = entry.journal.reduce((sum, text) => sum + text.length, 0);
      this.#weigh(entry, textSize(snapshot) - textSize(entry.snapshot) - replaced);
      entry.snapshot = snapshot ?? undefined;
      entry.journal = [];
    }
    if (events !== undefined && events.count > 0) this.#keep(entry, events);
    if (wakeAt !== undefined) entry.wakeAt = wakeAt;
    if (change !== undefined) this.#change(entry, change);
    if (entry.record.status === "RUNNING") this.#ended.delete(entry);
    else this.#ended.add(entry);
    if (entry.record.status === "RUNNING" && entry.wakeAt !== null) this.#waking.add(entry);
    else this.#waking.delete(entry);
    return { ok: true, version: entry.record.version, order: entry.record.order };
  }

  /** Changes members of a record; one that becomes undefined is removed. */
  #change(entry: Entry, change: Partial<ExecutionRecord>): void {
    const { output, cause } = entry.record;
    this.#weigh(entry, textSize(change.output) + textSize(change.cause) - textSize(output) - textSize(cause));
    const { order, version } = entry.record;
    const changed: Record<string, unknown> = { ...entry.record, ...change, order, version };
    for (const [name, value] of Object.entries(changed)) if (value === undefined) delete changed[name];
    // The members that every record has are never undefined.
    entry.record = changed as unknown as Stored;
  }

  /** Appends events of the history, which come as one JSON text. */
  #keep(entry: Entry, { text, count }: Texts): void {
    this.#weigh(entry, text.length);
    if (count <= PIECE_EVENTS || text.length <= PIECE_TEXT) {
      entry.pieces.push({ from: entry.events, count, text });
      entry.events += count;
      return;
    }
    const events: unknown[] = JSON.parse(text);
    for (let from = 0; from < events.length; from += PIECE_EVENTS) {
      const piece = events.slice(from, from + PIECE_EVENTS);
      entry.pieces.push({ from: entry.events, count: piece.length, text: JSON.stringify(piece) });
      entry.events += piece.length;
    }
  }

  async get(id: string): Promise<ExecutionRecord | undefined> {
    const entry = this.#executions.get(id);
    return entry && { ...entry.record };
  }

  async load(id: string): Promise<StoredExecution | undefined> {
    const entry = this.#executions.get(id);
    if (entry === undefined) return undefined;
    const { record, facts, events, snapshot, journal, wakeAt } = entry;
    return { record: { ...record }, facts, events, journal: [...journal], wakeAt, ...(snapshot !== undefined && { snapshot }) };
  }

  async history(
    id: string,
    page: { from?: number; limit?: number; reverse?: boolean } = {},
  ): Promise<{ events: any[]; total: number } | undefined> {
    const { from = 0, limit, reverse = false } = page;
    const entry = this.#executions.get(id);
    if (entry === undefined) return undefined;
    const count = Math.max(0, Math.min(limit ?? Infinity, entry.events - from));
    const first = reverse ? entry.events - from - count : from;
    const events: unknown[] = [];
    for (const piece of entry.pieces) {
      if (piece.from + piece.count <= first || piece.from >= first + count) continue;
      const all: unknown[] = JSON.parse(piece.text);
      events.push(...all.slice(Math.max(first - piece.from, 0), first + count - piece.from));
    }
    return { events: reverse ? events.reverse() : events, total: entry.events };
  }

  async list(
    filter: ExecutionFilter = {},
    { before = Infinity, limit = 100 }: { before?: number; limit?: number } = {},
  ): Promise<{ items: ExecutionSummary[]; before?: number }> {
    const group = this.#group(filter);
    const items: ExecutionSummary[] = [];
    for (let i = newest(group, before); i >= 0; i--) {
      const record = group[i]?.record;
      if (record === undefined || !selects(filter, record)) continue;
      if (items.length === limit) return { items, before: items.at(-1)?.order };
      const { input, output, cause, ...summary } = record;
      items.push(summary as ExecutionSummary);
    }
    return { items };
  }

  async count(filter: ExecutionFilter = {}): Promise<number> {
    return this.#group(filter).filter(({ record }) => selects(filter, record)).length;
  }

  /** The smallest list that has all executions of a filter. */
  #group({ mapRunArn, machineArn }: ExecutionFilter): readonly Entry[] {
    const name = mapRunArn !== undefined ? `run ${mapRunArn}` : machineArn !== undefined ? `machine ${machineArn}` : "all";
    return this.#groups.get(name) ?? [];
  }

  async due({
    after = -Infinity,
    until,
    limit = 100,
  }: {
    after?: number;
    until: number;
    limit?: number;
  }): Promise<{ id: string; wakeAt: number }[]> {
    const due: { id: string; wakeAt: number }[] = [];
    for (const { record, wakeAt } of this.#waking)
      if (wakeAt !== null && wakeAt > after && wakeAt <= until) due.push({ id: record.id, wakeAt });
    return due.sort((a, b) => a.wakeAt - b.wakeAt).slice(0, limit);
  }

  async prune(what: { ids?: readonly string[]; endedBefore?: number; executions?: number; bytes?: number }): Promise<string[]> {
    const { endedBefore = -Infinity, executions = Infinity, bytes = Infinity, ids = [] } = what;
    const gone: string[] = [];
    const drop = (entry: Entry | undefined): void => {
      if (entry === undefined) return;
      gone.push(entry.record.id);
      this.#drop(entry);
    };
    for (const id of ids) drop(this.#executions.get(id));
    for (const entry of this.#ended) {
      const old = (entry.record.stopDate ?? Infinity) < endedBefore;
      if (!old && this.#ended.size <= executions && this.#bytes <= bytes) break;
      drop(entry);
    }
    return gone;
  }

  #drop(entry: Entry): void {
    const { record } = entry;
    this.#executions.delete(record.id);
    this.#ended.delete(entry);
    this.#waking.delete(entry);
    this.#bytes -= entry.bytes;
    for (const group of groupsOf(record)) {
      const members = this.#groups.get(group) ?? [];
      // Usually the oldest execution is removed.
      const at = members[0] === entry ? 0 : newest(members, record.order + 1);
      members.splice(at, 1);
      if (members.length === 0) this.#groups.delete(group);
    }
  }

  #weigh(entry: Entry, bytes: number): void {
    entry.bytes += bytes;
    this.#bytes += bytes;
  }
}

/** The lists that an execution is in. */
function groupsOf({ machineArn, mapRunArn }: ExecutionRecord): string[] {
  // The children of a Map Run are listed only with the run.
  return mapRunArn === undefined ? ["all", `machine ${machineArn}`] : [`run ${mapRunArn}`];
}

/** The index of the last member that began before `order`; -1 for none. */
function newest(members: readonly Entry[], order: number): number {
  let low = 0;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((members[middle]?.record.order ?? Infinity) < order) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value of a key, which is made if it does not exist. */
function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function textSize(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
