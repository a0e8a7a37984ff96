// Access to the definition's editor for other parts of the page.

import { signal } from "@preact/signals";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import * as selection from "../store/selection.ts";
import { showAlarm, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import type { EditorHandle } from "./codemirror.ts";
import type { Crumb } from "./states.ts";

export const definitionEditor = signal<EditorHandle | null>(null);

/** The editors on the page by id, and the undo histories for editors that are created later with the same id. */
export const editors = new Map<string, EditorHandle>();
export const pasts = new Map<string, { text: string; past: unknown }>();

/** The path of the cursor. */
export const path = signal<readonly Crumb[]>([]);

/** Moves the cursor before a state's name in the definition. The name is not selected, because typing would replace the key. */
export function goToDefinition(name: string): void {
  const range = definitionEditor.value?.placeOf(name);
  if (range) selection.revealRange(range.nameFrom, range.nameFrom);
}

/** Asks for a new name of a state and replaces it wherever the state is named. */
export async function renameState(name: string): Promise<void> {
  const editor = definitionEditor.value;
  const range = editor?.placeOf(name);
  if (!editor || !range) return;
  selection.revealRange(range.nameFrom, range.nameTo);
  requestAnimationFrame(() => editor.rename(range.nameFrom + 1));
}

/** Converts a state, or all states, to JSONata where the meaning stays the same, and reports what could not be converted. */
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
    showAlarm(
      `${done} In JSONPath ${left.length === 1 ? "stays" : "stay"} ${left.map(({ state: name, reason }) => `“${name}”: ${reason}`).join("; ")}.`,
    );
  } catch {
    showToast("The definition cannot be read yet, so nothing was converted.");
  }
}

/** Whether the dialog for the name of a state is open. */
export const goingTo = signal(false);

export function openGoTo(): void {
  goingTo.value = true;
}
