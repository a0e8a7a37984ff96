// Editing in a component: the gestures of the page's pen, for a mouse, fingers and keys, and the text beside the graph.

import type { Edited, Gesture, NewEdge, PossibleGesture, RefusedEdit, StateType } from "stepglass";
import { applied } from "../../../js/definition/text-edits.ts";
import {
  AROUND,
  KINDS,
  SURE,
  TYPES,
  type Way,
  type Where,
  kindsTo,
  leadings,
  pasted,
  placed,
  targetOptions,
  waysBehindOf,
} from "../model/gestures.ts";
import { type GraphEdge, type GraphIndex, type GraphNode, isState } from "../model/graph.ts";
import { neighbourOf, scopeOf, wayBehind, wayTitle, waysAt } from "../model/ways.ts";
import { sentence, unticked } from "../ui/format.ts";
import type { Drawing } from "./drawing.ts";
import { html, svg } from "./dom.ts";
import { Layer } from "./layer.ts";
import type { Link } from "./link.ts";
import { Picker, type Spot, place } from "./picker.ts";
import { Steps, difference } from "./steps.ts";
import { edit, read } from "./syntax.ts";

export { penSheet } from "./penSheet.ts";

/// The component, as its pen sees it.
export interface Owner {
  readonly host: HTMLElement;
  readonly root: ShadowRoot;
  readonly shell: HTMLElement;
  readonly bar: HTMLElement;
  readonly frame: HTMLElement;
  link(): Link;
  text(): string;
  index(): GraphIndex | undefined;
  drawing(): Drawing | undefined;
  chosen(): string;
  choose(state: string): void;
  /// Shows another text; resolves when it is drawn.
  write(text: string): Promise<void>;
}

const SIGNS = {
  plus: "M10 4V16M4 10H16",
  undo: "M7.5 4L4 7.5L7.5 11M4 7.5H12A4 4 0 0 1 12 15.5H8",
  redo: "M12.5 4L16 7.5L12.5 11M16 7.5H8A4 4 0 0 0 8 15.5H12",
  more: "M4.5 10A.6 .6 0 1 1 4.49 10ZM10 10A.6 .6 0 1 1 9.99 10ZM15.5 10A.6 .6 0 1 1 15.49 10Z",
};
/// After the last key in the text.
const TYPED = 300;
const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

interface Deed {
  id: string;
  title: string;
  key?: string;
  shown?(node: GraphNode, many: boolean): boolean;
  run(pen: Pen): unknown;
}

const alone = (_: GraphNode, many: boolean): boolean => !many;
const leaves = ({ type }: GraphNode, many: boolean): boolean => !many && type !== "Succeed" && type !== "Fail";

const DEEDS: readonly Deed[] = [
  { id: "append", title: "Add a state after it…", key: "a", shown: leaves, run: (pen) => pen.appendHere() },
  { id: "insert", title: "Insert on a transition…", key: "i", shown: alone, run: (pen) => pen.insertHere() },
  { id: "create", title: "Add a state that nothing leads to…", key: "n", run: (pen) => pen.createHere() },
  { id: "connect", title: "Lead a transition to…", key: "t", shown: leaves, run: (pen) => pen.connectHere() },
  { id: "disconnect", title: "Remove a transition…", shown: leaves, run: (pen) => pen.disconnectHere() },
  { id: "rename", title: "Rename…", key: "F2", shown: alone, run: (pen) => pen.renameHere() },
  { id: "retype", title: "Change the type…", key: "r", shown: alone, run: (pen) => pen.retypeHere() },
  { id: "wrap", title: "Put into a Parallel or Map…", key: "g", run: (pen) => pen.wrapHere() },
  {
    id: "unwrap",
    title: "Take its states out of it",
    key: "Shift+g",
    shown: ({ type }, many) => !many && (type === "Parallel" || type === "Map"),
    run: (pen) => pen.unwrapHere(),
  },
  {
    id: "branch",
    title: "Add a branch…",
    shown: ({ type }, many) => !many && type === "Parallel",
    run: (pen) => pen.branchHere(),
  },
  { id: "duplicate", title: "Duplicate", key: "Mod+d", run: (pen) => pen.act("duplicate") },
  { id: "copy", title: "Copy", run: (pen) => pen.copyHere(false) },
  { id: "cut", title: "Cut", run: (pen) => pen.copyHere(true) },
  { id: "paste", title: "Paste behind it", run: (pen) => pen.pasteHere() },
  { id: "delete", title: "Delete", key: "Delete", run: (pen) => pen.deleteHere() },
  { id: "also", title: "Select several: add it, or take it away", key: "Shift+ ", run: (pen) => pen.alsoHere() },
];

