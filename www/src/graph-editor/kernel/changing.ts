// Changing states and transitions: the plans of the commands that are in the menus of states and transitions.

import type { Gesture, NewEdge, PossibleGesture, StateType } from "stepglass";
import { type GraphEdge, type GraphIndex, type GraphNode, isState } from "../../model/graph.ts";
import { appendTo } from "./adding.ts";
import { AROUND, KINDS, kindsTo, leadings, noOrder, orderOf, targetOptions } from "./gestures.ts";
import { refuse } from "./messages.ts";
import type { Mode } from "./options.ts";
import { type At, type Plan, ask } from "./plan.ts";
import { type EditorState, type Focused, idsOf, statesOf } from "./state.ts";
import { branchOf, canRedirect, insertableTransitions, neighbourOf, transitionTitle } from "./transitions.ts";

type Targets = readonly { pointer: string; name: string; type: string }[];

function* askTarget(title: string, targets: Targets, modes: readonly Mode[], at: At): Plan<{ id: string; mode: string } | undefined> {
  return yield* ask("pick", {
    title,
    placeholder: "Name of the state",
    modes,
    groups: [{ title: "", options: targetOptions(targets) }],
    at,
  });
}

/** Asks for a transition of the focused state and its new target. */
export function* connectHere({ index, node }: Focused): Plan {
  if (!(yield* ask("editable"))) return;
  const able = leadings(index, node.id, yield* ask("possible", node.id));
  if (typeof able === "string") return yield* refuse(able);
  const targets = able.flatMap((one) => one.targets);
  const chosen = yield* askTarget(`Lead a transition of ${node.name} to`, targets, able, node.id);
  const led = able.find(({ id }) => id === chosen?.mode) ?? able[0]!;
  if (chosen) yield* ask("perform", led.gesture(chosen.id), { at: node.id });
}

/** Asks for the new target of a transition. */
export function* redirect(index: GraphIndex, edge: GraphEdge): Plan {
  if (!(yield* ask("editable"))) return;
  const found = (yield* ask("possible", edge.id)).filter(({ kind }) => kind === "connect");
  const targets = found.flatMap((one) => one.targets ?? []);
  if (targets.length === 0) return yield* refuse(found[0]?.refused?.message);
  const chosen = yield* askTarget(`Lead ${transitionTitle(index, edge)} to`, targets, [], edge.from);
  if (chosen) yield* ask("perform", { kind: "connect", edge: edge.id, to: chosen.id }, { at: edge.from });
}

export function* disconnect(edge: string): Plan {
  yield* ask("perform", { kind: "disconnect", edge });
}

/** Asks for a transition of the focused state, and removes it. */
export function* disconnectHere({ index, node }: Focused): Plan {
  const ways = insertableTransitions(index, node).filter((edge) => canRedirect(edge) && edge.kind !== "start");
  if (ways.length === 0) return yield* refuse(`\`${node.name}\` leads to no other state`);
  const chosen = yield* ask("pick", {
    title: `Remove a transition of ${node.name}`,
    groups: [{ title: "", options: ways.map((edge) => ({ id: edge.id, title: transitionTitle(index, edge) })) }],
    at: node.id,
  });
  if (chosen) yield* disconnect(chosen.id);
}

/** The end of a transition that was dragged. */
export interface Dropped {
  /** The source state. */
  from: string;
  /** The transition whose end was dragged. Absent for a new transition. */
  edge: string | undefined;
  /** The state that it was dropped on, or null for an empty place. */
  to: string | null;
  at: At;
  /** The gestures that are possible at the source, if they are known. */
  known: readonly PossibleGesture[] | undefined;
}

/** Connects states by a dragged transition. On an empty place, a new transition asks which state to add. */
export function* dropTransition(index: GraphIndex, { from, edge, to, at, known }: Dropped): Plan {
  if (edge !== undefined) {
    if (to === null) return yield* ask("notify", "Nothing has changed.");
    return void (yield* ask("perform", { kind: "connect", edge, to }, { at }));
  }
  if (to === null) return yield* appendTo({ id: from, name: index.node(index.byId.get(from) ?? -1)?.name ?? "" }, at);
  const kinds = kindsTo(known ?? (yield* ask("possible", from)), to);
  // If it is not possible, the interpreter explains why.
  let [as = "next"]: NewEdge[] = kinds;
  if (kinds.length > 1) {
    const options = kinds.map((id) => ({ id, title: KINDS[id] }));
    const chosen = yield* ask("pick", { title: "What is this transition?", groups: [{ title: "", options }], at });
    if (!chosen) return;
    as = chosen.id as NewEdge;
  }
  yield* ask("perform", { kind: "connect", from, as, to }, { at });
}

export function* rename(node: GraphNode): Plan {
  if (!(yield* ask("editable"))) return;
  const to = yield* ask("name", node);
  if (to !== undefined && to !== node.name && to.trim() !== "") yield* ask("perform", { kind: "rename", state: node.id, to });
}

