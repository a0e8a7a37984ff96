// The data that the interpreter reports about a run.

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
import type { ErrorFacts, RecordedTask } from "stepglass";
import type { Path } from "./stages.ts";

/** A child execution that a task has started, and the name of the execution that has the task. */
export type ChildExecution = DebugExecution & { by: string };

/** A child execution that is shown in place of the run's own. */
export interface Inside {
  id: number;
  machine: string;
  name: string;
  /** The chain of executions from the run's own to this one, with the state that started each. */
  way: { id: number; name: string; machine: string; state?: string }[];
  /** The machine's definition, in JSON. */
  definition: string;
}

/** A mock of a task. JavaScript is the text of a function, which runs in the sandbox. */
export type Mock = Exclude<PackageMock, { mode: "function" }> | { mode: "javascript"; code: string };

/** A state machine that tasks can start, by its name or ARN. */
export interface Machine {
  name: string;
  type: "STANDARD" | "EXPRESS";
  definition: string;
}

/** The options of an execution. Absent members have their defaults. */
export interface Config {
  name?: string;
  arn?: string;
  /** Milliseconds since the epoch. */
  startTime?: number;
  type?: "EXPRESS";
  /** `false` switches the limits of payload size and of the number of events off. */
  payload?: false;
  events?: false;
  /** Refuses to run a definition that has warnings. */
  strict?: true;
}

export type ClockMode = "skip" | "real" | "x10" | "x60" | "x3600" | "manual";

export type Exceptions = "none" | "uncaught" | "all";

export interface RunRequest {
  definition: string;
  format: "json" | "yaml";
  input: string;
  clock: ClockMode;
  seed: number;
  /** The names of the handlers that the handlers' module exports. */
  handlers: string[];
  /** Whether the module's default export is one function for all tasks. */
  resolver: boolean;
  /** Whether a task without a handler waits for an answer by hand. Otherwise it fails. */
  ask: boolean;
  breakpoints: Breakpoint[];
  /** Whether breakpoints are enabled. */
  stops: boolean;
  exceptions: Exceptions;
  mocks: Record<string, Mock>;
  machines: Machine[];
  /** Whether the run pauses before the first state. */
  paused: boolean;
  /** The first step, or the state that the run continues to. */
  step?: StepCommand;
  runTo?: string;
  /** The runs of a session file, which are restored in place of a new run. */
  saved?: SavedSession;
  /** The id under which the selected run is stored. Empty if another tab stores it. */
  kept?: string;
  /** For a run that is resumed: the execution's time at which the page came back. */
  until?: number;
  /** Whether the existing runs remain next to the new one. */
  beside: boolean;
  config: Config;
  /** The answers of tasks in a recorded execution. They are given again. */
  recorded?: { tasks: RecordedTask[]; startTime?: number };
}

/** The result of replaying a recorded execution. */
export interface ReplayReport {
  matches: boolean;
  compared: number;
  divergences: { event?: number; state?: string; iterations?: number[]; message: string; reason?: string }[];
  /** The gaps of the recording. */
  missing: { event?: number; message: string }[];
  /** The values of the definition's placeholders that were derived from the recording and used in the replay, by name. */
  filled: Record<string, string>;
  /** The number of values that no replay can reproduce. */
  unreproducible: number;
  tasks: RecordedTask[];
  input?: unknown;
  startTime?: number;
}

/**
 * The data that restores a run, and the facts that a list shows about it. Times are the execution's own, in milliseconds since
 * the epoch.
 */
export interface StoredRun {
  id: string;
  /** The run's number in the session. */
  run: number;
  name: string;
  status: RunResult["status"] | "RUNNING";
  began: number;
  now: number;
  /** The speed of the clock as a multiple of real time; 0 if the clock is stopped. */
  speed: number;
  /** The states whose tasks wait for an answer by hand. */
  waits: string[];
  /** The next timer. */
  timer?: { state: string; at: number };
  /** The JSON text of a session with this run alone. */
  saved?: string;
}

/** The commands without parameters. */
export type StepCommand = "continue" | "runOut" | "pause" | "next" | "stepIn" | "stepOut" | "stepStage" | "stepBack" | "reverseContinue";

