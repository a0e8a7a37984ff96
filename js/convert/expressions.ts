// @ts-nocheck: has no types yet.
// JSONPath, intrinsic functions and payload templates as JSONata.

import { CONTEXT, Code, Constant, Items, Members, Unmechanical, group, need, typeIs } from "./parts.ts";

/** What a path selects: `$.a['b'][0]` in the input; `$$…` and `$variable…` have roots of their own. */
export function path(text, input) {
  const { start, steps } = split(text);
  return steps.reduce((at, step) => at.step(step), origin(start, input));
}

/** `{start, steps}` of a path that names one place; a step is a name or an index. */
export function split(text) {
  if (typeof text !== "string") throw new Unmechanical("it is not a string");
  const [, start] = /^(\$\$|\$[\p{L}_][\p{L}\p{N}_]*|\$)/u.exec(text) ?? [];
  if (start === undefined) throw new Unmechanical(`${text} is not a path`);
  const steps = [];
  let rest = text.slice(start.length);
  while (rest !== "") {
    const step = /^(?:\.([\p{L}\p{N}_-]+)|\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\[\s*"((?:[^"\\]|\\.)*)"\s*\]|\[\s*(-?\d+)\s*\])/u.exec(rest);
    if (step === null) {
      if (/^(\.\*|\[\*\]|\.\.|\[\?|\[[^\]]*[:,])/.test(rest)) throw new Unmechanical(`${text} can select several values: JSONPath returns them as a list, but JSONata flattens the list and unwraps a single value`);
      throw new Unmechanical(`${text} is a kind of path that cannot be converted`);
    }
    const [whole, plain, single, double, index] = step;
    if (/\\/.test(single ?? double ?? "")) throw new Unmechanical(`a name in ${text} contains a backslash`);
    steps.push(index === undefined ? (plain ?? single ?? double) : Number(index));
    rest = rest.slice(whole.length);
  }
  return { start, steps };
}

function origin(start, input) {
  if (start === "$") return input;
  if (start === "$$") return new Code(CONTEXT, { type: "object" });
  return new Code(start, { maybe: `$exists(${start})` });
}

/** A path in a template: beyond the end of a list it finds null, and elsewhere it fails where it finds nothing. */
function selected(text, input) {
  const { start, steps } = split(text);
  let at = origin(start, input);
  const ends = [];
  const needs = [];
  for (const step of steps) {
    const before = at.needs?.length ?? 0;
    at = at.step(step);
    if (!(at instanceof Code)) continue;
    for (const one of at.needs.slice(before)) needs.push(ends.length === 0 ? one : need([...ends.map((end) => `$not(${end})`), one.text].join(" or ")));
    if (typeof step === "number") ends.push(at.maybe);
  }
  if (ends.length === 0) return at;
  if (typeof steps.at(-1) !== "number") needs.push(need([...ends.map((end) => `$not(${end})`), at.maybe].join(" or ")));
  return new Code(`${at.maybe} ? ${at.code} : null`, { needs: [...origin(start, input).needs, ...needs] });
}

/** A payload template: members that end in `.$` are computed. */
export function template(value, input) {
  if (Array.isArray(value)) return listOf(value.map((item) => template(item, input)));
  if (typeof value === "string" && value.startsWith(PLACEHOLDER)) throw new Unmechanical("a placeholder in it can become a template of its own");
  if (typeof value !== "object" || value === null) return new Constant(constant(value));
  const entries = Object.entries(value).map(([key, item]) => (key.endsWith(".$") ? [key.slice(0, -2), computed(item, input)] : [key, template(item, input)]));
  if (entries.every(([, item]) => item instanceof Constant)) return new Constant(Object.fromEntries(entries.map(([key, item]) => [key, item.value])));
  return new Members(entries);
}

function listOf(items) {
  return items.every((item) => item instanceof Constant) ? new Constant(items.map(({ value }) => value)) : new Items(items);
}

/** How the command writes a placeholder that stands for any value. */
export const PLACEHOLDER = "__placeholder_";

