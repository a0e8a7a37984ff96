// Compiled, but never run: the types of stepglass/sqlite, with the drivers' own types.

import type { Store } from "stepglass/durable";
import { Runtime } from "stepglass/durable";
import { sqlite } from "stepglass/sqlite";
import type { SqliteStore } from "stepglass/sqlite";

/** As in @types/better-sqlite3, and also in libsql. */
declare class BetterSqlite {
  constructor(filename?: string | Uint8Array, options?: { readonly?: boolean });
  exec(source: string): this;
  prepare<Parameters extends unknown[] | {} = unknown[], Result = unknown>(
    source: string,
  ): {
    run(...parameters: Parameters extends unknown[] ? Parameters : [Parameters]): { changes: number; lastInsertRowid: number | bigint };
    get(...parameters: Parameters extends unknown[] ? Parameters : [Parameters]): Result | undefined;
    all(...parameters: Parameters extends unknown[] ? Parameters : [Parameters]): Result[];
  };
  close(): this;
}

/** As in @types/node. */
type Input = null | number | bigint | string | Uint8Array;
declare class DatabaseSync {
  constructor(path: string | URL | Uint8Array, options?: { open?: boolean });
  exec(sql: string): void;
  prepare(sql: string): {
    run(...parameters: Input[]): { changes: number | bigint; lastInsertRowid: number | bigint };
    get(...parameters: Input[]): Record<string, Input> | undefined;
    all(...parameters: Input[]): Record<string, Input>[];
  };
  close(): void;
}

/** As in bun-types. */
declare class BunDatabase {
  constructor(filename?: string, options?: number | object);
  exec<Parameters extends Input[]>(sql: string, ...parameters: Parameters[]): { changes: number };
  prepare<Result, Parameters extends Input | Input[]>(
    sql: string,
    parameters?: Parameters,
  ): {
    run(...parameters: Input[]): { changes: number };
    get(...parameters: Input[]): Result | null;
    all(...parameters: Input[]): Result[];
  };
  close(throwOnError?: boolean): void;
}

const store: SqliteStore = sqlite("orders.db");
const every: Store[] = [
  store,
  sqlite(new URL("file:///orders.db")),
  sqlite({ database: () => new BetterSqlite("orders.db") }),
  sqlite({ database: new DatabaseSync("orders.db") }),
  sqlite({ database: () => new BunDatabase("orders.db") }),
];
export const copied: Promise<void> = store.backup(new URL("file:///copy.db"));
export const runtimes: Runtime[] = every.map((store) => new Runtime({ store, machines: {} }));

// @ts-expect-error a path or a database
sqlite();
// @ts-expect-error a driver's class is not a database
sqlite({ database: BetterSqlite });
// @ts-expect-error there is no such option
sqlite({ path: "orders.db" });
