// Evaluates expressions and conditions in the query languages of definitions.

import * as module from "../../../dist/glue.js";
import type { ask as Ask, Evaluated, Values } from "../../core/api/debug.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { shown } from "../../core/base/shown.ts";
import { call } from "../../core/border/instance.ts";
import { argumentText } from "../../core/tasks/integration.ts";

/** The language of an expression. "template" is a payload template as JSON text. */
type Dialect = Parameters<typeof Ask>[0];

const DIALECTS: readonly Dialect[] = ["jsonata", "jsonpath", "template"];

/** Evaluates an expression with the given values. */
export function ask(dialect: Dialect, question: string, values: Values = {}): Evaluated {
  if (!DIALECTS.includes(dialect))
    throw misuse("INVALID_ARGUMENT", `the language must be "jsonata", "jsonpath" or "template", not ${shown(dialect)}`);
  if (typeof question !== "string") throw misuse("INVALID_ARGUMENT", `the question must be a string, not ${shown(question)}`);
  if (typeof values !== "object" || values === null) throw misuse("INVALID_ARGUMENT", `the values must be an object, not ${shown(values)}`);
  return answerTo(dialect, question, values);
}

/** Evaluates an expression without checking the arguments. */
export function answerTo(
  dialect: Dialect,
  question: string,
  { input = null, context = {}, variables = {}, now = 0 }: Values = {},
): Evaluated {
  const text = (value: unknown): string => argumentText(value, "a value");
  return JSON.parse(call(module.ask, dialect, question, text(input), text(context), text(variables), now));
}

const COMPARISON = /^(.*?[^<>=!])(==|=|!=|<=|>=|<|>)([^=].*)$/s;

/** Returns whether two values are in the order that an operator states. Values of different types have no order. */
function isOrdered(operator: string, a: unknown, b: unknown): boolean {
  if (operator === "=" || operator === "==") return same(a, b);
  if (operator === "!=") return !same(a, b);
  if (typeof a !== typeof b) return false;
  // The order is meant for numbers and strings, and JavaScript defines it for all values.
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

/** Whether a condition holds, or why it cannot be evaluated. */
export type Tested = { holds: boolean; message?: undefined } | { holds?: undefined; message: string };

/**
 * Tests a condition. In JSONPath it is a path, or two paths or JSON values with one of = != < <= > >= between them. A path that
 * finds nothing makes the condition false, without an error.
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

/** An operand of a comparison: its value, whether it is missing, or the error. */
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

/** Converts a value to a boolean, like `$boolean` of JSONata. */
function truthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(truthy);
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Returns whether two JSON values are equal. The order of members does not matter. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = Object.keys(x);
  return keys.length === Object.keys(y).length && keys.every((key) => Object.hasOwn(y, key) && same(x[key], y[key]));
}
