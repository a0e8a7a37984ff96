// The stored projects of this browser, with the handles of their files.

import { type Free, answer, inTransaction, takeLock } from "stepglass/requests";
import { sharedDatabase } from "../exchange/database.ts";
import type { OpenFile } from "./model.ts";

const NAME = "stepglass.projects";
const VERSION = 1;

/** A stored tab. It has a copy of its machine in the format of drafts, because the draft itself may be dropped for newer ones. */
interface StoredTab {
  id: string;
  machine: Record<string, unknown>;
  trusted: boolean;
  draft?: string;
  file?: string;
  part?: string;
  base?: string;
}

export interface StoredProject {
  id: string;
  /** When it was last stored, in milliseconds since the epoch. */
  at: number;
  name: string;
  /** Whether the user has set the name. */
  named?: boolean;
  active: string;
  tabs: StoredTab[];
  files: OpenFile[];
}

const database = sharedDatabase(
  NAME,
  VERSION,
  (made) => made.createObjectStore("projects", { keyPath: "id" }),
  () => {
    if (typeof indexedDB === "undefined") throw new DOMException("no storage", "NotSupportedError");
  },
);

async function within<Value>(mode: IDBTransactionMode, body: (projects: IDBObjectStore) => Promise<Value>): Promise<Value> {
  const transaction = (await database()).transaction("projects", mode);
  return inTransaction(transaction, () => body(transaction.objectStore("projects")));
}

/** Returns all projects, the newest first. */
export async function listProjects(): Promise<StoredProject[]> {
  const found = await within<StoredProject[]>("readonly", (all) => answer(all.getAll()));
  return found.sort((a, b) => b.at - a.at);
}

export const readProject = (id: string): Promise<StoredProject | undefined> =>
  within("readonly", (all) => answer<StoredProject | undefined>(all.get(id)));

export const writeProject = (project: StoredProject): Promise<void> =>
  within("readwrite", async (all) => {
    await answer(all.put(project));
  });

export const removeProject = (id: string): Promise<void> =>
  within("readwrite", async (all) => {
    await answer(all.delete(id));
  });

/** Deletes all projects. */
export async function forgetProjects(): Promise<void> {
  try {
    sessionStorage.removeItem(NAME.replace(/s$/, ""));
  } catch {
    // Without storage, nothing was stored.
  }
  await within("readwrite", async (all) => {
    await answer(all.clear());
  });
}

const lockOf = (id: string): string => `${NAME} ${id}`;

/** Acquires the lock of a project, which only one window can hold. Returns undefined if another window has it. */
export async function claim(id: string): Promise<Free | undefined> {
  // Without locks, windows cannot be distinguished.
  if (navigator.locks === undefined) return () => Promise.resolve();
  return takeLock(lockOf(id), { lost: () => {} });
}

/** Returns the projects that windows of this browser have open. */
export async function claimed(): Promise<Set<string>> {
  if (navigator.locks === undefined) return new Set();
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => (name?.startsWith(lockOf("")) ? [name.slice(lockOf("").length)] : [])));
}