/** The position at which the debugger shows the execution. */
export interface Position {
  stop: Stop;
  /** The last event at this position, and the number of events seen so far in the whole run. */
  event: number;
  events: number;
  place: number;
  /** Whether the position is the present. */
  atRest: boolean;
  /** Whether the execution has ended, whatever the position; and whether an execution that it started continues. */
  over: boolean;
  beside: boolean;
  now: number;
  stack: StackFrame[];
  /** The states whose tasks have started the selected execution, as stack frames. */
  callers: StackFrame[];
  /** Whether the innermost state of the stack has been left. */
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
  /** The maximum number of retries. */
  of?: number;
  /** The name of the execution, if it is not the selected one. */
  execution?: string;
}

export interface RunInfo {
  id: number;
  parent?: number;
  at?: number;
  /** For a fork: a description of the last event that it shares with its parent. */
  after?: string;
  /** Descriptions of the changes that were made by hand since the run began. */
  changed: string[];
  label: string;
  current: boolean;
  events: number;
  outcome?: { status: string };
}

/** A visit of a state, for the choice among iterations and repetitions. */
export interface VisitInfo {
  id: number;
  enter: number;
  exit: number;
  end: number;
  iterations: number[];
  attempts: number;
}

/** The parts of the definition that all runs together have used. */
export interface Covered extends Pick<MeasuredCoverage, "places" | "totals" | "percent"> {
  hits: Record<string, number>;
  /** The number of runs of this exact definition, which are counted, and of runs of other definitions, which are not. */
  runs: number;
  others: number;
}

/** The data of a visit on its way through the state. */
export interface Flow {
  visit: number;
  /** The event that entered the state. */
  enter: number;
  state: string;
  type: string;
  iterations: number[];
  attempt: number;
  attempts: number;
  input: unknown;
  stages: FlowStage[];
  /** The retries of this visit, in all attempts up to this one. */
  retries: { retrier: number; attempt: number; delayMilliseconds: number }[];
  /** The fields of the state's definition. */
  fields: Record<string, unknown>;
  language: "JSONPath" | "JSONata";
  /** The current position in the recording. */
  place: number;
  /** The requested item, for stages that a Map has for each item. */
  item: number | undefined;
}

export interface FlowStage {
  place: number;
  stage: string;
  /** For a stage that a Map has for each item: the item's index, and the number of items. */
  index?: number;
  of?: number;
  value: unknown;
  /** The size in bytes of JSON. */
  size: number;
  /** For an error: what the interpreter decided about it. */
  failure?: ErrorFacts;
}

/** A step in the explanation of where a value came from. */
export interface Origin {
  text: string;
  /** The event that shows this step. */
  event?: number;
  state?: string;
  /** The index of the stage in that state. */
  stage?: number;
  /** The depth in the tree of sources: each further source of a value is one level deeper. */
  depth: number;
  /** Whether only a dependency is known, but not which part of the value it is. */
  approximate?: boolean;
}

/** The earlier values that a part of a stage's value, or an expression of its field, is derived from. */
export interface ValueSources {
  /** The path of the expression in the field, its text, and the path of the value that it produces. */
  expression?: Path;
  text?: string;
  makes?: Path;
  /** The values that it has read. `at` is the index of the stage, or -1 for the state's input. */
  places: { at: number; path: Path }[];
  variables: string[];
  /** Whether it reads the Context Object. */
  context: boolean;
  approximate: boolean;
  /** Whether the value is a literal of the definition. */
  literal: boolean;
}

/** A payload close to AWS's size limit, and its event. */
export interface LargePayload {
  event: number;
  state: string;
  /** The size in bytes. */
  size: number;
}

/** The cause of a failure in a state. */
export interface FailureInfo {
  /** The cause without the words that only name the state. */
  said?: string;
  /** The field whose evaluation failed, its expression, and the range of the failing part. */
  field?: string;
  /** The JSON Pointer of that field in its state. */
  pointer?: string;
  expression?: string;
  from?: number;
  to?: number;
  /** Why that part has no value. */
  why?: string;
  /** The data that the expression could read. */
  saw: { label: string; value: unknown }[];
  /** The enclosing state that handled the error. */
  outer?: { state: string; catcher?: number; next?: string; retrier?: number };
}

/** The operand of a rule: its value, or why it has none. */
export interface Operand {
  text: string;
  value?: unknown;
  missing?: string;
}

/** The variables of one scope. Variables of an inner scope can hide them. */
export interface VariableScope {
  name: string;
  /** Whether it is an outer scope of the visit. */
  outer: boolean;
  variables: {
    name: string;
    value: unknown;
    state: string;
    event: number;
    /** Whether the variable was assigned by this state or by the one before it. */
    fresh: boolean;
    /** Whether an inner scope has a variable of the same name. */
    hidden: boolean;
    /** The previous value in the same scope. */
    was?: { value: unknown; state: string };
  }[];
}

