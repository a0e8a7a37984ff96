// The handling of records, documents and texts that all stores share.

import type { Batch, ExecutionRecord, ExecutionSummary, Store, Texts } from "../../core/api/durable.d.ts";
import { attributeProblem } from "./attributes.ts";
import { StoreConflict, StoreError } from "./errors.ts";

// Long histories are stored in pieces, so that reading a page does not parse the whole history.
const PIECE_EVENTS = 500;
const PIECE_TEXT = 1 << 18;

/** The record of an execution in a store. */
export type Stored = ExecutionRecord & { order: number; version: number };

/** The options that select due executions. */
export type Due = Parameters<Store["due"]>[0];

/** The options that select a page of ended executions. */
export type EndedPage = Parameters<NonNullable<Store["ended"]>>[0];

/** The members of a record that databases store apart from it, because lists do not read them. */
export const PAYLOADS = ["input", "output", "cause"] as const;
const PAYLOAD: ReadonlySet<string> = new Set(PAYLOADS);
/** The members that have a column of their own in an SQL database. */
const COLUMNS: ReadonlySet<string> = new Set(["id", "name", "machineArn", "mapRunArn", "status", "startDate", "order", "version"]);

/** Returns the record after a batch. It shares no objects with the caller, and contains only JSON values. */
export function changed(known: Stored | undefined, { id, create, change }: Batch, order: number): Stored {
  const { version = 0 } = known ?? {};
  const record: Record<string, unknown> = { ...(known ?? own(create ?? {})), ...(change && own(change)), id, order, version: version + 1 };
  for (const [name, value] of Object.entries(change ?? {})) if (value === undefined) delete record[name];
  const { machineArn, mapRunArn } = known ?? create ?? {};
  record.machineArn = machineArn;
  // A change cannot move an execution to the list of another machine or Map Run.
  if (mapRunArn === undefined) delete record.mapRunArn;
  else record.mapRunArn = mapRunArn;
  check(record);
  return record;
}

/** Returns a copy of a record, which the caller may change. */
export function copyOf(record: Stored): Stored {
  return own(record) as Stored;
}

/** Returns a record without its payloads. */
export function summaryOf(record: Stored): ExecutionSummary {
  const { input, output, cause, ...summary } = copyOf(record);
  return summary;
}

/**
 * Returns, as JSON, the members of a record that have no column and are not stored as payloads. Payloads that are not texts are
 * among them.
 */
export function aboutOf(record: Stored): string {
  const about: Record<string, unknown> = {};
  for (const name in record) {
    const value = record[name];
    if (!COLUMNS.has(name) && !(PAYLOAD.has(name) && typeof value === "string")) about[name] = value;
  }
  return JSON.stringify(about);
}

/** Returns the time at which an execution ended, Infinity if that is not known, or null while it is running. */
export function endedAt({ status, stopDate }: Stored): number | null {
  return status === "RUNNING" ? null : (stopDate ?? Infinity);
}

/** Returns the members of an object that JSON can represent, without sharing objects with the caller. */
function own(object: object): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    const copied = typeof value === "string" || typeof value === "boolean" || value === null ? value : fromJson(value);
    if (copied !== undefined) copy[name] = copied;
  }
  return copy;
}

function fromJson(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Throws for a record that no store could find again. */
function check(record: Record<string, unknown>): asserts record is Stored {
  for (const name of ["id", "name", "machineArn", "status", "input"])
    if (typeof record[name] !== "string") throw unusable(`${name} of the record of ${record.id} must be a string`);
  if (typeof record.startDate !== "number") throw unusable(`startDate of the record of ${record.id} must be a number`);
  const problem = record.attributes === undefined ? undefined : attributeProblem(record.attributes);
  if (problem !== undefined) throw unusable(`${problem}, in the record of ${record.id}`);
}

/** Returns the JSON text of a document. */
export function documentText(collection: string, key: string, value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw unusable(`the document ${collection} ${key} must be a JSON value, not ${typeof value}`);
  return text;
}

function unusable(message: string): StoreError {
  return new StoreError("STORE_VALUE", message);
}

/** Splits events of a history into the pieces in which they are stored. */
export function piecesOf({ text, count }: Texts): Texts[] {
  if (count <= PIECE_EVENTS || text.length <= PIECE_TEXT) return [{ text, count }];
  const events: unknown[] = JSON.parse(text);
  const pieces: Texts[] = [];
  for (let from = 0; from < events.length; from += PIECE_EVENTS) {
    const piece = events.slice(from, from + PIECE_EVENTS);
    pieces.push({ count: piece.length, text: JSON.stringify(piece) });
  }
  return pieces;
}

/** Returns which of `total` events a page contains: `count` events after the first `first` ones. */
export function pageOf(
  total: number,
  { from = 0, limit = Infinity, reverse = false }: { from?: number; limit?: number; reverse?: boolean },
): { first: number; count: number } {
  const count = Math.max(0, Math.min(limit, total - from));
  return { first: reverse ? total - from - count : from, count };
}

/** Returns the reason why a batch is refused, or undefined if it is accepted. */
export function refused(batch: Batch, version: number | undefined): StoreConflict | undefined {
  if (batch.create !== undefined) return version === undefined ? undefined : new StoreConflict(`an execution ${batch.id} exists already`);
  if (version === undefined) return new StoreConflict(`there is no execution ${batch.id}`);
  return batch.version === version ? undefined : new StoreConflict(`${batch.id} has version ${version}, not ${batch.version}`);
}

/** Returns the error of a store that is not open. */
export function closed(): StoreError {
  return new StoreError("STORE_CLOSED", "the store is not open");
}
