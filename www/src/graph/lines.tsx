// Transitions, their labels, and the marks of the start and end of scopes.

import { type Signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { memo } from "../ui/memo.ts";
import { useEffect, useRef } from "preact/hooks";
import type { GraphEdge, GraphNode } from "../model/graph.ts";
import { motion } from "../prefs.ts";
import * as playback from "../store/playback.ts";
import { grouped } from "../ui/format.ts";
import { lazy } from "../ui/lazy.tsx";
import { DRAWN, detail, nameSize } from "./lod.ts";
import { edgeMarks, overlay } from "../debugger/onGraph.ts";
import { failing } from "./status.ts";

const EdgeMarks = lazy(() => import("./Marks.tsx").then((module) => module.EdgeMarks));

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

function lineKind(edge: GraphEdge): "flow" | "catch" | "back" {
  return edge.kind === "catch" ? "catch" : edge.back ? "back" : "flow";
}

/** The maximum number of tokens that move at the same time. If there are more, a line only changes its colour. */
const MOST_TOKENS = 24;
/** The minimum time between two tokens on the same line, in milliseconds. */
const SHORTEST = 100;
let tokens = 0;

export const Edge = memo(function Edge({ edge }: { edge: GraphEdge }) {
  const taken = playback.takenOf(edge.id);
  const before = useRef(taken.peek());
  const last = useRef(0);
  const token = useSignal(0);
  const end = (): void => {
    if (token.peek() === 0) return;
    tokens -= 1;
    token.value = 0;
  };
  useSignalEffect(() => {
    const now = taken.value;
    const more = now > before.current;
    before.current = now;
    if (!more) return end();
    const time = performance.now();
    const quick = time - last.current < SHORTEST;
    last.current = time;
    if (quick || !motion() || !playback.live.peek() || token.peek() > 0 || tokens >= MOST_TOKENS) return;
    tokens += 1;
    token.value = now;
  });
  useEffect(() => end, []);
  const kind = lineKind(edge);
  // The line has the colour of its source state, or of the failure that it led to.
  const by = useComputed(() =>
    taken.value === 0
      ? ""
      : failing.value.way.has(edge.id)
        ? "failed"
        : edge.kind === "catch"
          ? "caught"
          : edge.kind === "start"
            ? "running"
            : "succeeded",
  ).value;
  const again = useComputed(() => taken.value > 1).value;
  const marks = useComputed(() => edgeMarks.value.get(edge.id)).value;
  const over = useComputed(() => overlay.value?.edges.get(edge.id)).value;
  return (
    <>
      <path
        class={`line line-${kind} line-of-${edge.kind}${by === "" ? "" : ` taken by-${by}`}${over ? ` over-${over}` : ""}`}
        d={edge.path}
        marker-end={`url(#arrow-${by === "" || by === "caught" ? kind : by})`}
      />
      {marks && detail.value !== "far" && <EdgeMarks edge={edge} marks={marks} />}
      {again && detail.value !== "far" && <Count edge={edge} taken={taken} />}
      {token.value > 0 && <path key={token.value} class="token" d={edge.path} pathLength={100} onAnimationEnd={end} />}
    </>
  );
});

/**
 * The number of times that a transition was taken, beside the line or behind its label, on a straight piece that no other line
 * shares.
 */
function Count({ edge, taken }: { edge: GraphEdge; taken: Signal<number> }) {
  const text = useComputed(() => `×${grouped(taken.value)}`);
  const box = edge.labelBox;
  const { points } = edge;
  const size = nameSize.value === DRAWN ? 11 : nameSize.value;
  let [x, y, side] = [0, 0, true];
  if (box) [x, y] = [box.x + box.width + 5, box.y + box.height / 2 + size * 0.36];
  else {
    // The lines that leave a state share their first piece, and those that enter a state share their last.
    const inner =
      points.length > 3 ? points.slice(1, -1) : points.length === 3 && points[1]![0] === points[2]![0] ? points.slice(1) : points;
    let most = -1;
    for (let i = 1; i < inner.length; i++) {
      const [[ax, ay], [bx, by]] = [inner[i - 1]!, inner[i]!];
      const length = Math.abs(bx - ax) + Math.abs(by - ay);
      if (length > most) [x, y, most, side] = [(ax + bx) / 2, (ay + by) / 2, length, ax === bx];
    }
    [x, y] = side ? [x + 6, y + size * 0.36] : [x, y - 6];
  }
  return (
    <text class={`line-count${side ? "" : " above"}`} x={x} y={y} style={{ fontSize: `${size}px` }}>
      {text}
    </text>
  );
}

export const EdgeLabel = memo(function EdgeLabel({ edge }: { edge: GraphEdge }) {
  const box = edge.labelBox!;
  const taken = useComputed(() => playback.takenOf(edge.id).value > 0).value;
  return (
    <g class={`edge-label edge-label-${lineKind(edge)}${taken ? " taken" : ""}`}>
      <title>{edge.title ?? edge.label}</title>
      <rect x={box.x} y={box.y + 1} width={box.width} height={box.height - 2} rx="8" />
      <text x={box.x + box.width / 2} y={box.y + box.height / 2 + 4}>
        {edge.label}
      </text>
    </g>
  );
});

/**
 * In a small drawing, all lines of a scope are a few paths: one per kind for those not taken, and one per colour for those taken.
 */
export const FarLines = memo(function FarLines({ edges }: { edges: readonly GraphEdge[] }) {
  const paths = useComputed(() => {
    const by: Record<string, string> = {};
    for (const edge of edges) {
      const kind = failing.value.way.has(edge.id)
        ? "taken by-failed"
        : playback.takenOf(edge.id).value > 0 && edge.kind !== "catch"
          ? "taken by-succeeded"
          : `line-${lineKind(edge)}`;
      by[kind] = (by[kind] ?? "") + edge.path;
    }
    // The path to a failure is drawn above lines that overlap it.
    return Object.entries(by).sort(([a], [b]) => Number(a === "taken by-failed") - Number(b === "taken by-failed"));
  });
  return (
    <>
      {paths.value.map(([kind, d]) => (
        <path key={kind} class={`line ${kind}`} d={d} />
      ))}
    </>
  );
});

export const Mark = memo(function Mark({ node }: { node: GraphNode }) {
  const { x, y, width, height } = node;
  const end = node.type === "End";
  if (width > 20) {
    return (
      <g class={end ? "mark mark-end" : "mark"} data-move={node.id}>
        <rect x={x} y={y} width={width} height={height} rx={height / 2} />
        <text x={x + width / 2} y={y + height / 2 + 4}>
          {node.name}
        </text>
      </g>
    );
  }
  return (
    <g class={end ? "mark mark-end" : "mark"} data-move={node.id}>
      <circle cx={x + width / 2} cy={y + height / 2} r={width / 2 - 1} />
      {end && <circle class="mark-dot" cx={x + width / 2} cy={y + height / 2} r="3" />}
    </g>
  );
});
