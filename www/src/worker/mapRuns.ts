// Replaces the Distributed Maps of a recorded execution by tasks with the recorded results, as `replayHistory()` does. The children of a
// Map Run are executions with histories of their own, so the recording has no answers for their tasks.

import type { RecordedTask } from "stepglass";
import { pointerSteps } from "stepglass/pointer";
import { detailsOf, parsed } from "../model/details.ts";
import type { HistoryEvent } from "../model/recorded.ts";
import type { ListedHistory } from "./historyLists.ts";
import type { OpenVisit } from "./history.ts";

/** The members of a Map that its task keeps: those that do not make its result. */
const KEPT = ["Comment", "QueryLanguage", "Next", "End", "Catch"] as const;
/** A function that nothing calls: its answers are recorded. */
const RESOURCE = "arn:aws:lambda:us-east-1:123456789012:function:map-run";

type Members = Record<string, unknown>;

export interface WithoutMapRuns {
  /** The definition in JSON. */
  definition: string;
  /** The results of the Maps, as those of tasks. */
  tasks: RecordedTask[];
  /** The names of the Maps. */
  maps: ReadonlySet<string>;
  /** The event that began the first visit of one; infinite if there is none. */
  first: number;
}

/** Returns a definition without the Distributed Maps that ran in a recording, and their results. */
export function withoutMapRuns(definition: string, recording: ListedHistory): WithoutMapRuns {
  const started = recording.events.flatMap(({ type, id }) => (type === "MapRunStarted" ? (recording.visitAt(id) ?? []) : []));
  const visits = [...new Set(started)];
  const maps = new Set(visits.map(({ state }) => state));
  if (maps.size === 0) return { definition, tasks: [], maps, first: Infinity };
  const machine: unknown = JSON.parse(definition);
  for (const name of maps) {
    const node = recording.graphIndex.byName.get(name);
    const state = node === undefined ? undefined : at(machine, recording.graphIndex.graph.nodes[node]!.pointer);
    // The engine needs the replaced state, and the replay stops there if there is none.
    if (state)
      replace(
        state,
        visits.findLast((visit) => visit.state === name)!,
        recording.events,
      );
  }
  return {
    definition: JSON.stringify(machine),
    tasks: visits.map((visit) => answerOf(visit, recording)),
    maps,
    first: Math.min(...visits.map(({ enter }) => enter)),
  };
}

/** Returns the object at a JSON Pointer. */
function at(value: unknown, pointer: string): Members | undefined {
  let found = value;
  for (const step of pointerSteps(pointer)) found = (found as Members | undefined)?.[step];
  return typeof found === "object" && found !== null ? (found as Members) : undefined;
}

/** Makes a task of a Map. The recorded output includes what the Map's fields did with its result, and so do the assigned variables. */
function replace(state: Members, { exit }: OpenVisit, events: readonly HistoryEvent[]): void {
  const kept = KEPT.filter((name) => state[name] !== undefined).map((name) => [name, state[name]]);
  const { assignedVariables } = exit > 0 ? detailsOf(events[exit - 1]!) : {};
  const hasVariables = state["Assign"] !== undefined && typeof assignedVariables === "object" && assignedVariables !== null;
  const variables = Object.entries(hasVariables ? assignedVariables : {}).map(([name, text]) => [name, parsed(text)]);
  for (const name of Object.keys(state)) delete state[name];
  Object.assign(state, { Type: "Task", Resource: RESOURCE }, Object.fromEntries(kept));
  if (variables.length > 0) state["Assign"] = Object.fromEntries(variables);
}

/** Returns the result of a visit: the output with which its Map was left, or the error of its last Map Run. */
function answerOf(visit: OpenVisit, recording: ListedHistory): RecordedTask {
  const { state, iterations, enter, exit, caught } = visit;
  const { events } = recording;
  const task = { state, iterations, attempt: 0, event: enter, after: recording.endOf(visit) - recording.timeOf(enter) };
  if (exit > 0 && !caught) {
    const { output } = detailsOf(events[exit - 1]!);
    return output === undefined ? { ...task, unknown: true } : { ...task, output: parsed(output) };
  }
  const failed = events.findLast(({ type, id }) => type === "MapRunFailed" && recording.visitAt(id) === visit);
  if (!failed) return { ...task, never: true };
  const { error, cause } = detailsOf(failed);
  return { ...task, error: typeof error === "string" ? error : null, ...(typeof cause === "string" && { cause }) };
}
