// A project: machines in tabs, and the files that they were opened from.

import { computed, signal } from "@preact/signals";
import type { Workspace } from "../model/share.ts";
import * as workspace from "../store/workspace.ts";

/** A file as it was last opened or saved. */
export interface OpenFile {
  id: string;
  name: string;
  text: string;
  /** Whether the file begins with a byte order mark, and its line ends. */
  bom: boolean;
  /** The handle, if the browser can write the file in place. */
  handle?: FileSystemFileHandle;
  /** Whether the machines are parts of the file. */
  template: boolean;
}

/** A machine of the project. */
export interface Tab {
  id: string;
  /** The workspace when another tab was selected. That of the active tab is on the page. */
  workspace: Workspace;
  trusted: boolean;
  /** The draft that its edits are saved to. */
  draft?: string;
  file?: string;
  /** Its name in a template. */
  part?: string;
  /** The definition as the file has it. */
  base?: string;
  /** The undo histories of its editors. */
  pasts?: ReadonlyMap<string, { text: string; past: unknown }>;
  /** The stored run that was on screen when another tab was selected; `goes` is set if it was not paused. */
  run?: { id: Promise<string | undefined>; goes: boolean } | undefined;
}

export const tabs = signal<readonly Tab[]>([]);
export const active = signal("");
export const files = signal<readonly OpenFile[]>([]);
/** The name that the user has given the project; "" if there is none. */
export const name = signal("");
/** The tabs that were closed, the last one at the end. */
export const closed = signal<readonly { tab: Tab; at: number }[]>([]);

export const newId = (): string => `${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 4).toString(36)}`;

export const activeTab = computed(() => tabs.value.find(({ id }) => id === active.value));

export const fileOf = (tab: Tab | undefined): OpenFile | undefined => files.value.find(({ id }) => id === tab?.file);

/** Returns the current machine of a tab. */
export const workspaceOf = (tab: Tab): Workspace => (tab.id === active.value ? workspace.current() : tab.workspace);

/** Returns the title of a tab. */
export const titleOf = (tab: Tab): string => (tab.id === active.value ? workspace.title.value : tab.workspace.title) || "Untitled";

const definitionOf = (tab: Tab): string => (tab.id === active.value ? workspace.definition.value : tab.workspace.definition);

/** Returns whether the tab has changes that its file lacks. */
export const isUnsaved = (tab: Tab): boolean => tab.base !== undefined && definitionOf(tab) !== tab.base;

/** Changes a tab. */
export function put(id: string, change: Partial<Tab>): void {
  tabs.value = tabs.value.map((tab) => (tab.id === id ? { ...tab, ...change } : tab));
}

export function putFile(file: OpenFile): void {
  files.value = files.value.some(({ id }) => id === file.id)
    ? files.value.map((one) => (one.id === file.id ? file : one))
    : [...files.value, file];
}

/** Returns a text with uniform line ends, as editors have it. */
export const unified = (text: string): string => text.replace(/\r\n?/g, "\n");
