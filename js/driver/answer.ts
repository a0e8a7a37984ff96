// The text of a handler's answer, without writing it where it repeats what tasks were given, and noted for the next task where
// that is likely to get it: JSON.stringify() and JSON.parse() cost more than the rest of a small Task together.

import { noteAnswer, isNotingUseful, repeatedAnswer } from "../border/port.ts";

// Deeper answers are written, and refused by who reads them.
const DEPTH = 64;

// What was given last to more than one task.
let laidOut: unknown;
let layout: Layout | null = null;

/** The text of an answer as JSON.stringify() writes it; undefined where that has to be called. */
export function answerText(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const last = repeatedAnswer();
  if (last !== undefined) {
    if (last.value !== laidOut)
      [laidOut, layout] = [last.value, typeof last.value === "object" ? last.value && new Layout(last.value) : null];
    if (layout && isLike(layout, value)) return last.text;
  }
  if (!isNotingUseful()) return undefined;
  // What is written is the copy: an object that answers otherwise when it is asked again is asked once.
  const copy = copyOf(value, DEPTH);
  if (copy === undefined) return undefined;
  const text = JSON.stringify(copy);
  noteAnswer(text, copy);
  return text;
}

/** What JSON.parse() has made, laid out for comparisons: names in their order, `undefined` for an array, and what they name. */
class Layout {
  readonly names: readonly string[] | undefined;
  readonly parts: readonly unknown[];

  constructor(value: object) {
    const part = (value: unknown) => (typeof value === "object" && value !== null ? new Layout(value) : value);
    this.names = Array.isArray(value) ? undefined : Object.keys(value);
    this.parts = Object.values(value).map(part);
  }
}

/** Whether an answer is written like what is laid out. False also means that this is hard to tell. */
function isLike({ names, parts }: Layout, value: object): boolean {
  if (names === undefined) {
    if (!Array.isArray(value) || value.length !== parts.length || isWrittenOtherwise(value)) return false;
    for (let i = 0; i < parts.length; i++) if (parts[i] !== value[i] && !isPartLike(parts[i], value[i])) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype || isWrittenOtherwise(value)) return false;
  let i = 0;
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (name !== names[i] || (parts[i] !== member && !isPartLike(parts[i], member))) return false;
    i += 1;
  }
  return i === names.length;
}

function isPartLike(part: unknown, value: unknown): boolean {
  return part instanceof Layout && typeof value === "object" && value !== null && isLike(part, value);
}

/** A copy of an answer that JSON.parse() would make of its text too; undefined where the text says something else. */
function copyOf(value: object, depth: number): object | undefined {
  if (depth === 0 || isWrittenOtherwise(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    if (prototype !== Array.prototype) return undefined;
    const items: unknown[] = value.slice();
    for (let i = 0; i < items.length; i++) {
      const item = partOf(items[i], depth);
      if (item === undefined) return undefined;
      items[i] = item;
    }
    return items;
  }
  if (prototype !== Object.prototype) return undefined;
  const members: Record<string, unknown> = { ...value };
  for (const name in members) {
    const member = partOf(members[name], depth);
    // An assignment to the name would set the prototype.
    if (member === undefined || name === "__proto__") return undefined;
    members[name] = member;
  }
  return members;
}

function partOf(part: unknown, depth: number): unknown {
  switch (typeof part) {
    case "string":
    case "boolean":
      return part;
    case "number":
      // -0 is written as 0, and what is not finite as null.
      return Number.isFinite(part) && !Object.is(part, -0) ? part : undefined;
    case "object":
      return part === null ? null : copyOf(part, depth - 1);
    default:
      return undefined;
  }
}

/** Whether JSON.stringify() asks a value how it is written. */
function isWrittenOtherwise(value: object): boolean {
  return (value as { toJSON?: unknown }).toJSON !== undefined;
}
