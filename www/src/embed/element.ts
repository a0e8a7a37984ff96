// <stepglass-debugger>: a state machine on any page, to view, run, step through, or attach to an execution.

import { GraphIndex, isState } from "../model/graph.ts";
import { EventLog, Fold } from "../model/fold.ts";
import { type NodeRun, STATUS_TEXT, type Status, resultWords } from "../model/log.ts";
import type { Diagnostic, RunResult } from "../model/protocol.ts";
import { detailsOf } from "../model/details.ts";
import type { HistoryEvent } from "../model/recorded.ts";
import { History } from "../worker/history.ts";
import { Drawing } from "./drawing.ts";
import { html } from "../ui/dom.ts";
import { elapsed, fetched, isEmpty, jsonOr, machinesOf, pretty, stageName, textOr, words } from "./attributes.ts";
import { type Link, linkTo } from "./link.ts";
import type { Asked, Standing, Step, TaskAnswer } from "./protocol.ts";
import { ICONS, type Parts, build } from "./parts.ts";
import type { GraphEditor } from "./graphEditor.ts";
import type { Recording } from "./recording.ts";
import { sheets } from "./sheets.ts";
import { read } from "./syntax.ts";
import { widthsIn } from "./widths.ts";

/** The members of an execution that are needed to watch it. The package's executions have them. */
export interface Watched extends AsyncIterable<unknown> {
  result?: Promise<unknown>;
  name?: string;
}

/** The status of a state that the page has set. */
export interface StateMark {
  status: Status;
  /** How often the state was entered. */
  visits?: number;
}

/** Asks the page to do the work of a task. */
export class TaskEvent extends Event {
  private answer: unknown;
  /** Whether a listener has answered. */
  taken = false;

  constructor(readonly task: Readonly<Asked>) {
    super("asl-task", { bubbles: true, composed: true, cancelable: true });
  }

  /** Answers the task with a value or a promise. If the promise is rejected, the task fails with the error's name and message. */
  respondWith(answer: unknown): void {
    this.answer = answer;
    this.taken = true;
    this.preventDefault();
  }

  settled(): Promise<unknown> {
    return Promise.resolve(this.answer);
  }
}

const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);
const OBSERVED = [
  "src",
  "definition",
  "input",
  "mocks",
  "history",
  "replay",
  "view",
  "controls",
  "breakpoints",
  "theme",
  "readonly",
  "speed",
  "seed",
  "at",
  "height",
  "editable",
];

export class StepglassDebugger extends Base {
  static observedAttributes = OBSERVED;

  private root: ShadowRoot | undefined;
  text = "";
  /** The definition as JSON, for the worker. */
  json = "";
  private editor: GraphEditor | undefined;
  private editorSheets: CSSStyleSheet[] = [];
  /** The definition was changed by the page, or by the user since then. */
  private fresh = false;
  private edited = false;
  /** The machines that tasks start: those that were set, and those that were extracted here. */
  private others: Record<string, string> = {};
  /** The mocks and the input of inserted patterns. */
  private brought: { mocks: Record<string, unknown>; input?: unknown } = { mocks: {} };
  /** Called when the current text is drawn. */
  private drawn: (() => void) | undefined;
  given: string | undefined;
  link: Link | undefined;
  private session = 0;
  private loading = 0;
  private visible = false;
  private observer: IntersectionObserver | undefined;
  index: GraphIndex | undefined;
  private drawing: Drawing | undefined;
  history = new History(undefined);
  log = new EventLog();
  fold: Fold | undefined;
  standing: Standing | undefined;
  cursor = 0;
  private chosen = "";
  private asked = new Set<number>();
  /** Checks whether the run has come to rest, while a caller waits for that. */
  private rested: (() => void) | undefined;
  private attached = 0;
  /** The recorded or attached execution, also while a run that was started from it is shown. */
  private recording: Recording | undefined;
  /** The result of the execution that was last reported. */
  private ended?: RunResult | undefined;
  parts!: Parts;
  private darkness: MediaQueryList | undefined;
  private contrast: MediaQueryList | undefined;
  private readonly themed = (): void => this.dress();

