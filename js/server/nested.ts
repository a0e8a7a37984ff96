// Tasks that call Step Functions: they call the server that runs them.

import { messageOf } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { refusal } from "../execution/nested.ts";
import { TAKER } from "../tasks/call.ts";
import type { TaskCall, TaskDriver, Taker } from "../tasks/call.ts";
import { JsonText, description, jsonText, membersText, started } from "../tasks/integration.ts";
import type { ExecutionDetails } from "../tasks/integration.ts";
import type { Resource } from "../tasks/resource.ts";
import { ApiError } from "./errors.ts";
import type { StoredExecution } from "./records.ts";
import type { Live } from "./runner.ts";
import type { Service } from "./service.ts";
import { isOperation } from "./shapes.ts";
import type { Operation } from "./shapes.ts";

const SDK = "aws-sdk:sfn:";

/** The handler of a task that calls Step Functions; undefined for tasks of other services. */
export function stepFunctions(service: Service, { kind, name }: Resource): Taker | undefined {
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

/** The members of a task's request. */
function membersOf({ command }: TaskCall): Record<string, unknown> {
  return isObject(command.input) ? command.input : {};
}

/** `states:startExecution`: starts a machine of this server, and waits for it where the task does. */
class Starter implements Taker {
  readonly #service: Service;

  constructor(service: Service) {
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
    const { StateMachineArn: stateMachineArn, Name: name, Input: given } = membersOf(call);
    let child: Live | undefined;
    const stopped = `The Task state in AWS Step Functions execution [${driver.execution.arn}] which was managing this resource was aborted`;
    call.onCancel = () => child?.abort(undefined, stopped);
    const { about, live } = await this.#service.startNamed({ stateMachineArn, name, input: textOf(call, driver, given) });
    const answer = started(command, about.id, about.startDate);
    if (resource.pattern === "") {
      driver.complete(call, "succeed", answer);
      return;
    }
    if (resource.pattern === "waitForTaskToken") {
      call.answered = true;
      return driver.post("submitted", command.task, answer);
    }
    // The task may have been cancelled while its child was being started.
    child = live ?? this.#service.runner.find(about.id);
    if (call.ended) return child?.abort(undefined, stopped);
    driver.post("submitted", command.task, answer);
    const ended = (child === undefined ? await this.#service.store.get(about.id) : await child.ended) ?? about;
    const text = membersText(description(resource, detailsOf(ended)));
    if (ended.status === "SUCCEEDED") driver.complete(call, "succeed", text);
    else driver.complete(call, "fail", "States.TaskFailed", text);
  }
}

/** An execution as the response of the task that started it has it. */
function detailsOf({ name, id, machineArn, input, startDate, stopDate, status, output, error, cause }: StoredExecution): ExecutionDetails {
  const result = output === undefined ? undefined : new JsonText(output);
  return { name, arn: id, machineArn, input, startDate, stopDate, status, error, cause, ...(result !== undefined && { output: result }) };
}

/** The JSON text of a task's Input. A string is JSON text already; the default is `{}`. */
function textOf(call: TaskCall, driver: TaskDriver, given: unknown): string {
  if (given === undefined || given === null) return "{}";
  return typeof given === "string" ? given : (driver.inputOf?.(call.command.task, "Input") ?? jsonText(given));
}

/** `aws-sdk:sfn:…`: any operation of this server. */
class Caller implements Taker {
  readonly #service: Service;
  readonly #operation: Operation;

  constructor(service: Service, operation: Operation) {
    this.#service = service;
    this.#operation = operation;
  }

  get [TAKER](): boolean {
    return true;
  }

  take(call: TaskCall, driver: TaskDriver): void {
    const leave = new AbortController();
    call.onCancel = () => leave.abort();
    this.#service.call(this.#operation, this.#request(call), { signal: leave.signal }).then(
      (response) => {
        const text = JSON.stringify(renamed(response, capital));
        if (call.resource.pattern !== "waitForTaskToken") return void driver.complete(call, "succeed", text);
        call.answered = true;
        driver.post("submitted", call.command.task, text);
      },
      (thrown: unknown) => fail(call, driver, thrown),
    );
  }

  /** The request with the API's names, which begin with a lower-case letter. */
  #request({ command }: TaskCall): unknown {
    const request = renamed(command.input ?? {}, small);
    if (!isObject(request)) return request;
    // The API takes JSON texts; Step Functions makes them of other values.
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

/** A value with its members renamed, at any depth. Times become texts, as in the SDK integrations. */
function renamed(value: unknown, name: (key: string) => string, key = ""): unknown {
  if (Array.isArray(value)) return value.map((member) => renamed(member, name));
  if (typeof value === "number" && /(Date|timestamp)$/i.test(key)) return new Date(Math.round(value * 1000)).toISOString();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [name(key), renamed(member, name, key)]));
}
