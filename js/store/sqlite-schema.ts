// The schema of the SQLite store, and how an older one becomes it.

import { StoreError } from "./errors.ts";
import { type Connection, OWNER, isBusy } from "./sqlite-database.ts";

/** The mark of our databases in the file's header: "Step". */
const APPLICATION = 0x53746570;

/**
 * What makes each version of the schema of the one before. A step that was published never changes: a change of the schema is a
 * further step.
 *
 * - Lists come out of four indexes, which have what filters ask most, so that a page reads no other rows. All begin with `map_run`:
 *   it is NULL for executions that are in no Map Run.
 * - Payloads have a table of their own: a row of `execution` is written again with every batch.
 * - `base` counts the facts that a snapshot has replaced, `held` the characters of the snapshot and the facts since.
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
];

/** Refuses databases of other programs, and those of a newer version; the version of the schema of all others. */
function refuse(connection: Connection, steps: readonly string[] = STEPS): number {
  const { name } = connection;
  const version = Number(connection.pragma("user_version"));
  const empty = connection.get("SELECT 1 FROM sqlite_schema LIMIT 1") === undefined;
  if ((!empty || version !== 0) && connection.pragma("application_id") !== APPLICATION)
    throw new StoreError("STORE_UNAVAILABLE", `${name} is a database of another program`);
  if (version > steps.length)
    throw new StoreError(
      "STORE_NEWER",
      `${name} was written by a newer version of Stepglass: its schema is version ${version}, and this Stepglass knows ${steps.length}; update Stepglass`,
    );
  return version;
}

/** Brings the schema of a database to the last step, all of it or nothing. */
export function migrate(connection: Connection, steps: readonly string[] = STEPS): void {
  const version = refuse(connection, steps);
  if (version === steps.length) return;
  connection.transaction(() => {
    for (const step of steps.slice(version)) connection.exec(step);
    connection.exec(`PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${steps.length}`);
  });
}

/**
 * Takes the lock of the file beside the database, for as long as the connection is open: whoever has it is the only one of us to write,
 * and others may read the database. False where the driver cannot do that.
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
  // What writes takes the lock, and keeps it.
  connection.exec(`PRAGMA ${OWNER}.user_version = 1`);
  return true;
}

/** Makes an open database one to read: another process may write to it. */
export function openToRead(connection: Connection): void {
  // Only who recovers the log keeps readers waiting, for a moment.
  connection.pragma("busy_timeout=2000");
  connection.exec("PRAGMA query_only=ON; PRAGMA temp_store=MEMORY");
  if (refuse(connection) < STEPS.length)
    throw new StoreError(
      "STORE_UNAVAILABLE",
      `${connection.name} is empty, or of an older version: what writes to it has to open it first`,
    );
}

/** Makes an open database ours: with a log that every transaction is synced to, and with the last schema. */
export function open(connection: Connection, durable: boolean): void {
  // Without a file for the lock, the first statement that reads takes that of the database for good, and keeps readers out.
  if (!takeLock(connection)) connection.pragma("locking_mode=EXCLUSIVE");
  connection.exec("PRAGMA temp_store=MEMORY; PRAGMA cache_size=-32768");
  refuse(connection);
  // Before the first page is written: later it would need a VACUUM.
  connection.exec("PRAGMA auto_vacuum=INCREMENTAL");
  const mode = connection.pragma("journal_mode=WAL");
  if (durable && mode !== "wal")
    throw new StoreError("STORE_FAILED", `${connection.name}: SQLite cannot keep a write-ahead log here, its journal mode stays ${mode}`);
  connection.exec("PRAGMA synchronous=FULL");
  // macOS keeps what is synced in the disk's cache otherwise.
  connection.exec("PRAGMA fullfsync=1; PRAGMA checkpoint_fullfsync=1; PRAGMA journal_size_limit=67108864");
  migrate(connection);
}
