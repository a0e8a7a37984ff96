// The current keys, for all modules that display or look them up. The table itself is loaded as a separate chunk.

import { signal } from "@preact/signals";

/**
 * Where a key applies: anywhere, or only while one part of the page has the focus. `text` is every text editor, and `editor` is
 * that of the definition.
 */
export type Place = "page" | "graph" | "editor" | "text" | "timeline";

export interface Keymap {
  /** Returns the command of a key in a place. It has no `run` if the place itself handles it. */
  find(event: KeyboardEvent, place: Place): { id: string; run?(): void } | undefined;
  /** Returns a command's keys as they are displayed. */
  shown(id: string): string[];
  /** Returns its keys in the format of `aria-keyshortcuts`. */
  spoken(id: string): string | undefined;
}

export const keymap = signal<Keymap | null>(null);

/** Returns ` (F9)` for use after a title, or "" if the command has no key. */
export function keyHint(id: string): string {
  const [first] = keymap.value?.shown(id) ?? [];
  return first === undefined ? "" : ` (${first})`;
}
