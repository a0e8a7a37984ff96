// The schema of the PostgreSQL store, and its migration from older versions.

import { StoreError } from "./errors.ts";
import { SHARDS, shardOf } from "./shards.ts";
import { textOf } from "./texts.ts";

/** The session in which a schema is migrated. */
interface MigrationSession {
  query(text: string, values?: unknown[]): Promise<Record<string, any>[]>;
  transaction(work: () => Promise<void>): Promise<void>;
}

/** Statements, or work, of one transaction; or indexes by their names, which are built while others write to their tables. */
type Step = string | ((session: MigrationSession) => Promise<void>) | { indexes: Readonly<Record<string, string>> };

/**
 * The steps that make each version of the schema from the previous one. A published step never changes: a change of the schema is a
 * further step.
 *
 * A row of an index has little room, so indexes contain the hashes of keys, which may have any length, and of tags (`tags`). `base`
 * is the number of facts that a snapshot has replaced, `snapshots` is 1 if there is one, and `held` is the length, in characters,
 * of the snapshot and of the facts since.
 *
 * Executions that are in no Map Run are in the partial indexes that lists read; `execution_run` contains the children of Map Runs.
 */
export const STEPS: readonly Step[] = [
  `
  CREATE TABLE document (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, collection text NOT NULL, key text NOT NULL, value text NOT NULL
  );
  CREATE UNIQUE INDEX document_key ON document (md5(collection), md5(key));
  CREATE INDEX document_order ON document (md5(collection), position);
  CREATE TABLE definition (hash text NOT NULL, text text NOT NULL);
  CREATE UNIQUE INDEX definition_hash ON definition (md5(hash));
  CREATE TABLE execution (
    id bigint PRIMARY KEY,
    arn text NOT NULL UNIQUE,
    machine text NOT NULL,
    map_run text,
    name text NOT NULL,
    status text NOT NULL,
    tags text[] NOT NULL,
    version integer NOT NULL,
    start_date double precision NOT NULL,
    ended_at double precision,
    wake_at double precision,
    facts integer NOT NULL,
    events integer NOT NULL,
    base integer NOT NULL,
    snapshots integer NOT NULL,
    held double precision NOT NULL,
    bytes double precision NOT NULL,
    about text NOT NULL,
    input text NOT NULL,
    output text,
    cause text
  );
  CREATE INDEX execution_all ON execution (id) WHERE map_run IS NULL;
  CREATE INDEX execution_status ON execution (status, id) WHERE map_run IS NULL;
  CREATE INDEX execution_machine ON execution (machine, id) WHERE map_run IS NULL;
  CREATE INDEX execution_machine_status ON execution (machine, status, id) WHERE map_run IS NULL;
  CREATE INDEX execution_run ON execution (map_run, id) WHERE map_run IS NOT NULL;
  CREATE INDEX execution_tags ON execution USING gin (tags);
  CREATE INDEX execution_due ON execution (wake_at, id) WHERE status = 'RUNNING' AND wake_at IS NOT NULL;
  CREATE INDEX execution_ended ON execution (ended_at, id) WHERE ended_at IS NOT NULL;
  CREATE TABLE fact (
    execution bigint NOT NULL, seq integer NOT NULL, count integer NOT NULL, body text NOT NULL, PRIMARY KEY (execution, seq)
  );
  CREATE TABLE snapshot (execution bigint PRIMARY KEY, body text NOT NULL);
  CREATE TABLE history (
    execution bigint NOT NULL, first integer NOT NULL, count integer NOT NULL, body text NOT NULL, PRIMARY KEY (execution, first)
  );
  CREATE TABLE counter (name text PRIMARY KEY, value bigint NOT NULL);
  INSERT INTO counter VALUES ('order', 0);
  `,
  // This step lets several processes share a store: it adds shards with their fences and owners, and the requests between
  // processes.
  async (session) => {
    await session.query(`
      CREATE SEQUENCE execution_order;
      SELECT setval('execution_order', greatest(value, 1), value > 0) FROM counter WHERE name = 'order';
      ALTER TABLE execution ADD COLUMN shard smallint NOT NULL DEFAULT 0;
      CREATE TABLE member (id text PRIMARY KEY, expires timestamptz NOT NULL);
      CREATE TABLE shard (n smallint PRIMARY KEY, owner text, fence bigint NOT NULL DEFAULT 0);
      INSERT INTO shard (n) SELECT generate_series(0, ${SHARDS - 1});
      CREATE TABLE request (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, shard smallint NOT NULL, asker text NOT NULL, body text NOT NULL, answer text,
        made timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX request_open ON request (shard) WHERE answer IS NULL;
    `);
    for (let after = 0; ;) {
      const rows = await session.query("SELECT id, arn FROM execution WHERE id > $1 ORDER BY id LIMIT 10000", [after]);
      if (rows.length === 0) return;
      const ids = rows.map(({ id }) => Number(id));
      const shards = rows.map(({ arn }) => shardOf(textOf(arn)));
      await session.query(
        "UPDATE execution AS e SET shard = t.shard FROM unnest($1::bigint[], $2::integer[]) AS t (id, shard) WHERE e.id = t.id",
        [ids, shards],
      );
      after = ids.at(-1) ?? Infinity;
    }
  },
  // This step adds the attributes of executions. `kind` is 0 for a boolean, whose number is 0 or 1, 1 for a number, and 2 for a text.
  // A process with the previous version may go on: it writes no attributes, and its removals remove them, too.
  `
  CREATE TABLE attribute (
    execution bigint NOT NULL REFERENCES execution ON DELETE CASCADE,
    name text NOT NULL, kind smallint NOT NULL, number double precision, text text COLLATE "C",
    PRIMARY KEY (execution, name)
  );
  CREATE INDEX attribute_number ON attribute (name, kind, number, execution) WHERE kind < 2;
  CREATE INDEX attribute_text ON attribute (name, text, execution) WHERE kind = 2;
  `,
  // This step adds the answers of tasks that commit together with the changes of their handlers.
  `
  CREATE TABLE answer (key text PRIMARY KEY, execution bigint NOT NULL REFERENCES execution ON DELETE CASCADE, body text NOT NULL);
  CREATE INDEX answer_execution ON answer (execution);
  `,
  // This step adds the indexes by which lists find the executions with a name or a time of start, while others write. An index has the
  // beginning of a name, which may have any length.
  {
    indexes: {
      execution_name: `ON execution ((left(name, 100)) COLLATE "C") WHERE map_run IS NULL`,
      execution_start: "ON execution (start_date) WHERE map_run IS NULL",
    },
  },
];

