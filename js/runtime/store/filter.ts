// Decides which executions a filter selects.

import type { ExecutionFilter, ExecutionRecord } from "../../core/api/durable.d.ts";
import { conditionsOf, meets } from "./attributes.ts";

/** Returns whether a filter selects an execution that is already known to be in the list of its machine or Map Run. */
export function selects(filter: ExecutionFilter, record: ExecutionRecord): boolean {
  const { machineArn, mapRunArn, status, namePrefix, tags, startedFrom, startedBefore } = filter;
  const statuses = status === undefined || typeof status !== "string" ? status : [status];
  return (
    record.mapRunArn === mapRunArn &&
    (machineArn === undefined || record.machineArn === machineArn) &&
    (statuses === undefined || statuses.includes(record.status)) &&
    (namePrefix === undefined || record.name.startsWith(namePrefix)) &&
    (startedFrom === undefined || record.startDate >= startedFrom) &&
    (startedBefore === undefined || record.startDate < startedBefore) &&
    (tags === undefined || Object.entries(tags).every(([key, value]) => record.tags?.[key] === value)) &&
    (filter.attributes === undefined || conditionsOf(filter).every((condition) => meets(record.attributes, condition)))
  );
}
