// @ts-nocheck: has no types yet.
// Executions: start, look at, stop, take up again.

import { problemsAsSent } from "../definition/definition.ts";
import { encryptionOf } from "./activities.ts";
import { driverOf } from "../execution/execution.ts";
import { checkName, executionArn, machineArn, mapRunArn } from "./arn.ts";
import { ApiError, invalid, noExecution, noResource, wrongType } from "./errors.ts";
import { jsonProblem } from "./json.ts";
import { resolve } from "./machines.ts";
import { PAGE, cursorOf, pageToken } from "./paging.ts";
import { testStateOperation } from "./teststate.ts";
import { PAYLOAD_LIMIT, depthProblem } from "../execution/start.ts";

const seconds = (time) => time / 1000;

/** What a start is asked for, checked. */
function startOf(service, { stateMachineArn, name, input = "{}", traceHeader }) {
  const target = resolve(service, stateMachineArn);
  if (target.machine.status === "DELETING") throw new ApiError("StateMachineDeleting", `State Machine is being deleted: '${target.machine.arn}'`);
  if (name !== undefined) checkName(name);
  if (input.trim() === "") throw new ApiError("InvalidExecutionInput", "Invalid State Machine Execution Input: 'Invalid execution input.'");
  const problem = jsonProblem(input);
  if (problem !== undefined) throw new ApiError("InvalidExecutionInput", `Invalid State Machine Execution Input: '${problem}'`);
  if (Buffer.byteLength(input) > PAYLOAD_LIMIT) {
    throw invalid(`1 validation error detected: Value at 'input' failed to satisfy constraint: Member must have length less than or equal to ${PAYLOAD_LIMIT}`);
  }
  const deep = depthProblem(input);
  if (deep !== undefined) throw new ApiError(...deep);
  return [target, { name, input, traceHeader }];
}

/** Starts an execution for a task: its record, and what runs it. */
export function startNamed(service, input) {
  return service.runner.start(...startOf(service, input));
}

/** The record of an execution that the API speaks of. Throws ExecutionDoesNotExist. */
async function recordOf(service, arn) {
  const about = await service.store.get(executionArn(arn));
  if (about === undefined) throw noExecution(arn);
  return about;
}

function redriveOf({ status, type, redriveCount, redriveDate, redrivable }) {
  const about = { redriveCount, ...(redriveDate !== undefined && { redriveDate: seconds(redriveDate) }) };
  if (type === "STANDARD" && redrivable && status !== "RUNNING") return { ...about, redriveStatus: "REDRIVABLE" };
  const why = status === "RUNNING" || status === "SUCCEEDED" ? `Execution is ${status} and cannot be redriven` : "Execution history event limit exceeded, the execution cannot be redriven";
  return { ...about, redriveStatus: "NOT_REDRIVABLE", redriveStatusReason: why };
}

