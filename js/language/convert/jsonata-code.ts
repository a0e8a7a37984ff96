// The parts of converted fields: JSONata with the conditions under which the original has a value.
//
// JSONPath fails if a path finds nothing, and if it goes through a value that is neither an object nor a list. JSONata gives
// nothing there, or searches each item of a list. So an expression first checks what the original requires.

import { isObject, type JsonObject, type JsonValue } from "../../core/base/json.ts";

/** Thrown for something that has no equivalent in JSONata, or none that a program should choose. */
export class Unmechanical extends Error {}

export const CONTEXT = "$states.context";

/** The cause that the author of a machine sees if a ResultPath does not fit the input. Catchers recognize it by this text. */
export const CONFLICT = "States.ReferencePathConflict";

/** A condition that must hold. If a soft one does not, the original fails in a way that Retry and Catch can handle. */
export interface Need {
  text: string;
  soft: boolean;
}

export function need(text: string, soft = false): Need {
  return { text, soft };
}

/** The type of a value, as JSONata's $type names it. */
export type ValueType = "string" | "number" | "boolean" | "null" | "array" | "object";

/** A step of a path: a member's name or an item's index. */
export type Step = string | number;

/** A part of a converted field. */
export interface Part {
  /** Returns the part as one expression of JSONata. */
  expression(): Code;
  /** Returns the part as the value of a field. */
  field(emitter: Emitter): JsonValue;
  /** Returns the value one step further in. */
  step(step: Step): Part;
}

export function typeIs(code: string, type: ValueType): string {
  return `$type(${code}) = "${type}"`;
}

export function notNull(code: string): string {
  return `${code} != null`;
}

/** The properties of an expression. */
interface CodeOptions {
  /** Conditions under which the original has the value. */
  needs?: Need[];
  /** The condition that there is a value at all. Undefined if that is certain. */
  maybe?: string | undefined;
  /** Whether it can fail by itself. */
  fails?: boolean;
  /** The type of the value, if it is known. */
  type?: ValueType | undefined;
}

/** A JSONata expression for a value. */
export class Code implements Part {
  readonly code: string;
  readonly needs: Need[];
  readonly maybe: string | undefined;
  readonly fails: boolean;
  readonly type: ValueType | undefined;

  constructor(code: string, { needs = [], maybe, fails = false, type }: CodeOptions = {}) {
    this.code = code;
    this.needs = needs;
    this.maybe = maybe;
    this.fails = fails;
    this.type = type;
  }

  /** The conditions for use in a larger expression, where a missing value must not be taken for a missing member. */
  get demands(): Need[] {
    return this.maybe === undefined ? this.needs : [...this.needs, need(this.maybe)];
  }

  expression(): Code {
    return this;
  }

  field(emitter: Emitter): string {
    return `{% ${emitter.emit(this)} %}`;
  }

  step(step: Step): Code {
    const type = typeof step === "string" ? "object" : "array";
    if (this.type !== undefined && this.type !== type) throw nothing(step);
    const known = /^\$states\.context(\.(Execution|State|StateMachine))?$/.test(this.code) && typeof step === "string";
    const needs = known ? this.needs : [...this.needs, need(typeIs(this.code, type))];
    const code = `${root(this.code)}${typeof step === "string" ? `.${memberName(step)}` : `[${step}]`}`;
    return new Code(code, { needs, maybe: SURE.test(code) ? undefined : `$exists(${code})` });
  }
}

/** Matches members of the Context Object that every state has. */
const SURE = /^\$states\.context\.(Execution(\.(Id|Name|StartTime|Input))?|State(\.(Name|EnteredTime))?|StateMachine(\.(Id|Name))?)$/;

