// The data that executions, runs and the player share.

import type { ExecutionNames, InvokeCommand } from "../../core/api/index.d.ts";
import type { Fact } from "../../core/border/facts.ts";
import type { ChildDetails } from "../../core/execution/nested.ts";
import type { EngineSnapshot } from "./recording.ts";

/** Execution names of which both are defined. */
export type Names = ExecutionNames & { name: string; stateMachineName: string };

/** A command to call a task, with the index of this call among the calls of its state, and the kind of handler that answers it. */
export type CallCommand = InvokeCommand & { call: number; mode?: string };

/** A fact that answers a task, `after` milliseconds after its call. */
export interface ReplyFact {
  method: "started" | "submitted" | "succeed" | "fail" | "heartbeat";
  after: number;
  b?: string | null;
  c?: string;
}

/** The data about a nested execution that is copied into another run's family. */
export type NestedData = ChildDetails & { stopDate?: number | undefined };

/** Where a fork leaves a run, and how it continues. */
export interface Fork {
  /** The index of the first fact of the execution that the fork does not share. */
  fact: number;
  /** Changes the snapshot of the engine there, for an edit by hand. */
  change?: (snapshot: EngineSnapshot) => void;
  /** The first fact that is fed to the fork. It has the time of the fact at `fact`. */
  feed?: Fact;
  label: string;
  event: number;
  /** The position in the execution's recording after the fork. */
  position: number;
}