/** Asks for a variable and its new name, and replaces it wherever it is assigned and read. */
export function* renameVariable(): Plan {
  if (!(yield* ask("editable"))) return;
  const names = (yield* ask("possible", "")).find(({ kind }) => kind === "rename")?.variables ?? [];
  if (names.length === 0) return yield* refuse("the machine assigns no variables");
  const variable =
    names.length === 1
      ? names[0]
      : (yield* ask("pick", {
          title: "Rename a variable",
          placeholder: "Name of the variable",
          groups: [{ title: "", options: names.map((name) => ({ id: name, title: `$${name}` })) }],
        }))?.id;
  if (variable === undefined) return;
  const to = yield* ask("pick", {
    title: `Rename $${variable}`,
    placeholder: `New name of $${variable}`,
    groups: [],
    text: variable,
    made: (text) => {
      const name = text.replace(/^\$/, "");
      return name === "" || name === variable ? undefined : { id: name, title: `Call it $${name} wherever it is assigned and read` };
    },
    nothing: () => "Type its new name.",
  });
  if (to) yield* ask("perform", { kind: "rename", variable, to: to.id });
}

export function* retypeHere({ node }: Focused): Plan {
  if (!(yield* ask("editable"))) return;
  const found = (yield* ask("possible", node.id)).find(({ kind }) => kind === "retype");
  if (!found || found.refused) return yield* refuse(found?.refused?.message);
  const chosen = yield* ask("pick", {
    title: `Change ${node.name} to`,
    placeholder: "Type",
    groups: [{ title: "", options: (found.types ?? []).map((type) => ({ id: type, title: type, type })) }],
    at: node.id,
  });
  if (chosen) yield* ask("perform", { kind: "retype", state: node.id, type: chosen.id as StateType }, { careful: true, at: node.id });
}

export function* wrapHere(state: Focused): Plan {
  if (!(yield* ask("editable"))) return;
  const states = statesOf(state);
  const found = (yield* ask("possible", idsOf(state))).find(({ kind }) => kind === "wrap");
  if (found?.refused) return yield* refuse(found.refused.message);
  const at = states[0]!.id;
  const title = states.length === 1 ? `Put ${states[0]!.name} into` : `Put ${states.length} states into`;
  const chosen = yield* ask("pick", { title, groups: AROUND, at });
  if (chosen) yield* ask("perform", { kind: "wrap", states: idsOf(state), type: chosen.id as "Parallel" | "Map" }, { at });
}

/** Applies a gesture to the focused state, or to all selected ones. Before fields are removed, the user is asked. */
const directly =
  (gesture: (state: Focused) => Gesture) =>
  (state: Focused): Plan<unknown> =>
    ask("perform", gesture(state), { careful: true, at: state.node.id });

export const unwrapHere = directly(({ node }) => ({ kind: "unwrap", state: node.id }));
export const duplicateHere = directly((state) => ({ kind: "duplicate", states: idsOf(state) }));

/** Extracts the selected states to a machine of their own, which the view stores. */
export function* extractHere(state: Focused): Plan {
  const done = yield* ask("perform", { kind: "extract", states: idsOf(state) }, { at: state.node.id });
  if (done?.asl !== undefined) yield* ask("extracted", done);
}

export function* inlineHere({ node }: Focused): Plan {
  const asl = yield* ask("machineOf", node);
  if (asl !== undefined) yield* ask("perform", { kind: "inline", state: node.id, asl }, { at: node.id });
}

/** Deletes the selected states. A keyboard user continues at a neighbour of them. */
export function* deleteHere(state: EditorState): Plan {
  const states = statesOf(state);
  const next = state.index ? neighbourOf(state.index, states) : undefined;
  const done = yield* ask("perform", { kind: "delete", states: states.map(({ id }) => id) }, { at: states[0]?.id });
  if (!done || done.select.length > 0) return;
  const { index } = yield* ask("state");
  const to = next !== undefined && index?.byId.has(next) ? next : index?.graph.nodes.find(isState)?.id;
  if (to !== undefined) yield* ask("focus", to);
}

/** Changes the order of a state's rules and catchers, in which they are evaluated. */
export function* orderHere({ index, node }: Focused): Plan {
  if (!(yield* ask("editable"))) return;
  const groups = orderOf(index, node);
  if (groups.every(({ options }) => options.length < 2)) return yield* refuse(noOrder(node));
  yield* ask("pick", {
    title: `Order of ${node.name}`,
    groups,
    at: node.id,
    *move(id, by) {
      const at = Number(id.slice(id.lastIndexOf("/") + 1));
      const done = yield* ask("perform", { kind: "move", at: id, to: at + by });
      const now = (yield* ask("state")).index;
      return done && now ? orderOf(now, node) : undefined;
    },
  });
}

/** Returns the branch of a Parallel that the focused state is in, or shows that there is none. */
function* branchHere({ node }: Focused): Plan<{ list: string; at: number } | undefined> {
  const branch = branchOf(node.id);
  if (!branch) yield* refuse("the state is in no branch of a Parallel");
  return branch;
}

export const moveBranch = (by: number) =>
  function* (state: Focused): Plan {
    const branch = yield* branchHere(state);
    if (branch) yield* ask("perform", { kind: "move", at: `${branch.list}/${branch.at}`, to: branch.at + by });
  };

export function* removeBranch(state: Focused): Plan {
  const branch = yield* branchHere(state);
  if (branch) yield* ask("perform", { kind: "remove", at: `${branch.list}/${branch.at}` });
}
