// The editing commands for the graph. They are used by keys, the command palette, the help, and the menus of states and
// transitions.

import type { Command } from "../commands/commands.ts";
import type { NodeCommand } from "../debugger/onGraph.ts";
import { type GraphEdge, type GraphNode, isState } from "../model/graph.ts";
import { startsMachine } from "../model/started.ts";
import { ALONG } from "../model/gestures.ts";
import { elementOf } from "../graph/focus.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/notifications.ts";
import { copyHere, pasteHere } from "./clipboard.ts";
import * as deeds from "./actions.ts";
import { canEdit } from "./gesture.ts";
import { togglePalette } from "./Palette.tsx";
import { pick } from "./picking.ts";
import { renameVariable, startRename } from "./rename.ts";
import { chooseAllBeside, chooseAlong, multiSelect, toggle } from "./several.ts";
import { fillIn, takeBack } from "./text.ts";
import { canRedirect, stateAt, statesAt } from "./selectedStates.ts";

const own = (): boolean => analysis.inside.value === null;
const withState = (run: (node: GraphNode) => void) => (): void => {
  const node = stateAt();
  if (node) run(node);
  else showToast("Select a state first, in the graph or in the definition.");
};

async function alongHere(): Promise<void> {
  const node = stateAt();
  if (!node) return;
  const chosen = await pick({
    title: `Select from ${node.name}`,
    placeholder: "",
    groups: ALONG,
    keys: { u: "up", d: "down" },
  });
  if (chosen) chooseAlong(node, chosen.id === "up");
}

const edit = (id: string, title: string, keys: readonly string[], run: () => void): Command => ({
  id,
  title,
  group: "Edit",
  keys,
  place: "graph",
  able: own,
  run,
});
/** Returns a command without a key, which users reach by its name or in a menu. */
const rare = (id: string, title: string, run: () => void): Command => ({ id, title, group: "Edit", able: own, run });

export const editCommands: readonly Command[] = [
  edit("insertState", "Insert a state on a transition of the state", ["I"], () => void deeds.insertHere()),
  edit("appendState", "Add a state after it: next, another rule, on an error", ["A"], () => void deeds.appendHere()),
  edit("createState", "Add a state that nothing leads to", ["N"], () => void deeds.createHere()),
  edit("connectState", "Lead a transition to a state, by its name", ["T"], () => void deeds.connectHere()),
  edit(
    "renameState",
    "Rename the state",
    ["F2"],
    withState(({ id }) => startRename(id)),
  ),
  edit("retypeState", "Change the state's type", ["R"], () => void deeds.retypeHere()),
  edit("wrapStates", "Put the states into a Parallel or Map", ["G"], () => void deeds.wrapHere()),
  edit("unwrapState", "Take the states out of the Parallel or Map", ["Shift+G"], () => void deeds.unwrapHere()),
  edit("deleteStates", "Delete the states, and join what is around them", ["Delete", "Backspace"], () => void deeds.deleteHere()),
  edit("duplicateStates", "Duplicate the states", ["Mod+D"], () => void deeds.duplicateHere()),
  // The browser sends events for these keys.
  { id: "copyStates", title: "Copy the states", group: "Edit", keys: ["Mod+C"], place: "graph" },
  { id: "cutStates", title: "Cut the states", group: "Edit", keys: ["Mod+X"], place: "graph" },
  { id: "pasteStates", title: "Paste states after the state", group: "Edit", keys: ["Mod+V"], place: "graph" },
  edit("orderWays", "Put rules and catchers in another order", ["O"], () => void deeds.orderHere()),
  {
    ...edit("branchLeft", "Move the branch one place back", ["Alt+ArrowLeft", "Alt+ArrowUp"], () => void deeds.moveBranch(-1)),
  },
  {
    ...edit("branchRight", "Move the branch one place on", ["Alt+ArrowRight", "Alt+ArrowDown"], () => void deeds.moveBranch(1)),
  },
  edit("alsoSelect", "Add the state to the selection, or take it away", ["Shift+Space"], withState(toggle)),
  edit("selectBeside", "Select all states beside it", ["Mod+A"], withState(chooseAllBeside)),
  edit("selectAlong", "Select what leads here (then U) or what follows (then D)", ["Alt+S"], () => void alongHere()),
  edit("undoGraph", "Undo on the graph and in its text", ["Mod+Z"], () => void takeBack(false)),
  edit("redoGraph", "Redo on the graph and in its text", ["Mod+Y", "Mod+Shift+Z"], () => void takeBack(true)),
  rare("addBranch", "Add a branch to the Parallel", () => void deeds.branchHere()),
  rare("removeBranch", "Remove the branch that the state is in", () => void deeds.removeBranch()),
  rare("extractStates", "Make the states a machine of their own", () => void deeds.extractHere()),
  rare("inlineMachine", "Put the machine that the Task starts in its place", () => void deeds.inlineHere()),
  rare("renameVariable", "Rename a variable of the machine", () => void renameVariable()),
  rare("statePalette", "Open or close the palette of states, patterns and services", togglePalette),
  rare("gatherStates", "Select several states, one after another", () => (multiSelect.value = !multiSelect.value)),
  rare("fillIn", "Go to the next placeholder to fill in", () => {
    if (!fillIn()) showToast("There is nothing left to fill in.");
  }),
];

const FLOW = new Set<GraphNode["type"]>(["Succeed", "Fail"]);
const own2 =
  (shown: (node: GraphNode) => boolean) =>
  (node: GraphNode): boolean =>
    own() && isState(node) && shown(node);

