// The handle of an execution of a store.

import type { Definition, ExecutionResult, Frame, HistoryEvent, MapRunChange, StateMachine } from "../../core/api/index.d.ts";
import type {
  DurableExecution as PublicExecution,
  ExecutionDescription,
  ExecutionQuery,
  ExecutionRecord,
  MapRunDescription,
} from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { checkedLimits } from "../../core/execution/execution.ts";
import { storedJson } from "../store/stored-json.ts";
import { ownTags } from "./children.ts";
import type { Continued } from "./continuation.ts";
import { historyOf } from "./history-pages.ts";
import { mapRunsOf } from "./map-runs.ts";
import { query, shownState } from "./state.ts";
import type { RuntimeTasks } from "./tasks.ts";
import type { Host } from "./host.ts";
import type { Operations } from "./operations.ts";

export class DurableExecution<Output = any> implements PublicExecution<Output> {
  readonly #host: Host;
  readonly #tasks: RuntimeTasks;
  readonly #operations: Operations;
  readonly arn: string;
  readonly name: string;
  readonly machine: string;
  #result: Promise<ExecutionResult<Output>> | undefined;

  constructor(host: Host, record: ExecutionRecord, tasks: RuntimeTasks, operations: Operations) {
    this.#host = host;
    this.#tasks = tasks;
    this.#operations = operations;
    this.arn = record.id;
    this.name = record.name;
    this.machine = String(record.machine);
  }

  /** Resolves to the result when the execution ends. */
  get result(): Promise<ExecutionResult<Output>> {
    return (this.#result ??= this.#host.ended(this.arn).then((record) => outcomeOf<Output>(record ?? this.#gone())));
  }

  /** As `result`, for `runtime.run()`: rejects when the execution is suspended or the runtime is closed. */
  async settled(): Promise<ExecutionResult<Output>> {
    return outcomeOf<Output>((await this.#host.settled(this.arn)) ?? this.#gone());
  }

  async outcome({ follow = false }: { follow?: boolean } = {}): Promise<ExecutionResult<Output>> {
    for (let arn = this.arn; ;) {
      const record = (await this.#host.settled(arn, { patient: true })) ?? this.#gone();
      if (!follow || typeof record.continuedTo !== "string" || record.status !== "SUCCEEDED") return outcomeOf<Output>(record);
      arn = record.continuedTo;
    }
  }

  signal(name: string, payload?: unknown, options: { id?: string } = {}): Promise<void> {
    return this.#tasks.sendSignal(this.arn, name, payload, options);
  }

  async query(): Promise<ExecutionQuery> {
    return (await query(this.#host, this.arn)) ?? this.#gone();
  }

  cancel(details?: unknown): Promise<void> {
    return this.#tasks.cancellation.cancel(this.arn, details);
  }

  cancelScope(state: string, options?: { index?: number; details?: unknown }): Promise<boolean> {
    return this.#tasks.cancellation.cancelScope(this.arn, state, options);
  }

  async describe(): Promise<ExecutionDescription> {
    return described((await this.#host.record(this.arn)) ?? this.#gone());
  }

  async history(page: { from?: number; limit?: number; reverse?: boolean } = {}): Promise<HistoryEvent[]> {
    return (await historyOf(this.#host, this.arn, page))?.events ?? this.#gone();
  }

  async frames(): Promise<Frame[]> {
    return this.#host.at(this.arn, "frames", [this.arn]);
  }

  async stop(error?: string, cause?: string): Promise<void> {
    await this.#host.at(this.arn, "stop", [this.arn, error, cause]);
  }

  async mapRuns(): Promise<MapRunDescription[]> {
    const { status } = (await this.#host.record(this.arn)) ?? this.#gone();
    return mapRunsOf(this.#host.store, this.arn, status === "RUNNING" ? await this.frames() : []);
  }

  /** Changes the limits of a Map Run, as UpdateMapRun does. Has no effect if the Map Run is not running. */
  async updateMapRun(mapRunArn: string, change: MapRunChange = {}): Promise<void> {
    await this.#host.at(this.arn, "updateMapRun", [this.arn, mapRunArn, checkedLimits(mapRunArn, change)]);
  }

  async redrive(): Promise<void> {
    this.#result = undefined;
    await this.#host.at(this.arn, "redrive", [this.arn]);
  }

  /** Makes the execution continue with another definition. */
  async migrate(definition?: Definition | StateMachine): Promise<void> {
    await this.#operations.migrate(this.arn, definition);
  }

  /** Resumes the execution if it is suspended. */
  resume(): Promise<void> {
    return this.#host.at(this.arn, "resume", [this.arn]);
  }

  #gone(): never {
    throw misuse("UNKNOWN_EXECUTION", `there is no execution ${this.arn}: retention may have removed it`);
  }
}

/** Returns the description that a runtime gives of a record. */
export function described(record: ExecutionRecord): ExecutionDescription {
  const { id, name, machine, status, startDate, stopDate, input, output, error, cause, tags, attributes } = record;
  const { redriveCount, redriveDate, migratedDate, parent, suspended, runId } = record as Partial<ExecutionDescription>;
  const continued = record.continued as Continued | undefined;
  return {
    arn: id,
    name,
    machine: String(machine),
    status,
    startDate,
    ...(stopDate !== undefined && { stopDate }),
    input: storedJson(input, `the input of ${id}`),
    ...(output !== undefined && { output: storedJson(output, `the output of ${id}`) }),
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause }),
    ...shownState(record),
    tags: ownTags(tags),
    ...(attributes !== undefined && { attributes }),
    redriveCount: redriveCount ?? 0,
    ...(redriveDate !== undefined && { redriveDate }),
    ...(migratedDate !== undefined && { migratedDate }),
    ...(runId !== undefined && { runId }),
    ...(typeof record.machineVersion === "string" && { version: record.machineVersion }),
    ...(parent !== undefined && { parent: { arn: parent.arn } }),
    ...(continued !== undefined && { continuedFrom: { arn: continued.from }, run: continued.run }),
    ...(typeof record.continuedTo === "string" && { continuedTo: { arn: record.continuedTo } }),
    ...(record.cancelRequested !== undefined && { cancelRequested: true }),
    ...(suspended !== undefined && { suspended }),
  };
}

function outcomeOf<Output>({ id, status, output, error, cause }: ExecutionRecord): ExecutionResult<Output> {
  if (status === "SUCCEEDED") return { status, output: storedJson(output ?? "null", `the output of ${id}`) };
  const failed = { status, ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) };
  return failed as ExecutionResult<Output>;
}

/** The error with which `run()` rejects if the execution does not succeed. */
export class DurableError extends Error {
  override name = "DurableError";
  readonly code: "EXECUTION_FAILED" | "EXECUTION_TIMED_OUT" | "EXECUTION_ABORTED";
  readonly status: "FAILED" | "TIMED_OUT" | "ABORTED";
  readonly error: string | undefined;
  readonly errorCause: string | undefined;
  readonly arn: string;

  constructor(arn: string, outcome: Exclude<ExecutionResult, { status: "SUCCEEDED" }>) {
    const { status, error, cause } = outcome as { status: "FAILED" | "TIMED_OUT" | "ABORTED"; error?: string; cause?: string };
    super([`${arn} ${status}`, error, cause].filter((part) => part !== undefined).join(": "));
    this.arn = arn;
    this.status = status;
    this.code = `EXECUTION_${status}`;
    this.error = error;
    this.errorCause = cause;
  }
}
