// Converts calls of intrinsic functions to JSONata.

import type { JsonValue } from "../../core/base/json.ts";
import {
  Code,
  Constant,
  Items,
  Unmechanical,
  constant,
  group,
  need,
  notNull,
  typeIs,
  type Need,
  type Part,
  type ValueType,
} from "./jsonata-code.ts";

/** A literal argument, because its value matters to some functions. */
export class Literal extends Constant {
  override field(): JsonValue {
    return constant(this.value);
  }
}

/** Thrown for a call that can never succeed. It is converted to one that fails, too. */
class Never extends Error {}

/** Converts a call of an intrinsic function. */
export function convertCall(name: string, args: Part[]): Part {
  try {
    return callOf(name, args);
  } catch (error) {
    if (!(error instanceof Never)) throw error;
    return new Code(`$error(${JSON.stringify(`${name}: ${error.message}`)})`, { fails: true });
  }
}

function callOf(name: string, args: Part[]): Part {
  if (name === "States.Array") return array(args);
  if (name === "States.Format") return format(args);
  const known = INTRINSICS.get(name);
  if (known?.arity !== undefined && args.length !== known.arity) throw new Never(`it takes ${known.arity} arguments`);
  const call = new Call(name, args);
  if (known === undefined) throw new Unmechanical(`there is no function ${name}`);
  return known.convert(call);
}

/** A call with a valid number of arguments. */
class Call {
  readonly name: string;
  /** The conditions under which the call succeeds. */
  readonly needs: Need[];
  #args: Part[];
  #values: Code[];

  constructor(name: string, args: Part[]) {
    this.name = name;
    this.#args = args;
    this.#values = args.map((arg) => arg.expression());
    this.needs = this.#values.flatMap((value) => value.demands);
  }

  value(i: number): Code {
    const found = this.#values[i];
    if (found === undefined) throw new Never(`it has no argument ${i + 1}`);
    return found;
  }

  code(i: number): string {
    return this.value(i).code;
  }

  isLiteral(i: number): boolean {
    return this.#args[i] instanceof Literal;
  }

  /** Returns the value of a literal argument. */
  literal(i: number): JsonValue | undefined {
    const arg = this.#args[i];
    return arg instanceof Literal ? arg.value : undefined;
  }

  /** Returns a literal argument that is a whole number. */
  whole(i: number): number | undefined {
    const value = this.literal(i);
    return typeof value === "number" && Number.isInteger(value) ? value : undefined;
  }

  /** Returns a literal argument that is a string. */
  text(i: number): string | undefined {
    const value = this.literal(i);
    return typeof value === "string" ? value : undefined;
  }

  /** Adds the condition that an argument has a type, because the original accepts no other. */
  wants(i: number, type: ValueType): void {
    const { type: own, code } = this.value(i);
    if (own === type) return;
    if (own !== undefined) throw new Never(`its argument ${i + 1} must be of type ${type}`);
    this.needs.push(need(typeIs(code, type)));
  }

  asks(condition: string): void {
    this.needs.push(need(condition));
  }

