// The keys of the component's graph editor.

import { type EditorCommand, commandOf } from "../graph-editor/kernel/commands.ts";
import type { EditorState } from "../graph-editor/kernel/state.ts";

/** A key of the component itself. */
type OwnKey = "save" | "menu";

const OWN: Readonly<Record<string, OwnKey>> = { "Mod+S": "save", ContextMenu: "menu", "Shift+F10": "menu" };

/**
 * Returns what a key press does. `inGraph` is set if the graph has the focus; elsewhere only the keys of the whole component apply.
 */
export function keyOf(chords: readonly string[], state: EditorState, inGraph: boolean): OwnKey | EditorCommand | undefined {
  const own = chords.map((chord) => OWN[chord]).find((found) => found === "save" || (inGraph && found !== undefined));
  if (own) return own;
  const command = commandOf(chords, state);
  return inGraph || command?.text ? command : undefined;
}
