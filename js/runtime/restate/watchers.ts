// The watchers of an execution's end.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import { EXECUTION, SCHEDULE, type ObjectContext } from "./context.ts";
import type { Standing, Watcher } from "./events.ts";

/** Notifies the watchers of an execution's end. */
export function notifyWatchers(ctx: ObjectContext, watchers: readonly Watcher[], record: ExecutionRecord): void {
  for (const watcher of watchers) {
    if (typeof watcher === "string") ctx.resolveAwakeable(watcher, standingOf(record));
    else if ("schedule" in watcher) ctx.send({ service: SCHEDULE, handler: "ended", key: watcher.schedule }, { arn: record.id });
    else ctx.send({ service: EXECUTION, handler: "event", key: watcher.arn }, { type: "ended", task: watcher.task, record });
  }
}

/** Returns the status of an execution with its outcome. */
export function standingOf({ status, output, error, cause }: ExecutionRecord): Standing {
  return {
    status,
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause }),
  };
}
