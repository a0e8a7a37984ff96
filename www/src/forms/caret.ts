// Finds the form's field for the caret in the text.

import { StateEffect } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { effect } from "@preact/signals";
import { definitionEditor } from "../editor/definitionEditor.ts";
import { caretAt, placeAround, shown } from "./current.ts";

const prepared = new WeakSet<EditorView>();

/** Highlights the field that is being edited in the text. */
export function followCaret(): void {
  const listener = EditorView.updateListener.of(({ view, selectionSet, docChanged, focusChanged }) => {
    if (selectionSet || docChanged || focusChanged) caretAt.value = view.hasFocus ? placeAround(view.state.selection.main.head) : null;
  });
  effect(() => {
    const view = definitionEditor.value?.view;
    if (!view || prepared.has(view)) return;
    prepared.add(view);
    view.dispatch({ effects: StateEffect.appendConfig.of(listener) });
  });
  // The form was read from the current text.
  effect(() => {
    void shown.value;
    const view = definitionEditor.peek()?.view;
    if (view?.hasFocus) caretAt.value = placeAround(view.state.selection.main.head);
  });
}
