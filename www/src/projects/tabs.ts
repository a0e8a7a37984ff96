// The tabs of a project. Each has a machine with its texts, its mocks and its undo history.

import { historyField } from "@codemirror/commands";
import { batch, effect, untracked } from "@preact/signals";
import { editors, pasts } from "../editor/definitionEditor.ts";
import { readDraft, writeDraft } from "../exchange/drafts.ts";
import { startedBy } from "../editing/machines.ts";
import { currentDraft, openDraft } from "../exchange/persistence.ts";
import type { Machine } from "../model/protocol.ts";
import type { Workspace } from "../model/share.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as opening from "../store/opening.ts";
import * as selection from "../store/selection.ts";
import { say, showToast } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { type Tab, active, activeTab, closed, fileOf, files, isUnsaved, newId, put, tabs, titleOf, workspaceOf } from "./model.ts";

/** The maximum number of closed tabs that can be reopened. */
const MOST_CLOSED = 10;

let kept: typeof import("../exchange/executions.ts") | undefined;

/** The tab whose machine is being opened. */
let openingTab: Tab | undefined;

/** Makes the machine on the page the first tab, if there is no project yet. */
export function begin(): Tab {
  const there = activeTab.peek();
  if (there) return there;
  const tab: Tab = { ...asTab(), id: newId() };
  batch(() => {
    tabs.value = [tab];
    active.value = tab.id;
  });
  return tab;
}

/** Returns the machine on the page with its undo histories. */
function asTab(): Omit<Tab, "id"> {
  workspace.flush();
  const draft = currentDraft();
  return {
    workspace: workspace.current(),
    trusted: workspace.tasksTrusted.value && workspace.mocksTrusted.value,
    ...(draft !== undefined && { draft }),
    pasts: pastsNow(),
  };
}

function pastsNow(): NonNullable<Tab["pasts"]> {
  const found = new Map<string, { text: string; past: unknown }>();
  for (const [id, editor] of editors) {
    if (!editor.view.dom.isConnected) continue;
    const past = editor.view.state.field(historyField, false);
    if (past !== undefined) found.set(id, { text: editor.text(), past });
  }
  return found;
}

/** Stores the machine on the page in the active tab. */
function park(): void {
  const tab = activeTab.peek();
  if (tab) put(tab.id, asTab());
}

/** Shows another tab. */
export function activate(id: string): void {
  const tab = tabs.peek().find((one) => one.id === id);
  if (!tab || id === active.peek()) return;
  show(tab);
  say(`${titleOf(tab)}, tab ${tabs.peek().findIndex((one) => one.id === id) + 1} of ${tabs.peek().length}`);
}

export const activateFirst = (tab: Tab): void => show(tab);

/** Stores which run of the active tab was on screen. */
function parkRun(): void {
  const [tab, run] = [activeTab.peek(), execution.run.peek()];
  if (!tab || run === null || run.recorded !== undefined) return;
  const id = kept?.keepNow() ?? Promise.resolve(undefined);
  put(tab.id, { run: { id, goes: run.phase === "running" } });
  const isLive = run.phase !== "ended";
  void id.then((known) => {
    if (known === undefined && isLive) showToast(`The run of “${titleOf(tab)}” ended with its tab: this browser could not keep it.`);
  });
}

/** Resumes the run of a tab, unless another tab was selected meanwhile. */
async function resumeRun({ id, run }: Tab): Promise<void> {
  if (!run) return;
  put(id, { run: undefined });
  const { restoreRun } = await import("../exchange/executions.ts");
  const kept = await run.id;
  if (kept !== undefined && active.peek() === id && execution.run.peek() === null) await restoreRun(kept, run.goes);
}

/** Opens a tab's machine as it was left here, or as another window has saved it since. */
function show(tab: Tab): void {
  parkRun();
  openingTab = tab;
  pasts.clear();
  for (const [id, past] of tab.pasts ?? []) pasts.set(id, past);
  const draft = readDraft(tab.draft);
  try {
    batch(() => {
      if (draft) openDraft(draft);
      else opening.open(tab.workspace, tab.trusted, tab.workspace.definition.trim() === "" ? {} : { brought: true });
    });
  } finally {
    openingTab = undefined;
  }
  void resumeRun(tab);
}

/**
 * Adds machines in new tabs after the active one, and shows the first of them. It replaces a tab that was empty, or an unchanged
 * example if there was nothing else.
 */
