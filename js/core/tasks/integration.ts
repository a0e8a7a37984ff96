// The inputs of handlers, and the responses of services that are made from their answers: AWS wraps the results of optimized
// integrations.
//
// A handler receives and returns the inner value, such as a function's payload; the state machine receives what AWS would send.
// `task.parameters` is the whole request, and a TaskResponse is the whole response.

import { TaskError, isExecutionError, isTaskError, messageOf, misuse } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { ExecutionStatus, InvokeCommand } from "../api/index.d.ts";
import type { TaskFailure } from "./call.ts";
import { checkLoss } from "./json-loss.ts";
import { KnownText, isJsonText } from "./known-text.ts";
import type { Resource } from "./resource.ts";

const RESPONSE: unique symbol = Symbol.for("stepglass.TaskResponse");

/** The whole response of a service. If a handler returns it, it is not wrapped. */
export class TaskResponse {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  get [RESPONSE](): boolean {
    return true;
  }
}

/** Returns what a handler's answer contains: the response inside a TaskResponse, or the answer itself. */
export function answeredValue(value: unknown): unknown {
  return isResponse(value) ? value.value : value;
}

function isResponse(value: unknown): value is TaskResponse {
  return typeof value === "object" && value !== null && (value as { [RESPONSE]?: unknown })[RESPONSE] === true;
}

// The member of a service's request that its handler receives.
const INNER: ReadonlyMap<string, "Payload" | "Input"> = new Map([
  ["lambda:invoke", "Payload"],
  ["states:startExecution", "Input"],
]);

/** Returns the name of the member of a request that the handler receives; undefined if it receives the whole request. */
export function innerMember(resource: Resource): "Payload" | "Input" | undefined {
  return resource.kind === "service" ? INNER.get(resource.name) : undefined;
}

/**
 * Returns the handler's first argument. A Payload or Input that is a string is the JSON text of what the function or execution
 * receives (recorded for lambda:invoke). A string that is not JSON is the input itself.
 */
export function handlerInput(resource: Resource, parameters: unknown): unknown {
  const given = innerOf(resource, parameters);
  if (typeof given !== "string" || innerMember(resource) === undefined) return given;
  return attempt(() => JSON.parse(given)) ?? (given.trim() === "null" ? null : given);
}

/** Returns the handler's first argument for a running task. Throws the service's error if the string is not JSON. */
export function taskInput(resource: Resource, parameters: unknown): unknown {
  const given = innerOf(resource, parameters);
  const inner = innerMember(resource);
  if (typeof given !== "string" || inner === undefined) return given;
  try {
    return JSON.parse(given);
  } catch (problem) {
    if (inner === "Payload")
      throw new TaskError("Lambda.InvalidRequestContentException", `Could not parse request body into json: ${messageOf(problem)}`);
    throw new TaskError("StepFunctions.InvalidExecutionInputException", `Invalid State Machine Execution Input: '${messageOf(problem)}'`);
  }
}

function innerOf(resource: Resource, parameters: unknown): unknown {
  const inner = innerMember(resource);
  if (inner === undefined) return parameters;
  // The default of both members is an empty object.
  return (isObject(parameters) && Object.hasOwn(parameters, inner) ? parameters[inner] : undefined) ?? {};
}

/** The members of a request that its service's answer contains. */
type RequestCommand = Pick<InvokeCommand, "task" | "input">;

/** Returns the task's result as JSON text. Throws what JSON.stringify throws. */
export function resultText(resource: Resource, command: RequestCommand, value: unknown, now: number): string {
  if (isResponse(value)) return jsonText(value.value);
  const text = jsonText(value);
  if (resource.kind !== "service" || resource.pattern === "waitForTaskToken") return text;
  switch (resource.name) {
    case "lambda:invoke":
      return `{"ExecutedVersion":"$LATEST","Payload":${text},${metadata(command)},"StatusCode":200}`;
    case "http:invoke":
      return isHttpResponse(isJsonText(value) ? value.value : value)
        ? text
        : `{"Headers":{},"ResponseBody":${text},"StatusCode":200,"StatusText":"OK"}`;
    case "states:startExecution":
      return resource.pattern === ""
        ? startedText(command, now)
        : membersText(description(resource, handled(command, now, { status: "SUCCEEDED", output: value ?? null })));
    default:
      return text;
  }
}

