// Checks of the fields of a test file.

import { isObject } from "../core/base/json.ts";
import { milliseconds } from "../core/base/duration.ts";
import { didYouMean } from "./did-you-mean.ts";

/** Reports a problem of a member of a field's value. */
export type Report = (member: string, message: string) => void;

/** Returns what a field must be, if its value is invalid. */
export type Check = (value: unknown, report: Report) => string | undefined;

/** A check for each of several fields. */
export type Checks<Fields> = { readonly [Name in keyof Fields]-?: Check };

/** Accepts every value. */
export const any: Check = () => undefined;

export const text: Check = (value) => (typeof value === "string" ? undefined : "must be a string");

export const whole: Check = (value) => (Number.isInteger(value) ? undefined : "must be a whole number");

export const boolean: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

export const list: Check = (value) => (Array.isArray(value) ? undefined : "must be a list");

export const object: Check = (value) => (isObject(value) ? undefined : "must be a map");

export const names: Check = (value) => (isNames(value) ? undefined : "must be a list of names");

export const counts: Check = (value) =>
  isNames(value) || isCounts(value) ? undefined : "must be a map of names to numbers, or a list of names";

export const calls: Check = (value) =>
  isObject(value) && Object.values(value).every((one) => Array.isArray(one) || isCount(one))
    ? undefined
    : "must be a map of names to numbers of calls, or to lists of their inputs";

export const duration: Check = (value) =>
  milliseconds(value) === undefined ? `must be a duration with its unit, such as 90 s or 1h 30m, not ${JSON.stringify(value)}` : undefined;

export const durations: Check = (value, report) => {
  if (!isObject(value)) return "must be a map of states to durations";
  for (const [state, one] of Object.entries(value)) {
    if (milliseconds(one) === undefined)
      report(state, `a duration must be a text with its unit, such as 90 s or 1h 30m, not ${JSON.stringify(one)}`);
  }
  return undefined;
};

export const errors: Check = (value) =>
  isObject(value) && Object.values(value).every((error) => typeof error === "string") ? undefined : "must be a map of states to errors";

export const definition: Check = (value) =>
  typeof value === "string" || isObject(value) ? undefined : "must be the path of a definition, or the definition itself";

export const mocks: Check = (value) => (isObject(value) ? undefined : "must be a map of mocks by state, function or resource");

export function oneOf(...words: string[]): Check {
  const known = `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  return (value) =>
    words.some((word) => word === value) ? undefined : `must be ${known}${typeof value === "string" ? didYouMean(value, words) : ""}`;
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isCounts(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isCount);
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}
