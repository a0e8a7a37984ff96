// Who runs the executions of a store: a store can have executions of applications and of servers, and neither runs those of the other.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";

/** What runs an execution: a Runtime, with the handlers of its application, or a server, with those that it was started with. */
export type RunBy = "runtime" | "server";

/**
 * Returns what runs an execution: what has started it. The record of a server's execution has the revision of its machine. The record of
 * a Map Run has a member for this; without one, it was written by a version in which only servers recorded Map Runs.
 */
export function runBy({ id, revision, runBy }: ExecutionRecord): RunBy {
  if (runBy === "runtime" || runBy === "server") return runBy;
  return revision !== undefined || id.includes(":mapRun:") ? "server" : "runtime";
}

/** The words for it in messages. */
export const RUN_BY: Readonly<Record<RunBy, string>> = {
  runtime: "an application, with a Runtime of stepglass/durable",
  server: "stepglass serve",
};
