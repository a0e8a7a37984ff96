// Times as people write them: "90 s", "1h 30m", "1.5 days".

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const WORD = /(\d+(?:\.\d+)?)\s*(milliseconds?|ms|sec(?:onds?)?|s|min(?:utes?)?|m|hours?|h|days?|d)\s*/gy;

/**
 * Returns the milliseconds of a duration in text form. Undefined for other values, and for numbers except 0: definitions count in
 * seconds, scripts of `simulate()` and mocks of the debugger in milliseconds, so a number could mean either.
 */
export function milliseconds(duration: unknown): number | undefined {
  if (duration === 0) return 0;
  if (typeof duration !== "string") return undefined;
  const text = duration.trim();
  let sum = 0;
  let read = 0;
  for (const [whole, number, unit = ""] of text.matchAll(WORD)) {
    // The pattern allows no other units.
    sum += Number(number) * UNITS[/^(ms|millis)/.test(unit) ? "ms" : (unit[0] as keyof typeof UNITS)];
    read += whole.length;
  }
  return read === text.length && read > 0 ? Math.round(sum) : undefined;
}

/** Formats a duration as briefly as possible without rounding: "0 s", "1 h 30 m", "2.5 s". */
export function spoken(ms: number): string {
  if (ms < 1000) return ms === 0 ? "0 s" : `${Number(ms.toFixed(3))} ms`;
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, size] of [
    ["d", UNITS.d],
    ["h", UNITS.h],
    ["m", UNITS.m],
  ] as const) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count} ${unit}`);
    rest -= count * size;
  }
  if (rest > 0) parts.push(`${Number((rest / 1000).toFixed(3))} s`);
  return parts.join(" ");
}
