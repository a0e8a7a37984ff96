// What engines are told and asked, and what they answer.

import type { EngineSnapshot, ExecutionNames, HistoryEvent, Limits, ValidateOptions } from "../api/index.d.ts";

/** What an engine is fed: the method of the module's Engine, and its arguments after the time. */
export type Fact =
  | [method: "start", input: string, execution: ExecutionNames, seed: bigint]
  | [method: "started", task: number, worker?: string | null]
  | [method: "submitted" | "succeed", task: number, output: string]
  | [method: "items", task: number, text: string, file: boolean]
  | [method: "fail", task: number, error?: string | null, cause?: string | null]
  | [method: "heartbeat", task: number]
  | [method: "tick" | "redrive"]
  | [method: "updateMapRun", mapRunArn: string, change: string]
  | [method: "stop", error?: string | null, cause?: string | null];

/** The arguments of a fact besides its method. */
export type FactArguments<Method extends Fact[0], F = Fact> = F extends [infer M, ...infer Rest] ? (Method extends M ? Rest : never) : never;

/** What an engine can be asked that has no arguments; the answers are JSON texts. */
export type Question = "status" | "pending" | "frames" | "coverage" | "takeTrace" | "takeHistory" | "takeChildEvents" | "snapshot" | "snapshotWithoutEvents";

/** What the compiler takes of the options. */
export type CompileSettings = Pick<ValidateOptions, "type" | "jsonata">;

/** How an engine runs. */
export interface EngineSettings extends Limits {
  express?: boolean;
  /** Whether children of Distributed Maps tell what they have done. */
  childHistories?: boolean;
  /** Whether what is used of the definition is counted. */
  coverage?: boolean;
  /** Whether a step does one thing only. */
  once?: boolean;
}

/** An event with its time in milliseconds since 1970. */
export type TimedEvent = [milliseconds: number, event: HistoryEvent];

/** An engine's snapshot as far as this package looks into it: the execution with the id 0 is the engine's own. */
export type StoredEngine = EngineSnapshot & { executions?: unknown };
