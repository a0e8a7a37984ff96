// The editing commands of a component, for its keys and for the menu of a state.

import type { Gesture, NewEdge, PossibleGesture, StateType } from "stepglass";
import { ALONG, AROUND, KINDS, kindsTo, leadings, noOrder, orderOf, targetOptions } from "../graph-editor/kernel/gestures.ts";
import { type GraphIndex, type GraphNode, isState } from "../model/graph.ts";
import { startedAt, startsMachine } from "../model/started.ts";
import {
  branchOf,
  neighbourOf,
  statesAlong,
  statesBeside,
  transitionTitle,
  insertableTransitions,
} from "../graph-editor/kernel/transitions.ts";
import { count } from "../ui/format.ts";
import { appendHere, appendTo, branchHere, createHere, insertHere } from "./adding.ts";
import { html } from "./dom.ts";
import type { EditorContext } from "./editorContext.ts";
import { type Spot, place } from "./picker.ts";

interface Command {
  id: string;
  title: string;
  /** The keys; the menu shows the first one. `Mod` is Control or Command. */
  keys?: readonly string[];
  /** Returns whether the menu of a state has the command. `many` is set if several states are selected. */
  shown?(node: GraphNode, many: boolean, index: GraphIndex): boolean;
  /** Whether the command works without a state. */
  anywhere?: boolean;
  run(editor: EditorContext): unknown;
}

const alone = (_: GraphNode, many: boolean): boolean => !many;
const leaves = ({ type }: GraphNode, many: boolean): boolean => !many && type !== "Succeed" && type !== "Fail";
const branched = ({ id }: GraphNode, many: boolean): boolean => !many && branchOf(id) !== undefined;

export const COMMANDS: readonly Command[] = [
  { id: "append", title: "Add a state after it…", keys: ["a"], shown: leaves, run: (editor) => appendHere(editor) },
  { id: "insert", title: "Insert on a transition…", keys: ["i"], shown: alone, run: (editor) => insertHere(editor) },
  { id: "create", title: "Add a state that nothing leads to…", keys: ["n"], anywhere: true, run: (editor) => createHere(editor) },
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
    run: (editor) => editor.perform({ kind: "unwrap", state: editor.current()!.id }, editor.spot(), true),
  },
  { id: "branch", title: "Add a branch…", shown: ({ type }, many) => !many && type === "Parallel", run: (editor) => branchHere(editor) },
  {
    id: "branch-left",
    title: "Move the branch one place back",
    keys: ["Alt+ArrowLeft", "Alt+ArrowUp"],
    shown: branched,
    run: (editor) => moveBranch(editor, -1),
  },
  {
    id: "branch-right",
    title: "Move the branch one place on",
    keys: ["Alt+ArrowRight", "Alt+ArrowDown"],
    shown: branched,
    run: (editor) => moveBranch(editor, 1),
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
  { id: "duplicate", title: "Duplicate", keys: ["Mod+d"], run: (editor) => editor.perform({ kind: "duplicate", states: ids(editor) }) },
  { id: "copy", title: "Copy", run: (editor) => editor.clipboard.copy(false) },
  { id: "cut", title: "Cut", run: (editor) => editor.clipboard.copy(true) },
  { id: "paste", title: "Paste after it", run: (editor) => editor.clipboard.paste() },
  { id: "delete", title: "Delete", keys: ["Delete"], run: deleteHere },
  { id: "gather", title: "Select several by pressing them", run: gather },
  { id: "also", title: "Add it to the selection, or take it away", keys: ["Shift+ "], run: alsoHere },
  {
    id: "beside",
    title: "Select all states beside it",
    keys: ["Mod+a"],
    run: (editor) => select(editor, statesBeside(editor.owner.index()!, editor.current()!)),
  },
  { id: "along", title: "Select what leads to it, or what follows…", keys: ["Alt+s"], shown: alone, run: alongHere },
];

const ids = (editor: EditorContext): string[] => editor.selection().map(({ id }) => id);

