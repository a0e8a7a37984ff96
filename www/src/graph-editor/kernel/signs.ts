// What the graph editor draws over the graph: the `+` of transitions and states, the end of a transition, outlines, and what a drag
// draws. The result is data. Equal keys of two drawings are the same element.

import { type GraphEdge, type GraphIndex, type GraphNode, isState } from "../../model/graph.ts";
import { RADIUS, type Seen, clearOf, plusOf } from "./plus.ts";
import { canInsertInto, canRedirect, insertTitle, portOf, transitionTitle } from "./transitions.ts";

/** What is under the pointer. */
export interface Over {
  edge?: GraphEdge | undefined;
  /** The id of a state. */
  node?: string | undefined;
}

/** What the signs depend on. */
export interface Sight extends Seen {
  index: GraphIndex;
  over: Over;
  /** The ids of the selected states. */
  selected: readonly string[];
  /** The id of the state that has the focus. Its `+` is shown while the focus is visible. */
  focused: string | undefined;
  /** Touch has no hover, so everything that can be pressed is shown: the `+` of all transitions, and with `ports` of all states. */
  touched: boolean;
  ports: boolean;
}

/** An element of the drawing. `press` is what a click on it does, and `drag` what it drags. */
export interface Sign {
  key: string;
  shape: "plus" | "end" | "rect" | "path" | "circle";
  class?: string;
  /** The position of a `plus` or an `end`, and the scale of its shape. */
  x?: number;
  y?: number;
  scale?: number;
  title?: string;
  /** Attributes, also those of a shape in px of the drawing. */
  set: Record<string, string | number>;
  press?: Press;
  drag?: Dragged;
}

/** A sign that was pressed. */
export type Press = { insert: GraphEdge } | { append: GraphNode };

/** A transition that is dragged: a new one from a state, or the end of `edge`. */
export interface Dragged {
  from: string;
  edge?: string;
  x: number;
  y: number;
}

/** Below this scale, states are so small that a `+` would cover them, so it shrinks, down to the share `LEAST` of its size. */
const SMALL = 0.6;
const LEAST = 0.6;

/** Returns the scale of a sign, which has nearly the same size on the screen at any scale of the drawing. */
const signScale = (scale: number): number => Math.max(LEAST, Math.min(1, scale / SMALL)) / scale;

const ENDS = new Set<GraphNode["type"]>(["Succeed", "Fail"]);

/** Returns the signs that can be pressed. */
export function signsOf(sight: Sight): Sign[] {
  const { index, over } = sight;
  return [
    ...(!sight.touched && over.edge && canRedirect(over.edge) ? [endOf(index, over.edge, sight.scale)] : []),
    ...shownEdges(sight)
      .filter((edge) => canInsertInto(index, edge))
      .map((edge) => insertOf(edge, sight)),
    ...shownStates(sight).flatMap((id) => portSign(id, sight)),
  ];
}

function shownEdges({ index, over, selected, touched }: Sight): GraphEdge[] {
  const { edges } = index.graph;
  if (touched) return edges;
  const of = (ids: readonly string[], list: readonly number[][]): GraphEdge[] =>
    ids.flatMap((id) => (list[index.byId.get(id) ?? -1] ?? []).map((e) => edges[e]!));
  const below = over.node === undefined ? [] : [over.node];
  return [...new Set([...(over.edge ? [over.edge] : []), ...of([...below, ...selected], index.out), ...of(selected, index.in)])];
}

function shownStates({ index, over, selected, focused, ports }: Sight): string[] {
  if (ports) return index.graph.nodes.filter(isState).map(({ id }) => id);
  return [...new Set([over.node, ...selected, focused])].filter((id) => id !== undefined);
}

/** Returns the `+` of a transition. */
function insertOf(edge: GraphEdge, sight: Sight): Sign {
  const [x, y] = plusOf(edge, sight);
  return {
    key: `insert ${edge.id}`,
    shape: "plus",
    x,
    y,
    scale: signScale(sight.scale),
    title: insertTitle(sight.index, edge),
    set: { "data-insert": edge.id },
    press: { insert: edge },
  };
}

/** Returns the `+` of a state, which adds one behind it, and which can be dragged to another state. */
function portSign(id: string, sight: Sight): Sign[] {
  const { index, over, selected, ports } = sight;
  const node = index.node(index.byId.get(id) ?? -1);
  if (!node || !isState(node) || ENDS.has(node.type)) return [];
  const [x, y] = clearOf([portOf(node, sight.scale)], sight);
  const pointed = ports || id === over.node || selected.includes(id);
  return [
    {
      key: `port ${id}`,
      shape: "plus",
      x,
      y,
      scale: signScale(sight.scale),
      title: `Add a state after ${node.name}; drag to connect it`,
      set: { "data-port": id, ...(!pointed && { "data-focus": "" }) },
      press: { append: node },
      drag: { from: id, x, y },
    },
  ];
}

/** Returns the end of a transition, which can be dragged to another state. */
function endOf(index: GraphIndex, edge: GraphEdge, scale: number): Sign {
  const [x, y] = edge.points.at(-1)!;
  const [fromX, fromY] = edge.points[0]!;
  return {
    key: `end ${edge.id}`,
    shape: "end",
    x,
    y,
    scale: signScale(scale),
    title: `${transitionTitle(index, edge)}: drag it to another state`,
    set: { "data-end": edge.id },
    drag: { from: edge.from, edge: edge.id, x: fromX, y: fromY },
  };
}

/** Returns an outline around a state. */
export function outline(index: GraphIndex, id: string, kind: string): Sign[] {
  const node = index.node(index.byId.get(id) ?? -1);
  if (!node) return [];
  const { x, y, width, height } = node;
  return [{ key: `around ${id}`, shape: "rect", class: kind, set: { x: x - 5, y: y - 5, width: width + 10, height: height + 10, rx: 14 } }];
}

/** Returns outlines around states. */
export const outlines = (index: GraphIndex, ids: readonly string[]): Sign[] => ids.flatMap((id) => outline(index, id, "target"));

/** Returns the marks of where an option of the palette would be dropped. */
export function aimSigns(index: GraphIndex, aim: { edge: GraphEdge } | { node: string }, scale: number): Sign[] {
  if ("node" in aim) return outline(index, aim.node, "target hit");
  const { points } = aim.edge;
  const [x, y] = plusOf(aim.edge, { scale, labels: [], beside: () => false });
  return [
    { key: "aimed path", shape: "path", class: "aimed-line", set: { d: `M${points.map((point) => point.join(" ")).join("L")}` } },
    { key: "aimed", shape: "circle", class: "aimed-middle", set: { cx: x, cy: y, r: RADIUS / scale } },
  ];
}
