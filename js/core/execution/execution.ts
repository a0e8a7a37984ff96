// One execution of a state machine.

import { argumentText } from "../tasks/integration.ts";
import { asyncDispose } from "../base/dispose.ts";
import { misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import type {
  Execution as PublicExecution,
  ExecutionCoverage,
  ExecutionNames,
  ExecutionResult,
  ExecutionSnapshot,
  ExecutionStatus,
  Frame,
  HistoryEvent,
  MapRunChange,
  TraceStage,
} from "../api/index.d.ts";
import type { Driver, Outcome } from "../driver/driver.ts";

/** The names of an execution and its machine, as they are in the Context Object. */
export type ExecutionInfo = Omit<ExecutionNames, "tokenKey"> & { name: string };

/** For StateMachine: frees the memory of an execution that will probably not be used much. */
export let release: (execution: Execution) => void;
/** For StateMachine: the execution has ended. */
export let settle: (execution: Execution, outcome: Outcome) => void;
/** For the server: returns the driver of an execution. */
export let driverOf: (execution: Execution) => Driver;

export class Execution<Output = any> implements PublicExecution<Output> {
  #driver: Driver;
  #info: ExecutionInfo;

  static {
    release = (execution) => execution.#driver.release();
    settle = (execution, outcome) => execution.#resolve?.(outcome);
    driverOf = (execution) => execution.#driver;
  }

  // Thousands of executions may wait whose results nobody reads, so the promise is created when it is first read.
  #result: Promise<ExecutionResult<Output>> | undefined;
  #resolve: ((outcome: Outcome) => void) | undefined;

  constructor(driver: Driver, info: ExecutionInfo) {
    if (driver === undefined) throw misuse("ILLEGAL_CONSTRUCTOR", "use machine.start() or machine.restore() to create an execution");
    this.#driver = driver;
    this.#info = info;
  }

  /** Resolves to the result of the execution. It never rejects. */
  get result(): Promise<ExecutionResult<Output>> {
    return (this.#result ??= new Promise<Outcome>((resolve) => {
      const { outcome } = this.#driver;
      if (outcome === undefined) this.#resolve = resolve;
      else resolve(outcome);
    }));
  }

  /** The name of the execution. */
  get name(): string {
    return this.#info.name;
  }

  /** The ARN of the execution. */
  get arn(): string {
    const { arn, name, stateMachineName } = this.#info;
    return arn ?? `arn:aws:states:us-east-1:123456789012:execution:${stateMachineName}:${name}`;
  }

  /** The status: "RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT" or "ABORTED". */
  get status(): ExecutionStatus {
    return this.#driver.outcome?.status ?? "RUNNING";
  }

  /** Returns all events so far, as GetExecutionHistory does. */
  history(): HistoryEvent[] {
    return this.#driver.history();
  }

  /** Iterates over all events from the first one, as they happen, until the execution has ended. Several loops can iterate at once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<HistoryEvent, void, undefined> {
    let from = 0;
    for (;;) {
      if (from < this.#driver.events) {
        for (const events of this.#driver.pages(from)) {
          from += events.length;
          yield* events;
        }
      } else if (this.#driver.outcome !== undefined) {
        return;
      } else {
        await this.#driver.changed();
      }
    }
  }

  /** Stops the execution: its status is ABORTED, with the given error and cause. Has no effect if the execution has ended. */
  abort(error?: string, cause?: string): void {
    this.#driver.post("stop", text(error, "error"), text(cause, "cause"));
  }

  /** Aborts a running execution and waits for its end, for `await using execution = machine.start()`. */
  async [asyncDispose](): Promise<void> {
    this.abort();
    await this.result;
  }

  /** Changes the limits of a Map Run, as UpdateMapRun does. Has no effect if the Map Run is not running. */
  updateMapRun(mapRunArn: string, limits: MapRunChange = {}): void {
    this.#driver.post("updateMapRun", mapRunArn, JSON.stringify(checkedLimits(mapRunArn, limits)));
  }

  /** Completes the task with this token, as SendTaskSuccess does. Returns false if the task has already ended. */
  succeed(token: string, output?: unknown): boolean {
    const call = this.#driver.callOf(token);
    return this.#driver.complete(call, "succeed", argumentText(output, "the output", this.#driver.isStrict));
  }

  /** Fails the task with this token, as SendTaskFailure does. Returns false if the task has already ended. */
  fail(token: string, failure: { error?: string; cause?: string } = {}): boolean {
    if (typeof failure !== "object" || failure === null)
      throw misuse("INVALID_ARGUMENT", `fail() takes an object with error and cause, not ${shown(failure)}`);
    const call = this.#driver.callOf(token);
    return this.#driver.complete(call, "fail", text(failure.error, "error"), text(failure.cause, "cause"));
  }

  /** Reports that the task with this token is alive, as SendTaskHeartbeat does. Returns false if the task has already ended. */
  heartbeat(token: string): boolean {
    return this.#driver.complete(this.#driver.callOf(token), "heartbeat");
  }

  /** Returns what is running: one entry for each chain of states, in the order in which the chains started. */
  frames(): Frame[] {
    return this.#driver.frames();
  }

  /** Returns the stages of data flow since the last call. Requires the option `trace: true`. */
  trace(): TraceStage[] {
    return this.#driver.trace();
  }

  /**
   * Returns which parts of the definition were used so far: `{hits: {pointer: count}, handled}`. Requires the option `coverage:
   * true`.
   */
  coverage(): ExecutionCoverage {
    return this.#driver.coverage();
  }

  /** Returns the execution as JSON data, for `machine.restore()`. Answers that have not reached the engine are not included. */
  snapshot(): ExecutionSnapshot {
    return { version: 1, execution: { ...this.#info }, ...this.#driver.snapshot() };
  }
}

/** Returns an optional text. */
export function text(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw misuse("INVALID_ARGUMENT", `${name} must be a string, not ${shown(value)}`);
}

/** Returns the limits for a Map Run. Throws INVALID_ARGUMENT. */
export function checkedLimits(mapRunArn: string, limits: MapRunChange): MapRunChange {
  if (typeof limits !== "object" || limits === null)
    throw misuse("INVALID_ARGUMENT", `updateMapRun() takes an object with limits, not ${shown(limits)}`);
  const { maxConcurrency, toleratedFailureCount, toleratedFailurePercentage } = limits;
  const change = { maxConcurrency, toleratedFailureCount, toleratedFailurePercentage } as MapRunChange;
  for (const [name, value] of Object.entries(change)) {
    if (value !== undefined && !(typeof value === "number" && value >= 0))
      throw misuse("INVALID_ARGUMENT", `${name} must be a number, 0 or more, not ${shown(value)}`);
  }
  if (typeof mapRunArn !== "string") throw misuse("INVALID_ARGUMENT", `mapRunArn must be a string, not ${shown(mapRunArn)}`);
  return change;
}
