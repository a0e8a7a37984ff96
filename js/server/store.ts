// The store in memory, which is lost when the process ends.
//
// `js/api/server.d.ts` has the guarantees of every store; `pkg-tests/server/store-suite.mjs` checks them.

import type { Batch, ExecutionRecord, OutboxCommand, Snapshot, Store } from "../api/server.d.ts";

/** A write conflict: another writer has appended since, or owns the execution now. */
export class StoreConflict extends Error {
  override name = "StoreConflict";
  code = "STORE_CONFLICT";
}

// Long histories are kept in pieces, so that reading a page does not parse the whole history.
const PIECE_EVENTS = 500;
const PIECE_TEXT = 1 << 18;

/** A part of a history: the JSON text of `count` events after the first `from` ones. */
interface Piece {
  from: number;
  count: number;
  text: string;
}

/** The data of an execution. */
interface Entry {
  about: Ordered;
  /** The number of facts so far. */
  seq: number;
  fence: number;
  /** The facts since the snapshot. */
  journal: unknown[];
  pieces: Piece[];
  /** How many events the pieces have. */
  events: number;
  outbox: Map<number, OutboxCommand>;
  timers: Map<string, number>;
  tokens: Set<string>;
  snapshot: Snapshot | undefined;
  bytes: number;
}

