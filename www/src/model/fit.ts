// The view that shows a graph in a pane. Nothing here depends on a page.

import { type Graph, type GraphIndex, isContainer } from "./graph.ts";

export interface View {
  x: number;
  y: number;
  k: number;
}

export interface Size {
  width: number;
  height: number;
}

export const EDGE = 24;
/** The width and height of the corners that the search and the tools cover. */
const CORNER = [216, 50] as const;
/**
 * If the pane is wider than this, the editor's bar covers as much of the lower left corner. Otherwise the bar is below the pane.
 */
export const BAR_FROM = 544;
/** If the scale of the whole graph is below `WHOLE`, the view begins with a part of the graph at the scale `READABLE`. */
const WHOLE = 0.25;
const READABLE = 0.72;
/** The height of an open state's head. */
const HEAD = 54;
/** The maximum scale of a fitted graph. */
const LARGEST = 1.4;

/** Returns the scale at which the whole graph is visible; 0 if there is no graph or no room. */
export function wholeScale(graph: Size | undefined, { width, height }: Size): number {
  return graph && graph.width > 0 && width > EDGE && height > EDGE
    ? Math.min((width - EDGE) / graph.width, (height - EDGE) / graph.height, LARGEST)
    : 0;
}

interface FitOptions {
  /** Whether the whole graph is shown, even if names are not legible then. */
  whole?: boolean;
  /** A scale that the view has at least, for example the one before the pane became lower. */
  least?: number;
  /** Whether the editor's bar covers the lower left corner. */
  barBeside?: boolean;
  /** The smallest scale at which each card shows its icon and its whole name. */
  legible?: number;
}

/**
 * Returns the view that shows the whole graph. If its cards could not show their icons and whole names then, it shows the beginning of
 * the graph at the smallest scale at which they do.
 */
export function fittedView(
  index: GraphIndex,
  pane: Size,
  { whole = false, least = 0, barBeside = false, legible = 0 }: FitOptions = {},
): View {
  const { width, height } = pane;
  const { graph } = index;
  const [x0, y0] = index.corner;
  let all = wholeScale(graph, pane);
  // If there is room, the graph does not extend below the covered corners: it is placed between them, or beside the right ones if
  // only those are covered.
  const tall = height > 5 * CORNER[1] && graph.height * all > height - 2 * CORNER[1];
  const over = tall && (width - graph.width * all) / 2 < CORNER[0];
  const beside = width - CORNER[0] - EDGE / 2;
  const left = barBeside ? 0 : (beside - EDGE / 2) / graph.width;
  if (over) all = Math.min(all, Math.max((height - 2 * CORNER[1]) / graph.height, left));
  all = Math.max(all, least > 0 ? leastFor(index, least, pane) : 0);
  const k = whole
    ? all
    : legible > 0
      ? Math.max(all, legible)
      : all >= WHOLE
        ? all
        : Math.max(all, Math.min(READABLE, Math.max((width - EDGE) / graph.width, 0.4)));
  const start = graph.nodes.find(({ type }) => type === "Start");
  // A graph wider than the pane is shown from its beginning.
  const x =
    graph.width * k > width
      ? Math.min(EDGE / 2, width / 2 - (start ? start.x - x0 + start.width / 2 : graph.width / 2) * k)
      : over && graph.height * k > height - 2 * CORNER[1]
        ? Math.max(EDGE / 2, beside - graph.width * k)
        : (width - graph.width * k) / 2;
  const y = least > 0 ? middleOfStates(index, k, pane) : topOf(graph, k, pane);
  const view = { k, x: x - x0 * k, y: y - y0 * k };
  return { ...view, x: view.x + uncovered(index, view, pane, barBeside) };
}

/** A graph with more nodes is a map, in which single cards do not matter. */
const MOST_CLEARED = 300;
/** The step, in px, in which places beside the centre are tried. */
const STEP = 8;

/**
 * Returns how far the view moves to the side, so that as few cards and signs as possible are below the covered corners: the search
 * and the tools at the right, and the editor's bar at the lower left. The graph stays inside the pane.
 */
function uncovered(index: GraphIndex, { k, x, y }: View, { width, height }: Size, barBeside: boolean): number {
  const { nodes } = index.graph;
  const [low, right] = [height - CORNER[1], width - CORNER[0]];
  const from = index.corner[0] * k + x;
  const to = from + index.graph.width * k;
  if (nodes.length > MOST_CLEARED || from < EDGE / 2 || to > width - EDGE / 2) return 0;
  // Only what is at the height of a corner can be below it. The head of an open state has its name; the rest of it may be covered.
  const atCorner = nodes.flatMap((node) => {
    if (node.type === "Scope") return [];
    const top = node.y * k + y;
    const bottom = top + (isContainer(node) ? Math.min(node.height, HEAD) : node.height) * k;
    const [above, below] = [top < CORNER[1] && bottom > 0, bottom > low && top < height];
    return above || below ? [{ left: node.x * k + x, right: (node.x + node.width) * k + x, above, below }] : [];
  });
  const covered = (dx: number): number =>
    atCorner.filter((box) => box.right + dx > right || (box.below && barBeside && box.left + dx < CORNER[0])).length;
  let best = 0;
  let least = covered(0);
  const farthest = Math.max(from, width - to) - EDGE / 2;
  for (let away = STEP; away <= farthest && least > 0; away += STEP) {
    for (const dx of [away, -away]) {
      if (from + dx < EDGE / 2 || to + dx > width - EDGE / 2) continue;
      const now = covered(dx);
      if (now < least) [best, least] = [dx, now];
    }
  }
  return best;
}

/** Returns a slightly smaller scale if all states are visible then. */
function leastFor(index: GraphIndex, least: number, { height }: Size): number {
  const [from, to] = extentOf(index);
  const room = (height - EDGE / 2 - CORNER[1]) / (to - from);
  return room < least && room > least * 0.85 ? room : least;
}

/** Returns the extent from the top of the uppermost state to the bottom of the lowest. */
function extentOf({ graph, corner: [, top] }: GraphIndex): [from: number, to: number] {
  const states = graph.nodes.filter(({ type }) => type !== "Start" && type !== "End");
  return [Math.min(...states.map(({ y }) => y - top)), Math.max(...states.map((node) => node.y - top + node.height))];
}

/** Returns the offset that centres the graph vertically, or that shows it from its top. */
function topOf(graph: Pick<Graph, "height">, k: number, { height }: Size): number {
  return Math.max(graph.height * k > height - EDGE ? EDGE / 2 : (height - graph.height * k) / 2, EDGE / 2);
}

/**
 * If the pane is too low for the whole graph but not for its states, the states are visible and the start and end signs are cut
 * off first.
 */
function middleOfStates(index: GraphIndex, k: number, pane: Size): number {
  const { height } = pane;
  const [from, to] = extentOf(index);
  const room = height - CORNER[1] + EDGE / 2;
  return index.graph.height * k > height - EDGE && (to - from) * k <= room - EDGE + 1
    ? (room - (from + to) * k) / 2
    : topOf(index.graph, k, pane);
}
