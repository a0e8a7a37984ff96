// Where the graph is looked at from.

import { computed, signal } from "@preact/signals";
import { isContainer } from "../model/graph.ts";
import { motion } from "../prefs.ts";
import { graph } from "../store.ts";

export const MIN_ZOOM = 0.05;
export const MAX_ZOOM = 4;
const EDGE = 24;
/// Below this, names are hard to read.
const READABLE = 0.72;

export const view = signal({ x: 0, y: 0, k: 1 });
export const size = signal({ width: 0, height: 0 });
/// The view stays where somebody has put it.
export const moved = signal(false);

/// What is in sight, with a margin, in steps: nodes come and go in crowds and not at every pixel.
const STEP = 400;
export const sight = computed(() => {
  const { x, y, k } = view.value;
  const { width, height } = size.value;
  const low = (value: number): number => Math.floor(value / STEP) * STEP - STEP;
  const high = (value: number): number => Math.ceil(value / STEP) * STEP + STEP;
  return [low(-x / k), low(-y / k), high((width - x) / k), high((height - y) / k)].join(" ");
});

export function zoomTo(k: number, at?: { x: number; y: number }): void {
  const { width, height } = size.value;
  const { x, y, k: before } = view.value;
  const next = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, k));
  const px = at?.x ?? width / 2;
  const py = at?.y ?? height / 2;
  view.value = { k: next, x: px - ((px - x) / before) * next, y: py - ((py - y) / before) * next };
  moved.value = true;
}

export function pan(dx: number, dy: number): void {
  const { x, y, k } = view.value;
  view.value = { x: x + dx, y: y + dy, k };
  moved.value = true;
}

/// The whole graph, never larger than it is drawn; where that is too small to read, its beginning at a readable size.
export function fit(graph: { width: number; height: number }, glide: (to: { x: number; y: number; k: number }) => void, whole = false): void {
  const { width, height } = size.value;
  if (width === 0 || height === 0 || graph.width === 0) return;
  const all = Math.min((width - EDGE) / graph.width, (height - EDGE) / graph.height, 1.15);
  const k = whole ? Math.max(all, MIN_ZOOM) : Math.max(all, Math.min(READABLE, Math.max((width - EDGE) / graph.width, 0.4)));
  const x = (width - graph.width * k) / 2;
  const y = graph.height * k > height - EDGE ? EDGE / 2 : (height - graph.height * k) / 2;
  glide({ k, x, y: Math.max(y, EDGE / 2) });
  moved.value = false;
}

/// The nearest view that shows the box, the same if it is well in sight.
export function showing(box: { x: number; y: number; width: number; height: number }, margin = 0.1): { x: number; y: number; k: number } {
  const { width, height } = size.value;
  const { x, y, k } = view.value;
  const along = (at: number, length: number, offset: number, room: number): number => {
    const edge = room * margin;
    const from = at * k + offset;
    const to = (at + length) * k + offset;
    if (to - from > room - 2 * edge) return edge - at * k;
    if (from < edge) return offset + (edge - from);
    if (to > room - edge) return offset - (to - (room - edge));
    return offset;
  };
  return { k, x: along(box.x, box.width, x, width), y: along(box.y, box.height, y, height) };
}

let gliding = 0;
/// Moves the view, in a moment or at once.
export function glide(to: { x: number; y: number; k: number }): void {
  cancelAnimationFrame(gliding);
  if (!motion() || size.value.width === 0) {
    view.value = to;
    return;
  }
  const from = view.value;
  const begun = performance.now();
  const step = (now: number): void => {
    const t = Math.min(1, (now - begun) / 180);
    const ease = 1 - (1 - t) ** 3;
    const mix = (a: number, b: number): number => a + (b - a) * ease;
    view.value = { x: mix(from.x, to.x), y: mix(from.y, to.y), k: mix(from.k, to.k) };
    if (t < 1) gliding = requestAnimationFrame(step);
  };
  gliding = requestAnimationFrame(step);
}

/// Moves the view as little as it takes to show a node.
export function reveal(id: string): void {
  const index = graph.peek();
  const node = index?.node(index.byId.get(id) ?? -1);
  if (!node || size.peek().width === 0) return;
  const box = isContainer(node) ? { ...node, height: Math.min(node.height, 90) } : node;
  const to = showing(box);
  const now = view.peek();
  if (Math.abs(to.x - now.x) > 1 || Math.abs(to.y - now.y) > 1) glide(to);
}
