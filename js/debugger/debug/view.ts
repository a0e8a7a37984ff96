// What a position of a recording shows: the call stack, the values in scope, the variables and who assigned them.

import type { StackFrame, Values, Variable } from "../../core/api/debug.d.ts";
import type { ExecutionNames, JsonValue } from "../../core/api/index.d.ts";
import { detailsOf, isStateExited } from "../../core/history/events.ts";
import { same } from "./expressions.ts";
import type { EngineSnapshot, PastFact, Recording } from "./recording.ts";
import { type RecordedEvent, type ExecutionHistory, type HistoryVisit, outwards } from "./execution-history.ts";
import { type RecordingEntry, stageAt } from "./entries.ts";

export { isEntering } from "./entries.ts";

/** The parts of an execution that are inspected. */
export interface Inspected {
  recording: Recording;
  info: ExecutionNames;
  /** The input as JSON text. */
  input: string;
  /** The start time, in milliseconds since 1970. */
  start: number;
}

/** The stages whose value is the data of the state at that point. All other stages are decisions. */
const DATA = [
  "afterInputPath",
  "afterItemsPath",
  "afterItems",
  "afterItemSelector",
  "afterItemBatcher",
  "afterParameters",
  "afterArguments",
  "result",
  "afterResultSelector",
  "afterResultPath",
  "output",
];

/** Returns the id of the last event before a position; 0 if there is none. */
export function eventAt(recording: Recording, position: number): number {
  return recording.own.eventsAt(position);
}

/** Returns the visit of the last entry before a position. Undefined at the very beginning. */
export function visitAt(recording: Recording, position: number): HistoryVisit | undefined {
  for (let at = position - 1; at >= 0; at--) {
    const entry = recording.entries[at];
    const visit = entry && visitOf(recording, entry);
    if (visit !== undefined) return visit;
  }
  return undefined;
}

/** Returns the visit that an entry is part of. The beginning and the end of a child are part of its Map's visit. */
export function visitOf(recording: Recording, entry: RecordingEntry): HistoryVisit | undefined {
  const history: ExecutionHistory = recording.historyOf(entry);
  if (entry.kind === "end") return history.around;
  if (history.begun !== undefined) recording.touch(history);
  return entry.kind === "stage" ? history.chains.entered(entry.entered) : (history.chains.visitOf(entry.event.id) ?? history.around);
}

/** Returns the positions of a visit's stages before `position`: those of its last attempt, or of the given one. */
export function stagesOf(
  { entries }: Recording,
  visit: HistoryVisit,
  position: number,
  attempt?: number,
): { attempt: number; positions: number[] } {
  const seen = visit.history.stagesOf(visit.enter).filter((at) => at < position);
  let positions: number[] = [];
  const attempts = [positions];
  for (const at of seen) {
    positions.push(at);
    if (stageAt(entries, at)?.stage === "retry") attempts.push((positions = []));
  }
  // Right after a retrier has handled an error, the attempt that failed still counts as the last.
  if (attempts.length > 1 && positions.length === 0) attempts.pop();
  const last = attempts.length - 1;
  return { attempt: last, positions: attempts[attempt === undefined ? last : Math.min(attempt, last)] ?? [] };
}

/**
 * Returns the stages of one item, with its index or the last one before `position`, and the stages that have no item. `items` has
 * the number of items of each stage.
 */
export function ofOneItem(
  { entries }: Recording,
  positions: number[],
  item?: number,
  position = Infinity,
): { positions: number[]; items: Record<string, number> } {
  const chosen = new Map<string, number>();
  const items: Record<string, number> = {};
  for (const at of positions) {
    const { stage, index } = stageAt(entries, at) ?? {};
    if (stage === undefined || index === undefined) continue;
    items[stage] = Math.max(items[stage] ?? 0, index + 1);
    if ((item === undefined ? at < position : index <= item) || !chosen.has(stage)) chosen.set(stage, at);
  }
  const isShown = (at: number): boolean => (chosen.get(stageAt(entries, at)?.stage ?? "") ?? at) === at;
  return { positions: positions.filter(isShown), items };
}

/**
 * Yields the visits that were left before a visit, the last first: those of its own branch or iteration, then those before the
 * Parallel or Map around it. Their variables are in scope. Iterations follow one another in the history, but an iteration does not
 * see the variables of another one.
 */
