// Executions that cannot go on: their slice fails again and again, and Restate waits longer and longer, or has put it aside.

import { misuse } from "../base/errors.ts";
import { EXECUTION } from "./context.ts";
import type { Ingress } from "./ingress.ts";

// How often it looks what has come of a try, and how long it waits each time, in milliseconds. What is at work then goes on.
const LOOKS = 20;
const DELAY = 100;

/** An invocation that has failed, as Restate's table of invocations has it. */
interface Stuck {
  id: string;
  status: string;
  last_start_at?: string;
  last_failure?: string;
}

/** Has Restate try again at once. Rejects with EXECUTION_SUSPENDED if that fails too. */
export async function resumed(ingress: Ingress, arn: string): Promise<void> {
  const before = await stuck(ingress, arn);
  await Promise.all(before.map(({ id }) => ingress.resume(id)));
  let open = before;
  for (let look = 0; look < LOOKS && open.length > 0; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, DELAY));
    const now = await stuck(ingress, arn, open);
    const failed = now.find(({ id, status, last_start_at: start }) => {
      return STUCK.includes(status) && start !== before.find((other) => other.id === id)?.last_start_at;
    });
    if (failed !== undefined) throw misuse("EXECUTION_SUSPENDED", `${arn} cannot continue: ${failed.last_failure ?? failed.status}`, Error);
    // Of those that are at work nothing can be said yet.
    open = now.filter(({ status }) => status !== "suspended");
  }
}

const STUCK = ["paused", "backing-off"];

/** The slices of an execution that have failed; with `among`, those of these that are not done. */
async function stuck(ingress: Ingress, arn: string, among?: readonly Stuck[]): Promise<Stuck[]> {
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const which =
    among === undefined
      ? `target_service_name = '${EXECUTION}' AND target_service_key = ${quoted(arn)} AND status IN (${STUCK.map(quoted).join(", ")})`
      : `id IN (${among.map(({ id }) => quoted(id)).join(", ")}) AND status <> 'completed'`;
  return (await ingress.query(`SELECT id, status, last_start_at, last_failure FROM sys_invocation WHERE ${which}`)) as unknown as Stuck[];
}