  /** Returns an expression as the call's value. */
  make(code: string, type?: ValueType, fails = false): Code {
    return new Code(code, { needs: this.needs, type, fails: fails || this.#values.some((value) => value.fails) });
  }

  /** Returns a JSONata function with the same arguments as the call's value. */
  to(name: string, type?: ValueType, fails?: boolean): Code {
    return this.make(`${name}(${this.#values.map(({ code }) => code).join(", ")})`, type, fails);
  }
}

interface Intrinsic {
  /** The number of arguments, if it is fixed. */
  arity?: number;
  convert: (call: Call) => Part;
}

/**
 * The functions with a fixed form. States.Array and States.Format, which take any number of arguments, are converted separately.
 */
const INTRINSICS = new Map<string, Intrinsic>([
  ["States.ArrayContains", { arity: 2, convert: arrayContains }],
  ["States.ArrayGetItem", { arity: 2, convert: arrayGetItem }],
  ["States.ArrayLength", { arity: 1, convert: arrayLength }],
  ["States.ArrayPartition", { arity: 2, convert: arrayPartition }],
  ["States.ArrayRange", { arity: 3, convert: arrayRange }],
  ["States.ArrayUnique", { convert: refused("States.ArrayUnique returns its elements in a different order from $distinct") }],
  ["States.Base64Decode", { arity: 1, convert: (call) => base64(call, "$base64decode", decoded) }],
  ["States.Base64Encode", { arity: 1, convert: (call) => base64(call, "$base64encode", (text) => text) }],
  ["States.Hash", { arity: 2, convert: hash }],
  ["States.JsonMerge", { arity: 3, convert: jsonMerge }],
  ["States.JsonToString", { arity: 1, convert: jsonToString }],
  ["States.MathAdd", { arity: 2, convert: mathAdd }],
  ["States.MathRandom", { convert: refused("States.MathRandom returns different numbers from $random") }],
  ["States.StringSplit", { arity: 2, convert: stringSplit }],
  ["States.StringToJson", { arity: 1, convert: stringToJson }],
  ["States.UUID", { arity: 0, convert: (call) => call.to("$uuid", "string") }],
]);

function refused(why: string): () => never {
  return () => {
    throw new Unmechanical(why);
  };
}

function array(args: Part[]): Part {
  const literals = args.filter((arg) => arg instanceof Literal);
  return literals.length === args.length ? new Constant(literals.map((arg) => arg.field())) : new Items(args);
}

function arrayContains(call: Call): Part {
  call.wants(0, "array");
  if (!call.isLiteral(1)) throw new Unmechanical("States.ArrayContains compares whole lists and objects, but JSONata's `in` does not");
  return call.make(`${call.code(1)} in ${group(call.code(0))}`, "boolean");
}

function arrayGetItem(call: Call): Part {
  call.wants(0, "array");
  const index = call.whole(1);
  if (index === undefined)
    throw new Unmechanical("the index of States.ArrayGetItem is computed: beyond the end, JSONata returns nothing but the original fails");
  const list = call.code(0);
  // For an empty list the original gives null, and for one that is too short nothing. Negative indices do not count from the end.
  if (index < 0) {
    call.asks(`$count(${list}) = 0`);
    return call.make("null", "null");
  }
  const item = `${group(list)}[${call.code(1)}]`;
  call.asks(`$count(${list}) = 0 or $exists(${item})`);
  return call.make(`$count(${list}) = 0 ? null : ${item}`);
}

function arrayLength(call: Call): Part {
  call.wants(0, "array");
  return call.to("$count", "number");
}

function arrayPartition(call: Call): Part {
  call.wants(0, "array");
  call.wants(1, "number");
  const size = call.literal(1);
  if (typeof size === "number" && size < 1) throw new Never("the size is less than 1");
  if (call.whole(1) === undefined) call.asks(`${group(call.code(1))} >= 1`);
  // For an empty list the original gives an empty one, and $partition gives nothing.
  const list = call.code(0);
  return call.make(`$count(${list}) = 0 ? [] : $partition(${list}, ${call.code(1)})`, "array");
}

function arrayRange(call: Call): Part {
  const [from, to, step] = [call.whole(0), call.whole(1), call.whole(2)];
  if (from === undefined || to === undefined || step === undefined) {
    throw new Unmechanical(
      "the bounds of States.ArrayRange are computed: if they run in the wrong direction, JSONata returns nothing but the original an empty list",
    );
  }
  if (step === 0) throw new Never("the step is 0");
  if (Math.floor((to - from) / step) + 1 > 1000) throw new Never("the list has more than 1000 items");
  return (to - from) * step < 0 ? new Constant([]) : call.to("$range", "array");
}

function base64(call: Call, name: string, plain: (text: string) => string): Part {
  const text = call.text(0);
  if (text === undefined || !/^[\x20-\x7e]{0,7500}$/.test(plain(text)))
    throw new Unmechanical(`${call.name} encodes in UTF-8, but JSONata's functions do not`);
  return call.to(name, "string");
}

function decoded(text: string): string {
  try {
    return atob(text);
  } catch {
    return "\0";
  }
}

function hash(call: Call): Part {
  const value = call.value(0);
  if (value.type === "null") throw new Never("its argument 1 is null");
  if (value.type === undefined) call.needs.push(need(notNull(value.code)));
  call.wants(1, "string");
  if (value.type === "string") return call.to("$hash", "string", true);
  const texts = new Texts([value, call.value(1)]);
  const text = texts.of(value);
  const tooLong = '$error("States.Hash: the text has more than 10000 characters")';
  return call.make(texts.block(`$length(${text}) <= 10000 ? $hash(${text}, ${call.code(1)}) : ${tooLong}`), "string", true);
}

function jsonMerge(call: Call): Part {
  if (!call.isLiteral(2)) throw new Unmechanical("whether States.JsonMerge is to merge deeply is computed");
  if (call.literal(2) === true) throw new Never("it does not merge deeply");
  call.wants(0, "object");
  call.wants(1, "object");
  return call.make(`$merge([${call.code(0)}, ${call.code(1)}])`, "object");
}

function jsonToString(call: Call): Part {
  const code = call.code(0);
  // For a string, $string gives the string itself. Inside of an object it gets its quotes.
  const quoted = `$string({"v": ${code}})`;
  return call.make(`$type(${code}) = "string" ? $substring(${quoted}, 5, $length(${quoted}) - 6) : $string(${code})`, "string");
}

/** States.MathAdd has 32-bit arguments and a 32-bit sum. */
const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];

function mathAdd(call: Call): Part {
  const sides = [0, 1].map((i) => {
    call.wants(i, "number");
    const whole = call.whole(i);
    // Halves are rounded up, as in Java.
    return { whole, code: whole === undefined ? `$floor(${call.code(i)} + 0.5)` : call.code(i) };
  });
  const within = (code: string, least: number, most: number) => {
    call.asks(`${code} >= ${least}`);
    call.asks(`${code} <= ${most}`);
  };
  for (const [i, { whole, code }] of sides.entries()) {
    if (whole !== undefined && (whole < LEAST || whole > MOST)) throw new Never("a number does not fit into 32 bits");
    const other = sides[1 - i]?.whole ?? 0;
    if (whole === undefined) within(code, LEAST - Math.min(other, 0), MOST - Math.max(other, 0));
  }
  const known = sides.flatMap(({ whole }) => whole ?? []);
  const total = known.reduce((sum, one) => sum + one, 0);
  if (known.length === 2 && (total < LEAST || total > MOST)) throw new Never("the sum does not fit into 32 bits");
  const sum = sides.map(({ code }) => code).join(" + ");
  if (known.length === 0) within(sum, LEAST, MOST);
  return call.make(sum, "number");
}

function stringSplit(call: Call): Part {
  if (call.text(1)?.length !== 1) throw new Unmechanical("States.StringSplit splits at any of several characters");
  call.wants(0, "string");
  return call.make(`[$split(${call.code(0)}, ${call.code(1)})[$ != ""]]`, "array");
}

function stringToJson(call: Call): Part {
  call.wants(0, "string");
  const text = call.text(0);
  if (text !== undefined && text.trim() !== "") return call.to("$parse", undefined, true);
  return call.make(`$trim(${call.code(0)}) = "" ? null : $parse(${call.code(0)})`, undefined, true);
}

/**
 * The texts of values as States.Format and States.Hash print them: lists as `[1, x]` and objects as `{a=1}`, where $string writes
 * JSON. A function of the expression's own prints values that can be one of these.
 */
class Texts {
  readonly #name: string;
  #isUsed = false;

