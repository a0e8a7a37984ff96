// The events of executions as CloudWatch Logs has them, as far as the machine's loggingConfiguration says.

import { randomBytes } from "node:crypto";
import type { HistoryEvent } from "../api/index.d.ts";
import { type EventDetails, detailsOf } from "../history/events.ts";
import { asGiven } from "./executions.ts";
import type { Notice } from "./outlets.ts";
import type { StoredExecution } from "./records.ts";

// What a payload has at most in an event, in bytes of escaped text.
const LIMIT = 248 * 2 ** 10;

const FATAL = /^Execution(?:Failed|TimedOut|Aborted)$/;
const ERROR = /(?:Failed|TimedOut|Aborted)$|^FailStateEntered$/;

/** The log of one machine or of its executions, where its level is not OFF. */
interface Place {
  group: string;
  region: string;
  account: string;
}

/** Makes log events; one for each server, which has log streams of its own. */
export class ExecutionLogs {
  readonly #id = randomBytes(4).toString("hex");

  /** Whether anything of an execution is logged. */
  static concerns({ revision }: StoredExecution): boolean {
    const { level = "OFF" } = revision.loggingConfiguration;
    return level !== "OFF";
  }

  /** The notice for an event of an execution's history; undefined if the machine does not log such events. */
  notice(record: StoredExecution, event: HistoryEvent, redriveCount: number): Notice | undefined {
    const { level, includeExecutionData = false } = record.revision.loggingConfiguration;
    if (!(level === "ALL" || (level === "ERROR" && ERROR.test(event.type)) || FATAL.test(event.type)) || level === "OFF") return undefined;
    const at = Date.parse(event.timestamp);
    const details = detailsOf(asGiven(event, record));
    const entry = {
      id: `${event.id}`,
      type: event.type,
      details: includeExecutionData ? limited(details) : withoutData(details),
      redrive_count: `${redriveCount}`,
      previous_event_id: `${event.previousEventId}`,
      event_timestamp: `${at}`,
      execution_arn: record.id,
    };
    const place = placeOf(record);
    // A stream of each machine for each hour.
    const stream = `states/${record.machine}/${new Date(at).toISOString().slice(0, 13).replace("T", "-")}/${this.#id}`;
    return { text: JSON.stringify(entry), at, ...(place !== undefined && { log: { ...place, stream } }) };
  }
}

/** The log group of a machine. */
function placeOf({ revision }: StoredExecution): Place | undefined {
  const [destination] = revision.loggingConfiguration.destinations ?? [];
  const arn = destination?.cloudWatchLogsLogGroup?.logGroupArn;
  const [, region, account, group] = /^arn:[^:]*:logs:([^:]*):([^:]*):log-group:([^:]+)/.exec(arn ?? "") ?? [];
  return region === undefined || account === undefined || group === undefined ? undefined : { group, region, account };
}

/** Details without the data of the execution. */
function withoutData(details: EventDetails): object {
  const { input, inputDetails, output, outputDetails, parameters, assignedVariables, assignedVariablesDetails, ...rest } =
    details as Record<string, unknown>;
  return rest;
}

/** Details whose payloads are cut where they are too long. */
function limited(details: EventDetails): object {
  const kept: Record<string, unknown> = { ...details };
  for (const name of ["input", "output"]) {
    const text = kept[name];
    if (typeof text !== "string") continue;
    const cut = fitting(text);
    kept[name] = cut;
    kept[`${name}Details`] = { truncated: cut.length < text.length };
  }
  return kept;
}

/** The beginning of a text that fits into an event. */
function fitting(text: string): string {
  const bytes = (length: number): number => Buffer.byteLength(JSON.stringify(text.slice(0, length)));
  if (text.length * 6 <= LIMIT || bytes(text.length) <= LIMIT) return text;
  let [least, most] = [0, text.length];
  while (most - least > 1) {
    const middle = (least + most) >> 1;
    if (bytes(middle) <= LIMIT) least = middle;
    else most = middle;
  }
  // Half of a pair of code units is no character.
  return text.slice(0, /[\ud800-\udbff]/.test(text.charAt(least - 1)) ? least - 1 : least);
}
