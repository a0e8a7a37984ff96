// The AWS API in front of executions on Restate: the same requests and responses, for the machines and tasks of Restate's workers.

import { partitionOf } from "../core/base/partition.ts";
import type { ExecutionRecord, ExecutionSummary } from "../core/api/durable.d.ts";
import type { RestateFilter } from "../core/api/restate.d.ts";
import type { HistoryEvent } from "../core/api/index.d.ts";
import { codeOf, messageOf } from "../core/base/errors.ts";
import { RestateClient } from "../runtime/restate/client.ts";
import type { Completion } from "../core/tasks/call.ts";
import type { RunStanding } from "../runtime/restate/runs.ts";
import { KnownText } from "../core/tasks/known-text.ts";
import { Handlers } from "../core/tasks/resource.ts";
import { activityArn, checkName, executionArn, machineArn, mapRunArn, resourceArn } from "./protocol/arn.ts";
import { ApiError, invalid, invalidToken, noExecution, noMachine, noResource, wrongType } from "./protocol/errors.ts";
import { CHILD_REDRIVE, described, eventOf, listed, redriveOf, syncEnd } from "./executions/descriptions.ts";
import { executionOperations } from "./operations/executions.ts";
import { jsonProblem } from "./protocol/json.ts";
import { describedRun, limitsOf, listedRun } from "./operations/mapruns.ts";
import { PAGE, cursorOf, pageOf, pageToken } from "./protocol/paging.ts";
import type { StoredExecution, StoredSummary } from "./storage/records.ts";
import { seconds } from "./protocol/responses.ts";
import type { Served } from "./http.ts";
import { checkRequest, isOperation, type Input, type Operation } from "./protocol/shapes.ts";
import { testStateOperation } from "./operations/teststate.ts";

/** The address of Restate. */
interface FrontOptions {
  ingress: string;
  admin?: string | undefined;
  region?: string | undefined;
  account?: string | undefined;
}

type Performers = { [Name in Operation]?: (front: RestateFront, input: Input<Name>) => Promise<object> };

export class RestateFront implements Served {
  readonly client: RestateClient;
  readonly quotas = undefined;
  /** Always 0: the executions run on Restate's workers. */
  readonly running = 0;
  readonly #arns: string;

  constructor({ ingress, admin, region = "us-east-1", account = "123456789012" }: FrontOptions) {
    this.client = new RestateClient(ingress, { region, account, ...(admin !== undefined && { admin }) });
    this.#arns = `arn:${partitionOf(region)}:states:${region}:${account}`;
  }

  /** Performs an operation of the API. Throws ApiError. */
  async call(operation: string, input: unknown): Promise<object> {
    if (!isOperation(operation)) throw new ApiError("UnknownOperationException", `there is no operation ${operation}`);
    const perform = OPERATIONS[operation] as ((front: RestateFront, input: unknown) => Promise<object>) | undefined;
    const request = checkRequest(operation, input);
    if (perform === undefined) {
      const why = "the workers have the machines, so there is nothing to create, change, tag or delete, and activities cannot be listed";
      throw new ApiError("UnknownOperationException", `${operation} is not available with Restate: ${why}`);
    }
    try {
      return await perform(this, request);
    } catch (error) {
      throw apiError(error);
    }
  }

  signal(arn: string, name: string, payload: unknown, options: { id?: string }): Promise<void> {
    return this.client.signal(arn, name, payload, options);
  }

  /** Closes nothing: the executions do not end with this process. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Returns a machine of the workers. Throws StateMachineDoesNotExist. */
  async machine(text: string): Promise<{ name: string; arn: string; type: string; definition: string }> {
    const { arn, name } = machineArn(text);
    const found = arn === this.arnOf(name) ? await this.client.machine(name) : undefined;
    if (found === undefined) throw noMachine(text);
    return { name, arn, ...found };
  }

  arnOf(name: string, kind = "stateMachine"): string {
    return `${this.#arns}:${kind}:${name}`;
  }

