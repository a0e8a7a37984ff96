// Everything the page knows, as signals, and everything it can do.

import { unticked } from "./ui/format.ts";
import { type Signal, batch, computed, effect, signal } from "@preact/signals";
import { Client, WorkerLost } from "./client.ts";
import { widthsFor } from "./graph/measure.ts";
import { GraphIndex } from "./model/graph.ts";
import type { EventLog, Fold } from "./model/fold.ts";
import type { Choice, Choices, Look, Part } from "./model/iterations.ts";
import { type NodeRun, idleRun } from "./model/log.ts";
import type { Analysis, Answer, ChildExecution, ClockMode, Diagnostic, Drawn, EventFilter, Inside, Machine, Mock, Note, PendingTimer, ReplayReport, RunResult, StepCommand, WaitingTask } from "./model/protocol.ts";
import type { SavedSession } from "stepglass/debug";
import * as debug from "./debugger/model.ts";
import * as prefs from "./prefs.ts";
import type { Recorded } from "./take/recorded.ts";
import { type Loaded, Sandbox } from "./sandbox.ts";
import type { Config, NamedInput, SharedBreakpoint, Workspace } from "./share.ts";

// The workspace.

export const title = signal("Untitled");
export const format = signal<"json" | "yaml">("json");
export const definition = signal("");
export const input = signal("");
export const tasks = signal("");
/// Inputs to choose from; `input` is the text that runs.
export const inputs = signal<NamedInput[]>([]);
/// Breakpoints that came with an example, a link or a session.
export const broughtBreakpoints = signal<SharedBreakpoint[]>([]);
/// Mocks that came with one, and those that are set since.
export const broughtMocks = signal<Record<string, Mock>>({});
/// Definitions that tasks start.
export const machines = signal<Machine[]>([]);
/// Tasks answer as they did in this recorded execution.
export const recordedAnswers = signal<{ title: string; tasks: ReplayReport["tasks"]; startTime?: number } | null>(null);
export const clock = signal<ClockMode>("skip");
export const seed = signal(1);
/// What an execution is begun with besides its input.
export const config = signal<Config>({});
const machineType = computed(() => config.value.type ?? "STANDARD");
/// Of an example: what it teaches, and what somebody may answer for its tasks, by the text of the input.
export interface Lesson {
  lesson: string;
  answers: ReadonlyMap<string, Record<string, unknown>>;
}
export const lesson = signal<Lesson | null>(null);
/// Grows when a whole workspace is put in place, so that the editors take its texts over.
export const generation = signal(0);
/// Code that came with a link runs only after somebody has looked at it: that of the tasks, and that of mocks.
export const tasksTrusted = signal(true);
export const mocksTrusted = signal(true);
export const suspect = computed(() => (!tasksTrusted.value && tasks.value.trim() !== "") || (!mocksTrusted.value && hasCode(broughtMocks.value)));

// The interpreter.

export const engine = signal<"loading" | "ready" | "broken">("loading");
export const engineMessage = signal("");
export const engineVersion = signal("");

// The definition, read.

export const analysis = signal<Analysis | null>(null);
const ownGraph = signal<GraphIndex | null>(null);
/// The started execution that is looked at in place of the run's own, and what was read of its machine.
export const inside = signal<(Inside & { graph: GraphIndex; analysis: Analysis | null }) | null>(null);
export const graph = computed(() => inside.value?.graph ?? ownGraph.value);
/// Of the definition whose graph is shown: that on the page, or a started execution's.
export const shownAnalysis = computed(() => (inside.value ? inside.value.analysis : analysis.value));
/// The graph on screen is of an earlier text: this one cannot be read.
export const stale = signal(false);
export const direction = signal<"TB" | "LR">("TB");
/// Width by height of the graph's pane, as it was when the machine was opened; 0 before the pane is there.
export const aspect = signal(0);
/// What somebody has folded, and what of the large and deep, which is folded by itself, somebody has opened.
export const collapsed = signal<ReadonlySet<string>>(new Set());
export const expanded = signal<ReadonlySet<string>>(new Set());
export const problems = computed<Diagnostic[]>(() => analysis.value?.diagnostics ?? []);
export const errorCount = computed(() => problems.value.filter((problem) => problem.severity === "error").length);
export const inputProblem = computed(() => jsonProblem(input.value));

// The run.

export interface RunState {
  id: number;
  /// Of one that has ended, and is looked back at, "ended".
  phase: "starting" | "running" | "paused" | "ended";
  /// What was run, to say that the text has changed since.
  definition: string;
  clock: ClockMode;
  seed: number;
  result?: RunResult;
  took?: number;
  /// The name of the execution whose recorded events these are; nothing was run here.
  recorded?: string;
  /// Why it could not begin.
  refused?: string;
}

export const run = signal<RunState | null>(null);
export const waiting = signal<WaitingTask[]>([]);
/// Executions that tasks have started.
export const children = signal<ChildExecution[]>([]);
/// What is wrong with a mock's JavaScript, by the mock's name.
export const mockProblems = signal<Record<string, string>>({});
export const timer = signal<{ due: number | null; now: number; speed: number; heard: number; timers: PendingTimer[] } | null>(null);
/// What handlers and log points have written; of a log point also at which event.
export const console = signal<{ level: string; text: string; event?: number; execution?: number }[]>([]);
export const eventCount = signal(0);
/// How many events the page shows: all of them, or fewer while it catches up or looks back.
export const cursor = signal(0);
export const live = signal(true);
export const changedSince = computed(() => run.value !== null && run.value.definition !== definition.value);
/// The run on screen is of a machine that another one has taken the place of.
export const outlived = signal(false);
export const busy = computed(() => run.value !== null && run.value.phase !== "ended");

