// The commands of the graph editor with their keys, in one table. Keys, menus, the command palette and the help are made from it,
// so a command that is added here works in every view.

import type { GraphEdge, GraphIndex, GraphNode } from "../../model/graph.ts";
import { startsMachine } from "../../model/started.ts";
import { appendHere, branchHere, createHere, insertHere, insertOn } from "./adding.ts";
import * as change from "./changing.ts";
import { copy, paste } from "./copying.ts";
import { orderOf } from "./gestures.ts";
import { NO_STATE } from "./messages.ts";
import { type At, type Plan, ask } from "./plan.ts";
import * as selecting from "./selecting.ts";
import type { EditorState, Focused } from "./state.ts";
import { branchOf, canRedirect } from "./transitions.ts";

export interface EditorCommand {
  /** Users' own keys are stored under this id. */
  id: string;
  /** The title among all commands of the page. */
  title: string;
  /** The title in the menu of a state. Absent if the menu does not have it. */
  label?: string;
  /** The commands of a group are listed together. */
  group?: "add" | "shape" | "clip";
  /** The default keys, as chords. The first is displayed. */
  keys?: readonly string[];
  /** The browser sends an event of the clipboard for the keys. */
  clipboard?: true;
  /** The command is in the menu only in views that have no list of all commands. */
  rare?: true;
  /** Returns whether the menu of a state has the command. `many` is set if several states are selected. */
  shown?(node: GraphNode, many: boolean, index: GraphIndex): boolean;
  /** Returns whether the command is switched on. Absent if it is not a switch. */
  checked?(state: EditorState): boolean;
  /** The command works without a state. */
  anywhere?: true;
  /** The keys also apply beside the graph, in a view whose text has no keys of its own. */
  text?: true;
  /** Returns whether the keys apply. Absent means always. */
  able?(state: EditorState): boolean;
  plan(state: EditorState): Plan<unknown>;
}

const one = (_: GraphNode, many: boolean): boolean => !many;
const leaves = ({ type }: GraphNode, many: boolean): boolean => !many && type !== "Succeed" && type !== "Fail";
const branched = ({ id }: GraphNode, many: boolean): boolean => !many && branchOf(id) !== undefined;

/** Returns a plan that needs a state. */
const of = (plan: (state: Focused) => Plan<unknown>) =>
  function* (state: EditorState): Plan<unknown> {
    if (!state.index || !state.node) return yield* ask("notify", NO_STATE, true);
    return yield* plan(state as Focused);
  };

