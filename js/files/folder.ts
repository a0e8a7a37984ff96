// A folder as S3.

import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { ObjectStore } from "../api/index.d.ts";
import { codeOf, misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";

/** Codes of errors that say: there is no such file. */
const ABSENT = new Set<unknown>(["ENOENT", "EISDIR", "ENOTDIR"]);

/** A store for `s3Handlers()` in a folder: `bucket/key` is the file of that path in it. */
export function folder(path: string | URL): ObjectStore {
  if (typeof path !== "string" && !(path instanceof URL))
    throw misuse("INVALID_ARGUMENT", `folder() takes a path or a file URL, not ${shown(path)}`);
  const root = resolve(path instanceof URL ? fileURLToPath(path) : path);
  return {
    get: async (bucket, key) => {
      try {
        return await readFile(place(root, bucket, key));
      } catch (error) {
        if (!ABSENT.has(codeOf(error))) throw error;
        return undefined;
      }
    },
    async *list(bucket, prefix) {
      const top = place(root, bucket, "");
      for (const entry of await readdir(top, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        // Node 20 began with another name.
        const parent = entry.parentPath ?? (entry as unknown as { path: string }).path;
        const file = resolve(parent, entry.name);
        const Key = relative(top, file).split(sep).join("/");
        if (!Key.startsWith(prefix)) continue;
        const { size, mtimeMs } = await stat(file);
        yield { Key, Size: size, LastModified: Math.floor(mtimeMs / 1000) };
      }
    },
    put: async (bucket, key, text) => {
      const file = place(root, bucket, key);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    },
  };
}

/** A definition says which bucket and key: neither leads out of the folder. */
function place(root: string, bucket: string, key: string): string {
  const top = resolve(root, String(bucket));
  const file = resolve(top, String(key).replace(/^\/+/, ""));
  const inside = (parent: string, child: string) => child.startsWith(parent.endsWith(sep) ? parent : parent + sep);
  if (!inside(root, top) || (file !== top && !inside(top, file)))
    throw misuse("INVALID_ARGUMENT", `s3://${bucket}/${key} is outside the folder`, RangeError);
  return file;
}
