// The entry `stepglass/pool`: executions on worker threads.

import "./node.ts";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Pool as PublicPool, PoolOptions } from "../core/api/pool.d.ts";
import { misuse } from "../core/base/errors.ts";
import { checkOptions } from "../core/base/options.ts";
import { shown } from "../core/base/shown.ts";
import { Pool } from "../runtime/pool/pool.ts";
import { wasmUrl } from "./wasm-url.ts";

/** Starts the threads. Resolves when all of them have loaded the handlers. */
export async function createPool(options: PoolOptions = {}): Promise<PublicPool> {
  checkOptions(options, ["handlers", "threads", "concurrency", "lost"], "createPool()");
  const { handlers, threads = availableParallelism(), concurrency = 100, lost = "fail" } = options;
  for (const [name, value] of Object.entries({ threads, concurrency })) {
    if (!Number.isInteger(value) || value < 1)
      throw misuse("INVALID_OPTION", `${name} must be a whole number, 1 or more, not ${shown(value)}`);
  }
  if (lost !== "fail" && lost !== "restart") throw misuse("INVALID_OPTION", `lost must be "fail" or "restart", not ${shown(lost)}`);
  const file = new URL("pool-thread.cjs", wasmUrl());
  if (!existsSync(file))
    throw misuse(
      "LOAD_FAILED",
      "createPool() needs the files of the package: leave stepglass out of the bundle, as an external package",
      Error,
    );
  return new Pool({ file, handlers: addressOf(handlers), threads, concurrency, lost }).open();
}

/** Returns the URL from which a thread loads the handlers. */
function addressOf(handlers: PoolOptions["handlers"]): string | undefined {
  if (handlers === undefined) return undefined;
  if (handlers instanceof URL) return handlers.href;
  if (typeof handlers !== "string") throw misuse("INVALID_OPTION", `handlers must be a URL or a path, not ${shown(handlers)}`);
  return /^(?:file|data|node):/.test(handlers) ? handlers : pathToFileURL(resolve(handlers)).href;
}
