// Edits of a text.

import type { TextEdit } from "../api/index.d.ts";

/** The text with its edits, which are in the order of their places. */
export function applied(text: string, edits: readonly TextEdit[]): string {
  let out = "";
  let at = 0;
  for (const { start, end, text: put } of edits) {
    out += text.slice(at, start) + put;
    at = end;
  }
  return out + text.slice(at);
}
