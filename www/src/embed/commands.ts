// The editing commands of a component, for its keys and for the menu of a state.

import type { Gesture, NewEdge, PossibleGesture, StateType } from "stepglass";
import { ALONG, AROUND, KINDS, kindsTo, leadings, noOrder, orderOf, targetOptions } from "../model/gestures.ts";
import { type GraphIndex, type GraphNode, isState } from "../model/graph.ts";
import { startedAt, startsMachine } from "../model/started.ts";
import { branchOf, neighbourOf, statesAlong, statesBeside, wayTitle, waysAt } from "../model/transitions.ts";
import { count } from "../ui/format.ts";
import { appendHere, appendTo, branchHere, createHere, insertHere } from "./adding.ts";
import { html } from "./dom.ts";
import type { Making } from "./editorContext.ts";
import { type Spot, place } from "./picker.ts";

interface Deed {
  id: string;
  title: string;
  /** The keys; the menu shows the first one. `Mod` is Control or Command. */
  keys?: readonly string[];
  /** Returns whether the menu of a state has the command. `many` is set if several states are selected. */
  shown?(node: GraphNode, many: boolean, index: GraphIndex): boolean;
  /** Whether the command works without a state. */
  anywhere?: boolean;
  run(pen: Making): unknown;
}

const alone = (_: GraphNode, many: boolean): boolean => !many;
const leaves = ({ type }: GraphNode, many: boolean): boolean => !many && type !== "Succeed" && type !== "Fail";
const branched = ({ id }: GraphNode, many: boolean): boolean => !many && branchOf(id) !== undefined;

export const DEEDS: readonly Deed[] = [
  { id: "append", title: "Add a state after it…", keys: ["a"], shown: leaves, run: (pen) => appendHere(pen) },
  { id: "insert", title: "Insert on a transition…", keys: ["i"], shown: alone, run: (pen) => insertHere(pen) },
  { id: "create", title: "Add a state that nothing leads to…", keys: ["n"], anywhere: true, run: (pen) => createHere(pen) },
  { id: "connect", title: "Lead a transition to…", keys: ["t"], shown: leaves, run: connectHere },
  { id: "disconnect", title: "Remove a transition…", shown: leaves, run: disconnectHere },
  { id: "rename", title: "Rename…", keys: ["F2"], shown: alone, run: renameHere },
  { id: "retype", title: "Change the type…", keys: ["r"], shown: alone, run: retypeHere },
  { id: "wrap", title: "Put into a Parallel or Map…", keys: ["g"], run: wrapHere },
  {
    id: "unwrap",
    title: "Take its states out of it",
    keys: ["Shift+g"],
    shown: ({ type }, many) => !many && (type === "Parallel" || type === "Map"),
    run: (pen) => pen.perform({ kind: "unwrap", state: pen.here()!.id }, pen.spot(), true),
  },
  { id: "branch", title: "Add a branch…", shown: ({ type }, many) => !many && type === "Parallel", run: (pen) => branchHere(pen) },
  {
    id: "branch-left",
    title: "Move the branch one place back",
    keys: ["Alt+ArrowLeft", "Alt+ArrowUp"],
    shown: branched,
    run: (pen) => moveBranch(pen, -1),
  },
  {
    id: "branch-right",
    title: "Move the branch one place on",
    keys: ["Alt+ArrowRight", "Alt+ArrowDown"],
    shown: branched,
    run: (pen) => moveBranch(pen, 1),
  },
  { id: "remove-branch", title: "Remove the branch", shown: branched, run: removeBranch },
  {
    id: "order",
    title: "Order of rules and catchers…",
    keys: ["o"],
    shown: (node, many, index) => !many && orderOf(index, node).some(({ options }) => options.length > 1),
    run: orderHere,
  },
  { id: "extract", title: "Make it a machine of its own", run: extractHere },
  { id: "inline", title: "Replace it by the machine that it starts", shown: (node, many) => !many && startsMachine(node), run: inlineHere },
  { id: "duplicate", title: "Duplicate", keys: ["Mod+d"], run: (pen) => pen.perform({ kind: "duplicate", states: ids(pen) }) },
  { id: "copy", title: "Copy", run: (pen) => pen.clipboard.copy(false) },
  { id: "cut", title: "Cut", run: (pen) => pen.clipboard.copy(true) },
  { id: "paste", title: "Paste after it", run: (pen) => pen.clipboard.paste() },
  { id: "delete", title: "Delete", keys: ["Delete"], run: deleteHere },
  { id: "gather", title: "Select several by pressing them", run: gather },
  { id: "also", title: "Add it to the selection, or take it away", keys: ["Shift+ "], run: alsoHere },
  {
    id: "beside",
    title: "Select all states beside it",
    keys: ["Mod+a"],
    run: (pen) => select(pen, statesBeside(pen.owner.index()!, pen.here()!)),
  },
  { id: "along", title: "Select what leads to it, or what follows…", keys: ["Alt+s"], shown: alone, run: alongHere },
];

