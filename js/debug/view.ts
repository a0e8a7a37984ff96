// What can be seen of a run from a place on its tape: the call stack, values, variables and who assigned them.

import type { StackFrame, Values, Variable } from "../api/debug.d.ts";
import type { ExecutionNames, JsonValue } from "../api/index.d.ts";
import { detailsOf, isStateExited } from "../history/events.ts";
import { same } from "./expressions.ts";
import type { EngineSnapshot, PastFact, Recording } from "./recording.ts";
import { type ExecutionHistory, type HistoryVisit, outwards } from "./history.ts";
import { type RecordedEvent, type TapeEntry, stageAt } from "./tape.ts";

export { isEntering } from "./tape.ts";

/** What an execution has to have for being looked at. */
export interface Inspected {
  recording: Recording;
  info: ExecutionNames;
  /** Its input as JSON text. */
  input: string;
  /** When it began, in milliseconds since 1970. */
  start: number;
}

/** Stages that are the data on its way through a state; the others are decisions. */
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

/** The last event that has been seen at a place, its id; 0 for none. */
export function eventAt(recording: Recording, place: number): number {
  return recording.own.eventsAt(place);
}

/** The visit that the last entry before a place is part of; undefined at the very beginning. */
export function visitAt(recording: Recording, place: number): HistoryVisit | undefined {
  for (let at = place - 1; at >= 0; at--) {
    const entry = recording.tape[at];
    const visit = entry && visitOf(recording, entry);
    if (visit !== undefined) return visit;
  }
  return undefined;
}

/** The visit that an entry of the tape is part of; the beginning and the end of a child are parts of its Map's. */
export function visitOf(recording: Recording, entry: TapeEntry): HistoryVisit | undefined {
  const history: ExecutionHistory = recording.historyOf(entry);
  if (entry.kind === "end") return history.around;
  if (history.begun !== undefined) recording.warm(history);
  return entry.kind === "stage" ? history.chains.entered(entry.entered) : (history.chains.visitOf(entry.event.id) ?? history.around);
}

/** The stages of a visit that have been seen, by their places: of its last attempt, or of the given one. */
export function stagesOf({ tape }: Recording, visit: HistoryVisit, place: number, attempt?: number): { attempt: number; places: number[] } {
  const seen = visit.history.stagesOf(visit.enter).filter((at) => at < place);
  let places: number[] = [];
  const attempts = [places];
  for (const at of seen) {
    places.push(at);
    if (stageAt(tape, at)?.stage === "retry") attempts.push((places = []));
  }
  // Where a retrier has just taken an error, the attempt that failed is still the last.
  if (attempts.length > 1 && places.length === 0) attempts.pop();
  const last = attempts.length - 1;
  return { attempt: last, places: attempts[attempt === undefined ? last : Math.min(attempt, last)] ?? [] };
}

/**
 * Stages without those of other items than the one of that index, or the last before where one looks; `items` says how many
 * items each stage has.
 */
export function ofOneItem(
  { tape }: Recording,
  places: number[],
  item?: number,
  position = Infinity,
): { places: number[]; items: Record<string, number> } {
  const chosen = new Map<string, number>();
  const items: Record<string, number> = {};
  for (const at of places) {
    const { stage, index } = stageAt(tape, at) ?? {};
    if (stage === undefined || index === undefined) continue;
    items[stage] = Math.max(items[stage] ?? 0, index + 1);
    if ((item === undefined ? at < position : index <= item) || !chosen.has(stage)) chosen.set(stage, at);
  }
  const isShown = (at: number): boolean => (chosen.get(stageAt(tape, at)?.stage ?? "") ?? at) === at;
  return { places: places.filter(isShown), items };
}

/**
 * The visits before a visit that were left, the last first: those of its own branch or iteration, then those before the Parallel
 * or Map around that. What they assigned is in its reach. An iteration may follow another one in the history, but it does not see
 * its variables.
 */
export function* leftBefore(visit: HistoryVisit): Generator<HistoryVisit> {
  const { chains } = visit.history;
  for (let at: HistoryVisit | undefined = visit; at !== undefined;) {
    const isFirst: boolean = chains.threadOf(at).enter === at.enter;
    at = isFirst ? chains.visits[at.around] : leftLast(at);
    if (!isFirst && at !== undefined) yield at;
  }
}

/** The visit that was left last on the way to a visit. */
function leftLast({ history, enter }: HistoryVisit): HistoryVisit | undefined {
  const { chains, events } = history;
  const previous = (event: RecordedEvent | undefined): RecordedEvent | undefined => events[(event?.previousEventId ?? 0) - 1];
  let event = previous(events[enter - 1]);
  while (event !== undefined && !isStateExited(event)) event = previous(event);
  return event && chains.visitOf(event.id);
}

