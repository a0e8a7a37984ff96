// Stores executions in this browser, so that they outlive the page and can continue.
// Each execution is written by one tab, which holds a lock with its name. The record is a session with this run alone, in the
// format of session files.

import { effect, signal, untracked } from "@preact/signals";
import type { SavedSession } from "stepglass/debug";
import type { Free } from "stepglass/requests";
import { WorkerLost } from "../client.ts";
import { selectRun, step } from "../debugger/session.ts";
import type { StoredRun } from "../model/protocol.ts";
import { type Workspace, packedOf, workspaceOf } from "../model/share.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as opening from "../store/opening.ts";
import * as panes from "../store/panes.ts";
import * as runner from "../store/runner.ts";
import { dismiss, notify, say, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { readDraft } from "./drafts.ts";
import { openDraft } from "./persistence.ts";
import { type StoredExecution, claim, claimed, listStored, readStored, recordOf, removeStored, writeStored } from "./storedExecutions.ts";

/** The maximum number of ended executions that are stored. */
export const MOST_ENDED = 50;
/** The minimum pause between two saves in milliseconds, and as a multiple of the duration of a save. */
const PAUSE = 250;
const REST = 20;
/** How long a reloaded page waits until the browser has released its previous lock, in milliseconds. */
export const HANDOVER = 3_000;

/** All executions as they were last listed, the newest first; null before that. */
export const executions = signal<readonly StoredExecution[] | null>(null);
/** The executions that another tab owns. */
export const elsewhere = signal<ReadonlySet<string>>(new Set());
/** The id of the execution on screen. */
export const onScreen = signal<string | null>(null);
/** Why nothing is stored; empty if storing works. */
export const trouble = signal("");

/** The locks of this tab, and its runs by their numbers in the session. */
const locks = new Map<string, Free>();
const own = new Map<string, number>();
/** The executions that were removed while they were on screen. They are not stored again. */
const removed = new Set<string>();
const written = new Map<string, StoredExecution>();
/** Resolves when other tabs can take the executions that this one has left. */
let leaving: Promise<unknown> = Promise.resolve();
/** The id of the last save; null if it has failed. */
let have: string | null = null;
/** A counter that grows when the session on screen ends. Saves that are in progress then are dropped. */
let session = 0;
/** The workspace at the start of the last run. */
let begunWith: Workspace | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let saving = false;
let more = false;
let nextSave = 0;
/** Whether the next save does not wait. */
let saveImmediately = false;

const tabs = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("stepglass.executions");
if (tabs) tabs.onmessage = () => void (executions.value !== null && refresh());

/** Starts to store all runs. */
let keeping = false;
export function keepRuns(): void {
  if (keeping) return;
  keeping = true;
  let was = "";
  effect(() => {
    const run = execution.run.value;
    if (run === null || run.recorded !== undefined) return void (onScreen.value = null);
    if (run.phase === "starting" || !begunWith) begunWith = untracked(workspace.current);
    // The start and the end of a run are saved at once, because the user may open another machine a moment later.
    const is = `${run.id} ${run.phase}`;
    if (is !== was && (run.phase === "starting" || run.phase === "ended")) saveNext();
    else saveSoon();
    was = is;
  });
  // Timers and console output do not change the stored run.
  runner.listeners.add(({ note }) => note !== "timer" && note !== "console" && saveSoon());
  opening.openings.add({ leave, enter() {} });
}

function saveSoon(): void {
  if (saving) more = true;
  else timer ??= setTimeout(() => void save(), Math.max(0, nextSave - performance.now()));
}

/** Saves without the pause after the last save. */
function saveNext(): void {
  nextSave = 0;
  saveImmediately = saving;
  clearTimeout(timer);
  timer = undefined;
  saveSoon();
}

/** Stores the current run. */
async function save(): Promise<void> {
  timer = undefined;
  const run = execution.run.peek();
  if (run === null || run.id === 0 || run.recorded !== undefined || run.refused !== undefined) return;
  saving = true;
  const [begun, of] = [performance.now(), session];
  try {
    const kept = await interpreter.query("kept", { have });
    have = null;
    if (kept === null || of !== session || removed.has(kept.id)) return;
    await write(kept, { ...begunWith!, definition: run.definition }, of);
    if (of === session) have = kept.id;
  } catch (error) {
    // The loss of the worker was reported already.
    if (!(error instanceof WorkerLost)) reportFailure(error as Error);
  } finally {
    saving = false;
    nextSave = saveImmediately ? 0 : performance.now() + Math.max(PAUSE, REST * (performance.now() - begun));
    saveImmediately = false;
    if (more) {
      more = false;
      saveSoon();
    }
  }
}

async function write(kept: StoredRun, whole: Workspace, of: number): Promise<void> {
  const { id, run } = kept;
  const before = written.get(id);
  const { record, contents } = recordOf(kept, whole, opening.opened.source, before);
  if (!locks.has(id)) {
    const free = await claim(id, { lost: () => locks.delete(id) });
    if (free === undefined) throw new Error("another tab writes it.");
    // Another machine was opened meanwhile.
    if (of !== session) return void (await free());
    locks.set(id, free);
  }
  own.set(id, run);
  onScreen.value = id;
  const said = (one: StoredExecution): string => JSON.stringify({ ...one, at: 0, now: 0 });
  if (contents === undefined && before && said(before) === said(record)) return;
  await writeStored(record, contents);
  written.set(id, record);
  remember(kept.status === "RUNNING" ? id : null);
  if (trouble.value !== "") {
    trouble.value = "";
    dismiss("executions");
  }
  if (before === undefined) await forgetOldest();
  notifyTabs();
}

/**
 * Stores the current run for a caller that replaces the machine right after this. The interpreter answers before it receives the
 * other machine. Returns the id, or undefined if the run cannot be stored.
 */
export function keepNow(): Promise<string | undefined> {
  const id = onScreen.peek();
  const run = execution.run.peek();
  if ((id !== null && timer === undefined && !saving) || run === null || begunWith === undefined) return Promise.resolve(id ?? undefined);
  const [whole, { source }, asked] = [
    { ...begunWith, definition: run.definition },
    opening.opened,
    interpreter.query("kept", { have: null }),
  ];
  const before = new Map(written);
  const mine = new Set(locks.keys());
  // The current state is newer than the record.
  if (id !== null) written.delete(id);
  const done = (async () => {
    const kept = await asked;
    if (kept === null || removed.has(kept.id)) return undefined;
    const { record, contents } = recordOf(kept, whole, source, before.get(kept.id));
    const free = mine.has(kept.id) ? undefined : await claim(kept.id, { wait: AbortSignal.timeout(HANDOVER), lost: () => {} });
    try {
      await writeStored({ ...record, ...(record.status === "RUNNING" && { left: true }) }, contents);
    } finally {
      await free?.();
    }
    return kept.id;
  })().catch((error: Error) => {
    if (!(error instanceof WorkerLost)) reportFailure(error);
    return undefined;
  });
  // Other tabs can take it when it is written.
  leaving = leaving.then(() => done);
  return done;
}

/** Notifies this tab and the others that the list has changed. */
function notifyTabs(): void {
  tabs?.postMessage(null);
  if (executions.value !== null) void refresh();
}

export async function refresh(): Promise<void> {
  try {
    const [all, held] = await Promise.all([listStored(), claimed()]);
    executions.value = all;
    elsewhere.value = new Set([...held].filter((id) => !locks.has(id)));
  } catch (error) {
    executions.value ??= [];
    trouble.value = whyNot(error as Error);
  }
}

/** Removes the oldest ended executions if there are too many. */
async function forgetOldest(): Promise<void> {
  const ended = (await listStored()).filter(({ status, id }) => status !== "RUNNING" && !locks.has(id));
  if (ended.length > MOST_ENDED) await removeStored(ended.slice(MOST_ENDED).map(({ id }) => id));
}

function whyNot({ name, message }: Error): string {
  if (name === "QuotaExceededError") return "This browser has no more room for executions.";
  if (name === "RangeError") return "The run is too large to be kept.";
  if (name === "VersionError") return "A newer version of this page has kept executions in this browser: reload the page.";
  if (name === "NotSupportedError" || name === "SecurityError" || name === "InvalidStateError")
    return "This browser keeps no executions for this page: that needs site data, and an address with HTTPS.";
  return `This browser could not keep the execution: ${message}`;
}

/** Reports a failure once, until saving works again. */
function reportFailure(error: Error): void {
  const why = whyNot(error);
  if (trouble.value === why) return;
  trouble.value = why;
  // If storing is never possible, only the list says so, and there is no notice with each run.
  if (error.name === "NotSupportedError") return;
  notify({
    kind: "executions",
    warn: true,
    text: `${why} So the run of “${workspace.title.value}” is gone when this tab is closed.`,
    actions: [
      { label: "Show the executions", run: showExecutions },
      { label: "Save a session file", run: () => void import("./session.ts").then(({ saveSession }) => saveSession()) },
    ],
  });
}

/** Called when another session replaces the current one. Its runs stay as they were last stored. */
function leave(): void {
  session += 1;
  clearTimeout(timer);
  timer = undefined;
  begunWith = undefined;
  onScreen.value = null;
  remember(null);
  const left = [...own.keys()].flatMap((id) => written.get(id) ?? []).filter(({ status }) => status === "RUNNING");
  const frees = [...locks.values()];
  own.clear();
  locks.clear();
  written.clear();
  leaving = leaving
    .then(() => Promise.allSettled(left.map((record) => writeStored({ ...record, left: true }))))
    .then(() => Promise.all(frees.map((free) => free())))
    .then(notifyTabs);
}

export function showExecutions(): void {
  panes.chooseDock("executions");
  panes.showNarrow("events");
}

// ------------------------------------------------------------------------------------------------------ resuming

const TAB = "stepglass.tab.execution";

/** Returns the execution that this tab ran before it was reloaded. */
export const previousRun = (): string | null => sessionStorage.getItem(TAB);

/** Returns whether the execution is on this tab's page. */
export const isOwn = (id: string): boolean => own.has(id);

/** Stores the execution that this tab runs, for use after a reload. */
function remember(id: string | null): void {
  try {
    if (id === null) sessionStorage.removeItem(TAB);
    else sessionStorage.setItem(TAB, id);
  } catch {
    // Without it, another execution is offered after a reload, or none.
  }
}

/** Removes the runs of the current session. */
export async function forgetRuns(): Promise<void> {
  await save();
  await removeAll([...written.values()]);
}

/** Shows an execution as it was. */
export const view = (id: string): Promise<void> => bring(id, false);
/** Resumes an execution. */
export const resume = (id: string): Promise<void> => bring(id, true);
/** Restores an execution next to its workspace, which is on the page and may have been edited. */
export const restoreRun = (id: string, goes: boolean): Promise<void> => bring(id, goes, true);

async function bring(id: string, goes: boolean, isPlaced = false): Promise<void> {
  try {
    const here = own.get(id);
    if (here !== undefined) {
      if (onScreen.value !== id) await selectRun(here);
      if (goes) step("continue");
      return;
    }
    const contents = await readStored(id);
    const record = (await listStored()).find((one) => one.id === id);
    if (!contents || !record) {
      await refresh();
      return showToast("That execution was removed.");
    }
    const saved = JSON.parse(contents.runs) as SavedSession;
    const whole = workspaceOf(contents.workspace);
    const listed = panes.dockTab.peek() === "executions";
    if (!isPlaced) place(whole, record);
    // The list stays open for a user who looks through it.
    if (listed && !goes) panes.chooseDock("executions");
    leave();
    await leaving;
    const free = await claim(id, { lost: () => locks.delete(id) });
    if (free) {
      locks.set(id, free);
      own.set(id, saved.current);
      written.set(id, record);
    }
    keepRuns();
    removed.delete(id);
    const { now, at, speed } = record;
    const until = now + Math.max(0, Date.now() - at) * speed;
    await runner.start({ saved, kept: free ? id : "", ...(free && goes && { until }) });
    onScreen.value = id;
    if (!free) notifyElsewhere(record);
    else if (goes) say(`The run of ${record.machine} continues`);
  } catch (error) {
    notify({ kind: "reload", warn: true, text: `The execution cannot be opened: ${(error as Error).message}` });
  }
}

/** Notifies the user that another tab owns the execution. */
function notifyElsewhere({ id, machine }: StoredExecution): void {
  notify({
    kind: "tabs",
    text: `The run of “${machine}” runs in another tab. Here you can only look at it, as it was kept last.`,
    actions: [{ label: "Continue here", run: () => void resume(id) }],
  });
}

/** Opens the workspace of an execution, unless it is already on the page. */
function place(whole: Workspace, { draft: id, example }: StoredExecution): void {
  const same = (other: Workspace): boolean => JSON.stringify(packedOf(other)) === JSON.stringify(packedOf(whole));
  workspace.flush();
  if (same(workspace.current())) return;
  const draft = readDraft(id);
  if (draft && same(draft.workspace)) openDraft(draft);
  else opening.open(whole, true, example === undefined ? { brought: true } : { example });
}

// ------------------------------------------------------------------------------------------------------- removal

/** Removes executions. Returns the function that restores them. */
export async function removeAll(records: readonly StoredExecution[]): Promise<() => Promise<void>> {
  const contents = await Promise.all(records.map(({ id }) => readStored(id)));
  await removeStored(records.map(({ id }) => id));
  for (const { id } of records) removed.add(id);
  notifyTabs();
  return async () => {
    for (const [i, record] of records.entries()) {
      removed.delete(record.id);
      if (contents[i]) await writeStored(record, contents[i]);
    }
    notifyTabs();
    saveSoon();
  };
}

/** Removes all executions that no other tab owns. */
export async function forgetExecutions(): Promise<void> {
  try {
    await refresh();
    const all = (executions.value ?? []).filter(({ id }) => !elsewhere.value.has(id));
    await removeAll(all);
    executions.value = [];
  } catch {
    // Without storage, nothing was stored.
  }
}
