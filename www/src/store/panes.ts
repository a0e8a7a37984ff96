// The visible panes, tabs and dialogs.

import { batch, computed, effect, signal } from "@preact/signals";
import type { EventFilter } from "../model/protocol.ts";
import * as prefs from "../prefs.ts";
import { run } from "./execution.ts";

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

/** The panes that can be rails at the sides of the graph. */
export type SidePane = "left" | "inspector";
const preferred = () => (run.value === null ? prefs.paneLayout : prefs.runLayout);
/** The layout of the panes. The one for runs and the one without a run are remembered separately. */
export const layout = computed<prefs.PaneLayout>(() => preferred().value);
/** The panes that the user has opened from their rails. They become rails again with the next choice of a layout. */
const opened = signal<ReadonlySet<SidePane>>(new Set());

export const isRail = (pane: SidePane): boolean => layout.value !== "write" && !opened.value.has(pane);

export function chooseLayout(next: prefs.PaneLayout): void {
  batch(() => {
    preferred().value = next;
    opened.value = new Set();
    if (next === "read") dockOpen.value = false;
    else if (next === "debug" && run.peek() !== null) dockOpen.value = true;
  });
}

/** Gives the graph the window, or returns to the layout for writing. */
export function toggleLayout(): void {
  chooseLayout(layout.peek() !== "write" ? "write" : run.peek() === null ? "read" : "debug");
}

/** Opens a pane from its rail, or makes it a rail again. */
export function toggleRail(pane: SidePane): void {
  const next = new Set(opened.value);
  if (!next.delete(pane)) next.add(pane);
  opened.value = next;
}

/** Opens the pane of the code, because something in it is shown. */
function openLeft(): void {
  if (isRail("left")) toggleRail("left");
}

export function openDialog(name: DialogName): void {
  dialog.value = name;
}

export function closeDialog(): void {
  dialog.value = "";
}

export function chooseLeft(tab: LeftTab): void {
  batch(() => {
    leftTab.value = tab;
    openLeft();
  });
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
    openLeft();
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
