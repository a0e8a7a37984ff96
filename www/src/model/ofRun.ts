// What the interpreter tells of a run.

import type {
  AskedTask,
  Breakpoint,
  ChildVisit,
  DebugExecution,
  DebugThread,
  MeasuredCoverage,
  Mock as PackageMock,
  SavedSession,
  StackFrame,
  Stop,
} from "stepglass/debug";
import type { RecordedTask } from "stepglass";
import type { Config } from "./share.ts";
import type { Path } from "./stages.ts";

/// An execution that a task has started, and the name of the one that has.
export type ChildExecution = DebugExecution & { by: string };

/// A started execution that is looked at in place of the run's own.
export interface Inside {
  id: number;
  machine: string;
  name: string;
  /// The executions that it is inside of, the run's own first and itself last, with the states that have started them.
  way: { id: number; name: string; machine: string; state?: string }[];
  /// The machine's definition, JSON.
  definition: string;
}

/// What stands for a task. JavaScript is the text of a function, which runs in the sandbox.
export type Mock = Exclude<PackageMock, { mode: "function" }> | { mode: "javascript"; code: string };

/// A definition that tasks start, by its name or ARN.
export interface Machine {
  name: string;
  type: "STANDARD" | "EXPRESS";
  definition: string;
}

export type ClockMode = "skip" | "real" | "x10" | "x60" | "x3600" | "manual";

export type Exceptions = "none" | "uncaught" | "all";

export interface RunRequest {
  definition: string;
  format: "json" | "yaml";
  input: string;
  clock: ClockMode;
  seed: number;
  /// Names of the handlers that the tasks' module exports.
  handlers: string[];
  /// Whether the module's default export is one function for all tasks.
  resolver: boolean;
  /// Whether a task without a handler waits for a person's answer; otherwise it fails.
  ask: boolean;
  breakpoints: Breakpoint[];
  /// Whether breakpoints count.
  stops: boolean;
  exceptions: Exceptions;
  mocks: Record<string, Mock>;
  machines: Machine[];
  /// Whether it stops before the first state.
  paused: boolean;
  /// Its first step, or the state that it goes to first.
  step?: StepCommand;
  runTo?: string;
  /// Runs of a session file, which are there again in place of a new one.
  saved?: SavedSession;
  /// What the run of these that is looked at is kept as; empty where another tab keeps it.
  kept?: string;
  /// For one that goes on: to which of its times the page was gone.
  until?: number;
  /// Whether the runs that there are stay beside it.
  beside: boolean;
  config: Config;
  /// What tasks answered in a recorded execution: they answer so again.
  recorded?: { tasks: RecordedTask[]; startTime?: number };
}

/// What came of running a recorded execution again.
export interface ReplayReport {
  matches: boolean;
  compared: number;
  divergences: { event?: number; state?: string; iterations?: number[]; message: string; reason?: string }[];
  /// Gaps of the recording.
  missing: { event?: number; message: string }[];
  /// Values of the definition's placeholders, by their names, that the recording tells; with them it was replayed.
  filled: Record<string, string>;
  /// How many values no run repeats.
  unreproducible: number;
  tasks: RecordedTask[];
  input?: unknown;
  startTime?: number;
}

/// What makes a run again, and what a list says of it. Times are its own, in milliseconds since 1970.
export interface KeptRun {
  id: string;
  /// Its number in the session.
  run: number;
  name: string;
  status: RunResult["status"] | "RUNNING";
  began: number;
  now: number;
  /// How many times as fast as real time it flows; 0 where its time stands still.
  speed: number;
  /// States whose tasks wait for somebody.
  waits: string[];
  /// What happens by itself next.
  timer?: { state: string; at: number };
  /// JSON text of a session with this run alone.
  saved?: string;
}

/// Commands that take nothing.
export type StepCommand = "continue" | "runOut" | "pause" | "next" | "stepIn" | "stepOut" | "stepStage" | "stepBack" | "reverseContinue";

