// Runs the machine on the page, and handles the interpreter's notes about the run.

import { batch } from "@preact/signals";
import type { SavedSession } from "stepglass/debug";
import { WorkerLost } from "../client.ts";
import { GraphIndex } from "../model/graph.ts";
import type { Answer, Breakpoint, Exceptions, Mock, Note, RunRequest, StepCommand } from "../model/protocol.ts";
import * as prefs from "../prefs.ts";
import { unticked } from "../ui/format.ts";
import { analyze, analyzeSoon, drawnGraph, errorCount, inside, problems } from "./analysis.ts";
import { type RunState, busy, children, console, mockProblems, detached, run, timer, waiting } from "./execution.ts";
import { selectInside } from "./inside.ts";
import { client, engine, engineMessage, engineVersion, noteHandlers, sandbox, useSandbox } from "./interpreter.ts";
import { dockChosen, dockOpen, dockTab, narrowTab, offerDock, openDialog } from "./panes.ts";
import * as playback from "./playback.ts";
import { selectedState } from "./selection.ts";
import { say, showAlarm, silence, announceFailure } from "./notifications.ts";
import * as workspace from "./workspace.ts";

/** The listeners that receive every note about the current run. */
export const listeners = new Set<(note: Note) => void>();

/** The settings of a run besides the workspace. The debugger, which is built on this module, sets them. */
export interface Settings {
  breakpoints: Breakpoint[];
  stops: boolean;
  exceptions: Exceptions;
  mocks: Record<string, Mock>;
}
export const debugging: { settings(): Settings } = { settings: () => ({ breakpoints: [], stops: true, exceptions: "none", mocks: {} }) };

/** The generation of the workspace that was run last. */
let workspaceRun = -1;
/** Whether child executions continue although the run's own execution has ended. */
let beside = false;
/** Whether the following events were displayed before, in another execution. */
let atOnce = false;

/** How a run begins: paused before its first state, or by running to a state. */
export interface Beginning {
  paused?: boolean;
  runTo?: string;
  /** The first step. */
  step?: StepCommand;
  /** The runs of a session file, paused where they were. */
  saved?: SavedSession;
  /** For a run that this browser has stored: its id, which is empty if another tab owns it. With `until`, the run continues. */
  kept?: string;
  until?: number;
}

let pendingStart: Beginning = {};
/** Starts the run that has waited for the user to review the code. */
export const startPending = (): Promise<void> => start(pendingStart);

class Refusal extends Error {}

/** Runs the machine. If the tasks' code came with a link, the user is asked first. */
export async function start(beginning: Beginning = {}): Promise<void> {
  const { paused = false, saved, kept, until } = beginning;
  if (workspace.unwritten.size > 0) await Promise.all([...workspace.unwritten].map((write) => write()));
  workspace.flush();
  if (engine.value === "broken") return showAlarm("The interpreter is not loaded, so nothing can run. Reload the page.");
  if (workspace.suspect.value) {
    pendingStart = beginning;
    openDialog("trust");
    return;
  }
  playback.clearStopChoices();
  const pauses = paused || (saved !== undefined && until === undefined);
  const begun: RunState = {
    id: 0,
    phase: "starting",
    definition: workspace.definition.value,
    clock: workspace.clock.value,
    seed: workspace.seed.value,
    ...(pauses && { pauses: {} }),
    ...(kept === "" && { elsewhere: true }),
  };
  // The runs of one workspace form one session.
  const besideOthers = !saved && workspaceRun === workspace.generation.value;
  workspaceRun = workspace.generation.value;
  batch(() => {
    show(begun);
    if (!dockChosen.value && (dockTab.value === "result" || dockTab.value === "waiting")) dockTab.value = "events";
    if (prefs.layoutSize() === "narrow" && narrowTab.value === "code") narrowTab.value = "graph";
  });
  try {
    await Promise.all([analyze(), playback.loadReader()]);
    refuseInvalid();
    // This is read before the handlers are loaded, because text that is typed meanwhile was not reviewed.
    const input = workspace.input.value;
    const { handlers, resolver } = await loadHandlers();
    if (run.value !== begun) return;
    const { have, index } = drawnGraph();
    const order = { ...requestOf(begun, beginning), input, handlers, resolver, beside: besideOthers, have };
    const { run: id, graph: whole } = await client.call("run", order);
    if (run.value !== begun) return;
    playback.setGraph(whole ? new GraphIndex(whole) : index!);
    // A run that begins with a pause does not count as running before that pause. Otherwise the key that continues would stop it.
    run.value = { ...begun, id, phase: pauses ? "starting" : "running" };
    client.running = true;
    if (!pauses) say("Running");
  } catch (error) {
    const message = (error as Error).message;
    if (error instanceof WorkerLost) return;
    showRefused(begun, message);
    announceFailure(`Not started. ${message}`);
  }
}

