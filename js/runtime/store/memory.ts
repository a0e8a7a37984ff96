// The store in memory, which is lost when the process ends.
//
// `js/core/api/durable.d.ts` describes the guarantees of every store; `pkg-tests/store/suite.mjs` checks them.

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
import { conditionsOf } from "./attributes.ts";
import { Counting, type CountOptions } from "./counts.ts";
import { StoreConflict } from "./errors.ts";
import { selects } from "./filter.ts";
import {
  changed,
  closed,
  copyOf,
  documentText,
  type Due,
  type EndedPage,
  pageOf,
  piecesOf,
  refused,
  summaryOf,
  type Stored,
} from "./records.ts";
import { Reading } from "./reading.ts";

/** A part of a history: the JSON text of `count` events after the first `from` ones. */
interface Piece extends Texts {
  from: number;
}

/** Facts in the form in which databases have them, too: the first one has the number `seq`. */
type FactsRow = { seq: number; count: number; body: string };

/** The data of an execution. */
interface Entry {
  record: Stored;
  facts: number;
  journal: FactsRow[];
  /** The number of facts that the last snapshot has replaced. */
  base: number;
  snapshot: string | undefined;
  pieces: Piece[];
  /** The number of events in the pieces. */
  events: number;
  wakeAt: number | null;
  /** The length of its texts, in characters, once it has ended. */
  size: number;
}

const reading = new Reading("the memory");

/** A Store in memory. */
export class MemoryStore implements Store {
  #owner: string | undefined;
  readonly #documents = new Map<string, Map<string, string>>();
  readonly #definitions = new Map<string, string>();
  readonly #executions = new Map<string, Entry>();
  // All executions, those of each machine and those of each Map Run, in the order in which they began.
  readonly #groups = new Map<string, Entry[]>();
  // The executions with each value of each attribute.
  readonly #attributes = new Map<string, Set<Entry>>();
  // The ended executions, in the order in which they ended.
  readonly #ended: Entry[] = [];
  /** The length of the texts of the ended executions, in characters. */
  #endedSize = 0;
  // The running executions with a wake time, which the host must load at that time.
  readonly #waking = new Set<Entry>();
  #order = 0;

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
    this.#check();
    entryOf(this.#documents, collection, () => new Map<string, string>()).set(key, documentText(collection, key, value));
  }

  async remove(collection: string, key: string): Promise<void> {
    this.#check();
    this.#documents.get(collection)?.delete(key);
  }

