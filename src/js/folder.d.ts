/**
 * Functions that need Node's own modules: the entry `stepglass/node`.
 *
 * @packageDocumentation
 */

import type { ObjectStore, PlatformUrl } from "./index.js";

/**
 * Makes a store for `s3Handlers()` from a folder: an object is the file `bucket/key` in it. Keys that lead out of the folder are
 * refused.
 *
 * @example
 * ```js
 * import { s3Handlers } from "stepglass";
 * import { folder } from "stepglass/node";
 *
 * await machine.run({}, { tasks: { ...s3Handlers(folder("./data")) } });
 * ```
 */
export function folder(path: string | PlatformUrl): ObjectStore;
