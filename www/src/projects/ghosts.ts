// The positions of removed states on the graph: near their old position, beside the current states.

import { type GraphIndex, type GraphNode, isContainer, isState } from "../model/graph.ts";
import { type Rectangle, nameOf } from "../graph-editor/kernel/transitions.ts";

type Point = readonly [number, number];

/** A state that was removed. */
export interface Ghost extends Rectangle {
  id: string;
  name: string;
  type: GraphNode["type"];
  /** The lines of its name. */
  lines: readonly string[];
  /** Its description: `Gone, removed; it came after One and led to Two`. */
  words: string;
}

/** A transition that was removed, from border to border. */
export interface RemovedTransition {
  id: string;
  from: Point;
  to: Point;
}

/** The size of a removed Parallel or Map, whose states are removed with it. */
const LEAF = { width: 180, height: 56 };
const GAP = 20;
/** The maximum number of attempts to move past an obstacle. No graph has so many parts beside a state. */
const TRIES = 60;

const middle = ({ x, y, width, height }: Rectangle): Point => [x + width / 2, y + height / 2];
const overlap = (a: Rectangle, b: Rectangle, gap = GAP / 2): boolean =>
  a.x < b.x + b.width + gap && b.x < a.x + a.width + gap && a.y < b.y + b.height + gap && b.y < a.y + a.height + gap;

/** Returns the point at which the line to another box leaves a box. */
function border(box: Rectangle, [toX, toY]: Point): Point {
  const [x, y] = middle(box);
  const [dx, dy] = [toX - x, toY - y];
  const k = Math.min(dx === 0 ? Infinity : box.width / 2 / Math.abs(dx), dy === 0 ? Infinity : box.height / 2 / Math.abs(dy), 1);
  return [x + dx * k, y + dy * k];
}

/** Returns the ghosts of an old graph's states on the current graph. `renamed` has the new pointers of renamed states. */
export function ghostsOf(
  now: GraphIndex,
  old: GraphIndex,
  removed: readonly string[],
  renamed: ReadonlyMap<string, string>,
): { ghosts: Ghost[]; ways: RemovedTransition[] } {
  const gone = new Set(removed);
  // The ghost of a Parallel or Map includes the states inside it.
  const ids = [...gone].filter((id) => ![...gone].some((other) => other !== id && id.startsWith(`${other}/`)));
  const nodes = ids
    .flatMap((id) => old.node(old.byId.get(id) ?? -1) ?? [])
    .filter(isState)
    .sort((a, b) => a.y - b.y || a.x - b.x);
  const stand = new Map<string, Rectangle>();
  /** Returns the current box of an old state, or that of its ghost. */
  const present = (id: string): Rectangle | undefined => {
    const was = old.node(old.byId.get(id) ?? -1);
    if (!was) return undefined;
    if (was.type === "Start" || was.type === "End") return now.node(now.byId.get(id) ?? -1);
    return stand.get(id) ?? (gone.has(id) ? undefined : now.node(now.byName.get(renamed.get(was.name) ?? was.name) ?? -1));
  };
  /** Returns the nearest remaining state before or behind a removed one, across other removed states. */
  const end = (id: string, way: "from" | "to"): string | undefined => {
    const seen = new Set<string>();
    for (const queue = [id]; queue.length > 0;) {
      const at = queue.shift()!;
      for (const e of (way === "from" ? old.in : old.out)[old.byId.get(at) ?? -1] ?? []) {
        const next = old.graph.edges[e]![way];
        if (seen.has(next)) continue;
        seen.add(next);
        if (!gone.has(next) && present(next)) return next;
        if (gone.has(next)) queue.push(next);
      }
    }
    return undefined;
  };
  for (const node of nodes) {
    const [before, after] = [end(node.id, "from"), end(node.id, "to")];
    stand.set(node.id, freed(placed(node, old, before, after, present), now, node, [...stand.values()]));
  }
  const ghosts = nodes.map((node): Ghost => ({
    ...stand.get(node.id)!,
    id: node.id,
    name: node.name,
    type: node.type,
    lines: node.lines,
    words: wordsOf(old, node),
  }));
  return { ghosts, ways: broken(old, nodes, present) };
}