  async document(collection: string, key: string): Promise<any> {
    this.#check();
    const text = this.#documents.get(collection)?.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async *all(collection: string): AsyncGenerator<[key: string, value: any]> {
    this.#check();
    for (const [key, value] of [...(this.#documents.get(collection) ?? [])]) yield [key, JSON.parse(value)];
  }

  async putDefinition(hash: string, text: string): Promise<void> {
    this.#check();
    this.#definitions.set(hash, text);
  }

  async getDefinition(hash: string): Promise<string | undefined> {
    this.#check();
    return this.#definitions.get(hash);
  }

  #check(): void {
    if (this.#owner === undefined) throw closed();
  }

  // ------------------------------------------------------------------------------------------------ executions

  async write(batches: readonly Batch[]): Promise<BatchResult[]> {
    this.#check();
    return batches.map((batch) => this.#write(batch));
  }

  #write(batch: Batch): BatchResult {
    const known = this.#executions.get(batch.id);
    const error = refused(batch, known?.record.version);
    if (error !== undefined) return { ok: false, error, ...(known && { record: copyOf(known.record) }) };
    let record: Stored;
    let pieces: Texts[];
    try {
      // Whatever can fail comes before the first change.
      record = changed(known?.record, batch, known?.record.order ?? this.#order + 1);
      pieces = batch.events === undefined || batch.events.count === 0 ? [] : piecesOf(batch.events);
    } catch (error) {
      return { ok: false, error: error as Error };
    }
    const entry = known ?? this.#create(record);
    if (known !== undefined) this.#unlist(known);
    entry.record = record;
    for (const key of attributeKeys(record)) entryOf(this.#attributes, key, () => new Set<Entry>()).add(entry);
    this.#append(entry, batch, pieces);
    return { ok: true, version: record.version, order: record.order };
  }

  #create(record: Stored): Entry {
    const entry: Entry = { record, facts: 0, journal: [], base: 0, snapshot: undefined, pieces: [], events: 0, wakeAt: null, size: 0 };
    this.#order = record.order;
    this.#executions.set(record.id, entry);
    for (const group of groupsOf(record)) entryOf(this.#groups, group, (): Entry[] => []).push(entry);
    return entry;
  }

  #append(entry: Entry, { facts, snapshot, wakeAt }: Batch, pieces: readonly Texts[]): void {
    if (facts !== undefined && facts.count > 0) {
      entry.journal.push({ seq: entry.facts, count: facts.count, body: facts.text });
      entry.facts += facts.count;
    }
    if (snapshot !== undefined) {
      entry.snapshot = snapshot ?? undefined;
      entry.base = entry.facts;
      entry.journal = [];
    }
    for (const piece of pieces) {
      entry.pieces.push({ from: entry.events, ...piece });
      entry.events += piece.count;
    }
    if (wakeAt !== undefined) entry.wakeAt = wakeAt;
    if (entry.record.status !== "RUNNING") {
      this.#ended.splice(firstAfter(this.#ended, entry), 0, entry);
      entry.size = sizeOf(entry);
      this.#endedSize += entry.size;
    } else if (entry.wakeAt !== null) this.#waking.add(entry);
  }

  /** Removes an execution from the lists that depend on its record. */
  #unlist(entry: Entry): void {
    this.#waking.delete(entry);
    for (const key of attributeKeys(entry.record)) {
      const members = this.#attributes.get(key);
      members?.delete(entry);
      if (members?.size === 0) this.#attributes.delete(key);
    }
    if (entry.record.status === "RUNNING") return;
    this.#ended.splice(firstAfter(this.#ended, entry) - 1, 1);
    this.#endedSize -= entry.size;
  }

  async get(id: string): Promise<ExecutionRecord | undefined> {
    this.#check();
    const entry = this.#executions.get(id);
    return entry && copyOf(entry.record);
  }

  async load(id: string): Promise<StoredExecution | undefined> {
    this.#check();
    const entry = this.#executions.get(id);
    if (entry === undefined) return undefined;
    const { record, facts, events, snapshot, base, wakeAt } = entry;
    const journal = reading.journal(entry.journal, `execution ${id}`, base, facts);
    return { record: copyOf(record), facts, events, journal, wakeAt, ...(snapshot !== undefined && { snapshot }) };
  }

  async history(
    id: string,
    page: { from?: number; limit?: number; reverse?: boolean } = {},
  ): Promise<{ events: any[]; total: number } | undefined> {
    this.#check();
    const entry = this.#executions.get(id);
    if (entry === undefined) return undefined;
    const { first, count } = pageOf(entry.events, page);
    const pieces = entry.pieces.filter((piece) => piece.from + piece.count > first && piece.from < first + count);
    const rows = pieces.map(({ from, count: length, text }) => ({ first: from, count: length, body: text }));
    const events = reading.events(rows, `execution ${id}`, { first, count });
    return { events: page.reverse ? events.reverse() : events, total: entry.events };
  }

  async list(
    filter: ExecutionFilter = {},
    { before = Infinity, limit = 100 }: { before?: number; limit?: number } = {},
  ): Promise<{ items: ExecutionSummary[]; before?: number }> {
    this.#check();
    const group = this.#group(filter);
    const items: ExecutionSummary[] = [];
    for (let i = newest(group, before); i >= 0; i--) {
      const record = group[i]?.record;
      if (record === undefined || !selects(filter, record)) continue;
      const last = items.at(-1);
      if (items.length >= limit) return { items, ...(last && { before: last.order }) };
      items.push(summaryOf(record));
    }
    return { items };
  }

  async count(filter: ExecutionFilter = {}): Promise<number> {
    this.#check();
    return this.#group(filter).filter(({ record }) => selects(filter, record)).length;
  }

  async counts(filter: ExecutionFilter, options: CountOptions): Promise<ExecutionCount[]> {
    this.#check();
    const counting = new Counting(options);
    for (const { record } of this.#group(filter)) if (selects(filter, record)) counting.add(record);
    return counting.counts;
  }

  /** Returns the smallest list that contains all executions of a filter. */
  #group(filter: ExecutionFilter): readonly Entry[] {
    const { mapRunArn, machineArn } = filter;
    const [condition] = conditionsOf(filter);
    if (condition !== undefined && "value" in condition) {
      const members = [...(this.#attributes.get(attributeKey(condition.name, condition.value)) ?? [])];
      return members.sort((a, b) => a.record.order - b.record.order);
    }
    const name = mapRunArn !== undefined ? `run ${mapRunArn}` : machineArn !== undefined ? `machine ${machineArn}` : "all";
    return this.#groups.get(name) ?? [];
  }

  async ended({ before, limit }: EndedPage): Promise<EndedExecution[]> {
    this.#check();
    const end = before === undefined ? this.#ended.length : placeOf(this.#ended, before);
    const page = this.#ended.slice(Math.max(end - limit, 0), end).reverse();
    return page.map((entry) => {
      const { id, machineArn, status, order } = entry.record;
      return { id, machineArn, status, endedAt: endedAt(entry), order, size: entry.size };
    });
  }

  async due({ after = -Infinity, until, limit = Infinity }: Due): Promise<{ id: string; wakeAt: number }[]> {
    this.#check();
    const due = [...this.#waking]
      .map(({ record, wakeAt }) => ({ id: record.id, order: record.order, wakeAt: wakeAt ?? Infinity }))
      .filter(({ wakeAt }) => wakeAt > after && wakeAt <= until)
      .sort((a, b) => a.wakeAt - b.wakeAt || a.order - b.order);
    const last = due[limit - 1]?.wakeAt;
    return due.filter(({ wakeAt }, i) => i < limit || wakeAt === last).map(({ id, wakeAt }) => ({ id, wakeAt }));
  }

  async prune(what: { ids?: readonly string[]; endedBefore?: number; executions?: number; bytes?: number }): Promise<string[]> {
    this.#check();
    const { endedBefore = -Infinity, executions = Infinity, bytes = Infinity, ids = [] } = what;
    const gone: string[] = [];
    for (const id of ids) {
      const entry = this.#executions.get(id);
      if (entry === undefined) continue;
      gone.push(id);
      this.#drop(entry);
    }
    for (let entry: Entry | undefined; (entry = this.#ended[0]) !== undefined;) {
      if (!(endedAt(entry) < endedBefore || this.#ended.length > executions || this.#endedSize > bytes)) break;
      gone.push(entry.record.id);
      this.#drop(entry);
    }
    return gone;
  }

  #drop(entry: Entry): void {
    const { record } = entry;
    this.#executions.delete(record.id);
    this.#unlist(entry);
    for (const group of groupsOf(record)) {
      const members = this.#groups.get(group) ?? [];
      // The oldest execution is the one that is usually removed.
      const at = members[0] === entry ? 0 : newest(members, record.order + 1);
      members.splice(at, 1);
      if (members.length === 0) this.#groups.delete(group);
    }
  }
}

/** Returns the names of the lists that an execution is in. */
function groupsOf({ machineArn, mapRunArn }: ExecutionRecord): string[] {
  // The children of a Map Run are listed only with the run.
  return mapRunArn === undefined ? ["all", `machine ${machineArn}`] : [`run ${mapRunArn}`];
}

/** Returns the keys under which an execution is found by its attributes. */
function attributeKeys({ attributes }: ExecutionRecord): string[] {
  return Object.entries(attributes ?? {}).map(([name, value]) => attributeKey(name, value));
}

function attributeKey(name: string, value: unknown): string {
  return JSON.stringify([name, value]);
}

/** Returns the index of the last member that began before `order`, or -1 if there is none. */
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

/** Returns the value of a key, and creates it if it does not exist. */
function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Returns the time at which an execution ended. */
const endedAt = ({ record }: Entry): number => record.stopDate ?? Infinity;

/**
 * Returns the index after all executions that ended before this one or together with it. If this one is in the list, it is the last
 * of them.
 */
function firstAfter(ended: readonly Entry[], entry: Entry): number {
  return placeOf(ended, [endedAt(entry), entry.record.order + 1]);
}

/** Returns the index of the first of the ended executions that is at or after a position. */
function placeOf(ended: readonly Entry[], [time, order]: readonly [endedAt: number, order: number]): number {
  let low = 0;
  let high = ended.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = ended[middle];
    if (one !== undefined && (endedAt(one) < time || (endedAt(one) === time && one.record.order < order))) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the length of the texts of an execution, in characters. */
function sizeOf({ record, journal, snapshot, pieces }: Entry): number {
  const texts = [
    record.input,
    record.output,
    record.cause,
    snapshot,
    ...journal.map(({ body }) => body),
    ...pieces.map(({ text }) => text),
  ];
  return texts.reduce((sum: number, text) => sum + (typeof text === "string" ? text.length : 0), 0);
}
