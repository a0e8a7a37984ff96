// A project as one file, or as a folder with a file for each machine.

import { EMPTY } from "../store/opening.ts";
import { batch } from "@preact/signals";
import { LARGEST } from "../exchange/read.ts";
import { type Workspace, packedOf, workspaceOf as machineOf } from "../model/share.ts";
import { showToast, showAlarm } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { count } from "../ui/format.ts";
import { save as download } from "../ui/save.ts";
import { canWriteFolders, isNothing, nameOfFile, openFile, picker, write } from "./files.ts";
import type { StoredProject } from "./storedProjects.ts";
import { type OpenFile, type Tab, active, fileOf, files, name, newId, putFile, tabs, titleOf, workspaceOf } from "./model.ts";
import * as tabsOf from "./tabs.ts";

export const KIND = "stepglass/project/1";
/** The file in a folder with what its machines have besides their definitions: inputs, mocks and settings. */
const BESIDE = "stepglass.project.json";

interface Packed {
  kind: string;
  name?: string;
  active?: number;
  machines: { machine: Record<string, unknown>; file?: string; part?: string; base?: string }[];
  files: { name: string; text: string; template: boolean; bom?: boolean }[];
}

/** Returns the project's name: the one that the user has set, or one made of its machines' names. */
export function projectName(): string {
  if (name.peek() !== "") return name.peek();
  const [first, ...others] = tabs.peek().map(titleOf);
  return others.length === 0 ? (first ?? "Project") : `${first} and ${others.length} more`;
}

function packed(list: readonly Tab[], texts: readonly OpenFile[]): Packed {
  return {
    kind: KIND,
    ...(name.peek() !== "" && { name: name.peek() }),
    active: Math.max(
      0,
      list.findIndex(({ id }) => id === active.peek()),
    ),
    machines: list.map((tab) => {
      const file = texts.find(({ id }) => id === tab.file)?.name;
      return {
        machine: packedOf(workspaceOf(tab)),
        ...(file !== undefined && { file }),
        ...(tab.part !== undefined && { part: tab.part }),
        ...(tab.base !== undefined && { base: tab.base }),
      };
    }),
    files: texts.map(({ name: called, text, template, bom }) => ({ name: called, text, template, ...(bom && { bom }) })),
  };
}

/** Saves the whole project in one file. */
export async function saveProjectFile(): Promise<void> {
  workspace.flush();
  tabsOf.begin();
  download(`${projectName()}.stepglass.json`, `${JSON.stringify(packed(tabs.peek(), files.peek()), null, 2)}\n`, "application/json");
  showToast(`Saved ${count(tabs.peek().length, "machine")} with inputs and mocks.`);
}