/// What reads a run's log: loaded with the first run.
let reader: typeof import("./model/iterations.ts") | undefined;
const loadReader = async (): Promise<void> => void (reader ??= await import("./model/iterations.ts"));
let log: EventLog | undefined;
let fold: Fold | undefined;
/// What has become of the chosen iterations alone.
let part: Part | undefined;
let runGraph: GraphIndex | null = null;
/// Which iteration of a Map is looked at, by the Map's pointer; of a Map without one, all together.
export const choices = signal<Choices>(new Map());
/// Grows whenever something else of the run is shown.
export const shownAt = signal(0);
const nodeRuns = new Map<string, Signal<NodeRun>>();
const edgeCounts = new Map<string, Signal<number>>();
/// The node that the last event shown is about, for the graph to follow.
export const active = signal<string | null>(null);

/// What has become of a node up to the event shown, by the node's id.
export function runOf(id: string): Signal<NodeRun> {
  let held = nodeRuns.get(id);
  if (!held) nodeRuns.set(id, (held = signal(idleRun())));
  return held;
}

/// How often an edge was travelled, by the edge's id.
export function takenOf(id: string): Signal<number> {
  let held = edgeCounts.get(id);
  if (!held) edgeCounts.set(id, (held = signal(0)));
  return held;
}

/// When the execution began, in its own time.
export function startTime(): number {
  return log && log.length > 0 ? log.times[0]! : 0;
}

/// Whether what stands at a place of the debugger's tape, after an event, has happened by the moment that is looked at.
export function isSeen(after: number, place: number): boolean {
  const last = fold && log && fold.at > 0 ? log.places[fold.at - 1]! : 0;
  return after < cursor.value || (after === cursor.value && shownAt.value > 0 && place <= last + 1);
}

export function timeOf(event: number): number {
  return log && event > 0 && event <= log.events ? log.timeOf(event) - log.times[0]! : 0;
}

/// When the run began, in ms since the epoch.
export const beginning = startTime;

/// The time of what is shown last, in ms since the epoch.
export function shownTime(): number {
  return log && fold && fold.at > 0 ? log.times[fold.at - 1]! : 0;
}

/// What the run has made of the iterations of its Maps, to look through.
export function iterations(): Look | undefined {
  shownAt.value;
  return runGraph && log && fold ? { index: runGraph, log, fold, choices: choices.value } : undefined;
}

/// The indices of the chosen iterations around a node, from the outermost Map on; undefined where all are looked at.
export function chosenAround(id: string): (number | undefined)[] {
  const look = iterations();
  return look ? reader!.chosenAround(look, look.index.byId.get(id) ?? -1) : [];
}

/// Whether a visit of a state is in the iterations that are looked at.
export function isLookedAt(id: string, indices: readonly number[]): boolean {
  return choices.value.size === 0 || chosenAround(id).every((index, i) => index === undefined || index === indices[i]);
}

/// Looks at the iteration that a state's visit is in.
export function chooseAround(state: string, indices: readonly number[]): void {
  if (!runGraph || indices.length === 0) return;
  const maps: string[] = [];
  for (let at = runGraph.stateAround(runGraph.byName.get(state) ?? -1); at >= 0; at = runGraph.stateAround(at)) if (runGraph.node(at)!.type === "Map") maps.unshift(runGraph.node(at)!.id);
  choose(indices.flatMap((index, i): [string, Choice][] => (maps[i] === undefined ? [] : [[maps[i], index]])));
  // Another run begins with what somebody has chosen, not with where this one has stopped.
  chosenByStop = true;
}

/// Looks at one iteration, and at those around it.
export function chooseItem(item: number): void {
  const look = iterations();
  if (look && item >= 0) choose(reader!.choicesFor(look, item));
}

let chosenByStop = false;

export function choose(changes: Iterable<readonly [string, Choice | undefined]>): void {
  const next = new Map(choices.value);
  for (const [map, choice] of changes) {
    if (choice === undefined) next.delete(map);
    else next.set(map, choice);
  }
  choices.value = next;
  chosenByStop = false;
  if (fold) showUpTo(fold.at);
}

// The selection: one state and one event, everywhere.

export type Origin = "graph" | "editor" | "events" | "inspector" | "problems" | "page";
export const selectedState = signal<string | null>(null);
export const selectedEvent = signal<number | null>(null);
export const selectionOrigin = signal<Origin>("page");
/// A place in the definition to go to; the number makes equal ones differ.
export const reveal = signal<{ from: number; to: number; count: number } | null>(null);

// Panes.

