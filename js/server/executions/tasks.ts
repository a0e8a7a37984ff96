// Handlers of tasks: those of a module, and those that call HTTP services and Lambda functions.

import { existsSync, statSync, watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Task as PublicTask, TaskHandler } from "../../core/api/index.d.ts";
import { TaskError, messageOf } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { Task } from "../../core/driver/task.ts";
import { functionError, membersOf } from "../../core/tasks/functions.ts";
import { exportedHandlers } from "../../core/tasks/handlers.ts";
import { TaskResponse, innerMember, jsonText } from "../../core/tasks/integration.ts";
import { KnownText } from "../../core/tasks/known-text.ts";
import type { NamedHandlers } from "../../core/tasks/resource.ts";
import { bareName, parseResource } from "../../core/tasks/resource.ts";

/** Receives the handlers of a module each time it is loaded, and the error if it cannot be loaded. */
interface ModuleListener {
  onLoad: (handlers: NamedHandlers) => void;
  onError: (problem: unknown) => void;
}

/**
 * A module of handlers that is loaded again when its file changes. If a version cannot be loaded, the error is reported and the
 * previous version stays.
 */
export class HandlersModule {
  readonly #file: string;
  readonly #listener: ModuleListener;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Time and size of the version that was loaded. */
  #stamp = "";

  constructor(file: string | URL, listener: ModuleListener) {
    this.#file = file instanceof URL ? fileURLToPath(file) : resolve(file);
    this.#listener = listener;
  }

  /** Loads the module and watches its file. Throws if the module cannot be loaded. */
  async open(): Promise<void> {
    await this.#load();
    // Editors replace the file, so the folder is watched.
    this.#watcher = watch(dirname(this.#file), () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#reload(), 50);
    });
    this.#watcher.unref();
    this.#watcher.on("error", this.#listener.onError);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  async #load(): Promise<void> {
    this.#stamp = this.#stampNow();
    // Node caches modules by URL, so a new URL loads the module again, but not what it imports.
    const module = await import(`${pathToFileURL(this.#file).href}?${encodeURIComponent(this.#stamp)}`);
    this.#listener.onLoad(exportedHandlers(module, this.#file));
  }

  async #reload(): Promise<void> {
    try {
      if (existsSync(this.#file) && this.#stampNow() !== this.#stamp) await this.#load();
    } catch (error) {
      this.#listener.onError(error);
    }
  }

  #stampNow(): string {
    const { mtimeMs, size } = statSync(this.#file);
    return `${mtimeMs} ${size}`;
  }
}

/** The trace header of a task's execution. */
export type TraceOf = (task: PublicTask) => string | undefined;

/** Returns the header that passes a trace on. Header values must not have control characters. */
function traced(header: string | undefined): Record<string, string> {
  return header === undefined || /[^\x20-\x7e]/.test(header) ? {} : { "x-amzn-trace-id": header };
}

/**
 * Returns a handler that calls an HTTP service: it posts the task's input as JSON, and the JSON of the answer is the result. If the
 * status is
 * not 2xx, the task fails with `{"error", "cause"}` of the answer, or with Lambda's `{"errorType", "errorMessage"}`.
 */
export function httpTask(url: string, traceOf: TraceOf = () => undefined): TaskHandler {
  return async (input, task) => {
    const headers = {
      "content-type": "application/json",
      "stepglass-execution": encodeURIComponent(task.execution.arn),
      "stepglass-state": encodeURIComponent(task.stateName),
      "stepglass-resource": encodeURIComponent(task.resource),
      "stepglass-attempt": String(task.attempt),
      "stepglass-idempotency-key": encodeURIComponent(task.idempotencyKey),
      ...(task.token !== undefined && { "stepglass-task-token": task.token }),
      ...traced(traceOf(task)),
    };
    const { ok, status, text } = await post({ url, headers, body: inputText(input, task), signal: task.signal }, "Http");
    if (ok) return resultOf(text, (problem) => new TaskError("Http.InvalidResponse", `the response of ${url} is not JSON: ${problem}`));
    const { error, cause, errorType, errorMessage } = membersOf(text);
    if (typeof error === "string") throw new TaskError(error, cause);
    if (typeof errorType === "string") throw new TaskError(errorType, errorMessage ?? text);
    throw new TaskError(`Http.StatusCode.${status}`, text);
  };
}

/** A call of a Lambda function. */
interface LambdaCall {
  /** The function's name, its version or alias, and its payload. */
  name: string;
  qualifier: string | undefined;
  payload: string;
  invocationType: string;
  clientContext: string | undefined;
  /** Whether the state gets the response of the Invoke API itself, with the payload as text. */
  sdk: boolean;
  /** Whether it is the integration `lambda:invoke`. */
  optimized: boolean;
}

