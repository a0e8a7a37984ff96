// Measures text widths in the font of the graph.

import type { TextWidths } from "stepglass";

const EM = 100;
const WEIGHTS = { name: 600, text: 400 };
type Face = keyof typeof WEIGHTS;
let ascii = "";
for (let code = 0x20; code < 0x7f; code++) ascii += String.fromCharCode(code);
ascii += "·×…";

const context = document.createElement("canvas").getContext("2d");
const held = { name: new Map<string, number>(), text: new Map<string, number>() };

/** Returns the width of a character, in thousandths of an em. */
function advance(char: string, face: Face): number {
  let width = held[face].get(char);
  if (width === undefined) {
    if (context)
      context.font = `${WEIGHTS[face]} ${EM}px ${getComputedStyle(document.documentElement).getPropertyValue("--sans") || "sans-serif"}`;
    held[face].set(char, (width = Math.ceil(((context?.measureText(char).width ?? 60) / EM) * 1000)));
  }
  return width;
}

/** Returns the width of a text at a font size, in px. */
export function widthOf(text: string, size: number, face: Face = "name"): number {
  let sum = 0;
  for (const char of text) sum += advance(char, face);
  return (sum * size) / 1000;
}

let common: TextWidths | undefined;
/** Returns the widths of all characters that a definition may show, for the layout. */
export function widthsFor(definition: string): TextWidths {
  const of = (chars: string): TextWidths => ({
    chars,
    name: [...chars].map((char) => advance(char, "name")),
    text: [...chars].map((char) => advance(char, "text")),
  });
  common ??= of(ascii);
  const others = definition.replace(/[\0-\x7f]+/g, "");
  return others ? of([...new Set(ascii + others)].join("")) : common;
}

/** Breaks a name after words, into at most `most` lines of the width `room`. An ellipsis replaces what does not fit. */
export function wrapped(name: string, size: number, room: number, most: number): string[] {
  const lines: string[] = [];
  let rest = name;
  while (lines.length < most - 1 && widthOf(rest, size) > room) {
    let [at, sum, end] = [0, 0, 0];
    for (const char of rest) {
      sum += (advance(char, "name") * size) / 1000;
      const next = rest[end + char.length] ?? "";
      if (sum > room) break;
      end += char.length;
      if (/[\s\-_.:/]/.test(char) || (/\p{Ll}/u.test(char) && /\p{Lu}/u.test(next))) at = end;
    }
    // A single long word is truncated on the last available line, and not broken.
    if (at === 0) break;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  lines.push(cut(rest, size, room));
  return lines;
}

/** Returns the text, truncated with an ellipsis if it is wider than `room`. */
export function cut(text: string, size: number, room: number): string {
  if (widthOf(text, size) <= room) return text;
  let left = room - widthOf("…", size);
  let out = "";
  for (const char of text) {
    left -= (advance(char, "name") * size) / 1000;
    if (left < 0) break;
    out += char;
  }
  return `${out.trimEnd()}…`;
}
