// The marks beside and between the lines of a definition: breakpoints, the status of each state, the selected and the paused
// state, the commands of each state, and the values of a paused state.

import { effect } from "@preact/signals";
import { type EditorState, type Extension, type Range, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, GutterMarker, WidgetType, gutter } from "@codemirror/view";
import { textSize } from "../prefs.ts";
import { placeOf, setStates, stateAt, stateField, statePlaces } from "./states.ts";

/** The sign of a state's breakpoints beside its line. */
export interface BreakpointMark {
  kind: "plain" | "condition" | "log" | "off";
  /** The kind of the breakpoint, also while it is disabled. */
  form: "plain" | "condition" | "log";
  title: string;
}

/** The status of a state: an icon as path data in a square of 20, a count, and a description. */
export interface Sign {
  sign: string;
  count: number;
  kind: string;
  title: string;
}

/** A command for a state, above its first line. */
export interface Lens {
  id: string;
  text: string;
  title: string;
  run(): void;
}

export interface Shown {
  /** The selected state. */
  current: string | null;
  /** The active state, or the state in which the run is paused. */
  executing: { state: string; paused: boolean } | null;
  breakpoints: ReadonlyMap<string, BreakpointMark>;
  signs: ReadonlyMap<string, Sign>;
  /** Returns the commands of a state. It is evaluated in an effect, and only for visible states. */
  lenses: ((state: string) => Lens[]) | null;
}

export const show = StateEffect.define<Partial<Shown>>();
/** Values behind the positions that they belong to. */
export const setValues = StateEffect.define<readonly { at: number; text: string }[]>();

interface Held {
  shown: Shown;
  breaks: RangeSet<GutterMarker>;
  signs: RangeSet<GutterMarker>;
  current: DecorationSet;
  executing: DecorationSet;
  lenses: DecorationSet;
}

/** The maximum number of lines of a state that is marked line by line. */
const MOST_LINES = 2_000;
/**
 * In definitions with more states, only the selected one has commands above it, because each row between lines costs time with
 * every keystroke.
 */
const MOST_LENSES = 300;

class Break extends GutterMarker {
  constructor(
    readonly kind: string,
    readonly title: string,
  ) {
    super();
  }
  override eq(other: Break): boolean {
    return other.kind === this.kind && other.title === this.title;
  }
  override toDOM(): Node {
    const element = document.createElement("span");
    element.className = `sg-break ${this.kind}`;
    element.title = this.title;
    return element;
  }
}

class SignMark extends GutterMarker {
  constructor(readonly sign: Sign) {
    super();
  }
  override eq({ sign }: SignMark): boolean {
    return sign.sign === this.sign.sign && sign.count === this.sign.count && sign.kind === this.sign.kind && sign.title === this.sign.title;
  }
  override toDOM(): Node {
    const { sign, count, kind, title } = this.sign;
    const element = document.createElement("span");
    element.className = `sg-sign sg-${kind}`;
    if (sign !== "") element.append(drawn(sign));
    element.title = title;
    if (count > 1) {
      const times = document.createElement("small");
      times.textContent = count > 99 ? "…" : String(count);
      element.append(times);
    }
    return element;
  }
}

