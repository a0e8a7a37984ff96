// Placeholders outside of strings, while a definition is read and written: each has a word of its own in its place.

import { type Placeholder } from "../definition/placeholders.ts";
import { PLACEHOLDER } from "./expressions.ts";

/** The text with a word for each placeholder that no reader takes, and what puts placeholders back for the words. */
export function withWords(text: string, holes: readonly Placeholder[]): { kept: string; back: (written: string) => string } {
  const bare = holes.filter(({ quoted, plain }) => quoted === undefined && !plain);
  let kept = "";
  let at = 0;
  for (const [i, { start, end }] of bare.entries()) {
    kept += `${text.slice(at, start)}${JSON.stringify(`${PLACEHOLDER}${i}`)}`;
    at = end;
  }
  const back = (written: string) =>
    written.replace(new RegExp(`"?${PLACEHOLDER}(\\d+)"?`, "g"), (_, i: string) =>
      text.slice(bare[Number(i)]?.start, bare[Number(i)]?.end),
    );
  return { kept: kept + text.slice(at), back };
}