  constructor(values: Code[]) {
    let name = "$text";
    while (values.some(({ code }) => code.includes(name))) name += "_";
    this.#name = name;
  }

  of({ code, type }: Code): string {
    const isText = /^\$states\.context\.\w+\.(Id|Name|StartTime|EnteredTime)$/.test(code);
    if (isText || !(type === undefined || type === "array" || type === "object")) return `$string(${code})`;
    this.#isUsed = true;
    return `${this.#name}(${code})`;
  }

  /** Returns an expression with the function that it uses. */
  block(code: string): string {
    if (!this.#isUsed) return / \? /.test(code) ? `(${code})` : code;
    const name = this.#name;
    const object = `"{" & $join($each($v, function($x, $k) { $k & "=" & ${name}($x) }), ", ") & "}"`;
    const array = `"[" & $join($map($v, ${name}), ", ") & "]"`;
    const body = `$type($v) = "object" ? ${object} : $type($v) = "array" ? ${array} : $string($v)`;
    return `(${name} := function($v) { ${body} }; ${code})`;
  }
}

/** Converts `'a {} b', x` to `"a " & $string(x) & " b"`, if x is no list and no object. */
function format([text, ...args]: Part[]): Part {
  if (!(text instanceof Literal) || typeof text.value !== "string") throw new Unmechanical("the template of States.Format is computed");
  const template = text.value;
  const values = args.map((arg) => arg.expression());
  const needs = values.flatMap((value) => value.demands);
  const texts = new Texts(values);
  const parts: string[] = [];
  let plain = "";
  let next = 0;
  for (let i = 0; i < template.length; i++) {
    const two = template.slice(i, i + 2);
    if (two === "\\{" || two === "\\}" || two === "\\\\") {
      plain += two.slice(1);
      i += 1;
    } else if (two === "{}") {
      const value = values[next++];
      if (value === undefined) throw new Never("there are more {} than arguments");
      if (plain !== "") parts.push(JSON.stringify(plain));
      plain = "";
      parts.push(value.type === "string" && args[next - 1] instanceof Literal ? value.code : texts.of(value));
      i += 1;
    } else if (/^[{}]/.test(two)) {
      throw new Never("the template has a bracket by itself");
    } else {
      plain += template.charAt(i);
    }
  }
  if (next < values.length) throw new Never("there are more arguments than {}");
  if (plain !== "" || parts.length === 0) parts.push(JSON.stringify(plain));
  return new Code(texts.block(parts.join(" & ")), { needs, fails: values.some(({ fails }) => fails), type: "string" });
}
