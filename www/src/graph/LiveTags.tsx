// The last outputs of states, in tags beside their cards. If there is no room for a tag, the output replaces the caption in the
// card.

import { effect, useComputed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { inBoxes } from "./lod.ts";
import { size as paneSize, view } from "./viewport.ts";
import { type GraphIndex, type GraphNode, isContainer, isState } from "../model/graph.ts";
import { cut, widthOf } from "../ui/measure.ts";
import { outputs } from "../debugger/liveValues.ts";
import { captions } from "../debugger/onGraph.ts";

/** The height of a letter, and the minimum and maximum width of a tag, in px of the screen. */
const LETTER = 11;
const LEAST = 60;
const MOST = 260;
/** The distance between a card and its tag, in px of the drawing. Breakpoints are drawn between them. */
const APART = 14;
/** The size of the card's corner that shows the status. */
const SIGNS = 30;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Side {
  /** The edge of the tag at the card, and whether the tag extends to the left from there. */
  x: number;
  y: number;
  left: boolean;
  /** The maximum width, in px of the drawing. */
  room: number;
}

const meet = (a: Box, b: Box): boolean => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Returns the boxes that tags must not cover: cards, lines and their labels. */
function obstaclesOf({ graph }: GraphIndex): Box[] {
  const found: Box[] = graph.nodes.filter((node) => !isContainer(node));
  for (const { points, labelBox } of graph.edges) {
    if (labelBox) found.push(labelBox);
    for (let i = 1; i < points.length; i++) {
      const [[ax, ay], [bx, by]] = [points[i - 1]!, points[i]!];
      found.push({ x: Math.min(ax, bx) - 3, y: Math.min(ay, by) - 3, width: Math.abs(bx - ax) + 6, height: Math.abs(by - ay) + 6 });
    }
  }
  return found;
}

/** Returns the wider side of each card. A card is left out if neither side has enough room. */
function sidesOf(index: GraphIndex, height: number, least: number, pane: Box): Map<string, Side> {
  const { nodes } = index.graph;
  const obstacles = obstaclesOf(index);
  const far = MOST * 4;
  const sides = new Map<string, Side>();
  for (const [i, node] of nodes.entries()) {
    if (!isState(node) || isContainer(node)) continue;
    const around = nodes[index.parent[i] ?? -1];
    const y = node.y + Math.min(node.height, 54) / 2;
    const band = (x: number, width: number): Box => ({ x, y: y - height / 2, width, height });
    let [right, left] = [far, far];
    const [end, begin] = [node.x + node.width + APART, node.x - APART];
    for (const box of obstacles) {
      if (box === node) continue;
      if (meet(box, band(end, far))) right = Math.min(right, box.x - end - 6);
      if (meet(box, band(begin - far, far))) left = Math.min(left, begin - (box.x + box.width) - 6);
    }
    if (around) {
      right = Math.min(right, around.x + around.width - end - 6);
      left = Math.min(left, begin - around.x - 6);
    }
    // The tag of a visible card must be visible too.
    if (begin > pane.x && end < pane.x + pane.width) {
      right = Math.min(right, pane.x + pane.width - end - 4);
      left = Math.min(left, begin - pane.x - 4);
    }
    // The right side is used unless it is much narrower.
    const toLeft = right < least && left > right;
    const room = toLeft ? left : right;
    if (room >= least) {
      sides.set(node.id, { x: toLeft ? begin : end, y, left: toLeft, room });
      continue;
    }
    // The tag can also be below or above the card, as wide as the card.
    for (const top of [node.y + node.height + 3, node.y - height - 3]) {
      const box = { x: node.x, y: top, width: node.width - SIGNS, height };
      const free = !around || (top > around.y + 4 && top + height < around.y + around.height - 4);
      if (box.width < least || !free || obstacles.some((other) => other !== node && meet(other, box))) continue;
      sides.set(node.id, { x: node.x, y: top + height / 2, left: false, room: box.width });
      break;
    }
  }
  return sides;
}

/** Returns the visible part of the drawing. */
function paneNow(): Box {
  const { x, y, k } = view.peek();
  const { width, height } = paneSize.peek();
  return { x: -x / k, y: -y / k, width: width / k, height: height / k };
}

export function LiveTags({ index }: { index: GraphIndex }) {
  const shown = outputs.value;
  // The scale is rounded, so that not every movement computes the positions again.
  const k = useComputed(() => Math.min(1, Math.max(0.05, Math.round(view.value.k * 10) / 10))).value;
  const drawn = inBoxes.value && shown.size > 0;
  const sides = useMemo(() => (drawn ? sidesOf(index, 18 / k, LEAST / k, paneNow()) : new Map<string, Side>()), [index, k, drawn, shown]);
  const within = useMemo(() => new Map([...shown].map(([id, text]) => [id, { text, inside: !sides.has(id) }])), [shown, sides]);
  useEffect(() => {
    captions.value = within;
  }, [within]);
  if (!drawn) return null;
  const size = LETTER / k;
  return (
    <g class="live-tags" style={{ fontSize: `${size}px` }}>
      {[...shown].map(([id, text]) => {
        const side = sides.get(id);
        const node: GraphNode | undefined = index.node(index.byId.get(id) ?? -1);
        if (!side || !node) return null;
        const words = cut(text, size, Math.min(side.room, MOST / k) - size);
        const width = widthOf(words, size, "text") + size;
        return (
          <g key={id} transform={`translate(${side.left ? side.x - width : side.x} ${side.y})`}>
            <title>{`${node.name} gave ${text}`}</title>
            <rect y={-size * 0.8} width={width} height={size * 1.6} rx={size * 0.4} />
            <text x={size / 2} y={size * 0.35}>
              {words}
            </text>
          </g>
        );
      })}
    </g>
  );
}

// The captions are cleared together with the tags.
effect(() => {
  if (outputs.value.size === 0) captions.value = new Map();
});
