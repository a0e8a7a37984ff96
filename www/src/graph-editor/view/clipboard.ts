// The clipboard. Copied states are the text of a definition, which can be pasted into other machines, pages and programs.

import { copied, copy, pasteText } from "../kernel/copying.ts";
import { textOf } from "../kernel/performing.ts";
import { type EditorHost, execute } from "../kernel/plan.ts";
import { idsOf } from "../kernel/state.ts";

/** The text that was last copied on this page. It is used if the clipboard cannot be read. */
let held = "";
/** Whether the text is not in the browser's clipboard, because it is not written yet or the browser does not allow it. */
let only = false;
/** Resolves when the text of the current copy is available. */
let copying: Promise<unknown> = Promise.resolve();

/** Puts a text into the clipboard. If the browser does not allow it, the text is available on this page only. */
export function put(text: string): void {
  held = text;
  only = true;
  void navigator.clipboard?.writeText(text).then(
    () => (only = false),
    () => {},
  );
}

/** Returns the text of the clipboard, or undefined if the browser does not allow it. */
export async function read(): Promise<string | undefined> {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return held === "" ? undefined : held;
  }
}

/** Where the clipboard's keys apply to states. */
interface Where {
  copies(): boolean;
  pastes(): boolean;
  /** Returns the text of the definition. */
  text(): string;
}

/** Listens to the events of the clipboard, which the browser sends for the system's own keys, until the signal is aborted. */
export function listenToClipboard(host: EditorHost, { copies, pastes, text }: Where, signal?: AbortSignal): void {
  const options = signal ? { signal } : {};
  /** The prepared text of the selected states. An event of the clipboard needs it synchronously. */
  let ready: { of: string; text: string } | undefined;
  const wanted = (): string => JSON.stringify([text(), idsOf(host.state())]);
  const prepare = async (): Promise<void> => {
    const of = wanted();
    const states = idsOf(host.state());
    if (ready?.of === of || states.length === 0) return;
    const asl = await execute(textOf(states), host);
    if (asl !== undefined) ready = { of, text: asl };
  };
  const onCopy = (cut: boolean) => (event: ClipboardEvent) => {
    const state = host.state();
    if (!copies() || idsOf(state).length === 0) return;
    event.preventDefault();
    if (ready?.of === wanted()) {
      held = ready.text;
      only = false;
      event.clipboardData?.setData("text/plain", held);
      void execute(copied(state, cut), host);
    } else copying = execute(copy(state, cut), host).catch(() => {});
  };
  document.addEventListener("copy", onCopy(false), options);
  document.addEventListener("cut", onCopy(true), options);
  document.addEventListener(
    "paste",
    (event) => {
      if (!pastes()) return;
      event.preventDefault();
      const given = event.clipboardData?.getData("text/plain") ?? "";
      void copying.then(() => execute(pasteText(only ? held : given), host));
    },
    options,
  );
  // The modifier key is pressed first, which leaves time to prepare the text.
  addEventListener("keydown", (event) => (event.key === "Control" || event.key === "Meta") && copies() && void prepare(), {
    capture: true,
    ...options,
  });
}
