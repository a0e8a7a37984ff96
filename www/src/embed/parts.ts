// The boxes and buttons of a component.

import { html, svg } from "../ui/dom.ts";

/** Handles presses on buttons. */
export interface Pressed {
  press(name: string): void;
  scrubTo(event: number): void;
  openPlayground(): Promise<void>;
}

export interface Parts {
  shell: HTMLElement;
  bar: HTMLElement;
  frame: HTMLElement;
  side: HTMLElement;
  data: HTMLElement;
  events: HTMLElement;
  code: HTMLElement;
  /** The definition, if it is read-only. */
  shownCode: HTMLElement;
  tasks: HTMLElement;
  status: HTMLElement;
  note: HTMLElement;
  clock: HTMLElement;
  scrub: HTMLInputElement;
  open: HTMLButtonElement;
  slot: HTMLSlotElement;
  buttons: Map<string, HTMLButtonElement>;
}

export const ICONS = {
  run: "M6 4L16 10L6 16Z",
  pause: "M6 4H9V16H6ZM11 4H14V16H11Z",
  over: "M3 12A7 7 0 0 1 16 9M16 4V9.5H10.5M9.5 15.5A1.5 1.5 0 1 1 9.49 15.5Z",
  into: "M10 2V12M6 8.5L10 12.5L14 8.5M10 17A1 1 0 1 1 9.99 17Z",
  out: "M10 13V3M6 6.5L10 2.5L14 6.5M10 17A1 1 0 1 1 9.99 17Z",
  back: "M13 4L6 10L13 16Z",
  timer: "M3 4L10 10L3 16ZM10 4L17 10L10 16Z",
  restart: "M4.5 7.5A6.5 6.5 0 1 1 3.5 11M4 3.5V7.7H8.2",
};

const BUTTONS: [keyof typeof ICONS, string][] = [
  ["run", "Run"],
  ["back", "Step back"],
  ["over", "Step over"],
  ["into", "Step into"],
  ["out", "Step out"],
  ["restart", "Restart"],
  ["timer", "Next timer"],
];

export function build(owner: Pressed): Parts {
  const buttons = new Map(
    BUTTONS.map(([name, label]) => {
      const button = html(
        "button",
        { type: "button", class: "tool", "aria-label": label, title: label, part: "button" },
        svg(
          "svg",
          {
            viewBox: "0 0 20 20",
            width: 16,
            height: 16,
            "aria-hidden": "true",
            class: name === "run" || name === "back" || name === "timer" ? "filled" : "",
          },
          svg("path", { d: ICONS[name] }),
        ),
      );
      button.addEventListener("click", () => owner.press(name));
      return [name as string, button];
    }),
  );
  const scrub = html("input", { type: "range", min: 0, max: 1, value: 0, "aria-label": "Event shown" });
  scrub.addEventListener("input", () => owner.scrubTo(scrub.valueAsNumber));
  const clock = html("output", { class: "clock" });
  const open = html("button", { type: "button", class: "open", hidden: true }, "Open in playground");
  open.addEventListener("click", () => void owner.openPlayground());
  const status = html("p", { class: "status-line", role: "status" });
  const bar = html("div", { class: "bar", part: "toolbar", role: "toolbar", "aria-label": "Run" }, ...buttons.values(), scrub, clock, open);
  const frame = html("div", { class: "frame", part: "graph" });
  const data = html("section", { class: "data", part: "data", "aria-label": "Data of the state" });
  const events = html("ol", { class: "events", part: "events", "aria-label": "Events" });
  const code = html("pre", { class: "code", part: "code", tabindex: 0, role: "region", "aria-label": "Definition" });
  const tasks = html("div", { class: "tasks" });
  const side = html("div", { class: "side" }, tasks, data, events, code);
  const note = html("p", { class: "note", role: "alert", hidden: true });
  // The element's own texts are English on a page of any language.
  const shell = html("div", { class: "shell", hidden: true, lang: "en" }, bar, note, html("div", { class: "panes" }, frame, side), status);
  return {
    shell,
    bar,
    frame,
    side,
    data,
    events,
    code,
    shownCode: code,
    tasks,
    status,
    note,
    clock,
    scrub,
    open,
    slot: html("slot"),
    buttons,
  };
}
