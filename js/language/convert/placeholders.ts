// Replaces placeholders outside of strings by words while a definition is parsed and written again.

import { type Placeholder } from "../../core/definition/placeholders.ts";
import { PLACEHOLDER } from "./expressions.ts";

/** Returns the text with a word for each placeholder that no parser accepts, and a function that puts the placeholders back. */
export function withFillers(text: string, holes: readonly Placeholder[]): { filled: string; restore: (written: string) => string } {
  const bare = holes.filter(({ quoted, plain }) => quoted === undefined && !plain);
  let filled = "";
  let at = 0;
  for (const [i, { start, end }] of bare.entries()) {
    filled += `${text.slice(at, start)}${JSON.stringify(`${PLACEHOLDER}${i}`)}`;
    at = end;
  }
  const restore = (written: string) =>
    written.replace(new RegExp(`"?${PLACEHOLDER}(\\d+)"?`, "g"), (_, i: string) =>
      text.slice(bare[Number(i)]?.start, bare[Number(i)]?.end),
    );
  return { filled: filled + text.slice(at), restore };
}
