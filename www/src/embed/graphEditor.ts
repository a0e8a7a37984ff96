// Editing in a component: the gestures of the page's graph editor for mouse, touch and keys, and the text beside the graph.

import type { Edited, Gesture, PossibleGesture, RefusedEdit } from "stepglass";
import { applied } from "../../../js/core/definition/text-edits.ts";
import { SURE, lostTitle } from "../graph-editor/kernel/gestures.ts";
import { type GraphIndex, type GraphNode, isState } from "../model/graph.ts";
import { startedAt } from "../model/started.ts";
import { sentence, unticked } from "../ui/format.ts";
import { appendHere, appendTo, createHere, createIn, insertOn } from "./adding.ts";
import { Clipboard } from "./clipboard.ts";
import { COMMANDS, alsoHere, drop, renameHere, select } from "./commands.ts";
import type { Drawing } from "./drawing.ts";
import { html, svg } from "./dom.ts";
import { Placeholders } from "./placeholders.ts";
import { Layer } from "./layer.ts";
import type { EditorContext, Owner } from "./editorContext.ts";
import { Picker, type Spot } from "./picker.ts";
import { Steps, difference } from "./steps.ts";
import { edit, read } from "./syntax.ts";

export { editorSheet } from "./editorSheet.ts";

const SIGNS = {
  plus: "M10 4V16M4 10H16",
  undo: "M7.5 4L4 7.5L7.5 11M4 7.5H12A4 4 0 0 1 12 15.5H8",
  redo: "M12.5 4L16 7.5L12.5 11M16 7.5H8A4 4 0 0 0 8 15.5H12",
  more: "M4.5 10A.6 .6 0 1 1 4.49 10ZM10 10A.6 .6 0 1 1 9.99 10ZM15.5 10A.6 .6 0 1 1 15.49 10Z",
};
/** The delay after the last keystroke in the text until it is read, in milliseconds. */
const TYPING_DELAY = 300;
const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

/** A machine that was extracted from states. */
interface Extracted {
  name: string;
  definition: string;
}

export class GraphEditor implements EditorContext {
  private readonly steps = new Steps();
  readonly picker: Picker;
  readonly clipboard: Clipboard;
  private readonly strip: HTMLElement;
  private readonly undoButton: HTMLButtonElement;
  private readonly redoButton: HTMLButtonElement;
  private readonly moreButton: HTMLButtonElement;
  private readonly saveButton: HTMLButtonElement;
  private readonly message = html("p", { class: "said", role: "status" });
  readonly area: HTMLTextAreaElement;
  private layer: Layer | undefined;
  private drawnBefore = new Map<string, GraphNode>();
  selected: readonly string[] = [];
  multiSelect = false;
  private savedText: string;
  private typing: ReturnType<typeof setTimeout> | undefined;
  private busy: Promise<unknown> = Promise.resolve();
  private readonly filling: Placeholders;
  private readonly gone = new AbortController();

  constructor(readonly owner: Owner) {
    const tool = (sign: keyof typeof SIGNS, label: string, press: (at: Spot) => void): HTMLButtonElement => {
      const made = html(
        "button",
        { type: "button", class: "tool", "aria-label": label, title: label, part: "button" },
        svg("svg", { viewBox: "0 0 20 20", width: 16, height: 16, "aria-hidden": "true" }, svg("path", { d: SIGNS[sign] })),
      );
      made.addEventListener("click", () => press(below(made)));
      return made;
    };
    this.picker = new Picker(owner.shell);
    this.clipboard = new Clipboard(this);
    this.savedText = owner.text();
    this.undoButton = tool("undo", "Undo", () => void this.takeBack(false));
    this.redoButton = tool("redo", "Redo", () => void this.takeBack(true));
    this.moreButton = tool("more", "More of the state", (at) => this.menu(undefined, at));
    this.saveButton = html("button", { type: "button", class: "save", part: "button" }, "Save");
    this.saveButton.addEventListener("click", () => this.save());
    this.area = html("textarea", { class: "code", part: "code", "aria-label": "Definition", spellcheck: "false", wrap: "off" });
    this.filling = new Placeholders(this.area);
    this.strip = html(
      "div",
      { class: "bar strip", part: "toolbar", role: "toolbar", "aria-label": "Edit" },
      tool("plus", "Add a state", (at) => void (this.current() ? appendHere(this, at) : createHere(this, at))),
      this.undoButton,
      this.redoButton,
      this.moreButton,
      this.message,
      this.saveButton,
    );
    owner.bar.after(this.strip);
    this.listen();
    this.arrange();
  }

