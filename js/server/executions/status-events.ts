// The event "Step Functions Execution Status Change" of EventBridge.

import { randomUUID } from "node:crypto";
import { redriveOf } from "./descriptions.ts";
import type { Notice } from "./sinks.ts";
import type { StoredExecution } from "../storage/records.ts";
import type { Quotas } from "../protocol/quotas.ts";

// Maximum size of input and output in an event, in bytes of escaped text.
const LIMIT = 248 * 2 ** 10;

/** Returns the event for the current status of an execution. Its times are milliseconds. */
export function statusNotice(record: StoredExecution, at: number, quotas: Quotas | undefined): Notice {
  const { id } = record;
  const [, , , region, account] = id.split(":", 5);
  const event = {
    version: "0",
    id: randomUUID(),
    "detail-type": "Step Functions Execution Status Change",
    source: "aws.states",
    account,
    time: `${new Date(at).toISOString().slice(0, 19)}Z`,
    region,
    resources: [id],
    detail: detailOf(record, quotas),
  };
  return { text: JSON.stringify(event), at };
}

/** Converts an execution to the form of DescribeExecution, with null for missing members. */
function detailOf(record: StoredExecution, quotas: Quotas | undefined): object {
  const { id, machineArn, name, status, startDate, stopDate = null, input, output, error = null, cause = null } = record;
  const { versionArn = null, aliasArn = null, mapRunArn } = record;
  const keepsOutput = output !== undefined && escaped(output) <= LIMIT;
  const keepsInput = escaped(input) + (keepsOutput ? escaped(output) : 0) <= LIMIT;
  const { redriveCount, redriveStatus, redriveStatusReason = null } = redriveOf(record, quotas);
  return {
    executionArn: id,
    stateMachineArn: machineArn,
    name,
    status,
    startDate,
    stopDate,
    input: keepsInput ? input : null,
    output: keepsOutput ? output : null,
    stateMachineVersionArn: versionArn,
    stateMachineAliasArn: aliasArn,
    redriveCount,
    redriveDate: record.redriveDate ?? null,
    redriveStatus,
    redriveStatusReason,
    inputDetails: { included: keepsInput },
    outputDetails: output === undefined ? null : { included: keepsOutput },
    error,
    cause,
    ...(mapRunArn !== undefined && { mapRunArn }),
  };
}

/** Returns the size of a payload as a JSON string, in bytes. */
function escaped(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
