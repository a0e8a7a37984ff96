/**
 * Executions that outlive their process: they are kept in a store, and go on where they were after a restart.
 *
 * @example
 * ```js
 * import { Runtime } from "stepglass/durable";
 * import { sqlite } from "stepglass/sqlite";
 *
 * const runtime = new Runtime({
 *   store: sqlite("orders.db"),
 *   machines: { Order: definition },
 *   tasks: { charge: async ({ amount }, task) => pay(amount, { idempotencyKey: task.idempotencyKey }) },
 * });
 * await runtime.open(); // goes on with whatever ran
 * const execution = await runtime.start("Order", { name: "order-7", input: { amount: 12 } });
 * console.log(await execution.result);
 * await runtime.close();
 * ```
 *
 * @packageDocumentation
 */
import type { ExecutionStatus } from "./index.js";

// -------------------------------------------------------------------------------------------------------- stores

/**
 * Keeps machines and executions. {@link Runtime} and the server of `stepglass/server` write to it; one of them owns a store at a time.
 *
 * An execution is a record, the facts that its engine was fed since the last snapshot, that snapshot, and the events of its history
 * that were written out. Facts are the truth: feeding them to the engine again makes the execution again. Texts are opaque to a store.
 *
 * Every store guarantees:
 * 1. A {@link Batch} is atomic: all of it is stored, or nothing.
 * 2. When `write` resolves, what it reports as written is stored; in a `durable` store it outlives the process, and a loss of power.
 * 3. A batch whose `version` is not the record's is refused with {@link StoreConflict} and changes nothing; the others are written.
 * 4. Facts and events keep the order in which they were written, without gaps. There is no order between executions.
 * 5. Only its owner writes: `open` fails with {@link StoreConflict} while another owner has the store. A process that dies owns nothing.
 * 6. Values are copied as JSON: what a caller does with them afterwards has no effect. A batch whose record JSON does not have is refused
 *    with {@link StoreError}, like a conflict.
 * 7. A write that fails as a whole (the disk is full) has written nothing, and the store can be used again. An execution whose data is
 *    damaged is refused by `load` with {@link StoreError}; all others can be used.
 *
 * A store that is not open refuses every call with {@link StoreError}.
 *
 * `storeSuite` of `pkg-tests/store/suite.mjs` checks these guarantees for any store.
 */
export interface Store {
  /** Whether the data outlives the process. */
  readonly durable: boolean;
  /** Opens the store for its only owner. Creates or migrates its schema; a schema of a newer version is refused ({@link StoreError}). */
  open(options: { owner: string }): Promise<void>;
  /** Gives the store up. Has no effect if it is not open. */
  close(): Promise<void>;

  /** Stores a small JSON document: a machine with its versions and aliases, an activity, a schedule, a Map Run. */
  put(collection: string, key: string, value: unknown): Promise<void>;
  /** Removes a document. Has no effect if there is none. */
  remove(collection: string, key: string): Promise<void>;
  /** Returns one document. */
  document(collection: string, key: string): Promise<any>;
  /** Returns all documents of a collection, in the order in which their keys were first put. */
  all(collection: string): AsyncIterable<[key: string, value: any]>;
  /** Stores the text of a definition under its hash. */
  putDefinition(hash: string, text: string): Promise<void>;
  getDefinition(hash: string): Promise<string | undefined>;

  /** Writes many batches, of different executions, with one sync to the disk. The results are in their order. */
  write(batches: readonly Batch[]): Promise<BatchResult[]>;
  /** Returns the record of an execution. */
  get(id: string): Promise<ExecutionRecord | undefined>;
  /** Returns what makes an execution again: its last snapshot, and the facts since. */
  load(id: string): Promise<StoredExecution | undefined>;
  /**
   * Returns events of the history that were written out; `from` counts from the beginning, or with `reverse` from the end. `total` is how
   * many were written out.
   */
  history(id: string, page?: { from?: number; limit?: number; reverse?: boolean }): Promise<{ events: any[]; total: number } | undefined>;
  /** Returns executions, the latest first. The children of Map Runs are only in a list of their Map Run. */
  list(filter?: ExecutionFilter, page?: { before?: number; limit?: number }): Promise<{ items: ExecutionSummary[]; before?: number }>;
  /** Counts the executions that a filter selects. */
  count(filter?: ExecutionFilter): Promise<number>;
  /**
   * Returns running executions whose `wakeAt` is after `after` (default: all) and not after `until`, the earliest first. With `limit`
   * (default: all) a page ends where it is reached, but never between executions of the same time: what comes after the last one of a
   * page is the next page.
   */
  due(range: { after?: number; until: number; limit?: number }): Promise<{ id: string; wakeAt: number }[]>;
  /**
   * Removes executions: those with the given ids, and ended ones, that which ended first (`stopDate`) first, as long as it ended before
   * `endedBefore`, or there are more than `executions` ended ones, or their texts have more than `bytes` characters. Returns their ids.
   */
  prune(what: { ids?: readonly string[]; endedBefore?: number; executions?: number; bytes?: number }): Promise<string[]>;
}

