// JSON values, and which of them are objects.

import type { JsonValue } from "../api/index.d.ts";

export type { JsonValue };

/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** A value as an array; empty if it is not one. */
export function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a value is an object with members: neither null nor a list. */
export function isObject(value: JsonValue | undefined): value is JsonObject;
export function isObject(value: unknown): value is Record<string, unknown>;
export function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
