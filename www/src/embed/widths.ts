// Measures text widths in the component's font, for the layout of its graph.

import type { TextWidths } from "stepglass";

/**
 * Returns the widths of all characters that the definition may show, in thousandths of an em; undefined if they cannot be
 * measured.
 */
export function widthsIn(element: Element, definition: string): TextWidths | undefined {
  const context = document.createElement("canvas").getContext("2d");
  if (!context) return undefined;
  const chars = [...new Set(`${String.fromCharCode(...Array(127).keys())}·×…${definition}`)];
  const of = (weight: number): number[] => {
    context.font = `${weight} 100px ${getComputedStyle(element).fontFamily}`;
    return chars.map((char) => Math.ceil(context.measureText(char).width * 10));
  };
  return { chars: chars.join(""), name: of(600), text: of(400) };
}
