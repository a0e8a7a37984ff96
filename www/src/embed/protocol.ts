// The protocol between components and their worker. One worker serves all components of a page.

import type { Gesture, PossibleGesture, RefusedEdit, TextWidths, WrittenEdit } from "stepglass";
import type { Graph } from "../model/graph.ts";
import type { Diagnostic, RunResult } from "../model/protocol.ts";
import type { HistoryEvent } from "../model/recorded.ts";

export type Step = "over" | "into" | "out" | "back" | "stage";

export interface Begin {
  definition: string;
  input: string;
  /** The mocks of tasks by state, function or resource. The page is asked about tasks without a mock. */
  mocks: Record<string, unknown>;
  breakpoints: unknown[];
  clock: "skip" | "manual" | number;
  seed: number;
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

export type Call = { [M in keyof Methods]: { id: number; method: M; params: Methods[M]["params"] } }[keyof Methods];

export type FromWorker =
  | { ready: true }
  | { broken: string }
  | { id: number; value: unknown }
  | { id: number; error: string }
  /** New events of a session, or with `from: 0` all events of another run, and the session's position. */
  | { session: number; from: number; events: HistoryEvent[]; standing: Standing };
