// @ts-nocheck: has no types yet.
// What can be seen of a run from a place on its tape: the call stack, values, variables and who assigned them.

import { detailsOf } from "../history/chains.ts";
import { outwards } from "./strand.ts";

/** Stages that are data on its way; the others tell of decisions. */
export const DATA = ["afterInputPath", "afterItemsPath", "afterItems", "afterItemSelector", "afterItemBatcher", "afterParameters", "afterArguments", "result", "afterResultSelector", "afterResultPath", "output"];

/** The last event that has been seen at a place, its id; 0 for none. */
export function eventAt(recording, place) {
  return recording.own.eventsAt(place);
}

/** The visit that the last entry before a place is part of; undefined at the very beginning. */
export function visitAt(recording, place) {
  for (let i = place - 1; i >= 0; i--) {
    const visit = visitOf(recording, recording.tape[i]);
    if (visit !== undefined) return visit;
  }
  return undefined;
}

/** The visit that an entry of the tape is part of; the beginning and the end of a child are parts of its Map's. */
export function visitOf(recording, entry) {
  const strand = recording.strandOf(entry);
  if (entry.kind === "end") return strand.around;
  if (strand.begun !== undefined) recording.warm(strand);
  return entry.kind === "stage" ? strand.chains.entered(entry.entered) : (strand.chains.visitOf(entry.event.id) ?? strand.around);
}

/** The stages of a visit that have been seen: `{stage, value, place}`; of its last attempt, or of the given one. */
export function stagesOf(recording, visit, place, attempt) {
  const seen = visit.strand.stagesOf(visit.enter).filter((at) => at < place);
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

/** Stages without those of other items than the one of that index, or the last before where one looks: `{places, items}`, with how many there are of each. */
export function ofOneItem(recording, places, item, position = Infinity) {
  const chosen = new Map();
  const items = {};
  for (const at of places) {
    const { stage, index } = recording.tape[at];
    if (index === undefined) continue;
    items[stage] = Math.max(items[stage] ?? 0, index + 1);
    if ((item === undefined ? at < position : index <= item) || !chosen.has(stage)) chosen.set(stage, at);
  }
  return { places: places.filter((at) => (chosen.get(recording.tape[at].stage) ?? at) === at), items };
}

/** The variables in reach of a visit: `{name: {value, state, event, visit, outer}}`. */
export function variablesOf(recording, visit, place) {
  const { tape } = recording;
  const { strand } = visit;
  const { chains, events } = strand;
  const whole = (id) => detailsOf(recording.eventOf(strand, id));
  const found = new Map();
  const add = (assigned, from, event, outer) => {
    for (const [name, text] of Object.entries(assigned)) {
      if (!found.has(name)) found.set(name, { value: parsed(text), state: from.state, event: mainEvent(recording, strand, event), visit: strand.numbered(from.id), outer });
    }
  };
  const upTo = strand.eventsAt(place);
  if (visit.exit > 0 && visit.exit <= upTo) add(whole(visit.exit).assignedVariables ?? {}, visit, visit.exit, false);
  else {
    for (const at of strand.stagesOf(visit.enter)) {
      if (at < place && tape[at].stage === "assignedVariables") {
        for (const [name, value] of Object.entries(recording.valueAt(at))) if (!found.has(name)) found.set(name, { value, state: visit.state, event: mainEvent(recording, strand, visit.enter), visit: strand.numbered(visit.id), outer: false });
      }
    }
  }
  let id = events[visit.enter - 1].previousEventId;
  while (id > 0) {
    const event = events[id - 1];
    if (event.type.endsWith("StateExited")) {
      const from = chains.visitOf(id);
      add(whole(id).assignedVariables ?? {}, from, id, from.thread !== visit.thread);
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
    const input = parsed(run.input);
    return { input, context: {}, variables: { input, states: { input } }, now };
  }
  const { strand } = visit;
  const input = parsed(detailsOf(recording.eventOf(strand, visit.enter)).input);
  const { attempt, places: all } = stagesOf(recording, visit, place);
  const { places } = ofOneItem(recording, all);
  const named = {};
  let data = input;
  const values = recording.valuesAt(places);
  for (const [i, at] of places.entries()) {
    const { stage } = recording.tape[at];
    const value = values[i];
    named[stage] = value;
    if (DATA.includes(stage)) data = value;
  }
  const iterations = strand.iterationsOf(visit.thread);
  const context = contextOf(run, visit, attempt, iterations);
  const variables = Object.fromEntries(Object.entries(variablesOf(recording, visit, place)).map(([name, { value }]) => [name, value]));
  const states = { input, context };
  if (named.result !== undefined) states.result = named.result;
  if (named.error !== undefined) states.errorOutput = named.error;
  const own = { input, attempt, states };
  if (named.result !== undefined) own.result = named.result;
  if (named.output !== undefined) own.output = named.output;
  if (named.error !== undefined) own.error = named.error;
  if (iterations.length > 0) own.iteration = iterations.at(-1);
  // A variable of the machine's own keeps its name.
  return { input: data, context, variables: { ...own, ...variables, states }, now };
}

/** The event of the run's own history that has happened last by an event of a strand. */
function mainEvent(recording, strand, id) {
  return strand.begun === undefined ? id : recording.tape[strand.eventAt[id - 1]].after;
}

/** The Context Object, as far as the history tells. */
function contextOf(run, visit, attempt, iterations) {
  const { recording, info } = run;
  const { strand } = visit;
  const { child: name = info.name, events } = strand;
  const id = strand.begun === undefined && info.arn !== undefined ? info.arn : `arn:aws:states:us-east-1:123456789012:execution:${info.stateMachineName}:${name}`;
  const input = strand.begun === undefined ? run.input : detailsOf(recording.eventOf(strand, 1)).input;
  const context = {
    Execution: { Id: id, Input: parsed(input), StartTime: events[0]?.timestamp, Name: name },
    StateMachine: { Name: info.stateMachineName },
    State: { Name: visit.state, EnteredTime: events[visit.enter - 1].timestamp, RetryCount: attempt },
  };
  if (iterations.length > 0) context.Map = { Item: { Index: iterations.at(-1) } };
  return context;
}

/** The frames of a thread, the innermost first: `{visit, state, type, thread, iterations, attempt, stage?}`. */
export function stackOf(recording, visit, place) {
  const frames = [];
  for (const at of outwards(visit)) {
    const { attempt, places } = stagesOf(recording, at, place);
    const { strand } = at;
    const thread = strand.chains.threads[at.thread];
    const last = places.at(-1);
    const outermost = strand.begun !== undefined && thread.around < 0;
    frames.push({
      visit: strand.numbered(at.id), state: at.state, type: at.type, thread: strand.numbered(at.thread), iterations: strand.iterationsOf(at.thread),
      slot: outermost ? strand.begun.index : thread.slot, isIteration: outermost || thread.isIteration, attempt, event: mainEvent(recording, strand, at.enter),
      ...(strand.child !== undefined && { child: strand.child }),
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

/** Whether an entry of the tape is the entering of a state. */
export function isEntering(entry) {
  return entry.event?.type.endsWith("StateEntered") === true;
}
