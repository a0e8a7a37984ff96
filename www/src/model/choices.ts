// What the rules of a Choice state test, and what came of the tests.

export interface Test {
  of: string;
  value?: unknown;
  operand?: unknown;
  holds?: boolean;
}

export interface Rule {
  holds?: boolean;
  cause?: string;
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

/// AWS's words without those that only name the state.
export function plainCause(cause: string): string {
  return cause.replace(/^An error occurred while executing the state '[^]*?' \(entered at the event id #\d+\)\. /, "");
}

/// The operator in a rule's words, where it is plain which one a test is about.
export function operatorOf(rule: Record<string, unknown>, test: Test): string {
  const found = (function find(at: Record<string, unknown>): string | undefined {
    if (at["Variable"] === test.of)
      return Object.entries(at).flatMap(([key, value]) =>
        key.startsWith("Is") ? [`${key} ${String(value)}`] : /(Equals|Than|Matches)(Path)?$/.test(key) ? [key] : [],
      )[0];
    for (const inner of [at["Not"], ...[at["And"], at["Or"]].flat()]) {
      const name = typeof inner === "object" && inner !== null ? find(inner as Record<string, unknown>) : undefined;
      if (name) return name;
    }
    return undefined;
  })(rule);
  return found ?? "against";
}

export function ruleText(rule: Record<string, unknown>): string {
  const { Next: _, Assign: __, Output: ___, Comment: ____, ...rest } = rule;
  return typeof rest["Condition"] === "string" ? rest["Condition"] : JSON.stringify(rest);
}
