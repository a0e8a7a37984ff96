// This file implements the operations of executions, such as StartExecution, and those that validate definitions and test states.

import type { Diagnostic, ExecutionStatus, TestStateResponse } from "../../core/api/index.d.ts";
import type { ExecutionFilter } from "../../core/api/durable.d.ts";
import { problemsAsSent } from "../../core/definition/definition.ts";
import { historyOf } from "../../runtime/durable/history-pages.ts";
import { encryptionOf } from "./activities.ts";
import { executionArn, machineArn, mapRunArn } from "../protocol/arn.ts";
import {
  CHILD_REDRIVE,
  type ExecutionDescription,
  type ExecutionListItem,
  REDRIVABLE_PERIOD_EXCEEDED,
  type RedriveDetails,
  type StartSyncExecutionOutput,
  type WireEvent,
  asGiven,
  described,
  eventOf,
  listed,
  redriveOf,
  syncEnd,
} from "../executions/descriptions.ts";
import { ApiError, invalid, invalidToken, noExecution, noResource, wrongType } from "../protocol/errors.ts";
import { isVersion, resolve } from "../storage/registered-machine.ts";
import type { MachineDescription } from "./state-machines.ts";
import type { OperationContext, OperationsOf } from "./operation.ts";
import { PAGE, cursorOf, pageToken } from "../protocol/paging.ts";
import type { Cursor } from "../protocol/paging.ts";
import { type StoredExecution, type StoredSummary, shownRecord, tagOfQualifier } from "../storage/records.ts";
import { seconds } from "../protocol/responses.ts";
import type { Paged } from "../protocol/responses.ts";
import { startOf } from "../executions/starting.ts";
import type { Input } from "../protocol/shapes.ts";
import { testStateOperation } from "./teststate.ts";

interface StartExecutionOutput {
  executionArn: string;
  startDate: number;
}

interface ListExecutionsOutput extends Paged {
  executions: ExecutionListItem[];
}

interface DescribeStateMachineForExecutionOutput extends MachineDescription {
  updateDate: number;
  mapRunArn?: string;
  label?: string;
}

interface GetExecutionHistoryOutput extends Paged {
  events: WireEvent[];
}

interface ValidateStateMachineDefinitionOutput {
  result: "OK" | "FAIL";
  diagnostics: { severity: "ERROR" | "WARNING"; code: string; message: string; location?: string }[];
  truncated: boolean;
}

/** The responses of the operations of executions, and of the tests of definitions and states. */
export interface ExecutionResponses {
  StartExecution: StartExecutionOutput;
  StartSyncExecution: StartSyncExecutionOutput;
  StopExecution: { stopDate: number };
  RedriveExecution: { redriveDate: number };
  DescribeExecution: ExecutionDescription & RedriveDetails;
  ListExecutions: ListExecutionsOutput;
  DescribeStateMachineForExecution: DescribeStateMachineForExecutionOutput;
  GetExecutionHistory: GetExecutionHistoryOutput;
  TestState: TestStateResponse;
  ValidateStateMachineDefinition: ValidateStateMachineDefinitionOutput;
}

/** Returns the record of an execution. Throws ExecutionDoesNotExist. */
async function recordOf(service: OperationContext, arn: string): Promise<StoredExecution> {
  const about = await service.store.get(executionArn(arn));
  if (about === undefined) throw noExecution(arn);
  return shownRecord(about);
}

