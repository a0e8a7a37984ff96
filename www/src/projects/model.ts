// What a project is: machines in tabs, and the files that they were opened from.

import { computed, signal } from "@preact/signals";
import type { Workspace } from "../model/share.ts";
import * as workspace from "../store/workspace.ts";

/// A file as it was opened or saved last.
export interface OpenFile {
  id: string;
  name: string;
  text: string;
  /// What the file begins with besides its text, and what its lines end with.
  bom: boolean;
  /// Where the browser can write it in place.
  handle?: FileSystemFileHandle;
  /// Whether machines are parts of it.
  template: boolean;
}

/// A machine of the project.
export interface Tab {
  id: string;
  /// As it was when another one was chosen; that of the active tab is on the page.
  workspace: Workspace;
  trusted: boolean;
  /// The draft that its edits are kept as.
  draft?: string;
  file?: string;
  /// Its name in a template.
  part?: string;
  /// The definition as the file has it.
  base?: string;
  /// What can be undone in its editors.
  pasts?: ReadonlyMap<string, { text: string; past: unknown }>;
  /// The run that was on screen when another tab was chosen, as the browser keeps it; `goes` where it was not paused.
  run?: { id: Promise<string | undefined>; goes: boolean } | undefined;
}

export const tabs = signal<readonly Tab[]>([]);
export const active = signal("");
export const files = signal<readonly OpenFile[]>([]);
/// What the project is called, where somebody has said so.
export const name = signal("");
/// Those that were closed, the last one at the end.
export const closed = signal<readonly { tab: Tab; at: number }[]>([]);

export const newId = (): string => `${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 4).toString(36)}`;

export const activeTab = computed(() => tabs.value.find(({ id }) => id === active.value));

export const fileOf = (tab: Tab | undefined): OpenFile | undefined => files.value.find(({ id }) => id === tab?.file);

/// The machine of a tab as it is now.
export const workspaceOf = (tab: Tab): Workspace => (tab.id === active.value ? workspace.current() : tab.workspace);

/// What a tab is called.
export const titleOf = (tab: Tab): string => (tab.id === active.value ? workspace.title.value : tab.workspace.title) || "Untitled";

const definitionOf = (tab: Tab): string => (tab.id === active.value ? workspace.definition.value : tab.workspace.definition);

/// Whether its file lacks something of it.
export const isUnsaved = (tab: Tab): boolean => tab.base !== undefined && definitionOf(tab) !== tab.base;

/// Changes a tab.
export function put(id: string, change: Partial<Tab>): void {
  tabs.value = tabs.value.map((tab) => (tab.id === id ? { ...tab, ...change } : tab));
}

export function putFile(file: OpenFile): void {
  files.value = files.value.some(({ id }) => id === file.id)
    ? files.value.map((one) => (one.id === file.id ? file : one))
    : [...files.value, file];
}

/// The text as editors have it, with one kind of line ends.
export const unified = (text: string): string => text.replace(/\r\n?/g, "\n");