/** A branch or iteration on the time line. Each bar reaches from one event to another. */
export interface Lane {
  name: string;
  bars: Bar[];
}

export interface Bar {
  /** The name of the state; empty for a bar that stands for several states. */
  state: string;
  from: number;
  to: number;
  kind: "run" | "wait" | "backoff" | "attempt" | "failed" | "task";
  /** The number of visits that this bar stands for, where single bars would be too narrow, and how many of them failed. */
  bars?: number;
  failed?: number;
  /** Whether it is on the critical path: the end of the run waited for it. */
  critical?: boolean;
}

export interface RunResult {
  status: "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
  /** The value, if there is no text. */
  output?: unknown;
  /** The output as the history has it, with all digits of its numbers. */
  text?: string;
  error?: string;
  cause?: string;
}

/** A summary of a run, computed from its events. */
export interface RunOutcome {
  /** The event of the first failure, and the visit that it belongs to. */
  failure?: { event: number; state: string; type: string; resource?: string; iterations: number[]; attempts: number; enter: number };
  /** The states that had not been left when the run ended. */
  running: string[];
  /**
   * The states with the longest total duration of all visits, in milliseconds. `enter` is the event that began the longest visit.
   * Half of the visits, 95 % and 99 % of them were not longer than `p50`, `p95` and `p99`.
   */
  slowest: { state: string; visits: number; took: number; longest: number; enter: number; p50: number; p95: number; p99: number }[];
  /**
   * The states that the end of the run waited for, those with the longest time first, in milliseconds. `share` is the part of the
   * whole critical path, from 0 to 1. `enter` is the event that began the longest visit on the path.
   */
  critical: { state: string; took: number; share: number; enter: number }[];
  /**
   * The states that were visited so often that it looks like a loop, in the order of their first visit. `enter` is the event that
   * began the last visit. The iterations of a Map do not count.
   */
  repeated: { state: string; times: number; enter: number }[];
  retried: { state: string; retries: number; enter: number }[];
  /** The number of retries of all states. */
  retries: number;
  caught: { state: string; times: number; event: number }[];
  /** The number of states that were entered. */
  used: number;
  states: number;
}

/** A task that waits for an answer by hand: it has no handler, or it waits for its task token. */
export interface WaitingTask {
  id: number;
  kind: AskedTask["kind"];
  state: string;
  resource: string;
  attempt: number;
  iterations: number[];
  input: unknown;
  token?: string;
  /** For an activity's task: whether a worker has polled it. */
  taken?: boolean;
  /** The name of the execution, if a task started it. */
  execution?: string;
  /** When the task times out, in the execution's time. */
  timeoutAt?: number;
  /** Whether the task is left without an answer until it times out. */
  silent?: boolean;
}

export type Answer =
  | { kind: "succeed"; output: unknown; after?: number }
  | { kind: "fail"; error: string; cause: string; after?: number }
  | { kind: "heartbeat" }
  | { kind: "silence" };

export interface EventRow {
  /** The event's id, from 1. */
  id: number;
  previous: number;
  type: string;
  state: string;
  iterations: number[];
  note: string;
  tone: "" | "good" | "bad" | "warn";
  /** Milliseconds since the start of the execution. */
  at: number;
}

export interface EventFilter {
  text: string;
  kind: "all" | "states" | "errors";
  /** Filters for this state and the states inside it. */
  state: string;
  /** Filters for events of this type. Absent for all types. */
  type?: string;
  /** Filters for this branch or iteration and what it contains. The number is its id in `Facets`. */
  scope?: number;
}

/** The last visit of a state: its iterations, and the sizes of its input and output in bytes of JSON. */
export interface LastVisit {
  iterations: number[];
  input: number;
  /** Absent if there is no output yet. */
  output?: number;
}

/** The values that events can be filtered by. */
export interface Facets {
  types: string[];
  /** The branches and iterations in the order of their start. If there are very many, only the first ones are listed. */
  scopes: { id: number; name: string }[];
}

export interface Visit {
  /** For a visit in a child execution, the last event of the run at that time. */
  enter: number;
  exit: number;
  caught: boolean;
  failed: boolean;
  iterations: number[];
  attempts: { scheduled: number; ended: number; failed: boolean }[];
  /** The visit in the child execution, if it is one. */
  child?: ChildVisit;
}