/**
 * Returns the failure of a task whose service has answered. If EventBridge refuses entries of a request, it answers with success,
 * and Step Functions fails the task (recorded). Returns undefined for every other answer.
 */
export function answeredFailure(resource: Resource, value: unknown): { error: string; cause: string } | undefined {
  if (resource.name !== "events:putEvents" || resource.pattern !== "") return undefined;
  const given = answeredValue(value);
  const response = isJsonText(given) ? given.value : given;
  if (!isObject(response) || !(Number(response.FailedEntryCount) > 0)) return undefined;
  const { Entries, FailedEntryCount } = response;
  return { error: "EventBridge.FailedEntry", cause: jsonText({ Entries, FailedEntryCount }) };
}

/** Returns the first response of a service whose result comes later, as JSON text. */
export function submittedText(resource: Resource, command: RequestCommand, now: number): string {
  return resource.name === "states:startExecution" ? startedText(command, now) : `{${metadata(command)}}`;
}

/** Returns the `Error` and `Cause` of a task whose handler has thrown a value, as the service would report them. */
export function failure(resource: Resource, command: RequestCommand, thrown: unknown, now: number): TaskFailure {
  if (isTaskError(thrown)) return { error: thrown.error, cause: thrown.errorCause };
  const lambda = resource.kind === "lambda" || resource.name === "lambda:invoke";
  if (resource.name === "states:startExecution" && resource.pattern !== "") {
    const outcome = isExecutionError(thrown)
      ? { error: thrown.error, cause: thrown.errorCause, status: thrown.status }
      : { ...plainFailure(thrown), status: "FAILED" as const };
    return { error: "States.TaskFailed", cause: membersText(description(resource, handled(command, now, outcome))) };
  }
  return lambda ? lambdaFailure(thrown) : plainFailure(thrown);
}

function plainFailure(thrown: unknown): { error: string; cause: string } {
  if (isExecutionError(thrown)) return { error: thrown.error ?? thrown.status, cause: thrown.errorCause ?? thrown.message };
  if (!isError(thrown))
    return { error: "Error", cause: typeof thrown === "string" ? thrown : (attempt(() => JSON.stringify(thrown)) ?? typeof thrown) };
  return { error: textOf(thrown, "name") || "Error", cause: textOf(thrown, "message") ?? "" };
}

// Returns a failure as the Node.js runtime of Lambda reports it: the name, and a JSON text of name, message and stack.
function lambdaFailure(thrown: unknown): { error: string; cause: string } {
  const { error, cause } = plainFailure(thrown);
  const stack = isError(thrown) ? textOf(thrown, "stack") : undefined;
  // A retry often fails as the previous attempt did, so its text is used again.
  if (last.error !== error || last.cause !== cause || last.stack !== stack) {
    last = { error, cause, stack, text: JSON.stringify({ errorType: error, errorMessage: cause, trace: stack?.split("\n") ?? [] }) };
  }
  return { error, cause: last.text };
}

// The last failure that was reported.
let last: { error?: string; cause?: string; stack?: string | null | undefined; text: string } = { stack: null, text: "" };

/** Returns a member of an error as text; undefined if reading it throws. */
function textOf(error: Error, name: "name" | "message" | "stack"): string | undefined {
  try {
    return String(error[name]);
  } catch {
    return undefined;
  }
}

function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
  } catch {
    return false;
  }
}

/** Returns the computed value; undefined if computing it throws. Reading an object of the user can run any code. */
function attempt<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}

/** Returns the JSON text of a value; `null` for a value that JSON cannot express (undefined, a function, a symbol). */
export function jsonText(value: unknown): string {
  if (isJsonText(value)) return value.text;
  const text: string | undefined = JSON.stringify(value);
  return text ?? "null";
}

/** Returns the JSON text of an object. Its members can be JsonText values. */
export function membersText(object: object): string {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`).join(",")}}`;
}

/**
 * Returns the JSON text of an argument. If JSON cannot express it, the error names the argument. If JSON would change it silently,
 * this is an error only with `strict`, and otherwise a warning.
 */