export const leftTab = signal<"definition" | "input" | "tasks" | "mocks" | "config" | "inspector">("definition");
export type DockTab = "events" | "result" | "waiting" | "console" | "timeline" | "breakpoints" | "watch" | "runs" | "coverage";
export const dockTab = signal<DockTab>("events");
/// Until there is something to show it is only its tabs.
export const dockOpen = signal(false);
/// The visitor has chosen the tab: no run takes it away.
export const dockChosen = signal(false);
export function chooseDock(tab: DockTab): void {
  dockTab.value = tab;
  dockOpen.value = dockChosen.value = true;
}
export const narrowTab = signal<"code" | "graph" | "inspect" | "events">("graph");
export const dialog = signal<"" | "help" | "examples" | "share" | "import" | "export" | "trust" | "settings" | "keys" | "palette">("");
export const filter = signal<EventFilter>({ text: "", kind: "all", state: "" });
export const announcement = signal("");
/// Words about a failure that those who do not see the page hear at once; on screen it stands where it is at home.
export const failure = signal("");
export const alarm = signal("");
export const toast = signal("");

const client = new Client(hear, (why) => {
  batch(() => {
    engine.value = "loading";
    waiting.value = [];
    timer.value = null;
    // Nobody is left to lead the way back from another execution.
    if (inside.value) {
      turnTo(null);
      log = fold = part = undefined;
      eventCount.value = cursor.value = 0;
      forgetStates();
    }
    if (run.value && run.value.phase !== "ended") run.value = { ...run.value, phase: "ended", refused: why };
  });
  shout(why);
  analyzeSoon(0);
});

/// Told of everything that the interpreter says of the present run.
export const listeners = new Set<(note: Note) => void>();

const sandbox = new Sandbox((message) => {
  console.value = [...console.value, { level: "error", text: message }];
  shout(message);
  void client.call("handlersDied", { message });
}, (problems) => (mockProblems.value = problems));

/// The texts of mocks that are JavaScript, by name.
const codesOf = (mocks: Record<string, Mock>): Record<string, string> => Object.fromEntries(Object.entries(mocks).flatMap(([name, mock]) => (mock.mode === "javascript" ? [[name, mock.code]] : [])));
export function hasCode(mocks: Record<string, Mock>): boolean {
  return Object.keys(codesOf(mocks)).length > 0;
}

/// A run is told of mocks that have changed; resolves when the next task is played by them.
export async function tellMocks(mocks: Record<string, Mock>): Promise<void> {
  const codes = codesOf(mocks);
  if (mocksTrusted.peek() && busy.peek() && hasCode(mocks) && !(await sandbox.mocks(codes)) && debug.mocks.peek() === mocks) useSandbox(await sandbox.load("", codes));
  // Others came while these were read.
  if (debug.mocks.peek() === mocks) await client.call("setMocks", { mocks });
}

function useSandbox({ port, problems }: Loaded): void {
  client.connect(port);
  mockProblems.value = problems;
}

/// Polite words for people who do not see the page.
export function say(text: string): void {
  clearTimeout(sayTimer);
  // While a run goes on, at most one message a second: the last one.
  const wait = run.peek()?.phase === "running" ? saidAt + 1000 - performance.now() : 0;
  if (wait > 0) sayTimer = setTimeout(() => put(text), wait);
  else put(text);
}

let saidAt = -Infinity;
let sayTimer: ReturnType<typeof setTimeout> | undefined;

function put(text: string): void {
  saidAt = performance.now();
  announcement.value = announcement.value === text ? `${text}\u200b` : text;
}

/// Words that cannot wait, also on screen.
export function shout(text: string): void {
  alarm.value = text;
}

/// Words that stay until somebody has read them, with what can be done about it. One of each kind at a time.
export interface Notice {
  kind: "another" | "formatted" | "tabs" | "storage" | "reload";
  text: string;
  warn?: boolean;
  actions?: { label: string; run(): void }[];
}

export const notices = signal<readonly Notice[]>([]);

export function notify(notice: Notice): void {
  notices.value = [...notices.value.filter(({ kind }) => kind !== notice.kind), notice];
  say(notice.text);
}

export function dismiss(kind: Notice["kind"]): void {
  if (notices.value.some((one) => one.kind === kind)) notices.value = notices.value.filter((one) => one.kind !== kind);
}

let toastTimer: ReturnType<typeof setTimeout> | undefined;
export function showToast(text: string): void {
  toast.value = text;
  say(text);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (toast.value = ""), 4000);
}

// Reading the definition.

/// The text that the analysis is of.
let analyzedText = "";
export const analyzed = (): string => analyzedText;

/// The graph that the page has, by the interpreter's number.
let graphHeld = 0;
/// The shape of the pane that it was laid out for.
export let laidOutFor = 0;
let analyzeTimer: ReturnType<typeof setTimeout> | undefined;
let analyzing = 0;

/// How a definition's graph is laid out.
export function drawnAs(text: string): Drawn {
  return { collapsed: [...collapsed.value], expanded: [...expanded.value], direction: direction.value, widths: widthsFor(text), ...(aspect.value > 0 && { aspect: aspect.value }) };
}

function analyzeSoon(delay: number): void {
  clearTimeout(analyzeTimer);
  analyzeTimer = setTimeout(() => void analyze(), delay);
}

