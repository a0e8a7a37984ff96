// Where a run is to stop, and whether it has come there.

import { syntaxOf } from "../definition/expression-syntax.ts";
import type { Breakpoint, DebugOptions, Stop, Values } from "../api/debug.d.ts";
import { misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import { detailsOf, isExecutionEnd, isStateEntered, isStateExited } from "../history/events.ts";
import { answerTo, same, test } from "./expressions.ts";
import { inRanges } from "./mocks.ts";
import type { Recording } from "./recording.ts";
import type { ExecutionHistory, HistoryVisit } from "./history.ts";
import { type ChildEntry, type EventEntry, type RecordedEvent, type StageEntry, type TapeEntry, stageAt } from "./tape.ts";
import { type Inspected, leftBefore, visitOf } from "./view.ts";

const KINDS: Breakpoint["kind"][] = ["entry", "exit", "stage", "error", "retry", "catch", "transition", "iteration", "change"];

const HIT = /^\s*(=|==|>=|>|%)?\s*(\d+)\s*$/;

/** A breakpoint as the session has it. */
type SetBreakpoint = Breakpoint & Required<Pick<Breakpoint, "id" | "hits" | "enabled">>;

/** What an execution has to have for stopping it. */
interface Stoppable extends Inspected {
  run: { first: Pick<Inspected, "info"> };
}

/** What log points write. */
interface Log {
  breakpoint: number;
  text: string;
}

/** The breakpoints of a session, with how often each was hit. */
export class Breakpoints {
  #list: SetBreakpoint[] = [];
  #next = 1;
  /** Errors to stop at: `"none"`, `"uncaught"`, `"all"`, or names. */
  exceptions: NonNullable<DebugOptions["exceptions"]> = "none";
  enabled = true;

  get list(): SetBreakpoint[] {
    return this.#list;
  }

  set(list: Breakpoint[]): SetBreakpoint[] {
    const before = new Map(this.#list.map((one) => [one.id, one]));
    this.#list = list.map((given) => {
      const breakpoint = Object.assign({ kind: "entry", enabled: true }, given);
      const { kind, hit } = breakpoint;
      if (!KINDS.includes(kind))
        throw misuse("INVALID_ARGUMENT", `there is no breakpoint kind ${shown(kind)}; the kinds are ${KINDS.join(", ")}`);
      if (hit !== undefined && hit !== "" && !HIT.test(hit))
        throw misuse("INVALID_ARGUMENT", `a hit count is "3", ">= 3" or "% 3", not ${JSON.stringify(hit)}`);
      const id = breakpoint.id ?? this.#next++;
      this.#next = Math.max(this.#next, id + 1);
      return { ...breakpoint, id, hits: before.get(id)?.hits ?? 0 };
    });
    return this.#list;
  }

  /** A new run counts from the beginning. */
  reset(): void {
    for (const breakpoint of this.#list) breakpoint.hits = 0;
  }

  /**
   * What is to be done when the tape has moved past `place`. `look` gives the values that can be seen there. With
   * `count: false`, hits are not counted and logs not written.
   */
  check(run: Stoppable, place: number, look: () => Values, count = true): { stop: Stop | undefined; logs: Log[] } {
    const logs: Log[] = [];
    let stop: Stop | undefined;
    if (!this.enabled) return { stop, logs };
    for (const breakpoint of this.#list) {
      if (!breakpoint.enabled || !isOf(breakpoint, run) || !isAt(breakpoint, run.recording, place)) continue;
      const { id, condition, log = "" } = breakpoint;
      if (condition) {
        const { holds, message } = test(breakpoint.language ?? "jsonata", condition, look());
        if (message !== undefined) {
          stop ??= { reason: "breakpoint", breakpoint: id, description: `the condition of a breakpoint cannot be evaluated: ${message}` };
          continue;
        }
        if (!holds) continue;
      }
      const hits = breakpoint.hits + 1;
      if (count) breakpoint.hits = hits;
      if (breakpoint.hit && count && !isHit(breakpoint.hit, hits)) continue;
      if (log === "") stop ??= { reason: "breakpoint", breakpoint: id, description: describe(breakpoint, run.recording, place) };
      else if (count) logs.push({ breakpoint: id, text: logged(log, look()) });
    }
    stop ??= this.#exception(run.recording, place);
    return { stop, logs };
  }

  #exception(recording: Recording, place: number): Stop | undefined {
    const stage = stageAt(recording.tape, place);
    if (this.exceptions === "none" || stage?.stage !== "error") return undefined;
    const { Error: error } = recording.valueAt(place);
    const fate = fateOf(recording.tape, place);
    if (this.exceptions === "uncaught" ? fate !== undefined : Array.isArray(this.exceptions) && !this.exceptions.includes(error))
      return undefined;
    // An error that a scope hands on is told again there; one stop is enough.
    if (isHandedOn(recording, place)) return undefined;
    const what = fate === undefined ? "uncaught" : fate === "retry" ? "will be retried" : "will be caught";
    return { reason: "exception", description: `${error ?? "an error"} in ${stage.state}, ${what}`, uncaught: fate === undefined };
  }
}