export function argumentText(value: unknown, name: string, strict = false): string {
  let text: string;
  try {
    text = jsonText(value);
  } catch (error) {
    throw misuse("INVALID_ARGUMENT", `${name} cannot be written as JSON: ${messageOf(error)}`);
  }
  checkLoss(value, name, strict);
  return text;
}

/** Returns whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isHttpResponse(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, "ResponseBody") && Object.hasOwn(value, "StatusCode");
}

// The request id counts tasks, so that equal runs have equal histories.
function metadata(command: RequestCommand): string {
  const id = `00000000-0000-4000-8000-${command.task.toString(16).padStart(12, "0")}`;
  return `"SdkHttpMetadata":{"AllHttpHeaders":{},"HttpHeaders":{},"HttpStatusCode":200},"SdkResponseMetadata":{"RequestId":"${id}"}`;
}

function childArn(command: RequestCommand): { machineArn: string; name: string; arn: string } {
  const { StateMachineArn, Name } = isObject(command.input) ? command.input : {};
  const machineArn = typeof StateMachineArn === "string" ? StateMachineArn : "arn:aws:states:us-east-1:123456789012:stateMachine:Child";
  const name = typeof Name === "string" ? Name : `task-${command.task}`;
  return { machineArn, name, arn: `${machineArn.replace(":stateMachine:", ":execution:")}:${name}` };
}

function startedText(command: RequestCommand, now: number): string {
  return started(command, childArn(command).arn, now);
}

/** Returns StartExecution's response. */
export function started(command: RequestCommand, arn: string, now: number): string {
  return `{"ExecutionArn":${JSON.stringify(arn)},${metadata(command)},"StartDate":${now}}`;
}

/** Returns the details of the execution that the handler replaces. */
function handled(
  command: RequestCommand,
  now: number,
  outcome: Pick<ExecutionDetails, "status" | "output" | "error" | "cause">,
): ExecutionDetails {
  const given = isObject(command.input) ? command.input.Input : undefined;
  return { ...childArn(command), input: jsonText(given ?? {}), startDate: now, stopDate: now, ...outcome };
}

/** The details of an execution that DescribeExecution returns. Times are in milliseconds since 1970. */
export interface ExecutionDetails {
  name: string;
  arn: string;
  machineArn: string;
  /** The input, as JSON text. */
  input: string;
  startDate: number;
  stopDate?: number | undefined;
  status: ExecutionStatus;
  output?: unknown;
  error?: string | undefined;
  cause?: string | undefined;
}

/** DescribeExecution's response, as Step Functions spells it for states. */
export interface ExecutionDescription {
  Cause?: string;
  Error?: string;
  ExecutionArn: string;
  Input: string | KnownText;
  InputDetails: { Included: true };
  Name: string;
  Output?: unknown;
  OutputDetails?: { Included: true };
  RedriveCount: number;
  RedriveStatus: "NOT_REDRIVABLE" | "REDRIVABLE";
  RedriveStatusReason?: string;
  StartDate: number | string;
  StateMachineArn: string;
  Status: ExecutionStatus;
  StopDate?: number | string | undefined;
}

/** Returns DescribeExecution's response. With `.sync:2`, the input and output of an execution that succeeded are JSON, not text. */
export function description({ pattern }: Pick<Resource, "pattern">, execution: ExecutionDetails): ExecutionDescription {
  const { name, arn, machineArn, input, startDate, stopDate, status, output, error, cause } = execution;
  const succeeded = status === "SUCCEEDED";
  const parsed = succeeded && pattern === "sync:2";
  const final = succeeded || status === "RUNNING";
  return {
    ...(cause !== undefined && { Cause: cause }),
    ...(error !== undefined && { Error: error }),
    ExecutionArn: arn,
    Input: parsed ? new KnownText(input) : input,
    InputDetails: { Included: true },
    Name: name,
    ...(succeeded && { Output: parsed ? output : jsonText(output), OutputDetails: { Included: true } }),
    RedriveCount: 0,
    RedriveStatus: final ? "NOT_REDRIVABLE" : "REDRIVABLE",
    ...(final && { RedriveStatusReason: `Execution is ${status} and cannot be redriven` }),
    StartDate: startDate,
    StateMachineArn: machineArn,
    Status: status,
    StopDate: stopDate,
  };
}
