// A task between its invocation and its end, and what those may do who answer it.

import type { Execution, InvokeCommand, Task } from "../api/index.d.ts";
import type { Fact } from "../border/facts.ts";
import type { Resource } from "./resource.ts";

/** One task between its invocation and its end. */
export interface TaskCall {
  readonly command: InvokeCommand;
  readonly resource: Resource;
  /** Whether nothing of it counts any more. */
  ended: boolean;
  /** Whether the service has answered its request: the result comes by the task's token. */
  answered?: boolean;
  /** What is done when nobody waits for it any more. */
  onCancel?: (() => void) | undefined;
  /** What is done when it has ended, in whichever way. */
  onEnd?: (() => void) | undefined;
  /** The execution that it waits for. */
  child?: NestedExecution | undefined;
}

/** A call with the task as a handler sees it. */
export interface HandlerCall extends TaskCall {
  readonly task: Task;
}

/** A call whose token is spent. */
export interface EndedCall {
  readonly ended: true;
}

/** An execution that a task has started and waits for. */
export interface NestedExecution {
  readonly running: boolean;
  readonly execution?: Pick<Execution, "snapshot" | "abort"> | undefined;
  /** What a snapshot of the parent keeps of it. */
  toJSON(): { [key: string]: unknown };
}

/** How a call ends, or that it is alive. */
export type Completion =
  | [method: "succeed", output: string]
  | [method: "fail", error?: string | null, cause?: string | null]
  | [method: "heartbeat"];

/** What runs the execution that a call is part of, as far as those see it who answer calls. */
export interface TaskDriver {
  readonly execution: Pick<Execution, "name" | "arn" | "abort">;
  /** The execution's time. */
  now(): number;
  /** The JSON text of what a task that waits was given, or of a member of it, with the digits of its numbers. */
  inputOf(task: number, member?: string): string | undefined;
  /** Takes a fact in. */
  post(...fact: Fact): void;
  /** Ends a call, or says that it is alive. Whether it still counted. */
  complete(call: TaskCall | EndedCall, ...completion: Completion): boolean;
  /** The call that a task token names; undefined where it is not of this execution. */
  findCall(token: string): TaskCall | EndedCall | undefined;
}

/** Does tasks in its own time: an activity, or what starts executions. */
export interface Taker {
  take(call: TaskCall, driver: TaskDriver): void;
}

/** The error that a task fails with. */
export interface TaskFailure {
  error?: string | undefined;
  cause?: string | undefined;
}
