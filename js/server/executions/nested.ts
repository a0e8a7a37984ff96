// Tasks that call Step Functions. They call the server that runs them.

import { messageOf } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { membersOf } from "../../runtime/durable/requests.ts";
import { abortedWith, refusal } from "../../core/execution/nested.ts";
import { TAKER } from "../../core/tasks/call.ts";
import type { TaskCall, TaskDriver, Taker } from "../../core/tasks/call.ts";
import { description, jsonText, membersText, started } from "../../core/tasks/integration.ts";
import { KnownText } from "../../core/tasks/known-text.ts";
import type { ExecutionDetails } from "../../core/tasks/integration.ts";
import type { Resource } from "../../core/tasks/resource.ts";
import { machineArn } from "../protocol/arn.ts";
import { ApiError, noExecution } from "../protocol/errors.ts";
import type { StoredExecution } from "../storage/records.ts";
import { seconds } from "../protocol/responses.ts";
import { executionArn, nameOf } from "./runner.ts";
import type { Context } from "./context.ts";
import { isOperation } from "../protocol/shapes.ts";
import type { Operation } from "../protocol/shapes.ts";

const SDK = "aws-sdk:sfn:";

/** Returns the handler of a task that calls Step Functions; undefined for tasks of other services. */
export function stepFunctions(service: Context, { kind, name }: Resource): Taker | undefined {
  if (kind !== "service") return undefined;
  if (name === "states:startExecution") return new Starter(service);
  const operation = name.startsWith(SDK) ? capital(name.slice(SDK.length)) : "";
  return isOperation(operation) ? new Caller(service, operation) : undefined;
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function small(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** `states:startExecution`: starts an execution on this server. For `.sync` and `.sync:2` the task waits for its end. */
class Starter implements Taker {
  readonly #service: Context;

  constructor(service: Context) {
    this.#service = service;
  }

  get [TAKER](): boolean {
    return true;
  }

  take(call: TaskCall, driver: TaskDriver): void {
    this.#start(call, driver).catch((thrown: unknown) => fail(call, driver, thrown));
  }

  async #start(call: TaskCall, driver: TaskDriver): Promise<void> {
    const { resource, command } = call;
    const { StateMachineArn: stateMachineArn, Name: given, Input: payload, TraceHeader: trace } = membersOf(call);
    const parent = { arn: driver.execution.arn, task: command.task };
    const name = given ?? nameOf(parent);
    let child: string | undefined;
    call.onCancel = () => child !== undefined && this.#stop(child, parent.arn);
    const traceHeader = trace ?? this.#service.runner.traceOf(parent.arn);
    const request = { stateMachineArn, name, input: textOf(call, driver, payload), ...(traceHeader !== undefined && { traceHeader }) };
    const begun = await this.#service.startNamed(request, parent);
    const answer = started(command, begun.id, begun.startDate);
    if (resource.pattern === "") {
      driver.complete(call, "succeed", answer);
      return;
    }
    if (resource.pattern === "waitForTaskToken") {
      call.answered = true;
      return driver.post("submitted", command.task, answer);
    }
    child = begun.id;
    // The task may have been cancelled while its child was being started.
    if (call.ended) return this.#stop(child, parent.arn);
    driver.post("submitted", command.task, answer);
    await this.#wait(call, driver, child);
  }

  /** Resumes a task after a restart: its child execution still runs, or has ended in the meantime. */
  taken(call: TaskCall, driver: TaskDriver): void {
    const { resource, command } = call;
    if (resource.pattern === "waitForTaskToken") return;
    const parent = { arn: driver.execution.arn, task: command.task };
    const { StateMachineArn: machine, Name: given } = membersOf(call);
    const { arn } = machineArn(String(machine));
    const type = this.#service.machines.get(arn)?.type ?? "STANDARD";
    const child = executionArn({ arn, type }, typeof given === "string" ? given : nameOf(parent), parent);
    call.onCancel = () => this.#stop(child, parent.arn);
    this.#wait(call, driver, child).catch((thrown: unknown) => fail(call, driver, thrown));
  }

  /** Completes a task when its child execution has ended. */
  async #wait(call: TaskCall, driver: TaskDriver, child: string): Promise<void> {
    const ended = await this.#service.runner.ended(child);
    if (ended === undefined) throw noExecution(child);
    const text = membersText(description(call.resource, detailsOf(ended)));
    if (ended.status === "SUCCEEDED") driver.complete(call, "succeed", text);
    else driver.complete(call, "fail", "States.TaskFailed", text);
  }

  /** Stops a child execution whose parent no longer waits for it. */
  #stop(child: string, parent: string): void {
    this.#service.runner
      .stop(child, undefined, abortedWith(parent))
      .catch((thrown: unknown) => this.#service.log("error", () => `${child} could not be stopped: ${messageOf(thrown)}`));
  }
}

