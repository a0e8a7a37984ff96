// The events of the execution on screen. They are played at a readable pace, and can be reviewed.

import { type Signal, batch, signal } from "@preact/signals";
import type { EventLog, Fold } from "../model/fold.ts";
import type { GraphIndex } from "../model/graph.ts";
import type { Choice, Choices, DisplayedRun, Part } from "../model/iterations.ts";
import { type LogChunk, type NodeRun, idleRun, outcomeWord } from "../model/log.ts";
import * as prefs from "../prefs.ts";
import { type RunState, eventCount, run } from "./execution.ts";
import { client } from "./interpreter.ts";
import { offerDock } from "./panes.ts";
import { type Origin, selectedEvent, selectedState, selectionOrigin } from "./selection.ts";
import { say, announceFailure } from "./notifications.ts";

/** The number of displayed events: all of them, or fewer while the page catches up or looks back. */
export const cursor = signal(0);
export const live = signal(true);
/** The selected iteration of each Map, by the Map's pointer. A Map that is missing shows all iterations together. */
export const choices = signal<Choices>(new Map());
/** A counter that grows whenever the displayed position or data of the run changes. */
export const shownAt = signal(0);
/** The node of the last displayed event, which the graph follows. */
export const active = signal<string | null>(null);
/** The node whose waiting time is being skipped, and its duration in milliseconds. */
export const skipped = signal<{ id: string; ms: number } | null>(null);

/** The module that reads a run's log. It is loaded with the first run. */
let reader: typeof import("../model/iterations.ts") | undefined;
export const loadReader = async (): Promise<void> => void (reader ??= await import("../model/iterations.ts"));
let log: EventLog | undefined;
let fold: Fold | undefined;
/** The run restricted to the selected iterations. */
let part: Part | undefined;
/** The run's own graph with nothing folded, so that the events inside a folded state are known when it is unfolded. */
let runGraph: GraphIndex | null = null;
const nodeRuns = new Map<string, Signal<NodeRun>>();
const edgeCounts = new Map<string, Signal<number>>();

/** Returns the facts about a node's visits up to the displayed event, by the node's id. */
export function runOf(id: string): Signal<NodeRun> {
  let held = nodeRuns.get(id);
  if (!held) nodeRuns.set(id, (held = signal(idleRun())));
  return held;
}

/** Returns how often an edge was taken, by the edge's id. */
export function takenOf(id: string): Signal<number> {
  let held = edgeCounts.get(id);
  if (!held) edgeCounts.set(id, (held = signal(0)));
  return held;
}

// Times.

/** Returns when the execution began, in milliseconds since the epoch, in the execution's time. */
export function startTime(): number {
  return log && log.length > 0 ? log.times[0]! : 0;
}

/** Returns whether a position in the debugger's recording, after an event, is before the displayed position. */
export function hasHappened(after: number, place: number): boolean {
  const last = fold && log && fold.at > 0 ? log.places[fold.at - 1]! : 0;
  return after < cursor.value || (after === cursor.value && shownAt.value > 0 && place <= last + 1);
}

export function timeOf(event: number): number {
  return log && event > 0 && event <= log.events ? log.timeOf(event) - log.times[0]! : 0;
}

/** Returns the time of the last displayed event, in milliseconds since the epoch. */
export function shownTime(): number {
  return log && fold && fold.at > 0 ? log.times[fold.at - 1]! : 0;
}

// Iterations.

/** Returns the run with its iterations and choices. */
export function iterations(): DisplayedRun | undefined {
  void shownAt.value;
  return runGraph && log && fold ? { index: runGraph, log, fold, choices: choices.value } : undefined;
}

/** Returns the indices of the selected iterations around a node, the outermost Map first; undefined where all are shown. */
export function chosenAround(id: string): (number | undefined)[] {
  const look = iterations();
  return look ? reader!.chosenAround(look, look.index.byId.get(id) ?? -1) : [];
}

/** Returns whether a visit of a state lies in the selected iterations. */
export function isSelected(id: string, indices: readonly number[]): boolean {
  return choices.value.size === 0 || chosenAround(id).every((index, i) => index === undefined || index === indices[i]);
}