  /** Returns the record of an execution in the server's form. Throws ExecutionDoesNotExist. */
  async record(arn: string): Promise<StoredExecution> {
    const record = await this.client.record(executionArn(arn));
    if (record === undefined) throw noExecution(arn);
    return asStored(record) as StoredExecution;
  }

  /** Returns a Map Run. Throws ResourceNotFound. */
  async mapRun(arn: string): Promise<RunStanding> {
    const found = await this.client.mapRun(mapRunArn(arn));
    if (found === undefined) throw noResource(arn);
    return found;
  }

  /** Returns the filter for the executions of a machine or of a Map Run. */
  async filter({ stateMachineArn, mapRunArn: run }: Input<"ListExecutions">): Promise<RestateFilter> {
    if (run !== undefined && stateMachineArn === undefined) return { mapRunArn: (await this.mapRun(run)).record.id };
    if (run !== undefined || stateMachineArn === undefined)
      throw invalid("Either the stateMachineArn or the mapRunArn must be specified, but not both", "MISSING_REQUIRED_PARAMETER");
    const { name, type } = await this.machine(stateMachineArn);
    if (type === "EXPRESS") throw wrongType();
    return { machine: name };
  }

  /** Completes the task of a token. */
  async answer(token: string, ...completion: Completion): Promise<object> {
    const counts = await this.client.answer(token, completion);
    if (!counts) throw new ApiError("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'");
    return {};
  }
}

/** Adds the members that only records of the server have. */
function asStored(record: ExecutionRecord | ExecutionSummary): Record<string, unknown> {
  const { items = 1 } = (record.child ?? {}) as { items?: number };
  return { redriveCount: 0, ...(record.mapRunArn !== undefined && { itemCount: items }), ...record };
}

/** Converts an error of the client to an error of the API. */
function apiError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const code = codeOf(error);
  const message = messageOf(error);
  if (code === "EXECUTION_EXISTS")
    return new ApiError("ExecutionAlreadyExists", `Execution Already Exists: '${(error as { executionArn: string }).executionArn}'`);
  if (code === "UNKNOWN_TOKEN") return invalidToken();
  if (code === "NOT_REDRIVABLE") return new ApiError("ExecutionNotRedrivable", message);
  if (code === "RESTATE_UNREACHABLE" || code === "RESTATE_NO_WORKER" || code === "RESTATE_FAILED")
    return new ApiError("ServiceUnavailable", message, { status: 503 });
  if (code === "INVALID_OPTION") return new ApiError("UnknownOperationException", `${message}. For this server: --restate-admin URL`);
  if (code === "ValidationException" || code === "InvalidName" || code === "InvalidExecutionInput") return new ApiError(code, message);
  return error;
}

function checkedInput(input = "{}"): KnownText {
  const problem = input.trim() === "" ? "Invalid execution input." : jsonProblem(input);
  if (problem !== undefined) throw new ApiError("InvalidExecutionInput", `Invalid State Machine Execution Input: '${problem}'`);
  return new KnownText(input);
}