function drawn(path: string): SVGElement {
  const make = (name: string): SVGElement => document.createElementNS("http://www.w3.org/2000/svg", name);
  const svg = make("svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  const line = make("path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** The text comes from the style, so that it is not part of the text that is read aloud or copied. */
class LensRow extends WidgetType {
  private stop: (() => void) | undefined;
  constructor(
    readonly state: string,
    readonly indent: number,
    readonly lenses: (state: string) => Lens[],
  ) {
    super();
  }
  override eq(other: LensRow): boolean {
    return other.state === this.state && other.indent === this.indent && other.lenses === this.lenses;
  }
  override get estimatedHeight(): number {
    return 17 * textSize;
  }
  override toDOM(): HTMLElement {
    const row = document.createElement("div");
    row.className = "sg-lenses";
    row.style.paddingInlineStart = `calc(6px + ${this.indent}ch)`;
    // Each of them is also available as a command, for keyboard users.
    row.setAttribute("aria-hidden", "true");
    this.stop = effect(() => {
      const lenses = this.lenses(this.state);
      row.replaceChildren(
        ...lenses.map(({ id, text, title, run }) => {
          const button = document.createElement("button");
          button.type = "button";
          button.tabIndex = -1;
          button.dataset["lens"] = id;
          button.dataset["text"] = text;
          button.title = title;
          button.addEventListener("mousedown", (event) => event.preventDefault());
          button.addEventListener("click", run);
          return button;
        }),
      );
    });
    return row;
  }
  override destroy(): void {
    this.stop?.();
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

class Value extends WidgetType {
  constructor(readonly text: string) {
    super();
  }
  override eq(other: Value): boolean {
    return other.text === this.text;
  }
  override toDOM(): HTMLElement {
    const element = document.createElement("span");
    element.className = "sg-value";
    element.setAttribute("aria-hidden", "true");
    element.dataset["value"] = this.text;
    return element;
  }
}

const NONE: Shown = { current: null, executing: null, breakpoints: new Map(), signs: new Map(), lenses: null };

const marksField = StateField.define<Held>({
  create: () => ({
    shown: NONE,
    breaks: RangeSet.empty,
    signs: RangeSet.empty,
    current: Decoration.none,
    executing: Decoration.none,
    lenses: Decoration.none,
  }),
  update(before, transaction) {
    let held = before;
    if (transaction.docChanged) {
      const { changes } = transaction;
      held = {
        ...held,
        breaks: held.breaks.map(changes),
        signs: held.signs.map(changes),
        current: held.current.map(changes),
        executing: held.executing.map(changes),
        lenses: held.lenses.map(changes),
      };
    }
    let given: Partial<Shown> | undefined;
    for (const effect of transaction.effects) {
      if (effect.is(show)) given = { ...given, ...effect.value };
      if (effect.is(setStates)) given = { ...held.shown, ...given };
    }
    if (!given) return held;
    const { state } = transaction;
    held = { ...held, shown: { ...held.shown, ...given } };
    if (given.breakpoints) held.breaks = breaks(state, given.breakpoints);
    if (given.signs) held.signs = signs(state, given.signs);
    if (given.current !== undefined) held.current = linesOf(state, given.current, "sg-current");
    if (given.executing !== undefined)
      held.executing = linesOf(state, given.executing?.state ?? null, "sg-executing", given.executing?.paused ? "sg-paused" : "");
    if (given.lenses !== undefined || (given.current !== undefined && statePlaces(state).length > MOST_LENSES))
      held.lenses = lenses(state, held.shown);
    return held;
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ current }) => current),
    EditorView.decorations.from(field, ({ executing }) => executing),
    EditorView.decorations.from(field, ({ lenses: rows }) => rows),
  ],
});

const valuesField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(values, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setValues)) continue;
      const most = transaction.state.doc.length;
      return Decoration.set(
        effect.value.map(({ at, text }) => Decoration.widget({ widget: new Value(text), side: 1 }).range(Math.min(at, most))),
        true,
      );
    }
    return values.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A marker for a breakpoint at the line with each state's name. */
function breaks(state: EditorState, marks: Shown["breakpoints"]): RangeSet<GutterMarker> {
  const found: Range<GutterMarker>[] = [];
  let last = -1;
  for (const { name, nameFrom } of statePlaces(state)) {
    const { from } = state.doc.lineAt(nameFrom);
    // If two states are on a line, the one with a breakpoint is shown.
    const mark = marks.get(name);
    if (from === last && !mark) continue;
    if (from === last) found.pop();
    last = from;
    const kind = mark ? `sg-break-${mark.form}${mark.kind === "off" ? " sg-break-off" : ""}` : "sg-break-none";
    found.push(new Break(kind, mark?.title ?? `Breakpoint before ${name}`).range(from));
  }
  return RangeSet.of(found, true);
}

function signs(state: EditorState, given: Shown["signs"]): RangeSet<GutterMarker> {
  if (given.size === 0) return RangeSet.empty;
  const found: Range<GutterMarker>[] = [];
  for (const { name, nameFrom } of statePlaces(state)) {
    const sign = given.get(name);
    if (sign) found.push(new SignMark(sign).range(state.doc.lineAt(nameFrom).from));
  }
  return RangeSet.of(found, true);
}

function linesOf(state: EditorState, name: string | null, kind: string, first = ""): DecorationSet {
  const place = name === null ? undefined : placeOf(state, name);
  if (!place) return Decoration.none;
  const lines: Range<Decoration>[] = [];
  const begin = state.doc.lineAt(place.nameFrom).number;
  const end = Math.min(state.doc.lineAt(Math.min(place.to, state.doc.length)).number, begin + MOST_LINES);
  for (let n = begin; n <= end; n++)
    lines.push(Decoration.line({ class: n === begin && first ? `${kind} ${first}` : kind }).range(state.doc.line(n).from));
  return Decoration.set(lines);
}

function lenses(state: EditorState, { lenses: given, current }: Shown): DecorationSet {
  if (!given) return Decoration.none;
  const all = statePlaces(state);
  const places = all.length > MOST_LENSES ? all.filter(({ name }) => name === current) : all;
  const rows: Range<Decoration>[] = [];
  let last = -1;
  for (const { name, nameFrom } of places) {
    const line = state.doc.lineAt(nameFrom);
    // The row is above a line that begins with this state.
    const indent = /^\s*/.exec(line.text)![0].length;
    if (line.from === last || line.from + indent < nameFrom - 1) continue;
    last = line.from;
    rows.push(Decoration.widget({ widget: new LensRow(name, indent, given), block: true, side: -1 }).range(line.from));
  }
  return Decoration.set(rows, true);
}

