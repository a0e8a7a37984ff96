// The debugger's commands, and the handling of the interpreter's notes about them.

import { batch, computed, effect, signal } from "@preact/signals";
import type { Breakpoint, ChildExecution, EditReport, Mock, StepCommand } from "../model/protocol.ts";
import type { SharedBreakpoint } from "../model/share.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as runner from "../store/runner.ts";
import * as selection from "../store/selection.ts";
import { say, showAlarm, showToast, silence, announceFailure } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import * as model from "./model.ts";

/** Whether an edited definition was applied. */
export const edit = signal<EditReport | null>(null);

/** Returns whether there is a run to step through: a paused one, or one that has ended. */
export function canStep(): boolean {
  const run = execution.run.value;
  return run !== null && run.recorded === undefined && run.refused === undefined && (run.phase === "paused" || run.phase === "ended");
}

/** Returns whether there are events after the displayed position. */
export function canContinue(): boolean {
  const at = model.position.value;
  return canStep() && !execution.run.value?.elsewhere && at !== null && (at.beside || !(at.over && at.atRest));
}

/** Resolves when the run has the mocks of the page, including their compiled code. */
let mocksApplied: Promise<void> = Promise.resolve();

export function step(command: StepCommand): void {
  const able =
    command === "pause"
      ? execution.run.value?.phase === "running"
      : command === "stepBack" || command === "reverseContinue"
        ? canStep()
        : canContinue();
  if (!able) return;
  silence();
  void mocksApplied.then(() => interpreter.query("step", { command })).catch(fail);
}

/** The run whose first pause is skipped, because the key to continue was pressed before it. */
let skippedPause: object | undefined;

/** F8: continues, pauses, or starts. */
export function continueOrPause(): void {
  const run = execution.run.value;
  if (run?.phase === "running") step("pause");
  else if (canContinue()) step("continue");
  else if (!execution.busy.value) void runner.start();
  else if (run?.phase === "starting") skippedPause = run.pauses;
}

/** Makes a step. If the machine does not run yet, it starts with a step to its first state. */
export function stepOrBegin(command: "next" | "stepIn" | "stepStage"): void {
  if (canContinue()) step(command);
  else if (!execution.busy.value) void runner.start({ step: "next" });
}

/** Runs to the end and ignores all breakpoints. If the machine does not run yet, it starts. */
export function runOut(): void {
  if (canContinue()) step("runOut");
  else if (!execution.busy.value) void runner.start({ step: "runOut" });
}

export function restart(): void {
  const paused = execution.run.value?.phase === "paused";
  void runner.start({ paused });
}

export function runTo(state: string): void {
  if (canContinue()) void mocksApplied.then(() => interpreter.query("runTo", { state })).catch(fail);
  else if (!execution.busy.value) void runner.start({ runTo: state });
}

export function goToPlace(place: number): void {
  if (canStep()) void interpreter.query("goToPlace", { place }).catch(fail);
}

/** Selects another execution of the run, at the same time. */
export function selectExecution(id: number): void {
  void interpreter.query("selectExecution", { id }).catch(fail);
}

/** Returns the execution that a state has started last, up to the displayed position. */
export function startedBy(state: string | null): ChildExecution | undefined {
  const here = analysis.inside.value?.id ?? 0;
  return execution.children.value.findLast((one) => one.parent === here && one.state === state);
}

export function fork(event = playback.cursor.value): void {
  if (canStep()) void interpreter.query("fork", { event }).then(refreshRuns, fail);
}

/** Forks the run at the last visit of a state, which runs again with the same input. */
export function rerunFrom(state: string): void {
  void interpreter.query("visitsOf", { state }).then((visits) => {
    const visit = visits.findLast(({ enter }) => enter <= playback.cursor.value) ?? visits[0];
    if (visit) fork(visit.enter);
  }, fail);
}

/** Does the same from the selected event, or else from the selected state. */
export function rerunSelected(): void {
  const state = selection.selectedState.value;
  if (selection.selectedEvent.value !== null) fork(selection.selectedEvent.value);
  else if (state !== null) rerunFrom(state);
}

