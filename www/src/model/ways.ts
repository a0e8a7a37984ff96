// The transitions and states that gestures are about: their words, and where they are in the drawing.

import { type GraphEdge, type GraphIndex, type GraphNode, isState } from "./graph.ts";

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

/// What the `+` on a transition says.
export function insertTitle(index: GraphIndex, edge: GraphEdge): string {
  if (edge.kind === "start") return `Insert a state before ${nameOf(index, edge.to)}`;
  return `Insert a state between ${nameOf(index, edge.from)} and ${nameOf(index, edge.to)}`;
}

/// Of a transition that has no line of its own, as where two rules lead to one state.
export function fieldTitle(pointer: string): string {
  const [, list, at] = /\/(Choices|Catch)\/(\d+)$/.exec(pointer) ?? [];
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

/// Where states go that are pasted behind a state: the transition that they come into; undefined where they stay unconnected.
export function wayBehind(index: GraphIndex, node: GraphNode): GraphEdge | undefined {
  const out = (index.out[index.byId.get(node.id) ?? -1] ?? []).map((e) => index.graph.edges[e]!);
  return (
    out.find(({ kind }) => kind === "next") ?? out.find(({ kind }) => kind === "end" && node.type !== "Succeed" && node.type !== "Fail")
  );
}

/// The state at which one goes on when some are deleted: a neighbour that stays.
export function neighbourOf(index: GraphIndex, states: readonly GraphNode[]): string | undefined {
  const at = index.byId.get(states[0]?.id ?? "") ?? -1;
  const { edges } = index.graph;
  const beside = [...(index.in[at] ?? []).map((e) => edges[e]!.from), ...(index.out[at] ?? []).map((e) => edges[e]!.to)];
  return beside.find((id) => index.byId.has(id) && !states.some((state) => state.id === id) && id.includes("/States/"));
}

/// The scope that a node is in: the pointer of the object that has its `States`.
export const scopeOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf("/States/"));

/// The innermost scope at a place of the drawing.
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

/// The innermost state at a place of the drawing.
export function stateUnder(index: GraphIndex, x: number, y: number): string | null {
  let found: string | null = null;
  for (const node of index.graph.nodes)
    if (isState(node) && x >= node.x - 4 && y >= node.y - 4 && x <= node.x + node.width + 4 && y <= node.y + node.height + 4)
      if (found === null || node.id.length > found.length) found = node.id;
  return found;
}

/// The transition that is at most so far from a place of the drawing.
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

/// Where the `+` of a state is: at its lower corner, so that no transition leaves there, and outside, where it covers no sign of
/// the state.
export function portOf(node: GraphNode, k: number): [number, number] {
  return [node.x + node.width + Math.min(node.width / 4, 8 / k), node.y + node.height];
}

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/// The states that are whole in a rectangle; what is inside of another one of them comes along with it.
export function statesWithin({ graph }: GraphIndex, { x, y, width, height }: Rectangle): GraphNode[] {
  const inside = graph.nodes.filter(
    (node) => isState(node) && node.x >= x && node.y >= y && node.x + node.width <= x + width && node.y + node.height <= y + height,
  );
  return inside.filter(({ id }) => !inside.some((other) => other.id !== id && id.startsWith(`${other.id}/`)));
}

/// All states of the scope that one is in.
export const statesBeside = ({ graph }: GraphIndex, node: GraphNode): GraphNode[] =>
  graph.nodes.filter((other) => isState(other) && scopeOf(other.id) === scopeOf(node.id));

/// A state with all that lead to it, or that it leads to, in its scope; the state comes last.
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

/// The list of branches that a state is in, and the place of its branch there.
export function branchOf(id: string): { list: string; at: number } | undefined {
  const [, list, at] = /^(.*\/Branches)\/(\d+)\/States\/[^/]*$/.exec(id) ?? [];
  return list === undefined ? undefined : { list, at: Number(at) };
}
