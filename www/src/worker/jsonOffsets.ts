// The positions of the parts of a JSON text.

import { pointerStep } from "stepglass/pointer";
import { countFitting } from "stepglass/search";

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Returns the offset of every member and element, by JSON Pointer. For a member this is the offset of its name. The text must be
 * JSON.
 */
export function offsetsOf(json: string): Map<string, number> {
  const found = new Map<string, number>([["", 0]]);
  /** The enclosing containers: the pointer, and for a list the index of the next element. */
  const around: { pointer: string; index: number }[] = [];
  let key: string | undefined;
  let pending: { text: string; at: number } | undefined;
  const begins = (at: number): string => {
    const top = around.at(-1);
    if (!top) return "";
    const pointer = `${top.pointer}/${top.index >= 0 ? top.index : (key ?? "")}`;
    if (top.index >= 0) found.set(pointer, at);
    return pointer;
  };
  for (const { 0: token, index: at } of json.matchAll(TOKEN)) {
    if (token === ":" && pending) {
      key = pointerStep(JSON.parse(pending.text) as string);
      found.set(`${around.at(-1)?.pointer ?? ""}/${key}`, pending.at);
      pending = undefined;
    } else if (token === "{" || token === "[") around.push({ pointer: begins(at), index: token === "[" ? 0 : -1 });
    else if (token === "}" || token === "]") around.pop();
    else if (token === ",") {
      const top = around.at(-1);
      if (top && top.index >= 0) top.index += 1;
    } else {
      if (token.startsWith('"')) pending = { text: token, at };
      begins(at);
    }
  }
  return found;
}

/** Returns a function that gives the line of an offset, from 1. */
export function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => countFitting(starts.length, (line) => starts[line]! <= offset);
}