/// What was copied last from any component of the page, where its clipboard cannot be read.
let held = "";
/// The browser's clipboard does not have it: not yet, or because the browser does not allow it.
let only = false;
/// Done when what is being copied is there.
let copying: Promise<unknown> = Promise.resolve();

export class Pen {
  private readonly steps = new Steps();
  private readonly picker: Picker;
  private readonly strip: HTMLElement;
  private readonly undoButton: HTMLButtonElement;
  private readonly redoButton: HTMLButtonElement;
  private readonly moreButton: HTMLButtonElement;
  private readonly saveButton: HTMLButtonElement;
  private readonly said = html("p", { class: "said", role: "status" });
  readonly area: HTMLTextAreaElement;
  private layer: Layer | undefined;
  private drawnBefore = new Map<string, GraphNode>();
  private several: string[] = [];
  private savedText: string;
  private typing: ReturnType<typeof setTimeout> | undefined;
  private ready: { of: string; asl: string } | undefined;
  private busy: Promise<unknown> = Promise.resolve();
  private readonly gone = new AbortController();

  constructor(private readonly owner: Owner) {
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
    this.savedText = owner.text();
    this.undoButton = tool("undo", "Undo", () => void this.takeBack(false));
    this.redoButton = tool("redo", "Redo", () => void this.takeBack(true));
    this.moreButton = tool("more", "More of the state", (at) => this.menu(undefined, at));
    this.saveButton = html("button", { type: "button", class: "save", part: "button" }, "Save");
    this.saveButton.addEventListener("click", () => this.save());
    this.area = html("textarea", { class: "code", part: "code", "aria-label": "Definition", spellcheck: "false", wrap: "off" });
    this.strip = html(
      "div",
      { class: "bar strip", part: "toolbar", role: "toolbar", "aria-label": "Edit" },
      tool("plus", "Add a state", (at) => void (this.here() ? this.appendHere(at) : this.createHere(at))),
      this.undoButton,
      this.redoButton,
      this.moreButton,
      this.said,
      this.saveButton,
    );
    owner.bar.after(this.strip);
    this.listen();
    this.arrange();
  }

  /// Whether there is something that was not saved.
  get unsaved(): boolean {
    return this.owner.text() !== this.savedText;
  }

  markSaved(): void {
    this.savedText = this.owner.text();
    this.arrange();
  }

