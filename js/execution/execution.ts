// @ts-nocheck: has no types yet.
// One execution of a state machine.

import { argumentText } from "../tasks/integration.ts";
import { asyncDispose } from "../base/dispose.ts";
import { misuse } from "../base/errors.ts";
import { shown } from "../base/options.ts";

/** For StateMachine: gives the memory of an execution back that nobody is going to ask much. */
export let release;
/** For the server: what runs an execution. */
export let driverOf;

export class Execution {
  #driver;
  #info;

  static {
    release = (execution) => execution.#driver.release();
    driverOf = (execution) => execution.#driver;
  }

  /** The promise of `{status, output?, error?, cause?}`; it never rejects. */
  result;

  constructor(driver, info, result) {
    if (driver === undefined) throw misuse("ILLEGAL_CONSTRUCTOR", "use machine.start() or machine.restore() to create an execution");
    this.#driver = driver;
    this.#info = info;
    this.result = result;
  }

  /** The execution's name. */
  get name() {
    return this.#info.name;
  }

  /** The execution's ARN. */
  get arn() {
    const { arn, name, stateMachineName } = this.#info;
    return arn ?? `arn:aws:states:us-east-1:123456789012:execution:${stateMachineName}:${name}`;
  }

  /** "RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT" or "ABORTED". */
  get status() {
    return this.#driver.outcome?.status ?? "RUNNING";
  }

  /** All events so far, as GetExecutionHistory returns them. */
  history() {
    return this.#driver.history();
  }

  /** All events from the first on, as they happen; ends with the execution. Any number of times. */
  async *[Symbol.asyncIterator]() {
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
  abort(error, cause) {
    this.#driver.post("stop", text(error, "error"), text(cause, "cause"));
  }

  /** `await using execution = machine.start()`: one that still runs is aborted, and its end is waited for. */
  async [asyncDispose]() {
    this.abort();
    await this.result;
  }

  /** Gives a Map Run other limits: UpdateMapRun. Of no effect for one that is not under way. */
  updateMapRun(mapRunArn, limits = {}) {
    if (typeof limits !== "object" || limits === null) throw misuse("INVALID_ARGUMENT", `updateMapRun() takes an object with limits, not ${shown(limits)}`);
    const { maxConcurrency, toleratedFailureCount, toleratedFailurePercentage } = limits;
    const change = { maxConcurrency, toleratedFailureCount, toleratedFailurePercentage };
    for (const [name, value] of Object.entries(change)) {
      if (value !== undefined && !(typeof value === "number" && value >= 0)) throw misuse("INVALID_ARGUMENT", `${name} must be a number, 0 or more, not ${shown(value)}`);
    }
    if (typeof mapRunArn !== "string") throw misuse("INVALID_ARGUMENT", `mapRunArn must be a string, not ${shown(mapRunArn)}`);
    this.#driver.post("updateMapRun", mapRunArn, JSON.stringify(change));
  }

  /** Completes the task with this token: SendTaskSuccess. False if the task has ended already. */
  succeed(token, output) {
    const call = this.#driver.callOf(token);
    return this.#driver.complete(call, "succeed", argumentText(output, "the output"));
  }

  /** Fails the task with this token: SendTaskFailure. False if the task has ended already. */
  fail(token, failure = {}) {
    if (typeof failure !== "object" || failure === null) throw misuse("INVALID_ARGUMENT", `fail() takes an object with error and cause, not ${shown(failure)}`);
    const call = this.#driver.callOf(token);
    return this.#driver.complete(call, "fail", text(failure.error, "error"), text(failure.cause, "cause"));
  }

  /** Says that the task with this token is alive: SendTaskHeartbeat. False if the task has ended already. */
  heartbeat(token) {
    return this.#driver.complete(this.#driver.callOf(token), "heartbeat");
  }

  /** What runs now: one entry for each chain of states, the first one's first. */
  frames() {
    return this.#driver.frames();
  }

  /** The stages of data flow since the last call; with the option `trace: true`. */
  trace() {
    return this.#driver.trace();
  }

  /** What of the definition was used so far, with the option `coverage: true`: `{hits: {pointer: count}, handled}`. */
  coverage() {
    return this.#driver.coverage();
  }

  /** The execution as JSON data, for `machine.restore()`. Answers of handlers that are still on their way are not in it. */
  snapshot() {
    return { version: 1, execution: { ...this.#info }, ...this.#driver.snapshot() };
  }
}

function text(value, name) {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw misuse("INVALID_ARGUMENT", `${name} must be a string, not ${shown(value)}`);
}
