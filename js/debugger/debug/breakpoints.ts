// Breakpoints, and whether a run has reached one of them.

import { syntaxOf } from "../../core/definition/expression-syntax.ts";
import type { Breakpoint, DebugOptions, Stop, Values } from "../../core/api/debug.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { shown } from "../../core/base/shown.ts";
import { detailsOf, isExecutionEnd, isStateEntered, isStateExited } from "../../core/history/events.ts";
import { answerTo, same, test } from "./expressions.ts";
import { inRanges } from "./mocks.ts";
import type { Recording } from "./recording.ts";
import type { RecordedEvent, ExecutionHistory, HistoryVisit } from "./execution-history.ts";
import { type ChildEntry, type EventEntry, type StageEntry, type RecordingEntry, stageAt } from "./entries.ts";
import { type Inspected, leftBefore, visitOf } from "./view.ts";

const KINDS: Breakpoint["kind"][] = ["entry", "exit", "stage", "error", "retry", "catch", "transition", "iteration", "change"];

const HIT = /^\s*(=|==|>=|>|%)?\s*(\d+)\s*$/;

/** A breakpoint with the members that the session fills in. */
type SetBreakpoint = Breakpoint & Required<Pick<Breakpoint, "id" | "hits" | "enabled">>;

/** The parts of an execution that breakpoints read. */
interface Stoppable extends Inspected {
  run: { first: Pick<Inspected, "info"> };
}

/** An output of a log point. */
interface Log {
  breakpoint: number;
  text: string;
}

/** The breakpoints of a session, with the hits of each. */
export class Breakpoints {
  #list: SetBreakpoint[] = [];
  #next = 1;
  /** The errors to stop at: `"none"`, `"uncaught"`, `"all"`, or a list of error names. */
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

  /** Resets the hit counts, for a new run. */
  reset(): void {
    for (const breakpoint of this.#list) breakpoint.hits = 0;
  }

  /**
   * Returns what to do when the position has moved past the entry at `position`: whether to stop, and which logs to write.
   * `valuesHere` returns the values in scope there. With `count: false`, hits are not counted and logs are not written.
   */
  check(run: Stoppable, position: number, valuesHere: () => Values, count = true): { stop: Stop | undefined; logs: Log[] } {
    const logs: Log[] = [];
    let stop: Stop | undefined;
    if (!this.enabled) return { stop, logs };
    for (const breakpoint of this.#list) {
      if (!breakpoint.enabled || !isOf(breakpoint, run) || !isAt(breakpoint, run.recording, position)) continue;
      const { id, condition, log = "" } = breakpoint;
      if (condition) {
        const { holds, message } = test(breakpoint.language ?? "jsonata", condition, valuesHere());
        if (message !== undefined) {
          stop ??= { reason: "breakpoint", breakpoint: id, description: `the condition of a breakpoint cannot be evaluated: ${message}` };
          continue;
        }
        if (!holds) continue;
      }
      const hits = breakpoint.hits + 1;
      if (count) breakpoint.hits = hits;
      if (breakpoint.hit && count && !isHit(breakpoint.hit, hits)) continue;
      if (log === "") stop ??= { reason: "breakpoint", breakpoint: id, description: describe(breakpoint, run.recording, position) };
      else if (count) logs.push({ breakpoint: id, text: logged(log, valuesHere()) });
    }
    stop ??= this.#exception(run.recording, position);
    return { stop, logs };
  }

  #exception(recording: Recording, position: number): Stop | undefined {
    const stage = stageAt(recording.entries, position);
    if (this.exceptions === "none" || stage?.stage !== "error") return undefined;
    const { Error: error } = recording.valueAt(position);
    const fate = fateOf(recording.entries, position);
    if (this.exceptions === "uncaught" ? fate !== undefined : Array.isArray(this.exceptions) && !this.exceptions.includes(error))
      return undefined;
    // The state around records the error again if it is passed on. The run stops at it only once.
    if (isHandedOn(recording, position)) return undefined;
    const what = fate === undefined ? "uncaught" : fate === "retry" ? "will be retried" : "will be caught";
    return { reason: "exception", description: `${error ?? "an error"} in ${stage.state}, ${what}`, uncaught: fate === undefined };
  }
}

/**
 * Returns whether a breakpoint belongs to the machine of an execution. One that names neither a machine nor a state belongs to all
 * of them.
 */
function isOf({ machine, state, from }: Breakpoint, { info, run }: Stoppable): boolean {
  if (machine === undefined && state === undefined && from === undefined) return true;
  return (machine ?? run.first.info.stateMachineName) === info.stateMachineName;
}