export function setValue(target: "input" | "result" | "variable", value: unknown, name?: string, visit?: number): Promise<void> {
  return interpreter
    .query("setValue", { target, value, ...(name !== undefined && { name }), ...(visit !== undefined && { visit }) })
    .then(refreshRuns);
}

/** The text before the edit. */
let replaced = "";

/** Moves the focus to the run button, because the pressed button was removed. */
const focusRun = (): void => document.querySelector<HTMLElement>("button.run")?.focus();

/** Continues with the edited definition, although the run would have taken another path. */
export function continueEdited(): void {
  edit.value = null;
  focusRun();
  step("continue");
}

/** Discards the edit: returns to the run before it, and to its text. */
export function backToOld(): void {
  const parent = model.runs.value.find((run) => run.current)?.parent;
  edit.value = null;
  focusRun();
  workspace.edit({ definition: replaced });
  if (parent !== undefined) void selectRun(parent).then(() => execution.ran(replaced));
}

/** Applies the edited text at the position where the run is paused. */
export async function applyDefinition(): Promise<void> {
  workspace.flush();
  const old = execution.run.value?.definition ?? "";
  try {
    const report = await interpreter.query("applyDefinition", { definition: workspace.definition.value, format: workspace.format.value });
    edit.value = report;
    if (!report.same) replaced = old;
    execution.ran(workspace.definition.value);
    if (report.same) showToast("Applied. The run takes the same path up to here.");
    refreshRuns();
  } catch (error) {
    showAlarm("The definition has errors, so the run continues with the previous one. The problems are listed below the editor.");
    void error;
  }
}

function refreshRuns(): void {
  // The runs of another workspace were removed with it.
  void interpreter.query("runs", {}).then(
    (runs) => (model.runs.value = execution.run.value ? runs : []),
    () => {},
  );
}

export function selectRun(id: number): Promise<void> {
  return interpreter.query("selectRun", { id }).then(refreshRuns, fail);
}

/** Removes a run that is not shown. */
export function forgetRun(id: number): void {
  void interpreter.query("removeRun", { id }).then(refreshRuns, fail);
}

export function setMock(state: string, mock: Mock | undefined): void {
  const next = { ...model.mocks.value };
  if (mock === undefined) delete next[state];
  else next[state] = mock;
  model.mocks.value = next;
}

export function toggleStops(): void {
  model.stops.value = !model.stops.value;
  showToast(model.stops.value ? "Breakpoints are enabled." : "Breakpoints are disabled.");
}

let numbers = 1;

export function addBreakpoint(one: Breakpoint): Breakpoint {
  const machine = analysis.inside.value?.machine;
  const added = { enabled: true, ...(machine !== undefined && { machine }), ...one, id: ++numbers };
  model.breakpoints.value = [...model.breakpoints.value, added];
  return added;
}

export function changeBreakpoint(id: number, change: Partial<Breakpoint>): void {
  model.breakpoints.value = model.breakpoints.value.map((one) => (one.id === id ? { ...one, ...change } : one));
}

export function removeBreakpoint(id: number): void {
  model.breakpoints.value = model.breakpoints.value.filter((one) => one.id !== id);
}

/** F9: adds a plain breakpoint before the state, or removes it. */
export function toggleBreakpoint(state: string): void {
  const there = model.byState.value.get(state);
  if (there?.every(({ enabled }) => enabled === false)) {
    model.breakpoints.value = model.breakpoints.value.map((one) => (there.includes(one) ? { ...one, enabled: true } : one));
    const words = `The breakpoint on ${state} is enabled again: ${there.map(model.describe).join("; ")}`;
    // The toast explains why this breakpoint may not stop.
    if (there.some(({ condition, hit, log }) => condition || hit || log)) showToast(words);
    else say(words);
  } else if (there) {
    model.breakpoints.value = model.breakpoints.value.filter((one) => !there.includes(one));
    say(`Breakpoint on ${state} removed`);
  } else {
    addBreakpoint({ kind: "entry", state });
    say(`Breakpoint before ${state}`);
  }
}

/** Shift+F9: edits the breakpoint's kind, condition and further fields. */
export function editBreakpoint(state: string): void {
  showBreakpoint((model.byState.value.get(state)?.[0] ?? addBreakpoint({ kind: "entry", state })).id!);
}

