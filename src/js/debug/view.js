// What can be seen of a run from a place on its tape: the call stack, values, variables and who assigned them.

import { detailsOf } from "./chains.js";

/** Stages that are data on its way; the others tell of decisions. */
export const DATA = ["afterInputPath", "afterItemsPath", "afterItemSelector", "afterItemBatcher", "afterParameters", "afterArguments", "result", "afterResultSelector", "afterResultPath", "output"];

/** The last event that has been seen at a place, its id; 0 for none. */
export function eventAt(recording, place) {
  let low = 0;
  let high = recording.eventAt.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (recording.eventAt[middle] < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The visit that the last entry before a place is part of; undefined at the very beginning, and for child executions. */
export function visitAt(recording, place) {
  const { tape, chains } = recording;
  for (let i = place - 1; i >= 0; i--) {
    const entry = tape[i];
    if (entry.kind === "stage") {
      if (entry.child === undefined) return chains.entered(entry.entered);
      continue;
    }
    const visit = chains.visitOf(entry.event.id);
    if (visit !== undefined) return visit;
  }
  return undefined;
}

/** The stages of a visit that have been seen: `{stage, value, place}`; of its last attempt, or of the given one. */
export function stagesOf(recording, visit, place, attempt) {
  const seen = recording.stagesOf(visit.enter).filter((at) => at < place);
  const attempts = [[]];
  for (const at of seen) {
    attempts.at(-1).push(at);
    if (recording.tape[at].stage === "retry") attempts.push([]);
  }
  // Where a retrier has just taken an error, the attempt that failed is still the last.
  if (attempts.length > 1 && attempts.at(-1).length === 0) attempts.pop();
  const shown = attempts[attempt === undefined ? attempts.length - 1 : Math.min(attempt, attempts.length - 1)];
  return { attempt: attempts.length - 1, places: shown };
}

/** The variables in reach of a visit: `{name: {value, state, event, visit, outer}}`. */
export function variablesOf(recording, visit, place) {
  const { chains, events, tape } = recording;
  const found = new Map();
  const add = (assigned, from, event, outer) => {
    for (const [name, text] of Object.entries(assigned)) {
      if (!found.has(name)) found.set(name, { value: parsed(text), state: from.state, event, visit: from.id, outer });
    }
  };
  const upTo = eventAt(recording, place);
  if (visit.exit > 0 && visit.exit <= upTo) add(detailsOf(events[visit.exit - 1]).assignedVariables ?? {}, visit, visit.exit, false);
  else {
    for (const at of recording.stagesOf(visit.enter)) {
      if (at < place && tape[at].stage === "assignedVariables") {
        for (const [name, value] of Object.entries(recording.valueAt(at))) if (!found.has(name)) found.set(name, { value, state: visit.state, event: visit.enter, visit: visit.id, outer: false });
      }
    }
  }
  let id = events[visit.enter - 1].previousEventId;
  while (id > 0) {
    const event = events[id - 1];
    if (event.type.endsWith("StateExited")) {
      const from = chains.visitOf(id);
      add(detailsOf(event).assignedVariables ?? {}, from, id, from.thread !== visit.thread);
      id = from.enter;
    }
    id = events[id - 1]?.previousEventId ?? 0;
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What an expression can ask about at a place: `{input, context, variables}` of `ask()`. */
export function valuesAt(run, place, visit = visitAt(run.recording, place)) {
  const { recording } = run;
  const now = Date.parse(recording.events[Math.max(0, eventAt(recording, place) - 1)]?.timestamp ?? run.start);
  if (visit === undefined) {
    const child = childValues(recording, place);
    const input = child ?? parsed(run.input);
    return { input, context: {}, variables: { input, states: { input } }, now };
  }
  const { events } = recording;
  const input = parsed(detailsOf(events[visit.enter - 1]).input);
  const { attempt, places } = stagesOf(recording, visit, place);
  const named = {};
  let data = input;
  for (const at of places) {
    const { stage } = recording.tape[at];
    const value = recording.valueAt(at);
    named[stage] = value;
    if (DATA.includes(stage)) data = value;
  }
  const thread = recording.chains.threads[visit.thread];
  const context = contextOf(run, visit, attempt, thread);
  const variables = Object.fromEntries(Object.entries(variablesOf(recording, visit, place)).map(([name, { value }]) => [name, value]));
  const states = { input, context };
  if (named.result !== undefined) states.result = named.result;
  if (named.error !== undefined) states.errorOutput = named.error;
  const own = { input, attempt, states };
  if (named.result !== undefined) own.result = named.result;
  if (named.output !== undefined) own.output = named.output;
  if (named.error !== undefined) own.error = named.error;
  if (thread.iterations.length > 0) own.iteration = thread.iterations.at(-1);
  // A variable of the machine's own keeps its name.
  return { input: data, context, variables: { ...own, ...variables, states }, now };
}

function childValues(recording, place) {
  const entry = recording.tape[place - 1];
  return entry?.kind === "stage" ? recording.valueAt(place - 1) : undefined;
}

/** The Context Object, as far as the history tells. */
function contextOf(run, visit, attempt, thread) {
  const { recording, info } = run;
  const started = recording.events[0];
  const context = {
    Execution: { Id: info.arn ?? `arn:aws:states:us-east-1:123456789012:execution:${info.stateMachineName}:${info.name}`, Input: parsed(run.input), StartTime: started?.timestamp, Name: info.name },
    StateMachine: { Name: info.stateMachineName },
    State: { Name: visit.state, EnteredTime: recording.events[visit.enter - 1].timestamp, RetryCount: attempt },
  };
  if (thread.iterations.length > 0) context.Map = { Item: { Index: thread.iterations.at(-1) } };
  return context;
}

/** The frames of a thread, the innermost first: `{visit, state, type, thread, iterations, attempt, stage?}`. */
export function stackOf(recording, visit, place) {
  const frames = [];
  for (let at = visit; at !== undefined; at = recording.chains.visits[at.around]) {
    const { attempt, places } = stagesOf(recording, at, place);
    const thread = recording.chains.threads[at.thread];
    const last = places.at(-1);
    frames.push({
      visit: at.id, state: at.state, type: at.type, thread: at.thread, iterations: thread.iterations, slot: thread.slot, isIteration: thread.isIteration, attempt, event: at.enter,
      ...(last !== undefined && { stage: recording.tape[last].stage }),
    });
  }
  return frames;
}

export function parsed(text) {
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
