// A view of a machine in a file as a text of its own: without the surrounding indentation, without the escapes of a text that
// contains it, and with placeholders for the template's functions. Edits of the view are written to the file.

import { type Change, changesOf } from "./lines.ts";

/** A range of the file, and what is shown for it. If the two are equal, they correspond character by character. */
export interface Piece {
  shown: string;
  start: number;
  end: number;
}

/** Returns how a text is written there; undefined if that is not possible. */
export type Encode = (text: string) => string | undefined;

export class View {
  readonly text: string;
  readonly #source: string;
  readonly #pieces: readonly (Piece & { at: number })[];
  readonly #encode: Encode;
  /** The placeholders of the template's functions and how the functions are written, the longest first. */
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

  /**
   * Returns the changes of the file that turn the view into another text; undefined if they cannot be written. With `wide`,
   * hidden source around a changed range is replaced too, such as the function around a text.
   */
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

  /** Extends a change that overlaps a function's placeholder to the whole placeholder. */
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

  /** Returns the position in the file of an offset of the view, behind or before adjacent hidden source. */
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

  /** Returns a text as it is written in the file, with the template's functions in place of their placeholders. */
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

/**
 * Returns a view of a range without the indentation that its lines share with their surroundings. `skips` are ranges with other
 * contents.
 */
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

/** Returns a text with line ends and indentation; empty lines are not indented. */
export const inLines = (text: string, eol: string, indent: string): string =>
  text.replace(/\n(?!\n)/g, `\n${indent}`).replaceAll("\n", eol);
