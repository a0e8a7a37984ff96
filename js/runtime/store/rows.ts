// The object stores of the browser's database, and the row of an execution.

import type { ExecutionFilter, ExecutionRecord } from "../../core/api/durable.d.ts";
import { type Condition, conditionsOf } from "./attributes.ts";
import { PAYLOADS, type Stored } from "./records.ts";
import { Reading } from "./reading.ts";
import { answer, walk } from "./requests.ts";

/** The version of the schema. Each change of the schema has a step in `migrate`. */
export const SCHEMA = 2;

export const STORES = ["counter", "definition", "document", "execution", "text", "fact", "history"] as const;

const reading = new Reading("IndexedDB");

/** An execution. Its texts (payloads, snapshot, facts, history) are in other object stores, under keys that begin with its order. */
export interface Row {
  /** The key, a number that increases with every execution. */
  order: number;
  id: string;
  /** The Map Run in whose list the execution is; empty for the list of all. */
  scope: string;
  machine: string;
  status: string;
  record: Stored;
  /** The lengths of its texts: of each payload and the snapshot by their names, and of all facts since the snapshot. */
  sizes: Record<string, number>;
  facts: number;
  events: number;
  wakeAt: number | null;
  /** The time at which a running execution wakes, if it has one. */
  wake?: number;
  /** For an ended execution: the time at which it ended, or Infinity if that is not known, and its order. */
  ended?: [stopDate: number, order: number];
  /** Its attributes, each with its order. */
  attributes?: [name: string, value: Indexed, order: number][];
  bytes: number;
}

/** The value of an attribute in a form that can be a key. Numbers come before texts, and those before booleans. */
type Indexed = number | string | [boolean: number];

/** A part of a history. */
export interface Piece {
  from: number;
  count: number;
  text: string;
}

/** A JSON document of a collection. Its key is a number that increases with every document. */
export interface DocumentRow {
  collection: string;
  key: string;
  text: string;
}

/** Migrates any older schema to the current one. */
export function migrate(database: IDBDatabase, transaction: IDBTransaction, from: number): void {
  if (from < 1) {
    database.createObjectStore("counter");
    database.createObjectStore("definition");
    const documents = database.createObjectStore("document", { autoIncrement: true });
    documents.createIndex("collection", "collection");
    documents.createIndex("key", ["collection", "key"], { unique: true });
    const executions = database.createObjectStore("execution", { keyPath: "order" });
    executions.createIndex("id", "id", { unique: true });
    executions.createIndex("scope", ["scope", "order"]);
    executions.createIndex("machine", ["scope", "machine", "order"]);
    executions.createIndex("status", ["scope", "status", "order"]);
    executions.createIndex("machineStatus", ["scope", "machine", "status", "order"]);
    executions.createIndex("wake", "wake");
    executions.createIndex("ended", "ended");
    for (const name of ["text", "fact", "history"]) database.createObjectStore(name);
  }
  // No older execution has attributes.
  if (from < 2) transaction.objectStore("execution").createIndex("attribute", "attributes", { multiEntry: true });
}

/** Returns the row of a new execution. */
export function newRow(record: Stored): Row {
  const { id, mapRunArn = "", machineArn, order, status } = record;
  return {
    order,
    id,
    scope: mapRunArn,
    machine: machineArn,
    status,
    record: withoutPayloads(record),
    sizes: {},
    facts: 0,
    events: 0,
    wakeAt: null,
    bytes: 0,
  };
}

/** Sets or deletes the index keys that only some rows have. */
export function index(row: Row): void {
  const { status, stopDate } = row.record;
  if (status === "RUNNING") delete row.ended;
  else row.ended = [stopDate ?? Infinity, row.order];
  if (status === "RUNNING" && row.wakeAt !== null) row.wake = row.wakeAt;
  else delete row.wake;
  const { attributes } = row.record;
  if (attributes === undefined) delete row.attributes;
  else row.attributes = Object.entries(attributes).map(([name, value]) => [name, indexed(value), row.order]);
}

function indexed(value: string | number | boolean): Indexed {
  return typeof value === "boolean" ? [Number(value)] : value;
}

