// The handle of an execution that is kept in a store.

import type { ExecutionResult, Frame, HistoryEvent } from "../api/index.d.ts";
import type { DurableExecution as PublicExecution, ExecutionDescription, ExecutionRecord } from "../api/durable.d.ts";
import { misuse } from "../base/errors.ts";
import { historyOf } from "./history.ts";
import type { Host } from "./host.ts";
import { settle } from "./live.ts";

export class DurableExecution<Output = any> implements PublicExecution<Output> {
  readonly #host: Host;
  readonly arn: string;
  readonly name: string;
  readonly machine: string;
  #result: Promise<ExecutionResult<Output>> | undefined;

  constructor(host: Host, record: ExecutionRecord) {
    this.#host = host;
    this.arn = record.id;
    this.name = record.name;
    this.machine = String(record.machine);
  }

  /** How it ends. */
  get result(): Promise<ExecutionResult<Output>> {
    return (this.#result ??= this.#host.ended(this.arn).then((record) => outcomeOf<Output>(record ?? this.#gone())));
  }

  async describe(): Promise<ExecutionDescription> {
    return described((await this.#host.record(this.arn)) ?? this.#gone());
  }

  async history(page: { from?: number; limit?: number; reverse?: boolean } = {}): Promise<HistoryEvent[]> {
    return (await historyOf(this.#host, this.arn, page))?.events ?? this.#gone();
  }

  async frames(): Promise<Frame[]> {
    return (await this.#host.take(this.arn))?.driver.frames() ?? [];
  }

  async stop(error?: string, cause?: string): Promise<void> {
    const live = await this.#host.take(this.arn);
    if (live === undefined) return this.#host.abortSuspended(this.arn, error, cause);
    live.post("stop", error, cause);
    await settle(live);
  }

  async redrive(): Promise<void> {
    this.#result = undefined;
    await this.#host.redrive(this.arn);
  }

  #gone(): never {
    throw misuse("UNKNOWN_EXECUTION", `there is no execution ${this.arn}: retention may have removed it`);
  }
}

/** A record as a runtime describes it. */
export function described(record: ExecutionRecord): ExecutionDescription {
  const { id, name, machine, status, startDate, stopDate, input, output, error, cause, tags } = record;
  const { redriveCount, redriveDate, parent, suspended } = record as Partial<ExecutionDescription>;
  return {
    arn: id,
    name,
    machine: String(machine),
    status,
    startDate,
    ...(stopDate !== undefined && { stopDate }),
    input: JSON.parse(input),
    ...(output !== undefined && { output: JSON.parse(output) }),
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause }),
    tags: tags ?? {},
    redriveCount: redriveCount ?? 0,
    ...(redriveDate !== undefined && { redriveDate }),
    ...(parent !== undefined && { parent: { arn: parent.arn } }),
    ...(suspended !== undefined && { suspended }),
  };
}

function outcomeOf<Output>({ status, output, error, cause }: ExecutionRecord): ExecutionResult<Output> {
  if (status === "SUCCEEDED") return { status, output: JSON.parse(output ?? "null") };
  const failed = { status, ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) };
  return failed as ExecutionResult<Output>;
}

/** Rejects `run()` of an execution that did not succeed. */
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
