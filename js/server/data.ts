// The folder in which a server keeps its data.

import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PlatformUrl } from "../api/index.d.ts";
import type { SqliteStore as PublicSqliteStore } from "../api/sqlite.d.ts";
import { StoreError } from "../store/errors.ts";
import { builtIn } from "../store/sqlite-source.ts";
import { SqliteStore } from "../store/sqlite.ts";

/** The database in the folder. */
const FILE = "stepglass.db";

/** The store of a folder, which is created if it does not exist. Throws StoreError where this runtime has no SQLite. */
export function openData(data: string | PlatformUrl): PublicSqliteStore {
  checkSqlite();
  const folder = pathOf(data);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new StoreError("STORE_FAILED", `${folder} is not a folder for the data of the server`, { cause: error });
  }
  return new SqliteStore(builtIn(join(folder, FILE)));
}

/** The store of a folder, or of a database, that exists. Throws StoreError. */
export function findData(data: string): PublicSqliteStore {
  checkSqlite();
  const isFolder = statSync(data, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const file = isFolder ? join(data, FILE) : data;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new StoreError("STORE_FAILED", `there is no ${file}: stepglass serve --data ${data} makes it`);
  return new SqliteStore(builtIn(file));
}

function pathOf(data: string | PlatformUrl): string {
  return typeof data === "string" ? data : fileURLToPath(data as URL);
}

function checkSqlite(): void {
  if (process.getBuiltinModule?.("node:sqlite") !== undefined) return;
  throw new StoreError(
    "STORE_UNAVAILABLE",
    `this is Node ${process.versions.node}, which has no node:sqlite: data is kept with Node 22.13 or newer. With an older one, a driver ` +
      'does it: npm install libsql, and serve({ store: sqlite({ database: () => new Database("stepglass.db") }) }) with sqlite of stepglass/sqlite',
  );
}
