// The states that commands apply to.

import { effect, signal } from "@preact/signals";
import { type GraphNode, isState } from "../model/graph.ts";
import { focused } from "../graph/focus.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";

const { alsoSelected, selectedState } = selection;

/** Whether each press adds a state to the selection or removes it, as Shift does. */
export const multiSelect = signal(false);

// If another state is selected anywhere, it replaces the selection.
effect(() => {
  const state = selectedState.value;
  if (alsoSelected.peek().size > 0 && (state === null || !alsoSelected.peek().has(state))) selection.selectAlso([]);
});

/** Returns the focused state of the graph, or the selected one. */
export function stateAt(): GraphNode | undefined {
  const index = analysis.graph.peek();
  if (!index) return undefined;
  const held = index.node(index.byId.get(focused.peek() ?? "") ?? -1);
  const chosen = index.node(index.byName.get(selectedState.peek() ?? "") ?? -1);
  const inGraph = document.activeElement?.closest(".canvas [data-node]") != null;
  const node = inGraph ? held : (chosen ?? held);
  return node && isState(node) ? node : undefined;
}

/** Returns the ids of the selected states. */
export function chosenStates(): string[] {
  const index = analysis.graph.peek();
  const names = alsoSelected.peek().size > 0 ? [...alsoSelected.peek()] : [selectedState.peek() ?? ""];
  return names.flatMap((name) => index?.node(index.byName.get(name) ?? -1)?.id ?? []);
}
