// A clock that runs faster or slower than another one, for tests of whole systems.

import type { Clock } from "../api/index.d.ts";
import { misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import { clockOf } from "./clock.ts";

/** Returns a clock whose time passes `factor` times as fast as that of `base`. Both show the same time now. */
export function scaledClock(factor: number, base?: Clock): Clock {
  if (!(factor > 0 && factor < Infinity)) throw misuse("INVALID_ARGUMENT", `scaledClock() takes a number above 0, not ${shown(factor)}`);
  const clock = clockOf(base) as Clock;
  const begun = clock.now();
  return {
    now: () => Math.floor(begun + (clock.now() - begun) * factor),
    // A timer must not fire before its time.
    setTimeout: (run, delay) => clock.setTimeout(run, Math.ceil(delay / factor)),
    clearTimeout: (timer) => clock.clearTimeout(timer),
  };
}