const ids = (pen: Making): string[] => pen.statesHere().map(({ id }) => id);

async function connectHere(pen: Making): Promise<void> {
  const [index, node] = [pen.owner.index()!, pen.here()!];
  const able = leadings(index, node.id, await pen.possible(node.id));
  if (typeof able === "string") return pen.refuse(able);
  const chosen = await pen.picker.pick({
    title: `Lead a transition of ${node.name} to`,
    placeholder: "Name of the state",
    modes: able,
    groups: [{ title: "", options: targetOptions(able.flatMap(({ targets }) => targets)) }],
    at: pen.spot(),
  });
  if (chosen) await pen.perform((able.find(({ id }) => id === chosen.mode) ?? able[0]!).gesture(chosen.id));
}

async function disconnectHere(pen: Making): Promise<void> {
  const [index, node] = [pen.owner.index()!, pen.here()!];
  const ways = waysAt(index, node).filter(({ kind }) => kind !== "end" && kind !== "start");
  if (ways.length === 0) return pen.refuse(`\`${node.name}\` leads to no other state`);
  const options = ways.map((edge) => ({ id: edge.id, title: wayTitle(index, edge) }));
  const chosen = await pen.picker.pick({ title: `Remove a transition of ${node.name}`, groups: [{ title: "", options }], at: pen.spot() });
  if (chosen) await pen.perform({ kind: "disconnect", edge: chosen.id });
}

export function renameHere(pen: Making): void {
  const { owner } = pen;
  const node = pen.here()!;
  const box = owner.drawing()?.boxOf(node.id);
  if (!box) return;
  const field = html("input", {
    type: "text",
    "aria-label": `Name of ${node.name}`,
    maxlength: 80,
    spellcheck: "false",
    autocomplete: "off",
  });
  field.value = node.name;
  const around = html("div", { class: "pen-name" }, field);
  let over = false;
  const end = (to: string | undefined): void => {
    if (over) return;
    over = true;
    around.remove();
    owner.drawing()?.focus(node.id);
    if (to !== undefined && to.trim() !== "" && to !== node.name) void pen.perform({ kind: "rename", state: node.id, to });
  };
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    end(event.key === "Enter" ? field.value : undefined);
  });
  field.addEventListener("blur", () => end(field.value));
  owner.shell.append(around);
  around.style.width = `${Math.max(180, box.width)}px`;
  place(around, { x: box.left, y: box.top });
  field.focus({ preventScroll: true });
  field.select();
}

async function retypeHere(pen: Making): Promise<void> {
  const node = pen.here()!;
  const found = (await pen.possible(node.id)).find(({ kind }) => kind === "retype");
  if (!found || found.refused) return pen.refuse(found?.refused?.message);
  const options = (found.types ?? []).map((type) => ({ id: type, title: type, type }));
  const chosen = await pen.picker.pick({
    title: `Change ${node.name} to`,
    placeholder: "Type",
    groups: [{ title: "", options }],
    at: pen.spot(),
  });
  if (chosen) await pen.perform({ kind: "retype", state: node.id, type: chosen.id as StateType }, pen.spot(), true);
}

async function wrapHere(pen: Making): Promise<void> {
  const states = pen.statesHere();
  const found = (await pen.possible(ids(pen))).find(({ kind }) => kind === "wrap");
  if (found?.refused) return pen.refuse(found.refused.message);
  const title = states.length === 1 ? `Put ${states[0]!.name} into` : `Put ${states.length} states into`;
  const chosen = await pen.picker.pick({ title, groups: AROUND, at: pen.spot() });
  if (chosen) await pen.perform({ kind: "wrap", states: states.map(({ id }) => id), type: chosen.id as "Parallel" | "Map" });
}

async function moveBranch(pen: Making, by: number): Promise<void> {
  const branch = branchOf(pen.here()!.id);
  if (!branch) return pen.refuse("the state is in no branch of a Parallel");
  await pen.perform({ kind: "move", at: `${branch.list}/${branch.at}`, to: branch.at + by });
}