/** The operations of this file, by name. */
export const executionOperations = {
  async StartExecution(service, input, { traceHeader }) {
    const { id, startDate } = await service.runner.start(...startOf(service, input, traceHeader));
    return { executionArn: id, startDate: seconds(startDate) };
  },

  async StartSyncExecution(service, input, { traceHeader: passed }) {
    const [target, request] = startOf(service, input, passed);
    if (target.machine.type !== "EXPRESS") throw wrongType();
    const begun = await service.runner.start(target, request);
    const ended = (await service.runner.ended(begun.id)) ?? begun;
    return syncEnd(ended, input.includedData !== "METADATA_ONLY");
  },

  async StopExecution(service, { executionArn: arn, error, cause }) {
    const about = await recordOf(service, arn);
    const runs = about.status === "RUNNING" || service.runner.host.find(arn) !== undefined;
    const ended = runs ? await service.runner.stop(arn, error, cause) : about;
    const { stopDate = service.now() } = ended ?? about;
    return { stopDate: seconds(stopDate) };
  },

  async RedriveExecution(service, { executionArn: arn, clientToken }) {
    const about = await recordOf(service, arn);
    if (about.mapRunArn !== undefined) throw invalid(CHILD_REDRIVE);
    if (about.status !== "RUNNING" && service.quotas?.isOld(about))
      throw new ApiError("ExecutionNotRedrivable", REDRIVABLE_PERIOD_EXCEEDED);
    return { redriveDate: seconds(await service.runner.redrive(about, clientToken)) };
  },

  async DescribeExecution(service, { executionArn: arn, includedData }) {
    const about = await recordOf(service, arn);
    const { startDate, stopDate, ...rest } = described(about);
    const out = {
      ...rest,
      startDate: seconds(startDate),
      ...(stopDate !== undefined && { stopDate: seconds(stopDate) }),
      ...redriveOf(about, service.quotas),
    };
    if (includedData !== "METADATA_ONLY") return out;
    const { input, output, error, cause, ...metadata } = out;
    if (metadata.inputDetails) metadata.inputDetails = { included: false };
    if (metadata.outputDetails) metadata.outputDetails = { included: false };
    return metadata;
  },

  async ListExecutions(service, { stateMachineArn, mapRunArn: run, statusFilter, redriveFilter, maxResults, nextToken }) {
    const filter = await executionFilter(service, stateMachineArn, run);
    const list = ["executions", stateMachineArn ?? run ?? "", statusFilter ?? "", redriveFilter ?? ""];
    const before = numberOf(cursorOf(list, nextToken));
    const wanted = { ...filter, ...(statusFilter !== undefined && { status: statusFilter as ExecutionStatus }) };
    const page = await pageOfExecutions(service, wanted, redriveFilter, { before, limit: maxResults || PAGE });
    return { executions: page.items.map(listed), ...(page.before !== undefined && { nextToken: pageToken(list, page.before) }) };
  },

  async DescribeStateMachineForExecution(service, { executionArn: arn, includedData }) {
    const { machineArn, machine, mapRunArn, revision }: StoredExecution = await recordOf(service, arn);
    const { hash, roleArn, updateDate, loggingConfiguration, tracingConfiguration, encryptionConfiguration, id, variableReferences } =
      revision;
    const metadata = includedData === "METADATA_ONLY";
    return {
      stateMachineArn: machineArn,
      name: machine,
      definition: metadata ? "{}" : await service.store.getDefinition(hash),
      roleArn,
      updateDate: seconds(updateDate),
      loggingConfiguration,
      tracingConfiguration,
      ...(mapRunArn !== undefined && { mapRunArn, label: machineArn.slice(machineArn.indexOf("/") + 1) }),
      ...(id !== undefined && { revisionId: id }),
      encryptionConfiguration: encryptionOf(encryptionConfiguration),
      ...(variableReferences !== undefined && !metadata && { variableReferences }),
    };
  },

  async GetExecutionHistory(service, { executionArn: arn, maxResults, nextToken, reverseOrder = false, includeExecutionData = true }) {
    const about = await recordOf(service, arn);
    const { host } = service.runner;
    const list = ["history", arn, reverseOrder];
    const cursor = numberOf(cursorOf(list, nextToken));
    const limit = maxResults || PAGE;
    // The cursor is the id of the last event of the previous page, so new events do not move it.
    const now = cursor !== undefined && reverseOrder ? ((await historyOf(host, arn, { limit: 0 }))?.total ?? 0) : 0;
    const from = cursor === undefined ? 0 : reverseOrder ? now - cursor + 1 : cursor;
    const { events, total } = (await historyOf(host, arn, { from, limit, reverse: reverseOrder })) ?? { events: [], total: 0 };
    const last = events.at(-1);
    const more = last !== undefined && from + events.length < total;
    return {
      events: events.map((event) => eventOf(asGiven(event, about), includeExecutionData)),
      ...(more && { nextToken: pageToken(list, last.id) }),
    };
  },

  TestState: testStateOperation,

  async ValidateStateMachineDefinition(_service, { definition, type, severity = "ERROR", maxResults }) {
    const found: Diagnostic[] = problemsAsSent(definition, { type });
    const failed = found.some((diagnostic) => diagnostic.severity === "error");
    const said = found.filter((diagnostic) => severity === "WARNING" || diagnostic.severity === "error").flatMap(awsDiagnostics);
    const limit = maxResults || PAGE;
    return { result: failed ? "FAIL" : "OK", diagnostics: said.slice(0, limit), truncated: said.length > limit };
  },
} satisfies OperationsOf<ExecutionResponses>;

