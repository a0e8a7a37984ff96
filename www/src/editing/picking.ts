// A choice among several options, beside the place that it applies to.

import type { NodeKind } from "../model/graph.ts";
import { type PickerChoice, Picker } from "../graph-editor/view/picker.ts";
import type { Chosen } from "../graph-editor/kernel/plan.ts";
import * as prefs from "../prefs.ts";
import { svg } from "../ui/dom.ts";
import { glyphOf } from "../ui/services.ts";

/** The element that lists and fields are appended to. */
let parent: HTMLElement = document.body;

export function mount(element: HTMLElement): void {
  parent = element;
}

export const overPanes = (): HTMLElement => parent;

/** Returns the picture of a state's type, or of the service that a task calls, as `ui/Icon.tsx` draws it. */
function tile(type: NodeKind, service: string | undefined): Element {
  return svg(
    "svg",
    { class: `tile tile-${type.toLowerCase()}`, width: "1.625rem", height: "1.625rem", viewBox: "0 0 26 26", "aria-hidden": "true" },
    svg("rect", { width: 26, height: 26, rx: 6 }),
    svg("path", { transform: "translate(4.5 4.5) scale(.85)", d: glyphOf({ type, ...(service !== undefined && { detail: service }) }) }),
  );
}

const picker = new Picker({
  parent: overPanes,
  popover: false,
  narrow: () => prefs.layoutSize() === "narrow",
  middle() {
    const graph = document.querySelector("#graph-pane")?.getBoundingClientRect();
    return { x: (graph?.left ?? 0) + (graph?.width ?? innerWidth) / 2 - 150, y: (graph?.top ?? 0) + 60 };
  },
  tile,
});

/** Shows a choice. Returns undefined if nothing is chosen. The focus returns to where it was. */
export const pick = (choice: PickerChoice): Promise<Chosen | undefined> => picker.pick(choice);
