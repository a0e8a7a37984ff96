// The language features of the definition's editor. The interpreter answers the queries.

import { EditorSelection, type Extension, StateEffect, StateField } from "@codemirror/state";
import { EditorView, type Panel, hoverTooltip, keymap, showPanel } from "@codemirror/view";
import type { Completions, Edit, Fix, HoverInfo, NamePlaces } from "../model/protocol.ts";
import { sentence } from "../ui/format.ts";
import { withCode } from "./withCode.ts";

/** The queries of the interpreter about a text. */
export interface AskLanguage {
  complete(text: string, offset: number): Promise<Completions>;
  hover(text: string, offset: number): Promise<HoverInfo | null>;
  references(text: string, offset: number): Promise<NamePlaces | null>;
  rename(text: string, offset: number, to: string): Promise<{ edits: Edit[] } | { refused: string }>;
  actions(text: string, from: number, to: number): Promise<Fix[]>;
  format(text: string): Promise<Edit[]>;
  /** Shows a text for a moment. */
  tell(text: string): void;
  /** Announces a text to screen readers. */
  say(text: string): void;
}

type MakePanel = (view: EditorView) => Panel;
const setPanel = StateEffect.define<MakePanel | null>();

const panel = StateField.define<MakePanel | null>({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setPanel)) return effect.value;
    // The text that the list refers to has changed.
    return transaction.docChanged ? null : value;
  },
  provide: (field) => showPanel.from(field),
});

export function languageFeatures(ask: AskLanguage): Extension {
  return [
    panel,
    hoverTooltip((view, pos) => hover(ask, view, pos), { hoverTime: 350 }),
    keymap.of([
      { key: "Escape", run: (view) => (view.state.field(panel) ? (view.dispatch({ effects: setPanel.of(null) }), true) : false) },
    ]),
    EditorView.domEventHandlers({
      mousedown(event, view) {
        if (event.button !== 0 || !(event.ctrlKey || event.metaKey) || event.altKey) return false;
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (at === null) return false;
        event.preventDefault();
        void goToName(ask, view, at);
        return true;
      },
    }),
    looks,
  ];
}

/** Runs a command of the definition's editor by its id. Returns whether it exists. */
export function doCommand(ask: AskLanguage, view: EditorView, id: string): boolean {
  const at = view.state.selection.main.head;
  if (id === "toName") void goToName(ask, view);
  else if (id === "places") void listPlaces(ask, view);
  else if (id === "rename") void askName(ask, view, at);
  else if (id === "layOut") void layOut(ask, view);
  else if (id === "fixes") void listFixes(ask, view);
  else return false;
  return true;
}

export function apply(view: EditorView, edits: readonly Edit[], event = "input.fix"): void {
  view.dispatch({ changes: edits.map(({ from, to, text }) => ({ from, to, insert: text })), userEvent: event, scrollIntoView: true });
}

async function hover(ask: AskLanguage, view: EditorView, pos: number) {
  const found = await ask.hover(view.state.doc.toString(), pos).catch(() => null);
  if (!found) return null;
  return {
    pos: Math.min(found.from, view.state.doc.length),
    end: Math.min(found.to, view.state.doc.length),
    above: true,
    create: () => ({ dom: hoverElement(found) }),
  };
}

function hoverElement(found: HoverInfo): HTMLElement {
  const dom = element("div", "sg-hover");
  dom.append(element("div", "sg-hover-title", found.title));
  for (const line of found.text.split("\n").filter(Boolean)) dom.append(withCode(line, "p"));
  for (const { label, value } of found.seen ?? []) {
    const last = element("p", "sg-hover-value", `${label}: `);
    last.append(element("code", "", value));
    dom.append(last);
  }
  return dom;
}

