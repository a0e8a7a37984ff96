// Drags a state, a pattern or a service from the palette to the graph: onto a transition, behind a state, or to an empty place.

import { signal } from "@preact/signals";
import { pan, size, view } from "../graph/viewport.ts";
import { type GraphEdge, type GraphIndex, isState } from "../model/graph.ts";
import { insertTitle, nearest, scopeAt } from "../model/transitions.ts";
import * as analysis from "../store/analysis.ts";
import { say, showToast } from "../store/notifications.ts";
import { sentence, unticked } from "../ui/format.ts";
import { add, additionsBehind } from "./add.ts";
import { canEdit } from "./gesture.ts";
import type { Option } from "./picking.ts";
import { pick } from "./picking.ts";
import { canInsertInto } from "./selectedStates.ts";

/** Where the piece would be dropped; null while the pointer is not over the graph. */
type Aim = { edge: GraphEdge } | { node: string } | { scope: string } | null;

export const paletteDrag = signal<{ option: Option; x: number; y: number; aim: Aim; words: string } | null>(null);

const AWAY = 6;
/** Distances in px of the screen: to a transition, and to the pane's edge. */
const REACH = 26;
const EDGE = 28;

/** Handles a press on a piece of the palette, which may become a drag. */
export function startPaletteDrag(event: PointerEvent, option: Option): void {
  if (event.button !== 0) return;
  const { pointerId, clientX, clientY } = event;
  const source = event.currentTarget as HTMLElement;
  const move = (at: PointerEvent): void => {
    if (at.pointerId !== pointerId) return;
    if (!paletteDrag.peek()) {
      if (Math.hypot(at.clientX - clientX, at.clientY - clientY) < AWAY) return;
      if (!canEdit()) return stop();
      source.setPointerCapture(pointerId);
    }
    at.preventDefault();
    moveAlong(at);
    const aim = aimAt(at);
    paletteDrag.value = { option, x: at.clientX, y: at.clientY, aim, words: wordsFor(aim) };
  };
  const end = (at: PointerEvent): void => {
    if (at.pointerId !== pointerId) return;
    stop();
    const now = paletteDrag.peek();
    paletteDrag.value = null;
    if (!now) return;
    // A click follows the drag and must have no effect.
    const quiet = (click: Event): void => click.stopImmediatePropagation();
    source.addEventListener("click", quiet, { capture: true, once: true });
    setTimeout(() => source.removeEventListener("click", quiet, true));
    if (at.type === "pointerup") void drop(now.option, now.aim, { x: at.clientX, y: at.clientY });
  };
  const keys = (key: KeyboardEvent): void => {
    if (key.key !== "Escape" || !paletteDrag.peek()) return;
    key.preventDefault();
    key.stopImmediatePropagation();
    paletteDrag.value = null;
    stop();
  };
  function stop(): void {
    source.removeEventListener("pointermove", move);
    source.removeEventListener("pointerup", end);
    source.removeEventListener("pointercancel", end);
    removeEventListener("keydown", keys, true);
  }
  source.addEventListener("pointermove", move);
  source.addEventListener("pointerup", end);
  source.addEventListener("pointercancel", end);
  addEventListener("keydown", keys, true);
}

const canvas = (): SVGSVGElement | null => document.querySelector<SVGSVGElement>("svg.canvas");

/** Scrolls the view while the pointer is near the pane's edge. */
function moveAlong(at: PointerEvent): void {
  const box = canvas()?.getBoundingClientRect();
  if (!box || document.elementFromPoint(at.clientX, at.clientY)?.closest(".pen-palette")) return;
  const along = (here: number, length: number): number => (here < 0 || here > length ? 0 : here < EDGE ? 8 : here > length - EDGE ? -8 : 0);
  const [dx, dy] = [along(at.clientX - box.left, size.peek().width), along(at.clientY - box.top, size.peek().height)];
  if (dx !== 0 || dy !== 0) pan(dx, dy);
}

function aimAt({ clientX, clientY }: PointerEvent): Aim {
  const svg = canvas();
  const box = svg?.getBoundingClientRect();
  if (!box || clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom) return null;
  const below = document.elementFromPoint(clientX, clientY);
  if (below?.closest(".pen-palette")) return null;
  const index = analysis.graph.peek();
  if (!index) return { scope: "" };
  const { x: left, y: top, k } = view.peek();
  const [x, y] = [(clientX - box.left - left) / k, (clientY - box.top - top) / k];
  const node = stateUnder(index, x, y);
  if (node !== undefined) return { node };
  const edge = nearest(index, x, y, REACH / k);
  return edge && canInsertInto(index, edge) ? { edge } : { scope: scopeAt(index, x, y) };
}

/** Returns the innermost state without nested states at a point. */
function stateUnder(index: GraphIndex, x: number, y: number): string | undefined {
  return index.graph.nodes.findLast(
    (node, i) =>
      isState(node) &&
      index.children[i]!.length === 0 &&
      x >= node.x &&
      y >= node.y &&
      x <= node.x + node.width &&
      y <= node.y + node.height,
  )?.id;
}

function wordsFor(aim: Aim): string {
  const index = analysis.graph.peek();
  if (!aim) return "Drop it on the graph";
  if ("edge" in aim) return index ? insertTitle(index, aim.edge) : "";
  if ("node" in aim) return `Add it after ${index?.node(index.byId.get(aim.node) ?? -1)?.name ?? "the state"}`;
  return index ? "Add it, without a transition to it" : "Begin with it";
}

async function drop({ id, title }: Option, aim: Aim, at: { x: number; y: number }): Promise<void> {
  if (!aim) return say(`${title} was not added.`);
  if ("edge" in aim) return add(id, { edge: aim.edge.id }, at);
  if ("scope" in aim) return add(id, { scope: aim.scope }, at);
  const { ways, refused } = await additionsBehind(aim.node);
  const [only] = ways;
  if (!only) return showToast(refused === undefined ? "Nothing can come after this state." : unticked(sentence(refused)));
  if (ways.length === 1) return add(id, only.where, at);
  const chosen = await pick({ title: `${title}: where?`, placeholder: "", groups: [{ title: "", options: ways }], at });
  const way = ways.find((one) => one.id === chosen?.id);
  if (way) await add(id, way.where, at);
}
