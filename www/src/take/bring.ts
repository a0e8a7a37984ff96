// Takes what was dropped, chosen or pasted to where it belongs.

import { signal } from "@preact/signals";
import * as store from "../store.ts";
import { type Brought, LARGEST, read } from "./read.ts";

/// What still needs an answer: which machine of a template, which values.
export const brought = signal<Brought | null>(null);

export async function readFile(file: File): Promise<void> {
  if (file.size > LARGEST) throw new Error(`${file.name} is larger than ${LARGEST / 1024 / 1024} MB.`);
  await readText(await file.text(), file.name);
}

/// Opens a text, or asks what of it to open. Throws an Error that says why it cannot.
export async function readText(text: string, name: string): Promise<void> {
  const found = await read(text, name);
  switch (found.kind) {
    case "workspace":
      store.dialog.value = "";
      // Its code is somebody else's, as with a link.
      store.open(found.workspace, false);
      store.showToast(`Opened “${found.workspace.title}”. In it: ${store.contentsOf(found.workspace)}.`);
      if (found.workspace.runs) await store.start({ saved: found.workspace.runs });
      break;
    case "definition":
      if (found.placeholders.length > 0) {
        brought.value = found;
        store.dialog.value = "import";
        break;
      }
      store.dialog.value = "";
      bringIn(found);
      break;
    case "template":
      brought.value = found;
      store.dialog.value = "import";
      break;
    case "recorded":
      store.dialog.value = "";
      await store.showRecorded(found.recorded);
      break;
  }
}

/// A definition in place of the present one. Input and tasks belong to another machine, so they go.
export function bringIn({ title, format, definition }: { title: string; format: "json" | "yaml"; definition: string }): void {
  store.open({ ...store.workspace(), title, format, definition, input: "{}\n", inputs: [], tasks: "", breakpoints: [], mocks: {}, machines: [] }, true);
  store.showToast(`Opened ${title}.`);
}