function root(code: string): string {
  return /[^\w$.`[\]\- ]/.test(code) && !/\)$/.test(code) ? `(${code})` : code;
}

/** Returns a member's name in the syntax of a path. */
function memberName(text: string): string {
  if (/^[A-Za-z_]\w*$/.test(text) && !["and", "or", "in", "true", "false", "null", "function"].includes(text)) return text;
  if (text.includes("`")) throw new Unmechanical(`the name ${JSON.stringify(text)} contains a backtick`);
  return `\`${text}\``;
}

/** JSON that is the same in both languages. */
export class Constant implements Part {
  readonly value: JsonValue;

  constructor(value: JsonValue) {
    this.value = value;
  }

  field(): JsonValue {
    return this.value;
  }

  expression(): Code {
    return new Code(JSON.stringify(this.value), { type: typeOf(this.value) });
  }

  step(step: Step): Constant {
    const { value } = this;
    let found: JsonValue | undefined;
    if (typeof step === "number") found = Array.isArray(value) ? value.at(step) : undefined;
    else if (isObject(value) && Object.hasOwn(value, step)) found = value[step];
    if (found === undefined) throw nothing(step);
    return new Constant(found);
  }
}

/**
 * Returns the literals of a template or a Result. A string that JSONata would evaluate as an expression has no equivalent there.
 */
export function constant(value: JsonObject): JsonObject;
export function constant(value: JsonValue): JsonValue;
export function constant(value: JsonValue): JsonValue {
  if (typeof value === "string" && /^\s*\{%[^]*%\}\s*$/.test(value))
    throw new Unmechanical(`the string ${JSON.stringify(value)} would be an expression in JSONata`);
  if (Array.isArray(value)) return value.map((item) => constant(item));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, constant(item)]));
  return value;
}

function typeOf(value: JsonValue): ValueType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "object";
}

function nothing(step: Step): Unmechanical {
  return new Unmechanical(`the state's result has no ${JSON.stringify(step)}`);
}

/** An object of which some members are computed. */
export class Members implements Part {
  readonly entries: [string, Part][];

  constructor(entries: [string, Part][]) {
    this.entries = entries;
  }

  field(emitter: Emitter): JsonValue {
    return Object.fromEntries(this.entries.map(([key, value]) => [key, value.field(emitter)]));
  }

  expression(): Code {
    const inner = this.entries.map(([key, value]): [string, Code] => [key, value.expression()]);
    const code = `{${inner.map(([key, value]) => `${JSON.stringify(key)}: ${value.code}`).join(", ")}}`;
    return new Code(code, {
      needs: inner.flatMap(([, value]) => value.demands),
      fails: inner.some(([, value]) => value.fails),
      type: "object",
    });
  }

  step(step: Step): Part {
    const found = this.entries.find(([key]) => key === step);
    if (found === undefined) throw nothing(step);
    return besides(
      found[1],
      this.entries.filter((entry) => entry !== found).map(([, value]) => value),
    );
  }
}

/** A list of which some items are computed. */
export class Items implements Part {
  readonly items: Part[];

  constructor(items: Part[]) {
    this.items = items;
  }

  field(emitter: Emitter): JsonValue {
    return this.items.map((item) => item.field(emitter));
  }

  expression(): never {
    throw new Unmechanical("JSONata flattens a list of computed values inside an expression");
  }

  step(): never {
    throw new Unmechanical("it selects an item of a list of computed values");
  }
}

/** An object with one member set: the result of a ResultPath on the raw input. */
export class Put implements Part {
  readonly base: Code;
  readonly name: string;
  readonly inner: Part;
  readonly needs: Need[];

  constructor(base: Code, name: string, inner: Part, needs: Need[]) {
    this.base = base;
    this.name = name;
    this.inner = inner;
    this.needs = needs;
  }

  expression(): Code {
    const inner = this.inner.expression();
    const code = `$merge([${this.base.code}, {${JSON.stringify(this.name)}: ${inner.code}}])`;
    // The value is computed before its path is created, from the outside in.
    const [made, way] =
      this.inner instanceof Put ? [inner.needs.filter(({ soft }) => !soft), inner.needs.filter(({ soft }) => soft)] : [inner.demands, []];
    return new Code(code, { needs: [...made, ...this.needs, ...way], fails: inner.fails, type: "object" });
  }

  field(emitter: Emitter): JsonValue {
    return this.expression().field(emitter);
  }