/** The variables in reach of a visit, by name. */
export function variablesOf(recording: Recording, visit: HistoryVisit, place: number): Record<string, Variable> {
  const { history } = visit;
  const found = new Map<string, Variable>();
  const add = (assigned: object, from: HistoryVisit, event: number, outer: boolean, valueOf: (given: unknown) => unknown): void => {
    for (const [name, given] of Object.entries(assigned)) {
      if (found.has(name)) continue;
      found.set(name, {
        value: valueOf(given),
        state: from.state,
        event: mainEvent(recording.tape, history, event),
        visit: history.numbered(from.id),
        outer,
      });
    }
  };
  const addLeft = (from: HistoryVisit): void => {
    const { assignedVariables = {} } = detailsOf(recording.eventOf(history, from.exit));
    add(assignedVariables, from, from.exit, from.thread !== visit.thread, parsed);
  };
  if (visit.exit > 0 && visit.exit <= history.eventsAt(place)) addLeft(visit);
  else {
    for (const at of history.stagesOf(visit.enter)) {
      if (at < place && stageAt(recording.tape, at)?.stage === "assignedVariables")
        add(recording.valueAt(at), visit, visit.enter, false, (value) => value);
    }
  }
  for (const before of leftBefore(visit)) addLeft(before);
  if (history.begun === undefined) addByHand(recording, visit, place, found);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Adds variables that were changed by hand, and that no state has assigned since: no event tells of them. */
function addByHand(recording: Recording, visit: HistoryVisit, place: number, found: Map<string, Variable>): void {
  const { history } = visit;
  const last = recording.patches.findLast((number) => (recording.facts[number]?.tape ?? Infinity) <= place);
  const patch = last === undefined ? undefined : recording.facts[last];
  if (patch?.fact[0] !== "patch") return;
  const { events, tape } = patch;
  const threads = new Set(Array.from(outwards(visit), ({ thread }) => thread));
  const { frames, ready } = snapshotOf(patch.fact);
  for (const { id, enteredEvent, variables } of frames) {
    // A frame that has entered no state yet is the next to do so.
    const isNext = enteredEvent === 0 && id === ready[0];
    const at = isNext
      ? history.chains.visits.find(({ enter }) => (history.eventAt[enter - 1] ?? -1) >= tape)
      : history.chains.entered(enteredEvent);
    if (at === undefined || !threads.has(at.thread)) continue;
    for (const [name, value] of Object.entries(variables)) {
      const known = found.get(name);
      const isNewer = known !== undefined && (history.eventAt[known.event - 1] ?? -1) >= tape;
      if (isNewer || (known !== undefined && same(known.value, value))) continue;
      found.set(name, { value, state: at.state, event: events, visit: history.numbered(at.id), outer: at.thread !== visit.thread });
    }
  }
}

/** Snapshots that were changed by hand, which are read once; without the frames of child executions, which have events of their own. */
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

/** What an expression can ask about at a place. */
export function valuesAt(run: Inspected, place: number, visit = visitAt(run.recording, place)): Values {
  const { recording } = run;
  const now = timeAt(run, place);
  if (visit === undefined) {
    const input = parsed(run.input);
    return { input, context: {}, variables: { input, states: { input } }, now };
  }
  const { history } = visit;
  const input = parsed(detailsOf(recording.eventOf(history, visit.enter)).input);
  const { attempt, places: all } = stagesOf(recording, visit, place);
  const { places } = ofOneItem(recording, all);
  const named: { result?: unknown; error?: unknown; output?: unknown } & Record<string, unknown> = {};
  let data: unknown = input;
  const values: unknown[] = recording.valuesAt(places);
  for (const [i, at] of places.entries()) {
    const { stage = "" } = stageAt(recording.tape, at) ?? {};
    named[stage] = values[i];
    if (DATA.includes(stage)) data = values[i];
  }
  const iterations = history.iterationsOf(visit.thread);
  const context = contextOf(run, visit, attempt, iterations);
  const variables = Object.fromEntries(Object.entries(variablesOf(recording, visit, place)).map(([name, { value }]) => [name, value]));
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
  // A variable of the machine's own keeps its name.
  return { input: data, context, variables: { ...own, ...variables, states }, now };
}

/** The time of the last event at a place; of the start before the first one. */
function timeAt({ recording, start }: Inspected, place: number): number {
  const event = recording.own.events[Math.max(0, eventAt(recording, place) - 1)];
  return event === undefined ? start : Date.parse(event.timestamp);
}

/** The event of the run's own history that has happened last by an event of a history. */
export function mainEvent(tape: readonly TapeEntry[], history: ExecutionHistory, id: number): number {
  const entry = tape[history.eventAt[id - 1] ?? -1];
  return entry?.kind === "child" ? entry.after : id;
}

/** The Context Object, as far as the history tells. */
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

/** The frames of a thread, the innermost first. */
export function stackOf(recording: Recording, visit: HistoryVisit, place: number): Omit<StackFrame, "execution">[] {
  return Array.from(outwards(visit), (at) => {
    const { attempt, places } = stagesOf(recording, at, place);
    const { history } = at;
    const { begun, child } = history;
    const thread = history.chains.threadOf(at);
    const isOutermost = begun !== undefined && thread.around < 0;
    const { stage } = stageAt(recording.tape, places.at(-1) ?? -1) ?? {};
    return {
      visit: history.numbered(at.id),
      state: at.state,
      type: at.type,
      thread: history.numbered(at.thread),
      iterations: history.iterationsOf(at.thread),
      slot: isOutermost ? begun.index : thread.slot,
      isIteration: isOutermost || thread.isIteration,
      attempt,
      event: mainEvent(recording.tape, history, at.enter),
      ...(child !== undefined && { child }),
      ...(stage !== undefined && { stage }),
    };
  });
}

/** The value of a JSON text; anything else as it is. */
export function parsed(text: unknown): JsonValue | undefined {
  if (typeof text !== "string") return text as JsonValue | undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
