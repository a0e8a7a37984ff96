// Blobs in a table of a PostgreSQL database.

import type { BlobStore } from "../../core/api/durable.d.ts";
import type { PostgresClient } from "../../core/api/postgres.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";

/** The number of keys that are read at once. */
const KEYS = 1000;

/** Returns a blob store in the table `blob` of a schema. */
export function postgresBlobs(options: { client: () => PostgresClient | Promise<PostgresClient>; schema?: string }): BlobStore {
  checkOptions(options, ["client", "schema"], "postgresBlobs()");
  const { client, schema = "stepglass" } = options;
  if (typeof client !== "function")
    throw misuse("INVALID_OPTION", "postgresBlobs(): client must be a function, such as () => new pg.Client(…)");
  if (typeof schema !== "string" || schema === "" || schema.includes("\0"))
    throw misuse("INVALID_OPTION", `postgresBlobs(): schema must be a name, not ${shown(schema)}`);
  const connection = new Connection(client, `"${schema.replaceAll('"', '""')}"`);
  const { table } = connection;
  return {
    put: async (key, bytes) => void (await connection.query(`INSERT INTO ${table} (key, body) VALUES ($1, $2)`, [key, bytes])),
    async get(key) {
      const [row] = await connection.query(`SELECT body FROM ${table} WHERE key = $1`, [key]);
      return row?.body as Uint8Array | undefined;
    },
    remove: async (keys) => void (await connection.query(`DELETE FROM ${table} WHERE key = ANY($1)`, [keys])),
    async *list(prefix) {
      const page = `SELECT key, extract(epoch FROM modified) * 1000 AS modified FROM ${table}
        WHERE key > $1 AND key >= $2 AND starts_with(key, $2) ORDER BY key LIMIT ${KEYS}`;
      for (let after = ""; ;) {
        const rows = await connection.query(page, [after, prefix]);
        for (const row of rows) yield { key: (after = String(row.key)), modified: Number(row.modified) };
        if (rows.length < KEYS) return;
      }
    },
    close: () => connection.close(),
  };
}

/** A connection that is made when it is needed, and made again after it broke. */
class Connection {
  readonly table: string;
  readonly #client: () => PostgresClient | Promise<PostgresClient>;
  readonly #schema: string;
  #connecting: Promise<PostgresClient> | undefined;

  constructor(client: () => PostgresClient | Promise<PostgresClient>, schema: string) {
    this.#client = client;
    this.#schema = schema;
    this.table = `${schema}.blob`;
  }

  async query(text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    const connecting = (this.#connecting ??= this.#connect());
    try {
      const client = await connecting;
      const { rows } = await client.query({ text, values });
      return rows;
    } catch (error) {
      // The connection may be the reason, so the next call makes another one.
      if (this.#connecting === connecting) await this.close();
      throw error;
    }
  }

  async #connect(): Promise<PostgresClient> {
    const client = await this.#client();
    // Without a listener the error of a connection that breaks would end the process.
    client.on?.("error", () => {
      this.#connecting = undefined;
    });
    await client.connect();
    try {
      // Two processes that create the schema at the same moment would refuse each other.
      await client.query("SELECT pg_advisory_lock(hashtext('stepglass blobs'))");
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${this.#schema}`);
      // Keys are compared by their bytes, so that the index serves the pages of a list.
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${this.table} (
          key text COLLATE "C" PRIMARY KEY, modified timestamptz NOT NULL DEFAULT clock_timestamp(), body bytea NOT NULL)`,
      );
      await client.query("SELECT pg_advisory_unlock(hashtext('stepglass blobs'))");
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    const connecting = this.#connecting;
    this.#connecting = undefined;
    await (await connecting?.catch(() => undefined))?.end().catch(() => undefined);
  }
}
