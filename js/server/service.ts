// The service behind the endpoint has the state of the server, and calls the operations in the table of `operations/table.ts`.

import { partitionOf } from "../core/base/partition.ts";
import { randomUUID } from "node:crypto";
import type { Clock, MachineType, ServiceModels } from "../core/api/index.d.ts";
import type { Store } from "../core/api/durable.d.ts";
import type { ServeOptions } from "../core/api/server.d.ts";
import { messageOf, misuse } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { shown } from "../core/base/shown.ts";
import { steadyClockOf } from "../core/driver/steady-clock.ts";
import type { OpenOptions } from "../runtime/durable/host.ts";
import { RUN_BY } from "../runtime/durable/ownership.ts";
import type { OwnTasks } from "../runtime/durable/tasks.ts";
import { MemoryStore } from "../runtime/store/memory.ts";
import { type RegisteredActivity, loadActivities } from "./storage/activity.ts";
import { ApiError } from "./protocol/errors.ts";
import { startNamed } from "./executions/starting.ts";
import type { Log } from "./protocol/log.ts";
import { loadMachines } from "./storage/registered-machine.ts";
import type { Machine } from "./storage/registered-machine.ts";
import { modelsOf } from "./operations/models.ts";
import type { Caller, Scope } from "./protocol/caller.ts";
import type { OperationContext } from "./operations/operation.ts";
import { type AllLimits, LIMITS } from "./storage/registry.ts";
import { remoteMethodsOf } from "./executions/remote-methods.ts";
import { perform } from "./operations/table.ts";
import type { Parent, StoredExecution } from "./storage/records.ts";
import { ownTasks } from "./executions/builtin-tasks.ts";
import { type PublishOptions, Publisher } from "./executions/publishing.ts";
import { Quotas } from "./protocol/quotas.ts";
import { TaskRouter } from "./executions/router.ts";
import { Runner } from "./executions/runner.ts";
import { lookFor, reload } from "./storage/sharing.ts";
import { checkRequest, isOperation } from "./protocol/shapes.ts";
import type { Operation } from "./protocol/shapes.ts";
import { HandlersModule } from "./executions/tasks.ts";
import { unhandled } from "./executions/unhandled.ts";

/** The options of the service. */
type ServiceOptions = Pick<
  ServeOptions,
  | "tasks"
  | "otherTasks"
  | "urls"
  | "lambdaEndpoint"
  | "mockConfig"
  | "serviceModel"
  | "store"
  | "region"
  | "account"
  | "clock"
  | "limits"
  | "quotas"
  | "missingHandler"
> &
  PublishOptions & {
    log?: Log;
    /** Creates the router of tasks. Replaces the options that name handlers. */
    router?: (service: Service) => TaskRouter;
  };

/** Step Functions in one process, without HTTP. */
export class Service implements OperationContext {
  readonly machines = new Map<string, Machine>();
  readonly activities = new Map<string, RegisteredActivity>();
  /** The polls of workers that wait for a task. */
  readonly polls = new Set<AbortController>();
  /** The built-in tasks. */
  readonly tasks: OwnTasks;
  readonly runner: Runner;
  readonly router: TaskRouter;
  readonly store: Store;
  /** The models with which TestState checks mocks. */
  readonly serviceModel: () => ServiceModels | undefined;
  readonly region: string;
  readonly account: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly limits: AllLimits;
  /** The quotas of AWS, if the server has them. */
  readonly quotas: Quotas | undefined;
  readonly publisher: Publisher;
  /** What happens to a task of an earlier server's execution that has no handler. */
  readonly missingHandler: "suspend" | "fail";
  readonly #module: HandlersModule | undefined;
  readonly #owner = `stepglass-${randomUUID()}`;
  /** Resolves when the changes of other processes have been read. */
  #changing: Promise<void> = Promise.resolve();
  /** This service as callers from other regions and accounts see it. */
  readonly #scopes = new Map<string, Service>();

