// A task between its invocation and its end, and what answers it.

import type { CancelReason, Execution, InvokeCommand, Task } from "../api/index.d.ts";
import type { Fact } from "../border/facts.ts";
import type { Resource } from "./resource.ts";

/** One task between its invocation and its end. */
export interface TaskCall {
  readonly command: InvokeCommand;
  readonly resource: Resource;
  /** Whether it has ended: answers change nothing any more. */
  ended: boolean;
  /** Whether the service has answered its request: the result comes by the task's token. */
  answered?: boolean;
  /** Whether the answer to come is only the request's. */
  submits?: boolean;
  /** Called when the execution no longer needs it. */
  onCancel?: ((reason: CancelReason) => void) | undefined;
  /** Called when it is asked to end by itself. */
  onEndRequest?: (() => void) | undefined;
  /** Called when it has ended, however. */
  onEnd?: (() => void) | undefined;
  /** The execution that it waits for. */
  child?: NestedExecution | undefined;
}

/** A call with the task as a handler sees it. */
export interface HandlerCall extends TaskCall {
  readonly task: Task;
}

/** A call that has ended, whose token is still known. */
export interface EndedCall {
  readonly ended: true;
}

/** An execution that a task has started and waits for. */
export interface NestedExecution {
  readonly running: boolean;
  readonly execution?: (Pick<Execution, "abort"> & Partial<Pick<Execution, "snapshot">>) | undefined;
  /** Whether it is found again by its name: its parent need not be in memory. */
  readonly isKept?: boolean;
  /** The data that a snapshot of the parent has of it. */
  toJSON(): { [key: string]: unknown };
}

/** How a call ends, or a sign that it is alive. */
export type Completion =
  | [method: "succeed", output: string]
  | [method: "fail", error?: string | null, cause?: string | null]
  | [method: "heartbeat", details?: unknown];

/** The driver of a call's execution, as those see it that answer calls. */
export interface TaskDriver {
  readonly execution: Pick<Execution, "name" | "arn" | "abort">;
  /** The execution's time. */
  now(): number;
  /** The JSON text of what a task that waits was given, or of a member of it, with the digits of its numbers. */
  inputOf?(task: number, member?: string): string | undefined;
  /** Adds a fact to the inbox. */
  post(...fact: Fact): void;
  /** Ends a call, or reports that it is alive. Returns false if it has already ended. */
  complete(call: TaskCall | EndedCall, ...completion: Completion): boolean;
  /** The call of a task token; undefined if the token is not from this execution. */
  findCall(token: string): TaskCall | EndedCall | undefined;
}

// Marks handlers that are not functions, also those of another copy of this package.
export const TAKER: unique symbol = Symbol.for("stepglass.Taker");

/** Does tasks in its own time: an activity, or what starts executions. */
export interface Taker {
  take(call: TaskCall, driver: TaskDriver): void;
  /**
   * Knows a task that was taken before a restart: a worker has it, or what it has asked for is under way or done. Without this it is
   * taken again.
   */
  taken?(call: TaskCall, driver: TaskDriver): void;
}

/** Whether a value of `tasks` takes calls, as an activity does. */
export function isTaker(handler: unknown): handler is Taker {
  return typeof handler === "object" && handler !== null && (handler as { [TAKER]?: unknown })[TAKER] === true;
}

/** The error that a task fails with. */
export interface TaskFailure {
  error?: string | undefined;
  cause?: string | undefined;
}
