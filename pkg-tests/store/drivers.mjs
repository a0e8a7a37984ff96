// The SQLite drivers that this Node can use: its own, and libsql, which the set-up of the tests installs.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importSource } from "../../scripts/sources.mjs";

const { sqlite } = await importSource("js/entries/sqlite.ts");
export { sqlite };

/** Whether this Node has node:sqlite. Node 22 prints a warning when it is first loaded. */
export const hasSqlite = process.getBuiltinModule?.("node:sqlite") !== undefined;

const modules = join(import.meta.dirname, "node_modules");

/** The path of a Node with node:sqlite: this one, or the one that the set-up has installed. */
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

/** The drivers by name, or only the one that STEPGLASS_DRIVER names. Each opens a file as a store or as a bare database. */
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

/** Creates a temporary folder. `done` removes it. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), "stepglass-store-"));
  return { path, file: join(path, "store.db"), done: () => rmSync(path, { recursive: true, force: true }) };
}
