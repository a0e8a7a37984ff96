// The definition's editor, for what goes to a place in it from elsewhere.

import { signal } from "@preact/signals";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import * as selection from "../store/selection.ts";
import { shout, showToast } from "../store/words.ts";
import * as workspace from "../store/workspace.ts";
import type { EditorHandle } from "./codemirror.ts";
import type { Crumb } from "./states.ts";

export const definitionEditor = signal<EditorHandle | null>(null);

/// The editors on the page by their ids, and what can be undone in those that come next, by the same ids.
export const editors = new Map<string, EditorHandle>();
export const pasts = new Map<string, { text: string; past: unknown }>();

/// What is around the cursor.
export const path = signal<readonly Crumb[]>([]);

/// Shows a state's name in the definition and puts the cursor before it. The name is not selected: typing would replace the key.
export function goToDefinition(name: string): void {
  const range = definitionEditor.value?.placeOf(name);
  if (range) selection.revealRange(range.nameFrom, range.nameFrom);
}

/// Asks for another name of a state and writes it wherever the state is named.
export async function renameState(name: string): Promise<void> {
  const editor = definitionEditor.value;
  const range = editor?.placeOf(name);
  if (!editor || !range) return;
  selection.revealRange(range.nameFrom, range.nameTo);
  requestAnimationFrame(() => editor.rename(range.nameFrom + 1));
}

/// Turns a state, or all, to JSONata as far as that means the same, and says what could not be turned.
export async function convertToJsonata(state?: string): Promise<void> {
  if (analysis.inside.value)
    return showToast(`Go back to ${workspace.title.value} first: the machines that tasks start are changed under Mocks.`);
  workspace.flush();
  const text = workspace.definition.value;
  try {
    const { edits, converted, left } = await interpreter.query("convert", {
      text,
      format: workspace.format.value,
      ...(state !== undefined && { state }),
    });
    if (workspace.definition.value !== text) return showToast("The text has changed. Try again.");
    let next = text;
    for (const { from, to, text: put } of [...edits].reverse()) next = next.slice(0, from) + put + next.slice(to);
    workspace.edit({ definition: next });
    const done =
      converted.length === 1
        ? `“${converted[0]}” is in JSONata now.`
        : converted.length > 1
          ? `${converted.length} states are in JSONata now.`
          : left.length > 0
            ? "Nothing was converted."
            : "It is in JSONata already.";
    if (left.length === 0) return showToast(done);
    shout(
      `${done} In JSONPath ${left.length === 1 ? "stays" : "stay"} ${left.map(({ state: name, reason }) => `“${name}”: ${reason}`).join("; ")}.`,
    );
  } catch {
    showToast("The definition cannot be read yet, so nothing was converted.");
  }
}

/// Whether the name of a state to go to is being asked for.
export const goingTo = signal(false);

export function openGoTo(): void {
  goingTo.value = true;
}
