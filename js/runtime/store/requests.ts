// Promises for the requests, transactions and locks of a browser. They reject with errors of stores.

import { StoreConflict, StoreError } from "./errors.ts";

/** Resolves with the result of a request. */
export function answer<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Runs `body` in a transaction; `body` may wait for nothing but requests of the transaction. Resolves when everything is stored. If
 * anything fails, nothing is stored.
 */
export async function inTransaction<Value>(
  transaction: IDBTransaction,
  body: (transaction: IDBTransaction) => Promise<Value>,
): Promise<Value> {
  const done = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new DOMException("the transaction was aborted", "AbortError"));
  });
  // If the body fails, its own error is thrown, so this rejection must not count as unhandled.
  done.catch(() => {});
  let value: Value;
  try {
    value = await body(transaction);
  } catch (error) {
    try {
      transaction.abort();
    } catch {
      // The transaction was already aborted; its own error says why.
      await done;
    }
    throw error;
  }
  await done;
  return value;
}

/** Calls `visit` with each position of a cursor until it returns false. */
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

/** Converts an error of the browser to one of a store. */
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

/** Frees a lock, and resolves when others can take it. */
export type Free = () => Promise<void>;

/**
 * Takes a Web Lock. Resolves with the function that frees it, or with undefined if another script holds it and `wait` is absent.
 * Calls `lost` if another script steals the lock.
 */
export function takeLock(name: string, { wait, lost }: { wait?: AbortSignal | undefined; lost: () => void }): Promise<Free | undefined> {
  return new Promise((resolve, reject) => {
    let taken = false;
    const options: LockOptions = wait ? { signal: wait } : { ifAvailable: true };
    const lockRequest = navigator.locks
      .request(name, options, (lock) => {
        if (lock === null) return resolve(undefined);
        taken = true;
        return new Promise<void>((free) => resolve(() => (free(), lockRequest)));
      })
      .then(
        () => {},
        (error: unknown) => (taken ? lost() : reject(error)),
      );
  });
}
