// Adding states: where they can go, and the menu of state types, patterns, copies of states and service calls.

import type { NewState, StateType } from "stepglass";
import { type GraphEdge, type GraphIndex, type GraphNode, isState } from "../../model/graph.ts";
import { TYPES, type Way, type Where, additionsBehindOf, pasted, placed } from "./gestures.ts";
import { refuse } from "./messages.ts";
import type { Option, OptionGroup } from "./options.ts";
import { textOf } from "./performing.ts";
import { type At, type Catalog, type Plan, ask } from "./plan.ts";
import { type EditorState, type Focused, nodesOf } from "./state.ts";
import { canInsertInto, insertTitle, insertableTransitions, nameOf, nearest, scopeAt, scopeOf, transitionTitle } from "./transitions.ts";

const MOST_RECENT = 3;
/** The most states whose copies are offered. More would only slow the menu down. */
const MOST_COPIES = 500;
const RECENT = "recent ";

/** Returns the groups of the menu of states to add. */
export function additionGroups({ recent, patterns, states }: Omit<Catalog, "search">): OptionGroup[] {
  const copies = states.map(({ name, type, pointer }): Option => ({
    id: `copy ${pointer}`,
    title: `A copy of ${name}`,
    detail: type,
    ...(TYPES.some((one) => one.type === type) && { type: type as StateType }),
  }));
  const all = [...TYPES, ...patterns];
  const last = recent.flatMap((id) => all.find((one) => one.id === id) ?? []).slice(0, MOST_RECENT);
  return [
    // A recent option is also in its own group, where users who know its position find it.
    ...(last.length > 1 ? [{ title: "Recent", options: last.map((one) => ({ ...one, id: RECENT + one.id })) }] : []),
    { title: "States", options: TYPES },
    { title: "Patterns", options: patterns },
    { title: "Copies", options: copies.slice(0, MOST_COPIES), searched: copies.length > 6 },
  ];
}

/** Asks which state to add, and adds it. `ways` are the possible positions; the first one is the default. */
export function* adding(title: string, ways: readonly Way[], at: At): Plan {
  if (!(yield* ask("editable"))) return;
  const [only] = ways;
  const { more, search, ...catalog } = yield* ask("catalog");
  const chosen = yield* ask("pick", {
    title: ways.length === 1 && only!.title !== "" ? `${title}: ${only!.title}` : title,
    placeholder: "State, pattern or service",
    groups: additionGroups(catalog),
    ...(more && { more }),
    search,
    modes: ways,
    at,
  });
  const way = ways.find(({ id }) => id === chosen?.mode) ?? only;
  if (chosen && way) yield* addOption(chosen.id, way.where, at);
}

/** Adds the state of an option of the menu. */
function* addOption(option: string, where: Where, at?: At): Plan {
  const id = option.startsWith(RECENT) ? option.slice(RECENT.length) : option;
  const space = id.indexOf(" ");
  const rest = id.slice(space + 1);
  switch (id.slice(0, Math.max(0, space))) {
    case "copy": {
      const asl = yield* textOf([rest]);
      if (asl !== undefined) yield* ask("perform", pasted(asl, where), { at });
      return;
    }
    case "pattern":
      yield* ask("remember", id);
      return yield* insertPattern(rest, where, at);
    case "service":
      return yield* put(yield* ask("serviceState", rest), where, at);
    default:
      yield* ask("remember", id);
      yield* put({ type: id as StateType }, where, at);
  }
}

function* put(state: NewState, where: Where, at: At): Plan {
  const done = yield* ask("perform", placed(state, where), { at });
  if (done) yield* ask("added", done);
}

/** Inserts a pattern, and moves the focus to its placeholders. */
export function* insertPattern(id: string, where: Where, at?: At): Plan {
  const pattern = yield* ask("pattern", id);
  if (!pattern) return;
  // The interpreter converts the pattern to the machine's query language.
  const done = yield* ask("perform", pasted(pattern.asl, where), { at, pattern });
  if (done && done.stops.length > 0) yield* ask("fillIn", done);
}

/** Adds a state where a transition is. */
export const insertOn = (index: GraphIndex, edge: GraphEdge, at: At): Plan =>
  adding(`Insert a state: ${transitionTitle(index, edge)}`, [{ id: edge.id, title: "", where: { edge: edge.id } }], at);

