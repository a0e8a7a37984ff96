// The ranges of the states in the text. The interpreter reports them with a delay after each change. Until then they are mapped
// through the changes, so that a keystroke costs little in a large text.

import { pointerSteps } from "stepglass/pointer";
import { type ChangeDesc, type EditorState, StateEffect, StateField } from "@codemirror/state";
import type { StatePlace } from "../model/protocol.ts";

export const setStates = StateEffect.define<readonly StatePlace[]>();

export const stateField = StateField.define<readonly StatePlace[]>({
  create: () => [],
  update(places, transaction) {
    for (const effect of transaction.effects) if (effect.is(setStates)) return effect.value;
    return transaction.docChanged ? moved(places, transaction.changes) : places;
  },
});

export function moved(places: readonly StatePlace[], changes: ChangeDesc): readonly StatePlace[] {
  const found: StatePlace[] = [];
  for (const place of places) {
    const [from, to] = [changes.mapPos(place.from, 1), changes.mapPos(place.to, -1)];
    // A state whose text was deleted is dropped.
    if (to > from)
      found.push({ ...place, from, to, nameFrom: changes.mapPos(place.nameFrom, 1), nameTo: changes.mapPos(place.nameTo, -1) });
  }
  return found;
}

export const statePlaces = (state: EditorState): readonly StatePlace[] => state.field(stateField, false) ?? [];

export const placeOf = (state: EditorState, name: string): StatePlace | undefined =>
  statePlaces(state).find((place) => place.name === name);

/** Returns the innermost state around an offset. */
export function stateAt(state: EditorState, offset: number): StatePlace | undefined {
  let found: StatePlace | undefined;
  for (const place of statePlaces(state)) {
    if (place.from > offset) break;
    if (offset <= place.to && (!found || place.from >= found.from)) found = place;
  }
  return found;
}

/** A part of the path of the cursor: a state, or the number of a branch. */
export interface Crumb {
  text: string;
  /** The name of the state; absent for a branch. */
  state?: string;
}

export function pathAt(state: EditorState, offset: number): Crumb[] {
  const steps = pointerSteps(stateAt(state, offset)?.pointer ?? "");
  const path: Crumb[] = [];
  for (let i = 0; i + 1 < steps.length; i++) {
    if (steps[i] === "States") {
      const name = steps[++i]!;
      path.push({ text: name, state: name });
    } else if (steps[i] === "Branches") path.push({ text: `[${steps[++i]}]` });
  }
  return path;
}
