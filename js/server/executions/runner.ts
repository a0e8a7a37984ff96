// Runs the server's executions, on the host of `js/runtime/durable/`.

import { createHash, randomUUID } from "node:crypto";
import { codeOf, messageOf, misuse } from "../../core/base/errors.ts";
import type { Continued } from "../../runtime/durable/continuation.ts";
import { type Continues, Host, type OpenOptions, type RemoteMethods } from "../../runtime/durable/host.ts";
import { type Live, settle } from "../../runtime/durable/live.ts";
import { MapRunRecorder, recordingMapRuns } from "../../runtime/durable/map-runs.ts";
import { runBy } from "../../runtime/durable/ownership.ts";
import { type Program, STEP_BUDGET, withBudgetOf } from "../../runtime/durable/programs.ts";
import type { OwnTasks } from "../../runtime/durable/tasks.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import type { Completion } from "../../core/tasks/call.ts";
import type { Handlers } from "../../core/tasks/resource.ts";
import { executionOfToken } from "../../core/tasks/token.ts";
import { ApiError, invalidToken, runsElsewhere, stackOf } from "../protocol/errors.ts";
import type { Machine, Target } from "../storage/registered-machine.ts";
import type { Publisher } from "./publishing.ts";
import type { Quotas } from "../protocol/quotas.ts";
import { type Parent, type StoredExecution, tagsOfTarget } from "../storage/records.ts";
import type { Registry } from "../storage/registry.ts";
import { Waiting } from "./waiting.ts";

// Maximum number of compiled definitions that no registered machine has.
const OLD = 64;
// Minimum time between two removals of ended executions from a durable store, in milliseconds.
const PRUNE_EVERY = 1000;

/** A request to start an execution, without the machine. */
export interface StartRequest {
  name?: string;
  input: string;
  traceHeader?: string;
  /** The task that starts the execution. Repeated calls of one task start one execution. */
  parent?: Parent;
  /** The execution that this one continues. It starts its continuation only once. */
  continued?: Continued;
  continues?: Continues;
  /** Distinguishes executions of an Express machine that have the same name. By default a random value. */
  run?: string;
}

/** What the runner needs of the server. */
interface RunnerContext extends Registry {
  readonly tasks: Pick<OwnTasks, "hooks" | "remoteMethods">;
  /** The handlers for an execution, also of a test case. */
  readonly router: { forTestCase(machine: string, testCase: string | undefined): Handlers };
  readonly publisher: Pick<Publisher, "begun" | "ended" | "observers">;
  /** What happens to a task of an earlier server's execution that has no handler. */
  readonly missingHandler: "suspend" | "fail";
  /** Reads a document again that another process of the same store has changed. */
  changed(collection: string, key?: string): Promise<void>;
}

/** Runs the executions of a server. */
export class Runner {
  readonly #service: RunnerContext;
  readonly host: Host;
  /** Compiled definitions of executions whose machine is no longer registered, by what determines the machine. */
  readonly #old = new Map<string, StateMachine>();
  #running = 0;
  #pruning: Promise<void> | undefined;
  #endPeace: (() => void) | undefined;
  #closed = false;

  /** Other processes of the same store can call `remoteMethods`. */
  constructor(service: RunnerContext, remoteMethods: RemoteMethods) {
    this.#service = service;
    const { store, clock, limits } = service;
    this.host = new Host({
      ...service.tasks.hooks,
      kind: "server",
      store,
      clock,
      // Executions of a store that is not durable are lost with the process, so there is no use in unloading them.
      resident: store.durable ? limits.resident : Infinity,
      program: (record) => this.#program(record as StoredExecution),
      remoteMethods: () => ({
        ...service.tasks.remoteMethods,
        redrive: (arn: string, clientToken?: string) => this.#redrive(arn, clientToken),
        answer: (token: string, ...completion: Completion) => this.#answer(token, ...completion),
        ...remoteMethods,
      }),
      onChanged: (collection, key) => void service.changed(collection, key),
      onBegun: (record) => service.publisher.begun(record as StoredExecution),
      onEnd: (record) => this.#ended(record as StoredExecution),
      onSuspended: ({ id }, why) => service.log("error", () => `${id} is suspended because it cannot continue: ${why}`),
      onWriteFailure: ({ error, retriesIn }) =>
        service.log("error", () => `the store failed; trying again in ${retriesIn} ms: ${messageOf(error)}`),
    });
  }

