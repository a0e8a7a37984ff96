// The messages of the graph editor.

import type { Edited } from "stepglass";
import { count, sentence, unticked } from "../../ui/format.ts";
import { type Plan, ask } from "./plan.ts";

/** Returns a part of a sentence as a whole one, for plain text. */
export const whole = (text: string): string => unticked(sentence(text)).replace(/\.?$/, ".");

/** Returns what a gesture has done, for screen readers: the change, what it has removed, and the errors that it has introduced. */
export function announcement({ announce, losses }: Edited, introduced: Edited["introduces"]): string {
  const problems = introduced.map(({ message }) => unticked(sentence(message))).join("; ");
  return [
    announce,
    ...losses.map(({ message }) => message),
    ...(problems === "" ? [] : [`New ${introduced.length === 1 ? "problem" : "problems"}: ${problems}`]),
  ]
    .map(whole)
    .join(" ");
}

export const NO_STATE = "Select a state first, in the graph or in the definition.";
export const UNREADABLE_CLIPBOARD = "The browser does not let the page read the clipboard. Paste with the keyboard instead.";

/** Returns how many states are selected. */
export const selectedTitle = (number: number): string => (number === 0 ? "Nothing is selected." : `${count(number, "state")} selected.`);
export const copiedTitle = (number: number): string => `Copied ${count(number, "state")}.`;

/** Shows why something is not possible. */
export const refuse = (message: string | undefined): Plan =>
  ask("notify", message === undefined ? "That is not possible here." : whole(message), true);
