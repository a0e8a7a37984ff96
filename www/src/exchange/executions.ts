// Executions outlive the page: what makes each again is kept in this browser while it runs, and it goes on from there.
//
// Each is written by one tab, which has a lock of its name. What is kept is a session with its run alone, as session files have it.

import { effect, signal, untracked } from "@preact/signals";
import type { SavedSession } from "stepglass/debug";
import type { Free } from "stepglass/requests";
import { WorkerLost } from "../client.ts";
import { selectRun, step } from "../debugger/session.ts";
import type { KeptRun } from "../model/protocol.ts";
import { type Workspace, packedOf, workspaceOf } from "../model/share.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as opening from "../store/opening.ts";
import * as panes from "../store/panes.ts";
import * as runner from "../store/runner.ts";
import { dismiss, notify, say, showToast } from "../store/words.ts";
import * as workspace from "../store/workspace.ts";
import { readDraft } from "./drafts.ts";
import { openDraft } from "./keep.ts";
import { type KeptExecution, claim, claimed, listKept, readKept, recordOf, removeKept, writeKept } from "./keptRuns.ts";

/// So many that have ended are kept.
export const MOST_ENDED = 50;
/// Milliseconds between two saves, and how many times as long as a save takes.
const PAUSE = 250;
const REST = 20;
/// How long a reloaded page waits until the browser has freed what it had before.
export const HANDOVER = 3_000;

/// All of them, the newest first, as they were when they were asked for last; null before that.
export const executions = signal<readonly KeptExecution[] | null>(null);
/// Those that another tab has.
export const elsewhere = signal<ReadonlySet<string>>(new Set());
/// The one on screen.
export const onScreen = signal<string | null>(null);
/// Why nothing is kept; empty where all is well.
export const trouble = signal("");

/// The locks of this tab, and its runs by their numbers in the session.
const locks = new Map<string, Free>();
const own = new Map<string, number>();
/// What was removed while it was on screen is not kept again.
const removed = new Set<string>();
const written = new Map<string, KeptExecution>();
/// Resolves when what was left is others' to take.
let leaving: Promise<unknown> = Promise.resolve();
/// What the last save has kept; null where it has failed.
let have: string | null = null;
/// Grows when the session on screen ends: what is on its way then is not kept.
let session = 0;
/// The workspace as the last run began with it.
let begunWith: Workspace | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let saving = false;
let more = false;
let nextSave = 0;
/// What is to be saved next does not wait.
let hurries = false;

const tabs = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("stepglass.executions");
if (tabs) tabs.onmessage = () => void (executions.value !== null && refresh());

/// Keeps all runs from now on.
let keeping = false;
export function keepRuns(): void {
  if (keeping) return;
  keeping = true;
  let was = "";
  effect(() => {
    const run = execution.run.value;
    if (run === null || run.recorded !== undefined) return void (onScreen.value = null);
    if (run.phase === "starting" || !begunWith) begunWith = untracked(workspace.current);
    // How a run began and how it ended is kept at once: somebody may look at another machine a moment later.
    const is = `${run.id} ${run.phase}`;
    if (is !== was && (run.phase === "starting" || run.phase === "ended")) saveNext();
    else saveSoon();
    was = is;
  });
  // Neither time nor words make another run.
  runner.listeners.add(({ note }) => note !== "timer" && note !== "console" && saveSoon());
  opening.openings.add({ leave, enter() {} });
}

function saveSoon(): void {
  if (saving) more = true;
  else timer ??= setTimeout(() => void save(), Math.max(0, nextSave - performance.now()));
}

/// Without the pause after the last save.
function saveNext(): void {
  nextSave = 0;
  hurries = saving;
  clearTimeout(timer);
  timer = undefined;
  saveSoon();
}

