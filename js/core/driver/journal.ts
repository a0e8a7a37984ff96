// The interface between a driver and the journal of an execution that outlives its process.

import type { Step } from "../api/index.d.ts";
import type { Fact } from "../border/facts.ts";

/** A task for which there is no handler. */
export interface Unhandled {
  state: string;
  resource: string;
  /** The available handlers, and how to add one. */
  cause: string;
}

/**
 * Stores the facts of an execution that outlives its process. Nothing that follows from a fact is done, reported or answered before
 * the fact is stored. The engine may be fed further facts in the meantime.
 */
export interface Journal {
  /** Is called after a fact was fed and has led to a step. */
  fed(now: number, fact: Fact, step: Step): void;
  /** Calls back when all facts that were fed until now are stored. Callbacks are called in order. */
  readonly isBehind: boolean;
  /**
   * Is called for a task without a handler that waits for one. The driver is abandoned, and the execution continues in a process
   * with the handler.
   */
  whenStored(stored: () => void): void;
  /** Is called if the engine cannot continue: it has a bug, or this machine is too small for it. The execution is not ended. */
  unhandled(task: Unhandled): void;
  /** The engine cannot go on: it has a bug, or this machine is too small for it. The execution is not ended. */
  broken(cause: string): void;
}
