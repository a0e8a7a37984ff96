// JSONPath, intrinsic functions and payload templates as JSONata.
//
// What is converted gives the same value wherever the original gives one. Where a path finds nothing the original fails;
// JSONata fails too where the nothing is all that a field has.

/** Something that has no JSONata of the same meaning, or none that a machine should choose. */
export class Unmechanical extends Error {}

/** What stands at the root of paths: JSONata for `$`, and for the Context Object. */
export const CONTEXT = "$states.context";

/** A converted value: JSONata code, or JSON with `{% … %}` in it. */
export class Converted {
  constructor(code, template) {
    this.code = code;
    this.template = template;
  }

  static code(code) {
    return new Converted(code, undefined);
  }

  static template(value) {
    return new Converted(undefined, value);
  }

  /** As the value of a field. */
  field() {
    return this.code === undefined ? this.template : `{% ${this.code} %}`;
  }

  /** As a part of an expression. */
  expression() {
    return this.code ?? literal(this.template);
  }
}

/** `$.a['b'][0]` on a root; `$$…` and `$variable…` have roots of their own. */
export function path(text, root) {
  if (typeof text !== "string") throw new Unmechanical("it is not a string");
  const [, start] = /^(\$\$|\$[\p{L}_][\p{L}\p{N}_]*|\$)/u.exec(text) ?? [];
  if (start === undefined) throw new Unmechanical(`${text} is not a path`);
  let code = start === "$" ? root : start === "$$" ? CONTEXT : start;
  let rest = text.slice(start.length);
  if (rest !== "" && /[^\w$.`\]]/.test(code) && !/\)$/.test(code)) code = `(${code})`;
  while (rest !== "") {
    const step = /^(?:\.([\p{L}\p{N}_-]+)|\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\[\s*"((?:[^"\\]|\\.)*)"\s*\]|\[\s*(-?\d+)\s*\])/u.exec(rest);
    if (step === null) {
      if (/^(\.\*|\[\*\]|\.\.|\[\?|\[[^\]]*[:,])/.test(rest)) throw new Unmechanical(`${text} can select several values: JSONPath returns them as a list, but JSONata flattens the list and unwraps a single value`);
      throw new Unmechanical(`${text} is a kind of path that cannot be converted`);
    }
    const [whole, plain, single, double, index] = step;
    code += index === undefined ? `.${name(plain ?? (single ?? double).replace(/\\(.)/g, "$1"))}` : `[${index}]`;
    rest = rest.slice(whole.length);
  }
  return code;
}

/** A member's name in a path. */
function name(text) {
  if (/^[A-Za-z_]\w*$/.test(text) && !["and", "or", "in", "true", "false", "null", "function"].includes(text)) return text;
  if (text.includes("`")) throw new Unmechanical(`the name ${JSON.stringify(text)} contains a backtick`);
  return `\`${text}\``;
}

/** A payload template: members that end in `.$` are computed. */
export function template(value, root) {
  return Converted.template(templateValue(value, root));
}

function templateValue(value, root) {
  if (Array.isArray(value)) return value.map((item) => templateValue(item, root));
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([key, item]) => (key.endsWith(".$") ? [key.slice(0, -2), computed(item, root).field()] : [key, templateValue(item, root)]));
    return Object.fromEntries(members);
  }
  return constant(value);
}

/** Literals of a template or a Result. */
export function constant(value) {
  if (typeof value === "string" && /^\s*\{%[^]*%\}\s*$/.test(value)) throw new Unmechanical(`the string ${JSON.stringify(value)} would be an expression in JSONata`);
  if (Array.isArray(value)) return value.map(constant);
  if (typeof value === "object" && value !== null) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, constant(item)]));
  return value;
}

/** Beyond the end of a list JSONPath finds null, and JSONata nothing. */
function element(code) {
  return code.endsWith("]") ? `$exists(${code}) ? ${code} : null` : code;
}

/** A path or an intrinsic call. */
export function computed(text, root) {
  if (typeof text !== "string") throw new Unmechanical("the value of a field that ends in .$ is not a string");
  if (text.startsWith("$")) return Converted.code(element(path(text, root)));
  const parser = new Calls(text, root);
  const found = parser.argument();
  parser.end();
  return found;
}

/** Reads intrinsic calls, each into JSONata. */
class Calls {
  #text;
  #root;
  #at = 0;

