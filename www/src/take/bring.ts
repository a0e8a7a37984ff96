// Takes what was dropped, chosen or pasted to where it belongs.

import { signal } from "@preact/signals";
import * as store from "../store.ts";
import { type Recorded, statesOf } from "./recorded.ts";
import { contentsOf } from "./link.ts";
import { type Brought, LARGEST, read } from "./read.ts";

/// What still needs an answer: which machine of a template, which values.
export const brought = signal<Brought | null>(null);

export async function readFile(file: File): Promise<void> {
  if (file.size > LARGEST) throw new Error(`${file.name} is larger than ${LARGEST / 1024 / 1024} MB.`);
  await readText(await file.text(), file.name);
}

/// Opens a text, or asks what of it to open. Throws an Error that says why it cannot.
export async function readText(text: string, name?: string): Promise<void> {
  const found = await read(text, name);
  switch (found.kind) {
    case "workspace":
      store.dialog.value = "";
      // Its code is somebody else's, as with a link.
      store.open(found.workspace, false, { brought: true });
      store.showToast(`Opened “${found.workspace.title}”. In it: ${contentsOf(found.workspace)}.`);
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

/// A definition in place of the present one. Input, tasks and settings belong to another machine, so they go. Without a
/// title it gets one of its text.
export function bringIn({ title, format, definition, type }: { title: string; format: "json" | "yaml"; definition: string; type?: "EXPRESS" }): void {
  const history = store.sketched.value;
  store.open({ title, format, definition, input: "{}\n", tasks: "", clock: "skip", seed: 1, ...(type && { config: { type } }) }, true, { brought: true });
  store.showToast(title === "Untitled" ? "Opened the text. It is kept as a draft." : `Opened ${title}. It is kept as a draft.`);
  if (history) void showOn(history);
}

/// The definition of a history that was shown without one: its events go on that.
async function showOn(history: Recorded): Promise<void> {
  await store.settled();
  if (statesOf(history.events).every((name) => store.graph.value?.byName.has(name))) await store.showRecorded(history);
}