  /** The number of running executions. */
  get running(): number {
    return this.#running;
  }

  /** Resumes the executions that were running. */
  async open(owner: string, options: OpenOptions = {}): Promise<void> {
    this.#running += await this.#service.store.count({ status: "RUNNING" });
    if (this.#service.quotas !== undefined) await this.#countOpen(this.#service.quotas);
    await this.host.open(owner, options);
  }

  /**
   * Returns the execution with this ARN, and loads it if it runs but is not in memory. Only for reading: a change needs
   * `host.take`.
   */
  async live(arn: string): Promise<Live | undefined> {
    return this.host.find(arn) ?? (await this.host.take(arn));
  }

  /** Returns the record of an execution in memory. */
  current(arn: string): StoredExecution | undefined {
    return this.host.find(arn)?.record as StoredExecution | undefined;
  }

  /** Returns the trace header of an execution in memory. */
  traceOf(arn: string): string | undefined {
    return this.current(arn)?.traceHeader;
  }

  /** Starts an execution. Resolves to its record when the record is in the store. Throws ExecutionAlreadyExists. */
  async start(
    target: Target,
    { name = randomUUID(), input, traceHeader, parent, continued, continues, run }: StartRequest,
  ): Promise<StoredExecution> {
    const { machine, revision, versionArn, aliasArn, testCase } = target;
    const service = this.#service;
    // Other processes may have ended executions that this process started, so the count is refreshed.
    if (this.#running >= service.limits.running && service.store.sharing !== undefined)
      this.#running = await service.store.count({ status: "RUNNING" });
    if (this.#running >= service.limits.running) {
      throw new ApiError("ExecutionLimitExceeded", `The limit of ${service.limits.running} running executions is reached`);
    }
    const id = executionArn(machine, name, parent, run);
    if (machine.type === "STANDARD") service.quotas?.checkOpen(id);
    // These calls can throw, so they come before the record is created.
    const handlers = service.router.forTestCase(machine.name, testCase);
    const { compiled } = revision;
    const tags = tagsOfTarget(versionArn, aliasArn);
    const record: StoredExecution = {
      id,
      name,
      type: machine.type,
      machineArn: machine.arn,
      machine: machine.name,
      definition: revision.record.hash,
      ...(versionArn !== undefined && { versionArn }),
      ...(aliasArn !== undefined && { aliasArn }),
      ...(tags !== undefined && { tags }),
      ...(testCase !== undefined && { testCase }),
      ...(traceHeader !== undefined && { traceHeader }),
      ...(parent !== undefined && { parent }),
      ...(continued !== undefined && { continued }),
      revision: revision.record,
      stepBudget: STEP_BUDGET,
      status: "RUNNING",
      startDate: service.now(),
      input,
      redriveCount: 0,
      confirmedActivities: true,
    };
    const { roleArn } = revision.record;
    const info = { name, arn: record.id, stateMachineName: machine.name, stateMachineArn: machine.arn, roleArn };
    const program = this.#programOf(compiled, record, handlers, MapRunRecorder.of(this.host, record, revision.definition));
    this.#count(record, 1);
    let outcome: "created" | "exists" | undefined;
    try {
      const started = await this.host.start({ record, program, info, continues });
      outcome = started.outcome;
      if (outcome === "created") return record;
      const known = started.record as StoredExecution;
      if ((known.status === "RUNNING" && known.input === input) || isSame(known.parent, parent)) return known;
      // A continuation that exists already is returned to the execution that it continues.
      if (continued !== undefined) return known;
      throw new ApiError("ExecutionAlreadyExists", `Execution Already Exists: '${record.id}'`);
    } finally {
      if (outcome !== "created") this.#count(record, -1);
    }
  }

  /** Resolves to the record of an execution when it has ended. */
  async ended(arn: string): Promise<StoredExecution | undefined> {
    return (await this.host.ended(arn)) as StoredExecution | undefined;
  }

  /** Redrives an execution that did not succeed, and resolves to the time of the redrive. Throws ExecutionNotRedrivable. */
  async redrive(ended: StoredExecution, clientToken?: string): Promise<number> {
    const { id, redriveToken, redriveDate } = ended;
    if (clientToken !== undefined && clientToken === redriveToken && redriveDate !== undefined) return redriveDate;
    return this.at(id, "redrive", [id, clientToken]);
  }

  /** Calls a method in the process that runs an execution. An error of the API is restored as an ApiError. */
  async at(arn: string, name: string, args: readonly unknown[]): Promise<any> {
    try {
      return await this.host.at(arn, name, args);
    } catch (thrown) {
      if (codeOf(thrown) === "EXECUTION_ELSEWHERE") throw runsElsewhere(messageOf(thrown));
      if (thrown instanceof ApiError || (thrown as Error).name !== "ApiError") throw thrown;
      const { type, message, status, members } = thrown as ApiError;
      throw new ApiError(type, message, { ...members, status });
    }
  }

  async #redrive(id: string, clientToken?: string): Promise<number> {
    const ended = (await this.host.record(id)) as StoredExecution;
    this.#count(ended, 1);
    try {
      const record = await this.host.redrive(id, { redriveToken: clientToken });
      return (record as StoredExecution).redriveDate ?? this.#service.now();
    } catch (thrown) {
      this.#count(ended, -1);
      throw codeOf(thrown) === "NOT_REDRIVABLE" ? new ApiError("ExecutionNotRedrivable", messageOf(thrown)) : thrown;
    }
  }

  /** Stops an execution. Resolves to its record when it has ended. */
  async stop(arn: string, error?: string, cause?: string): Promise<StoredExecution | undefined> {
    await this.at(arn, "stop", [arn, error, cause]);
    return this.ended(arn);
  }

  /** Throws InvalidToken for a token that was never issued. */
  async checkToken(token: string): Promise<void> {
    const arn = executionOfToken(token);
    if (arn === undefined || (await this.host.record(arn)) === undefined) throw invalidToken();
  }

  /**
   * Answers a task token. Resolves when the answer is in the store. Throws InvalidToken for a token that was never issued, and
   * TaskTimedOut
   * if the task no longer waits.
   */
  async answer(token: string, ...completion: Completion): Promise<void> {
    const arn = executionOfToken(token);
    if (arn === undefined) throw invalidToken();
    await this.at(arn, "answer", [token, ...completion]);
  }

  async #answer(token: string, ...completion: Completion): Promise<void> {
    const arn = executionOfToken(token) ?? "";
    const { live, call } = await this.host.callOf(arn, token);
    if (live === undefined || call === undefined || !live.driver.complete(call, ...completion)) {
      if (live === undefined) await this.checkToken(token);
      throw new ApiError("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'");
    }
    // A heartbeat is not waited for: it is stored together with the next fact.
    if (completion[0] !== "heartbeat") await settle(live);
  }

