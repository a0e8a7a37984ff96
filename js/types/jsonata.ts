// What expressions of JSONata read, and what is known of their values, as far as their text shows it.

import type { JsonValue } from "../base/json.ts";
import { type Step, type Value, UNKNOWN, object, suggest, type, use } from "./shape.ts";

/** The value at a path such as `$states.input.order[0]`; notes that it is read, on every path through the machine if it is `required`. */
export type Lookup = (path: string, required: boolean) => Value;

/** A comparison of a path with a literal. */
export type Comparison = readonly [path: string, operator: string, compared: JsonValue];

const STRING = type("string");
const NUMBER = type("number");

/** A step of a path: a name, a quoted name or an index. */
const STEP = "(?:\\.(?:[A-Za-z_]\\w*|`[^`]+`)|\\[-?\\d+\\])";
/** A path to a place of the input, a result or a variable. */
const PLACE = `\\$states\\.(?:input|result)${STEP}+|\\$[A-Za-z_]\\w*${STEP}*(?!\\s*[\\w(])`;
const WHOLE_PATH = new RegExp(`^\\$[A-Za-z_]\\w*${STEP}*$`);
const WHOLE_PLACE = new RegExp(`^(?:${PLACE})$`);

/** Whether a field's value is an expression: `{% … %}`. */
export function isExpression(value: unknown): value is string {
  return typeof value === "string" && /^\s*\{%[^]*%\}\s*$/.test(value);
}

function codeOf(expression: string): string {
  return expression.trim().slice(2, -2).trim();
}

/** The steps in the text of a path. */
export function stepsIn(text: string): Step[] {
  return [...text.matchAll(/\.(?:([A-Za-z_]\w*)|`([^`]+)`)|\[(-?\d+)\]/g)].map(
    ([, plain, quoted, index]) => plain ?? quoted ?? Number(index),
  );
}

/** The value of an expression; notes what it reads, and what that is used as. `certain`: whether it is always evaluated. */
export function expressionValue(expression: string, lookup: Lookup, certain: boolean): Value {
  const code = codeOf(expression);
  if (WHOLE_PATH.test(code)) return lookup(code, certain);
  const built = new Composition(code, (path) => lookup(path, certain)).value();
  if (built !== undefined) return built;
  // Of anything larger it is only known what it reads; JSONata does not fail where that is absent.
  const bare = code.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  noteReads(bare, lookup);
  noteUses(bare, lookup);
  return resultOf(bare);
}

function noteReads(code: string, lookup: Lookup): void {
  const paths = new RegExp(`\\$(?:states\\.(?:input|result|errorOutput|context)|[A-Za-z_]\\w*(?!\\s*[\\w(]|\\s*:=))${STEP}*`, "g");
  for (const [path] of code.matchAll(paths)) {
    // The last name of a path that is called is a function.
    if (path.startsWith("$states") || !/^\$\w+$/.test(path)) lookup(path, false);
  }
}

/** What is summed is a list of numbers, what is counted or gone through a list; what is calculated or compared with a number is one. */
function noteUses(code: string, lookup: Lookup): void {
  const calls = new RegExp(
    `\\$(sum|max|min|average|count|map|filter|reduce|sort|append|reverse|distinct|zip)\\(\\s*(${PLACE})\\s*[,)]`,
    "g",
  );
  for (const [, name = "", path = ""] of code.matchAll(calls))
    suggest(lookup(path, false), /^(sum|max|min|average)$/.test(name) ? "numbers" : "list");
  const operands = new RegExp(`(${PLACE})\\s*[-+*/%](?!\\])|[-+*/%]\\s*(${PLACE})(?!\\s*\\()`, "g");
  for (const [, before, after = ""] of code.matchAll(operands)) suggest(lookup(before ?? after, false), "number");
  const compared = new RegExp(`(\\$states\\.(?:input|result)${STEP}+|\\$[A-Za-z_]\\w*${STEP}*)\\s*(?:<=|>=|<|>)\\s*-?\\d`, "g");
  for (const [, path = ""] of code.matchAll(compared)) use(lookup(path, false), "number");
}

/** The type of what a call or an operator gives. */
function resultOf(code: string): Value {
  if (/^\$(string|uuid|join|uppercase|lowercase|trim|substring\w*|replace|hash|now|fromMillis|base64\w+)\s*\([^()]*\)$/.test(code))
    return STRING;
  if (/^\$(count|sum|max|min|average|length|number|floor|ceil|round|abs|millis|toMillis)\s*\([^()]*\)$/.test(code)) return NUMBER;
  if (/^\$(exists|not|boolean|contains)\s*\([^()]*\)$/.test(code) || /^[^?:]*\s(=|!=|<|>|<=|>=|in)\s[^?:]*$/.test(code))
    return type("boolean");
  if (/^[^?:{}[\]]*\s&\s[^?:{}[\]]*$/.test(code)) return STRING;
  return UNKNOWN;
}

/** The comparisons with literals that a condition is made of; a path alone is compared with true. */
export function comparisons(condition: string): Comparison[] {
  const code = codeOf(condition);
  if (WHOLE_PLACE.test(code)) return [[code, "=", true]];
  const found = code.matchAll(
    new RegExp(`(${PLACE})\\s*(!=|<=|>=|=|<|>)\\s*("(?:[^"\\\\]|\\\\.)*"|'[^'\\\\]*'|-?\\d+(?:\\.\\d+)?|true|false)`, "g"),
  );
  return [...found].map(([, path = "", operator = "", text = ""]) => [
    path,
    operator,
    text.startsWith("'") ? text.slice(1, -1) : JSON.parse(text),
  ]);
}