/** An execution as lists have it. */
function listed({ id, machineArn, name, status, startDate, stopDate, mapRunArn, itemCount, versionArn, aliasArn, redriveCount, redriveDate }) {
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

/** An execution as DescribeExecution tells it, with times in milliseconds; also an Express one, for the debugger. */
export function described(about) {
  const { id, machineArn, name, status, startDate, stopDate, input, output, error, cause, versionArn, aliasArn, traceHeader, mapRunArn } = about;
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

/** Some events of an execution that runs or has ended: `{events, total}`, in the order that is asked for. */
export async function historyOf(service, about, { from = 0, limit = Infinity, reverse = false } = {}) {
  const live = service.runner.find(about.id);
  const driver = live?.execution && driverOf(live.execution);
  if (driver === undefined || driver.outcome !== undefined) {
    if (live !== undefined) await live.ended;
    return service.store.history(about.id, { from, limit, reverse });
  }
  const total = driver.events;
  const count = Math.max(0, Math.min(limit, total - from));
  const first = reverse ? total - from - count : from;
  const events = driver.history(first).slice(0, count);
  return { events: reverse ? events.reverse() : events, total };
}

/** The first event with the input as its caller has written it. */
function asGiven(event, { input, mapRunArn }) {
  const details = event.executionStartedEventDetails;
  return details === undefined || mapRunArn !== undefined ? event : { ...event, executionStartedEventDetails: { ...details, input } };
}

/** An event as the API gives it: with the time in seconds, and without payloads where none are asked for. */
function eventOf(event, withData) {
  const out = { ...event, timestamp: Date.parse(event.timestamp) / 1000 };
  if (withData) return out;
  for (const [key, details] of Object.entries(out)) {
    if (!key.endsWith("EventDetails")) continue;
    const { input, output, ...rest } = details;
    out[key] = rest;
  }
  return out;
}

/** The operations of this file, by name. */
export const executionOperations = {
  async StartExecution(service, input) {
    const { about } = await service.runner.start(...startOf(service, input));
    return { executionArn: about.id, startDate: seconds(about.startDate) };
  },

  async StartSyncExecution(service, input) {
    const [target, request] = startOf(service, input);
    if (target.machine.type !== "EXPRESS") throw wrongType();
    const { live } = await service.runner.start(target, request);
    const { id, machineArn, name, status, startDate, stopDate, input: given, output, error, cause, traceHeader } = await live.ended;
    const included = input.includedData !== "METADATA_ONLY";
    return {
      executionArn: id,
      stateMachineArn: machineArn,
      name,
      startDate: seconds(startDate),
      stopDate: seconds(stopDate),
      // Of a sync execution AWS knows three ends only.
      status: status === "ABORTED" ? "FAILED" : status,
      ...(included && { error: error ?? (status === "TIMED_OUT" ? "States.Timeout" : undefined), cause, input: given, output }),
      inputDetails: { included },
      outputDetails: { included },
      ...(traceHeader !== undefined && { traceHeader }),
      billingDetails: { billedMemoryUsedInMB: 64, billedDurationInMilliseconds: Math.max(Math.ceil((stopDate - startDate) / 100), 1) * 100 },
    };
  },

  async StopExecution(service, { executionArn: arn, error, cause }) {
    const about = await recordOf(service, arn);
    const live = service.runner.find(arn);
    if (live !== undefined) await service.runner.stop(live, error, cause);
    const { stopDate } = (live?.about ?? about);
    return { stopDate: seconds(stopDate) };
  },

  async RedriveExecution(service, { executionArn: arn, clientToken }) {
    const about = await recordOf(service, arn);
    if (about.mapRunArn !== undefined) throw invalid("Child executions are redriven with their Map Run");
    const last = service.redrives.get(arn);
    if (clientToken !== undefined && last?.clientToken === clientToken) return { redriveDate: seconds(last.redriveDate) };
    const redriveDate = await service.runner.redrive(about);
    if (clientToken !== undefined) service.redrives.set(arn, { clientToken, redriveDate });
    return { redriveDate: seconds(redriveDate) };
  },

  async DescribeExecution(service, { executionArn: arn, includedData }) {
    const about = await recordOf(service, arn);
    const { startDate, stopDate, ...out } = described(about);
    Object.assign(out, { startDate: seconds(startDate), ...(stopDate !== undefined && { stopDate: seconds(stopDate) }), ...redriveOf(about) });
    if (includedData === "METADATA_ONLY") {
      for (const secret of ["input", "output", "error", "cause"]) delete out[secret];
      for (const details of ["inputDetails", "outputDetails"]) if (out[details]) out[details] = { included: false };
    }
    return out;
  },

  async ListExecutions(service, { stateMachineArn, mapRunArn: run, statusFilter, redriveFilter, maxResults, nextToken }) {
    if ((stateMachineArn === undefined) === (run === undefined)) throw invalid("Either the stateMachineArn or the mapRunArn must be specified, but not both", "MISSING_REQUIRED_PARAMETER");
    const filter = run !== undefined ? mapRunFilter(service, run) : machineFilter(service, stateMachineArn);
    const { matches } = filter;
    filter.matches = (about) =>
      (matches?.(about) ?? true) &&
      (statusFilter === undefined || about.status === statusFilter) &&
      (redriveFilter === undefined || (redriveFilter === "REDRIVEN") === about.redriveCount > 0);
    const list = ["executions", stateMachineArn ?? run, statusFilter ?? "", redriveFilter ?? ""];
    const { items, before } = await service.store.list(filter, { before: cursorOf(list, nextToken), limit: maxResults || PAGE });
    return { executions: items.map(listed), ...(before !== undefined && { nextToken: pageToken(list, before) }) };
  },

  async DescribeStateMachineForExecution(service, { executionArn: arn, includedData }) {
    const { machineArn, machineName, mapRunArn, revision } = await recordOf(service, arn);
    const { hash, roleArn, updateDate, loggingConfiguration, tracingConfiguration, encryptionConfiguration, id, variableReferences } = revision;
    const metadata = includedData === "METADATA_ONLY";
    return {
      stateMachineArn: machineArn,
      name: machineName,
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
    const list = ["history", arn, reverseOrder];
    const cursor = cursorOf(list, nextToken);
    const limit = maxResults || PAGE;
    // The cursor is the id of the last event that was told; events that came since do not move it.
    const from = cursor === undefined ? 0 : reverseOrder ? (await historyOf(service, about, { limit: 0 })).total - cursor + 1 : cursor;
    const { events, total } = await historyOf(service, about, { from, limit, reverse: reverseOrder });
    const more = from + events.length < total && events.length > 0;
    return { events: events.map((event) => eventOf(asGiven(event, about), includeExecutionData)), ...(more && { nextToken: pageToken(list, events.at(-1).id) }) };
  },

  TestState: testStateOperation,

  async ValidateStateMachineDefinition(service, { definition, type, severity = "ERROR", maxResults }) {
    const found = problemsAsSent(definition, { type });
    const failed = found.some((diagnostic) => diagnostic.severity === "error");
    const said = found
      .filter((diagnostic) => severity === "WARNING" || diagnostic.severity === "error")
      .flatMap(({ severity, aws }) => aws.map(({ code, message, location }) => ({ severity: severity === "error" ? "ERROR" : "WARNING", code, message, ...(location !== undefined && { location }) })));
    const limit = maxResults || PAGE;
    return { result: failed ? "FAIL" : "OK", diagnostics: said.slice(0, limit), truncated: said.length > limit };
  },
};

function machineFilter(service, text) {
  const { arn, qualifier } = machineArn(text);
  const { machine } = resolve(service, text);
  if (machine.type === "EXPRESS") throw wrongType();
  if (qualifier === undefined) return { machine: arn };
  return { machine: arn, matches: (about) => about.aliasArn === text || about.versionArn === text };
}

function mapRunFilter(service, text) {
  if (!service.mapRuns.has(mapRunArn(text))) throw noResource(text);
  return { mapRun: text };
}
