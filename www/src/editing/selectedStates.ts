// The states that gestures apply to.

import { type GraphNode, isState } from "../model/graph.ts";
import { focused } from "../graph/focus.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";

export { fieldTitle, canRedirect, nameOf, scopeOf, canInsertInto, transitionTitle, insertableTransitions } from "../model/transitions.ts";

/** Returns the focused state of the graph, or the selected one. */
export function stateAt(): GraphNode | undefined {
  const index = analysis.graph.peek();
  if (!index) return undefined;
  const held = index.node(index.byId.get(focused.peek() ?? "") ?? -1);
  const chosen = index.node(index.byName.get(selection.selectedState.peek() ?? "") ?? -1);
  const inGraph = document.activeElement?.closest(".canvas [data-node]") != null;
  const node = inGraph ? held : (chosen ?? held);
  return node && isState(node) ? node : undefined;
}

/** Returns all selected states, or the single one. */
export function statesAt(): GraphNode[] {
  const index = analysis.graph.peek();
  const many = [...selection.alsoSelected.peek()].flatMap((name) => index?.node(index.byName.get(name) ?? -1) ?? []);
  if (many.length > 1) return many;
  const one = stateAt();
  return one ? [one] : [];
}
