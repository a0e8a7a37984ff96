// The list of a choice, beside its place. A field filters it if there are many options.

import { html } from "../../ui/dom.ts";
import { groupsFor, listAction } from "../kernel/list.ts";
import type { Mode, Option, OptionGroup } from "../kernel/options.ts";
import type { Choice, Chosen, Spot } from "../kernel/plan.ts";

/** A choice of the kernel, whose position is a point, and whose moves are executed. */
export interface PickerChoice extends Omit<Choice, "at" | "move"> {
  at?: Spot | undefined;
  move?(id: string, by: number): Promise<readonly OptionGroup[] | undefined>;
}

/** The surroundings of a list. */
export interface Around {
  /** The element that the list is appended to. */
  parent(): HTMLElement;
  /** Whether the list is in the browser's top layer, over everything on the page. */
  popover: boolean;
  /** Returns whether there is little room, so that the list is at the lower edge. */
  narrow(): boolean;
  /** Returns the point to place a list at that has none. */
  middle(): Spot;
  /** Returns the picture of a type of states, or of the service that a task calls. */
  tile(type: NonNullable<Option["type"]>, service: string | undefined): Element;
}

/** Returns whether the device has touch input, for which an on-screen keyboard would cover the list. */
const coarse = (): boolean => matchMedia("(pointer: coarse)").matches;

/** Places a box at a point of the window, as near as the window allows. */
export function place(box: HTMLElement, { x, y }: Spot, popover: boolean): void {
  if (popover) {
    box.popover = "manual";
    (box as { showPopover?(): void }).showPopover?.();
  }
  if (box.classList.contains("low")) return;
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
  box.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
}

/** Returns the element that has the focus, in the tree of another element. */
const focusedIn = (element: Element): Element | null => (element.getRootNode() as Document | ShadowRoot).activeElement;

export class Picker {
  private list: List | undefined;

  constructor(private readonly around: Around) {}

  /** Closes the open list without a choice. */
  dismiss(): void {
    this.list?.answer(undefined);
  }

  /** Shows a choice. Returns undefined if nothing is chosen. The focus returns to where it was. */
  pick(choice: PickerChoice): Promise<Chosen | undefined> {
    this.dismiss();
    const parent = this.around.parent();
    const back = focusedIn(parent);
    return new Promise((resolve) => {
      const gone = new AbortController();
      const list = new List(choice, this.around, (chosen) => {
        this.list = undefined;
        gone.abort();
        // If the focus went elsewhere already, it stays there.
        const isFocused = list.box.contains(focusedIn(list.box));
        list.box.remove();
        if (!isFocused) return resolve(chosen);
        if (back instanceof SVGElement || back instanceof HTMLElement) back.focus({ preventScroll: true });
        resolve(chosen);
      });
      this.list = list;
      const outside = (event: Event): void => {
        if (!event.composedPath().includes(list.box)) list.answer(undefined);
      };
      const resized = (): void => {
        // An on-screen keyboard resizes the window, which does not cancel the choice.
        if (coarse()) list.place();
        else list.answer(undefined);
      };
      for (const type of ["pointerdown", "focusin"]) addEventListener(type, outside, { capture: true, signal: gone.signal });
      addEventListener("resize", resized, { signal: gone.signal });
      parent.append(list.box);
      list.show();
    });
  }
}

class List {
  readonly box: HTMLElement;
  private readonly field: HTMLInputElement | undefined;
  private readonly list = html("div", { class: "picker-list", id: "picker-list", role: "listbox", tabindex: 0 });
  private readonly nothing = html("p", { class: "quiet pad", role: "status" });
  private options: Option[] = [];
  private own: readonly OptionGroup[];
  private found: readonly OptionGroup[] = [];
  /** The text of the current search, and the problem of the last one. */
  private sought = "";
  private problem = "";
  private at = 0;
  private mode: string;
  private done = false;
  private moved: Promise<void> = Promise.resolve();

  constructor(
    private readonly choice: PickerChoice,
    private readonly around: Around,
    private readonly settle: (chosen: Chosen | undefined) => void,
  ) {
    const { title, placeholder, modes = [] } = choice;
    this.mode = modes[0]?.id ?? "";
    this.own = choice.groups;
    this.list.setAttribute("aria-label", title);
    this.field = placeholder ? this.filter(placeholder) : undefined;
    this.box = html(
      "div",
      { class: around.narrow() ? "picker low" : "picker", role: "dialog", "aria-label": title, tabindex: -1 },
      html("p", { class: "picker-head", "aria-hidden": "true" }, title),
      modes.length > 1 && this.modes(modes),
      this.field,
      this.list,
      this.nothing,
      choice.move && this.mover(),
    );
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("contextmenu", (event) => event.preventDefault());
    this.fill(choice.groups.flatMap(({ options }) => options).findIndex(({ id }) => id === choice.chosen));
    choice.more?.().then(
      (more) => {
        this.own = [...choice.groups, ...more];
        this.fill(this.at);
      },
      (error: Error) => this.fail(`Patterns could not be loaded: ${error.message}`),
    );
  }

  show(): void {
    this.place();
    (this.field && !coarse() ? this.field : this.list).focus({ preventScroll: true });
    this.field?.select();
    this.mark();
  }

  place(): void {
    place(this.box, this.choice.at ?? this.around.middle(), this.around.popover);
  }

  answer(chosen: Chosen | undefined): void {
    if (this.done) return;
    this.done = true;
    this.settle(chosen);
  }

  private take(id: string | undefined): void {
    if (this.options.some((option) => option.id === id)) this.answer({ id: id!, mode: this.mode });
  }

