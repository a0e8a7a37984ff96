// The fields of definitions, as the core has them. `cargo xtask tables` writes fields.json from src/asl/shape.rs.

import table from "./fields.json";

/** The type of a state. */
export type StateType = keyof typeof table.states;

/** What the core accepts as a field. */
export interface FieldRow {
  type:
    | "any"
    | "string"
    | "word"
    | "boolean"
    | "integer"
    | "number"
    | "timestamp"
    | "object"
    | "list"
    | "filledList"
    | "stringOrNull"
    | "items";
  /** The values of a field of the type `word`. */
  words?: readonly string[];
  min?: number;
  max?: number;
  required?: boolean;
  /** The only query language that has the field. */
  language?: "JSONPath" | "JSONata";
  /** Whether an expression in JSONata can compute the value. */
  computable?: boolean;
}

/** The fields of an object, by name. */
export type Fields = Readonly<Record<string, FieldRow>>;

interface FieldTable {
  machine: Fields;
  states: Readonly<Record<StateType, Fields>>;
  branch: Fields;
  processor: Fields;
  /** Fields whose values are objects with fields of their own, by name. */
  objects: Readonly<Record<keyof typeof table.objects, Fields>>;
  retrier: Fields;
  catcher: Fields;
  /** The fields of a Choice rule, without the comparisons of JSONPath. */
  rule: Readonly<Record<"JSONPath" | "JSONata", Fields>>;
}

/** The fields of every object of a definition. */
export const FIELDS: FieldTable = table as FieldTable;

/** The types of states, in the core's order. */
export const STATE_TYPES = Object.keys(FIELDS.states) as readonly StateType[];

/** The fields of the states of all types. */
export const STATE_FIELDS: Fields = Object.assign({}, ...Object.values(FIELDS.states));

/** Returns the name of the field of JSONPath that computes a field: `SecondsPath` for `Seconds`. Undefined if there is none. */
export function pathField(fields: Fields, name: string): string | undefined {
  const twin = `${name}Path`;
  // OutputPath and ItemsPath do something else than Output and Items, which only JSONata has.
  const isTwin = fields[name]?.language === undefined && Object.hasOwn(fields, twin) && fields[twin]?.language === "JSONPath";
  return isTwin ? twin : undefined;
}