/** Returns the position between the neighbours of a state if both exist, else at the old distance from one of them. */
function placed(
  node: GraphNode,
  old: GraphIndex,
  before: string | undefined,
  after: string | undefined,
  present: (id: string) => Rectangle | undefined,
): Rectangle {
  const { width, height } = isContainer(node) ? LEAF : node;
  const ends = [before, after].flatMap((id) => (id === undefined ? [] : [{ now: present(id)!, was: old.node(old.byId.get(id)!)! }]));
  const shifts = ends.map(({ now, was }): Point => {
    const [[x, y], [wasX, wasY]] = [middle(now), middle(was)];
    return [x - wasX, y - wasY];
  });
  const [first = [0, 0], last = first] = shifts;
  const k = ends.length < 2 ? 0 : between(middle(ends[0]!.was), middle(node), middle(ends[1]!.was));
  const shift = (at: 0 | 1): number => first[at] * (1 - k) + last[at] * k;
  return { x: node.x + node.width / 2 - width / 2 + shift(0), y: node.y + shift(1), width, height };
}

/** Returns the position of a point between two others, from 0 to 1. */
function between([ax, ay]: Point, [x, y]: Point, [bx, by]: Point): number {
  const down = Math.abs(by - ay) >= Math.abs(bx - ax);
  const k = down ? (y - ay) / (by - ay) : (x - ax) / (bx - ax);
  return Number.isFinite(k) ? Math.max(0, Math.min(1, k)) : 0.5;
}

/** Moves a box beside the current states, to the nearer side, but never beyond the left border. */
function freed(box: Rectangle, now: GraphIndex, node: GraphNode, others: readonly Rectangle[]): Rectangle {
  const scope = node.id.slice(0, node.id.lastIndexOf("/States/"));
  const around = (one: GraphNode): boolean => isContainer(one) && scope.startsWith(one.id);
  const taken: Rectangle[] = [...now.graph.nodes.filter((one) => !around(one)), ...others];
  const move = (right: boolean): Rectangle | undefined => {
    let at = { ...box, x: Math.max(now.corner[0], box.x) };
    for (let i = 0; i < TRIES; i++) {
      const hit = taken.filter((one) => overlap(at, one));
      if (hit.length === 0) return at;
      at = right
        ? { ...at, x: Math.max(...hit.map(({ x, width }) => x + width)) + GAP }
        : { ...at, x: Math.min(...hit.map(({ x }) => x)) - GAP - at.width };
      if (at.x < now.corner[0]) return undefined;
    }
    return undefined;
  };
  const [left, right] = [move(false), move(true)];
  if (!left || !right) return left ?? right ?? box;
  return box.x - left.x < right.x - box.x ? left : right;
}

function broken(old: GraphIndex, nodes: readonly GraphNode[], present: (id: string) => Rectangle | undefined): RemovedTransition[] {
  const own = new Set(nodes.map(({ id }) => id));
  return old.graph.edges
    .filter(({ from, to }) => own.has(from) || own.has(to))
    .flatMap(({ id, from, to }) => {
      const [a, b] = [present(from), present(to)];
      return a && b && a !== b ? [{ id, from: border(a, middle(b)), to: border(b, middle(a)) }] : [];
    });
}

function wordsOf(old: GraphIndex, node: GraphNode): string {
  const at = old.byId.get(node.id)!;
  const names = (edges: readonly number[], end: "from" | "to"): string =>
    [...new Set(edges.map((e) => nameOf(old, old.graph.edges[e]![end])))].filter(Boolean).join(" and ");
  const [before, after] = [names(old.in[at]!, "from"), names(old.out[at]!, "to")];
  const parts = [before && `it came after ${before}`, after && `it led to ${after}`].filter(Boolean);
  return `${node.name}, ${node.type}, removed${parts.length > 0 ? `: ${parts.join(", and ")}` : ""}`;
}