  connectedCallback(): void {
    if (!this.root) {
      this.root = this.attachShadow({ mode: "open" });
      this.parts = build(this);
      this.root.append(this.parts.shell, this.parts.slot);
    }
    this.darkness = matchMedia("(prefers-color-scheme: dark)");
    this.darkness.addEventListener("change", this.themed);
    this.contrast = matchMedia("(prefers-contrast: more)");
    this.contrast.addEventListener("change", this.themed);
    this.dress();
    this.size();
    // A component that is not scrolled into view does no work.
    this.observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        this.observer?.disconnect();
        this.visible = true;
        void this.load();
      },
      { rootMargin: "200px" },
    );
    this.observer.observe(this);
  }

  disconnectedCallback(): void {
    this.observer?.disconnect();
    this.darkness?.removeEventListener("change", this.themed);
    this.contrast?.removeEventListener("change", this.themed);
    this.end();
    if (this.editor) this.unequip();
    this.attached += 1;
    this.drop();
    this.visible = false;
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now || !this.root) return;
    if (name === "theme") this.dress();
    else if (name === "height") this.size();
    else if (name === "at" && this.log.length > 0) this.scrubTo(Number(now ?? this.log.length));
    else if (name === "view" || name === "controls" || name === "readonly") this.arrange();
    else {
      if (name === "src" || name === "definition") {
        this.given = undefined;
        this.edited = false;
        this.fresh = true;
      }
      if (this.visible) void this.load();
    }
  }

  /** The definition as JSON text. It can also be set to an object. */
  get definition(): string {
    return this.given ?? this.text;
  }

  set definition(value: string | object) {
    this.given = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    this.edited = false;
    this.editor?.reset();
    if (this.visible) void this.load();
  }

  /** The name of the selected state; "" if none is selected. Setting it scrolls the state into view. */
  get selected(): string {
    return this.chosen;
  }

  set selected(state: string) {
    if (state === this.chosen || (state !== "" && this.index?.byName.get(state) === undefined)) return;
    this.chosen = state;
    this.drawing?.select(state);
    this.repaint();
    this.reveal(state);
    this.arrange();
  }

  /** Statuses of states that the page has from elsewhere, such as a debug adapter. They replace those of the element's own run. */
  get marks(): Readonly<Record<string, StateMark>> | undefined {
    return this.shownMarks;
  }

  set marks(marks: Readonly<Record<string, StateMark>> | undefined) {
    this.shownMarks = marks;
    this.index?.graph.nodes.forEach((_, i) => this.paint(i));
  }

  /** The machines that tasks start, by name: those that were set, and those that the user has extracted. */
  get machines(): Record<string, string> {
    return { ...this.others };
  }

  set machines(value: Record<string, string | object>) {
    this.others = machinesOf(value);
  }

  /** Whether the user can edit the machine. */
  get editable(): boolean {
    return this.hasAttribute("editable");
  }

  set editable(value: boolean) {
    this.toggleAttribute("editable", value);
  }

  /** Whether the definition was changed since it was set or saved. */
  get unsaved(): boolean {
    return this.editor?.unsaved ?? false;
  }

  /** Marks the current definition as saved, for pages that save after the event `save`. */
  markSaved(): void {
    this.editor?.markSaved();
  }

  /** Runs to the next breakpoint or to the end. An execution that has ended starts again. Resolves when the run comes to rest. */
  async run(): Promise<void> {
    await this.command("continue");
  }

  async pause(): Promise<void> {
    await this.command("pause");
  }

  async restart(): Promise<void> {
    await this.command("restart");
  }

  /** Advances the clock to the next timer. With `speed="manual"`, nothing else does. */
  async nextTimer(): Promise<void> {
    if (this.session && this.link) this.stand(await this.link.call("advance", { session: this.session }));
  }

  /** Makes one step: "over" (the default), "into", "out", "stage" or "back". */
  async step(kind: Step = "over"): Promise<void> {
    if (kind === "back" && !this.session) return this.goto(this.cursor - 1);
    await this.command(kind);
  }

  /** Shows the run as it was after an event; 0 is before the first event. */
  async goto(event: number): Promise<void> {
    const to = Math.max(0, Math.min(Math.trunc(event) || 0, this.log.length));
    if (this.session && this.link) this.stand(await this.link.call("goto", { session: this.session, event: to }));
    this.show(to);
  }

  /** Starts another run that is the same up to the shown or given event. */
  async fork(event?: number): Promise<void> {
    if (!this.session) await this.recording?.start(event ?? this.cursor);
    else if (this.link) this.stand(await this.link.call("fork", { session: this.session, ...(event === undefined ? {} : { event }) }));
  }

  /** Returns the graph as a standalone SVG, with the run's colours unless `run` is false. */
  async exportSvg({ theme = "light", run = true }: { theme?: "light" | "dark" | "auto"; run?: boolean } = {}): Promise<string> {
    return (await import("./exported.ts")).svgOf(this, theme, run);
  }

  /**
   * Attaches to an execution of this page: shows its past events and the following ones. It does not change the execution.
   * `definition` is the machine's definition. The default is the component's own. Resolves when the execution has ended.
   */
  async attach(execution: Watched, { definition }: { definition?: string | object } = {}): Promise<void> {
    const mine = ++this.attached;
    this.end();
    if (definition !== undefined) this.given = typeof definition === "string" ? definition : JSON.stringify(definition, null, 2);
    this.visible = true;
    this.observer?.disconnect();
    await this.load(true);
    if (mine !== this.attached) return;
    this.arrange();
    const { Recording } = await import("./recording.ts");
    if (mine !== this.attached) return;
    await (this.recording = new Recording(this, html)).follow(execution, () => mine === this.attached);
  }

  // Loading.

  async load(attaching = false): Promise<void> {
    const mine = ++this.loading;
    this.end();
    if (!attaching) this.attached += 1;
    const forked = this.recording?.fork !== undefined;
    if (!forked && !attaching) this.drop();
    try {
      const text = await this.read();
      if (mine !== this.loading) return;
      this.text = text ?? "";
      await this.equip(!attaching && this.editable && (forked || !this.hasAttribute("history")));
      if (mine !== this.loading || (text === undefined && !this.editor)) return;
      if (this.fresh) this.editor?.reset();
      this.fresh = false;
      this.editor?.refresh();
      const base = document.baseURI;
      // Bundlers look for these expressions.
      const own = this.hasAttribute("replay")
        ? new URL(/* @vite-ignore */ "./debugger-replay.js", import.meta.url)
        : new URL(/* @vite-ignore */ "./debugger-worker.js", import.meta.url);
      const worker = new URL(this.getAttribute("worker-src") ?? own, base).href;
      const wasm = this.getAttribute("wasm-src");
      this.link = linkTo(worker, wasm === null ? "" : new URL(wasm, base).href);
      const json = (await read(this.text)).json;
      const { graph, diagnostics } = await this.link.call("layout", { definition: json, widths: widthsIn(this, this.text) });
      if (mine !== this.loading) return;
      this.dispatchEvent(new CustomEvent("asl-diagnostics", { detail: { diagnostics }, bubbles: true, composed: true }));
      this.json = json;
      const states = graph?.nodes.some(isState);
      if (this.editor && !states && (!this.index || isEmpty(this.text, json))) return this.blank();
      if (!graph || graph.nodes.length === 0 || (this.editor && !states))
        throw new Error(diagnostics[0]?.message ?? "the definition has no states");
      this.draw(new GraphIndex(graph));
      const wrong = diagnostics.find((one: Diagnostic) => one.severity === "error");
      this.say(wrong ? `The definition has errors: ${wrong.message}` : "");
      this.drawn?.();
      if (attaching) return;
      const recorded = this.getAttribute("history");
      if (recorded !== null && !forked) await this.recorded(recorded, mine);
      else if (!wrong && (forked || !this.hasAttribute("readonly"))) {
        await this.begin(mine).catch((error: Error) => {
          if (mine !== this.loading) return;
          this.end();
          this.say(`Not started: ${error.message}`);
        });
      }
    } catch (error) {
      if (mine !== this.loading) return;
      const { message } = error as Error;
      this.say(this.editor && this.index ? `The graph shows an earlier text: ${message}` : `This machine cannot be shown: ${message}`);
      this.drawn?.();
    }
  }

  /** Switches editing on or off. */
  private async equip(editable: boolean): Promise<void> {
    const { parts } = this;
    if (editable === (this.editor !== undefined)) return;
    if (!editable) return this.unequip();
    const { GraphEditor, editorSheet } = await import("./graphEditor.ts");
    if (this.editor || !this.editable) return;
    this.editorSheets = [editorSheet()];
    this.dress();
    this.editor = new GraphEditor({
      host: this,
      root: this.root!,
      shell: parts.shell,
      bar: parts.bar,
      frame: parts.frame,
      link: () => this.link!,
      text: () => this.given ?? this.text,
      index: () => this.index,
      drawing: () => this.drawing,
      chosen: () => this.chosen,
      choose: (state) => {
        if (this.chosen !== state) this.choose(state);
        this.reveal(state);
      },
      write: (text) =>
        new Promise((resolve) => {
          this.given = text;
          this.edited = true;
          this.drawn = resolve;
          void this.load();
        }),
      prepare: (mocks, input) => {
        this.brought = { mocks: { ...this.brought.mocks, ...mocks }, ...(input !== undefined && { input }) };
      },
      machines: async () => ({ ...machinesOf(await jsonOr(this.getAttribute("machines") ?? "")), ...this.others }),
      addMachine: (name, definition) => {
        this.others[name] = definition;
      },
    });
    parts.code.replaceWith((parts.code = this.editor.area));
  }

  private unequip(): void {
    const { parts } = this;
    this.editor?.dispose();
    this.editor = undefined;
    this.editorSheets = [];
    parts.code.replaceWith((parts.code = parts.shownCode));
    this.dress();
  }

  /** Shows an empty machine. */
  private blank(): void {
    this.index = undefined;
    this.drawing = undefined;
    this.chosen = "";
    this.parts.slot.hidden = true;
    this.parts.shell.hidden = this.parts.frame.hidden = false;
    this.say("");
    this.forget();
    this.editor!.empty();
    this.arrange();
    this.drawn?.();
  }

  /**
   * Returns the text of the definition: from the property, the attribute, an address, or a nested `<script
   * type="application/json">`.
   */
  private async read(): Promise<string | undefined> {
    const inside = this.querySelector('script[type="application/json"]')?.textContent ?? undefined;
    const text = this.given ?? this.getAttribute("definition") ?? inside;
    if (text !== undefined) return text;
    const src = this.getAttribute("src");
    return src === null ? undefined : fetched(new URL(src, document.baseURI));
  }

  private async begin(mine: number): Promise<void> {
    const mocks = this.getAttribute("mocks");
    const breakpoints = this.getAttribute("breakpoints");
    const given = mocks === null && breakpoints === null ? undefined : await import("./mocks.ts");
    const answers = this.recording?.fork?.answers;
    const input = answers?.input ?? this.getAttribute("input") ?? JSON.stringify(this.brought.input ?? {});
    const speed = this.getAttribute("speed") ?? "skip";
    if (mine !== this.loading) return;
    const session = this.link!.session({
      hear: ({ session: from, events, standing, from: at }) => {
        if (from !== this.session) return;
        this.add(at, events);
        this.stand(standing);
      },
      lost: (why) => {
        this.session = 0;
        this.standing = undefined;
        this.rested?.();
        this.say(`The run is lost: ${why}.`);
        this.arrange();
      },
    });
    this.session = session;
    const standing = await this.link!.call("begin", {
      session,
      definition: this.json,
      input: await textOr(input),
      mocks: { ...this.brought.mocks, ...(mocks === null ? {} : given!.mocksOf(await jsonOr(mocks))) },
      breakpoints: breakpoints === null ? [] : given!.breakpointsOf(breakpoints),
      clock: speed === "skip" || speed === "manual" ? speed : Math.max(1e-6, Number(speed) || 1),
      seed: Number(this.getAttribute("seed") ?? 0) || 0,
      ...(answers && { recorded: answers }),
    });
    if (mine !== this.loading) return this.link!.close(session);
    this.stand(standing);
    if (answers) return this.recording!.begun(session);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    // A user who edits starts the run by hand.
    const at = this.edited ? null : this.getAttribute("at");
    if (at !== null) {
      await this.command("continue");
      // A long run continues in the background. Events are counted up to where it has stopped.
      await this.rest();
      if (mine === this.loading) await this.goto(Number(at));
    } else if (this.hasAttribute("autoplay") && !still && !this.edited) await this.run();
  }

  /** Resolves when the run comes to rest: it has stopped or ended, or it waits for an answer. */
  rest(): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        const { status, tasks, timed } = this.standing ?? { status: "ended", tasks: [], timed: false };
        const waits = tasks.length > 0 || (timed && (this.getAttribute("speed") ?? "skip") !== "skip");
        if (status === "running" && !waits) return;
        this.rested = undefined;
        resolve();
      };
      this.rested = look;
      look();
    });
  }

  private async recorded(text: string, mine: number): Promise<void> {
    const value = await jsonOr(text);
    const { Recording, historyOf } = await import("./recording.ts");
    if (mine !== this.loading) return;
    const { events, outcome } = historyOf(value);
    const at = this.getAttribute("at");
    (this.recording = new Recording(this, html)).show(events, outcome, at === null ? undefined : Number(at));
  }

  private end(): void {
    if (this.session) this.link?.close(this.session);
    this.session = 0;
    this.standing = undefined;
    this.rested?.();
    this.ended = undefined;
    this.asked.clear();
    this.forget();
  }

  private drop(): void {
    this.recording?.dispose();
    this.recording = undefined;
  }

  // Showing.

  private draw(index: GraphIndex): void {
    const { frame, slot } = this.parts;
    this.index = index;
    this.drawing = new Drawing(index, { choose: (state) => this.choose(state) });
    const held = this.editor?.held();
    frame.replaceChildren(this.drawing.element);
    slot.hidden = true;
    this.parts.shell.hidden = false;
    this.forget();
    if (this.editor) this.editor.drawn(held);
    else this.parts.code.textContent = this.text;
    this.arrange();
  }

  /** Resets the display to the state before the first event. */
  private forget(): void {
    const { index } = this;
    this.history = new History(index?.graph);
    this.log = new EventLog();
    this.fold = index ? new Fold(index, this.log) : undefined;
    this.cursor = 0;
    if (index && this.drawing) {
      index.graph.nodes.forEach((_, i) => this.paint(i));
      index.graph.edges.forEach((_, i) => this.drawing!.paintEdge(i, 0));
    }
  }

  add(from: number, events: readonly HistoryEvent[]): void {
    // Another run begins.
    if (from === 0 && this.history.events.length > 0) this.forget();
    for (const event of events) {
      if (event.id !== this.history.events.length + 1) continue;
      this.history.add(event);
      this.dispatchEvent(new CustomEvent("asl-event", { detail: { event }, bubbles: true, composed: true }));
    }
    const chunk = this.history.take();
    if (chunk) this.log.append(chunk);
  }

  stand(standing: Standing): void {
    const before = this.standing;
    this.standing = standing;
    if (!standing.outcome) this.ended = undefined;
    this.show(standing.event);
    if (standing.reason === "exception") this.say(`${standing.events ? "" : "Not started: "}${standing.description}`);
    for (const task of standing.tasks) this.ask(task);
    if (standing.status === "paused" && (before?.status === "running" || before?.event !== standing.event) && standing.reason !== "start") {
      this.dispatchEvent(
        new CustomEvent("asl-paused", {
          detail: {
            reason: standing.reason,
            description: standing.description,
            event: standing.event,
            state: this.stateAt(standing.event),
          },
          bubbles: true,
          composed: true,
        }),
      );
    }
    if (standing.outcome) this.complete(standing.outcome);
    this.rested?.();
  }

  complete(outcome: RunResult): void {
    const told = this.ended;
    this.ended = outcome;
    this.arrange();
    if (!told) this.dispatchEvent(new CustomEvent("asl-complete", { detail: outcome, bubbles: true, composed: true }));
  }

  show(event: number): void {
    const { fold, drawing, index } = this;
    if (!fold || !drawing || !index) return;
    const changed = fold.seek(event);
    this.cursor = fold.at;
    const state = this.stateAt(fold.at);
    if (state !== "") this.chosen = state;
    drawing.select(this.chosen);
    const nodes = changed === null ? index.graph.nodes.keys() : changed.nodes;
    for (const i of nodes) this.paint(i);
    for (const i of changed === null ? index.graph.edges.keys() : changed.edges) drawing.paintEdge(i, fold.taken[i]!);
    this.repaint();
    if (state !== "") this.reveal(state);
    this.arrange();
  }

  /** Returns the state that an event belongs to. */
  private stateAt(event: number): string {
    const at = event > 0 ? this.log.nodes[event - 1]! : -1;
    return at >= 0 ? (this.index?.node(at)?.name ?? "") : "";
  }

  private choose(state: string): void {
    // During editing, a press on the selected state keeps it selected.
    this.chosen = this.chosen === state && !this.editor ? "" : state;
    this.drawing?.select(this.chosen);
    this.repaint();
    this.arrange();
    this.dispatchEvent(new CustomEvent("asl-select", { detail: { state: this.chosen }, bubbles: true, composed: true }));
  }

  private repaint(): void {
    const { index } = this;
    if (!index) return;
    for (const name of [this.chosen, ...this.marked]) {
      const at = index.byName.get(name);
      if (at !== undefined) this.paint(at);
    }
    this.marked = this.chosen === "" ? [] : [this.chosen];
  }
  private marked: string[] = [];
  private shownMarks: Readonly<Record<string, StateMark>> | undefined;

  /** Shows the status of a state: that of the run, or the one that the page has set. */
  private paint(at: number): void {
    const { index, fold, drawing } = this;
    if (!index || !fold || !drawing) return;
    const own = fold.runs[at]!;
    if (this.shownMarks === undefined) return drawing.paintNode(at, own);
    const mark = this.shownMarks[index.node(at)?.name ?? ""];
    drawing.paintNode(at, { ...own, status: mark?.status ?? "idle", entered: mark?.visits ?? 0 } satisfies NodeRun);
  }

  private reveal(state: string): void {
    const box = this.drawing?.box(state);
    const { frame } = this.parts;
    if (!box || frame.scrollHeight <= frame.clientHeight + 4) return;
    const scale = this.drawing!.element.clientHeight / this.index!.graph.height || 1;
    const top = box.y * scale;
    if (top < frame.scrollTop + 20 || top + 60 > frame.scrollTop + frame.clientHeight)
      frame.scrollTop = Math.max(0, top - frame.clientHeight / 3);
  }

  /** Shows and hides texts and buttons. */
  arrange(): void {
    if (!this.root) return;
    const { parts, standing } = this;
    const views = words(this.getAttribute("view") ?? "graph data");
    const controls =
      this.hasAttribute("readonly") && !this.recording?.fork
        ? words(this.getAttribute("controls") ?? "scrub")
        : words(this.getAttribute("controls") ?? "run step scrub clock");
    const live = this.session !== 0;
    const total = this.log.length;
    parts.frame.hidden = !views.has("graph");
    parts.data.hidden = !views.has("data");
    parts.events.hidden = !views.has("events");
    parts.code.hidden = !views.has("code");
    parts.side.hidden = parts.data.hidden && parts.events.hidden && parts.code.hidden;
    const running = standing?.status === "running";
    for (const [name, button] of parts.buttons) {
      const group = name === "run" || name === "restart" ? "run" : name === "timer" ? "clock" : "step";
      button.hidden = !controls.has(group) || (!live && name !== "back") || (name === "timer" && this.getAttribute("speed") !== "manual");
      button.disabled =
        name === "timer"
          ? !standing?.timed
          : name === "back"
            ? this.cursor === 0
            : name !== "run" && name !== "restart" && (running || standing?.status === "ended");
    }
    const run = parts.buttons.get("run")!;
    const label = running ? "Pause" : standing?.status === "ended" ? "Run again" : standing && standing.event > 0 ? "Continue" : "Run";
    run.setAttribute("aria-label", label);
    run.title = label;
    run.querySelector("path")!.setAttribute("d", running ? ICONS.pause : ICONS.run);
    parts.scrub.hidden = !controls.has("scrub");
    parts.scrub.max = String(Math.max(1, total));
    parts.scrub.value = String(this.cursor);
    parts.scrub.disabled = total === 0;
    parts.scrub.setAttribute(
      "aria-valuetext",
      total === 0 ? "No events" : `Event ${this.cursor} of ${total}, ${this.eventType(this.cursor)} ${this.stateAt(this.cursor)}`,
    );
    parts.clock.hidden = !controls.has("clock");
    parts.clock.textContent = this.cursor > 0 ? elapsed(this.log.times[this.cursor - 1]! - this.log.times[0]!) : "00:00:00";
    parts.bar.hidden = [...parts.bar.children].every((child) => (child as HTMLElement).hidden);
    parts.open.hidden = !this.hasAttribute("playground");
    if (!parts.open.hidden) parts.bar.hidden = false;

    const shown = this.cursor === total ? this.ended : undefined;
    const text = shown ? resultWords(shown) : this.placeWords(total, live);
    if (parts.status.textContent !== text) parts.status.textContent = text;
    parts.status.className = `status-line ${shown ? (shown.status === "SUCCEEDED" ? "good" : "bad") : ""}`;
    this.editor?.refresh();
    this.recording?.arrange();
    if (!parts.events.hidden) this.listEvents();
    if (!parts.data.hidden) void this.listData();
    this.listTasks();
  }

  /** Returns the text of the status line about the position of the run while it has no result. */
  private placeWords(total: number, live: boolean): string {
    const { standing, cursor } = this;
    if (standing && standing.tasks.length > 0) return `Waiting for an answer: ${standing.tasks[0]!.state}`;
    if (standing?.status === "running") return "Running";
    if (total === 0) return live ? "Ready" : "";
    const at = cursor === total ? "" : `Event ${cursor} of ${total}. `;
    const state = this.stateAt(cursor);
    const what =
      state === "" ? this.eventType(cursor) : `${state}: ${STATUS_TEXT[this.fold!.runs[this.index!.byName.get(state)!]!.status]}`;
    return `${at}${what}${standing?.status === "paused" && standing.description ? `, ${standing.description}` : ""}`;
  }

  private eventType(event: number): string {
    return this.history.events[event - 1]?.type ?? "before the first event";
  }

  private listEvents(): void {
    const { events } = this.parts;
    const rows = this.history.events;
    // A long list shows only the rows around the cursor.
    const from = Math.max(0, Math.min(this.cursor - 100, rows.length - 200));
    const items = rows.slice(from, from + 200).map((event) => {
      const button = html(
        "button",
        { type: "button", "aria-current": event.id === this.cursor ? "true" : null },
        html("span", { class: "id" }, String(event.id)),
        ` ${event.type} `,
        html("b", {}, this.stateAt(event.id)),
      );
      button.addEventListener("click", () => void this.goto(event.id));
      return html("li", {}, button);
    });
    events.replaceChildren(...items);
    const current = events.querySelector("[aria-current]");
    if (current instanceof HTMLElement) events.scrollTop = Math.max(0, current.offsetTop - events.clientHeight / 2);
  }

  dataShown = "";
  private async listData(): Promise<void> {
    const { data } = this.parts;
    const state = this.chosen;
    const key = `${state} ${this.cursor} ${this.log.length} ${this.session}`;
    if (key === this.dataShown) return;
    this.dataShown = key;
    if (state === "") return data.replaceChildren(html("p", { class: "quiet" }, "Choose a state to see its data."));
    const visit = this.history
      .visitsOf(state)
      .filter(({ enter }) => enter <= this.cursor)
      .at(-1);
    const head = html("p", { class: "state" }, html("b", {}, state));
    const at = this.index?.byName.get(state);
    const status = at === undefined || !this.fold ? "" : STATUS_TEXT[this.fold.runs[at]!.status];
    if (!visit) return data.replaceChildren(head, html("p", { class: "quiet" }, status));
    const field = (event: number, name: string): unknown =>
      event > 0 && event <= this.cursor ? detailsOf(this.history.events[event - 1]!)[name] : undefined;
    const recorded = await this.recording?.flow(state, visit.enter).catch(() => undefined);
    const stages: { stage: string; value: unknown }[] =
      recorded?.stages ??
      (this.session && this.link ? await this.link.call("stages", { session: this.session, state }).catch(() => []) : []);
    if (key !== this.dataShown) return;
    const failed = visit.attempts
      .filter((attempt) => attempt.failed && attempt.ended <= this.cursor)
      .map(({ ended }) => detailsOf(this.history.events[ended - 1]!));
    const value = (label: string, json: unknown): HTMLElement | false =>
      json !== undefined &&
      html("figure", {}, html("figcaption", {}, label), html("pre", { tabindex: 0, role: "region", "aria-label": label }, pretty(json)));
    data.replaceChildren(
      head,
      html("p", { class: "quiet" }, status),
      ...[
        value("Input", field(visit.enter, "input")),
        ...stages.filter(({ stage }) => stage !== "output").map(({ stage, value: held }) => value(stageName(stage), JSON.stringify(held))),
        ...failed.map(({ error, cause }, i) =>
          html(
            "p",
            { class: "bad" },
            html("b", {}, String(error ?? "Failed")),
            cause === undefined ? "" : ` ${String(cause)}`,
            recorded?.retried[i],
          ),
        ),
        ...(recorded?.notes ?? []),
        value("Output", field(visit.exit, "output")),
      ].filter((part) => part !== false),
    );
  }

  // Tasks that only the page, or the user, can answer.

  private ask(task: Asked): void {
    if (this.asked.has(task.id)) return;
    this.asked.add(task.id);
    const event = new TaskEvent(task);
    this.dispatchEvent(event);
    if (!event.taken) return;
    event.settled().then(
      (output) => this.answer(task.id, { kind: "succeed", output: JSON.parse(JSON.stringify(output ?? null)) }),
      (thrown: { error?: unknown; name?: unknown; errorCause?: unknown; message?: unknown }) =>
        this.answer(task.id, {
          kind: "fail",
          error: String(thrown?.error ?? thrown?.name ?? "States.TaskFailed"),
          cause: String(thrown?.errorCause ?? thrown?.message ?? ""),
        }),
    );
  }

  answer(id: number, answer: TaskAnswer): void {
    if (this.session && this.link)
      this.link.call("answer", { session: this.session, id, answer }).then(
        (standing) => this.stand(standing),
        (error: Error) => this.say(error.message),
      );
  }

  private listTasks(): void {
    const { tasks } = this.parts;
    if (tasks.childElementCount + (this.standing?.tasks.length ?? 0) > 0)
      void import("./answerForms.ts").then(({ listForms }) => listForms(this, tasks, html, pretty));
  }

  private async command(how: "continue" | "pause" | "restart" | Step): Promise<void> {
    if (!this.session || !this.link) return;
    this.stand(await this.link.call("go", { session: this.session, how }));
  }

  /** Handles a press on a button. */
  press(name: string): void {
    const done =
      name === "run"
        ? this.standing?.status === "running"
          ? this.pause()
          : this.run()
        : name === "restart"
          ? this.restart()
          : name === "timer"
            ? this.nextTimer()
            : this.step(name as Step);
    done.catch((error: Error) => this.say(error.message));
  }

  scrubTo(event: number): void {
    this.goto(event).catch((error: Error) => this.say(error.message));
  }

  async openPlayground(): Promise<void> {
    await (await import("./exported.ts")).openPlayground(this);
  }

  say(text: string): void {
    const { note } = this.parts;
    note.textContent = text;
    note.hidden = text === "";
    if (text !== "" && !this.index && !this.editor) {
      this.parts.shell.hidden = false;
      this.parts.frame.hidden = this.parts.side.hidden = this.parts.bar.hidden = true;
    }
  }

  /** Applies the height of the attribute, in CSS pixels or any CSS length. */
  private size(): void {
    const height = this.getAttribute("height");
    if (height !== null) this.style.height = /^\d+$/.test(height) ? `${height}px` : height;
  }

  private dress(): void {
    if (!this.root) return;
    const wanted = this.getAttribute("theme");
    const auto = this.contrast?.matches ? "contrast" : this.darkness?.matches ? "dark" : "light";
    const theme = wanted === "light" || wanted === "dark" || wanted === "contrast" ? wanted : auto;
    this.root.adoptedStyleSheets = [...sheets(theme), ...this.editorSheets];
  }
}

if (globalThis.customElements && !customElements.get("stepglass-debugger")) customElements.define("stepglass-debugger", StepglassDebugger);
