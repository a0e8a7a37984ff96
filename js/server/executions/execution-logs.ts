// The history events of executions in the format of CloudWatch Logs. The machine's loggingConfiguration decides which are logged.

import { randomBytes } from "node:crypto";
import type { HistoryEvent } from "../../core/api/index.d.ts";
import { type EventDetails, detailsOf } from "../../core/history/events.ts";
import { asGiven } from "./descriptions.ts";
import type { Notice } from "./sinks.ts";
import type { StoredExecution } from "../storage/records.ts";

// Maximum size of a payload in a log event, in bytes of escaped text.
const LIMIT = 248 * 2 ** 10;

const FATAL = /^Execution(?:Failed|TimedOut|Aborted)$/;
const ERROR = /(?:Failed|TimedOut|Aborted)$|^FailStateEntered$/;

/** The log group of a machine. */
interface LogGroup {
  group: string;
  region: string;
  account: string;
}

/** Creates log events. Each server has one, with log streams of its own. */
export class ExecutionLogs {
  readonly #id = randomBytes(4).toString("hex");

  /** Returns whether any event of an execution is logged. */
  static isLogged({ revision }: StoredExecution): boolean {
    const { level = "OFF" } = revision.loggingConfiguration;
    return level !== "OFF";
  }

  /** Returns the notice for an event of an execution's history; undefined if the machine does not log such events. */
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
    const logGroup = logGroupOf(record);
    // Each machine has a stream for each hour.
    const stream = `states/${record.machine}/${new Date(at).toISOString().slice(0, 13).replace("T", "-")}/${this.#id}`;
    return { text: JSON.stringify(entry), at, ...(logGroup !== undefined && { log: { ...logGroup, stream } }) };
  }
}

/** Returns the log group of a machine. */
function logGroupOf({ revision }: StoredExecution): LogGroup | undefined {
  const [destination] = revision.loggingConfiguration.destinations ?? [];
  const arn = destination?.cloudWatchLogsLogGroup?.logGroupArn;
  const [, region, account, group] = /^arn:[^:]*:logs:([^:]*):([^:]*):log-group:([^:]+)/.exec(arn ?? "") ?? [];
  return region === undefined || account === undefined || group === undefined ? undefined : { group, region, account };
}

/** Returns details without the data of the execution. */
function withoutData(details: EventDetails): object {
  const { input, inputDetails, output, outputDetails, parameters, assignedVariables, assignedVariablesDetails, ...rest } =
    details as Record<string, unknown>;
  return rest;
}

/** Returns details whose payloads are truncated to the limit. */
function limited(details: EventDetails): object {
  const result: Record<string, unknown> = { ...details };
  for (const name of ["input", "output"]) {
    const text = result[name];
    if (typeof text !== "string") continue;
    const cut = fitting(text);
    result[name] = cut;
    result[`${name}Details`] = { truncated: cut.length < text.length };
  }
  return result;
}

/** Returns the longest beginning of a text that fits into an event. */
function fitting(text: string): string {
  const bytes = (length: number): number => Buffer.byteLength(JSON.stringify(text.slice(0, length)));
  if (text.length * 6 <= LIMIT || bytes(text.length) <= LIMIT) return text;
  let [least, most] = [0, text.length];
  while (most - least > 1) {
    const middle = (least + most) >> 1;
    if (bytes(middle) <= LIMIT) least = middle;
    else most = middle;
  }
  // A surrogate pair must not be split.
  return text.slice(0, /[\ud800-\udbff]/.test(text.charAt(least - 1)) ? least - 1 : least);
}
