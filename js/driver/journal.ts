// What a driver asks of the journal of an execution that outlives its process.

import type { Step } from "../api/index.d.ts";
import type { Fact } from "../border/facts.ts";

/** A task for which there is no handler. */
export interface Unhandled {
  state: string;
  resource: string;
  /** Which handlers there are, and how to add one. */
  cause: string;
}

/**
 * Keeps the facts of an execution that outlives its process. Nothing that follows from a fact is done, told or answered before the
 * fact is kept; the engine itself may be fed further ones.
 */
export interface Journal {
  /** A fact was fed, which has led to a step. */
  fed(now: number, fact: Fact, step: Step): void;
  /** Whether so much is not stored yet that the execution should wait before its next step. What is to be stored is being written. */
  readonly isBehind: boolean;
  /** Calls back, in the order of the calls, when all facts that were fed until now are kept. */
  keep(kept: () => void): void;
  /** A task has no handler here, and waits for one: the driver is abandoned, and its execution goes on where there is one. */
  unhandled(task: Unhandled): void;
  /** The engine cannot go on: it has a bug, or this machine is too small for it. The execution is not ended. */
  broken(cause: string): void;
}
