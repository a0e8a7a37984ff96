// Which panes, tabs and dialogs are in sight.

import { batch, signal } from "@preact/signals";
import type { EventFilter } from "../model/protocol.ts";

export type LeftTab = "definition" | "input" | "tasks" | "mocks" | "config" | "inspector";
export type DockTab =
  | "events"
  | "result"
  | "waiting"
  | "console"
  | "timeline"
  | "breakpoints"
  | "watch"
  | "runs"
  | "executions"
  | "coverage";
type NarrowTab = "code" | "graph" | "inspect" | "events";
type DialogName = "help" | "examples" | "share" | "import" | "export" | "trust" | "settings" | "keys" | "palette";

export const leftTab = signal<LeftTab>("definition");
export const dockTab = signal<DockTab>("events");
/// Until there is something to show it is only its tabs.
export const dockOpen = signal(false);
/// The visitor has chosen the tab: no run takes it away.
export const dockChosen = signal(false);
/// The one pane of a narrow page.
export const narrowTab = signal<NarrowTab>("graph");
export const dialog = signal<"" | DialogName>("");
export const filter = signal<EventFilter>({ text: "", kind: "all", state: "" });

export function openDialog(name: DialogName): void {
  dialog.value = name;
}

export function closeDialog(): void {
  dialog.value = "";
}

export function chooseLeft(tab: LeftTab): void {
  leftTab.value = tab;
}

/// A tab of the left pane, which comes in sight also on a narrow page.
export function showLeft(tab: LeftTab): void {
  batch(() => {
    leftTab.value = tab;
    narrowTab.value = "code";
  });
}

/// Brings a pane in sight on a narrow page; others show it anyway.
export function showNarrow(pane: NarrowTab): void {
  narrowTab.value = pane;
}

/// A tab of the dock that the visitor wants, and keeps.
export function chooseDock(tab: DockTab): void {
  batch(() => {
    dockTab.value = tab;
    dockOpen.value = dockChosen.value = true;
  });
}

/// A tab of the dock that is in sight until another one is worth a look.
export function showDock(tab: DockTab): void {
  dockTab.value = tab;
}

/// A tab that is worth a look, unless the visitor has chosen one.
export function offerDock(tab: DockTab): void {
  if (!dockChosen.value) dockTab.value = tab;
}

export function setFilter(next: EventFilter): void {
  filter.value = next;
}

/// As a machine that has just been opened has them.
export function resetPanes(): void {
  batch(() => {
    leftTab.value = "definition";
    dockTab.value = "events";
    dockChosen.value = false;
    filter.value = { text: "", kind: "all", state: "" };
  });
}
