// Words and signs in one row of a drawing. Signs are drawn: a font need not have them.

import { type Part, SIGNS } from "../ui/signs.ts";
import { widthOf } from "../ui/measure.ts";

const SIGN = 11;
const GAP = 4;

/// Letters are so much of their font's size wide, in the common fonts.
const LETTER = 0.6;

/// How wide a row is in the font that is used, with letters that have this width in the common ones.
export function rowWidth(parts: readonly Part[], letter: number): number {
  return (
    parts.reduce((sum, part) => sum + (typeof part === "string" ? widthOf(part, letter / LETTER) : SIGN), 0) +
    Math.max(0, parts.length - 1) * GAP
  );
}

/// A row with its middle at x, and the line of its text at y.
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
