// The visible panes, tabs and dialogs.

import { batch, effect, signal } from "@preact/signals";
import type { EventFilter } from "../model/protocol.ts";

/** The panels of the left pane that say how a run is set up. */
const SETUP = ["input", "tasks", "mocks", "config"] as const;
export type LeftTab = "definition" | "inspector" | (typeof SETUP)[number];
/** The panels of the dock by their groups, in the order of their tabs. */
export const DOCK = {
  run: ["events", "result", "waiting", "timeline", "breakpoints", "watch", "console"],
  history: ["runs", "executions", "coverage"],
} as const;
export type DockGroup = keyof typeof DOCK;
export type DockTab = (typeof DOCK)[DockGroup][number];
type NarrowTab = "code" | "graph" | "inspect" | "events";
type DialogName = "help" | "examples" | "share" | "import" | "export" | "trust" | "settings" | "keys" | "palette";

export const leftTab = signal<LeftTab>("definition");
export const dockTab = signal<DockTab>("events");
/** Whether the dock is open. Without anything to show, it has only its tabs. */
export const dockOpen = signal(false);
/** Whether the user has selected the dock's tab. A run does not change it then. */
export const dockChosen = signal(false);
/** The visible pane of a narrow page. */
export const narrowTab = signal<NarrowTab>("graph");
export const dialog = signal<"" | DialogName>("");
export const filter = signal<EventFilter>({ text: "", kind: "all", state: "" });

/** Returns the group of a panel of the dock. */
export const dockGroupOf = (tab: DockTab): DockGroup => ((DOCK.history as readonly DockTab[]).includes(tab) ? "history" : "run");
const isSetup = (tab: LeftTab): boolean => (SETUP as readonly LeftTab[]).includes(tab);

/** The panel of each group that was visible last. */
const lastDock: Record<DockGroup, DockTab> = { run: "events", history: "runs" };
let lastSetup: LeftTab = "input";

/** Opens the panel of a group of the dock that was visible last. */
export function chooseDockGroup(group: DockGroup): void {
  chooseDock(lastDock[group]);
}

/** Opens the panel of the set-up that was visible last. */
export function chooseSetup(): void {
  chooseLeft(lastSetup);
}

export function openDialog(name: DialogName): void {
  dialog.value = name;
}

export function closeDialog(): void {
  dialog.value = "";
}

export function chooseLeft(tab: LeftTab): void {
  leftTab.value = tab;
}

effect(() => {
  const [left, dock] = [leftTab.value, dockTab.value];
  if (isSetup(left)) lastSetup = left;
  lastDock[dockGroupOf(dock)] = dock;
});

/** Selects a tab of the left pane, and shows that pane on a narrow page. */
export function showLeft(tab: LeftTab): void {
  batch(() => {
    leftTab.value = tab;
    narrowTab.value = "code";
  });
}

/** Shows a pane on a narrow page. A wide page shows all panes anyway. */
export function showNarrow(pane: NarrowTab): void {
  narrowTab.value = pane;
}

/** Selects a tab of the dock for the user. No run changes it. */
export function chooseDock(tab: DockTab): void {
  batch(() => {
    dockTab.value = tab;
    dockOpen.value = dockChosen.value = true;
  });
}

/** Selects a tab of the dock until a run selects another one. */
export function showDock(tab: DockTab): void {
  dockTab.value = tab;
}

/** Selects a tab of the dock, unless the user has selected one. */
export function offerDock(tab: DockTab): void {
  if (!dockChosen.value) dockTab.value = tab;
}

export function setFilter(next: EventFilter): void {
  filter.value = next;
}

/** Resets the panes to the state for a machine that was just opened. */
export function resetPanes(): void {
  batch(() => {
    leftTab.value = "definition";
    dockTab.value = "events";
    dockChosen.value = false;
    filter.value = { text: "", kind: "all", state: "" };
  });
}
