// The messages between a pool and its threads. Payloads are JSON texts, and one message carries many of them, because a message
// costs more than most of its contents.

import type { ExecutionResult, MachineOptions, StartOptions } from "../../core/api/index.d.ts";

/** The data with which a thread starts. */
export interface ThreadData {
  handlers: string | undefined;
}

/** A machine. A thread receives it before the machine's first execution. */
export interface MachineMessage {
  machine: number;
  definition: string;
  options: MachineOptions;
}

/** The options that are passed to a thread. */
export type JobOptions = Omit<StartOptions, "tasks" | "machines" | "signal" | "clock"> & { clock?: "real" | "virtual" };

/** An execution to start. */
export interface JobMessage {
  job: number;
  machine: number;
  input: string;
  /** Undefined if all options have their default values. */
  options: JobOptions | undefined;
}

export interface AbortMessage {
  job: number;
  error: string | undefined;
  cause: string | undefined;
}

/** A message from the pool to a thread. */
export interface Work {
  machines: MachineMessage[];
  /** The job, machine, input and options of one execution after the other. A list of such values is copied faster than objects. */
  jobs: (number | string | JobOptions | undefined)[];
  aborts: AbortMessage[];
}

/** The end of an execution. */
export interface Ended {
  job: number;
  status: ExecutionResult["status"];
  /** The output, as JSON text. */
  output?: string;
  error?: string;
  cause?: string;
  history?: string;
  /** The state that failed, and what a handler threw, if the execution did not succeed. */
  state?: string;
  thrown?: { value: unknown };
}

/** An execution that could not be started, or that was lost because of an error of this package. */
export interface Broken {
  job: number;
  problem: { name: string; message: string; code?: string };
}

/** A message from a thread to the pool. */
export type Report = { ready: true } | { unready: string } | Results;

/** The executions that have ended in one turn of the event loop. */
export interface Results {
  /** The job and the output of each execution that succeeded and has no other results to report. */
  succeeded: (number | string)[];
  others: (Ended | Broken)[];
}
