// The commands of the graph editor on the page: for keys, the command palette, the help, and the menus of states and transitions.

import type { Command } from "../commands/commands.ts";
import type { NodeCommand } from "../debugger/onGraph.ts";
import { COMMANDS, type EditorCommand, menuOf, transitionMenuOf } from "../graph-editor/kernel/commands.ts";
import { type GraphEdge, isState } from "../model/graph.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { bound } from "./bound.ts";
import { canEdit } from "./gesture.ts";
import { host, run } from "./host.ts";
import { togglePalette } from "./Palette.tsx";

const own = (): boolean => analysis.inside.value === null;

export const editCommands: readonly Command[] = [
  ...bound({ own, state: host.state, run: (command) => void run(command.plan(host.state())) }),
  {
    id: "statePalette",
    title: "Open or close the palette of states, patterns and services",
    group: "Edit",
    able: own,
    run: togglePalette,
  },
];

/** The menu's commands apply to its own state, while the keys apply to the focused one. */
const inMenu = ({ id, label, group, keys, checked, plan }: EditorCommand & { label: string }): NodeCommand => ({
  id: `pen-${id}`,
  label,
  group: group ?? "",
  ...((keys || checked) && { command: checked ? "alsoSelect" : id }),
  shown: (node) => own() && isState(node) && menuOf(node, host.state(), false).some((one) => one.id === id),
  ...(checked && { checked: () => checked(host.state()) }),
  run(node) {
    if (!selection.alsoSelected.peek().has(node.name)) selection.selectState(node.name, "graph");
    if (canEdit()) void run(plan({ ...host.state(), node }));
  },
});

export const nodeMenu: readonly NodeCommand[] = COMMANDS.flatMap((command) =>
  command.label === undefined || command.rare ? [] : inMenu({ ...command, label: command.label }),
);

/** Returns the commands for a transition, except breakpoints. */
export function transitionCommands(edge: GraphEdge): NodeCommand[] {
  const index = analysis.graph.peek();
  if (!own() || !index) return [];
  return transitionMenuOf(index, edge).map(({ id, label, like, plan }) => ({
    id: `pen-transition-${id}`,
    group: "pen",
    label,
    ...(like !== undefined && { command: like }),
    run: () => void run(plan(edge.from)),
  }));
}
