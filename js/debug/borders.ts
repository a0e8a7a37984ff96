// The ways into an execution that a task starts, and out of it.

import type { Machines } from "../execution/nested.ts";
import { isExecutionEnd } from "../history/events.ts";
import { parseResource } from "../tasks/resource.ts";
import { outlineOf } from "./coverage.ts";
import type { Execution } from "./execution.ts";
import type { Mocks } from "./mocks.ts";
import type { HistoryVisit } from "./history.ts";
import { type TapeEntry, isEntering } from "./tape.ts";
import { visitOf } from "./view.ts";

/** Whether a step ends at an entry of the tape of an execution. */
export type Goal = (entry: TapeEntry, execution: Execution) => boolean;

const ANSWERED = /^Task(?:Succeeded|Failed|TimedOut|StateAborted)$/;

/**
 * Whether an entry is the way out of an execution that a task has started: the task's answer where that waits for it, else
 * the execution's end, or once that is over the next state of the one that has started it.
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

/** Whether a visit's Task is going to start an execution of a machine: no mock stands for it. */
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

/** Whether an execution that a visit has started has yet to enter its first state. */
export function isAboutToEnter(at: Execution, { history, id }: HistoryVisit): boolean {
  return at.run.executions.some(
    ({ parent, visit, recording, ended }) =>
      parent === at && visit === history.numbered(id) && recording.chains.visits.length === 0 && !ended,
  );
}

/** Whether an entry is the end of its tape's own execution. */
function isEnd(entry: TapeEntry): boolean {
  return entry.kind === "event" && isExecutionEnd(entry.event);
}
