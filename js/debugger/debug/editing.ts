// Edits of a paused run. A changed value makes a fork; a changed definition runs the machine again.

import type { DebugSession, EditReport } from "../../core/api/debug.d.ts";
import type { InvokeCommand } from "../../core/api/index.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { detailsOf } from "../../core/history/events.ts";
import { jsonText } from "../../core/tasks/integration.ts";
import { type Execution, type RepeatedAnswer, keyOf, withoutTime } from "./execution.ts";
import type { Fork, ReplyFact } from "./model.ts";
import type { EngineSnapshot, Recording } from "./recording.ts";
import type { Run } from "./run.ts";
import type { HistoryVisit } from "./execution-history.ts";
import { stageAt } from "./entries.ts";
import { eventAt } from "./view.ts";

type Change = Parameters<DebugSession["setValue"]>[0];

/** Returns the fork in which a value of a visit is changed at the current position. */
export function changeOf(execution: Execution, visit: HistoryVisit, { target, name = "", value }: Omit<Change, "visit">): Fork {
  switch (target) {
    case "input":
      return changeOfInput(execution, visit, value);
    case "result":
      return changeOfResult(execution, visit, value);
    case "variable":
      return changeOfVariable(execution, visit, name, value);
    default:
      throw misuse("INVALID_ARGUMENT", 'target must be "input", "result" or "variable"');
  }
}

function notSettable(message: string): Error {
  return misuse("NOT_SETTABLE", message, Error);
}

function changeOfInput({ recording }: Execution, { history, enter, state }: HistoryVisit, value: unknown): Fork {
  const position = history.eventAt[enter - 1];
  const entry = position === undefined ? undefined : recording.entries[position];
  if (position === undefined || entry === undefined) throw notSettable("the state has not been entered");
  const change = ({ frames, ready }: EngineSnapshot): void => {
    const frame = frames.find(({ id }) => id === ready[0]);
    if (frame === undefined) throw notSettable("the state has ended");
    frame.input = value;
  };
  return {
    fact: entry.fact,
    change,
    feed: ["tick"],
    label: `✎ input of ${state}`,
    event: eventAt(recording, position + 1),
    position: position + 1,
  };
}

function changeOfResult({ recording, position }: Execution, { history, enter, state }: HistoryVisit, value: unknown): Fork {
  const stagePosition =
    history.stagesOf(enter).findLast((one) => one < Math.max(position, 1) && stageAt(recording.entries, one)?.stage === "result") ?? -1;
  const fact = stageAt(recording.entries, stagePosition)?.fact ?? -1;
  const [method, , task] = recording.facts[fact]?.fact ?? [];
  if (method !== "succeed") throw notSettable("only the result of a Task can be set, and only after it has arrived");
  return {
    fact,
    feed: [method, Number(task), jsonText(value)],
    label: `✎ result of ${state}`,
    event: eventAt(recording, stagePosition),
    position: stagePosition + 1,
  };
}

function changeOfVariable(
  { recording, position, performed }: Execution,
  { history, enter }: HistoryVisit,
  name: string,
  value: unknown,
): Fork {
  // If false, the engine has done nothing after this position, and the change comes after all facts.
  const isInside = position > 0 && (position < recording.length || performed < recording.facts.length);
  const fact = (isInside ? recording.entries[position - 1]?.fact : undefined) ?? recording.facts.length;
  const change = ({ frames, ready }: EngineSnapshot): void => {
    const isOwn = history.begun === undefined;
    const running = frames.find(
      ({ enteredEvent, phase, execution: of }) => enteredEvent === enter && phase !== "enter" && (of === 0) === isOwn,
    );
    const frame = running ?? frames.find(({ id }) => id === ready[0]);
    if (frame === undefined) throw notSettable("the variable's scope has ended");
    frame.variables[name] = value;
  };
  const fed = recording.facts[fact]?.fact;
  return {
    fact,
    change,
    ...(isInside && fed && { feed: withoutTime(fed) }),
    label: `✎ $${name}`,
    event: eventAt(recording, position),
    position,
  };
}

/** The position of a run after it was repeated with another definition. */
interface RepeatedRun {
  /** The selected execution. */
  focus: Execution;
  position: number;
  report: EditReport;
}

