// Opens files and saves them in place if the browser supports it. Otherwise files are opened by a file input and saved as
// downloads.

import { EMPTY } from "../store/opening.ts";
import { batch } from "@preact/signals";
import { isPacked, readFile } from "../exchange/importing.ts";
import { LARGEST, read } from "../exchange/read.ts";
import type { Workspace } from "../model/share.ts";
import { dismiss, notify, say, showToast, showAlarm } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { save as download } from "../ui/save.ts";
import { count } from "../ui/format.ts";
import { type OpenFile, type Tab, activeTab, fileOf, files, newId, put, putFile, tabs, unified, workspaceOf } from "./model.ts";
import * as tabsOf from "./tabs.ts";
import { partsOf, written } from "./templates.ts";

/** The browser's API for files, which TypeScript's library lacks. */
interface Picker {
  showOpenFilePicker?(options: object): Promise<FileSystemFileHandle[]>;
  showSaveFilePicker?(options: object): Promise<FileSystemFileHandle>;
  showDirectoryPicker?(options: object): Promise<FileSystemDirectoryHandle>;
}
interface Permitted {
  queryPermission?(options: { mode: "readwrite" }): Promise<PermissionState>;
  requestPermission?(options: { mode: "readwrite" }): Promise<PermissionState>;
}

export const picker = (): Picker => window as unknown as Picker;
export const canWriteFiles = (): boolean => picker().showSaveFilePicker !== undefined;
export const canWriteFolders = (): boolean => picker().showDirectoryPicker !== undefined;

const KINDS = [
  {
    description: "State machines and templates",
    accept: { "application/json": [".json", ".asl", ".template"], "application/yaml": [".yaml", ".yml"], "text/plain": [".tf"] },
  },
];

/** Returns whether the user has cancelled a dialog of the browser. */
export const isNothing = (error: unknown): boolean => (error as Error).name === "AbortError";

/** Asks for files, and opens each. */
export async function openFiles(): Promise<void> {
  const { showOpenFilePicker } = picker();
  try {
    if (showOpenFilePicker) {
      const handles = await showOpenFilePicker.call(window, { multiple: true, types: KINDS });
      for (const handle of handles) await openFile(await handle.getFile(), handle);
    } else for (const file of await chosen()) await openFile(file);
  } catch (error) {
    if (!isNothing(error)) showAlarm(`The file was not opened. ${(error as Error).message}`);
  }
}

function chosen(): Promise<File[]> {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    input.accept = ".json,.yaml,.yml,.asl,.template,.tf,.gz,.sfnrun";
    input.hidden = true;
    input.setAttribute("aria-label", "Files to open");
    const done = (): void => {
      resolve([...(input.files ?? [])]);
      input.remove();
    };
    input.addEventListener("change", done);
    input.addEventListener("cancel", done);
    document.body.append(input);
    input.click();
  });
}

/**
 * Opens a file: a definition, or all machines of a template. Any other file is imported. With a handle, it can be saved in place.
 */
export async function openFile(file: File, handle?: FileSystemFileHandle): Promise<void> {
  if (file.size > LARGEST || (await isPacked(file))) return readFile(file);
  const there = await alreadyOpen(handle);
  if (there) return tabsOf.activate(there.id);
  const { text, bom } = await textOf(file);
  const found = await read(text, file.name);
  if (found.kind !== "definition" && found.kind !== "template") return readFile(file);
  const opened: OpenFile = { id: newId(), name: file.name, text, bom, template: found.kind === "template", ...(handle && { handle }) };
  if (found.kind === "template") return openTemplate(opened);
  const machine: Workspace = { ...EMPTY, title: found.title, format: found.format, definition: unified(text), input: "{}\n" };
  batch(() => {
    putFile(opened);
    tabsOf.add({ workspace: machine, trusted: true, file: opened.id, base: machine.definition });
  });
  showToast(handle ? `Opened ${file.name}. It is saved in place.` : `Opened ${file.name}.`);
}

async function alreadyOpen(handle: FileSystemFileHandle | undefined): Promise<Tab | undefined> {
  if (!handle) return undefined;
  for (const file of files.peek()) {
    if (file.handle && (await file.handle.isSameEntry(handle))) return tabs.peek().find((tab) => tab.file === file.id);
  }
  return undefined;
}

