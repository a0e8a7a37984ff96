// The facts that an engine is fed, the queries that it answers, and its settings.

import type { ExecutionNames, HistoryEvent, Limits, ValidateOptions } from "../api/index.d.ts";

/** A fact for an engine: a method of the module's Engine, and its arguments after the time. */
export type Fact =
  | [method: "start", input: string, execution: ExecutionNames, seed: bigint]
  | [method: "scheduled", task: number]
  | [method: "started", task: number, worker?: string | null]
  | [method: "submitted" | "succeed", task: number, output: string]
  | [method: "items", task: number, text: string, file: boolean]
  | [method: "fail", task: number, error?: string | null, cause?: string | null]
  | [method: "heartbeat", task: number]
  | [method: "tick" | "redrive"]
  | [method: "recovered", again?: readonly number[]]
  | [method: "updateMapRun", mapRunArn: string, change: string]
  | [method: "cancel", cause?: string | null, spared?: readonly number[], within?: CancelScope]
  | [method: "stop", error?: string | null, cause?: string | null];

/**
 * The part of an execution that is cancelled: a state, perhaps only a branch or iteration in it; or the branches or iterations beside a
 * task.
 */
export type CancelScope = readonly [state: string | null, index: number | null] | readonly [state: null, index: null, beside: number];

/** The arguments of a fact, without its method. */
export type FactArguments<Method extends Fact[0], F = Fact> = F extends [infer M, ...infer Rest]
  ? Method extends M
    ? Rest
    : never
  : never;

/** A query without arguments. The answer is JSON text. */
export type Question =
  | "status"
  | "pending"
  | "frames"
  | "coverage"
  | "takeTrace"
  | "takeStages"
  | "takeHistory"
  | "takeChildEvents"
  | "snapshot"
  | "snapshotWithoutEvents";

/** The options of the compiler. */
export type CompileSettings = Pick<ValidateOptions, "type" | "jsonata">;

/** The options of an engine. */
export interface EngineSettings extends Limits {
  express?: boolean;
  /** Whether child executions of Distributed Maps report their histories. */
  childHistories?: boolean;
  /**
   * Whether the host runs the child executions of Distributed Maps. The engine then requests them with commands that only such a
   * host gets.
   */
  childrenApart?: boolean;
  /** Whether the host confirms that the activity of a task exists, before the history says that the task is scheduled. */
  confirmedActivities?: boolean;
  /** Whether to count which parts of the definition are used. */
  coverage?: boolean;
  /** Whether a step makes at most one transition. */
  once?: boolean;
}

/** An event with its time in milliseconds since 1970. */
export type TimedEvent = [milliseconds: number, event: HistoryEvent];
