// Recognizes the promises of any library.

/** Returns whether a value can be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    typeof (value as Partial<PromiseLike<unknown>>).then === "function"
  );
}
