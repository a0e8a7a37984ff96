// The graph editor. This chunk is loaded with the first action on the page.

import "../styles/editing.css";
import { commands } from "../commands/commands.ts";
import { addNodeCommands } from "../debugger/onGraph.ts";
import { moreOfWay } from "../debugger/stops.ts";
import { pen } from "../graph/graphEditor.ts";
import { keymap } from "../keys/keymap.ts";
import { Bar } from "./Bar.tsx";
import { Below } from "./HintRows.tsx";
import { Beginning } from "./EmptyPage.tsx";
import { Layer } from "./Layer.tsx";
import { Over } from "./Overlays.tsx";
import { listenToClipboard } from "./clipboard.ts";
import { startRename } from "./rename.ts";
import { editCommands, nodeMenu, wayCommands } from "./commands.ts";

commands.value = [...commands.value, ...editCommands];
addNodeCommands(nodeMenu);
moreOfWay.commands = wayCommands;
listenToClipboard();

const WORDS: readonly [id: string, does: string][] = [
  ["insertState", "inserts a state on a transition"],
  ["appendState", "adds one behind"],
  ["connectState", "leads a transition elsewhere"],
  ["renameState", "renames"],
  ["retypeState", "changes the type"],
  ["deleteStates", "deletes"],
  ["undoGraph", "undoes"],
];

pen.value = {
  Layer,
  Beginning,
  Bar,
  Over,
  Below,
  rename: startRename,
  words: () => `${WORDS.map(([id, does]) => `${keymap.value?.shown(id)[0] ?? "no key"} ${does}`).join(", ")}. The menu has the rest.`,
};

// The code for printing is loaded after the graph editor, and is used on request.
void import("../exchange/print.ts").catch(() => {});
