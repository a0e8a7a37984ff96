// Drags a transition by the pointer, from a state's `+` or by the end of a transition. Dropped on a possible target it connects
// the states, dropped on an empty place it asks which state to add, and elsewhere it shows why it cannot connect.

import { signal } from "@preact/signals";
import type { PossibleGesture } from "stepglass";
import { pan, size, view } from "../graph/viewport.ts";
import { dropTransition } from "../graph-editor/kernel/changing.ts";
import { targetsOf } from "../graph-editor/kernel/gestures.ts";
import type { GraphIndex } from "../model/graph.ts";
import { stateUnder } from "../graph-editor/kernel/transitions.ts";
import { host, run } from "./host.ts";

export interface Drag {
  /** The source state. */
  from: string;
  /** The transition whose end is dragged. Absent for a new transition. */
  edge?: string;
  x: number;
  y: number;
  toX: number;
  toY: number;
  /** The state under the pointer. */
  over: string | null;
  /** The possible targets, or null while they are not known. */
  targets: ReadonlySet<string> | null;
}

export const drag = signal<Drag | null>(null);

const AWAY = 5;
/** The distance from the pane's edge within which the view scrolls, in px. */
const EDGE = 28;

/** The facts about a press: where it is, and the gestures that are possible there, once they are known. */
interface Press {
  svg: SVGElement;
  index: GraphIndex;
  begun: Pick<Drag, "from" | "edge" | "x" | "y">;
  found?: PossibleGesture[];
}

/** Handles a press that may become a drag. A press without movement stays a click. */
export function startDrag(event: PointerEvent, index: GraphIndex, begun: Press["begun"]): void {
  if (event.button !== 0) return;
  event.stopPropagation();
  event.preventDefault();
  const press: Press = { svg: (event.currentTarget as SVGElement).ownerSVGElement!, index, begun };
  const { pointerId, clientX, clientY } = event;
  const listening = new AbortController();
  const move = (at: PointerEvent): void => {
    if (at.pointerId !== pointerId) return;
    at.stopImmediatePropagation();
    if (!drag.peek() && Math.hypot(at.clientX - clientX, at.clientY - clientY) < AWAY) return;
    if (!drag.peek()) begin(press, pointerId);
    follow(press, at);
  };
  const end = (at: PointerEvent): void => {
    if (at.pointerId !== pointerId) return;
    listening.abort();
    finish(press, at);
  };
  const keys = (key: KeyboardEvent): void => {
    if (key.key !== "Escape" || !drag.peek()) return;
    key.preventDefault();
    key.stopImmediatePropagation();
    drag.value = null;
    listening.abort();
  };
  const options = { capture: true, signal: listening.signal };
  press.svg.addEventListener("pointermove", move, options);
  press.svg.addEventListener("pointerup", end, options);
  press.svg.addEventListener("pointercancel", end, options);
  addEventListener("keydown", keys, options);
}

function begin(press: Press, pointerId: number): void {
  const { begun, svg } = press;
  // The capture begins only here, because a click goes to the element that captures the pointer.
  svg.setPointerCapture(pointerId);
  drag.value = { ...begun, toX: begun.x, toY: begun.y, over: null, targets: null };
  void host.possible(begun.edge ?? begun.from).then(
    (all) => {
      press.found = all;
      const targets = targetsOf(all, begun.edge);
      if (drag.peek()) drag.value = { ...drag.peek()!, targets };
    },
    () => {},
  );
}

/** Moves the end of the line to the pointer, and scrolls the view near its edges. */
function follow({ svg, index }: Press, at: PointerEvent): void {
  const box = svg.getBoundingClientRect();
  const along = (here: number, length: number): number => (here < EDGE ? 8 : here > length - EDGE ? -8 : 0);
  const [dx, dy] = [along(at.clientX - box.left, size.peek().width), along(at.clientY - box.top, size.peek().height)];
  if (dx !== 0 || dy !== 0) pan(dx, dy);
  const { x, y, k } = view.peek();
  const [toX, toY] = [(at.clientX - box.left - x) / k, (at.clientY - box.top - y) / k];
  drag.value = { ...drag.peek()!, toX, toY, over: stateUnder(index, toX, toY) };
}

function finish({ svg, index, found }: Press, at: PointerEvent): void {
  const now = drag.peek();
  drag.value = null;
  if (!now) return;
  // A click follows the drag and must have no effect.
  const quiet = (click: Event): void => click.stopImmediatePropagation();
  svg.addEventListener("click", quiet, { capture: true, once: true });
  setTimeout(() => svg.removeEventListener("click", quiet, true));
  const { from, edge, over: to } = now;
  if (at.type === "pointerup") void run(dropTransition(index, { from, edge, to, at: { x: at.clientX, y: at.clientY }, known: found }));
}
