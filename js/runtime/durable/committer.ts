// Group commit: the changes that all executions make in one turn are written to the store in one write.

import type { Batch, BatchResult, Store } from "../../core/api/durable.d.ts";
import { codeOf, messageOf } from "../../core/base/errors.ts";
import { later } from "../../core/driver/scheduler.ts";
import { StoreError } from "../store/errors.ts";
import { Metrics } from "./metrics.ts";

/** An object with changes that have to be stored. */
export interface Source {
  /** Changes of one group are written together or not at all. The group is usually the ARN of an execution. */
  readonly group: string;
  /** Returns all changes that are not stored yet, or undefined if there are none. It is called when the write begins. */
  compose(): Batch | undefined;
  /** `compose` has thrown. */
  broken(cause: string): void;
  /** The batch was written or refused. */
  written(result: BatchResult): void;
}

/** The error of a failed write, and when the write is retried. */
export interface WriteFailure {
  error: unknown;
  /** The number of failures in a row. */
  failures: number;
  /** The delay before the retry, in milliseconds. */
  retriesIn: number;
}

// The first and the longest delay before a failed write is retried, in milliseconds. The disk may be full for a while.
const FIRST_DELAY = 50;
const LONGEST_DELAY = 5000;

// Number of attempts before a start is refused because the store has no room. They take about three seconds.
const START_TRIES = 7;

/** The batches of one group, which are written together or not at all. */
interface Piece {
  key: string;
  sources: Source[];
  batches: Batch[];
  /** How often the write of this piece has failed. */
  failures: number;
}

/** The result of a write: the pieces that were written, and those that failed. */
interface Written {
  done: { piece: Piece; results: BatchResult[] }[];
  failed: { piece: Piece; error: unknown }[];
}

/** Writes to a store. One write is in progress at a time; changes that come meanwhile go into the next one. */
export class Committer {
  readonly #store: Store;
  readonly #onFailure: (failure: WriteFailure) => void;
  #waiting = new Set<Source>();
  /** Pieces that the store could not write, by group. Further changes of these groups wait. */
  readonly #stuck = new Map<string, Piece>();
  #writing = false;
  #closed = false;
  #idle: (() => void)[] = [];
  /** Ends the pause before the stuck pieces are retried. */
  #resume: (() => void) | undefined;
  readonly metrics = new Metrics();

  constructor(store: Store, onFailure: (failure: WriteFailure) => void) {
    this.#store = store;
    this.#onFailure = onFailure;
  }

