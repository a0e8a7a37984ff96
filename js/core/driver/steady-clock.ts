// The time of a process that runs for months: a step of the system's clock neither stops nor skips what waits.

import type { Clock } from "../api/index.d.ts";
import { clockOf } from "./clock.ts";

/** How far, in milliseconds, the system's clock may be adjusted before that counts as a step. */
const STEP = 1000;
/** How much faster the time runs until it has caught up with a clock that was set forward: an hour takes ten. */
const CATCH_UP = 0.1;

/** Where the time comes from. All three give milliseconds. */
interface TimeSources {
  /** The system's clock, since 1970. */
  wall(): number;
  /** A clock that nobody sets. It may stand still while the machine sleeps. */
  monotonic(): number;
  /** A clock that nobody sets and that goes on while the machine sleeps; to the second is enough. Not every platform has one. */
  boot?: (() => number) | undefined;
}

/**
 * The system's time, as long as nobody sets the clock while the process runs. When the clock is set back, time goes on at its pace until
 * the clock has caught up. When it is set forward, time runs a little faster until it has caught up itself. So Wait states, retries,
 * timeouts and schedules take about as long as they say. Time in which the machine slept has passed; without `boot`, every step forward
 * counts as such.
 */
export class SteadyClock implements Clock {
  readonly #sources: TimeSources;
  /** The time and the monotonic time of the last call. The time has fractions of milliseconds here. */
  #time: number;
  #at: number;
  /** How far the system's clock is ahead, as far as that is known to be a step. */
  #lag = 0;
  /** How far `boot` is ahead of `monotonic`. */
  #offset: number;

  constructor(sources: TimeSources = SYSTEM) {
    this.#sources = sources;
    this.#time = sources.wall();
    this.#at = sources.monotonic();
    this.#offset = this.#asleep();
  }

  now(): number {
    const wall = this.#sources.wall();
    const at = this.#sources.monotonic();
    const passed = at - this.#at;
    const expected = this.#time + passed;
    this.#at = at;
    if (wall < expected - STEP) this.#time = expected;
    else if (wall <= expected + STEP) this.#time = Math.max(wall, this.#time);
    else this.#time = this.#behind(expected, passed, wall);
    this.#lag = Math.max(wall - this.#time, 0);
    return Math.floor(this.#time);
  }

  /** The time, where the system's clock is ahead of the expected time by more than a step. */
  #behind(expected: number, passed: number, wall: number): number {
    const isNew = wall - expected > this.#lag + STEP;
    if (isNew && this.#sources.boot === undefined) return wall;
    const slept = isNew ? this.#slept() : 0;
    // The clock of the boot is right to the second only.
    if (slept > 0 && wall - expected - slept <= 2 * STEP) return wall;
    return Math.min(expected + slept + passed * CATCH_UP, wall);
  }

  /** Returns how long the machine has slept since this was asked last, if that was longer than a few seconds. */
  #slept(): number {
    const offset = this.#asleep();
    const slept = offset - this.#offset;
    if (slept <= 2 * STEP) return 0;
    this.#offset = offset;
    return slept;
  }

  #asleep(): number {
    const { boot, monotonic } = this.#sources;
    return boot === undefined ? 0 : boot() - monotonic();
  }

  setTimeout(run: () => void, delay: number): ReturnType<typeof setTimeout> {
    return setTimeout(run, delay);
  }

  clearTimeout(timer: ReturnType<typeof setTimeout>): void {
    clearTimeout(timer);
  }
}

/** `os` of Node, Bun and Deno, without an import that browsers would have to resolve. */
const os = (globalThis as { process?: { getBuiltinModule?(name: string): { uptime(): number } | undefined } }).process?.getBuiltinModule?.(
  "node:os",
);

const SYSTEM: TimeSources = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  boot: os && (() => os.uptime() * 1000),
};

/** The clock that the `clock` option of a Runtime or of a server means. */
export function steadyClockOf(option?: "real" | Clock): Clock {
  return option === undefined || option === "real" ? new SteadyClock() : clockOf(option);
}
