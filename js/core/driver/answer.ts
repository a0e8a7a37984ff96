// The JSON text of a handler's answer. Texts that repeat the input of a task are not written again, and a text that the next task
// probably gets is noted for it: JSON.stringify() and JSON.parse() take more time than the rest of a small Task.

import { noteAnswer, isNotingUseful, repeatedAnswer } from "../border/port.ts";

// Maximum nesting of a compared answer. A deeper answer can be written, but the reader refuses it.
const DEPTH = 64;

// The last value that was given to more than one task.
let laidOut: unknown;
let layout: Layout | null = null;

/** Returns the text of an answer as JSON.stringify() writes it; undefined if JSON.stringify() must be called. */
export function answerText(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const last = repeatedAnswer();
  if (last !== undefined) {
    if (last.value !== laidOut)
      [laidOut, layout] = [last.value, typeof last.value === "object" ? last.value && new Layout(last.value) : null];
    if (layout && isLike(layout, value)) return last.text;
  }
  if (!isNotingUseful()) return undefined;
  // The copy is written, not the value, because a getter could return another value at the second read.
  const copy = copyOf(value, DEPTH);
  if (copy === undefined) return undefined;
  const text = JSON.stringify(copy);
  noteAnswer(text, copy);
  return text;
}

/** The layout of a value from JSON.parse(), for comparisons: the names in order (`undefined` for an array), and the parts. */
class Layout {
  readonly names: readonly string[] | undefined;
  readonly parts: readonly unknown[];

  constructor(value: object) {
    const part = (value: unknown) => (typeof value === "object" && value !== null ? new Layout(value) : value);
    this.names = Array.isArray(value) ? undefined : Object.keys(value);
    this.parts = Object.values(value).map(part);
  }
}

/** Returns whether an answer has the text of the layout's value. Also returns false if a comparison would be too expensive. */
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

/** Returns a copy of an answer, as JSON.parse() would create it from the answer's text; undefined if the text would differ. */
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
    // An assignment to `__proto__` would set the prototype.
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
      // JSON.stringify() writes -0 as 0, and numbers that are not finite as null.
      return Number.isFinite(part) && !Object.is(part, -0) ? part : undefined;
    case "object":
      return part === null ? null : copyOf(part, depth - 1);
    default:
      return undefined;
  }
}

/** Returns whether a value has a toJSON method. */
function isWrittenOtherwise(value: object): boolean {
  return (value as { toJSON?: unknown }).toJSON !== undefined;
}
