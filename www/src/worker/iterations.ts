// The iterations of a Map, and what has become of each.

import type { DebugSession } from "stepglass/debug";
import type { Iteration, Iterations } from "../model/protocol.ts";

/// Of the Map that a state is, or is in, as it was where one looks.
export function iterationsOf(session: DebugSession, state: string, enter?: number): Iterations | null {
  const visits = [...session.visitsInOrder()];
  const upTo = session.event;
  const chosen = enter === undefined ? visits.findLast((visit) => visit.state === state && visit.enter <= upTo) : visits.find((visit) => visit.enter === enter);
  let map = chosen ?? visits.findLast((visit) => visit.state === state);
  while (map && map.type !== "Map") map = visits[map.around];
  if (!map) return null;
  const found = new Map<number, Iteration>();
  const end = map.end === 0 ? upTo : Math.min(map.end, upTo);
  const history = session.history(map.enter - 1);
  for (const event of history) {
    if (event.id > end) break;
    const index = (event as { mapIterationStartedEventDetails?: { name: string; index: number }; [other: string]: unknown });
    const details = Object.entries(index).find(([key]) => key.startsWith("mapIteration"))?.[1] as { name?: string; index?: number } | undefined;
    if (details?.name !== map.state || typeof details.index !== "number") continue;
    if (event.type === "MapIterationStarted") found.set(details.index, { index: details.index, status: "running", event: event.id });
    else {
      const known = found.get(details.index);
      if (known) known.status = event.type === "MapIterationSucceeded" ? "done" : event.type === "MapIterationFailed" ? "failed" : "aborted";
    }
  }
  const started = history.find((event) => event.type === "MapStateStarted") as { mapStateStartedEventDetails?: { length: number } } | undefined;
  // Which visit of the state is of which iteration.
  for (const visit of visits) {
    if (visit.around !== map.id || visit.state !== state) continue;
    const known = found.get(visit.slot);
    if (known) known.enter = visit.enter;
  }
  const list = [...found.values()].sort((a, b) => a.index - b.index);
  return { map: map.state, total: started?.mapStateStartedEventDetails?.length ?? list.length, list };
}