/** The record of an execution. Members that are not listed are kept unchanged. Times are milliseconds since 1970. */
export interface ExecutionRecord {
  /** Its ARN. */
  id: string;
  name: string;
  machineArn: string;
  /** The Map Run that it is a child execution of. */
  mapRunArn?: string;
  /** The hash of the definition that it runs. */
  definition?: string;
  status: ExecutionStatus;
  startDate: number;
  stopDate?: number;
  /** JSON text. */
  input: string;
  /** JSON text. */
  output?: string;
  error?: string;
  cause?: string;
  tags?: Record<string, string>;
  /** Increases with every execution of the store; the store sets it. */
  order?: number;
  /** How often the record was written; the store sets it. 1 after the batch that has created it. */
  version?: number;
  [member: string]: unknown;
}

/** A record without its payloads. */
export type ExecutionSummary = Omit<ExecutionRecord, "input" | "output" | "cause"> & { order: number; version: number };

/** Selects executions: those to which every member applies. */
export interface ExecutionFilter {
  machineArn?: string;
  /** The child executions of this Map Run, which no other filter selects. */
  mapRunArn?: string;
  status?: ExecutionStatus | readonly ExecutionStatus[];
  /** The beginning of the name. */
  namePrefix?: string;
  /** All of these tags, with these values. */
  tags?: Record<string, string>;
  /** Started at this time or later. */
  startedFrom?: number;
  /** Started before this time. */
  startedBefore?: number;
}

/** One atomic write to an execution. */
export interface Batch {
  /** The ARN of the execution. */
  id: string;
  /** The record's version that the batch is written on; 0 with `create`. */
  version: number;
  /** The record of a new execution. If there is one with this id, the batch is refused, and the result has that record. */
  create?: ExecutionRecord;
  /**
   * Changes of the record; a member that is undefined is removed. `id`, `machineArn`, `mapRunArn`, `order` and `version` stay as they
   * are.
   */
  change?: Partial<ExecutionRecord>;
  /** Facts to append. */
  facts?: Texts;
  /** Replaces all facts so far, those of this batch among them; null removes the snapshot, too. */
  snapshot?: string | null;
  /** Events to append to the history. */
  events?: Texts;
  /**
   * When the execution has to be loaded again after a restart: 0 for at once, null for when somebody asks for it. Absent: as before, and
   * null for a new execution. An execution that is not RUNNING is never due.
   */
  wakeAt?: number | null;
}

/** JSON texts of the same kind: the text of an array, and its length. */
export interface Texts {
  text: string;
  count: number;
}

/** What has become of a batch. */
export type BatchResult = { ok: true; version: number; order: number } | { ok: false; error: Error; record?: ExecutionRecord };

/** What a store keeps to make an execution again. */
export interface StoredExecution {
  record: ExecutionRecord;
  /** How many facts were written since the execution began, those that a snapshot has replaced among them. */
  facts: number;
  /** How many events were written out. */
  events: number;
  snapshot?: string;
  /** JSON texts of arrays: the facts since the snapshot, in their order. */
  journal: string[];
  wakeAt: number | null;
}

/** Another writer has written since, or owns the store. */
export class StoreConflict extends Error {
  readonly code: "STORE_CONFLICT";
}

/** The store cannot do what is asked: its schema is newer, the disk is full, a record is damaged. */
export class StoreError extends Error {
  readonly code: string;
}

/** A Store in memory, which is lost when the process ends. */
export interface MemoryStore extends Store {}
export class MemoryStore {
  readonly durable: false;
}