/** Literals of a template or a Result. */
export function constant(value) {
  if (typeof value === "string" && /^\s*\{%[^]*%\}\s*$/.test(value)) throw new Unmechanical(`the string ${JSON.stringify(value)} would be an expression in JSONata`);
  if (Array.isArray(value)) return value.map(constant);
  if (typeof value === "object" && value !== null) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, constant(item)]));
  return value;
}

/** A path or an intrinsic call. */
export function computed(text, input) {
  if (typeof text !== "string") throw new Unmechanical("the value of a field that ends in .$ is not a string");
  if (text.startsWith("$")) return selected(text, input);
  const parser = new Calls(text, input);
  const found = parser.argument();
  parser.end();
  return found;
}

/** Reads intrinsic calls, each into JSONata. */
class Calls {
  #text;
  #input;
  #at = 0;

  constructor(text, input) {
    this.#text = text;
    this.#input = input;
  }

  #match(pattern) {
    const sticky = new RegExp(pattern, "uy");
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text);
    if (found) this.#at = sticky.lastIndex;
    return found;
  }

  end() {
    this.#match("\\s*");
    if (this.#at < this.#text.length) throw new Unmechanical(`${this.#text} is not a call of an intrinsic function`);
  }

  argument(depth = 0) {
    if (depth > 32) throw new Unmechanical("calls are nested too deeply");
    this.#match("\\s*");
    const text = this.#match("'((?:[^'\\\\]|\\\\[^])*)'");
    if (text) return new Literal(text[1].replace(/\\([^])/g, (whole, c) => (c === "{" || c === "}" ? whole : c)));
    const number = this.#match("-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?");
    if (number) return new Literal(Number(number[0]));
    const word = this.#match("(?:true|false|null)(?![\\w.])");
    if (word) return new Literal(JSON.parse(word[0]));
    const place = this.#match("\\$[^\\s,()\\[]*(?:\\[(?:'[^']*'|\"[^\"]*\"|[^\\]'\"]*)\\][^\\s,()\\[]*)*");
    if (place) return path(place[0], this.#input).expression();
    const call = this.#match("(States\\.\\w+)\\s*\\(");
    if (!call) throw new Unmechanical(`${this.#text} is not a call of an intrinsic function`);
    const args = [];
    if (!this.#match("\\s*\\)")) {
      do args.push(this.argument(depth + 1));
      while (this.#match("\\s*,"));
      if (!this.#match("\\s*\\)")) throw new Unmechanical(`${this.#text} is not a call of an intrinsic function`);
    }
    return convertCall(call[1], args);
  }
}

/** A literal argument: what it is matters to some functions. */
class Literal extends Constant {
  field() {
    return constant(this.value);
  }
}

const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];
const ARITY = { ArrayPartition: 2, ArrayContains: 2, ArrayRange: 3, ArrayGetItem: 2, ArrayLength: 1, Base64Encode: 1, Base64Decode: 1, Hash: 2, JsonMerge: 3, JsonToString: 1, MathAdd: 2, StringSplit: 2, StringToJson: 1, UUID: 0 };

/** A call that cannot succeed stays one. */
class Never extends Error {}

function convertCall(name, args) {
  try {
    return callOf(name, args);
  } catch (error) {
    if (!(error instanceof Never)) throw error;
    return new Code(`$error(${JSON.stringify(`${name}: ${error.message}`)})`, { fails: true });
  }
}

function callOf(name, args) {
  const never = (why) => new Never(why);
  const arity = ARITY[name.slice("States.".length)];
  if (arity !== undefined && args.length !== arity) throw never(`it takes ${arity} arguments`);
  if (name === "States.Array") return args.every((arg) => arg instanceof Literal) ? new Constant(args.map((arg) => arg.field())) : new Items(args);
  if (name === "States.Format") return format(args);
  const values = args.map((arg) => arg.expression());
  const code = values.map((value) => value.code);
  const needs = values.flatMap((value) => value.demands);
  const literal = (i) => (args[i] instanceof Literal ? args[i].value : undefined);
  const whole = (i) => Number.isInteger(literal(i));
  /** The original takes no other type there. */
  const wants = (i, type) => {
    if (values[i].type === type) return;
    if (values[i].type !== undefined) throw never(`its argument ${i + 1} must be of type ${type}`);
    needs.push(need(typeIs(code[i], type)));
  };
  const make = (text, type, fails = false) => new Code(text, { needs, type, fails: fails || values.some((value) => value.fails) });
  const call = (to, type, fails) => make(`${to}(${code.join(", ")})`, type, fails);
  switch (name) {
    case "States.StringToJson":
      wants(0, "string");
      if (typeof literal(0) === "string" && literal(0).trim() !== "") return call("$parse", undefined, true);
      return make(`$trim(${code[0]}) = "" ? null : $parse(${code[0]})`, undefined, true);
    case "States.JsonToString": {
      // Of a text $string gives the text itself; inside of an object it gets its quotes.
      const quoted = `$string({"v": ${code[0]}})`;
      return make(`$type(${code[0]}) = "string" ? $substring(${quoted}, 5, $length(${quoted}) - 6) : $string(${code[0]})`, "string");
    }
    case "States.ArrayPartition":
      wants(0, "array");
      wants(1, "number");
      if (literal(1) < 1) throw never("the size is less than 1");
      if (!whole(1)) needs.push(need(`${group(code[1])} >= 1`));
      return call("$partition", "array");
    case "States.ArrayContains":
      wants(0, "array");
      if (!(args[1] instanceof Literal)) throw new Unmechanical("States.ArrayContains compares whole lists and objects, but JSONata's `in` does not");
      return make(`${code[1]} in ${group(code[0])}`, "boolean");
    case "States.ArrayRange": {
      if (![0, 1, 2].every(whole)) throw new Unmechanical("the bounds of States.ArrayRange are computed: if they run in the wrong direction, JSONata returns nothing but the original an empty list");
      const [from, to, step] = args.map(({ value }) => value);
      if (step === 0 || Math.floor((to - from) / step) + 1 > 1000) throw never(step === 0 ? "the step is 0" : "the list has more than 1000 items");
      return (to - from) * step < 0 ? new Constant([]) : call("$range", "array");
    }
    case "States.ArrayGetItem": {
      wants(0, "array");
      if (!whole(1)) throw new Unmechanical("the index of States.ArrayGetItem is computed: beyond the end, JSONata returns nothing but the original fails");
      // Of an empty list the original gives null, of one that is too short nothing; from the end it does not count.
      if (literal(1) < 0) {
        needs.push(need(`$count(${code[0]}) = 0`));
        return make("null", "null");
      }
      const item = `${group(code[0])}[${code[1]}]`;
      needs.push(need(`$count(${code[0]}) = 0 or $exists(${item})`));
      return make(`$count(${code[0]}) = 0 ? null : ${item}`);
    }
    case "States.ArrayLength":
      wants(0, "array");
      return call("$count", "number");
    case "States.ArrayUnique":
      throw new Unmechanical("States.ArrayUnique returns its elements in a different order from $distinct");
    case "States.Base64Encode":
    case "States.Base64Decode": {
      const decodes = name.endsWith("Decode");
      const plain = (text) => /^[\x20-\x7e]{0,7500}$/.test(decodes ? decoded(text) : text);
      if (typeof literal(0) !== "string" || !plain(literal(0))) throw new Unmechanical(`${name} encodes in UTF-8, but JSONata's functions do not`);
      return call(decodes ? "$base64decode" : "$base64encode", "string");
    }
    case "States.Hash":
      // Other values are hashed as Java prints them.
      needs.push(...printable(args[0], values[0], "States.Hash", ["null"]));
      wants(1, "string");
      if (values[0].type === "string") return call("$hash", "string", true);
      needs.push(need(`$length($string(${code[0]})) <= 10000`));
      return make(`$hash($string(${code[0]}), ${code[1]})`, "string", true);
    case "States.JsonMerge":
      if (!(args[2] instanceof Literal)) throw new Unmechanical("whether States.JsonMerge is to merge deeply is computed");
      if (literal(2) === true) throw never("it does not merge deeply");
      wants(0, "object");
      wants(1, "object");
      return make(`$merge([${code.slice(0, 2).join(", ")}])`, "object");
    case "States.MathAdd": {
      const rounded = [0, 1].map((i) => {
        wants(i, "number");
        // As Java rounds: halves go up.
        return whole(i) ? code[i] : `$floor(${code[i]} + 0.5)`;
      });
      const within = (text, low, high) => needs.push(need(`${text} >= ${low}`), need(`${text} <= ${high}`));
      // Sides and sum are whole numbers of 32 bits.
      for (const i of [0, 1]) {
        if (whole(i) && (literal(i) < LEAST || literal(i) > MOST)) throw never("a number does not fit into 32 bits");
        const other = whole(1 - i) ? literal(1 - i) : 0;
        if (!whole(i)) within(rounded[i], LEAST - Math.min(other, 0), MOST - Math.max(other, 0));
      }
      if (whole(0) && whole(1) && (literal(0) + literal(1) < LEAST || literal(0) + literal(1) > MOST)) throw never("the sum does not fit into 32 bits");
      const sum = `${rounded[0]} + ${rounded[1]}`;
      if (!whole(0) && !whole(1)) within(sum, LEAST, MOST);
      return make(sum, "number");
    }
    case "States.MathRandom":
      throw new Unmechanical("States.MathRandom returns different numbers from $random");
    case "States.StringSplit":
      if (typeof literal(1) !== "string" || literal(1).length !== 1) throw new Unmechanical("States.StringSplit splits at any of several characters");
      wants(0, "string");
      return make(`[$split(${code[0]}, ${code[1]})[$ != ""]]`, "array");
    case "States.UUID":
      return call("$uuid", "string");
    default:
      throw new Unmechanical(`there is no function ${name}`);
  }
}

function decoded(text) {
  try {
    return atob(text);
  } catch {
    return "\0";
  }
}

/** What has to hold for a value to be printed as Java prints it: lists and objects have another form there. */
function printable(arg, value, name, others = []) {
  const wrong = ["array", "object", ...others];
  if (wrong.includes(value.type)) throw new Unmechanical(`${name} prints ${value.type === "null" ? "null" : "lists and objects"} in a different form from $string`);
  if (value.type !== undefined) return [];
  if (["$states.input", "$states.result", CONTEXT, `${CONTEXT}.Execution.Input`].includes(value.code)) throw new Unmechanical(`${name} prints lists and objects in a different form from $string`);
  return /^\$states\.context\.\w+\.(Id|Name|StartTime|EnteredTime)$/.test(value.code) ? [] : [need(`$not($type(${value.code}) in ${JSON.stringify(wrong)})`)];
}

/** `'a {} b', x` → `"a " & $string(x) & " b"`. */
function format([text, ...args]) {
  if (!(text instanceof Literal) || typeof text.value !== "string") throw new Unmechanical("the template of States.Format is computed");
  const values = args.map((arg) => arg.expression());
  const needs = values.flatMap((value, i) => [...value.demands, ...printable(args[i], value, "States.Format")]);
  const parts = [];
  let plain = "";
  let next = 0;
  for (let i = 0; i < text.value.length; i++) {
    const two = text.value.slice(i, i + 2);
    if (two === "\\{" || two === "\\}") {
      plain += two[1];
      i += 1;
    } else if (two === "{}") {
      const value = values[next++];
      if (value === undefined) throw new Never("there are more {} than arguments");
      if (plain !== "") parts.push(JSON.stringify(plain));
      plain = "";
      parts.push(value.type === "string" && args[next - 1] instanceof Literal ? value.code : `$string(${value.code})`);
      i += 1;
    } else if (/[{}]/.test(text.value[i])) throw new Never("the template has a bracket by itself");
    else plain += text.value[i];
  }
  if (next < values.length) throw new Never("there are more arguments than {}");
  if (plain !== "" || parts.length === 0) parts.push(JSON.stringify(plain));
  return new Code(parts.join(" & "), { needs, fails: values.some(({ fails }) => fails), type: "string" });
}
