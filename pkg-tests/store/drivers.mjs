// The drivers of SQLite that this Node has: its own, and libsql, which the set-up of the tests installs.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importSource } from "../../scripts/sources.mjs";

const { sqlite } = await importSource("js/entries/sqlite.ts");
export { sqlite };

/** Whether this Node has an SQLite. Node 22 warns of it, once. */
export const hasSqlite = process.getBuiltinModule?.("node:sqlite") !== undefined;

const modules = join(import.meta.dirname, "node_modules");

/** A Node that has an SQLite: this one, or the one that the set-up has installed. */
export const nodeWithSqlite = hasSqlite ? process.execPath : installedNode();

function installedNode() {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const path = join(modules, name, process.platform === "win32" ? "bin/node.exe" : "bin/node");
  return existsSync(path) ? path : undefined;
}

/** The class of libsql's databases, which has the interface of better-sqlite3. */
function libsql() {
  if (!existsSync(join(modules, "libsql"))) return undefined;
  return createRequire(join(modules, "x.js"))("libsql");
}

const Libsql = libsql();

const only = process.env.STEPGLASS_DRIVER;

/** Each driver by its name, or only the one of STEPGLASS_DRIVER: a store, and the bare database, of a file. */
export const drivers = {
  ...(hasSqlite &&
    only !== "libsql" && {
      "node:sqlite": {
        store: (path) => sqlite(path),
        database: (path) => new (process.getBuiltinModule("node:sqlite").DatabaseSync)(path),
      },
    }),
  ...(Libsql &&
    only !== "node:sqlite" && {
      libsql: {
        store: (path) => sqlite({ database: () => new Libsql(path) }),
        database: (path) => new Libsql(path),
      },
    }),
};

/** A new folder, and how to remove it. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), "stepglass-store-"));
  return { path, file: join(path, "store.db"), done: () => rmSync(path, { recursive: true, force: true }) };
}
