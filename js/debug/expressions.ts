// Questions about values, in the languages of definitions.

import * as module from "../../dist/glue.js";
import type { ask as Ask, Evaluated, Values } from "../api/debug.d.ts";
import { misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import { call } from "../border/instance.ts";
import { argumentText } from "../tasks/integration.ts";

/** The language of a question; "template" is a payload template as JSON text. */
type Dialect = Parameters<typeof Ask>[0];

const DIALECTS: readonly Dialect[] = ["jsonata", "jsonpath", "template"];

/** Asks a question about values. */
export function ask(dialect: Dialect, question: string, values: Values = {}): Evaluated {
  if (!DIALECTS.includes(dialect))
    throw misuse("INVALID_ARGUMENT", `the language must be "jsonata", "jsonpath" or "template", not ${shown(dialect)}`);
  if (typeof question !== "string") throw misuse("INVALID_ARGUMENT", `the question must be a string, not ${shown(question)}`);
  if (typeof values !== "object" || values === null) throw misuse("INVALID_ARGUMENT", `the values must be an object, not ${shown(values)}`);
  return answerTo(dialect, question, values);
}

/** The same without looking at what is given. */
export function answerTo(
  dialect: Dialect,
  question: string,
  { input = null, context = {}, variables = {}, now = 0 }: Values = {},
): Evaluated {
  const text = (value: unknown): string => argumentText(value, "a value");
  return JSON.parse(call(module.ask, dialect, question, text(input), text(context), text(variables), now));
}

const COMPARISON = /^(.*?[^<>=!])(==|=|!=|<=|>=|<|>)([^=].*)$/s;

/** Whether two values are in the order of an operator. Only values of one type are in one. */
function isOrdered(operator: string, a: unknown, b: unknown): boolean {
  if (operator === "=" || operator === "==") return same(a, b);
  if (operator === "!=") return !same(a, b);
  if (typeof a !== typeof b) return false;
  // Meant for numbers and strings, and defined for all values.
  const [x, y] = [a as number, b as number];
  switch (operator) {
    case "<":
      return x < y;
    case ">":
      return x > y;
    case "<=":
      return x <= y;
    default:
      return x >= y;
  }
}

/** Whether a condition holds, or why that cannot be told. */
export type Tested = { holds: boolean; message?: undefined } | { holds?: undefined; message: string };

/**
 * Tests a condition. In JSONPath it is a path, or two paths or JSON values with one of = != < <= > >= between them; what a path
 * does not find is no error but false.
 */
export function test(dialect: "jsonata" | "jsonpath", condition: string, values: Values): Tested {
  if (dialect !== "jsonpath") {
    const { value, message } = answerTo("jsonata", condition, values);
    return message === undefined ? { holds: truthy(value) } : { message };
  }
  const [, before, operator = "", after] = (condition.includes("?(") ? null : COMPARISON.exec(condition)) ?? [];
  const left = operand(before ?? condition, values);
  if (left.wrong !== undefined) return { message: left.wrong };
  if (after === undefined) return { holds: truthy(left.value) };
  const right = operand(after, values);
  if (right.wrong !== undefined) return { message: right.wrong };
  return { holds: !left.missing && !right.missing && isOrdered(operator, left.value, right.value) };
}

/** A side of a comparison: its value, that it is missing, or what is wrong with it. */
interface Operand {
  value?: unknown;
  missing?: boolean;
  wrong?: string;
}

function operand(text: string, values: Values): Operand {
  const trimmed = text.trim();
  if (!trimmed.startsWith("$") && !trimmed.startsWith("States.")) {
    try {
      return { value: JSON.parse(trimmed.replace(/^'(.*)'$/s, (_, inner) => JSON.stringify(inner))) };
    } catch {
      return { wrong: `${trimmed} is neither a path nor JSON` };
    }
  }
  const { value, message, offset } = answerTo("jsonpath", trimmed, values);
  if (message === undefined) return { value };
  return offset !== undefined ? { wrong: message } : { missing: true };
}

/** What JSONata's `$boolean` says. */
function truthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(truthy);
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Whether two JSON values are equal, whatever the order of members. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = Object.keys(x);
  return keys.length === Object.keys(y).length && keys.every((key) => Object.hasOwn(y, key) && same(x[key], y[key]));
}
