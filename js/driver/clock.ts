// Where an execution's time comes from.

import { misuse } from "../base/errors.ts";
import { isInstant } from "../base/instant.ts";
import { shown } from "../base/shown.ts";
import { later } from "./scheduler.ts";
import type { Clock } from "../api/index.d.ts";

// The longest delay of setTimeout; a longer one fires at once, in Node and in browsers.
const LONGEST = 2 ** 31 - 1;

const REAL: Clock = {
  now: () => Date.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
};

/** An execution on a virtual clock. */
export interface ClockMember {
  /** When it continues by itself, or null. */
  readonly deadline: number | null;
  /** Whether nothing but the passing of time can move it. */
  readonly quiet: boolean;
  /** Tokens that somebody may still answer. */
  readonly tokens: number;
  /** Checks again whether there is anything to do. */
  wake(): void;
  /** Called when nothing can move any member. */
  idle(): void;
}

/** Time that stands still until all executions on it wait, and then jumps to the next deadline. */
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
    // The others may have waited for this one.
    for (const other of this.#members) later(() => other.wake());
  }

  /** The member with the next deadline, asked by one that has nothing to do; undefined while another one works, or if there is no deadline. */
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

  /** Whether nothing can move any member: there is no deadline, and no other member works. */
  idle(driver: ClockMember): boolean {
    for (const member of this.#members) if (member.deadline !== null || (member !== driver && !member.quiet)) return false;
    return true;
  }

  /** Tells all members that nothing can move them. */
  tellIdle(): void {
    for (const member of [...this.#members]) member.idle();
  }

  /** Tokens that somebody may still answer. */
  get tokens(): number {
    let tokens = 0;
    for (const member of this.#members) tokens += member.tokens;
    return tokens;
  }
}

/** The clock that the `clock` option means. */
export function clockOf(option?: "real" | Clock): Clock;
export function clockOf(option?: "real" | "virtual" | Clock, start?: number): Clock | VirtualClock;
export function clockOf(option?: "real" | "virtual" | Clock, start?: number): Clock | VirtualClock {
  if (option === undefined || option === "real") return REAL;
  if (option === "virtual") return new VirtualClock(start);
  if (isClock(option)) {
    // With an invalid time, timers would ring for ever.
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

/** One timer for one deadline, which may be years away. */
export class Alarm {
  #clock: Clock;
  #ring: () => void;
  #deadline: number | null = null;
  #timer: unknown;
  // When the timer that is set rings; `null` while none is.
  #wakesAt: number | null = null;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Moves the deadline; `null` for none. */
  set(deadline: number | null): void {
    this.#deadline = deadline;
    if (deadline === null) return this.#clear();
    // A timer that wakes earlier is kept and finds the later deadline then: cheaper than a new one for every event.
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
    // Timers may fire a little early, and a capped one fires long before.
    if (this.#clock.now() >= this.#deadline) this.#ring();
    else this.set(this.#deadline);
  }

  #clear() {
    if (this.#wakesAt === null) return;
    this.#wakesAt = null;
    this.#clock.clearTimeout(this.#timer);
  }
}

/** A clock's time; one that throws is the execution's to fail by. */
export function timeOf(clock: Clock | VirtualClock): number {
  try {
    return clock.now();
  } catch {
    return Date.now();
  }
}