/** Adds a state on a transition of the focused state. */
export function* insertHere(state: EditorState): Plan {
  const { index, node } = state;
  if (!index || !node) return yield* createHere(state);
  const ways = insertableTransitions(index, node).map((edge) => ({
    id: edge.id,
    title: transitionTitle(index, edge),
    where: { edge: edge.id },
  }));
  if (ways.length === 0) return yield* refuse(`nothing can come after \`${node.name}\``);
  yield* adding(`Insert a state on a transition of ${node.name}`, ways, node.id);
}

export function* appendTo({ id, name }: Pick<GraphNode, "id" | "name">, at: At = id): Plan {
  if (!(yield* ask("editable"))) return;
  const { ways, refused } = additionsBehindOf(id, yield* ask("possible", id));
  if (ways.length === 0) return yield* refuse(refused ?? "nothing can come after this state");
  yield* adding(`Add a state after ${name}`, ways, at);
}

/** Adds a state behind the focused one, or an unconnected state if there is none. */
export const appendHere = (state: EditorState, at?: At): Plan => (state.node ? appendTo(state.node, at) : createHere(state, at));

export const createIn = (scope: string, at?: At): Plan => adding("Add a state", [{ id: "create", title: "", where: { scope } }], at);

/** Adds an unconnected state in the scope of the focused state. */
export const createHere = ({ node }: EditorState, at: At = node?.id): Plan => createIn(node ? scopeOf(node.id) : "", at);

export const branchHere = ({ node: { id, name } }: Focused): Plan =>
  adding(`Add a branch to ${name}`, [{ id: "branch", title: "", where: { from: id, as: "branch" } }], id);

/** Where an option of the palette is dropped: on a transition, behind a state, or in a scope. Null is beside the graph. */
export type Aim = { edge: GraphEdge } | { node: string } | { scope: string } | null;

/** Returns where an option is dropped at a point of the drawing, which reaches transitions within the distance `reach`. */
export function aimAt(index: GraphIndex | null, x: number, y: number, reach: number): Aim {
  if (!index) return { scope: "" };
  const node = index.graph.nodes.findLast(
    (one, i) =>
      isState(one) && index.children[i]!.length === 0 && x >= one.x && y >= one.y && x <= one.x + one.width && y <= one.y + one.height,
  );
  if (node) return { node: node.id };
  const edge = nearest(index, x, y, reach);
  return edge && canInsertInto(index, edge) ? { edge } : { scope: scopeAt(index, x, y) };
}

/** Returns what happens if an option is dropped, in words. */
export function aimTitle(index: GraphIndex | null, aim: Aim): string {
  if (!aim) return "Drop it on the graph";
  if ("edge" in aim) return index ? insertTitle(index, aim.edge) : "";
  if ("node" in aim) return `Add it after ${(index && nameOf(index, aim.node)) || "the state"}`;
  return index ? "Add it, without a transition to it" : "Begin with it";
}

/** Adds an option of the palette where it was dropped. */
export function* dropOption({ id, title }: Option, aim: Aim, at: At): Plan {
  if (!aim) return yield* ask("notify", `${title} was not added.`);
  if ("edge" in aim) return yield* addOption(id, { edge: aim.edge.id }, at);
  if ("scope" in aim) return yield* addOption(id, { scope: aim.scope }, at);
  const { ways, refused } = additionsBehindOf(aim.node, yield* ask("possible", aim.node));
  if (ways.length === 0) return yield* refuse(refused ?? "nothing can come after this state");
  yield* addBehind(id, `${title}: where?`, ways, at);
}

/** Adds an option of the palette behind the focused state, or unconnected if that is not possible. */
export function* addOptionHere({ id, title }: Option, { index, node }: EditorState): Plan {
  if (!(yield* ask("editable"))) return;
  if (!index || !node) return yield* addOption(id, { scope: "" });
  const { ways } = additionsBehindOf(node.id, yield* ask("possible", node.id));
  if (ways.length === 0) return yield* addOption(id, { scope: scopeOf(node.id) });
  yield* addBehind(id, `${title} after ${node.name}`, ways, undefined);
}

function* addBehind(option: string, title: string, ways: readonly Way[], at: At): Plan {
  let [way] = ways as (Way | undefined)[];
  if (ways.length > 1) {
    const chosen = yield* ask("pick", { title, groups: [{ title: "", options: ways }], at });
    way = ways.find(({ id }) => id === chosen?.id);
  }
  if (way) yield* addOption(option, way.where, at);
}

/** Returns the states of a graph, for the menu of copies. */
export const statesIn = (index: GraphIndex | null): Catalog["states"] =>
  nodesOf(index, index ? [...index.byName.values()].map((at) => index.node(at)!.id) : []).map(({ id, name, type }) => ({
    name,
    type,
    pointer: id,
  }));
