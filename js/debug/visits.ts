// @ts-nocheck: has no types yet.
// All visits of states in the order of their entering, as a time line shows them, and those of one state in child executions.

import { detailsOf } from "../history/chains.ts";

/** The visits up to an event, with the pauses between their attempts: `{…, threadName, backoffs: [{failed, again}]}`. */
export function* visitsOf({ tape }, strand, until, threadName) {
  const { chains } = strand;
  for (const { strand: _, ...visit } of chains.visits) {
    if (visit.enter > until) return;
    const backoffs = [];
    if (visit.attempts > 1 && strand.begun === undefined) {
      for (const place of strand.stagesOf(visit.enter)) {
        const failed = tape[place].after;
        if (tape[place].stage === "retry") backoffs.push({ failed, again: nextAttempt(strand, failed, chains.visits[visit.id]) });
      }
    }
    const { id, around, thread } = visit;
    yield { ...visit, id: strand.numbered(id), around: around < 0 ? around : strand.numbered(around), thread: strand.numbered(thread), slot: chains.threads[thread].slot, threadName: threadName(thread), backoffs };
  }
}

/** Visits of a state in child executions of Distributed Maps that were seen, the last ones; see `DebugSession.childVisits`. */
export function childVisits({ recording, frontier }, state, { iterations = [], most = 1000 } = {}) {
  const { tape, strands } = recording;
  const fits = (index, i) => iterations[i] === undefined || iterations[i] === index;
  const found = [];
  for (let n = strands.length - 1; n > 0 && found.length < most; n--) {
    const strand = strands[n];
    const { child, events, eventAt } = strand;
    const seen = strand.eventsAt(frontier);
    if (!strand.path.every(fits) || !events.some((event, i) => i < seen && event.type.endsWith("StateEntered") && detailsOf(event).name === state)) continue;
    const { chains } = recording.warm(strand);
    for (const { id, enter, exit: left, end, thread, attempts } of chains.visitsOf(state).reverse()) {
      const own = strand.iterationsOf(thread);
      if (enter > seen || !own.every(fits)) continue;
      const exit = left <= seen ? left : 0;
      const place = eventAt[enter - 1] + 1;
      found.push({
        id: strand.numbered(id), enter, exit, end: end <= seen ? end : 0, iterations: own, slot: chains.threads[thread].slot, attempts, child,
        after: tape[place - 1].after, place, left: exit > 0 ? eventAt[exit - 1] + 1 : 0, times: [events[enter - 1].timestamp, ...(exit > 0 ? [events[exit - 1].timestamp] : [])],
      });
    }
  }
  return found.reverse();
}

/** The event that begins the attempt after a failed one; 0 while there is none. */
function nextAttempt({ chains, events }, failed, visit) {
  for (let id = failed + 1; id <= events.length; id++) {
    if (chains.visitOf(id) === visit && /(?:Scheduled|Started)$/.test(events[id - 1].type)) return id;
    if (visit.end > 0 && id > visit.end) return 0;
  }
  return 0;
}
