// The keyboard handling of the graph.

import { goToDefinition } from "../editor/definitionEditor.ts";
import { keymap } from "../keys/keymap.ts";
import { type GraphIndex, type GraphNode, isContainer, isState } from "../model/graph.ts";
import * as analysis from "../store/analysis.ts";
import { dismiss } from "./Card.tsx";
import { choose, elementOf, focusNode, focused, refocus } from "./focus.ts";
import { openMenu } from "./menuOpen.ts";
import { renameNode } from "./graphEditor.ts";
import { pan, reveal } from "./viewport.ts";

/** While the space bar is held, the arrow keys move the view. */
let space = false;
let spaceMoved = false;

/** Selects a node when the space bar is released, unless the view was moved with it. */
export function keyUp(event: KeyboardEvent, index: GraphIndex): void {
  if (event.key !== " " || !space) return;
  space = false;
  const node = index.node(index.byId.get(focused.value ?? "") ?? -1);
  if (!spaceMoved && node) choose(node);
}

const PAN: Record<string, [number, number]> = { Up: [0, 60], Down: [0, -60], Left: [60, 0], Right: [-60, 0] };

/** Handles a key while the graph has the focus. */
export function keys(event: KeyboardEvent, index: GraphIndex, svg: SVGSVGElement): void {
  const command = keymap.value?.find(event, "graph");
  const at = index.byId.get(focused.value ?? "") ?? -1;
  const node = index.node(at);
  // Folding applies to the focused node and not to the selected one.
  if (command?.run && !/fold$/.test(command.id)) command.run();
  else if (!node || !act(command?.id, event, index, at, node, svg)) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Runs the command of a key. Returns whether there was one. */
function act(id: string | undefined, event: KeyboardEvent, index: GraphIndex, at: number, node: GraphNode, svg: SVGSVGElement): boolean {
  const [, way] = /^(?:graph|pan)(Up|Down|Left|Right)$/.exec(id ?? "") ?? [];
  if (way !== undefined) {
    if (space || id!.startsWith("pan")) {
      spaceMoved = true;
      pan(...PAN[way]!);
    } else {
      const to = neighbour(index, at, way);
      if (to >= 0) go(index, to, svg);
    }
    return true;
  }
  switch (id) {
    case "graphMenu": {
      const box = elementOf(svg, node.id)?.getBoundingClientRect();
      if (box)
        openMenu(node, box.left + Math.min(box.width / 2, 60), box.top + Math.min(box.height / 2, 40), () => focusNode(svg, node.id));
      return true;
    }
    case "graphInto": {
      const into = isContainer(node) ? firstInside(index, at) : -1;
      if (into >= 0) go(index, into, svg);
      else {
        choose(node);
        if (isState(node)) void renameNode(node.id);
      }
      return true;
    }
    case "graphText":
      choose(node);
      if (isState(node)) goToDefinition(node.name);
      return true;
    case "graphOut": {
      if (dismiss()) {
        event.stopPropagation();
        return false;
      }
      const out = index.stateAround(at);
      if (out >= 0) go(index, out, svg);
      return out >= 0;
    }
    case "fold":
    case "unfold":
      if ((node.type !== "Parallel" && node.type !== "Map") || node.collapsed !== (id === "unfold")) return false;
      refocus.id = node.id;
      analysis.toggleFold(node.pointer);
      return true;
    case "graphHome":
      go(index, index.graph.nodes.findIndex(isState), svg);
      return true;
    case undefined:
      return typed(event, index, at, svg);
    default:
      return false;
  }
}

/** Handles the space bar, and letters, which move to the next state whose name begins with them. */
function typed(event: KeyboardEvent, index: GraphIndex, at: number, svg: SVGSVGElement): boolean {
  if (event.altKey || event.ctrlKey || event.metaKey) return false;
  if (event.key === " ") {
    if (!event.repeat) [space, spaceMoved] = [true, false];
    return true;
  }
  if (event.key.length !== 1 || !/\p{L}|\p{N}/u.test(event.key) || event.shiftKey || keymap.value?.find(event, "page")) return false;
  const to = byLetter(index, at, event.key.toLowerCase());
  if (to >= 0) go(index, to, svg);
  return to >= 0;
}

function go(index: GraphIndex, to: number, svg: SVGSVGElement): void {
  const node = index.node(to);
  if (!node) return;
  focused.value = node.id;
  choose(node);
  reveal(node.id);
  // The element exists after the next painting at the latest, even if it was out of view.
  if (!focusNode(svg, node.id)) requestAnimationFrame(() => focusNode(svg, node.id));
}

function firstInside(index: GraphIndex, at: number): number {
  return index.statesInside(at).sort((a, b) => a - b)[0] ?? -1;
}

/** Returns the next node along the transitions in the direction of the graph, or the nearest box across it. */
function neighbour(index: GraphIndex, at: number, way: string): number {
  const { nodes, edges, direction } = index.graph;
  const [forward, backward] = direction === "TB" ? ["Down", "Up"] : ["Right", "Left"];
  if (way === forward || way === backward) {
    const ways = (way === forward ? index.out[at]! : index.in[at]!)
      .map((e) => edges[e]!)
      .filter((edge) => !edge.back)
      .map((edge) => index.byId.get(way === forward ? edge.to : edge.from)!)
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
      way === "Down"
        ? [y - origin.y, x - origin.x]
        : way === "Up"
          ? [origin.y - y, x - origin.x]
          : way === "Right"
            ? [x - origin.x, y - origin.y]
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
