// @ts-nocheck: has no types yet.
// What converted fields are made of: JSONata with the conditions under which the original has a value.
//
// JSONPath fails where a path finds nothing, and where it goes through something that is no object or no list. JSONata gives
// nothing there, or looks into each item of a list. So an expression asks first what the original takes for granted.

/** Something that has no JSONata of the same meaning, or none that a machine should choose. */
export class Unmechanical extends Error {}

export const CONTEXT = "$states.context";

/** What an author of a machine reads where a ResultPath does not fit the input; catchers tell it from other failures. */
export const CONFLICT = "States.ReferencePathConflict";

/** A condition that has to hold. A soft one fails the original in a way that Retry and Catch can handle. */
export function need(text, soft = false) {
  return { text, soft };
}

export function typeIs(code, type) {
  return `$type(${code}) = "${type}"`;
}

/** JSONata for a value. */
export class Code {
  /**
   * `needs`: conditions under which the original has the value; `maybe`: the condition that there is one at all, where that is
   * not sure; `fails`: whether it can fail by itself; `type`: of the value, where it is known.
   */
  constructor(code, { needs = [], maybe, fails = false, type } = {}) {
    Object.assign(this, { code, needs, maybe, fails, type });
  }

  /** As a part of a larger expression, where nothing must not be mistaken for a member that is not there. */
  get demands() {
    return this.maybe === undefined ? this.needs : [...this.needs, need(this.maybe)];
  }

  expression() {
    return this;
  }

  field(emitter) {
    return `{% ${emitter.emit(this)} %}`;
  }

  /** The value one step further in. */
  step(step) {
    const name = typeof step === "string";
    if (this.type !== undefined && this.type !== (name ? "object" : "array")) throw nothing(step);
    const known = /^\$states\.context(\.(Execution|State|StateMachine))?$/.test(this.code) && name;
    const needs = known ? this.needs : [...this.needs, need(typeIs(this.code, name ? "object" : "array"))];
    const code = `${root(this.code)}${name ? `.${memberName(step)}` : `[${step}]`}`;
    return new Code(code, { needs, maybe: SURE.test(code) ? undefined : `$exists(${code})` });
  }
}

/** Members of the Context Object that every state has. */
const SURE = /^\$states\.context\.(Execution(\.(Id|Name|StartTime|Input))?|State(\.(Name|EnteredTime))?|StateMachine(\.(Id|Name))?)$/;

