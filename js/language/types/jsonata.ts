// Derives what expressions of JSONata read, and the types of their values.

import type { ExpressionPart } from "../../core/api/index.d.ts";
import type { JsonValue } from "../../core/base/json.ts";
import { partsIn, pathStart } from "../../core/definition/expression-parts.ts";
import { syntaxOf } from "../../core/definition/expression-syntax.ts";
import { type Step, type Value, UNKNOWN, object, suggest, type, use } from "./shape.ts";

/** A path in the value of a variable, such as `$states.input.order[0]`. */
export interface Place {
  /** The variable's name, without its `$`. */
  variable: string;
  steps: Step[];
}

/** Returns the value at a path, and notes that it is read. If it is `required`, it is read on every path through the machine. */
type Lookup = (place: Place, required: boolean) => Value;

/** A comparison of a path with a literal. */
export type Comparison = readonly [place: Place, operator: string, compared: JsonValue];

const STRING = type("string");
const NUMBER = type("number");
const BOOLEAN = type("boolean");

const ARITHMETIC: ReadonlySet<string> = new Set(["+", "-", "*", "/", "%"]);
const ORDER: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);
const EQUALITY: ReadonlySet<string> = new Set(["=", "!="]);
/** Functions whose first argument is a list of numbers, and those that accept any list. */
const OF_NUMBERS: ReadonlySet<string> = new Set(["sum", "max", "min", "average"]);
const OF_LISTS: ReadonlySet<string> = new Set(["count", "map", "filter", "reduce", "sort", "append", "reverse", "distinct", "zip"]);
/** The values that functions return. */
const GIVES: ReadonlyMap<string, Value> = new Map(
  [
    [
      STRING,
      "string uuid join uppercase lowercase trim substring substringBefore substringAfter replace hash now fromMillis base64encode base64decode",
    ] as const,
    [NUMBER, "count sum max min average length number floor ceil round abs millis toMillis"] as const,
    [BOOLEAN, "exists not boolean contains"] as const,
  ].flatMap(([value, names]) => names.split(" ").map((name) => [name, value] as const)),
);

/**
 * Returns the value of an expression, and notes what it reads and how it is used. `certain` says whether it is always evaluated.
 */
export function expressionValue(code: string, lookup: Lookup, certain: boolean): Value {
  const part = syntaxOf(code, "jsonata");
  if ("message" in part) return UNKNOWN;
  const whole = placeOf(part);
  if (whole !== undefined) return lookup(whole, certain);
  const built = composed(part, (place) => lookup(place, certain));
  if (built !== undefined) return built();
  // For a larger expression, only the paths that it reads are known. JSONata does not fail if one of them is absent.
  for (const one of partsIn(part)) {
    noteRead(one, lookup);
    noteUse(one, lookup);
  }
  return resultOf(part);
}

/** Returns the place of a path. Undefined for any other part. */
function placeOf(part: ExpressionPart | undefined): Place | undefined {
  const found = part && pathStart(part);
  return found === undefined || found.rest.length > 0 || !isVariable(found.start)
    ? undefined
    : { variable: found.start.slice(1), steps: found.steps };
}

/** Returns whether a path starts at a variable and not at `$` or `$$`. */
function isVariable(start: string): boolean {
  return start.length > 1 && start !== "$$";
}

/** Notes what a path reads, as far as it refers to exactly one value. */
function noteRead(part: ExpressionPart, lookup: Lookup): void {
  const found = pathStart(part);
  if (found !== undefined && isVariable(found.start) && found.steps.length > 0)
    lookup({ variable: found.start.slice(1), steps: found.steps }, false);
}

/**
 * Notes how a value is used. What is summed is a list of numbers; what is counted or iterated is a list; what is calculated or
 * compared with a number is a number.
 */
