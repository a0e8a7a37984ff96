// Where the name of a state is in its card, and how small a drawing may become before names are cut. Nothing here depends on a page.

import { type GraphIndex, type GraphNode, isContainer, isState } from "./graph.ts";

/** Returns the width of a text at a font size, in px. */
type WidthOf = (text: string, size: number) => number;

/** The minimum height of a name on the screen, and its normal height in the drawing, which is used as long as it is larger. */
export const LEAST = 11;
export const DRAWN = 13;
/** If names would be larger than this, cards have no room for them. */
export const LARGEST = 38;
/** The line height of a name, relative to its font size. */
export const LINE = 1.06;
/** How far the status sign extends above the lower border, in px. */
const STATUS = 11;
/** The width of the icon's tile: normally, and beside a larger name. */
const TILE = 30;
const LARGE_TILE = 26;
/** The left edge of the icon, that of a name beside it, and that of a name without an icon: of normal size, and of larger ones. */
const ICON = 11;
const BESIDE = 52;
const LARGE_ICON = 3;
const LARGE_BESIDE = 31;
const ALONE = 6;
/** The space to the right of a larger name: in general, and beside the status sign. */
const RIGHT = 4;
const STATUS_RIGHT = 24;
/** The height of a card's head, and of the second line of a name of normal size. */
const HEAD = 54;

/** Returns whether a line may end after the character `char` when `next` follows. */
const mayBreak = (char: string, next: string): boolean =>
  /[\s\-_.:/]/.test(char) || (/\p{Ll}/u.test(char) && /\p{Lu}/u.test(next)) || (/\p{L}/u.test(char) && /\p{N}/u.test(next));

/** A shorter piece of a word is not left alone on a line, if a break between words is possible. */
const SHORTEST_PIECE = 3;

/**
 * Breaks a name after words, into at most `most` lines of the width `room`. A word that is wider than a line is broken inside. An
 * ellipsis replaces what does not fit.
 */
export function wrapped(name: string, size: number, room: number, most: number, widthOf: WidthOf): string[] {
  const lines: string[] = [];
  let rest = name;
  while (lines.length < most - 1 && widthOf(rest, size) > room) {
    let [at, sum, end] = [0, 0, 0];
    for (const char of rest) {
      sum += widthOf(char, size);
      const next = rest[end + char.length] ?? "";
      if (sum > room && !/\s/.test(char)) break;
      end += char.length;
      if (mayBreak(char, next)) at = end;
    }
    if (at === 0) at = end >= SHORTEST_PIECE ? end : 0;
    if (at === 0) break;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  lines.push(cut(rest, size, room, widthOf));
  return lines;
}

/** Returns the text, truncated with an ellipsis if it is wider than `room`. */
export function cut(text: string, size: number, room: number, widthOf: WidthOf): string {
  if (widthOf(text, size) <= room) return text;
  let left = room - widthOf("…", size);
  let out = "";
  for (const char of text) {
    left -= widthOf(char, size);
    if (left < 0) break;
    out += char;
  }
  return `${out.trimEnd()}…`;
}

/**
 * A name in its card. `icon` is the left edge of the icon and `tile` the width of its tile, in the middle of the card's head; `first`
 * is the base line of the first line.
 */
interface NamePlace {
  size: number;
  icon: number;
  tile: number;
  left: number;
  lines: string[];
  first: number;
}

/** Returns the layout of a name in its card. In a small drawing the name is larger and replaces smaller texts. */
export function placeName(node: GraphNode, size: number, icon: boolean, widthOf: WidthOf): NamePlace {
  const last = node.lines.length - 1;
  if (size === DRAWN)
    return { size, icon: ICON, tile: TILE, left: BESIDE, lines: node.lines.map((line, i) => (i < last ? `${line} ` : line)), first: 39 };
  const open = isContainer(node);
  const fold = node.type === "Parallel" || node.type === "Map" ? 28 : 0;
  const height = open ? HEAD + 16 * last : node.height;
  const most = Math.max(1, Math.floor((height + 2) / (size * LINE)));
  const low = (lines: string[]): number => (height - lines.length * size * LINE) / 2 + size * 0.9;
  const left = icon ? LARGE_BESIDE : ALONE;
  // The name has the whole card except the corner with the status.
  let lines = wrapped(node.name, size, node.width - left - RIGHT - fold, most, widthOf);
  if (!open && low(lines) + (lines.length - 1) * size * LINE > height - STATUS)
    lines = wrapped(node.name, size, node.width - left - STATUS_RIGHT - fold, most, widthOf);
  return { size, icon: LARGE_ICON, tile: LARGE_TILE, left, lines, first: low(lines) };
}

const isWhole = ({ lines }: NamePlace): boolean => !lines.at(-1)!.endsWith("…");

/** The step between two sizes of names, in px. */
export const STEP = 0.5;

/**
 * Returns the largest size of names, in px of the drawing, at which each card has its icon and its whole name. A name that is cut at
 * every size is left out.
 */
export function largestName({ graph }: GraphIndex, widthOf: WidthOf): number {
  let least = LARGEST;
  for (const node of graph.nodes) {
    if (!isState(node) || node.lines.at(-1)?.endsWith("…")) continue;
    while (least > DRAWN && !isWhole(placeName(node, least, true, widthOf))) least -= STEP;
  }
  return Math.max(DRAWN, least);
}

/** Returns the smallest scale at which names of at most this size are legible. */
export const leastScale = (name: number): number => LEAST / name;

/** Returns the smallest size of names, in px of the drawing, that is legible at a scale. */
export const legibleSize = (scale: number): number => Math.max(DRAWN, Math.ceil(LEAST / scale / STEP - 1e-6) * STEP);
