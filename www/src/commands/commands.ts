// All commands and their keys. The keys, the palette, the help and the tooltips are made from this one table.

import { signal } from "@preact/signals";
import { convertToJsonata, definitionEditor, goToDefinition, openGoTo } from "../editor/definitionEditor.ts";
import { fitGraph } from "../graph/GraphView.tsx";
import { open as searchOpen } from "../graph/search.ts";
import { loaders } from "../graph/graphEditor.ts";
import { follow, view, zoomTo } from "../graph/viewport.ts";
import type { Place } from "../keys/keymap.ts";
import { textCommands } from "../keys/text.ts";
import { isState } from "../model/graph.ts";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as runner from "../store/runner.ts";
import * as selection from "../store/selection.ts";
import { showToast } from "../store/notifications.ts";
import { saveSession } from "../exchange/session.ts";
import { tour } from "../ui/tour.ts";
import { focusGraph, nextPane } from "./focus.ts";
import * as model from "../debugger/model.ts";
import * as session from "../debugger/session.ts";

export type Group = "Run" | "Debug" | "Anywhere" | "Graph" | "Edit" | "Editor" | "Text";

export interface Command {
  id: string;
  title: string;
  group: Group;
  /** The default keys. If there are several, the first is displayed. */
  keys?: readonly string[];
  /** Where the keys apply. Absent means everywhere. */
  place?: Place;
  /** Returns whether the command is available. Absent means always. */
  able?: () => boolean;
  /** Absent if the place itself runs the command on its focused element. */
  run?(): void;
}

const going = (): boolean => execution.run.value?.phase === "running";
const selected = (): boolean => selection.selectedState.value !== null;
const withState = (run: (state: string) => void) => (): void => {
  const state = selection.selectedState.value;
  if (state !== null) run(state);
  else showToast("Select a state first, in the graph or in the definition.");
};

/** The module of iterations is loaded only if there are any. */
const stepIteration = (by: number): void => {
  if (playback.iterations()) void import("../graph/Iterations.tsx").then((module) => module.stepIteration(by));
};

const inEditor = (id: string) => (): void => {
  show(() => panes.chooseLeft("definition"), "code");
  requestAnimationFrame(() => definitionEditor.value?.command(id));
};

/** Folds or unfolds the selected state, if possible. */
const folding = (collapsed: boolean) => (): boolean => {
  const node = selectedNode();
  return node !== undefined && (node.type === "Parallel" || node.type === "Map") && node.collapsed !== collapsed;
};
const selectedNode = () => analysis.graph.value?.node(analysis.graph.value.byName.get(selection.selectedState.value ?? "") ?? -1);
const fold = (): void => {
  const node = selectedNode();
  if (node) analysis.toggleFold(node.pointer);
};

/** Returns whether the focus is in a pane where states and events are selected and not edited. */
const choosing = (): boolean => document.activeElement?.closest("#graph-pane, #dock") != null;
/** Returns whether End selects the last event. It has another meaning in some parts of the page, which takes precedence. */
const lookingBack = (): boolean =>
  execution.run.value !== null &&
  playback.cursor.value < execution.eventCount.value &&
  !document.activeElement?.closest(
    "input, select, textarea, [contenteditable], [role=tablist], [role=menu], [role=listbox], [role=treegrid], [role=separator]",
  );
const rerunnable = (): boolean =>
  session.canStep() && (selected() || selection.selectedEvent.value !== null) && (execution.busy.value || choosing());