/** Converts an execution to the response of the task that started it. */
function detailsOf({ name, id, machineArn, input, startDate, stopDate, status, output, error, cause }: StoredExecution): ExecutionDetails {
  const result = output === undefined ? undefined : new KnownText(output);
  return { name, arn: id, machineArn, input, startDate, stopDate, status, error, cause, ...(result !== undefined && { output: result }) };
}

/** Returns the JSON text of a task's Input. A string is JSON text already; the default is `{}`. */
function textOf(call: TaskCall, driver: TaskDriver, given: unknown): string {
  if (given === undefined || given === null) return "{}";
  return typeof given === "string" ? given : (driver.inputOf?.(call.command.task, "Input") ?? jsonText(given));
}

/** `aws-sdk:sfn:…`: calls any operation of this server. */
class Caller implements Taker {
  readonly #service: Context;
  readonly #operation: Operation;

  constructor(service: Context, operation: Operation) {
    this.#service = service;
    this.#operation = operation;
  }

  get [TAKER](): boolean {
    return true;
  }

  take(call: TaskCall, driver: TaskDriver): void {
    const leave = new AbortController();
    call.onCancel = () => leave.abort();
    this.#ask(call, driver, leave.signal).then(
      (response) => {
        const text = JSON.stringify(renamed(response, capital));
        if (call.resource.pattern !== "waitForTaskToken") return void driver.complete(call, "succeed", text);
        call.answered = true;
        driver.post("submitted", call.command.task, text);
      },
      (thrown: unknown) => fail(call, driver, thrown),
    );
  }

  /** Calls the API. An operation that starts an execution starts it only once, also if the task is called again. */
  async #ask(call: TaskCall, driver: TaskDriver, signal: AbortSignal): Promise<object> {
    const request = this.#request(call);
    if (this.#operation !== "StartExecution" || !isObject(request)) return this.#service.call(this.#operation, request, { signal });
    const parent = { arn: driver.execution.arn, task: call.command.task };
    const { id, startDate } = await this.#service.startNamed({ ...request, name: request.name ?? nameOf(parent) }, parent);
    return { executionArn: id, startDate: seconds(startDate) };
  }

  /** Returns the request with the API's member names, which begin with a lower-case letter. */
  #request({ command }: TaskCall): unknown {
    const request = renamed(command.input ?? {}, small);
    if (!isObject(request)) return request;
    // These members are JSON texts in the API. Step Functions converts other values to texts.
    for (const key of ["input", "output"]) {
      const given = request[key];
      if (given !== undefined && typeof given !== "string") request[key] = jsonText(given);
    }
    return request;
  }
}

/** Fails a task with an error of the API. */
function fail(call: TaskCall, driver: TaskDriver, thrown: unknown): void {
  const code = thrown instanceof ApiError ? thrown.type : "InternalFailure";
  const { error, cause } = refusal(call.resource.name ?? "", code, messageOf(thrown));
  driver.complete(call, "fail", error, cause);
}

/** Renames the members of a value, at any depth. Times become texts, as in the SDK integrations. */
function renamed(value: unknown, name: (key: string) => string, key = ""): unknown {
  if (Array.isArray(value)) return value.map((member) => renamed(member, name));
  if (typeof value === "number" && /(Date|timestamp)$/i.test(key)) return new Date(Math.round(value * 1000)).toISOString();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [name(key), renamed(member, name, key)]));
}
