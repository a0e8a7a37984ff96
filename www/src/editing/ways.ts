// The transitions and states that gestures are about, in words.

import { type GraphEdge, type GraphIndex, type GraphNode, isState } from "../model/graph.ts";
import { focused } from "../graph/focus.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";

export const nameOf = (index: GraphIndex, id: string): string => {
  const node = index.node(index.byId.get(id) ?? -1);
  return node === undefined ? "" : node.type === "Start" ? "the start" : node.type === "End" ? "the end" : node.name;
};

/// Whether a state can stand on it: the way out of a Succeed or Fail is none.
export function takesState(index: GraphIndex, edge: GraphEdge): boolean {
  if (edge.kind !== "end") return true;
  const from = index.node(index.byId.get(edge.from) ?? -1);
  return from !== undefined && from.type !== "Succeed" && from.type !== "Fail";
}

/// Whether its end can be led elsewhere.
export const leads = (edge: GraphEdge): boolean => edge.kind !== "end";

/// `Rule 2 → Ship`.
export function wayTitle(index: GraphIndex, edge: GraphEdge): string {
  const to = nameOf(index, edge.to);
  switch (edge.kind) {
    case "start":
      return `Before ${to}`;
    case "choice":
      return `Rule ${(edge.index ?? 0) + 1} → ${to}`;
    case "default":
      return `Default → ${to}`;
    case "catch":
      return `${edge.label ?? "Error"} → ${to}`;
    default:
      return `→ ${to}`;
  }
}

/// Of a transition that has no line of its own, as where two rules lead to one state.
export function fieldTitle(pointer: string): string {
  const [, list, at] = /\/(Choices|Catch)\/(\d+)\/Next$/.exec(pointer) ?? [];
  return list === undefined ? pointer.slice(pointer.lastIndexOf("/") + 1) : `${list === "Choices" ? "Rule" : "Catcher"} ${Number(at) + 1}`;
}

/// The ways out of a state that can take a state; the first state has the way into it too.
export function waysAt(index: GraphIndex, node: GraphNode): GraphEdge[] {
  const at = index.byId.get(node.id) ?? -1;
  const edges = index.graph.edges;
  return [
    ...(index.out[at] ?? []).map((e) => edges[e]!),
    ...(index.in[at] ?? []).map((e) => edges[e]!).filter((edge) => edge.kind === "start"),
  ].filter((edge) => takesState(index, edge));
}

/// The state that has the focus in the graph, or is selected.
export function stateAt(): GraphNode | undefined {
  const index = analysis.graph.peek();
  if (!index) return undefined;
  const held = index.node(index.byId.get(focused.peek() ?? "") ?? -1);
  const chosen = index.node(index.byName.get(selection.selectedState.peek() ?? "") ?? -1);
  const inGraph = document.activeElement?.closest(".canvas [data-node]") != null;
  const node = inGraph ? held : (chosen ?? held);
  return node && isState(node) ? node : undefined;
}

/// All states that are selected, or the one.
export function statesAt(): GraphNode[] {
  const index = analysis.graph.peek();
  const many = [...selection.alsoSelected.peek()].flatMap((name) => index?.node(index.byName.get(name) ?? -1) ?? []);
  if (many.length > 1) return many;
  const one = stateAt();
  return one ? [one] : [];
}

/// The scope that a node is in: the pointer of the object that has its `States`.
export const scopeOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf("/States/"));
