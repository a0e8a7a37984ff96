// @ts-nocheck: has no types yet.
// What a handler is given and how its answer becomes the service's: AWS wraps the results of optimized integrations.
//
// A handler deals with the inner value, the function's payload or the child's output; the state machine sees what AWS
// would send. `task.parameters` has the whole request, and a TaskResponse is taken as the whole response.

import { TaskError, isExecutionError, isTaskError, misuse } from "../base/errors.ts";

const RESPONSE = Symbol.for("stepglass.TaskResponse");

/** Returned by a handler: the service's whole response, which is not wrapped. */
export class TaskResponse {
  constructor(value) {
    this.value = value;
  }

  get [RESPONSE]() {
    return true;
  }
}

function isResponse(value) {
  return typeof value === "object" && value !== null && value[RESPONSE] === true;
}

/**
 * A value that is known by its JSON text. It crosses as that text, so that its numbers keep their digits: JavaScript would
 * write 1.0 as 1, and round 12345678901234567890.
 */
export class JsonText {
  constructor(text) {
    this.text = text;
  }

  /** The value, read anew. */
  get value() {
    return JSON.parse(this.text);
  }
}

// Where the requests of services have what the handler deals with.
const INNER = { __proto__: null, "lambda:invoke": "Payload", "states:startExecution": "Input" };

/** The member of a service's request that its handler gets, where it does not get the whole request. */
export function innerMember(resource) {
  return resource.kind === "service" ? INNER[resource.name] : undefined;
}

/**
 * The handler's first argument. A Payload or Input that is a string is the JSON text of what the function or execution gets
 * (recorded for lambda:invoke); where it is not JSON, the string itself.
 */
export function handlerInput(resource, parameters) {
  const given = innerOf(resource, parameters);
  if (typeof given !== "string" || innerMember(resource) === undefined) return given;
  return attempt(() => JSON.parse(given)) ?? (given.trim() === "null" ? null : given);
}

/** The same for a task that runs: throws the error of the service where the string is not JSON. */
export function taskInput(resource, parameters) {
  const given = innerOf(resource, parameters);
  const inner = innerMember(resource);
  if (typeof given !== "string" || inner === undefined) return given;
  try {
    return JSON.parse(given);
  } catch (problem) {
    if (inner === "Payload") throw new TaskError("Lambda.InvalidRequestContentException", `Could not parse request body into json: ${problem.message}`);
    throw new TaskError("StepFunctions.InvalidExecutionInputException", `Invalid State Machine Execution Input: '${problem.message}'`);
  }
}

function innerOf(resource, parameters) {
  const inner = innerMember(resource);
  if (inner === undefined) return parameters;
  // Lambda calls a function without a payload with an empty object; so is the default Input.
  return (isObject(parameters) && Object.hasOwn(parameters, inner) ? parameters[inner] : undefined) ?? {};
}

/** The task's result as JSON text. Throws what JSON.stringify throws. */
export function resultText(resource, command, value, now) {
  if (isResponse(value)) return jsonText(value.value);
  const text = jsonText(value);
  if (resource.kind !== "service" || resource.pattern === "waitForTaskToken") return text;
  switch (resource.name) {
    case "lambda:invoke":
      return `{"ExecutedVersion":"$LATEST","Payload":${text},${metadata(command)},"StatusCode":200}`;
    case "http:invoke":
      return isHttpResponse(value instanceof JsonText ? value.value : value) ? text : `{"Headers":{},"ResponseBody":${text},"StatusCode":200,"StatusText":"OK"}`;
    case "states:startExecution":
      return resource.pattern === "" ? startedText(command, now) : membersText(description(resource, handled(command, now, { status: "SUCCEEDED", output: value ?? null })));
    default:
      return text;
  }
}

/**
 * The failure that an answer stands for: EventBridge answers a request of which it has refused entries with success, and
 * Step Functions fails the task (recorded). Undefined for every other answer.
 */
export function answeredFailure(resource, value) {
  if (resource.name !== "events:putEvents" || resource.pattern !== "") return undefined;
  const response = isResponse(value) || value instanceof JsonText ? value.value : value;
  if (!isObject(response) || !(response.FailedEntryCount > 0)) return undefined;
  const { Entries, FailedEntryCount } = response;
  return { error: "EventBridge.FailedEntry", cause: jsonText({ Entries, FailedEntryCount }) };
}

/** The first answer of a service whose result is yet to come, as JSON text. */
export function submittedText(resource, command, now) {
  return resource.name === "states:startExecution" ? startedText(command, now) : `{${metadata(command)}}`;
}

/** The `Error` and `Cause` of what a handler has thrown, as the service would report it. */
export function failure(resource, command, thrown, now) {
  if (isTaskError(thrown)) return { error: thrown.error, cause: thrown.errorCause };
  const lambda = resource.kind === "lambda" || resource.name === "lambda:invoke";
  if (resource.name === "states:startExecution" && resource.pattern !== "") {
    const { error, cause, status = "FAILED" } = isExecutionError(thrown) ? { error: thrown.error, cause: thrown.errorCause, status: thrown.status } : plainFailure(thrown);
    return { error: "States.TaskFailed", cause: membersText(description(resource, handled(command, now, { status, error, cause }))) };
  }
  return lambda ? lambdaFailure(thrown) : plainFailure(thrown);
}

