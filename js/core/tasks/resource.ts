// The parts of a Task's Resource, and the handlers of tasks.

import { misuse } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { TaskHandler } from "../api/index.d.ts";
import { type Taker, isTaker } from "./call.ts";
import type { Pattern, Resource } from "./resource-kinds.ts";

export type { Pattern, Resource };

const PREFIX = /^arn:[^:]*:states:[^:]*:[^:]*:/;

const RUNTIME = "urn:stepglass:";

/** Parses a Resource. */
export function parseResource(resource: string): Resource {
  const name = /^arn:[^:]*:lambda:[^:]*:[^:]*:function:([^:]+)/.exec(resource)?.[1];
  if (name !== undefined) return { kind: "lambda", name, pattern: "" };
  if (resource.startsWith(RUNTIME)) return { kind: "runtime", name: resource.slice(RUNTIME.length), pattern: "" };
  const prefix = PREFIX.exec(resource);
  if (!prefix) return { kind: "other", name: undefined, pattern: "" };
  const full = resource.slice(prefix[0].length);
  if (full.startsWith("activity:")) return { kind: "activity", name: full.slice("activity:".length), arn: resource, pattern: "" };
  const suffix = /\.(sync(?::2)?|waitForTaskToken)$/.exec(full);
  // The regular expression accepts no other patterns.
  return { kind: "service", name: suffix ? full.slice(0, suffix.index) : full, full, pattern: (suffix?.[1] ?? "") as Pattern };
}

/** Returns the name in a function's or state machine's name, partial ARN or ARN, without version or alias. */
export function bareName(text: string, separator: string): string {
  const at = text.lastIndexOf(separator);
  const name = at < 0 ? text : text.slice(at + separator.length);
  return name.split(":", 1)[0] ?? name;
}

/** Why a task without a handler fails. */
export interface MissingHandler {
  error: string;
  cause: string;
  /** The cause without its advice, for hosts that give advice of their own. */
  problem?: string;
  /** Whether a durable execution waits for a handler: it is suspended, and does not fail. */
  waits?: boolean;
}

/** A source of handlers besides those that are given by name, such as the machines that tasks start. */
export interface TaskSource {
  /** Returns the handler of a task; undefined if the task does not belong to this source. */
  find(resource: Resource, input: unknown): Taker | undefined;
  /** Returns the error of a task that names something that does not exist; undefined if the task does not belong to this source. */
  missing(resource: Resource, input: unknown): MissingHandler | undefined;
}

/** Any function. */
type Callable = (...given: never[]) => unknown;

/** One function for all tasks, or functions and takers by name. */
export type NamedHandlers<Handler extends Callable = TaskHandler> =
  | Handler
  | Readonly<Record<string, Handler | object>>
  | ReadonlyMap<string, Handler | object>;

function isMap(tasks: object): tasks is ReadonlyMap<string, unknown> {
  return tasks instanceof Map;
}

type Patterns<Handler> = [pattern: string, handler: Handler | Taker][];

/** Handlers by name, and handlers whose names are patterns, with the most specific pattern first. */
interface Listed<Handler> {
  named: ReadonlyMap<string, Handler | Taker>;
  patterns: Patterns<Handler>;
}

// The parsed handlers of an object are cached, because many executions start with the same object. They are valid as long as the
// object has the same handlers.
const read = new WeakMap<object, Listed<Callable> & { names: readonly string[]; handlers: readonly unknown[] }>();

function readObject<Handler extends Callable>(tasks: Readonly<Record<string, Handler | object>>): Listed<Handler> {
  const names = Object.keys(tasks);
  const last = read.get(tasks);
  if (last !== undefined && isRead(tasks, names, last)) return last as unknown as Listed<Handler>;
  const handlers = names.map((name) => tasks[name]);
  const listed = listHandlers<Handler>(names, handlers);
  read.set(tasks, { ...(listed as unknown as Listed<Callable>), names, handlers });
  return listed;
}

function isRead(
  tasks: { readonly [name: string]: unknown },
  names: readonly string[],
  last: { names: readonly string[]; handlers: readonly unknown[] },
) {
  if (names.length !== last.names.length) return false;
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    if (name !== last.names[i] || tasks[name] !== last.handlers[i]) return false;
  }
  return true;
}

function readEntries<Handler extends Callable>(entries: ReadonlyMap<string, unknown>): Listed<Handler> {
  return listHandlers<Handler>([...entries.keys()], [...entries.values()]);
}

/** Checks and lists handlers, given their names and, in the same order, themselves. */
function listHandlers<Handler extends Callable>(names: readonly string[], handlers: readonly unknown[]): Listed<Handler> {
  const named = new Map<string, Handler | Taker>();
  const patterns: Patterns<Handler> = [];
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    const handler = handlers[i];
    if (typeof handler !== "function" && !isTaker(handler)) {
      throw misuse(
        "INVALID_OPTION",
        `the handler of ${JSON.stringify(String(name))} must be a function, not ${handler === null ? "null" : typeof handler}`,
      );
    }
    const usable = handler as Handler | Taker;
    named.set(name, usable);
    // A key of a Map may be of any type.
    if (typeof name === "string" && name.includes("*")) patterns.push([name.replace(PREFIX, ""), usable]);
  }
  // The pattern with the most characters that are not wildcards comes first.
  const weight = (pattern: string) => pattern.replaceAll("*", "").length;
  patterns.sort(([a], [b]) => weight(b) - weight(a));
  return { named, patterns };
}

