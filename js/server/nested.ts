// @ts-nocheck: has no types yet.
// Tasks that speak to Step Functions themselves: they reach the server that runs them.

import { TAKER } from "../tasks/activity.ts";
import { JsonText, description, jsonText, membersText, started } from "../tasks/integration.ts";
import { refusal } from "../execution/nested.ts";
import { REQUESTS } from "./shapes.ts";

const SDK = "aws-sdk:sfn:";

/** What does a task of Step Functions' own; undefined for tasks of other services. */
export function stepFunctions(service, { kind, name }) {
  if (kind !== "service") return undefined;
  if (name === "states:startExecution") return new Starter(service);
  const operation = name.startsWith(SDK) ? name.charAt(SDK.length).toUpperCase() + name.slice(SDK.length + 1) : undefined;
  return operation !== undefined && Object.hasOwn(REQUESTS, operation) ? new Caller(service, operation) : undefined;
}

/** `states:startExecution`: starts a machine of this server, and waits for it where the task does. */
class Starter {
  constructor(service) {
    this.service = service;
  }

  get [TAKER]() {
    return true;
  }

  take(call, driver) {
    this.#start(call, driver).catch((thrown) => fail(call, driver, thrown));
  }

  async #start(call, driver) {
    const { resource, command } = call;
    const { StateMachineArn: stateMachineArn, Name: name, Input } = command.input ?? {};
    let child;
    call.onCancel = () => child?.execution.abort(undefined, `The Task state in AWS Step Functions execution [${driver.execution.arn}] which was managing this resource was aborted`);
    const { about, live } = await this.service.startNamed({ stateMachineArn, name, input: textOf(call, driver, Input) });
    const answer = started(command, about.id, about.startDate);
    if (resource.pattern === "") return void driver.complete(call, "succeed", answer);
    if (resource.pattern === "waitForTaskToken") {
      call.answered = true;
      return driver.post("submitted", command.task, answer);
    }
    // The task may have been cancelled while its child was being started.
    child = live ?? this.service.runner.find(about.id);
    if (call.ended) return call.onCancel();
    driver.post("submitted", command.task, answer);
    const ended = child === undefined ? await this.service.store.get(about.id) : await child.ended;
    const { id, name: given, machineArn, input, startDate, stopDate, status, output, error, cause } = ended;
    const told = { name: given, arn: id, machineArn, input, startDate, stopDate, status, error, cause, ...(output !== undefined && { output: new JsonText(output) }) };
    const text = membersText(description(resource, told));
    if (status === "SUCCEEDED") driver.complete(call, "succeed", text);
    else driver.complete(call, "fail", "States.TaskFailed", text);
  }
}

/** The JSON text of a task's Input: a string is one already; `{}` where there is none. */
function textOf(call, driver, given) {
  if (given === undefined || given === null) return "{}";
  return typeof given === "string" ? given : (driver.inputOf(call.command.task, "Input") ?? jsonText(given));
}

/** `aws-sdk:sfn:…`: any operation of this server. */
class Caller {
  constructor(service, operation) {
    this.service = service;
    this.operation = operation;
  }

  get [TAKER]() {
    return true;
  }

  take(call, driver) {
    const leave = new AbortController();
    call.onCancel = () => leave.abort();
    const texts = ["input", "output"];
    const request = renamed(call.command.input ?? {}, (key) => key.charAt(0).toLowerCase() + key.slice(1));
    // The API takes texts; Step Functions writes one where there is something else.
    for (const key of texts) if (request[key] !== undefined && typeof request[key] !== "string") request[key] = jsonText(request[key]);
    this.service.call(this.operation, request, { signal: leave.signal }).then(
      (response) => {
        const shown = renamed(response, (key) => key.charAt(0).toUpperCase() + key.slice(1));
        if (call.resource.pattern !== "waitForTaskToken") return driver.complete(call, "succeed", JSON.stringify(shown));
        call.answered = true;
        return driver.post("submitted", call.command.task, JSON.stringify(shown));
      },
      (thrown) => fail(call, driver, thrown),
    );
  }
}

function fail(call, driver, thrown) {
  const [code, message] = thrown?.type === undefined ? ["InternalFailure", String(thrown?.message)] : [thrown.type, thrown.message];
  const { error, cause } = refusal(call.resource.name, code, message);
  driver.complete(call, "fail", error, cause);
}

/** The same with other names of members, at any depth; times become texts, as the SDK's integrations write them. */
function renamed(value, name, key = "") {
  if (Array.isArray(value)) return value.map((member) => renamed(member, name));
  if (typeof value === "number" && /(Date|timestamp)$/i.test(key)) return new Date(Math.round(value * 1000)).toISOString();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [name(key), renamed(member, name, key)]));
}

