// Names that are computed from others, so that the same input always gives the same name.

import { uuidText } from "../../core/base/random.ts";

/** Returns a UUID that is computed from a text. */
export function uuidOf(text: string): string {
  const words = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344].map((seed) => hash(text, seed));
  return uuidText(words.map((word) => word.toString(16).padStart(8, "0")).join(""), 8);
}

/** Returns the 32-bit MurmurHash3 of a text's characters. */
function hash(text: string, seed: number): number {
  let h = seed;
  for (let i = 0; i < text.length; i += 1) {
    let k = Math.imul(text.charCodeAt(i), 0xcc9e2d51);
    k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
    h ^= k;
    h = Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64;
  }
  h ^= text.length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
