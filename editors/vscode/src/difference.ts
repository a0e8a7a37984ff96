// The difference of a failed expectation, as two texts. Nothing here needs an editor.

/** Returns both values as texts, for an editor of differences. Undefined if the failure has none. */
export function differenceOf({
  expected,
  actual,
}: {
  expected?: unknown;
  actual?: unknown;
}): { expected: string; actual: string } | undefined {
  if (expected === undefined && actual === undefined) return undefined;
  return { expected: written(expected), actual: written(actual) };
}

function written(value: unknown): string {
  if (value === undefined) return "(nothing)";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