  step(step: Step): Part {
    const own = new Code("", { needs: this.needs });
    return step === this.name ? besides(this.inner, [own]) : besides(this.base.step(step), [this.inner, own]);
  }
}

/** Returns a value, with the conditions of others that are computed only because they may fail. */
export function besides(value: Part, others: Part[]): Part {
  const dropped = others.map((other) => other.expression());
  if (dropped.some(({ fails }) => fails)) throw new Unmechanical("it drops a value whose computation can fail");
  const needs = dropped.flatMap(({ demands }) => demands);
  if (needs.length === 0) return value;
  const { code, maybe, fails, type, needs: own } = value.expression();
  return new Code(code, { needs: [...needs, ...own], maybe, fails, type });
}

/** Writes expressions. A condition that one of them has checked need not be checked by the next of the same state. */
export class Emitter {
  #known: Set<string>;
  /**
   * `fatal` says whether a written expression can fail where the original ends the execution, and `soft` where it raises an error
   * for handlers.
   */
  fatal = false;
  soft = false;

  constructor(known = new Set<string>()) {
    this.#known = known;
  }

  /** Returns a copy for expressions that may not be evaluated, or later than their position suggests. */
  fork(): Emitter {
    return new Emitter(new Set(this.#known));
  }

  /** Adds the failures of a fork. */
  join(fork: Emitter): void {
    this.fatal ||= fork.fatal;
    this.soft ||= fork.soft;
  }

  knows(text: string): boolean {
    return this.#known.has(text);
  }

  learn(text: string): void {
    this.#known.add(text);
    // A value with a type exists, and null is a type of its own.
    const [, code, type] = /^\$type\((.*)\) = "(\w+)"$/.exec(text) ?? [];
    if (code === undefined) return;
    this.#known.add(`$exists(${code})`);
    if (type !== "null") this.#known.add(notNull(code));
  }

  /** Returns the conditions that were not checked yet, as one. Undefined if there are none. */
  ask(needs: Need[]): string | undefined {
    const asked: string[] = [];
    for (const { text, soft } of needs) {
      if (this.knows(text)) continue;
      if (soft) this.soft = true;
      else this.fatal = true;
      this.learn(text);
      asked.push(text);
    }
    if (asked.length === 0) return undefined;
    // A check of the type includes that the value exists.
    const needed = asked.filter(
      (text) => !/^\$exists\(/.test(text) || !asked.some((other) => other.startsWith(`$type(${text.slice(8)} = `)),
    );
    return needed.map((text) => (/ (or|and) /.test(text) && needed.length > 1 ? `(${text})` : text)).join(" and ");
  }

  /** Returns an expression that fails where the original does, in the same order. */
  emit({ code, needs, maybe, fails }: Code): string {
    const runs: { soft: boolean; needs: Need[] }[] = [];
    for (const one of needs) {
      const last = runs.at(-1);
      if (last?.soft === one.soft) last.needs.push(one);
      else runs.push({ soft: one.soft, needs: [one] });
    }
    const asked = runs.map((run) => ({ soft: run.soft, text: this.ask(run.needs) }));
    if (fails) this.fatal = true;
    if (maybe !== undefined && !this.knows(maybe)) {
      this.fatal = true;
      this.learn(maybe);
    }
    const within = (inner: string, { text, soft }: { text: string | undefined; soft: boolean }) =>
      text === undefined ? inner : `${text} ? ${branch(inner)}${soft ? ` : $error("${CONFLICT}")` : ""}`;
    return asked.reduceRight(within, code);
  }
}

/** Formats an expression as a branch of a condition. A block has its own brackets. */
function branch(code: string): string {
  return / \? /.test(code) && !/^\(\$\w+ := [^]*\)$/.test(code) ? `(${code})` : code;
}

/** Adds brackets around anything but a path or a call. */
export function group(code: string): string {
  return /^[$\w.`[\]-]+$/.test(code) || /^\$\w+\([^()]*\)$/.test(code) ? code : `(${code})`;
}