function root(code) {
  return /[^\w$.`[\]\- ]/.test(code) && !/\)$/.test(code) ? `(${code})` : code;
}

/** A member's name in a path. */
function memberName(text) {
  if (/^[A-Za-z_]\w*$/.test(text) && !["and", "or", "in", "true", "false", "null", "function"].includes(text)) return text;
  if (text.includes("`")) throw new Unmechanical(`the name ${JSON.stringify(text)} contains a backtick`);
  return `\`${text}\``;
}

/** JSON that is the same in both languages. */
export class Constant {
  constructor(value) {
    this.value = value;
  }

  field() {
    return this.value;
  }

  expression() {
    const types = { string: "string", number: "number", boolean: "boolean" };
    const type = this.value === null ? "null" : Array.isArray(this.value) ? "array" : (types[typeof this.value] ?? "object");
    return new Code(JSON.stringify(this.value), { type });
  }

  step(step) {
    const { value } = this;
    if (typeof value === "object" && value !== null && Array.isArray(value) === (typeof step === "number")) {
      const found = typeof step === "number" ? value.at(step) : Object.hasOwn(value, step) ? value[step] : undefined;
      if (found !== undefined) return new Constant(found);
    }
    throw nothing(step);
  }
}

function nothing(step) {
  return new Unmechanical(`there is no ${JSON.stringify(step)} in what the state makes`);
}

/** An object of which some members are computed. */
export class Members {
  constructor(entries) {
    this.entries = entries;
  }

  field(emitter) {
    return Object.fromEntries(this.entries.map(([key, value]) => [key, value.field(emitter)]));
  }

  expression() {
    const inner = this.entries.map(([key, value]) => [key, value.expression()]);
    const code = `{${inner.map(([key, value]) => `${JSON.stringify(key)}: ${value.code}`).join(", ")}}`;
    return new Code(code, { needs: inner.flatMap(([, value]) => value.demands), fails: inner.some(([, value]) => value.fails), type: "object" });
  }

  step(step) {
    const found = this.entries.find(([key]) => key === step);
    if (found === undefined) throw nothing(step);
    return besides(found[1], this.entries.filter((entry) => entry !== found).map(([, value]) => value));
  }
}

/** A list of which some items are computed. */
export class Items {
  constructor(items) {
    this.items = items;
  }

  field(emitter) {
    return this.items.map((item) => item.field(emitter));
  }

  expression() {
    throw new Unmechanical("JSONata flattens a list of computed values inside an expression");
  }

  step() {
    throw new Unmechanical("it selects an item of a list of computed values");
  }
}

/** An object with one member set: what a ResultPath makes of the raw input. */
export class Put {
  constructor(base, name, inner, needs) {
    Object.assign(this, { base, name, inner, needs });
  }

  expression() {
    const inner = this.inner.expression();
    const code = `$merge([${this.base.code}, {${JSON.stringify(this.name)}: ${inner.code}}])`;
    // The value is there before a place is made for it, from the outside in.
    const [made, way] = this.inner instanceof Put ? [inner.needs.filter(({ soft }) => !soft), inner.needs.filter(({ soft }) => soft)] : [inner.demands, []];
    return new Code(code, { needs: [...made, ...this.needs, ...way], fails: inner.fails, type: "object" });
  }

  field(emitter) {
    return this.expression().field(emitter);
  }

  step(step) {
    const own = new Code("", { needs: this.needs });
    return step === this.name ? besides(this.inner, [own]) : besides(this.base.step(step), [this.inner, own]);
  }
}

/** A value, and others that are computed only because they may fail. */
export function besides(value, others) {
  const dropped = others.map((other) => other.expression());
  if (dropped.some(({ fails }) => fails)) throw new Unmechanical("it drops a value whose computation can fail");
  const needs = dropped.flatMap(({ demands }) => demands);
  if (needs.length === 0) return value;
  const { code, maybe, fails, type, needs: own } = value.expression();
  return new Code(code, { needs: [...needs, ...own], maybe, fails, type });
}

/** Writes expressions. What one of them has asked need not be asked by the next of the same state. */
export class Emitter {
  #known;
  /** Whether what was written can fail where the original ends the execution, and where it raises an error to be handled. */
  fatal = false;
  soft = false;

  constructor(known = new Set()) {
    this.#known = known;
  }

  /** For what may not be evaluated, or later than it seems. */
  fork() {
    return new Emitter(new Set(this.#known));
  }

  /** Takes over what a fork has found out about failures, and with `known` what it has asked. */
  join(fork, known = false) {
    this.fatal ||= fork.fatal;
    this.soft ||= fork.soft;
    if (known) for (const text of fork.#known) this.#known.add(text);
  }

  knows(text) {
    return this.#known.has(text);
  }

  learn(text) {
    this.#known.add(text);
    // What has a type is there.
    const [, code] = /^\$type\((.*)\) = "\w+"$/.exec(text) ?? [];
    if (code !== undefined) this.#known.add(`$exists(${code})`);
  }

  /** Those of some conditions that nothing has asked yet, as one; undefined if there are none. */
  ask(needs) {
    const asked = [];
    for (const { text, soft } of needs) {
      if (this.knows(text)) continue;
      if (soft) this.soft = true;
      else this.fatal = true;
      this.learn(text);
      asked.push(text);
    }
    if (asked.length === 0) return undefined;
    // A type says that there is something.
    const needed = asked.filter((text) => !/^\$exists\(/.test(text) || !asked.some((other) => other.startsWith(`$type(${text.slice(8)} = `)));
    return needed.map((text) => (/ (or|and) /.test(text) && needed.length > 1 ? `(${text})` : text)).join(" and ");
  }

  /** An expression that fails where the original does, and in its order. */
  emit({ code, needs, maybe, fails }) {
    const asked = [];
    for (const one of needs) {
      if (asked.length === 0 || asked.at(-1).soft !== one.soft) asked.push({ soft: one.soft, needs: [] });
      asked.at(-1).needs.push(one);
    }
    for (const part of asked) part.text = this.ask(part.needs);
    if (fails) this.fatal = true;
    if (maybe !== undefined && !this.knows(maybe)) {
      this.fatal = true;
      this.learn(maybe);
    }
    return asked.reduceRight((inner, { text, soft }) => (text === undefined ? inner : `${text} ? ${branch(inner)}${soft ? ` : $error("${CONFLICT}")` : ""}`), code);
  }
}

/** As a branch of a condition. */
function branch(code) {
  return / \? /.test(code) ? `(${code})` : code;
}

/** In brackets, where it is more than a path or a call. */
export function group(code) {
  return /^[$\w.`[\]-]+$/.test(code) || /^\$\w+\([^()]*\)$/.test(code) ? code : `(${code})`;
}
