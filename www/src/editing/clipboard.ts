// The clipboard of the page. Copied states are the text of a definition, which can be pasted into other machines, pages and
// programs.

import { whole } from "../graph-editor/kernel/messages.ts";
import { showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { preview } from "./gesture.ts";

/** The text of the states that were copied last, or may be copied next. */
let ready: { of: string; text: string } | undefined;

const wanted = (states: readonly string[]): string => JSON.stringify([workspace.definition.peek(), states]);

/** Returns the text of states if it is prepared. */
export function prepared(states: readonly string[]): string | undefined {
  if (ready?.of !== wanted(states)) return undefined;
  held = ready.text;
  return held;
}

/** Returns states as a definition of their own. If that is not possible, it shows why and returns undefined. */
export async function copyOf(states: readonly string[]): Promise<string | undefined> {
  workspace.flush();
  const of = wanted(states);
  if (ready?.of === of) return ready.text;
  try {
    const done = await preview({ kind: "copy", states });
    if (!("refused" in done)) {
      if (done.asl !== undefined) ready = { of, text: done.asl };
      return done.asl;
    }
    showToast(whole(done.refused.message));
  } catch (error) {
    showToast((error as Error).message);
  }
  return undefined;
}

/** The text that was last copied on this page. It is used if the clipboard cannot be read. */
let held = "";

export async function putClipboard(text: string): Promise<void> {
  held = text;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // If the browser does not allow it, the text is available on this page only.
  }
}

export const clipboard = (): Promise<string | undefined> => navigator.clipboard.readText().catch(() => (held === "" ? undefined : held));