/** Returns whether a breakpoint is set at the entry at `position`. */
function isAt(breakpoint: Breakpoint, recording: Recording, position: number): boolean {
  const entries: RecordingEntry[] = recording.entries;
  const entry = entries[position];
  if (entry === undefined) return false;
  // A breakpoint before a stage is at the entry that precedes the stage, whatever its kind.
  if (breakpoint.kind === "stage" && breakpoint.when === "before")
    return entry.kind !== "end" && isBeforeStage(entries, position, breakpoint);
  if (entry.kind === "end") return breakpoint.kind === "iteration" && breakpoint.at === "end" && isChildOf(entry.history, breakpoint);
  return entry.kind === "stage" ? isAtStage(breakpoint, recording, entry, position) : isAtEvent(breakpoint, recording, entry);
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

function isAtStage(breakpoint: Breakpoint, recording: Recording, entry: StageEntry, position: number): boolean {
  const { state, stage, taken } = entry;
  if (breakpoint.taken !== undefined && breakpoint.taken !== taken) return false;
  // Breakpoints at errors, retries and catches may name no state. They then apply to every state.
  const fits = !breakpoint.state || breakpoint.state === state;
  switch (breakpoint.kind) {
    case "stage":
      return breakpoint.state === state && breakpoint.stage === stage;
    case "error": {
      if (stage !== "error" || !fits) return false;
      const { errors = [] } = breakpoint;
      if (errors.length > 0 && !errors.includes(recording.valueAt(position).Error)) return false;
      if (!breakpoint.state && isHandedOn(recording, position)) return false;
      return breakpoint.uncaught !== true || fateOf(recording.entries, position) === undefined;
    }
    case "retry":
    case "catch":
      return stage === breakpoint.kind && fits;
    default:
      return false;
  }
}

/**
 * Returns whether a history belongs to one of the Distributed Map's child executions that a breakpoint selects by state and index.
 */
function isChildOf(history: ExecutionHistory, { state, indices }: Breakpoint): boolean {
  return history.around?.state === state && inRanges(indices, history.begun?.index);
}

function isBeforeStage(entries: readonly RecordingEntry[], position: number, { state, stage }: Breakpoint): boolean {
  const next = stageAt(entries, position + 1);
  return next !== undefined && next.state === state && next.stage === stage;
}

/** Returns how the error at `position` is handled: "retry", "catch", or undefined if nothing handles it. */
function fateOf(entries: readonly RecordingEntry[], position: number): "retry" | "catch" | undefined {
  const fact = entries[position]?.fact;
  for (let i = position + 1; i < entries.length && entries[i]?.fact === fact; i++) {
    const entry = entries[i];
    if (entry?.kind === "stage" && (entry.stage === "retry" || entry.stage === "catch")) return entry.stage;
    if (entry?.kind === "event" && isExecutionEnd(entry.event) && entry.event.type !== "ExecutionSucceeded") return undefined;
  }
  // A Distributed Map may tolerate the failure.
  return "catch";
}

/** Returns whether a state inside has already reported the error at `position`. */
function isHandedOn(recording: Recording, position: number): boolean {
  const entries: RecordingEntry[] = recording.entries;
  const fact = entries[position]?.fact;
  for (let i = position - 1; i >= 0 && entries[i]?.fact === fact; i--) {
    if (stageAt(entries, i)?.stage === "error") return same(recording.valueAt(i), recording.valueAt(position));
  }
  return false;
}

/**
 * Returns whether the value that a breakpoint watches (`$name`, or a path in the state's data) differs before and after a state.
 */
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

/** Returns the variable's name if a path is just that variable, without further steps. Returns undefined for any other path. */
function variableIn(path: string): string | undefined {
  const part = syntaxOf(path, "jsonpath");
  const [first, ...steps] = "message" in part ? [] : (part.parts ?? []);
  return first?.kind === "variable" && steps.length === 0 ? String(first.value) : undefined;
}

/** Returns the JSON text of a variable before a state, or undefined. */
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

/** Returns the text of a log point, with each `{% … %}` replaced by the value of its expression. */
function logged(text: string, values: Values): string {
  return text.replace(/\{%(.*?)%\}/gs, (_, question: string) => {
    const { value, nothing, message } = answerTo("jsonata", question, values);
    if (message !== undefined) return `<${message}>`;
    return nothing ? "undefined" : typeof value === "string" ? value : JSON.stringify(value);
  });
}

function describe({ kind, stage, when, from, to, path }: Breakpoint, recording: Recording, position: number): string {
  const entries: RecordingEntry[] = recording.entries;
  const entry = entries[position];
  const state = entry?.kind === "stage" ? entry.state : ((entry && visitOf(recording, entry))?.state ?? "");
  const item = stageAt(entries, position)?.index;
  switch (kind) {
    case "entry":
      return `before ${state}`;
    case "exit":
      return `after ${state}`;
    case "stage":
      return `${when === "before" ? "before" : "after"} ${stage} of ${state}${item === undefined || when === "before" ? "" : `, item ${item}`}`;
    case "error":
      return `${recording.valueAt(position)?.Error ?? "an error"} in ${state}`;
    case "retry":
      return `before ${state} is retried, by retrier ${recording.valueAt(position).retrier + 1}`;
    case "catch":
      return `the error of ${state} is caught, by catcher ${recording.valueAt(position).catcher + 1}`;
    case "transition":
      return `from ${from} to ${to}`;
    case "iteration":
      return `iteration ${(entry?.event && detailsOf(entry.event).index) ?? entry?.history?.begun?.index} of ${state}`;
    default:
      return `${path} changed in ${state}`;
  }
}
