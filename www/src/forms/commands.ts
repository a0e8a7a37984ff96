// The commands that open the form, from the graph, the palette and the menu of a state.

import { commands } from "../commands/commands.ts";
import { addNodeCommands } from "../debugger/onGraph.ts";
import { stateAt } from "../editing/selectedStates.ts";
import { isState } from "../model/graph.ts";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as panes from "../store/panes.ts";
import * as selection from "../store/selection.ts";
import { showSide } from "./side.ts";

const own = (): boolean => analysis.inside.value === null;

/** Opens the form of the focused state. */
function openHere(): void {
  const node = stateAt();
  if (node) openOf(node.name);
  else openForm();
}

/** Opens the form of a state, or of the machine. */
function openOf(state: string | null): void {
  selection.selectState(state, "graph");
  openForm();
}

/** Opens the form of the selected state, and moves the focus to its first field. */
function openForm(): void {
  showSide("form");
  panes.showNarrow("inspect");
  if (prefs.layoutSize() === "medium") panes.chooseLeft("inspector");
  let tries = 0;
  const focus = (): void => {
    const field = document.querySelector<HTMLElement>("#inspect-form :is(input, select, textarea)");
    if (field) field.focus();
    else if (tries++ < 60) requestAnimationFrame(focus);
  };
  requestAnimationFrame(focus);
}

commands.value = [
  ...commands.value,
  {
    id: "editForm",
    title: "Edit in the form of the state or the machine",
    group: "Edit",
    keys: ["E"],
    place: "graph",
    able: own,
    run: openHere,
  },
  {
    id: "editMachine",
    title: "Edit the machine in its form",
    group: "Edit",
    keys: ["Shift+E"],
    place: "graph",
    able: own,
    run: () => openOf(null),
  },
];
addNodeCommands([
  {
    id: "pen-form",
    group: "pen",
    label: "Edit in the form",
    command: "editForm",
    shown: (node) => own() && isState(node),
    run: (node) => openOf(node.name),
  },
]);
