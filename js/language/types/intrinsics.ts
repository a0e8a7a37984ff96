// Derives types from a call of an intrinsic function, by the types in the core's table.

import type { ExpressionPart } from "../../core/api/index.d.ts";
import type { JsonValue } from "../../core/base/json.ts";
import { syntaxOf } from "../../core/definition/expression-syntax.ts";
import { type Value, UNKNOWN, array, literal, type, use } from "./shape.ts";

/** Returns the value of a call such as `States.ArrayLength($.items)`, and notes how its arguments are used. */
export function callValue(call: string, lookup: (path: ExpressionPart) => Value): Value {
  const found = syntaxOf(call, "jsonpath");
  return "message" in found ? UNKNOWN : valueOf(found, lookup);
}

function valueOf(part: ExpressionPart, lookup: (path: ExpressionPart) => Value): Value {
  if (part.kind === "path") return lookup(part);
  if (part.kind !== "call") return literal(part.value as JsonValue);
  const values = (part.parts ?? []).map((one) => valueOf(one, lookup));
  for (const [i, value] of values.entries()) useAs(value, part.takes?.[i]);
  return given(part.gives);
}

/** Notes the type of a parameter. */
function useAs(value: Value, wanted: string | undefined): void {
  if (wanted === "string" || wanted === "number" || wanted === "boolean") use(value, wanted);
  else if (wanted?.endsWith("[]")) use(value, "list");
}

/** Returns a value of the type that a function returns. */
function given(of: string | undefined): Value {
  if (of === undefined || of === "unknown" || of === "object") return UNKNOWN;
  return of.endsWith("[]") ? array(given(of.slice(0, -2))) : type(of);
}
