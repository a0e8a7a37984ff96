// Stores what is on the page: an edited workspace as a draft of this browser, and the state of the tab over a reload. It notifies
// the user if that is not possible.

import { effect } from "@preact/signals";
import { loaders } from "../graph/graphEditor.ts";
import { type Workspace, packedOf } from "../model/share.ts";
import * as execution from "../store/execution.ts";
import * as opening from "../store/opening.ts";
import * as panes from "../store/panes.ts";
import * as runner from "../store/runner.ts";
import { dismiss, notify, showAlarm, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { type Draft, draftIn, drafts, latestDraft, listDrafts, newId, readDraft, removeDraft, turnOf, writeDraft } from "./drafts.ts";
import { heedMachines, isTitleDerived, partsFromDraft } from "./replacedMachine.ts";
import { heedRefusals } from "./refusal.ts";

const PAUSE = 400;
/** The key of this tab's state, for use after a reload. */
const TAB = "stepglass.tab";

interface Tab {
  draft?: string;
  example?: string;
  /** The title of the run in progress, or of the recorded execution on screen. */
  running?: string;
  recorded?: string;
}

/** The draft that this tab writes. Without one, the first edit creates one. */
let current: { id: string; turn: number } | undefined;
/** The workspace as it was last saved or opened. */
let saved = "";
let timer: ReturnType<typeof setTimeout> | undefined;
/** Whether the last save has failed. */
let failed = false;

/** Returns the id of the draft on the page. */
export const currentDraft = (): string | undefined => current?.id;

/** Returns the contents of the page for comparison. Reviewing code from a link is a change as well. */
const textOf = (whole: Workspace): string => JSON.stringify([whole, workspace.tasksTrusted.value, workspace.mocksTrusted.value]);

/**
 * Starts to store the page, after its previous contents were restored. `fresh` is set if there were none and the first example is
 * shown.
 */
export async function startSaving(fresh: boolean, first: Workspace): Promise<void> {
  const before = fresh ? {} : tab();
  let same = false;
  if (!fresh) same = await restore(before, first);
  else enter(opening.opened.source);
  opening.openings.add({ leave: save, enter });
  heedMachines({ keep: saveReplaced, restart });
  heedRefusals();
  let quiet = true;
  effect(() => {
    workspace.current();
    void workspace.tasksTrusted.value;
    void workspace.mocksTrusted.value;
    clearTimeout(timer);
    if (!quiet) timer = setTimeout(save, PAUSE);
    quiet = false;
  });
  effect(() => {
    const run = execution.run.value;
    setTab(
      run?.recorded === undefined
        ? { running: execution.busy.value ? workspace.title.value : undefined, recorded: undefined }
        : { recorded: run.recorded, running: undefined },
    );
    if (run === null) return;
    dismiss("reload");
    if (run.recorded === undefined)
      void import("./executions.ts").then(
        ({ keepRuns }) => keepRuns(),
        ({ message }: Error) => showAlarm(`Executions are not kept: a part of the page could not be loaded. ${message}`),
      );
  });
  addEventListener("storage", heardOfStorage);
  addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", () => document.hidden && flush());
  addEventListener("beforeunload", (event) => {
    flush();
    if (failed && textOf(workspace.current()) !== saved) event.preventDefault();
  });
  addEventListener("hashchange", () => {
    void openLink();
  });
  if (localHas("stepglass.project")) void loaders.project().catch(() => {});
  if ((await hasExecutions()) && (await import("./unfinished.ts").then(({ offer }) => offer()).catch(() => false))) return;
  if (!same) return;
  if (before.running !== undefined) {
    notify({
      kind: "reload",
      text: `The run of “${before.running}” ended when the page was reloaded, because this browser has not kept it.`,
      actions: [{ label: "Run again", run: () => void runner.start() }],
    });
  } else if (before.recorded !== undefined) {
    notify({
      kind: "reload",
      text: `The history of “${before.recorded}” is gone with the reload: the page keeps definitions, not histories.`,
      actions: [{ label: "Open it again", run: () => panes.openDialog("import") }],
    });
  }
}

function localHas(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

/**
 * Returns whether this browser allows storing executions. The database of executions is checked, because it outlives a crash and
 * localStorage may not.
 */
async function hasExecutions(): Promise<boolean> {
  try {
    return (await indexedDB.databases()).some(({ name }) => name === "stepglass.executions");
  } catch {
    return false;
  }
}

/** Opens the workspace of the address, if it is a link. Returns whether it was opened. */
async function openLink(): Promise<boolean> {
  if (!/^#v\d+\./.test(location.hash)) return false;
  const link = await import("./link.ts");
  return link.openLink();
}

/** Opens the workspace of the address, of this tab, the last draft, or the first example. Returns whether it was this tab's. */
async function restore(before: Tab, first: Workspace): Promise<boolean> {
  if (await openLink()) {
    // A workspace from a link is saved too, because the address no longer contains it.
    current = undefined;
    saved = "";
    save();
    return false;
  }
  const draft = readDraft(before.draft);
  if (draft) {
    openDraft(draft);
    return true;
  }
  if (before.example !== undefined) {
    const { examples } = await import("../examples/index.ts");
    const example = examples.find(({ id }) => id === before.example);
    if (example) {
      opening.open(example, true, { example: example.id });
      enter(opening.opened.source);
      return true;
    }
  }
  const last = latestDraft();
  if (last) openDraft(last);
  else {
    opening.open(first, true, { example: "order" });
    enter(opening.opened.source);
  }
  return false;
}

/** Opens a draft. Its edits are saved to the same draft. */
export function openDraft({ id, turn, trusted, workspace: whole }: Draft): void {
  opening.open(whole, trusted, { draft: { id, turn } });
  if (current?.id !== id) enter(opening.opened.source);
}

function openById(id: string): void {
  const draft = readDraft(id);
  if (draft) openDraft(draft);
  else showToast("That draft was removed.");
}

function enter(source: opening.Source): void {
  clearTimeout(timer);
  current = source.draft;
  saved = textOf(workspace.current());
  setTab({ draft: current?.id, example: source.example });
  if (!source.brought) return;
  saved = "";
  save();
}

function flush(): void {
  workspace.flush();
  save();
}

/** Saves the page, and returns the id of its draft. An example that was not edited has none. */
export function saveNow(): string | undefined {
  flush();
  return current?.id;
}

/** Saves the page if it has changed. It never overwrites what another tab has saved. */
function save(): void {
  clearTimeout(timer);
  let whole = workspace.current();
  if (whole.definition.trim() === "" || textOf(whole) === saved) return;
  // Until the text is analysed, the title is that of the previous machine.
  if (partsFromDraft()) whole = { ...whole, title: "Untitled" };
  if (current && isSavedElsewhere(current)) {
    const { id } = current;
    if (isUnedited(whole) || follow(id)) return;
    const name = workspace.title.value;
    current = undefined;
    workspace.edit({ title: `${name} (copy)` });
    whole = workspace.current();
    notify({
      kind: "tabs",
      warn: true,
      text: `“${name}” was also edited in another tab. This tab's version is kept as “${workspace.title.value}”; both are among the drafts.`,
      actions: [{ label: "Open the other version", run: () => openById(id) }],
    });
  }
  const next = { id: current?.id ?? newId(), turn: (current?.turn ?? 0) + 1 };
  if (!write(next, whole)) return;
  current = next;
  saved = textOf(workspace.current());
  setTab({ draft: next.id, example: undefined });
}

/** Continues with what another tab has saved, if it equals this page except for a derived title. */
function follow(id: string): boolean {
  const there = readDraft(id);
  if (!there) return false;
  const here = workspace.current();
  const title = here.title === "Untitled" || isTitleDerived() ? there.workspace.title : here.title;
  const same = (a: Workspace, b: Workspace): boolean => JSON.stringify(packedOf(a)) === JSON.stringify(packedOf(b));
  if (!same(there.workspace, { ...here, title })) return false;
  current = { id, turn: there.turn };
  workspace.edit({ title });
  saved = textOf(workspace.current());
  return true;
}

/**
 * Returns whether nothing but the derived title has changed since the last save. Every tab that opens a text without a title
 * derives one, which must not create another draft.
 */
function isUnedited(whole: Workspace): boolean {
  if (saved === "" || !isTitleDerived()) return false;
  const [{ title }] = JSON.parse(saved) as [Workspace];
  return textOf({ ...whole, title }) === saved;
}

/** Returns whether another tab has saved the draft since this one did. */
function isSavedElsewhere({ id, turn }: { id: string; turn: number }): boolean {
  const there = turnOf(id);
  return there !== undefined && there !== turn;
}

function write({ id, turn }: { id: string; turn: number }, whole: Workspace): boolean {
  try {
    writeDraft({ id, turn, at: Date.now(), trusted: workspace.tasksTrusted.value && workspace.mocksTrusted.value, workspace: whole });
    failed = false;
    dismiss("storage");
    if (drafts.value.length > 0) listDrafts();
    return true;
  } catch (error) {
    // The failure is reported once, until saving works again.
    if (!failed) complain(whole.title, (error as Error).name === "QuotaExceededError");
    failed = true;
    return false;
  }
}

function complain(title: string, full: boolean): void {
  const save = { label: "Save a session file", run: () => void import("./session.ts").then(({ saveSession }) => saveSession()) };
  notify({
    kind: "storage",
    warn: true,
    text: full
      ? `This browser has no more room for drafts, so “${title}” is not kept: it is gone when this tab is closed. Remove drafts, or save it as a file.`
      : `This browser keeps no data for this page, so “${title}” is not kept: it is gone when this tab is closed. Allow site data for this address, or save it as a file.`,
    actions: full ? [{ label: "Show the drafts", run: () => panes.openDialog("examples") }, save] : [save],
  });
}

/** Saves a workspace whose text is being replaced, and returns its draft. The next edit is saved to another draft. */
function saveReplaced(whole: Workspace, touched: boolean): { id: string; turn: number } | undefined {
  clearTimeout(timer);
  const before = current;
  current = undefined;
  if (!touched || whole.definition.trim() === "") return before;
  const next = before && !isSavedElsewhere(before) ? { id: before.id, turn: before.turn + 1 } : { id: newId(), turn: 1 };
  return write(next, whole) ? next : before;
}

/** Returns to the previous draft. A draft that was saved in between for the same text is removed. */
function restart(draft: { id: string; turn: number } | undefined): void {
  const between = current?.id === draft?.id ? undefined : readDraft(current?.id);
  current = draft;
  if (between?.workspace.definition !== workspace.definition.value) return;
  removeDraft(between.id);
  saved = "";
  save();
}

function heardOfStorage({ key, newValue }: StorageEvent): void {
  const id = draftIn(key);
  if (key !== null && id === undefined) return;
  if (drafts.value.length > 0) listDrafts();
  if (id === undefined || id !== current?.id || newValue === null || !isSavedElsewhere(current) || follow(id)) return;
  notify({
    kind: "tabs",
    text: `“${workspace.title.value}” was edited in another tab. What you edit here is kept as a draft of its own.`,
    actions: [{ label: "Show the other tab's version", run: () => openById(id) }],
  });
}

function tab(): Tab {
  try {
    return (JSON.parse(sessionStorage.getItem(TAB) ?? "{}") ?? {}) as Tab;
  } catch {
    return {};
  }
}

function setTab(change: { [K in keyof Tab]: Tab[K] | undefined }): void {
  try {
    sessionStorage.setItem(TAB, JSON.stringify({ ...tab(), ...change }));
  } catch {
    // Without it, a reload shows the last draft.
  }
}

/** Deletes all drafts. The current workspace is saved again when it changes. */
export function forgetDrafts(): void {
  clearTimeout(timer);
  current = undefined;
  saved = textOf(workspace.current());
  drafts.value = [];
  try {
    sessionStorage.removeItem(TAB);
  } catch {
    // Without storage, nothing was stored.
  }
}
