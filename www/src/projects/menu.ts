// The commands for the project and its files, in the page's list of choices.

import { pick } from "../editing/picking.ts";
import { saveSession } from "../exchange/session.ts";
import { changesShown } from "./changes.ts";
import { canWriteFiles, canWriteFolders, openFiles, save, saveAs } from "./files.ts";
import { openFolder, saveFolder, saveProjectFile } from "./folder.ts";
import { active, activeTab, closed, fileOf, isUnsaved, tabs, titleOf } from "./model.ts";
import { showSteps } from "./stepsShown.ts";
import * as tabsOf from "./tabs.ts";

interface Entry {
  id: string;
  title: string;
  detail?: string;
  run(): void;
}

async function choose(title: string, groups: { title: string; options: Entry[] }[], at?: { x: number; y: number }): Promise<void> {
  const shown = groups.filter(({ options }) => options.length > 0);
  const chosen = await pick({ title, placeholder: "", groups: shown, ...(at && { at }) });
  shown
    .flatMap(({ options }) => options)
    .find(({ id }) => id === chosen?.id)
    ?.run();
}

const inPlace = (): string => (canWriteFiles() ? "in place from then on" : "as a download");

/** Asks where to save the machine, or all of them. */
export function askWhere(): Promise<void> {
  const several = tabs.peek().length > 1;
  return choose("Save", [
    {
      title: "This machine",
      options: [
        { id: "file", title: "The definition as a file", detail: inPlace(), run: () => void saveAs() },
        { id: "session", title: "Everything as a session file", detail: "with input, mocks and runs", run: () => void saveSession() },
      ],
    },
    { title: several ? `All ${tabs.peek().length} machines` : "The project", options: whole() },
  ]);
}

function whole(): Entry[] {
  return [
    { id: "project", title: "The project as one file", detail: "with inputs and mocks", run: () => void saveProjectFile() },
    ...(canWriteFolders()
      ? [{ id: "folder", title: "The project as a folder", detail: "a file for each machine", run: () => void saveFolder() }]
      : []),
  ];
}

/** Shows the menu of the tab strip or of a tab. */
export function showMenu(beside: HTMLElement): void {
  const tab = activeTab.peek();
  const all = tabs.peek();
  const at = all.findIndex(({ id }) => id === active.peek());
  const file = fileOf(tab);
  const { left, bottom } = beside.getBoundingClientRect();
  void choose(
    tab ? titleOf(tab) : "Project",
    [
      {
        title: "File",
        options: [
          ...(file
            ? [
                {
                  id: "save",
                  title: `Save ${file.name}`,
                  ...(tab && isUnsaved(tab) && { detail: "unsaved changes" }),
                  run: () => void save(),
                },
              ]
            : []),
          { id: "saveAs", title: "Save as…", run: () => void askWhere() },
          { id: "changes", title: "Changes…", run: () => (changesShown.value = true) },
          { id: "steps", title: "What was done…", run: () => void showSteps() },
          { id: "open", title: "Open a file…", run: () => void openFiles() },
          ...(canWriteFolders() ? [{ id: "openFolder", title: "Open a folder…", run: () => void openFolder() }] : []),
        ],
      },
      {
        title: "Tab",
        options: [
          { id: "new", title: "New machine", run: tabsOf.addEmpty },
          ...(tab && at > 0 ? [{ id: "left", title: "Move to the left", run: () => tabsOf.move(tab.id, at - 1) }] : []),
          ...(tab && at < all.length - 1 ? [{ id: "right", title: "Move to the right", run: () => tabsOf.move(tab.id, at + 1) }] : []),
          ...(tab ? [{ id: "close", title: "Close", run: () => tabsOf.close(tab.id) }] : []),
          ...(closed.peek().length > 0
            ? [{ id: "reopen", title: `Open ${titleOf(closed.peek().at(-1)!.tab)} again`, run: tabsOf.reopen }]
            : []),
        ],
      },
    ],
    { x: left, y: bottom + 4 },
  );
}