/** Returns the project file of a project that this browser stores. */
export function keptText({ name: called, named, tabs: list, files: texts, active: at }: StoredProject): string {
  const value: Packed = {
    kind: KIND,
    ...(named && { name: called }),
    active: Math.max(
      0,
      list.findIndex(({ id }) => id === at),
    ),
    machines: list.map(({ machine, file, part, base }) => {
      const owner = texts.find(({ id }) => id === file)?.name;
      return {
        machine,
        ...(owner !== undefined && { file: owner }),
        ...(part !== undefined && { part }),
        ...(base !== undefined && { base }),
      };
    }),
    files: texts.map(({ name: one, text, template, bom }) => ({ name: one, text, template, ...(bom && { bom }) })),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

export const isProject = (value: unknown): value is Packed =>
  typeof value === "object" && value !== null && /^stepglass\/project\/\d+$/.test(String((value as { kind?: unknown }).kind));

/** Opens a project file. Its code is from elsewhere and must be reviewed. */
export function openProject(value: unknown): void {
  if (!isProject(value)) throw new Error("The text is no project of this page.");
  if (value.kind !== KIND)
    throw new Error(`The project is of version ${value.kind.split("/").at(-1)}, and this page can open only version 1.`);
  const { machines = [], files: texts = [] } = value;
  if (!Array.isArray(machines) || !Array.isArray(texts) || machines.length === 0) throw new Error("The project has no machines.");
  const opened = texts
    .slice(0, 200)
    .flatMap((one): OpenFile[] =>
      typeof one?.name === "string" && typeof one.text === "string"
        ? [{ id: newId(), name: one.name, text: one.text, bom: one.bom === true, template: one.template === true }]
        : [],
    );
  const list = machines.slice(0, 200).map((one): Omit<Tab, "id"> => {
    const file = opened.find((each) => each.name === one?.file)?.id;
    return {
      workspace: machineOf(one?.machine),
      trusted: false,
      ...(file !== undefined && { file, base: String(one.base ?? "") }),
      ...(typeof one?.part === "string" && { part: one.part }),
    };
  });
  const at = Number.isSafeInteger(value.active) && list[value.active!] ? value.active! : 0;
  batch(() => {
    for (const one of opened) putFile(one);
    tabsOf.add(list[0]!, ...list.slice(1));
    if (typeof value.name === "string") name.value = value.name.slice(0, 200);
  });
  if (at > 0) {
    const first = tabs.peek().findIndex(({ id }) => id === active.peek());
    tabsOf.activate(tabs.peek()[first + at]!.id);
  }
  showToast(`Opened a project of ${count(list.length, "machine")}.`);
}

/** Opens a folder: its definitions and templates, and the file with what belongs to them. */
export async function openFolder(): Promise<void> {
  try {
    const folder = await picker().showDirectoryPicker!.call(window, { mode: "readwrite" });
    let beside: Packed | undefined;
    const found: FileSystemFileHandle[] = [];
    for (const handle of await filesIn(folder)) {
      if (handle.name === BESIDE) {
        const value: unknown = JSON.parse(await (await handle.getFile()).text());
        if (isProject(value)) beside = value;
      } else found.push(handle);
    }
    let opened = 0;
    for (const handle of found) {
      const file = await handle.getFile();
      if (file.size > LARGEST || !(await hasMachines(file))) continue;
      await openFile(file, handle);
      opened++;
    }
    if (opened === 0) return showAlarm(`The folder ${folder.name} has no state machine.`);
    if (beside) takeBeside(beside);
    name.value = folder.name;
    showToast(`Opened the folder ${folder.name}: ${count(opened, "file")}, each saved in place.`);
  } catch (error) {
    if (!isNothing(error)) showAlarm(`The folder was not opened. ${(error as Error).message}`);
  }
}

const LIKELY = /\.(json|ya?ml|asl|template|tf)$/i;

/** Returns the files of a folder and of its subfolders that may have machines. */
async function filesIn(folder: FileSystemDirectoryHandle, depth = 0): Promise<FileSystemFileHandle[]> {
  const found: FileSystemFileHandle[] = [];
  const entries = (folder as unknown as { values(): AsyncIterable<FileSystemHandle> }).values();
  for await (const entry of entries) {
    if (found.length >= 500) break;
    if (entry.kind === "file" && LIKELY.test(entry.name)) found.push(entry as FileSystemFileHandle);
    else if (entry.kind === "directory" && depth < 4 && !/^(\.|node_modules$)/.test(entry.name))
      found.push(...(await filesIn(entry as FileSystemDirectoryHandle, depth + 1)));
  }
  return found.sort((a, b) => a.name.localeCompare(b.name, "en"));
}

async function hasMachines(file: File): Promise<boolean> {
  const text = await file.text();
  return (
    (/["']?StartAt["']?\s*[:=]/.test(text) && /["']?States["']?\s*[:=]/.test(text)) ||
    /AWS::(StepFunctions|Serverless)::StateMachine/.test(text)
  );
}

/** Applies inputs, mocks and settings to the machines, by file name and part. */
function takeBeside({ machines }: Packed): void {
  for (const { machine, file, part } of machines) {
    // Files of closed tabs may have the same name.
    const tab = tabs.peek().find((one) => fileOf(one)?.name === file && one.part === part);
    if (!tab || file === undefined) continue;
    const { title: _, format: __, definition: ___, ...rest } = machineOf(machine);
    tabsOf.fill(tab.id, rest);
  }
}

/** Saves a file for each machine, which is saved in place from then on, and one with what else belongs to them. */
export async function saveFolder(): Promise<void> {
  if (!canWriteFolders()) return saveProjectFile();
  workspace.flush();
  tabsOf.begin();
  try {
    const folder = await picker().showDirectoryPicker!.call(window, { mode: "readwrite" });
    const taken = new Set<string>();
    const there = new Set<string>();
    for (const handle of await filesIn(folder, 4)) there.add(handle.name);
    for (const tab of tabs.peek()) await saveInto(folder, tab, taken, there);
    const handle = await folder.getFileHandle(BESIDE, { create: true });
    // The definitions have files of their own.
    const beside = packed(tabs.peek(), files.peek());
    const small = { ...beside, machines: beside.machines.map(({ base: _, ...one }) => one), files: [] };
    await write(handle, `${JSON.stringify(small, null, 2)}\n`);
    name.value = folder.name;
    showToast(`Saved ${count(tabs.peek().length, "machine")} in ${folder.name}.`);
  } catch (error) {
    if (!isNothing(error)) showAlarm(`The project was not saved. ${(error as Error).message}`);
  }
}

async function saveInto(folder: FileSystemDirectoryHandle, tab: Tab, taken: Set<string>, there: Set<string>): Promise<void> {
  const machine: Workspace = { ...EMPTY, ...workspaceOf(tab) };
  const plain = nameOfFile(machine);
  // A file of the folder that does not belong to the project is not overwritten.
  let called = plain;
  for (let i = 2; taken.has(called) || there.has(called); i++) called = plain.replace(/(\.asl)?\.(json|yaml)$/, `-${i}$&`);
  taken.add(called);
  const handle = await folder.getFileHandle(called, { create: true });
  await write(handle, machine.definition);
  const file: OpenFile = { id: newId(), name: called, text: machine.definition, bom: false, template: false, handle };
  const { part: _, ...rest } = tabs.peek().find(({ id }) => id === tab.id) ?? tab;
  batch(() => {
    putFile(file);
    tabsOf.exchange({ ...rest, file: file.id, base: machine.definition });
  });
}
