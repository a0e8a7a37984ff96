// Leading a transition by the pointer: from a state's `+`, or by the end of a transition. On a state that it can go to it connects, on
// none it asks what to put there, elsewhere it says why not.

import { signal } from "@preact/signals";
import type { NewEdge, PossibleGesture } from "stepglass";
import { pan, size, view } from "../graph/viewport.ts";
import { KINDS, kindsTo, targetsOf } from "../model/gestures.ts";
import type { GraphIndex } from "../model/graph.ts";
import { stateUnder } from "../model/ways.ts";
import { say, showToast } from "../store/words.ts";
import { sentence, unticked } from "../ui/format.ts";
import { addAt, waysBehind } from "./add.ts";
import { perform, possible, tried } from "./gesture.ts";
import { pick } from "./picking.ts";

export interface Drag {
  /// The state that it leaves.
  from: string;
  /// The transition whose end is led; a new one where there is none.
  edge?: string;
  x: number;
  y: number;
  toX: number;
  toY: number;
  /// The state below the pointer.
  over: string | null;
  /// Where it can go, when that is known.
  targets: ReadonlySet<string> | null;
}

export const drag = signal<Drag | null>(null);

const AWAY = 5;
/// So near to the pane's edge the view moves along.
const EDGE = 28;

/// What is known of a press: where it is, and what is possible there once that is asked.
interface Press {
  svg: SVGElement;
  index: GraphIndex;
  begun: Pick<Drag, "from" | "edge" | "x" | "y">;
  found?: PossibleGesture[];
}

/// A press that may become a drag. The press itself stays what it is.
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
  // Not before: a click is of what captures the pointer.
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

/// Leads the line to the pointer, and moves the view along at its edges.
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
  // The click that comes with it is none.
  const quiet = (click: Event): void => click.stopImmediatePropagation();
  svg.addEventListener("click", quiet, { capture: true, once: true });
  setTimeout(() => svg.removeEventListener("click", quiet, true));
  if (at.type === "pointerup") void drop(now, found, { x: at.clientX, y: at.clientY });
}

async function drop(now: Drag, known: PossibleGesture[] | undefined, at: { x: number; y: number }): Promise<void> {
  if (now.over === null) {
    if (now.edge !== undefined) return say("Nothing has changed.");
    const { ways, refused } = await waysBehind(now.from);
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
    // The interpreter knows why.
    const done = await tried({ kind: "connect", from: now.from, as: "next", to });
    return showToast("refused" in done ? unticked(sentence(done.refused.message)) : "It cannot go there.");
  }
  const as = await asOne(ways, at);
  if (as) await perform({ kind: "connect", from: now.from, as, to }, { at });
}

/// Which of several kinds a new transition is; undefined where that is left open.
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
