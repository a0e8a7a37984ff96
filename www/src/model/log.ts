// What happened, as numbers: one entry per history event, or per step of a child execution, which has no events in its
// parent's history. The worker classifies them and sends these columns; the page folds them up to any event, so going
// back in time costs a fold and no message.

import type { StateStatus } from "stepglass";

export const Op = {
  Other: 0,
  Enter: 1,
  Exit: 2,
  /// An exit through a catcher.
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
  /// A Parallel or Map state begins its work, for the first time or again.
  ScopeStart: 13,
  ExecutionStart: 14,
  ExecutionDone: 15,
  ExecutionFail: 16,
  ExecutionTimeout: 17,
  ExecutionAbort: 18,
  ScopeDone: 19,
} as const;

export interface LogChunk {
  /// How many entries there were before.
  from: number;
  ops: Uint8Array;
  /// Index into the graph's nodes, -1 for events of the execution itself.
  nodes: Int32Array;
  /// Index into the graph's edges that the event travelled, or -1.
  edges: Int32Array;
  /// Virtual time, ms since the epoch.
  times: Float64Array;
  /// The event that an entry is; of a child's step, the one that has happened last.
  events: Int32Array;
  /// Of a child's step its place on the debugger's tape; 0 for events.
  places: Int32Array;
  /// The innermost iteration that it is in, numbered over all Maps, or -1. The beginning and the end of one are in it.
  items: Int32Array;
  /// Iterations that have begun: each the Map's node, the iteration around (-1), its index, its round, its entry.
  begun: Int32Array;
  /// A Map's beginnings of its work: each its node, the iteration around (-1), how many iterations are to come (-1: not known), its entry.
  rounds: Int32Array;
  /// Of those begun that are child executions, their names.
  names?: Map<number, string>;
  /// What went wrong in those entries that tell of an error, by their numbers.
  errors?: Map<number, string>;
}

/// What a history can tell; a drawing has besides what only the debugger knows.
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

/// The status of an execution in the word that AWS's console has for it, the same wherever the page tells it.
export const outcomeWord = (status: string): string => OUTCOMES[status]?.word ?? status;

/// Whether that is good or bad news. An execution that somebody has ended is neither.
export const outcomeTone = (status: string): "good" | "bad" | "" => OUTCOMES[status]?.tone ?? "";

/// How an execution has ended, in the words of a status line.
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
  /// Failed attempts whose fate (retry, catch, failure) is not yet known.
  pending: number;
  timedOut: boolean;
  submitted: number;
  /// Attempts since the state was last entered.
  attempts: number;
  /// Failed attempts altogether.
  failures: number;
  lastCaught: boolean;
  /// The name of the error that it failed with last; "" for none since it was entered.
  error: string;
  iterations: number;
  iterationsDone: number;
  iterationsFailed: number;
  /// Iterations of a Map that have not begun yet; the state that they begin with has the same number.
  queued: number;
  /// Visits that have failed, caught or not, since the beginning.
  lost: number;
  /// Milliseconds of all visits together up to `since`, when the number of active ones was another last.
  busy: number;
  since: number;
  /// When it was entered last, and when anything last happened to it; ms since the epoch, 0 for never.
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

/// Milliseconds that a visit took in the mean, with those that are not over.
export function meanOf(run: NodeRun, now: number): number {
  return run.entered === 0 ? 0 : (run.busy + run.active * Math.max(0, now - run.since)) / run.entered;
}