export function add(first: Omit<Tab, "id">, ...others: Omit<Tab, "id">[]): void {
  const isExample = !activeTab.peek() && opening.opened.source.example !== undefined && !opening.isTouched();
  const before = begin();
  const added: Tab[] = [first, ...others].map((tab) => ({ ...tab, id: newId() }));
  const place = tabs.peek().findIndex(({ id }) => id === before.id);
  const empty = (isExample || isEmpty(before)) && !isEmpty(added[0]!);
  tabs.value = tabs.peek().toSpliced(place + (empty ? 0 : 1), empty ? 1 : 0, ...added);
  show(added[0]!);
}

const isEmpty = (tab: Tab): boolean => tab.file === undefined && workspaceOf(tab).definition.trim() === "";

export function addEmpty(): void {
  add({ workspace: opening.EMPTY, trusted: true });
  say("A new machine, in a tab of its own");
}

/** Closes a tab. Its machine stays among the drafts, and the tab can be reopened. */
export function close(id: string): void {
  const all = tabs.peek();
  const at = all.findIndex((tab) => tab.id === id);
  if (at < 0) return;
  batch(() => {
    if (all.length === 1) {
      // The page always has a machine.
      const empty: Tab = { id: newId(), workspace: opening.EMPTY, trusted: true };
      tabs.value = [...all, empty];
    }
    if (id === active.peek()) show(tabs.peek()[at + 1] ?? tabs.peek()[at - 1]!);
    const tab = tabs.peek()[at]!;
    closed.value = [...closed.peek(), { tab, at }].slice(-MOST_CLOSED);
    tabs.value = tabs.peek().filter((one) => one !== tab);
  });
  const { tab } = closed.peek().at(-1)!;
  const file = fileOf(tab);
  showToast(
    isUnsaved(tab) && file
      ? `Closed “${titleOf(tab)}”. What ${file.name} does not have yet is kept as a draft.`
      : `Closed “${titleOf(tab)}”. It can be opened again.`,
  );
}

/** Reopens the tab that was closed last. */
export function reopen(): void {
  const last = closed.peek().at(-1);
  if (!last) return showToast("No tab was closed.");
  batch(() => {
    closed.value = closed.peek().slice(0, -1);
    const all = tabs.peek();
    tabs.value = all.toSpliced(Math.min(last.at, all.length), 0, last.tab);
    show(last.tab);
  });
  say(`Opened ${titleOf(last.tab)} again`);
}

/** Moves a tab. */
export function move(id: string, to: number): void {
  const all = tabs.peek();
  const from = all.findIndex((tab) => tab.id === id);
  const place = Math.max(0, Math.min(all.length - 1, to));
  if (from < 0 || place === from) return;
  tabs.value = all.toSpliced(from, 1).toSpliced(place, 0, all[from]!);
  say(`${titleOf(all[from]!)} is tab ${place + 1} of ${all.length}`);
}

export function step(by: number): void {
  const all = tabs.peek();
  if (all.length < 2) return;
  const at = all.findIndex(({ id }) => id === active.peek());
  activate(all[(at + by + all.length) % all.length]!.id);
}

/** Renames a tab whose file does not determine its name. */
export function rename(id: string, to: string): void {
  const title = to.replace(/\s+/g, " ").trim();
  const tab = tabs.peek().find((one) => one.id === id);
  if (title === "" || !tab || title === titleOf(tab)) return;
  if (id === active.peek()) workspace.edit({ title });
  else put(id, { workspace: { ...tab.workspace, title } });
  say(`It is called ${title} now`);
}

/** Returns the tab of the machine with a name or an ARN. */
export function named(arn: string): Tab | undefined {
  const plain = plainName(arn);
  return tabs.peek().find((tab) => [tab.part, titleOf(tab)].some((one) => one !== undefined && plainName(one) === plain));
}

/** Shows the machine that a task starts: its tab, or a new one for a machine under Mocks. */
async function openNamed(arn: string): Promise<boolean> {
  const tab = named(arn);
  if (tab) {
    activate(tab.id);
    return true;
  }
  const { machines } = workspace;
  const machine = machines.value.find(({ name }) => plainName(name) === plainName(arn));
  if (!machine) return false;
  // In a tab the machine is still found by its name.
  workspace.edit({ machines: machines.value.filter((one) => one !== machine) });
  const { name, type, definition } = machine;
  add({
    workspace: { ...opening.EMPTY, title: plainName(name), definition, input: "{}\n", ...(type === "EXPRESS" && { config: { type } }) },
    trusted: true,
  });
  return true;
}

/** Opens the machine that the selected state starts. */
export async function openStartedBySelected(): Promise<void> {
  const index = analysis.graph.peek();
  const node = index?.node(index.byName.get(selection.selectedState.value ?? "") ?? -1);
  const started = node && (await startedBy(node.id));
  if (!started) return showToast("The selected state starts no machine by its name.");
  if (!(await openNamed(started.arn))) showToast(`There is no machine ${started.name} in the project or under Mocks.`);
}