  /** Registers a source that has changes to store. */
  add(source: Source): void {
    this.#waiting.add(source);
    if (!this.#stuck.has(source.group)) this.#resume?.();
    if (!this.#writing) void this.#write();
  }

  /** Resolves when nothing is left to write. */
  idle(): Promise<void> {
    if (!this.#writing) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** From now on, a write that fails is not retried. */
  close(): void {
    this.#closed = true;
    this.#resume?.();
  }

  async #write(): Promise<void> {
    this.#writing = true;
    let retryAt = Infinity;
    while (this.#waiting.size > 0 || this.#stuck.size > 0) {
      await gathered();
      const pieces = this.#gather();
      if (performance.now() >= retryAt || (this.#closed && this.#stuck.size > 0)) pieces.push(...this.#stuck.values());
      if (pieces.length === 0) {
        if (this.#stuck.size === 0) break;
        await this.#pause(retryAt - performance.now());
        continue;
      }
      const { done, failed } = await this.#tried(pieces);
      for (const { piece, results } of done) this.#written(piece, results);
      if (failed.length === 0) {
        if (this.#stuck.size === 0) retryAt = Infinity;
        continue;
      }
      retryAt = performance.now() + this.#failed(failed, done.length > 0);
      if (this.#closed) break;
    }
    this.#stuck.clear();
    this.#writing = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Returns the changes to write now, without those of stuck groups. */
  #gather(): Piece[] {
    const pieces = new Map<string, Piece>();
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const source of waiting) {
      if (this.#stuck.has(source.group)) {
        this.#waiting.add(source);
        continue;
      }
      const batch = composed(source);
      if (batch === undefined) continue;
      const piece = pieces.get(source.group) ?? { key: source.group, sources: [], batches: [], failures: 0 };
      pieces.set(source.group, piece);
      piece.sources.push(source);
      piece.batches.push(batch);
    }
    return [...pieces.values()];
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#resume?.(), milliseconds);
      this.#resume = () => {
        this.#resume = undefined;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #written(piece: Piece, results: readonly (BatchResult | undefined)[]): void {
    this.#stuck.delete(piece.key);
    for (const [i, source] of piece.sources.entries()) {
      const result = results[i];
      if (result !== undefined) source.written(result);
    }
  }

  /**
   * Handles the pieces that could not be written. Returns the delay before they are retried, in milliseconds. `others` says whether
   * other pieces of the same write succeeded.
   */
  #failed(failed: Written["failed"], others: boolean): number {
    let delay = LONGEST_DELAY;
    for (const { piece, error } of failed) {
      piece.failures += 1;
      const refusal = refusalOf(piece, error, others);
      if (refusal !== undefined)
        this.#written(
          piece,
          piece.sources.map((): BatchResult => ({ ok: false, error: refusal })),
        );
      else this.#stuck.set(piece.key, piece);
      delay = Math.min(delay, FIRST_DELAY * 2 ** (piece.failures - 1));
    }
    const [first] = failed;
    if (first !== undefined) this.#onFailure({ error: first.error, failures: first.piece.failures, retriesIn: delay });
    return delay;
  }

  /** Writes pieces together. If the store is full or damaged, each half is written by itself. */
  async #tried(pieces: readonly Piece[]): Promise<Written> {
    const batches = pieces.flatMap((piece) => piece.batches);
    try {
      const begun = performance.now();
      const results = await this.#store.write(batches);
      this.metrics.wrote(batches, results, (performance.now() - begun) / 1000);
      let next = 0;
      return {
        done: pieces.map((piece) => ({ piece, results: piece.batches.map(() => results[next++] as BatchResult) })),
        failed: [],
      };
    } catch (error) {
      this.metrics.writeFailed();
      if (pieces.length === 1 || !DIVISIBLE.has(codeOf(error))) return { done: [], failed: pieces.map((piece) => ({ piece, error })) };
      const half = Math.ceil(pieces.length / 2);
      const first = await this.#tried(pieces.slice(0, half));
      const second = await this.#tried(pieces.slice(half));
      return { done: [...first.done, ...second.done], failed: [...first.failed, ...second.failed] };
    }
  }
}

/** Errors that may concern only a part of a write. */
const DIVISIBLE: ReadonlySet<unknown> = new Set(["STORE_FULL", "STORE_DAMAGED"]);

/**
 * Returns the error with which a piece is refused, or undefined if it is retried. A piece is refused if the store is damaged where
 * it would be written, or if it is a start for which the store has no room. Later steps of an execution are never refused for lack
 * of room.
 */
function refusalOf({ key, batches, failures }: Piece, error: unknown, others: boolean): Error | undefined {
  if (codeOf(error) === "STORE_DAMAGED") return error as Error;
  const isStart = batches.length === 1 && batches[0]?.create !== undefined;
  if (!isStart || codeOf(error) !== "STORE_FULL" || (!others && failures < START_TRIES)) return undefined;
  const size = JSON.stringify(batches[0]).length;
  const message = `${messageOf(error)}: the start of ${key} needs about ${size} bytes`;
  return new StoreError("STORE_FULL", message, { cause: error });
}

/**
 * Resolves two turns later. Executions that the last write has released continue in the next turn, and the answers of their
 * handlers arrive in the turn after that. A write costs a disk sync, so it waits for them.
 */
function gathered(): Promise<void> {
  return new Promise((resolve) => later(() => later(resolve)));
}

/** Returns the changes of a source. If the source throws, it is reported as broken, and the others are still written. */
function composed(source: Source): Batch | undefined {
  try {
    return source.compose();
  } catch (thrown) {
    source.broken(messageOf(thrown));
    return undefined;
  }
}
