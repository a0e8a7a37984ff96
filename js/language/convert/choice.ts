// Converts choice rules to JSONata conditions.

import { isObject, type JsonObject, type JsonValue } from "../../core/base/json.ts";
import { path, split } from "./expressions.ts";
import { Unmechanical, group, typeIs, type Code, type Emitter, type Part, type ValueType } from "./jsonata-code.ts";

/** The types with which an operator's name begins. */
type Family = "String" | "Numeric" | "Boolean" | "Timestamp";

const COMPARISONS: Record<string, string> = { Equals: "=", LessThan: "<", GreaterThan: ">", LessThanEquals: "<=", GreaterThanEquals: ">=" };
const TYPES: Record<Family, ValueType> = { String: "string", Numeric: "number", Boolean: "boolean", Timestamp: "string" };
const DAYS = "\\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|1\\d|2[0-8]))";
const LEAP_DAYS = "(\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29";
/** RFC 3339 in the profile of the specification, with the days of the calendar and the offsets that Java accepts. */
const TIMESTAMP = `/^(${DAYS}|${LEAP_DAYS})T([01]\\d|2[0-3])(:[0-5]\\d){2}([.]\\d+)?(Z|[+-]((0\\d|1[0-7]):[0-5]\\d|18:00))$/`;

/** A condition in JSONata, with the conditions that are known to hold if it is true and if it is false. */
export interface Condition {
  code: string;
  yes: string[];
  no: string[];
}

/** Converts a rule: a comparison, or And, Or, Not of rules. */
export function condition(rule: JsonValue | undefined, input: Part, emitter: Emitter, depth = 0): Condition {
  if (!isObject(rule) || depth > 32) throw new Unmechanical("a rule must be an object");
  if (Array.isArray(rule.And)) return several(rule.And, "and", input, emitter, depth);
  if (Array.isArray(rule.Or)) return several(rule.Or, "or", input, emitter, depth);
  if (rule.Not !== undefined) {
    const { code, yes, no } = condition(rule.Not, input, emitter, depth + 1);
    return { code: code === "true" ? "false" : `$not(${code})`, yes: no, no: yes };
  }
  const operator = Object.keys(rule).find((key) => !["Variable", "Next", "Comment", "Assign"].includes(key));
  if (operator === undefined || rule.Variable === undefined) throw new Unmechanical("a rule must have a Variable and an operator");
  return test(operator, rule, input, emitter);
}

/** Each part is evaluated only if those before it have not decided. */
function several(rules: JsonValue[], word: "and" | "or", input: Part, emitter: Emitter, depth: number): Condition {
  let at = emitter;
  const parts: string[] = [];
  const decided: { yes: string[]; no: string[] } = { yes: [], no: [] };
  const goesOn = word === "and" ? "yes" : "no";
  for (const rule of rules) {
    const part = condition(rule, input, at, depth + 1);
    parts.push(rules.length === 1 ? part.code : grouped(part.code));
    if (at === emitter) at = emitter.fork();
    for (const text of part[goesOn]) at.learn(text);
    decided[goesOn].push(...part[goesOn]);
  }
  if (at !== emitter) emitter.join(at);
  return { code: parts.join(` ${word} `), ...decided };
}

function grouped(code: string): string {
  return /^(\$\w+\([^()]*\)|true|false)$/.test(code) ? code : `(${code})`;
}

function test(operator: string, rule: JsonObject, input: Part, emitter: Emitter): Condition {
  const operand = rule[operator] ?? null;
  // For a null input, IsPresent has the same result as for other values.
  const value = path(rule.Variable, input, operator === "IsPresent" ? "path" : "reference").expression();
  if (operator === "IsPresent") return presence(rule.Variable, value, operand !== false, input, emitter);
  const other = /^(String|Numeric|Boolean|Timestamp)\w+Path$/.test(operator) ? path(operand, input).expression() : undefined;
  const demands = [...value.demands, ...(other?.demands ?? [])];
  const asked = demands.map(({ text }) => text).filter((text) => !emitter.knows(text));
  const first = emitter.ask(demands);
  const { code, yes, no } = comparison(operator, operand, value.code, other?.code, emitter);
  const names = other === undefined ? rule.Variable : `${rule.Variable} or ${operand}`;
  const whole =
    first === undefined
      ? code
      : `${first} ? ${/ \? /.test(code) ? `(${code})` : code} : $error(${JSON.stringify(`${names} has no value`)})`;
  return { code: whole, yes: [...asked, ...yes], no: [...asked, ...no] };
}

