// Verifies executions in a store: each is rebuilt without running any tasks.

import type { ExecutionStatus } from "../../core/api/index.d.ts";
import type { ExecutionFilter, ExecutionSummary, Store, VerificationReport } from "../../core/api/durable.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import { untilLater } from "../../core/driver/scheduler.ts";
import type { Host } from "./host.ts";
import { divergence } from "./replay.ts";

// The number of executions that are processed at once, so that their changes share one write.
const PAGE = 100;

const ENDS: Readonly<Record<Exclude<ExecutionStatus, "RUNNING">, string>> = {
  SUCCEEDED: "ExecutionSucceeded",
  FAILED: "ExecutionFailed",
  TIMED_OUT: "ExecutionTimedOut",
  ABORTED: "ExecutionAborted",
};

/** Rebuilds executions from their stored facts, and returns how they differ from their records. */
export async function verify(host: Host, filter: ExecutionFilter): Promise<VerificationReport> {
  const report: VerificationReport = { executions: 0, differing: [] };
  await each(host.store, filter, async (summary) => {
    report.executions += 1;
    const { id: arn, name, status } = summary;
    try {
      const reason = await difference(host, summary);
      if (reason !== undefined) report.differing.push({ arn, name, status, reason });
    } catch (thrown) {
      const diverged = divergence(thrown);
      report.differing.push({ arn, name, status, reason: messageOf(thrown), ...(diverged !== undefined && { diverged }) });
    }
  });
  return report;
}

/**
 * Returns a contradiction in the stored data of an execution; undefined if there is none. Throws if the execution cannot be
 * rebuilt.
 */
async function difference(host: Host, { id, status, suspended }: ExecutionSummary): Promise<string | undefined> {
  const stored = await host.store.load(id);
  if (stored === undefined) return undefined;
  const { record } = stored;
  const { total = 0, events = [] } = (await host.store.history(id, { limit: 1, reverse: true })) ?? {};
  if (total < stored.events) return `its history has ${total} of ${stored.events} events`;
  if (record.status === "RUNNING" || stored.snapshot !== undefined) {
    const { engine, facts } = await host.remake(stored);
    const made = engine.events;
    engine.discard();
    const last = facts.at(-1)?.led;
    if (made < stored.events) return `rebuilding it gives ${made} events, but ${stored.events} are stored`;
    if (record.status === "RUNNING" && typeof last === "string" && last.includes(" Finish ")) return "its facts lead to an end";
  }
  if (record.status === "RUNNING" || record.status !== status || suspended !== undefined) return undefined;
  const type: unknown = events.at(-1)?.type;
  return type === ENDS[record.status] ? undefined : `it is ${record.status}, but its last event is ${String(type ?? "missing")}`;
}

/** Calls `work` for all executions that a filter selects, the latest first, with several calls at once. */
export async function each(store: Store, filter: ExecutionFilter, work: (summary: ExecutionSummary) => Promise<void>): Promise<void> {
  let before: number | undefined;
  do {
    const page: { items: ExecutionSummary[]; before?: number } = await store.list(filter, {
      limit: PAGE,
      ...(before !== undefined && { before }),
    });
    await Promise.all(page.items.map(work));
    before = page.before;
    await untilLater();
  } while (before !== undefined);
}