export const COMMANDS: readonly EditorCommand[] = [
  {
    id: "appendState",
    title: "Add a state after it: next, another rule, on an error",
    label: "Add a state after it…",
    group: "add",
    keys: ["A"],
    shown: leaves,
    anywhere: true,
    plan: (state) => appendHere(state),
  },
  {
    id: "insertState",
    title: "Insert a state on a transition of the state",
    label: "Insert on a transition…",
    group: "add",
    keys: ["I"],
    shown: one,
    anywhere: true,
    plan: insertHere,
  },
  {
    id: "createState",
    title: "Add a state that nothing leads to",
    label: "Add a state that nothing leads to…",
    group: "add",
    keys: ["N"],
    rare: true,
    anywhere: true,
    plan: (state) => createHere(state),
  },
  {
    id: "connectState",
    title: "Lead a transition to a state, by its name",
    label: "Lead a transition to…",
    group: "add",
    keys: ["T"],
    shown: leaves,
    plan: of(change.connectHere),
  },
  {
    id: "disconnectState",
    title: "Remove a transition of the state",
    label: "Remove a transition…",
    group: "add",
    rare: true,
    shown: leaves,
    plan: of(change.disconnectHere),
  },
  {
    id: "addBranch",
    title: "Add a branch to the Parallel",
    label: "Add a branch…",
    group: "add",
    shown: ({ type }, many) => !many && type === "Parallel",
    plan: of(branchHere),
  },
  {
    id: "renameState",
    title: "Rename the state",
    label: "Rename…",
    group: "shape",
    keys: ["F2"],
    shown: one,
    plan: of(({ node }) => change.rename(node)),
  },
  {
    id: "retypeState",
    title: "Change the state's type",
    label: "Change the type…",
    group: "shape",
    keys: ["R"],
    shown: one,
    plan: of(change.retypeHere),
  },
  {
    id: "wrapStates",
    title: "Put the states into a Parallel or Map",
    label: "Put into a Parallel or Map…",
    group: "shape",
    keys: ["G"],
    plan: of(change.wrapHere),
  },
  {
    id: "unwrapState",
    title: "Take the states out of the Parallel or Map",
    label: "Take its states out of it",
    group: "shape",
    keys: ["Shift+G"],
    shown: ({ type }, many) => !many && (type === "Parallel" || type === "Map"),
    plan: of(change.unwrapHere),
  },
  {
    id: "orderWays",
    title: "Put rules and catchers in another order",
    label: "Order of rules and catchers…",
    group: "shape",
    keys: ["O"],
    shown: (node, many, index) => !many && orderOf(index, node).some(({ options }) => options.length > 1),
    plan: of(change.orderHere),
  },
  {
    id: "branchLeft",
    title: "Move the branch one place back",
    label: "Move the branch one place back",
    group: "shape",
    keys: ["Alt+ArrowLeft", "Alt+ArrowUp"],
    rare: true,
    shown: branched,
    plan: of(change.moveBranch(-1)),
  },
  {
    id: "branchRight",
    title: "Move the branch one place on",
    label: "Move the branch one place on",
    group: "shape",
    keys: ["Alt+ArrowRight", "Alt+ArrowDown"],
    rare: true,
    shown: branched,
    plan: of(change.moveBranch(1)),
  },
  {
    id: "removeBranch",
    title: "Remove the branch that the state is in",
    label: "Remove the branch",
    group: "shape",
    shown: branched,
    plan: of(change.removeBranch),
  },
  {
    id: "extractStates",
    title: "Make the states a machine of their own",
    label: "Make it a machine of its own",
    group: "shape",
    plan: of(change.extractHere),
  },
  {
    id: "inlineMachine",
    title: "Put the machine that the Task starts in its place",
    label: "Replace it by the machine that it starts",
    group: "shape",
    shown: (node, many) => !many && startsMachine(node),
    plan: of(change.inlineHere),
  },
  {
    id: "renameVariable",
    title: "Rename a variable of the machine",
    label: "Rename a variable…",
    group: "shape",
    rare: true,
    anywhere: true,
    plan: change.renameVariable,
  },
  {
    id: "duplicateStates",
    title: "Duplicate the states",
    label: "Duplicate",
    group: "clip",
    keys: ["Mod+D"],
    plan: of(change.duplicateHere),
  },
  {
    id: "copyStates",
    title: "Copy the states",
    label: "Copy",
    group: "clip",
    keys: ["Mod+C"],
    clipboard: true,
    plan: of((state) => copy(state, false)),
  },
  {
    id: "cutStates",
    title: "Cut the states",
    label: "Cut",
    group: "clip",
    keys: ["Mod+X"],
    clipboard: true,
    plan: of((state) => copy(state, true)),
  },
  {
    id: "pasteStates",
    title: "Paste states after the state",
    label: "Paste after it",
    group: "clip",
    keys: ["Mod+V"],
    clipboard: true,
    anywhere: true,
    plan: paste,
  },
  {
    id: "deleteStates",
    title: "Delete the states, and join what is around them",
    label: "Delete",
    group: "clip",
    keys: ["Delete", "Backspace"],
    plan: of(change.deleteHere),
  },
  {
    id: "gatherStates",
    title: "Select several states, one after another",
    label: "Select several",
    group: "clip",
    checked: ({ multiSelect }) => multiSelect,
    anywhere: true,
    plan: selecting.selectByPresses,
  },
  {
    id: "alsoSelect",
    title: "Add the state to the selection, or take it away",
    label: "Add it to the selection, or take it away",
    group: "clip",
    keys: ["Shift+Space"],
    rare: true,
    plan: of(selecting.toggleHere),
  },
  {
    id: "selectBeside",
    title: "Select all states beside it",
    label: "Select all states beside it",
    group: "clip",
    keys: ["Mod+A"],
    rare: true,
    plan: of(selecting.selectBeside),
  },
  {
    id: "selectAlong",
    title: "Select what leads here (then U) or what follows (then D)",
    label: "Select what leads to it, or what follows…",
    group: "clip",
    keys: ["Alt+S"],
    rare: true,
    shown: one,
    plan: of(selecting.selectAlong),
  },
  {
    id: "clearSelection",
    title: "Clear the selection of several states",
    keys: ["Escape"],
    anywhere: true,
    able: ({ selected }) => selected.length > 1,
    plan: selecting.clear,
  },
  {
    id: "undoGraph",
    title: "Undo on the graph and in its text",
    keys: ["Mod+Z"],
    anywhere: true,
    text: true,
    plan: () => ask("takeBack", false),
  },
  {
    id: "redoGraph",
    title: "Redo on the graph and in its text",
    keys: ["Mod+Y", "Mod+Shift+Z"],
    anywhere: true,
    text: true,
    plan: () => ask("takeBack", true),
  },
  {
    id: "fillIn",
    title: "Go to the next placeholder to fill in",
    anywhere: true,
    *plan() {
      if (!(yield* ask("fillIn"))) yield* ask("notify", "There is nothing left to fill in.", true);
    },
  },
];

/** Returns the command of a key press, which can stand for several chords. */
export const commandOf = (chords: readonly string[], state: EditorState): EditorCommand | undefined =>
  chords
    .flatMap((chord) => COMMANDS.filter(({ keys, able }) => keys?.includes(chord) && able?.(state) !== false))
    .find(({ anywhere, clipboard }) => !clipboard && (anywhere || state.node));

/** Returns the commands of a state's menu. `whole` adds the rare ones, for views that have no list of all commands. */
export function menuOf(node: GraphNode, { index, selected }: EditorState, whole: boolean): EditorCommand[] {
  const many = selected.length > 1 && selected.includes(node.id);
  return COMMANDS.filter(
    ({ label, rare, shown }) => label !== undefined && (whole || !rare) && index !== null && (shown?.(node, many, index) ?? true),
  );
}

/** A command of a transition's menu. */
interface TransitionCommand {
  id: string;
  label: string;
  /** The command of states that does the same. Its key is shown. */
  like?: string;
  plan(at: At): Plan<unknown>;
}

/** Returns the commands of a transition's menu. */
export function transitionMenuOf(index: GraphIndex, edge: GraphEdge): TransitionCommand[] {
  return [
    { id: "insert", label: "Insert a state…", like: "insertState", plan: (at) => insertOn(index, edge, at) },
    ...(canRedirect(edge) ? [{ id: "redirect", label: "Lead it to another state…", plan: () => change.redirect(index, edge) }] : []),
    ...(canRedirect(edge) && edge.kind !== "start"
      ? [{ id: "disconnect", label: "Remove the transition", plan: () => change.disconnect(edge.id) }]
      : []),
  ];
}