async function connectHere(editor: EditorContext): Promise<void> {
  const [index, node] = [editor.owner.index()!, editor.current()!];
  const able = leadings(index, node.id, await editor.possible(node.id));
  if (typeof able === "string") return editor.refuse(able);
  const chosen = await editor.picker.pick({
    title: `Lead a transition of ${node.name} to`,
    placeholder: "Name of the state",
    modes: able,
    groups: [{ title: "", options: targetOptions(able.flatMap(({ targets }) => targets)) }],
    at: editor.spot(),
  });
  if (chosen) await editor.perform((able.find(({ id }) => id === chosen.mode) ?? able[0]!).gesture(chosen.id));
}

async function disconnectHere(editor: EditorContext): Promise<void> {
  const [index, node] = [editor.owner.index()!, editor.current()!];
  const ways = insertableTransitions(index, node).filter(({ kind }) => kind !== "end" && kind !== "start");
  if (ways.length === 0) return editor.refuse(`\`${node.name}\` leads to no other state`);
  const options = ways.map((edge) => ({ id: edge.id, title: transitionTitle(index, edge) }));
  const chosen = await editor.picker.pick({
    title: `Remove a transition of ${node.name}`,
    groups: [{ title: "", options }],
    at: editor.spot(),
  });
  if (chosen) await editor.perform({ kind: "disconnect", edge: chosen.id });
}

