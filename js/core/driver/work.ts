// The running handlers of an execution, and the sleeping ones.

import type { Call } from "./calls.ts";

/** A sleep of a handler. */
interface Sleep {
  at: number;
  call: Call;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

const NONE: readonly Sleep[] = [];

export class Work {
  /** The number of handlers with a pending promise that do not sleep. */
  active = 0;
  // The sleeps, ordered by time.
  #sleeps: readonly Sleep[] = NONE;

  /** The end of the first sleep; Infinity if there is none. */
  get wakesAt(): number {
    return this.#sleeps[0]?.at ?? Infinity;
  }

  /** Records whether a handler's promise is pending. */
  setPending(call: Call, pending: boolean): void {
    if (call.pending === pending) return;
    call.pending = pending;
    if (call.sleeps === 0) this.active += pending ? 1 : -1;
  }

  /** Returns a promise that resolves at the end of a sleep. */
  sleep(call: Call, at: number): Promise<void> {
    return asleep(
      new Promise<void>((resolve, reject) => {
        const before = this.#sleeps.findIndex((other) => other.at > at);
        const sleeps = this.#sleeps.slice();
        sleeps.splice(before < 0 ? sleeps.length : before, 0, { at, call, resolve, reject });
        this.#sleeps = sleeps;
        this.#setSleeps(call, call.sleeps + 1);
      }),
    );
  }

  /** Ends the sleeps whose time has come. Returns whether there were any. */
  wake(now: number): boolean {
    const over = this.#sleeps.findIndex(({ at }) => at > now);
    if (over === 0) return false;
    const woken = over < 0 ? this.#sleeps : this.#sleeps.slice(0, over);
    this.#sleeps = over < 0 ? NONE : this.#sleeps.slice(over);
    for (const { call, resolve } of woken) {
      this.#setSleeps(call, call.sleeps - 1);
      resolve();
    }
    return true;
  }

  /** Removes the sleeps of a call that has ended. Returns the functions that reject them. */
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

/** Marks rejections of a promise as handled: a task can end while a sleep that it does not await is pending. */
export function asleep(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
