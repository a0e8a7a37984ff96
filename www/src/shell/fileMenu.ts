// The menu of the header that begins with a machine: an empty one, a file, a pasted text, an example.

import { loaders } from "../graph/graphEditor.ts";
import { type PageCommand, menu } from "../graph/menuOpen.ts";
import * as opening from "../store/opening.ts";
import * as panes from "../store/panes.ts";
import { say, showToast } from "../store/notifications.ts";
import { tour } from "../ui/tour.ts";

/** The current machine stays among the drafts. In a project, the new one is a tab next to it. */
function create(): void {
  opening.open(opening.EMPTY, true);
  say("A new machine");
}

/** Opens the text of the clipboard. If the browser does not allow reading it, the dialog has a field for the text. */
async function paste(): Promise<void> {
  let text = "";
  try {
    text = await navigator.clipboard.readText();
  } catch {
    return panes.openDialog("import");
  }
  if (text.trim() === "") return showToast("The clipboard has no text.");
  try {
    const { readText } = await import("../exchange/importing.ts");
    await readText(text);
  } catch (error) {
    showToast((error as Error).message);
  }
}

const COMMANDS: readonly (readonly PageCommand[])[] = [
  [
    { id: "newMachine", group: "file", label: "New machine", run: create },
    {
      id: "openFile",
      group: "file",
      label: "Open a file…",
      command: "openFile",
      run: () => void loaders.project().then(({ openFiles }) => openFiles()),
    },
    { id: "paste", group: "file", label: "Paste a definition", run: () => void paste() },
    { id: "examples", group: "file", label: "Examples and drafts…", run: () => panes.openDialog("examples") },
  ],
  [
    { id: "import", group: "import", label: "Import a template or a history…", run: () => panes.openDialog("import") },
    { id: "tour", group: "import", label: "Tour of 30 seconds", run: () => tour.begin() },
  ],
];

/** Opens the menu below its button, or closes it. */
export function toggleFileMenu(button: HTMLElement): void {
  if (menu.value?.title === "File") return void (menu.value = null);
  const { left, bottom } = button.getBoundingClientRect();
  menu.value = { title: "File", commands: COMMANDS, x: left, y: bottom + 4, back: () => button.focus(), opener: button };
}
