// Converts executions and their events to the form of the API's responses.

import type { ExecutionStatus, HistoryEvent } from "../../core/api/index.d.ts";
import type { Quotas } from "../protocol/quotas.ts";
import type { StoredExecution, StoredSummary } from "../storage/records.ts";
import { seconds } from "../protocol/responses.ts";

/** Says whether a payload is in the response. */
interface DataDetails {
  included: boolean;
}

export interface StartSyncExecutionOutput {
  executionArn: string;
  stateMachineArn: string;
  name: string;
  startDate: number;
  stopDate: number;
  status: "SUCCEEDED" | "FAILED" | "TIMED_OUT";
  error?: string;
  cause?: string;
  input?: string;
  inputDetails: DataDetails;
  output?: string;
  outputDetails: DataDetails;
  traceHeader?: string;
  billingDetails: { billedMemoryUsedInMB: number; billedDurationInMilliseconds: number };
}

/** The members of DescribeExecution about redrives. */
export interface RedriveDetails {
  redriveCount: number;
  redriveDate?: number;
  redriveStatus: "REDRIVABLE" | "NOT_REDRIVABLE" | "REDRIVABLE_BY_MAP_RUN";
  redriveStatusReason?: string;
}

/** The members that DescribeExecution and ListExecutions have in common. */
interface ExecutionSummary {
  executionArn: string;
  stateMachineArn: string;
  name: string;
  status: ExecutionStatus;
  startDate: number;
  stopDate?: number;
  mapRunArn?: string;
  stateMachineVersionArn?: string;
  stateMachineAliasArn?: string;
}

/** The members of DescribeExecution that are not about redrives. */
export interface ExecutionDescription extends ExecutionSummary {
  input?: string;
  inputDetails?: DataDetails;
  output?: string;
  outputDetails?: DataDetails;
  traceHeader?: string;
  error?: string;
  cause?: string;
}

export interface ExecutionListItem extends ExecutionSummary {
  itemCount?: number;
  redriveCount: number;
  redriveDate?: number;
}

/** An event of GetExecutionHistory, whose time is a number. */
export type WireEvent = Omit<HistoryEvent, "timestamp"> & { timestamp: number };

/** The error text for a redrive of a single child of a Map Run. */
export const CHILD_REDRIVE = "Child executions are redriven with their Map Run";
/** The reason why an execution can no longer be redriven, some time after its end. */
export const REDRIVABLE_PERIOD_EXCEEDED = "Execution redrivable period exceeded";

/** Returns what DescribeExecution reports about redrives. */
export function redriveOf(record: StoredExecution, quotas: Quotas | undefined): RedriveDetails {
  const { status, type, redriveCount = 0, redriveDate, redrivable } = record;
  const about = { redriveCount, ...(redriveDate !== undefined && { redriveDate: seconds(redriveDate) }) };
  const isOld = quotas?.isOld(record) ?? false;
  if (record.mapRunArn !== undefined && redrivable !== false && status !== "RUNNING" && status !== "SUCCEEDED")
    return { ...about, redriveStatus: "REDRIVABLE_BY_MAP_RUN" };
  if (type === "STANDARD" && redrivable && status !== "RUNNING" && !isOld) return { ...about, redriveStatus: "REDRIVABLE" };
  const final = status === "RUNNING" || status === "SUCCEEDED";
  const why = final
    ? `Execution is ${status} and cannot be redriven`
    : isOld
      ? REDRIVABLE_PERIOD_EXCEEDED
      : "Execution history event limit exceeded, the execution cannot be redriven";
  return { ...about, redriveStatus: "NOT_REDRIVABLE", redriveStatusReason: why };
}

/** Converts an execution to an item of ListExecutions. */
export function listed(about: StoredSummary): ExecutionListItem {
  const {
    id,
    machineArn,
    name,
    status,
    startDate,
    stopDate,
    mapRunArn,
    itemCount,
    versionArn,
    aliasArn,
    redriveCount = 0,
    redriveDate,
  } = about;
  return {
    executionArn: id,
    stateMachineArn: machineArn,
    name,
    status,
    startDate: seconds(startDate),
    ...(stopDate !== undefined && { stopDate: seconds(stopDate) }),
    ...(mapRunArn !== undefined && { mapRunArn, itemCount }),
    ...(versionArn !== undefined && { stateMachineVersionArn: versionArn }),
    ...(aliasArn !== undefined && { stateMachineAliasArn: aliasArn }),
    redriveCount,
    ...(redriveDate !== undefined && { redriveDate: seconds(redriveDate) }),
  };
}

/**
 * Converts an execution to the response of DescribeExecution, but with times in milliseconds. The debugger also shows Express
 * executions.
 */
export function described(about: StoredExecution): ExecutionDescription {
  const { id, machineArn, name, status, startDate, stopDate, input, output, error, cause, versionArn, aliasArn, traceHeader, mapRunArn } =
    about;
  return {
    executionArn: id,
    stateMachineArn: machineArn,
    name,
    status,
    startDate,
    ...(stopDate !== undefined && { stopDate }),
    input,
    inputDetails: { included: true },
    ...(output !== undefined && { output, outputDetails: { included: true } }),
    ...(traceHeader !== undefined && { traceHeader }),
    ...(mapRunArn !== undefined && { mapRunArn }),
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause }),
    ...(versionArn !== undefined && { stateMachineVersionArn: versionArn }),
    ...(aliasArn !== undefined && { stateMachineAliasArn: aliasArn }),
  };
}

/** Converts an ended Express execution to the response of StartSyncExecution. */
export function syncEnd(ended: StoredExecution, included: boolean): StartSyncExecutionOutput {
  const { id, machineArn, name, status, startDate, stopDate = startDate, input: given, output, error, cause, traceHeader } = ended;
  return {
    executionArn: id,
    stateMachineArn: machineArn,
    name,
    startDate: seconds(startDate),
    stopDate: seconds(stopDate),
    // AWS has three statuses for synchronous executions.
    status: status === "SUCCEEDED" || status === "TIMED_OUT" ? status : "FAILED",
    ...(included && { error: error ?? (status === "TIMED_OUT" ? "States.Timeout" : undefined), cause, input: given, output }),
    inputDetails: { included },
    outputDetails: { included },
    ...(traceHeader !== undefined && { traceHeader }),
    billingDetails: {
      billedMemoryUsedInMB: 64,
      billedDurationInMilliseconds: Math.max(Math.ceil((stopDate - startDate) / 100), 1) * 100,
    },
  };
}

/** Returns an event of a history. The first event gets the input's text exactly as the caller sent it. */
export function asGiven(event: HistoryEvent, { input, mapRunArn }: StoredExecution): HistoryEvent {
  if (event.type !== "ExecutionStarted" || mapRunArn !== undefined) return event;
  return { ...event, executionStartedEventDetails: { ...event.executionStartedEventDetails, input } };
}

/** Converts an event to the API's form: the time is in seconds and, if `withData` is false, the payloads are left out. */
export function eventOf(event: HistoryEvent, withData: boolean): WireEvent {
  const out = { ...event, timestamp: seconds(Date.parse(event.timestamp)) };
  return withData ? out : { ...out, ...withoutPayloads(event) };
}

/** Returns the details of an event without input and output. */
function withoutPayloads(event: HistoryEvent): Record<string, object> {
  const details = Object.entries(event).filter(([key]) => key.endsWith("EventDetails"));
  return Object.fromEntries(details.map(([key, { input, output, ...rest }]) => [key, rest]));
}
