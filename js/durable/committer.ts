// Group commit: what the executions of one turn have to keep is one write of the store.

import type { Batch, BatchResult, Store } from "../api/durable.d.ts";
import { messageOf } from "../base/errors.ts";
import { later } from "../driver/scheduler.ts";
import { Metrics } from "./metrics.ts";

/** What has something to keep. */
export interface Source {
  /** All that is to be kept now; undefined for nothing. It is asked when the write begins. */
  compose(): Batch | undefined;
  /** What is to be kept cannot be composed. */
  broken(cause: string): void;
  /** The batch was written, or refused. */
  written(result: BatchResult): void;
}

/** Why a write is tried again, and when. */
export interface WriteFailure {
  error: unknown;
  /** How often it has failed in a row. */
  failures: number;
  /** Milliseconds. */
  retriesIn: number;
}

// The delays in milliseconds after which a write is tried again that the store could not do: its disk may be full.
const FIRST_DELAY = 50;
const LONGEST_DELAY = 5000;

/** Writes to a store. One write is under way at a time; what comes meanwhile goes into the next. */
export class Committer {
  readonly #store: Store;
  readonly #onFailure: (failure: WriteFailure) => void;
  #waiting = new Set<Source>();
  #writing = false;
  #closed = false;
  #idle: (() => void)[] = [];
  readonly metrics = new Metrics();

  constructor(store: Store, onFailure: (failure: WriteFailure) => void) {
    this.#store = store;
    this.#onFailure = onFailure;
  }

  /** Notes that a source has something to keep. */
  add(source: Source): void {
    this.#waiting.add(source);
    if (!this.#writing) void this.#write();
  }

  /** Resolves when nothing is left to write. */
  idle(): Promise<void> {
    if (!this.#writing) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** From now on what the store cannot write is given up at once. */
  close(): void {
    this.#closed = true;
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.size > 0) {
      await gathered();
      const sources: Source[] = [];
      const batches: Batch[] = [];
      for (const source of this.#waiting) {
        const batch = composed(source);
        if (batch === undefined) continue;
        sources.push(source);
        batches.push(batch);
      }
      this.#waiting = new Set();
      if (batches.length === 0) continue;
      const results = await this.#tried(batches);
      if (results === undefined) break;
      for (const [i, source] of sources.entries()) {
        const result = results[i];
        if (result !== undefined) source.written(result);
      }
    }
    this.#writing = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** The results of a write, which is tried until the store can do it; undefined if that was given up. */
  async #tried(batches: readonly Batch[]): Promise<BatchResult[] | undefined> {
    for (let failures = 1, delay = FIRST_DELAY; ; failures += 1, delay = Math.min(delay * 2, LONGEST_DELAY)) {
      try {
        const begun = performance.now();
        const results = await this.#store.write(batches);
        this.metrics.wrote(batches, results, (performance.now() - begun) / 1000);
        return results;
      } catch (error) {
        this.metrics.writeFailed();
        this.#onFailure({ error, failures, retriesIn: delay });
        if (this.#closed) return undefined;
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    }
  }
}

/**
 * Resolves when what happens at once has happened: the executions that the last write has let go on are told so in the next turn, and
 * what their handlers answer is there in the one after. A write costs a sync, so it waits for them.
 */
function gathered(): Promise<void> {
  return new Promise((resolve) => later(() => later(resolve)));
}

/** What a source has to keep; one that cannot say it is broken, and the others are written. */
function composed(source: Source): Batch | undefined {
  try {
    return source.compose();
  } catch (thrown) {
    source.broken(messageOf(thrown));
    return undefined;
  }
}