/** Whether a breakpoint is of an execution's machine. One that names neither machine nor state is of all. */
function isOf({ machine, state, from }: Breakpoint, { info, run }: Stoppable): boolean {
  if (machine === undefined && state === undefined && from === undefined) return true;
  return (machine ?? run.first.info.stateMachineName) === info.stateMachineName;
}

/** Whether the entry at `place` is where a breakpoint stands. */
function isAt(breakpoint: Breakpoint, recording: Recording, place: number): boolean {
  const tape: TapeEntry[] = recording.tape;
  const entry = tape[place];
  if (entry === undefined) return false;
  // One before a stage stands at whatever comes before that.
  if (breakpoint.kind === "stage" && breakpoint.when === "before") return entry.kind !== "end" && isBeforeStage(tape, place, breakpoint);
  if (entry.kind === "end") return breakpoint.kind === "iteration" && breakpoint.at === "end" && isChildOf(entry.history, breakpoint);
  return entry.kind === "stage" ? isAtStage(breakpoint, recording, entry, place) : isAtEvent(breakpoint, recording, entry);
}

function isAtEvent(breakpoint: Breakpoint, recording: Recording, entry: EventEntry | ChildEntry): boolean {
  const { event } = entry;
  const { name, index } = detailsOf(event);
  switch (breakpoint.kind) {
    case "entry":
      return isStateEntered(event) && name === breakpoint.state;
    case "exit":
      return isStateExited(event) && name === breakpoint.state;
    case "transition": {
      if (!isStateEntered(event) || name !== breakpoint.to) return false;
      const { chains }: ExecutionHistory = recording.historyOf(entry);
      const before = chains.visitOf(event.previousEventId);
      return before?.state === breakpoint.from && before?.thread === chains.visitOf(event.id)?.thread;
    }
    case "iteration": {
      const atEnd = breakpoint.at === "end";
      if (entry.kind === "child" && event.type === "ExecutionStarted") return !atEnd && isChildOf(entry.history, breakpoint);
      if (!event.type.startsWith("MapIteration") || event.type.endsWith("Started") === atEnd) return false;
      return name === breakpoint.state && inRanges(breakpoint.indices, index);
    }
    case "change":
      return isStateExited(event) && isChangedBy(event, breakpoint, recording, visitOf(recording, entry));
    default:
      return false;
  }
}

function isAtStage(breakpoint: Breakpoint, recording: Recording, entry: StageEntry, place: number): boolean {
  const { state, stage, taken } = entry;
  if (breakpoint.taken !== undefined && breakpoint.taken !== taken) return false;
  // Errors, retries and catches of any state.
  const fits = !breakpoint.state || breakpoint.state === state;
  switch (breakpoint.kind) {
    case "stage":
      return breakpoint.state === state && breakpoint.stage === stage;
    case "error": {
      if (stage !== "error" || !fits) return false;
      const { errors = [] } = breakpoint;
      if (errors.length > 0 && !errors.includes(recording.valueAt(place).Error)) return false;
      if (!breakpoint.state && isHandedOn(recording, place)) return false;
      return breakpoint.uncaught !== true || fateOf(recording.tape, place) === undefined;
    }
    case "retry":
    case "catch":
      return stage === breakpoint.kind && fits;
    default:
      return false;
  }
}

/** Whether a history is that of a child execution of the Distributed Map that a breakpoint names, with one of its indices. */
function isChildOf(history: ExecutionHistory, { state, indices }: Breakpoint): boolean {
  return history.around?.state === state && inRanges(indices, history.begun?.index);
}

function isBeforeStage(tape: readonly TapeEntry[], place: number, { state, stage }: Breakpoint): boolean {
  const next = stageAt(tape, place + 1);
  return next !== undefined && next.state === state && next.stage === stage;
}

