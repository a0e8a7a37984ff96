// The goals of steps: each function returns a predicate that is called for every reached entry of any execution.

import { detailsOf } from "../../core/history/events.ts";
import { type Goal, isAboutToEnter, leaves } from "./call-boundaries.ts";
import type { Execution } from "./execution.ts";
import { type ExecutionHistory, type HistoryVisit, outwards } from "./execution-history.ts";
import { isEntering } from "./entries.ts";
import { visitOf } from "./view.ts";

/** Steps to the next state of the same scope or of a scope around it. */
export function stepsOver(at: Execution, visit: HistoryVisit | undefined): Goal {
  const here = threadsAround(visit);
  const left = leaves(at);
  return (entry, execution) =>
    left(entry, execution) || (execution === at && isEntering(entry) && isIn(visitOf(at.recording, entry), here));
}

/**
 * Steps into a state: into its branches, its iterations or the execution that it `starts`. In any other state, steps to its first
 * stage.
 */
export function stepsInto(at: Execution, visit: HistoryVisit | undefined, starts: boolean): Goal {
  const { recording } = at;
  const last = recording.entries[at.position - 1];
  const begins = visit !== undefined && last?.event?.id === visit.enter && recording.historyOf(last) === visit.history;
  const here = threadsAround(visit);
  const container = visit?.type === "Parallel" || visit?.type === "Map";
  const left = leaves(at);
  return (entry, execution) => {
    if (starts && execution.parent === at && visit !== undefined && execution.visit === visit.history.numbered(visit.id))
      return isEntering(entry);
    if (left(entry, execution)) return true;
    if (execution !== at) return false;
    if (entry.kind === "stage")
      return begins && !container && !starts && entry.entered === visit.enter && recording.historyOf(entry) === visit.history;
    if (!isEntering(entry)) return false;
    // A state that does not wait for its execution must not end the step before that execution enters its first state.
    if (starts && visit !== undefined && isAboutToEnter(at, visit)) return false;
    const entered = visitOf(recording, entry);
    return isIn(entered, here) || isInside(entered, visit);
  };
}

/** Steps to the end of the branch or iteration, or of the execution. Undefined if only the end of the run ends the step. */
export function stepsOut(at: Execution, visit: HistoryVisit | undefined): Goal | undefined {
  const { recording } = at;
  const history: ExecutionHistory = visit?.history ?? recording.own;
  const { slot, isIteration, around = -1 } = history.chains.threads[visit?.thread ?? 0] ?? {};
  const container = history.chains.visits[around];
  if (container === undefined && history.begun !== undefined) return (entry) => entry.kind === "end" && entry.history === history;
  if (container === undefined) return at.parent && leaves(at);
  return (entry, execution) => {
    if (execution !== at || entry.event === undefined || recording.historyOf(entry) !== history) return false;
    const { event } = entry;
    if (history.chains.visitOf(event.id)?.id !== container.id) return false;
    if (/^MapIteration(?:Succeeded|Failed|Aborted)$/.test(event.type)) return detailsOf(event).index === slot && isIteration === true;
    return /(?:Exited|Succeeded|Failed|Aborted)$/.test(event.type);
  };
}

/** Steps by one stage or event, in the same branch or inside the state around it. */
export function stepsStage(at: Execution, visit: HistoryVisit | undefined): Goal {
  const here = threadsAround(visit);
  const container = visit && [...outwards(visit)][1];
  const left = leaves(at);
  return (entry, execution) => {
    if (execution !== at) return left(entry, execution);
    const of = visitOf(at.recording, entry);
    return of === undefined || isIn(of, here) || isInside(of, container);
  };
}

/** Returns whether a visit is `container` or inside of it. */
function isInside(visit: HistoryVisit | undefined, container: HistoryVisit | undefined): boolean {
  if (visit === undefined || container === undefined) return false;
  // The visits of a child are new objects when they are read again.
  for (const at of outwards(visit)) if (at.history === container.history && at.id === container.id) return true;
  return false;
}

/** Returns the ids of the thread of a visit, and of the threads around it. */
function threadsAround(visit: HistoryVisit | undefined): Set<number> {
  return new Set(visit === undefined ? [0] : Array.from(outwards(visit), threadOf));
}

function isIn(visit: HistoryVisit | undefined, threads: Set<number>): boolean {
  return visit !== undefined && threads.has(threadOf(visit));
}

function threadOf({ history, thread }: HistoryVisit): number {
  return history.numbered(thread);
}
