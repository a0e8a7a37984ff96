// Moves the focus between panes by keyboard.

import * as prefs from "../prefs.ts";
import * as panes from "../store/panes.ts";

export function focusGraph(): void {
  if (prefs.layoutSize() === "narrow") panes.showNarrow("graph");
  // The focus moves when the pane is rendered.
  queueMicrotask(() => document.querySelector<SVGGElement>('.canvas [data-node][tabindex="0"]')?.focus());
}

const PANES = ["#left", "#graph-pane", "#inspector-pane", "#dock"];

export function nextPane(back: boolean): void {
  const there = PANES.map((pane) => document.querySelector<HTMLElement>(pane)).filter(
    (pane): pane is HTMLElement => pane !== null && pane.offsetParent !== null,
  );
  const at = there.findIndex((pane) => pane.contains(document.activeElement));
  const to = there[at < 0 && back ? there.length - 1 : (at + (back ? there.length - 1 : 1) + there.length) % there.length];
  if (!to) return;
  if (to.id === "graph-pane") return focusGraph();
  const selected = '[role="tab"][aria-selected="true"]';
  // Where tabs are in groups, the selected tab of the open group gets the focus, and not the tab of the group.
  const inside =
    to.querySelector<HTMLElement>(`.tab-group ${selected}`) ??
    to.querySelector<HTMLElement>(selected) ??
    to.querySelector<HTMLElement>('button:enabled, [tabindex="0"]');
  (inside ?? to).focus();
}