type Ordered = ExecutionRecord & { order: number };

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
  readonly #tokens = new Map<string, { id: string; command: number }>();
  #order = 0;
  #bytes = 0;

  /** The data does not outlive the process, so the host need not write before it acts. */
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

  async *all(collection: string): AsyncGenerator<[key: string, value: unknown]> {
    for (const [key, value] of [...(this.#documents.get(collection) ?? [])]) yield [key, JSON.parse(value)];
  }

  async putDefinition(hash: string, text: string): Promise<void> {
    this.#definitions.set(hash, text);
  }

  async getDefinition(hash: string): Promise<string | undefined> {
    return this.#definitions.get(hash);
  }

  // ------------------------------------------------------------------------------------------------ executions

  async create(about: ExecutionRecord): Promise<{ outcome: "created" | "exists"; about: ExecutionRecord }> {
    const known = this.#executions.get(about.id);
    if (known !== undefined) return { outcome: "exists", about: known.about };
    const record: Entry = {
      about: { ...about, order: ++this.#order },
      seq: 0,
      fence: 1,
      journal: [],
      pieces: [],
      events: 0,
      outbox: new Map(),
      timers: new Map(),
      tokens: new Set(),
      snapshot: undefined,
      bytes: 0,
    };
    this.#executions.set(about.id, record);
    for (const group of groupsOf(record.about)) entryOf(this.#groups, group, (): Entry[] => []).push(record);
    this.#weigh(record, textSize(about.input));
    return { outcome: "created", about: record.about };
  }

  async append(id: string, batch: Batch): Promise<void> {
    this.#append(id, batch);
  }

  async appendMany(batches: readonly [id: string, batch: Batch][]): Promise<({ ok: true } | { ok: false; error: Error })[]> {
    return batches.map(([id, batch]) => {
      try {
        this.#append(id, batch);
        return { ok: true };
      } catch (error) {
        return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
      }
    });
  }

  #append(id: string, batch: Batch): void {
    const { expectedSeq, fence, facts = [], history, outbox = [], done = [], timers = {}, tokens = {}, about, snapshot } = batch;
    const record = this.#executions.get(id);
    if (record === undefined) throw new StoreConflict(`there is no execution ${id}`);
    if (fence !== undefined && fence !== record.fence) throw new StoreConflict(`fence ${fence} of ${id} is stale`);
    if (expectedSeq !== record.seq) throw new StoreConflict(`${id} is at sequence number ${record.seq}, not ${expectedSeq}`);
    record.seq += facts.length;
    record.journal.push(...facts);
    if (history !== undefined && history.count > 0) this.#keep(record, history);
    for (const command of outbox) record.outbox.set(command.id, command);
    for (const command of done) record.outbox.delete(command);
    for (const { id: timer, at } of timers.set ?? []) record.timers.set(timer, at);
    for (const timer of timers.clear ?? []) record.timers.delete(timer);
    for (const { token, command } of tokens.put ?? []) {
      record.tokens.add(token);
      this.#tokens.set(token, { id, command });
    }
    for (const token of tokens.del ?? []) {
      record.tokens.delete(token);
      this.#tokens.delete(token);
    }
    if (snapshot !== undefined) this.#replaceFacts(record, snapshot);
    if (about !== undefined) this.#change(record, about);
  }

  /** Replaces the facts up to a snapshot with it; null removes the existing snapshot. */
  #replaceFacts(record: Entry, snapshot: Snapshot | null): void {
    this.#weigh(record, textSize(snapshot?.text) - textSize(record.snapshot?.text));
    record.snapshot = snapshot ?? undefined;
    if (snapshot !== null) record.journal = record.journal.slice(Math.max(record.journal.length - (record.seq - snapshot.seq), 0));
  }

  /** Changes members of a record; one that becomes undefined is removed. */
  #change(record: Entry, about: Partial<ExecutionRecord>): void {
    this.#weigh(record, textSize(about.output) + textSize(about.cause) - textSize(record.about.output) - textSize(record.about.cause));
    const changed = { ...record.about, ...about };
    for (const [name, value] of Object.entries(changed)) if (value === undefined) delete changed[name];
    // The members that every record has are never undefined.
    record.about = changed as Ordered;
    if (record.about.status === "RUNNING") this.#ended.delete(record);
    else this.#ended.add(record);
  }

  /** Appends events of the history, which come as one JSON text. */
  #keep(record: Entry, { text, count }: { text: string; count: number }): void {
    this.#weigh(record, text.length);
    if (count <= PIECE_EVENTS || text.length <= PIECE_TEXT) {
      record.pieces.push({ from: record.events, count, text });
      record.events += count;
      return;
    }
    const events: unknown[] = JSON.parse(text);
    for (let from = 0; from < events.length; from += PIECE_EVENTS) {
      const piece = events.slice(from, from + PIECE_EVENTS);
      record.pieces.push({ from: record.events, count: piece.length, text: JSON.stringify(piece) });
      record.events += piece.length;
    }
  }

  async load(
    id: string,
  ): Promise<{ about: ExecutionRecord; seq: number; fence: number; snapshot?: Snapshot; facts: unknown[] } | undefined> {
    const record = this.#executions.get(id);
    if (record === undefined) return undefined;
    const { about, seq, fence, snapshot, journal } = record;
    return { about, seq, fence, snapshot, facts: [...journal] };
  }

  async get(id: string): Promise<ExecutionRecord | undefined> {
    return this.#executions.get(id)?.about;
  }

  async history(
    id: string,
    page: { from?: number; limit?: number; reverse?: boolean } = {},
  ): Promise<{ events: unknown[]; total: number } | undefined> {
    const { from = 0, limit, reverse = false } = page;
    const record = this.#executions.get(id);
    if (record === undefined) return undefined;
    const count = Math.max(0, Math.min(limit ?? Infinity, record.events - from));
    const first = reverse ? record.events - from - count : from;
    const events: unknown[] = [];
    for (const piece of record.pieces) {
      if (piece.from + piece.count <= first || piece.from >= first + count) continue;
      const all: unknown[] = JSON.parse(piece.text);
      events.push(...all.slice(Math.max(first - piece.from, 0), first + count - piece.from));
    }
    return { events: reverse ? events.reverse() : events, total: record.events };
  }

  async list(
    { machine, mapRun, matches }: { machine?: string; mapRun?: string; matches?: (about: ExecutionRecord) => boolean } = {},
    { before = Infinity, limit = 100 }: { before?: number; limit?: number } = {},
  ): Promise<{ items: ExecutionRecord[]; before?: number }> {
    const group = this.#groups.get(mapRun !== undefined ? `run ${mapRun}` : machine !== undefined ? `machine ${machine}` : "all") ?? [];
    const items: Ordered[] = [];
    for (let i = newest(group, before); i >= 0; i--) {
      const about = group[i]?.about;
      if (about === undefined || (matches !== undefined && !matches(about))) continue;
      if (items.length === limit) return { items, before: items.at(-1)?.order };
      items.push(about);
    }
    return { items };
  }

  async *pending(): AsyncGenerator<{ id: string; outbox: OutboxCommand[]; timers: { id: string; at: number }[]; tokens: string[] }> {
    for (const { about, outbox, timers, tokens } of [...this.#executions.values()]) {
      if (about.status === "RUNNING")
        yield { id: about.id, outbox: [...outbox.values()], timers: [...timers].map(([id, at]) => ({ id, at })), tokens: [...tokens] };
    }
  }

  async dueTimers(now: number, limit = 100): Promise<{ execution: string; id: string; at: number }[]> {
    const due: { execution: string; id: string; at: number }[] = [];
    for (const { about, timers } of this.#executions.values())
      for (const [timer, at] of timers) if (at <= now) due.push({ execution: about.id, id: timer, at });
    return due.sort((a, b) => a.at - b.at).slice(0, limit);
  }

  async findToken(token: string): Promise<{ id: string; command: number } | undefined> {
    return this.#tokens.get(token);
  }

  async claim(id: string): Promise<number | undefined> {
    return this.#executions.get(id)?.fence;
  }

  async prune(what: { ids?: readonly string[]; endedBefore?: number; executions?: number; bytes?: number } = {}): Promise<string[]> {
    const { endedBefore = -Infinity, executions = Infinity, bytes = Infinity, ids = [] } = what;
    const gone: string[] = [];
    const drop = (record: Entry | undefined): void => {
      if (record === undefined) return;
      gone.push(record.about.id);
      this.#drop(record);
    };
    for (const id of ids) drop(this.#executions.get(id));
    for (const record of this.#ended) {
      const old = (record.about.stopDate ?? Infinity) < endedBefore;
      if (!old && this.#ended.size <= executions && this.#bytes <= bytes) break;
      drop(record);
    }
    return gone;
  }

  #drop(record: Entry): void {
    this.#executions.delete(record.about.id);
    this.#ended.delete(record);
    this.#bytes -= record.bytes;
    for (const token of record.tokens) this.#tokens.delete(token);
    for (const group of groupsOf(record.about)) {
      const members = this.#groups.get(group) ?? [];
      // Usually the oldest execution is removed.
      const at = members[0] === record ? 0 : newest(members, record.about.order + 1);
      members.splice(at, 1);
      if (members.length === 0) this.#groups.delete(group);
    }
  }

  #weigh(record: Entry, bytes: number): void {
    record.bytes += bytes;
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
    if ((members[middle]?.about.order ?? Infinity) < order) low = middle + 1;
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
