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
import type { Driver } from "../driver/driver.ts";

/** The names of an execution and its machine, as the Context Object has them. */
export type ExecutionInfo = Omit<ExecutionNames, "tokenKey"> & { name: string };

/** For StateMachine: gives the memory of an execution back that nobody is going to ask much. */
export let release: (execution: Execution) => void;
/** For the server: what runs an execution. */
export let driverOf: (execution: Execution) => Driver;

export class Execution<Output = any> implements PublicExecution<Output> {
  #driver: Driver;
  #info: ExecutionInfo;

  static {
    release = (execution) => execution.#driver.release();
    driverOf = (execution) => execution.#driver;
  }

  /** How it ends; never rejects. */
  readonly result: Promise<ExecutionResult<Output>>;

  constructor(driver: Driver, info: ExecutionInfo, result: Promise<ExecutionResult<Output>>) {
    if (driver === undefined) throw misuse("ILLEGAL_CONSTRUCTOR", "use machine.start() or machine.restore() to create an execution");
    this.#driver = driver;
    this.#info = info;
    this.result = result;
  }

  /** The execution's name. */
  get name(): string {
    return this.#info.name;
  }

  /** The execution's ARN. */
  get arn(): string {
    const { arn, name, stateMachineName } = this.#info;
    return arn ?? `arn:aws:states:us-east-1:123456789012:execution:${stateMachineName}:${name}`;
  }

  /** "RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT" or "ABORTED". */
  get status(): ExecutionStatus {
    return this.#driver.outcome?.status ?? "RUNNING";
  }

  /** All events so far, as GetExecutionHistory returns them. */
  history(): HistoryEvent[] {
    return this.#driver.history();
  }

  /** All events from the first on, as they happen; ends with the execution. Any number of times. */
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

  /** Stops the execution: ABORTED, with the error and cause given. Of no effect once it has ended. */
  abort(error?: string, cause?: string): void {
    this.#driver.post("stop", text(error, "error"), text(cause, "cause"));
  }

  /** `await using execution = machine.start()`: one that still runs is aborted, and its end is waited for. */
  async [asyncDispose](): Promise<void> {
    this.abort();
    await this.result;
  }

  /** Gives a Map Run other limits: UpdateMapRun. Of no effect for one that is not under way. */
  updateMapRun(mapRunArn: string, limits: MapRunChange = {}): void {
    this.#driver.post("updateMapRun", mapRunArn, JSON.stringify(checkedLimits(mapRunArn, limits)));
  }

  /** Completes the task with this token: SendTaskSuccess. False if the task has ended already. */
  succeed(token: string, output?: unknown): boolean {
    const call = this.#driver.callOf(token);
    return this.#driver.complete(call, "succeed", argumentText(output, "the output"));
  }

  /** Fails the task with this token: SendTaskFailure. False if the task has ended already. */
  fail(token: string, failure: { error?: string; cause?: string } = {}): boolean {
    if (typeof failure !== "object" || failure === null)
      throw misuse("INVALID_ARGUMENT", `fail() takes an object with error and cause, not ${shown(failure)}`);
    const call = this.#driver.callOf(token);
    return this.#driver.complete(call, "fail", text(failure.error, "error"), text(failure.cause, "cause"));
  }

  /** Says that the task with this token is alive: SendTaskHeartbeat. False if the task has ended already. */
  heartbeat(token: string): boolean {
    return this.#driver.complete(this.#driver.callOf(token), "heartbeat");
  }

  /** What runs now: one entry for each chain of states, the first one's first. */
  frames(): Frame[] {
    return this.#driver.frames();
  }

  /** The stages of data flow since the last call; with the option `trace: true`. */
  trace(): TraceStage[] {
    return this.#driver.trace();
  }

  /** What of the definition was used so far, with the option `coverage: true`: `{hits: {pointer: count}, handled}`. */
  coverage(): ExecutionCoverage {
    return this.#driver.coverage();
  }

  /** The execution as JSON data, for `machine.restore()`. Answers of handlers that are still on their way are not in it. */
  snapshot(): ExecutionSnapshot {
    return { version: 1, execution: { ...this.#info }, ...this.#driver.snapshot() };
  }
}

/** A text that may be left out. */
export function text(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw misuse("INVALID_ARGUMENT", `${name} must be a string, not ${shown(value)}`);
}

/** The limits that a Map Run is given. Throws INVALID_ARGUMENT. */
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
