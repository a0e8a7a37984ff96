// The data of the current form. It is read again with every change of the text or of the selection.

import { batch, computed, effect, signal } from "@preact/signals";
import type { Formed, Unformed } from "../model/form.ts";
import type { Diagnostic } from "../model/protocol.ts";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import * as selection from "../store/selection.ts";
import * as workspace from "../store/workspace.ts";

/** Whether the form is visible. Otherwise its data is not read. */
export const isVisible = signal(false);

/** The pointer of the selected state; empty for the machine. */
export const pointer = computed(() => {
  const name = selection.selectedState.value;
  if (name === null) return "";
  const index = analysis.graph.value;
  const known = analysis.latest.value;
  return (
    index?.node(index.byName.get(name) ?? -1)?.id ??
    (known?.places ?? known?.states ?? []).find((state) => state.name === name)?.pointer ??
    ""
  );
});

/** The data that was last read. It stays until that of another state has arrived. */
export const shown = signal<Formed | null>(null);
/** Why the state cannot be edited now. */
export const unreadable = signal<Unformed | null>(null);

let asking = 0;

effect(() => {
  if (!isVisible.value || analysis.inside.value) return;
  const [text, format, of] = [workspace.definition.value, workspace.format.value, pointer.value];
  // Before the first analysis there is no state to select.
  if (analysis.latest.value === null) return;
  const mine = ++asking;
  interpreter.query("form", { text, format, pointer: of }).then(
    (found) => {
      if (mine !== asking) return;
      batch(() => {
        if ("unreadable" in found) {
          if (shown.peek()?.pointer !== of) shown.value = null;
          unreadable.value = found;
        } else {
          shown.value = found;
          unreadable.value = null;
        }
      });
    },
    (error: Error) => {
      if (mine === asking) unreadable.value = { unreadable: error.message };
    },
  );
});

/** The problems by pointer. */
const byPointer = computed(() => {
  const found = new Map<string, Diagnostic[]>();
  for (const problem of analysis.problems.value) {
    const own = found.get(problem.pointer);
    if (own) own.push(problem);
    else found.set(problem.pointer, [problem]);
  }
  return found;
});

/** Returns the problems of a value. With `deep`, those of nested values are included. */
export function problemsAt(at: string, deep: boolean): Diagnostic[] {
  const exact = byPointer.value.get(at) ?? [];
  if (!deep) return exact;
  const inside = [...byPointer.value].flatMap(([pointer, list]) => (pointer.startsWith(`${at}/`) ? list : []));
  return [...exact, ...inside];
}

/** The pointer of the field that contains the caret of the text. */
export const caretAt = signal<string | null>(null);

/** Selects the range of a value in the text. */
export function toText(at: string): void {
  const place = shown.peek()?.places[at];
  if (place) selection.revealRange(place[0], place[1]);
}

/** Returns the innermost member or element that contains an offset of the text. */
export function placeAround(offset: number): string | null {
  let found: string | null = null;
  let length = Infinity;
  for (const [at, [from, to]] of Object.entries(shown.peek()?.places ?? {})) {
    if (from > offset || to < offset || to - from > length) continue;
    found = at;
    length = to - from;
  }
  return found;
}
