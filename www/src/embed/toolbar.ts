// The toolbar of a component's graph editor.

import type { Spot } from "../graph-editor/kernel/plan.ts";
import { html, svg } from "../ui/dom.ts";

const SIGNS = {
  plus: "M10 4V16M4 10H16",
  undo: "M7.5 4L4 7.5L7.5 11M4 7.5H12A4 4 0 0 1 12 15.5H8",
  redo: "M12.5 4L16 7.5L12.5 11M16 7.5H8A4 4 0 0 0 8 15.5H12",
  more: "M4.5 10A.6 .6 0 1 1 4.49 10ZM10 10A.6 .6 0 1 1 9.99 10ZM15.5 10A.6 .6 0 1 1 15.49 10Z",
};

/** Called when a button is pressed. `at` is the point below the button. */
interface Pressed {
  add(at: Spot): void;
  takeBack(again: boolean): void;
  more(at: Spot): void;
  save(): void;
}

/** Which buttons can be pressed. */
interface Able {
  undo: boolean;
  redo: boolean;
  more: boolean;
  save: boolean;
}

/** Returns the point below a button. */
export function below(button: HTMLElement): Spot {
  const { left, bottom } = button.getBoundingClientRect();
  return { x: left, y: bottom + 4 };
}

function tool(sign: keyof typeof SIGNS, label: string, press: (at: Spot) => void): HTMLButtonElement {
  const made = html(
    "button",
    { type: "button", class: "tool", "aria-label": label, title: label, part: "button" },
    svg("svg", { viewBox: "0 0 20 20", width: 16, height: 16, "aria-hidden": "true" }, svg("path", { d: SIGNS[sign] })),
  );
  made.addEventListener("click", () => press(below(made)));
  return made;
}

export class Toolbar {
  readonly element: HTMLElement;
  private readonly message = html("p", { class: "said", role: "status" });
  private readonly buttons: Record<keyof Able, HTMLButtonElement>;

  constructor(pressed: Pressed) {
    const save = html("button", { type: "button", class: "save", part: "button" }, "Save");
    save.addEventListener("click", () => pressed.save());
    const undo = tool("undo", "Undo", () => pressed.takeBack(false));
    const redo = tool("redo", "Redo", () => pressed.takeBack(true));
    const more = tool("more", "More of the state", (at) => pressed.more(at));
    this.buttons = { undo, redo, more, save };
    const add = tool("plus", "Add a state", (at) => pressed.add(at));
    const strip = { class: "bar strip", part: "toolbar", role: "toolbar", "aria-label": "Edit" };
    this.element = html("div", strip, add, undo, redo, more, this.message, save);
  }

  able(able: Able): void {
    for (const [name, button] of Object.entries(this.buttons)) button.disabled = !able[name as keyof Able];
  }

  notify(message: string, bad: boolean): void {
    this.message.classList.toggle("bad", bad);
    this.message.textContent = message;
  }
}
