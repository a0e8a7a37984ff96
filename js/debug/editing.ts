// @ts-nocheck: has no types yet.
// What is changed by hand while a run is paused: values, which make a fork, and the definition, which makes the run again.

import { misuse } from "../base/errors.ts";
import { jsonText } from "../tasks/integration.ts";
import { detailsOf } from "../history/events.ts";
import type { DebugSession, EditReport } from "../api/debug.d.ts";
import { type Execution, keyOf, withoutTime } from "./execution.ts";
import type { Fork } from "./player.ts";
import type { Run } from "./run.ts";
import type { StrandVisit } from "./strand.ts";
import { eventAt } from "./view.ts";

/**
 * A fork of an execution in which a value is another in a visit, where one looks: `{fact, change, feed, label, event, position}`
 * with the fact before which it leaves, what is changed in the engine's snapshot there, and what it is fed then.
 */
export function changeOf(execution: Execution, at: StrandVisit, { target, name, value }: Parameters<DebugSession["setValue"]>[0]): Fork {
  const { recording, position } = execution;
  if (target === "input") {
    const place = at.strand.eventAt[at.enter - 1];
    const change = ({ frames, ready }) => {
      const frame = frames.find(({ id }) => id === ready[0]);
      if (frame === undefined) throw misuse("NOT_SETTABLE", "the state has ended", Error);
      frame.input = value;
    };
    return { fact: recording.tape[place].fact, change, feed: ["tick"], label: `✎ input of ${at.state}`, event: eventAt(recording, place + 1), position: place + 1 };
  }
  if (target === "result") {
    const place = at.strand.stagesOf(at.enter).findLast((one) => recording.tape[one].stage === "result" && one < Math.max(position, 1));
    const fact = place === undefined ? undefined : recording.tape[place].fact;
    if (fact === undefined || recording.facts[fact].fact[0] !== "succeed") throw misuse("NOT_SETTABLE", "only the result of a Task can be set, and only after it has arrived", Error);
    const [method, , task] = recording.facts[fact].fact;
    return { fact, feed: [method, task, jsonText(value)], label: `✎ result of ${at.state}`, event: eventAt(recording, place), position: place + 1 };
  }
  if (target !== "variable") throw misuse("INVALID_ARGUMENT", 'target must be "input", "result" or "variable"');
  const inside = position > 0 && (position < recording.length || execution.performed < recording.facts.length);
  const fact = inside ? recording.tape[position - 1].fact : recording.facts.length;
  const change = ({ frames, ready }) => {
    const frame = frames.find(({ enteredEvent, phase, execution: of }) => enteredEvent === at.enter && phase !== "enter" && (of === 0) === (at.strand.begun === undefined)) ?? frames.find(({ id }) => id === ready[0]);
    if (frame === undefined) throw misuse("NOT_SETTABLE", "the variable's scope has ended", Error);
    frame.variables[name] = value;
  };
  return { fact, change, ...(inside && { feed: withoutTime(recording.facts[fact].fact) }), label: `✎ $${name}`, event: eventAt(recording, position), position };
}

/**
 * Makes a run again in `run`, which has another definition, up to where one looks, with the answers that tasks gave: the
 * execution that is looked at then, the place, and `{same: true}` or the first event that is another.
 */
export function madeAgain(run: Run, before: Run, until: number): { focus: Execution; position: number; report: EditReport } {
  const { first } = run;
  const old = before.first;
  repeat(first, old);
  // A started execution that is looked at is looked at again, where it comes about again.
  const { focus } = before;
  const inner = focus === old ? undefined : { number: focus.number, events: eventAt(focus.recording, focus.position) };
  const isBack = () => inner === undefined || (run.executions[inner.number]?.recording.events.length ?? 0) >= inner.events;
  const different = firstDifferent(run, old, until, isBack);
  const { recording } = first;
  if (different === undefined && inner !== undefined && isBack()) {
    const again = run.executions[inner.number];
    return { focus: again, position: run.placeAfter(again, placeOf(again.recording, inner.events)), report: { same: true } };
  }
  const base = placeOf(recording, Math.min(different ?? until, recording.events.length));
  if (different !== undefined) return { focus: first, position: run.placeAfter(first, base), report: { event: different, was: brief(old.recording, different), now: brief(recording, different) } };
  const offset = old.position - placeOf(old.recording, until);
  return { focus: first, position: run.placeAfter(first, Math.min(base + Math.max(0, offset), recording.length)), report: { same: true } };
}

/** An execution's tasks are answered as those of an execution of another run were; what they have started is started again. */
export function repeat(execution, old) {
  execution.answers = answersIn(old);
}

/** The calls of tasks in turn, and what they were answered: facts and how long after the invocation they came. */
export function answered({ recording }) {
  const byTask = new Map();
  for (const { fact, commands } of recording.facts) {
    const [method, at, task, b, c] = fact;
    const known = typeof task === "number" ? byTask.get(task) : undefined;
    if (known && ["started", "submitted", "succeed", "fail", "heartbeat"].includes(method)) known.facts.push({ method, after: at - known.at, b, c });
    for (const command of commands) if (command.type === "Invoke") byTask.set(command.task, { command, at, facts: [] });
  }
  return [...byTask.values()];
}

/** The same for another run, by `keyOf`, each with the execution that it has `started`. */
function answersIn(execution) {
  const counts = new Map();
  return new Map(answered(execution).map((call) => [keyOf(call.command, counts), { ...call, started: execution.run.startedBy(execution, call.command.task) }]));
}

/** Runs up to an event; the first that is another than it was, or undefined. */
function firstDifferent(run, old, until, isBack) {
  const { events } = run.first.recording;
  let checked = 0;
  while (events.length < until || !isBack()) {
    run.perform();
    let next = run.next();
    if (next === undefined && run.due() !== null && !run.busy) {
      run.jump(run.due());
      next = run.next();
    }
    if (next === undefined) return events.length < until ? events.length + 1 : undefined;
    run.feed(next);
    for (; checked < Math.min(events.length, until); checked++) if (!alike(old.recording.events[checked], events[checked])) return checked + 1;
  }
  return undefined;
}

function placeOf({ eventAt: places }, event) {
  return event === 0 ? 0 : places[event - 1] + 1;
}

/** Whether two events are the same step of the same way, whatever data they carry. */
function alike(a, b) {
  if (a === undefined || b === undefined || a.type !== b.type || a.previousEventId !== b.previousEventId) return false;
  const [x, y] = [detailsOf(a), detailsOf(b)];
  return x.name === y.name && x.index === y.index && x.resource === y.resource;
}

function brief({ events }, id) {
  const event = events[id - 1];
  if (event === undefined) return "nothing yet";
  const { name, index } = detailsOf(event);
  return [event.type, name, index === undefined ? undefined : `#${index}`].filter((part) => part !== undefined).join(" ");
}
