// Who runs the executions of a store: a store can have executions of applications and of servers, and neither runs those of the other.

import type { ExecutionRecord } from "../api/durable.d.ts";

/** What runs an execution: a Runtime, with the handlers of its application, or a server, with those that it was started with. */
export type RunBy = "runtime" | "server";

/**
 * What an execution was started by, and is run by. The record of a server's execution has the revision of its machine; only servers have
 * records of Map Runs.
 */
export function runBy({ id, revision }: ExecutionRecord): RunBy {
  return revision !== undefined || id.includes(":mapRun:") ? "server" : "runtime";
}

/** How messages name it. */
export const RUN_BY: Readonly<Record<RunBy, string>> = {
  runtime: "an application, with a Runtime of stepglass/durable",
  server: "stepglass serve",
};
