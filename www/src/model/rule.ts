// The rules of a Choice in JSONPath: comparisons, and the operators And, Or and Not.

export type Fields = Record<string, unknown>;

/** The type of a comparison's operand. */
type OperandKind = "text" | "number" | "boolean" | "time" | "path" | "yes";

export interface Operator {
  name: string;
  operand: OperandKind;
  /** The words between the variable and the operand in a sentence. */
  words: string;
}

const RELATIONS: readonly [suffix: string, words: string, time: string][] = [
  ["Equals", "is", "is at"],
  ["LessThan", "is less than", "is before"],
  ["GreaterThan", "is greater than", "is after"],
  ["LessThanEquals", "is at most", "is at or before"],
  ["GreaterThanEquals", "is at least", "is at or after"],
];

const KINDS: readonly [prefix: string, operand: OperandKind][] = [
  ["String", "text"],
  ["Numeric", "number"],
  ["Timestamp", "time"],
];

const compared = ([prefix, operand]: (typeof KINDS)[number]): Operator[] =>
  RELATIONS.flatMap(([suffix, words, time]) => {
    const said =
      operand === "time" ? time : operand === "text" ? words.replace("less than", "before").replace("greater than", "after") : words;
    return [
      { name: `${prefix}${suffix}`, operand, words: said },
      {
        name: `${prefix}${suffix}Path`,
        operand: "path" as const,
        words: `${said} the ${{ text: "text", number: "number", time: "time" }[operand as "text"]} at`,
      },
    ];
  });

/** All comparison operators, by the type that they compare. */
export const OPERATORS: readonly { title: string; operators: readonly Operator[] }[] = [
  { title: "Number", operators: compared(KINDS[1]!) },
  { title: "Text", operators: [...compared(KINDS[0]!), { name: "StringMatches", operand: "text", words: "matches" }] },
  {
    title: "True or false",
    operators: [
      { name: "BooleanEquals", operand: "boolean", words: "is" },
      { name: "BooleanEqualsPath", operand: "path", words: "is as the value at" },
    ],
  },
  { title: "Time", operators: compared(KINDS[2]!) },
  {
    title: "What is there",
    operators: [
      { name: "IsPresent", operand: "yes", words: "is there" },
      { name: "IsNull", operand: "yes", words: "is null" },
      { name: "IsNumeric", operand: "yes", words: "is a number" },
      { name: "IsString", operand: "yes", words: "is a text" },
      { name: "IsBoolean", operand: "yes", words: "is true or false" },
      { name: "IsTimestamp", operand: "yes", words: "is a time" },
    ],
  },
];

const BY_NAME = new Map(OPERATORS.flatMap(({ operators }) => operators.map((one) => [one.name, one] as const)));

export const operatorOf = (test: Fields): Operator | undefined => Object.keys(test).flatMap((name) => BY_NAME.get(name) ?? [])[0];

export const operatorNamed = (name: string): Operator | undefined => BY_NAME.get(name);

/** The structure of a test: a comparison or a Boolean operator. */
export type Kind = "compare" | "And" | "Or" | "Not";

export const kindOf = (test: Fields): Kind => (["And", "Or", "Not"] as const).find((name) => Object.hasOwn(test, name)) ?? "compare";

export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

export const listOf = <Item = unknown>(value: unknown): Item[] => (Array.isArray(value) ? (value as Item[]) : []);

/** The fields of a rule that are not part of its test. */
const BESIDE = new Set(["Next", "Assign", "Output", "Comment"]);

/** Returns the test of a rule. */
export const testOf = (rule: Fields): Fields => Object.fromEntries(Object.entries(rule).filter(([name]) => !BESIDE.has(name)));

export const besideOf = (rule: Fields): Fields => Object.fromEntries(Object.entries(rule).filter(([name]) => BESIDE.has(name)));

const MOST_DEEP = 8;

