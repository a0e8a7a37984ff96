// Maps the characters of a string to their source offsets: through escapes, indentation and folded lines.

import { isScalar, type Document } from "yaml";
import { pointerSteps } from "../../core/base/pointer.ts";
import { extent, lookUp, written } from "./yaml-ranges.ts";

/** A string of a document, with the source offset of each of its characters and of the one after the last. */
export interface StringOffsets {
  offsets: Uint32Array;
  /** Whether its characters are written unchanged, as in a block of YAML. */
  isVerbatim: boolean;
}

const WHITE = /[ \t\r\n]/;

/** Returns the string at a pointer of a JSON text. */
export function textInJson(source: string, pointer: string): StringOffsets | undefined {
  const at = valueInJson(source, pointer);
  return at === undefined || source[at] !== '"' ? undefined : { offsets: offsetsInJson(source, at), isVerbatim: false };
}

/** Returns the offset of each character of the string whose quote is at an offset of a JSON text, and that of its end. */
export function offsetsInJson(source: string, quote: number): Uint32Array {
  return quotedOffsets(source, quote + 1, (from) => source[from] === '"' || from >= source.length);
}

/** Returns the offset of the value at a pointer of a JSON text. If it does not exist, returns that of the nearest one around it. */
export function valueInJson(source: string, pointer: string): number | undefined {
  const token = /\s*(?:"(?:[^"\\]|\\[^])*"|[[\]{}:,]|[^\s[\]{}:,"]+)/y;
  const next = (): [string, number] | undefined => {
    const found = token.exec(source);
    if (found === null) return undefined;
    const text = found[0].trimStart();
    return [text, token.lastIndex - text.length];
  };
  const skip = (first: string): void => {
    let open = first === "{" || first === "[" ? 1 : 0;
    while (open > 0) {
      const [text] = next() ?? [];
      if (text === undefined) return;
      if (text === "{" || text === "[") open += 1;
      else if (text === "}" || text === "]") open -= 1;
    }
  };
  let [value, at] = next() ?? [];
  for (const step of pointerSteps(pointer)) {
    const isList = value === "[";
    if (!isList && value !== "{") return at;
    let found: [string, number] | undefined;
    for (let i = 0; ; i++) {
      let one = next();
      if (one === undefined || one[0] === "]" || one[0] === "}") break;
      if (one[0] === ",") one = next();
      if (one === undefined) break;
      const name = isList ? String(i) : nameOf(one[0]);
      if (!isList) {
        next();
        one = next();
        if (one === undefined) break;
      }
      if (name === step) {
        found = one;
        break;
      }
      skip(one[0]);
    }
    if (found === undefined) return at;
    [value, at] = found;
  }
  return at;
}

function nameOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

/** Returns the string at a pointer of a YAML document. */
export function textInYaml(source: string, document: Document, pointer: string): StringOffsets | undefined {
  const node = written(document, lookUp(document, pointer).value);
  if (!isScalar(node) || !node.range) return undefined;
  const value = String(node.source ?? node.value);
  const [from, to] = extent(node);
  switch (node.type) {
    case "QUOTE_DOUBLE":
      return { offsets: quotedOffsets(source, from + 1, (at) => at >= to - 1), isVerbatim: false };
    case "QUOTE_SINGLE":
      return { offsets: foldedOffsets(source, from + 1, to - 1, value, true), isVerbatim: false };
    case "BLOCK_LITERAL":
      return { offsets: blockOffsets(source, lineAfter(source, from), to, value), isVerbatim: true };
    case "BLOCK_FOLDED":
      return { offsets: foldedOffsets(source, lineAfter(source, from), to, value, false), isVerbatim: true };
    default:
      return { offsets: foldedOffsets(source, from, to, value, false), isVerbatim: false };
  }
}

/** Returns the start of the next line. A block begins on the line after its indicator. */
function lineAfter(source: string, from: number): number {
  return source.indexOf("\n", from) + 1 || source.length;
}

/** Returns the offsets in a string with escapes, as in JSON and in double quotes of YAML. */
function quotedOffsets(source: string, from: number, isEnd: (at: number) => boolean): Uint32Array {
  const offsets: number[] = [];
  let at = from;
  while (!isEnd(at)) {
    const c = source[at];
    if (c === "\\") {
      const next = source[at + 1] ?? "";
      if (next === "\n" || next === "\r") {
        // The line continues on the next one.
        at += next === "\r" && source[at + 2] === "\n" ? 3 : 2;
        while (source[at] === " " || source[at] === "\t") at += 1;
        continue;
      }
      const digits = { x: 2, u: 4, U: 8 }[next] ?? 0;
      const isPair = next === "U" && Number.parseInt(source.slice(at + 2, at + 10), 16) > 0xffff;
      for (let i = 0; i < (isPair ? 2 : 1); i++) offsets.push(at);
      at += 2 + digits;
    } else if (c === "\n" || c === "\r") {
      at = fold(source, at, offsets);
    } else {
      offsets.push(at);
      at += 1;
    }
  }
  offsets.push(at);
  return Uint32Array.from(offsets);
}

/** Folds a line break in a quoted string: to a space, or to a line feed for each empty line. */
function fold(source: string, at: number, offsets: number[]): number {
  while (offsets.length > 0 && (source[at - 1] === " " || source[at - 1] === "\t") && offsets.at(-1) === at - 1) {
    offsets.pop();
    at -= 1;
  }
  const start = at;
  let lines = 0;
  while (WHITE.test(source[at] ?? "")) {
    if (source[at] === "\n") lines += 1;
    at += 1;
  }
  for (let i = 0; i < Math.max(1, lines - 1); i++) offsets.push(start);
  return at;
}

/** Returns the offsets in a string whose lines may be folded: white space of the value matches white space of the source. */
function foldedOffsets(source: string, from: number, to: number, value: string, isQuoted: boolean): Uint32Array {
  const offsets = new Uint32Array(value.length + 1).fill(to);
  let at = from;
  for (let i = 0; i < value.length && at < to;) {
    if (source[at] === value[i] && value[i] !== "\n") {
      offsets[i++] = at;
      at += isQuoted && source[at] === "'" ? 2 : 1;
    } else if (WHITE.test(value[i] ?? "") || WHITE.test(source[at] ?? "")) {
      const start = at;
      while (at < to && WHITE.test(source[at] ?? "")) at += 1;
      while (i < value.length && WHITE.test(value[i] ?? "")) offsets[i++] = start;
      if (at === start && i < value.length) at += 1;
    } else {
      at += 1;
    }
  }
  return offsets;
}

/** Returns the offsets in a block, without the indentation of each line. */
function blockOffsets(source: string, from: number, to: number, value: string): Uint32Array {
  const offsets = new Uint32Array(value.length + 1).fill(to);
  let i = 0;
  let at = from;
  for (const line of value.split("\n")) {
    const end = source.indexOf("\n", at) < 0 ? to : Math.min(source.indexOf("\n", at), to);
    const written = source.slice(at, end).replace(/\r$/, "");
    const indent = Math.max(0, written.length - line.length);
    for (let j = 0; j <= line.length && i < offsets.length; j++) offsets[i++] = Math.min(at + indent + j, to);
    at = Math.min(end + 1, to);
  }
  return offsets;
}