async function analyze(): Promise<void> {
  const mine = ++analyzing;
  const text = definition.value;
  const drawn = drawnAs(text);
  try {
    const found = await client.call("analyze", { text, format: format.value, type: machineType.value, ...drawn, have: ownGraph.value ? graphHeld : 0 });
    if (mine !== analyzing) return;
    batch(() => {
      analyzedText = text;
      analysis.value = found;
      if (found.graphId !== undefined) {
        laidOutFor = drawn.aspect ?? 0;
        if (found.graph) ownGraph.value = new GraphIndex(found.graph);
        graphHeld = found.graphId;
        stale.value = false;
      } else if (definition.value.trim() === "") {
        ownGraph.value = null;
        stale.value = false;
      } else {
        stale.value = true;
      }
      const state = selectedState.value;
      if (state !== null && found.graphId !== undefined && !graph.value!.byName.has(state)) selectedState.value = null;
    });
  } catch (error) {
    if (!(error instanceof WorkerLost) && engine.value !== "broken") shout(`The definition could not be read: ${(error as Error).message}`);
  }
}

/// Resolves when what is known of the definition is of its present text.
export async function settled(): Promise<void> {
  for (const flush of flushers) flush();
  if (analyzedText === definition.value) return;
  clearTimeout(analyzeTimer);
  await analyze();
}

let first = true;
effect(() => {
  definition.value;
  format.value;
  direction.value;
  aspect.value;
  collapsed.value;
  expanded.value;
  machineType.value;
  // With the patience of the editor, 150 ms after the last key.
  analyzeSoon(first ? 0 : 90);
  first = false;
});

// Running.

/// Called before the texts are used: editors tell of the last keys a moment later.
export const flushers = new Set<() => void>();

/// The generation of the workspace that was run last.
let workspaceRun = -1;

/// How a run begins: before its first state, or by going to a state.
export interface Beginning {
  paused?: boolean;
  runTo?: string;
  /// The first step.
  step?: StepCommand;
  /// Runs of a session file, paused where they were.
  saved?: SavedSession;
}

let held: Beginning = {};
/// Begins what has waited for somebody to look at the code.
export const startHeld = (): Promise<void> => start(held);

/// Runs the machine. Asks first where the tasks' code came with a link.
export async function start(beginning: Beginning = {}): Promise<void> {
  const { paused = false, runTo, step, saved } = beginning;
  for (const flush of flushers) flush();
  if (engine.value === "broken") return shout("The interpreter is not loaded, so nothing can run. Reload the page.");
  if (suspect.value) {
    held = beginning;
    dialog.value = "trust";
    return;
  }
  if (chosenByStop) choose([...choices.value.keys()].map((map) => [map, undefined]));
  const begun: RunState = { id: 0, phase: "starting", definition: definition.value, clock: clock.value, seed: seed.value };
  // Runs of one workspace stay beside each other.
  const beside = !saved && workspaceRun === generation.value;
  workspaceRun = generation.value;
  batch(() => {
    clearRun();
    alarm.value = "";
    run.value = begun;
    dockOpen.value = true;
    if (!dockChosen.value && (dockTab.value === "result" || dockTab.value === "waiting")) dockTab.value = "events";
    if (prefs.layoutSize() === "narrow" && narrowTab.value === "code") narrowTab.value = "graph";
  });
  try {
    clearTimeout(analyzeTimer);
    await Promise.all([analyze(), loadReader()]);
    if (errorCount.value > 0) {
      throw new Refusal(`The definition has ${errorCount.value === 1 ? "an error" : `${errorCount.value} errors`}: ${unticked(problems.value.find((p) => p.severity === "error")!.message)}`);
    }
    if (config.value.strict && problems.value[0]) throw new Refusal(`The definition has a warning, and Config is strict: ${unticked(problems.value[0].message)}`);
    if (inputProblem.value) throw new Refusal(`The input is not JSON: ${inputProblem.value.message}`);
    let handlers: string[] = [];
    let resolver = false;
    const codes = codesOf(debug.mocks.value);
    if (tasks.value.trim() !== "" || Object.keys(codes).length > 0) {
      try {
        const loaded = await sandbox.load(tasks.value, codes);
        useSandbox(loaded);
        ({ handlers, resolver } = loaded);
      } catch (error) {
        throw new Refusal(`The task handlers cannot be loaded. ${(error as Error).message}`);
      }
      const [wrong] = Object.entries(mockProblems.value);
      if (wrong) throw new Refusal(`The mock of ${wrong[0]} is not a function. ${wrong[1]}`);
    }
    if (run.value !== begun) return;
    const { run: id, graph: whole } = await client.call("run", {
      definition: begun.definition, format: format.value, input: input.value, clock: begun.clock, seed: begun.seed,
      handlers, resolver, ask: prefs.askMissing.value,
      breakpoints: debug.breakpoints.value, stops: debug.stops.value, exceptions: debug.exceptions.value, mocks: debug.mocks.value, machines: machines.value, paused: paused || saved !== undefined, ...(step !== undefined && { step }), ...(runTo !== undefined && { runTo }), beside, config: config.value, ...(saved && { saved }),
      ...(recordedAnswers.value && { recorded: { tasks: recordedAnswers.value.tasks, ...(recordedAnswers.value.startTime !== undefined && { startTime: recordedAnswers.value.startTime }) } }),
    });
    if (run.value !== begun) return;
    // The run's own graph, with nothing folded: what happens inside of a folded state is known when it is unfolded.
    runGraph = new GraphIndex(whole);
    run.value = { ...begun, id, phase: "running" };
    client.running = true;
    if (!saved) say("Running");
  } catch (error) {
    const message = (error as Error).message;
    if (error instanceof WorkerLost) return;
    run.value = { ...begun, phase: "ended", refused: message };
    // Nothing is played, and this is what is to be read.
    dockTab.value = "result";
    shout(`Not started. ${message}`);
  }
}

