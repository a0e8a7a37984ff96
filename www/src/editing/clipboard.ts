// Copies states to the clipboard as the text of a definition, which can be pasted into other machines, pages and programs.

import { transitionBehind } from "../model/transitions.ts";
import * as analysis from "../store/analysis.ts";
import { say, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { count, sentence, unticked } from "../ui/format.ts";
import { perform, preview } from "./gesture.ts";
import { type Where, pasted } from "./add.ts";
import { deleteHere } from "./actions.ts";
import { scopeOf, stateAt, statesAt } from "./selectedStates.ts";

/** Returns whether the focus is on a state and no text is selected, so that the clipboard keys apply to states. */
function onStates(): boolean {
  if (document.querySelector("dialog[open]")) return false;
  const at = document.activeElement;
  return at?.closest(".canvas") != null && String(getSelection() ?? "") === "";
}

/** The prepared text for the clipboard. An event of the clipboard needs it synchronously. */
let ready: { of: string; text: string } | undefined;

function wanted(): string {
  return JSON.stringify([workspace.definition.peek(), statesAt().map(({ id }) => id)]);
}

export async function prepare(): Promise<string | undefined> {
  const states = statesAt().map(({ id }) => id);
  if (states.length === 0 || analysis.inside.peek()) return undefined;
  workspace.flush();
  const of = wanted();
  if (ready?.of === of) return ready.text;
  const asl = await copied(states);
  if (asl !== undefined) ready = { of, text: asl };
  return asl;
}

/** Returns states as a definition of their own. If that is not possible, it shows why and returns undefined. */
export async function copied(states: readonly string[]): Promise<string | undefined> {
  try {
    const done = await preview({ kind: "copy", states });
    if (!("refused" in done)) return done.asl;
    showToast(unticked(sentence(done.refused.message)));
  } catch (error) {
    showToast((error as Error).message);
  }
  return undefined;
}

/** Copies the selected states. Menus use this, because they have no clipboard event. */
export async function copyHere(cut = false): Promise<void> {
  const number = statesAt().length;
  const text = await prepare();
  if (text === undefined) return;
  held = text;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // If the browser does not allow it, the text is available on this page only.
  }
  await tell(number, cut);
}

/** The text that was last copied on this page. It is used if the clipboard cannot be read. */
let held = "";

async function tell(number: number, cut: boolean): Promise<void> {
  if (cut) await deleteHere();
  else say(`Copied ${count(number, "state")}`);
}

export async function pasteHere(): Promise<void> {
  let text = held;
  try {
    text = await navigator.clipboard.readText();
  } catch {
    if (text === "") return showToast("The browser does not let the page read the clipboard. Paste with the keyboard instead.");
  }
  await paste(text);
}

/** Inserts states into the transition behind the focused state. They stay unconnected if there is no such state or transition. */
export async function paste(text: string): Promise<void> {
  if (text.trim() === "") return showToast("There is nothing to paste.");
  const node = stateAt();
  const index = analysis.graph.peek();
  const way = node && index ? transitionBehind(index, node) : undefined;
  const where: Where = way ? { edge: way.id } : { scope: node ? scopeOf(node.id) : "" };
  await perform(pasted(text, where));
}

/** Listens to the clipboard events, which the browser sends for the system's own keys. */
export function listenToClipboard(): void {
  const copy = (cut: boolean) => (event: ClipboardEvent) => {
    if (!onStates()) return;
    const number = statesAt().length;
    if (number === 0 || (cut && analysis.inside.peek())) return;
    event.preventDefault();
    if (ready?.of === wanted()) {
      event.clipboardData?.setData("text/plain", (held = ready.text));
      void tell(number, cut);
    } else void copyHere(cut);
  };
  document.addEventListener("copy", copy(false));
  document.addEventListener("cut", copy(true));
  document.addEventListener("paste", (event) => {
    if (!onStates() && !(document.activeElement === document.body && analysis.graph.peek() === null)) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    event.preventDefault();
    void paste(text);
  });
  // The modifier key is pressed first, which leaves time to prepare the text.
  addEventListener("keydown", (event) => {
    if ((event.key === "Control" || event.key === "Meta") && onStates()) void prepare();
  });
}
