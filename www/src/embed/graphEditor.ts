// The graph editor of a component: what it does for the kernel, its toolbar, and the text beside the graph.

import type { Edited, Gesture, PossibleGesture } from "stepglass";
import { applied } from "../../../js/core/definition/text-edits.ts";
import { appendHere, createIn } from "../graph-editor/kernel/adding.ts";
import { announcement, whole } from "../graph-editor/kernel/messages.ts";
import { performing } from "../graph-editor/kernel/performing.ts";
import type { At, Attempt, Catalog, Choice, Chosen, EditorHost, PerformOptions, Plan, Spot } from "../graph-editor/kernel/plan.ts";
import { execute } from "../graph-editor/kernel/plan.ts";
import type { Over } from "../graph-editor/kernel/signs.ts";
import { type EditorState, nodesOf } from "../graph-editor/kernel/state.ts";
import { listenToClipboard, put, read as readClipboard } from "../graph-editor/view/clipboard.ts";
import type { Layer } from "../graph-editor/view/layer.ts";
import { askName } from "../graph-editor/view/nameField.ts";
import type { Picker } from "../graph-editor/view/picker.ts";
import { chordsOf } from "../keys/chord.ts";
import { type GraphNode, isState } from "../model/graph.ts";
import { html } from "../ui/dom.ts";
import { type Extracted, catalogOf, extractedIn, machineOf, patternOf, serviceStateOf } from "./catalog.ts";
import { keyOf } from "./keys.ts";
import { pickerIn, stateMenu, transitionMenu } from "./menus.ts";
import { glide, layerOver } from "./overDrawing.ts";
import type { Owner } from "./owner.ts";
import { Placeholders } from "./placeholders.ts";
import { Steps, difference } from "./steps.ts";
import { edit, read } from "./syntax.ts";
import { Toolbar, below } from "./toolbar.ts";

export { editorSheet } from "./editorSheet.ts";

/** The delay after the last keystroke in the text until it is read, in milliseconds. */
const TYPING_DELAY = 300;

export class GraphEditor implements EditorHost {
  private readonly steps = new Steps();
  private readonly picker: Picker;
  private readonly toolbar: Toolbar;
  readonly area: HTMLTextAreaElement;
  private layer: Layer | undefined;
  private drawnBefore = new Map<string, GraphNode>();
  /** The ids of the selected states, if there are several. */
  private several: readonly string[] = [];
  /** Whether each press adds a state to the selection or removes it. */
  private multiSelect = false;
  private savedText: string;
  private typing: ReturnType<typeof setTimeout> | undefined;
  private busy: Promise<unknown> = Promise.resolve();
  private readonly filling: Placeholders;
  private readonly gone = new AbortController();

  constructor(readonly owner: Owner) {
    this.picker = pickerIn(owner, () => this.spotOf(undefined));
    this.savedText = owner.text();
    this.area = html("textarea", { class: "code", part: "code", "aria-label": "Definition", spellcheck: "false", wrap: "off" });
    this.filling = new Placeholders(this.area);
    this.toolbar = new Toolbar({
      add: (at) => this.run(appendHere(this.state(), at)),
      takeBack: (again) => void this.takeBack(again),
      more: (at) => this.menu({}, at),
      save: () => this.save(),
    });
    owner.bar.after(this.toolbar.element);
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
    this.several = [];
    this.savedText = this.owner.text();
    this.arrange();
  }

  dispose(): void {
    clearTimeout(this.typing);
    this.gone.abort();
    this.picker.dismiss();
    this.toolbar.element.remove();
  }

  /** Returns the focused element of the graph before it is drawn again. */
  held(): string | undefined {
    return this.inGraph() ? ((this.owner.root.activeElement as SVGElement).dataset["node"] ?? "") : undefined;
  }

