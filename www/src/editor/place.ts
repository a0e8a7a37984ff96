// The definition's editor, for what goes to a place in it from elsewhere.

import { signal } from "@preact/signals";
import * as store from "../store.ts";
import type { EditorHandle } from "./codemirror.ts";

export const definitionEditor = signal<EditorHandle | null>(null);

/// Shows a state's name in the definition and puts the cursor there.
export function goToDefinition(name: string): void {
  const range = definitionEditor.value?.rangeOf(name);
  if (range) store.revealRange(range.nameFrom, range.nameTo);
}

/// Asks for another name of a state and writes it wherever the state is named.
export async function renameState(name: string): Promise<void> {
  const editor = definitionEditor.value;
  const range = editor?.rangeOf(name);
  if (!editor || !range) return;
  store.revealRange(range.nameFrom, range.nameTo);
  requestAnimationFrame(() => editor.rename(range.nameFrom + 1));
}

/// Whether the name of a state to go to is being asked for.
export const goingTo = signal(false);

export function openGoTo(): void {
  goingTo.value = true;
}
