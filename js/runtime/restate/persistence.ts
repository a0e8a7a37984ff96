// The state of an execution's virtual object: the names of its entries, and how they are read and written.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import type { HistoryEvent } from "../../core/api/index.d.ts";
import type { HistoryEngine } from "../../core/border/history-engine.ts";
import type { ExecutionInfo } from "../../core/execution/execution.ts";
import { piecesOf } from "../store/records.ts";
import { storedJson } from "../store/stored-json.ts";
import type { ObjectContext, ReadingContext } from "./context.ts";
import type { Standing } from "./events.ts";
import type { StoredRuns } from "./runs.ts";

/**
 * The other entries: `record` is what lists show, with the running invocation as `slice`. `input` and `end` have payloads that are
 * too long
 * for it. `standing` has everything that a slice needs to continue, in one value. `watchers` are notified of the end.
 */
const HISTORY = "history:";
/** Shorter payloads are in the record, because each entry costs a step of Restate. In characters. */
const SHORT = 1024;

/** The data that a slice needs to continue. */
export interface StoredExecution {
  record: ExecutionRecord;
  /** The time of the last fact. */
  at: number;
  /** The number of stored events. */
  events: number;
  /** The text of the engine's snapshot. */
  engine: string;
  notes: Notes;
}

/** The host's data beside the engine. */
export interface Notes {
  info: ExecutionInfo;
  /** The delayed call that wakes the execution. A call with another number has no effect. */
  timer?: { id: number; at: number };
  /** The last number that was given to a delayed call, or to a call of a task outside of a slice. */
  last: number;
  /** Tasks that are called outside of slices, with the numbers of their calls and their invocations. */
  long: [task: number, fence: number, invocation: string][];
  /** Executions that tasks wait for. */
  children: [task: number, arn: string][];
  /** Tasks of activities that no worker has taken, with their Resources. */
  offers?: [task: number, resource: string][];
  /** The Map Runs, with the number of shards and of running children of each. */
  runs?: [mapRun: string, shards: number, open: number][];
  /** The records of Map Runs in progress. */
  mapRuns?: StoredRuns;
  /** The last details of heartbeats. */
  beats: [key: string, text: string][];
  /** Signals that no task has taken, and the ids of all received signals. */
  signals: [name: string, payload: string][];
  ids: string[];
  /**
   * The messages that a slice has handled while it was running, and whether each had an effect. Each message also arrives as a
   * call, which must not apply it again.
   */
  heard: [told: string, counts: boolean][];
}

export function newNotes(info: ExecutionInfo): Notes {
  return { info, last: 0, long: [], children: [], beats: [], signals: [], ids: [], heard: [] };
}

/** Stores a record. Long payloads are separate, because lists read the record. `isNew` says that the input is not stored yet. */
export function storeRecord(ctx: ObjectContext, record: ExecutionRecord, slice: string | undefined, isNew: boolean): void {
  const { input, output, cause, error, ...summary } = record;
  const stored: Record<string, unknown> = { ...summary, ...(slice !== undefined && { slice }) };
  if (input.length <= SHORT) stored.input = input;
  else if (isNew) ctx.set("input", input);
  if (record.status !== "RUNNING") {
    const end = { ...(output !== undefined && { output }), ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) };
    if ((output?.length ?? 0) + (cause?.length ?? 0) <= SHORT) Object.assign(stored, end);
    else ctx.set("end", end);
  }
  ctx.set("record", stored);
}

/** Returns the whole record of an execution; undefined if there is none. */
export async function recordOf(ctx: ReadingContext): Promise<ExecutionRecord | undefined> {
  const stored = await ctx.get<ExecutionRecord>("record");
  if (stored === null) return undefined;
  const { slice, ...record } = stored;
  record.input ??= (await ctx.get<string>("input")) ?? "{}";
  if (record.status === "RUNNING") return record as ExecutionRecord;
  const isShort = record.output !== undefined || record.cause !== undefined || record.error !== undefined;
  const end = isShort ? null : await ctx.get<Standing>("end");
  return { ...record, ...end } as ExecutionRecord;
}

/** Returns the invocation of the running slice; undefined if no slice is running. */
export async function sliceOf(ctx: ReadingContext): Promise<string | undefined> {
  return (await ctx.get<{ slice?: string }>("record"))?.slice;
}

/** Stores the events after the first `from` ones. Returns the number of all events. */
export function storeHistory(ctx: ObjectContext, engine: HistoryEngine, from: number): number {
  const total = engine.events;
  let at = from;
  for (const { text, count } of total === from ? [] : piecesOf({ text: engine.historyText(from), count: total - from })) {
    ctx.set(`${HISTORY}${String(at).padStart(8, "0")}`, text);
    at += count;
  }
  return total;
}

/** Removes the stored history. */
export async function clearHistory(ctx: ObjectContext): Promise<void> {
  for (const name of await ctx.names()) if (name.startsWith(HISTORY)) ctx.clear(name);
}

/** Returns a page of the stored history. */
export async function historyOf(
  ctx: ReadingContext,
  { from = 0, limit = Infinity, reverse = false }: { from?: number; limit?: number; reverse?: boolean },
): Promise<HistoryEvent[]> {
  const summary = await ctx.get<ExecutionRecord>("record");
  const total = Number(summary?.events ?? 0);
  const count = Math.max(0, Math.min(limit, total - from));
  const first = reverse ? total - from - count : from;
  const names = (await ctx.names()).filter((name) => name.startsWith(HISTORY)).sort();
  const events: HistoryEvent[] = [];
  for (const [i, name] of names.entries()) {
    const begin = Number(name.slice(HISTORY.length));
    const next = names[i + 1];
    const end = next === undefined ? total : Number(next.slice(HISTORY.length));
    if (end <= first || begin >= first + count) continue;
    const piece: HistoryEvent[] = storedJson((await ctx.get<string>(name)) ?? "[]", "the history");
    events.push(...piece.slice(Math.max(first - begin, 0), first + count - begin));
  }
  return reverse ? events.reverse() : events;
}
