// Transitions, their labels, and the marks where scopes begin and end.

import { useSignal, useSignalEffect } from "@preact/signals";
import { memo } from "preact/compat";
import { useRef } from "preact/hooks";
import type { GraphEdge, GraphNode } from "../model/graph.ts";
import { motion } from "../prefs.ts";
import * as store from "../store.ts";

const boxes = new WeakMap<GraphEdge, { x: number; y: number; width: number; height: number }>();
/// What a transition covers.
export function boxOf(edge: GraphEdge) {
  let box = boxes.get(edge);
  if (!box) {
    const xs = edge.points.map(([x]) => x);
    const ys = edge.points.map(([, y]) => y);
    const x = Math.min(...xs);
    const y = Math.min(...ys);
    boxes.set(edge, (box = { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }));
  }
  return box;
}

function lineKind(edge: GraphEdge): "flow" | "catch" | "back" {
  return edge.kind === "catch" ? "catch" : edge.back ? "back" : "flow";
}

export const Edge = memo(function Edge({ edge }: { edge: GraphEdge }) {
  const taken = store.takenOf(edge.id);
  const before = useRef(taken.peek());
  const pulse = useSignal(0);
  useSignalEffect(() => {
    const now = taken.value;
    if (now > before.current && motion() && store.live.peek()) pulse.value = now;
    else if (now < before.current) pulse.value = 0;
    before.current = now;
  });
  const kind = lineKind(edge);
  const used = taken.value > 0;
  return (
    <>
      <path class={`line line-${kind} line-of-${edge.kind}${used ? " taken" : ""}`} d={edge.path} marker-end={`url(#arrow-${used && kind !== "catch" ? "taken" : kind})`} />
      {pulse.value > 0 && <path key={pulse.value} class="pulse" d={edge.path} pathLength={100} />}
    </>
  );
});

export const EdgeLabel = memo(function EdgeLabel({ edge }: { edge: GraphEdge }) {
  const box = edge.labelBox!;
  const taken = store.takenOf(edge.id).value;
  return (
    <g class={`edge-label edge-label-${lineKind(edge)}${taken > 0 ? " taken" : ""}`}>
      <title>{edge.title ?? edge.label}</title>
      <rect x={box.x} y={box.y + 1} width={box.width} height={box.height - 2} rx="8" />
      <text x={box.x + box.width / 2} y={box.y + box.height / 2 + 4}>
        {edge.label}
      </text>
    </g>
  );
});

export const Mark = memo(function Mark({ node }: { node: GraphNode }) {
  const { x, y, width, height } = node;
  const end = node.type === "End";
  if (width > 20) {
    return (
      <g class={end ? "mark mark-end" : "mark"}>
        <rect x={x} y={y} width={width} height={height} rx={height / 2} />
        <text x={x + width / 2} y={y + height / 2 + 4}>
          {node.name}
        </text>
      </g>
    );
  }
  return (
    <g class={end ? "mark mark-end" : "mark"}>
      <circle cx={x + width / 2} cy={y + height / 2} r={width / 2 - 1} />
      {end && <circle class="mark-dot" cx={x + width / 2} cy={y + height / 2} r="3" />}
    </g>
  );
});