  /**
   * Called when the graph was drawn again. The focus stays in it, because further keys may come before it moves to the changed
   * state.
   */
  drawn(held: string | undefined): void {
    const [index, drawing] = [this.owner.index()!, this.owner.drawing()!];
    if (held !== undefined) drawing.focus(index.byId.has(held) ? held : (index.graph.nodes.find(isState)?.id ?? ""));
    glide(this.drawnBefore, index, drawing);
    this.drawnBefore = new Map(index.graph.nodes.map((node) => [node.name, node]));
    this.several = this.several.filter((id) => index.byId.has(id));
    this.layer?.dispose();
    this.layer = layerOver(index, drawing, this, (over, at) => this.menu(over, at));
    this.refresh();
  }

  /** Returns whether the focus is in the graph. */
  private inGraph(): boolean {
    return this.owner.root.activeElement?.closest(".frame") != null;
  }

  /** Shows that there is no state yet. */
  empty(): void {
    this.layer = undefined;
    const first = html("button", { type: "button" }, "Add the first state");
    first.addEventListener("click", () => this.run(createIn("", below(first))));
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
    const { undoable, redoable } = this.steps;
    this.toolbar.able({ undo: undoable, redo: redoable, more: this.current() !== undefined, save: this.unsaved });
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
    const inGraph = (): boolean => this.inGraph();
    listenToClipboard(this, { copies: inGraph, pastes: inGraph, text: () => owner.text() }, signal);
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
    const target = event.target as Element;
    if (target.closest(".picker, .edit-name")) return;
    if (target === this.area && this.filling.pressed(event)) return;
    const key = keyOf(chordsOf(event), this.state(), target.closest(".frame") !== null);
    if (!key) return;
    event.preventDefault();
    event.stopPropagation();
    if (key === "save") this.save();
    else if (key === "menu") this.menu({}, this.spotOf(this.current()?.id));
    else this.run(key.plan(this.state()));
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
    this.toolbar.notify(message, bad);
  }

  private run(plan: Plan<unknown>): void {
    execute(plan, this).catch((error: Error) => this.notify(whole(error.message), true));
  }

  // What the kernel asks for.

  state(): EditorState {
    const index = this.owner.index() ?? null;
    const chosen = index?.node(index.byName.get(this.owner.chosen()) ?? -1);
    const selected = this.several.length > 0 ? this.several : chosen ? [chosen.id] : [];
    return { index, node: this.current(), selected, multiSelect: this.multiSelect };
  }

  /** Returns the focused state, or the selected one. */
  private current(): GraphNode | undefined {
    const index = this.owner.index();
    const focused = (this.owner.root.activeElement as SVGElement | null)?.dataset["node"];
    const at = focused === undefined ? index?.byName.get(this.owner.chosen()) : index?.byId.get(focused);
    const node = index?.node(at ?? -1);
    return node && isState(node) ? node : undefined;
  }

  editable(): boolean {
    return true;
  }

  async possible(at: string | readonly string[]): Promise<PossibleGesture[]> {
    return this.owner.link().call("gestures", { definition: await this.json(), places: typeof at === "string" ? [at] : at });
  }

  private async json(): Promise<string> {
    this.flush();
    return (await read(this.owner.text())).json;
  }

  /** Returns the edits of a gesture for the current text. */
  async edit(gesture: Gesture): Promise<Attempt | { failed: string }> {
    this.flush();
    const text = this.owner.text();
    try {
      const { before, done } = await edit(this.owner.link(), text, gesture);
      return { before, done, stale: this.owner.text() !== text };
    } catch (error) {
      return { failed: (error as Error).message };
    }
  }

  /** Gestures run one after another, because each applies to the text that the previous one has produced. */
  perform(gesture: Gesture, options?: PerformOptions): Promise<Edited | undefined> {
    const next = this.busy.then(() => execute(performing(gesture, options), this));
    this.busy = next.catch(() => {});
    return next;
  }

  async apply({ before, done }: Attempt & { done: Edited }, _: Gesture, { pattern }: PerformOptions): Promise<void> {
    if (done.edits.length === 0) return;
    const text = this.owner.text();
    const after = applied(before, done.edits);
    if (pattern) this.owner.prepare(pattern.mocks, this.owner.index()?.stateCount ? undefined : pattern.input);
    this.steps.push(text);
    const wrong = done.introduces.filter(({ severity }) => severity === "error");
    const machine = await extractedIn(after, done);
    if (machine) this.owner.addMachine(machine.name, machine.definition);
    await this.become(after, before === text ? done.edits : difference(text, after), announcement(done, wrong), done.select, machine);
    this.area.setSelectionRange(done.caret.start, done.caret.end);
  }

