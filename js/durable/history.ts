// The history of an execution: what the store has, and what its engine has in memory.

import type { HistoryEvent } from "../api/index.d.ts";
import type { Host } from "./host.ts";

/** A page of a history: `limit` events after the first `from` ones, or with `reverse` before the last `from` ones. */
export interface HistoryPage {
  from?: number;
  limit?: number;
  reverse?: boolean;
}

/** A page of an execution's history, and the number of all its events; undefined if there is no such execution. */
export function historyOf(host: Host, id: string, page: HistoryPage = {}): Promise<{ events: HistoryEvent[]; total: number } | undefined> {
  return host.at(id, "history", [id, page]);
}

/** The same of an execution that is this process's. */
export async function ownHistory(
  host: Host,
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
  // The engine has what came after the snapshot that it was made from.
  const own = Math.max(first, before);
  const events = count === 0 ? [] : tail(own).slice(0, Math.max(0, first + count - own));
  if (first < own && count > 0) {
    const stored = await host.store.history(id, { from: first, limit: Math.min(count, own - first) });
    events.unshift(...((stored?.events ?? []) as HistoryEvent[]));
  }
  return { events: reverse ? events.reverse() : events, total };
}

/** What an engine knows of a history: how many events there are, and those after the first `before` ones. */
interface KnownEvents {
  total: number;
  before: number;
  tail(from: number): HistoryEvent[];
}

/** The events of an execution that runs and is not taken up here, because it is suspended or others run it. */
async function madeAgain(host: Host, id: string): Promise<KnownEvents | undefined> {
  if ((await host.record(id))?.status !== "RUNNING") return undefined;
  // Of one that is damaged there is what was written out.
  const made = await host.examine(id).catch(() => undefined);
  if (made === undefined) return undefined;
  const { engine, standing } = made;
  const before = standing?.events ?? 0;
  const total = engine.events;
  const events = engine.history(before, total);
  engine.discard();
  return { total, before, tail: (from) => events.slice(from - before) };
}
