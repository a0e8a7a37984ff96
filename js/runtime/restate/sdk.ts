// The services for Restate's TypeScript SDK. This is the only module that knows the SDK, by the interfaces below. The caller of
// `serve` passes the package in, so it is no dependency.

import type { ExecutionObject } from "./object.ts";
import { Refused } from "./refused.ts";
import type { ScheduleObject } from "./schedules.ts";
import type { TaskService } from "./tasks.ts";
import type { ActivityObject } from "./activities.ts";
import {
  ACTIVITY,
  DEFINITION,
  EXECUTION,
  MACHINES,
  MAP_RUN,
  SCHEDULE,
  SHARD,
  TASKS,
  type Called,
  type Durable,
  type ObjectContext,
  type ReadingContext,
  type ServiceContext,
  type Target,
} from "./context.ts";
import type { RegisteredMachines } from "./registered-machines.ts";
import type { MapRunObject } from "./runs.ts";
import type { ShardObject } from "./shard.ts";

/** The part of the SDK's context that is used. */
interface SdkContext {
  key: string;
  request(): { id: string; attemptCompletedSignal: AbortSignal };
  get(name: string): Promise<unknown>;
  stateKeys(): Promise<string[]>;
  set(name: string, value: unknown): void;
  clear(name: string): void;
  clearAll(): void;
  run(name: string, action: () => unknown): Durable<unknown>;
  sleep(milliseconds: number): Durable<void>;
  signal(name: string): Durable<unknown>;
  genericCall(call: object): Called<unknown>;
  genericSend(send: object): { invocationId: Promise<string> };
  cancel(invocation: string): void;
  invocation(id: string): { signal(name: string): { resolve(value: unknown): void } };
  awakeable(): { id: string; promise: Durable<unknown> };
  resolveAwakeable(id: string, value: unknown): void;
}

type Handler = (ctx: SdkContext, input: never) => Promise<unknown>;

/** The part of the SDK that is used. */
export interface Sdk {
  service(definition: object): unknown;
  object(definition: object): unknown;
  handlers: {
    handler(options: object, handler: Handler): unknown;
    object: { exclusive(options: object, handler: Handler): unknown; shared(options: object, handler: Handler): unknown };
  };
  RestatePromise: { race(promises: readonly unknown[]): Promise<unknown> };
  TerminalError: new (message: string, options: { errorCode: number }) => Error;
  serde: { json: unknown };
  createEndpointHandler(options: object): (...args: never[]) => void;
}

/** Adapts a context of the SDK to ObjectContext. */
class Context implements ObjectContext {
  readonly #sdk: Sdk;
  readonly #ctx: SdkContext;
  readonly invocation: string;
  readonly ended: AbortSignal;

  constructor(sdk: Sdk, ctx: SdkContext) {
    this.#sdk = sdk;
    this.#ctx = ctx;
    const { id, attemptCompletedSignal } = ctx.request();
    this.invocation = id;
    this.ended = attemptCompletedSignal;
  }

  get key(): string {
    return this.#ctx.key;
  }

  get<T>(name: string): Promise<T | null> {
    return this.#ctx.get(name) as Promise<T | null>;
  }

  names(): Promise<string[]> {
    return this.#ctx.stateKeys();
  }

  set(name: string, value: unknown): void {
    this.#ctx.set(name, value);
  }

  clear(name: string): void {
    this.#ctx.clear(name);
  }

  clearAll(): void {
    this.#ctx.clearAll();
  }

  run<T>(name: string, action: () => T | Promise<T>): Durable<T> {
    return this.#ctx.run(name, action) as Durable<T>;
  }

  sleep(milliseconds: number): Durable<void> {
    return this.#ctx.sleep(milliseconds);
  }

  signal<T>(name: string): Durable<T> {
    return this.#ctx.signal(name) as Durable<T>;
  }

  race<T>(promises: readonly Durable<T>[]): Promise<T> {
    return this.#sdk.RestatePromise.race(promises) as Promise<T>;
  }

  call<T>({ service, handler: method, key }: Target, parameter: unknown): Called<T> {
    const { json } = this.#sdk.serde;
    const call = { service, method, parameter, inputSerde: json, outputSerde: json, ...(key !== undefined && { key }) };
    return this.#ctx.genericCall(call) as Called<T>;
  }