/** A value that is made when it is known that the whole expression can be read. */
type Later = () => Value;

/** Expressions that only put things together: paths, literals, objects, `$merge([…])`. */
class Composition {
  #text: string;
  #path: (path: string) => Value;
  #at = 0;

  constructor(text: string, path: (path: string) => Value) {
    this.#text = text;
    this.#path = path;
  }

  /** The value; undefined for any other expression. Nothing is noted as read then. */
  value(): Value | undefined {
    const later = this.#part(0);
    this.#match(/\s*/y);
    return later === undefined || this.#at < this.#text.length ? undefined : later();
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #part(depth: number): Later | undefined {
    if (depth > 32) return undefined;
    this.#match(/\s*/y);
    const word = this.#match(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(-?\d+(?:\.\d+)?)|(true|false|null)\b/y);
    if (word) return () => type(word[1] ? "string" : word[2] ? "number" : word[3] === "null" ? "null" : "boolean");
    if (this.#match(/\$merge\(\s*\[/y)) return this.#merge(depth);
    if (this.#match(/\{/y)) return this.#object(depth);
    const path = this.#match(/\$(?!states\.context)[A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|`[^`]+`)|\[-?\d+\])*(?!\s*[\w(.[])/y);
    return path ? () => this.#path(path[0]) : undefined;
  }

  #merge(depth: number): Later | undefined {
    const parts = this.#list(/\s*\]\s*\)/y, () => this.#part(depth + 1));
    if (parts?.length === 0) return () => object(new Map());
    return (
      parts && (() => parts.map((part) => part()).reduce((base, over) => (over.kind === "object" ? object(over.members, base) : UNKNOWN)))
    );
  }

  #object(depth: number): Later | undefined {
    const members = this.#list(/\s*\}/y, () => {
      const name = this.#match(/\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*:/y);
      const value = name && this.#part(depth + 1);
      return value ? { name: name[1] ?? name[2] ?? "", value } : undefined;
    });
    return members && (() => object(new Map(members.map(({ name, value }) => [name, value()]))));
  }

  #list<Item>(end: RegExp, item: () => Item | undefined): Item[] | undefined {
    const items: Item[] = [];
    if (this.#match(end)) return items;
    for (;;) {
      const one = item();
      if (one === undefined) return undefined;
      items.push(one);
      if (this.#match(end)) return items;
      if (!this.#match(/\s*,/y)) return undefined;
    }
  }
}
