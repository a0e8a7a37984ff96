// The commands for tabs and files, for the keys, the palette and the help.

import type { Command } from "../commands/commands.ts";
import * as selection from "../store/selection.ts";
import { changesShown } from "./changes.ts";
import { canWriteFolders, saveAs } from "./files.ts";
import { openFolder, saveFolder, saveProjectFile } from "./folder.ts";
import { active, activeTab, closed, tabs } from "./model.ts";
import { showSteps } from "./stepsShown.ts";
import * as tabsOf from "./tabs.ts";

const several = (): boolean => tabs.value.length > 1;

export const projectCommands: readonly Command[] = [
  { id: "newTab", group: "Anywhere", title: "New machine in a tab", keys: ["Alt+Shift+M"], run: tabsOf.addEmpty },
  {
    id: "closeTab",
    group: "Anywhere",
    title: "Close the machine's tab",
    keys: ["Alt+Shift+W"],
    able: () => activeTab.value !== undefined,
    run: () => tabsOf.close(active.value),
  },
  {
    id: "reopenTab",
    group: "Anywhere",
    title: "Open the closed tab again",
    keys: ["Alt+Shift+T"],
    able: () => closed.value.length > 0,
    run: tabsOf.reopen,
  },
  { id: "tabAfter", group: "Anywhere", title: "Next machine", keys: ["Alt+PageDown"], able: several, run: () => tabsOf.step(1) },
  { id: "tabBefore", group: "Anywhere", title: "Previous machine", keys: ["Alt+PageUp"], able: several, run: () => tabsOf.step(-1) },
  { id: "saveAs", group: "Anywhere", title: "Save the definition as a file", keys: ["Mod+Shift+S"], run: () => void saveAs() },
  { id: "saveProject", group: "Anywhere", title: "Save the project as one file", run: () => void saveProjectFile() },
  { id: "saveFolder", group: "Anywhere", title: "Save the project as a folder", able: canWriteFolders, run: () => void saveFolder() },
  { id: "openFolder", group: "Anywhere", title: "Open a folder", able: canWriteFolders, run: () => void openFolder() },
  {
    id: "changes",
    group: "Anywhere",
    title: "Changes since the file was saved",
    keys: ["Alt+Shift+C"],
    run: () => (changesShown.value = true),
  },
  {
    id: "steps",
    group: "Anywhere",
    title: "What was done: undo or redo several steps",
    keys: ["Alt+Shift+H"],
    run: () => void showSteps(),
  },
  {
    id: "openStarted",
    group: "Anywhere",
    title: "Open the machine that the selected state starts",
    able: () => selection.selectedState.value !== null,
    run: () => void tabsOf.openStartedBySelected(),
  },
];
