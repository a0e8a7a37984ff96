// Sinks: the queues in front of a server's destinations for events. Nothing waits for them: notices that a destination cannot take
// in time are dropped.

import { messageOf } from "../../core/base/errors.ts";
import type { Log } from "../protocol/log.ts";

// Maximum size of the notices that wait for a destination, in bytes.
const BYTES = 64 * 2 ** 20;
// Delay before a retry, in milliseconds. It doubles from the first value to the second.
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 30_000;
// Timeout of one delivery, in milliseconds.
const DELIVERY_TIMEOUT_MS = 10_000;

/** An event as JSON text. */
export interface Notice {
  text: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The log stream in CloudWatch Logs. */
  log?: { group: string; stream: string; region: string; account: string };
}

/** An error of a delivery that is not retried, because the destination has rejected it. */
export class Refused extends Error {}

/** A receiver of notices. */
export interface Destination {
  /** The name in messages. */
  readonly name: string;
  /** Maximum number of notices that wait for the destination. */
  readonly waiting: number;
  /** Maximum number of notices in one delivery, and of bytes. */
  readonly most: number;
  readonly bytes: number;
  /** Delivers notices in order. Throws Refused if a retry cannot succeed, and another error if it can. */
  deliver(notices: readonly Notice[], signal: AbortSignal): Promise<void>;
}

interface Waiting {
  notice: Notice;
  bytes: number;
}

/** A queue in front of a destination. */
export class Sink {
  readonly #destination: Destination;
  readonly #log: Log;
  #queue: Waiting[] = [];
  #bytes = 0;
  #failures = 0;
  #dropped = 0;
  /** The number of notices that were refused since the last accepted one. */
  #refused = 0;
  #running: Promise<void> | undefined;
  /** Aborts the current delay and the current delivery. */
  #closing = new AbortController();
  #isClosed = false;

  constructor(destination: Destination, log: Log) {
    this.#destination = destination;
    this.#log = log;
  }

  /** Queues a notice. */
  add(notice: Notice): void {
    const bytes = Buffer.byteLength(notice.text);
    if (this.#isClosed || this.#queue.length >= this.#destination.waiting || this.#bytes + bytes > BYTES) return this.#drop(1);
    this.#queue.push({ notice, bytes });
    this.#bytes += bytes;
    this.#running ??= this.#run();
  }

  /** Delivers the queued notices. Gives up after `grace` milliseconds. */
  async close(grace: number): Promise<void> {
    const timer = setTimeout(() => {
      this.#isClosed = true;
      this.#closing.abort(new Error("the server ends"));
    }, grace);
    await this.#running;
    clearTimeout(timer);
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    // The notices of one turn of the event loop are delivered together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      if (this.#isClosed) this.#drop(this.#take(this.#queue.length));
      else await this.#deliver(this.#batch());
    }
    this.#running = undefined;
    if (this.#dropped > 0) this.#tellDropped();
  }

  /** Returns the notices of the next delivery, at least one. */
  #batch(): Notice[] {
    const { most, bytes } = this.#destination;
    let sum = 0;
    const batch: Notice[] = [];
    for (const one of this.#queue) {
      sum += one.bytes;
      if (batch.length > 0 && (batch.length >= most || sum > bytes)) break;
      batch.push(one.notice);
    }
    return batch;
  }

  async #deliver(batch: readonly Notice[]): Promise<void> {
    const { name } = this.#destination;
    const patience = new AbortController();
    const stop = (): void => patience.abort(this.#closing.signal.reason);
    const timer = setTimeout(() => patience.abort(new Error(`no answer in ${DELIVERY_TIMEOUT_MS / 1000} seconds`)), DELIVERY_TIMEOUT_MS);
    this.#closing.signal.addEventListener("abort", stop);
    try {
      await this.#destination.deliver(batch, patience.signal);
      if (this.#failures > 0 || this.#refused > 0) this.#log("info", () => `${name} works again${this.#refusals()}`);
      this.#failures = this.#refused = 0;
      this.#take(batch.length);
    } catch (thrown) {
      if (thrown instanceof Refused) {
        // A destination that refuses everything is logged only once.
        if (this.#refused === 0) this.#log("error", () => `${name} refused what it was sent, so it was dropped: ${thrown.message}`);
        this.#refused += this.#take(batch.length);
      } else await this.#wait(thrown);
    } finally {
      clearTimeout(timer);
      this.#closing.signal.removeEventListener("abort", stop);
    }
  }

  #refusals(): string {
    return this.#refused === 0 ? "" : `; it refused ${this.#refused} notices`;
  }

  /** Waits before the next attempt. The delay doubles each time. */
  async #wait(thrown: unknown): Promise<void> {
    if (this.#failures === 0) this.#log("error", () => `${this.#destination.name} failed; trying again: ${messageOf(thrown)}`);
    const pause = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS);
    this.#failures += 1;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause);
      signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
    });
  }

  /** Removes the first notices and returns their number. */
  #take(count: number): number {
    for (const { bytes } of this.#queue.splice(0, count)) this.#bytes -= bytes;
    return count;
  }

  /** Logs once that notices are dropped. Their number is logged when the destination has caught up. */
  #drop(count: number): void {
    if (this.#dropped === 0 && !this.#isClosed)
      this.#log("error", () => `${this.#destination.name} does not keep up: new notices are dropped until it does`);
    this.#dropped += count;
  }

  #tellDropped(): void {
    const count = this.#dropped;
    this.#dropped = 0;
    this.#log("error", () => `${count} notices for ${this.#destination.name} were dropped`);
  }
}
