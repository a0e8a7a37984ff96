// Drags a state, a pattern or a service from the palette to the graph: onto a transition, behind a state, or to an empty place.

import { signal } from "@preact/signals";
import { pan, size, view } from "../graph/viewport.ts";
import { type Aim, aimAt, aimTitle, dropOption } from "../graph-editor/kernel/adding.ts";
import type { Option } from "../graph-editor/kernel/options.ts";
import * as analysis from "../store/analysis.ts";
import { canEdit } from "./gesture.ts";
import { run } from "./host.ts";

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
    const aim = aimOf(at);
    paletteDrag.value = { option, x: at.clientX, y: at.clientY, aim, words: aimTitle(analysis.graph.peek(), aim) };
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
    if (at.type === "pointerup") void run(dropOption(now.option, now.aim, { x: at.clientX, y: at.clientY }));
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
  if (!box || document.elementFromPoint(at.clientX, at.clientY)?.closest(".edit-palette")) return;
  const along = (here: number, length: number): number => (here < 0 || here > length ? 0 : here < EDGE ? 8 : here > length - EDGE ? -8 : 0);
  const [dx, dy] = [along(at.clientX - box.left, size.peek().width), along(at.clientY - box.top, size.peek().height)];
  if (dx !== 0 || dy !== 0) pan(dx, dy);
}

function aimOf({ clientX, clientY }: PointerEvent): Aim {
  const svg = canvas();
  const box = svg?.getBoundingClientRect();
  if (!box || clientX < box.left || clientX > box.right || clientY < box.top || clientY > box.bottom) return null;
  const below = document.elementFromPoint(clientX, clientY);
  if (below?.closest(".edit-palette")) return null;
  const { x: left, y: top, k } = view.peek();
  return aimAt(analysis.graph.peek(), (clientX - box.left - left) / k, (clientY - box.top - top) / k, REACH / k);
}
