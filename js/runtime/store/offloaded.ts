// A codec that moves long texts to a blob store, and leaves the key of the blob in their place.
//
// A blob is written before the row that refers to it, under a key that is never used again, and is never changed. A crash in between
// leaves a blob without a row, which is removed later. So a row never refers to a blob that is missing.

import type { BlobStore, Offloaded } from "../../core/api/durable.d.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { randomUuid } from "../../core/base/random.ts";
import { shown } from "../../core/base/shown.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { StoreError } from "./errors.ts";

/** The default of `above`, in bytes. */
const ABOVE = 32_768;
/** The default of `graceSeconds`. */
const GRACE = 3600;
/** The number of blobs that are removed at once. */
const REMOVED = 500;

/** Returns a codec that moves what is longer than `above` bytes to a blob store. */
export function offloaded(blobs: BlobStore, options: { above?: number; graceSeconds?: number } = {}): Offloaded {
  checkOptions(options, ["above", "graceSeconds"], "offloaded()");
  const { above = ABOVE, graceSeconds = GRACE } = options;
  for (const method of ["put", "get", "remove", "list"] as const)
    if (typeof blobs?.[method] !== "function")
      throw misuse("INVALID_ARGUMENT", `offloaded() needs a blob store with the method ${method}()`);
  for (const [name, value] of Object.entries({ above, graceSeconds }))
    if (!(typeof value === "number" && value >= 0))
      throw misuse("INVALID_OPTION", `offloaded(): ${name} must be a number from 0, not ${shown(value)}`);
  return {
    name: "blob",
    async encode(bytes, execution) {
      if (bytes.length <= above || execution === undefined) return undefined;
      const key = `${folderOf(execution)}/${randomUuid()}`;
      await attempt(() => blobs.put(key, bytes), `cannot write the blob ${key}`);
      return new TextEncoder().encode(key);
    },
    async decode(bytes) {
      const key = new TextDecoder().decode(bytes);
      const found = await attempt(() => blobs.get(key), `cannot read the blob ${key}`);
      if (found === undefined) throw new StoreError("STORE_DAMAGED", `the blob ${key} of ${executionOf(key)} is missing`);
      return found;
    },
    async collect(inUse, executions) {
      const before = Date.now() - graceSeconds * 1000;
      const found = new Map<string, string[]>();
      for (const prefix of executions === undefined ? [""] : executions.map((one) => `${folderOf(one)}/`))
        for await (const { key, modified } of blobs.list(prefix)) {
          if (modified >= before) continue;
          const execution = executionOf(key);
          if (execution === undefined) continue;
          const keys = found.get(execution);
          if (keys === undefined) found.set(execution, [key]);
          else keys.push(key);
        }
      // The blobs were listed first. What is written meanwhile is not among them.
      const unused: string[] = [];
      for (const [execution, keys] of found) {
        const used = new Set((await inUse(execution)).map((bytes) => new TextDecoder().decode(bytes)));
        unused.push(...keys.filter((key) => !used.has(key)));
      }
      for (let from = 0; from < unused.length; from += REMOVED) await blobs.remove(unused.slice(from, from + REMOVED));
      return unused.length;
    },
    close: async () => blobs.close?.(),
  };
}

/** Returns the part of the keys that all blobs of an execution have. It has only letters, digits, `-` and `_`. */
function folderOf(execution: string): string {
  return toBase64(new TextEncoder().encode(execution)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const KEY = /^([\w-]+)\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the execution of a key. Undefined for a key that offloaded() has not made: a bucket or a folder may have other files, and a
 * search for unused blobs must not remove them.
 */
function executionOf(key: string): string | undefined {
  const folder = KEY.exec(key)?.[1];
  // Four characters are three bytes, so one character alone has no meaning.
  if (folder === undefined || folder.length % 4 === 1) return undefined;
  const text = folder.replaceAll("-", "+").replaceAll("_", "/");
  const execution = new TextDecoder().decode(fromBase64(text.padEnd(Math.ceil(text.length / 4) * 4, "=")));
  return folderOf(execution) === folder ? execution : undefined;
}

/** Calls a blob store. Its errors become those of a store, so that what has failed is tried again. */
async function attempt<Result>(call: () => Promise<Result>, what: string): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw new StoreError("STORE_FAILED", `${what}: ${messageOf(error)}`, { cause: error });
  }
}
