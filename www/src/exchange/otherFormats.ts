// A text in the editor that is not a definition, or not in the selected format. The page says what it is and offers to open it as
// that.

import * as panes from "../store/panes.ts";
import { dismiss, notify, showAlarm } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { count } from "../ui/format.ts";
import { imported, readText } from "./importing.ts";
import { type Imported, read } from "./read.ts";

type Action = { label: string; run(): void };

const opens = (label: string, text: string): Action => ({
  label,
  run: () => void readText(text).catch((error: Error) => showAlarm(error.message)),
});

function offerOf(found: Imported, text: string): { text: string; action: Action } | undefined {
  switch (found.kind) {
    case "template": {
      const { length } = found.template.machines;
      const run = (): void => {
        imported.value = found;
        panes.openDialog("import");
      };
      return {
        text: `This text is a template with ${length === 0 ? "a state machine in another file" : count(length, "state machine")}.`,
        action: { label: length > 1 ? "Import a machine of this template" : "Import the machine of this template", run },
      };
    }
    case "definition":
      if (found.definition !== text) return { text: "This text has a definition in it.", action: opens("Open the definition", text) };
      if (found.format !== "yaml" || workspace.format.value === "yaml") return undefined;
      return { text: "This text is YAML.", action: { label: "Read as YAML", run: () => workspace.edit({ format: "yaml" }) } };
    case "recorded":
      return { text: "This text is the history of an execution.", action: opens("Show the history", text) };
    case "workspace":
    case "project":
      return { text: "This text is a saved session.", action: opens("Open it", text) };
    case "model":
      return undefined;
  }
}

/** Offers to open the text on the page in another way, because it has no states as it is read now. */
export async function offerReading(text: string): Promise<void> {
  const found = await read(text).catch(() => undefined);
  if (workspace.definition.value !== text) return;
  const offer = found && offerOf(found, text);
  if (!offer) return dismiss("foreign");
  const { label, run } = offer.action;
  notify({ kind: "foreign", text: offer.text, actions: [{ label, run: () => (dismiss("foreign"), run()) }] });
}
