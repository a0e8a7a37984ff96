// The protocol between components and their worker. One worker serves all components of a page.

import type { Gesture, PossibleGesture, RecordedTask, RefusedEdit, TextWidths, WrittenEdit } from "stepglass";
import type { Graph } from "../model/graph.ts";
import type { Diagnostic, FailureInfo, Flow, RunOutcome, RunResult } from "../model/protocol.ts";
import type { HistoryEvent } from "../model/recorded.ts";
import type { TextRange } from "../worker/failingRange.ts";

export type Step = "over" | "into" | "out" | "back" | "stage";

export interface Begin {
  definition: string;
  input: string;
  /** The mocks of tasks by state, function or resource. The page is asked about tasks without a mock. */
  mocks: Record<string, unknown>;
  breakpoints: unknown[];
  clock: "skip" | "manual" | number;
  seed: number;
  /** The answers of tasks in a recorded execution, which are given again. Only the worker for recordings takes them. */
  recorded?: RecordedAnswers;
}

/** The answers of tasks in a recorded execution, and when it began, in milliseconds since the epoch. */
export interface RecordedAnswers {
  tasks: RecordedTask[];
  startTime?: number;
}

export interface Asked {
  id: number;
  state: string;
  resource: string;
  input: unknown;
  attempt: number;
  iterations: number[];
  token?: string;
}

export type TaskAnswer = { kind: "succeed"; output: unknown } | { kind: "fail"; error: string; cause: string };

/** The position of a session. */
export interface Standing {
  status: "running" | "paused" | "ended";
  reason: string;
  description: string;
  /** The selected event, and the number of events. */
  event: number;
  events: number;
  now: number;
  /** Whether a timer is pending. */
  timed: boolean;
  outcome?: RunResult;
  tasks: Asked[];
}

export interface Methods {
  layout: { params: { definition: string; widths: TextWidths | undefined }; value: { graph?: Graph; diagnostics: Diagnostic[] } };
  svg: { params: { definition: string; options: Record<string, unknown> }; value: string };
  edit: { params: { definition: string; gesture: Gesture }; value: WrittenEdit | RefusedEdit };
  gestures: { params: { definition: string; places: readonly string[] }; value: PossibleGesture[] };
  begin: { params: { session: number } & Begin; value: Standing };
  go: { params: { session: number; how: "continue" | "pause" | "restart" | Step }; value: Standing };
  goto: { params: { session: number; event: number }; value: Standing };
  fork: { params: { session: number; event?: number }; value: Standing };
  /** Advances the clock to the next timer. */
  advance: { params: { session: number }; value: Standing };
  answer: { params: { session: number; id: number; answer: TaskAnswer }; value: Standing };
  stages: { params: { session: number; state: string }; value: { stage: string; value: unknown }[] };
  close: { params: { session: number }; value: null };
}

/** Why a state failed, and the failing part of its field in the definition's text, if both are known. */
export interface FailedField extends FailureInfo {
  range?: TextRange;
}

/** The report on a recorded execution. */
export interface RecordedReport {
  outcome: RunOutcome;
  /** The failure that ended the execution. */
  failed?: FailedField;
  /** Why the data flow is not known from some event on, or not at all. */
  gap?: string;
}

/** The data of a visit of a recorded execution. */
export type RecordedFlow = Pick<Flow, "stages" | "retries"> & { failed?: FailedField };

/** The methods of the worker for recordings. A recording has the number of a session. */
export interface RecordedMethods extends Methods {
  /** Replays a recorded execution with its answers. `text` is the definition as it is shown, and `definition` the same in JSON. */
  record: { params: { session: number; text: string; definition: string; events: HistoryEvent[] }; value: RecordedReport };
  /** Returns the data of a visit, by the event that entered it. Null if the replay differs from the recording before its end. */
  flow: { params: { session: number; state: string; enter: number }; value: RecordedFlow | null };
  /** Returns what a run needs to do the same again, and the event at which that run enters a visit. */
  answers: {
    params: { session: number; state: string; enter: number };
    value: RecordedAnswers & { input: string; event: number };
  };
}

export type Call = {
  [M in keyof RecordedMethods]: { id: number; method: M; params: RecordedMethods[M]["params"] };
}[keyof RecordedMethods];

export type FromWorker =
  | { ready: true }
  | { broken: string }
  | { id: number; value: unknown }
  | { id: number; error: string }
  /** New events of a session, or with `from: 0` all events of another run, and the session's position. */
  | { session: number; from: number; events: HistoryEvent[]; standing: Standing };
