/**
 * Executions that outlive the page: a store in the browser's IndexedDB, for windows and workers.
 *
 * @example
 * ```js
 * import { Runtime } from "stepglass/durable";
 * import { indexedDB } from "stepglass/indexeddb";
 *
 * const store = indexedDB("orders");
 * const runtime = new Runtime({ store, machines: { Order: definition }, tasks });
 * await runtime.open(); // fails with STORE_CONFLICT while another tab has the store
 * ```
 *
 * @packageDocumentation
 */
import type { Store } from "./durable.js";

/**
 * Makes a store that keeps its data in a database of IndexedDB. Nothing is opened before `open`.
 *
 * Only one tab or worker of a site has a store at a time. The lock is a Web Lock, which the browser releases when the tab is closed
 * or crashes. Web Locks need a secure context: HTTPS or localhost.
 *
 * Errors are those of every store, with these codes: `STORE_CONFLICT` (another tab has it), `STORE_FULL` (the site's quota is used
 * up; nothing of the write is stored), `STORE_NEWER` (a newer version of Stepglass has written it), `STORE_CLOSED` (it is not open,
 * or the browser has closed it; the message says why), `STORE_UNAVAILABLE` (there is no IndexedDB or there are no Web Locks),
 * `STORE_FAILED` (any other failure of the browser's database, which is the `cause`).
 *
 * @param name The name of the database. Each name is a separate store.
 */
export function indexedDB(name: string, options?: IndexedDBOptions): IndexedDBStore;

/** Settings of a store in IndexedDB. */
export interface IndexedDBOptions {
  /**
   * When a write counts as stored: `strict` (the default) once it is on the disk, so that it survives a loss of power; `relaxed`
   * once the operating system has it, so that it survives the end of the browser.
   */
  durability?: "strict" | "relaxed";
  /** Whether `open` waits until the other tab releases the store, instead of failing. Default: false. `close` ends the wait. */
  wait?: boolean;
  /** Whether `open` asks the browser not to evict the site's data. Default: true. Firefox asks the visitor. */
  persist?: boolean;
}

/** A store in IndexedDB. */
export interface IndexedDBStore extends Store {
  readonly durable: true;
  /** The name of the database. */
  readonly name: string;
  /**
   * Whether the browser has promised to keep the site's data. If it is false, the browser may evict the data when the disk is
   * nearly full: tell the visitor. The first `open` asks the browser; the promise resolves after that.
   */
  readonly persisted: Promise<boolean>;
}
