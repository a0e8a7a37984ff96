// Stores the project over a reload: its tabs, and its files with their handles. The machines themselves are drafts.

import { batch, effect } from "@preact/signals";
import { currentDraft } from "../exchange/persistence.ts";
import { packedOf, workspaceOf as machineOf } from "../model/share.ts";
import { dismiss, notify } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { type StoredProject, claim, readProject, removeProject, writeProject } from "./storedProjects.ts";
import { type Tab, active, activeTab, files, name, newId, tabs, workspaceOf } from "./model.ts";
import { projectName } from "./folder.ts";
import { activateFirst, forgetFiles } from "./tabs.ts";

const PAUSE = 400;
const KEY = "stepglass.project";

let id: string | undefined;
let free: (() => Promise<void>) | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let writing: Promise<void> = Promise.resolve();
let failed = false;

/** Stores the project's id, so that this tab of the browser, or a new one, finds it. */
function remember(): void {
  try {
    if (id === undefined) {
      sessionStorage.removeItem(KEY);
      localStorage.removeItem(KEY);
    } else {
      sessionStorage.setItem(KEY, id);
      localStorage.setItem(KEY, id);
    }
  } catch {
    // Without it, a reload shows only the machine.
  }
}

/** Returns whether there is a project. A single machine without a file is only a draft. */
const isProject = (): boolean => tabs.peek().length > 1 || tabs.peek().some(({ file }) => file !== undefined);

function record(): StoredProject {
  const draft = currentDraft();
  return {
    id: id!,
    at: Date.now(),
    name: projectName(),
    ...(name.peek() !== "" && { named: true }),
    active: active.peek(),
    tabs: tabs.peek().map((tab): StoredProject["tabs"][number] => {
      const { workspace: _, pasts: __, ...rest } = tab;
      return {
        ...rest,
        machine: packedOf(workspaceOf(tab)),
        ...(tab.id === active.peek() && draft !== undefined && { draft }),
      };
    }),
    files: [...files.peek()],
  };
}

/** Writes the project, after any write in progress. */
async function store(): Promise<void> {
  clearTimeout(timer);
  if (!isProject()) return leave();
  id ??= newId();
  remember();
  try {
    free ??= await claim(id);
    await writeProject(record());
    failed = false;
    dismiss("project");
  } catch (error) {
    if (failed) return;
    failed = true;
    const full = (error as Error).name === "QuotaExceededError";
    notify({
      kind: "project",
      warn: true,
      text: full
        ? "This browser has no more room for projects: the tabs and their files are gone when this page is closed. Remove projects or drafts from the shelf, or save the project as a file."
        : "This browser keeps no projects: the tabs and their files are gone when this page is closed. Save the project as a file.",
    });
  }
}

async function leave(): Promise<void> {
  if (id === undefined) return;
  const before = id;
  id = undefined;
  remember();
  await removeProject(before).catch(() => {});
  await free?.();
  free = undefined;
}

function soon(): void {
  clearTimeout(timer);
  timer = setTimeout(flush, PAUSE);
}

export function flush(): void {
  clearTimeout(timer);
  writing = writing.then(store);
}

/** Shows the tabs of a stored project, including the machine on the page. */
function show(project: StoredProject): void {
  const list = project.tabs.map(tabOf);
  batch(() => {
    name.value = project.named ? project.name : "";
    files.value = project.files;
    tabs.value = list;
    active.value = list.some((tab) => tab.id === project.active) ? project.active : (list[0]?.id ?? "");
  });
}

/**
 * Opens a stored project in place of the current one, which stays stored. If another tab of the browser has it open, a copy is
 * opened.
 */
export async function openKept(project: StoredProject): Promise<void> {
  if (project.id === id) return;
  workspace.flush();
  if (isProject()) await store();
  await free?.();
  clearTimeout(timer);
  free = await claim(project.id).catch(() => undefined);
  id = free ? project.id : undefined;
  const list = free ? project.tabs : project.tabs.map(({ draft: _, ...tab }) => tab);
  const first = list.find((tab) => tab.id === project.active) ?? list[0];
  if (!first) return;
  batch(() => {
    // The previous project is no longer written.
    tabs.value = [];
    name.value = project.named ? project.name : "";
    files.value = project.files;
    tabs.value = list.map(tabOf);
    activateFirst(tabs.peek().find((tab) => tab.id === first.id)!);
  });
  remember();
  if (!free) tellCopy(project);
}

/** Renames the project on the page. */
export async function renameProject(to: string): Promise<void> {
  name.value = to;
  clearTimeout(timer);
  await (writing = writing.then(store));
}

function tellCopy(project: StoredProject): void {
  notify({
    kind: "project",
    text: `The project “${project.name}” is open in another tab of this browser. This tab has a copy: what you edit here is kept as another project.`,
  });
}

const tabOf = ({ machine, ...rest }: StoredProject["tabs"][number]): Tab => ({ ...rest, workspace: machineOf(machine) });

/** Restores the project of this tab of the browser, or the one that the page's draft belongs to. */
async function restore(): Promise<void> {
  let mine: string | null = null;
  let last: string | null = null;
  try {
    mine = sessionStorage.getItem(KEY);
    last = localStorage.getItem(KEY);
  } catch {
    return;
  }
  const wanted = mine ?? last;
  if (wanted === null) return;
  const project = await readProject(wanted).catch(() => undefined);
  if (!project || activeTab.peek()) return;
  const draft = currentDraft();
  // The machine on the page belongs to one of the project's tabs, or the project had an empty tab.
  const here =
    project.tabs.find((tab) => draft !== undefined && tab.draft === draft) ?? project.tabs.find((tab) => tab.id === project.active);
  const isHere = here !== undefined && (here.draft === draft || (draft === undefined && workspace.definition.value === here.machine["d"]));
  if (!isHere) {
    if (mine !== null) remember();
    return;
  }
  free = await claim(wanted).catch(() => undefined);
  if (free) {
    id = wanted;
    show({ ...project, active: here.id });
    remember();
    return;
  }
  if (mine === null) return;
  show({ ...project, active: here.id, tabs: project.tabs.map(({ draft: _, ...tab }) => tab) });
  tellCopy(project);
}

export async function keepProject(): Promise<void> {
  await restore();
  let first = true;
  effect(() => {
    void [tabs.value, active.value, files.value, name.value];
    // Tabs that were opened while the previous project was searched for belong to the project too.
    if (!first || isProject()) {
      forgetFiles();
      soon();
    }
    first = false;
  });
  // The machine is saved as a draft meanwhile. The record is written when the user leaves the page.
  addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", () => document.hidden && activeTab.peek() && flush());
}