/**
 * The oldest version that can still use a schema with the last step, because the steps after it have only added what it need not know. It
 * is stored, so that processes of that version can open the schema again, and a deployment can be rolled back.
 */
const OLDEST = 4;

/** Migrates a schema to the last step. Refuses the schema of a newer version that this one cannot use. */
export async function migrate(session: MigrationSession, schema: string, steps: typeof STEPS = STEPS, oldest = OLDEST): Promise<void> {
  await session.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await session.query(`SET search_path TO ${schema}`);
  await session.query("CREATE TABLE IF NOT EXISTS version (step integer NOT NULL)");
  // An older version has made the table without this column. The rows as JSON can be read with and without it.
  const [found] = await session.query("SELECT to_jsonb(v)::text AS row FROM version AS v ORDER BY step DESC LIMIT 1");
  const row = found && (JSON.parse(String(found.row)) as { step: number; oldest?: number | null });
  if (row?.oldest === undefined) await session.query("ALTER TABLE version ADD COLUMN IF NOT EXISTS oldest integer");
  const step = Number(row?.step ?? 0);
  if (step > steps.length && !(Number(row?.oldest ?? Infinity) <= steps.length))
    throw new StoreError(
      "STORE_NEWER",
      `the schema ${schema} was written by a newer version of Stepglass: it is version ${step}, and this Stepglass knows ${steps.length}; update Stepglass`,
    );
  for (const [i, text] of steps.entries()) {
    if (i < step) continue;
    if (typeof text === "object") await buildIndexes(session, text.indexes);
    await session.transaction(async () => {
      if (typeof text === "string") await session.query(text);
      else if (typeof text === "function") await text(session);
      await session.query("INSERT INTO version (step, oldest) VALUES ($1, $2)", [i + 1, oldest]);
    });
  }
}

/** Builds indexes without blocking the processes that write meanwhile. An index whose building was interrupted is built again. */
async function buildIndexes(session: MigrationSession, indexes: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, definition] of Object.entries(indexes)) {
    await session.query(`DROP INDEX IF EXISTS ${name}`);
    await session.query(`CREATE INDEX CONCURRENTLY ${name} ${definition}`);
  }
}
