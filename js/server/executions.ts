// The operations of executions, and those that validate definitions and test states.

import type { Diagnostic, ExecutionStatus, HistoryEvent, TestStateResponse } from "../core/api/index.d.ts";
import type { ExecutionFilter } from "../core/api/durable.d.ts";
import { problemsAsSent } from "../core/definition/definition.ts";
import { historyOf } from "../runtime/durable/history.ts";
import { PAYLOAD_LIMIT, inputProblem } from "../core/execution/start.ts";
import { encryptionOf } from "./activities.ts";
import { checkName, executionArn, machineArn, mapRunArn } from "./arn.ts";
import { ApiError, invalid, invalidToken, noExecution, noResource, wrongType } from "./errors.ts";
import { jsonProblem } from "./json.ts";
import { isVersion, refuseDeleting, resolve } from "./machine.ts";
import type { Target } from "./machine.ts";
import type { MachineDescription } from "./machines.ts";
import type { Operations } from "./operations.ts";
import { PAGE, cursorOf, pageToken } from "./paging.ts";
import type { Cursor } from "./paging.ts";
import { type StoredExecution, type StoredSummary, shownRecord, tagOfQualifier } from "./records.ts";
import { seconds } from "./responses.ts";
import type { Paged } from "./responses.ts";
import type { Parent } from "./records.ts";
import type { StartRequest } from "./runner.ts";
import type { Service } from "./service.ts";
import type { Input } from "./shapes.ts";
import { testStateOperation } from "./teststate.ts";

interface StartExecutionOutput {
  executionArn: string;
  startDate: number;
}

/** Says whether a payload is in the response. */
interface DataDetails {
  included: boolean;
}

interface StartSyncExecutionOutput {
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
interface RedriveDetails {
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
interface ExecutionDescription extends ExecutionSummary {
  input?: string;
  inputDetails?: DataDetails;
  output?: string;
  outputDetails?: DataDetails;
  traceHeader?: string;
  error?: string;
  cause?: string;
}

interface ExecutionListItem extends ExecutionSummary {
  itemCount?: number;
  redriveCount: number;
  redriveDate?: number;
}

interface ListExecutionsOutput extends Paged {
  executions: ExecutionListItem[];
}

interface DescribeStateMachineForExecutionOutput extends MachineDescription {
  updateDate: number;
  mapRunArn?: string;
  label?: string;
}

/** An event of GetExecutionHistory, whose time is a number. */
type WireEvent = Omit<HistoryEvent, "timestamp"> & { timestamp: number };

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

/** Checks a request to start an execution, and returns its machine with the request for the runner. */
function startOf(
  service: Service,
  { stateMachineArn, name, input = "{}", traceHeader }: Input<"StartExecution">,
  passed?: string,
): [target: Target, request: StartRequest] {
  const target = resolve(service, stateMachineArn);
  refuseDeleting(target.machine);
  if (name !== undefined) checkName(name);
  if (input.trim() === "") throw new ApiError("InvalidExecutionInput", "Invalid State Machine Execution Input: 'Invalid execution input.'");
  const problem = jsonProblem(input);
  if (problem !== undefined) throw new ApiError("InvalidExecutionInput", `Invalid State Machine Execution Input: '${problem}'`);
  if (Buffer.byteLength(input) > PAYLOAD_LIMIT) {
    throw invalid(
      `1 validation error detected: Value at 'input' failed to satisfy constraint: Member must have length less than or equal to ${PAYLOAD_LIMIT}`,
    );
  }
  const unread = inputProblem(input);
  if (unread !== undefined) throw new ApiError(...unread);
  return [target, { name, input, traceHeader: traceHeader ?? passed }];
}

/** Starts an execution for a task. */
export function startNamed(service: Service, input: Input<"StartExecution">, parent: Parent): Promise<StoredExecution> {
  const [target, request] = startOf(service, input);
  return service.runner.start(target, { ...request, parent });
}

/** Returns the record of an execution. Throws ExecutionDoesNotExist. */
async function recordOf(service: Service, arn: string): Promise<StoredExecution> {
  const about = await service.store.get(executionArn(arn));
  if (about === undefined) throw noExecution(arn);
  return shownRecord(about);
}

/** The error text for a redrive of a single child of a Map Run. */
export const CHILD_REDRIVE = "Child executions are redriven with their Map Run";
const OLD = "Execution redrivable period exceeded";

/** Returns what DescribeExecution reports about redrives. */
export function redriveOf(record: StoredExecution, quotas: Service["quotas"]): RedriveDetails {
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
      ? OLD
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
    if (about.status !== "RUNNING" && service.quotas?.isOld(about)) throw new ApiError("ExecutionNotRedrivable", OLD);
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
} satisfies Partial<Operations>;

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
  { store }: Service,
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
async function executionFilter(service: Service, stateMachineArn: string | undefined, run: string | undefined): Promise<ExecutionFilter> {
  if (run !== undefined && stateMachineArn === undefined) return mapRunFilter(service, run);
  if (run === undefined && stateMachineArn !== undefined) return machineFilter(service, stateMachineArn);
  throw invalid("Either the stateMachineArn or the mapRunArn must be specified, but not both", "MISSING_REQUIRED_PARAMETER");
}

async function machineFilter(service: Service, text: string): Promise<ExecutionFilter> {
  const { arn, qualifier } = machineArn(text);
  // A machine of an application that shares the store is not registered here.
  if (!service.machines.has(arn) && (await service.store.count({ machineArn: arn })) > 0) return { machineArn: arn };
  const { machine } = resolve(service, text);
  if (machine.type === "EXPRESS") throw wrongType();
  if (qualifier === undefined) return { machineArn: arn };
  return { machineArn: arn, tags: tagOfQualifier(text, isVersion(qualifier)) };
}

async function mapRunFilter({ store }: Service, text: string): Promise<ExecutionFilter> {
  if ((await store.get(mapRunArn(text))) === undefined) throw noResource(text);
  return { mapRunArn: text };
}
