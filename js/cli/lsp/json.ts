// Places in a JSON text, however broken.

import type { TextRange } from "../../api/index.d.ts";

/** A name of a member that is being written at an offset and has no value yet, with its quotes. */
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

/** Where a string that begins at an offset ends; of one that is not closed, the end of its line. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const c = text[at];
    if (c === "\\") at += 1;
    else if (c === '"') return at + 1;
    else if (c === "\n") return at;
  }
  return text.length;
}

/** The objects and lists of a JSON text that take several lines. */
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
