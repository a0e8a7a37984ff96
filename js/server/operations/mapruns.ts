// Map Runs: the runs of Distributed Maps and the executions of their items.

import type { Frame, MapRunChange, MapRunCounts } from "../../core/api/index.d.ts";
import { type MapRunRecord, recordsOf } from "../../runtime/durable/map-runs.ts";
import { type Counts, type RunRecord, standingOf } from "../../core/execution/mapruns.ts";
import { executionArn, mapRunArn } from "../protocol/arn.ts";
import { invalid, noExecution, noResource } from "../protocol/errors.ts";
import type { OperationContext, OperationsOf } from "./operation.ts";
import { pageOf } from "../protocol/paging.ts";
import { seconds } from "../protocol/responses.ts";
import type { Empty, Paged } from "../protocol/responses.ts";
import type { Input } from "../protocol/shapes.ts";

interface ListMapRunsOutput extends Paged {
  mapRuns: { executionArn: string; mapRunArn: string; stateMachineArn: string; startDate: number; stopDate?: number }[];
}

/** The items or child executions of a Map Run, by status. */
interface MapRunItemCounts extends MapRunCounts {
  resultsWritten: number;
  failuresNotRedrivable: number;
}

interface DescribeMapRunOutput {
  mapRunArn: string;
  executionArn: string;
  status: "RUNNING" | "SUCCEEDED" | "FAILED" | "ABORTED";
  startDate: number;
  stopDate?: number;
  maxConcurrency: number;
  toleratedFailurePercentage: number;
  toleratedFailureCount: number;
  itemCounts: MapRunItemCounts;
  executionCounts: MapRunItemCounts;
  redriveCount: number;
  redriveDate?: number;
}

/** The responses of the operations of Map Runs. */
export interface MapRunResponses {
  ListMapRuns: ListMapRunsOutput;
  DescribeMapRun: DescribeMapRunOutput;
  UpdateMapRun: Empty;
}

/** Returns the Map Run of an ARN. Throws ResourceNotFound. */
async function find(service: OperationContext, arn: string): Promise<MapRunRecord> {
  const record = await service.store.get(mapRunArn(arn));
  if (record === undefined) throw noResource(arn);
  return record as MapRunRecord;
}

/** Converts counts to the form of DescribeMapRun. */
function counts({ pending, running, succeeded, failed, timedOut, aborted, total }: Counts, written: boolean): MapRunItemCounts {
  const resultsWritten = written ? succeeded + failed + timedOut : 0;
  return { pending, running, succeeded, failed, timedOut, aborted, total, resultsWritten, failuresNotRedrivable: 0, pendingRedrive: 0 };
}

/** Converts a Map Run to an item of ListMapRuns. */
export function listedRun({ id, mapRunArn, machineArn, startDate, stopDate }: RunRecord): ListMapRunsOutput["mapRuns"][number] {
  return {
    executionArn: mapRunArn,
    mapRunArn: id,
    stateMachineArn: machineArn,
    startDate: seconds(startDate),
    ...(stopDate !== undefined && { stopDate: seconds(stopDate) }),
  };
}

/** A Map Run as DescribeMapRun returns it; `now` is how its engine has it as long as it is under way. */
export function describedRun(record: RunRecord, now: Frame["mapRun"]): DescribeMapRunOutput {
  const { id, mapRunArn, status, startDate, stopDate } = record;
  const done = status === "SUCCEEDED";
  const run = standingOf(record, now);
  return {
    mapRunArn: id,
    executionArn: mapRunArn,
    status,
    startDate: seconds(startDate),
    ...(stopDate !== undefined && { stopDate: seconds(stopDate) }),
    maxConcurrency: run.maxConcurrency,
    toleratedFailurePercentage: run.toleratedFailurePercentage,
    toleratedFailureCount: run.toleratedFailureCount,
    itemCounts: counts(run.itemCounts, done),
    executionCounts: counts(run.executionCounts, done),
    redriveCount: run.redriveCount,
    ...(run.redriveDate !== undefined && { redriveDate: seconds(run.redriveDate) }),
  };
}

/** The limits that a request gives a Map Run. Throws ValidationException where there are none, or the run has ended. */
export function limitsOf(
  { id, status }: Pick<RunRecord, "id" | "status">,
  { maxConcurrency, toleratedFailurePercentage, toleratedFailureCount }: Input<"UpdateMapRun">,
): MapRunChange {
  if (maxConcurrency === undefined && toleratedFailurePercentage === undefined && toleratedFailureCount === undefined) {
    throw invalid(
      "At least one of maxConcurrency, toleratedFailurePercentage and toleratedFailureCount must be specified",
      "MISSING_REQUIRED_PARAMETER",
    );
  }
  if (status !== "RUNNING") throw invalid(`Map Run already completed: '${id}'`, "CANNOT_UPDATE_COMPLETED_MAP_RUN");
  return {
    ...(maxConcurrency !== undefined && { maxConcurrency }),
    ...(toleratedFailurePercentage !== undefined && { toleratedFailurePercentage }),
    ...(toleratedFailureCount !== undefined && { toleratedFailureCount }),
  };
}

/** The operations of this file, by name. */
export const mapRunOperations = {
  async ListMapRuns(service, { executionArn: arn, maxResults, nextToken }) {
    executionArn(arn);
    if ((await service.store.get(arn)) === undefined) throw noExecution(arn);
    const runs: MapRunRecord[] = [];
    for await (const run of recordsOf<MapRunRecord>(service.store, { mapRunArn: arn })) runs.push(run);
    const sorted = runs.sort((a, b) => (a.id < b.id ? -1 : 1));
    const { items, ...more } = pageOf(sorted, { list: ["runs", arn], key: ({ id }) => id, maxResults, nextToken });
    return { mapRuns: items.map(listedRun), ...more };
  },

  async DescribeMapRun(service, { mapRunArn: arn }) {
    const record = await find(service, arn);
    const { mapRunArn: execution, status } = record;
    const frames: Frame[] = status === "RUNNING" ? await service.runner.at(execution, "frames", [execution]) : [];
    return describedRun(record, frames.find(({ mapRun }) => mapRun?.mapRunArn === arn)?.mapRun);
  },

  async UpdateMapRun(service, input) {
    const { mapRunArn: arn } = input;
    const record = await find(service, arn);
    const limits = limitsOf(record, input);
    await service.runner.at(arn, "updateMapRun", [record.mapRunArn, arn, limits]);
    return {};
  },
} satisfies OperationsOf<MapRunResponses>;
