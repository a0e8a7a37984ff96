// The list of a choice in a component, beside its place, over the page. A field filters it if there are many options.

import { type Mode, type Option, type OptionGroup, filtered } from "../graph-editor/kernel/options.ts";
import { glyphOf } from "../ui/services.ts";
import { html, svg } from "./dom.ts";

export interface Spot {
  x: number;
  y: number;
}

export interface Choosing {
  title: string;
  /** The placeholder of the filter field. If it is absent, there is no field. */
  placeholder?: string;
  groups: readonly OptionGroup[];
  /** Loads further options when the list opens. */
  more?(): Promise<readonly OptionGroup[]>;
  /** Searches for further options elsewhere. */
  search?(text: string): Promise<readonly OptionGroup[]>;
  /** Moves an option up or down in its list. Returns the new list, or undefined if nothing moved. */
  move?(id: string, by: number): Promise<readonly OptionGroup[] | undefined>;
  /** The letters that select an option at once, if there is no field. */
  keys?: Readonly<Record<string, string>>;
  modes?: readonly Mode[];
  at: Spot;
}

export interface Chosen {
  id: string;
  mode: string;
}

/** Returns whether the device has touch input, for which an on-screen keyboard would cover the list. */
const coarse = (): boolean => matchMedia("(pointer: coarse)").matches;

/** Shows the box over everything, at a point of the window. On a narrow page it is at the lower edge. */
export function place(box: HTMLElement, { x, y }: Spot): void {
  box.popover = "manual";
  (box as { showPopover?(): void }).showPopover?.();
  if (box.classList.contains("low")) return;
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`;
  box.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`;
}

export class Picker {
  private close: (() => void) | undefined;

  constructor(private readonly shell: HTMLElement) {}

  /** Closes the open list without a choice. */
  dismiss(): void {
    this.close?.();
  }