async function removeBranch(pen: Making): Promise<void> {
  const { list, at } = branchOf(pen.here()!.id)!;
  await pen.perform({ kind: "remove", at: `${list}/${at}` });
}

async function orderHere(pen: Making): Promise<void> {
  const node = pen.here()!;
  const rows = () => orderOf(pen.owner.index()!, node);
  if (rows().every(({ options }) => options.length < 2)) return pen.refuse(noOrder(node));
  await pen.picker.pick({
    title: `Order of ${node.name}`,
    groups: rows(),
    at: pen.spot(),
    async move(id, by) {
      const at = Number(id.slice(id.lastIndexOf("/") + 1));
      return (await pen.perform({ kind: "move", at: id, to: at + by })) && rows();
    },
  });
}

/** Extracts the states to a machine of their own, and notifies the page about it. */
async function extractHere(pen: Making): Promise<void> {
  await pen.perform({ kind: "extract", states: ids(pen) }, pen.spot());
}

async function inlineHere(pen: Making): Promise<void> {
  const node = pen.here()!;
  const [machines, started] = [await pen.owner.machines(), startedAt(await pen.json(), node.id)];
  const asl = started && (machines[started.name] ?? machines[started.arn]);
  if (asl === undefined) return pen.refuse(`this page does not have the machine that \`${node.name}\` starts`);
  await pen.perform({ kind: "inline", state: node.id, asl }, pen.spot());
}

export async function deleteHere(pen: Making): Promise<void> {
  const { owner } = pen;
  const states = pen.statesHere();
  const next = neighbourOf(owner.index()!, states);
  const done = await pen.perform({ kind: "delete", states: states.map(({ id }) => id) }, pen.spot());
  const index = owner.index();
  // A keyboard user continues at a neighbour of the deleted states.
  const to = next ?? index?.graph.nodes.find(isState)?.id;
  if (!done || done.select.length > 0 || to === undefined || !index?.byId.has(to)) return;
  owner.choose(index.node(index.byId.get(to)!)!.name);
  owner.drawing()?.focus(to);
  pen.shown();
}

/** Selects these states. */
export function select(pen: Making, nodes: readonly GraphNode[]): void {
  pen.several = nodes.map(({ id }) => id);
  pen.tell(nodes.length === 0 ? "Nothing is selected." : `${count(nodes.length, "state")} selected.`);
  pen.shown();
}

export function alsoHere(pen: Making): void {
  const index = pen.owner.index()!;
  const node = pen.here()!;
  const chosen = index.node(index.byName.get(pen.owner.chosen()) ?? -1)?.id;
  const before = pen.several.length > 0 ? pen.several : chosen === undefined ? [] : [chosen];
  const now = before.includes(node.id) ? before.filter((id) => id !== node.id) : [...before, node.id];
  select(
    pen,
    now.flatMap((id) => index.node(index.byId.get(id) ?? -1) ?? []),
  );
}

function gather(pen: Making): void {
  pen.gathering = !pen.gathering;
  if (!pen.gathering) return pen.tell("A press selects one state again.");
  select(pen, pen.statesHere());
  pen.tell("Press further states. The same entry of the menu ends it.");
}

async function alongHere(pen: Making): Promise<void> {
  const node = pen.here()!;
  const chosen = await pen.picker.pick({ title: `Select from ${node.name}`, groups: ALONG, keys: { u: "up", d: "down" }, at: pen.spot() });
  if (chosen) select(pen, statesAlong(pen.owner.index()!, node, chosen.id === "up"));
}

/** Handles the end of a transition that was dropped on a state or on an empty place. */
export async function drop(
  pen: Making,
  from: string,
  edge: string | undefined,
  to: string | null,
  at: Spot,
  known: PossibleGesture[] | undefined,
): Promise<void> {
  if (edge !== undefined) {
    if (to !== null) await pen.perform({ kind: "connect", edge, to }, at);
    else pen.tell("Nothing has changed.");
    return;
  }
  if (to === null) return appendTo(pen, from, at);
  const kinds = kindsTo(known ?? (await pen.possible(from)), to);
  let [as = "next"]: NewEdge[] = kinds;
  if (kinds.length > 1) {
    const options = kinds.map((id) => ({ id, title: KINDS[id] }));
    const chosen = await pen.picker.pick({ title: "What is this transition?", groups: [{ title: "", options }], at });
    if (!chosen) return;
    as = chosen.id as NewEdge;
  }
  // If it is not possible, the interpreter explains why.
  const gesture: Gesture = { kind: "connect", from, as, to };
  await pen.perform(gesture, at);
}
