// The history of an execution: the events in the store and those that only its engine has.

import type { ExecutionRecord, Store } from "../../core/api/durable.d.ts";
import type { HistoryEvent } from "../../core/api/index.d.ts";
import type { Live } from "./live.ts";
import type { Remade } from "./replay.ts";

/** What the history needs of the host of an execution. */
interface HistoryHost {
  readonly store: Store;
  find(id: string): Live | undefined;
  take(id: string): Promise<Live | undefined>;
  record(id: string): Promise<ExecutionRecord | undefined>;
  examine(id: string): Promise<Remade>;
}

/** A page of a history: `limit` events after the first `from` ones or, with `reverse`, before the last `from` ones. */
export interface HistoryPage {
  from?: number;
  limit?: number;
  reverse?: boolean;
}

/** Returns a page of an execution's history and the number of all its events, or undefined if there is no such execution. */
export function historyOf(
  host: { at(id: string, name: string, args: readonly unknown[]): Promise<any> },
  id: string,
  page: HistoryPage = {},
): Promise<{ events: HistoryEvent[]; total: number } | undefined> {
  return host.at(id, "history", [id, page]);
}

/** The same for an execution that this process owns. */
export async function ownHistory(
  host: HistoryHost,
  id: string,
  { from = 0, limit = Infinity, reverse = false }: HistoryPage = {},
): Promise<{ events: HistoryEvent[]; total: number } | undefined> {
  const live = host.find(id) ?? (await host.take(id));
  if (live !== undefined && live.driver.outcome !== undefined) return host.store.history(id, { from, limit, reverse });
  const known =
    live === undefined ? await madeAgain(host, id) : { total: live.events, before: live.before, tail: (at: number) => live.tail(at) };
  if (known === undefined) return host.store.history(id, { from, limit, reverse });
  const { total, before, tail } = known;
  const count = Math.max(0, Math.min(limit, total - from));
  const first = reverse ? total - from - count : from;
  // The engine has the events after the snapshot from which it was restored.
  const own = Math.max(first, before);
  const events = count === 0 ? [] : tail(own).slice(0, Math.max(0, first + count - own));
  if (first < own && count > 0) {
    const stored = await host.store.history(id, { from: first, limit: Math.min(count, own - first) });
    events.unshift(...((stored?.events ?? []) as HistoryEvent[]));
  }
  return { events: reverse ? events.reverse() : events, total };
}

/** The events that an engine has: their number, and those after the first `before` ones. */
interface KnownEvents {
  total: number;
  before: number;
  tail(from: number): HistoryEvent[];
}

/** Restores the events of a running execution that is not in memory here, because it is suspended or another host runs it. */
async function madeAgain(host: HistoryHost, id: string): Promise<KnownEvents | undefined> {
  if ((await host.record(id))?.status !== "RUNNING") return undefined;
  // For a damaged execution, only the events in the store are returned.
  const made = await host.examine(id).catch(() => undefined);
  if (made === undefined) return undefined;
  const { engine, standing } = made;
  const before = standing?.events ?? 0;
  const total = engine.events;
  const events = engine.history(before, total);
  engine.discard();
  return { total, before, tail: (from) => events.slice(from - before) };
}