/** Returns the keys of the index of attributes for a range of values. */
function attributeRange({ name, kind, from, before }: Exclude<Condition, { value: unknown }>): IDBKeyRange {
  const lowest = kind === "number" ? -Infinity : "";
  // The first key of the next kind.
  const next = kind === "number" ? "" : [];
  return IDBKeyRange.bound([name, from ?? lowest], [name, before ?? next], false, true);
}

/** Returns a record in the form that a row contains. */
export function withoutPayloads(record: Stored): Stored {
  const rest: Partial<Stored> = { ...record };
  for (const name of PAYLOADS) delete rest[name];
  return rest as Stored;
}

/** Returns the record of an execution with its payloads. */
export async function recordOf(transaction: IDBTransaction, { order, record }: Row): Promise<ExecutionRecord> {
  const texts = transaction.objectStore("text");
  const payloads = await Promise.all(PAYLOADS.map((name) => answer<string | undefined>(texts.get([order, name]))));
  const whole = { ...record };
  for (const [i, name] of PAYLOADS.entries()) {
    const payload = payloads[i];
    if (payload !== undefined) whole[name] = payload;
  }
  return whole;
}

/** Returns the texts of facts, whose keys have the number of the first fact of each. Throws if one has another number of facts. */
export function checkedFacts(bodies: string[], keys: readonly [order: number, seq: number][], { id, facts }: Row): string[] {
  const [first] = keys;
  const rows = bodies.map((body, i) => ({ seq: keys[i]![1], count: (keys[i + 1]?.[1] ?? facts) - keys[i]![1], body }));
  return reading.journal(rows, `execution ${id}`, first?.[1] ?? facts, facts);
}

/** Returns the range of all keys that begin with an execution's order. */
export function keysOf(order: number): IDBKeyRange {
  return IDBKeyRange.bound([order], [order, []]);
}

/**
 * Returns the smallest range of an index that contains all executions of a filter. `exact` says whether the range contains no
 * others.
 */
export function rangeOf(filter: ExecutionFilter, before: number): { index: string; range: IDBKeyRange; exact: boolean } {
  const { mapRunArn = "", machineArn, status, namePrefix, tags, startedFrom, startedBefore } = filter;
  const [condition] = conditionsOf(filter);
  if (condition !== undefined && "value" in condition) {
    const found = [condition.name, indexed(condition.value)];
    return { index: "attribute", exact: false, range: IDBKeyRange.bound([...found, -Infinity], [...found, before], false, true) };
  }
  const statuses = status === undefined || typeof status === "string" ? status : status.length === 1 ? status[0] : undefined;
  const exact =
    (status === undefined || statuses !== undefined) &&
    [namePrefix, tags, startedFrom, startedBefore, condition].every((member) => member === undefined);
  const key = [mapRunArn, ...(machineArn === undefined ? [] : [machineArn]), ...(statuses === undefined ? [] : [statuses])];
  const index =
    machineArn === undefined ? (statuses === undefined ? "scope" : "status") : statuses === undefined ? "machine" : "machineStatus";
  return { index, exact, range: IDBKeyRange.bound([...key, -Infinity], [...key, before], false, true) };
}

/** Calls back with the rows that a filter may select, the latest first, until the callback returns false. */
export async function visit(
  transaction: IDBTransaction,
  filter: ExecutionFilter,
  before: number,
  see: (row: Row) => boolean,
): Promise<void> {
  const executions = transaction.objectStore("execution");
  const [condition] = conditionsOf(filter);
  if (condition === undefined || "value" in condition) {
    const { index, range } = rangeOf(filter, before);
    return walk(executions.index(index).openCursor(range, "prev"), ({ value }) => see(value as Row));
  }
  // The index has these executions in the order of their values.
  const orders = (await answer(executions.index("attribute").getAllKeys(attributeRange(condition)))) as number[];
  for (const order of orders.filter((one) => one < before).sort((a, b) => b - a)) {
    const row: Row | undefined = await answer(executions.get(order));
    if (row !== undefined && !see(row)) return;
  }
}
