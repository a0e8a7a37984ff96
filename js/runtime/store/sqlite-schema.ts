// The schema of the SQLite store, and its migration from older versions.

import { StoreError } from "./errors.ts";
import { type Connection, OWNER, isBusy } from "./sqlite-database.ts";

/** The application id in the header of our database files: "Step" in ASCII. */
const APPLICATION = 0x53746570;

/**
 * The steps that make each version of the schema from the previous one. A published step never changes: a change of the schema is a
 * further step.
 *
 * - Lists read from four indexes, which have the columns that filters use most, so that a page reads no other rows. All four begin
 * with `map_run`, which is NULL for executions that are in no Map Run.
 * - Payloads have a table of their own, because a row of `execution` is written again with every batch.
 * - `base` is the number of facts that a snapshot has replaced; `held` is the length, in characters, of the snapshot and of the
 * facts since.
 */
export const STEPS: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE document (position INTEGER PRIMARY KEY, collection TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL);
  CREATE UNIQUE INDEX document_key ON document (collection, key);
  CREATE INDEX document_order ON document (collection, position);
  CREATE TABLE definition (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE machine (id INTEGER PRIMARY KEY, arn TEXT NOT NULL UNIQUE);
  CREATE TABLE map_run (id INTEGER PRIMARY KEY, arn TEXT NOT NULL UNIQUE);
  CREATE TABLE execution (
    id INTEGER PRIMARY KEY,
    arn TEXT NOT NULL UNIQUE,
    machine INTEGER NOT NULL,
    map_run INTEGER,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    version INTEGER NOT NULL,
    start_date REAL NOT NULL,
    ended_at REAL,
    wake_at REAL,
    facts INTEGER NOT NULL,
    events INTEGER NOT NULL,
    base INTEGER NOT NULL,
    snapshot INTEGER NOT NULL,
    held INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    about TEXT NOT NULL
  );
  CREATE INDEX execution_all ON execution (map_run, id, start_date);
  CREATE INDEX execution_status ON execution (map_run, status, id, start_date);
  CREATE INDEX execution_machine ON execution (map_run, machine, id, start_date);
  CREATE INDEX execution_machine_status ON execution (map_run, machine, status, id, start_date);
  CREATE INDEX execution_due ON execution (wake_at) WHERE status = 'RUNNING' AND wake_at IS NOT NULL;
  CREATE INDEX execution_ended ON execution (ended_at, id, bytes) WHERE ended_at IS NOT NULL;
  CREATE TABLE payload (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
  CREATE TABLE tag (key TEXT NOT NULL, value TEXT NOT NULL, execution INTEGER NOT NULL, PRIMARY KEY (key, value, execution)) WITHOUT ROWID;
  CREATE TABLE fact (
    execution INTEGER NOT NULL, seq INTEGER NOT NULL, count INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (execution, seq)
  ) WITHOUT ROWID;
  CREATE TABLE snapshot (execution INTEGER PRIMARY KEY, body TEXT NOT NULL);
  CREATE TABLE history (
    execution INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (execution, first)
  ) WITHOUT ROWID;
  `,
  // This step adds the attributes of executions. `kind` is 0 for a boolean, whose value is 0 or 1, 1 for a number, and 2 for a text.
  // The column `value` has no type, so that SQLite converts nothing.
  `
  CREATE TABLE attribute (
    name TEXT NOT NULL, kind INTEGER NOT NULL, value NOT NULL, execution INTEGER NOT NULL, PRIMARY KEY (name, kind, value, execution)
  ) WITHOUT ROWID;
  `,
  // This step adds the answers of tasks that commit together with the changes of their handlers.
  `
  CREATE TABLE answer (key TEXT PRIMARY KEY, execution INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX answer_execution ON answer (execution);
  `,
  // This step adds the indexes by which lists find the executions with a name or a time of start.
  `
  CREATE INDEX execution_name ON execution (name, machine, status, start_date) WHERE map_run IS NULL;
  CREATE INDEX execution_start ON execution (start_date) WHERE map_run IS NULL;
  `,
];

/**
 * The oldest version that can still use a database with the last step, because the steps after it have only added indexes. It is stored in
 * the database, so that a deployment can be rolled back.
 */
const OLDEST = 3;

/**
 * Refuses the databases of other programs, and those of newer versions that this one cannot use. Returns the version of the schema of
 * any other database.
 */
function refuse(connection: Connection, steps: readonly string[] = STEPS): number {
  const { name } = connection;
  const version = Number(connection.pragma("user_version"));
  const empty = connection.get("SELECT 1 FROM sqlite_schema LIMIT 1") === undefined;
  if ((!empty || version !== 0) && connection.pragma("application_id") !== APPLICATION)
    throw new StoreError("STORE_UNAVAILABLE", `${name} is a database of another program`);
  if (version > steps.length && !(Number(connection.get("SELECT value FROM meta WHERE key = 'oldest'")?.value) <= steps.length))
    throw new StoreError(
      "STORE_NEWER",
      `${name} was written by a newer version of Stepglass: its schema is version ${version}, and this Stepglass knows ${steps.length}; update Stepglass`,
    );
  return version;
}

/** Migrates the schema of a database to the last step, completely or not at all. */
export function migrate(connection: Connection, steps: readonly string[] = STEPS, oldest = OLDEST): void {
  const version = refuse(connection, steps);
  if (version >= steps.length) return;
  connection.transaction(() => {
    for (const step of steps.slice(version)) connection.exec(step);
    connection.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('oldest', ?)", oldest);
    connection.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${steps.length}`);
  });
}