/** Parts that are loaded later add their commands. */
export const commands = signal<readonly Command[]>([
  { id: "continue", group: "Run", title: "Continue or pause", keys: ["F8", "Mod+\\"], run: session.continueOrPause },
  {
    id: "runOut",
    group: "Run",
    title: "Run to the end, past all breakpoints",
    keys: ["Shift+F8"],
    able: () => session.canContinue() || !execution.busy.value,
    run: session.runOut,
  },
  // This comes before "run", which has the same key. It applies while a state or event of a run is selected.
  {
    id: "rerun",
    group: "Run",
    title: "Run again from the selected state or event (a fork)",
    keys: ["Mod+Enter"],
    able: rerunnable,
    run: session.rerunSelected,
  },
  { id: "run", group: "Run", title: "Run", keys: ["Mod+Enter"], able: () => !execution.busy.value, run: () => void runner.start() },
  {
    id: "runPaused",
    group: "Run",
    title: "Run, paused before the first state",
    able: () => !execution.busy.value,
    run: () => void runner.start({ paused: true }),
  },
  {
    id: "restart",
    group: "Run",
    title: "Restart",
    keys: ["Mod+Shift+Enter"],
    run: () => (execution.run.value === null ? void runner.start() : session.restart()),
  },
  { id: "pause", group: "Run", title: "Pause", able: going, run: () => session.step("pause") },
  { id: "stop", group: "Run", title: "Stop", keys: ["Mod+F2"], able: () => execution.busy.value, run: runner.stop },
  {
    id: "nextTimer",
    group: "Run",
    title: "Advance to the next timer",
    keys: ["Mod+Alt+."],
    able: () => execution.timer.value?.due != null,
    run: () => runner.advance(),
  },

  { id: "over", group: "Debug", title: "Step over, to the next state", keys: ["F10", "Mod+'"], run: () => session.stepOrBegin("next") },
  { id: "into", group: "Debug", title: "Step into the state", keys: ["F11", "Mod+;"], run: () => session.stepOrBegin("stepIn") },
  {
    id: "out",
    group: "Debug",
    title: "Step out of the branch or iteration",
    keys: ["Shift+F11", "Mod+Shift+;"],
    able: session.canContinue,
    run: () => session.step("stepOut"),
  },
  {
    id: "stage",
    group: "Debug",
    title: "Step by one stage of the data flow",
    keys: ["Mod+F11", "Mod+Shift+'"],
    run: () => session.stepOrBegin("stepStage"),
  },
  {
    id: "back",
    group: "Debug",
    title: "One event back, along the branch",
    keys: ["Alt+["],
    able: () => playback.cursor.value > 0,
    run: () => (session.canStep() ? session.step("stepBack") : playback.goTo(playback.cursor.value - 1)),
  },
  { id: "forward", group: "Debug", title: "One event forward", keys: ["Alt+]"], run: () => playback.goTo(playback.cursor.value + 1) },
  {
    id: "reverse",
    group: "Debug",
    title: "Run backwards to the previous breakpoint",
    keys: ["Alt+Shift+["],
    able: session.canStep,
    run: () => session.step("reverseContinue"),
  },
  {
    id: "lookInto",
    group: "Debug",
    title: "Open the execution that the selected state started",
    able: () => session.startedBy(selection.selectedState.value) !== undefined,
    run: withState((state) => session.selectExecution(session.startedBy(state)!.id)),
  },
  {
    id: "lookOut",
    group: "Debug",
    title: "Go back to the execution that started this one",
    able: () => analysis.inside.value !== null,
    run: () => session.selectExecution(analysis.inside.value!.way.at(-2)!.id),
  },
  { id: "runTo", group: "Debug", title: "Run to the selected state", keys: ["Mod+F10"], able: selected, run: withState(session.runTo) },
  {
    id: "breakpoint",
    group: "Debug",
    title: "Breakpoint on the selected state",
    keys: ["F9"],
    able: selected,
    run: withState(session.toggleBreakpoint),
  },
  {
    id: "editBreakpoint",
    group: "Debug",
    title: "Edit the selected state's breakpoint",
    keys: ["Shift+F9"],
    able: selected,
    run: withState(session.editBreakpoint),
  },
  { id: "stops", group: "Debug", title: "Breakpoints on or off", keys: ["Mod+F8"], run: session.toggleStops },
  {
    id: "clearBreakpoints",
    group: "Debug",
    title: "Remove all breakpoints",
    able: () => model.breakpoints.value.length > 0,
    run: () => (model.breakpoints.value = []),
  },
  { id: "fork", group: "Debug", title: "Fork the run at the event shown", able: session.canStep, run: () => session.fork() },
  {
    id: "apply",
    group: "Debug",
    title: "Apply the edited definition to the paused run",
    able: () => session.canStep() && execution.changedSince.value,
    run: () => void session.applyDefinition(),
  },
  { id: "first", group: "Debug", title: "Go to the beginning", run: () => playback.goTo(0) },
  { id: "live", group: "Debug", title: "Return to live", keys: ["End"], able: lookingBack, run: playback.returnToLive },
  {
    id: "back10",
    group: "Debug",
    title: "Ten events back, on the timeline",
    keys: ["Shift+ArrowLeft", "Shift+ArrowDown"],
    place: "timeline",
    run: () => playback.goTo(playback.cursor.value - 10),
  },
  {
    id: "forward10",
    group: "Debug",
    title: "Ten events forward, on the timeline",
    keys: ["Shift+ArrowRight", "Shift+ArrowUp"],
    place: "timeline",
    run: () => playback.goTo(playback.cursor.value + 10),
  },
  { id: "iterationBefore", group: "Debug", title: "Previous Map iteration", keys: ["["], run: () => stepIteration(-1) },
  { id: "iterationAfter", group: "Debug", title: "Next Map iteration", keys: ["]"], run: () => stepIteration(1) },

  { id: "palette", group: "Anywhere", title: "All commands", keys: ["Mod+K", "F1"], run: () => panes.openDialog("palette") },
  { id: "help", group: "Anywhere", title: "Help and keyboard shortcuts", keys: ["?"], run: () => panes.openDialog("help") },
  { id: "tour", group: "Anywhere", title: "Take the tour of 30 seconds", run: () => tour.begin() },
  { id: "paneAfter", group: "Anywhere", title: "Next pane", keys: ["Mod+F6"], run: () => nextPane(false) },
  { id: "paneBefore", group: "Anywhere", title: "Previous pane", keys: ["Mod+Shift+F6"], run: () => nextPane(true) },
  { id: "problemAfter", group: "Anywhere", title: "Next problem", keys: ["F4"], run: () => void goToProblem(false) },
  { id: "problemBefore", group: "Anywhere", title: "Previous problem", keys: ["Shift+F4"], run: () => void goToProblem(true) },
  { id: "goToState", group: "Anywhere", title: "Go to a state by its name", keys: ["Mod+Shift+O"], run: openGoTo },
  {
    id: "goToDefinition",
    group: "Anywhere",
    title: "Go to the selected state's definition",
    able: selected,
    run: withState(goToDefinition),
  },
  {
    id: "search",
    group: "Anywhere",
    title: "Search in the definition",
    run: () => {
      panes.chooseLeft("definition");
      definitionEditor.value?.search();
    },
  },
  { id: "save", group: "Anywhere", title: "Save", keys: ["Mod+S"], run: () => void loaders.project().then(({ save }) => save()) },
  {
    id: "openFile",
    group: "Anywhere",
    title: "Open a file",
    keys: ["Mod+O"],
    run: () => void loaders.project().then(({ openFiles }) => openFiles()),
  },
  { id: "saveSession", group: "Anywhere", title: "Save everything as a session file", run: saveSession },
  {
    id: "copyLink",
    group: "Anywhere",
    title: "Copy a link to this workspace",
    run: () => void import("../exchange/link.ts").then(({ copyShareLink }) => copyShareLink()),
  },
  { id: "graph", group: "Anywhere", title: "Graph", run: focusGraph },
  { id: "mocks", group: "Anywhere", title: "Mocks of the tasks", run: () => show(() => panes.chooseLeft("mocks"), "code") },
  { id: "watch", group: "Anywhere", title: "Watch expressions", run: () => show(() => panes.chooseDock("watch"), "events") },
  { id: "breakpoints", group: "Anywhere", title: "List of breakpoints", run: () => show(() => panes.chooseDock("breakpoints"), "events") },
  { id: "timeline", group: "Anywhere", title: "Timeline", run: () => show(() => panes.chooseDock("timeline"), "events") },
  { id: "runs", group: "Anywhere", title: "Runs and forks", run: () => show(() => panes.chooseDock("runs"), "events") },
  {
    id: "executions",
    group: "Anywhere",
    title: "Executions kept in this browser",
    run: () => show(() => panes.chooseDock("executions"), "events"),
  },
  { id: "coverage", group: "Anywhere", title: "Coverage of all runs", run: () => show(() => panes.chooseDock("coverage"), "events") },
  { id: "examples", group: "Anywhere", title: "Examples and recent drafts", run: () => panes.openDialog("examples") },
  { id: "import", group: "Anywhere", title: "Import", run: () => panes.openDialog("import") },
  { id: "export", group: "Anywhere", title: "Export", run: () => panes.openDialog("export") },
  { id: "share", group: "Anywhere", title: "Make a link, and choose what is in it", run: () => panes.openDialog("share") },
  { id: "settings", group: "Anywhere", title: "Settings", run: () => panes.openDialog("settings") },
  { id: "keys", group: "Anywhere", title: "Change keys", run: () => panes.openDialog("keys") },
  {
    id: "theme",
    group: "Anywhere",
    title: "Change the theme",
    run: () => (prefs.theme.value = prefs.theme.value === "dark" ? "light" : "dark"),
  },

  { id: "graphDown", group: "Graph", title: "Along the transition, down", keys: ["ArrowDown"], place: "graph" },
  { id: "graphUp", group: "Graph", title: "Along the transition, up", keys: ["ArrowUp"], place: "graph" },
  { id: "graphLeft", group: "Graph", title: "To the neighbour on the left", keys: ["ArrowLeft"], place: "graph" },
  { id: "graphRight", group: "Graph", title: "To the neighbour on the right", keys: ["ArrowRight"], place: "graph" },
  { id: "graphHome", group: "Graph", title: "To the first state", keys: ["Home"], place: "graph" },
  { id: "graphInto", group: "Graph", title: "Go into a Parallel or Map, or rename another state", keys: ["Enter"], place: "graph" },
  { id: "graphText", group: "Graph", title: "Go to the state in the definition", keys: ["Alt+Enter"], place: "graph" },
  { id: "graphOut", group: "Graph", title: "Go out of the Parallel or Map", keys: ["Escape"], place: "graph" },
  { id: "fold", group: "Graph", title: "Fold a Parallel or Map", keys: ["-"], place: "graph", able: folding(true), run: fold },
  { id: "unfold", group: "Graph", title: "Unfold it", keys: ["+", "="], place: "graph", able: folding(false), run: fold },
  { id: "graphMenu", group: "Graph", title: "Menu of the state", keys: ["Shift+F10", "ContextMenu"], place: "graph" },
  { id: "graphSearch", group: "Graph", title: "Search in the graph", keys: ["/"], place: "graph", run: () => (searchOpen.value = true) },
  { id: "zoomIn", group: "Graph", title: "Zoom in", keys: ["Mod+=", "Mod++"], place: "graph", run: () => zoomTo(view.value.k * 1.25) },
  { id: "zoomOut", group: "Graph", title: "Zoom out", keys: ["Mod+-"], place: "graph", run: () => zoomTo(view.value.k / 1.25) },
  { id: "zoomWhole", group: "Graph", title: "Zoom to 100 %", keys: ["Shift+0"], place: "graph", run: () => zoomTo(1) },
  { id: "fit", group: "Graph", title: "Fit the graph", keys: ["Shift+1"], run: fitGraph },
  { id: "followRun", group: "Graph", title: "Follow the run", run: () => (follow.value = true) },
  { id: "panUp", group: "Graph", title: "Scroll up", keys: ["Shift+ArrowUp"], place: "graph" },
  { id: "panDown", group: "Graph", title: "Scroll down", keys: ["Shift+ArrowDown"], place: "graph" },
  { id: "panLeft", group: "Graph", title: "Scroll left", keys: ["Shift+ArrowLeft"], place: "graph" },
  { id: "panRight", group: "Graph", title: "Scroll right", keys: ["Shift+ArrowRight"], place: "graph" },

  {
    id: "lineBreakpoint",
    group: "Editor",
    title: "Breakpoint on the state of the line",
    keys: ["Mod+B"],
    place: "editor",
    run: inEditor("lineBreakpoint"),
  },
  { id: "toName", group: "Editor", title: "Go to the definition of a name", keys: ["F12"], place: "editor", run: inEditor("toName") },
  { id: "places", group: "Editor", title: "Find all uses of a name", keys: ["Shift+F12"], place: "editor", run: inEditor("places") },
  { id: "rename", group: "Editor", title: "Rename a state or variable everywhere", keys: ["F2"], place: "editor", run: inEditor("rename") },
  { id: "fixes", group: "Editor", title: "Quick fix", keys: ["Mod+."], place: "editor", run: inEditor("fixes") },
  {
    id: "convertState",
    group: "Editor",
    title: "Convert the selected state to JSONata",
    able: selected,
    run: withState((state) => void convertToJsonata(state)),
  },
  { id: "convertAll", group: "Editor", title: "Convert all states to JSONata", run: () => void convertToJsonata() },
  { id: "layOut", group: "Editor", title: "Format the text", keys: ["Alt+Shift+F"], place: "editor", run: inEditor("layOut") },
  ...textCommands.map(({ id, title, keys }): Command => ({ id, title, group: "Text", keys, place: "text", run: inEditor(id) })),
]);

function show(choose: () => void, narrow: typeof panes.narrowTab.value): void {
  choose();
  panes.showNarrow(narrow);
}

async function goToProblem(back: boolean): Promise<void> {
  show(() => panes.chooseLeft("definition"), "code");
  await analysis.settled();
  requestAnimationFrame(() => definitionEditor.value?.nextProblem(back));
}

/** Returns the commands that match a text, for the palette. */
export function findCommands(text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const states = (analysis.graph.value?.graph.nodes ?? [])
    .filter(isState)
    .slice(0, 5000)
    .map(({ name }): Command => ({
      id: `state ${name}`,
      group: "Anywhere",
      title: `Go to ${name}`,
      run: () => selection.selectState(name, "page"),
    }));
  const all = words.length === 0 ? commands.value : [...commands.value, ...states];
  // An exact match comes first, then a title that contains the phrase.
  const phrase = words.join(" ");
  const rank = ({ title }: Command): number => (title.toLowerCase() === phrase ? 0 : title.toLowerCase().includes(phrase) ? 1 : 2);
  return all
    .filter(({ title, able, run }) => run !== undefined && words.every((word) => title.toLowerCase().includes(word)) && able?.() !== false)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, 80);
}