  constructor(text, root) {
    this.#text = text;
    this.#root = root;
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
    if (place) return Converted.code(path(place[0], this.#root));
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
class Literal extends Converted {
  constructor(value) {
    super(typeof value === "string" && value.includes("\\") ? undefined : JSON.stringify(value), undefined);
    this.value = value;
  }

  field() {
    return constant(this.value);
  }

  expression() {
    return JSON.stringify(this.value);
  }
}

function convertCall(name, args) {
  const code = args.map((arg) => arg.expression());
  const call = (to) => Converted.code(`${to}(${code.join(", ")})`);
  const whole = (i) => args[i] instanceof Literal && Number.isInteger(args[i].value);
  const number = (i, round) => (whole(i) ? code[i] : round(group(code[i])));
  // As Java does: towards zero.
  const truncated = (text) => `(${text} < 0 ? $ceil(${text}) : $floor(${text}))`;
  switch (name) {
    case "States.Format":
      return format(args);
    case "States.StringToJson":
      return args[0] instanceof Literal && String(args[0].value).trim() !== "" ? call("$parse") : Converted.code(`$trim(${code[0]}) = "" ? null : $parse(${code[0]})`);
    case "States.JsonToString": {
      // Of a text $string gives the text itself; inside of an object it gets its quotes.
      const quoted = `$string({"v": ${code[0]}})`;
      return Converted.code(`$type(${code[0]}) = "string" ? $substring(${quoted}, 5, $length(${quoted}) - 6) : $string(${code[0]})`);
    }
    case "States.Array":
      return Converted.template(args.map((arg) => arg.field()));
    case "States.ArrayPartition":
      return Converted.code(`$partition(${code[0]}, ${number(1, truncated)})`);
    case "States.ArrayContains":
      if (!(args[1] instanceof Literal)) throw new Unmechanical("States.ArrayContains compares whole lists and objects, but JSONata's `in` does not");
      return Converted.code(`${code[1]} in ${group(code[0])}`);
    case "States.ArrayRange": {
      if (![0, 1, 2].every(whole)) throw new Unmechanical("the bounds of States.ArrayRange are computed: if they run in the wrong direction, JSONata returns nothing but the original an empty list");
      const [from, to, step] = args.map(({ value }) => value);
      return (to - from) * step < 0 ? Converted.template([]) : call("$range");
    }
    case "States.ArrayGetItem":
      if (!whole(1)) throw new Unmechanical("the index of States.ArrayGetItem is computed: beyond the end, JSONata returns nothing but the original fails");
      // Of an empty list the original gives null, of one that is too short nothing.
      return Converted.code(`$count(${code[0]}) = 0 ? null : ${group(code[0])}[${code[1]}]`);
    case "States.ArrayLength":
      return call("$count");
    case "States.ArrayUnique":
      throw new Unmechanical("States.ArrayUnique returns its elements in a different order from $distinct");
    case "States.Base64Encode":
    case "States.Base64Decode": {
      const decodes = name.endsWith("Decode");
      const plain = (text) => /^[\x20-\x7e]*$/.test(decodes ? Buffer.from(text, "base64").toString("latin1") : text);
      if (!(args[0] instanceof Literal) || typeof args[0].value !== "string" || !plain(args[0].value)) throw new Unmechanical(`${name} encodes in UTF-8, but JSONata's functions do not`);
      return call(decodes ? "$base64decode" : "$base64encode");
    }
    case "States.Hash":
      return call("$hash");
    case "States.JsonMerge":
      return Converted.code(`$merge([${code.slice(0, 2).join(", ")}])`);
    case "States.MathAdd": {
      // As Java rounds: halves go up.
      const rounded = [0, 1].map((i) => number(i, (text) => `$floor(${text} + 0.5)`));
      return Converted.code(`${rounded[0]} + ${rounded[1]}`);
    }
    case "States.MathRandom":
      throw new Unmechanical("States.MathRandom returns different numbers from $random");
    case "States.StringSplit": {
      const [, by] = args;
      if (!(by instanceof Literal) || typeof by.value !== "string" || by.value.length !== 1) throw new Unmechanical("States.StringSplit splits at any of several characters");
      return Converted.code(`[$split(${code[0]}, ${code[1]})[$ != ""]]`);
    }
    case "States.UUID":
      return call("$uuid");
    default:
      throw new Unmechanical(`there is no function ${name}`);
  }
}

/** `'a {} b', x` → `"a " & $string(x) & " b"`. */
function format([text, ...args]) {
  if (!(text instanceof Literal) || typeof text.value !== "string") throw new Unmechanical("the template of States.Format is computed");
  const parts = [];
  let plain = "";
  let next = 0;
  for (let i = 0; i < text.value.length; i++) {
    const two = text.value.slice(i, i + 2);
    if (two === "\\{" || two === "\\}") {
      plain += two[1];
      i += 1;
    } else if (two === "{}") {
      const arg = args[next++];
      if (arg === undefined) throw new Unmechanical("States.Format has more {} than arguments");
      if (plain !== "") parts.push(JSON.stringify(plain));
      plain = "";
      parts.push(arg instanceof Literal && typeof arg.value === "string" ? arg.expression() : `$string(${arg.expression()})`);
      i += 1;
    } else plain += text.value[i];
  }
  if (plain !== "" || parts.length === 0) parts.push(JSON.stringify(plain));
  return Converted.code(parts.length === 1 && parts[0].startsWith('"') ? parts[0] : parts.join(" & "));
}

/** JSON as JSONata; lists of computed values would be flattened. */
function literal(value) {
  if (typeof value === "string") {
    const inner = /^\{%\s*([^]*?)\s*%\}$/.exec(value);
    return inner ? inner[1] : JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    if (value.some((item) => typeof item === "string" && item.startsWith("{%"))) throw new Unmechanical("JSONata flattens a list of computed values inside an expression");
    return `[${value.map(literal).join(", ")}]`;
  }
  if (typeof value === "object" && value !== null) return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${literal(item)}`).join(", ")}}`;
  return JSON.stringify(value);
}

/** In brackets, where it is more than a path or a call. */
export function group(code) {
  return /^[$\w.`[\]-]+$/.test(code) || /^\$\w+\([^()]*\)$/.test(code) ? code : `(${code})`;
}