const OPERATIONS: Performers = {
  async StartExecution(front, { stateMachineArn, name, input }) {
    const machine = await front.machine(stateMachineArn);
    const execution = await front.client.start(machine.name, { input: checkedInput(input), ...(name !== undefined && { name }) });
    const { startDate } = await execution.describe();
    return { executionArn: execution.arn, startDate: seconds(startDate) };
  },

  async StartSyncExecution(front, { stateMachineArn, name, input, includedData }) {
    const machine = await front.machine(stateMachineArn);
    if (machine.type !== "EXPRESS") throw wrongType();
    const execution = await front.client.start(machine.name, { input: checkedInput(input), ...(name !== undefined && { name }) });
    await execution.result;
    const record = await front.client.record(execution.arn);
    if (record === undefined) throw noExecution(execution.arn);
    return syncEnd(asStored(record) as StoredExecution, includedData !== "METADATA_ONLY");
  },

  async StopExecution(front, { executionArn: arn, error, cause }) {
    await front.record(arn);
    await (await front.client.get(arn))?.stop(error, cause);
    const { stopDate, startDate } = await front.record(arn);
    return { stopDate: seconds(stopDate ?? startDate) };
  },

  async RedriveExecution(front, { executionArn: arn }) {
    if ((await front.record(arn)).mapRunArn !== undefined) throw invalid(CHILD_REDRIVE);
    await (await front.client.get(arn))?.redrive();
    const { redriveDate, startDate } = await front.record(arn);
    return { redriveDate: seconds(redriveDate ?? startDate) };
  },

  async DescribeExecution(front, { executionArn: arn, includedData }) {
    const record = await front.record(arn);
    const { startDate, stopDate, ...about } = described(record);
    const times = { startDate: seconds(startDate), ...(stopDate !== undefined && { stopDate: seconds(stopDate) }) };
    const out = { ...about, ...times, ...redriveOf(record, undefined) };
    if (includedData !== "METADATA_ONLY") return out;
    const { input, output, error, cause, inputDetails, outputDetails, ...metadata } = out;
    return { ...metadata, inputDetails: { included: false }, ...(outputDetails && { outputDetails: { included: false } }) };
  },

  async ListExecutions(front, input) {
    const { stateMachineArn, mapRunArn: run, statusFilter, redriveFilter, maxResults, nextToken } = input;
    const list = ["executions", stateMachineArn ?? run ?? "", statusFilter ?? "", redriveFilter ?? ""];
    const cursor = cursorOf(list, nextToken);
    const before = typeof cursor === "number" ? { before: cursor } : {};
    const filter = {
      ...(await front.filter(input)),
      ...(statusFilter !== undefined && { status: statusFilter as ExecutionRecord["status"] }),
    };
    const page = await front.client.list(filter, { ...before, limit: maxResults || PAGE });
    const chosen = page.items
      .map((item) => asStored(item) as unknown as StoredSummary)
      .filter(({ redriveCount }) => redriveFilter === undefined || (redriveFilter === "REDRIVEN") === redriveCount > 0);
    return { executions: chosen.map(listed), ...(page.before !== undefined && { nextToken: pageToken(list, page.before) }) };
  },

  async DescribeStateMachineForExecution(front, { executionArn: arn, includedData }) {
    const {
      machine,
      machineArn: stateMachineArn,
      mapRunArn: run,
      definition: hash = "",
      startDate,
      migratedDate,
    } = await front.record(arn);
    const updateDate = typeof migratedDate === "number" ? migratedDate : startDate;
    return {
      stateMachineArn,
      name: machine,
      definition: includedData === "METADATA_ONLY" ? "{}" : ((await front.client.definition(hash)) ?? "{}"),
      roleArn: "",
      // The execution has had this definition since then.
      updateDate: seconds(updateDate),
      ...(run !== undefined && { mapRunArn: run, label: stateMachineArn.slice(stateMachineArn.indexOf("/") + 1) }),
    };
  },

  async ListMapRuns(front, { executionArn: arn, maxResults, nextToken }) {
    const runs = await front.client.mapRuns(executionArn(arn));
    if (runs === undefined) throw noExecution(arn);
    const sorted = runs.map(({ record }) => record).sort((a, b) => (a.id < b.id ? -1 : 1));
    const { items, ...more } = pageOf(sorted, { list: ["runs", arn], key: ({ id }) => id, maxResults, nextToken });
    return { mapRuns: items.map(listedRun), ...more };
  },

  async DescribeMapRun(front, { mapRunArn: arn }) {
    const { record, now } = await front.mapRun(arn);
    return describedRun(record, now);
  },

  async UpdateMapRun(front, input) {
    const { record } = await front.mapRun(input.mapRunArn);
    const limits = limitsOf(record, input);
    await (await front.client.get(record.mapRunArn))?.updateMapRun(record.id, limits);
    return {};
  },

  async GetExecutionHistory(front, { executionArn: arn, maxResults, nextToken, reverseOrder = false, includeExecutionData = true }) {
    const record = await front.record(arn);
    const total = Number(record.events ?? 0);
    const list = ["history", arn, reverseOrder];
    const cursor = cursorOf(list, nextToken);
    if (typeof cursor === "string") throw invalidToken();
    // The cursor is the id of the last event of the previous page, so new events do not move it.
    const from = cursor === undefined ? 0 : reverseOrder ? total - cursor + 1 : cursor;
    const execution = await front.client.get(arn);
    const events: HistoryEvent[] = (await execution?.history({ from, limit: maxResults || PAGE, reverse: reverseOrder })) ?? [];
    const last = events.at(-1);
    const more = last !== undefined && from + events.length < total;
    return { events: events.map((event) => eventOf(event, includeExecutionData)), ...(more && { nextToken: pageToken(list, last.id) }) };
  },

  async CreateActivity(front, { name }) {
    checkName(name);
    // On Restate an activity needs no record: every name exists.
    return { activityArn: front.arnOf(name, "activity"), creationDate: 0 };
  },

  async DescribeActivity(_front, { activityArn: given }) {
    const arn = activityArn(given);
    return { activityArn: arn, name: arn.slice(arn.lastIndexOf(":") + 1), creationDate: 0 };
  },

  async GetActivityTask(front, { activityArn: given, workerName }) {
    const arn = activityArn(given);
    return (await front.client.takeTask(arn, { workerName })) ?? {};
  },

  async SendTaskSuccess(front, { taskToken, output }) {
    const problem = output.trim() === "" ? "Invalid task output." : jsonProblem(output);
    if (problem !== undefined) throw new ApiError("InvalidOutput", `Invalid Output: '${problem}'`);
    return front.answer(taskToken, "succeed", output);
  },

  SendTaskFailure: (front, { taskToken, error, cause }) => front.answer(taskToken, "fail", error, cause),

  SendTaskHeartbeat: (front, { taskToken }) => front.answer(taskToken, "heartbeat"),

  async ListStateMachines(front, { maxResults, nextToken }) {
    const machines = (await front.client.machines()).sort();
    const found = await Promise.all(machines.map(async (name) => ({ name, type: (await front.client.machine(name))?.type })));
    const page = pageOf(found, { list: ["machines"], key: ({ name }) => name, maxResults, nextToken });
    const stateMachines = page.items.map(({ name, type }) => ({ stateMachineArn: front.arnOf(name), name, type, creationDate: 0 }));
    return { stateMachines, ...(page.nextToken !== undefined && { nextToken: page.nextToken }) };
  },

  async DescribeStateMachine(front, { stateMachineArn }) {
    const { name, arn, type, definition } = await front.machine(stateMachineArn);
    return { stateMachineArn: arn, name, status: "ACTIVE", definition, roleArn: "", type, creationDate: 0 };
  },

  async ListStateMachineVersions(front, { stateMachineArn }) {
    await front.machine(stateMachineArn);
    return { stateMachineVersions: [] };
  },

  async ListStateMachineAliases(front, { stateMachineArn }) {
    await front.machine(stateMachineArn);
    return { stateMachineAliases: [] };
  },

  async ListTagsForResource(front, { resourceArn: text }) {
    const arn = resourceArn(text);
    if (arn.includes(":stateMachine:") && (await front.machine(arn).catch(() => undefined)) === undefined) throw noResource(arn);
    return { tags: [] };
  },

  TestState: (front, input) =>
    // The workers have the handlers, so a Task can only be tested with a mock.
    testStateOperation(
      {
        now: Date.now,
        router: new Handlers(),
        serviceModel: () => undefined,
        arn: (kind, rest) => front.arnOf(rest, kind),
      },
      input,
    ),

  ValidateStateMachineDefinition: (_front, input) =>
    // The operation does not use the service.
    executionOperations.ValidateStateMachineDefinition(undefined as never, input),
};
