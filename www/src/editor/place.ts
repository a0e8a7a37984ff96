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