  private filter(placeholder: string): HTMLInputElement {
    const field = html("input", {
      type: "text",
      class: "picker-field",
      role: "combobox",
      "aria-label": placeholder,
      "aria-expanded": "true",
      "aria-controls": "picker-list",
      "aria-autocomplete": "list",
      placeholder,
      autocomplete: "off",
      spellcheck: "false",
    });
    field.value = this.choice.text ?? "";
    field.addEventListener("input", () => {
      this.search();
      this.fill();
    });
    return field;
  }

  private fail(problem: string): void {
    this.problem = problem;
    this.fill(this.at);
  }

  /** Searches for further options that match the typed text. */
  private search(): void {
    const { search } = this.choice;
    const wanted = this.field!.value.trim();
    this.problem = this.sought = "";
    if (!search || wanted.length < 2) {
      this.found = [];
      return;
    }
    this.sought = wanted;
    search(wanted).then(
      (found) => {
        if (this.sought !== wanted) return;
        this.sought = "";
        this.found = found;
        this.fill(this.at);
      },
      (error: Error) => {
        this.sought = "";
        this.fail(`Services could not be searched: ${error.message}`);
      },
    );
  }

  /** Returns buttons that move the option, for users without a keyboard. */
  private mover(): HTMLElement {
    const button = (title: string, by: number): HTMLButtonElement => {
      const made = html("button", { type: "button" }, title);
      made.addEventListener("click", () => this.move(by));
      return made;
    };
    const keys = html("span", { class: "picker-keys" }, "or Alt with the arrows");
    return html("p", { class: "picker-foot" }, button("Move up", -1), button("Move down", 1), keys);
  }

  /** Moves the selected option. Keys that come faster than the definition changes are applied one after the other. */
  private move(by: number): void {
    this.moved = this.moved.then(async () => {
      const option = this.options[this.at];
      const next = option && (await this.choice.move!(option.id, by));
      if (!next || this.done) return;
      this.own = next;
      this.fill(this.at + by);
      // The graph was drawn again and has the focus.
      if (!this.box.contains(focusedIn(this.box))) this.list.focus({ preventScroll: true });
    });
  }

  private modes(modes: readonly Mode[]): HTMLElement {
    const group = html("div", { class: "picker-modes", role: "radiogroup", "aria-label": "Where" });
    for (const { id, title } of modes) {
      const input = html("input", { type: "radio", name: "picker-mode", checked: id === this.mode });
      const label = html("label", { class: id === this.mode ? "on" : "" }, input, title);
      input.addEventListener("change", () => {
        this.mode = id;
        for (const one of group.children) one.classList.toggle("on", one === label);
      });
      group.append(label);
    }
    return group;
  }

  private fill(at = 0): void {
    const { choice } = this;
    const text = this.field?.value ?? "";
    // The kernel does not move options here.
    const groups = groupsFor(choice as Choice, this.own, this.found, text);
    this.options = groups.flatMap(({ options }) => options);
    let number = 0;
    this.list.replaceChildren(
      ...groups.map((group) =>
        html(
          "div",
          { role: "group", "aria-label": group.title || choice.title },
          group.title !== "" && html("p", { class: "picker-group", role: "presentation" }, group.title),
          ...group.options.map((option) => this.row(option, number++)),
        ),
      ),
    );
    const nothing = this.sought === "" ? (choice.nothing?.(text.trim()) ?? `Nothing matches “${text.trim()}”.`) : "Searching…";
    this.nothing.textContent = this.problem || (this.options.length > 0 ? "" : nothing);
    this.mark(at);
  }

  private row({ id, title, detail, type, service }: Option, number: number): HTMLElement {
    const row = html(
      "div",
      { id: `picker-${number}`, role: "option", class: "picker-option", "data-option": id },
      type !== undefined && this.around.tile(type, service),
      html(
        "span",
        { class: "picker-words" },
        html("span", { class: "picker-title" }, title),
        detail !== undefined && html("span", { class: "picker-detail" }, detail),
      ),
    );
    row.addEventListener("click", () => (this.choice.move ? this.mark(number) : this.take(id)));
    row.addEventListener("pointermove", ({ pointerType }) => {
      if (pointerType === "mouse" && this.at !== number) this.mark(number);
    });
    return row;
  }

  private mark(at = this.at): void {
    this.at = Math.max(0, Math.min(at, this.options.length - 1));
    for (const [i, row] of this.list.querySelectorAll('[role="option"]').entries()) {
      row.setAttribute("aria-selected", String(i === this.at));
      if (i === this.at) row.scrollIntoView({ block: "nearest" });
    }
    for (const one of [this.list, this.field]) {
      if (this.options.length > 0) one?.setAttribute("aria-activedescendant", `picker-${this.at}`);
      else one?.removeAttribute("aria-activedescendant");
    }
  }

  private key(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.isComposing) return;
    const target = event.target as HTMLInputElement;
    const on = target.type === "radio" ? "modes" : target.tagName === "BUTTON" ? "button" : "list";
    const { key, altKey: alt } = event;
    const mod = event.ctrlKey || event.metaKey;
    const ids = this.options.map(({ id }) => id);
    const action = listAction(this.choice as Choice, ids, this.at, { key, alt, mod, on });
    if (action?.do === "type") {
      // Letters that are typed in the list are added to the search.
      if (this.field && target !== this.field) this.field.focus();
      return;
    }
    if (!action) return;
    event.preventDefault();
    if (action.do === "mark") this.mark(action.at);
    else if (action.do === "move") this.move(action.by);
    else if (action.do === "answer") this.take(action.id);
    else this.answer(undefined);
  }
}
