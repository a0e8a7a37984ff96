// Finds positions in a JSON text that may be invalid.

import type { TextRange } from "../../core/api/index.d.ts";

/** Returns the range, with quotes, of a member's name that is being typed at an offset and has no value yet. */
export function freshName(text: string, offset: number): TextRange | undefined {
  const open: ("{" | "[")[] = [];
  // Whether a name comes next.
  let name = false;
  for (let at = 0; at < text.length && at < offset; at++) {
    const c = text[at];
    if (c === '"') {
      const end = endOfString(text, at);
      if (offset > at && offset < end) {
        const isName = name && open.at(-1) === "{" && !/^\s*:/.test(text.slice(end, end + 100));
        return isName ? { start: at, end } : undefined;
      }
      at = end - 1;
    } else if (c === "{" || c === "[") {
      open.push(c);
      name = c === "{";
    } else if (c === "}" || c === "]") open.pop();
    else if (c === ",") name = open.at(-1) === "{";
    else if (c === ":") name = false;
  }
  return undefined;
}

/** Returns the end of a string that begins at an offset. An unclosed string ends with its line. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const c = text[at];
    if (c === "\\") at += 1;
    else if (c === '"') return at + 1;
    else if (c === "\n") return at;
  }
  return text.length;
}

/** Returns the objects and lists of a JSON text that take several lines. */
export function blocksOf(text: string): TextRange[] {
  const found: TextRange[] = [];
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    if (c === '"') at = endOfString(text, at) - 1;
    else if (c === "{" || c === "[") open.push(at);
    else if (c === "}" || c === "]") {
      const start = open.pop();
      if (start !== undefined && text.slice(start, at).includes("\n")) found.push({ start, end: at });
    }
  }
  return found;
}