/**
 * Takes the lock of the file beside the database for as long as the connection is open. Its holder is the only process of ours that
 * writes; others may read the database. Returns false if the driver cannot do that.
 */
function takeLock(connection: Connection): boolean {
  const file = connection.all("PRAGMA database_list").find(({ name }) => name === "main")?.file;
  if (typeof file !== "string" || file === "") return false;
  try {
    connection.run(`ATTACH DATABASE ? AS ${OWNER}`, `${file}-owner`);
  } catch (error) {
    if (isBusy(error)) throw error;
    return false;
  }
  connection.pragma(`${OWNER}.locking_mode=EXCLUSIVE`);
  // A write takes the lock, and the connection keeps it.
  connection.exec(`PRAGMA ${OWNER}.user_version = 1`);
  return true;
}

/** Prepares an open database for reading. Another process may write to it. */
export function openToRead(connection: Connection): void {
  // Readers wait only for a connection that recovers the log, which takes a moment.
  connection.pragma("busy_timeout=2000");
  connection.exec("PRAGMA query_only=ON; PRAGMA temp_store=MEMORY");
  if (refuse(connection) < STEPS.length)
    throw new StoreError(
      "STORE_UNAVAILABLE",
      `${connection.name} is empty, or of an older version: what writes to it has to open it first`,
    );
}

/**
 * Prepares an open database for writing, with a log that SQLite syncs after every transaction, and with the last schema. `Log.of`
 * then takes the syncs over.
 */
export function open(connection: Connection, durable: boolean): void {
  // Without a lock file, the first statement that reads locks the database until the connection ends, and keeps readers out.
  if (!takeLock(connection)) connection.pragma("locking_mode=EXCLUSIVE");
  connection.exec("PRAGMA temp_store=MEMORY; PRAGMA cache_size=-32768");
  refuse(connection);
  // This must come before the first page is written. Later it would need a VACUUM.
  connection.exec("PRAGMA auto_vacuum=INCREMENTAL");
  const mode = connection.pragma("journal_mode=WAL");
  if (durable && mode !== "wal")
    throw new StoreError("STORE_FAILED", `${connection.name}: SQLite cannot keep a write-ahead log here, its journal mode stays ${mode}`);
  connection.exec("PRAGMA synchronous=FULL");
  // Without these settings, macOS leaves synced data in the disk's cache.
  connection.exec("PRAGMA fullfsync=1; PRAGMA checkpoint_fullfsync=1; PRAGMA journal_size_limit=67108864");
  migrate(connection);
}