/// Where the interpreter stands.
export interface Position {
  stop: Stop;
  /// The last event that has happened there, and how many were ever seen.
  event: number;
  events: number;
  place: number;
  /// Whether it is the very present.
  atRest: boolean;
  /// Whether the execution has ended, wherever one looks; and whether one that it has started goes on beside it all the same.
  over: boolean;
  beside: boolean;
  now: number;
  stack: StackFrame[];
  /// The states around the tasks that have started the execution which is looked at.
  callers: StackFrame[];
  /// Whether the innermost state of the stack has been left.
  left: boolean;
  threads: DebugThread[];
  timers: PendingTimer[];
  hits: Record<number, number>;
}

export interface PendingTimer {
  at: number;
  kind: "wait" | "retry" | "timeout";
  state: string;
  iterations: number[];
  retries: number;
  /// How many retries there may be.
  of?: number;
  /// The name of its execution, where that is not the one that is looked at.
  execution?: string;
}

export interface RunInfo {
  id: number;
  parent?: number;
  at?: number;
  /// Of a fork: the event after which it goes its own way, in words.
  after?: string;
  /// What was changed in it by hand since it began.
  changed: string[];
  label: string;
  current: boolean;
  events: number;
  outcome?: { status: string };
}

/// One visit of a state, to choose among iterations and repetitions.
export interface VisitInfo {
  id: number;
  enter: number;
  exit: number;
  end: number;
  iterations: number[];
  attempts: number;
}

/// What all runs have used of the definition.
export interface Covered extends Pick<MeasuredCoverage, "places" | "totals" | "percent"> {
  hits: Record<string, number>;
  /// How many runs of this very definition are counted, and how many of others are not.
  runs: number;
  others: number;
}

/// The data of one visit on its way through a state.
export interface Flow {
  visit: number;
  /// The event that was asked for.
  enter: number;
  state: string;
  type: string;
  iterations: number[];
  attempt: number;
  attempts: number;
  input: unknown;
  stages: FlowStage[];
  /// What retriers have taken in this visit, in all attempts up to this one.
  retries: { retrier: number; attempt: number; delayMilliseconds: number }[];
  /// The definition of the state.
  fields: Record<string, unknown>;
  language: "JSONPath" | "JSONata";
  /// The place on the tape that is looked at.
  place: number;
  /// The item that was asked for, of stages that a Map has for each.
  item: number | undefined;
}

export interface FlowStage {
  place: number;
  stage: string;
  /// Of a stage that a Map has for each item: which, and how many there are.
  index?: number;
  of?: number;
  value: unknown;
  /// Bytes of JSON.
  size: number;
}

/// One step of where a value came from.
export interface Origin {
  text: string;
  /// The event to look at.
  event?: number;
  state?: string;
  /// The stage of that state.
  stage?: number;
  /// Of several sources of one value, each goes one deeper.
  depth: number;
  /// Whether it is only known that it depends on it.
  approximate?: boolean;
}

/// What a part of a stage's value, or an expression of its field, goes back to among the values before it.
export interface Lights {
  /// The leaf of the field, its text, and the part of the value that it makes.
  expression?: Path;
  text?: string;
  makes?: Path;
  /// The nodes that it read; `at` is the place among the stages, -1 for the state's input.
  places: { at: number; path: Path }[];
  variables: string[];
  /// Whether it reads the Context Object.
  context: boolean;
  approximate: boolean;
  /// It stands in the definition as it is.
  literal: boolean;
}

/// A payload close to AWS's limit, and the event that it came with.
export interface LargePayload {
  event: number;
  state: string;
  /// In bytes.
  size: number;
}

/// What went wrong in a state.
export interface FailureInfo {
  /// The cause without the words that only name the state.
  said?: string;
  /// The field whose evaluation has failed, its expression, and the part of that which is at fault.
  field?: string;
  expression?: string;
  from?: number;
  to?: number;
  /// Why there is nothing at that part.
  why?: string;
  /// The data that the expression saw.
  saw: { label: string; value: unknown }[];
  /// The state around that has taken the error.
  outer?: { state: string; catcher?: number; next?: string; retrier?: number };
}

/// What a rule looks at: its value, or why there is none.
export interface Operand {
  text: string;
  value?: unknown;
  missing?: string;
}

