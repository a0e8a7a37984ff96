// The marks that move along transitions during a run. The browser moves them without the main thread, because each is an element
// of its own whose transform is animated.

import type { GraphEdge, GraphIndex } from "../model/graph.ts";
import { motion } from "../prefs.ts";
import { graph } from "../store/analysis.ts";
import * as playback from "../store/playback.ts";
import { boxOf } from "./edgeBox.ts";
import { detail } from "./lod.ts";
import { keyframesOf } from "../model/pacing.ts";
import { sight } from "./viewport.ts";

/** The duration of the shortest and of the longest movement, in milliseconds, and how much a px of the line adds. */
const SHORTEST = 260;
const LONGEST = 480;
const PER_PX = 0.5;

/** The maximum number of marks that move at the same time. If there are more, a line only changes its colour. */
const MOST = 24;
/** The minimum time between two marks on the same line, in milliseconds. */
const BETWEEN = 100;

/** The marks that move, by the transition's id, and when the last one began on each. */
const moving = new Map<string, () => void>();
const begun = new Map<string, number>();
const edges = new WeakMap<GraphIndex, Map<string, GraphEdge>>();

playback.taken.notify = (ids) => {
  if (ids === null) {
    for (const stop of moving.values()) stop();
    begun.clear();
    return;
  }
  const index = graph.peek();
  const layer = document.querySelector<HTMLElement>(".tokens");
  if (!index || !layer || !motion() || detail.peek() === "far") return;
  let known = edges.get(index);
  if (!known) edges.set(index, (known = new Map(index.graph.edges.map((edge) => [edge.id, edge]))));
  const now = performance.now();
  for (const id of ids) {
    const edge = known.get(id);
    const quick = now - (begun.get(id) ?? -Infinity) < BETWEEN;
    begun.set(id, now);
    if (edge && !quick && !moving.has(id) && moving.size < MOST && isInSight(boxOf(edge))) send(layer, edge);
  }
};

/** Returns whether a part of the drawing is painted. */
function isInSight({ x, y, width, height }: ReturnType<typeof boxOf>): boolean {
  const [left, top, right, bottom] = sight.peek().split(" ").map(Number) as [number, number, number, number];
  return x < right && y < bottom && x + width > left && y + height > top;
}

/** Moves a mark along a line. */
function send(layer: HTMLElement, { id, points }: GraphEdge): void {
  const token = document.createElement("div");
  token.className = "token";
  layer.append(token);
  const { frames, length } = keyframesOf(points);
  const movement = token.animate(frames, {
    duration: Math.min(LONGEST, SHORTEST + length * PER_PX),
    easing: "cubic-bezier(0.4, 0, 0.4, 1)",
    fill: "both",
  });
  const stop = (): void => {
    moving.delete(id);
    movement.cancel();
    token.remove();
  };
  moving.set(id, stop);
  movement.onfinish = stop;
}
