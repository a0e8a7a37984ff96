// Where a server keeps its data: a folder, or a PostgreSQL database.

import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PlatformUrl } from "../api/index.d.ts";
import type { Store } from "../api/durable.d.ts";
import type { PostgresClient } from "../api/postgres.d.ts";
import { StoreError } from "../store/errors.ts";
import { PATIENCE } from "../store/postgres-session.ts";
import { LEASE, PostgresStore } from "../store/postgres.ts";
import { builtIn } from "../store/sqlite-source.ts";
import { SqliteStore } from "../store/sqlite.ts";

/** The database in the folder. */
const FILE = "stepglass.db";

/** The store of a folder, which is created if it does not exist, or of a database. Throws StoreError where there is no driver of it. */
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

/** The store of a folder, or of a database, that exists; `reads` for one that is only looked at. Throws StoreError. */
export function findData(data: string, { reads = false }: { reads?: boolean } = {}): Store {
  if (isPostgres(data)) return postgresOf(data, true);
  checkSqlite();
  const isFolder = statSync(data, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const file = isFolder ? join(data, FILE) : data;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new StoreError("STORE_FAILED", `there is no ${file}: stepglass serve --data ${data} creates it`);
  return new SqliteStore(builtIn(file), { reads });
}

/** Whether data is in a database, as its address says. */
function isPostgres(data: string | PlatformUrl): data is string {
  return typeof data === "string" && /^postgres(?:ql)?:\/\//i.test(data);
}

/** The package of the driver, as far as a server needs it. */
interface Driver {
  Client: new (options: { connectionString: string }) => PostgresClient;
}

/**
 * The store of a database, which several servers share; the schema is `stepglass`, or what `?schema=` says. A guest has what is there only
 * while no server runs. The driver is that of the user's project.
 */
function postgresOf(address: string, guest = false): Store {
  const url = new URL(address);
  const schema = url.searchParams.get("schema") ?? "stepglass";
  const lease = Number(url.searchParams.get("leaseSeconds") ?? LEASE) * 1000;
  if (!(lease > 0)) throw new StoreError("STORE_UNAVAILABLE", "leaseSeconds in the address of the data must be a number above 0");
  for (const name of ["schema", "leaseSeconds"]) url.searchParams.delete(name);
  let driver: Driver;
  try {
    // Bundlers would look for what is imported here, and the driver is not ours.
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

/** Whether this Node has an SQLite. Some versions warn that it is experimental when it is loaded, which who serves can do nothing about. */
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
