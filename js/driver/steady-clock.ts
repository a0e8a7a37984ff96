// The time of a process that runs for months: it does not go back when the system's clock does.

import type { Clock } from "../api/index.d.ts";
import { clockOf } from "./clock.ts";

/** How far back, in milliseconds, the system's clock may be adjusted before that counts as a step. */
const STEP = 1000;

/**
 * The system's time, except while that is behind: when the system's clock is set back, time goes on at its pace, until the clock has
 * caught up or the process ends. So Wait states, retries and schedules take as long as they say. `wall` and `monotonic` give milliseconds.
 */
export class SteadyClock implements Clock {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  #time: number;
  #at: number;

  constructor(wall: () => number = () => Date.now(), monotonic: () => number = () => performance.now()) {
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.#time = wall();
    this.#at = monotonic();
  }

  now(): number {
    const wall = this.#wall();
    const at = this.#monotonic();
    const expected = this.#time + (at - this.#at);
    const time = wall < expected - STEP ? Math.floor(expected) : Math.max(wall, this.#time);
    // What is less than a millisecond is counted later.
    if (time !== this.#time) this.#at = at - (wall < expected - STEP ? expected - time : 0);
    this.#time = time;
    return time;
  }

  setTimeout(run: () => void, delay: number): ReturnType<typeof setTimeout> {
    return setTimeout(run, delay);
  }

  clearTimeout(timer: ReturnType<typeof setTimeout>): void {
    clearTimeout(timer);
  }
}

/** The clock that the `clock` option of a Runtime or of a server means. */
export function steadyClockOf(option?: "real" | Clock): Clock {
  return option === undefined || option === "real" ? new SteadyClock() : clockOf(option);
}
