// The place of a server's data: a folder, or a PostgreSQL database.

import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PlatformUrl } from "../../core/api/index.d.ts";
import type { Store } from "../../core/api/durable.d.ts";
import type { PostgresClient } from "../../core/api/postgres.d.ts";
import { StoreError } from "../../runtime/store/errors.ts";
import { PATIENCE } from "../../runtime/store/postgres-session.ts";
import { LEASE, PostgresStore } from "../../runtime/store/postgres.ts";
import { builtIn } from "../../runtime/store/sqlite-source.ts";
import { SqliteStore } from "../../runtime/store/sqlite.ts";

/** The file name of the database in the folder. */
const FILE = "stepglass.db";

/**
 * Opens the store of a folder, which is created if it does not exist, or of a database. Throws StoreError if its driver is missing.
 */
export function openData(data: string | PlatformUrl): Store {
  if (isPostgres(data)) return postgresOf(data);
  checkSqlite();
  const folder = pathOf(data);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new StoreError("STORE_FAILED", `${folder} is not a folder for the data of the server`, { cause: error });
  }
  return new SqliteStore(builtIn(join(folder, FILE)));
}

/**
 * Opens the store of an existing folder or database. `reads` opens it read-only, and `creates` makes a file that does not exist. Throws
 * StoreError.
 */
export function findData(data: string, { reads = false, creates = false }: { reads?: boolean; creates?: boolean } = {}): Store {
  if (isPostgres(data)) return postgresOf(data, true);
  checkSqlite();
  const isFolder = statSync(data, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const file = isFolder ? join(data, FILE) : data;
  if (!creates && !statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new StoreError("STORE_FAILED", `there is no ${file}: stepglass serve --data ${data} creates it`);
  return new SqliteStore(builtIn(file), { reads });
}

/** Returns whether `data` is the address of a database. */
function isPostgres(data: string | PlatformUrl): data is string {
  return typeof data === "string" && /^postgres(?:ql)?:\/\//i.test(data);
}

/** The part of the driver's package that a server uses. */
interface Driver {
  Client: new (options: { connectionString: string }) => PostgresClient;
}

/**
 * Opens the store of a database, which several servers share. The schema is `stepglass`, or the `schema` parameter of the address.
 * A guest
 * has access only while no server runs. The driver is the one of the user's project.
 */
function postgresOf(address: string, guest = false): Store {
  const url = new URL(address);
  const schema = url.searchParams.get("schema") ?? "stepglass";
  const lease = Number(url.searchParams.get("leaseSeconds") ?? LEASE) * 1000;
  if (!(lease > 0)) throw new StoreError("STORE_UNAVAILABLE", "leaseSeconds in the address of the data must be a number above 0");
  for (const name of ["schema", "leaseSeconds"]) url.searchParams.delete(name);
  let driver: Driver;
  try {
    // A plain import would make bundlers resolve the driver, which is not one of our dependencies.
    const { createRequire } = process.getBuiltinModule("node:module");
    driver = createRequire(join(process.cwd(), "index.js"))("pg") as Driver;
  } catch (error) {
    throw new StoreError("STORE_UNAVAILABLE", "data in PostgreSQL needs its driver in this folder: npm install pg", { cause: error });
  }
  const client = (): PostgresClient => new driver.Client({ connectionString: url.href });
  return new PostgresStore({ client, schema: `"${schema.replaceAll('"', '""')}"`, wait: false, lease, guest, patience: PATIENCE });
}

function pathOf(data: string | PlatformUrl): string {
  return typeof data === "string" ? data : fileURLToPath(data);
}

function checkSqlite(): void {
  if (hasSqlite()) return;
  throw new StoreError(
    "STORE_UNAVAILABLE",
    `this is Node ${process.versions.node}, which has no node:sqlite: data needs Node 22.13 or newer. With an older one, use a driver: ` +
      'npm install libsql, and serve({ store: sqlite({ database: () => new Database("stepglass.db") }) }) with sqlite of stepglass/sqlite',
  );
}

/**
 * Returns whether this Node has SQLite. Some versions warn on loading it that it is experimental. The warning is suppressed,
 * because a user of the server can do nothing about it.
 */
function hasSqlite(): boolean {
  const warn = process.emitWarning;
  process.emitWarning = (...given: any[]) => {
    if (given[1] !== "ExperimentalWarning") Reflect.apply(warn, process, given);
  };
  try {
    return process.getBuiltinModule?.("node:sqlite") !== undefined;
  } finally {
    process.emitWarning = warn;
  }
}
