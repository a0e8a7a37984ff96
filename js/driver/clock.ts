// @ts-nocheck: has no types yet.
// Where an execution's time comes from.

import { misuse } from "../base/errors.ts";
import { isInstant, shown } from "../base/options.ts";
import { later } from "./scheduler.ts";

// The longest delay of setTimeout; a longer one fires at once, in Node and in browsers.
const LONGEST = 2 ** 31 - 1;

const REAL = {
  now: () => Date.now(),
  setTimeout: (run, delay) => setTimeout(run, delay),
  clearTimeout: (timer) => clearTimeout(timer),
};

/** Time that stands still until it is moved; the executions on it move it together. */
export class VirtualClock {
  #now;
  #members = new Set();

  constructor(start = Date.now()) {
    this.#now = start;
  }

  now() {
    return this.#now;
  }

  jump(to) {
    this.#now = Math.max(this.#now, to);
  }

  join(driver) {
    this.#members.add(driver);
  }

  leave(driver) {
    this.#members.delete(driver);
    // The others may have waited for this one.
    for (const other of this.#members) later(() => other.wake());
  }

  /** The one that time moves next, asked by one that has nothing else to do; undefined while another has, or none is moved. */
  first(driver) {
    if (this.#members.size === 1 && this.#members.has(driver)) return driver.deadline === null ? undefined : driver;
    let first;
    for (const member of this.#members) {
      if (member !== driver && !member.quiet) return undefined;
      if (member.deadline !== null && !(first?.deadline <= member.deadline)) first = member;
    }
    return first;
  }

  /** Whether nothing moves any of them: no time, no handler that is at work, as far as the one that asks knows. */
  idle(driver) {
    for (const member of this.#members) if (member.deadline !== null || (member !== driver && !member.quiet)) return false;
    return true;
  }

  /** Says to all that nothing moves any of them. */
  tellIdle() {
    for (const member of [...this.#members]) member.idle();
  }

  /** Tokens that somebody may still answer. */
  get tokens() {
    let tokens = 0;
    for (const member of this.#members) tokens += member.tokens;
    return tokens;
  }
}

/** The clock that the `clock` option means. */
export function clockOf(option, start) {
  if (option === undefined || option === "real") return REAL;
  if (option === "virtual") return new VirtualClock(start);
  const complete = typeof option === "object" && option !== null && ["now", "setTimeout", "clearTimeout"].every((name) => typeof option[name] === "function");
  if (complete) {
    // A clock that tells no time would have timers ring for ever.
    const now = () => {
      const time = option.now();
      if (isInstant(time)) return time;
      throw misuse("INVALID_CLOCK", `clock.now() must give a number of milliseconds since 1970, not ${shown(time)}`);
    };
    return { now, setTimeout: (run, delay) => option.setTimeout(run, delay), clearTimeout: (timer) => option.clearTimeout(timer) };
  }
  throw misuse("INVALID_OPTION", `clock must be "real", "virtual" or an object with now(), setTimeout() and clearTimeout(), not ${shown(option)}`);
}

/** One timer for one deadline, which may be years away. */
export class Alarm {
  #clock;
  #ring;
  #deadline = null;
  #timer;
  // When the timer that is set rings; `null` while none is.
  #wakesAt = null;

  constructor(clock, ring) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Moves the deadline; `null` for none. */
  set(deadline) {
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
