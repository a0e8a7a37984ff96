// The stored executions of this browser: a record of each, and the contents that restore it.

import { type Free, answer, inTransaction, takeLock } from "stepglass/requests";
import type { StoredRun } from "../model/protocol.ts";
import { type Workspace, packedOf } from "../model/share.ts";
import type { Source } from "../store/opening.ts";
import { sharedDatabase } from "./database.ts";

const NAME = "stepglass.executions";
/** The version of the format. A newer page may have stored another one. */
const VERSION = 1;
/** The maximum size of an execution, in characters. */
const LARGEST = 30_000_000;

/** The facts that a list shows about an execution. */
export interface StoredExecution extends Omit<StoredRun, "saved" | "run"> {
  /** The title of its workspace. */
  machine: string;
  /** When it was started and when it was last stored, by the clock of this computer. */
  started: number;
  at: number;
  /** The size of its contents, in characters. */
  size: number;
  /** The draft or the example of its workspace. */
  draft?: string;
  example?: string;
  /** Whether the user has left it while it ran. */
  left?: boolean;
  /**
   * Whether the user was notified after a load that it has not ended. From then on it is offered only next to its own machine.
   */
  offered?: boolean;
}

/** The contents that restore an execution. */
export interface Contents {
  /** The workspace in the format of drafts. */
  workspace: Record<string, unknown>;
  /** The JSON text of the session that has its run. */
  runs: string;
}

/** Returns the record and the contents of a run and its original workspace. Throws if they are too large. */
export function recordOf(
  { saved, run: _, ...kept }: StoredRun,
  whole: Workspace,
  { draft, example }: Source,
  before: StoredExecution | undefined,
): { record: StoredExecution; contents: Contents | undefined } {
  if (saved !== undefined && saved.length > LARGEST) throw new RangeError("too large");
  return {
    record: {
      ...kept,
      machine: whole.title,
      started: before?.started ?? Date.now(),
      at: Date.now(),
      size: saved?.length ?? before?.size ?? 0,
      ...(draft && { draft: draft.id }),
      ...(example !== undefined && { example }),
    },
    contents: saved === undefined ? undefined : { workspace: packedOf(whole), runs: saved },
  };
}

/** Throws if the page has no storage that tabs can share. */
function need(): void {
  if (typeof indexedDB === "undefined" || navigator.locks === undefined)
    throw new DOMException("no storage that tabs can share", "NotSupportedError");
}

const database = sharedDatabase(
  NAME,
  VERSION,
  (made) => {
    made.createObjectStore("about", { keyPath: "id" });
    made.createObjectStore("contents");
  },
  need,
);

async function within<Value>(
  mode: IDBTransactionMode,
  body: (about: IDBObjectStore, contents: IDBObjectStore) => Promise<Value>,
): Promise<Value> {
  const transaction = (await database()).transaction(["about", "contents"], mode, { durability: "strict" });
  return inTransaction(transaction, () => body(transaction.objectStore("about"), transaction.objectStore("contents")));
}

/** Returns all executions, the newest first. */
export async function listStored(): Promise<StoredExecution[]> {
  const found: StoredExecution[] = await within("readonly", (about) => answer(about.getAll()));
  return found.sort((a, b) => b.started - a.started);
}

export function readStored(id: string): Promise<Contents | undefined> {
  return within("readonly", (_, contents) => answer<Contents | undefined>(contents.get(id)));
}

/** Resolves when it is on the disk. Without contents, the previous ones stay. */
export function writeStored(record: StoredExecution, contents?: Contents): Promise<void> {
  return within("readwrite", async (about, all) => {
    // An execution that was removed meanwhile must not be stored without its contents.
    if (contents === undefined && (await answer(all.getKey(record.id))) === undefined) return;
    about.put(record);
    if (contents !== undefined) await answer(all.put(contents, record.id));
  });
}

export function removeStored(ids: readonly string[]): Promise<void> {
  return within("readwrite", async (about, contents) => {
    for (const id of ids) {
      about.delete(id);
      contents.delete(id);
    }
  });
}

const lockOf = (id: string): string => `${NAME} ${id}`;

/**
 * Acquires the lock of an execution, which only one tab can hold. Returns the function that releases it, or undefined if another
 * tab has it.
 */
export async function claim(id: string, { wait, lost }: { wait?: AbortSignal; lost: () => void }): Promise<Free | undefined> {
  need();
  return takeLock(lockOf(id), { wait, lost });
}

/** Returns the executions that any tab of this browser owns. */
export async function claimed(): Promise<Set<string>> {
  need();
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => (name?.startsWith(lockOf("")) ? [name.slice(lockOf("").length)] : [])));
}
