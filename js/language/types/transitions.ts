// Ranks the transitions of a Choice, and finds values that take them.

import type { JsonValue } from "../../core/base/json.ts";
import type { Scope, StateFields } from "../../core/definition/fields.ts";

/** How well a transition leads on: 2 if it does, 1 if it comes back to the state, 0 if it fails or its target does not exist. */
type Rank = 0 | 1 | 2;

/** The rank of a rule's transition, and that of the Default. */
export type Ranks = readonly [own: Rank, otherwise: Rank];

/** Returns the ranks of a rule's `Next` and of the Default. */
export function ranks(states: Scope["States"], state: string, otherwise: string | undefined): (next: string | undefined) => Ranks {
  const known = new Map<string, Rank>();
  const rankOf = (next: string | undefined): Rank => {
    if (next === undefined) return 0;
    let rank = known.get(next);
    if (rank === undefined) known.set(next, (rank = rankOfWay(states, next, state)));
    return rank;
  };
  return (next) => [rankOf(next), rankOf(otherwise)];
}

function rankOfWay(states: Scope["States"], next: string, state: string): Rank {
  const fields = states[next];
  if (typeof fields !== "object" || fields?.Type === "Fail") return 0;
  return comesBack(states, next, state) ? 1 : 2;
}

/** Returns whether every path from a state comes back to another one, as in a loop that waits. */
function comesBack(states: Scope["States"], from: string, to: string): boolean {
  const seen = new Set<string>();
  for (let name = from; !seen.has(name);) {
    if (name === to) return true;
    seen.add(name);
    const { Type, Next }: Partial<StateFields> = states[name] ?? {};
    // If the path divides, it may lead on.
    if (Type === "Choice" || typeof Next !== "string") return false;
    name = Next;
  }
  return true;
}

/** Returns a value for which the comparison holds. Undefined if any value may do. */
export function leadingValue(operator: string, compared: JsonValue): JsonValue | undefined {
  switch (operator) {
    case "StringEquals":
    case "NumericEquals":
    case "BooleanEquals":
    case "TimestampEquals":
    case "=":
    case "NumericLessThanEquals":
    case "NumericGreaterThanEquals":
    case "<=":
    case ">=":
    case "StringLessThanEquals":
    case "StringGreaterThanEquals":
    case "TimestampLessThanEquals":
    case "TimestampGreaterThanEquals":
      return compared;
    case "StringMatches":
      return typeof compared === "string" ? compared.replaceAll(/\\(.)|\*/g, "$1") : undefined;
    case "NumericGreaterThan":
    case ">":
      return typeof compared === "number" ? compared + 1 : undefined;
    case "NumericLessThan":
    case "<":
      return typeof compared === "number" ? compared - 1 : undefined;
    case "TimestampGreaterThan":
      return "9999-01-01T00:00:00Z";
    case "TimestampLessThan":
      return "1970-01-01T00:00:00Z";
    case "!=":
      return avoidingValue("=", compared);
    default:
      return undefined;
  }
}

/** Returns a value for which the comparison does not hold. Undefined if it does not hold for most values. */
export function avoidingValue(operator: string, compared: JsonValue): JsonValue | undefined {
  switch (operator) {
    case "BooleanEquals":
      return !compared;
    case "NumericEquals":
    case "NumericLessThanEquals":
    case "<=":
    case "=":
      return typeof compared === "number" ? compared + 1 : typeof compared === "boolean" ? !compared : undefined;
    case "NumericGreaterThanEquals":
    case ">=":
      return typeof compared === "number" ? compared - 1 : undefined;
    case "NumericGreaterThan":
    case "NumericLessThan":
    case ">":
    case "<":
    case "!=":
      return compared;
    case "TimestampGreaterThan":
    case "TimestampGreaterThanEquals":
      return "1970-01-01T00:00:00Z";
    case "TimestampLessThan":
    case "TimestampLessThanEquals":
      return "9999-01-01T00:00:00Z";
    default:
      return undefined;
  }
}
