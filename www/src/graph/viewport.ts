// The visible part of the graph.

import { type ReadonlySignal, batch, computed, signal } from "@preact/signals";
import { DRAWN, largestName, leastScale } from "../model/cards.ts";
import { BAR_FROM, EDGE, type View, fittedView, wholeScale } from "../model/fit.ts";
import { type GraphIndex, isContainer } from "../model/graph.ts";
import { motion } from "../prefs.ts";
import { graph, setShape } from "../store/analysis.ts";
import { widthOf } from "../ui/measure.ts";
import { graphEditor } from "./graphEditor.ts";

/** The minimum scale, except for graphs that are larger still. */
const MIN_ZOOM = 0.05;
const MAX_ZOOM = 4;
/** The minimum scale at which most names fit into their boxes. */
const LEGIBLE = 0.5;
/** A machine with more states than this is fitted as a whole, like a map. */
const MAP_FROM = 60;
/** How long the view takes to follow a run, in milliseconds. */
const GLIDE = 220;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const shown = signal<View>({ x: 0, y: 0, k: 1 });
/** The position and the scale of the drawing on the screen. */
export const view: ReadonlySignal<View> = shown;
const drawn = signal<View>({ x: 0, y: 0, k: 1 });
/**
 * The view for which the drawing was painted last. While the view moves, the browser moves and scales the painted drawing as one
 * layer, and nothing in it is painted again.
 */
export const painted: ReadonlySignal<View> = drawn;
export type { View };

export const size = signal({ width: 0, height: 0 });
/** Whether the bar has a row of its own below the pane, because there is no room for it beside the tools. */
export const barBelow = computed(() => size.value.width <= BAR_FROM);
/** Whether the view follows the run. It does until the user moves it. */
export const follow = signal(true);
/** Whether the user has moved the view. Then it stays, even if the pane's size changes. */
export const moved = signal(false);
/** Whether the next graph is that of another machine, which is shown as a whole. */
export const fresh = { value: true };

/** Lays the graph out for the current shape of the pane, for example when the panes beside it have become rails. */
export function reshape(): void {
  const { width, height } = size.peek();
  // The values are rounded, so that small differences do not lay out the graph again.
  if (width > 0 && height > 0)
    setShape(Math.min(5, Math.max(0.2, Math.round((width / height) * 10) / 10)), Math.max(160, Math.round((height - EDGE) / 40) * 40));
}

/** Prepares for another machine: its graph is laid out for the current shape of the pane, and fitted when it arrives. */
export function expectMachine(): void {
  moved.value = false;
  fresh.value = true;
  reshape();
}

/** The share of the pane by which the painted drawing extends beyond each of its edges. */
const BEYOND = 0.25;
/** The delay after the last movement until the drawing is painted for the new view, in milliseconds. */
const SETTLE = 140;
/** The scale of the painted drawing on the screen. Beyond these limits it is painted again, because it would be too coarse. */
const COARSE = [0.6, 2] as const;

/** Returns how far the painted drawing extends beyond the left and the upper edge of the pane, in px. */
export function beyond(): { x: number; y: number } {
  const { width, height } = size.value;
  return { x: Math.round(width * BEYOND), y: Math.round(height * BEYOND) };
}

let settling: ReturnType<typeof setTimeout> | undefined;

/** Shows a view that does not belong to a movement: the drawing is painted for it at once. */
export function setView(to: View): void {
  clearTimeout(settling);
  batch(() => {
    shown.value = to;
    drawn.value = to;
  });
}

/** Shows the next view of a movement. The drawing is painted when the movement ends, or when it no longer covers the pane. */
function moveView(to: View): void {
  const { x, y, k } = drawn.peek();
  const { width, height } = size.peek();
  const ratio = to.k / k;
  const covers = (from: number, length: number, more: number): boolean =>
    from - more * ratio <= 0 && from + (length + more) * ratio >= length;
  const { x: right, y: down } = beyond();
  if (ratio < COARSE[0] || ratio > COARSE[1] || !covers(to.x - x * ratio, width, right) || !covers(to.y - y * ratio, height, down))
    return setView(to);
  shown.value = to;
  clearTimeout(settling);
  settling = setTimeout(() => setView(shown.peek()), SETTLE);
}

/** Drawn nodes change by tiles of this many px of the drawing, and not with every painting. */
const TILE = 800;
export const sight = computed(() => {
  const { x, y, k } = drawn.value;
  const { width, height } = size.value;
  const more = beyond();
  const low = (value: number): number => Math.floor(value / k / TILE) * TILE;
  const high = (value: number): number => Math.ceil(value / k / TILE) * TILE;
  return [low(-more.x - x), low(-more.y - y), high(width + more.x - x), high(height + more.y - y)].join(" ");
});

export function zoomTo(k: number, at?: { x: number; y: number }): void {
  const { width, height } = size.value;
  const { x, y, k: before } = view.value;
  const next = Math.min(MAX_ZOOM, Math.max(Math.min(MIN_ZOOM, wholeScale(graph.peek()?.graph, size.peek()) || MIN_ZOOM), k));
  const px = at?.x ?? width / 2;
  const py = at?.y ?? height / 2;
  stopGliding();
  moveView({ k: next, x: px - ((px - x) / before) * next, y: py - ((py - y) / before) * next });
  moved.value = true;
  follow.value = false;
}

export function pan(dx: number, dy: number): void {
  const { x, y, k } = view.value;
  stopGliding();
  moveView({ x: x + dx, y: y + dy, k });
  moved.value = true;
  follow.value = false;
}

/** Moves a point of the drawing to the centre. */
export function centre(x: number, y: number): void {
  const { k } = view.value;
  const { width, height } = size.value;
  stopGliding();
  moveView({ k, x: width / 2 - x * k, y: height / 2 - y * k });
  moved.value = true;
  follow.value = false;
}

