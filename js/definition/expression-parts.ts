// What parts of an expression say together.

import type { ExpressionPart } from "../api/index.d.ts";

/** The text of an expression of JSONata in a field of a definition, without its `{%` and `%}`; undefined for any other value. */
export function jsonataIn(value: unknown): string | undefined {
  return typeof value === "string" ? /^\s*\{%([^]*)%\}\s*$/.exec(value)?.[1]?.trim() : undefined;
}

/** A part and all parts inside of it, in the order of the text. */
export function* partsIn(part: ExpressionPart): Generator<ExpressionPart> {
  yield part;
  for (const inner of part.parts ?? []) yield* partsIn(inner);
}

/** Where a path starts, and its steps as far as each is one name or index. */
export interface PathStart {
  /** `$`, `$$`, or the name of a variable with its `$`. */
  start: string;
  steps: (string | number)[];
  /** The parts behind these steps; none of a path that names one place. */
  rest: readonly ExpressionPart[];
}

/** The start and the steps of a path; undefined for any other part, and for a path that starts at what the expression itself makes. */
export function pathStart({ kind, parts }: ExpressionPart): PathStart | undefined {
  if (kind !== "path") return undefined;
  const [first, ...rest] = parts ?? [];
  const start = first?.kind === "root" ? String(first.value) : first?.kind === "variable" ? `$${String(first.value)}` : undefined;
  if (start === undefined) return undefined;
  const end = rest.findIndex((step) => step.kind !== "name" && step.kind !== "index");
  const plain = end < 0 ? rest : rest.slice(0, end);
  return { start, steps: plain.map(({ value }) => value as string | number), rest: rest.slice(plain.length) };
}
