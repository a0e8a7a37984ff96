// Attributes of executions: values of users, by which lists filter. Every store has an index of them.

import type { AttributeFilter, AttributeValue, ExecutionFilter } from "../../core/api/durable.d.ts";
import { hasLoneSurrogate, isObject } from "../../core/base/json.ts";
import { shown } from "../../core/base/shown.ts";

/** The attributes of an execution. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

// Limits, so that a value fits into a row of an index of every database.
const MOST = 64;
const LONGEST_NAME = 128;
const LONGEST_TEXT = 256;

/** A condition on one attribute. A value of another kind does not meet it. */
export type Condition = { name: string } & (
  | { value: AttributeValue }
  | { from: number | string | undefined; before: number | string | undefined; kind: "number" | "string" }
);

/** Returns what is wrong with the attributes of an execution, or undefined. With `changes`, null removes an attribute. */
export function attributeProblem(given: unknown, { changes = false }: { changes?: boolean } = {}): string | undefined {
  if (!isObject(given)) return `attributes must be an object, not ${shown(given)}`;
  const all = Object.entries(given);
  if (all.length > MOST) return `an execution can have at most ${MOST} attributes, but these are ${all.length}`;
  for (const [name, value] of all) {
    if (name === "" || name.length > LONGEST_NAME || !isPlain(name))
      return `the name of an attribute must have 1 to ${LONGEST_NAME} characters, without NUL and lone surrogates, not ${shown(name)}`;
    const problem = changes && value === null ? undefined : valueProblem(value);
    if (problem !== undefined) return `the attribute ${name} must be ${problem}`;
  }
  return undefined;
}

function valueProblem(value: unknown): string | undefined {
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return undefined;
  if (typeof value === "string" && value.length <= LONGEST_TEXT && isPlain(value)) return undefined;
  return `a boolean, a finite number, or a text of at most ${LONGEST_TEXT} characters without NUL and lone surrogates, not ${shown(value)}`;
}

function isPlain(text: string): boolean {
  return !text.includes("\0") && !hasLoneSurrogate(text);
}

/** Returns the attributes after a change; null removes one. Returns undefined if none are left. */
export function withAttributes(
  before: Attributes | undefined,
  change: Readonly<Record<string, AttributeValue | null>>,
): Attributes | undefined {
  const after = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  return after.length === 0 ? undefined : (Object.fromEntries(after) as Attributes);
}

/** Returns what is wrong with the attributes of a filter, or undefined. */
export function filterProblem(given: ExecutionFilter["attributes"]): string | undefined {
  if (given === undefined) return undefined;
  if (!isObject(given)) return `attributes of a filter must be an object, not ${shown(given)}`;
  for (const [name, wanted] of Object.entries(given)) {
    if (!isObject(wanted)) {
      const problem = valueProblem(wanted);
      if (problem !== undefined) return `the attribute ${name} of a filter must be { from, before } or ${problem}`;
      continue;
    }
    const { from, before, ...more } = wanted as { from?: unknown; before?: unknown };
    const ends = [from, before].filter((end) => end !== undefined);
    const kind = typeof ends[0];
    const isRange = (kind === "number" || kind === "string") && ends.every((end) => typeof end === kind && !Number.isNaN(end));
    if (!isRange || Object.keys(more).length > 0)
      return `the attribute ${name} of a filter must be a value, or { from, before } with two numbers or two texts, not ${shown(wanted)}`;
  }
  return undefined;
}

/** Returns the conditions of a filter: those for a value first, because they select the fewest executions. */
export function conditionsOf({ attributes }: ExecutionFilter): Condition[] {
  const all = Object.entries(attributes ?? {}).map(([name, wanted]): Condition => conditionOf(name, wanted));
  return [...all.filter((one) => "value" in one), ...all.filter((one) => !("value" in one))];
}

function conditionOf(name: string, wanted: AttributeFilter): Condition {
  if (typeof wanted !== "object") return { name, value: wanted };
  const { from, before } = wanted;
  return { name, from, before, kind: typeof (from ?? before) === "string" ? "string" : "number" };
}

/** Returns whether attributes meet a condition. */
export function meets(attributes: Attributes | undefined, condition: Condition): boolean {
  const { name } = condition;
  const value = attributes !== undefined && Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  if ("value" in condition) return value === condition.value;
  const { kind, from, before } = condition;
  if (typeof value !== kind || value === undefined) return false;
  return (from === undefined || !comesBefore(value, from)) && (before === undefined || comesBefore(value, before));
}

/** Compares numbers by size, and texts by code points, as databases do. */
function comesBefore(a: AttributeValue, b: AttributeValue): boolean {
  if (typeof a !== "string" || typeof b !== "string") return a < b;
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((character, i) => character !== right[i]);
  if (at < 0) return left.length < right.length;
  return at < right.length && (left[at]?.codePointAt(0) ?? 0) < (right[at]?.codePointAt(0) ?? 0);
}