  /** Whether there are changes that were not saved. */
  get unsaved(): boolean {
    return this.owner.text() !== this.savedText;
  }

  markSaved(): void {
    this.savedText = this.owner.text();
    this.arrange();
  }

  /** Starts again with another definition. Its history is empty. */
  reset(): void {
    this.steps.clear();
    this.selected = [];
    this.savedText = this.owner.text();
    this.arrange();
  }

  dispose(): void {
    clearTimeout(this.typing);
    this.gone.abort();
    this.picker.dismiss();
    this.strip.remove();
  }

  /** Returns the focused element of the graph before it is drawn again. */
  held(): string | undefined {
    return this.focused() ? ((this.owner.root.activeElement as SVGElement).dataset["node"] ?? "") : undefined;
  }

  /**
   * Called when the graph was drawn again. The focus stays in it, because further keys may come before it moves to the changed
   * state.
   */
  drawn(held: string | undefined): void {
    const [index, drawing] = [this.owner.index()!, this.owner.drawing()!];
    if (held !== undefined) drawing.focus(index.byId.has(held) ? held : (index.graph.nodes.find(isState)?.id ?? ""));
    this.glide(index, drawing);
    this.selected = this.selected.filter((id) => index.byId.has(id));
    this.layer = new Layer(index, drawing.element, {
      insert: (edge, at) => void insertOn(this, edge, at),
      append: (id, at) => void appendTo(this, id, at),
      create: (scope, at) => void createIn(this, scope, at),
      rename: (id) => this.on(id, () => renameHere(this)),
      menu: (id, at) => this.menu(id, at),
      also: (id) => this.on(id, () => alsoHere(this)),
      gathering: () => this.multiSelect,
      within: (nodes) => select(this, [...new Set([...(this.selected.length > 1 ? this.selection() : []), ...nodes])]),
      possible: (at) => this.possible(at),
      drop: (from, edge, to, at, known) => void drop(this, from, edge, to, at, known),
      none: () => {
        this.selected = [];
        this.owner.choose("");
        this.layer?.draw();
      },
      selected: () => this.selection().map(({ id }) => id),
    });
    this.refresh();
  }

