// Where the failing part of a field is in the text of a definition.

import { pointerSteps } from "stepglass/pointer";
import { textInJson } from "stepglass/files/string-offsets";
import type { FailureInfo } from "../model/protocol.ts";
import { inner, valueAt } from "../model/stages.ts";

/** A part of a text, in UTF-16 code units. */
export interface TextRange {
  from: number;
  to: number;
}

/**
 * Returns the range of the failing part of an expression in a definition, which is JSON. `state` is the JSON Pointer of the state.
 * Undefined if the failure is not one of a field, or if the definition no longer has the expression there.
 */
export function failingRange(json: string, state: string, { pointer, expression, from = 0, to }: FailureInfo): TextRange | undefined {
  if (pointer === undefined || expression === undefined) return undefined;
  const at = `${state}${pointer}`;
  const text = textAt(json, at);
  if (text === undefined || inner(text) !== expression) return undefined;
  const offsets = textInJson(json, at)?.offsets;
  const shift = text.indexOf(expression);
  const begin = offsets?.[shift + from];
  const end = offsets?.[shift + (to ?? expression.length)];
  return begin === undefined || end === undefined || end <= begin ? undefined : { from: begin, to: end };
}

/** Returns the string at a JSON Pointer. */
function textAt(json: string, pointer: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  for (const step of pointerSteps(pointer)) value = valueAt(value, [Array.isArray(value) ? Number(step) : step]);
  return typeof value === "string" ? value : undefined;
}
