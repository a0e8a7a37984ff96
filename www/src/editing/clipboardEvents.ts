// Listens to the events of the clipboard, which the browser sends for the system's own keys.

import { copied, copy, pasteText } from "../graph-editor/kernel/copying.ts";
import { idsOf } from "../graph-editor/kernel/state.ts";
import * as analysis from "../store/analysis.ts";
import { copyOf, prepared } from "./clipboard.ts";
import { host, run } from "./host.ts";

/** Returns whether the focus is on a state and no text is selected, so that the clipboard keys apply to states. */
function onStates(): boolean {
  if (document.querySelector("dialog[open]")) return false;
  const at = document.activeElement;
  return at?.closest(".canvas") != null && String(getSelection() ?? "") === "";
}

/** Prepares the text of the selected states, because an event of the clipboard needs it synchronously. */
function prepare(): void {
  const states = idsOf(host.state());
  if (states.length > 0 && !analysis.inside.peek()) void copyOf(states);
}

/** Listens to the clipboard events, which the browser sends for the system's own keys. */
export function listenToClipboard(): void {
  const onCopy = (cut: boolean) => (event: ClipboardEvent) => {
    if (!onStates()) return;
    const state = host.state();
    const states = idsOf(state);
    if (states.length === 0 || (cut && analysis.inside.peek())) return;
    event.preventDefault();
    const text = prepared(states);
    if (text === undefined) return void run(copy(state, cut));
    event.clipboardData?.setData("text/plain", text);
    void run(copied(state, cut));
  };
  document.addEventListener("copy", onCopy(false));
  document.addEventListener("cut", onCopy(true));
  document.addEventListener("paste", (event) => {
    if (!onStates() && !(document.activeElement === document.body && analysis.graph.peek() === null)) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    event.preventDefault();
    void run(pasteText(text));
  });
  // The modifier key is pressed first, which leaves time to prepare the text.
  addEventListener("keydown", (event) => {
    if ((event.key === "Control" || event.key === "Meta") && onStates()) prepare();
  });
}
