// Requests, transactions and locks of a browser as promises, and its failures as errors of stores.

import { StoreConflict, StoreError } from "./errors.ts";

/** What a request gives. */
export function answer<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Does something in a transaction, which may wait for nothing but its requests. Resolves when all of it is stored; where anything fails,
 * nothing of it is.
 */
export async function inTransaction<Value>(
  transaction: IDBTransaction,
  body: (transaction: IDBTransaction) => Promise<Value>,
): Promise<Value> {
  const done = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new DOMException("the transaction was aborted", "AbortError"));
  });
  // The body tells of its own failure first.
  done.catch(() => {});
  let value: Value;
  try {
    value = await body(transaction);
  } catch (error) {
    try {
      transaction.abort();
    } catch {
      // It has been aborted already: its own error says why.
      await done;
    }
    throw error;
  }
  await done;
  return value;
}

/** Calls a function with the values of a cursor until that returns false. */
export function walk(request: IDBRequest<IDBCursorWithValue | null>, visit: (cursor: IDBCursorWithValue) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const cursor = request.result;
      try {
        if (cursor === null || !visit(cursor)) return resolve();
        cursor.continue();
      } catch (error) {
        reject(error);
      }
    };
  });
}

/** The error of a store for what the browser has thrown. */
export function storeError(error: unknown): Error {
  if (error instanceof StoreError || error instanceof StoreConflict) return error;
  const { name, message } = error as Partial<DOMException>;
  if (name === "QuotaExceededError")
    return new StoreError(
      "STORE_FULL",
      "the browser gives this site no more storage: nothing of this write is stored; remove executions, or free space on the disk",
      { cause: error },
    );
  return new StoreError("STORE_FAILED", `the browser's database has failed: ${message ?? String(error)}`, { cause: error });
}

/** Frees a lock; resolves when others can take it. */
export type Free = () => Promise<void>;

/**
 * Takes a Web Lock. Resolves with what frees it; with undefined where somebody else has it and `wait` is absent. `lost` is called where
 * the lock is stolen.
 */
export function takeLock(name: string, { wait, lost }: { wait?: AbortSignal | undefined; lost: () => void }): Promise<Free | undefined> {
  return new Promise((resolve, reject) => {
    let taken = false;
    const options: LockOptions = wait ? { signal: wait } : { ifAvailable: true };
    const held = navigator.locks
      .request(name, options, (lock) => {
        if (lock === null) return resolve(undefined);
        taken = true;
        return new Promise<void>((free) => resolve(() => (free(), held)));
      })
      .then(
        () => {},
        (error: unknown) => (taken ? lost() : reject(error)),
      );
  });
}