/// The variables that one scope has; those of scopes further out may be hidden by them.
export interface VariableScope {
  name: string;
  /// Whether it lies further out than the visit.
  outer: boolean;
  variables: {
    name: string;
    value: unknown;
    state: string;
    event: number;
    /// The state before has assigned it, or this one.
    fresh: boolean;
    /// One of the same name lies further in.
    hidden: boolean;
    /// What it was before in the same scope.
    was?: { value: unknown; state: string };
  }[];
}

/// A branch or iteration on the time line; its bars reach from event to event.
export interface Lane {
  name: string;
  bars: Bar[];
}

export interface Bar {
  /// Empty for a bar of several states.
  state: string;
  from: number;
  to: number;
  kind: "run" | "wait" | "backoff" | "attempt" | "failed" | "task";
  /// How many bars this one stands for, where they are too narrow to be drawn by themselves, and how many of them failed.
  bars?: number;
  failed?: number;
}

export interface RunResult {
  status: "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
  /// The value, where the text is not there.
  output?: unknown;
  /// The output as the history has it, with all digits of its numbers.
  text?: string;
  error?: string;
  cause?: string;
}

/// What has come of a run, from its events.
export interface RunOutcome {
  /// The event that says what failed first, and the state's visit that it is of.
  failure?: { event: number; state: string; type: string; resource?: string; iterations: number[]; attempts: number; enter: number };
  /// States that were not left when the run ended.
  running: string[];
  /// By the time that all their visits took together, in ms; `enter` begins the longest.
  slowest: { state: string; visits: number; took: number; longest: number; enter: number }[];
  /// States that the run has come back to so often that it looks like a loop, in the order in which they were entered first; `enter`
  /// begins the last visit. What a Map does with its items is none.
  repeated: { state: string; times: number; enter: number }[];
  retried: { state: string; retries: number; enter: number }[];
  /// Retries of all states.
  retries: number;
  caught: { state: string; times: number; event: number }[];
  /// How many of the states were entered.
  used: number;
  states: number;
}

/// A task that waits for a person: it has no handler, or it waits for its token.
export interface WaitingTask {
  id: number;
  kind: AskedTask["kind"];
  state: string;
  resource: string;
  attempt: number;
  iterations: number[];
  input: unknown;
  token?: string;
  /// Of an activity's: whether a worker has taken it.
  taken?: boolean;
  /// The execution that asks, where a task has started it.
  execution?: string;
  /// When it times out, in the execution's time.
  timeoutAt?: number;
  /// Nobody is going to answer: it is left to time out.
  silent?: boolean;
}

export type Answer =
  | { kind: "succeed"; output: unknown; after?: number }
  | { kind: "fail"; error: string; cause: string; after?: number }
  | { kind: "heartbeat" }
  | { kind: "silence" };

export interface EventRow {
  /// The event's id, from 1.
  id: number;
  previous: number;
  type: string;
  state: string;
  iterations: number[];
  note: string;
  tone: "" | "good" | "bad" | "warn";
  /// Milliseconds since the start.
  at: number;
}

export interface EventFilter {
  text: string;
  kind: "all" | "states" | "errors";
  /// Only this state and what is inside of it.
  state: string;
  /// Only events of this type; absent for all.
  type?: string;
  /// Only this branch or iteration and what is inside of it, by its number among those that `facets` tells of.
  scope?: number;
}

/// The last visit of a state: where it was, and how many bytes of JSON went in and came out.
export interface LastVisit {
  iterations: number[];
  input: number;
  /// Absent where nothing has come out yet.
  output?: number;
}

/// What events may be filtered by.
export interface Facets {
  types: string[];
  /// Branches and iterations in the order of their beginning; of very many the first.
  scopes: { id: number; name: string }[];
}

export interface Visit {
  /// Of a visit in a child execution, the event of the run that had happened last.
  enter: number;
  exit: number;
  caught: boolean;
  failed: boolean;
  iterations: number[];
  attempts: { scheduled: number; ended: number; failed: boolean }[];
  /// Of one in a child execution.
  child?: ChildVisit;
}