/** Adds what a machine has besides its definition, from another source. */
export function fill(id: string, parts: Partial<Workspace>): void {
  const tab = tabs.peek().find((one) => one.id === id);
  if (!tab) return;
  const whole = { ...workspaceOf(tab), ...parts };
  if (id !== active.peek()) return put(id, { workspace: whole, trusted: false });
  opening.takeParts(whole, false);
  workspace.edit({ clock: whole.clock, seed: whole.seed, config: whole.config ?? {} });
}

/** Returns the plain name of a machine: `${Child.Arn}`, `arn:…:stateMachine:Child` and `Child` are the same. */
function plainName(arn: string): string {
  const [, held] = /^\$\{\s*([^}]*?)\s*\}$/.exec(arn.trim()) ?? [];
  if (held !== undefined) return held.replace(/\.(Arn|arn|Ref|id)$/, "").replace(/^aws_sfn_state_machine\.(\w+)$/, "$1");
  return arn.trim().split(":").at(-1)!;
}

// A workspace that is opened in another way while there are tabs becomes one of them.
export function followOpenings(): void {
  // The module that stores runs is loaded with the first run.
  effect(() => {
    if (execution.run.value !== null && !kept) void import("../exchange/executions.ts").then((module) => (kept = module));
  });
  opening.openings.add({ leave: park, enter });
}

function enter(): void {
  if (openingTab) {
    active.value = openingTab.id;
    return;
  }
  const before = activeTab.peek();
  if (!before) return;
  const draft = currentDraft();
  const there = draft === undefined ? undefined : tabs.peek().find((tab) => tab.draft === draft);
  if (there) {
    active.value = there.id;
    return;
  }
  const tab: Tab = { ...asTab(), id: newId() };
  const at = tabs.peek().indexOf(before) + 1;
  const empty = before.file === undefined && before.workspace.definition.trim() === "";
  batch(() => {
    tabs.value = tabs.peek().toSpliced(at - (empty ? 1 : 0), empty ? 1 : 0, tab);
    active.value = tab.id;
  });
}

/** Makes the machines of other tabs available to the tasks that start them. */
export function offerSiblings(): void {
  effect(() => {
    const here = active.value;
    const others = tabs.value.filter((tab) => tab.id !== here && tab.workspace.definition.trim() !== "");
    untracked(() => void siblings(others).then((found) => tabs.peek().length > 0 && workspace.setSiblings(found)));
    if (others.length === 0) workspace.setSiblings([]);
  });
}

async function siblings(others: readonly Tab[]): Promise<Machine[]> {
  const found = await Promise.all(
    others.map(async (tab): Promise<Machine[]> => {
      const { title, format, definition: text, config } = tab.workspace;
      try {
        const definition = format === "json" ? text : await interpreter.query("json", { text, format });
        const names = new Set([title, ...(tab.part === undefined ? [] : [tab.part, `\${${tab.part}}`, `\${${tab.part}.Arn}`])]);
        return [...names].map((name) => ({ name, type: config?.type ?? "STANDARD", definition }));
      } catch {
        // A definition that cannot be read cannot be started.
        return [];
      }
    }),
  );
  return found.flat();
}

/** Removes the files without tabs. */
export function forgetFiles(): void {
  const used = new Set([...tabs.peek(), ...closed.peek().map(({ tab }) => tab)].map(({ file }) => file));
  if (files.peek().some(({ id }) => !used.has(id))) files.value = files.peek().filter(({ id }) => used.has(id));
}

/** Replaces a tab by its id. */
export function exchange(tab: Tab): void {
  tabs.value = tabs.peek().map((one) => (one.id === tab.id ? tab : one));
}

/** Replaces the definition of a tab with its file's. The old one stays among the drafts, and can be restored by undo. */
export function replace(id: string, definition: string): void {
  const tab = tabs.peek().find((one) => one.id === id);
  if (!tab) return;
  const before: Workspace = workspaceOf(tab);
  if (isUnsaved(tab)) keepCopy(before, tab.trusted);
  if (id === active.peek()) {
    workspace.edit({ definition });
    put(id, { base: definition });
    return;
  }
  const { draft: _, ...rest } = tab;
  exchange({ ...rest, workspace: { ...before, definition }, base: definition });
}

/** Saves a draft that no tab writes. */
function keepCopy(whole: Workspace, trusted: boolean): void {
  try {
    writeDraft({ id: newId(), at: Date.now(), turn: 1, trusted, workspace: { ...whole, title: `${whole.title} (before)` } });
  } catch {
    // The page has reported that nothing can be stored.
  }
}
