// The messages to an execution on Restate, and its answers: JSON.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import type { InvokeCommand, MachineType, MapRunChange, RunningProblem } from "../../core/api/index.d.ts";
import type { Fact } from "../../core/border/facts.ts";
import type { Attributes } from "../store/attributes.ts";
import type { Continued } from "../durable/continuation.ts";
import type { ExecutionInfo } from "../../core/execution/execution.ts";
import type { Completion } from "../../core/tasks/call.ts";

/** A watcher: an awakeable, the task of another execution, or a schedule. */
export type Watcher = string | { arn: string; task: number } | { schedule: string };

/** Ends of children by their Map Runs. */
export type Ended = [mapRun: string, ends: string[]][];

/** A request to start an execution. */
export interface StartRequest {
  machine: string;
  name: string;
  /** JSON text. */
  input: string;
  /** Decimal digits. Absent: random. */
  seed?: string;
  /** The key of task tokens. Absent: random or, with a seed, derived from it. */
  tokenKey?: string;
  tags?: Record<string, string>;
  attributes?: Attributes;
  /** The execution whose task started this one. */
  parent?: ParentTask;
  /** The execution that this one continues, and the task that started this one. */
  continued?: Continued & { task: number };
}

/** The task that started an execution. */
interface ParentTask {
  arn: string;
  task: number;
  /** Whether the task waits for the end. */
  waits: boolean;
}

/** The position of a child execution in its Map Run. */
export interface ChildOf {
  shard: string;
  mapRun: string;
  index: number;
  /** The redrive count of the Map Run that started the child. Ends and stops of other redrives are ignored. */
  redrive: number;
  /** Whether the Map Run stores a record of the child. */
  recorded: boolean;
  /** The number of the child's items, if it is not one. */
  items?: number;
}

/** Children that a shard starts. A child without an engine is one that the shard has already started. */
export interface ShardStart {
  parent: string;
  machine: string;
  definition: string;
  mapRun: string;
  redrive: number;
  children: { index: number; recorded: boolean; arn?: string; engine?: string; items?: number }[];
}

/** A request to start a child or, without an engine, to redrive it. */
export interface ChildStart {
  machine: string;
  definition: string;
  of: ChildOf;
  /** The text of a snapshot. */
  engine?: string;
  /** Whether the call is one without an answer. */
  sent?: boolean;
}

/** The children of a shard that are called together. */
export interface ChildrenRequest {
  parent: string;
  mapRun: string;
  redrive: number;
  shard: string;
  children: { arn: string; start: ChildStart }[];
}

/** The result of a child's first slice: its end, as in `ChildEnded`, or null if the child still runs. */
export type ChildAnswer = string | null;

/** The data of a child that its first snapshot has. */
export interface ChildSeed {
  /** The number of items, if the child has a batch. */
  items: number;
  type: MachineType;
  info: ExecutionInfo & { arn: string };
}

/** The end of a child, as the JSON text that its Map Run gets. */
export interface ChildEnded {
  index: number;
  redrive: number;
  end: string;
}

/** The status of an execution with its outcome. */
export type Standing = Pick<ExecutionRecord, "status" | "output" | "error" | "cause">;

/** The answer to a start. */
export interface StartAnswer extends Standing {
  outcome: "created" | "exists";
  input: string;
  startDate: number;
}

/** A message to an execution. */
export type ExecutionEvent =
  | { type: "timer"; id: number }
  | { type: "answer"; task: number; fence: number; answer: Answer }
  | { type: "beat"; task: number; fence: number; details?: string }
  | { type: "token"; token: string; completion: Completion }
  | { type: "stop"; error?: string; cause?: string; redrive?: number }
  | { type: "cancel"; details?: string }
  | { type: "signal"; name: string; payload: string; id?: string }
  | { type: "started"; task: number; answer: StartAnswer; arn: string }
  | { type: "ended"; task: number; record: ExecutionRecord }
  | { type: "follow"; watcher: Exclude<Watcher, string> }
  | { type: "watch"; awakeable: string }
  | { type: "taken"; task: number; worker?: string }
  | { type: "redrive" }
  | { type: "migrate"; definition?: string; digest?: string; tries?: number }
  | { type: "updateMapRun"; mapRun: string; change: MapRunChange }
  | { type: "children"; ended: Ended }
  | { type: "gathered"; timer: number }
  | { type: "forget"; stopDate?: number };

/** A message to a running slice. `told` is the awakeable for the answer, which also identifies the message. */
export type News = ExecutionEvent & { told: string; at: number };

/** The answer to a message: whether the execution exists, and whether the message had an effect. */
export interface EventAnswer {
  known: boolean;
  counts: boolean;
  /** The reason for a refusal: a code and a message. */
  refused?: [code: string, message: string];
  /** Why the execution cannot continue with a definition. */
  problems?: RunningProblem[];
}

/** The facts of a task's answer, and their time. */
export interface Answer {
  at: number;
  facts: Fact[];
}

/** A task that is called outside of a slice. */
export interface AttemptRequest {
  command: InvokeCommand;
  info: ExecutionInfo;
  /** The number of this call of the task. Answers of earlier calls are refused. */
  fence: number;
  /** The last details of heartbeats. */
  beats: [key: string, text: string][];
}

/** Tasks that are called together. */
export interface ShardRequest {
  commands: InvokeCommand[];
  info: ExecutionInfo;
}

/** The answers of a shard's tasks, in the order in which they came. */
export type ShardAnswer = (Answer & { task: number })[];

/** A task's request to another execution. */
export interface AskRequest {
  asker: string;
  fence: number;
  command: InvokeCommand;
  target: string;
  event: ExecutionEvent;
  /** What the request does: `token`, `stop`, or the error name of a task whose target cannot be reached. */
  kind: string;
}
