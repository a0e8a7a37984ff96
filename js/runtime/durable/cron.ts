// Cron expressions with five fields, in a time zone.

import { misuse } from "../../core/base/errors.ts";
import { shown } from "../../core/base/shown.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
// Maximum time that is searched for a match, in milliseconds. The longest gap between two matches is from one 29 February to the
// next across a year such as 2100.
const LONGEST = 9 * 366 * 24 * HOUR;

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const NAMED: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** A field: the values that it matches, and whether it is `*`. */
interface Field {
  has: Set<number>;
  any: boolean;
}

/** A time in a time zone. */
interface Local {
  month: number;
  day: number;
  weekday: number;
  hour: number;
  minute: number;
  /** How far the time zone is ahead of UTC, in milliseconds. */
  offset: number;
}

/** A cron expression: minute, hour, day of the month, month, day of the week. Throws INVALID_OPTION. */
export class Cron {
  readonly #minute: Field;
  readonly #hour: Field;
  readonly #day: Field;
  readonly #month: Field;
  readonly #weekday: Field;
  readonly #local: (time: number) => Local;

  constructor(expression: string, timezone = "UTC") {
    const text = typeof expression === "string" ? (NAMED[expression.trim().toLowerCase()] ?? expression).trim() : "";
    const fields = text.split(/\s+/);
    const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
    if (fields.length !== 5)
      throw wrong(
        expression,
        `it has ${text === "" ? 0 : fields.length} fields instead of 5: minute, hour, day of the month, month, day of the week`,
      );
    this.#minute = field(expression, "minute", minute, 0, 59);
    this.#hour = field(expression, "hour", hour, 0, 23);
    this.#day = field(expression, "day of the month", day, 1, 31);
    this.#month = field(expression, "month", month, 1, 12, MONTHS);
    this.#weekday = field(expression, "day of the week", weekday, 0, 7, DAYS);
    if (this.#weekday.has.has(7)) this.#weekday.has.add(0);
    this.#local = localTime(timezone);
  }

  /**
   * Returns the first match after `time`, in milliseconds since 1970; undefined if there is none (30 February). When clocks go
   * forward, times in the gap match at its end. When clocks go back, fixed hours match once, and `*` hours match in both passes.
   */
  next(time: number): number | undefined {
    let at = (Math.floor(time / MINUTE) + 1) * MINUTE;
    for (const end = at + LONGEST; at < end;) {
      const local = this.#local(at);
      if (this.#isMissed(at, local)) return at;
      if (!this.#isDay(local)) at += Math.max(1, 23 - local.hour) * HOUR - local.minute * MINUTE;
      else if (!this.#hour.has.has(local.hour)) at += HOUR - local.minute * MINUTE;
      else if (!this.#minute.has.has(local.minute) || this.#isRepeated(at, local)) at += MINUTE;
      else return at;
    }
    return undefined;
  }

  #isDay({ month, day, weekday }: Local): boolean {
    if (!this.#month.has.has(month)) return false;
    const [inMonth, inWeek] = [this.#day.has.has(day), this.#weekday.has.has(weekday)];
    // If both days are given, one of them has to match, as in cron.
    return this.#day.any || this.#weekday.any ? inMonth && inWeek : inMonth || inWeek;
  }

  /** Returns whether the clocks have just gone forward and skipped a time that the expression matches. */
  #isMissed(at: number, local: Local): boolean {
    if (this.#hour.any) return false;
    const gap = local.offset - this.#local(at - MINUTE).offset;
    if (gap <= 0) return false;
    const skipped = (back: number): Local => shifted(local, -back);
    for (let back = MINUTE; back <= gap; back += MINUTE) {
      const one = skipped(back);
      if (this.#isDay(one) && this.#hour.has.has(one.hour) && this.#minute.has.has(one.minute)) return true;
    }
    return false;
  }

  /** Returns whether this local time is a repetition, because the clocks went back. */
  #isRepeated(at: number, { offset }: Local): boolean {
    if (this.#hour.any) return false;
    const before = this.#local(at - 3 * HOUR).offset - offset;
    return before > 0 && this.#local(at - before).offset === offset + before;
  }
}

/** Returns the local time that is `by` milliseconds later on the same clock. */
function shifted({ month, day, weekday, hour, minute, offset }: Local, by: number): Local {
  // The year only matters for 29 February, which no change of the clocks skips.
  const date = new Date(Date.UTC(2028, month - 1, day, hour, minute) + by);
  const days = Math.floor((hour * HOUR + minute * MINUTE + by) / (24 * HOUR));
  const [m, d] = [date.getUTCMonth() + 1, date.getUTCDate()];
  return { month: m, day: d, weekday: (weekday + days + 7) % 7, hour: date.getUTCHours(), minute: date.getUTCMinutes(), offset };
}

/** Returns a function that converts a time to a time zone. Throws INVALID_OPTION if the zone is unknown. */
function localTime(timezone: string): (time: number) => Local {
  if (timezone === "UTC") return (time) => fieldsOf(time, 0);
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" },
    });
  } catch {
    throw misuse("INVALID_OPTION", `timezone must be the name of a time zone, such as "Europe/Berlin", not ${shown(timezone)}`);
  }
  return (time) => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
    return fieldsOf(time, Date.UTC(year, month - 1, day, hour, minute) - Math.floor(time / MINUTE) * MINUTE);
  };
}

function fieldsOf(time: number, offset: number): Local {
  const date = new Date(time + offset);
  return {
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    offset,
  };
}

/** Reads a field: `*`, values, ranges `1-5`, steps `*`/15 and `10-30/5`, lists of these, and names. */
function field(expression: string, what: string, text: string, least: number, most: number, names: readonly string[] = []): Field {
  const has = new Set<number>();
  const value = (part: string): number => {
    const named = names.indexOf(part.toUpperCase());
    const number = named >= 0 ? named + least : /^\d+$/.test(part) ? Number(part) : NaN;
    if (!(number >= least && number <= most))
      throw wrong(expression, `${what} must be ${least} to ${most}${names.length > 0 ? ` or ${names[0]} …` : ""}, not ${shown(part)}`);
    return number;
  };
  for (const part of text.split(",")) {
    const [range = "", step, more] = part.split("/");
    const [first = "", last, other] = range.split("-");
    if (more !== undefined || other !== undefined) throw wrong(expression, `${what} has ${shown(part)}`);
    const size = step === undefined ? 1 : /^\d+$/.test(step) ? Number(step) : 0;
    if (size < 1) throw wrong(expression, `${what} has a step of ${shown(step)}`);
    const from = first === "*" && last === undefined ? least : value(first);
    const open = first === "*" || (step !== undefined && last === undefined);
    const to = open ? (most === 7 ? 6 : most) : last === undefined ? from : value(last);
    if (to < from) throw wrong(expression, `${what} has a range that ends before it begins: ${shown(part)}`);
    for (let n = from; n <= to; n += size) has.add(n);
  }
  return { has, any: text.startsWith("*") };
}

function wrong(expression: unknown, why: string): Error {
  return misuse("INVALID_OPTION", `cron ${shown(expression)}: ${why}`);
}
