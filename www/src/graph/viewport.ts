// The visible part of the graph.

import { computed, signal } from "@preact/signals";
import { type GraphIndex, isContainer } from "../model/graph.ts";
import { motion } from "../prefs.ts";
import { graph, setAspect } from "../store/analysis.ts";
import { graphEditor } from "./graphEditor.ts";

/** The minimum scale, except for graphs that are larger still. */
const MIN_ZOOM = 0.05;
const MAX_ZOOM = 4;
const EDGE = 24;
/** The width and height of the corners that the search and the tools cover. */
const CORNER = [216, 50] as const;
/**
 * If the pane is wider than this, the editor's bar covers as much of the lower left corner. Otherwise the bar is below the pane.
 */
const BAR_FROM = 544;
/** If the scale of the whole graph is below `WHOLE`, the view begins with a part of the graph at the scale `READABLE`. */
const WHOLE = 0.25;
const READABLE = 0.72;
/** The minimum scale at which most names fit into their boxes. */
const LEGIBLE = 0.5;
/** How long the view takes to follow a run, in milliseconds. */
const GLIDE = 220;

export interface View {
  x: number;
  y: number;
  k: number;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const view = signal<View>({ x: 0, y: 0, k: 1 });
export const size = signal({ width: 0, height: 0 });
/** Whether the bar has a row of its own below the pane, because there is no room for it beside the tools. */
export const barBelow = computed(() => size.value.width <= BAR_FROM);
/** Whether the view follows the run. It does until the user moves it. */
export const follow = signal(true);
/** Whether the user has moved the view. Then it stays, even if the pane's size changes. */
export const moved = signal(false);
/** Whether the next graph is that of another machine, which is shown as a whole. */
export const fresh = { value: true };

/** Prepares for another machine: its graph is laid out for the current shape of the pane, and fitted when it arrives. */
export function expectMachine(): void {
  const { width, height } = size.peek();
  moved.value = false;
  fresh.value = true;
  if (width > 0 && height > 0) setAspect(Math.min(5, Math.max(0.2, Math.round((width / height) * 10) / 10)));
}

/** Drawn nodes change by tiles of this many px of the drawing, and not with every pixel. */
const TILE = 800;
export const sight = computed(() => {
  const { x, y, k } = view.value;
  const { width, height } = size.value;
  const low = (value: number): number => Math.floor(value / TILE - 0.25) * TILE;
  const high = (value: number): number => Math.ceil(value / TILE + 0.25) * TILE;
  return [low(-x / k), low(-y / k), high((width - x) / k), high((height - y) / k)].join(" ");
});

export function zoomTo(k: number, at?: { x: number; y: number }): void {
  const { width, height } = size.value;
  const { x, y, k: before } = view.value;
  const next = Math.min(MAX_ZOOM, Math.max(Math.min(MIN_ZOOM, wholeScale(graph.peek()?.graph)), k));
  const px = at?.x ?? width / 2;
  const py = at?.y ?? height / 2;
  stopGliding();
  view.value = { k: next, x: px - ((px - x) / before) * next, y: py - ((py - y) / before) * next };
  moved.value = true;
  follow.value = false;
}

export function pan(dx: number, dy: number): void {
  const { x, y, k } = view.value;
  stopGliding();
  view.value = { x: x + dx, y: y + dy, k };
  moved.value = true;
  follow.value = false;
}

/** Moves a point of the drawing to the centre. */
export function centre(x: number, y: number): void {
  const { k } = view.value;
  const { width, height } = size.value;
  stopGliding();
  view.value = { k, x: width / 2 - x * k, y: height / 2 - y * k };
  moved.value = true;
  follow.value = false;
}

/** Returns the scale at which the whole graph is visible. */
function wholeScale(graph: { width: number; height: number } | undefined): number {
  const { width, height } = size.peek();
  return graph && graph.width > 0 && width > EDGE && height > EDGE
    ? Math.min((width - EDGE) / graph.width, (height - EDGE) / graph.height, 1.15)
    : MIN_ZOOM;
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
 * Fits the whole graph into the pane, never enlarged. If not even names would be readable, it shows the beginning of the graph,
 * unless `whole` is set.
 */
export function fit(index: GraphIndex, go: (to: View) => void, whole = false, least = 0): void {
  const { width, height } = size.value;
  const { graph } = index;
  const [x0, y0] = index.corner;
  if (width === 0 || height === 0 || graph.width === 0) return;
  let all = wholeScale(graph);
  // If there is room, the graph does not extend below the covered corners: it is placed between them, or beside the right ones if
  // only those are covered.
  const tall = height > 5 * CORNER[1] && graph.height * all > height - 2 * CORNER[1];
  const over = tall && (width - graph.width * all) / 2 < CORNER[0];
  const beside = width - CORNER[0] - EDGE / 2;
  const left = graphEditor.peek() && width > BAR_FROM ? 0 : (beside - EDGE / 2) / graph.width;
  if (over) all = Math.min(all, Math.max((height - 2 * CORNER[1]) / graph.height, left));
  all = Math.max(all, least > 0 ? leastFor(index, least) : 0);
  const k = whole || all >= WHOLE ? all : Math.max(all, Math.min(READABLE, Math.max((width - EDGE) / graph.width, 0.4)));
  const start = graph.nodes.find(({ type }) => type === "Start");
  // A graph wider than the pane is shown from its beginning.
  const x =
    graph.width * k > width
      ? Math.min(EDGE / 2, width / 2 - (start ? start.x - x0 + start.width / 2 : graph.width / 2) * k)
      : over && graph.height * k > height - 2 * CORNER[1]
        ? Math.max(EDGE / 2, beside - graph.width * k)
        : (width - graph.width * k) / 2;
  const y = least > 0 ? middleOfStates(index, k) : topOf(graph, k);
  go({ k, x: x - x0 * k, y: y - y0 * k });
  moved.value = false;
}

/** Returns a slightly smaller scale if all states are visible then. */
function leastFor(index: GraphIndex, least: number): number {
  const [from, to] = extentOf(index);
  const room = (size.peek().height - EDGE / 2 - CORNER[1]) / (to - from);
  return room < least && room > least * 0.85 ? room : least;
}

/** Returns the extent from the top of the uppermost state to the bottom of the lowest. */
function extentOf({ graph, corner: [, top] }: GraphIndex): [from: number, to: number] {
  const states = graph.nodes.filter(({ type }) => type !== "Start" && type !== "End");
  return [Math.min(...states.map(({ y }) => y - top)), Math.max(...states.map((node) => node.y - top + node.height))];
}

/** Returns the offset that centres the graph vertically, or that shows it from its top. */
function topOf(graph: { height: number }, k: number): number {
  const { height } = size.peek();
  return Math.max(graph.height * k > height - EDGE ? EDGE / 2 : (height - graph.height * k) / 2, EDGE / 2);
}

/**
 * If the pane is too low for the whole graph but not for its states, the states are visible and the start and end signs are cut
 * off first.
 */
function middleOfStates(index: GraphIndex, k: number): number {
  const { height } = size.peek();
  const [from, to] = extentOf(index);
  const room = height - CORNER[1] + EDGE / 2;
  return index.graph.height * k > height - EDGE && (to - from) * k <= room - EDGE + 1
    ? (room - (from + to) * k) / 2
    : topOf(index.graph, k);
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
    view.value = { k, x: x + dx * k, y: y + dy * k };
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
    view.value = to;
    return;
  }
  const from = view.value;
  const begun = performance.now();
  const step = (now: number): void => {
    const t = Math.min(1, (now - begun) / GLIDE);
    const ease = 1 - (1 - t) ** 3;
    const mix = (a: number, b: number): number => a + (b - a) * ease;
    view.value = { x: mix(from.x, to.x), y: mix(from.y, to.y), k: mix(from.k, to.k) };
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