class Refusal extends Error {}

/// The definition is another machine's from here on: the run on screen is none of it, nor do its next runs stand beside that.
export function outlive(): void {
  outlived.value = run.value !== null;
  workspaceRun = -1;
}

/// The history that the present definition was drawn from, where nothing else was known of its machine.
export const sketched = signal<Recorded | null>(null);

/// Events that were recorded elsewhere, shown as a run of the present definition, of the one that comes with them, or of
/// what they tell themselves.
export async function showRecorded(recorded: Recorded): Promise<void> {
  for (const flush of flushers) flush();
  const { statesOf } = await import("./take/recorded.ts");
  const states = statesOf(recorded.events);
  if (recorded.definition !== undefined) {
    open({ title: recorded.title, format: "json", definition: recorded.definition, input: recorded.input ?? "{}", tasks: "", clock: "skip", seed: 1 }, true, { brought: true });
  }
  clearTimeout(analyzeTimer);
  await Promise.all([analyze(), loadReader()]);
  const unknown = (): string[] => states.filter((name) => !graph.value?.byName.has(name));
  if (recorded.definition === undefined && states.length > 0 && unknown().length * 2 > states.length) {
    const { sketchOf } = await import("./take/sketch.ts");
    const drawn = sketchOf(recorded.events, recorded.title);
    if (drawn !== undefined) {
      open({ title: recorded.title, format: "json", definition: drawn, input: recorded.input ?? "{}", tasks: "", clock: "skip", seed: 1 }, true, { brought: true });
      sketched.value = recorded;
      await settled();
    }
  }
  if (!graph.value) throw new Error("The page has no definition that this history could be of, and the history has no states. Open the machine first, then its history.");
  const foreign = unknown();
  const begun: RunState = { id: 0, phase: "starting", definition: definition.value, clock: "real", seed: seed.value, recorded: recorded.title };
  batch(() => {
    clearRun();
    alarm.value = "";
    run.value = begun;
    dockOpen.value = true;
    if (recorded.input !== undefined) input.value = pretty(recorded.input);
  });
  const { run: id, graph: whole } = await client.call("show", { definition: definition.value, format: format.value, events: recorded.events, result: recorded.result });
  if (run.value !== begun) return;
  runGraph = new GraphIndex(whole);
  run.value = { ...begun, id, phase: "running" };
  if (foreign.length > 0) {
    const names = foreign.slice(0, 5).join(", ") + (foreign.length > 5 ? " …" : "");
    shout(`The history is of another definition: it has ${foreign.length === 1 ? "a state" : `${foreign.length} states`} that this one does not have (${names}).`);
  } else showToast(`Showing the execution ${recorded.title}: ${recorded.events.length} events.`);
}

/// Runs the recorded execution on screen again with its answers, and compares.
export const replayRecorded = (): Promise<ReplayReport> => client.call("replay", { definition: definition.value, format: format.value });

/// A run of the present definition, paused before its first state, in which tasks answer as they did there.
export async function debugRecorded(title: string, { tasks: recorded, input: given, startTime }: ReplayReport): Promise<void> {
  batch(() => {
    recordedAnswers.value = { title, tasks: recorded, ...(startTime !== undefined && { startTime }) };
    if (given !== undefined) input.value = `${JSON.stringify(given, null, 2)}\n`;
  });
  await start({ paused: true });
}

/// More events of the recorded execution on screen.
export async function showMore(events: Recorded["events"], result: Recorded["result"]): Promise<void> {
  const shown = run.value;
  if (shown?.recorded !== undefined) await client.call("showMore", { run: shown.id, events, result });
}

