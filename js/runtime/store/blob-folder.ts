// Blobs as files of a folder: the folders are the parts of a key, and a long part is divided.

import { mkdir, open, readFile, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BlobStore } from "../../core/api/durable.d.ts";
import type { PlatformUrl } from "../../core/api/index.d.ts";
import { codeOf, misuse } from "../../core/base/errors.ts";

/** File systems accept names of up to 255 bytes. A part of a longer name ends with `+`, which no key has. */
const LONGEST = 200;
const CONTINUED = "+";
/** The end of the name of a file that is being written. */
const PART = ".part";

/** Returns a blob store in a folder. */
export function folderBlobs(path: string | PlatformUrl): BlobStore {
  const root = typeof path === "string" ? path : fileURLToPath(path);
  if (root === "") throw misuse("INVALID_ARGUMENT", "folderBlobs() needs a path that is not empty");
  return {
    async put(key, bytes) {
      const file = join(root, ...partsOf(key));
      await makeFolder(dirname(file));
      const handle = await open(`${file}${PART}`, "w");
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(`${file}${PART}`, file);
      await syncFolder(dirname(file));
    },
    async get(key) {
      return readFile(join(root, ...partsOf(key))).catch(unlessMissing);
    },
    async remove(keys) {
      for (const key of keys) {
        const file = join(root, ...partsOf(key));
        await rm(file, { force: true });
        await removeEmpty(root, dirname(file));
      }
    },
    list(prefix) {
      // The folder of the complete parts is read at once. The others are not looked through.
      const begun = prefix.slice(0, prefix.lastIndexOf("/") + 1);
      return listed(begun === "" ? root : join(root, ...partsOf(begun.slice(0, -1))), begun, prefix);
    },
  };
}

/** Returns the names of the folders and of the file of a key. */
function partsOf(key: string): string[] {
  if (!/^[\w-]+(?:\/[\w-]+)*$/.test(key)) throw misuse("INVALID_ARGUMENT", `${key} is not the key of a blob`);
  return key.split("/").flatMap((part) => {
    const names: string[] = [];
    for (let from = 0; from < part.length; from += LONGEST)
      names.push(`${part.slice(from, from + LONGEST)}${from + LONGEST < part.length ? CONTINUED : ""}`);
    return names;
  });
}

/** Yields the blobs of a folder. `begun` is the beginning of their keys. Files that were not written completely are among them. */
async function* listed(folder: string, begun: string, prefix: string): AsyncGenerator<{ key: string; modified: number }> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(unlessMissing)) ?? [];
  for (const entry of entries) {
    const key = `${begun}${entry.name.endsWith(CONTINUED) ? entry.name.slice(0, -1) : entry.name}`;
    if (!key.startsWith(prefix) && !prefix.startsWith(key)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* listed(path, entry.name.endsWith(CONTINUED) ? key : `${key}/`, prefix);
    else if (key.startsWith(prefix) && !entry.name.endsWith(PART)) {
      const found = await stat(path).catch(unlessMissing);
      if (found !== undefined) yield { key, modified: found.mtimeMs };
    }
  }
}

/** Creates a folder and those above it. Each folder that gets an entry is synced, so that the entry outlives a loss of power. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let one = folder; ; one = dirname(one)) {
    await syncFolder(dirname(one));
    if (one.length <= first.length) return;
  }
}

/** Removes a folder and those above it, as long as they are empty. */
async function removeEmpty(root: string, folder: string): Promise<void> {
  for (let one = folder; one.length > root.length; one = dirname(one)) {
    try {
      await rmdir(one);
    } catch {
      return;
    }
  }
}

/** Windows cannot open folders, so this sync may fail. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) === "ENOENT") return undefined;
  throw error;
}
