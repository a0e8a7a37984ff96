// Fetches executions of Express workflows, whose events AWS keeps in CloudWatch Logs alone.

import { isObject } from "../../core/base/json.ts";
import { Unusable } from "../../language/files/problem.ts";
import { fetchedRun, type FetchedRun, type Response } from "../../language/files/sfnrun.ts";
import { documentOfHistory, eventOf, type RecordedEvent } from "../../core/history/recorded.ts";
import type { Account } from "./account.ts";

const EXPRESS_ARN = /^(arn:[^:]+:states:[^:]+:\d{12}):express:([^:]+):([^:]+)/;

export function isExpress(arn: string): boolean {
  return EXPRESS_ARN.test(arn);
}

/** Where a state machine logs, and what. */
interface Logging {
  group: string;
  level: string;
  hasData: boolean;
}

/** Fetches an execution from the log group of its state machine. `from` limits the search, in milliseconds. Throws Unusable. */
export async function fetchExpress(account: Account, arn: string, from?: number): Promise<FetchedRun> {
  const [, base = "", name = "", execution = ""] = EXPRESS_ARN.exec(arn) ?? [];
  // The name of a child execution's machine has the label of its Map.
  const stateMachineArn = `${base}:stateMachine:${name.split("/")[0]}`;
  const stateMachine = await account.call("DescribeStateMachine", { stateMachineArn });
  const { group, level, hasData } = loggingOf(stateMachine, arn);
  const events = await eventsIn(account, group, arn, from);
  if (events.length === 0)
    throw new Unusable(
      `${group} has no events of ${arn}: they can arrive minutes late, or the retention of the group has deleted them${from === undefined ? "" : "; --since looks no further back than it says"}`,
    );
  const document = documentOfHistory({ events, name: execution, executionArn: arn }, execution);
  const missing = [
    ...(level === "ALL" ? [] : [`the log level of ${name} is ${level}, so events of other levels are not logged`]),
    ...(hasData ? [] : [`${name} logs no execution data, so inputs and outputs are missing`]),
    ...(level === "ALL" && hasGaps(events) ? ["some events are not in the log, or not yet"] : []),
  ];
  const { events: _, stepglass: _format, ...described } = document;
  return fetchedRun({
    fetched: new Date().toISOString(),
    execution: { ...described, executionArn: arn, stateMachineArn },
    history: events as unknown as Response[],
    stateMachine,
    mapRuns: [],
    nested: [],
    missing: missing.map((message) => ({ operation: "FilterLogEvents", arn, message })),
    redacted: [],
  });
}

/** Returns where a machine logs. Throws Unusable if it does not. */
function loggingOf({ loggingConfiguration, name }: Response, arn: string): Logging {
  const { level = "OFF", includeExecutionData = false, destinations } = isObject(loggingConfiguration) ? loggingConfiguration : {};
  const [first] = Array.isArray(destinations) ? destinations : [];
  const group = isObject(first) && isObject(first.cloudWatchLogsLogGroup) ? first.cloudWatchLogsLogGroup.logGroupArn : undefined;
  const [, groupName] = /:log-group:([^:]+)/.exec(String(group)) ?? [];
  if (level === "OFF" || groupName === undefined)
    throw new Unusable(
      `${arn}: AWS has no events of this execution, because ${String(name)} does not log; set its log level to ALL, with execution data, for the next ones`,
    );
  return { group: groupName, level: String(level), hasData: includeExecutionData === true };
}

/** Returns the events of an execution by their ids. The log has them in any order, in several streams, and can repeat them. */
async function eventsIn(account: Account, logGroupName: string, arn: string, from: number | undefined): Promise<RecordedEvent[]> {
  const found = new Map<number, RecordedEvent>();
  const filterPattern = `{ $.execution_arn = "${arn}" }`;
  const input = { logGroupName, filterPattern, ...(from !== undefined && { startTime: from }) };
  for await (const { events = [] } of account.pages("FilterLogEvents", input))
    for (const { message } of events as { message?: string }[]) {
      const event = parsed(message);
      // An emulator may ignore the pattern.
      if (event?.execution_arn === arn) found.set(Number(event.id), eventOf(event));
    }
  return [...found.values()].sort((a, b) => a.id - b.id);
}

function parsed(message: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(message ?? "");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether ids are missing between the first event and the last one, or at an end. */
function hasGaps(events: readonly RecordedEvent[]): boolean {
  const last = events.at(-1);
  return last === undefined || last.id !== events.length || !/^Execution(?:Succeeded|Failed|Aborted|TimedOut)$/.test(last.type);
}