/** Selects the iterations that contain a visit of a state. */
export function chooseAround(state: string, indices: readonly number[]): void {
  if (!runGraph || indices.length === 0) return;
  const maps: string[] = [];
  for (let at = runGraph.stateAround(runGraph.byName.get(state) ?? -1); at >= 0; at = runGraph.stateAround(at))
    if (runGraph.node(at)!.type === "Map") maps.unshift(runGraph.node(at)!.id);
  choose(indices.flatMap((index, i): [string, Choice][] => (maps[i] === undefined ? [] : [[maps[i], index]])));
  chosenByStop = true;
}

/** Selects an iteration and those around it. */
function chooseItem(item: number): void {
  const look = iterations();
  if (look && item >= 0) choose(reader!.choicesFor(look, item));
}

/** Whether the current choices were made by a stop and not by the user. The next run keeps only the user's choices. */
let chosenByStop = false;

export function choose(changes: Iterable<readonly [string, Choice | undefined]>): void {
  const next = new Map(choices.value);
  for (const [map, choice] of changes) {
    if (choice === undefined) next.delete(map);
    else next.set(map, choice);
  }
  setChoices(next);
  if (fold) showUpTo(fold.at);
}

export function setChoices(next: Choices): void {
  choices.value = next;
  chosenByStop = false;
}

/** Clears the choices that a stop has made, before another run. */
export function clearStopChoices(): void {
  if (chosenByStop) choose([...choices.value.keys()].map((map) => [map, undefined]));
}

// The displayed events.

/** Drops all events. The following ones belong to the machine of `graph`; without a graph, nothing is displayed. */
export function begin(graph: GraphIndex | null): void {
  batch(() => {
    log = fold = part = undefined;
    if (graph) runGraph = graph;
    eventCount.value = cursor.value = 0;
    live.value = true;
    selectedEvent.value = null;
    // The states of another machine may have the same pointers.
    for (const held of nodeRuns.values()) held.value = idleRun();
    for (const held of edgeCounts.values()) held.value = 0;
  });
}

/** Returns to the state before the first run. */
export function clear(): void {
  batch(() => {
    begin(null);
    shownAt.value += 1;
    skipped.value = null;
    flash = { at: 0, until: 0, count: 0 };
    active.value = null;
  });
}

/** Sets the graph of the machine that the following events belong to. */
export function setGraph(graph: GraphIndex): void {
  runGraph = graph;
}

/**
 * Adds events. With `atOnce` they are displayed without playing them, because they were displayed before in another execution.
 */
export function append(chunk: LogChunk, atOnce: boolean): void {
  log ??= new reader!.EventLog();
  log.append(chunk);
  eventCount.value = log.events;
  if (atOnce) showUpTo(log.length);
  else catchUp();
}

/** Displays the position at which a run has stopped, without playing the events before it. */
export function arrive(event: number, place: number): void {
  cancelAnimationFrame(frame);
  frame = 0;
  selectedEvent.value = null;
  const to = log?.upToPosition(event, place) ?? 0;
  live.value = to === (log?.length ?? 0);
  showUpTo(to);
}

/** Plays the following events, because the run continues. */
export function follow(): void {
  live.value = true;
}

export function catchUp(): void {
  if (live.value) play();
}

// Playing the events, never more than two seconds late.

const PACE = 26;
const LATE = 1.6;
/**
 * Skipped time is displayed for a moment: gaps of at least `GAP` milliseconds, for `FLASH` milliseconds each, and only the first
 * `FLASHES` of a run.
 */
const GAP = 1000;
const FLASH = 300;
const FLASHES = 8;
let flash = { at: 0, until: 0, count: 0 };
let frame = 0;
/**
 * Events per second. The pace only grows until the page has caught up, because a pace that follows the backlog would never
 * finish.
 */
let pace = PACE;
/** Whether the user plays the whole run again. */
let again = false;
let shown = 0;
let last = 0;

export function play(): void {
  if (!log) return;
  if (!prefs.motion() || document.hidden) return showUpTo(log.length);
  if (frame !== 0) return;
  shown = fold?.at ?? 0;
  last = performance.now();
  const step = (now: number): void => {
    frame = 0;
    if (!live.value || !log) return;
    const wanted = Math.max(PACE, (log.length - shown) / LATE);
    pace = again ? wanted : Math.max(pace, wanted);
    if (now >= flash.until) shown = untilGap(Math.min(log.length, shown + ((now - last) / 1000) * pace), now);
    last = now;
    showUpTo(Math.floor(shown));
    if ((fold?.at ?? 0) < log.length) frame = requestAnimationFrame(step);
    else again = false;
  };
  pace = PACE;
  frame = requestAnimationFrame(step);
}

