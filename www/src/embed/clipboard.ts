// Copies states to the clipboard as the text of a definition, which can be pasted into other components, pages and programs.

import { pasted, type Where } from "../graph-editor/kernel/gestures.ts";
import { count } from "../ui/format.ts";
import { scopeOf, transitionBehind } from "../graph-editor/kernel/transitions.ts";
import { deleteHere } from "./commands.ts";
import type { EditorContext } from "./editorContext.ts";

/** The text that was last copied from any component of the page. It is used if the clipboard cannot be read. */
let held = "";
/** Whether the text is not in the browser's clipboard, because it is not written yet or the browser does not allow it. */
let only = false;
/** Resolves when the text of the current copy is available. */
let copying: Promise<unknown> = Promise.resolve();

export class Clipboard {
  private ready: { of: string; asl: string } | undefined;

  constructor(private readonly editor: EditorContext) {}

  /** Listens to the clipboard events, which the browser sends for the system's own keys. */
  listen(signal: AbortSignal): void {
    const { editor } = this;
    for (const type of ["copy", "cut"] as const)
      document.addEventListener(
        type,
        (event) => {
          if (!editor.focused() || editor.selection().length === 0) return;
          event.preventDefault();
          if (this.ready?.of === this.wanted()) {
            held = this.ready.asl;
            only = false;
            event.clipboardData?.setData("text/plain", held);
            this.copied(type === "cut");
          } else void this.copy(type === "cut");
        },
        { signal },
      );
    document.addEventListener(
      "paste",
      (event) => {
        if (!editor.focused()) return;
        event.preventDefault();
        const text = event.clipboardData?.getData("text/plain") ?? "";
        void copying.then(() => this.put(only ? held : text));
      },
      { signal },
    );
  }

  private wanted(): string {
    return JSON.stringify([this.editor.owner.text(), this.editor.selection().map(({ id }) => id)]);
  }

  /** Prepares the text to copy. The modifier key is pressed first, which leaves time for it. */
  async prepare(): Promise<string | undefined> {
    const states = this.editor.selection().map(({ id }) => id);
    const of = this.wanted();
    if (this.ready?.of === of) return this.ready.asl;
    const asl = states.length === 0 ? undefined : await this.editor.aslOf(states);
    if (asl !== undefined) this.ready = { of, asl };
    return asl;
  }

  async copy(cut: boolean): Promise<void> {
    const prepared = this.prepare();
    copying = prepared.catch(() => {});
    const asl = await prepared;
    if (asl === undefined) return;
    held = asl;
    only = true;
    // If the browser does not allow it, the text is available to the components of this page only.
    void navigator.clipboard?.writeText(asl).then(
      () => (only = false),
      () => {},
    );
    this.copied(cut);
  }

  private copied(cut: boolean): void {
    if (cut) void deleteHere(this.editor);
    else this.editor.notify(`Copied ${count(this.editor.selection().length, "state")}.`);
  }

  /** Pastes states. Menus use this, because they have no clipboard event. */
  async paste(): Promise<void> {
    let text = held;
    try {
      text = await navigator.clipboard.readText();
    } catch {
      if (text === "")
        return this.editor.notify("The browser does not let the page read the clipboard. Paste with the keyboard instead.", true);
    }
    await this.put(text);
  }

  private async put(text: string): Promise<void> {
    const { editor } = this;
    if (text.trim() === "") return editor.notify("There is nothing to paste.", true);
    const [index, node] = [editor.owner.index(), editor.current()];
    const way = index && node ? transitionBehind(index, node) : undefined;
    const where: Where = way ? { edge: way.id } : { scope: node ? scopeOf(node.id) : "" };
    await editor.perform(pasted(text, where));
  }
}
