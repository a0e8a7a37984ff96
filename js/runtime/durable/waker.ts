// Determines when executions that are not in memory must be loaded.

import type { Clock } from "../../core/api/index.d.ts";
import type { Store } from "../../core/api/durable.d.ts";
import { Alarm } from "../../core/driver/clock.ts";

// How far into the future the store is queried, in milliseconds.
const AHEAD = 60_000;
// How long the waker waits after a failed query, in milliseconds.
const AGAIN = 1000;

/** The events of a waker. */
interface WakerEvents {
  /** An execution is due. */
  wake(id: string): void;
  /** A query of the store has failed. It will be repeated. */
  failed(error: unknown): void;
}

/** Has one timer for all stored executions that wait for a time. */
export class Waker {
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #events: WakerEvents;
  readonly #alarm: Alarm;
  // The executions that are due until `#until`, and their times.
  readonly #due = new Map<string, number>();
  #until = -Infinity;
  // The end of the current query. An execution that is unloaded during the query may be missing from its result.
  #asking = -Infinity;
  #isOpen = false;

  constructor(clock: Clock, store: Store, events: WakerEvents) {
    this.#clock = clock;
    this.#store = store;
    this.#events = events;
    this.#alarm = new Alarm(clock, { ring: () => void this.#ring() });
  }

  /** Queries the store, and wakes the executions that are due. */
  async open(): Promise<void> {
    this.#isOpen = true;
    await this.#ask(this.#clock.now());
    await this.#ring();
  }

  /** Queries the store again, because it may contain more executions that are due. */
  async again(): Promise<void> {
    if (!this.#isOpen) return;
    try {
      for (const { id, wakeAt } of await this.#store.due({ until: Math.max(this.#until, this.#clock.now()) }))
        if (this.#isOpen) this.#due.set(id, wakeAt);
      this.#set();
    } catch (error) {
      if (!this.#isOpen) return;
      this.#events.failed(error);
      setTimeout(() => void this.again(), AGAIN);
    }
  }

  close(): void {
    this.#isOpen = false;
    this.#alarm.set(null);
    this.#due.clear();
  }

  /** Adds an execution that has left the memory, and must be loaded again at a time. */
  add(id: string, wakeAt: number): void {
    // A later query of the store returns the executions that are due after this period.
    if (wakeAt > this.#until && wakeAt > this.#asking) return;
    this.#due.set(id, wakeAt);
    this.#set();
  }

  async #ring(): Promise<void> {
    if (!this.#isOpen) return;
    const now = this.#clock.now();
    if (now >= this.#until - AHEAD / 2 && !(await this.#asked(now))) return this.#alarm.set(now + AGAIN);
    for (const [id, at] of this.#due) {
      if (at > now) continue;
      this.#due.delete(id);
      this.#events.wake(id);
    }
    this.#set();
  }

  /** Queries the store. Returns whether that succeeded. */
  async #asked(now: number): Promise<boolean> {
    try {
      await this.#ask(now);
      return true;
    } catch (error) {
      if (this.#isOpen) this.#events.failed(error);
      return false;
    }
  }

  /** Queries the store for the executions that are due in the next period. */
  async #ask(now: number): Promise<void> {
    const until = (this.#asking = now + AHEAD);
    const due = await this.#store.due({ after: this.#until, until });
    this.#until = until;
    if (this.#isOpen) for (const { id, wakeAt } of due) this.#due.set(id, wakeAt);
  }

  /** Sets the timer to the first time at which an execution is due or the store must be queried again. */
  #set(): void {
    if (!this.#isOpen) return;
    let first = this.#until - AHEAD / 2;
    for (const at of this.#due.values()) if (at < first) first = at;
    this.#alarm.set(first);
  }
}
