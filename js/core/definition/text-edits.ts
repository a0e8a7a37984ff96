// Applies edits to a text.

import type { TextEdit } from "../api/index.d.ts";

/** Applies edits, which must be sorted by position. */
export function applied(text: string, edits: readonly TextEdit[]): string {
  let out = "";
  let at = 0;
  for (const { start, end, text: put } of edits) {
    out += text.slice(at, start) + put;
    at = end;
  }
  return out + text.slice(at);
}
