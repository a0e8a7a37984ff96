// What a pool and its threads say to each other. Payloads cross as JSON text, and many of them in one message: a message costs more than
// most of what it carries.

import type { ExecutionResult, MachineOptions, StartOptions } from "../api/index.d.ts";

/** What a thread is made with. */
export interface ThreadData {
  handlers: string | undefined;
}

/** A machine, before the first execution of it. */
export interface MachineMessage {
  machine: number;
  definition: string;
  options: MachineOptions;
}

/** What of the options a thread is given. */
export type JobOptions = Omit<StartOptions, "tasks" | "machines" | "signal" | "clock"> & { clock?: "real" | "virtual" };

/** An execution to start. */
export interface JobMessage {
  job: number;
  machine: number;
  input: string;
  /** Absent where nothing differs from the usual. */
  options: JobOptions | undefined;
}

export interface AbortMessage {
  job: number;
  error: string | undefined;
  cause: string | undefined;
}

/** From the pool to a thread. */
export interface Work {
  machines: MachineMessage[];
  /** Job, machine, input and options of one execution after the other: lists of such values cross faster than objects. */
  jobs: (number | string | JobOptions | undefined)[];
  aborts: AbortMessage[];
}

/** How an execution has ended. */
export interface Ended {
  job: number;
  status: ExecutionResult["status"];
  /** JSON text. */
  output?: string;
  error?: string;
  cause?: string;
  history?: string;
  /** Of one that did not succeed: the state, and what a handler threw. */
  state?: string;
  thrown?: { value: unknown };
}

/** An execution that could not be started, or was lost to an error of this package. */
export interface Broken {
  job: number;
  problem: { name: string; message: string; code?: string };
}

/** From a thread to the pool. */
export type Report = { ready: true } | { unready: string } | Results;

/** What has ended in a turn. */
export interface Results {
  /** Job and output of one that succeeded, without anything else to say, after the other. */
  succeeded: (number | string)[];
  others: (Ended | Broken)[];
}
