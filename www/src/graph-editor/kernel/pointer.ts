// The gestures of the pointer: which there are, what a drag draws, and the plan at its end.

import type { PossibleGesture } from "stepglass";
import { type GraphIndex, type GraphNode, isState } from "../../model/graph.ts";
import { appendTo, createIn, insertOn } from "./adding.ts";
import { dropTransition, rename } from "./changing.ts";
import { targetsOf } from "./gestures.ts";
import type { Plan, Spot } from "./plan.ts";
import { clear, selectWithin, toggle } from "./selecting.ts";
import { type Dragged, type Press, type Sign, outline } from "./signs.ts";
import { type EditorState, nodesOf } from "./state.ts";
import { type Rectangle, scopeAt, stateUnder, statesWithin } from "./transitions.ts";

/** The distance at which the pointer reaches a transition, and the movement from which on a press is a drag, in px of the screen. */
export const REACH = 12;
export const AWAY = 5;

/** The gestures of the pointer, with what each needs. A view turns the browser's events into them. */
export interface Gestures {
  /** A press on a sign. */
  press: { press: Press; at: Spot };
  /** A double click on an empty place of the drawing. */
  create: { x: number; y: number; at: Spot };
  /** A double click on a state. */
  rename: { node: GraphNode };
  /** A click on a state with Shift, or while each press selects. */
  toggle: { id: string };
  /** A click on an empty place. */
  clear: Record<never, never>;
  /** The end of a drag of a transition. */
  connect: { dragged: Dragged; over: string | null; at: Spot; known: readonly PossibleGesture[] | undefined };
  /** The end of a lasso. */
  lasso: { box: Rectangle };
}

function* nothing(): Plan {}

type Plans = { [K in keyof Gestures]: (index: GraphIndex, given: Gestures[K], state: EditorState) => Plan<unknown> };

/** The plan of each gesture. */
export const GESTURES: Plans = {
  press: (index, { press, at }) => ("insert" in press ? insertOn(index, press.insert, at) : appendTo(press.append, at)),
  create: (index, { x, y, at }) => createIn(scopeAt(index, x, y), at),
  rename: (_, { node }) => rename(node),
  toggle: (index, { id }, state) => (nodesOf(index, [id]).some(isState) ? toggle(state, id) : nothing()),
  clear: (_, __, { selected }) => (selected.length > 0 ? clear() : nothing()),
  connect: (index, { dragged: { from, edge }, over, at, known }) => dropTransition(index, { from, edge, to: over, at, known }),
  lasso: (index, { box }, state) => selectWithin(state, statesWithin(index, box)),
};

/** A drag of a transition. */
interface Connecting {
  dragged: Dragged;
  x: number;
  y: number;
  /** The gestures that are possible at the source, once they are known. */
  known: readonly PossibleGesture[] | undefined;
}

/** Returns the state under the end of a dragged transition, and what the drag draws. */
export function connecting(index: GraphIndex, { dragged, x, y, known }: Connecting): { over: string | null; signs: Sign[] } {
  const over = stateUnder(index, x, y);
  const targets = known && targetsOf(known, dragged.edge);
  const refused = over !== null && targets !== undefined && !targets.has(over);
  return {
    over,
    signs: [
      ...[...(targets ?? [])].flatMap((id) => outline(index, id, id === over ? "target hit" : "target")),
      ...(refused && index.node(index.byId.get(over) ?? -1)?.states === 0 ? outline(index, over, "no-target") : []),
      { key: "lead", shape: "path", class: refused ? "lead not" : "lead", set: { d: `M${dragged.x} ${dragged.y}L${x} ${y}` } },
    ],
  };
}

/** Returns the rectangle between two points. */
export const between = (x: number, y: number, toX: number, toY: number): Rectangle => ({
  x: Math.min(x, toX),
  y: Math.min(y, toY),
  width: Math.abs(toX - x),
  height: Math.abs(toY - y),
});

export const lassoSign = ({ x, y, width, height }: Rectangle): Sign => ({
  key: "lasso",
  shape: "rect",
  class: "lasso",
  set: { x, y, width, height },
});
