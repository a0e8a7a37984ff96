// The graph editor. This chunk is loaded with the first action on the page.

import "../styles/graph-editor.css";
import "../styles/editing.css";
import { commands } from "../commands/commands.ts";
import { addNodeCommands } from "../debugger/onGraph.ts";
import { transitionExtensions } from "../debugger/stops.ts";
import { graphEditor } from "../graph/graphEditor.ts";
import { keymap } from "../keys/keymap.ts";
import { Bar } from "./Bar.tsx";
import { HintRows } from "./HintRows.tsx";
import { EmptyPage } from "./EmptyPage.tsx";
import { Layer } from "./Layer.tsx";
import { Overlays } from "./Overlays.tsx";
import { rename } from "../graph-editor/kernel/changing.ts";
import * as analysis from "../store/analysis.ts";
import { listenToClipboard } from "../graph-editor/view/clipboard.ts";
import * as workspace from "../store/workspace.ts";
import { host, run } from "./host.ts";
import { editCommands, nodeMenu, transitionCommands } from "./commands.ts";

// This key comes before the others of the graph: Escape first clears a selection of several states.
const first = (id: string): boolean => id === "clearSelection";
commands.value = [...editCommands.filter(({ id }) => first(id)), ...commands.value, ...editCommands.filter(({ id }) => !first(id))];
addNodeCommands(nodeMenu);
transitionExtensions.commands = transitionCommands;

/** Returns whether the focus is on a state and no text is selected, so that the clipboard keys apply to states. */
function onStates(): boolean {
  if (document.querySelector("dialog[open]")) return false;
  return document.activeElement?.closest(".canvas") != null && String(getSelection() ?? "") === "";
}

listenToClipboard(host, {
  copies: () => onStates() && !analysis.inside.peek(),
  pastes: () => onStates() || (document.activeElement === document.body && analysis.graph.peek() === null),
  text: () => workspace.definition.peek(),
});

const WORDS: readonly [id: string, does: string][] = [
  ["insertState", "inserts a state on a transition"],
  ["appendState", "adds one behind"],
  ["connectState", "leads a transition elsewhere"],
  ["renameState", "renames"],
  ["retypeState", "changes the type"],
  ["deleteStates", "deletes"],
  ["undoGraph", "undoes"],
];

graphEditor.value = {
  Layer,
  Beginning: EmptyPage,
  Bar,
  Over: Overlays,
  Below: HintRows,
  rename(id) {
    const node = analysis.graph.peek()?.graph.nodes.find((one) => one.id === id);
    if (node) void run(rename(node));
  },
  words: () => `${WORDS.map(([id, does]) => `${keymap.value?.shown(id)[0] ?? "no key"} ${does}`).join(", ")}. The menu has the rest.`,
};

// The code for printing is loaded after the graph editor, and is used on request.
void import("../exchange/print.ts").catch(() => {});
