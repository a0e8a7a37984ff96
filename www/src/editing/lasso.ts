// Selects several states with the pointer: by Shift and click, with a lasso, or one after another.

import { signal } from "@preact/signals";
import { focused } from "../graph/focus.ts";
import { view } from "../graph/viewport.ts";
import { selectWithin, toggle } from "../graph-editor/kernel/selecting.ts";
import { type Rectangle, statesWithin } from "../graph-editor/kernel/transitions.ts";
import { type GraphIndex, isState } from "../model/graph.ts";
import { host, run } from "./host.ts";
import { multiSelect } from "./selectedStates.ts";

/** The lasso in px of the drawing, or null. */
export const lasso = signal<Rectangle | null>(null);

export function severalByClick(event: MouseEvent, index: GraphIndex): boolean {
  if (!event.shiftKey && !multiSelect.peek()) return false;
  const id = (event.target as Element).closest<SVGElement>("[data-node]")?.dataset["node"];
  const node = index.node(index.byId.get(id ?? "") ?? -1);
  if (!node || !isState(node)) return node !== undefined;
  focused.value = node.id;
  void run(toggle(host.state(), node.id));
  return true;
}

/** Starts a lasso if Shift is held beside the states. Returns whether it has started. */
export function startLasso(event: PointerEvent, svg: SVGSVGElement, index: GraphIndex): boolean {
  if (!event.shiftKey || event.button !== 0 || (event.target as Element).closest("[data-node], .plus, .selector, .fold")) return false;
  const box = svg.getBoundingClientRect();
  const place = (at: PointerEvent): [number, number] => {
    const { x, y, k } = view.peek();
    return [(at.clientX - box.left - x) / k, (at.clientY - box.top - y) / k];
  };
  const [fromX, fromY] = place(event);
  const move = (at: PointerEvent): void => {
    at.stopImmediatePropagation();
    if (!lasso.peek()) svg.setPointerCapture(event.pointerId);
    const [x, y] = place(at);
    lasso.value = { x: Math.min(x, fromX), y: Math.min(y, fromY), width: Math.abs(x - fromX), height: Math.abs(y - fromY) };
  };
  const end = (at: PointerEvent): void => {
    svg.removeEventListener("pointermove", move, true);
    svg.removeEventListener("pointerup", end, true);
    svg.removeEventListener("pointercancel", end, true);
    const drawn = lasso.peek();
    lasso.value = null;
    if (!drawn || at.type !== "pointerup") return;
    const quiet = (click: Event): void => click.stopImmediatePropagation();
    svg.addEventListener("click", quiet, { capture: true, once: true });
    setTimeout(() => svg.removeEventListener("click", quiet, true));
    void run(selectWithin(host.state(), statesWithin(index, drawn)));
  };
  svg.addEventListener("pointermove", move, true);
  svg.addEventListener("pointerup", end, true);
  svg.addEventListener("pointercancel", end, true);
  return true;
}
