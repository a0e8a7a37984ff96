// Colours an expression or a small JSON text, and marks the part that has a problem.

import { type FieldForm, isText } from "../../model/field.ts";

export interface Piece {
  text: string;
  kind: string;
}

const JSON_TOKEN = /("(?:[^"\\\n]|\\.)*"?)(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const JSONATA_TOKEN =
  /\/\*[^]*?\*\/|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?|\$\$?[\w\u0080-\uffff]*|\b(?:and|or|in|function|true|false|null)\b|\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The maximum length of a coloured text. */
const LONGEST = 20_000;

export function pieces(text: string, form: FieldForm, wrong?: { from: number; to: number }): Piece[] {
  const found: Piece[] = [];
  const bounds = wrong ? [Math.min(wrong.from, text.length), Math.min(wrong.to, text.length)] : [];
  let at = 0;
  const add = (end: number, kind: string): void => {
    for (const stop of [...bounds.filter((bound) => bound > at && bound < end), end]) {
      if (stop === at) continue;
      const bad = wrong && at >= bounds[0]! && at < bounds[1]!;
      found.push({ text: text.slice(at, stop), kind: bad ? `${kind} xf-wrong` : kind });
      at = stop;
    }
  };
  const json = !isText(form, text);
  if (text.length <= LONGEST)
    for (const match of text.matchAll(json ? JSON_TOKEN : JSONATA_TOKEN)) {
      add(match.index, "");
      add(match.index + match[0].length, json ? ofJson(match) : ofJsonata(match[0], text[match.index + match[0].length]));
    }
  add(text.length, "");
  return found;
}

function ofJson([whole, string, colon]: RegExpMatchArray): string {
  if (string === undefined) return /^[-\d]/.test(whole) ? "j-number" : "j-word";
  return colon !== undefined ? "j-key" : /^"\{%/.test(string) ? "xf-inner" : "j-string";
}

function ofJsonata(token: string, next: string | undefined): string {
  if (token.startsWith("/*")) return "xf-comment";
  if (/^["']/.test(token)) return "j-string";
  if (token.startsWith("`")) return "";
  if (token.startsWith("$")) return next === "(" ? "xf-function" : "j-key";
  return /^\d/.test(token) ? "j-number" : "j-word";
}

/** Returns the word at an offset, for problems whose end is not known. */
export function wordAt(text: string, offset: number): { from: number; to: number } {
  const from = Math.max(0, Math.min(offset, Math.max(0, text.length - 1)));
  return { from, to: from + Math.max(1, /^[\w$.'`]*/.exec(text.slice(from))![0].length) };
}