/// Keeps the run on screen as it is now.
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
    // A thread that was lost has told of it.
    if (!(error instanceof WorkerLost)) complain(error as Error);
  } finally {
    saving = false;
    nextSave = hurries ? 0 : performance.now() + Math.max(PAUSE, REST * (performance.now() - begun));
    hurries = false;
    if (more) {
      more = false;
      saveSoon();
    }
  }
}

async function write(kept: KeptRun, whole: Workspace, of: number): Promise<void> {
  const { id, run } = kept;
  const before = written.get(id);
  const { record, contents } = recordOf(kept, whole, opening.opened.source, before);
  if (!locks.has(id)) {
    const free = await claim(id, { lost: () => locks.delete(id) });
    if (free === undefined) throw new Error("another tab writes it.");
    // Another machine has come meanwhile.
    if (of !== session) return void (await free());
    locks.set(id, free);
  }
  own.set(id, run);
  onScreen.value = id;
  const said = (one: KeptExecution): string => JSON.stringify({ ...one, at: 0, now: 0 });
  if (contents === undefined && before && said(before) === said(record)) return;
  await writeKept(record, contents);
  written.set(id, record);
  remember(kept.status === "RUNNING" ? id : null);
  if (trouble.value !== "") {
    trouble.value = "";
    dismiss("executions");
  }
  if (before === undefined) await forgetOldest();
  tell();
}

/// Keeps the run on screen as it is now, for who puts another machine in its place right after this: the interpreter answers before it
/// takes the other one. Gives what it is kept as, or undefined where it cannot be kept.
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
  // What is written here is newer.
  if (id !== null) written.delete(id);
  const done = (async () => {
    const kept = await asked;
    if (kept === null || removed.has(kept.id)) return undefined;
    const { record, contents } = recordOf(kept, whole, source, before.get(kept.id));
    const free = mine.has(kept.id) ? undefined : await claim(kept.id, { wait: AbortSignal.timeout(HANDOVER), lost: () => {} });
    try {
      await writeKept({ ...record, ...(record.status === "RUNNING" && { left: true }) }, contents);
    } finally {
      await free?.();
    }
    return kept.id;
  })().catch((error: Error) => {
    if (!(error instanceof WorkerLost)) complain(error);
    return undefined;
  });
  // Others may take it when it is written.
  leaving = leaving.then(() => done);
  return done;
}

/// The list has changed, here and for the other tabs.
function tell(): void {
  tabs?.postMessage(null);
  if (executions.value !== null) void refresh();
}

export async function refresh(): Promise<void> {
  try {
    const [all, held] = await Promise.all([listKept(), claimed()]);
    executions.value = all;
    elsewhere.value = new Set([...held].filter((id) => !locks.has(id)));
  } catch (error) {
    executions.value ??= [];
    trouble.value = whyNot(error as Error);
  }
}

/// Of those that have ended the oldest go, when there are too many.
async function forgetOldest(): Promise<void> {
  const ended = (await listKept()).filter(({ status, id }) => status !== "RUNNING" && !locks.has(id));
  if (ended.length > MOST_ENDED) await removeKept(ended.slice(MOST_ENDED).map(({ id }) => id));
}

function whyNot({ name, message }: Error): string {
  if (name === "QuotaExceededError") return "This browser has no more room for executions.";
  if (name === "RangeError") return "The run is too large to be kept.";
  if (name === "VersionError") return "A newer version of this page has kept executions in this browser: reload the page.";
  if (name === "NotSupportedError" || name === "SecurityError" || name === "InvalidStateError")
    return "This browser keeps no executions for this page: that needs site data, and an address with HTTPS.";
  return `This browser could not keep the execution: ${message}`;
}

/// Said once, until it works again.
function complain(error: Error): void {
  const why = whyNot(error);
  if (trouble.value === why) return;
  trouble.value = why;
  // Where it can never be, the list says so, and nobody is told with each run.
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

/// Other runs take the place of those of the session: they stay as they were kept last.
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
    .then(() => Promise.allSettled(left.map((record) => writeKept({ ...record, left: true }))))
    .then(() => Promise.all(frees.map((free) => free())))
    .then(tell);
}

