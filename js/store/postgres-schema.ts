// The schema of the PostgreSQL store, and how an older one becomes it.

import { StoreError } from "./errors.ts";
import type { Session } from "./postgres-session.ts";

/**
 * What makes each version of the schema of the one before. A step that was published never changes: a change of the schema is a
 * further step.
 *
 * A row of an index has little room: keys of any length are in it by their hash, and so are tags (`tags`). `base` counts the facts that
 * a snapshot has replaced, `snapshots` is 1 if there is one, `held` the characters of it and of the facts since.
 *
 * Executions that are in no Map Run are in the partial indexes that lists read; `execution_run` has the children of Map Runs.
 */
const STEPS: readonly string[] = [
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
];

/** Brings a schema to the last step. Refuses one of a newer version. */
export async function migrate(session: Session, schema: string): Promise<void> {
  await session.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await session.query(`SET search_path TO ${schema}`);
  await session.query("CREATE TABLE IF NOT EXISTS version (step integer NOT NULL)");
  const [row] = await session.query("SELECT max(step) AS step FROM version");
  const step = Number(row?.step ?? 0);
  if (step > STEPS.length)
    throw new StoreError(
      "STORE_NEWER",
      `the schema ${schema} was written by a newer version of Stepglass: it is version ${step}, and this Stepglass knows ${STEPS.length}; update Stepglass`,
    );
  for (const [i, text] of STEPS.entries()) {
    if (i < step) continue;
    await session.transaction(async () => {
      await session.query(text);
      await session.query("INSERT INTO version VALUES ($1)", [i + 1]);
    });
  }
}