/** IsPresent tests the path, too, because JSONata would search every item of a list. */
function presence(variable: JsonValue | undefined, value: Code, expected: boolean, input: Part, emitter: Emitter): Condition {
  const { start } = split(variable);
  const first = start === "$" ? input.expression().demands : [];
  const own = value.demands.filter(({ text }) => !first.some((one) => one.text === text) && !emitter.knows(text)).map(({ text }) => text);
  const sure = emitter.ask(first);
  const simple = own.length === 0 ? "true" : own.join(" and ");
  const code = expected ? simple : simple === "true" ? "false" : `$not(${simple})`;
  const whole = sure === undefined ? code : `${sure} ? ${code} : $error("the InputPath finds nothing")`;
  return expected ? { code: whole, yes: own, no: [] } : { code: whole, yes: [], no: own };
}

function comparison(operator: string, operand: JsonValue, value: string, other: string | undefined, emitter: Emitter): Condition {
  const is = /^Is(Null|Numeric|String|Boolean|Timestamp)$/.exec(operator)?.[1] as Family | "Null" | undefined;
  if (is !== undefined) {
    const code = typeTest(is, value);
    const facts = is === "Timestamp" ? [typeIs(value, "string")] : [code];
    return operand === false ? { code: `$not(${code})`, yes: [], no: facts } : { code, yes: facts, no: [] };
  }
  const typed = (type: ValueType, ...rest: string[]) =>
    [...(emitter.knows(typeIs(value, type)) ? [] : [typeIs(value, type)]), ...rest].join(" and ");
  if (operator === "StringMatches")
    return { code: typed("string", `$contains(${group(value)}, ${wildcard(operand)})`), yes: [typeIs(value, "string")], no: [] };
  const [, family, kind] =
    (/^(String|Numeric|Boolean|Timestamp)(Equals|LessThanEquals|GreaterThanEquals|LessThan|GreaterThan)(Path)?$/.exec(operator) ?? []) as [
      string?,
      Family?,
      string?,
    ];
  if (family === undefined || kind === undefined) throw new Unmechanical(`there is no operator ${operator}`);
  const sign = COMPARISONS[kind];
  const right = other ?? JSON.stringify(operand);
  if (family === "Timestamp") {
    if (other === undefined && /[.]\d{4}/.test(String(operand)))
      throw new Unmechanical("JSONata compares timestamps to the millisecond, and this one is finer");
    const tests = [value, ...(other === undefined ? [] : [other])].map((one) => typeTest("Timestamp", one));
    return { code: [...tests, `$toMillis(${value}) ${sign} $toMillis(${right})`].join(" and "), yes: [typeIs(value, "string")], no: [] };
  }
  if (family === "Boolean" && kind !== "Equals") throw new Unmechanical(`there is no operator ${operator}`);
  // The type of a literal is known. Of two paths, both values must have the operator's type.
  const yes = [typeIs(value, TYPES[family])];
  if (kind === "Equals" && other === undefined) return { code: `${value} = ${right}`, yes, no: [] };
  return {
    code: typed(TYPES[family], ...(other === undefined ? [] : [typeIs(other, TYPES[family])]), `${value} ${sign} ${right}`),
    yes,
    no: [],
  };
}

function typeTest(type: Family | "Null", value: string): string {
  if (type === "Null") return typeIs(value, "null");
  const text = typeIs(value, TYPES[type]);
  return type === "Timestamp" ? `${text} and $contains(${group(value)}, ${TIMESTAMP})` : text;
}

/** Converts `a*\*` to a regular expression for the whole string. */
function wildcard(pattern: JsonValue): string {
  if (typeof pattern !== "string") throw new Unmechanical("the pattern of StringMatches must be a string");
  let source = "";
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === "\\" && i + 1 < pattern.length) source += plain(pattern.charAt(++i));
    else source += pattern[i] === "*" ? "[\\s\\S]*" : plain(pattern.charAt(i));
  }
  return `/^${source}$/`;
}

function plain(character: string): string {
  if (character === "\n") return "\\n";
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
