// The graph by keyboard.

import { signal } from "@preact/signals";
import { goToDefinition } from "../editor/place.ts";
import { type GraphIndex, type GraphNode, isContainer, isState } from "../model/graph.ts";
import * as store from "../store.ts";
import { dismiss } from "./Card.tsx";
import { openMenu } from "./menuOpen.ts";
import * as search from "./search.ts";
import { fit, glide, pan, reveal, view, zoomTo } from "./viewport.ts";

/// The one node that the Tab key reaches.
export const focused = signal<string | null>(null);
/// The node that is to have the focus again when its element has been replaced.
export const refocus: { id: string | null } = { id: null };

export function choose(node: GraphNode): void {
  if (isState(node)) store.selectState(node.name, "graph");
}

/// While the space bar is held, the arrow keys move the view.
let space = false;
let spaceMoved = false;

/// The space bar chooses a node when it comes up, unless the view was moved with it.
export function keyUp(event: KeyboardEvent, index: GraphIndex): void {
  if (event.key !== " " || !space) return;
  space = false;
  const node = index.node(index.byId.get(focused.value ?? "") ?? -1);
  if (!spaceMoved && node) choose(node);
}

const PAN: Record<string, [number, number]> = { ArrowUp: [0, 60], ArrowDown: [0, -60], ArrowLeft: [60, 0], ArrowRight: [-60, 0] };

/// What a key does while the graph has the focus.
export function keys(event: KeyboardEvent, index: GraphIndex, svg: SVGSVGElement): void {
  if (event.altKey) return;
  const command = event.ctrlKey || event.metaKey;
  if (command && (event.key === "=" || event.key === "+")) zoomTo(view.value.k * 1.25);
  else if (command && event.key === "-") zoomTo(view.value.k / 1.25);
  else if (command) return;
  else if (event.shiftKey && event.code === "Digit1") fit(index.graph, glide, true);
  else if (event.shiftKey && event.code === "Digit0") zoomTo(1);
  else {
    const at = index.byId.get(focused.value ?? "") ?? -1;
    const node = index.node(at);
    if (!node) return;
    const by = event.shiftKey || space ? PAN[event.key] : undefined;
    if (by) {
      spaceMoved = true;
      pan(by[0], by[1]);
    } else if (event.key === " ") {
      if (!event.repeat) [space, spaceMoved] = [true, false];
    } else if (event.key === "ContextMenu" || (event.shiftKey && event.key === "F10")) {
      const box = elementOf(svg, node.id)?.getBoundingClientRect();
      if (box) openMenu(node, box.left + Math.min(box.width / 2, 60), box.top + Math.min(box.height / 2, 40), () => focusNode(svg, node.id));
    } else if (event.key === "/") {
      search.open.value = true;
    } else if (event.key === "Enter") {
      const into = isContainer(node) ? firstInside(index, at) : -1;
      if (into >= 0) go(index, into, svg);
      else {
        choose(node);
        if (isState(node)) goToDefinition(node.name);
      }
    } else if (event.key === "Escape") {
      if (dismiss()) return event.stopPropagation();
      const out = index.stateAround(at);
      if (out < 0) return;
      go(index, out, svg);
    } else if (event.key === "-" || event.key === "+" || event.key === "=") {
      if (node.type !== "Parallel" && node.type !== "Map") return;
      if (node.collapsed !== (event.key !== "-")) return;
      refocus.id = node.id;
      store.toggleFold(node.pointer);
    } else if (event.key === "Home") go(index, index.graph.nodes.findIndex(isState), svg);
    else if (event.key.startsWith("Arrow")) {
      const to = neighbour(index, at, event.key);
      if (to < 0) return event.preventDefault();
      go(index, to, svg);
    } else if (event.key.length === 1 && /\p{L}|\p{N}/u.test(event.key) && !event.shiftKey) {
      const to = byLetter(index, at, event.key.toLowerCase());
      if (to < 0) return;
      go(index, to, svg);
    } else return;
  }
  event.preventDefault();
  event.stopPropagation();
}

function go(index: GraphIndex, to: number, svg: SVGSVGElement): void {
  const node = index.node(to);
  if (!node) return;
  focused.value = node.id;
  choose(node);
  reveal(node.id);
  // The element is there after the next painting at the latest, also where it was out of sight.
  if (!focusNode(svg, node.id)) requestAnimationFrame(() => focusNode(svg, node.id));
}

/// Puts the focus on a node; false if it is not drawn.
export function focusNode(svg: SVGSVGElement, id: string): boolean {
  const element = elementOf(svg, id);
  element?.focus({ preventScroll: true });
  return element !== null;
}

export function elementOf(svg: Element, id: string): SVGGElement | null {
  return svg.querySelector<SVGGElement>(`[data-node="${CSS.escape(id)}"]`);
}

function firstInside(index: GraphIndex, at: number): number {
  return index.statesInside(at).sort((a, b) => a - b)[0] ?? -1;
}

/// Along the transitions in the direction of the graph, to the nearest box across it.
function neighbour(index: GraphIndex, at: number, key: string): number {
  const { nodes, edges, direction } = index.graph;
  const [forward, backward] = direction === "TB" ? ["ArrowDown", "ArrowUp"] : ["ArrowRight", "ArrowLeft"];
  if (key === forward || key === backward) {
    const ways = (key === forward ? index.out[at]! : index.in[at]!)
      .map((e) => edges[e]!)
      .filter((edge) => !edge.back)
      .map((edge) => index.byId.get(key === forward ? edge.to : edge.from)!)
      .filter((to) => to !== at && nodes[to]!.type !== "Start" && nodes[to]!.type !== "End");
    if (ways.length > 0) return ways[0]!;
  }
  const from = nodes[at]!;
  const middle = (node: GraphNode) => ({ x: node.x + node.width / 2, y: node.y + Math.min(node.height, 54) / 2 });
  const origin = middle(from);
  let best = -1;
  let least = Infinity;
  nodes.forEach((node, i) => {
    if (i === at || node.parent !== from.parent || !(isState(node) || node.type === "Missing")) return;
    const { x, y } = middle(node);
    const [along, across] =
      key === "ArrowDown" ? [y - origin.y, x - origin.x]
      : key === "ArrowUp" ? [origin.y - y, x - origin.x]
      : key === "ArrowRight" ? [x - origin.x, y - origin.y]
      : [origin.x - x, y - origin.y];
    if (along <= 8) return;
    const distance = along + 2 * Math.abs(across);
    if (distance < least) [best, least] = [i, distance];
  });
  return best;
}

function byLetter(index: GraphIndex, at: number, letter: string): number {
  const { nodes } = index.graph;
  for (let step = 1; step <= nodes.length; step++) {
    const i = (at + step) % nodes.length;
    if (isState(nodes[i]!) && nodes[i]!.name.toLowerCase().startsWith(letter)) return i;
  }
  return -1;
}