  /** Shows a choice. Returns undefined if nothing is chosen. The focus returns to where it was. */
  pick(choice: Choosing): Promise<Chosen | undefined> {
    this.dismiss();
    const back = (this.shell.getRootNode() as ShadowRoot).activeElement;
    return new Promise((resolve) => {
      const list = new List(choice, (chosen) => {
        this.close = undefined;
        removeEventListener("pointerdown", outside, true);
        list.box.remove();
        if (back instanceof SVGElement || back instanceof HTMLElement) back.focus({ preventScroll: true });
        resolve(chosen);
      });
      const outside = (event: Event): void => {
        if (!event.composedPath().includes(list.box)) list.answer(undefined);
      };
      this.close = () => list.answer(undefined);
      addEventListener("pointerdown", outside, true);
      this.shell.append(list.box);
      list.show(choice.at);
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

  constructor(
    private readonly choice: Choosing,
    private readonly settle: (chosen: Chosen | undefined) => void,
  ) {
    const { title, placeholder, modes = [] } = choice;
    this.mode = modes[0]?.id ?? "";
    this.own = choice.groups;
    this.list.setAttribute("aria-label", title);
    if (placeholder) {
      this.field = html("input", {
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
      this.field.addEventListener("input", () => {
        this.look();
        this.fill();
      });
    }
    const narrow = innerWidth < 600;
    this.box = html(
      "div",
      { class: narrow ? "picker low" : "picker", role: "dialog", "aria-label": title },
      html("p", { class: "picker-head", "aria-hidden": "true" }, title),
      modes.length > 1 && this.ways(modes),
      this.field,
      this.list,
      this.nothing,
      choice.move && this.mover(),
    );
    this.box.addEventListener("keydown", (event) => this.keys(event));
    this.fill();
    choice.more?.().then(
      (more) => {
        this.own = [...choice.groups, ...more];
        this.fill(this.at);
      },
      (error: Error) => this.fail(`Patterns could not be loaded: ${error.message}`),
    );
  }

  private fail(problem: string): void {
    this.problem = problem;
    this.fill(this.at);
  }

  /** Searches for further options that match the typed text. */
  private look(): void {
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
      made.addEventListener("click", () => void this.move(by));
      return made;
    };
    return html(
      "p",
      { class: "picker-foot" },
      button("Move up", -1),
      button("Move down", 1),
      html("span", { class: "picker-keys" }, "or Alt with the arrows"),
    );
  }

  /** Moves the selected option in its list. */
  private async move(by: number): Promise<void> {
    const option = this.options[this.at];
    const next = option && (await this.choice.move!(option.id, by));
    if (!next || this.done) return;
    this.own = next;
    this.fill(this.at + by);
    // The graph was drawn again and has the focus.
    if (!this.box.contains((this.box.getRootNode() as ShadowRoot).activeElement)) this.list.focus({ preventScroll: true });
  }

  show(at: Spot): void {
    place(this.box, at);
    (this.field && !coarse() ? this.field : this.list).focus({ preventScroll: true });
    this.mark();
  }

  answer(chosen: Chosen | undefined): void {
    if (this.done) return;
    this.done = true;
    this.settle(chosen);
  }

  private ways(modes: readonly Mode[]): HTMLElement {
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
    const text = this.field?.value ?? "";
    const groups = [...filtered(this.own, text), ...this.found];
    this.options = groups.flatMap(({ options }) => options);
    let number = 0;
    this.list.replaceChildren(
      ...groups.map((group) =>
        html(
          "div",
          { role: "group", "aria-label": group.title || this.choice.title },
          group.title !== "" && html("p", { class: "picker-group", role: "presentation" }, group.title),
          ...group.options.map((option) => this.row(option, number++)),
        ),
      ),
    );
    const nothing = this.sought === "" ? `Nothing matches “${text.trim()}”.` : "Searching…";
    this.nothing.textContent = this.problem || (this.options.length > 0 ? "" : nothing);
    this.mark(at);
  }

  private row({ id, title, detail, type, service }: Option, number: number): HTMLElement {
    const row = html(
      "div",
      { id: `picker-${number}`, role: "option", class: "picker-option", "data-option": id },
      type !== undefined &&
        svg(
          "svg",
          { class: `tile-of node type-${type.toLowerCase()}`, width: 26, height: 26, viewBox: "-3 -3 26 26", "aria-hidden": "true" },
          svg("rect", { class: "tile", x: -3, y: -3, width: 26, height: 26, rx: 6 }),
          svg("path", { class: "glyph", d: glyphOf({ type, ...(service !== undefined && { detail: service }) }) }),
        ),
      html(
        "span",
        { class: "picker-words" },
        html("span", { class: "picker-title" }, title),
        detail !== undefined && html("span", { class: "picker-detail" }, detail),
      ),
    );
    row.addEventListener("click", () => (this.choice.move ? this.mark(number) : this.answer({ id, mode: this.mode })));
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

  private keys(event: KeyboardEvent): void {
    event.stopPropagation();
    const radio = (event.target as HTMLInputElement).type === "radio";
    if (event.isComposing) return;
    const letter = this.choice.keys?.[event.key.toLowerCase()];
    if (letter !== undefined) this.answer({ id: letter, mode: this.mode });
    else if (event.key === "Escape") this.answer(undefined);
    else if (radio && event.key.startsWith("Arrow")) return;
    else if (event.altKey && this.choice.move && /^Arrow(Up|Down)$/.test(event.key)) void this.move(event.key === "ArrowUp" ? -1 : 1);
    else if (event.key === "ArrowDown") this.mark(this.at + 1);
    else if (event.key === "ArrowUp") this.mark(this.at - 1);
    else if (event.key === "Enter" && (event.target as Element).tagName === "BUTTON") return;
    else if (event.key === "Enter") {
      const option = this.options[this.at];
      if (option) this.answer({ id: option.id, mode: this.mode });
    } else if (event.key === "Tab" && (this.choice.modes ?? []).length < 2 && !this.choice.move) this.answer(undefined);
    else {
      // Letters that are typed in the list are added to the search.
      if (this.field && !radio && event.target !== this.field && event.key.length === 1 && !event.ctrlKey && !event.metaKey)
        this.field.focus();
      return;
    }
    event.preventDefault();
  }
}
