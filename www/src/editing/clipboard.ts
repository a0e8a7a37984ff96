// States on the clipboard, as the text of a definition: between machines, pages and programs.

import { wayBehind } from "../model/ways.ts";
import * as analysis from "../store/analysis.ts";
import { say, showToast } from "../store/words.ts";
import * as workspace from "../store/workspace.ts";
import { count, sentence, unticked } from "../ui/format.ts";
import { perform, tried } from "./gesture.ts";
import { type Where, pasted } from "./add.ts";
import { deleteHere } from "./deeds.ts";
import { scopeOf, stateAt, statesAt } from "./ways.ts";

/// The focus is on a state, and no text is selected that would be meant.
function onStates(): boolean {
  if (document.querySelector("dialog[open]")) return false;
  const at = document.activeElement;
  return at?.closest(".canvas") != null && String(getSelection() ?? "") === "";
}

/// The text for the clipboard, made before somebody wants it: what is copied has to be there at once.
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

/// States as a definition of their own; undefined where that is not possible, which has been said then.
export async function copied(states: readonly string[]): Promise<string | undefined> {
  try {
    const done = await tried({ kind: "copy", states });
    if (!("refused" in done)) return done.asl;
    showToast(unticked(sentence(done.refused.message)));
  } catch (error) {
    showToast((error as Error).message);
  }
  return undefined;
}

/// Copies the states that are selected; for menus, which have no event of the clipboard.
export async function copyHere(cut = false): Promise<void> {
  const number = statesAt().length;
  const text = await prepare();
  if (text === undefined) return;
  held = text;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Where the browser does not allow it, this page has it.
  }
  await tell(number, cut);
}

/// What was copied on this page last, where its clipboard cannot be read.
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

/// Puts states behind the state with the focus, in its transition; unconnected where there is none, or no way out of it.
export async function paste(text: string): Promise<void> {
  if (text.trim() === "") return showToast("There is nothing to paste.");
  const node = stateAt();
  const index = analysis.graph.peek();
  const way = node && index ? wayBehind(index, node) : undefined;
  const where: Where = way ? { edge: way.id } : { scope: node ? scopeOf(node.id) : "" };
  await perform(pasted(text, where));
}

/// The ordinary keys, whatever they are on this system: the browser says when they are pressed.
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
  // With the key that is held before, there is time to make it.
  addEventListener("keydown", (event) => {
    if ((event.key === "Control" || event.key === "Meta") && onStates()) void prepare();
  });
}
