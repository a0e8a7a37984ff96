// Types and checks of JSON values.

import type { JsonValue } from "../api/index.d.ts";

export type { JsonValue };

/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** Returns a value if it is an array, else an empty array. */
export function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Returns whether a value is an object with members: neither null nor an array. */
export function isObject(value: JsonValue | undefined): value is JsonObject;
export function isObject(value: unknown): value is Record<string, unknown>;
export function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Returns whether a text has a surrogate without its other half, which UTF-8 cannot express. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE.test(text);
}