function pretty(json: string): string {
  try {
    return `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
  } catch {
    return json;
  }
}

export function stop(): void {
  void client.call("stop", {});
}

/// Lets time pass: to the next timer, or so many milliseconds.
export function advance(milliseconds?: number): void {
  void client.call("advance", milliseconds === undefined ? {} : { milliseconds });
}

/// The run shown is of this text from now on.
export function ran(definition: string): void {
  if (run.value) run.value = { ...run.value, definition };
}

export function takeTask(id: number, workerName: string): void {
  void client.call("take", { id, workerName });
}

export function answerTask(id: number, answer: Answer): void {
  void client.call("answer", { id, answer });
}

/// Forgets the last run, as if nothing had run yet.
export function clearRun(): void {
  batch(() => {
    log = undefined;
    fold = undefined;
    part = undefined;
    beside = false;
    turnTo(null);
    shownAt.value += 1;
    eventCount.value = 0;
    cursor.value = 0;
    live.value = true;
    run.value = null;
    outlived.value = false;
    waiting.value = [];
    children.value = [];
    timer.value = null;
    console.value = [];
    failure.value = "";
    skipped.value = null;
    flash = { at: 0, until: 0, count: 0 };
    selectedEvent.value = null;
    active.value = null;
    forgetStates();
  });
}

function forgetStates(): void {
  for (const held of nodeRuns.values()) held.value = idleRun();
  for (const held of edgeCounts.values()) held.value = 0;
}

function hear(note: Note): void {
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
      return shout(note.message);
    case "together":
      // Each may be of a run that one before has begun to show.
      return batch(() => note.notes.forEach(hear));
  }
  const now = run.value;
  if (!now) return;
  if ((note.note === "switched" || note.note === "entered") && now.id !== 0) {
    switched(note);
  } else if (now.id !== note.run) return;
  switch (note.note) {
    case "continued":
      if (now.phase === "paused" || beside) run.value = { ...now, phase: "running" };
      live.value = true;
      failure.value = "";
      break;
    case "stopped": {
      const { event, over, place, stop } = note.position;
      batch(() => {
        beside = over && note.position.beside;
        const phase = over && !(beside && inside.value) ? "ended" : "paused";
        const state = run.value!;
        if (state.phase !== phase) run.value = { ...state, phase };
        // Where somebody drags the time line, the page is ahead of the interpreter.
        if (stop.reason === "end") play();
        else if (stop.reason !== "goto" || !lookingBack) arrive(event, place);
      });
      break;
    }
    case "log":
      log ??= new reader!.EventLog();
      log.append(note.chunk);
      eventCount.value = log.events;
      if (atOnce) showUpTo(log.length);
      else if (live.value) play();
      atOnce = false;
      break;
    case "waiting": {
      const more = note.tasks.length > waiting.value.length;
      waiting.value = note.tasks;
      if (children.value.length > 0 || note.children.length > 0) children.value = note.children;
      if (more) {
        if (!dockChosen.value) dockTab.value = "waiting";
        say(`${note.tasks.at(-1)!.state} waits for your answer`);
      } else if (note.tasks.length === 0 && dockTab.value === "waiting" && !dockChosen.value) {
        dockTab.value = "events";
      }
      break;
    }
    case "timer":
      timer.value = { due: note.due, now: note.now, speed: note.speed, heard: performance.now(), timers: note.timers };
      break;
    case "console":
      console.value = [...console.value.slice(-999), { level: note.level, text: note.text, ...(note.event !== undefined && { event: note.event }), ...(note.execution !== undefined && { execution: note.execution }) }];
      break;
    case "ended":
      client.running = false;
      batch(() => {
        run.value = { ...now, phase: note.goesOn ? now.phase : "ended", result: note.result, took: note.took };
        if (note.goesOn) return;
        waiting.value = [];
        timer.value = null;
      });
      if (live.value) play();
      break;
  }
  for (const listener of listeners) listener(note);
}

/// Whether executions go on beside the run's own, which has ended.
let beside = false;
/// What comes next has been seen before, in another execution.
let atOnce = false;
/// How graphs of other machines were looked at.
const views = new Map<string, [ReadonlySet<string>, ReadonlySet<string>, Choices]>();

function turnTo(next: typeof inside.value): void {
  const [from, to] = [inside.value?.machine ?? "", next?.machine ?? ""];
  inside.value = next;
  if (next) void import("./debugger/inside.ts");
  if (from === to) return;
  views.set(from, [collapsed.value, expanded.value, choices.value]);
  [collapsed.value, expanded.value, choices.value] = views.get(to) ?? [new Set(), new Set(), new Map()];
}

/// Another run is shown, a fork or one of before, or another execution of the run.
function switched({ note, run: id, graph, inside: within }: Extract<Note, { note: "switched" | "entered" }>): void {
  const now = run.value!;
  batch(() => {
    log = undefined;
    fold = undefined;
    part = undefined;
    runGraph = new GraphIndex(graph);
    atOnce = note === "entered";
    turnTo(within && { ...within, graph: runGraph, analysis: null });
    // Another machine's states may have the same places.
    forgetStates();
    eventCount.value = 0;
    cursor.value = 0;
    live.value = true;
    selectedEvent.value = null;
    if (note === "entered") {
      selectedState.value = null;
      const same = told === now;
      run.value = { ...now, id };
      // Its end was told, and is not news in another execution.
      if (same) told = run.value;
      return;
    }
    console.value = [];
    const { result: _, took: __, ...rest } = now;
    run.value = { ...rest, id, phase: "paused" };
  });
}

/// Shows the moment at which a run has stopped, at once.
function arrive(event: number, place: number): void {
  cancelAnimationFrame(frame);
  frame = 0;
  selectedEvent.value = null;
  const to = log?.upToPlace(event, place) ?? 0;
  live.value = to === (log?.length ?? 0);
  showUpTo(to);
}

// Showing the events, at a pace that an eye can follow, and never more than two seconds late.

const PACE = 26;
const LATE = 1.6;
/// Time that a clock skips is seen passing for a moment: from so many milliseconds on, so long, and the first so many times.
const GAP = 1000;
const FLASH = 300;
const FLASHES = 8;
/// The node that waits while its time is skipped, and how long it does.
export const skipped = signal<{ id: string; ms: number } | null>(null);
let flash = { at: 0, until: 0, count: 0 };
let frame = 0;
let shown = 0;
let last = 0;

function play(): void {
  if (!log) return;
  if (!prefs.motion() || document.hidden) return showUpTo(log.length);
  if (frame !== 0) return;
  shown = fold?.at ?? 0;
  last = performance.now();
  const step = (now: number): void => {
    frame = 0;
    if (!live.value || !log) return;
    const backlog = log.length - shown;
    if (now >= flash.until) shown = untilGap(Math.min(log.length, shown + ((now - last) / 1000) * Math.max(PACE, backlog / LATE)), now);
    last = now;
    showUpTo(Math.floor(shown));
    if ((fold?.at ?? 0) < log.length) frame = requestAnimationFrame(step);
  };
  frame = requestAnimationFrame(step);
}

/// So many entries are shown, or those before time makes a leap on the way there.
function untilGap(to: number, now: number): number {
  if (run.peek()?.clock !== "skip" || flash.count >= FLASHES) return to;
  for (let i = Math.max(1, fold?.at ?? 0); i < Math.floor(to); i++) {
    const ms = log!.times[i]! - log!.times[i - 1]!;
    const node = runGraph?.graph.nodes[log!.nodes[i]!];
    if (ms < GAP || !node || flash.at === i) continue;
    flash = { at: i, until: now + FLASH, count: flash.count + 1 };
    skipped.value = { id: node.id, ms };
    return i;
  }
  return to;
}

/// Shows so many entries of the log.
function showUpTo(to: number): void {
  if (!runGraph || !log) return;
  fold ??= new reader!.Fold(runGraph, log);
  const { nodes, edges } = runGraph.graph;
  const changed = fold.seek(to);
  if (fold.at !== flash.at) skipped.value = null;
  const before = part;
  part = reader!.partOf(before, runGraph, log, fold, choices.peek());
  const own = part?.seek(fold.at) ?? null;
  const all = changed === null || part !== before;
  batch(() => {
    cursor.value = fold!.at > 0 ? log!.ids[fold!.at - 1]! : 0;
    shownAt.value += 1;
    for (const n of all ? nodes.keys() : changed.nodes) if (all || !part?.covers(n)) runOf(nodes[n]!.id).value = { ...(part?.covers(n) ? part.fold : fold!).runs[n]! };
    for (const e of all ? edges.keys() : changed.edges) if (all || !part?.coversEdge(e)) takenOf(edges[e]!.id).value = (part?.coversEdge(e) ? part.fold : fold!).taken[e]!;
    if (!all) {
      for (const n of own?.nodes ?? []) if (part!.covers(n)) runOf(nodes[n]!.id).value = { ...part!.fold.runs[n]! };
      for (const e of own?.edges ?? []) if (part!.coversEdge(e)) takenOf(edges[e]!.id).value = part!.fold.taken[e]!;
    }
    const about = fold!.at > 0 ? log!.nodes[fold!.at - 1]! : -1;
    active.value = about >= 0 ? nodes[about]!.id : null;
  });
  if (live.value && fold.at === log.length && run.value?.phase === "ended") finished();
}

let told: RunState | null = null;

function finished(): void {
  const ended = run.value!;
  if (told === ended || !ended.result) return;
  told = ended;
  // A run that has ended before is only looked at.
  if ((ended.took !== 0 || ended.recorded !== undefined) && !dockChosen.value) dockTab.value = "result";
  const { status, error, cause } = ended.result;
  const words = `${status[0]}${status.slice(1).toLowerCase().replace("_", " ")}${error ? ` with ${error}` : ""}${cause ? `: ${cause.slice(0, 200)}` : ""}`;
  if (status === "SUCCEEDED") say(`Succeeded after ${eventCount.value} events`);
  else if (status === "ABORTED") say(words);
  else failure.value = words;
}

/// Shows the run as it was after an event; the last one is the present again.
export function goTo(event: number): void {
  cancelAnimationFrame(frame);
  frame = 0;
  const to = Math.max(0, Math.min(event, eventCount.value));
  live.value = to === eventCount.value;
  showUpTo(log?.upTo(to) ?? 0);
  tellWhere(to);
}

let lookingBack = false;
let where = 0;

/// The interpreter looks where the page looks, so that steps begin there. One call at a time, however fast somebody drags.
function tellWhere(event: number): void {
  const state = run.value;
  where = event;
  if (lookingBack || !state || state.recorded !== undefined || (state.phase !== "paused" && state.phase !== "ended") || state.id === 0) return;
  lookingBack = true;
  const told = event;
  client
    .call("goTo", { event })
    .catch(() => {})
    .finally(() => {
      lookingBack = false;
      if (where !== told) tellWhere(where);
    });
}

export function returnToLive(): void {
  selectedEvent.value = null;
  goTo(eventCount.value);
}

/// Plays the whole run again from its beginning.
export function replay(): void {
  goTo(0);
  live.value = true;
  selectedEvent.value = null;
  if (prefs.motion()) {
    shown = 0;
    play();
  } else showUpTo(log?.length ?? 0);
}

export function pausePlayback(): void {
  cancelAnimationFrame(frame);
  frame = 0;
  live.value = false;
}

// Selecting.

export function selectState(state: string | null, origin: Origin): void {
  if (selectedState.value === state && selectionOrigin.value === origin) return;
  batch(() => {
    selectedState.value = state;
    selectionOrigin.value = origin;
    if (origin === "graph" || origin === "editor") selectedEvent.value = null;
  });
}

/// Selects an event, its state, and the time it happened at.
export function selectEvent(id: number, state: string | null, origin: Origin): void {
  batch(() => {
    selectedEvent.value = id;
    if (state !== null && state !== "") selectedState.value = state;
    selectionOrigin.value = origin;
    goTo(id);
    chooseItem(log?.itemOf(id) ?? -1);
    // An event that is looked at is looked at, also the last one.
    live.value = id >= eventCount.value && run.value?.phase !== "ended";
  });
}

let reveals = 0;
export function revealRange(from: number, to: number): void {
  batch(() => {
    leftTab.value = "definition";
    narrowTab.value = "code";
    reveal.value = { from, to, count: ++reveals };
  });
}

export function toggleFold(pointer: string): void {
  const index = graph.value;
  setFolded([pointer], !index?.node(index.byId.get(pointer) ?? -1)?.collapsed);
}

function setFolded(pointers: string[], folded: boolean): void {
  const [closed, open] = [new Set(collapsed.value), new Set(expanded.value)];
  for (const pointer of pointers) {
    (folded ? closed : open).add(pointer);
    (folded ? open : closed).delete(pointer);
  }
  batch(() => {
    collapsed.value = closed;
    expanded.value = open;
  });
  analyzeSoon(0);
}

/// Opens all that a state is inside of.
export function unfoldTo(pointer: string): void {
  const around = (shownAnalysis.value?.states ?? []).filter((state) => pointer.startsWith(`${state.pointer}/`)).map((state) => state.pointer);
  if (around.length > 0) setFolded(around, false);
}

/// Goes to the place of a value in the definition.
export function revealPointer(pointer: string): void {
  const place = problems.value.find((problem) => problem.pointer === pointer && problem.range)?.range;
  if (place) revealRange(place.start.offset, place.end.offset);
}

export const query = client.call.bind(client);

// Workspaces: examples, drafts, links, files.

export function workspace(): Workspace {
  return {
    title: title.value, format: format.value, definition: definition.value, input: input.value, tasks: tasks.value, clock: clock.value, seed: seed.value,
    ...(inputs.value.length > 0 ? { inputs: inputs.value } : {}),
    ...(broughtBreakpoints.value.length > 0 ? { breakpoints: broughtBreakpoints.value } : {}),
    ...(Object.keys(broughtMocks.value).length > 0 ? { mocks: broughtMocks.value } : {}),
    ...(machines.value.length > 0 ? { machines: machines.value } : {}),
    ...(Object.keys(config.value).length > 0 ? { config: config.value } : {}),
  };
}

/// Where a workspace comes from: a draft of this browser, the gallery, or elsewhere, which is kept as a draft at once.
export interface Source {
  draft?: { id: string; turn: number };
  example?: string;
  brought?: boolean;
}

export interface Opening {
  /// Called before another workspace takes the place of the present one.
  leave(): void;
  enter(source: Source): void;
}
export const openings = new Set<Opening>();
/// Of the present workspace: where it comes from, and what it was when it was opened.
export const opened: { source: Source; as: Workspace } = { source: {}, as: workspace() };

export const isTouched = (): boolean => JSON.stringify(workspace()) !== JSON.stringify(opened.as);

/// Puts a workspace in place of the present one.
export function open(next: Workspace, trusted: boolean, source: Source = {}): void {
  stop();
  for (const flush of flushers) flush();
  for (const opening of openings) opening.leave();
  batch(() => {
    clearRun();
    selectedState.value = next.selected ?? null;
    collapsed.value = new Set();
    expanded.value = new Set();
    views.clear();
    choices.value = new Map(Object.entries(next.iterations ?? {}));
    // One line, wherever it comes from: files are named by it.
    title.value = next.title.replace(/\s+/g, " ");
    format.value = next.format;
    definition.value = next.definition;
    takeParts(next, trusted);
    generation.value += 1;
    sketched.value = null;
    recordedAnswers.value = null;
    clock.value = next.clock;
    seed.value = next.seed;
    config.value = next.config ?? {};
    leftTab.value = "definition";
    dockTab.value = "events";
    dockChosen.value = false;
    filter.value = { text: "", kind: "all", state: "" };
    lesson.value = "lesson" in next ? (next as Workspace & Lesson) : null;
    notices.value = notices.value.filter(({ kind }) => kind === "storage");
    opened.source = source;
    opened.as = workspace();
  });
  for (const opening of openings) opening.enter(source);
}

/// Puts in place what is of one machine besides its definition.
export function takeParts(next: Pick<Workspace, "input" | "inputs" | "tasks" | "breakpoints" | "mocks" | "machines">, trusted: boolean): void {
  batch(() => {
    input.value = next.input;
    inputs.value = next.inputs ?? [];
    broughtBreakpoints.value = next.breakpoints ?? [];
    broughtMocks.value = next.mocks ?? {};
    machines.value = next.machines ?? [];
    tasks.value = next.tasks;
    tasksTrusted.value = trusted || next.tasks.trim() === "";
    mocksTrusted.value = trusted || !hasCode(next.mocks ?? {});
    mockProblems.value = {};
  });
}

function jsonProblem(text: string): { message: string } | null {
  if (text.trim() === "") return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return { message: (error as Error).message };
  }
}

effect(() => {
  const count = errorCount.value;
  const state = run.value;
  const status = state?.phase === "paused" ? `paused${debug.pausedState.value === null ? "" : ` in ${debug.pausedState.value}`}` : state?.phase === "running" ? (waiting.value.length > 0 ? "waits for your answer" : "running") : state?.refused ? "not started" : state?.result ? state.result.status.toLowerCase().replace("_", " ") : count > 0 ? `${count} problem${count === 1 ? "" : "s"}` : "";
  document.title = `${title.value}${status ? ` · ${status}` : ""} · Stepglass`;
});