  /// Another definition was given: it is where things begin.
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
    this.strip.remove();
  }

  /// What has the focus in the graph, before it is drawn anew.
  held(): string | undefined {
    return this.focused() ? ((this.owner.root.activeElement as SVGElement).dataset["node"] ?? "") : undefined;
  }

  /// The graph was drawn anew. The focus stays in it: further keys may come before it goes where the change was.
  drawn(held: string | undefined): void {
    const [index, drawing] = [this.owner.index()!, this.owner.drawing()!];
    if (held !== undefined) drawing.focus(index.byId.has(held) ? held : (index.graph.nodes.find(isState)?.id ?? ""));
    this.glide(index, drawing);
    this.several = this.several.filter((id) => index.byId.has(id));
    this.layer = new Layer(index, drawing.element, {
      insert: (edge, at) => void this.insertOn(edge, at),
      append: (id, at) => void this.appendTo(id, at),
      create: (scope, at) => void this.createIn(scope, at),
      rename: (id) => this.on(id, () => this.renameHere()),
      menu: (id, at) => this.menu(id, at),
      also: (id) => this.on(id, () => this.alsoHere()),
      possible: (at) => this.possible(at),
      drop: (from, edge, to, at, known) => void this.drop(from, edge, to, at, known),
      none: () => {
        this.several = [];
        this.owner.choose("");
      },
      selected: () => this.statesHere().map(({ id }) => id),
    });
    this.shown();
  }

  /// States that are elsewhere now go there.
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

  /// There is no state yet.
  empty(): void {
    this.layer = undefined;
    const first = html("button", { type: "button" }, "Add the first state");
    first.addEventListener("click", () => void this.createIn("", below(first)));
    this.owner.frame.replaceChildren(html("div", { class: "empty" }, html("p", {}, "There is no state yet."), first));
    this.shown();
  }

  /// The text, the selection or what is drawn has changed.
  shown(): void {
    const text = this.owner.text();
    if (this.typing === undefined && this.area.value !== text) this.area.value = text;
    this.layer?.draw();
    this.arrange();
  }

  private arrange(): void {
    this.undoButton.disabled = !this.steps.undoable;
    this.redoButton.disabled = !this.steps.redoable;
    this.moreButton.disabled = !this.here();
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
        this.typing = setTimeout(() => this.flush(), TYPED);
      },
      { signal },
    );
    area.addEventListener("blur", () => this.flush(), { signal });
    // One history for the graph and the text.
    area.addEventListener(
      "beforeinput",
      (event) => {
        if (event.inputType !== "historyUndo" && event.inputType !== "historyRedo") return;
        event.preventDefault();
        void this.takeBack(event.inputType === "historyRedo");
      },
      { signal },
    );
    // The browser says when these keys are pressed, whatever they are on this system.
    for (const type of ["copy", "cut"] as const)
      document.addEventListener(
        type,
        (event) => {
          if (!this.focused() || this.statesHere().length === 0) return;
          event.preventDefault();
          if (this.ready?.of === this.wanted()) {
            held = this.ready.asl;
            only = false;
            event.clipboardData?.setData("text/plain", held);
            this.copied(type === "cut");
          } else void this.copyHere(type === "cut");
        },
        { signal },
      );
    document.addEventListener(
      "paste",
      (event) => {
        if (!this.focused()) return;
        event.preventDefault();
        const text = event.clipboardData?.getData("text/plain") ?? "";
        void copying.then(() => this.paste(only ? held : text));
      },
      { signal },
    );
  }

  /// What has been typed becomes the definition.
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
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const done = (run: () => unknown): void => {
      event.preventDefault();
      event.stopPropagation();
      void run();
    };
    if (mod && !event.altKey) {
      if (key === "s") return done(() => this.save());
      if (key === "z" || key === "y") return done(() => this.takeBack(key === "y" || event.shiftKey));
    }
    if (!target.closest(".frame")) return;
    if (event.key === "Control" || event.key === "Meta") return void this.prepare();
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) return done(() => this.menu(undefined, this.spot()));
    const pressed = `${mod ? "Mod+" : ""}${event.shiftKey ? "Shift+" : ""}${key === "Backspace" ? "Delete" : key}`;
    const deed = event.altKey ? undefined : DEEDS.find((one) => one.key === pressed);
    if (deed && (this.here() || deed.id === "create")) done(() => deed.run(this));
  }

  /// Saves, unless the page says that it was not.
  save(): void {
    this.flush();
    const { host } = this.owner;
    const kept = host.dispatchEvent(
      new CustomEvent("save", { detail: { definition: this.owner.text() }, bubbles: true, composed: true, cancelable: true }),
    );
    if (!kept) return;
    this.markSaved();
    this.tell("Saved.");
  }

  private tell(message: string, bad = false): void {
    this.said.classList.toggle("bad", bad);
    this.said.textContent = message;
  }

  private refuse(message: string | undefined): void {
    this.tell(message === undefined ? "That is not possible here." : unticked(sentence(message)).replace(/\.?$/, "."), true);
  }

  // The state that gestures are about.

  private here(): GraphNode | undefined {
    const index = this.owner.index();
    const node = index?.node(index.byName.get(this.owner.chosen()) ?? -1);
    const held = (this.owner.root.activeElement as SVGElement | null)?.dataset["node"];
    const focused = held === undefined ? undefined : index?.node(index.byId.get(held) ?? -1);
    const found = focused ?? node;
    return found && isState(found) ? found : undefined;
  }

  private statesHere(): GraphNode[] {
    const index = this.owner.index();
    if (this.several.length > 1) return this.several.flatMap((id) => index?.node(index.byId.get(id) ?? -1) ?? []);
    const one = this.here();
    return one ? [one] : [];
  }

  private on(id: string, run: () => unknown): void {
    this.owner.drawing()?.focus(id);
    void run();
  }

  private focused(): boolean {
    return this.owner.root.activeElement?.closest(".frame") != null;
  }

  private spot(id = this.here()?.id): Spot {
    const box = id === undefined ? undefined : this.owner.drawing()?.boxOf(id);
    const { left, top } = this.owner.frame.getBoundingClientRect();
    return box ? { x: box.right + 8, y: box.top } : { x: left + 20, y: top + 20 };
  }

  private async possible(at: string | readonly string[]): Promise<PossibleGesture[]> {
    this.flush();
    const { json } = await read(this.owner.text());
    return this.owner.link().call("gestures", { definition: json, places: typeof at === "string" ? [at] : at });
  }

  // Making gestures.

  /// One after another: each is about the text that the one before has left.
  private perform(gesture: Gesture, at?: Spot, careful = false): Promise<Edited | undefined> {
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
      const title = `This takes away: ${done.losses.map(({ message }) => unticked(message)).join("; ")}`;
      const sure = await this.picker.pick({ title, groups: SURE, at: at ?? this.spot() });
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
    await this.become(after, before === text ? done.edits : difference(text, after), announce, done.select);
    const { start, end } = done.caret;
    this.area.setSelectionRange(start, end);
    return done;
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

  /// The text is another one: it is told, drawn, and what is new has the focus.
  private async become(text: string, edits: Edited["edits"], announce: string, select: readonly string[] = []): Promise<void> {
    const { owner } = this;
    const stays = (): boolean => {
      const at = owner.root.activeElement;
      return at === this.area || (select.length === 0 && at !== null && this.strip.contains(at));
    };
    const was = (owner.root.activeElement as SVGElement | null)?.dataset["node"] ?? this.here()?.id;
    const drawn = owner.write(text);
    owner.host.dispatchEvent(new CustomEvent("change", { detail: { definition: text, edits, announce }, bubbles: true, composed: true }));
    this.tell(announce);
    await drawn;
    this.several = select.length > 1 ? [...select] : [];
    const index = owner.index();
    const id = [...select, was].find((one) => one !== undefined && index?.byId.has(one));
    if (id !== undefined) {
      owner.choose(index!.node(index!.byId.get(id)!)!.name);
      if (!stays()) owner.drawing()?.focus(id);
    }
    if (id === undefined && !stays()) owner.frame.querySelector<HTMLElement>(".empty button")?.focus();
    this.shown();
  }

  private async takeBack(again: boolean): Promise<void> {
    await this.busy;
    this.flush();
    const now = this.owner.text();
    const text = this.steps.take(now, again);
    if (text === undefined) return this.tell(again ? "There is nothing to redo." : "There is nothing to undo.");
    await this.become(text, difference(now, text), again ? "Redone." : "Undone.");
  }

  // What is asked before.

  private async add(title: string, ways: readonly Way[], at: Spot): Promise<void> {
    const [only] = ways;
    const copies = (this.owner.index()?.graph.nodes ?? []).filter(isState).map(({ id, name, type }) => ({
      id: `copy ${id}`,
      title: `A copy of ${name}`,
      detail: type,
      type,
    }));
    const chosen = await this.picker.pick({
      title: ways.length === 1 && only!.title !== "" ? `${title}: ${only!.title}` : title,
      placeholder: "State",
      groups: [
        { title: "States", options: TYPES },
        { title: "Copies", options: copies.slice(0, 500), searched: copies.length > 6 },
      ],
      modes: ways,
      at,
    });
    const way = ways.find(({ id }) => id === chosen?.mode) ?? only;
    if (!chosen || !way) return;
    if (!chosen.id.startsWith("copy ")) return void (await this.perform(placed({ type: chosen.id as StateType }, way.where), at));
    const asl = await this.aslOf([chosen.id.slice(5)]);
    if (asl !== undefined) await this.perform(pasted(asl, way.where), at);
  }

  private async insertOn(edge: GraphEdge, at: Spot): Promise<void> {
    await this.add(`Insert a state: ${wayTitle(this.owner.index()!, edge)}`, [{ id: edge.id, title: "", where: { edge: edge.id } }], at);
  }

  async insertHere(): Promise<void> {
    const [index, node] = [this.owner.index(), this.here()];
    if (!index || !node) return this.createHere();
    const ways = waysAt(index, node).map((edge) => ({ id: edge.id, title: wayTitle(index, edge), where: { edge: edge.id } }));
    if (ways.length === 0) return this.refuse(`nothing can come after \`${node.name}\``);
    await this.add(`Insert a state on a transition of ${node.name}`, ways, this.spot());
  }

  private async appendTo(id: string, at: Spot): Promise<void> {
    const index = this.owner.index()!;
    const { ways, refused } = waysBehindOf(id, await this.possible(id));
    if (ways.length === 0) return this.refuse(refused);
    await this.add(`Add a state after ${index.node(index.byId.get(id) ?? -1)?.name ?? ""}`, ways, at);
  }

  async appendHere(at = this.spot()): Promise<void> {
    const node = this.here();
    await (node ? this.appendTo(node.id, at) : this.createHere(at));
  }

  private async createIn(scope: string, at: Spot): Promise<void> {
    await this.add("Add a state", [{ id: "create", title: "", where: { scope } }], at);
  }

  async createHere(at = this.spot()): Promise<void> {
    const node = this.here();
    await this.createIn(node ? scopeOf(node.id) : "", at);
  }

  async branchHere(): Promise<void> {
    const node = this.here()!;
    await this.add(`Add a branch to ${node.name}`, [{ id: "branch", title: "", where: { from: node.id, as: "branch" } }], this.spot());
  }

  async connectHere(): Promise<void> {
    const [index, node] = [this.owner.index()!, this.here()!];
    const able = leadings(index, node.id, await this.possible(node.id));
    if (typeof able === "string") return this.refuse(able);
    const chosen = await this.picker.pick({
      title: `Lead a transition of ${node.name} to`,
      placeholder: "Name of the state",
      modes: able,
      groups: [{ title: "", options: targetOptions(able.flatMap(({ targets }) => targets)) }],
      at: this.spot(),
    });
    if (chosen) await this.perform((able.find(({ id }) => id === chosen.mode) ?? able[0]!).gesture(chosen.id));
  }

  async disconnectHere(): Promise<void> {
    const [index, node] = [this.owner.index()!, this.here()!];
    const ways = waysAt(index, node).filter(({ kind }) => kind !== "end" && kind !== "start");
    if (ways.length === 0) return this.refuse(`\`${node.name}\` leads to no other state`);
    const options = ways.map((edge) => ({ id: edge.id, title: wayTitle(index, edge) }));
    const chosen = await this.picker.pick({
      title: `Remove a transition of ${node.name}`,
      groups: [{ title: "", options }],
      at: this.spot(),
    });
    if (chosen) await this.perform({ kind: "disconnect", edge: chosen.id });
  }

  renameHere(): void {
    const node = this.here()!;
    const box = this.owner.drawing()?.boxOf(node.id);
    if (!box) return;
    const field = html("input", {
      type: "text",
      "aria-label": `Name of ${node.name}`,
      maxlength: 80,
      spellcheck: "false",
      autocomplete: "off",
    });
    field.value = node.name;
    const around = html("div", { class: "pen-name" }, field);
    let over = false;
    const end = (to: string | undefined): void => {
      if (over) return;
      over = true;
      around.remove();
      this.owner.drawing()?.focus(node.id);
      if (to !== undefined && to.trim() !== "" && to !== node.name) void this.perform({ kind: "rename", state: node.id, to });
    };
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
      event.preventDefault();
      end(event.key === "Enter" ? field.value : undefined);
    });
    field.addEventListener("blur", () => end(field.value));
    this.owner.shell.append(around);
    around.style.width = `${Math.max(180, box.width)}px`;
    place(around, { x: box.left, y: box.top });
    field.focus({ preventScroll: true });
    field.select();
  }

  async retypeHere(): Promise<void> {
    const node = this.here()!;
    const found = (await this.possible(node.id)).find(({ kind }) => kind === "retype");
    if (!found || found.refused) return this.refuse(found?.refused?.message);
    const options = (found.types ?? []).map((type) => ({ id: type, title: type, type }));
    const chosen = await this.picker.pick({
      title: `Change ${node.name} to`,
      placeholder: "Type",
      groups: [{ title: "", options }],
      at: this.spot(),
    });
    if (chosen) await this.perform({ kind: "retype", state: node.id, type: chosen.id as StateType }, this.spot(), true);
  }

  async wrapHere(): Promise<void> {
    const states = this.statesHere();
    const found = (await this.possible(states.map(({ id }) => id))).find(({ kind }) => kind === "wrap");
    if (found?.refused) return this.refuse(found.refused.message);
    const title = states.length === 1 ? `Put ${states[0]!.name} into` : `Put ${states.length} states into`;
    const chosen = await this.picker.pick({ title, groups: AROUND, at: this.spot() });
    if (chosen) await this.perform({ kind: "wrap", states: states.map(({ id }) => id), type: chosen.id as "Parallel" | "Map" });
  }

  async unwrapHere(): Promise<void> {
    await this.perform({ kind: "unwrap", state: this.here()!.id }, this.spot(), true);
  }

  async deleteHere(): Promise<void> {
    const states = this.statesHere();
    const next = neighbourOf(this.owner.index()!, states);
    const done = await this.perform({ kind: "delete", states: states.map(({ id }) => id) }, this.spot());
    const index = this.owner.index();
    // Who goes on by keyboard stands at a neighbour.
    const to = next ?? index?.graph.nodes.find(isState)?.id;
    if (!done || done.select.length > 0 || to === undefined || !index?.byId.has(to)) return;
    this.owner.choose(index.node(index.byId.get(to)!)!.name);
    this.owner.drawing()?.focus(to);
    this.shown();
  }

  async act(kind: "duplicate"): Promise<void> {
    await this.perform({ kind, states: this.statesHere().map(({ id }) => id) });
  }

  alsoHere(): void {
    const node = this.here()!;
    const before = this.several.length > 0 ? this.several : [this.owner.chosen()].flatMap((name) => this.idOf(name));
    const now = before.includes(node.id) ? before.filter((id) => id !== node.id) : [...before, node.id];
    this.several = now;
    this.tell(now.length === 1 ? "1 state selected." : `${now.length} states selected.`);
    this.shown();
  }

  private idOf(name: string): string[] {
    const index = this.owner.index();
    return index?.node(index.byName.get(name) ?? -1)?.id === undefined ? [] : [index.node(index.byName.get(name)!)!.id];
  }

  /// All that can be done with a state, or with those that are selected.
  private menu(id: string | undefined, at: Spot): void {
    if (id !== undefined) this.owner.drawing()?.focus(id);
    const node = this.here();
    if (!node) return;
    const many = this.several.length > 1;
    const options = DEEDS.filter(({ shown }) => shown?.(node, many) ?? true).map(({ id: deed, title, key }) => ({
      id: deed,
      title,
      ...(key !== undefined && { detail: keyName(key) }),
    }));
    const title = many ? `${this.several.length} states` : node.name;
    void this.picker.pick({ title, placeholder: "What to do", groups: [{ title: "", options }], at }).then((chosen) => {
      // The list has given the focus back to what had it, which may have been a button.
      if (chosen) this.on(node.id, () => DEEDS.find((one) => one.id === chosen.id)!.run(this));
    });
  }

  private async drop(
    from: string,
    edge: string | undefined,
    to: string | null,
    at: Spot,
    known: PossibleGesture[] | undefined,
  ): Promise<void> {
    if (edge !== undefined) {
      if (to !== null) await this.perform({ kind: "connect", edge, to }, at);
      else this.tell("Nothing has changed.");
      return;
    }
    if (to === null) return this.appendTo(from, at);
    const kinds = kindsTo(known ?? (await this.possible(from)), to);
    let [as = "next"]: NewEdge[] = kinds;
    if (kinds.length > 1) {
      const options = kinds.map((id) => ({ id, title: KINDS[id] }));
      const chosen = await this.picker.pick({ title: "What is this transition?", groups: [{ title: "", options }], at });
      if (!chosen) return;
      as = chosen.id as NewEdge;
    }
    // Where it cannot go, the interpreter says why.
    await this.perform({ kind: "connect", from, as, to }, at);
  }

  // The clipboard.

  private wanted(): string {
    return JSON.stringify([this.owner.text(), this.statesHere().map(({ id }) => id)]);
  }

  /// With the key that is held before, there is time to make what is copied.
  private async prepare(): Promise<string | undefined> {
    const states = this.statesHere().map(({ id }) => id);
    const of = this.wanted();
    if (this.ready?.of === of) return this.ready.asl;
    const asl = states.length === 0 ? undefined : await this.aslOf(states);
    if (asl !== undefined) this.ready = { of, asl };
    return asl;
  }

  private async aslOf(states: readonly string[]): Promise<string | undefined> {
    this.flush();
    const { done } = await edit(this.owner.link(), this.owner.text(), { kind: "copy", states });
    if (!("refused" in done)) return done.asl;
    this.refuse(done.refused.message);
    return undefined;
  }

  async copyHere(cut: boolean): Promise<void> {
    const prepared = this.prepare();
    copying = prepared.catch(() => {});
    const asl = await prepared;
    if (asl === undefined) return;
    held = asl;
    only = true;
    // Where the browser does not allow it, the components of this page have it.
    void navigator.clipboard?.writeText(asl).then(
      () => (only = false),
      () => {},
    );
    this.copied(cut);
  }

  private copied(cut: boolean): void {
    const { length } = this.statesHere();
    if (cut) void this.deleteHere();
    else this.tell(length === 1 ? "Copied 1 state." : `Copied ${length} states.`);
  }

  async pasteHere(): Promise<void> {
    let text = held;
    try {
      text = await navigator.clipboard.readText();
    } catch {
      if (text === "") return this.tell("The browser does not let the page read the clipboard. Press the keys for pasting instead.", true);
    }
    await this.paste(text);
  }

  private async paste(text: string): Promise<void> {
    if (text.trim() === "") return this.tell("There is nothing to paste.", true);
    const [index, node] = [this.owner.index(), this.here()];
    const way = index && node ? wayBehind(index, node) : undefined;
    const where: Where = way ? { edge: way.id } : { scope: node ? scopeOf(node.id) : "" };
    await this.perform(pasted(text, where));
  }
}

/// `Shift+g` as on the keys.
const keyName = (key: string): string =>
  key
    .replace("Mod", MOD)
    .replace(/\+ $/, "+Space")
    .replace(/([a-z])$/, (last) => (key.length > 2 && !key.includes("+") ? last : last.toUpperCase()));

function below(button: HTMLElement): Spot {
  const { left, bottom } = button.getBoundingClientRect();
  return { x: left, y: bottom + 4 };
}
