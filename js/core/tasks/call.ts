// Tasks from their invocation to their end, and the interfaces of the code that answers them.

import type { CancelReason, Execution, InvokeCommand, Task } from "../api/index.d.ts";
import type { Fact } from "../border/facts.ts";
import type { Resource } from "./resource-kinds.ts";

/** One task, from its invocation to its end. */
export interface TaskCall {
  readonly command: InvokeCommand;
  readonly resource: Resource;
  /** Whether the task has ended. Later answers have no effect. */
  ended: boolean;
  /** Whether the service has answered the request, so that the result is given with the task's token. */
  answered?: boolean;
  /** Whether the next answer is only the service's response to the request. */
  submits?: boolean;
  /** Called when the execution no longer needs the task. */
  onCancel?: ((reason: CancelReason) => void) | undefined;
  /** Called when the task is asked to end by itself. */
  onEndRequest?: (() => void) | undefined;
  /** Called when the task has ended, in whichever way. */
  onEnd?: (() => void) | undefined;
  /** The execution that the task waits for. */
  child?: NestedExecution | undefined;
}

/** A call, with the task as its handler receives it. */
export interface HandlerCall extends TaskCall {
  readonly task: Task;
}

/** A call that has ended, and whose token is still recognized. */
export interface EndedCall {
  readonly ended: true;
}

/** An execution that a task has started and waits for. */
export interface NestedExecution {
  readonly running: boolean;
  readonly execution?: (Pick<Execution, "abort"> & Partial<Pick<Execution, "snapshot">>) | undefined;
  /** Whether the execution has a record of its own, by which it is found by its name. Its parent may then be unloaded from memory. */
  readonly isStored?: boolean;
  /** Returns the data that a snapshot of the parent contains for it. */
  toJSON(): { [key: string]: unknown };
}

/** The end of a call, or a sign that it is alive. */
export type Completion =
  | [method: "succeed", output: string]
  | [method: "fail", error?: string | null, cause?: string | null]
  | [method: "heartbeat", details?: unknown];

/** The driver of a call's execution, as the code that answers calls uses it. */
export interface TaskDriver {
  readonly execution: Pick<Execution, "name" | "arn" | "abort">;
  /** The current time of the execution, in milliseconds since 1970. */
  now(): number;
  /** Returns the JSON text of an open task's input, or of one member of it, with all digits of its numbers. */
  inputOf?(task: number, member?: string): string | undefined;
  /** Adds a fact to the inbox. */
  post(...fact: Fact): void;
  /** Ends a call, or reports that it is alive. Returns false if it has already ended. */
  complete(call: TaskCall | EndedCall, ...completion: Completion): boolean;
  /** Returns the call of a task token; undefined if the token is not from this execution. */
  findCall(token: string): TaskCall | EndedCall | undefined;
}

// Marks handlers that are not functions. Other copies of this package use the same symbol.
export const TAKER: unique symbol = Symbol.for("stepglass.Taker");

/** A handler that answers its tasks at a later time, such as an activity, or one that starts executions. */
export interface Taker {
  take(call: TaskCall, driver: TaskDriver): void;
  /**
   * Continues a task that was taken before a restart: a worker has it, or the request that it made is under way or done. Without
   * this method, the task is taken again.
   */
  taken?(call: TaskCall, driver: TaskDriver): void;
}

/** Returns whether a value of `tasks` is a taker, as an activity is. */
export function isTaker(handler: unknown): handler is Taker {
  return typeof handler === "object" && handler !== null && (handler as { [TAKER]?: unknown })[TAKER] === true;
}

/** The error with which a task fails. */
export interface TaskFailure {
  error?: string | undefined;
  cause?: string | undefined;
}
