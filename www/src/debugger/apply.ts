// Edits the definition's text from a pane. Each change is one step in the undo history, wherever the editor is.

import { definitionEditor } from "../editor/definitionEditor.ts";
import type { Edit } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as workspace from "../store/workspace.ts";

/** Requests edits of the current text and applies them. Returns the problem, or undefined. */
export async function change(
  ask: (at: { text: string; format: "json" | "yaml" }) => Promise<{ edits: Edit[] } | { refused: string }>,
): Promise<string | undefined> {
  workspace.flush();
  if (analysis.inside.value) return changeMachine(analysis.inside.value.machine, ask);
  const text = workspace.definition.value;
  const answer = await ask({ text, format: workspace.format.value }).catch((error: Error) => ({ refused: error.message }));
  if ("refused" in answer) return answer.refused;
  workspace.flush();
  if (workspace.definition.value !== text) return "The text has changed. Try again.";
  const editor = definitionEditor.value;
  if (editor) editor.edit(answer.edits);
  else workspace.edit({ definition: edited(text, answer.edits) });
  return undefined;
}

/** Does the same in the text of a machine that tasks start. The change applies from the next run on. */
async function changeMachine(name: string, ask: Parameters<typeof change>[0]): Promise<string | undefined> {
  const machine = workspace.machines.value.find((one) => one.name.trim().split(":").at(-1) === name);
  if (!machine) return `There is no machine ${name} on this page.`;
  const answer = await ask({ text: machine.definition, format: "json" }).catch((error: Error) => ({ refused: error.message }));
  if ("refused" in answer) return answer.refused;
  workspace.edit({
    machines: workspace.machines.value.map((one) => (one === machine ? { ...one, definition: edited(one.definition, answer.edits) } : one)),
  });
  return undefined;
}

function edited(text: string, edits: readonly Edit[]): string {
  return [...edits].reverse().reduce((whole, { from, to, text: put }) => whole.slice(0, from) + put + whole.slice(to), text);
}
