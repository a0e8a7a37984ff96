// When executions that are not in memory have to be loaded.

import type { Clock } from "../api/index.d.ts";
import type { Store } from "../api/durable.d.ts";
import { Alarm } from "../driver/clock.ts";

// How far ahead the store is asked, in milliseconds.
const AHEAD = 60_000;
// When it is asked again after a failure.
const AGAIN = 1000;

/** What a waker tells. */
interface WakerEvents {
  /** An execution is due. */
  wake(id: string): void;
  /** The store could not be asked; it is asked again. */
  failed(error: unknown): void;
}

/** Keeps one timer for the executions of a store that wait. */
export class Waker {
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #events: WakerEvents;
  readonly #alarm: Alarm;
  // Executions that are due until the time up to which the store was asked.
  readonly #due = new Map<string, number>();
  #until = -Infinity;
  // The time up to which it is being asked; its answer may not have what leaves the memory meanwhile.
  #asking = -Infinity;
  #isOpen = false;

  constructor(clock: Clock, store: Store, events: WakerEvents) {
    this.#clock = clock;
    this.#store = store;
    this.#events = events;
    this.#alarm = new Alarm(clock, () => void this.#ring());
  }

  /** Wakes what is due. */
  async open(): Promise<void> {
    this.#isOpen = true;
    await this.#ask(this.#clock.now());
    await this.#ring();
  }

  /** Asks again for what is due: the store may have more of it now. */
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

  /** An execution has left the memory that has to be loaded again at a time. */
  add(id: string, wakeAt: number): void {
    // What is later the store tells in time.
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

  /** Asks the store; whether it has answered. */
  async #asked(now: number): Promise<boolean> {
    try {
      await this.#ask(now);
      return true;
    } catch (error) {
      if (this.#isOpen) this.#events.failed(error);
      return false;
    }
  }

  /** Asks the store for what is due until a while from now. */
  async #ask(now: number): Promise<void> {
    const until = (this.#asking = now + AHEAD);
    const due = await this.#store.due({ after: this.#until, until });
    this.#until = until;
    if (this.#isOpen) for (const { id, wakeAt } of due) this.#due.set(id, wakeAt);
  }

  /** Sets the timer to the first that is due, or to when the store is to be asked again. */
  #set(): void {
    if (!this.#isOpen) return;
    let first = this.#until - AHEAD / 2;
    for (const at of this.#due.values()) if (at < first) first = at;
    this.#alarm.set(first);
  }
}
