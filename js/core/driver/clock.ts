// The clocks of executions.

import { misuse } from "../base/errors.ts";
import { isInstant } from "../base/instant.ts";
import { shown } from "../base/shown.ts";
import { later } from "./scheduler.ts";
import type { Clock } from "../api/index.d.ts";

// Maximum delay of setTimeout, in milliseconds. In Node and in browsers a longer one fires at once.
const LONGEST = 2 ** 31 - 1;

const REAL: Clock = {
  now: () => Date.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
};

/** An execution on a virtual clock. */
export interface ClockMember {
  /** The time at which it continues by itself, or null. */
  readonly deadline: number | null;
  /** Whether only the passing of time can move it. */
  readonly quiet: boolean;
  /** The number of tokens that can still be answered. */
  readonly tokens: number;
  /** Checks again whether there is work. */
  wake(): void;
  /** Is called when nothing can move any member. */
  idle(): void;
}

/** A clock that stands still while any of its executions works, and then jumps to the next deadline. */
export class VirtualClock {
  #now: number;
  #members = new Set<ClockMember>();

  constructor(start = Date.now()) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  jump(to: number): void {
    this.#now = Math.max(this.#now, to);
  }

  join(driver: ClockMember): void {
    this.#members.add(driver);
  }

  leave(driver: ClockMember): void {
    this.#members.delete(driver);
    // The other members may have been waiting for this one.
    for (const other of this.#members) later(() => other.wake());
  }

  /** Returns the member with the next deadline. Undefined if a member other than `driver` works, or if there is no deadline. */
  first(driver: ClockMember): ClockMember | undefined {
    if (this.#members.size === 1 && this.#members.has(driver)) return driver.deadline === null ? undefined : driver;
    let first: ClockMember | undefined;
    let earliest = Infinity;
    for (const member of this.#members) {
      if (member !== driver && !member.quiet) return undefined;
      const { deadline } = member;
      if (deadline === null || deadline >= earliest) continue;
      [first, earliest] = [member, deadline];
    }
    return first;
  }

  /** Returns whether nothing can move any member: there is no deadline, and no member other than `driver` works. */
  idle(driver: ClockMember): boolean {
    for (const member of this.#members) if (member.deadline !== null || (member !== driver && !member.quiet)) return false;
    return true;
  }

  /** Notifies all members that nothing can move them. */
  notifyIdle(): void {
    for (const member of [...this.#members]) member.idle();
  }

  /** The number of tokens that can still be answered. */
  get tokens(): number {
    let tokens = 0;
    for (const member of this.#members) tokens += member.tokens;
    return tokens;
  }
}

/** Returns the clock for a `clock` option. */
export function clockOf(option?: "real" | Clock): Clock;
export function clockOf(option?: "real" | "virtual" | Clock, start?: number): Clock | VirtualClock;
export function clockOf(option?: "real" | "virtual" | Clock, start?: number): Clock | VirtualClock {
  if (option === undefined || option === "real") return REAL;
  if (option === "virtual") return new VirtualClock(start);
  if (isClock(option)) {
    // With an invalid time, timers would fire forever.
    const now = () => {
      const time = option.now();
      if (isInstant(time)) return time;
      throw misuse("INVALID_CLOCK", `clock.now() must give a number of milliseconds since 1970, not ${shown(time)}`);
    };
    return { now, setTimeout: (run, delay) => option.setTimeout(run, delay), clearTimeout: (timer) => option.clearTimeout(timer) };
  }
  throw misuse(
    "INVALID_OPTION",
    `clock must be "real", "virtual" or an object with now(), setTimeout() and clearTimeout(), not ${shown(option)}`,
  );
}

function isClock(option: unknown): option is Clock {
  if (typeof option !== "object" || option === null) return false;
  const { now, setTimeout, clearTimeout } = option as Partial<Clock>;
  return typeof now === "function" && typeof setTimeout === "function" && typeof clearTimeout === "function";
}

/** A timer for one deadline, which can be years away. */
export class Alarm {
  #clock: Clock;
  #owner: { ring(): void };
  #deadline: number | null = null;
  #timer: unknown;
  // The time at which the current timer fires; `null` if there is none.
  #wakesAt: number | null = null;

  constructor(clock: Clock, owner: { ring(): void }) {
    this.#clock = clock;
    this.#owner = owner;
  }

  /** Moves the deadline. `null` removes it. */
  set(deadline: number | null): void {
    this.#deadline = deadline;
    if (deadline === null) return this.#clear();
    // An earlier timer stays: it finds the later deadline when it fires. That is cheaper than a new timer for every event.
    if (this.#wakesAt !== null && this.#wakesAt <= deadline) return;
    this.#clear();
    const now = this.#clock.now();
    const delay = Math.min(Math.max(deadline - now, 0), LONGEST);
    this.#wakesAt = now + delay;
    this.#timer = this.#clock.setTimeout(() => this.#wake(), delay);
  }

  #wake() {
    this.#wakesAt = null;
    if (this.#deadline === null) return;
    // Timers can fire slightly early, and a capped timer fires long before the deadline.
    if (this.#clock.now() >= this.#deadline) this.#owner.ring();
    else this.set(this.#deadline);
  }

  #clear() {
    if (this.#wakesAt === null) return;
    this.#wakesAt = null;
    this.#clock.clearTimeout(this.#timer);
  }
}

/** Returns a clock's time. A clock that throws makes the execution fail. */
export function timeOf(clock: Clock | VirtualClock): number {
  try {
    return clock.now();
  } catch {
    return Date.now();
  }
}
