// The transitions and states that gestures apply to: their titles, and their positions in the drawing.

import { type GraphEdge, type GraphIndex, type GraphNode, isState } from "../../model/graph.ts";

export const nameOf = (index: GraphIndex, id: string): string => {
  const node = index.node(index.byId.get(id) ?? -1);
  return node === undefined ? "" : node.type === "Start" ? "the start" : node.type === "End" ? "the end" : node.name;
};

/** Returns whether a state can be inserted into a transition. The end of a Succeed or Fail state is not a transition. */
export function canInsertInto(index: GraphIndex, edge: GraphEdge): boolean {
  if (edge.kind !== "end") return true;
  const from = index.node(index.byId.get(edge.from) ?? -1);
  return from !== undefined && from.type !== "Succeed" && from.type !== "Fail";
}

/** Returns whether a transition can be redirected. */
export const canRedirect = (edge: GraphEdge): boolean => edge.kind !== "end";

/** Returns the title of a transition: `Rule 2 → Ship`. */
export function transitionTitle(index: GraphIndex, edge: GraphEdge): string {
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

/** Returns the title of a transition's `+`. */
export function insertTitle(index: GraphIndex, edge: GraphEdge): string {
  if (edge.kind === "start") return `Insert a state before ${nameOf(index, edge.to)}`;
  return `Insert a state between ${nameOf(index, edge.from)} and ${nameOf(index, edge.to)}`;
}

/** Returns the title of a transition that has no line of its own, for example if two rules lead to one state. */
export function fieldTitle(pointer: string): string {
  const [, list, at] = /\/(Choices|Catch)\/(\d+)$/.exec(pointer) ?? [];
  return list === undefined ? pointer.slice(pointer.lastIndexOf("/") + 1) : `${list === "Choices" ? "Rule" : "Catcher"} ${Number(at) + 1}`;
}

/**
 * Returns the transitions of a state that a state can be inserted into. The first state includes the transition that leads to it.
 */
export function insertableTransitions(index: GraphIndex, node: GraphNode): GraphEdge[] {
  const at = index.byId.get(node.id) ?? -1;
  const edges = index.graph.edges;
  return [
    ...(index.out[at] ?? []).map((e) => edges[e]!),
    ...(index.in[at] ?? []).map((e) => edges[e]!).filter((edge) => edge.kind === "start"),
  ].filter((edge) => canInsertInto(index, edge));
}

/** Returns the transition that pasted states are inserted into behind a state; undefined if they stay unconnected. */
export function transitionBehind(index: GraphIndex, node: GraphNode): GraphEdge | undefined {
  const out = (index.out[index.byId.get(node.id) ?? -1] ?? []).map((e) => index.graph.edges[e]!);
  return (
    out.find(({ kind }) => kind === "next") ?? out.find(({ kind }) => kind === "end" && node.type !== "Succeed" && node.type !== "Fail")
  );
}

/** Returns the state to select after some states were deleted: a neighbour that remains. */
export function neighbourOf(index: GraphIndex, states: readonly GraphNode[]): string | undefined {
  const at = index.byId.get(states[0]?.id ?? "") ?? -1;
  const { edges } = index.graph;
  const beside = [...(index.in[at] ?? []).map((e) => edges[e]!.from), ...(index.out[at] ?? []).map((e) => edges[e]!.to)];
  return beside.find((id) => index.byId.has(id) && !states.some((state) => state.id === id) && id.includes("/States/"));
}

/** Returns the scope of a node: the pointer of the object that has its `States`. */
export const scopeOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf("/States/"));

/** Returns the innermost scope at a point of the drawing. */
export function scopeAt(index: GraphIndex, x: number, y: number): string {
  let found = "";
  for (const node of index.graph.nodes)
    if (
      node.type === "Scope" &&
      x > node.x &&
      y > node.y &&
      x < node.x + node.width &&
      y < node.y + node.height &&
      node.id.length > found.length
    )
      found = node.id;
  return found;
}

/** Returns the innermost state at a point of the drawing. */
export function stateUnder(index: GraphIndex, x: number, y: number): string | null {
  let found: string | null = null;
  for (const node of index.graph.nodes)
    if (isState(node) && x >= node.x - 4 && y >= node.y - 4 && x <= node.x + node.width + 4 && y <= node.y + node.height + 4)
      if (found === null || node.id.length > found.length) found = node.id;
  return found;
}

/** Returns the transition nearest to a point of the drawing, within the distance `reach`. */
export function nearest(index: GraphIndex, x: number, y: number, reach: number): GraphEdge | undefined {
  let best: GraphEdge | undefined;
  let least = reach;
  for (const edge of index.graph.edges) {
    let away = Infinity;
    for (let i = 1; i < edge.points.length; i++) {
      const [[ax, ay], [bx, by]] = [edge.points[i - 1]!, edge.points[i]!];
      const [dx, dy] = [bx - ax, by - ay];
      const length = dx * dx + dy * dy;
      const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length));
      away = Math.min(away, Math.hypot(x - ax - along * dx, y - ay - along * dy));
    }
    if (away < least) [best, least] = [edge, away];
  }
  return best;
}

/**
 * Returns the position of a state's `+`: at its lower corner, where no transition leaves, and outside, where it covers no sign of
 * the state.
 */
export function portOf(node: GraphNode, k: number): [number, number] {
  return [node.x + node.width + Math.min(node.width / 4, 8 / k), node.y + node.height];
}

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Returns the states that lie entirely within a rectangle. States inside another one of them are left out, because that one
 * includes them.
 */
export function statesWithin({ graph }: GraphIndex, { x, y, width, height }: Rectangle): GraphNode[] {
  const inside = graph.nodes.filter(
    (node) => isState(node) && node.x >= x && node.y >= y && node.x + node.width <= x + width && node.y + node.height <= y + height,
  );
  return inside.filter(({ id }) => !inside.some((other) => other.id !== id && id.startsWith(`${other.id}/`)));
}

/** Returns all states in the scope of a state. */
export const statesBeside = ({ graph }: GraphIndex, node: GraphNode): GraphNode[] =>
  graph.nodes.filter((other) => isState(other) && scopeOf(other.id) === scopeOf(node.id));

/** Returns the predecessors or successors of a state in its scope; the state itself comes last. */
export function statesAlong(index: GraphIndex, node: GraphNode, up: boolean): GraphNode[] {
  const found = new Set<GraphNode>();
  const queue = [node.id];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    const at = index.byId.get(id) ?? -1;
    const here = index.node(at);
    if (!here || found.has(here) || !isState(here)) continue;
    found.add(here);
    for (const e of (up ? index.in : index.out)[at] ?? []) {
      const edge = index.graph.edges[e]!;
      queue.push(up ? edge.from : edge.to);
    }
  }
  return [...found].reverse();
}

/** Returns the `Branches` list that a state is in, and the index of its branch. */
export function branchOf(id: string): { list: string; at: number } | undefined {
  const [, list, at] = /^(.*\/Branches)\/(\d+)\/States\/[^/]*$/.exec(id) ?? [];
  return list === undefined ? undefined : { list, at: Number(at) };
}