  send({ service, handler: method, key }: Target, parameter: unknown, delay?: number): { readonly invocationId: Promise<string> } {
    const when = delay === undefined ? {} : { delay };
    const send = { service, method, parameter, inputSerde: this.#sdk.serde.json, ...(key !== undefined && { key }), ...when };
    return this.#ctx.genericSend(send);
  }

  cancel(invocation: string): void {
    this.#ctx.cancel(invocation);
  }

  tell(invocation: string, name: string, value: unknown): void {
    this.#ctx.invocation(invocation).signal(name).resolve(value);
  }

  awakeable<T>(): { id: string; promise: Durable<T> } {
    return this.#ctx.awakeable() as { id: string; promise: Durable<T> };
  }

  resolveAwakeable(id: string, value: unknown): void {
    this.#ctx.resolveAwakeable(id, value);
  }
}

/** The objects that implement the services. */
export interface Services {
  object: ExecutionObject;
  schedule: ScheduleObject;
  activity: ActivityObject;
  tasks: TaskService;
  shards: ShardObject;
  mapRuns: MapRunObject;
  machines: RegisteredMachines;
  /** How long Restate remembers a start by its name, in milliseconds. */
  remembered: number;
}

const DAY = 86_400_000;
// Restate must not abort a running handler: the definition limits the duration of a task.
const LONG = 365 * DAY;

/** Returns the services for the SDK's `createEndpointHandler`. */
export function servicesOf(sdk: Sdk, { object, schedule, activity, tasks, shards, mapRuns, machines, remembered }: Services): unknown[] {
  const handler =
    <C, I, O>(handle: (ctx: C, input: I) => O | Promise<O>) =>
    async (ctx: SdkContext, input: never): Promise<O> => {
      try {
        return await handle(new Context(sdk, ctx) as C, input as I);
      } catch (thrown) {
        if (thrown instanceof Refused) throw new sdk.TerminalError(`${thrown.code}: ${thrown.message}`, { errorCode: 400 });
        throw thrown;
      }
    };
  const { exclusive, shared } = sdk.handlers.object;
  const lazy = { enableLazyState: true };
  const reads = <I, O>(handle: (ctx: ReadingContext, input: I) => O | Promise<O>) => shared(lazy, handler(handle) as Handler);
  const owns = <I, O>(handle: (ctx: ObjectContext, input: I) => O | Promise<O>, options: object) =>
    exclusive(options, handler(handle) as Handler);
  const serves = <I, O>(handle: (ctx: ServiceContext, input: I) => O | Promise<O>) => sdk.handlers.handler({}, handler(handle) as Handler);
  const options = { journalRetention: 0, abortTimeout: LONG };
  return [
    sdk.object({
      name: EXECUTION,
      handlers: {
        // A new object has no state, so none is sent with the call.
        start: owns(object.start.bind(object), { idempotencyRetention: remembered }),
        child: owns(object.child.bind(object), {}),
        event: owns(object.event.bind(object), lazy),
        tell: reads(object.tell.bind(object)),
        ring: reads(object.ring.bind(object)),
        stop: reads(object.stop.bind(object)),
        describe: reads(object.describe.bind(object)),
        history: reads(object.history.bind(object)),
        result: reads(object.result.bind(object)),
        inside: reads(object.inside.bind(object)),
        mapRuns: reads(object.mapRuns.bind(object)),
        problems: reads(object.problems.bind(object)),
      },
      options,
    }),
    sdk.service({ name: TASKS, handlers: taskHandlers(tasks, serves), options: { ...options, ingressPrivate: true } }),
    sdk.object({ name: SCHEDULE, handlers: handlersOf(schedule, owns), options }),
    sdk.object({ name: ACTIVITY, handlers: activityHandlers(activity, owns, reads), options }),
    sdk.object({ name: SHARD, handlers: shardHandlers(shards, owns), options: { ...options, ingressPrivate: true } }),
    sdk.object({ name: MAP_RUN, handlers: mapRunHandlers(mapRuns, owns, reads), options }),
    sdk.object({
      name: DEFINITION,
      handlers: {
        put: owns(async (ctx, text: string) => void ((await ctx.get("text")) ?? ctx.set("text", text)), {}),
        get: reads((ctx) => ctx.get<string>("text")),
      },
      options,
    }),
    sdk.service({ name: MACHINES, handlers: { list: serves(() => machines.all), describe: serves(describeMachine(machines)) }, options }),
  ];
}

/** Creates an exclusive handler. */
type Owns = <I, O>(handle: (ctx: ObjectContext, input: I) => O | Promise<O>, options: object) => unknown;

/** Creates a handler of a service. */
type Serves = <I, O>(handle: (ctx: ServiceContext, input: I) => O | Promise<O>) => unknown;

function taskHandlers(tasks: TaskService, serves: Serves): object {
  return {
    attempt: serves(tasks.attempt.bind(tasks)),
    shard: serves(tasks.shard.bind(tasks)),
    children: serves(tasks.children.bind(tasks)),
    ask: serves(tasks.ask.bind(tasks)),
  };
}

function handlersOf(schedule: ScheduleObject, owns: Owns): object {
  return {
    put: owns(schedule.put.bind(schedule), {}),
    remove: owns(schedule.remove.bind(schedule), {}),
    ring: owns(schedule.ring.bind(schedule), {}),
    ended: owns(schedule.ended.bind(schedule), {}),
  };
}

function activityHandlers(activity: ActivityObject, owns: Owns, reads: (handle: ActivityObject["poll"]) => unknown): object {
  const lazy = { enableLazyState: true };
  return {
    offer: owns(activity.offer.bind(activity), lazy),
    take: owns(activity.take.bind(activity), lazy),
    leave: owns(activity.leave.bind(activity), lazy),
    withdraw: owns(activity.withdraw.bind(activity), lazy),
    poll: reads(activity.poll.bind(activity)),
  };
}

function shardHandlers(shards: ShardObject, owns: Owns): object {
  return {
    start: owns(shards.start.bind(shards), {}),
    settled: owns(shards.settled.bind(shards), {}),
    ended: owns(shards.ended.bind(shards), {}),
    tell: owns(shards.tell.bind(shards), {}),
    stop: owns(shards.stop.bind(shards), {}),
    migrate: owns(shards.migrate.bind(shards), {}),
    forget: owns(shards.forget.bind(shards), {}),
  };
}

function mapRunHandlers(mapRuns: MapRunObject, owns: Owns, reads: (handle: MapRunObject["execution"]) => unknown): object {
  return {
    put: owns(mapRuns.put.bind(mapRuns), {}),
    execution: reads(mapRuns.execution.bind(mapRuns)),
    forget: owns(mapRuns.forget.bind(mapRuns), {}),
  };
}

function describeMachine(machines: RegisteredMachines): (ctx: ServiceContext, name: string) => string | null {
  return (_ctx, name) => machines.registered(name)?.machine.definition ?? null;
}
