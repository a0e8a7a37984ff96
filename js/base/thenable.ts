// Promises of whichever library.

/** Whether a value can be waited for. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    typeof (value as Partial<PromiseLike<unknown>>).then === "function"
  );
}