  /** Resolves when all messages that an execution has received are in the store. */
  async whenStored(arn: string): Promise<void> {
    const live = this.host.find(arn);
    if (live !== undefined) await settle(live);
  }

  /** Stops and removes the executions of a machine that is being deleted. */
  async forget(machine: Machine): Promise<void> {
    const { store } = this.#service;
    const running: string[] = [];
    const ids: string[] = [];
    for (let before: number | undefined; ;) {
      const page = await store.list({ machineArn: machine.arn }, { limit: 1000, ...(before !== undefined && { before }) });
      ids.push(...page.items.map(({ id }) => String(id)));
      running.push(...page.items.filter(({ status }) => status === "RUNNING").map(({ id }) => String(id)));
      if (page.before === undefined) break;
      before = page.before;
    }
    await Promise.all(running.map((arn) => this.stop(arn)));
    await this.#forgotten(await this.host.prune({ ids }));
  }

  /** Leaves the executions of a durable store as they are. Executions of other stores end with the server. */
  async close(grace: number): Promise<void> {
    this.#closed = true;
    this.#endPeace?.();
    if (!this.#service.store.durable) {
      const running = [...this.host.all];
      const ended = running.map(({ id }) => this.host.ended(id));
      for (const live of running) live.post("stop", undefined, "The server was closed");
      await Promise.all(ended);
      await this.#pruning;
      return this.host.close();
    }
    await this.#pruning;
    await this.host.close(grace);
  }

  // ------------------------------------------------------------------------------------------------------ inside

  /** Returns the program for an execution of the store. */
  async #program(record: StoredExecution): Promise<Program> {
    const { machine, testCase } = record;
    const definition = await this.#service.store.getDefinition(record.definition ?? "");
    if (definition === undefined) throw misuse("UNKNOWN_MACHINE", `the definition of ${record.id} is not in the store`);
    const router = this.#service.router.forTestCase(machine, testCase);
    const watcher = await MapRunRecorder.load(this.host, record, definition);
    if (runBy(record) === "runtime")
      return withBudgetOf(
        record,
        recordingMapRuns({ machine: this.#compiled(record, definition), handlers: router, options: {} }, watcher),
      );
    const handlers = this.#isOlder(record) ? new Waiting(router) : router;
    return this.#programOf(this.#compiled(record, definition), record, handlers, watcher);
  }

  /** Returns whether an earlier server started an execution. That server may have had other handlers. */
  #isOlder({ startDate }: StoredExecution): boolean {
    const { missingHandler, store } = this.#service;
    return missingHandler === "suspend" && store.durable && startDate < this.host.openedAt;
  }