/** Returns a handler that calls functions by Lambda's Invoke API at an endpoint. */
export function lambdaTask(endpoint: string, traceOf: TraceOf = () => undefined): TaskHandler {
  const base = endpoint.replace(/\/+$/, "");
  return async (input, task) => {
    const call = lambdaCall(input, task);
    const { name, qualifier, payload, invocationType, clientContext } = call;
    const query = qualifier ? `?Qualifier=${encodeURIComponent(qualifier)}` : "";
    const url = `${base}/2015-03-31/functions/${encodeURIComponent(name)}/invocations${query}`;
    const headers = {
      "content-type": "application/json",
      "x-amz-invocation-type": invocationType,
      ...(clientContext !== undefined && { "x-amz-client-context": clientContext }),
      ...traced(traceOf(task)),
    };
    return lambdaResult(call, await post({ url, headers, body: payload, signal: task.signal }, "Lambda"));
  };
}

/** Returns the call for a task whose Resource is a function, or an integration whose parameters name a function. */
function lambdaCall(input: unknown, task: PublicTask): LambdaCall {
  const direct = /^arn:[^:]*:lambda:/.test(task.resource);
  const parameters: Record<string, unknown> = !direct && isObject(task.parameters) ? task.parameters : {};
  const called = direct ? task.resource : parameters.FunctionName;
  if (typeof called !== "string") throw new TaskError("Lambda.InvalidParameterValueException", "FunctionName is missing");
  const [, named] = /:function:[^:]+:([^:]+)$/.exec(called) ?? [];
  const sdk = task.resource.includes(":aws-sdk:lambda:");
  return {
    name: bareName(called, ":function:"),
    qualifier: named ?? textOf(parameters.Qualifier),
    payload: sdk ? memberText(parameters.Payload, task, "Payload") : inputText(input, task),
    invocationType: textOf(parameters.InvocationType) ?? "RequestResponse",
    clientContext: textOf(parameters.ClientContext),
    sdk,
    optimized: !direct && !sdk,
  };
}

/** Converts the response of the Invoke API to the result of a task. */
function lambdaResult(call: LambdaCall, { ok, status, text, headers }: Answer): unknown {
  const { name, sdk } = call;
  if (!ok) throw serviceError(status, text, headers, call);
  const failed = headers.get("x-amz-function-error");
  if (sdk) {
    const version = headers.get("x-amz-executed-version") ?? "$LATEST";
    return new TaskResponse({
      ExecutedVersion: version,
      ...(failed !== null && { FunctionError: failed }),
      Payload: text,
      StatusCode: status,
    });
  }
  if (failed !== null) throw functionError(text);
  return resultOf(text, (problem) => new TaskError("Lambda.Unknown", `the response of the function ${name} is not JSON: ${problem}`));
}

/** Returns the JSON text of a handler's first argument. Numbers have their original digits. */
function inputText(input: unknown, task: PublicTask): string {
  const member = innerMember(parseResource(task.resource));
  return memberText(member === undefined ? input : task.parameters?.[member], task, member);
}

/** Returns the JSON text of a member of the request. A string is JSON text already; the default is an empty object. */
function memberText(given: unknown, task: PublicTask, member?: string): string {
  if (member !== undefined && typeof given === "string") return given;
  if (member !== undefined && (given === undefined || given === null)) return "{}";
  return (task instanceof Task ? Task.inputText(task, member) : undefined) ?? jsonText(given);
}

/** Returns the error for a response of the Invoke API that is not a success. */
function serviceError(status: number, text: string, headers: Headers, { name, optimized }: LambdaCall): TaskError {
  const about = membersOf(text);
  const code = headers.get("x-amzn-errortype") ?? textOf(about.__type) ?? textOf(about.Type) ?? codeOf(status);
  const message = about.Message ?? about.message ?? `${name}: ${text.slice(0, 1000)}`;
  const request = headers.get("x-amzn-requestid") ?? "null";
  const plain = code.split(/[:#]/).at(-1);
  // The optimized integration uses an older client, whose message has another format (recorded).
  const service = optimized
    ? `Service: AWSLambda; Status Code: ${status}; Error Code: ${plain}; Request ID: ${request}; Proxy: null`
    : `Service: Lambda, Status Code: ${status}, Request ID: ${request}`;
  return new TaskError(`Lambda.${plain}`, `${message} (${service})`);
}

function codeOf(status: number): string {
  if (status === 404) return "ResourceNotFoundException";
  if (status === 429) return "TooManyRequestsException";
  return status >= 500 ? "ServiceException" : "AWSLambdaException";
}

/** The response of a service. */
interface Answer {
  ok: boolean;
  status: number;
  headers: Headers;
  text: string;
}

interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

/** Sends a request. If there is no response, throws the error of the service's client. */
async function post({ url, headers, body, signal }: Post, service: "Http" | "Lambda"): Promise<Answer> {
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
    return { ok: response.ok, status: response.status, headers: response.headers, text: await response.text() };
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw new TaskError(`${service}.SdkClientException`, `Unable to execute HTTP request: ${url}: ${reasonOf(thrown)}`);
  }
}

/** Returns the reason why there is no response. It is in the cause of fetch's error. */
function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error && isObject(thrown.cause) ? thrown.cause : {};
  return textOf(cause.message) || textOf(cause.code) || messageOf(thrown);
}

/** Returns the result in the body of a response; null if the body is empty. */
function resultOf(text: string, refuse: (problem: string) => TaskError): KnownText | null {
  if (text === "") return null;
  try {
    JSON.parse(text);
    return new KnownText(text);
  } catch (error) {
    throw refuse(messageOf(error));
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
