// What a run of the test kit has recorded.

import type { ChildExecution, Execution, ExecutionCoverage, ExecutionResult, Frame, HistoryEvent } from "../../core/api/index.d.ts";
import type { TaskCall } from "../../core/api/testing.d.ts";
import type { Outline } from "../../core/definition/outline.ts";

/** The parts of a machine under test that a run uses. */
export interface OutlinedMachine {
  readonly outline: Outline;
}

/** The data of a run that is over. */
export interface RunFacts {
  machine: OutlinedMachine;
  input: unknown;
  /** The outcome. "RUNNING" for a run that would wait for ever. */
  outcome: ExecutionResult | { status: "RUNNING" };
  /** The frames of a run that would wait for ever. */
  waiting: readonly Frame[];
  history: HistoryEvent[];
  coverage: ExecutionCoverage;
  calls: TaskCall[];
  children: ChildExecution[];
  nested: Execution[];
}