export function showExecutions(): void {
  panes.chooseDock("executions");
  panes.showNarrow("events");
}

// ------------------------------------------------------------------------------------------------------ going on

const TAB = "stepglass.tab.execution";

/// What this tab ran before it was loaded again.
export const ranBefore = (): string | null => sessionStorage.getItem(TAB);

/// Whether this tab has it on the page.
export const isOwn = (id: string): boolean => own.has(id);

/// What this tab runs, for itself after a reload.
function remember(id: string | null): void {
  try {
    if (id === null) sessionStorage.removeItem(TAB);
    else sessionStorage.setItem(TAB, id);
  } catch {
    // Then another one is offered, or none.
  }
}

/// Forgets the runs of the session on screen that are not over, as if nobody had begun them.
export async function forgetUnfinished(): Promise<void> {
  await save();
  await forget([...written.values()].filter(({ status }) => status === "RUNNING"));
}

/// Shows an execution as it was.
export const look = (id: string): Promise<void> => bring(id, false);
/// Goes on with one.
export const goOn = (id: string): Promise<void> => bring(id, true);
/// Takes one up again beside its workspace, which is on the page and may have been written on.
export const comeBack = (id: string, goes: boolean): Promise<void> => bring(id, goes, true);

async function bring(id: string, goes: boolean, isPlaced = false): Promise<void> {
  try {
    const here = own.get(id);
    if (here !== undefined) {
      if (onScreen.value !== id) await selectRun(here);
      if (goes) step("continue");
      return;
    }
    const contents = await readKept(id);
    const record = (await listKept()).find((one) => one.id === id);
    if (!contents || !record) {
      await refresh();
      return showToast("That execution was removed.");
    }
    const saved = JSON.parse(contents.runs) as SavedSession;
    const whole = workspaceOf(contents.workspace);
    const listed = panes.dockTab.peek() === "executions";
    if (!isPlaced) place(whole, record);
    // The list stays open for those who look through it.
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
    if (!free) tellElsewhere(record);
    else if (goes) say(`The run of ${record.machine} continues`);
  } catch (error) {
    notify({ kind: "reload", warn: true, text: `The execution cannot be opened: ${(error as Error).message}` });
  }
}

/// Another tab writes it.
function tellElsewhere({ id, machine }: KeptExecution): void {
  notify({
    kind: "tabs",
    text: `The run of “${machine}” runs in another tab. Here you can only look at it, as it was kept last.`,
    actions: [{ label: "Continue here", run: () => void goOn(id) }],
  });
}

/// Puts the workspace of an execution on the page, unless it is there.
function place(whole: Workspace, { draft: id, example }: KeptExecution): void {
  const same = (other: Workspace): boolean => JSON.stringify(packedOf(other)) === JSON.stringify(packedOf(whole));
  workspace.flush();
  if (same(workspace.current())) return;
  const draft = readDraft(id);
  if (draft && same(draft.workspace)) openDraft(draft);
  else opening.open(whole, true, example === undefined ? { brought: true } : { example });
}

// ------------------------------------------------------------------------------------------------------- removal

/// Removes executions for good; what puts them back.
export async function forget(records: readonly KeptExecution[]): Promise<() => Promise<void>> {
  const contents = await Promise.all(records.map(({ id }) => readKept(id)));
  await removeKept(records.map(({ id }) => id));
  for (const { id } of records) removed.add(id);
  tell();
  return async () => {
    for (const [i, record] of records.entries()) {
      removed.delete(record.id);
      if (contents[i]) await writeKept(record, contents[i]);
    }
    tell();
    saveSoon();
  };
}

/// Removes all that no other tab has.
export async function forgetExecutions(): Promise<void> {
  try {
    await refresh();
    const all = (executions.value ?? []).filter(({ id }) => !elsewhere.value.has(id));
    await forget(all);
    executions.value = [];
  } catch {
    // Nothing was kept then.
  }
}
