// Group commit: what the executions of one turn have to keep is one write of the store.

import type { Batch, BatchResult, Store } from "../api/durable.d.ts";
import { codeOf, messageOf } from "../base/errors.ts";
import { later } from "../driver/scheduler.ts";
import { StoreError } from "../store/errors.ts";
import { Metrics } from "./metrics.ts";

/** What has something to keep. */
export interface Source {
  /** What is written together or not at all: usually the ARN of an execution. */
  readonly group: string;
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

// How often a start is tried for which the store has no room, before it is refused: about three seconds.
const START_TRIES = 7;

/** Batches that are written together or not at all. */
interface Piece {
  key: string;
  sources: Source[];
  batches: Batch[];
  /** How often it could not be written by itself. */
  failures: number;
}

/** What has become of pieces. */
interface Written {
  done: { piece: Piece; results: BatchResult[] }[];
  failed: { piece: Piece; error: unknown }[];
}

/** Writes to a store. One write is under way at a time; what comes meanwhile goes into the next. */
export class Committer {
  readonly #store: Store;
  readonly #onFailure: (failure: WriteFailure) => void;
  #waiting = new Set<Source>();
  /** What the store could not write, by the keys of the pieces: what belongs to them waits. */
  readonly #stuck = new Map<string, Piece>();
  #writing = false;
  #closed = false;
  #idle: (() => void)[] = [];
  /** Ends the pause before what is stuck is tried again. */
  #resume: (() => void) | undefined;
  readonly metrics = new Metrics();

  constructor(store: Store, onFailure: (failure: WriteFailure) => void) {
    this.#store = store;
    this.#onFailure = onFailure;
  }

  /** Notes that a source has something to keep. */
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

  /** From now on what the store cannot write is given up at once. */
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

  /** What is to be kept now, except of what is stuck. */
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

  /** Takes up what could not be written; returns when it is tried again, in milliseconds from now. `others` says that other writes fitted. */
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

  /** Writes pieces together; where the store cannot, it is asked for fewer of them at a time. */
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

/** The failures of which a part of a write may be free. */
const DIVISIBLE: ReadonlySet<unknown> = new Set(["STORE_FULL", "STORE_DAMAGED"]);

/**
 * Why a piece is not tried again, if it is not: the store is damaged where it would be written, or it is a start for which there is no
 * room. What an execution has done already cannot be refused.
 */
function refusalOf({ key, batches, failures }: Piece, error: unknown, others: boolean): Error | undefined {
  if (codeOf(error) === "STORE_DAMAGED") return error as Error;
  const isStart = batches.length === 1 && batches[0]?.create !== undefined;
  if (!isStart || codeOf(error) !== "STORE_FULL" || (!others && failures < START_TRIES)) return undefined;
  const size = JSON.stringify(batches[0]).length;
  const told = `${messageOf(error)}: the start of ${key} needs about ${size} bytes`;
  return new StoreError("STORE_FULL", told, { cause: error });
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
