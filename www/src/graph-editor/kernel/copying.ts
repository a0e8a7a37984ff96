// Copying states to the clipboard, as the text of a definition, and pasting such a text.

import { deleteHere } from "./changing.ts";
import { type Where, pasted } from "./gestures.ts";
import { UNREADABLE_CLIPBOARD, copiedTitle } from "./messages.ts";
import { textOf } from "./performing.ts";
import { type Plan, ask } from "./plan.ts";
import { type EditorState, idsOf, statesOf } from "./state.ts";
import { scopeOf, transitionBehind } from "./transitions.ts";

/** Copies the selected states. `cut` deletes them. */
export function* copy(state: EditorState, cut: boolean): Plan {
  const text = yield* textOf(idsOf(state));
  if (text === undefined) return;
  yield* ask("putClipboard", text);
  yield* copied(state, cut);
}

/** Announces that the selected states are in the clipboard, and deletes them with `cut`. */
export const copied = (state: EditorState, cut: boolean): Plan =>
  cut ? deleteHere(state) : ask("notify", copiedTitle(statesOf(state).length));

/** Pastes the clipboard. Menus use this, because they have no clipboard event. */
export function* paste(): Plan {
  const text = yield* ask("clipboard");
  if (text === undefined) return yield* ask("notify", UNREADABLE_CLIPBOARD, true);
  yield* pasteText(text);
}

/** Inserts states into the transition behind the focused state. They stay unconnected if there is no such state or transition. */
export function* pasteText(text: string): Plan {
  if (text.trim() === "") return yield* ask("notify", "There is nothing to paste.", true);
  const { index, node } = yield* ask("state");
  const way = index && node ? transitionBehind(index, node) : undefined;
  const where: Where = way ? { edge: way.id } : { scope: node ? scopeOf(node.id) : "" };
  yield* ask("perform", pasted(text, where));
}