export function* leftBefore(visit: HistoryVisit): Generator<HistoryVisit> {
  const { chains } = visit.history;
  for (let at: HistoryVisit | undefined = visit; at !== undefined;) {
    const isFirst: boolean = chains.threadOf(at).enter === at.enter;
    at = isFirst ? chains.visits[at.around] : leftLast(at);
    if (!isFirst && at !== undefined) yield at;
  }
}

/** Returns the visit that was left last on the path to a visit. */
function leftLast({ history, enter }: HistoryVisit): HistoryVisit | undefined {
  const { chains, events } = history;
  const previous = (event: RecordedEvent | undefined): RecordedEvent | undefined => events[(event?.previousEventId ?? 0) - 1];
  let event = previous(events[enter - 1]);
  while (event !== undefined && !isStateExited(event)) event = previous(event);
  return event && chains.visitOf(event.id);
}

/** Returns the variables in scope of a visit, by name. */
export function variablesOf(recording: Recording, visit: HistoryVisit, position: number): Record<string, Variable> {
  const { history } = visit;
  const found = new Map<string, Variable>();
  const add = (assigned: object, from: HistoryVisit, event: number, outer: boolean, valueOf: (given: unknown) => unknown): void => {
    for (const [name, given] of Object.entries(assigned)) {
      if (found.has(name)) continue;
      found.set(name, {
        value: valueOf(given),
        state: from.state,
        event: mainEvent(recording.entries, history, event),
        visit: history.numbered(from.id),
        outer,
      });
    }
  };
  const addLeft = (from: HistoryVisit): void => {
    const { assignedVariables = {} } = detailsOf(recording.eventOf(history, from.exit));
    add(assignedVariables, from, from.exit, from.thread !== visit.thread, parsed);
  };
  if (visit.exit > 0 && visit.exit <= history.eventsAt(position)) addLeft(visit);
  else {
    for (const at of history.stagesOf(visit.enter)) {
      if (at < position && stageAt(recording.entries, at)?.stage === "assignedVariables")
        add(recording.valueAt(at), visit, visit.enter, false, (value) => value);
    }
  }
  for (const before of leftBefore(visit)) addLeft(before);
  if (history.begun === undefined) addByHand(recording, visit, position, found);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Adds variables that were changed by hand and not assigned again since. No event contains them. */
function addByHand(recording: Recording, visit: HistoryVisit, position: number, found: Map<string, Variable>): void {
  const { history } = visit;
  const last = recording.patches.findLast((number) => (recording.facts[number]?.entries ?? Infinity) <= position);
  const patch = last === undefined ? undefined : recording.facts[last];
  if (patch?.fact[0] !== "patch") return;
  const { events, entries } = patch;
  const threads = new Set(Array.from(outwards(visit), ({ thread }) => thread));
  const { frames, ready } = snapshotOf(patch.fact);
  for (const { id, enteredEvent, variables } of frames) {
    // A frame that has not entered a state yet is the next one to do so.
    const isNext = enteredEvent === 0 && id === ready[0];
    const at = isNext
      ? history.chains.visits.find(({ enter }) => (history.eventAt[enter - 1] ?? -1) >= entries)
      : history.chains.entered(enteredEvent);
    if (at === undefined || !threads.has(at.thread)) continue;
    for (const [name, value] of Object.entries(variables)) {
      const known = found.get(name);
      const isNewer = known !== undefined && (history.eventAt[known.event - 1] ?? -1) >= entries;
      if (isNewer || (known !== undefined && same(known.value, value))) continue;
      found.set(name, { value, state: at.state, event: events, visit: history.numbered(at.id), outer: at.thread !== visit.thread });
    }
  }
}

/**
 * Snapshots that were changed by hand, parsed once. They have no frames of child executions, because those have events of their
 * own.
 */
const snapshots = new WeakMap<PastFact, EngineSnapshot>();

function snapshotOf(patch: PastFact & { 0: "patch" }): EngineSnapshot {
  let found = snapshots.get(patch);
  if (found === undefined) {
    const snapshot: EngineSnapshot = JSON.parse(String(patch[2]));
    found = { ...snapshot, frames: snapshot.frames.filter(({ execution }) => execution === 0) };
    snapshots.set(patch, found);
  }
  return found;
}

/** Returns the names that are in scope at a position, with their values. */
export function valuesAt(run: Inspected, position: number, visit = visitAt(run.recording, position)): Values {
  const { recording } = run;
  const now = timeAt(run, position);
  if (visit === undefined) {
    const input = parsed(run.input);
    return { input, context: {}, variables: { input, states: { input } }, now };
  }
  const { history } = visit;
  const input = parsed(detailsOf(recording.eventOf(history, visit.enter)).input);
  const { attempt, positions: all } = stagesOf(recording, visit, position);
  const { positions } = ofOneItem(recording, all);
  const named: { result?: unknown; error?: unknown; output?: unknown } & Record<string, unknown> = {};
  let data: unknown = input;
  const values: unknown[] = recording.valuesAt(positions);
  for (const [i, at] of positions.entries()) {
    const { stage = "" } = stageAt(recording.entries, at) ?? {};
    named[stage] = values[i];
    if (DATA.includes(stage)) data = values[i];
  }
  const iterations = history.iterationsOf(visit.thread);
  const context = contextOf(run, visit, attempt, iterations);
  const variables = Object.fromEntries(Object.entries(variablesOf(recording, visit, position)).map(([name, { value }]) => [name, value]));
  const { result, error, output } = named;
  const states = { input, context, ...(result !== undefined && { result }), ...(error !== undefined && { errorOutput: error }) };
  const own = {
    input,
    attempt,
    ...(result !== undefined && { result }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    ...(iterations.length > 0 && { iteration: iterations.at(-1) }),
  };
  // A variable of the machine takes precedence over a name of the debugger.
  return { input: data, context, variables: { ...own, ...variables, states }, now };
}

/** Returns the time of the last event before a position, or the start time before the first one. */
function timeAt({ recording, start }: Inspected, position: number): number {
  const event = recording.own.events[Math.max(0, eventAt(recording, position) - 1)];
  return event === undefined ? start : Date.parse(event.timestamp);
}

/** Returns the last event of the main history that happened before an event of any history. */
export function mainEvent(entries: readonly RecordingEntry[], history: ExecutionHistory, id: number): number {
  const entry = entries[history.eventAt[id - 1] ?? -1];
  return entry?.kind === "child" ? entry.after : id;
}

/** Returns the Context Object, as far as the history contains it. */
function contextOf(run: Inspected, visit: HistoryVisit, attempt: number, iterations: number[]): Record<string, unknown> {
  const { recording, info } = run;
  const { history } = visit;
  const { child: name = info.name, events, begun } = history;
  const own = begun === undefined;
  const id = own && info.arn !== undefined ? info.arn : `arn:aws:states:us-east-1:123456789012:execution:${info.stateMachineName}:${name}`;
  const input = own ? run.input : detailsOf(recording.eventOf(history, 1)).input;
  return {
    Execution: { Id: id, Input: parsed(input), StartTime: events[0]?.timestamp, Name: name },
    StateMachine: { Name: info.stateMachineName },
    State: { Name: visit.state, EnteredTime: events[visit.enter - 1]?.timestamp, RetryCount: attempt },
    ...(iterations.length > 0 && { Map: { Item: { Index: iterations.at(-1) } } }),
  };
}

/** Returns the frames of a thread, the innermost first. */
export function stackOf(recording: Recording, visit: HistoryVisit, position: number): Omit<StackFrame, "execution">[] {
  return Array.from(outwards(visit), (at) => {
    const { attempt, positions } = stagesOf(recording, at, position);
    const { history } = at;
    const { begun, child } = history;
    const thread = history.chains.threadOf(at);
    const isOutermost = begun !== undefined && thread.around < 0;
    const { stage } = stageAt(recording.entries, positions.at(-1) ?? -1) ?? {};
    return {
      visit: history.numbered(at.id),
      state: at.state,
      type: at.type,
      thread: history.numbered(at.thread),
      iterations: history.iterationsOf(at.thread),
      slot: isOutermost ? begun.index : thread.slot,
      isIteration: isOutermost || thread.isIteration,
      attempt,
      event: mainEvent(recording.entries, history, at.enter),
      ...(child !== undefined && { child }),
      ...(stage !== undefined && { stage }),
    };
  });
}

/** Parses a JSON text. Returns any other value unchanged. */
export function parsed(text: unknown): JsonValue | undefined {
  if (typeof text !== "string") return text as JsonValue | undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
