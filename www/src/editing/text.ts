// Applies the edits of gestures to the text. They share the undo history with typing, are highlighted for a moment, and can have
// placeholders to fill in.

import { isolateHistory, redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap } from "@codemirror/view";
import { Prec } from "@codemirror/state";
import type { Edited, TextRange } from "stepglass";
import { definitionEditor } from "../editor/definitionEditor.ts";
import * as analysis from "../store/analysis.ts";
import * as panes from "../store/panes.ts";
import { say } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";

/** How long an edit is highlighted, in milliseconds. */
const SHOWN = 1_600;

const tint = StateEffect.define<readonly TextRange[]>();
const setStops = StateEffect.define<readonly TextRange[]>();

const tinted = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(tint)) next = decorated(effect.value, "sg-edited");
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The remaining placeholders, in the order of the text. */
const stops = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setStops)) next = decorated(effect.value, "sg-stop", true);
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorated(ranges: readonly TextRange[], name: string, inclusive = false): DecorationSet {
  const mark = Decoration.mark({ class: name, inclusive });
  const found: Range<Decoration>[] = ranges.filter(({ start, end }) => end > start).map(({ start, end }) => mark.range(start, end));
  return Decoration.set(found, true);
}

function placesOf(view: EditorView): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (const cursor = view.state.field(stops).iter(); cursor.value; cursor.next()) found.push({ from: cursor.from, to: cursor.to });
  return found;
}

/** Moves to the next placeholder, or to the previous one. After the last one the walk ends. */
function walk(view: EditorView, back: boolean): boolean {
  const all = placesOf(view);
  if (all.length === 0) return false;
  const { from, to } = view.state.selection.main;
  const next = back ? all.findLast((stop) => stop.to < from) : all.find((stop) => stop.from > to);
  if (!next) {
    view.dispatch({ effects: setStops.of([]) });
    say("Everything is filled in.");
    // Tab is consumed at the last placeholder, while Shift+Tab at the first one has its usual effect.
    return !back;
  }
  view.dispatch({ selection: { anchor: next.from, head: next.to }, scrollIntoView: true });
  return true;
}

const extension = [
  tinted,
  stops,
  Prec.highest(
    keymap.of([
      { key: "Tab", run: (view) => walk(view, false), shift: (view) => walk(view, true) },
      {
        key: "Escape",
        run(view) {
          if (placesOf(view).length === 0) return false;
          view.dispatch({ effects: setStops.of([]) });
          return true;
        },
      },
    ]),
  ),
  EditorView.theme({
    ".sg-edited": { backgroundColor: "var(--match)", borderRadius: "2px" },
    ".sg-stop": { outline: "1px dashed var(--accent)", borderRadius: "2px" },
  }),
];

const prepared = new WeakSet<EditorView>();
let fading: ReturnType<typeof setTimeout> | undefined;

/** Writes the edits of a gesture to the definition. The text changes even if the editor could not be loaded. */
export function write(before: string, { edits, caret, stops: left }: Edited, fill: boolean): void {
  const view = definitionEditor.value?.view;
  if (!view || view.state.doc.toString() !== before) {
    let text = before;
    for (const { start, end, text: put } of [...edits].reverse()) text = text.slice(0, start) + put + text.slice(end);
    workspace.edit({ definition: text });
    return;
  }
  if (!prepared.has(view)) view.dispatch({ effects: StateEffect.appendConfig.of(extension) });
  prepared.add(view);
  let moved = 0;
  const changed = edits.map(({ start, end, text }) => {
    const at = { start: start + moved, end: start + moved + text.length };
    moved += text.length - (end - start);
    return at;
  });
  const length = before.length + moved;
  const clamp = (at: number): number => Math.min(Math.max(0, at), length);
  const show = changed.find(({ start, end }) => end > start) ?? changed[0];
  // All changes are in one transaction, because each update of the editor is expensive.
  view.dispatch({
    changes: edits.map(({ start, end, text }) => ({ from: start, to: end, insert: text })),
    selection: { anchor: clamp(caret.start), head: clamp(caret.end) },
    annotations: isolateHistory.of("full"),
    userEvent: "input.gesture",
    effects: [
      tint.of(changed),
      setStops.of(fill ? left : []),
      ...(show ? [EditorView.scrollIntoView(clamp(show.start), { y: "nearest", yMargin: 60 })] : []),
    ],
  });
  clearTimeout(fading);
  fading = setTimeout(() => view.dispatch({ effects: tint.of([]) }), SHOWN);
  definitionEditor.value!.flush();
}

/** Moves to the first placeholder. Returns false if there is none. */
export function fillIn(): boolean {
  const view = definitionEditor.value?.view;
  const [first] = view && prepared.has(view) ? placesOf(view) : [];
  if (!view || !first) return false;
  panes.showLeft("definition");
  requestAnimationFrame(() => {
    view.requestMeasure();
    view.focus();
    view.dispatch({ selection: { anchor: first.from, head: first.to }, scrollIntoView: true });
  });
  return true;
}

/** Undoes the last step of the text, or redoes it. The focus stays where it is. */
export async function takeBack(again: boolean): Promise<void> {
  const editor = definitionEditor.value;
  if (!editor) return;
  const { view } = editor;
  if ((again ? redoDepth : undoDepth)(view.state) === 0) return say(again ? "There is nothing to redo." : "There is nothing to undo.");
  (again ? redo : undo)(view);
  editor.flush();
  await new Promise<void>((drawn) => analysis.withGraph(drawn));
  say(again ? "Redone." : "Undone.");
}