/** Ends a run that did not start. Nothing is played, so the result shows why; on a narrow page it is in another pane. */
function showRefused(begun: RunState, why: string): void {
  run.value = { ...begun, phase: "ended", refused: why };
  dockTab.value = "result";
  if (prefs.layoutSize() === "narrow") narrowTab.value = "events";
}

/** Returns the request for the interpreter, from the current contents of the page. */
function requestOf(
  { definition, clock, seed, pauses }: RunState,
  { runTo, step, saved, kept, until }: Beginning,
): Omit<RunRequest, "input" | "handlers" | "resolver" | "beside"> {
  const recorded = workspace.recordedAnswers.value;
  return {
    definition,
    format: workspace.format.value,
    clock,
    seed,
    ask: prefs.askMissing.value,
    ...debugging.settings(),
    machines: [...workspace.machines.value, ...workspace.siblings.value],
    paused: pauses !== undefined,
    ...(step !== undefined && { step }),
    ...(runTo !== undefined && { runTo }),
    config: workspace.config.value,
    ...(saved && { saved, kept, until }),
    ...(recorded && { recorded: { tasks: recorded.tasks, ...(recorded.startTime !== undefined && { startTime: recorded.startTime }) } }),
  };
}

/** Throws if the definition or the input cannot be run. */
function refuseInvalid(): void {
  if (workspace.definition.value.trim() === "") throw new Refusal("The definition is empty.");
  if (errorCount.value > 0) {
    throw new Refusal(
      `The definition has ${errorCount.value === 1 ? "an error" : `${errorCount.value} errors`}: ${unticked(problems.value.find((p) => p.severity === "error")!.message)}`,
    );
  }
  if (workspace.config.value.strict && problems.value[0])
    throw new Refusal(`The definition has a warning, and Config is strict: ${unticked(problems.value[0].message)}`);
  if (workspace.inputProblem.value) throw new Refusal(`The input is not JSON: ${workspace.inputProblem.value.message}`);
}

/** Loads the task handlers and the mocks in JavaScript into the sandbox. */
async function loadHandlers(): Promise<{ handlers: string[]; resolver: boolean }> {
  const tasks = workspace.tasks.value;
  const codes = workspace.codesOf(debugging.settings().mocks);
  if (tasks.trim() === "" && Object.keys(codes).length === 0) return { handlers: [], resolver: false };
  try {
    const loaded = await sandbox.load(tasks, codes);
    useSandbox(loaded);
    const [wrong] = Object.entries(mockProblems.value);
    if (wrong) throw new Refusal(`The mock of ${wrong[0]} is not a function. ${wrong[1]}`);
    return loaded;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`The task handlers cannot be loaded. ${(error as Error).message}`);
  }
}

/** Shows a run in place of the one before. */
export function show(begun: RunState): void {
  batch(() => {
    clearRun();
    silence();
    run.value = begun;
    dockOpen.value = true;
  });
}

/**
 * Called when the definition is replaced by that of another machine. The run on screen does not belong to it, and its next runs
 * start a new session.
 */
export function detachRun(): void {
  detached.value = run.value !== null;
  workspaceRun = -1;
}

/** Called when the definition is that of the run on screen again. */
export function reattachRun(): void {
  detached.value = false;
}

export function stop(): void {
  const now = run.value;
  if (now?.elsewhere) return;
  // The loading that is still in progress is not waited for.
  if (now?.phase === "starting" && now.id === 0) showRefused(now, "It was stopped before it began.");
  void client.call("stop", {});
}

/** Advances the clock to the next timer, or by `milliseconds`. */
export function advance(milliseconds?: number): void {
  if (run.value?.elsewhere) return;
  void client.call("advance", milliseconds === undefined ? {} : { milliseconds });
}

export function takeTask(id: number, workerName: string): void {
  void client.call("take", { id, workerName });
}

export function answerTask(id: number, answer: Answer): void {
  void client.call("answer", { id, answer });
}

/** Sends changed mocks to the run. Resolves when the next task uses them. */
export async function updateMocks(mocks: Record<string, Mock>): Promise<void> {
  const codes = workspace.codesOf(mocks);
  if (
    workspace.mocksTrusted.peek() &&
    busy.peek() &&
    workspace.hasCode(mocks) &&
    !(await sandbox.mocks(codes)) &&
    debugging.settings().mocks === mocks
  )
    useSandbox(await sandbox.load("", codes));
  // Other mocks may have been set while these were loaded.
  if (debugging.settings().mocks === mocks) await client.call("setMocks", { mocks });
}