  #compiled({ machineArn, machine, type, definition: hash, revision }: StoredExecution, definition: string): StateMachine {
    const roleArn = revision?.roleArn;
    const registered = this.#service.machines.get(machineArn);
    for (const one of registered === undefined ? [] : registered.revisions)
      if (one.record.hash === hash && one.record.roleArn === roleArn) return one.compiled;
    const key = JSON.stringify([machineArn, hash, type, roleArn]);
    const known = this.#old.get(key);
    if (known !== undefined) return known;
    const made = new StateMachine(definition, { name: machine, arn: machineArn, type, ...(roleArn !== undefined && { roleArn }) });
    this.#old.set(key, made);
    const [oldest] = this.#old.keys();
    if (this.#old.size > OLD && oldest !== undefined) this.#old.delete(oldest);
    return made;
  }

  #programOf(machine: StateMachine, record: StoredExecution, handlers: Program["handlers"], watcher: MapRunRecorder | undefined): Program {
    const observers = this.#service.publisher.observers(record, watcher !== undefined);
    const options = { ...observers, ...(record.confirmedActivities && { confirmedActivities: true }) };
    return withBudgetOf(record, recordingMapRuns({ machine, handlers, options }, watcher));
  }

  #count(record: Pick<StoredExecution, "id" | "type">, by: 1 | -1): void {
    this.#running += by;
    this.#service.quotas?.count(record, by);
  }

  /** Counts the running executions for the quotas of their accounts. */
  async #countOpen(quotas: Quotas): Promise<void> {
    for (let before: number | undefined; ;) {
      const page = await this.#service.store.list({ status: "RUNNING" }, { limit: 1000, ...(before !== undefined && { before }) });
      for (const one of page.items) quotas.count({ id: String(one.id), type: String(one.type) }, 1);
      if (page.before === undefined) return;
      before = page.before;
    }
  }

  #ended(record: StoredExecution): void {
    const { id, status } = record;
    this.#count(record, -1);
    this.#service.publisher.ended(record);
    this.#service.log("debug", () => `${id} ${status}`);
    this.#pruning ??= this.#prune()
      .catch((error: unknown) => this.#service.log("error", () => stackOf(error)))
      .finally(() => (this.#pruning = undefined));
  }

  /** Removes the ended executions that exceed the limits. */
  async #prune(): Promise<void> {
    const { store, limits } = this.#service;
    if (store.durable) {
      await new Promise<void>((resolve) => {
        this.#endPeace = resolve;
        setTimeout(resolve, PRUNE_EVERY).unref();
      });
    }
    if (!this.#closed) await this.#forgotten(await store.prune(limits.retain));
  }

  /** Removes the Map Runs of executions that were removed. */
  async #forgotten(ids: string[]): Promise<void> {
    const { store } = this.#service;
    for (const id of ids) {
      const { items } = await store.list({ mapRunArn: id }, { limit: 1000 });
      if (items.length > 0) await store.prune({ ids: items.map((run) => String(run.id)) });
    }
  }
}

/** Returns the ARN for a new execution. */
export function executionArn({ arn, type }: Pick<Machine, "arn" | "type">, name: string, parent?: Parent, run?: string): string {
  if (type !== "EXPRESS") return `${arn.replace(":stateMachine:", ":execution:")}:${name}`;
  return `${arn.replace(":stateMachine:", ":express:")}:${name}:${run ?? (parent === undefined ? randomUUID() : nameOf(parent, "express"))}`;
}

/** Returns the name for an execution that a task starts without naming it: a UUID that is the same for each call of the task. */
export function nameOf({ arn, task }: Parent, kind = "name"): string {
  const hex = createHash("sha256")
    .update(JSON.stringify([arn, task, kind]))
    .digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function isSame(one: Parent | undefined, other: Parent | undefined): boolean {
  return one !== undefined && other !== undefined && one.arn === other.arn && one.task === other.task;
}
