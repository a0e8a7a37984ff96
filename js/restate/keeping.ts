// What a virtual object keeps of its execution, under which names, and how it is read.

import type { ExecutionRecord } from "../api/durable.d.ts";
import type { HistoryEvent } from "../api/index.d.ts";
import type { HistoryEngine } from "../border/history.ts";
import type { ExecutionInfo } from "../execution/execution.ts";
import { piecesOf } from "../store/records.ts";
import { storedJson } from "../store/stored-json.ts";
import type { ObjectContext, ReadingContext } from "./context.ts";
import type { Standing } from "./events.ts";
import type { KeptRuns } from "./runs.ts";

/**
 * `record` is what lists show, with the invocation that has the execution now as `slice`; `input` and `end` are payloads that are too long
 * for it. `standing` is all that a slice needs to go on, in one value. `watchers` are those who wait for the end.
 */
const HISTORY = "history:";
/** Shorter payloads are in the record: each value costs a step of Restate. */
const SHORT = 1024;

/** What a slice needs to go on. */
export interface Kept {
  record: ExecutionRecord;
  /** The time of the last fact. */
  at: number;
  /** How many events were written out. */
  events: number;
  /** The text of the engine's snapshot. */
  engine: string;
  notes: Notes;
}

/** What the host keeps beside the engine. */
export interface Notes {
  info: ExecutionInfo;
  /** The delayed call that comes back; one with another number changes nothing. */
  timer?: { id: number; at: number };
  /** The last number of such a call, and of a task that was called outside of a slice. */
  last: number;
  /** Tasks that are called outside of slices, with the fences of their calls and the invocations that make them. */
  long: [task: number, fence: number, invocation: string][];
  /** Executions that tasks wait for. */
  children: [task: number, arn: string][];
  /** Tasks of activities that nobody has taken, with their Resources. */
  offers?: [task: number, resource: string][];
  /** Its Map Runs, how many shards each has, and how many children run. */
  runs?: [mapRun: string, shards: number, open: number][];
  /** The records of those that are under way. */
  mapRuns?: KeptRuns;
  /** What heartbeats have told of last. */
  beats: [key: string, text: string][];
  /** Signals that nobody has taken, and the ids of those that came. */
  signals: [name: string, payload: string][];
  ids: string[];
  /** What a slice was told while it was under way, and whether that has changed anything: it comes once more, in its turn. */
  heard: [told: string, counts: boolean][];
}

export function newNotes(info: ExecutionInfo): Notes {
  return { info, last: 0, long: [], children: [], beats: [], signals: [], ids: [], heard: [] };
}

/** Keeps a record. Its long payloads are apart, because lists read it; `isNew` says that its input is not kept yet. */
export function keepRecord(ctx: ObjectContext, record: ExecutionRecord, slice: string | undefined, isNew: boolean): void {
  const { input, output, cause, error, ...summary } = record;
  const kept: Record<string, unknown> = { ...summary, ...(slice !== undefined && { slice }) };
  if (input.length <= SHORT) kept.input = input;
  else if (isNew) ctx.set("input", input);
  if (record.status !== "RUNNING") {
    const end = { ...(output !== undefined && { output }), ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) };
    if ((output?.length ?? 0) + (cause?.length ?? 0) <= SHORT) Object.assign(kept, end);
    else ctx.set("end", end);
  }
  ctx.set("record", kept);
}

/** The whole record of an execution; undefined if there is none. */
export async function recordOf(ctx: ReadingContext): Promise<ExecutionRecord | undefined> {
  const kept = await ctx.get<ExecutionRecord>("record");
  if (kept === null) return undefined;
  const { slice, ...record } = kept;
  record.input ??= (await ctx.get<string>("input")) ?? "{}";
  if (record.status === "RUNNING") return record as ExecutionRecord;
  const isShort = record.output !== undefined || record.cause !== undefined || record.error !== undefined;
  const end = isShort ? null : await ctx.get<Standing>("end");
  return { ...record, ...end } as ExecutionRecord;
}

/** The invocation that has the execution now; undefined for none. */
export async function sliceOf(ctx: ReadingContext): Promise<string | undefined> {
  return (await ctx.get<{ slice?: string }>("record"))?.slice;
}

/** Writes the events that are new since `from`. Returns how many there are now. */
export function keepHistory(ctx: ObjectContext, engine: HistoryEngine, from: number): number {
  const total = engine.events;
  let at = from;
  for (const { text, count } of total === from ? [] : piecesOf({ text: engine.historyText(from), count: total - from })) {
    ctx.set(`${HISTORY}${String(at).padStart(8, "0")}`, text);
    at += count;
  }
  return total;
}

/** Takes the history back that was kept. */
export async function clearHistory(ctx: ObjectContext): Promise<void> {
  for (const name of await ctx.names()) if (name.startsWith(HISTORY)) ctx.clear(name);
}

/** A page of the history as far as it is kept. */
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
