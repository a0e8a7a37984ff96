// What is known of a call of an intrinsic function.

import type { ExpressionPart } from "../api/index.d.ts";
import type { JsonValue } from "../base/json.ts";
import { syntaxOf } from "../definition/expression-syntax.ts";
import { type Value, UNKNOWN, array, literal, type, use } from "./shape.ts";

const STRING = type("string");
const NUMBER = type("number");

/** What a function's first argument is used as, or all of them, and what the function gives. */
interface IntrinsicTypes {
  first?: "string" | "list";
  all?: "number";
  gives?: Value;
}

const FUNCTIONS: ReadonlyMap<string, IntrinsicTypes> = new Map(
  Object.entries({
    ArrayContains: { first: "list", gives: type("boolean") },
    ArrayLength: { first: "list", gives: NUMBER },
    ArrayPartition: { first: "list" },
    ArrayRange: { gives: array(NUMBER) },
    ArrayUnique: { first: "list" },
    Base64Decode: { first: "string", gives: STRING },
    Base64Encode: { first: "string", gives: STRING },
    Format: { gives: STRING },
    Hash: { gives: STRING },
    JsonToString: { gives: STRING },
    MathAdd: { all: "number", gives: NUMBER },
    MathRandom: { gives: NUMBER },
    StringSplit: { first: "string", gives: array(STRING) },
    StringToJson: { first: "string" },
    UUID: { gives: STRING },
  }),
);

/** The value of a call such as `States.ArrayLength($.items)`; notes what its arguments are used as. */
export function callValue(call: string, lookup: (path: ExpressionPart) => Value): Value {
  const found = syntaxOf(call, "jsonpath");
  return "message" in found ? UNKNOWN : valueOf(found, lookup);
}

function valueOf(part: ExpressionPart, lookup: (path: ExpressionPart) => Value): Value {
  if (part.kind === "path") return lookup(part);
  if (part.kind !== "call") return literal(part.value as JsonValue);
  const { first, all, gives = UNKNOWN } = FUNCTIONS.get(String(part.value).replace("States.", "")) ?? {};
  const values = (part.parts ?? []).map((one) => valueOf(one, lookup));
  if (all !== undefined) for (const value of values) use(value, all);
  if (first !== undefined && values[0] !== undefined) use(values[0], first);
  return gives;
}
