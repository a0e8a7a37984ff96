// The mark under the part of a field with which a run has failed.

import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

/** The failing part, and why it failed. */
export interface Failing {
  from: number;
  to: number;
  title: string;
}

export const setFailing = StateEffect.define<Failing | null>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setFailing)) continue;
      if (effect.value === null) return Decoration.none;
      const { from, to, title } = effect.value;
      const end = Math.min(to, transaction.state.doc.length);
      return from < end
        ? Decoration.set(Decoration.mark({ class: "sg-failing", attributes: { title } }).range(from, end))
        : Decoration.none;
    }
    return marks.map(transaction.changes);
  },
  provide: (of) => EditorView.decorations.from(of),
});

export const failing: Extension = [
  field,
  EditorView.baseTheme({
    ".sg-failing": { backgroundColor: "var(--bad-soft)", borderBottom: "2px solid var(--bad)" },
  }),
];
