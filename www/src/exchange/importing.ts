// Opens what the user has dropped, selected or pasted.

import { signal } from "@preact/signals";
import { takeModel } from "../debugger/serviceModels.ts";
import { loaders } from "../graph/graphEditor.ts";
import * as analysis from "../store/analysis.ts";
import * as opening from "../store/opening.ts";
import * as panes from "../store/panes.ts";
import * as recordings from "../store/recordings.ts";
import * as runner from "../store/runner.ts";
import { showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import type { Recorded } from "../model/recorded.ts";
import { statesOf } from "../model/recorded.ts";
import { contentsOf } from "./link.ts";
import { type Imported, LARGEST, read } from "./read.ts";

/** The opened file while the user must still choose a machine of a template, or values. */
export const imported = signal<Imported | null>(null);

export async function readFile(file: File): Promise<void> {
  if (file.size > LARGEST) throw new Error(`${file.name} is larger than ${LARGEST / 1024 / 1024} MB.`);
  if (await isPacked(file)) await readText(await unzipped(file), file.name.replace(/\.gz$/i, ""));
  else await readText(await file.text(), file.name);
}

/** Returns whether a file is compressed with gzip: AWS's models in botocore, and files of `stepglass fetch`. */
export async function isPacked(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/**
 * Returns the text of a compressed file, for example a service model of botocore. The size limit is the same as for uncompressed
 * files.
 */
async function unzipped(file: File): Promise<string> {
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Error("It is damaged: gzip cannot decompress it.");
    });
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > LARGEST) throw new Error(`Unpacked it is larger than ${LARGEST / 1024 / 1024} MB.`);
  }
}

/** Opens a text, or asks which part of it to open. Throws an Error that says why it cannot be opened. */
export async function readText(text: string, name?: string): Promise<void> {
  const found = await read(text, name);
  switch (found.kind) {
    case "workspace":
      panes.closeDialog();
      // The code is from elsewhere, as in a link, so it does not run before the user has reviewed it.
      opening.open(found.workspace, false, { brought: true });
      showToast(`Opened “${found.workspace.title}”. In it: ${contentsOf(found.workspace)}.`);
      if (found.workspace.runs) await runner.start({ saved: found.workspace.runs });
      break;
    case "definition":
      if (found.placeholders.length > 0) {
        imported.value = found;
        panes.openDialog("import");
        break;
      }
      panes.closeDialog();
      importDefinition(found);
      break;
    case "template":
      imported.value = found;
      panes.openDialog("import");
      break;
    case "project":
      panes.closeDialog();
      (await loaders.project()).openProject(found.project);
      break;
    case "model":
      panes.closeDialog();
      showToast(`Results of ${await takeModel(found.model)} in mocks are checked against its model, until the page is closed.`);
      break;
    case "recorded":
      panes.closeDialog();
      await recordings.showRecorded(found.recorded);
      break;
  }
}

/**
 * Replaces the current definition. Input, handlers and settings belong to the previous machine, so they are removed. Without a
 * title, it is derived from the text.
 */
export function importDefinition({
  title,
  format,
  definition,
  type,
}: {
  title: string;
  format: "json" | "yaml";
  definition: string;
  type?: "EXPRESS";
}): void {
  const history = workspace.sketched.value;
  opening.open({ title, format, definition, input: "{}\n", tasks: "", clock: "skip", seed: 1, ...(type && { config: { type } }) }, true, {
    brought: true,
  });
  showToast(title === "Untitled" ? "Opened the text. It is kept as a draft." : `Opened ${title}. It is kept as a draft.`);
  if (history) void showOn(history);
}

/** Shows a history with its definition, which was opened after the history. */
async function showOn(history: Recorded): Promise<void> {
  await analysis.settled();
  if (statesOf(history.events).every((name) => analysis.graph.value?.byName.has(name))) await recordings.showRecorded(history);
}
