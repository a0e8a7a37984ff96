// Changes of the definition's text that a pane makes: one step to undo, wherever its editor is.

import { definitionEditor } from "../editor/place.ts";
import type { Edit } from "../model/protocol.ts";
import * as store from "../store.ts";

/// Asks for edits of the present text and makes them; what is wrong, in words, or undefined.
export async function change(ask: (at: { text: string; format: "json" | "yaml" }) => Promise<{ edits: Edit[] } | { refused: string }>): Promise<string | undefined> {
  for (const flush of store.flushers) flush();
  const text = store.definition.value;
  const answer = await ask({ text, format: store.format.value }).catch((error: Error) => ({ refused: error.message }));
  if ("refused" in answer) return answer.refused;
  for (const flush of store.flushers) flush();
  if (store.definition.value !== text) return "The text has just changed. Try again.";
  const editor = definitionEditor.value;
  if (editor) editor.edit(answer.edits);
  else store.definition.value = [...answer.edits].reverse().reduce((whole, { from, to, text: put }) => whole.slice(0, from) + put + whole.slice(to), text);
  return undefined;
}
