// Compares two JSON values.

export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (Array.isArray(b)) return false;
  // The keys are counted in loops, without an array of them, because graphs have thousands of parts.
  let more = 0;
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !equal((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key])) return false;
    more -= 1;
  }
  for (const _ in b) more += 1;
  return more === 0;
}
