// The log of a run as numbers. There is one entry for each history event, and for each step of a child execution, which has no
// events in its parent's history. The worker classifies the entries and sends these columns; the page folds them up to any event,
// so going back in time costs a fold and no message.

import type { StateStatus } from "stepglass";

export const Op = {
  Other: 0,
  Enter: 1,
  Exit: 2,
  /** The state was left through a catcher. */
  ExitCaught: 3,
  Scheduled: 4,
  Started: 5,
  Submitted: 6,
  Fail: 7,
  Timeout: 8,
  IterationStart: 9,
  IterationDone: 10,
  IterationFail: 11,
  IterationAbort: 12,
  /** A Parallel or Map state starts its branches or iterations, for the first time or in a retry. */
  ScopeStart: 13,
  ExecutionStart: 14,
  ExecutionDone: 15,
  ExecutionFail: 16,
  ExecutionTimeout: 17,
  ExecutionAbort: 18,
  ScopeDone: 19,
} as const;

export interface LogChunk {
  /** The number of entries before this chunk. */
  from: number;
  ops: Uint8Array;
  /** The index into the graph's nodes; -1 for events of the execution itself. */
  nodes: Int32Array;
  /** The index into the graph's edges of the transition that was taken, or -1. */
  edges: Int32Array;
  /** Virtual time, in milliseconds since the epoch. */
  times: Float64Array;
  /** The event of each entry. For a step of a child execution it is the last event before the step. */
  events: Int32Array;
  /** For a step of a child execution, its position in the debugger's recording; 0 for events. */
  places: Int32Array;
  /**
   * The innermost iteration of each entry, numbered over all Maps, or -1. The start and the end of an iteration belong to that
   * iteration.
   */
  items: Int32Array;
  /**
   * The iterations that have begun, five numbers for each: the Map's node, the enclosing iteration (or -1), its index, its round,
   * its entry.
   */
  begun: Int32Array;
  /**
   * The rounds that Maps have begun, four numbers for each: the node, the enclosing iteration (or -1), the number of iterations
   * (-1 if it is not known), its entry.
   */
  rounds: Int32Array;
  /** The names of those iterations that are child executions. */
  names?: Map<number, string>;
  /** The error names of the entries that report an error, by entry. */
  errors?: Map<number, string>;
}

/** The statuses that a history can tell. A drawing has further ones that only the debugger knows. */
export type Status = Exclude<StateStatus, "paused" | "skipped">;

export const STATUS_TEXT: Record<Status, string> = {
  idle: "not run",
  queued: "queued",
  running: "running",
  waiting: "waiting",
  awaiting: "waits for your answer",
  retrying: "failed, will retry",
  succeeded: "succeeded",
  caught: "failed, caught",
  failed: "failed",
  timedOut: "timed out",
  cancelled: "cancelled",
};

const OUTCOMES: Record<string, { word: string; tone: "good" | "bad" | "" }> = {
  RUNNING: { word: "Running", tone: "" },
  SUCCEEDED: { word: "Succeeded", tone: "good" },
  FAILED: { word: "Failed", tone: "bad" },
  TIMED_OUT: { word: "Timed out", tone: "bad" },
  ABORTED: { word: "Aborted", tone: "" },
};

/** Returns the status of an execution as AWS's console words it. The page uses this everywhere. */
export const outcomeWord = (status: string): string => OUTCOMES[status]?.word ?? status;

/** Returns whether a status is a success or a failure. An aborted execution is neither. */
export const outcomeTone = (status: string): "good" | "bad" | "" => OUTCOMES[status]?.tone ?? "";

/** Returns the text of a status line for the end of an execution. */
export function resultWords({ status, error }: { status: string; error?: string | null | undefined }): string {
  return `${outcomeWord(status)}${status === "FAILED" && error ? `: ${error}` : ""}`;
}

export interface NodeRun {
  status: Status;
  entered: number;
  active: number;
  exited: number;
  caught: number;
  cancelled: number;
  failed: number;
  /** The number of failed attempts whose outcome (retry, catch, failure) is not yet known. */
  pending: number;
  timedOut: boolean;
  submitted: number;
  /** The number of attempts since the state was last entered. */
  attempts: number;
  /** The number of failed attempts in the whole run. */
  failures: number;
  lastCaught: boolean;
  /** The name of the last error since the state was entered; "" if there was none. */
  error: string;
  iterations: number;
  iterationsDone: number;
  iterationsFailed: number;
  /** The number of iterations of a Map that have not begun. The first state of the iterations has the same number. */
  queued: number;
  /** The number of visits that have failed, caught or not, since the start of the run. */
  lost: number;
  /**
   * The total duration of all visits up to `since`, in milliseconds. `since` is the last time at which the number of active
   * visits changed.
   */
  busy: number;
  since: number;
  /** The times of the last entry and of the last event of the state, in milliseconds since the epoch; 0 if there was none. */
  began: number;
  last: number;
}

const IDLE: NodeRun = Object.freeze({
  status: "idle",
  entered: 0,
  active: 0,
  exited: 0,
  caught: 0,
  cancelled: 0,
  failed: 0,
  pending: 0,
  timedOut: false,
  submitted: 0,
  attempts: 0,
  failures: 0,
  lastCaught: false,
  error: "",
  iterations: 0,
  iterationsDone: 0,
  iterationsFailed: 0,
  queued: 0,
  lost: 0,
  busy: 0,
  since: 0,
  began: 0,
  last: 0,
} as const);

export function idleRun(): NodeRun {
  return IDLE;
}

/** Returns the mean duration of a visit in milliseconds. It includes the visits that have not ended. */
export function meanOf(run: NodeRun, now: number): number {
  return run.entered === 0 ? 0 : (run.busy + run.active * Math.max(0, now - run.since)) / run.entered;
}
