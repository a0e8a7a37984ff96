// A row of words and signs in the drawing. Signs are drawn as paths, because a font may not have them.

import { type Part, SIGNS } from "../ui/signs.ts";
import { widthOf } from "../ui/measure.ts";

const SIGN = 11;
const GAP = 4;

/** The average width of a letter in common fonts, relative to the font size. */
const LETTER = 0.6;

/** Returns the width of a row in the current font. `letter` is the width of a letter in common fonts. */
export function rowWidth(parts: readonly Part[], letter: number): number {
  return (
    parts.reduce((sum, part) => sum + (typeof part === "string" ? widthOf(part, letter / LETTER) : SIGN), 0) +
    Math.max(0, parts.length - 1) * GAP
  );
}

/** A row that is centred at `x` and has its baseline at `y`. */
export function Parts({ parts, letter, x, y }: { parts: readonly Part[]; letter: number; x: number; y: number }) {
  let at = x - rowWidth(parts, letter) / 2;
  return (
    <>
      {parts.map((part, i) => {
        const width = rowWidth([part], letter);
        const from = at;
        at += width + GAP;
        return typeof part === "string" ? (
          <text key={i} x={from + width / 2} y={y}>
            {part}
          </text>
        ) : (
          <path
            key={i}
            class="part-sign"
            data-sign={part.sign}
            transform={`translate(${from} ${y - 9.5}) scale(${SIGN / 20})`}
            d={SIGNS[part.sign]}
          />
        );
      })}
    </>
  );
}
