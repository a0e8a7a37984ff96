// Suspended executions: a slice fails again and again, and Restate retries it with growing delays or has paused it.

import { misuse } from "../../core/base/errors.ts";
import { EXECUTION } from "./context.ts";
import type { Ingress } from "./ingress.ts";

// How often the outcome of a retry is polled, and the interval in milliseconds. A slice that is still running after that counts as
// resumed.
const POLLS = 20;
const DELAY = 100;

/** A failed invocation, as a row of Restate's table of invocations. */
interface FailedInvocation {
  id: string;
  status: string;
  last_start_at?: string;
  last_failure?: string;
}

/** Makes Restate retry at once. Rejects with EXECUTION_SUSPENDED if the retry fails too. */
export async function resumed(ingress: Ingress, arn: string): Promise<void> {
  const before = await failedInvocations(ingress, arn);
  await Promise.all(before.map(({ id }) => ingress.resume(id)));
  let open = before;
  for (let look = 0; look < POLLS && open.length > 0; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, DELAY));
    const now = await failedInvocations(ingress, arn, open);
    const failed = now.find(({ id, status, last_start_at: start }) => {
      return FAILED_STATUSES.includes(status) && start !== before.find((other) => other.id === id)?.last_start_at;
    });
    if (failed !== undefined) throw misuse("EXECUTION_SUSPENDED", `${arn} cannot continue: ${failed.last_failure ?? failed.status}`, Error);
    // The outcome of a running slice is not known yet; one that is suspended waits normally.
    open = now.filter(({ status }) => status !== "suspended");
  }
}

const FAILED_STATUSES = ["paused", "backing-off"];

/** Returns the failed slices of an execution; with `among`, those of these that have not completed. */
async function failedInvocations(ingress: Ingress, arn: string, among?: readonly FailedInvocation[]): Promise<FailedInvocation[]> {
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const which =
    among === undefined
      ? `target_service_name = '${EXECUTION}' AND target_service_key = ${quoted(arn)} AND status IN (${FAILED_STATUSES.map(quoted).join(", ")})`
      : `id IN (${among.map(({ id }) => quoted(id)).join(", ")}) AND status <> 'completed'`;
  return (await ingress.query(
    `SELECT id, status, last_start_at, last_failure FROM sys_invocation WHERE ${which}`,
  )) as unknown as FailedInvocation[];
}
