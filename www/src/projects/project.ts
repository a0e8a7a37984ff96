// Machines in tabs, and their files. This chunk is loaded with the first action on the page, or with a restored project.

import "./projects.css";
import { effect } from "@preact/signals";
import { commands } from "../commands/commands.ts";
import { addNodeCommands } from "../debugger/onGraph.ts";
import * as selection from "../store/selection.ts";
import { strip } from "../ui/strip.ts";
import { Strip } from "./Strip.tsx";
import { changesShown } from "./changes.ts";
import { projectCommands } from "./commands.ts";
import { ask, lookOutside } from "./files.ts";
import { keepProject } from "./persistence.ts";
import { askWhere } from "./menu.ts";
import { fileOf, tabs } from "./model.ts";
import { recordSteps } from "./stepsShown.ts";
import { followOpenings, offerSiblings, openStartedBySelected } from "./tabs.ts";

export { openFile, openFiles, save } from "./files.ts";
export { keptText, openProject } from "./folder.ts";
export { openKept, renameProject } from "./persistence.ts";
export { showSteps } from "./stepsShown.ts";

ask.where = () => void askWhere();
commands.value = [...commands.value, ...projectCommands];
followOpenings();
offerSiblings();
// A single machine without a file needs no tabs.
effect(() => {
  strip.value = tabs.value.length > 1 || fileOf(tabs.value[0]) || changesShown.value ? Strip : null;
});
recordSteps();
addNodeCommands([
  {
    id: "open-started",
    group: "go",
    label: "Open the machine that it starts",
    command: "openStarted",
    shown: ({ type, caption }) => type === "Task" && /startExecution|startSyncExecution/i.test(caption ?? ""),
    run: ({ name }) => {
      selection.selectState(name, "graph");
      void openStartedBySelected();
    },
  },
]);
void keepProject();
// Files may have changed while the page was in the background.
addEventListener("focus", () => void lookOutside());
document.addEventListener("visibilitychange", () => !document.hidden && void lookOutside());