/** Returns a test in words: `$.total is greater than 100`. */
export function sentenceOf(test: unknown, depth = 0): string {
  if (!isFields(test)) return "a test that is missing";
  if (typeof test["Condition"] === "string") return test["Condition"].trim().replace(/^\{%\s*|\s*%\}$/g, "");
  if (Object.hasOwn(test, "Condition")) return String(JSON.stringify(test["Condition"]));
  if (depth > MOST_DEEP) return "…";
  const kind = kindOf(test);
  if (kind === "Not") {
    const inner = test["Not"];
    const opposite = isFields(inner) && kindOf(inner) === "compare" ? negated(inner) : undefined;
    return opposite ?? `not (${sentenceOf(inner, depth + 1)})`;
  }
  if (kind !== "compare") {
    const parts = listOf(test[kind]).map((part) => {
      const words = sentenceOf(part, depth + 1);
      return isFields(part) && ["And", "Or"].includes(kindOf(part)) ? `(${words})` : words;
    });
    return parts.length === 0 ? "nothing to test yet" : parts.join(kind === "And" ? " and " : " or ");
  }
  const variable = typeof test["Variable"] === "string" && test["Variable"] !== "" ? test["Variable"] : "a value";
  const operator = operatorOf(test);
  if (!operator) return `${variable} has no comparison yet`;
  return `${variable} ${saidOf(operator, test[operator.name])}`;
}

function saidOf({ operand, words }: Operator, value: unknown): string {
  if (operand === "yes") return value === false ? words.replace("is ", "is not ") : words;
  if (operand === "path") return `${words} ${String(value)}`;
  if (operand === "text") return `${words} “${String(value)}”`;
  return `${words} ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

/** Returns the sentence of a negated comparison, `$.a is not “b”`, if there are words for it. */
function negated(test: Fields): string | undefined {
  const operator = operatorOf(test);
  if (!operator || !operator.words.startsWith("is") || test[operator.name] === false) return undefined;
  return sentenceOf({ ...test }).replace(/ is(?= |$)/, " is not");
}

/** Replaces the operator. The operand stays if the new operator has the same type. */
export function withOperator(test: Fields, name: string): Fields {
  const [before, after] = [operatorOf(test), BY_NAME.get(name)];
  if (!after) return test;
  const value = before && before.operand === after.operand ? test[before.name] : EMPTY[after.operand];
  // The new field takes the position of the old one.
  const entries = Object.entries(test).flatMap(([key, held]): [string, unknown][] =>
    key === before?.name ? [[name, value]] : [[key, held]],
  );
  return Object.fromEntries(before ? entries : [...entries, [name, value]]);
}

const EMPTY: Record<OperandKind, unknown> = { text: "", number: 0, boolean: true, time: "2030-01-01T00:00:00Z", path: "$.", yes: true };

export const FRESH: Fields = { Variable: "$.", NumericEquals: 0 };

/**
 * Changes the structure of a test: a comparison becomes the first element of a list, and a list is replaced by its first element.
 */
export function withKind(test: Fields, kind: Kind): Fields {
  const now = kindOf(test);
  if (now === kind) return test;
  const parts = now === "compare" ? [test] : now === "Not" ? [test["Not"]] : listOf(test[now]);
  const first = isFields(parts[0]) ? parts[0] : FRESH;
  if (kind === "compare") return kindOf(first) === "compare" ? first : FRESH;
  if (kind === "Not") return { Not: parts.length > 1 ? test : first };
  return { [kind]: parts.length > 0 ? parts : [FRESH] };
}

/** Returns the paths that a test reads. */
export function pathsOf(test: unknown, depth = 0): string[] {
  if (!isFields(test) || depth > 40) return [];
  const found: string[] = [];
  for (const [name, value] of Object.entries(test)) {
    if ((name === "Variable" || BY_NAME.get(name)?.operand === "path") && typeof value === "string") found.push(value);
    else if (name === "Not") found.push(...pathsOf(value, depth + 1));
    else if (name === "And" || name === "Or") for (const part of listOf(value)) found.push(...pathsOf(part, depth + 1));
  }
  return [...new Set(found)];
}

/** Returns the test with paths replaced. */
export function withPaths(test: unknown, paths: ReadonlyMap<string, string>, depth = 0): unknown {
  if (!isFields(test) || depth > 40) return test;
  return Object.fromEntries(
    Object.entries(test).map(([name, value]) => {
      if ((name === "Variable" || BY_NAME.get(name)?.operand === "path") && typeof value === "string")
        return [name, paths.get(value) ?? value];
      if (name === "Not") return [name, withPaths(value, paths, depth + 1)];
      if (name === "And" || name === "Or") return [name, listOf(value).map((part) => withPaths(part, paths, depth + 1))];
      return [name, value];
    }),
  );
}
