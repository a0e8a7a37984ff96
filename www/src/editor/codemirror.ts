// The editor chunk: CodeMirror, assembled from its parts. It is in a shadow root, so that its styles are adopted sheets and the
// page's policy needs no exception for inline styles.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { history, historyField, simplifySelection } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, codeFolding, foldGutter, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic as Mark, lintGutter, nextDiagnostic, previousDiagnostic, setDiagnostics } from "@codemirror/lint";
import { closeSearchPanel, highlightSelectionMatches, openSearchPanel, search } from "@codemirror/search";
import { ChangeSet, Compartment, EditorState, type Extension, Prec, type StateEffect, type Transaction } from "@codemirror/state";
import { type ReadonlySignal, effect } from "@preact/signals";
import {
  EditorView,
  drawSelection,
  dropCursor,
  highlightActiveLine,
  highlightActiveLineGutter,
  type ViewUpdate,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { colours, looks } from "./theme.ts";
import type { Analysis, Diagnostic, Edit, StatePlace } from "../model/protocol.ts";
import { afterPaint } from "../ui/afterPaint.ts";
import { sentence, unticked } from "../ui/format.ts";
import { askedCompletions } from "./completions.ts";
import { withCode } from "./withCode.ts";
import { keymap as pageKeys } from "../keys/keymap.ts";
import { type AskLanguage, apply, askName, doCommand, languageFeatures } from "./language.ts";
import { type Shown, marks as marksOf, setValues, show } from "./marks.ts";
import { type Changed, plainKeys, runOfText, textKeys } from "./textKeys.ts";
import { type Failing, failing, setFailing } from "./failing.ts";
import { type Crumb, pathAt, placeOf, setStates, stateAt, statePlaces } from "./states.ts";

export type Language = "json" | "asl-json" | "asl-yaml" | "javascript";

export interface EditorHandle {
  readonly view: EditorView;
  text(): string;
  /** Reports the last keystrokes now. */
  flush(): void;
  replace(text: string): void;
  focus(): void;
  measure(): void;
  destroy(): void;
  /** Scrolls to a range and selects it, or only its beginning. */
  reveal(from: number, to: number, focus: boolean): void;
  /** Scrolls a state's name to the middle, if it is not in view. */
  center(state: string): void;
  /** Takes over the analysis of the current text. */
  setAnalysis(found: Analysis): void;
  /** Changes the marks beside the lines. */
  show(shown: Partial<Shown>): void;
  /** Shows values behind the positions that they belong to. */
  setValues(values: readonly { at: number; text: string }[]): void;
  /** Marks the part of the text with which a run has failed. Null removes the mark. */
  setFailing(part: Failing | null): void;
  /** Called when the margin beside a state is clicked; `edit` is set if Shift is held. */
  onBreakpoint(listener: (state: string, edit: boolean) => void): void;
  /** Called when the cursor moves to another state. */
  onState(listener: (name: string | null) => void): void;
  placeOf(name: string): StatePlace | undefined;
  nextProblem(back: boolean): void;
  /** Called with the path of the cursor, the outermost part first, whenever it changes. */
  onPath(listener: (path: Crumb[]) => void): void;
  /**
   * Applies edits as one step that can be undone. Their positions belong to the text of these diagnostics and are mapped through
   * later changes. Returns false if other diagnostics have been shown since.
   */
  apply(edits: readonly Edit[], of: readonly Diagnostic[]): boolean;
  /** Applies edits of the current text, as one step that can be undone. */
  edit(edits: readonly Edit[]): void;
  /** Asks for a new name of what is at an offset. */
  rename(offset: number): void;
  search(): void;
  /** Runs a command of the editor, by its id in the table of commands. */
  command(id: string): void;
}

interface Options {
  host: HTMLElement;
  text: string;
  language: Language;
  label: string;
  placeholder: string;
  readOnly?: boolean;
  /** The undo history of an editor that had the same text. */
  past?: unknown;
  changed(text: string): void;
  /** The keys that the user has changed. */
  changedKeys: ReadonlySignal<Changed>;
  /** For a definition: the interpreter's queries about its text. */
  asked?: AskLanguage;
}

/**
 * Handles typing over a selection of several lines. A browser would join the lines itself and preserve their appearance by inline
 * styles, which the page's policy forbids.
 */
function typedOver(event: InputEvent, view: EditorView): boolean {
  const { state } = view;
  const { from, to } = state.selection.main;
  const text = event.data;
  if (event.inputType !== "insertText" || text === null || view.composing || state.readOnly || state.doc.lineAt(from).to >= to)
    return false;
  const insert = (): Transaction => state.update(state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
  if (!state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
  event.preventDefault();
  return true;
}

function foldSign(open: boolean): HTMLElement {
  const sign = document.createElement("span");
  sign.className = open ? "sg-fold" : "sg-fold sg-folded";
  sign.title = open ? "Fold the lines" : "Unfold the lines";
  return sign;
}

/** The keys of the list are bound by the editor. */
const plainCompletions = (): Extension => autocompletion({ defaultKeymap: false });

/** JSON is part of this chunk. Other languages are loaded on request. */
async function languageOf(language: Language, asked: AskLanguage | undefined): Promise<Extension> {
  switch (language) {
    case "asl-yaml":
      return [(await import("@codemirror/lang-yaml")).yaml(), asked ? askedCompletions(asked.complete, true) : plainCompletions()];
    case "javascript":
      return [(await import("@codemirror/lang-javascript")).javascript(), plainCompletions()];
    case "asl-json":
      return [json(), asked ? askedCompletions(asked.complete, false) : plainCompletions()];
    default:
      return [json(), plainCompletions()];
  }
}

/** Returns the extensions of every text editor. */
function plainExtensions({ language, placeholder: empty, past, label }: Options): Extension[] {
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    // The gutters have this order.
    isAsl(language) ? lintGutter() : [],
    foldGutter({ markerDOM: foldSign }),
    codeFolding(),
    history(),
    past === undefined ? [] : historyField.init(() => past),
    drawSelection(),
    dropCursor(),
    EditorState.allowMultipleSelections.of(true),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    placeholder(empty),
    syntaxHighlighting(colours),
    looks,
    EditorView.contentAttributes.of({
      "aria-label": label,
      tabindex: "0",
      spellcheck: "false",
      autocorrect: "off",
      autocapitalize: "off",
    }),
  ];
}

function isAsl(language: Language): boolean {
  return language === "asl-json" || language === "asl-yaml";
}

const READ_ONLY = [EditorState.readOnly.of(true), EditorView.contentAttributes.of({ "aria-readonly": "true" })];

export function createEditor(options: Options): EditorHandle {
  return new TextEditor(options);
}

class TextEditor implements EditorHandle {
  readonly view: EditorView;
  readonly #asl: boolean;
  readonly #asked: AskLanguage | undefined;
  readonly #telling: ChangeReporter;
  readonly #since: ChangesSince;
  readonly #grammar = new Compartment();
  readonly #keys = new Compartment();
  readonly #unheard: () => void;
  #stateListener: ((name: string | null) => void) | undefined;
  #pathListener: ((path: Crumb[]) => void) | undefined;
  #toggle: ((state: string, edit: boolean) => void) | undefined;
  #lastPath = "";
  #lastState: string | null = null;
  #shown: readonly Diagnostic[] = [];
  /** Whether the text has marks of problems. */
  #marked = false;
  #valued = false;
  #failing = false;
  #quiet = false;
  #gone = false;
  /**
   * The pending changes of the marks. They come from many sources, and each update of the editor is expensive, so they are
   * applied together after the graph was painted.
   */
  #marks: StateEffect<unknown>[] = [];

  constructor(options: Options) {
    const { host, text, language, changed, changedKeys, asked } = options;
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    this.#asl = isAsl(language);
    this.#asked = asked;
    this.#telling = new ChangeReporter(changed);
    this.#since = new ChangesSince(text.length);
    this.view = new EditorView({
      root,
      parent: root as unknown as Element,
      state: EditorState.create({ doc: text, extensions: this.#extensions(options) }),
    });
    let first = true;
    this.#unheard = effect(() => {
      const now = textKeys(changedKeys.value);
      if (!first) this.view.dispatch({ effects: this.#keys.reconfigure(keymap.of(now)) });
      first = false;
    });
    languageOf(language, asked).then(
      (extension) => this.#gone || this.view.dispatch({ effects: this.#grammar.reconfigure(extension) }),
      // Without its grammar, the text can still be edited as plain text.
      () => {},
    );
  }

  #extensions(options: Options): Extension[] {
    const pageKey = (event: KeyboardEvent): boolean => this.#command(pageKeys.value?.find(event, "editor")?.id ?? "");
    return [
      this.#asl ? [marksOf((name, edit) => this.#toggle?.(name, edit)), failing] : [],
      plainExtensions(options),
      this.#grammar.of([]),
      options.asked ? languageFeatures(options.asked) : [],
      options.readOnly ? READ_ONLY : [],
      // This comes before the editor's own keys, because the page's table defines them.
      this.#asl ? Prec.highest(EditorView.domEventHandlers({ keydown: pageKey })) : [],
      // The keys of the list of completions, while it is open.
      Prec.highest(keymap.of(completionKeymap.filter(({ key }) => key !== undefined && key !== "Ctrl-Space"))),
      this.#keys.of(keymap.of(textKeys(options.changedKeys.peek()))),
      keymap.of([
        ...closeBracketsKeymap,
        { key: "Escape", run: closeSearchPanel, scope: "editor search-panel" },
        { key: "Escape", run: simplifySelection },
        ...plainKeys,
      ]),
      Prec.highest(EditorView.domEventHandlers({ beforeinput: typedOver })),
      EditorView.updateListener.of((update) => this.#updated(update)),
    ];
  }

  #updated(update: ViewUpdate): void {
    if (update.docChanged) {
      this.#since.add(update.changes);
      this.#telling.soon(update.view);
    }
    if (!this.#asl || (!update.selectionSet && statePlaces(update.startState) === statePlaces(update.state))) return;
    const { head } = update.state.selection.main;
    const around = pathAt(update.state, head);
    const told = JSON.stringify(around);
    if (told !== this.#lastPath) {
      this.#lastPath = told;
      this.#pathListener?.(around);
    }
    if (this.#stateListener && !this.#quiet && (update.selectionSet || update.docChanged) && update.view.hasFocus) {
      const name = stateAt(update.state, head)?.name ?? null;
      if (name !== this.#lastState) this.#stateListener((this.#lastState = name));
    }
  }

  #command(id: string): boolean {
    const { view } = this;
    const run = runOfText(id);
    if (run) return run(view);
    const place = id === "lineBreakpoint" ? stateAt(view.state, view.state.selection.main.head) : undefined;
    if (place) this.#toggle?.(place.name, false);
    return place !== undefined || (this.#asked !== undefined && doCommand(this.#asked, view, id));
  }

  #mark(change: StateEffect<unknown>): void {
    if (this.#marks.push(change) > 1) return;
    afterPaint(() => {
      const effects = this.#marks;
      this.#marks = [];
      if (!this.#gone) this.view.dispatch({ effects });
    });
  }

  #clamp(offset: number): number {
    return Math.max(0, Math.min(offset, this.view.state.doc.length));
  }

  text(): string {
    return this.view.state.doc.toString();
  }

  readonly flush = (): void => this.#telling.now(this.view);

  replace(next: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: next } });
  }

  focus(): void {
    this.view.focus();
  }

  measure(): void {
    this.view.requestMeasure();
  }

  destroy(): void {
    this.#gone = true;
    this.#telling.never();
    this.#unheard();
    this.view.destroy();
  }

  reveal(from: number, to: number, focus: boolean): void {
    this.#quiet = true;
    this.view.dispatch({
      ...(focus ? { selection: { anchor: this.#clamp(from), head: this.#clamp(to) } } : {}),
      effects: EditorView.scrollIntoView(this.#clamp(from), { y: "nearest", yMargin: 60 }),
    });
    this.#quiet = false;
    if (focus) this.view.focus();
  }

  center(name: string): void {
    const { view } = this;
    const place = placeOf(view.state, name);
    if (!place) return;
    const { top, bottom } = view.lineBlockAt(place.nameFrom);
    const { scrollTop, clientHeight } = view.scrollDOM;
    // A state that is well within the view does not scroll.
    if (clientHeight > 0 && top > scrollTop + clientHeight * 0.15 && bottom < scrollTop + clientHeight * 0.85) return;
    view.dispatch({ effects: EditorView.scrollIntoView(place.nameFrom, { y: "center" }) });
  }

  setAnalysis({ diagnostics, places }: Analysis): void {
    const { view } = this;
    if (places && !same(places, statePlaces(view.state))) view.dispatch({ effects: setStates.of(places) });
    this.#shown = diagnostics;
    this.#since.reset(view.state.doc.length);
    const found = diagnostics.map((diagnostic) => this.#markOf(diagnostic));
    if (found.length > 0 || this.#marked) view.dispatch(setDiagnostics(view.state, found));
    this.#marked = found.length > 0;
  }

  #markOf({ range, severity, message, help, code, fixes, labels }: Diagnostic): Mark {
    const from = this.#clamp(range?.start.offset ?? 0);
    const to = this.#clamp(range?.end.offset ?? from);
    const others = (labels ?? [])
      .filter((other) => other.message)
      .map((other) => `${other.range ? `Line ${other.range.start.line}: ` : ""}${other.message}`);
    const mark: Mark = {
      from,
      to: Math.max(from, to),
      severity,
      message: [sentence(message), help && sentence(help), ...others].filter(Boolean).join("\n"),
      source: code,
      renderMessage: () => withCode(mark.message),
    };
    if (fixes)
      mark.actions = fixes
        .slice(0, 4)
        .map(({ title, edits }) => ({ name: unticked(sentence(title)), apply: (editor) => apply(editor, this.#since.moved(edits)) }));
    return mark;
  }

  show(given: Partial<Shown>): void {
    if (given.current !== undefined) this.#lastState = given.current;
    this.#mark(show.of(given));
  }

  setValues(values: readonly { at: number; text: string }[]): void {
    if (values.length > 0 || this.#valued) this.#mark(setValues.of(values));
    this.#valued = values.length > 0;
  }

  setFailing(part: Failing | null): void {
    if (part !== null || this.#failing) this.#mark(setFailing.of(part));
    this.#failing = part !== null;
  }

  onBreakpoint(listener: (state: string, edit: boolean) => void): void {
    this.#toggle = listener;
  }

  onState(listener: (name: string | null) => void): void {
    this.#stateListener = listener;
  }

  onPath(listener: (path: Crumb[]) => void): void {
    this.#pathListener = listener;
  }

  placeOf(name: string): StatePlace | undefined {
    return placeOf(this.view.state, name);
  }

  nextProblem(back: boolean): void {
    this.view.focus();
    (back ? previousDiagnostic : nextDiagnostic)(this.view);
  }

  apply(edits: readonly Edit[], of: readonly Diagnostic[]): boolean {
    if (of !== this.#shown) return false;
    apply(this.view, this.#since.moved(edits));
    return true;
  }

  edit(edits: readonly Edit[]): void {
    apply(this.view, edits);
  }

  rename(offset: number): void {
    if (this.#asked) void askName(this.#asked, this.view, this.#clamp(offset));
  }

  command(id: string): void {
    this.view.focus();
    this.#command(id);
  }

  search(): void {
    this.view.focus();
    openSearchPanel(this.view);
  }
}

/** Reports changes with a delay, because no other part of the page needs them with every keystroke. */
class ChangeReporter {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly changed: (text: string) => void) {}

  soon(view: EditorView): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.now(view), view.composing ? 400 : 60);
  }

  /** Reports at once. Does nothing if everything was reported. */
  now(view: EditorView): void {
    if (this.#timer === undefined) return;
    this.never();
    this.changed(view.state.doc.toString());
  }

  never(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Returns whether two lists of ranges are equal. */
function same(a: readonly StatePlace[], b: readonly StatePlace[]): boolean {
  return (
    a.length === b.length &&
    a.every((place, i) => {
      const other = b[i]!;
      return (
        place.pointer === other.pointer &&
        place.from === other.from &&
        place.to === other.to &&
        place.nameFrom === other.nameFrom &&
        place.nameTo === other.nameTo
      );
    })
  );
}

/** The changes since the diagnostics arrived. */
class ChangesSince {
  private changes: ChangeSet;

  constructor(length: number) {
    this.changes = ChangeSet.empty(length);
  }

  reset(length: number): void {
    this.changes = ChangeSet.empty(length);
  }

  add(changes: ChangeSet): void {
    this.changes = this.changes.compose(changes);
  }

  moved(edits: readonly Edit[]): Edit[] {
    return edits.map(({ from, to, text }) => {
      const start = this.changes.mapPos(from, from === to ? -1 : 1);
      return { from: start, to: Math.max(start, this.changes.mapPos(to, -1)), text };
    });
  }
}
