// The drafts of this browser. Each has a key of its own, so that tabs do not overwrite each other's drafts.

import { signal } from "@preact/signals";
import * as prefs from "../prefs.ts";
import { type Workspace, packedOf, workspaceOf } from "../model/share.ts";

const KEY = "stepglass.draft.";
const LATEST = "latest";
/** The maximum number of drafts, and the maximum number of their characters. */
export const MOST = 50;
const MOST_CHARACTERS = 4_000_000;

export interface Draft {
  id: string;
  /** When it was saved, in milliseconds since the epoch. */
  at: number;
  /** A counter that grows with every save, so that a tab knows whether another one has saved the draft since. */
  turn: number;
  trusted: boolean;
  workspace: Workspace;
}

/** All drafts as they were last listed, the newest first. */
export const drafts = signal<readonly Draft[]>([]);

export const newId = (): string => `${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 4).toString(36)}`;

export function readDraft(id: string | undefined): Draft | undefined {
  if (id === undefined) return undefined;
  try {
    return draftOf(id, localStorage.getItem(KEY + id));
  } catch {
    return undefined;
  }
}

function draftOf(id: string, text: string | null): Draft | undefined {
  if (text === null) return undefined;
  try {
    const { at, turn, trusted, ...packed } = JSON.parse(text) as Record<string, unknown>;
    const workspace = workspaceOf(packed);
    return workspace.definition.trim() === ""
      ? undefined
      : { id, at: Number(at) || 0, turn: Number(turn) || 0, trusted: trusted !== false, workspace };
  } catch {
    // The entry cannot be read, so it is not a draft.
    return undefined;
  }
}

/** Returns how often a draft was saved; undefined if it does not exist. */
export function turnOf(id: string): number | undefined {
  try {
    const text = localStorage.getItem(KEY + id);
    return text === null ? undefined : Number(/^\{"at":\d+,"turn":(\d+)/.exec(text)?.[1] ?? 0);
  } catch {
    return undefined;
  }
}

/** Saves a draft. Throws the browser's error if there is no storage or no space. */
export function writeDraft({ id, at, turn, trusted, workspace }: Draft): void {
  const isNew = localStorage.getItem(KEY + id) === null;
  localStorage.setItem(KEY + id, JSON.stringify({ at, turn, trusted, ...packedOf(workspace) }));
  prefs.remember(LATEST, id);
  if (isNew) removeOldest(id);
}

export function removeDraft(id: string): void {
  try {
    localStorage.removeItem(KEY + id);
  } catch {
    // Without storage there is nothing to remove.
  }
  listDrafts();
}

/** Restores a draft that was removed. */
export function restoreDraft(draft: Draft): void {
  try {
    writeDraft(draft);
  } catch {
    // There was space for it a moment ago, but there may be none now.
  }
  listDrafts();
}

function* stored(): Generator<[id: string, text: string]> {
  for (const key of Object.keys(localStorage)) if (key.startsWith(KEY)) yield [key.slice(KEY.length), localStorage.getItem(key) ?? ""];
}

/** Removes the oldest drafts above the limits. `but` was just written. */
function removeOldest(but: string): void {
  const all = [...stored()]
    .map(([id, text]) => ({ id, size: text.length, at: id === but ? Infinity : Number(/^\{"at":(\d+)/.exec(text)?.[1] ?? 0) }))
    .sort((a, b) => b.at - a.at);
  let size = 0;
  all.forEach((one, i) => {
    size += one.size;
    if (i > 0 && (i >= MOST || size > MOST_CHARACTERS)) localStorage.removeItem(KEY + one.id);
  });
}

export function listDrafts(): readonly Draft[] {
  try {
    takeOver();
    drafts.value = [...stored()].flatMap(([id, text]) => draftOf(id, text) ?? []).sort((a, b) => b.at - a.at);
  } catch {
    drafts.value = [];
  }
  return drafts.value;
}

/** Returns the draft that was saved last. */
export function latestDraft(): Draft | undefined {
  return readDraft(prefs.recall<string>(LATEST, "", (value): value is string => typeof value === "string")) ?? listDrafts()[0];
}

/** Converts the drafts of earlier versions of the page, which had a common key. */
function takeOver(): void {
  const isList = (value: unknown): value is unknown[] => Array.isArray(value);
  const isDraft = (value: unknown): value is Workspace & { trusted?: boolean } => typeof value === "object" && value !== null;
  const old = [
    prefs.recall<unknown>("draft", null, (held): held is unknown => held !== null),
    ...prefs.recall<unknown[]>("recent", [], isList),
  ].filter(isDraft);
  if (old.length === 0) return;
  const at = Date.now();
  old.slice(0, MOST).forEach((workspace, i) => {
    try {
      writeDraft({
        id: newId() + i,
        at: at - 1 - i,
        turn: 1,
        trusted: workspace.trusted === true,
        workspace: workspaceOf(packedOf(workspace)),
      });
    } catch {
      // The draft cannot be read, or there is no space for it.
    }
  });
  for (const key of ["draft", "recent"]) localStorage.removeItem(`stepglass.${key}`);
}

/** Returns the id of the draft that a storage event belongs to, if there is one. */
export const draftIn = (key: string | null): string | undefined => (key?.startsWith(KEY) ? key.slice(KEY.length) : undefined);