/** The menu's commands apply to its own state, while the keys apply to the focused one. */
const of =
  (run: () => void) =>
  (node: GraphNode): void => {
    if (!selection.alsoSelected.peek().has(node.name)) selection.selectState(node.name, "graph");
    if (canEdit()) run();
  };

export const nodeMenu: readonly NodeCommand[] = [
  {
    id: "pen-append",
    group: "add",
    label: "Add a state after it…",
    command: "appendState",
    shown: own2(({ type }) => !FLOW.has(type)),
    run: of(() => void deeds.appendHere()),
  },
  {
    id: "pen-insert",
    group: "add",
    label: "Insert on a transition…",
    command: "insertState",
    shown: own2(() => true),
    run: of(() => void deeds.insertHere()),
  },
  {
    id: "pen-connect",
    group: "add",
    label: "Lead a transition to…",
    command: "connectState",
    shown: own2(({ type }) => !FLOW.has(type)),
    run: of(() => void deeds.connectHere()),
  },
  {
    id: "pen-branch",
    group: "add",
    label: "Add a branch…",
    shown: own2(({ type }) => type === "Parallel"),
    run: of(() => void deeds.branchHere()),
  },
  {
    id: "pen-rename",
    group: "shape",
    label: "Rename…",
    command: "renameState",
    shown: own2(() => true),
    run: (node) => startRename(node.id),
  },
  {
    id: "pen-retype",
    group: "shape",
    label: "Change the type…",
    command: "retypeState",
    shown: own2(() => true),
    run: of(() => void deeds.retypeHere()),
  },
  {
    id: "pen-wrap",
    group: "shape",
    label: "Put into a Parallel or Map…",
    command: "wrapStates",
    shown: own2(() => true),
    run: of(() => void deeds.wrapHere()),
  },
  {
    id: "pen-unwrap",
    group: "shape",
    label: "Take its states out of it",
    command: "unwrapState",
    shown: own2(({ type }) => type === "Parallel" || type === "Map"),
    run: of(() => void deeds.unwrapHere()),
  },
  {
    id: "pen-order",
    group: "shape",
    label: "Order of rules and catchers…",
    command: "orderWays",
    shown: own2(({ id }) => waysOf(id) > 1),
    run: of(() => void deeds.orderHere()),
  },
  {
    id: "pen-remove-branch",
    group: "shape",
    label: "Remove the branch",
    shown: own2(({ id }) => /\/Branches\/\d+\/States\/[^/]*$/.test(id)),
    run: of(() => void deeds.removeBranch()),
  },
  {
    id: "pen-extract",
    group: "shape",
    label: "Make it a machine of its own",
    shown: own2(() => true),
    run: of(() => void deeds.extractHere()),
  },
  {
    id: "pen-inline",
    group: "shape",
    label: "Replace it by the machine that it starts",
    shown: own2(startsMachine),
    run: of(() => void deeds.inlineHere()),
  },
  {
    id: "pen-duplicate",
    group: "clip",
    label: "Duplicate",
    command: "duplicateStates",
    shown: own2(() => true),
    run: of(() => void deeds.duplicateHere()),
  },
  { id: "pen-copy", group: "clip", label: "Copy", command: "copyStates", shown: own2(() => true), run: of(() => void copyHere()) },
  { id: "pen-cut", group: "clip", label: "Cut", command: "cutStates", shown: own2(() => true), run: of(() => void copyHere(true)) },
  {
    id: "pen-paste",
    group: "clip",
    label: "Paste after it",
    command: "pasteStates",
    shown: own2(() => true),
    run: of(() => void pasteHere()),
  },
  {
    id: "pen-delete",
    group: "clip",
    label: "Delete",
    command: "deleteStates",
    shown: own2(() => true),
    run: of(() => void deeds.deleteHere()),
  },
  {
    id: "pen-gather",
    group: "clip",
    label: "Select several",
    command: "alsoSelect",
    shown: own2(() => true),
    checked: () => multiSelect.value,
    run(node) {
      multiSelect.value = !multiSelect.value;
      if (multiSelect.value && statesAt().every(({ name }) => name !== node.name)) toggle(node);
    },
  },
];

function waysOf(id: string): number {
  const index = analysis.graph.peek();
  const kinds = (index?.out[index.byId.get(id) ?? -1] ?? []).map((e) => index!.graph.edges[e]!.kind);
  return Math.max(kinds.filter((kind) => kind === "choice").length, kinds.filter((kind) => kind === "catch").length);
}

/** Returns the commands for a transition, except breakpoints. */
export function transitionCommands(edge: GraphEdge): NodeCommand[] {
  if (!own()) return [];
  const spot = (): { x: number; y: number } => {
    const svg = document.querySelector<SVGSVGElement>("svg.canvas");
    const box = svg && elementOf(svg, edge.from)?.getBoundingClientRect();
    return box ? { x: box.right + 8, y: box.bottom } : { x: innerWidth / 2, y: 100 };
  };
  return [
    { id: "pen-way-insert", group: "pen", label: "Insert a state…", command: "insertState", run: () => void deeds.insertOn(edge, spot()) },
    ...(canRedirect(edge)
      ? [{ id: "pen-way-lead", group: "pen", label: "Lead it to another state…", run: () => void deeds.redirect(edge) }]
      : []),
    ...(canRedirect(edge) && edge.kind !== "start"
      ? [{ id: "pen-way-remove", group: "pen", label: "Remove the transition", run: () => void deeds.disconnect(edge) }]
      : []),
  ];
}
