// Formats values for messages, including the matchers in them.

import { TestKitError } from "./errors.ts";

/** Returns the value that `JSON.stringify` would write: undefined members are left out. Matchers stay. */
export function plain(value: unknown, around: object[] = []): unknown {
  if (typeof value !== "object" || value === null || isMatcher(value)) return value;
  if (around.includes(value)) throw new TestKitError("an expected value must not contain itself");
  const inside = [...around, value];
  if ("toJSON" in value && typeof value.toJSON === "function") return plain(value.toJSON(), inside);
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : plain(item, inside)));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, plain(item, inside)]),
  );
}

/** Returns whether a value is an asymmetric matcher of Vitest or Jest, such as `expect.any(Number)`. */
export function isAsymmetric(value: unknown): value is { asymmetricMatch(actual: unknown): unknown } {
  return typeof (value as { asymmetricMatch?: unknown } | null | undefined)?.asymmetricMatch === "function";
}

/** Returns whether a value is a matcher: a RegExp, a predicate, or an asymmetric matcher of Vitest or Jest. */
export function isMatcher(value: unknown): boolean {
  return typeof value === "function" || value instanceof RegExp || isAsymmetric(value);
}

/** Formats a value on one line, cut to a length. */
export function brief(value: unknown, length = 100): string {
  const text = typeof value === "string" ? JSON.stringify(value) : shown(value);
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** Formats a value as JSON text with its members in alphabetical order. `space` is the indentation. */
export function shown(value: unknown, space?: number): string {
  return JSON.stringify(sorted(plain(value)), (_, item: unknown) => writable(item), space) ?? String(value);
}

/** Describes a value that JSON cannot express. */
function writable(item: unknown): unknown {
  if (typeof item === "function") return `${item.name || "a predicate"}()`;
  if (isMatcher(item)) return String(item);
  return typeof item === "bigint" ? `${item}n` : item;
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || isMatcher(value)) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted((value as Record<string, unknown>)[key])]),
  );
}
