// What the database of a browser has: its object stores, and the row of an execution.

import type { ExecutionFilter, ExecutionRecord } from "../api/durable.d.ts";
import { PAYLOADS, type Stored } from "./records.ts";
import { answer } from "./requests.ts";

/** The version of the schema. A change of it has a step in `migrate`. */
export const SCHEMA = 1;

export const STORES = ["counter", "definition", "document", "execution", "text", "fact", "history"] as const;

/** An execution. Its texts (payloads, snapshot, facts, history) are in other object stores, under keys that begin with its order. */
export interface Row {
  /** The key: a number that increases with every execution. */
  order: number;
  id: string;
  /** The Map Run that lists it; empty for the list of all. */
  scope: string;
  machine: string;
  status: string;
  record: Stored;
  /** How long its texts are: payloads and the snapshot by their names, and all facts since the snapshot. */
  sizes: Record<string, number>;
  facts: number;
  events: number;
  wakeAt: number | null;
  /** Only of a running one that wakes by itself: when. */
  wake?: number;
  /** Only of an ended one: when it ended, as far as that is known, and its order. */
  ended?: [stopDate: number, order: number];
  bytes: number;
}

/** A part of a history. */
export interface Piece {
  from: number;
  count: number;
  text: string;
}

/** A JSON document of a collection; its key is a number that increases with every document. */
export interface DocumentRow {
  collection: string;
  key: string;
  text: string;
}

/** Makes the schema of today from any older one. */
export function migrate(database: IDBDatabase, from: number): void {
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
}

/** The row of a new execution. */
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

/** Sets the keys of a row that only some rows have. */
export function index(row: Row): void {
  const { status, stopDate } = row.record;
  if (status === "RUNNING") delete row.ended;
  else row.ended = [stopDate ?? Infinity, row.order];
  if (status === "RUNNING" && row.wakeAt !== null) row.wake = row.wakeAt;
  else delete row.wake;
}

/** A record as a row has it. */
export function withoutPayloads(record: Stored): Stored {
  const kept: Partial<Stored> = { ...record };
  for (const name of PAYLOADS) delete kept[name];
  return kept as Stored;
}

/** The record of an execution, with its payloads. */
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

/** All keys that begin with an execution's order. */
export function keysOf(order: number): IDBKeyRange {
  return IDBKeyRange.bound([order], [order, []]);
}

/** The smallest range of an index that has all executions of a filter, and whether the index says all of the filter. */
export function rangeOf(filter: ExecutionFilter, before: number): { index: string; range: IDBKeyRange; exact: boolean } {
  const { mapRunArn = "", machineArn, status, namePrefix, tags, startedFrom, startedBefore } = filter;
  const statuses = status === undefined || typeof status === "string" ? status : status.length === 1 ? status[0] : undefined;
  const exact =
    (status === undefined || statuses !== undefined) &&
    [namePrefix, tags, startedFrom, startedBefore].every((member) => member === undefined);
  const key = [mapRunArn, ...(machineArn === undefined ? [] : [machineArn]), ...(statuses === undefined ? [] : [statuses])];
  const index =
    machineArn === undefined ? (statuses === undefined ? "scope" : "status") : statuses === undefined ? "machine" : "machineStatus";
  return { index, exact, range: IDBKeyRange.bound([...key, -Infinity], [...key, before], false, true) };
}
