// @ts-nocheck: has no types yet.
// Who does the work of the tasks: a module of handlers, HTTP services, Lambda functions.

import { existsSync, statSync, watch } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { TaskError } from "../base/errors.ts";
import { exportedHandlers } from "../tasks/handlers.ts";
import { Task } from "../driver/task.ts";
import { JsonText, TaskResponse, innerMember, jsonText } from "../tasks/integration.ts";
import { bareName, parseResource } from "../tasks/resource.ts";

/**
 * A module of handlers that is read again when its file changes; a version that cannot be loaded is reported, and the one
 * before stays. `onLoad` gets the handlers, `onError` the problem.
 */
export class HandlersModule {
  #file;
  #watcher;
  #timer;
  #stamp;

  constructor(file, { onLoad, onError }) {
    this.#file = file instanceof URL ? fileURLToPath(file) : resolve(file);
    this.onLoad = onLoad;
    this.onError = onError;
  }

  /** Loads it for the first time, and begins to watch. Throws where it cannot be loaded. */
  async open() {
    await this.#load();
    // The folder and not the file: editors put a new file in its place.
    this.#watcher = watch(dirname(this.#file), () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#reload(), 50);
    });
    this.#watcher.unref();
    this.#watcher.on("error", (error) => this.onError(error));
  }

  close() {
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  async #load() {
    const { mtimeMs, size } = statSync(this.#file);
    this.#stamp = `${mtimeMs} ${size}`;
    // Node keeps modules by their address: another address is another reading. What it imports itself stays.
    const module = await import(`${pathToFileURL(this.#file).href}?${encodeURIComponent(this.#stamp)}`);
    const handlers = exportedHandlers(module);
    if (typeof handlers !== "function" && handlers.size === 0) throw new Error(`${this.#file} exports no functions`);
    this.onLoad(handlers);
  }

  async #reload() {
    try {
      if (!existsSync(this.#file)) return;
      const { mtimeMs, size } = statSync(this.#file);
      if (`${mtimeMs} ${size}` === this.#stamp) return;
      await this.#load();
    } catch (error) {
      this.onError(error);
    }
  }
}

/**
 * A handler that calls an HTTP service: POST of the task's input as JSON; the answer's JSON is the result. With another
 * status than 2xx the task fails: with `{"error", "cause"}` of the answer, or Lambda's `{"errorType", "errorMessage"}`.
 */
export function httpTask(url) {
  return async (input, task) => {
    const headers = {
      "content-type": "application/json",
      "stepglass-execution": encodeURIComponent(task.execution.arn),
      "stepglass-state": encodeURIComponent(task.stateName),
      "stepglass-resource": encodeURIComponent(task.resource),
      "stepglass-attempt": String(task.attempt),
      ...(task.token !== undefined && { "stepglass-task-token": task.token }),
    };
    const { ok, status, text } = await post(url, headers, inputText(input, task), task.signal, "Http");
    if (ok) return text === "" ? null : parsed(text, (problem) => new TaskError("Http.InvalidResponse", `the response of ${url} is not JSON: ${problem}`));
    const { error, cause, errorType, errorMessage } = attempt(text) ?? {};
    if (typeof error === "string") throw new TaskError(error, cause);
    if (typeof errorType === "string") throw new TaskError(errorType, errorMessage ?? text);
    throw new TaskError(`Http.StatusCode.${status}`, text);
  };
}

/** A handler that calls functions by Lambda's Invoke API at an endpoint. */
export function lambdaTask(endpoint) {
  const base = endpoint.replace(/\/+$/, "");
  return async (input, task) => {
    const { parameters } = task;
    const direct = /^arn:[^:]*:lambda:/.test(task.resource);
    const sdk = task.resource.includes(":aws-sdk:lambda:");
    const called = direct ? task.resource : parameters?.FunctionName;
    if (typeof called !== "string") throw new TaskError("Lambda.InvalidParameterValueException", "FunctionName is missing");
    const name = bareName(called, ":function:");
    const [, qualifier] = /:function:[^:]+:([^:]+)$/.exec(called) ?? [undefined, direct ? undefined : parameters.Qualifier];
    const url = `${base}/2015-03-31/functions/${encodeURIComponent(name)}/invocations${qualifier ? `?Qualifier=${encodeURIComponent(qualifier)}` : ""}`;
    const type = direct ? "RequestResponse" : (parameters.InvocationType ?? "RequestResponse");
    const context = direct ? undefined : parameters.ClientContext;
    const headers = { "content-type": "application/json", "x-amz-invocation-type": type, ...(typeof context === "string" && { "x-amz-client-context": context }) };
    const { ok, status, text, headers: answered } = await post(url, headers, sdk ? memberText(parameters.Payload, task, "Payload") : inputText(input, task), task.signal, "Lambda");
    if (!ok) throw serviceError(status, text, answered, name);
    const failed = answered.get("x-amz-function-error");
    if (failed !== null && !sdk) {
      const { errorType, errorMessage } = attempt(text) ?? {};
      // Timeouts and crashes have no type.
      const kind = /Task timed out after/.test(errorMessage ?? "") ? "Sandbox.Timedout" : "Lambda.Unknown";
      throw new TaskError(typeof errorType === "string" ? errorType : kind, text);
    }
    const version = answered.get("x-amz-executed-version") ?? "$LATEST";
    if (sdk) return new TaskResponse({ ExecutedVersion: version, ...(failed !== null && { FunctionError: failed }), Payload: text, StatusCode: status });
    return text === "" ? null : parsed(text, (problem) => new TaskError("Lambda.Unknown", `the response of the function ${name} is not JSON: ${problem}`));
  };
}

/** The JSON text of a handler's first argument, with the digits of its numbers. */
function inputText(input, task) {
  const member = innerMember(parseResource(task.resource));
  return memberText(member === undefined ? input : task.parameters?.[member], task, member);
}

/** The same of a member of the request: a string is a JSON text already, and nothing is an empty object. */
function memberText(given, task, member) {
  if (member !== undefined && typeof given === "string") return given;
  if (member !== undefined && (given === undefined || given === null)) return "{}";
  return (task instanceof Task ? Task.inputText(task, member) : undefined) ?? jsonText(given);
}

/** What the Invoke API itself refuses. */
function serviceError(status, text, headers, name) {
  const about = attempt(text) ?? {};
  const code = (headers.get("x-amzn-errortype") ?? about.__type ?? about.Type ?? { 404: "ResourceNotFoundException", 429: "TooManyRequestsException" }[status] ?? (status >= 500 ? "ServiceException" : "AWSLambdaException")).split(/[:#]/).at(-1);
  const message = about.Message ?? about.message ?? `${name}: ${text.slice(0, 1000)}`;
  return new TaskError(`Lambda.${code}`, `${message} (Service: Lambda, Status Code: ${status}, Request ID: ${headers.get("x-amzn-requestid") ?? "null"})`);
}

async function post(url, headers, body, signal, service) {
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
    return { ok: response.ok, status: response.status, headers: response.headers, text: await response.text() };
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const why = thrown?.cause?.message || thrown?.cause?.code || thrown?.message;
    throw new TaskError(`${service}.SdkClientException`, `Unable to execute HTTP request: ${url}: ${why}`);
  }
}

function parsed(text, problem) {
  try {
    JSON.parse(text);
    return new JsonText(text);
  } catch (error) {
    throw problem(error.message);
  }
}

/** The object that a text stands for, if it is one. */
function attempt(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
