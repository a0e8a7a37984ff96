// The actions on states and transitions that menus, keys and the pointer start.

import type { Gesture, StateType } from "stepglass";
import { elementOf, focused } from "../graph/focus.ts";
import { AROUND, leadings, noOrder, orderOf, targetOptions } from "../model/gestures.ts";
import type { GraphEdge, GraphNode } from "../model/graph.ts";
import { branchOf, neighbourOf } from "../model/transitions.ts";
import * as analysis from "../store/analysis.ts";
import { showToast } from "../store/notifications.ts";
import { sentence, unticked } from "../ui/format.ts";
import { addAt, additionsBehind } from "./add.ts";
import { type Spot, canEdit, perform, possible } from "./gesture.ts";
import { type OptionGroup, pick } from "./picking.ts";
import { scopeOf, stateAt, statesAt, transitionTitle, insertableTransitions } from "./selectedStates.ts";

const none = (): void => showToast("Select a state first, in the graph or in the definition.");
const tell = (message: string | undefined): void =>
  showToast(message === undefined ? "That is not possible here." : unticked(sentence(message)));

/** Returns a position beside a state, for questions about it. */
function spotOf(node: GraphNode | undefined): { at: Spot } | Record<string, never> {
  const svg = document.querySelector<SVGSVGElement>("svg.canvas");
  const box = node && svg && elementOf(svg, node.id)?.getBoundingClientRect();
  return box ? { at: { x: box.right + 8, y: box.top } } : {};
}

export async function insertOn(edge: GraphEdge, at: Spot): Promise<void> {
  const index = analysis.graph.value;
  if (!index || !canEdit()) return;
  await addAt({
    title: `Insert a state: ${transitionTitle(index, edge)}`,
    at,
    ways: [{ id: edge.id, title: "", where: { edge: edge.id } }],
  });
}

/** Inserts a state into a transition of the focused state. */
export async function insertHere(): Promise<void> {
  const [index, node] = [analysis.graph.value, stateAt()];
  if (!index || !canEdit()) return;
  if (!node) return createHere();
  const ways = insertableTransitions(index, node).map((edge) => ({
    id: edge.id,
    title: transitionTitle(index, edge),
    where: { edge: edge.id },
  }));
  if (ways.length === 0) return tell(`nothing can come after \`${node.name}\``);
  await addAt({ title: `Insert a state on a transition of ${node.name}`, ...spotOf(node), ways });
}

export async function appendTo(node: GraphNode, at?: Spot): Promise<void> {
  if (!canEdit()) return;
  const { ways, refused } = await additionsBehind(node.id);
  if (ways.length === 0) return tell(refused);
  await addAt({ title: `Add a state after ${node.name}`, ...(at ? { at } : spotOf(node)), ways });
}

export async function appendHere(): Promise<void> {
  const node = stateAt();
  return node ? appendTo(node) : createHere();
}

export async function createAt(at: Spot | undefined, scope: string): Promise<void> {
  if (!canEdit()) return;
  await addAt({ title: "Add a state", at, ways: [{ id: "create", title: "", where: { scope } }] });
}

/** Adds a state in the scope of the focused state. */
export async function createHere(): Promise<void> {
  const node = stateAt();
  await createAt(spotOf(node).at, node ? scopeOf(node.id) : "");
}

/** Asks for a transition of a state and its new target. */
export async function connectHere(): Promise<void> {
  const [index, node] = [analysis.graph.value, stateAt()];
  if (!index || !node) return none();
  if (!canEdit()) return;
  const found = await possible(node.id);
  const able = leadings(index, node.id, found);
  if (typeof able === "string") return tell(able);
  await connect(
    `Lead a transition of ${node.name} to`,
    node,
    able,
    (mode, to) => (able.find(({ id }) => id === mode) ?? able[0]!).gesture(to),
    able.flatMap(({ targets }) => targets),
  );
}

/** Redirects a transition. */
export async function redirect(edge: GraphEdge): Promise<void> {
  const index = analysis.graph.value;
  if (!index || !canEdit()) return;
  const found = (await possible(edge.id)).filter(({ kind }) => kind === "connect");
  const targets = found.flatMap((one) => one.targets ?? []);
  if (targets.length === 0) return tell(found[0]?.refused?.message);
  const node = index.node(index.byId.get(edge.from) ?? -1);
  await connect(`Lead ${transitionTitle(index, edge)} to`, node, [], () => ({ kind: "connect", edge: edge.id, to: "" }), targets);
}

async function connect(
  title: string,
  node: GraphNode | undefined,
  modes: { id: string; title: string }[],
  gesture: (mode: string, to: string) => Gesture,
  targets: readonly { pointer: string; name: string; type: string }[],
): Promise<void> {
  const chosen = await pick({
    title,
    placeholder: "Name of the state",
    modes,
    groups: [{ title: "", options: targetOptions(targets) }],
    ...spotOf(node),
  });
  if (!chosen) return;
  const made = gesture(chosen.mode, chosen.id);
  await perform(made.kind === "connect" ? { ...made, to: chosen.id } : made, spotOf(node));
}

