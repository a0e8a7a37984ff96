// @ts-nocheck: has no types yet.
// Which way of a Choice leads on, and which values take it.

/** `rank(next)` gives `[of that way, of the Default]`: 2 leads on, 1 comes back to the state, 0 fails or is nowhere. */
export function ranks(states, state, otherwise) {
  const known = new Map();
  const rankOf = (next) => {
    if (!known.has(next)) known.set(next, typeof states[next] !== "object" || states[next]?.Type === "Fail" ? 0 : comesBack(states, next, state) ? 1 : 2);
    return known.get(next);
  };
  return (next) => [rankOf(next), rankOf(otherwise)];
}

/** Whether every way from a state comes back to another one, as in a loop that waits. */
function comesBack(states, from, to) {
  const seen = new Set();
  for (let name = from; !seen.has(name); ) {
    if (name === to) return true;
    seen.add(name);
    const { Type, Next } = states[name] ?? {};
    // Where the way divides it may lead on.
    if (Type === "Choice" || typeof Next !== "string") return false;
    name = Next;
  }
  return true;
}

/** A value for which the comparison holds; undefined where any may do. */
export function leadingOn(operator, compared) {
  switch (operator) {
    case "StringEquals": case "NumericEquals": case "BooleanEquals": case "TimestampEquals": case "=":
    case "NumericLessThanEquals": case "NumericGreaterThanEquals": case "<=": case ">=":
    case "StringLessThanEquals": case "StringGreaterThanEquals": case "TimestampLessThanEquals": case "TimestampGreaterThanEquals":
      return compared;
    case "StringMatches":
      return typeof compared === "string" ? compared.replaceAll(/\\(.)|\*/g, "$1") : undefined;
    case "NumericGreaterThan": case ">":
      return typeof compared === "number" ? compared + 1 : undefined;
    case "NumericLessThan": case "<":
      return typeof compared === "number" ? compared - 1 : undefined;
    case "TimestampGreaterThan":
      return "9999-01-01T00:00:00Z";
    case "TimestampLessThan":
      return "1970-01-01T00:00:00Z";
    case "!=":
      return against("=", compared);
    default:
      return undefined;
  }
}

/** A value for which the comparison does not hold; undefined where most do not. */
export function against(operator, compared) {
  switch (operator) {
    case "BooleanEquals":
      return !compared;
    case "NumericEquals": case "NumericLessThanEquals": case "<=": case "=":
      return typeof compared === "number" ? compared + 1 : typeof compared === "boolean" ? !compared : undefined;
    case "NumericGreaterThanEquals": case ">=":
      return typeof compared === "number" ? compared - 1 : undefined;
    case "NumericGreaterThan": case "NumericLessThan": case ">": case "<": case "!=":
      return compared;
    case "TimestampGreaterThan": case "TimestampGreaterThanEquals":
      return "1970-01-01T00:00:00Z";
    case "TimestampLessThan": case "TimestampLessThanEquals":
      return "9999-01-01T00:00:00Z";
    default:
      return undefined;
  }
}