function element(name: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

async function goToName(ask: AskLanguage, view: EditorView, at = view.state.selection.main.head): Promise<void> {
  const found = await ask.references(view.state.doc.toString(), at).catch(() => null);
  const places = found?.places.filter(({ definition }) => definition) ?? [];
  const target = places[0];
  if (!found || !target) return ask.say("There is no state or variable name here.");
  // On the name itself, its references are listed.
  if (places.some(({ from, to }) => from <= at && at <= to)) return listPlaces(ask, view, at);
  if (places.length > 1)
    return list(
      view,
      `${found.name} is defined ${places.length} times`,
      places.map((place) => placeItem(view, place)),
    );
  select(view, target.from, target.to);
}

function select(view: EditorView, from: number, to: number): void {
  view.dispatch({ selection: EditorSelection.single(from, to), effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}

async function listPlaces(ask: AskLanguage, view: EditorView, at = view.state.selection.main.head): Promise<void> {
  const found = await ask.references(view.state.doc.toString(), at).catch(() => null);
  if (!found) return ask.say("There is no state or variable name here.");
  const name = found.kind === "variable" ? `$${found.name}` : found.name;
  list(
    view,
    `${name} is used in ${found.places.length} places`,
    found.places.map((place) => placeItem(view, place)),
  );
}

function placeItem(view: EditorView, place: { from: number; to: number; definition: boolean }): Item {
  const line = view.state.doc.lineAt(Math.min(place.from, view.state.doc.length));
  return {
    label: line.text.trim().slice(0, 120),
    detail: `${place.definition ? "defined here · " : ""}line ${line.number}`,
    run: () => select(view, place.from, place.to),
  };
}

async function listFixes(ask: AskLanguage, view: EditorView): Promise<void> {
  const { from, to } = view.state.selection.main;
  const line = view.state.doc.lineAt(from);
  const text = view.state.doc.toString();
  const none: Fix[] = [];
  const here = await ask.actions(text, from, to).catch(() => none);
  const onLine = await ask.actions(text, line.from, line.to).catch(() => none);
  const found = [
    ...here.filter(({ last }) => !last),
    ...onLine.filter((other) => !other.last && !here.some(({ title }) => title === other.title)),
    ...here.filter(({ last }) => last),
  ];
  if (found.length === 0) return ask.tell("No changes are available here.");
  list(
    view,
    "Changes",
    found.map(({ title, edits }) => ({
      label: sentence(title),
      detail: "",
      run: () => (edits.length === 0 ? ask.tell(sentence(title)) : (apply(view, edits), ask.say(`Done: ${title}`)), view.focus()),
    })),
  );
}

async function layOut(ask: AskLanguage, view: EditorView): Promise<void> {
  const edits = await ask.format(view.state.doc.toString()).catch(() => []);
  if (edits.length === 0) return ask.say("The text is already formatted.");
  apply(view, edits, "input.format");
  ask.say("Formatted.");
}

/** Asks for a new name and replaces it everywhere. */
export async function askName(ask: AskLanguage, view: EditorView, at: number): Promise<void> {
  const found = await ask.references(view.state.doc.toString(), at).catch(() => null);
  if (!found) return ask.say("There is no state or variable name here.");
  const make: MakePanel = () => {
    const dom = element("form", "sg-panel") as HTMLFormElement;
    const label = element("label", "", `Rename ${found.name} to `);
    const field = element("input", "cm-textfield") as HTMLInputElement;
    field.value = found.name;
    field.spellcheck = false;
    label.append(field);
    const problem = element("span", "sg-problem");
    problem.setAttribute("role", "alert");
    dom.append(label, button("Rename"), problem, element("span", "sg-note", `${found.places.length} places`));
    const close = (): void => {
      view.dispatch({ effects: setPanel.of(null) });
      view.focus();
    };
    dom.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      close();
    });
    dom.addEventListener("submit", (event) => {
      event.preventDefault();
      void ask.rename(view.state.doc.toString(), found.from, field.value).then((answer) => {
        if ("refused" in answer) {
          problem.textContent = sentence(answer.refused);
          field.focus();
          return;
        }
        close();
        apply(view, answer.edits, "input.rename");
        ask.say(`Renamed in ${answer.edits.length} places.`);
      });
    });
    return { dom, top: true, mount: () => field.select() };
  };
  view.dispatch({ effects: setPanel.of(make) });
}

function button(text: string): HTMLButtonElement {
  const made = element("button", "cm-button", text) as HTMLButtonElement;
  made.type = "submit";
  return made;
}

interface Item {
  label: string;
  detail: string;
  run(): void;
}

/** A list below the text. The arrow keys move in it, Enter selects, and Escape closes it. */
function list(view: EditorView, title: string, items: Item[]): void {
  const make: MakePanel = () => {
    const dom = element("div", "sg-panel sg-list");
    dom.append(element("b", "", title));
    const rows = element("div", "sg-rows");
    rows.setAttribute("role", "menu");
    rows.setAttribute("aria-label", title);
    const buttons = items.map((item) => {
      const row = element("button", "sg-row") as HTMLButtonElement;
      row.type = "button";
      row.setAttribute("role", "menuitem");
      row.append(element("span", "", item.label), element("small", "", item.detail));
      row.addEventListener("click", () => {
        view.dispatch({ effects: setPanel.of(null) });
        item.run();
      });
      return row;
    });
    rows.append(...buttons);
    dom.append(rows);
    dom.addEventListener("keydown", (event) => {
      const at = buttons.indexOf((view.root as ShadowRoot).activeElement as HTMLButtonElement);
      if (event.key === "ArrowDown") buttons[(at + 1) % buttons.length]?.focus();
      else if (event.key === "ArrowUp") buttons[(at + buttons.length - 1) % buttons.length]?.focus();
      else if (event.key === "Escape") {
        view.dispatch({ effects: setPanel.of(null) });
        view.focus();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return { dom, mount: () => buttons[0]?.focus() };
  };
  view.dispatch({ effects: setPanel.of(make) });
}

const looks = EditorView.theme({
  ".sg-hover": {
    maxWidth: "min(28.75rem, 90vw)",
    padding: "0.5rem 0.75rem",
    fontFamily: "var(--sans)",
    fontSize: "0.7812rem",
    lineHeight: "1.45",
  },
  ".sg-hover-title": { fontFamily: "var(--mono)", fontSize: "0.75rem", fontWeight: "650" },
  ".sg-hover p": { margin: "0.25rem 0 0" },
  ".sg-hover code": {
    fontFamily: "var(--mono)",
    fontSize: "0.7188rem",
    backgroundColor: "var(--raised)",
    borderRadius: "0.25rem",
    padding: "0 3px",
  },
  ".sg-hover-value code": { wordBreak: "break-all" },
  ".sg-panel": {
    display: "flex",
    flexWrap: "wrap",
    alignItems: "center",
    gap: "0.5rem",
    padding: "0.375rem 0.625rem",
    fontFamily: "var(--sans)",
    fontSize: "0.7812rem",
  },
  ".sg-panel label": { display: "flex", alignItems: "center", gap: "0.375rem" },
  ".sg-panel .sg-problem": { color: "var(--bad)", flexBasis: "100%" },
  ".sg-panel .sg-problem:empty": { display: "none" },
  ".sg-panel .sg-note": { color: "var(--muted)" },
  ".sg-list": { flexDirection: "column", flexWrap: "nowrap", alignItems: "stretch", maxHeight: "11.875rem" },
  ".sg-rows": { overflowY: "auto" },
  ".sg-row": {
    display: "flex",
    justifyContent: "space-between",
    gap: "0.75rem",
    width: "100%",
    minHeight: "1.625rem",
    alignItems: "center",
    padding: "2px 0.5rem",
    border: "none",
    borderRadius: "0.375rem",
    backgroundColor: "transparent",
    color: "var(--text)",
    font: "0.75rem var(--mono)",
    textAlign: "start",
    cursor: "pointer",
  },
  ".sg-row span": { overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" },
  ".sg-row small": { color: "var(--muted)", fontFamily: "var(--sans)", flex: "none" },
  ".sg-row:hover, .sg-row:focus-visible": { backgroundColor: "var(--accent-soft)", outline: "none" },
  ".sg-row:focus-visible": { boxShadow: "inset 0 0 0 2px var(--focus)" },
});
