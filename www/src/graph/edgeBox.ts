// The bounding boxes of transitions.

import type { GraphEdge } from "../model/graph.ts";

const boxes = new WeakMap<GraphEdge, { x: number; y: number; width: number; height: number }>();
/** Returns the bounding box of a transition. */
export function boxOf(edge: GraphEdge) {
  let box = boxes.get(edge);
  if (!box) {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const [x, y] of edge.points)
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    boxes.set(edge, (box = { x: left, y: top, width: right - left, height: bottom - top }));
  }
  return box;
}