/** Returns AWS's diagnostics for one of the package's diagnostics. */
function awsDiagnostics({ severity, aws }: Diagnostic): ValidateStateMachineDefinitionOutput["diagnostics"] {
  return aws.map(({ code, message, location }) => ({
    severity: severity === "error" ? "ERROR" : "WARNING",
    code,
    message,
    ...(location !== undefined && { location }),
  }));
}

/** Returns the cursor of a list whose cursors are numbers. Throws InvalidToken for another type. */
function numberOf(cursor: Cursor | undefined): number | undefined {
  if (typeof cursor === "string") throw invalidToken();
  return cursor;
}

/** Returns a page of executions. The store cannot filter by redrives, so that filter is applied here. */
async function pageOfExecutions(
  { store }: OperationContext,
  filter: ExecutionFilter,
  redriveFilter: Input<"ListExecutions">["redriveFilter"],
  { before, limit }: { before: number | undefined; limit: number },
): Promise<{ items: StoredSummary[]; before?: number }> {
  const items: StoredSummary[] = [];
  for (;;) {
    const found = await store.list(filter, { limit, ...(before !== undefined && { before }) });
    for (const item of found.items as unknown as StoredSummary[]) {
      if (redriveFilter !== undefined && (redriveFilter === "REDRIVEN") !== item.redriveCount > 0) continue;
      // The page is full, and this item belongs to the next one.
      if (items.length === limit) return { items, before: items.at(-1)!.order };
      items.push(item);
    }
    before = found.before;
    if (before === undefined) return { items };
    if (items.length === limit && redriveFilter === undefined) return { items, before };
  }
}

/** Returns the filter for the executions of a machine, a version or an alias, or of a Map Run. */
async function executionFilter(
  service: OperationContext,
  stateMachineArn: string | undefined,
  run: string | undefined,
): Promise<ExecutionFilter> {
  if (run !== undefined && stateMachineArn === undefined) return mapRunFilter(service, run);
  if (run === undefined && stateMachineArn !== undefined) return machineFilter(service, stateMachineArn);
  throw invalid("Either the stateMachineArn or the mapRunArn must be specified, but not both", "MISSING_REQUIRED_PARAMETER");
}

async function machineFilter(service: OperationContext, text: string): Promise<ExecutionFilter> {
  const { arn, qualifier } = machineArn(text);
  // A machine of an application that shares the store is not registered here.
  if (!service.machines.has(arn) && (await service.store.count({ machineArn: arn })) > 0) return { machineArn: arn };
  const { machine } = resolve(service, text);
  if (machine.type === "EXPRESS") throw wrongType();
  if (qualifier === undefined) return { machineArn: arn };
  return { machineArn: arn, tags: tagOfQualifier(text, isVersion(qualifier)) };
}

async function mapRunFilter({ store }: OperationContext, text: string): Promise<ExecutionFilter> {
  if ((await store.get(mapRunArn(text))) === undefined) throw noResource(text);
  return { mapRunArn: text };
}
