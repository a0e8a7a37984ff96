// The entry `stepglass/sqlite`: a store in an SQLite database.

import { fileURLToPath } from "node:url";
import type { PlatformUrl } from "../core/api/index.d.ts";
import type { SqliteDatabase, SqliteStore as PublicSqliteStore } from "../core/api/sqlite.d.ts";
import { misuse } from "../core/base/errors.ts";
import { checkOptions } from "../core/base/options.ts";
import { SqliteStore } from "../runtime/store/sqlite.ts";
import { builtIn, injected } from "../runtime/store/sqlite-source.ts";

export function sqlite(path: string | PlatformUrl): PublicSqliteStore;
export function sqlite(options: { database: SqliteDatabase | (() => SqliteDatabase) }): PublicSqliteStore;
/** Returns a store in a file, or in a database of another driver. */
export function sqlite(where: string | PlatformUrl | { database: SqliteDatabase | (() => SqliteDatabase) }): PublicSqliteStore {
  if (typeof where === "string" || where instanceof URL) {
    const path = typeof where === "string" ? where : fileURLToPath(where);
    // For SQLite, an empty path means a temporary database.
    if (path === "") throw misuse("INVALID_ARGUMENT", "sqlite() needs a path that is not empty");
    return new SqliteStore(builtIn(path));
  }
  checkOptions(where, ["database"], "sqlite()");
  const { database } = where as { database?: SqliteDatabase | (() => SqliteDatabase) };
  const usable = typeof database === "function" || (typeof database?.exec === "function" && typeof database.prepare === "function");
  if (!usable) throw misuse("INVALID_OPTION", "sqlite(): database must be a database with exec and prepare, or a function that opens one");
  return new SqliteStore(injected(database as SqliteDatabase | (() => SqliteDatabase)));
}
