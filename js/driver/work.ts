// The handlers of an execution that are at work, and those that sleep.

import type { Call } from "./calls.ts";

/** A handler that sleeps. */
interface Sleep {
  at: number;
  call: Call;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

export class Work {
  /** How many handlers have an open promise and do not sleep. */
  active = 0;
  // Ordered by time.
  #sleeps: Sleep[] = [];

  /** When the first sleep is over; Infinity for never. */
  get wakesAt(): number {
    return this.#sleeps[0]?.at ?? Infinity;
  }

  /** Notes whether a handler's promise is open. */
  setPending(call: Call, pending: boolean): void {
    if (call.pending === pending) return;
    call.pending = pending;
    if (call.sleeps === 0) this.active += pending ? 1 : -1;
  }

  /** The promise resolves when a sleep is over. */
  sleep(call: Call, at: number): Promise<void> {
    return asleep(
      new Promise<void>((resolve, reject) => {
        const before = this.#sleeps.findIndex((other) => other.at > at);
        this.#sleeps.splice(before < 0 ? this.#sleeps.length : before, 0, { at, call, resolve, reject });
        this.#setSleeps(call, call.sleeps + 1);
      }),
    );
  }

  /** Ends the sleeps that are over. Whether there were any. */
  wake(now: number): boolean {
    const over = this.#sleeps.findIndex(({ at }) => at > now);
    if (over === 0) return false;
    for (const { call, resolve } of this.#sleeps.splice(0, over < 0 ? this.#sleeps.length : over)) {
      this.#setSleeps(call, call.sleeps - 1);
      resolve();
    }
    return true;
  }

  /** Removes the sleeps of a call that has ended; returns what rejects them. */
  disturb(call: Call): ((reason: unknown) => void)[] {
    if (call.sleeps === 0) return [];
    const disturbed = this.#sleeps.filter((sleep) => sleep.call === call);
    this.#sleeps = this.#sleeps.filter((sleep) => sleep.call !== call);
    this.#setSleeps(call, 0);
    return disturbed.map(({ reject }) => reject);
  }

  #setSleeps(call: Call, sleeps: number): void {
    const slept = call.sleeps > 0;
    call.sleeps = sleeps;
    if (call.pending && slept !== sleeps > 0) this.active += slept ? 1 : -1;
  }
}

/** A promise without a handler for rejections: a task may end while a sleep that it does not await is open. */
export function asleep(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
