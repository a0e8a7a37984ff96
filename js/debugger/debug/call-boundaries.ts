// Where control enters an execution that a task starts, and where it leaves it.

import type { Machines } from "../../core/execution/nested.ts";
import { isExecutionEnd } from "../../core/history/events.ts";
import { parseResource } from "../../core/tasks/resource.ts";
import { outlineOf } from "./hits.ts";
import type { Execution } from "./execution.ts";
import type { Mocks } from "./mocks.ts";
import type { HistoryVisit } from "./execution-history.ts";
import { type RecordingEntry, isEntering } from "./entries.ts";
import { visitOf } from "./view.ts";

/** Returns whether a step ends at an entry of an execution's recording. */
export type Goal = (entry: RecordingEntry, execution: Execution) => boolean;

const ANSWERED = /^Task(?:Succeeded|Failed|TimedOut|StateAborted)$/;

/**
 * Returns a goal that is reached when control leaves a nested execution. If the task waits for the execution, that is the answer of
 * the task. Otherwise it is the end of the execution and, once it has ended, the next state of the parent execution.
 */
export function leaves(at: Execution): Goal {
  const { parent, visit: calling, awaited } = at;
  if (parent === undefined || calling === undefined) return () => false;
  const { recording } = parent;
  const caller = recording.visit(calling);
  const over = at.ended && at.position === at.recording.length;
  return (entry, execution) => {
    if (execution === at) return !awaited && isEnd(entry);
    if (execution !== parent || entry.event === undefined) return false;
    if (!awaited) return over && isEntering(entry);
    if (isEnd(entry)) return true;
    const visit = ANSWERED.test(entry.event.type) ? visitOf(recording, entry) : undefined;
    return visit !== undefined && visit.history === caller?.history && visit.id === caller?.id;
  };
}

/** Returns whether the Task state of a visit is going to start an execution of a machine. It does not if the task has a mock. */
export function startsExecution(
  { recording }: Execution,
  { state, type }: HistoryVisit,
  machines: Machines | undefined,
  mocks: Mocks,
): boolean {
  if (type !== "Task" || machines === undefined) return false;
  const resource = outlineOf(recording.machine).named.get(state)?.fields.Resource;
  if (typeof resource !== "string") return false;
  return machines.isStart(parseResource(resource)) && mocks.find({ state, resource, input: {} }) === undefined;
}

/** Returns whether a visit has started an execution that has not entered its first state yet. */
export function isAboutToEnter(at: Execution, { history, id }: HistoryVisit): boolean {
  return at.run.executions.some(
    ({ parent, visit, recording, ended }) =>
      parent === at && visit === history.numbered(id) && recording.chains.visits.length === 0 && !ended,
  );
}

/** Returns whether an entry is the end of the main history of its recording. */
function isEnd(entry: RecordingEntry): boolean {
  return entry.kind === "event" && isExecutionEnd(entry.event);
}