/** Opens a breakpoint's form in the list. */
export function showBreakpoint(id: number): void {
  batch(() => {
    model.editing.value = id;
    panes.chooseDock("breakpoints");
    panes.showNarrow("events");
  });
}

function fail(error: unknown): void {
  showAlarm((error as Error).message);
}

/** Whether another execution was selected since the last stop. Then its state is selected as well. */
let entered = false;

runner.listeners.add((note) => {
  switch (note.note) {
    case "stopped": {
      const { position } = note;
      batch(() => {
        const before = model.position.value;
        model.position.value = position;
        model.stopped.value += 1;
        const [top] = position.stack;
        const over = position.over && !(position.beside && analysis.inside.value);
        const looks = position.stop.reason === "goto" && !entered;
        entered = false;
        if (looks) return;
        if (top && (!over || before)) selection.selectState(top.state, "page");
        if (top && !over) playback.chooseAround(top.state, top.iterations);
        if (!top || over) return;
        const words = `Paused ${model.stopWords.value.replace(/ · (item )?#?/g, ", $1").replaceAll(" › #", ", ")}${position.stop.reason === "breakpoint" ? ", breakpoint" : ""}`;
        if (position.stop.reason === "exception") announceFailure(words);
        else say(words);
      });
      refreshRuns();
      if (skippedPause && skippedPause === execution.run.value?.pauses) {
        skippedPause = undefined;
        step("continue");
      }
      break;
    }
    case "large":
      model.large.value = [...model.large.value, ...note.large];
      break;
    case "entered":
      entered = true;
    // falls through
    case "continued":
    case "switched":
      model.position.value = null;
      break;
  }
});

runner.debugging.settings = () => ({
  breakpoints: model.breakpoints.peek(),
  stops: model.stops.peek(),
  exceptions: model.exceptions.peek(),
  mocks: model.mocks.peek(),
});

// Changed settings are sent to the current run.
let first = true;
effect(() => {
  const breakpoints = model.breakpoints.value;
  const stops = model.stops.value;
  const exceptions = model.exceptions.value;
  if (!first) void interpreter.query("setStops", { breakpoints, stops, exceptions }).catch(() => {});
});
effect(() => {
  const mocks = model.mocks.value;
  if (!first) mocksApplied = runner.updateMocks(mocks).then(refreshRuns, () => {});
});
effect(() => {
  const clock = workspace.clock.value;
  if (!first) void interpreter.query("setClock", { clock }).catch(() => {});
});
first = false;

// Breakpoints belong to a workspace and are replaced with it.
let shared: readonly SharedBreakpoint[] = [];
effect(() => {
  const brought = workspace.broughtBreakpoints.value;
  if (brought === shared) return;
  shared = brought;
  model.breakpoints.value = brought.map((one) => ({ enabled: true, ...(one as Breakpoint), id: ++numbers }));
});
effect(() => {
  const next = model.breakpoints.value.map(({ id: _, hits: __, enabled, ...one }): SharedBreakpoint => ({
    ...one,
    ...(enabled === false && { enabled }),
  }));
  if (JSON.stringify(next) === JSON.stringify(shared)) return;
  shared = next;
  workspace.edit({ broughtBreakpoints: next });
});
// Mocks do too.
effect(() => {
  workspace.edit({ broughtMocks: model.mocks.value });
});
// Requests which tasks the rules among them apply to.
let asked = 0;
effect(() => {
  const tasks = analysis.latest.value?.tasks ?? [];
  const names = Object.keys(model.mocks.value);
  const mine = ++asked;
  if (names.every((name) => tasks.some(({ state }) => state === name))) model.ruled.value = new Map();
  else
    void interpreter.query("ruled", { names, tasks }).then(
      (rules) =>
        mine === asked &&
        (model.ruled.value = new Map(tasks.flatMap(({ state }, i) => (rules[i] == null ? [] : [[state, rules[i]] as const])))),
      () => {},
    );
});
effect(() => {
  void workspace.generation.value;
  batch(() => {
    model.mocks.value = workspace.broughtMocks.peek();
    model.position.value = null;
    model.runs.value = [];
    edit.value = null;
  });
});
// The large payloads belong to one run.
const runId = computed(() => execution.run.value?.id);
effect(() => {
  void runId.value;
  model.large.value = [];
});