/** Returns the number of entries to display, limited by the next gap in time. */
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

/** Displays the first entries of the log. */
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
    for (const n of all ? nodes.keys() : changed.nodes)
      if (all || !part?.covers(n)) runOf(nodes[n]!.id).value = { ...(part?.covers(n) ? part.fold : fold!).runs[n]! };
    for (const e of all ? edges.keys() : changed.edges)
      if (all || !part?.coversEdge(e)) takenOf(edges[e]!.id).value = (part?.coversEdge(e) ? part.fold : fold!).taken[e]!;
    if (!all) {
      for (const n of own?.nodes ?? []) if (part!.covers(n)) runOf(nodes[n]!.id).value = { ...part!.fold.runs[n]! };
      for (const e of own?.edges ?? []) if (part!.coversEdge(e)) takenOf(edges[e]!.id).value = part!.fold.taken[e]!;
    }
    const about = fold!.at > 0 ? log!.nodes[fold!.at - 1]! : -1;
    active.value = about >= 0 ? nodes[about]!.id : null;
  });
  if (live.value && fold.at === log.length && run.value?.phase === "ended") finished();
}

/** The run whose end was announced. */
let announced: RunState | null = null;

/** Marks the end as announced if the run `now` is continued as `next`. */
export function markAnnounced(now: RunState, next: RunState): void {
  if (announced === now) announced = next;
}

function finished(): void {
  const ended = run.value!;
  if (announced === ended || !ended.result) return;
  announced = ended;
  // A run that had ended before it was opened is only reviewed.
  if (ended.took !== 0 || ended.recorded !== undefined) offerDock("result");
  const { status, error, cause } = ended.result;
  const words = `${outcomeWord(status)}${error ? ` with ${error}` : ""}${cause ? `: ${cause.slice(0, 200)}` : ""}`;
  if (status === "SUCCEEDED") say(`Succeeded after ${eventCount.value} events`);
  else if (status === "ABORTED") say(words);
  else announceFailure(words);
}

/** Displays the run as it was after an event. The last event is the present. */
export function goTo(event: number): void {
  cancelAnimationFrame(frame);
  frame = 0;
  const to = Math.max(0, Math.min(event, eventCount.value));
  live.value = to === eventCount.value;
  showUpTo(log?.upTo(to) ?? 0);
  seekInterpreter(to);
}

let lookingBack = false;
/** Returns whether the user drags the time line. Then the page is ahead of the interpreter. */
export const isLookingBack = (): boolean => lookingBack;
let where = 0;

/**
 * Moves the interpreter to the displayed position, so that steps begin there. There is one call at a time, however fast the user
 * drags.
 */
function seekInterpreter(event: number): void {
  const state = run.value;
  where = event;
  if (lookingBack || !state || state.recorded !== undefined || (state.phase !== "paused" && state.phase !== "ended") || state.id === 0)
    return;
  lookingBack = true;
  const told = event;
  client
    .call("goTo", { event })
    .catch(() => {})
    .finally(() => {
      lookingBack = false;
      if (where !== told) seekInterpreter(where);
    });
}

export function returnToLive(): void {
  selectedEvent.value = null;
  goTo(eventCount.value);
}

/** Plays the whole run again from its beginning. */
export function replay(): void {
  goTo(0);
  live.value = true;
  selectedEvent.value = null;
  if (prefs.motion()) {
    shown = 0;
    again = true;
    play();
  } else showUpTo(log?.length ?? 0);
}

export function pausePlayback(): void {
  cancelAnimationFrame(frame);
  frame = 0;
  live.value = false;
}

/** Selects an event and its state, and displays the run at that event. */
export function selectEvent(id: number, state: string | null, origin: Origin): void {
  batch(() => {
    selectedEvent.value = id;
    if (state !== null && state !== "") selectedState.value = state;
    selectionOrigin.value = origin;
    goTo(id);
    chooseItem(log?.itemOf(id) ?? -1);
    // Selecting an event shows the past, even if it is the last event.
    live.value = id >= eventCount.value && run.value?.phase !== "ended";
  });
}
