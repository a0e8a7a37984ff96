// Stores the history of an execution outside of the engine: pages of events as bytes, which take no space in the module's memory
// and little in JavaScript's heap. Events are parsed when they are read.

import { RestoreError, misuse } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { EngineSnapshot, HistoryEvent } from "../api/index.d.ts";
import type { TimedEvent } from "./facts.ts";

/** Approximate size of a page, in bytes. */
export const PAGE = 2 ** 23;
// Maximum length of a text that is parsed at once. A larger one could exhaust JavaScript's heap, which a program cannot catch.
const AT_ONCE = 2 ** 30;
// Number of events below which a snapshot is restored together with its events.
const FEW = 1024;
const encoder = new TextEncoder();

/** A part of a history. */
export interface Page {
  /** The number of events. */
  count: number;
  /** The length of the text without marks. */
  whole: number;
  /** The text, encoded. */
  bytes: Uint8Array;
}

/** The pages of a history, in order. The first events may be stored elsewhere. */
export class Archive {
  #pages: Page[] = [];
  /** The number of first events that are stored elsewhere. Reading one of them here is an error. */
  readonly before: number;
  /** The number of all events, including those that are stored elsewhere. */
  count: number;

  constructor(before = 0) {
    this.before = before;
    this.count = before;
  }

  add(pages: readonly Page[]): void {
    for (const page of pages) {
      this.#pages.push(page);
      this.count += page.count;
    }
  }

  /** Returns the length of the text of all events from an index on. */
  length(index: number): number {
    let [first, length] = [this.before, 0];
    for (const { count, whole } of this.#pages) {
      first += count;
      if (first > index) length += whole;
    }
    return length;
  }

  /** Returns the events from an index to the end of its page. */
  read(index: number): TimedEvent[] {
    if (index < this.before) throw elsewhere(this.before);
    let first = this.before;
    for (const { count, bytes } of this.#pages) {
      if (index < first + count) return eventsOf(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)).slice(index - first);
      first += count;
    }
    return [];
  }

  /**
   * Takes the events out of a snapshot if there are many, because the engine does not read them. Returns the engine's snapshot as
   * text. If the snapshot is lean, the events that it lacks are stored elsewhere. `isPage` says whether a text has events in the
   * form of the engine.
   */
  static of(
    snapshot: EngineSnapshot,
    isPage: (text: string) => boolean,
    write: (snapshot: EngineSnapshot) => string,
  ): { archive: Archive; text: string } {
    const executions: readonly unknown[] = Array.isArray(snapshot.executions) ? snapshot.executions : [];
    const own = executions.find((execution) => isObject(execution) && execution.id === 0) as
      | { events?: readonly HistoryEvent[]; lastEvent?: unknown }
      | undefined;
    const events = own?.events;
    const archive = new Archive(missing(snapshot, own));
    if (!Array.isArray(events) || events.length < FEW) return { archive, text: write(snapshot) };
    let texts: string[] = [];
    let length = 0;
    const pages: Page[] = [];
    const end = () => {
      const text = `[${texts.join(",")}]`;
      if (!isPage(text)) throw new RestoreError("the snapshot cannot be restored: execution.events is missing or not what was written");
      const bytes = encoder.encode(text);
      pages.push({ count: texts.length, whole: bytes.length, bytes });
      [texts, length] = [[], 0];
    };
    for (const event of events) {
      const text = JSON.stringify(event) ?? "null";
      texts.push(text);
      length += text.length;
      if (length >= PAGE) end();
    }
    if (texts.length > 0) end();
    archive.add(pages);
    return { archive, text: write({ ...snapshot, executions: executions.map((one) => (one === own ? { ...own, events: [] } : one)) }) };
  }
}

/** Returns how many of the first events a snapshot lacks although its execution has a history. */
function missing({ options }: EngineSnapshot, own?: { events?: readonly HistoryEvent[]; lastEvent?: unknown }): number {
  const { events, lastEvent } = own ?? {};
  if (!Array.isArray(events) || !Number.isSafeInteger(lastEvent) || !isObject(options) || options.history !== true) return 0;
  return Math.max(0, (lastEvent as number) - events.length);
}

/** Returns the error for an event that is stored elsewhere. */
function elsewhere(before: number): Error {
  return misuse(
    "HISTORY_ELSEWHERE",
    `the first ${before} events of the history are kept elsewhere, because the engine was restored from a lean snapshot: read them there`,
    RangeError,
  );
}

/** Parses the events of a page's text, in the form of a snapshot or of an engine; see src/engine/archive.rs. */
export function eventsOf(text: string): TimedEvent[] {
  const page: TimedEvent[] | [before: number, ...parts: Part[]] = JSON.parse(withoutMarks(text));
  if (!isShort(page)) return page;
  let id = page[0];
  let time = 0;
  let timestamp = "";
  const types: (readonly [string, string])[] = [];
  const events: TimedEvent[] = [];
  for (let i = 1; i < page.length; i++) {
    const part = page[i] as Part;
    if (isType(part)) types.push(part);
    else if (isTime(part)) [time, timestamp] = part;
    else {
      const [number, back, details, restored] = part;
      const [type, member] = types[number]!;
      id += 1;
      const event: Record<string, unknown> = { timestamp, type, id, previousEventId: id - back };
      if (restored !== undefined) event[restored] = details;
      else if (details !== undefined) event[member] = noted(details);
      events.push([time, event as unknown as HistoryEvent]);
    }
  }
  return events;
}

type Event = [type: number, back: number, details?: Record<string, unknown>, restored?: string];
type Part = [name: string, member: string] | [milliseconds: number, text: string] | Event;

const isShort = (page: unknown[]): page is [number, ...Part[]] => typeof page[0] === "number";
const isType = (part: Part): part is [string, string] => typeof part[0] === "string";
const isTime = (part: Part): part is [number, string] => typeof part[1] === "string";

/** Adds the notes that payloads are complete. */
function noted(details: Record<string, unknown>): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const name in details) {
    all[name] = details[name];
    if (name === "input" || name === "output" || name === "assignedVariables") all[`${name}Details`] = { truncated: false };
  }
  return all;
}

/** Returns the text of a page with its payloads in place of their marks. */
function withoutMarks(text: string): string {
  const parts = text.split(/[\x01\x02]/);
  if (parts.length === 1) return text;
  const payloads: string[] = [];
  for (let i = 1; i < parts.length; i += 2) {
    const part = parts[i] ?? "";
    if (part.startsWith('"')) payloads.push(part);
    else parts[i] = payloads[Number(part)] ?? "";
  }
  return parts.join("");
}

/** Throws for a history that is too long to be parsed at once. */
export function checkAtOnce(length: number, what: string): void {
  if (length <= AT_ONCE) return;
  const giga = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  throw misuse(
    "HISTORY_TOO_LARGE",
    `${what} has more than ${giga(AT_ONCE)} of text (${giga(length)} up to here): read the events one after the other (for await (const event of execution)), or keep none (history: "none")`,
    RangeError,
  );
}
