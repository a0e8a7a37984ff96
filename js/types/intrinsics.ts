// What is known of a call of an intrinsic function.

import { type Value, UNKNOWN, array, type, use } from "./shape.ts";

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

/** The value of a call such as `States.ArrayLength($.items)`; notes what its paths are used as. */
export function computedBy(call: string, lookup: (path: string) => Value): Value {
  const { first, all, gives = UNKNOWN } = FUNCTIONS.get(/^\s*States\.(\w+)/.exec(call)?.[1] ?? "") ?? {};
  const paths = [...call.replace(/'(?:[^'\\]|\\.)*'(?![\]])/g, "''").matchAll(/\$[^\s,()]*/g)].map(([path]) => lookup(path));
  if (all !== undefined) for (const path of paths) use(path, all);
  if (first !== undefined && paths[0] !== undefined) use(paths[0], first);
  return gives;
}
