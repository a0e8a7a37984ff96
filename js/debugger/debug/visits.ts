// Lists visits of states: all of a history in the order of entry, as a time line shows them, and those of one state in child
// executions.

import type { ChildVisit, DebugSession } from "../../core/api/debug.d.ts";
import { detailsOf, isStateEntered } from "../../core/history/events.ts";
import type { Recording } from "./recording.ts";
import type { ExecutionHistory, HistoryVisit } from "./execution-history.ts";
import { type RecordingEntry, stageAt } from "./entries.ts";

type TimedVisit = ReturnType<DebugSession["visitsInOrder"]> extends Iterable<infer Visit> ? Visit : never;

/** Yields the visits that were entered up to an event, with the pauses between their attempts. */
export function* visitsOf(
  { entries }: Recording,
  history: ExecutionHistory,
  until: number,
  threadName: (thread: number) => string,
): Generator<TimedVisit> {
  for (const visit of history.chains.visits) {
    if (visit.enter > until) return;
    const { history: _, ...about } = visit;
    yield {
      ...about,
      id: history.numbered(visit.id),
      around: visit.around < 0 ? visit.around : history.numbered(visit.around),
      thread: history.numbered(visit.thread),
      slot: history.chains.threadOf(visit).slot,
      threadName: threadName(visit.thread),
      backoffs: visit.attempts > 1 && history.begun === undefined ? backoffsOf(entries, visit) : [],
    };
  }
}

/** Returns the pauses between the attempts of a visit, by the events around them. */
function backoffsOf(entries: readonly RecordingEntry[], visit: HistoryVisit): TimedVisit["backoffs"] {
  const backoffs = [];
  for (const position of visit.history.stagesOf(visit.enter)) {
    const stage = stageAt(entries, position);
    if (stage?.stage === "retry") backoffs.push({ failed: stage.after, again: nextAttempt(visit, stage.after) });
  }
  return backoffs;
}

/** Returns the event with which the next attempt after a failed one begins; 0 if it has not begun. */
function nextAttempt(visit: HistoryVisit, failed: number): number {
  const { chains, events } = visit.history;
  const last = visit.end > 0 ? visit.end : events.length;
  for (let id = failed + 1; id <= last; id++) {
    if (chains.visitOf(id) === visit && /(?:Scheduled|Started)$/.test(events[id - 1]?.type ?? "")) return id;
  }
  return 0;
}

/** Returns the last reached visits of a state in child executions of Distributed Maps; see `DebugSession.childVisits`. */
export function childVisits(
  { recording, frontier }: { recording: Recording; frontier: number },
  state: string,
  { iterations = [], most = 1000 }: NonNullable<Parameters<DebugSession["childVisits"]>[1]> = {},
): ChildVisit[] {
  const fits = (index: number, level: number): boolean => iterations[level] === undefined || iterations[level] === index;
  const histories: ExecutionHistory[] = recording.histories;
  const found: ChildVisit[] = [];
  for (let n = histories.length - 1; n > 0 && found.length < most; n--) {
    const history = histories[n];
    if (history === undefined || !history.path.every(fits) || !hasEntered(history, state, frontier)) continue;
    recording.touch(history);
    for (const visit of [...history.chains.visitsOf(state)].reverse()) {
      if (visit.enter <= history.eventsAt(frontier) && history.iterationsOf(visit.thread).every(fits))
        found.push(childVisit(recording.entries, visit, frontier));
    }
  }
  return found.reverse();
}

/** Returns whether a child has entered a state before the frontier. The child's visits need not be read for that. */
function hasEntered(history: ExecutionHistory, state: string, frontier: number): boolean {
  const seen = history.eventsAt(frontier);
  return history.events.some((event, i) => i < seen && isStateEntered(event) && detailsOf(event).name === state);
}

/** Describes a visit in a child execution as far as it was reached. */
function childVisit(entries: readonly RecordingEntry[], visit: HistoryVisit, frontier: number): ChildVisit {
  const { history, enter, attempts, thread } = visit;
  const seen = history.eventsAt(frontier);
  const exit = visit.exit <= seen ? visit.exit : 0;
  const positionOf = (event: number): number => history.eventAt[event - 1] ?? -1;
  const timesOf = (event: number): string[] => history.events.slice(event - 1, event).map(({ timestamp }) => timestamp);
  const entry = entries[positionOf(enter)];
  return {
    id: history.numbered(visit.id),
    enter,
    exit,
    end: visit.end <= seen ? visit.end : 0,
    iterations: history.iterationsOf(thread),
    slot: history.chains.threadOf(visit).slot,
    attempts,
    child: history.child ?? "",
    after: entry?.kind === "child" ? entry.after : 0,
    place: positionOf(enter) + 1,
    left: exit > 0 ? positionOf(exit) + 1 : 0,
    times: [...timesOf(enter), ...(exit > 0 ? timesOf(exit) : [])],
  };
}
