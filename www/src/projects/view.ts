// A machine as it stands in a file, shown as a text of its own: without the indentation around it, without the escapes of the text
// that it is in, and with placeholders for what the template's functions give. What is changed in it is written in its place.

import { type Change, changesOf } from "./lines.ts";

/// A stretch of the file, and what is shown for it. Where the two are the same, it is one character after the other.
export interface Piece {
  shown: string;
  start: number;
  end: number;
}

/// How a text is written there; undefined where it cannot be.
export type Encode = (text: string) => string | undefined;

export class View {
  readonly text: string;
  readonly #source: string;
  readonly #pieces: readonly (Piece & { at: number })[];
  readonly #encode: Encode;
  /// What stands for functions of the template, and how those are written, the longest first.
  readonly #functions: [shown: string, written: string][];

  constructor(source: string, pieces: readonly Piece[], encode: Encode) {
    this.#source = source;
    let at = 0;
    this.#pieces = pieces.map((piece) => {
      const placed = { ...piece, at };
      at += piece.shown.length;
      return placed;
    });
    this.text = pieces.map(({ shown }) => shown).join("");
    this.#encode = encode;
    const functions = new Map<string, string>();
    for (const { shown, start, end } of pieces) {
      const written = source.slice(start, end);
      if (shown.includes("${") && shown !== written) functions.set(shown, written);
    }
    this.#functions = [...functions].sort(([a], [b]) => b.length - a.length);
  }

  /// Changes of the file that make the shown text another one; undefined where they cannot be written there. `wide`: what is not shown
  /// around a changed stretch goes with it, such as the function around a text.
  changes(next: string, wide = false): Change[] | undefined {
    const found: Change[] = [];
    for (const change of changesOf(this.text, next)) {
      const { from, to, text } = this.#whole(change);
      const put = this.#written(text);
      if (put === undefined) return undefined;
      const start = this.#place(from, !wide || to === from);
      found.push({ from: start, to: to === from ? start : Math.max(start, this.#place(to, wide)), text: put });
    }
    return found;
  }

  /// What reaches into a function's placeholder takes all of it.
  #whole({ from, to, text }: Change): Change {
    let [start, end] = [from, to];
    for (const { shown, at, start: a, end: b } of this.#pieces) {
      if (this.#isSame({ shown, start: a, end: b })) continue;
      if (at < from && at + shown.length > from) start = Math.min(start, at);
      if (at < to && at + shown.length > to) end = Math.max(end, at + shown.length);
    }
    return { from: start, to: end, text: this.text.slice(start, from) + text + this.text.slice(to, end) };
  }

  #isSame({ shown, start, end }: Piece): boolean {
    return end - start === shown.length && this.#source.startsWith(shown, start);
  }

  /// Where a place of the shown text is in the file; behind what is not shown there, or before it.
  #place(at: number, behind: boolean): number {
    const pieces = this.#pieces;
    let low = 0;
    let high = pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const piece = pieces[middle]!;
      if (behind ? piece.at <= at : piece.at + piece.shown.length < at) low = middle + 1;
      else high = middle;
    }
    const piece = pieces[behind ? low - 1 : low] ?? pieces.at(-1);
    if (!piece) return 0;
    const within = at - piece.at;
    if (within <= 0) return piece.start;
    return this.#isSame(piece) ? Math.min(piece.start + within, piece.end) : piece.end;
  }

  /// A text as the file has it, with functions of the template for their placeholders.
  #written(text: string): string | undefined {
    for (const [shown, written] of this.#functions) {
      const at = text.indexOf(shown);
      if (at < 0) continue;
      const before = this.#written(text.slice(0, at));
      const after = this.#written(text.slice(at + shown.length));
      return before === undefined || after === undefined ? undefined : before + written + after;
    }
    return this.#encode(text);
  }
}

/// A stretch of a file without the indentation that its lines share with what is around it. `skips` are stretches with something else
/// in their place.
export function indented(source: string, start: number, end: number, indent: string, skips: readonly Piece[] = []): View {
  const pieces: Piece[] = [];
  const plain = (from: number, to: number): void => {
    let at = from;
    for (;;) {
      const found = source.indexOf("\n", at);
      const line = found < 0 || found >= to ? to : found;
      const isReturn = line < to && source[line - 1] === "\r" && line - 1 >= at;
      const own = isReturn ? line - 1 : line;
      if (own > at) pieces.push({ shown: source.slice(at, own), start: at, end: own });
      if (line >= to) return;
      let next = line + 1;
      for (let i = 0; i < indent.length && next < to && source[next] === indent[i]; i++) next++;
      pieces.push({ shown: "\n", start: own, end: next });
      at = next;
    }
  };
  let at = start;
  for (const skip of skips) {
    plain(at, skip.start);
    pieces.push(skip);
    at = skip.end;
  }
  plain(at, end);
  const eol = /\r\n/.test(source.slice(start, end)) || (/\r\n/.test(source) && !source.slice(start, end).includes("\n")) ? "\r\n" : "\n";
  return new View(source, pieces, (text) => inLines(text, eol, indent));
}

/// With line ends and indentation; lines with nothing in them have none.
export const inLines = (text: string, eol: string, indent: string): string =>
  text.replace(/\n(?!\n)/g, `\n${indent}`).replaceAll("\n", eol);
