// All commands: what the palette lists and what the keys do.

import { definitionEditor, goToDefinition } from "../editor/place.ts";
import { fitGraph } from "../graph/GraphView.tsx";
import { isState } from "../model/graph.ts";
import * as prefs from "../prefs.ts";
import * as store from "../store.ts";
import { MOD } from "../ui/format.ts";
import * as model from "./model.ts";
import * as session from "./session.ts";

export interface Command {
  id: string;
  title: string;
  /// As it is shown.
  keys?: string;
  /// Whether it can be done now; absent: always.
  able?: () => boolean;
  run(): void;
}

const going = (): boolean => store.run.value?.phase === "running";
const selected = (): boolean => store.selectedState.value !== null;
const withState = (run: (state: string) => void) => (): void => {
  const state = store.selectedState.value;
  if (state !== null) run(state);
  else store.showToast("Choose a state first, in the graph or in the definition.");
};

export const commands: Command[] = [
  { id: "run", title: "Run", keys: `${MOD} Enter`, able: () => !store.busy.value, run: () => void store.start() },
  { id: "runPaused", title: "Run, paused before the first state", able: () => !store.busy.value, run: () => void store.start({ paused: true }) },
  { id: "continue", title: "Continue or pause", keys: "F8", run: session.continueOrPause },
  { id: "pause", title: "Pause", keys: `${MOD} \\`, able: going, run: () => session.step("pause") },
  { id: "runOut", title: "Run to the end, past all breakpoints", keys: "Shift F8", able: session.canGoOn, run: () => session.step("runOut") },
  { id: "over", title: "Step over, to the next state", keys: "F10", run: () => session.stepOrBegin("next") },
  { id: "into", title: "Step into the state", keys: "F11", run: () => session.stepOrBegin("stepIn") },
  { id: "out", title: "Step out of the branch or iteration", keys: "Shift F11", able: session.canGoOn, run: () => session.step("stepOut") },
  { id: "stage", title: "Step by one stage of the data flow", keys: `${MOD} F11`, run: () => session.stepOrBegin("stepStage") },
  { id: "back", title: "One event back, along the branch", keys: "Alt [", able: () => store.cursor.value > 0, run: () => (session.canStep() ? session.step("stepBack") : store.goTo(store.cursor.value - 1)) },
  { id: "forward", title: "One event on", keys: "Alt ]", run: () => store.goTo(store.cursor.value + 1) },
  { id: "reverse", title: "Run backwards to the breakpoint before", keys: "Alt Shift [", able: session.canStep, run: () => session.step("reverseContinue") },
  { id: "runTo", title: "Run to the selected state", keys: `${MOD} F10`, able: selected, run: withState(session.runTo) },
  { id: "breakpoint", title: "Breakpoint on the selected state", keys: "F9", able: selected, run: withState(session.toggleBreakpoint) },
  { id: "editBreakpoint", title: "Edit the selected state's breakpoint", keys: "Shift F9", able: selected, run: withState(session.editBreakpoint) },
  { id: "stops", title: "Breakpoints on or off", keys: `${MOD} F8`, run: () => (model.stops.value = !model.stops.value) },
  { id: "clearBreakpoints", title: "Remove all breakpoints", able: () => model.breakpoints.value.length > 0, run: () => (model.breakpoints.value = []) },
  { id: "rerun", title: "Run again from the selected state (a fork)", able: () => selected() && session.canStep(), run: withState(session.rerunFrom) },
  { id: "restart", title: "Restart", keys: `${MOD} Shift Enter`, able: () => store.run.value !== null, run: session.restart },
  { id: "fork", title: "Fork the run at the event shown", able: session.canStep, run: () => session.fork() },
  { id: "apply", title: "Apply the edited definition to the paused run", able: () => session.canStep() && store.changedSince.value, run: () => void session.applyDefinition() },
  { id: "stop", title: "Stop", keys: `${MOD} F2`, able: () => store.busy.value, run: store.stop },
  { id: "nextTimer", title: "Let the time pass until the next timer", keys: `${MOD} Alt .`, able: () => store.timer.value?.due != null, run: () => store.advance() },
  { id: "first", title: "Look at the beginning", run: () => store.goTo(0) },
  { id: "live", title: "Return to the end", run: store.returnToLive },
  { id: "goToDefinition", title: "Go to the selected state's definition", able: selected, run: withState(goToDefinition) },
  { id: "fit", title: "Fit the graph", keys: "Shift 1", run: fitGraph },
  { id: "search", title: "Search in the definition", run: () => { store.leftTab.value = "definition"; definitionEditor.value?.search(); } },
  { id: "mocks", title: "Mocks of the tasks", run: () => show(() => (store.leftTab.value = "mocks"), "code") },
  { id: "watch", title: "Watch expressions", run: () => show(() => (store.dockTab.value = "watch"), "events") },
  { id: "breakpoints", title: "List of breakpoints", run: () => show(() => (store.dockTab.value = "breakpoints"), "events") },
  { id: "timeline", title: "Time line", run: () => show(() => (store.dockTab.value = "timeline"), "events") },
  { id: "runs", title: "Runs and forks", run: () => show(() => (store.dockTab.value = "runs"), "events") },
  { id: "examples", title: "Examples and recent drafts", run: () => (store.dialog.value = "examples") },
  { id: "import", title: "Import", run: () => (store.dialog.value = "import") },
  { id: "export", title: "Export", run: () => (store.dialog.value = "export") },
  { id: "share", title: "Make a link", run: () => (store.dialog.value = "share") },
  { id: "settings", title: "Settings", run: () => (store.dialog.value = "settings") },
  { id: "theme", title: "Change the theme", run: () => (prefs.theme.value = prefs.theme.value === "dark" ? "light" : "dark") },
  { id: "help", title: "Help and keyboard shortcuts", keys: "?", run: () => (store.dialog.value = "help") },
];