async function textOf(file: File): Promise<{ text: string; bom: boolean }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file.name} is no text in UTF-8.`);
  }
  return { text, bom };
}

/** Opens a tab for each machine of the template. */
function openTemplate(file: OpenFile): void {
  const { machines, elsewhere } = partsOf(file.text, file.name);
  const away = elsewhere.map(({ name, path, problem }) => (path === undefined ? `${name}: ${problem}` : `${name} is in ${path}`));
  if (machines.length === 0) {
    showAlarm(`No machine of ${file.name} can be edited in it. ${away.join("; ")}.`);
    return;
  }
  const [first, ...others] = machines.map(({ name, type, format, text }) => ({
    workspace: { ...EMPTY, title: name, format, definition: text, input: "{}\n", ...(type && { config: { type } }) },
    trusted: true,
    file: file.id,
    part: name,
    base: text,
  }));
  // A file without tabs is removed.
  batch(() => {
    putFile(file);
    tabsOf.add(first!, ...others);
  });
  showToast(
    `Opened ${count(machines.length, "machine")} of ${file.name}, ${machines.length === 1 ? "which is" : "each"} edited in the template.${
      away.length > 0 ? ` Not in it: ${away.join("; ")}.` : ""
    }`,
  );
}

/** Saves the file of the active tab. */
export async function save(): Promise<void> {
  workspace.flush();
  const tab = activeTab.peek();
  const file = fileOf(tab);
  if (!tab || !file) return askWhere();
  await saveFile(file);
}

/** Asks where to save a machine without a file. The menu sets the function. */
export const ask: { where(): void } = { where() {} };
const askWhere = (): void => ask.where();

/** Saves all machines of a file. It does not overwrite changes that were made outside the page. */
async function saveFile(file: OpenFile, over = false): Promise<boolean> {
  const mine = tabs.peek().filter((tab) => tab.file === file.id);
  const next = contentsOf(file, mine);
  if (next === undefined) return false;
  try {
    if (file.handle) {
      if (!(await isPermitted(file.handle))) {
        showToast(`The browser may not write ${file.name}. Allow it, or save it as another file.`);
        return false;
      }
      if (!over && (await isOther(file, next))) return false;
      await write(file.handle, (file.bom ? "\ufeff" : "") + next);
    } else download(file.name, (file.bom ? "\ufeff" : "") + next, "text/plain");
  } catch (error) {
    showAlarm(`${file.name} was not saved. ${(error as Error).message}`);
    return false;
  }
  took(file, next, mine);
  dismiss("file");
  showToast(file.handle ? `Saved ${file.name}.` : `Saved ${file.name} as a download.`);
  return true;
}

function took(file: OpenFile, text: string, mine: readonly Tab[]): void {
  batch(() => {
    putFile({ ...file, text });
    for (const tab of mine) put(tab.id, { base: workspaceOf(tab).definition });
  });
}

/**
 * Returns the text of the file with its current machines. If one of them cannot be written there, it shows why and returns
 * undefined.
 */
function contentsOf(file: OpenFile, mine: readonly Tab[]): string | undefined {
  const machines = mine.map((tab) => ({ tab, now: workspaceOf(tab) }));
  const other = machines.find(({ tab, now }) => !file.template && formatOf(file) !== now.format && now.definition !== tab.base);
  if (other) {
    showToast(
      `${file.name} is ${formatOf(file).toUpperCase()}, and the definition is ${other.now.format.toUpperCase()} now: save it as another file.`,
    );
    return undefined;
  }
  const changed = machines.filter(({ tab, now }) => now.definition !== tab.base);
  try {
    return written(
      file,
      changed.map(({ tab, now }) => ({ part: tab.part, text: now.definition })),
    );
  } catch (error) {
    showAlarm(`${file.name} was not saved. ${(error as Error).message}`);
    return undefined;
  }
}

const formatOf = ({ name, text }: OpenFile): "json" | "yaml" =>
  /\.ya?ml$/i.test(name) ? "yaml" : /\.json$/i.test(name) || /^\s*\{/.test(text) ? "json" : "yaml";

async function isPermitted(handle: FileSystemFileHandle): Promise<boolean> {
  const { queryPermission, requestPermission } = handle as Permitted;
  if (!queryPermission || !requestPermission) return true;
  if ((await queryPermission.call(handle, { mode: "readwrite" })) === "granted") return true;
  return (await requestPermission.call(handle, { mode: "readwrite" })) === "granted";
}

export async function write(handle: FileSystemFileHandle, text: string): Promise<void> {
  const stream = await handle.createWritable();
  await stream.write(text);
  await stream.close();
}

/** Returns whether the file has changed since it was opened, and notifies the user if so. */
async function isOther(file: OpenFile, next: string): Promise<boolean> {
  const there = await textOf(await file.handle!.getFile()).catch(() => undefined);
  if (there === undefined || there.text === file.text || there.text === next) return false;
  tellOther(file);
  return true;
}

function tellOther(file: OpenFile): void {
  const mine = tabs.peek().filter((tab) => tab.file === file.id);
  const unsaved = mine.some((tab) => workspaceOf(tab).definition !== tab.base);
  notify({
    kind: "file",
    warn: unsaved,
    text: unsaved
      ? `${file.name} was changed outside of this page, and here as well. Nothing was written over.`
      : `${file.name} was changed outside of this page.`,
    actions: [
      { label: unsaved ? "Take the file's, mine stays a draft" : "Take it over", run: () => void takeOver(file) },
      ...(unsaved ? [{ label: "Write mine over it", run: () => void saveFile(file, true) }] : []),
    ],
  });
}

/** Checks whether files were changed outside the page, as far as the browser allows it without asking. */
export async function lookOutside(): Promise<void> {
  for (const file of files.peek()) {
    const { handle } = file;
    const mine = tabs.peek().some((tab) => tab.file === file.id);
    if (!handle || !mine) continue;
    try {
      const { queryPermission } = handle as Permitted;
      if (queryPermission && (await queryPermission.call(handle, { mode: "readwrite" })) !== "granted") continue;
      const there = await textOf(await handle.getFile());
      if (there.text !== files.peek().find(({ id }) => id === file.id)?.text) return tellOther(file);
    } catch (error) {
      if ((error as Error).name !== "NotFoundError") continue;
      notify({
        kind: "file",
        warn: true,
        text: `${file.name} is not there any more: it was moved or removed. What is here stays, and can be saved again.`,
        actions: [{ label: "Save it as…", run: () => void askWhere() }],
      });
      return;
    }
  }
}

/** Replaces the machines with those of the file. Unsaved changes stay as drafts. */
async function takeOver(file: OpenFile): Promise<void> {
  dismiss("file");
  try {
    const { text, bom } = await textOf(await file.handle!.getFile());
    const next: OpenFile = { ...file, text, bom };
    const shown = file.template ? partsOf(text, file.name).machines : undefined;
    putFile(next);
    for (const tab of tabs.peek().filter((one) => one.file === file.id)) {
      const definition = shown ? shown.find(({ name }) => name === tab.part)?.text : unified(text);
      if (definition === undefined) {
        const { file: _, part: __, base: ___, ...alone } = tab;
        tabsOf.exchange(alone);
      } else tabsOf.replace(tab.id, definition);
    }
    say(`${file.name} is as it is on the disk.`);
  } catch (error) {
    showAlarm(`${file.name} could not be read. ${(error as Error).message}`);
  }
}

/** Returns the name of a machine's own file. */
export const nameOfFile = ({ title, format }: Workspace): string =>
  `${clean(title).replace(/(\.asl)?(\.json|\.ya?ml)?$/i, "")}.asl.${format}`;

const clean = (title: string): string => title.replace(/[^\p{L}\p{N}._ -]/gu, "_").trim() || "machine";

/** Saves the definition of the active tab to a file of its own, which receives further edits. */
export async function saveAs(): Promise<void> {
  workspace.flush();
  const tab = tabsOf.begin();
  const whole = workspace.current();
  const { definition, format } = whole;
  const name = nameOfFile(whole);
  const { showSaveFilePicker } = picker();
  try {
    let handle: FileSystemFileHandle | undefined;
    if (showSaveFilePicker) {
      const type = format === "json" ? { "application/json": [".json"] } : { "application/yaml": [".yaml", ".yml"] };
      handle = await showSaveFilePicker.call(window, { suggestedName: name, types: [{ description: "State machine", accept: type }] });
      await write(handle, definition);
    } else download(name, definition, "text/plain");
    const file: OpenFile = {
      id: newId(),
      name: handle?.name ?? name,
      text: definition,
      bom: false,
      template: false,
      ...(handle && { handle }),
    };
    batch(() => {
      putFile(file);
      const { part: _, ...plain } = activeTab.peek() ?? tab;
      tabsOf.exchange({ ...plain, file: file.id, base: definition });
    });
    showToast(handle ? `Saved ${file.name}. It is saved in place from now on.` : `Saved ${file.name} as a download.`);
  } catch (error) {
    if (!isNothing(error)) showAlarm(`It was not saved. ${(error as Error).message}`);
  }
}
