// Times as the console shows them.

const two = (n: number): string => String(n).padStart(2, "0");

/** Returns a time in the reader's time zone: `2026-11-28 09:05:30`. */
export function localTime(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Returns the parts of an axis label: the time, and with intervals of days the date. */
export function axisTime(ms: number, width: number): string {
  const text = localTime(ms);
  return width >= 6 * 3_600_000 ? text.slice(5, 10) : text.slice(11, 16);
}
