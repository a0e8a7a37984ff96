// The list of a choice: which options it shows, and what its keys do.

import { type OptionGroup, filtered } from "./options.ts";
import type { Choice } from "./plan.ts";

/** How many options Page Up and Page Down go over. */
const PAGE = 8;

/** Returns the options for the typed text. `found` are those of the search elsewhere. */
export function groupsFor({ made }: Choice, own: readonly OptionGroup[], found: readonly OptionGroup[], text: string): OptionGroup[] {
  const written = made?.(text.trim());
  const others = [...filtered(own, text), ...(text.trim() === "" ? [] : found)];
  return written ? [{ title: "", options: [written] }, ...others] : others;
}

/** A key press in the list. */
interface ListKey {
  key: string;
  /** Alt is held, or Control or Command. */
  alt: boolean;
  mod: boolean;
  /** What has the focus: the list with its field, a button, or the purposes of the choice. */
  on: "list" | "button" | "modes";
}

/** What a key press does: it selects an option, answers with one, cancels, moves the selected option, or types. */
type ListAction =
  | { do: "mark"; at: number }
  | { do: "answer"; id: string | undefined }
  | { do: "cancel" }
  | { do: "move"; by: number }
  | { do: "type" }
  /** The browser handles the key. */
  | undefined;

/** Returns what a key press does in a list of options with these ids, of which the one at `at` is selected. */
export function listAction(choice: Choice, ids: readonly string[], at: number, { key, alt, mod, on }: ListKey): ListAction {
  const several = (choice.modes?.length ?? 0) > 1;
  const arrow = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  const letter = choice.keys?.[key.toLowerCase()];
  if (key === "Escape") return { do: "cancel" };
  if (alt && arrow !== 0 && choice.move) return { do: "move", by: arrow };
  if (arrow !== 0 && on !== "modes") return { do: "mark", at: (at + arrow + ids.length) % Math.max(1, ids.length) };
  if (key === "PageDown") return { do: "mark", at: Math.min(ids.length - 1, at + PAGE) };
  if (key === "PageUp") return { do: "mark", at: Math.max(0, at - PAGE) };
  if (letter !== undefined) return { do: "answer", id: letter };
  if (key === "Enter") return on === "button" ? undefined : { do: "answer", id: ids[at] };
  // Tab goes to the purposes and to the buttons, if there are any.
  if (key === "Tab") return several || choice.move ? undefined : { do: "cancel" };
  return key.length === 1 && !mod && !alt && on !== "modes" ? { do: "type" } : undefined;
}