  constructor(options: ServiceOptions = {}) {
    const {
      store = new MemoryStore(),
      region = "us-east-1",
      account = "123456789012",
      log = () => {},
      clock = "real",
      limits = {},
      quotas = false,
      missingHandler = "suspend",
    } = options;
    if (missingHandler !== "suspend" && missingHandler !== "fail")
      throw misuse("INVALID_OPTION", `missingHandler must be "suspend" or "fail", not ${shown(missingHandler)}`);
    this.missingHandler = missingHandler;
    const { tasks, otherTasks, urls, lambdaEndpoint, mockConfig, router } = options;
    const others = { ...(otherTasks !== undefined && { otherTasks }), urls, lambdaEndpoint, mockConfig };
    this.store = store;
    this.serviceModel = modelsOf(options.serviceModel, log);
    this.region = region;
    this.account = account;
    this.log = log;
    this.clock = steadyClockOf(clock);
    this.quotas = quotas === false ? undefined : new Quotas(quotas === true ? {} : quotas, () => this.now());
    const defaults = { ...LIMITS, ...(this.quotas !== undefined && { registered: this.quotas.registered, running: Infinity }) };
    this.limits = { ...defaults, ...limits, retain: { ...LIMITS.retain, ...limits.retain } };
    this.publisher = new Publisher(this, options, (arn) => this.runner.current(arn));
    this.tasks = ownTasks(this);
    this.runner = new Runner(this, remoteMethodsOf(this));
    if (router !== undefined) {
      this.router = router(this);
      return;
    }
    if (!(typeof tasks === "string" || tasks instanceof URL)) {
      this.router = new TaskRouter(this, { tasks, ...others });
      return;
    }
    this.router = new TaskRouter(this, { tasks: {}, ...others });
    this.#module = new HandlersModule(tasks, {
      onLoad: (handlers) => {
        this.router.use(handlers);
        this.runner.host.retry();
        this.log("info", () => `loaded the tasks of ${tasks}`);
      },
      onError: (error) =>
        this.log("error", () => `cannot load the tasks of ${tasks}, so the previous version stays in use: ${messageOf(error)}`),
    });
  }

  /** Opens the store, and reads machines, activities and handlers. Must be called first. */
  async open(): Promise<void> {
    await this.store.open({ owner: this.#owner });
    try {
      await loadMachines(this);
      await loadActivities(this);
      await this.#module?.open();
    } catch (error) {
      await this.store.close();
      throw error;
    }
  }

  /** Resumes the executions of the store. With `standby`, no execution is resumed by itself. */
  async resume(options: OpenOptions = {}): Promise<void> {
    const { runner, store } = this;
    const { standby = false } = options;
    const running = await store.count({ status: "RUNNING" });
    if (running > 0 && !standby) {
      const { own, machines } = await unhandled(this);
      const others = running - own;
      if (own > 0)
        this.log(
          "info",
          () => `resumes ${own === 1 ? "an execution that was" : `${own} executions that were`} running when the server ended`,
        );
      if (others > 0)
        this.log(
          "error",
          () =>
            `${others} running ${others === 1 ? "execution of the store is" : "executions of the store are"} run by ${RUN_BY.runtime}: the server only shows them`,
        );
      const then = this.missingHandler === "fail" ? "will fail there" : "will wait there until something does";
      for (const { name, resources } of machines)
        this.log("error", () => `nothing handles ${resources.join(", ")}: executions of ${name} ${then}`);
    }
    await runner.open(this.#owner, options);
  }

  /**
   * Ends the polls of workers and closes the store. Executions of a durable store are resumed when it is opened again. Running
   * handlers have
   * `grace` milliseconds to answer. Executions of other stores end.
   */
  async close(grace = 0): Promise<void> {
    this.#module?.close();
    for (const poll of this.polls) poll.abort();
    await this.runner.close(grace);
    await this.publisher.close(grace);
    await this.store.close();
  }

  /** Performs an operation of the API. Throws ApiError. */
  async call(operation: string, input: unknown, caller: Caller = {}): Promise<object> {
    if (!isOperation(operation)) throw new ApiError("UnknownOperationException", `there is no operation ${operation}`);
    const seen = this.#seenFrom(caller.scope);
    this.quotas?.take(operation, seen.region, seen.account, typeOfStart(this, operation, input));
    if (this.store.sharing !== undefined) {
      await this.#changing;
      await lookFor(this, input);
    }
    return perform(operation, seen, input, caller);
  }

  /** Reads a document again that another process of the same store has changed. */
  changed(collection: string, key?: string): Promise<void> {
    const changing = this.#changing
      .then(() => reload(this, collection, key))
      .catch((error: unknown) => this.log("error", () => `cannot read ${collection} ${key ?? ""}: ${messageOf(error)}`));
    return (this.#changing = changing);
  }

  /** Returns this service as callers from a region and an account see it. They create and list resources of their own. */
  #seenFrom({ region = this.region, account = this.account }: Scope = {}): Service {
    if (region === this.region && account === this.account) return this;
    const key = `${region} ${account}`;
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const seen: Service = Object.create(this, { region: { value: region }, account: { value: account } });
    this.#scopes.set(key, seen);
    return seen;
  }

  /** Starts an execution for a task. */
  startNamed(input: unknown, parent: Parent): Promise<StoredExecution> {
    this.quotas?.take("StartExecution", this.region, this.account, typeOfStart(this, "StartExecution", input));
    return startNamed(this, checkRequest("StartExecution", input), parent);
  }

  /** Returns an ARN in this region and account. */
  arn(type: string, name: string): string {
    return `arn:${partitionOf(this.region)}:states:${this.region}:${this.account}:${type}:${name}`;
  }

  /** Returns how many registered resources count for a limit: all or, with quotas, those of this region and account. */
  count(registered: ReadonlyMap<string, unknown>): number {
    if (this.quotas === undefined) return registered.size;
    return [...registered.keys()].filter((arn) => this.owns(arn)).length;
  }

  /** Returns whether an ARN belongs to this region and account. */
  owns(arn: string): boolean {
    const [, , , region, account] = arn.split(":", 5);
    return region === this.region && account === this.account;
  }

  now(): number {
    return this.clock.now();
  }

  random(): number {
    return Math.random();
  }
}

/** Returns the type of the machine in a start request: the starts of each type have a quota of their own. */
function typeOfStart({ machines }: Service, operation: Operation, input: unknown): MachineType | undefined {
  if (operation !== "StartExecution" || !isObject(input)) return undefined;
  const [arn = ""] = String(input.stateMachineArn).split("#", 1);
  return machines.get(arn.split(":").slice(0, 7).join(":"))?.type;
}
