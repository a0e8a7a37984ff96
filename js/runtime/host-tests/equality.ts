// Compares histories. Two of them are equal apart from the times of their events and, if parts run concurrently, from the order.

import type { HistoryEvent } from "../../core/api/index.d.ts";
import { holds, same, sorted } from "./checks.ts";

const DATE = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
// Executions that tasks have started have random names.
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const EPOCH = /((?:Start|Stop)Date\\*":)\d+/g;

/** The differences that a comparison allows. */
export interface Comparison {
  /** Whether branches, iterations or tasks run concurrently. The host then determines the order of events. */
  concurrent?: boolean;
  /** Whether the histories contain names of executions that tasks have started. */
  children?: boolean;
}

/** Fails unless two histories have the same events. */
export function sameHistory(actual: readonly HistoryEvent[], expected: readonly HistoryEvent[], how: Comparison = {}): void {
  inOrder(actual);
  const [is, was] = [actual, expected].map((events) => events.map((event) => timeless(event, how)));
  if (how.concurrent) return same(is!.map(withoutIds).sort(), was!.map(withoutIds).sort(), "the history, in any order,");
  for (const [i, event] of was!.entries()) same(is![i], event, `event ${i + 1}`);
  same(is!.length, was!.length, "the number of events");
}

/** Fails unless ids count from 1, each event refers to an earlier one, and times do not decrease. */
export function inOrder(events: readonly HistoryEvent[]): void {
  let last = 0;
  for (const [i, { id, previousEventId, timestamp }] of events.entries()) {
    same(id, i + 1, `the id of event ${i + 1}`);
    holds(previousEventId < id, `event ${id} cannot follow event ${previousEventId}`);
    const time = timeOf(timestamp);
    holds(time >= last, `event ${id} is ${last - time} ms before event ${id - 1}`);
    last = time;
  }
}

/** Returns the time of an event, in milliseconds since 1970. */
export function timeOf(timestamp: unknown): number {
  return typeof timestamp === "string" ? Date.parse(timestamp) : Number(timestamp);
}

function timeless({ timestamp: _, ...event }: HistoryEvent, { children }: Comparison): Record<string, unknown> {
  let text = JSON.stringify(event)
    .replaceAll(DATE, "<time>")
    .replaceAll(EPOCH, (_found, member: string) => `${member}0`);
  if (children) text = text.replaceAll(UUID, "<name>");
  return JSON.parse(text) as Record<string, unknown>;
}

function withoutIds({ id: _, previousEventId: __, ...event }: Record<string, unknown>): string {
  return JSON.stringify(sorted(event));
}
