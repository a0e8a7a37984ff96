// The entry `stepglass/postgres`: a store in a PostgreSQL database.

import type { PostgresOptions, PostgresStore as PublicPostgresStore } from "../core/api/postgres.d.ts";
import { misuse } from "../core/base/errors.ts";
import { checkOptions } from "../core/base/options.ts";
import { shown } from "../core/base/shown.ts";
import { PATIENCE } from "../runtime/store/postgres-session.ts";
import { LEASE, PostgresStore } from "../runtime/store/postgres.ts";

/** Returns a store in a schema of a PostgreSQL database. */
export function postgres(options: PostgresOptions): PublicPostgresStore {
  checkOptions(options, ["client", "schema", "wait", "shared", "leaseSeconds", "connectSeconds"], "postgres()");
  const { client, schema = "stepglass", wait = false, shared = false, leaseSeconds = LEASE, connectSeconds = PATIENCE / 1000 } = options;
  if (typeof client !== "function") throw misuse("INVALID_OPTION", "postgres(): client must be a function, such as () => new pg.Client(…)");
  if (typeof schema !== "string" || schema === "" || schema.includes("\0"))
    throw misuse("INVALID_OPTION", `postgres(): schema must be a name, not ${shown(schema)}`);
  if (!(leaseSeconds > 0)) throw misuse("INVALID_OPTION", `postgres(): leaseSeconds must be a number above 0, not ${shown(leaseSeconds)}`);
  if (!(connectSeconds >= 0))
    throw misuse("INVALID_OPTION", `postgres(): connectSeconds must be a number from 0, not ${shown(connectSeconds)}`);
  const patience = connectSeconds * 1000;
  const lease = shared ? leaseSeconds * 1000 : undefined;
  return new PostgresStore({ client, schema: `"${schema.replaceAll('"', '""')}"`, wait, lease, patience });
}
