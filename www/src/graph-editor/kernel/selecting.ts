// Selecting several states.

import type { GraphNode } from "../../model/graph.ts";
import { ALONG } from "./gestures.ts";
import { selectedTitle } from "./messages.ts";
import { type Plan, ask } from "./plan.ts";
import { type EditorState, type Focused, statesOf } from "./state.ts";
import { statesAlong, statesBeside } from "./transitions.ts";

/** Selects these states. */
export function* select(ids: readonly string[]): Plan {
  yield* ask("select", ids);
  yield* ask("notify", selectedTitle(ids.length));
}

/** Adds a state to the selection, or removes it. */
export const toggle = ({ selected }: EditorState, id: string): Plan =>
  select(selected.includes(id) ? selected.filter((one) => one !== id) : [...selected, id]);

export const toggleHere = (state: Focused): Plan => toggle(state, state.node.id);

export const clear = (): Plan => select([]);

const all = (nodes: readonly GraphNode[]): Plan => select(nodes.map(({ id }) => id));

export const selectBeside = ({ index, node }: Focused): Plan => all(statesBeside(index, node));

/** Adds the states inside a lasso to the selection of several states. */
export const selectWithin = ({ selected }: EditorState, nodes: readonly GraphNode[]): Plan =>
  select([...new Set([...(selected.length > 1 ? selected : []), ...nodes.map(({ id }) => id)])]);

export function* selectAlong({ index, node }: Focused): Plan {
  const chosen = yield* ask("pick", { title: `Select from ${node.name}`, groups: ALONG, keys: { u: "up", d: "down" }, at: node.id });
  if (chosen) yield* all(statesAlong(index, node, chosen.id === "up"));
}

/** Begins or ends the mode in which each press adds a state to the selection or removes it. */
export function* selectByPresses(state: EditorState): Plan {
  const on = !state.multiSelect;
  yield* ask("selectByPresses", on);
  if (!on) return yield* ask("notify", "A press selects one state again.");
  yield* ask(
    "select",
    statesOf(state).map(({ id }) => id),
  );
  yield* ask("notify", "Press further states. The same entry of the menu ends it.");
}
