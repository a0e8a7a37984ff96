// What JSON cannot express. JSON.stringify() writes a Map as {} and a symbol as null or not at all, without an error.

import { misuse } from "../base/errors.ts";
import { hasLoneSurrogate } from "../base/json.ts";
import { isJsonText } from "./known-text.ts";

/** A part of a value that JSON would change. */
interface Loss {
  /** Where it is: `$.items[2]`. */
  path: string;
  /** What it is, and what it becomes: `a Map becomes {}`. */
  change: string;
}

// A walk for a warning looks at this number of values. A walk for `strict` looks at all of them.
const WALKED = 1000;
// A deeper value is refused by the engine.
const DEEPEST = 256;
// Maximum number of different warnings of a process.
const WARNINGS = 100;
// JSON.stringify() writes only lone surrogates with this escape; other texts may have it for pairs.
const SURROGATE = /\\u[dD][89a-fA-F]/;
// Objects whose data is not in members.
const OPAQUE = new Set(["Map", "Set", "WeakMap", "WeakSet", "Promise", "RegExp", "Error", "ArrayBuffer"]);

const warned = new Set<string>();

/**
 * Checks a value that is about to become JSON. If JSON would change it, throws INVALID_ARGUMENT with `strict`, and otherwise prints a
 * warning, once for each name and kind of value. `name` says what the value is: "the input".
 */
export function checkLoss(value: unknown, name: string, strict: boolean): void {
  if (typeof value !== "object" && typeof value !== "function" && typeof value !== "symbol" && typeof value !== "string") return;
  report(new Walk(strict ? Infinity : WALKED).find(value), name, strict);
}

function report(loss: Loss | undefined, name: string, strict: boolean): void {
  if (loss === undefined) return;
  const { path, change } = loss;
  if (strict) throw misuse("INVALID_ARGUMENT", `${name} cannot be written as JSON without a change: at ${path}, ${change}`);
  const kind = `${name}: ${change}`;
  if (warned.has(kind) || warned.size >= WARNINGS) return;
  warned.add(kind);
  const advice = "Convert it to a value that JSON has; the option strict: true makes this an error.";
  console.warn(`stepglass: JSON cannot express ${name}: at ${path}, ${change}. ${advice}`);
}

class Walk {
  #left: number;

  constructor(values: number) {
    this.#left = values;
  }

  /** Returns the first part of a value that JSON would change. */
  find(value: unknown, path = "$", depth = 0): Loss | undefined {
    if (this.#left-- <= 0 || depth > DEEPEST) return undefined;
    switch (typeof value) {
      case "string":
        return hasLoneSurrogate(value) ? { path, change: "a lone surrogate becomes U+FFFD" } : undefined;
      case "number":
        return Number.isFinite(value) ? undefined : { path, change: `${value} becomes null` };
      case "symbol":
      case "function":
        return { path, change: `a ${typeof value} becomes null or is left out` };
      case "object":
        return value === null ? undefined : this.#object(value, path, depth);
      default:
        return undefined;
    }
  }

  #object(value: object, path: string, depth: number): Loss | undefined {
    if (isJsonText(value)) return SURROGATE.test(value.text) ? this.find(value.value, path, depth) : undefined;
    if (typeof (value as { toJSON?: unknown }).toJSON === "function") return undefined;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length && this.#left > 0; i++) {
        const found = this.find(value[i], `${path}[${i}]`, depth + 1);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    const lost = opaque(value);
    if (lost !== undefined) return { path, change: lost };
    for (const name of Object.keys(value)) {
      if (this.#left <= 0) break;
      const at = /^[A-Za-z_]\w*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
      if (hasLoneSurrogate(name)) return { path: at, change: "a lone surrogate becomes U+FFFD" };
      const found = this.find((value as Record<string, unknown>)[name], at, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Says what an object loses whose data is not in its own members; undefined for every other object. */
function opaque(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (OPAQUE.has(tag)) return `${article(tag)} ${tag} ${tag === "Error" ? "loses its name and message" : "becomes {}"}`;
  // A boxed number, string or boolean is written as its value.
  if (Object.keys(value).length > 0 || tag === "Number" || tag === "String" || tag === "Boolean" || tag === "Object") return undefined;
  return `${article(tag)} ${tag} becomes {}`;
}

function article(word: string): string {
  return /^[AEIO]/.test(word) ? "an" : "a";
}
