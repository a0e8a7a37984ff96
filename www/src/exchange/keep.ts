// Keeps what is on the page: an edited workspace as a draft of this browser, what a tab shows over a reload, and words
// where that cannot be.

import { effect } from "@preact/signals";
import { bring } from "../graph/pen.ts";
import { type Workspace, packedOf } from "../model/share.ts";
import * as execution from "../store/execution.ts";
import * as opening from "../store/opening.ts";
import * as panes from "../store/panes.ts";
import * as runner from "../store/runner.ts";
import { dismiss, notify, shout, showToast } from "../store/words.ts";
import * as workspace from "../store/workspace.ts";
import { type Draft, draftIn, drafts, latestDraft, listDrafts, newId, readDraft, removeDraft, turnOf, writeDraft } from "./drafts.ts";
import { heedMachines, isTitleDerived, partsFromDraft } from "./another.ts";
import { openLink } from "./link.ts";
import { heedRefusals } from "./refusal.ts";

const PAUSE = 400;
/// What this tab shows and does, for itself after a reload.
const TAB = "stepglass.tab";

interface Tab {
  draft?: string;
  example?: string;
  /// The run that is under way, or the recorded execution that is shown, by its title.
  running?: string;
  recorded?: string;
}

/// The draft that this tab writes; without one the first edit makes one.
let current: { id: string; turn: number } | undefined;
/// The workspace as it was saved or opened last.
let saved = "";
let timer: ReturnType<typeof setTimeout> | undefined;
/// The browser has kept nothing at the last try.
let failed = false;

/// The draft that is on the page, by its id.
export const currentDraft = (): string | undefined => current?.id;

/// What is on the page, to tell whether it has changed: looking at code that came with a link is a change as well.
const textOf = (whole: Workspace): string => JSON.stringify([whole, workspace.tasksTrusted.value, workspace.mocksTrusted.value]);

/// Begins to keep, after what was on the page before is there again. `fresh`: nothing was, the first example is shown.
export async function keep(fresh: boolean, first: Workspace): Promise<void> {
  const before = fresh ? {} : tab();
  let same = false;
  if (!fresh) same = await restore(before, first);
  else enter(opening.opened.source);
  opening.openings.add({ leave: save, enter });
  heedMachines({ keep: keepAside, restart });
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
        ({ message }: Error) => shout(`Executions are not kept: a part of the page could not be loaded. ${message}`),
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
    if (isLink()) void openLink();
  });
  if (localHas("stepglass.project")) void bring.project().catch(() => {});
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

/// Whether this browser may keep executions: their database is asked for, because it outlives a crash and localStorage may not.
async function hasExecutions(): Promise<boolean> {
  try {
    return (await indexedDB.databases()).some(({ name }) => name === "stepglass.executions");
  } catch {
    return false;
  }
}

const isLink = (): boolean => /^#v\d+\./.test(location.hash);

/// The workspace of the address, of this tab, the last draft, or the first example; says whether it is this tab's.
async function restore(before: Tab, first: Workspace): Promise<boolean> {
  if (isLink() && (await openLink())) {
    // Somebody else's is kept too: the address does not have it any more.
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

/// Opens a draft, whose edits go on being saved as that draft.
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

/// Saves what is on the page, where it is another than before. What another tab has saved is never written over.
function save(): void {
  clearTimeout(timer);
  let whole = workspace.current();
  if (whole.definition.trim() === "" || textOf(whole) === saved) return;
  // Its title is that of the machine before until the text is read.
  if (partsFromDraft()) whole = { ...whole, title: "Untitled" };
  if (current && isTaken(current)) {
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

/// Goes on with what another tab has saved where it is the same here, but for a title that nobody has written here.
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

/// Whether nothing but the title is another since the last save, and that came from the text by itself: every tab that opens a
/// text without a title gives it one, which is no reason to part from the draft.
function isUnedited(whole: Workspace): boolean {
  if (saved === "" || !isTitleDerived()) return false;
  const [{ title }] = JSON.parse(saved) as [Workspace];
  return textOf({ ...whole, title }) === saved;
}

/// Whether another tab has saved the draft since this one did.
function isTaken({ id, turn }: { id: string; turn: number }): boolean {
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
    // Said once, until it works again.
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

/// Keeps a workspace that another one takes the place of by its text alone, and says where. The next edit is saved elsewhere.
function keepAside(whole: Workspace, touched: boolean): { id: string; turn: number } | undefined {
  clearTimeout(timer);
  const before = current;
  current = undefined;
  if (!touched || whole.definition.trim() === "") return before;
  const next = before && !isTaken(before) ? { id: before.id, turn: before.turn + 1 } : { id: newId(), turn: 1 };
  return write(next, whole) ? next : before;
}

/// The text is that of the draft before. What was saved of the same text before it was read is no draft of its own.
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
  if (id === undefined || id !== current?.id || newValue === null || !isTaken(current) || follow(id)) return;
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
    // Then a reload shows the last draft.
  }
}

/// Forgets that anything was kept; what is on screen is kept again when it changes.
export function forgetDrafts(): void {
  clearTimeout(timer);
  current = undefined;
  saved = textOf(workspace.current());
  drafts.value = [];
  try {
    sessionStorage.removeItem(TAB);
  } catch {
    // Nothing was kept then.
  }
}
