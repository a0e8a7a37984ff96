/**
 * Tests of what a host of executions promises: the entry `stepglass/host-tests`, for `node:test` and any other runner. A host runs
 * executions on its own foundation: a database, a queue, another engine. docs/host-guide.md shows how to write one.
 *
 * @example
 * ```js
 * import { test } from "node:test";
 * import { hostTests } from "stepglass/host-tests";
 * import { open } from "./my-host.js";
 *
 * for (const { name, skip, run } of hostTests({ name: "my host", open })) test(name, { skip }, run);
 * ```
 *
 * @packageDocumentation
 */

import type { Definition, ExecutionResult, ExecutionStatus, HistoryEvent, PlatformSignal } from "./index.js";

/** Returns the tests of a host. Each opens its own host and closes it; no test depends on another. They run in real time. */
export function hostTests(adapter: HostAdapter, options?: HostTestOptions): HostTest[];

/** Runs the tests of a host without a runner, several at a time. */
export function checkHost(adapter: HostAdapter, options?: HostTestOptions & { concurrency?: number }): Promise<HostReport>;

/** Options of {@link hostTests}. */
export interface HostTestOptions {
  /** Runs only the tests of these promises. Default: all. */
  promises?: readonly HostPromise[];
  /** How long a test waits for something to happen before it fails, in milliseconds. Default: 30,000. */
  patience?: number;
}

/**
 * What a host promises:
 *
 * - `"equal"`: an execution has the same result and history as in memory, whatever types of states it has.
 * - `"start"`: a start happens once. The same name and input again gives the same execution; a name with another input, or of an
 *   execution that has ended, is refused with the code `EXECUTION_EXISTS`.
 * - `"keys"`: `task.idempotencyKey` is the same in each call of a task, and differs from that of all others.
 * - `"answers"`: a task is answered once. Answers that are repeated or late, or have a token that was never issued, change nothing.
 * - `"stop"`: a stop takes effect at once, even while a task is running, and nothing happens afterwards.
 * - `"timers"`: timed events happen on time: Wait states, timeouts, retry delays.
 * - `"apart"`: executions have no effect on each other.
 * - `"history"`: a history has all events, in order and without gaps, also page by page; events that were shown once do not change.
 * - `"crash"`: what was acknowledged is not lost, no task whose answer was stored is called again, and time continues as if nothing
 *   had happened. Tested by {@link OpenHost.crash}.
 */
export type HostPromise = "equal" | "start" | "keys" | "answers" | "stop" | "timers" | "apart" | "history" | "crash";

/**
 * What a host may lack: child executions (`states:startExecution`), signals (`urn:stepglass:waitForSignal`), redrives, Distributed
 * Maps, histories that show events at once, or a way to crash in a test. The tests of what it lacks are skipped.
 */
export type HostFeature = "children" | "signals" | "redrive" | "distributed-map" | "live-history" | "crash";

/** A host as its tests see it. */
export interface HostAdapter {
  name: string;
  /** The features that the host lacks, each with the reason. Their tests are skipped. */
  lacks?: Partial<Record<HostFeature, string>>;
  /** Opens a host that runs these machines with these handlers. */
  open(program: HostProgram): Promise<OpenHost>;
}

/** The machines and handlers of one test. */
export interface HostProgram {
  machines: Readonly<Record<string, Definition>>;
  /** The handlers of the Task states, by their Resource. */
  tasks: Readonly<Record<string, HostTask>>;
}

/** A handler. What it throws has `error` and `errorCause`, as a `TaskError` has them. */
export type HostTask = (input: any, task: HostTaskContext) => unknown;

/** The data that a handler gets. */
export interface HostTaskContext {
  readonly stateName: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly token?: string | undefined;
  readonly signal: Pick<PlatformSignal, "aborted" | "addEventListener">;
}

/** A running host. A `Runtime` of `stepglass/durable` is one, without `crash`. */
export interface OpenHost {
  /** Starts an execution; the ARN follows from the names of the machine and of the execution. Equal seeds give equal UUIDs and task tokens. */
  start(machine: string, options: { name: string; input: unknown; seed?: number }): Promise<HostExecution>;
  get(machine: string, name: string): Promise<HostExecution | undefined>;
  /** False if the task has ended. */
  succeed(token: string, output: unknown): Promise<boolean>;
  fail(token: string, failure: { error?: string; cause?: string }): Promise<boolean>;
  /**
   * Ends the host as `kill -9` would end its process, and resolves when another one continues: what was in memory is gone, and
   * answers of running handlers are ignored.
   */
  crash?(): Promise<void>;
  close(): Promise<void>;
}

/** An execution of a host. */
export interface HostExecution {
  readonly arn: string;
  /** Resolves to the outcome when it ends. */
  readonly result: Promise<ExecutionResult>;
  describe(): Promise<{ status: ExecutionStatus; name: string; machine: string; input: any; output?: any; error?: string; cause?: string }>;
  history(page?: { from?: number; limit?: number; reverse?: boolean }): Promise<HistoryEvent[]>;
  stop(error?: string, cause?: string): Promise<void>;
  signal?(name: string, payload?: unknown): Promise<void>;
  redrive?(): Promise<void>;
}

/** A test of a host. */
export interface HostTest {
  name: string;
  promise: HostPromise;
  /** Why it is skipped, or false. */
  skip: string | false;
  /** Rejects with how the host behaved differently. */
  run(): Promise<void>;
}

/** The result of {@link checkHost}. */
export interface HostReport {
  passed: string[];
  skipped: { name: string; reason: string }[];
  failed: { name: string; promise: HostPromise; error: Error }[];
}