function noteUse(part: ExpressionPart, lookup: Lookup): void {
  const { kind, parts = [] } = part;
  if (kind === "call") {
    const name = String(part.value);
    const place = OF_NUMBERS.has(name) || OF_LISTS.has(name) ? data(parts[0]) : undefined;
    if (place !== undefined) suggest(lookup(place, false), OF_NUMBERS.has(name) ? "numbers" : "list");
  }
  for (const { operator, left, right } of operationsIn(part)) {
    if (ARITHMETIC.has(operator)) {
      for (const place of [data(left), data(right)]) if (place !== undefined) suggest(lookup(place, false), "number");
    } else if (ORDER.has(operator)) {
      const place = data(left);
      if (place !== undefined && right.kind === "literal" && typeof right.value === "number") use(lookup(place, false), "number");
    }
  }
}

/** An operator with its operands. In `a + b - c`, the second operator has no left one. */
interface Operation {
  operator: string;
  left: ExpressionPart | undefined;
  right: ExpressionPart;
}

function operationsIn({ kind, value, parts = [] }: ExpressionPart): Operation[] {
  if (kind !== "operation") return [];
  const operators = value as string[];
  const isUnary = operators.length === parts.length;
  return operators.flatMap((operator, i) => {
    const right = parts[isUnary ? i : i + 1];
    return right === undefined ? [] : [{ operator, left: i === 0 && !isUnary ? parts[0] : undefined, right }];
  });
}

/** Returns the path in the input, in a result or in a variable. */
function data(part: ExpressionPart | undefined): Place | undefined {
  const place = placeOf(part);
  if (place?.variable !== "states") return place;
  return (place.steps[0] === "input" || place.steps[0] === "result") && place.steps.length > 1 ? place : undefined;
}

/** Returns the type of a call's or an operator's value. */
function resultOf({ kind, value }: ExpressionPart): Value {
  if (kind === "call") return GIVES.get(String(value)) ?? UNKNOWN;
  const last = kind === "operation" ? (value as string[]).at(-1) : undefined;
  if (last === undefined) return UNKNOWN;
  if (last === "&") return STRING;
  return ORDER.has(last) || EQUALITY.has(last) || last === "in" || last === "and" || last === "or" ? BOOLEAN : UNKNOWN;
}

/** Returns the comparisons with literals in a condition. A single path is compared with true. */
export function comparisons(code: string): Comparison[] {
  const part = syntaxOf(code, "jsonata");
  if ("message" in part) return [];
  const whole = data(part);
  if (whole !== undefined) return [[whole, "=", true]];
  return [...partsIn(part)].flatMap(operationsIn).flatMap(({ operator, left, right }): Comparison[] => {
    const place = ORDER.has(operator) || EQUALITY.has(operator) ? data(left) : undefined;
    return place !== undefined && right.kind === "literal" && right.value !== null ? [[place, operator, right.value as JsonValue]] : [];
  });
}

/**
 * Returns the value of an expression that only combines paths, literals and objects. Undefined for any other. Nothing is noted as
 * read then.
 */
function composed(part: ExpressionPart, lookup: (place: Place) => Value): (() => Value) | undefined {
  const { kind, parts = [] } = part;
  const place = placeOf(part);
  if (place !== undefined && !(place.variable === "states" && place.steps[0] === "context")) return () => lookup(place);
  if (kind === "literal") return () => type(part.value === null ? "null" : typeof part.value);
  if (kind === "object") {
    const members = parts.flatMap((key, i) => (i % 2 === 0 ? [{ key, value: composed(parts[i + 1] ?? key, lookup) }] : []));
    if (members.some(({ key, value }) => key.kind !== "literal" || value === undefined)) return undefined;
    return () => object(new Map(members.map(({ key, value }) => [String(key.value), value?.() ?? UNKNOWN])));
  }
  if (kind !== "call" || part.value !== "merge" || parts.length !== 1 || parts[0]?.kind !== "array") return undefined;
  const merged = (parts[0].parts ?? []).map((one) => composed(one, lookup));
  if (merged.includes(undefined)) return undefined;
  if (merged.length === 0) return () => object(new Map());
  const over = (base: Value, top: Value) => (top.kind === "object" ? object(top.members, base) : UNKNOWN);
  return () => merged.map((one) => one?.() ?? UNKNOWN).reduce(over);
}