  pick({ at, move, ...choice }: Choice): Promise<Chosen | undefined> {
    return this.picker.pick({ ...choice, at: this.spotOf(at), ...(move && { move: (id, by) => execute(move(id, by), this) }) });
  }

  private spotOf(at: At): Spot {
    if (typeof at === "object") return at;
    const box = at === undefined ? undefined : this.owner.drawing()?.boxOf(at);
    const { left, top } = this.owner.frame.getBoundingClientRect();
    return box ? { x: box.right + 8, y: box.top } : { x: left + 20, y: top + 20 };
  }

  async name(node: GraphNode): Promise<string | undefined> {
    const { owner } = this;
    const box = owner.drawing()?.boxOf(node.id);
    if (!box) return undefined;
    const taken = (name: string): boolean => owner.index()?.byName.has(name) === true;
    return askName(node, { parent: owner.shell, popover: true, box, taken, back: () => owner.drawing()?.focus(node.id) });
  }

  select(ids: readonly string[]): void {
    this.several = ids;
    if (ids.length === 0) this.owner.choose("");
    this.refresh();
  }

  selectByPresses(on: boolean): void {
    this.multiSelect = on;
  }

  focus(id: string): void {
    const { owner } = this;
    const [node] = nodesOf(owner.index() ?? null, [id]);
    if (node) owner.choose(node.name);
    owner.drawing()?.focus(id);
    this.refresh();
  }

  fillIn(inserted?: Edited): boolean {
    return this.filling.begin(inserted?.stops[0]?.start ?? this.area.selectionEnd);
  }

  catalog(): Catalog {
    return catalogOf(this.owner);
  }

  /** A component stores nothing in the browsers of its visitors. */
  remember(): void {}

  pattern(id: string): ReturnType<EditorHost["pattern"]> {
    return patternOf(this.owner, id);
  }

  async serviceState(id: string): ReturnType<EditorHost["serviceState"]> {
    return serviceStateOf(id, await this.json().catch(() => ""));
  }

  added(): void {}

  async machineOf({ id, name }: GraphNode): Promise<string | undefined> {
    const asl = await machineOf(this.owner, await this.json(), id);
    if (asl === undefined) this.notify(`This page does not have the machine that "${name}" starts.`, true);
    return asl;
  }

  /** The page has the machine already, by the event of the change. */
  extracted(): void {}

  readonly putClipboard = put;
  readonly clipboard = readClipboard;

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
      return at === this.area || (select.length === 0 && at !== null && this.toolbar.element.contains(at));
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
    this.several = select.length > 1 ? [...select] : [];
    const index = owner.index();
    const id = [...select, was].find((one) => one !== undefined && index?.byId.has(one));
    if (id !== undefined) {
      owner.choose(index!.node(index!.byId.get(id)!)!.name);
      if (!stays()) owner.drawing()?.focus(id);
    }
    if (id === undefined && !stays()) owner.frame.querySelector<HTMLElement>(".empty button")?.focus();
    this.refresh();
  }

  async takeBack(again: boolean): Promise<void> {
    await this.busy;
    this.flush();
    const now = this.owner.text();
    const text = this.steps.take(now, again);
    if (text === undefined) return this.notify(again ? "There is nothing to redo." : "There is nothing to undo.");
    await this.become(text, difference(now, text), again ? "Redone." : "Undone.");
  }

  /** Opens the menu of a state or of a transition, or that of the focused state. */
  private menu({ node, edge }: Over, at: Spot): void {
    const focus = (id: string): void => this.owner.drawing()?.focus(id);
    if (node !== undefined) focus(node);
    const { picker } = this;
    const plan = edge && node === undefined ? transitionMenu(picker, this, edge, at) : stateMenu(picker, this, at, focus);
    void plan.then((chosen) => chosen && this.run(chosen));
  }
}