const NONE: ReadonlyMap<string, any> = new Map();
const NO_PATTERNS: never[] = [];
const NO_TASKS = {};
const never = (): boolean => false;

/** Finds the handlers of tasks. The handlers are read once, when the execution starts. */
export class Handlers<Handler extends Callable = TaskHandler> {
  #all: Handler | undefined;
  #named: ReadonlyMap<string, Handler | Taker> = NONE;
  #patterns: Patterns<Handler> = NO_PATTERNS;
  #resources: Map<string, Resource> | undefined;
  #last: { text: string; parsed: Resource } | undefined;

  #machines: TaskSource | undefined;
  #waits: (state: string, resource: string) => boolean;
  /** Whether answers that JSON would change are refused. */
  readonly isStrict: boolean;

  /**
   * `machines` are the machines that tasks start. `waits` returns whether the execution waits for a handler of a task that has
   * none, because a deployment may have forgotten it. Otherwise the task fails.
   */
  constructor(
    tasks: NamedHandlers<Handler> = NO_TASKS,
    machines?: TaskSource,
    waits: (state: string, resource: string) => boolean = never,
    isStrict = false,
  ) {
    this.isStrict = isStrict;
    this.#machines = machines;
    this.#waits = waits;
    if (typeof tasks === "function") {
      this.#all = tasks;
      return;
    }
    if (typeof tasks !== "object" || tasks === null) {
      throw misuse("INVALID_OPTION", "tasks must be an object or a Map of handlers, or one function for all tasks");
    }
    // Many executions are started without handlers.
    if (tasks === NO_TASKS) return;
    ({ named: this.#named, patterns: this.#patterns } = isMap(tasks) ? readEntries<Handler>(tasks) : readObject<Handler>(tasks));
  }

  /** Returns the parts of a Resource, which is parsed once. */
  resource(text: string): Resource {
    // Consecutive states often have the same Resource.
    if (text === this.#last?.text) return this.#last.parsed;
    let parsed = this.#resources?.get(text);
    if (parsed === undefined) (this.#resources ??= new Map()).set(text, (parsed = parseResource(text)));
    this.#last = { text, parsed };
    return parsed;
  }

  /** Returns the handler of a task; undefined if there is none. */
  find(resource: string, state: string, input: unknown): Handler | Taker | undefined {
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
    const names = [resource, state, ...candidates(parsed, input)];
    for (const [pattern, handler] of this.#patterns) {
      if (names.some((name) => matches(pattern, name))) return handler;
    }
    return undefined;
  }

  /** Returns the error of a task without a handler. It lists the existing handlers, and says how to add one. */
  missing(resource: string, state: string, input: unknown): MissingHandler {
    const parsed = this.resource(resource);
    const unknown = this.#machines?.missing(parsed, input);
    // The machine that a task starts is part of its input. If it does not exist, the task fails, as on AWS.
    if (unknown && parsed.kind === "service") return unknown;
    const waits = this.#waits(state, resource);
    if (unknown) return { ...unknown, waits };
    const names = [...this.#named.keys()].map((name) => JSON.stringify(String(name)));
    const shown = names.slice(0, 20).join(", ") + (names.length > 20 ? ` and ${names.length - 20} more` : "");
    const known = names.length === 0 ? "No handlers were given." : `The handlers are: ${shown}.`;
    const key = JSON.stringify(parsed.kind === "runtime" ? resource : (parsed.name ?? state));
    const needs = parsed.kind === "runtime" ? "A Runtime of stepglass/durable does this task; here it needs a handler or a mock. " : "";
    const problem = `${needs}No task handler for resource ${JSON.stringify(resource)} of state ${JSON.stringify(state)}. ${known}`;
    const cause = `${problem} Add one to the tasks option, for example tasks: { ${key}: async (input) => ({}) }.`;
    return { error: "States.TaskFailed", cause, problem, waits };
  }
}

/** Returns the names, besides the ARN and the state, under which a handler may be registered; the most specific first. */
function candidates(parsed: Resource, input: unknown): string[] {
  switch (parsed.kind) {
    case "lambda":
    case "activity":
      return [parsed.name];
    case "service": {
      const called = calledName(parsed.name, input);
      return [...(called === undefined ? [] : [called.arn, called.name]), parsed.full, parsed.name];
    }
    default:
      return [];
  }
}

/** Returns the function or state machine that a service integration calls by name. */
function calledName(service: string, input: unknown): { arn: string; name: string } | undefined {
  const [key, separator] =
    service === "lambda:invoke" || service === "aws-sdk:lambda:invoke"
      ? ["FunctionName", ":function:"]
      : service.startsWith("states:startExecution") || service.startsWith("aws-sdk:sfn:start")
        ? ["StateMachineArn", ":stateMachine:"]
        : [];
  if (key === undefined || separator === undefined || !isObject(input) || !Object.hasOwn(input, key)) return undefined;
  const arn = input[key];
  return typeof arn === "string" ? { arn, name: bareName(arn, separator) } : undefined;
}

/**
 * Returns whether a text matches a pattern in which `*` stands for any characters. The time is linear in practice, and never
 * exponential.
 */
export function matches(pattern: string, text: string): boolean {
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
