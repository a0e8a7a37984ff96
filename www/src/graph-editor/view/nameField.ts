// A field over a state for its new name.

import { html } from "../../ui/dom.ts";
import type { GraphNode } from "../../model/graph.ts";
import { place } from "./picker.ts";

interface NameField {
  parent: HTMLElement;
  popover: boolean;
  /** The state's box in the window. */
  box: { left: number; top: number; width: number };
  /** Returns whether another state has this name. */
  taken(name: string): boolean;
  /** Called when the field is removed, to move the focus. */
  back(): void;
}

/** The least width of the field, in CSS pixels. */
const LEAST = 180;

/** Asks for a new name. Returns undefined if the user gives it up. */
export function askName({ name }: GraphNode, { parent, popover, box, taken, back }: NameField): Promise<string | undefined> {
  const field = html("input", {
    type: "text",
    "aria-label": `Name of ${name}`,
    maxlength: 80,
    spellcheck: "false",
    autocomplete: "off",
  });
  field.value = name;
  const problem = html("p", { id: "edit-name-taken", role: "alert" });
  const around = html("div", { class: "edit-name" }, field);
  const isTaken = (): boolean => field.value !== name && taken(field.value);
  return new Promise((resolve) => {
    let done = false;
    const end = (to: string | undefined): void => {
      if (done) return;
      done = true;
      around.remove();
      // This comes at once, before anything else can move the focus of the removed field.
      back();
      resolve(to);
    };
    field.addEventListener("input", () => {
      if (isTaken()) {
        problem.textContent = "There is a state of this name.";
        around.append(problem);
        field.setAttribute("aria-invalid", "true");
        field.setAttribute("aria-describedby", problem.id);
      } else {
        problem.remove();
        field.removeAttribute("aria-invalid");
        field.removeAttribute("aria-describedby");
      }
    });
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
      event.preventDefault();
      if (event.key === "Escape") end(undefined);
      else if (!isTaken()) end(field.value);
    });
    field.addEventListener("blur", () => end(isTaken() ? undefined : field.value));
    parent.append(around);
    const width = Math.max(LEAST, box.width);
    around.style.width = `${width}px`;
    place(around, { x: box.left + (box.width - width) / 2, y: box.top }, popover);
    field.focus({ preventScroll: true });
    field.select();
  });
}
