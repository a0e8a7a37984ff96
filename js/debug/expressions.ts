// @ts-nocheck: has no types yet.
// Questions about values, in the languages of definitions.

import * as module from "../../dist/glue.js";
import type { Evaluated, Values } from "../api/debug.d.ts";
import { call } from "../border/instance.ts";
import { misuse } from "../base/errors.ts";
import { argumentText } from "../tasks/integration.ts";
import { shown } from "../base/shown.ts";

/**
 * Asks in "jsonata", "jsonpath" or "template" (a payload template as JSON text): `{value}`, `{nothing: true}` or
 * `{message, code?, offset?}`.
 */
export function ask(dialect, question, values = {}) {
  if (!["jsonata", "jsonpath", "template"].includes(dialect)) throw misuse("INVALID_ARGUMENT", `the language must be "jsonata", "jsonpath" or "template", not ${shown(dialect)}`);
  if (typeof question !== "string") throw misuse("INVALID_ARGUMENT", `the question must be a string, not ${shown(question)}`);
  if (typeof values !== "object" || values === null) throw misuse("INVALID_ARGUMENT", `the values must be an object, not ${shown(values)}`);
  return answerTo(dialect, question, values);
}

/** The same for what has been looked at before. */
export function answerTo(dialect: string, question: string, { input = null, context = {}, variables = {}, now = 0 }: Values = {}): Evaluated {
  const texts = [input, context, variables].map((value) => argumentText(value, "a value"));
  return JSON.parse(call(module.ask, dialect, question, ...texts, now));
}

const COMPARISON = /^(.*?[^<>=!])(==|=|!=|<=|>=|<|>)([^=].*)$/s;
const ORDER = {
  "=": (a, b) => same(a, b),
  "==": (a, b) => same(a, b),
  "!=": (a, b) => !same(a, b),
  "<": (a, b) => typeof a === typeof b && a < b,
  ">": (a, b) => typeof a === typeof b && a > b,
  "<=": (a, b) => typeof a === typeof b && a <= b,
  ">=": (a, b) => typeof a === typeof b && a >= b,
};

/**
 * Whether a condition holds: `{holds}` or `{message}`. In JSONPath it is a path, or two paths or JSON values with one of
 * = != < <= > >= between them; what a path does not find is no error but false.
 */
export function test(dialect, condition, values) {
  if (dialect !== "jsonpath") {
    const { value, message } = answerTo("jsonata", condition, values);
    return message === undefined ? { holds: truthy(value) } : { message };
  }
  const compared = condition.includes("?(") ? null : COMPARISON.exec(condition);
  if (!compared) {
    const side = operand(condition, values);
    return side.wrong ? { message: side.message } : { holds: truthy(side.value) };
  }
  const [left, right] = [operand(compared[1], values), operand(compared[3], values)];
  const wrong = [left, right].find((side) => side.wrong);
  if (wrong) return { message: wrong.message };
  if (left.missing || right.missing) return { holds: false };
  return { holds: ORDER[compared[2]](left.value, right.value) };
}

function operand(text, values) {
  const trimmed = text.trim();
  if (!trimmed.startsWith("$") && !trimmed.startsWith("States.")) {
    try {
      return { value: JSON.parse(trimmed.replace(/^'(.*)'$/s, (_, inner) => JSON.stringify(inner))) };
    } catch {
      return { wrong: true, message: `${trimmed} is neither a path nor JSON` };
    }
  }
  const answer = answerTo("jsonpath", trimmed, values);
  if (answer.message === undefined) return { value: answer.value };
  return answer.offset !== undefined ? { wrong: true, message: answer.message } : { missing: true };
}

/** What JSONata's `$boolean` says. */
export function truthy(value) {
  if (Array.isArray(value)) return value.some(truthy);
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

export function same(a, b) {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}