  /** Animates the states that have moved. */
  private glide(index: GraphIndex, drawing: Drawing): void {
    const before = this.drawnBefore;
    this.drawnBefore = new Map(index.graph.nodes.map((node) => [node.name, node]));
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const { id, name, x, y } of index.graph.nodes) {
      const was = before.get(name);
      const [dx, dy] = [(was?.x ?? x) - x, (was?.y ?? y) - y];
      if (dx !== 0 || dy !== 0)
        drawing
          .group(id)
          ?.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], { duration: 160, easing: "ease-out" });
    }
  }

  /** Shows that there is no state yet. */
  empty(): void {
    this.layer = undefined;
    const first = html("button", { type: "button" }, "Add the first state");
    first.addEventListener("click", () => void createIn(this, "", below(first)));
    this.owner.frame.replaceChildren(html("div", { class: "empty" }, html("p", {}, "There is no state yet."), first));
    this.refresh();
  }

  /** Called when the text, the selection or the drawing has changed. */
  refresh(): void {
    const text = this.owner.text();
    if (this.typing === undefined && this.area.value !== text) this.area.value = text;
    this.layer?.draw();
    this.arrange();
  }

  private arrange(): void {
    this.undoButton.disabled = !this.steps.undoable;
    this.redoButton.disabled = !this.steps.redoable;
    this.moreButton.disabled = !this.current();
    this.saveButton.disabled = !this.unsaved;
  }

  private listen(): void {
    const { owner, area, gone } = this;
    const { signal } = gone;
    owner.shell.addEventListener("keydown", (event) => this.keys(event), { capture: true, signal });
    area.addEventListener(
      "input",
      () => {
        clearTimeout(this.typing);
        this.typing = setTimeout(() => this.flush(), TYPING_DELAY);
      },
      { signal },
    );
    area.addEventListener("blur", () => this.flush(), { signal });
    // The graph and the text share one history.
    area.addEventListener(
      "beforeinput",
      (event) => {
        if (event.inputType !== "historyUndo" && event.inputType !== "historyRedo") return;
        event.preventDefault();
        void this.takeBack(event.inputType === "historyRedo");
      },
      { signal },
    );
    this.clipboard.listen(signal);
    // The lasso also works outside the drawing, where there is nothing else to press.
    owner.frame.addEventListener("pointerdown", (event) => this.layer?.lasso(event), { signal });
  }

  /** Applies the typed text to the definition. */
  private flush(): void {
    if (this.typing === undefined) return;
    clearTimeout(this.typing);
    this.typing = undefined;
    const [before, after] = [this.owner.text(), this.area.value];
    if (before === after) return;
    this.steps.push(before);
    void this.become(after, difference(before, after), "The text was changed.");
  }

  private keys(event: KeyboardEvent): void {
    const mod = event.ctrlKey || event.metaKey;
    const target = event.target as Element;
    if (target.closest(".picker, .pen-name")) return;
    // With Alt, some systems produce another letter.
    const letter = event.altKey && event.code.startsWith("Key") ? event.code.slice(3) : event.key;
    const key = letter.length === 1 ? letter.toLowerCase() : letter;
    const done = (run: () => unknown): void => {
      event.preventDefault();
      event.stopPropagation();
      void run();
    };
    if (mod && !event.altKey) {
      if (key === "s") return done(() => this.save());
      if (key === "z" || key === "y") return done(() => this.takeBack(key === "y" || event.shiftKey));
    }
    if (target === this.area && this.filling.pressed(event)) return;
    if (!target.closest(".frame")) return;
    if (event.key === "Control" || event.key === "Meta") return void this.clipboard.prepare();
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) return done(() => this.menu(undefined, this.spot()));
    if (event.key === "Escape" && this.selected.length > 1) return done(() => select(this, []));
    const pressed = `${mod ? "Mod+" : ""}${event.altKey ? "Alt+" : ""}${event.shiftKey ? "Shift+" : ""}${key === "Backspace" ? "Delete" : key}`;
    const command = COMMANDS.find(({ keys }) => keys?.includes(pressed));
    if (command && (this.current() || command.anywhere)) done(() => command.run(this));
  }

  /** Saves, unless the page cancels it. */
  save(): void {
    this.flush();
    const { host } = this.owner;
    const kept = host.dispatchEvent(
      new CustomEvent("save", { detail: { definition: this.owner.text() }, bubbles: true, composed: true, cancelable: true }),
    );
    if (!kept) return;
    this.markSaved();
    this.notify("Saved.");
  }

  notify(message: string, bad = false): void {
    this.message.classList.toggle("bad", bad);
    this.message.textContent = message;
  }

  refuse(message: string | undefined): void {
    this.notify(message === undefined ? "That is not possible here." : unticked(sentence(message)).replace(/\.?$/, "."), true);
  }

  // The state that gestures apply to.

  current(): GraphNode | undefined {
    const index = this.owner.index();
    const node = index?.node(index.byName.get(this.owner.chosen()) ?? -1);
    const held = (this.owner.root.activeElement as SVGElement | null)?.dataset["node"];
    const focused = held === undefined ? undefined : index?.node(index.byId.get(held) ?? -1);
    const found = focused ?? node;
    return found && isState(found) ? found : undefined;
  }

  selection(): GraphNode[] {
    const index = this.owner.index();
    if (this.selected.length > 1) return this.selected.flatMap((id) => index?.node(index.byId.get(id) ?? -1) ?? []);
    const one = this.current();
    return one ? [one] : [];
  }

  private on(id: string, run: () => unknown): void {
    this.owner.drawing()?.focus(id);
    void run();
  }

  focused(): boolean {
    return this.owner.root.activeElement?.closest(".frame") != null;
  }

  spot(id = this.current()?.id): Spot {
    const box = id === undefined ? undefined : this.owner.drawing()?.boxOf(id);
    const { left, top } = this.owner.frame.getBoundingClientRect();
    return box ? { x: box.right + 8, y: box.top } : { x: left + 20, y: top + 20 };
  }

  async possible(at: string | readonly string[]): Promise<PossibleGesture[]> {
    return this.owner.link().call("gestures", { definition: await this.json(), places: typeof at === "string" ? [at] : at });
  }

  async json(): Promise<string> {
    this.flush();
    return (await read(this.owner.text())).json;
  }

  async aslOf(states: readonly string[]): Promise<string | undefined> {
    this.flush();
    const { done } = await edit(this.owner.link(), this.owner.text(), { kind: "copy", states });
    if (!("refused" in done)) return done.asl;
    this.refuse(done.refused.message);
    return undefined;
  }

  // Applying gestures.

  /** Gestures run one after another, because each applies to the text that the previous one has produced. */
  perform(gesture: Gesture, at?: Spot, careful = false): Promise<Edited | undefined> {
    const next = this.busy.then(() => this.make(gesture, at, careful));
    this.busy = next.catch(() => {});
    return next;
  }

  private async make(gesture: Gesture, at: Spot | undefined, careful: boolean): Promise<Edited | undefined> {
    this.flush();
    const text = this.owner.text();
    let made: { before: string; done: Edited | RefusedEdit };
    try {
      made = await edit(this.owner.link(), text, gesture);
    } catch (error) {
      this.refuse((error as Error).message);
      return undefined;
    }
    const { before, done } = made;
    if (this.owner.text() !== text) return this.make(gesture, at, careful);
    if ("refused" in done) return this.refused(gesture, done.refused, at);
    if (careful && done.losses.length > 0) {
      const sure = await this.picker.pick({ title: unticked(lostTitle(gesture, done.losses)), groups: SURE, at: at ?? this.spot() });
      if (sure?.id !== "yes") return undefined;
    }
    if (done.edits.length === 0) return done;
    const after = applied(before, done.edits);
    this.steps.push(text);
    const wrong = done.introduces.filter(({ severity }) => severity === "error");
    const problems = wrong.map(({ message }) => unticked(sentence(message))).join("; ");
    const announce = [unticked(sentence(done.announce)), ...done.losses.map(({ message }) => unticked(sentence(message))), problems]
      .filter(Boolean)
      .map((part) => part.replace(/\.?$/, "."))
      .join(" ");
    const machine = await this.extracted(after, done);
    await this.become(after, before === text ? done.edits : difference(text, after), announce, done.select, machine);
    const { start, end } = done.caret;
    this.area.setSelectionRange(start, end);
    return done;
  }

  /** Notifies the page about a machine that was extracted from states. Undo can restore it. */
  private async extracted(after: string, { asl, select: [task] }: Edited): Promise<Extracted | undefined> {
    if (asl === undefined || task === undefined) return undefined;
    const name = startedAt((await read(after)).json, task)?.name;
    if (name === undefined) return undefined;
    this.owner.addMachine(name, asl);
    return { name, definition: asl };
  }

  private async refused(gesture: Gesture, { code, message, choices }: RefusedEdit["refused"], at?: Spot): Promise<Edited | undefined> {
    if (code !== "ambiguous" || !choices || gesture.kind !== "delete") {
      this.refuse(message);
      return undefined;
    }
    const options = choices.map(({ to, name }) => ({ id: to ?? "", title: to === null ? "Nowhere" : name }));
    const to = await this.picker.pick({
      title: unticked(sentence(message)),
      placeholder: "Where the transitions go",
      groups: [{ title: "", options }],
      at: at ?? this.spot(),
    });
    return to && this.make({ ...gesture, to: to.id === "" ? null : to.id }, at, false);
  }

  /** Replaces the text: notifies the page, draws the graph, and moves the focus to what is new. */
  private async become(
    text: string,
    edits: Edited["edits"],
    announce: string,
    select: readonly string[] = [],
    machine?: Extracted,
  ): Promise<void> {
    const { owner } = this;
    const stays = (): boolean => {
      const at = owner.root.activeElement;
      return at === this.area || (select.length === 0 && at !== null && this.strip.contains(at));
    };
    const was = (owner.root.activeElement as SVGElement | null)?.dataset["node"] ?? this.current()?.id;
    const drawn = owner.write(text);
    owner.host.dispatchEvent(
      new CustomEvent("change", {
        detail: { definition: text, edits, announce, ...(machine && { machine }) },
        bubbles: true,
        composed: true,
      }),
    );
    this.notify(announce);
    await drawn;
    this.selected = select.length > 1 ? [...select] : [];
    const index = owner.index();
    const id = [...select, was].find((one) => one !== undefined && index?.byId.has(one));
    if (id !== undefined) {
      owner.choose(index!.node(index!.byId.get(id)!)!.name);
      if (!stays()) owner.drawing()?.focus(id);
    }
    if (id === undefined && !stays()) owner.frame.querySelector<HTMLElement>(".empty button")?.focus();
    this.refresh();
  }

  fillIn(from: number): void {
    this.filling.begin(from);
  }

  private async takeBack(again: boolean): Promise<void> {
    await this.busy;
    this.flush();
    const now = this.owner.text();
    const text = this.steps.take(now, again);
    if (text === undefined) return this.notify(again ? "There is nothing to redo." : "There is nothing to undo.");
    await this.become(text, difference(now, text), again ? "Redone." : "Undone.");
  }

  /** Opens the menu of a state, or of the selected ones. */
  private menu(id: string | undefined, at: Spot): void {
    if (id !== undefined) this.owner.drawing()?.focus(id);
    const node = this.current();
    if (!node) return;
    const many = this.selected.length > 1;
    const options = COMMANDS.filter(({ shown }) => shown?.(node, many, this.owner.index()!) ?? true).map(
      ({ id: command, title, keys }) => ({
        id: command,
        title,
        ...(keys && { detail: keyName(keys[0]!) }),
      }),
    );
    const title = many ? `${this.selected.length} states` : node.name;
    void this.picker.pick({ title, placeholder: "What to do", groups: [{ title: "", options }], at }).then((chosen) => {
      // The list has returned the focus to where it was before, which may have been a button.
      if (chosen) this.on(node.id, () => COMMANDS.find((one) => one.id === chosen.id)!.run(this));
    });
  }
}

/** Returns the key's name as on a keyboard, for example `Shift+g`. */
const keyName = (key: string): string =>
  key
    .replace("Mod", MOD)
    .replace(/ $/, "Space")
    .replace(/(^|\+)([a-z])$/, (_, plus: string, letter: string) => plus + letter.toUpperCase());

function below(button: HTMLElement): Spot {
  const { left, bottom } = button.getBoundingClientRect();
  return { x: left, y: bottom + 4 };
}