/**
 * Returns the scale that the view has after its pane has become lower, for example when a run opens the pane below: names stay
 * legible.
 */
export function kept(from: { width: number; height: number }): number {
  const { width, height } = size.peek();
  return from.width === width && height < from.height ? Math.min(view.peek().k, LEGIBLE) : 0;
}

/**
 * Fits the graph into the pane, as large as names and icons need: see `fittedView`. `whole` shows all of it, however small.
 */
export function fit(index: GraphIndex, go: (to: View) => void, whole = false, least = 0): void {
  const { width, height } = size.value;
  if (width === 0 || height === 0 || index.graph.width === 0) return;
  const legible = index.stateCount > MAP_FROM ? 0 : leastScale(legibleName(index));
  const barBeside = graphEditor.peek() !== null && width > BAR_FROM;
  go(fittedView(index, { width, height }, { whole, least, barBeside, legible }));
  moved.value = false;
}

/** Fits the graph. If it is fitted already and not all of it is visible, the whole graph is shown, even if names are not legible. */
export function fitOrWhole(index: GraphIndex): void {
  const before = view.peek();
  let to = before;
  fit(index, (wanted) => (to = wanted));
  const same = Math.abs(to.k - before.k) < 0.001 && Math.abs(to.x - before.x) < 1 && Math.abs(to.y - before.y) < 1;
  fit(index, glide, same || index.stateCount > MAP_FROM);
}

const names = new WeakMap<GraphIndex, number>();
/** Returns the largest size of names, in px of the drawing, at which each card has its icon and its whole name. */
export function legibleName(index: GraphIndex): number {
  let found = names.get(index);
  if (found === undefined) names.set(index, (found = index.stateCount > MAP_FROM ? DRAWN : largestName(index, widthOf)));
  return found;
}

/**
 * Returns the nearest view that shows the box. It is the current view if the box is visible, else one with some of the
 * surroundings.
 */
export function showing(box: Box, margin = 0.1): View {
  const { width, height } = size.value;
  const { x, y, k } = view.value;
  const along = (at: number, length: number, offset: number, room: number): number => {
    const edge = room * margin;
    const from = at * k + offset;
    const to = (at + length) * k + offset;
    // If the box is visible, the view does not move.
    if (from >= EDGE / 2 && to <= room - EDGE / 2) return offset;
    if (to - from > room - 2 * edge) return edge - at * k;
    if (from < edge) return offset + (edge - from);
    if (to > room - edge) return offset - (to - (room - edge));
    return offset;
  };
  return { k, x: along(box.x, box.width, x, width), y: along(box.y, box.height, y, height) };
}

/** Keeps a node that both layouts have at its position on the screen. Returns how far the drawing moved, in its own px. */
export function anchor(before: GraphIndex, after: GraphIndex, wanted: readonly (string | null)[]): { dx: number; dy: number } {
  const { x, y, k } = view.peek();
  const { width, height } = size.peek();
  const inSight = (box: Box): boolean =>
    box.x * k + x < width && (box.x + box.width) * k + x > 0 && box.y * k + y < height && (box.y + box.height) * k + y > 0;
  const place = (id: string | null): [Box, Box] | undefined => {
    const [a, b] = [before.node(before.byId.get(id ?? "") ?? -1), after.node(after.byId.get(id ?? "") ?? -1)];
    return a && b && inSight(a) ? [a, b] : undefined;
  };
  let held = wanted.map(place).find((found) => found !== undefined);
  if (!held) {
    // The node nearest to the centre of the visible part is used.
    const [cx, cy] = [(width / 2 - x) / k, (height / 2 - y) / k];
    let least = Infinity;
    for (const node of before.graph.nodes) {
      const distance = Math.abs(node.x + node.width / 2 - cx) + Math.abs(node.y - cy);
      if (distance >= least) continue;
      const found = place(node.id);
      if (found) [held, least] = [found, distance];
    }
  }
  if (!held) return { dx: 0, dy: 0 };
  const [a, b] = held;
  const middle = (box: Box): [number, number] => [box.x + box.width / 2, box.y];
  const [[ax, ay], [bx, by]] = [middle(a), middle(b)];
  const [dx, dy] = [ax - bx, ay - by];
  if (dx !== 0 || dy !== 0) {
    stopGliding();
    setView({ k, x: x + dx * k, y: y + dy * k });
  }
  return { dx, dy };
}

let gliding = 0;
function stopGliding(): void {
  cancelAnimationFrame(gliding);
}

/** Moves the view, animated or at once. */
export function glide(to: View): void {
  stopGliding();
  if (!motion() || size.value.width === 0) {
    setView(to);
    return;
  }
  const from = view.value;
  const begun = performance.now();
  const step = (now: number): void => {
    const t = Math.min(1, (now - begun) / GLIDE);
    const ease = 1 - (1 - t) ** 3;
    const mix = (a: number, b: number): number => a + (b - a) * ease;
    (t < 1 ? moveView : setView)({ x: mix(from.x, to.x), y: mix(from.y, to.y), k: mix(from.k, to.k) });
    if (t < 1) gliding = requestAnimationFrame(step);
  };
  gliding = requestAnimationFrame(step);
}

/** Moves the view as little as needed to show a node. */
export function reveal(id: string): void {
  const index = graph.peek();
  const node = index?.node(index.byId.get(id) ?? -1);
  if (!node || size.peek().width === 0) return;
  const box = isContainer(node) ? { ...node, height: Math.min(node.height, 90) } : node;
  const to = showing(box);
  const now = view.peek();
  if (Math.abs(to.x - now.x) > 1 || Math.abs(to.y - now.y) > 1) glide(to);
}
