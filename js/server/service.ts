// @ts-nocheck: has no types yet.
// The service behind the endpoint: what it knows, and its operations.

import { randomUUID } from "node:crypto";
import { activityOperations, loadActivities } from "./activities.ts";
import { clockOf } from "../driver/clock.ts";
import { ApiError } from "./errors.ts";
import { executionOperations, startNamed } from "./executions.ts";
import { loadMachines, machineOperations } from "./machines.ts";
import { mapRunOperations } from "./mapruns.ts";
import { TaskRouter } from "./router.ts";
import { Runner } from "./runner.ts";
import { REQUESTS, checkRequest } from "./shapes.ts";
import { MemoryStore } from "./store.ts";
import { HandlersModule } from "./tasks.ts";

const OPERATIONS = { ...machineOperations, ...executionOperations, ...activityOperations, ...mapRunOperations };

/** The limits that stand where none are given. */
const LIMITS = { registered: 10_000, running: 100_000, retain: { executions: 10_000, bytes: 256 * 2 ** 20 }, poll: 60_000 };

/** Whether the API has an operation of this name. */
export function isOperation(name) {
  return Object.hasOwn(REQUESTS, name) && Object.hasOwn(OPERATIONS, name);
}

/** Step Functions in one process, without the HTTP around it. */
export class Service {
  machines = new Map();
  activities = new Map();
  // Map runs by their ARN, and those of each execution.
  mapRuns = new Map();
  mapRunsOf = new Map();
  // The last redrive of an execution that came with a client token.
  redrives = new Map();
  // Workers that wait for a task.
  polls = new Set();
  runner = new Runner(this);
  router;
  #module;
  #opened;
  #scopes = new Map();

  constructor(options = {}) {
    const { store = new MemoryStore(), region = "us-east-1", account = "123456789012", log = () => {}, clock = "real", limits = {}, tasks, urls, lambdaEndpoint, mockConfig } = options;
    if (store.durable) throw new Error("the server keeps no journal, so it could not restore executions from a durable store: use a store with durable: false");
    this.store = store;
    this.region = region;
    this.account = account;
    this.log = log;
    this.clock = clockOf(clock);
    this.limits = { ...LIMITS, ...limits, retain: { ...LIMITS.retain, ...limits.retain } };
    const file = typeof tasks === "string" || tasks instanceof URL;
    this.router = new TaskRouter(this, { tasks: file ? {} : tasks, urls, lambdaEndpoint, mockConfig });
    if (file) {
      this.#module = new HandlersModule(tasks, {
        onLoad: (handlers) => {
          this.router.use(handlers);
          this.log("info", () => `loaded the tasks of ${tasks}`);
        },
        onError: (error) => this.log("error", () => `cannot load the tasks of ${tasks}, so the previous version stays in use: ${error.message}`),
      });
    }
  }

  /** Reads what the store has. Once, before all else. */
  open() {
    return (this.#opened ??= this.#open());
  }

  async #open() {
    await this.store.open({ owner: `stepglass-${randomUUID()}` });
    await loadMachines(this);
    await loadActivities(this);
    await this.#module?.open();
  }

  /** Ends the polls of workers and the executions that run, and closes the store. */
  async close() {
    this.#module?.close();
    for (const poll of this.polls) poll.abort();
    await this.runner.abandon();
    await this.store.close();
  }

  /** Performs an operation of the API; `about.scope` has the caller's region and account. Throws ApiError. */
  async call(operation, input, about) {
    if (!isOperation(operation)) throw new ApiError("UnknownOperationException", `there is no operation ${operation}`);
    return OPERATIONS[operation](this.#seenFrom(about?.scope), checkRequest(operation, input), about);
  }

  /** This service as the callers of a region and an account see it: what they create and list is theirs. */
  #seenFrom({ region = this.region, account = this.account } = {}) {
    if (region === this.region && account === this.account) return this;
    const key = `${region} ${account}`;
    let seen = this.#scopes.get(key);
    if (seen === undefined) this.#scopes.set(key, (seen = Object.create(this, { region: { value: region }, account: { value: account } })));
    return seen;
  }

  /** StartExecution for tasks: the record of the execution, and what runs it. */
  startNamed(input) {
    return startNamed(this, checkRequest("StartExecution", input));
  }

  /** An ARN of this account. */
  arn(type, name) {
    return `arn:aws:states:${this.region}:${this.account}:${type}:${name}`;
  }

  /** Whether an ARN is of this region and account. */
  owns(arn) {
    const [, , , region, account] = arn.split(":", 5);
    return region === this.region && account === this.account;
  }

  now() {
    return this.clock.now();
  }

  random() {
    return Math.random();
  }
}
