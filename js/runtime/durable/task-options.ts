// Options of a runtime's tasks that a definition cannot express: cancellation, the time limit of retries, queues, missing handlers.

import type { Task as PublicTask, TaskHandler } from "../../core/api/index.d.ts";
import type { Attributes, RuntimeOptions, TaskOptions } from "../../core/api/durable.d.ts";
import { TaskError, isTaskError, messageOf, misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { Task } from "../../core/driver/task.ts";
import type { Taker } from "../../core/tasks/call.ts";
import { Handlers, type TaskSource } from "../../core/tasks/resource.ts";
import { calledOnce, checkNotCalled, markCall } from "./at-most-once.ts";
import { sparedBy } from "./cancellation.ts";
import { INVOKE, chosen, invoked, withoutQueue } from "./choices.ts";
import type { Host } from "./host.ts";
import type { Interceptors } from "./interceptors.ts";
import type { Live } from "./live.ts";
import type { Queues } from "./queues.ts";
import type { Telemetry } from "./telemetry.ts";

type OptionsByName = Readonly<Record<string, TaskOptions>>;

/** What happens to a task without a handler. */
type MissingHandlerPolicy = NonNullable<TaskOptions["missingHandler"]>;

const MISSING_HANDLER: readonly MissingHandlerPolicy[] = ["suspend", "fail"];
const ON_CANCEL = ["abandon", "request", "wait"];
const POLICIES = ["terminate", "request-cancel", "abandon"];

/** Returns the options of a state, or else those of its resource. */
export function optionsOf(all: OptionsByName | undefined, state: string, resource: string): TaskOptions | undefined {
  if (all === undefined) return undefined;
  return Object.hasOwn(all, state) ? all[state] : Object.hasOwn(all, resource) ? all[resource] : undefined;
}

/** The parts of a runtime that its handlers use. */
interface Surroundings {
  source: TaskSource;
  host: Host;
  queues: Queues;
  telemetry: Telemetry | undefined;
  interceptors: Interceptors;
}

/** Handlers, with the options of their tasks. */
export class OptionedHandlers extends Handlers {
  readonly #all: OptionsByName | undefined;
  readonly #host: Host;
  /** Whether some tasks wait for the handlers of cancelled tasks. */
  readonly #waits: boolean;
  /** Handlers of cancelled tasks that are still running, by the ARN of their execution. */
  readonly #closing = new Map<string, Set<Promise<unknown>>>();

  readonly #queues: Queues;

  readonly #telemetry: Telemetry | undefined;

  readonly #interceptors: Interceptors;

  readonly #missing: MissingHandlerPolicy;

  readonly #defaultQueue: string | undefined;

  readonly #requireQueue: boolean;

  constructor(
    {
      tasks,
      taskOptions: all,
      missingHandler = "suspend",
      defaultQueue,
      requireQueue = false,
      strict,
    }: Pick<RuntimeOptions, "tasks" | "taskOptions" | "missingHandler" | "defaultQueue" | "requireQueue" | "strict">,
    { source, host, queues, telemetry, interceptors }: Surroundings,
  ) {
    super(tasks, source, (state, resource) => this.#missingOf(state, resource) === "suspend", strict);
    for (const [name, options] of Object.entries(all ?? {})) check(name, options);
    if (!MISSING_HANDLER.includes(missingHandler))
      throw misuse("INVALID_OPTION", `missingHandler must be one of ${MISSING_HANDLER.join(", ")}, not ${shown(missingHandler)}`);
    this.#all = all;
    if (defaultQueue !== undefined && typeof defaultQueue !== "string")
      throw misuse("INVALID_OPTION", `defaultQueue must be the name of a queue, not ${shown(defaultQueue)}`);
    this.#missing = missingHandler;
    this.#defaultQueue = defaultQueue;
    this.#requireQueue = requireQueue;
    this.#host = host;
    this.#queues = queues;
    this.#telemetry = telemetry;
    this.#interceptors = interceptors;
    this.#waits = Object.values(all ?? {}).some(({ onCancel }) => onCancel === "wait");
  }

  override find(resource: string, state: string, input: unknown): TaskHandler | Taker | undefined {
    const handler = this.#find(resource, state, input);
    if (this.#telemetry === undefined || typeof handler !== "function") return handler;
    return this.#telemetry.traced(handler, (arn) => this.#host.find(arn)?.record.trace);
  }

  #missingOf(state: string, resource: string): MissingHandlerPolicy {
    return optionsOf(this.#all, state, resource)?.missingHandler ?? this.#missing;
  }

  #find(resource: string, state: string, input: unknown): TaskHandler | Taker | undefined {
    const options = optionsOf(this.#all, state, resource);
    const queue = options?.queue ?? this.#defaultQueue;
    const direct = options?.queue === undefined ? this.#direct(resource, state, input) : undefined;
    // A default queue is for the tasks that a handler of a worker can do.
    const isQueued = queue !== undefined && (direct === undefined || typeof direct === "function");
    const own = isQueued ? this.#inQueue(queue, options ?? {}) : direct;
    // In a queue, the worker calls the interceptors.
    const found = typeof own === "function" && !isQueued ? this.#unqueued(own, state) : own;
    const isOnce = options?.atMostOnce === true && !isQueued && typeof found === "function";
    const handler = isOnce ? calledOnce(found, this.#host) : found;
    if (this.#all === undefined || typeof handler !== "function") return handler;
    if (options === undefined && !this.#waits) return handler;
    return (given, task) => this.#call(handler, options ?? {}, given, task);
  }

  #direct(resource: string, state: string, input: unknown): TaskHandler | Taker | undefined {
    if (resource === INVOKE) return invoked(input, (name, given) => super.find(name, state, given));
    return super.find(resource, state, input);
  }

  /** A handler that is called at once. */
  #unqueued(handler: TaskHandler, state: string): TaskHandler {
    return this.#requireQueue ? withoutQueue(state) : this.#interceptors.handler(handler);
  }

  #inQueue(queue: Exclude<TaskOptions["queue"], undefined>, options: TaskOptions): TaskHandler {
    if (typeof queue === "string") return this.#queued(queue, options);
    return chosen(
      queue,
      (arn) => this.#host.find(arn)?.record,
      (name) => this.#queued(name, options),
    );
  }

  #queued(queue: string, { scheduleToStartSeconds, priority, atMostOnce = false }: TaskOptions): TaskHandler {
    return this.#queues.handler(queue, scheduleToStartSeconds, {
      intercepted: (handler) => this.#interceptors.handler(handler),
      ...(atMostOnce && {
        isOffered: (task) => checkNotCalled(task, this.#host),
        isTaken: (task) => markCall(task, this.#host),
      }),
      waitsOf: (task) => this.#missingOf(task.stateName, task.resource) === "suspend",
      priorityOf: (arn) => priority ?? Number(this.#host.find(arn)?.record.priority ?? 0),
      attributeOf: (arn, name) => (this.#host.find(arn)?.record.attributes as Attributes | undefined)?.[name],
      placeOf: (task, next) => placeOf(this.#host.find(task.execution.arn), task, next),
    });
  }

  #call(handler: TaskHandler, options: TaskOptions, input: any, task: PublicTask): unknown {
    const closing = this.#closing.get(task.execution.arn);
    if (closing !== undefined) return Promise.allSettled(closing).then(() => this.#call(handler, options, input, task));
    if (task.signal.aborted) throw task.signal.reason;
    const live = this.#host.find(task.execution.arn);
    if (options.onCancel === "request" && sparedBy(live?.record.cancelRequested).includes(task.id)) Task.cancel(task as Task, "Cancelled");
    if (options.retryExpirationSeconds !== undefined && live !== undefined)
      return this.#watched(live, task, () => this.#expiring(live, options.retryExpirationSeconds!, handler, input, task), options);
    return this.#watched(live, task, () => (options.onCancel === "request" ? ending(handler, input, task) : handler(input, task)), options);
  }

  /** Calls a handler. If `onCancel` is `wait`, the execution's next handlers wait for the end of this one when it is cancelled. */
  #watched(live: Live | undefined, task: PublicTask, call: () => unknown, { onCancel }: TaskOptions): unknown {
    if (onCancel !== "wait" || live === undefined) return call();
    const work = Promise.resolve(call());
    const { arn } = task.execution;
    const leave = () => {
      const closing = this.#closing.get(arn);
      if (closing?.delete(work) && closing.size === 0) this.#closing.delete(arn);
    };
    const enter = () => {
      const closing = this.#closing.get(arn) ?? new Set();
      this.#closing.set(arn, closing.add(work));
      work.then(leave, leave);
    };
    task.signal.addEventListener("abort", enter, { once: true });
    const settled = () => task.signal.removeEventListener("abort", enter);
    work.then(settled, settled);
    return work;
  }

  /** Calls a handler. If the time for retries has passed, the task fails with an error that is not retried. */
  async #expiring(live: Live, seconds: number, handler: TaskHandler, input: any, task: PublicTask): Promise<unknown> {
    const began = firstAttempt(live, task, this.#host.clock.now());
    const isOver = () => this.#host.clock.now() - began >= seconds * 1000;
    if (task.attempt > 0 && isOver()) throw expired(seconds, "no attempt is made any more");
    try {
      return await handler(input, task);
    } catch (thrown) {
      if (!isOver()) throw thrown;
      throw expired(seconds, isTaskError(thrown) ? `${thrown.error}: ${thrown.errorCause ?? ""}` : messageOf(thrown));
    }
  }
}

/** Calls a handler. If it ends with the reason for which it was cancelled, its task ends as cancelled. */
async function ending(handler: TaskHandler, input: any, task: PublicTask): Promise<unknown> {
  try {
    return await handler(input, task);
  } catch (thrown) {
    if (!task.signal.aborted || thrown !== task.signal.reason) throw thrown;
    throw new TaskError("Stepglass.Cancelled", messageOf(thrown));
  }
}

function expired(seconds: number, last: string): Error {
  return new TaskError("Stepglass.RetryExpired", `${seconds} seconds for retries have passed: ${last}`);
}

/** Returns the position of a task in its queue: the one from before a restart, or the next one. */
function placeOf(live: Live | undefined, { id }: PublicTask, next: () => number): number {
  const known = (live?.state.places as [task: number, place: number][] | undefined)?.find(([other]) => other === id);
  if (known !== undefined) return known[1];
  const place = next();
  live?.note("queued", id, place);
  if (live !== undefined) notePlace(live.state, [id, place]);
  return place;
}

/** Called by the host. Applies a recorded position to the state of an execution. */
export function notePlace(state: Record<string, unknown>, [task, place]: unknown[]): void {
  state.places = [...((state.places as unknown[] | undefined) ?? []), [task, place]];
}

/** Called by the host before a snapshot. Removes the positions of tasks that have ended. */
export function forgetPlaces(live: Live): void {
  const places = live.state.places as [task: number, place: number][] | undefined;
  if (places === undefined) return;
  const open = new Set((JSON.parse(live.engine.ask("pending")) as { task: number }[]).map(({ task }) => task));
  live.state.places = places.filter(([task]) => open.has(task));
}

/** Maximum number of tasks whose first attempts an execution remembers. */
const REMEMBERED = 100;

/** Returns the time of a task's first attempt, including those before retries and restarts. */
function firstAttempt(live: Live, { idempotencyKey: key }: PublicTask, now: number): number {
  const known = live.state.attempts as [key: string, at: number][] | undefined;
  const first = known?.find(([other]) => other === key);
  if (first !== undefined) return first[1];
  live.note("attempt", key, now);
  noteAttempt(live.state, [key, now]);
  return now;
}

/** Called by the host. Applies a recorded first attempt to the state of an execution. */
export function noteAttempt(state: Record<string, unknown>, details: unknown[]): void {
  const [key, at] = details as [string, number];
  state.attempts = [...((state.attempts as [string, number][] | undefined) ?? []), [key, at]].slice(-REMEMBERED);
}

function check(name: string, options: TaskOptions): void {
  const where = `taskOptions[${JSON.stringify(name)}]`;
  checkOptions(
    options,
    [
      "onCancel",
      "parentClosePolicy",
      "retryExpirationSeconds",
      "queue",
      "scheduleToStartSeconds",
      "priority",
      "missingHandler",
      "atMostOnce",
      "childErrors",
    ],
    where,
  );
  const {
    onCancel = "abandon",
    parentClosePolicy = "terminate",
    retryExpirationSeconds = 1,
    priority = 0,
    missingHandler = "fail",
    atMostOnce = false,
    childErrors = "aws",
    queue = "",
  } = options;
  if (typeof queue !== "string" && typeof queue !== "function")
    throw misuse("INVALID_OPTION", `${where}.queue must be the name of a queue or a function, not ${shown(queue)}`);
  if (childErrors !== "aws" && childErrors !== "distinct")
    throw misuse("INVALID_OPTION", `${where}.childErrors must be one of aws, distinct, not ${shown(childErrors)}`);
  if (typeof atMostOnce !== "boolean") throw misuse("INVALID_OPTION", `${where}.atMostOnce must be a boolean, not ${shown(atMostOnce)}`);
  if (!MISSING_HANDLER.includes(missingHandler))
    throw misuse("INVALID_OPTION", `${where}.missingHandler must be one of ${MISSING_HANDLER.join(", ")}`);
  if (!Number.isFinite(priority)) throw misuse("INVALID_OPTION", `${where}.priority must be a number, not ${shown(priority)}`);
  if (!ON_CANCEL.includes(onCancel)) throw misuse("INVALID_OPTION", `${where}.onCancel must be one of ${ON_CANCEL.join(", ")}`);
  if (!POLICIES.includes(parentClosePolicy))
    throw misuse("INVALID_OPTION", `${where}.parentClosePolicy must be one of ${POLICIES.join(", ")}`);
  if (!(retryExpirationSeconds > 0)) throw misuse("INVALID_OPTION", `${where}.retryExpirationSeconds must be a number of seconds above 0`);
}
