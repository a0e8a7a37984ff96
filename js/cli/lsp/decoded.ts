// Decodes a string of a JSON or YAML document, and remembers the source position of each character.

import { isScalar, type Node, type Scalar } from "yaml";
import type { TextRange } from "../../core/api/index.d.ts";

/** Encodes a text as a part of the string. Undefined if the string's style cannot express it. */
type Encode = (text: string) => string | undefined;

/** A character of a string, and its offset in the document. */
type SourceCharacter = [char: string, at: number];

/** A decoded string. */
export class Decoded {
  readonly text: string;
  /** The offset of each character, and the offset where the last one ends. */
  readonly #offsets: number[];
  readonly encode: Encode;

  constructor(text: string, offsets: number[], encode: Encode) {
    this.text = text;
    this.#offsets = offsets;
    this.encode = encode;
  }

  get range(): TextRange {
    return { start: this.#offsets[0] ?? 0, end: this.#offsets.at(-1) ?? 0 };
  }

  /** Returns the index of the last character that begins at an offset or before it. */
  inside(offset: number): number | undefined {
    const { start, end } = this.range;
    if (offset < start || offset > end) return undefined;
    let [low, high] = [0, this.#offsets.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#offsets[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  documentRange({ start, end }: TextRange): TextRange {
    const last = this.#offsets.length - 1;
    const at = (index: number) => this.#offsets[Math.max(0, Math.min(last, index))] ?? 0;
    return { start: at(start), end: at(end) };
  }
}

/** Decodes a string node. Undefined for other nodes, and if the positions of its characters cannot be determined. */
export function decoded(source: string, node: Node | undefined): Decoded | undefined {
  if (!isScalar(node) || typeof node.value !== "string" || !node.range) return undefined;
  const [start, end] = node.range;
  const raw = source.slice(start, end);
  const { type } = node;
  if (type === "BLOCK_LITERAL" || type === "BLOCK_FOLDED") return block(node, raw, start);
  if (type === "QUOTE_DOUBLE") return alignCharacters(node.value, doubleQuoted(raw, start), start + raw.length - 1, inDoubleQuotes);
  if (type === "QUOTE_SINGLE")
    return alignCharacters(node.value, singleQuoted(raw, start), start + raw.length - 1, (text) =>
      text.includes("\n") ? undefined : text.replaceAll("'", "''"),
    );
  return alignCharacters(node.value, [...each(raw, start)], start + raw.length, (text) => (/[\n#:]/.test(text) ? undefined : text));
}

function inDoubleQuotes(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function block(node: Scalar, raw: string, start: number): Decoded | undefined {
  const header = raw.indexOf("\n") + 1;
  const lines = raw.slice(header).split("\n");
  const explicit = /^[|>][+-]?([1-9])/.exec(raw)?.[1];
  const first = lines.find((line) => line.trim() !== "") ?? "";
  const indent = /^ */.exec(first)?.[0].length ?? 0;
  // An explicit indentation indicator counts from the parent's indentation. That can be derived from the first line only if the
  // line has no more spaces.
  if (header === 0 || (explicit !== undefined && indent < Number(explicit))) return undefined;
  const written: SourceCharacter[] = [];
  let at = start + header;
  for (const line of lines) {
    const skipped = Math.min(indent, /^ */.exec(line)?.[0].length ?? 0);
    written.push(...each(line.slice(skipped), at + skipped), ["\n", at + line.length]);
    at += line.length + 1;
  }
  const space = " ".repeat(indent);
  return alignCharacters(String(node.value), written, Math.min(at, start + raw.length), (text) =>
    text.replaceAll(/\n(?!\n)/g, `\n${space}`),
  );
}

function* each(text: string, at: number): Generator<SourceCharacter> {
  for (let i = 0; i < text.length; i++) yield [text.charAt(i), at + i];
}

const ESCAPED: Record<string, string> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  0: "\0",
  a: "\x07",
  v: "\v",
  e: "\x1b",
  _: "\u00a0",
};

function doubleQuoted(raw: string, start: number): SourceCharacter[] {
  const written: SourceCharacter[] = [];
  for (let i = 1; i < raw.length - 1; i++) {
    const c = raw.charAt(i);
    if (c !== "\\") {
      written.push([c, start + i]);
      continue;
    }
    const next = raw.charAt(i + 1);
    const digits = { x: 2, u: 4, U: 8 }[next];
    if (digits === undefined) {
      written.push([ESCAPED[next] ?? next, start + i]);
      i += 1;
      continue;
    }
    const code = Number.parseInt(raw.slice(i + 2, i + 2 + digits), 16);
    for (const char of (code <= 0x10ffff ? String.fromCodePoint(code) : "").split("")) written.push([char, start + i]);
    i += 1 + digits;
  }
  return written;
}

function singleQuoted(raw: string, start: number): SourceCharacter[] {
  const written: SourceCharacter[] = [];
  for (let i = 1; i < raw.length - 1; i++) {
    written.push([raw.charAt(i), start + i]);
    if (raw.charAt(i) === "'") i += 1;
  }
  return written;
}

/** Maps the characters of a value to source characters. Folded line breaks and the spaces around them are skipped. */
function alignCharacters(value: string, written: readonly SourceCharacter[], end: number, encode: Encode): Decoded | undefined {
  const offsets: number[] = [];
  let next = 0;
  for (const char of value) {
    for (const unit of char.split("")) {
      while (next < written.length && !matchesCharacter(written[next], unit)) {
        if (!/\s/.test(written[next]?.[0] ?? "x")) return undefined;
        next += 1;
      }
      const found = written[next];
      if (found === undefined) return undefined;
      offsets.push(found[1]);
      next += 1;
    }
  }
  offsets.push(written[next]?.[1] ?? end);
  return new Decoded(value, offsets, encode);
}

/** A folded line break becomes a space. */
function matchesCharacter(written: SourceCharacter | undefined, unit: string): boolean {
  return written !== undefined && (written[0] === unit || (unit === " " && written[0] === "\n"));
}
