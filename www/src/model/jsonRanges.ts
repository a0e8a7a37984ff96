// The ranges of the parts of a JSON text.

import { pointerStep } from "stepglass/pointer";

export interface Node {
  start: number;
  end: number;
  members?: { key: string; start: number; value: Node }[];
  items?: Node[];
}

/** The maximum depth of nesting. No valid definition is nested deeper. */
const DEEPEST = 300;

/** Returns the ranges of all parts of a JSON text that can be read. */
export function read(json: string): Node | undefined {
  try {
    JSON.parse(json);
  } catch {
    return undefined;
  }
  let at = 0;
  const skip = (): void => {
    while (at < json.length && " \t\r\n".includes(json[at]!)) at++;
  };
  const text = (): string => {
    const start = at;
    for (at++; json[at] !== '"'; at++) if (json[at] === "\\") at++;
    return JSON.parse(json.slice(start, ++at)) as string;
  };
  const value = (depth: number): Node => {
    if (depth > DEEPEST) throw new RangeError("nested too deeply");
    skip();
    const start = at;
    const c = json[at];
    if (c === '"') {
      text();
      return { start, end: at };
    }
    if (c !== "{" && c !== "[") {
      while (at < json.length && !",]} \t\r\n".includes(json[at]!)) at++;
      return { start, end: at };
    }
    const members: NonNullable<Node["members"]> = [];
    const items: Node[] = [];
    at++;
    for (skip(); json[at] !== "}" && json[at] !== "]"; skip()) {
      if (json[at] === ",") {
        at++;
        continue;
      }
      if (c === "[") items.push(value(depth + 1));
      else {
        const begin = at;
        const key = text();
        skip();
        at++;
        members.push({ key, start: begin, value: value(depth + 1) });
      }
    }
    at++;
    return c === "[" ? { start, end: at, items } : { start, end: at, members };
  };
  return value(0);
}

/**
 * Returns the offset of every member and element of a JSON text, by JSON Pointer. For a member this is the offset of its name.
 * Returns only that of the whole for a text that cannot be read.
 */
export function memberOffsets(json: string): Map<string, number> {
  const found = new Map<string, number>([["", 0]]);
  const add = (node: Node, pointer: string): void => {
    for (const { key, start, value } of node.members ?? []) {
      const own = `${pointer}/${pointerStep(key)}`;
      found.set(own, start);
      add(value, own);
    }
    for (const [i, item] of node.items?.entries() ?? []) {
      found.set(`${pointer}/${i}`, item.start);
      add(item, `${pointer}/${i}`);
    }
  };
  const whole = read(json);
  if (whole !== undefined) add(whole, "");
  return found;
}
