// @ts-nocheck: has no types yet.
// The ways into an execution that a task starts, and out of it.

import { parseResource } from "../tasks/resource.ts";
import { outlineOf } from "./coverage.ts";
import { isEntering, visitOf } from "./view.ts";

const ANSWERED = /^Task(?:Succeeded|Failed|TimedOut|StateAborted)$/;

/**
 * Whether an entry is the way out of an execution that a task has started: the task's answer where that waits for it, else
 * the execution's end, or once that is over the next state of the one that has started it.
 */
export function leaves(at) {
  const { parent, awaited } = at;
  if (parent === undefined) return () => false;
  const { recording } = parent;
  const caller = recording.visit(at.visit);
  const over = at.ended && at.position === at.recording.length;
  return (entry, execution) => {
    if (execution === at) return !awaited && isEnd(entry);
    if (execution !== parent || entry.event === undefined) return false;
    if (!awaited) return over && isEntering(entry);
    if (isEnd(entry)) return true;
    const visit = ANSWERED.test(entry.event.type) ? visitOf(recording, entry) : undefined;
    return visit !== undefined && visit.strand === caller?.strand && visit.id === caller.id;
  };
}

/** Whether a visit's Task is going to start an execution of a machine: no mock stands for it. */
export function startsExecution({ recording }, { state, type }, machines, mocks) {
  if (type !== "Task" || machines === undefined) return false;
  const resource = outlineOf(recording.machine).named.get(state)?.fields.Resource;
  if (typeof resource !== "string") return false;
  return machines.isStart(parseResource(resource)) && mocks.find({ state, resource, input: {} }) === undefined;
}

/** Whether an execution that a visit has started has yet to enter its first state. */
export function isAboutToEnter(at, { strand, id }) {
  return at.run.executions.some(({ parent, visit, recording, ended }) => parent === at && visit === strand.numbered(id) && recording.chains.visits.length === 0 && !ended);
}

function isEnd(entry) {
  return entry.kind === "event" && /^Execution(?:Succeeded|Failed|Aborted|TimedOut)$/.test(entry.event.type);
}
