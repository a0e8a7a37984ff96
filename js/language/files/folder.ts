// Uses a folder as S3.

import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { ObjectStore } from "../../core/api/index.d.ts";
import { codeOf, misuse } from "../../core/base/errors.ts";
import { shown } from "../../core/base/shown.ts";

/** Error codes that mean that a file does not exist. */
const ABSENT = new Set<unknown>(["ENOENT", "EISDIR", "ENOTDIR"]);

/** Returns a store for `s3Handlers()` in a folder: `bucket/key` is the file with that path in it. */
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
        // Early versions of Node 20 have another name for it.
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

/** Returns the path of an object. The bucket and the key come from a definition, so they must not lead out of the folder. */
function place(root: string, bucket: string, key: string): string {
  const top = resolve(root, String(bucket));
  const file = resolve(top, String(key).replace(/^\/+/, ""));
  const inside = (parent: string, child: string) => child.startsWith(parent.endsWith(sep) ? parent : parent + sep);
  if (!inside(root, top) || (file !== top && !inside(top, file)))
    throw misuse("INVALID_ARGUMENT", `s3://${bucket}/${key} is outside the folder`, RangeError);
  return file;
}
