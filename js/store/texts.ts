// Texts in databases that cannot keep every string of JavaScript.

import { StoreError } from "./errors.ts";
import { storedJson } from "./stored-json.ts";

/** What strings have from Node 20 on. */
interface Checked {
  isWellFormed(): boolean;
}

/** Begins a text that is kept in another form: no JSON text and no ARN begins like this. */
const ESCAPED = "\u0001";

/**
 * A text as a database can keep it. UTF-8 has no lone surrogates, drivers of SQLite read a text as far as its first NUL, and PostgreSQL
 * takes none: JSON has escapes for both. Blobs could keep them, too, but drivers differ in how they take and give them.
 */
export function bound(text: string): string {
  const kept = (text as unknown as Checked).isWellFormed() && !text.includes("\0") && !text.startsWith(ESCAPED);
  return kept ? text : escaped(text);
}

/** The form of a text that SQLite could not keep; the form of its beginning, but for the last quote, is the beginning of its form. */
export function escaped(text: string): string {
  return ESCAPED + JSON.stringify(text);
}

/** A text as it was given to `bound`. */
export function textOf(value: unknown): string {
  if (typeof value !== "string") throw new StoreError("STORE_DAMAGED", "a text is missing or is none");
  return value.startsWith(ESCAPED) ? storedJson(value.slice(ESCAPED.length), "a text") : value;
}
