// The sources of an SQLite database: Node itself, or a driver that the caller provides.

import { access, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { SqliteDatabase } from "../../core/api/sqlite.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import { StoreError } from "./errors.ts";

/** A source of an SQLite database. */
export interface Source {
  /** The name of the database in messages. */
  name: string;
  durable: boolean;
  open(): Promise<SqliteDatabase>;
  /** Copies an open database to a file while others use it, if the driver can do that. */
  copy?: (database: SqliteDatabase, file: string) => Promise<unknown>;
}

/** The part of `node:sqlite` that is used here. */
interface NodeSqlite {
  DatabaseSync: new (path: string) => SqliteDatabase;
  /** It exists from Node 22.16 on. */
  backup?: (database: SqliteDatabase, path: string, options: { rate: number }) => Promise<unknown>;
}

/** The number of pages that are copied at once. */
const RATE = 1000;

/** Returns a source whose database Node opens. */
export function builtIn(path: string): Source {
  const memory = path === ":memory:";
  return {
    name: path,
    durable: !memory,
    async open() {
      const { DatabaseSync } = nodeSqlite(path);
      try {
        return new DatabaseSync(path);
      } catch (error) {
        throw new StoreError("STORE_FAILED", `${path} cannot be opened: ${messageOf(error)}; is there a folder ${dirname(path)}?`, {
          cause: error,
        });
      }
    },
    async copy(database, file) {
      const { backup } = nodeSqlite(path);
      if (backup === undefined) await vacuumInto(database, file);
      else await backup(database, file, { rate: RATE });
    },
  };
}

/** Returns a source whose database another driver opens. */
export function injected(database: SqliteDatabase | (() => SqliteDatabase)): Source {
  const name = (database as { name?: unknown }).name;
  return {
    name: typeof database !== "function" && typeof name === "string" && name !== "" ? name : "the database",
    durable: true,
    async open() {
      return typeof database === "function" ? database() : database;
    },
    copy: vacuumInto,
  };
}

/** Returns the source of a database that is only read, which is copied in one transaction. */
export function inOneStep(source: Source): Source {
  return {
    ...source,
    async copy(database, file) {
      // SQLite counts the copy as a write of this connection.
      database.exec("PRAGMA query_only=OFF");
      try {
        await vacuumInto(database, file);
      } finally {
        database.exec("PRAGMA query_only=ON");
      }
    },
  };
}

async function vacuumInto(database: SqliteDatabase, file: string): Promise<void> {
  database.prepare("VACUUM INTO ?").run(file);
}

/** Returns `node:sqlite`. It is loaded in a way that bundlers do not see; Node prints a warning when it is loaded. */
function nodeSqlite(path: string): NodeSqlite {
  const found = process.getBuiltinModule?.("node:sqlite") as NodeSqlite | undefined;
  if (found !== undefined) return found;
  throw new StoreError(
    "STORE_UNAVAILABLE",
    `this is ${runtime()}, which has no node:sqlite. Use Node 22.13 or newer, or bring a driver: npm install libsql, then import Database from "libsql" and pass sqlite({ database: () => new Database(${JSON.stringify(path)}) })`,
  );
}

function runtime(): string {
  const { bun } = process.versions as { bun?: string };
  return bun === undefined ? `Node ${process.versions.node}` : `Bun ${bun}`;
}

/** Copies an open database to a new file. The file appears when it is complete and on the disk. */
export async function copyTo(source: Source, database: SqliteDatabase, file: string): Promise<void> {
  if (await exists(file)) throw new StoreError("STORE_FAILED", `${file} exists already; a backup is a new file`);
  const part = `${file}.part`;
  try {
    await rm(part, { force: true });
    await source.copy?.(database, part);
    await sync(part, "r+");
    await rename(part, file);
    // Windows cannot open folders, so this sync may fail.
    await sync(dirname(file), "r").catch(() => undefined);
  } catch (error) {
    await rm(part, { force: true });
    throw new StoreError("STORE_FAILED", `${file}: the backup has failed: ${messageOf(error)}`, { cause: error });
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function sync(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