/** Drops the last run, as if nothing had run yet. */
export function clearRun(): void {
  batch(() => {
    beside = false;
    selectInside(null);
    playback.clear();
    run.value = null;
    detached.value = false;
    waiting.value = [];
    children.value = [];
    timer.value = null;
    console.value = [];
    announceFailure("");
  });
}

noteHandlers.lost = (why) => {
  batch(() => {
    engine.value = "loading";
    waiting.value = [];
    timer.value = null;
    // The connection to the run is gone, so there is no way back from a child execution.
    if (inside.value) {
      selectInside(null);
      playback.begin(null);
    }
    if (run.value && run.value.phase !== "ended") run.value = { ...run.value, phase: "ended", refused: why };
  });
  showAlarm(why);
  analyzeSoon(0);
};

noteHandlers.heard = handleNote;

function handleNote(note: Note): void {
  switch (note.note) {
    case "ready":
      batch(() => {
        engine.value = "ready";
        engineVersion.value = note.version;
      });
      return;
    case "broken":
      batch(() => {
        engine.value = "broken";
        engineMessage.value = note.message;
      });
      return;
    case "lacking":
      return showAlarm(note.message);
    case "together":
      // Each note may belong to a run that an earlier one in the list has switched to.
      return batch(() => note.notes.forEach(handleNote));
  }
  const now = run.value;
  if (!now) return;
  if ((note.note === "switched" || note.note === "entered") && now.id !== 0) {
    switched(note);
  } else if (now.id !== note.run) return;
  handleRunNote(now, note);
  for (const listener of listeners) listener(note);
}

/** Handles a note about the run on screen. */
function handleRunNote(now: RunState, note: Note): void {
  switch (note.note) {
    case "continued":
      if (now.phase === "paused" || beside) run.value = { ...now, phase: "running" };
      playback.follow();
      announceFailure("");
      break;
    case "stopped": {
      const { event, over, place, stop } = note.position;
      batch(() => {
        beside = over && note.position.beside;
        const phase = over && !(beside && inside.value) ? "ended" : "paused";
        const state = run.value!;
        if (state.phase !== phase) run.value = { ...state, phase };
        // While the user drags the time line, the page is ahead of the interpreter.
        if (stop.reason === "end") playback.play();
        else if (stop.reason !== "goto" || !playback.isLookingBack()) playback.arrive(event, place);
      });
      break;
    }
    case "log":
      playback.append(note.chunk, atOnce);
      atOnce = false;
      break;
    case "waiting": {
      const more = note.tasks.length > waiting.value.length;
      waiting.value = note.tasks;
      if (children.value.length > 0 || note.children.length > 0) children.value = note.children;
      if (more) {
        offerDock("waiting");
        say(`${note.tasks.at(-1)!.state} waits for your answer`);
      } else if (note.tasks.length === 0 && dockTab.value === "waiting") offerDock("events");
      break;
    }
    case "timer":
      timer.value = { due: note.due, now: note.now, speed: note.speed, heard: performance.now(), timers: note.timers };
      break;
    case "console":
      console.value = [
        ...console.value.slice(-999),
        {
          level: note.level,
          text: note.text,
          ...(note.event !== undefined && { event: note.event }),
          ...(note.execution !== undefined && { execution: note.execution }),
        },
      ];
      break;
    case "ended":
      client.running = false;
      batch(() => {
        run.value = { ...now, phase: note.goesOn ? now.phase : "ended", result: note.result, took: note.took };
        if (note.goesOn) return;
        waiting.value = [];
        timer.value = null;
      });
      playback.catchUp();
      break;
  }
}

/** Shows another run (a fork or an earlier one), or another execution of the run. */
function switched({ note, run: id, graph, inside: within }: Extract<Note, { note: "switched" | "entered" }>): void {
  const now = run.value!;
  batch(() => {
    const index = new GraphIndex(graph);
    atOnce = note === "entered";
    selectInside(within && { ...within, graph: index, analysis: null });
    playback.begin(index);
    if (note === "entered") {
      selectedState.value = null;
      const next = { ...now, id };
      run.value = next;
      // The end was announced already and is not announced again for another execution.
      playback.markAnnounced(now, next);
      return;
    }
    console.value = [];
    const { result: _, took: __, elsewhere: ___, ...rest } = now;
    run.value = { ...rest, id, phase: "paused" };
  });
}
