// The executions that this browser keeps: a record of each, and what makes it again.

import { type Free, answer, inTransaction, takeLock } from "stepglass/requests";
import type { KeptRun } from "../model/protocol.ts";
import { type Workspace, packedOf } from "../model/share.ts";
import type { Source } from "../store/opening.ts";
import { sharedDatabase } from "./database.ts";

const NAME = "stepglass.executions";
/// A newer page may have kept them in another form.
const VERSION = 1;
/// The most characters of one.
const LARGEST = 30_000_000;

/// What a list says of an execution.
export interface KeptExecution extends Omit<KeptRun, "saved" | "run"> {
  /// The title of its workspace.
  machine: string;
  /// When it was started, and when it was kept last, by this machine's clock.
  started: number;
  at: number;
  /// Characters that make it again.
  size: number;
  /// The draft or the example that its workspace was.
  draft?: string;
  example?: string;
  /// The visitor has left it while it ran.
  left?: boolean;
  /// The visitor was told after a load that it is not over: from then on it is offered only beside its own machine.
  offered?: boolean;
}

/// What makes it again.
export interface Contents {
  /// The workspace, as drafts have it.
  workspace: Record<string, unknown>;
  /// JSON text of the session that has its run.
  runs: string;
}

/// What is kept of a run, and of its workspace as it began. Throws where it is too large.
export function recordOf(
  { saved, run: _, ...kept }: KeptRun,
  whole: Workspace,
  { draft, example }: Source,
  before: KeptExecution | undefined,
): { record: KeptExecution; contents: Contents | undefined } {
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

/// Throws where the page has no storage that tabs can share.
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

/// All of them, the newest first.
export async function listKept(): Promise<KeptExecution[]> {
  const found: KeptExecution[] = await within("readonly", (about) => answer(about.getAll()));
  return found.sort((a, b) => b.started - a.started);
}

export function readKept(id: string): Promise<Contents | undefined> {
  return within("readonly", (_, contents) => answer<Contents | undefined>(contents.get(id)));
}

/// Resolves when it is on the disk. Without contents those of before stay.
export function writeKept(record: KeptExecution, contents?: Contents): Promise<void> {
  return within("readwrite", async (about, all) => {
    // What was removed meanwhile does not come back by half.
    if (contents === undefined && (await answer(all.getKey(record.id))) === undefined) return;
    about.put(record);
    if (contents !== undefined) await answer(all.put(contents, record.id));
  });
}

export function removeKept(ids: readonly string[]): Promise<void> {
  return within("readwrite", async (about, contents) => {
    for (const id of ids) {
      about.delete(id);
      contents.delete(id);
    }
  });
}

const lockOf = (id: string): string => `${NAME} ${id}`;

/// Takes what only one tab has: the right to write an execution. Gives what frees it, or undefined where another tab has it.
export async function claim(id: string, { wait, lost }: { wait?: AbortSignal; lost: () => void }): Promise<Free | undefined> {
  need();
  return takeLock(lockOf(id), { wait, lost });
}

/// The executions that any tab of this browser has.
export async function claimed(): Promise<Set<string>> {
  need();
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name }) => (name?.startsWith(lockOf("")) ? [name.slice(lockOf("").length)] : [])));
}
