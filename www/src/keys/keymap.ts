// The keys that hold now, for all who show or ask them. The table itself comes as a chunk of its own.

import { signal } from "@preact/signals";

/// Where a key means something: anywhere, or only with the focus in one part of the page; `text` is every text editor, `editor`
/// that of the definition.
export type Place = "page" | "graph" | "editor" | "text" | "timeline";

export interface Keymap {
  /// The command that a key means there; it has no `run` where the place itself does it.
  find(event: KeyboardEvent, place: Place): { id: string; run?(): void } | undefined;
  /// A command's keys as people read them.
  shown(id: string): string[];
  /// Its keys as `aria-keyshortcuts` has them.
  spoken(id: string): string | undefined;
}

export const keymap = signal<Keymap | null>(null);

/// ` (F9)` after a title, or nothing where the command has no key.
export function keyHint(id: string): string {
  const [first] = keymap.value?.shown(id) ?? [];
  return first === undefined ? "" : ` (${first})`;
}
