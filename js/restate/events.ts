// What an execution on Restate is told, and what it answers: JSON.

import type { ExecutionRecord } from "../api/durable.d.ts";
import type { InvokeCommand, MachineType, MapRunChange, RunningProblem } from "../api/index.d.ts";
import type { Fact } from "../border/facts.ts";
import type { Continued } from "../durable/continuation.ts";
import type { ExecutionInfo } from "../execution/execution.ts";
import type { Completion } from "../tasks/call.ts";
import type { Ended } from "./gathering.ts";
import type { Watcher } from "./watchers.ts";

/** A start. */
export interface StartRequest {
  machine: string;
  name: string;
  /** JSON text. */
  input: string;
  /** Decimal digits. Absent: random. */
  seed?: string;
  /** What task tokens are made with. Absent: random, or with a seed made of that. */
  tokenKey?: string;
  tags?: Record<string, string>;
  /** The execution whose task has started it. */
  parent?: ParentTask;
  /** The execution that this one continues, and its task that has begun this one. */
  continued?: Continued & { task: number };
}

/** The task that has started an execution. */
interface ParentTask {
  arn: string;
  task: number;
  /** Whether it waits for the end. */
  waits: boolean;
}

/** Where a child execution of a Map Run belongs. */
export interface ChildOf {
  shard: string;
  mapRun: string;
  index: number;
  /** The redrive of the Map Run that has started it: an end is only heard, and a stop only done, where this is still so. */
  redrive: number;
  /** Whether the Map Run keeps a record of it. */
  recorded: boolean;
  /** How many items it has, where that is not one. */
  items?: number;
}

/** Children for a shard to start. One without an engine is known to it. */
export interface ShardStart {
  parent: string;
  machine: string;
  definition: string;
  mapRun: string;
  redrive: number;
  children: { index: number; recorded: boolean; arn?: string; engine?: string; items?: number }[];
}

/** A child to be started, or without an engine to be taken up again. */
export interface ChildStart {
  machine: string;
  definition: string;
  of: ChildOf;
  /** The text of a snapshot. */
  engine?: string;
  /** Whether nobody waits for the answer. */
  sent?: boolean;
}

/** The children of a shard, to be called together. */
export interface ChildrenRequest {
  parent: string;
  mapRun: string;
  redrive: number;
  shard: string;
  children: { arn: string; start: ChildStart }[];
}

/** What has come of a child's first slice: its end, as `ChildEnded` has it, or null for one that goes on. */
export type ChildAnswer = string | null;

/** What the snapshot of a child says of it. */
export interface ChildSeed {
  /** How many items it has, if it has a batch. */
  items: number;
  type: MachineType;
  info: ExecutionInfo & { arn: string };
}

/** The end of a child, as the JSON text of what its Map Run is told. */
export interface ChildEnded {
  index: number;
  redrive: number;
  end: string;
}

/** How an execution stands. */
export type Standing = Pick<ExecutionRecord, "status" | "output" | "error" | "cause">;

/** The answer to a start. */
export interface StartAnswer extends Standing {
  outcome: "created" | "exists";
  input: string;
  startDate: number;
}

/** What an execution is told. */
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

/** An event for a slice that is under way: who tells it asks for the answer by an awakeable, which names it too. */
export type News = ExecutionEvent & { told: string; at: number };

/** The result of an event: whether there is such an execution, and whether the event has changed anything. */
export interface EventAnswer {
  known: boolean;
  counts: boolean;
  /** Why it was refused, as a code and a message. */
  refused?: [code: string, message: string];
  /** What a definition lacks with which the execution was to continue. */
  problems?: RunningProblem[];
}

/** How a task was answered, and when. */
export interface Answer {
  at: number;
  facts: Fact[];
}

/** A task that is called outside of a slice. */
export interface AttemptRequest {
  command: InvokeCommand;
  info: ExecutionInfo;
  /** Which call of the task this is: the answer of an earlier one is refused. */
  fence: number;
  /** What earlier heartbeats have told of. */
  beats: [key: string, text: string][];
}

/** Tasks that are called together. */
export interface ShardRequest {
  commands: InvokeCommand[];
  info: ExecutionInfo;
}

/** The answers of a shard, in the order in which they came. */
export type ShardAnswer = (Answer & { task: number })[];

/** What a task asks of another execution. */
export interface AskRequest {
  asker: string;
  fence: number;
  command: InvokeCommand;
  target: string;
  event: ExecutionEvent;
  /** What it does: `token`, `stop`, or the error of a task whose execution cannot be told. */
  kind: string;
}
