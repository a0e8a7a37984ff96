// Converts texts for databases that cannot store every JavaScript string.

import { StoreError } from "./errors.ts";
import { storedJson } from "./stored-json.ts";

/** The method of strings that exists from Node 20 on. */
interface Checked {
  isWellFormed(): boolean;
}

/** The first character of an escaped text. No JSON text and no ARN begins with it. */
const ESCAPED = "\u0001";

/**
 * Returns a text in a form that a database can store. UTF-8 has no lone surrogates, drivers of SQLite read a text only up to its
 * first NUL, and PostgreSQL accepts no NUL. JSON has escapes for both. Blobs could store such texts, too, but drivers differ in how
 * they accept and return blobs.
 */
export function bound(text: string): string {
  const isStorable = (text as unknown as Checked).isWellFormed() && !text.includes("\0") && !text.startsWith(ESCAPED);
  return isStorable ? text : escaped(text);
}

/**
 * Returns the escaped form of a text that a database cannot store. The escaped form of a prefix, without its last quote, is a
 * prefix of the escaped form of the whole text.
 */
export function escaped(text: string): string {
  return ESCAPED + JSON.stringify(text);
}

/** Returns a text as it was passed to `bound`. */
export function textOf(value: unknown): string {
  if (typeof value !== "string") throw new StoreError("STORE_DAMAGED", "a text is missing or is none");
  return value.startsWith(ESCAPED) ? storedJson(value.slice(ESCAPED.length), "a text") : value;
}
