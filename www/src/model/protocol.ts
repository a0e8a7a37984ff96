// What the page and the interpreter's worker say to each other.

import type { Graph } from "./graph.ts";
import type { HistoryEvent } from "../worker/history.ts";
import type { LogChunk } from "./log.ts";

export interface Place {
  line: number;
  column: number;
  offset: number;
}

export interface Diagnostic {
  code: string;
  severity: "error" | "warning";
  message: string;
  pointer: string;
  help?: string;
  range?: { start: Place; end: Place };
  fix?: { title: string; pointer: string; range?: { start: Place; end: Place }; replacement: string };
  /// What AWS says about it.
  aws?: { code: string; message: string; location?: string }[];
  /// All changes that would put it right; `fix` is one of them.
  fixes?: Fix[];
  /// Other places that the message is about.
  labels?: { pointer: string; range?: { start: Place; end: Place }; message: string }[];
}

export interface TaskInfo {
  state: string;
  resource: string;
  /// The function of a `lambda:invoke`, where the definition names it.
  functionName?: string;
}

/// A state of the definition, also one that is not drawn because it is inside of a folded one.
export interface StateInfo {
  name: string;
  type: string;
  pointer: string;
  /// What a Task calls; empty for others.
  detail: string;
}

export interface Edit {
  from: number;
  to: number;
  text: string;
}

export interface Fix {
  title: string;
  edits: Edit[];
}

export interface HoverInfo {
  from: number;
  to: number;
  kind: string;
  title: string;
  text: string;
  state?: string;
  path?: string;
}

export interface NamePlaces {
  from: number;
  to: number;
  kind: "state" | "variable";
  name: string;
  places: { from: number; to: number; definition: boolean }[];
}

export interface Analysis {
  diagnostics: Diagnostic[];
  states: StateInfo[];
  /// Absent where the text cannot be read at all: the page keeps its last graph.
  graph?: Graph;
  tasks: TaskInfo[];
  /// Milliseconds that reading and laying out took.
  took: number;
}

export type ClockMode = "skip" | "real" | "x10" | "x60";

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
}

export interface RunResult {
  status: "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";
  output?: unknown;
  error?: string;
  cause?: string;
}

/// A task that waits for a person: it has no handler, or it waits for its token.
export interface WaitingTask {
  id: number;
  kind: "ask" | "token";
  state: string;
  resource: string;
  attempt: number;
  iterations: number[];
  input: unknown;
  token?: string;
}

export type Answer =
  | { kind: "succeed"; output: unknown }
  | { kind: "fail"; error: string; cause: string }
  | { kind: "heartbeat" };

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
}

export interface Visit {
  enter: number;
  exit: number;
  caught: boolean;
  failed: boolean;
  iterations: number[];
  attempts: { scheduled: number; ended: number; failed: boolean }[];
}

export interface Completions {
  replace: { start: number; end: number };
  items: { label: string; kind: string; detail: string; insert: string }[];
}

export interface AtPlace {
  text: string;
  format: "json" | "yaml";
  offset: number;
}

/// The worker's methods, by name: what they take and what they give.
export interface Methods {
  ping: { params: Record<string, never>; value: string };
  analyze: { params: { text: string; format: "json" | "yaml"; collapsed: string[]; expanded: string[]; direction: "TB" | "LR" }; value: Analysis };
  /// What an editor asks about a place of a definition, in JSON or YAML.
  hover: { params: AtPlace; value: HoverInfo | null };
  references: { params: AtPlace; value: NamePlaces | null };
  rename: { params: AtPlace & { to: string }; value: { edits: Edit[] } | { refused: string } };
  actions: { params: AtPlace & { end: number }; value: Fix[] };
  format: { params: { text: string; format: "json" | "yaml" }; value: Edit[] };
  /// What may be written at a place of a definition in JSON.
  complete: { params: { text: string; offset: number }; value: Completions };
  /// The graph as a document of its own, with the package's options of a drawing.
  svg: { params: { text: string; format: "json" | "yaml"; options: Record<string, unknown> }; value: string };
  mermaid: { params: { text: string; format: "json" | "yaml"; direction: "TB" | "LR" }; value: string };
  /// A definition as JSON text.
  json: { params: { text: string; format: "json" | "yaml" }; value: string };
  /// Shows events that were recorded elsewhere as if they were a run; `showMore` adds to them.
  show: { params: { definition: string; format: "json" | "yaml"; events: HistoryEvent[]; result: RunResult | undefined }; value: { run: number; graph: Graph } };
  showMore: { params: { run: number; events: HistoryEvent[]; result: RunResult | undefined }; value: null };
  run: { params: RunRequest; value: { run: number; graph: Graph } };
  stop: { params: Record<string, never>; value: null };
  nextTimer: { params: Record<string, never>; value: boolean };
  /// The sandbox had to end the handlers: what they owe will not come.
  handlersDied: { params: { message: string }; value: null };
  answer: { params: { id: number; answer: Answer }; value: null };
  rows: { params: { filter: EventFilter; from: number; count: number }; value: { total: number; rows: EventRow[] } };
  /// Where an event stands among those that pass the filter: the place of the last one at or before it.
  place: { params: { filter: EventFilter; id: number }; value: number };
  event: { params: { id: number }; value: Record<string, unknown> | null };
  visits: { params: { state: string }; value: Visit[] };
  history: { params: Record<string, never>; value: string };
}

export type Note =
  | { note: "ready"; version: string }
  | { note: "broken"; message: string }
  | { note: "log"; run: number; chunk: LogChunk; now: number }
  | { note: "waiting"; run: number; tasks: WaitingTask[] }
  | { note: "timer"; run: number; due: number | null; now: number; speed: number }
  | { note: "console"; run: number; level: string; text: string }
  | { note: "ended"; run: number; result: RunResult; took: number };

export type Call = { [M in keyof Methods]: { id: number; method: M; params: Methods[M]["params"] } }[keyof Methods];
export type Reply = { id: number; value: unknown } | { id: number; error: string };