function plainFailure(thrown) {
  if (isExecutionError(thrown)) return { error: thrown.error ?? thrown.status, cause: thrown.errorCause ?? thrown.message };
  if (!isError(thrown)) return { error: "Error", cause: typeof thrown === "string" ? thrown : (attempt(() => JSON.stringify(thrown)) ?? String(typeof thrown)) };
  return { error: textOf(thrown, "name") || "Error", cause: textOf(thrown, "message") ?? "" };
}

// What the Node.js runtime of Lambda reports: the name, and a JSON text of name, message and stack.
function lambdaFailure(thrown) {
  const { error, cause } = plainFailure(thrown);
  const stack = isError(thrown) ? textOf(thrown, "stack") : undefined;
  // A retry fails as the attempt before it did, more often than not.
  if (last.error !== error || last.cause !== cause || last.stack !== stack) {
    last = { error, cause, stack, text: JSON.stringify({ errorType: error, errorMessage: cause, trace: stack?.split("\n") ?? [] }) };
  }
  return { error, cause: last.text };
}

// The failure that was reported last.
let last = { stack: null };

/** What an error says of itself. */
function textOf(error, name) {
  try {
    return String(error[name]);
  } catch {
    return undefined;
  }
}

function isError(value) {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
  } catch {
    return false;
  }
}

/** The value, or undefined where computing it throws: user objects may do anything when they are looked at. */
function attempt(compute) {
  try {
    return compute();
  } catch {
    return undefined;
  }
}

/** JSON text; what JSON has no word for (undefined, a function, a symbol) is null. */
export function jsonText(value) {
  return value instanceof JsonText ? value.text : (JSON.stringify(value) ?? "null");
}

/** The JSON text of an object whose members may be known by their texts. */
export function membersText(object) {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`).join(",")}}`;
}

/** The same for what a caller gives; where JSON cannot hold it, the error names it. */
export function argumentText(value, name) {
  try {
    return jsonText(value);
  } catch (error) {
    throw misuse("INVALID_ARGUMENT", `${name} cannot be written as JSON: ${error?.message ?? error}`);
  }
}

/** Whether a text is JSON. */
export function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}

function isHttpResponse(value) {
  return isObject(value) && Object.hasOwn(value, "ResponseBody") && Object.hasOwn(value, "StatusCode");
}

// Equal runs give equal histories, so the request id counts tasks.
function metadata(command) {
  const id = `00000000-0000-4000-8000-${command.task.toString(16).padStart(12, "0")}`;
  return `"SdkHttpMetadata":{"AllHttpHeaders":{},"HttpHeaders":{},"HttpStatusCode":200},"SdkResponseMetadata":{"RequestId":"${id}"}`;
}

function childArn(command) {
  const { StateMachineArn, Name } = isObject(command.input) ? command.input : {};
  const machineArn = typeof StateMachineArn === "string" ? StateMachineArn : "arn:aws:states:us-east-1:123456789012:stateMachine:Child";
  const name = typeof Name === "string" ? Name : `task-${command.task}`;
  return { machineArn, name, arn: `${machineArn.replace(":stateMachine:", ":execution:")}:${name}` };
}

function startedText(command, now) {
  return started(command, childArn(command).arn, now);
}

/** StartExecution's response. */
export function started(command, arn, now) {
  return `{"ExecutionArn":${JSON.stringify(arn)},${metadata(command)},"StartDate":${now}}`;
}

/** The execution that a handler stands for. */
function handled(command, now, outcome) {
  const given = isObject(command.input) ? command.input.Input : undefined;
  return { ...childArn(command), input: jsonText(given ?? {}), startDate: now, stopDate: now, ...outcome };
}

/** An execution as DescribeExecution tells it; of one that has succeeded `.sync:2` has input and output as JSON, not as text. */
export function description({ pattern }, { name, arn, machineArn, input, startDate, stopDate, status, output, error, cause }) {
  const succeeded = status === "SUCCEEDED";
  const parsed = succeeded && pattern === "sync:2";
  const out = {};
  if (cause !== undefined) out.Cause = cause;
  if (error !== undefined) out.Error = error;
  out.ExecutionArn = arn;
  out.Input = parsed ? new JsonText(input) : input;
  out.InputDetails = { Included: true };
  out.Name = name;
  if (succeeded) {
    out.Output = parsed ? output : jsonText(output);
    out.OutputDetails = { Included: true };
  }
  out.RedriveCount = 0;
  const final = succeeded || status === "RUNNING";
  out.RedriveStatus = final ? "NOT_REDRIVABLE" : "REDRIVABLE";
  if (final) out.RedriveStatusReason = `Execution is ${status} and cannot be redriven`;
  return { ...out, StartDate: startDate, StateMachineArn: machineArn, Status: status, StopDate: stopDate };
}
