// How a task has ended whose token was answered too late.

import type { HistoryEvent } from "../../core/api/index.d.ts";
import type { EndedTaskCode } from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { detailsOf } from "../../core/history/events.ts";
import { shown } from "../../core/base/shown.ts";
import { executionOfToken, taskOfToken } from "../../core/tasks/token.ts";
import { historyOf } from "./history-pages.ts";
import type { Host } from "./host.ts";

const SCHEDULED = /^(Task|LambdaFunction|Activity)Scheduled$/;
const WHY: Record<EndedTaskCode, string> = {
  TASK_ANSWERED: "it was answered before",
  TASK_TIMED_OUT: "it has timed out",
  TASK_CANCELLED: "its execution does not need it any more",
  TASK_ENDED: "it has ended",
};

/** Returns the error for an answer to a task that has ended. */
export async function endedTask(host: Host, token: string): Promise<Error> {
  const arn = executionOfToken(token) ?? "";
  const { events } = (await historyOf(host, arn)) ?? { events: [] };
  const code = codeOfEnd(events, taskOfToken(token) ?? 0);
  return misuse(code, `the task with the token ${shown(token)} takes no answer: ${WHY[code]}`, Error);
}

/** Returns how a task of an execution has ended, by its number. */
function codeOfEnd(events: readonly HistoryEvent[], task: number): EndedTaskCode {
  // Tasks are numbered in the order in which they are scheduled, but the calls of a Distributed Map have numbers and no such events.
  if (events.some(({ type }) => type === "MapRunStarted")) return "TASK_ENDED";
  const scheduled = events.filter(({ type }) => SCHEDULED.test(type))[task - 1];
  if (scheduled === undefined) return "TASK_ENDED";
  const chain = new Set([scheduled.id]);
  for (const event of events.slice(scheduled.id)) {
    if (!chain.has(event.previousEventId) || !/^(Task|LambdaFunction|Activity)/.test(event.type)) continue;
    chain.add(event.id);
    if (event.type.endsWith("TimedOut")) return "TASK_TIMED_OUT";
    if (event.type.endsWith("Succeeded")) return "TASK_ANSWERED";
    if (event.type.endsWith("Failed")) return detailsOf(event)["error"] === "Stepglass.Cancelled" ? "TASK_CANCELLED" : "TASK_ANSWERED";
  }
  return "TASK_CANCELLED";
}
