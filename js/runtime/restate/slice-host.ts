// What a slice needs of its worker, and what the built-in tasks need of a slice.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import type { InvokeCommand, PendingTask } from "../../core/api/index.d.ts";
import type { Call } from "../../core/driver/calls.ts";
import type { TaskDriver } from "../../core/tasks/call.ts";
import type { Durable, ObjectContext } from "./context.ts";
import type { ExecutionEvent } from "./events.ts";
import type { RegisteredMachines } from "./registered-machines.ts";
import type { Notes } from "./persistence.ts";

/** The parts of the worker that slices use. */
export interface SliceHost {
  machines: RegisteredMachines;
  /** Returns whether a task is called outside of slices. */
  isLong(command: InvokeCommand): boolean;
  /** The limits of a slice. A slice that has exceeded one calls no more tasks itself. */
  limits: { milliseconds: number; entries: number; shard: number };
  now(): number;
  /** How long an ended execution is kept, in milliseconds. */
  retention: number | undefined;
}

/** A slice, as the built-in tasks use it. */
export interface SliceDriver extends TaskDriver {
  readonly ctx: ObjectContext;
  readonly notes: Notes;
  readonly definition: string;
  record: ExecutionRecord;
  /** The number of running frames. */
  readonly frames: number;
  readonly pending: PendingTask[];
  callOf(task: number): Call | undefined;
  wait<T>(promise: Durable<T>, done: (value: T | undefined, failure: Error | undefined) => void): number;
  sendTask(task: number, request: (fence: number) => unknown, handler: string): void;
  sendToExecution(arn: string, event: ExecutionEvent, delay?: number): void;
}
