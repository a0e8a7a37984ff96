// Choice rules as JSONata conditions.

import { Unmechanical, group, path } from "./expressions.js";

const COMPARISONS = { Equals: "=", LessThan: "<", GreaterThan: ">", LessThanEquals: "<=", GreaterThanEquals: ">=" };
const TYPES = { String: "string", Numeric: "number", Boolean: "boolean", Timestamp: "string" };
/** RFC 3339 in the profile of the language. */
const TIMESTAMP = "/^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d([.]\\d+)?(Z|[+-]\\d\\d:\\d\\d)$/";

/** The condition of a rule: a comparison, or And, Or, Not of rules. */
export function condition(rule, root, depth = 0) {
  if (typeof rule !== "object" || rule === null || depth > 32) throw new Unmechanical("a rule must be an object");
  for (const [field, word] of [["And", " and "], ["Or", " or "]]) {
    if (Array.isArray(rule[field])) return rule[field].map((inner) => grouped(condition(inner, root, depth + 1))).join(word);
  }
  if (rule.Not !== undefined) return `$not(${condition(rule.Not, root, depth + 1)})`;
  const operator = Object.keys(rule).find((key) => !["Variable", "Next", "Comment", "Assign"].includes(key));
  if (operator === undefined || rule.Variable === undefined) throw new Unmechanical("a rule must have a Variable and an operator");
  return test(operator, rule[operator], path(rule.Variable, root), root);
}

function grouped(code) {
  return /^\$\w+\([^()]*\)$/.test(code) ? code : `(${code})`;
}

function test(operator, operand, value, root) {
  const is = /^Is(Null|Present|Numeric|String|Boolean|Timestamp)$/.exec(operator)?.[1];
  if (is !== undefined) return operand === false ? `$not(${typeTest(is, value)})` : typeTest(is, value);
  if (operator === "StringMatches") return `$type(${value}) = "string" and $contains(${group(value)}, ${wildcard(operand)})`;
  const [, family, comparison, computed] = /^(String|Numeric|Boolean|Timestamp)(Equals|LessThanEquals|GreaterThanEquals|LessThan|GreaterThan)(Path)?$/.exec(operator) ?? [];
  if (family === undefined) throw new Unmechanical(`there is no operator ${operator}`);
  const sign = COMPARISONS[comparison];
  const other = computed ? path(operand, root) : JSON.stringify(operand);
  if (family === "Timestamp") {
    const guard = [value, ...(computed ? [other] : [])].map((one) => typeTest("Timestamp", one));
    return [...guard, `$toMillis(${value}) ${sign} $toMillis(${other})`].join(" and ");
  }
  // A literal tells its own type; of two paths both have to be of the family.
  const guard = [value, ...(computed ? [other] : [])].map((one) => `$type(${one}) = "${TYPES[family]}"`);
  if (comparison === "Equals" && !computed) return `${value} = ${other}`;
  return [...guard, `${value} ${sign} ${other}`].join(" and ");
}

function typeTest(type, value) {
  switch (type) {
    case "Present":
      return `$exists(${value})`;
    case "Null":
      return `$type(${value}) = "null"`;
    case "Timestamp":
      return `$type(${value}) = "string" and $contains(${group(value)}, ${TIMESTAMP})`;
    default:
      return `$type(${value}) = "${TYPES[type]}"`;
  }
}

/** `a*\*` as a regular expression over the whole text. */
function wildcard(pattern) {
  if (typeof pattern !== "string") throw new Unmechanical("the pattern of StringMatches must be a string");
  let source = "";
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === "\\" && i + 1 < pattern.length) source += plain(pattern[++i]);
    else source += pattern[i] === "*" ? "[\\s\\S]*" : plain(pattern[i]);
  }
  return `/^${source}$/`;
}

function plain(character) {
  if (character === "\n") return "\\n";
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