export function renameHere(editor: EditorContext): void {
  const { owner } = editor;
  const node = editor.current()!;
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
    if (to !== undefined && to.trim() !== "" && to !== node.name) void editor.perform({ kind: "rename", state: node.id, to });
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

async function retypeHere(editor: EditorContext): Promise<void> {
  const node = editor.current()!;
  const found = (await editor.possible(node.id)).find(({ kind }) => kind === "retype");
  if (!found || found.refused) return editor.refuse(found?.refused?.message);
  const options = (found.types ?? []).map((type) => ({ id: type, title: type, type }));
  const chosen = await editor.picker.pick({
    title: `Change ${node.name} to`,
    placeholder: "Type",
    groups: [{ title: "", options }],
    at: editor.spot(),
  });
  if (chosen) await editor.perform({ kind: "retype", state: node.id, type: chosen.id as StateType }, editor.spot(), true);
}

async function wrapHere(editor: EditorContext): Promise<void> {
  const states = editor.selection();
  const found = (await editor.possible(ids(editor))).find(({ kind }) => kind === "wrap");
  if (found?.refused) return editor.refuse(found.refused.message);
  const title = states.length === 1 ? `Put ${states[0]!.name} into` : `Put ${states.length} states into`;
  const chosen = await editor.picker.pick({ title, groups: AROUND, at: editor.spot() });
  if (chosen) await editor.perform({ kind: "wrap", states: states.map(({ id }) => id), type: chosen.id as "Parallel" | "Map" });
}

async function moveBranch(editor: EditorContext, by: number): Promise<void> {
  const branch = branchOf(editor.current()!.id);
  if (!branch) return editor.refuse("the state is in no branch of a Parallel");
  await editor.perform({ kind: "move", at: `${branch.list}/${branch.at}`, to: branch.at + by });
}

async function removeBranch(editor: EditorContext): Promise<void> {
  const { list, at } = branchOf(editor.current()!.id)!;
  await editor.perform({ kind: "remove", at: `${list}/${at}` });
}

async function orderHere(editor: EditorContext): Promise<void> {
  const node = editor.current()!;
  const rows = () => orderOf(editor.owner.index()!, node);
  if (rows().every(({ options }) => options.length < 2)) return editor.refuse(noOrder(node));
  await editor.picker.pick({
    title: `Order of ${node.name}`,
    groups: rows(),
    at: editor.spot(),
    async move(id, by) {
      const at = Number(id.slice(id.lastIndexOf("/") + 1));
      return (await editor.perform({ kind: "move", at: id, to: at + by })) && rows();
    },
  });
}

/** Extracts the states to a machine of their own, and notifies the page about it. */
async function extractHere(editor: EditorContext): Promise<void> {
  await editor.perform({ kind: "extract", states: ids(editor) }, editor.spot());
}

async function inlineHere(editor: EditorContext): Promise<void> {
  const node = editor.current()!;
  const [machines, started] = [await editor.owner.machines(), startedAt(await editor.json(), node.id)];
  const asl = started && (machines[started.name] ?? machines[started.arn]);
  if (asl === undefined) return editor.refuse(`this page does not have the machine that \`${node.name}\` starts`);
  await editor.perform({ kind: "inline", state: node.id, asl }, editor.spot());
}

export async function deleteHere(editor: EditorContext): Promise<void> {
  const { owner } = editor;
  const states = editor.selection();
  const next = neighbourOf(owner.index()!, states);
  const done = await editor.perform({ kind: "delete", states: states.map(({ id }) => id) }, editor.spot());
  const index = owner.index();
  // A keyboard user continues at a neighbour of the deleted states.
  const to = next ?? index?.graph.nodes.find(isState)?.id;
  if (!done || done.select.length > 0 || to === undefined || !index?.byId.has(to)) return;
  owner.choose(index.node(index.byId.get(to)!)!.name);
  owner.drawing()?.focus(to);
  editor.refresh();
}

/** Selects these states. */
export function select(editor: EditorContext, nodes: readonly GraphNode[]): void {
  editor.selected = nodes.map(({ id }) => id);
  editor.notify(nodes.length === 0 ? "Nothing is selected." : `${count(nodes.length, "state")} selected.`);
  editor.refresh();
}

export function alsoHere(editor: EditorContext): void {
  const index = editor.owner.index()!;
  const node = editor.current()!;
  const chosen = index.node(index.byName.get(editor.owner.chosen()) ?? -1)?.id;
  const before = editor.selected.length > 0 ? editor.selected : chosen === undefined ? [] : [chosen];
  const now = before.includes(node.id) ? before.filter((id) => id !== node.id) : [...before, node.id];
  select(
    editor,
    now.flatMap((id) => index.node(index.byId.get(id) ?? -1) ?? []),
  );
}

function gather(editor: EditorContext): void {
  editor.multiSelect = !editor.multiSelect;
  if (!editor.multiSelect) return editor.notify("A press selects one state again.");
  select(editor, editor.selection());
  editor.notify("Press further states. The same entry of the menu ends it.");
}

async function alongHere(editor: EditorContext): Promise<void> {
  const node = editor.current()!;
  const chosen = await editor.picker.pick({
    title: `Select from ${node.name}`,
    groups: ALONG,
    keys: { u: "up", d: "down" },
    at: editor.spot(),
  });
  if (chosen) select(editor, statesAlong(editor.owner.index()!, node, chosen.id === "up"));
}

/** Handles the end of a transition that was dropped on a state or on an empty place. */
export async function drop(
  editor: EditorContext,
  from: string,
  edge: string | undefined,
  to: string | null,
  at: Spot,
  known: PossibleGesture[] | undefined,
): Promise<void> {
  if (edge !== undefined) {
    if (to !== null) await editor.perform({ kind: "connect", edge, to }, at);
    else editor.notify("Nothing has changed.");
    return;
  }
  if (to === null) return appendTo(editor, from, at);
  const kinds = kindsTo(known ?? (await editor.possible(from)), to);
  let [as = "next"]: NewEdge[] = kinds;
  if (kinds.length > 1) {
    const options = kinds.map((id) => ({ id, title: KINDS[id] }));
    const chosen = await editor.picker.pick({ title: "What is this transition?", groups: [{ title: "", options }], at });
    if (!chosen) return;
    as = chosen.id as NewEdge;
  }
  // If it is not possible, the interpreter explains why.
  const gesture: Gesture = { kind: "connect", from, as, to };
  await editor.perform(gesture, at);
}
