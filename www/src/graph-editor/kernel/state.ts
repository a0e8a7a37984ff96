// What the kernel needs to know of a view: the graph, and which states are focused and selected.

import type { GraphIndex, GraphNode } from "../../model/graph.ts";

export interface EditorState {
  /** Null while there is no graph. */
  index: GraphIndex | null;
  /** The focused state, or the selected one. */
  node: GraphNode | undefined;
  /** The ids of the selected states. */
  selected: readonly string[];
  /** Whether each press adds a state to the selection or removes it. */
  multiSelect: boolean;
}

/** An `EditorState` with a state that commands apply to. */
export type Focused = EditorState & { index: GraphIndex; node: GraphNode };

/** Returns the nodes with these ids. */
export const nodesOf = (index: GraphIndex | null, ids: readonly string[]): GraphNode[] =>
  ids.flatMap((id) => index?.node(index.byId.get(id) ?? -1) ?? []);

/** Returns the states that commands apply to: all selected ones, or the single one. */
export function statesOf({ index, node, selected }: EditorState): GraphNode[] {
  if (selected.length > 1) return nodesOf(index, selected);
  return node ? [node] : [];
}

export const idsOf = (state: EditorState): string[] => statesOf(state).map(({ id }) => id);
