// @ts-nocheck: has no types yet.
// What a Task's Resource names, and which handler is meant for it.

import { isTaker } from "./activity.ts";
import { misuse } from "../base/errors.ts";

const PREFIX = /^arn:[^:]*:states:[^:]*:[^:]*:/;

/**
 * Takes a Resource ARN apart: `kind` is "lambda", "activity", "service" or "other"; for a service `name` is
 * "sqs:sendMessage", `full` the same with its suffix, `pattern` "", "sync", "sync:2" or "waitForTaskToken".
 */
export function parseResource(resource) {
  const lambda = /^arn:[^:]*:lambda:[^:]*:[^:]*:function:([^:]+)/.exec(resource);
  if (lambda) return { kind: "lambda", name: lambda[1], pattern: "" };
  const prefix = PREFIX.exec(resource);
  if (!prefix) return { kind: "other", name: undefined, pattern: "" };
  const full = resource.slice(prefix[0].length);
  if (full.startsWith("activity:")) return { kind: "activity", name: full.slice("activity:".length), arn: resource, pattern: "" };
  const suffix = /\.(sync(?::2)?|waitForTaskToken)$/.exec(full);
  return { kind: "service", name: suffix ? full.slice(0, suffix.index) : full, full, pattern: suffix?.[1] ?? "" };
}

/** The name in a function's or state machine's name, partial ARN or ARN, without version or alias. */
export function bareName(text, separator) {
  const at = text.lastIndexOf(separator);
  return (at < 0 ? text : text.slice(at + separator.length)).split(":")[0];
}

/** Finds the handler of a task. Handlers are read once, when the execution starts. */
export class Handlers {
  #all;
  #named = new Map();
  #patterns = [];
  #resources = new Map();

  #machines;

  /** `tasks` is one function for all tasks, or an object or Map of functions; `machines` are those that tasks start. */
  constructor(tasks = {}, machines) {
    this.#machines = machines;
    if (typeof tasks === "function") {
      this.#all = tasks;
      return;
    }
    if (typeof tasks !== "object" || tasks === null) {
      throw misuse("INVALID_OPTION", "tasks must be an object or a Map of handlers, or one function for all tasks");
    }
    const named = tasks instanceof Map;
    for (const name of named ? tasks.keys() : Object.keys(tasks)) {
      const handler = named ? tasks.get(name) : tasks[name];
      if (typeof handler !== "function" && !isTaker(handler)) {
        throw misuse("INVALID_OPTION", `the handler of ${JSON.stringify(String(name))} must be a function, not ${handler === null ? "null" : typeof handler}`);
      }
      this.#named.set(name, handler);
      if (typeof name === "string" && name.includes("*")) this.#patterns.push([name.replace(PREFIX, ""), handler]);
    }
    // The most specific first: the one with the most characters that are no wildcard.
    const weight = ([pattern]) => pattern.replaceAll("*", "").length;
    this.#patterns.sort((a, b) => weight(b) - weight(a));
  }

  /** The parts of a Resource, parsed once. */
  resource(text) {
    let parsed = this.#resources.get(text);
    if (parsed === undefined) this.#resources.set(text, (parsed = parseResource(text)));
    return parsed;
  }

  /** The handler of a task: a function, or an object with `take(call, driver)`; or undefined. */
  find(resource, state, input) {
    const named = this.#named.get(resource) ?? this.#named.get(state);
    if (named) return named;
    const parsed = this.resource(resource);
    for (const name of this.#all ? [] : candidates(parsed, input)) {
      const handler = this.#named.get(name);
      if (handler) return handler;
    }
    const nested = this.#machines?.find(parsed, input) ?? this.#all;
    if (nested) return nested;
    if (this.#patterns.length === 0) return undefined;
    const names = [resource, state, ...candidates(parsed, input)].filter((name) => name !== undefined);
    for (const [pattern, handler] of this.#patterns) {
      if (names.some((name) => matches(pattern, name))) return handler;
    }
    return undefined;
  }

  /** The error of a task without handler: which handlers there are, and how to give it one. */
  missing(resource, state, input) {
    const parsed = this.resource(resource);
    const unknown = this.#machines?.missing(parsed, input);
    if (unknown) return unknown;
    const names = [...this.#named.keys()].map((name) => JSON.stringify(String(name)));
    const shown = names.slice(0, 20).join(", ") + (names.length > 20 ? ` and ${names.length - 20} more` : "");
    const known = names.length === 0 ? "No handlers were given." : `The handlers are: ${shown}.`;
    const key = JSON.stringify(parsed.name ?? state);
    const cause = `No task handler for resource ${JSON.stringify(resource)} of state ${JSON.stringify(state)}. ${known} Add one to the tasks option, for example tasks: { ${key}: async (input) => ({}) }.`;
    return { error: "States.TaskFailed", cause };
  }
}

/** The names, besides ARN and state, under which a handler may stand; the most specific first. */
function candidates(parsed, input) {
  switch (parsed.kind) {
    case "lambda":
    case "activity":
      return [parsed.name];
    case "service": {
      const names = [];
      const called = calledName(parsed.name, input);
      if (called !== undefined) names.push(called.arn, called.name);
      names.push(parsed.full, parsed.name);
      return names;
    }
    default:
      return [];
  }
}

/** What an integration that calls something of the user's by name calls. */
function calledName(service, input) {
  const [key, separator] =
    service === "lambda:invoke" || service === "aws-sdk:lambda:invoke"
      ? ["FunctionName", ":function:"]
      : service.startsWith("states:startExecution") || service.startsWith("aws-sdk:sfn:start")
        ? ["StateMachineArn", ":stateMachine:"]
        : [];
  if (key === undefined || typeof input !== "object" || input === null || !Object.hasOwn(input, key)) return undefined;
  const arn = input[key];
  return typeof arn === "string" ? { arn, name: bareName(arn, separator) } : undefined;
}

/** Whether a text matches a pattern in which `*` stands for any characters. Linear in practice, never exponential. */
function matches(pattern, text) {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (pattern[p] === "*") {
      star = p++;
      resume = t;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