/** What becomes of the error at `place`: "retry", "catch", or undefined where nothing takes it. */
function fateOf(tape: readonly TapeEntry[], place: number): "retry" | "catch" | undefined {
  const fact = tape[place]?.fact;
  for (let i = place + 1; i < tape.length && tape[i]?.fact === fact; i++) {
    const entry = tape[i];
    if (entry?.kind === "stage" && (entry.stage === "retry" || entry.stage === "catch")) return entry.stage;
    if (entry?.kind === "event" && isExecutionEnd(entry.event) && entry.event.type !== "ExecutionSucceeded") return undefined;
  }
  // A Distributed Map may tolerate it.
  return "catch";
}

/** Whether the error at `place` was told before, by a state inside. */
function isHandedOn(recording: Recording, place: number): boolean {
  const tape: TapeEntry[] = recording.tape;
  const fact = tape[place]?.fact;
  for (let i = place - 1; i >= 0 && tape[i]?.fact === fact; i--) {
    if (stageAt(tape, i)?.stage === "error") return same(recording.valueAt(i), recording.valueAt(place));
  }
  return false;
}

/** Whether what a breakpoint watches is another after a state than before it: `$name`, or a path in the state's data. */
function isChangedBy(
  exit: RecordedEvent,
  { path = "", state }: Breakpoint,
  recording: Recording,
  visit: HistoryVisit | undefined,
): boolean {
  if (visit === undefined || (state && visit.state !== state)) return false;
  const { output, assignedVariables } = detailsOf(recording.eventOf(visit.history, exit.id));
  const variable = variableIn(path.trim());
  if (variable !== undefined) {
    return (
      assignedVariables !== undefined &&
      Object.hasOwn(assignedVariables, variable) &&
      variableBefore(recording, visit, variable) !== assignedVariables[variable]
    );
  }
  const { input } = detailsOf(recording.eventOf(visit.history, visit.enter));
  const at = (text: string | undefined): unknown => {
    const { message, value } = answerTo("jsonpath", path, { input: text === undefined ? undefined : JSON.parse(text) });
    return message === undefined ? value : undefined;
  };
  return input !== output && !same(at(input), at(output));
}

/** The name of the variable that a path is, without any step; undefined for any other path. */
function variableIn(path: string): string | undefined {
  const part = syntaxOf(path, "jsonpath");
  const [first, ...steps] = "message" in part ? [] : (part.parts ?? []);
  return first?.kind === "variable" && steps.length === 0 ? String(first.value) : undefined;
}

/** The JSON text of a variable before a state, or undefined. */
function variableBefore(recording: Recording, visit: HistoryVisit, name: string): string | undefined {
  for (const { history, exit } of leftBefore(visit)) {
    const { assignedVariables } = detailsOf(recording.eventOf(history, exit));
    if (assignedVariables && Object.hasOwn(assignedVariables, name)) return assignedVariables[name];
  }
  return undefined;
}

function isHit(hit: string, hits: number): boolean {
  const [, operator = "=", text] = HIT.exec(hit) ?? [];
  const n = Number(text);
  switch (operator) {
    case ">=":
      return hits >= n;
    case ">":
      return hits > n;
    case "%":
      return n > 0 && hits % n === 0;
    default:
      return hits === n;
  }
}

/** A log point's text; what stands in `{% … %}` is asked. */
function logged(text: string, values: Values): string {
  return text.replace(/\{%(.*?)%\}/gs, (_, question: string) => {
    const { value, nothing, message } = answerTo("jsonata", question, values);
    if (message !== undefined) return `<${message}>`;
    return nothing ? "undefined" : typeof value === "string" ? value : JSON.stringify(value);
  });
}

function describe({ kind, stage, when, from, to, path }: Breakpoint, recording: Recording, place: number): string {
  const tape: TapeEntry[] = recording.tape;
  const entry = tape[place];
  const state = entry?.kind === "stage" ? entry.state : ((entry && visitOf(recording, entry))?.state ?? "");
  const item = stageAt(tape, place)?.index;
  switch (kind) {
    case "entry":
      return `before ${state}`;
    case "exit":
      return `after ${state}`;
    case "stage":
      return `${when === "before" ? "before" : "after"} ${stage} of ${state}${item === undefined || when === "before" ? "" : `, item ${item}`}`;
    case "error":
      return `${recording.valueAt(place)?.Error ?? "an error"} in ${state}`;
    case "retry":
      return `before ${state} is retried, by retrier ${recording.valueAt(place).retrier + 1}`;
    case "catch":
      return `the error of ${state} is caught, by catcher ${recording.valueAt(place).catcher + 1}`;
    case "transition":
      return `from ${from} to ${to}`;
    case "iteration":
      return `iteration ${(entry?.event && detailsOf(entry.event).index) ?? entry?.history?.begun?.index} of ${state}`;
    default:
      return `${path} changed in ${state}`;
  }
}
