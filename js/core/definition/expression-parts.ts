// Analyzes the parts of an expression.

import type { ExpressionPart } from "../api/index.d.ts";

/**
 * Returns the text of a JSONata expression in a field of a definition, without its `{%` and `%}`. Undefined for any other value.
 */
export function jsonataIn(value: unknown): string | undefined {
  return typeof value === "string" ? /^\s*\{%([^]*)%\}\s*$/.exec(value)?.[1]?.trim() : undefined;
}

/** Yields a part and all parts inside of it, in the order of the text. */
export function* partsIn(part: ExpressionPart): Generator<ExpressionPart> {
  yield part;
  for (const inner of part.parts ?? []) yield* partsIn(inner);
}

/** The start of a path, and its first steps that are each one name or index. */
export interface PathStart {
  /** `$`, `$$`, or the name of a variable with its `$`. */
  start: string;
  steps: (string | number)[];
  /** The parts after these steps. It is empty for a path to exactly one value. */
  rest: readonly ExpressionPart[];
}

/**
 * Returns the start and the steps of a path. Undefined for any other part, and for a path that starts at a value which the
 * expression itself creates.
 */
export function pathStart({ kind, parts }: ExpressionPart): PathStart | undefined {
  if (kind !== "path") return undefined;
  const [first, ...rest] = parts ?? [];
  const start = first?.kind === "root" ? String(first.value) : first?.kind === "variable" ? `$${String(first.value)}` : undefined;
  if (start === undefined) return undefined;
  const end = rest.findIndex((step) => step.kind !== "name" && step.kind !== "index");
  const plain = end < 0 ? rest : rest.slice(0, end);
  return { start, steps: plain.map(({ value }) => value as string | number), rest: rest.slice(plain.length) };
}