export async function disconnect(edge: GraphEdge): Promise<void> {
  await perform({ kind: "disconnect", edge: edge.id });
}

const pointers = (): string[] => statesAt().map(({ id }) => id);

export async function deleteHere(): Promise<void> {
  const states = statesAt();
  if (states.length === 0) return none();
  const index = analysis.graph.value;
  // A keyboard user continues at a neighbour of the deleted states.
  const next = index ? neighbourOf(index, states) : undefined;
  const done = await perform({ kind: "delete", states: states.map(({ id }) => id) }, spotOf(states[0]));
  if (done && done.select.length === 0) {
    focused.value = next ?? null;
    const { toGraph } = await import("./gesture.ts");
    const drawn = analysis.graph
      .peek()
      ?.graph.nodes.find(({ id, type }) => id === next || (next === undefined && type !== "Start" && type !== "End"));
    toGraph(drawn?.id ?? null);
  }
}

export async function duplicateHere(): Promise<void> {
  const states = pointers();
  if (states.length === 0) return none();
  await perform({ kind: "duplicate", states }, spotOf(stateAt()));
}

export async function retypeHere(): Promise<void> {
  const node = stateAt();
  if (!node) return none();
  if (!canEdit()) return;
  const found = (await possible(node.id)).find(({ kind }) => kind === "retype");
  if (!found || found.refused) return tell(found?.refused?.message);
  const chosen = await pick({
    title: `Change ${node.name} to`,
    placeholder: "Type",
    groups: [{ title: "", options: (found.types ?? []).map((type) => ({ id: type, title: type, type })) }],
    ...spotOf(node),
  });
  if (chosen) await perform({ kind: "retype", state: node.id, type: chosen.id as StateType }, { careful: true, ...spotOf(node) });
}

export async function wrapHere(): Promise<void> {
  const states = statesAt();
  if (states.length === 0) return none();
  if (!canEdit()) return;
  const found = (await possible(states.map(({ id }) => id))).find(({ kind }) => kind === "wrap");
  if (found?.refused) return tell(found.refused.message);
  const chosen = await pick({
    title: states.length === 1 ? `Put ${states[0]!.name} into` : `Put ${states.length} states into`,
    placeholder: "",
    groups: AROUND,
    ...spotOf(states[0]),
  });
  if (chosen) await perform({ kind: "wrap", states: states.map(({ id }) => id), type: chosen.id as "Parallel" | "Map" }, spotOf(states[0]));
}

export async function unwrapHere(): Promise<void> {
  const node = stateAt();
  if (!node) return none();
  await perform({ kind: "unwrap", state: node.id }, { careful: true, ...spotOf(node) });
}

/** Extracts the selected states to a machine of their own, which the page stores next to this one. */
export async function extractHere(): Promise<void> {
  const states = pointers();
  if (states.length === 0) return none();
  const done = await perform({ kind: "extract", states }, spotOf(stateAt()));
  if (done?.asl === undefined) return;
  const { keepMachine } = await import("./machines.ts");
  await keepMachine(done);
}

export async function inlineHere(): Promise<void> {
  const node = stateAt();
  if (!node) return none();
  const { machineOf } = await import("./machines.ts");
  const asl = await machineOf(node);
  if (asl === undefined) return tell(`the machine that \`${node.name}\` starts is not known here: add it under Mocks`);
  await perform({ kind: "inline", state: node.id, asl }, spotOf(node));
}

/** Changes the order of a state's rules and catchers, in which they are evaluated, or of a Parallel's branches. */
export async function orderHere(): Promise<void> {
  const node = stateAt();
  if (!node) return none();
  if (!canEdit()) return;
  const rows = (): OptionGroup[] => orderOf(analysis.graph.peek()!, node);
  const groups = rows();
  if (groups.every(({ options }) => options.length < 2)) return tell(noOrder(node));
  await pick({
    title: `Order of ${node.name}`,
    placeholder: "",
    groups,
    ...spotOf(node),
    async move(id, by) {
      const at = Number(id.slice(id.lastIndexOf("/") + 1));
      return (await perform({ kind: "move", at: id, to: at + by })) && rows();
    },
  });
}

/** Adds a branch to a Parallel. */
export async function branchHere(): Promise<void> {
  const node = stateAt();
  if (!node) return none();
  await addAt({
    title: `Add a branch to ${node.name}`,
    ...spotOf(node),
    ways: [{ id: "branch", title: "", where: { from: node.id, as: "branch" } }],
  });
}

/** Returns whether the focused state is in a branch of a Parallel. */
export const inBranch = (): boolean => branchOf(stateAt()?.id ?? "") !== undefined;

export async function moveBranch(by: number): Promise<void> {
  const branch = branchOf(stateAt()?.id ?? "");
  if (!branch) return tell("the state is in no branch of a Parallel");
  await perform({ kind: "move", at: `${branch.list}/${branch.at}`, to: branch.at + by });
}

export async function removeBranch(): Promise<void> {
  const branch = branchOf(stateAt()?.id ?? "");
  if (!branch) return tell("the state is in no branch of a Parallel");
  await perform({ kind: "remove", at: `${branch.list}/${branch.at}` });
}
