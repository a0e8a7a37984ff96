// Points in time: milliseconds since 1970.

/** The last instant that a Date can have. */
export const LAST = 8.64e15;

/** Returns whether a value is an instant that a Date can have. */
export function isInstant(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= LAST;
}