export function marks(toggle: (state: string, edit: boolean) => void): Extension {
  return [
    stateField,
    marksField,
    valuesField,
    gutter({
      class: "sg-breaks",
      markers: (view) => view.state.field(marksField).breaks,
      initialSpacer: () => new Break("sg-break-none", ""),
      domEventHandlers: {
        mousedown(view, line, event) {
          const at = view.state.doc.lineAt(line.from);
          // This is a state whose name is in the line, else the innermost state around it.
          const found =
            statePlaces(view.state).find(({ nameFrom }) => nameFrom >= at.from && nameFrom <= at.to) ??
            stateAt(view.state, at.from + /^\s*/.exec(at.text)![0].length);
          if (!found) return false;
          event.preventDefault();
          toggle(found.name, (event as MouseEvent).shiftKey);
          return true;
        },
      },
    }),
    gutter({
      class: "sg-signs",
      markers: (view) => view.state.field(marksField).signs,
      initialSpacer: () => new SignMark({ sign: "", count: 1, kind: "none", title: "" }),
    }),
    looks,
  ];
}

const looks = EditorView.theme({
  ".sg-current": { backgroundColor: "var(--current)", boxShadow: "inset 2px 0 var(--accent)" },
  ".sg-executing": { boxShadow: "inset 3px 0 var(--st-running)" },
  ".sg-executing:has(~ .sg-paused), .sg-paused, .sg-paused ~ .sg-executing": { boxShadow: "inset 3px 0 var(--st-paused)" },
  ".sg-paused": { backgroundColor: "var(--st-paused-fill)" },
  ".sg-breaks": { width: "1rem", cursor: "pointer" },
  ".sg-break": {
    display: "block",
    width: "0.6875rem",
    height: "0.6875rem",
    margin: "0.25rem 0 0 3px",
    borderRadius: "50%",
    boxSizing: "border-box",
    border: "2px solid var(--bad)",
    backgroundColor: "var(--bad)",
  },
  ".sg-break-condition": { borderRadius: "2px", transform: "rotate(45deg) scale(.86)" },
  ".sg-break-log": { backgroundColor: "transparent" },
  ".sg-break-off": { backgroundColor: "transparent", borderColor: "var(--faint)", borderStyle: "dashed", borderWidth: "1.5px" },
  ".sg-break-none": { backgroundColor: "transparent", borderColor: "transparent" },
  ".sg-breaks .cm-gutterElement:hover .sg-break-none": { backgroundColor: "var(--bad-soft)", borderColor: "var(--bad)" },
  ".sg-signs": { width: "1.375rem" },
  ".sg-sign": { display: "block", fontWeight: "700", fontSize: "0.6875rem", whiteSpace: "nowrap", paddingInlineStart: "3px" },
  ".sg-sign svg": {
    width: "0.6875rem",
    height: "0.6875rem",
    verticalAlign: "-1px",
    fill: "none",
    stroke: "currentcolor",
    strokeWidth: "2.6",
    strokeLinecap: "round",
    strokeLinejoin: "round",
  },
  ".sg-sign small": { fontSize: "0.5312rem", verticalAlign: "super", lineHeight: "0" },
  ".sg-succeeded": { color: "var(--st-succeeded)" },
  ".sg-failed, .sg-timedOut": { color: "var(--st-failed)" },
  ".sg-caught": { color: "var(--st-caught)" },
  ".sg-running": { color: "var(--st-running)" },
  ".sg-waiting, .sg-awaiting": { color: "var(--st-waiting)" },
  ".sg-retrying": { color: "var(--st-retrying)" },
  ".sg-cancelled": { color: "var(--muted)" },
  ".sg-lenses": { height: "1.0625rem", display: "flex", alignItems: "end", gap: "2px", overflow: "hidden", userSelect: "none" },
  ".sg-lenses button": {
    border: "none",
    background: "none",
    padding: "0 0.25rem 0 0",
    font: "0.6562rem/0.9375rem var(--sans)",
    color: "var(--muted)",
    cursor: "pointer",
    whiteSpace: "nowrap",
  },
  ".sg-lenses button::before": { content: "attr(data-text)" },
  ".sg-lenses button + button": { paddingInlineStart: "0.375rem", borderInlineStart: "1px solid var(--border)" },
  ".sg-lenses button:hover": { color: "var(--accent)", textDecoration: "underline" },
  ".sg-value::after": {
    content: "' = ' attr(data-value)",
    color: "var(--muted)",
    fontStyle: "italic",
    backgroundColor: "var(--raised)",
    borderRadius: "0.25rem",
    padding: "0 0.25rem",
    marginInlineStart: "0.375rem",
    fontSize: "0.7188rem",
  },
});
