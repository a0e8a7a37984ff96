// What the rules of a Choice state test, and what came of the tests.

export interface Test {
  of: string;
  /** `NumericEqualsPath`. Absent for a condition in JSONata. */
  operator?: string;
  /** The path of the operand, if the operand is a path. */
  path?: string;
  value?: unknown;
  operand?: unknown;
  holds?: boolean;
}

export interface Rule {
  holds?: boolean;
  cause?: string;
  /** The cause without the words that name the state. */
  message?: string;
  tests: Test[];
}

/// The paths of a rule, or its condition.
export function textsOf(rule: Record<string, unknown>): string[] {
  if (typeof rule["Condition"] === "string") return [rule["Condition"]];
  const found: string[] = [];
  const walk = (at: Record<string, unknown>, depth: number): void => {
    for (const [key, value] of Object.entries(at)) {
      if (typeof value === "string" && value.startsWith("$") && (key === "Variable" || key.endsWith("Path"))) found.push(value);
      if (depth < 40 && ["And", "Or", "Not"].includes(key))
        for (const inner of [value].flat())
          if (typeof inner === "object" && inner !== null) walk(inner as Record<string, unknown>, depth + 1);
    }
  };
  walk(rule, 0);
  return found;
}

export function ruleText(rule: Record<string, unknown>): string {
  const { Next: _, Assign: __, Output: ___, Comment: ____, ...rest } = rule;
  return typeof rest["Condition"] === "string" ? rest["Condition"] : JSON.stringify(rest);
}
