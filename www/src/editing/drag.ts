// Drags a transition by the pointer, from a state's `+` or by the end of a transition. Dropped on a possible target it connects
// the states, dropped on an empty place it asks which state to add, and elsewhere it shows why it cannot connect.

import { signal } from "@preact/signals";
import type { NewEdge, PossibleGesture } from "stepglass";
import { pan, size, view } from "../graph/viewport.ts";
import { KINDS, kindsTo, targetsOf } from "../model/gestures.ts";
import type { GraphIndex } from "../model/graph.ts";
import { stateUnder } from "../model/transitions.ts";
import { say, showToast } from "../store/notifications.ts";
import { sentence, unticked } from "../ui/format.ts";
import { addAt, additionsBehind } from "./add.ts";
import { perform, possible, preview } from "./gesture.ts";
import { pick } from "./picking.ts";

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
  void possible(begun.edge ?? begun.from).then(
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

function finish({ svg, found }: Press, at: PointerEvent): void {
  const now = drag.peek();
  drag.value = null;
  if (!now) return;
  // A click follows the drag and must have no effect.
  const quiet = (click: Event): void => click.stopImmediatePropagation();
  svg.addEventListener("click", quiet, { capture: true, once: true });
  setTimeout(() => svg.removeEventListener("click", quiet, true));
  if (at.type === "pointerup") void drop(now, found, { x: at.clientX, y: at.clientY });
}

async function drop(now: Drag, known: PossibleGesture[] | undefined, at: { x: number; y: number }): Promise<void> {
  if (now.over === null) {
    if (now.edge !== undefined) return say("Nothing has changed.");
    const { ways, refused } = await additionsBehind(now.from);
    if (ways.length === 0) return showToast(refused === undefined ? "Nothing can come after this state." : unticked(sentence(refused)));
    return addAt({ title: "Add a state", at, ways });
  }
  if (now.edge !== undefined) {
    await perform({ kind: "connect", edge: now.edge, to: now.over }, { at });
    return;
  }
  const all = known ?? (await possible(now.from));
  const ways = kindsTo(all, now.over);
  const to = now.over;
  if (ways.length === 0) {
    // The interpreter explains why it is not possible.
    const done = await preview({ kind: "connect", from: now.from, as: "next", to });
    return showToast("refused" in done ? unticked(sentence(done.refused.message)) : "It cannot go there.");
  }
  const as = await asOne(ways, at);
  if (as) await perform({ kind: "connect", from: now.from, as, to }, { at });
}

/** Asks for the kind of a new transition if there are several. Returns undefined if the user chooses none. */
async function asOne(ways: readonly NewEdge[], at?: { x: number; y: number }): Promise<NewEdge | undefined> {
  if (ways.length === 1) return ways[0];
  const chosen = await pick({
    title: "What is this transition?",
    placeholder: "",
    groups: [{ title: "", options: ways.map((as) => ({ id: as, title: KINDS[as] })) }],
    ...(at && { at }),
  });
  return chosen?.id as NewEdge | undefined;
}
