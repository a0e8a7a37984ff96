// The drafts of this browser: each under a key of its own, so that tabs do not write over each other's.

import { signal } from "@preact/signals";
import * as prefs from "../prefs.ts";
import { type Workspace, packedOf, workspaceOf } from "../model/share.ts";

const KEY = "stepglass.draft.";
const LATEST = "latest";
/// So many are kept, and so many characters of them together.
export const MOST = 50;
const MOST_CHARACTERS = 4_000_000;

export interface Draft {
  id: string;
  /// When it was saved, in ms since the epoch.
  at: number;
  /// Grows with every time it is saved, so that a tab knows whether another one has saved it since.
  turn: number;
  trusted: boolean;
  workspace: Workspace;
}

/// All of them, the newest first, as they were when they were asked for last.
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
    // What cannot be read is no draft.
    return undefined;
  }
}

/// How often a draft was saved; undefined where there is none.
export function turnOf(id: string): number | undefined {
  try {
    const text = localStorage.getItem(KEY + id);
    return text === null ? undefined : Number(/^\{"at":\d+,"turn":(\d+)/.exec(text)?.[1] ?? 0);
  } catch {
    return undefined;
  }
}

/// Throws what the browser throws where it keeps nothing, or no more.
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
    // Where nothing is kept there is nothing to remove.
  }
  listDrafts();
}

/// Puts back what was removed.
export function restoreDraft(draft: Draft): void {
  try {
    writeDraft(draft);
  } catch {
    // There was room for it a moment ago, and may be none any more.
  }
  listDrafts();
}

function* stored(): Generator<[id: string, text: string]> {
  for (const key of Object.keys(localStorage)) if (key.startsWith(KEY)) yield [key.slice(KEY.length), localStorage.getItem(key) ?? ""];
}

/// The oldest beyond what is kept. `but` was just written.
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

/// The draft that was saved last.
export function latestDraft(): Draft | undefined {
  return readDraft(prefs.recall<string>(LATEST, "", (value): value is string => typeof value === "string")) ?? listDrafts()[0];
}

/// Drafts as the page kept them before each had a key of its own.
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
      // One that cannot be read, or for which there is no room.
    }
  });
  for (const key of ["draft", "recent"]) localStorage.removeItem(`stepglass.${key}`);
}

/// Whether an event of storage is about a draft.
export const draftIn = (key: string | null): string | undefined => (key?.startsWith(KEY) ? key.slice(KEY.length) : undefined);