/** Repeats a run in `run`, which has another definition, up to the event `until`, with the answers that tasks gave before. */
export function repeatRun(run: Run, before: Run, until: number): RepeatedRun {
  const { first } = run;
  const old = before.first;
  repeat(first, old);
  // If a nested execution is selected, the execution that corresponds to it is selected again once it exists.
  const { focus } = before;
  const inner = focus === old ? undefined : { number: focus.number, events: eventAt(focus.recording, focus.position) };
  const again = (): Execution | undefined => (inner === undefined ? undefined : run.executions[inner.number]);
  const isBack = (): boolean => inner === undefined || (again()?.recording.events.length ?? 0) >= inner.events;
  const different = firstDifferent(run, old, until, isBack);
  const { recording } = first;
  const innerAgain = again();
  if (different === undefined && inner !== undefined && innerAgain !== undefined && isBack()) {
    return {
      focus: innerAgain,
      position: run.positionAfter(innerAgain, positionAfter(innerAgain.recording, inner.events)),
      report: { same: true },
    };
  }
  const base = positionAfter(recording, Math.min(different ?? until, recording.events.length));
  if (different !== undefined) {
    return {
      focus: first,
      position: run.positionAfter(first, base),
      report: { event: different, was: brief(old.recording, different), now: brief(recording, different) },
    };
  }
  const offset = old.position - positionAfter(old.recording, until);
  return {
    focus: first,
    position: run.positionAfter(first, Math.min(base + Math.max(0, offset), recording.length)),
    report: { same: true },
  };
}

/** Answers the tasks of an execution as in an execution of another run, and starts again the executions that they had started. */
export function repeat(execution: Execution, old: Execution): void {
  execution.answers = answersIn(old);
}

/** The call of a task, and the facts that answered it. */
interface AnsweredCall {
  command: InvokeCommand;
  facts: ReplyFact[];
}

/** Returns the calls of tasks in order, with the facts that answered them. */
export function answered({ recording }: Execution): AnsweredCall[] {
  const byTask = new Map<number, AnsweredCall & { at: number }>();
  for (const { fact, commands } of recording.facts) {
    const [, at, task] = fact;
    const known = typeof task === "number" ? byTask.get(task) : undefined;
    const answer = known && answerOf(fact, at - known.at);
    if (answer) known.facts.push(answer);
    for (const command of commands) if (command.type === "Invoke") byTask.set(command.task, { command, at, facts: [] });
  }
  return [...byTask.values()];
}

/** Returns a fact as an answer to a task, with the time since the call, or undefined if the fact is not an answer. */
function answerOf([method, , , b, c]: Recording["facts"][number]["fact"], after: number): ReplyFact | undefined {
  switch (method) {
    case "started":
    case "submitted":
    case "succeed":
    case "fail":
    case "heartbeat":
      // The arguments of an answer are texts or missing.
      return { method, after, b: b as ReplyFact["b"], c: c as ReplyFact["c"] };
    default:
      return undefined;
  }
}

/** Returns the answers of an execution by `keyOf`, for use in another run, each with the execution that its task has `started`. */
function answersIn(execution: Execution): Map<string, RepeatedAnswer> {
  const counts = new Map<string, number>();
  return new Map(
    answered(execution).map(({ command, facts }) => [
      keyOf(command, counts),
      { facts, started: execution.run.startedBy(execution, command.task) },
    ]),
  );
}

/** Runs up to the event `until`. Returns the first event that differs from the old run, or undefined. */
function firstDifferent(run: Run, old: Execution, until: number, isBack: () => boolean): number | undefined {
  const { events } = run.first.recording;
  let checked = 0;
  while (events.length < until || !isBack()) {
    run.perform();
    let next = run.next();
    const due = next === undefined && !run.busy ? run.due() : null;
    if (due !== null) {
      run.jump(due);
      next = run.next();
    }
    if (next === undefined) return events.length < until ? events.length + 1 : undefined;
    run.feed(next);
    for (; checked < Math.min(events.length, until); checked++)
      if (!isAlike(old.recording.events[checked], events[checked])) return checked + 1;
  }
  return undefined;
}

/** Returns the position after an event. */
function positionAfter({ eventAt: positions }: Recording, event: number): number {
  return (positions[event - 1] ?? -1) + 1;
}

type Event = Recording["events"][number] | undefined;

/** Returns whether two events are the same step of the machine, whatever data they have. */
function isAlike(a: Event, b: Event): boolean {
  if (a === undefined || b === undefined || a.type !== b.type || a.previousEventId !== b.previousEventId) return false;
  const [x, y] = [detailsOf(a), detailsOf(b)];
  return x.name === y.name && x.index === y.index && x.resource === y.resource;
}

function brief({ events }: Recording, id: number): string {
  const event = events[id - 1];
  if (event === undefined) return "nothing yet";
  const { name, index } = detailsOf(event);
  return [event.type, name, index === undefined ? undefined : `#${index}`].filter((part) => part !== undefined).join(" ");
}