function show(choose: () => void, narrow: typeof store.narrowTab.value): void {
  choose();
  store.narrowTab.value = narrow;
}

/// Commands and states, for the palette.
export function findCommands(text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const states = (store.graph.value?.graph.nodes ?? []).filter(isState).slice(0, 5000).map(({ name }): Command => ({ id: `state ${name}`, title: `Go to ${name}`, run: () => store.selectState(name, "page") }));
  const all = words.length === 0 ? commands : [...commands, ...states];
  return all.filter(({ title, able }) => words.every((word) => title.toLowerCase().includes(word)) && able?.() !== false).slice(0, 60);
}

/// The debugger's keys. Whether the key was one.
export function debugKey(event: KeyboardEvent): boolean {
  const command = event.ctrlKey || event.metaKey;
  const { key, shiftKey, altKey } = event;
  const run = (id: string): boolean => {
    const found = commands.find((one) => one.id === id)!;
    if (found.able?.() !== false) found.run();
    return true;
  };
  if (command && !altKey) {
    if (key.toLowerCase() === "k") {
      store.dialog.value = "palette";
      return true;
    }
    if (key.toLowerCase() === "b" && !shiftKey) return run("breakpoint");
    if (key === "\\" || key === "|") return run(going() ? "pause" : "continue");
    if (event.code === "Quote") return run(shiftKey ? "stage" : "over");
    if (event.code === "Semicolon") return run(shiftKey ? "out" : "into");
    if (key === "F8") return run("stops");
    if (key === "F10") return run("runTo");
    if (key === "F11") return run("stage");
    if (key === "F2") return run("stop");
    if (key === "Enter" && shiftKey) return store.run.value === null ? run("run") : run("restart");
    return false;
  }
  if (command && altKey) return event.code === "Period" && run("nextTimer");
  if (altKey) {
    if (event.code === "BracketLeft") return run(shiftKey ? "reverse" : "back");
    if (event.code === "BracketRight") return run("forward");
    return false;
  }
  switch (key) {
    case "F1":
      store.dialog.value = "palette";
      return true;
    case "F8":
      return run(shiftKey ? "runOut" : "continue");
    case "F9":
      return run(shiftKey ? "editBreakpoint" : "breakpoint");
    case "F10":
      return run("over");
    // Only while there is something to step through: else the browser's full screen.
    case "F11":
      return session.canStep() && run(shiftKey ? "out" : "into");
    default:
      return false;
  }
}
