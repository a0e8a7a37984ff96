// Runs executions, and redrives those that have failed.

import { randomUUID } from "node:crypto";
import type { ExecutionSnapshot, StartOptions } from "../api/index.d.ts";
import type { Batch } from "../api/server.d.ts";
import { codeOf, messageOf } from "../base/errors.ts";
import { seedOf } from "../base/random.ts";
import { driverOf, release } from "../execution/execution.ts";
import type { Driver, Outcome } from "../driver/driver.ts";
import type { Execution } from "../execution/execution.ts";
import { StateMachine } from "../execution/machine.ts";
import type { Handlers } from "../tasks/resource.ts";
import { ApiError, invalidToken, stackOf } from "./errors.ts";
import type { Machine, Target } from "./machine.ts";
import { MapRuns } from "./mapruns.ts";
import type { StoredExecution } from "./records.ts";
import type { Service } from "./service.ts";

// The number of events with which AWS does not redrive an execution.
const FULL = 24_999;

/** A running execution. */
export class Live {
  about: StoredExecution;
  /** The execution, once its record is in the store. */
  execution: Execution | undefined;
  mapRuns: MapRuns | undefined;
  /** Resolves to the record when the execution has ended. */
  readonly ended: Promise<StoredExecution>;
  end: (about: StoredExecution) => void = () => {};
  #abort: (() => void) | undefined;

  constructor(about: StoredExecution) {
    this.about = about;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  /** The execution has begun. */
  begin(execution: Execution): void {
    this.execution = execution;
    this.#abort?.();
  }

  /** Aborts the execution; one that has not begun is aborted when it does. */
  abort(error?: string, cause?: string): void {
    if (this.execution === undefined) this.#abort = () => this.execution?.abort(error, cause);
    else this.execution.abort(error, cause);
  }
}

/** The request of a start, without the machine. */
export interface StartRequest {
  name?: string;
  input: string;
  traceHeader?: string;
}

/** A started execution. `live` is missing if it was started before with the same name and input. */
export interface Started {
  about: StoredExecution;
  live?: Live;
}

/** Runs the executions of a service. */
export class Runner {
  readonly #service: Service;
  readonly #live = new Map<string, Live>();
  // The execution of each task token, and the tokens of each execution.
  readonly #tokens = new Map<string, string>();
  readonly #given = new Map<string, string[]>();
  // Writes in progress, for which a graceful end waits.
  readonly #writes = new Set<Promise<void>>();
  // Executions for which a redrive was accepted and that do not run yet.
  readonly #redriving = new Set<string>();

  constructor(service: Service) {
    this.#service = service;
  }

  /** How many executions run. */
  get running(): number {
    return this.#live.size;
  }

  /** The execution with this ARN, if it runs. */
  find(arn: string): Live | undefined {
    return this.#live.get(arn);
  }

  /** Starts an execution. Throws ExecutionAlreadyExists. */
  async start(target: Target, { name = randomUUID(), input, traceHeader }: StartRequest): Promise<Started> {
    const { machine, revision, versionArn, aliasArn, testCase } = target;
    const service = this.#service;
    const arn = executionArn(machine, name);
    if (this.#live.size >= service.limits.running) {
      throw new ApiError("ExecutionLimitExceeded", `The limit of ${service.limits.running} running executions is reached`);
    }
    // These throw before there is a record.
    const handlers = service.router.forTestCase(machine.name, testCase);
    const { compiled } = revision;
    const { outcome, about } = await service.store.create({
      id: arn,
      name,
      type: machine.type,
      machineArn: machine.arn,
      machineName: machine.name,
      ...(versionArn !== undefined && { versionArn }),
      ...(aliasArn !== undefined && { aliasArn }),
      ...(testCase !== undefined && { testCase }),
      ...(traceHeader !== undefined && { traceHeader }),
      revision: revision.record,
      status: "RUNNING",
      startDate: service.now(),
      input,
      redriveCount: 0,
    });
    if (outcome === "exists") {
      if (about.status === "RUNNING" && about.input === input) return { about };
      throw new ApiError("ExecutionAlreadyExists", `Execution Already Exists: '${arn}'`);
    }
    const live = new Live(about);
    this.#live.set(arn, live);
    try {
      this.#launch(live, compiled, handlers, revision.definition);
    } catch (bug) {
      // Otherwise the status of the record would be RUNNING forever.
      await this.#write(live, { about: { status: "FAILED", stopDate: service.now(), error: "States.Runtime", cause: messageOf(bug) } });
      throw bug;
    }
    return { about, live };
  }

  /** Begins an execution whose record is in the store. */
  #launch(live: Live, machine: StateMachine, handlers: Handlers, definition: string): void {
    const { clock } = this.#service;
    const { id: arn, name, machineName, machineArn, input } = live.about;
    const execution: Execution = StateMachine.launch(
      machine,
      { handlers, clock, options: this.#observers(live, definition) },
      {
        text: input,
        info: { name, arn, stateMachineName: machineName, stateMachineArn: machineArn },
        seed: seedOf(undefined),
        onFinish: (outcome: Outcome) => this.#finish(live, execution, outcome),
      },
    );
    live.begin(execution);
  }

  /** Redrives an execution that did not succeed; returns the time. Throws ExecutionNotRedrivable. */
  async redrive(about: StoredExecution): Promise<number> {
    if (about.status === "RUNNING" || about.status === "SUCCEEDED")
      throw notRedrivable(`Execution is ${about.status} and cannot be redriven`);
    if (this.#live.has(about.id) || this.#redriving.has(about.id)) throw notRedrivable("Execution is RUNNING and cannot be redriven");
    // Of two concurrent requests, the second one fails.
    this.#redriving.add(about.id);
    try {
      return await this.#redrive(about);
    } finally {
      this.#redriving.delete(about.id);
    }
  }

  async #redrive(about: StoredExecution): Promise<number> {
    const { store } = this.#service;
    const { seq, snapshot } = (await store.load(about.id)) ?? { seq: 0, snapshot: undefined };
    if (snapshot === undefined) throw notRedrivable("Execution history event limit exceeded, the execution cannot be redriven");
    const definition = (await store.getDefinition(about.revision.hash)) ?? "";
    const redriveDate = this.#service.now();
    const redriveCount = about.redriveCount + 1;
    const changed = {
      status: "RUNNING" as const,
      redriveCount,
      redriveDate,
      stopDate: undefined,
      output: undefined,
      error: undefined,
      cause: undefined,
    };
    const live = new Live({ ...about, ...changed });
    // The record is written first, because the execution may end at once.
    this.#live.set(about.id, live);
    await store.append(about.id, { expectedSeq: seq, about: changed });
    try {
      const execution = this.#redriven(live, definition, JSON.parse(snapshot.text));
      this.#track(execution.result.then((outcome) => this.#finish(live, execution, outcome)));
      live.begin(execution);
    } catch (thrown) {
      this.#live.delete(about.id);
      const { status, stopDate, redriveCount, redriveDate, output, error, cause } = about;
      await store.append(about.id, { expectedSeq: seq, about: { status, stopDate, redriveCount, redriveDate, output, error, cause } });
      live.end(about);
      throw codeOf(thrown) === "NOT_REDRIVABLE" ? notRedrivable(messageOf(thrown)) : thrown;
    }
    return redriveDate;
  }

  /** The execution of a snapshot, from the state that failed on. */
  #redriven(live: Live, definition: string, snapshot: ExecutionSnapshot): Execution {
    const { clock, router } = this.#service;
    const { machineName, machineArn, type, revision, testCase } = live.about;
    const machine = new StateMachine(definition, { name: machineName, arn: machineArn, type, roleArn: revision.roleArn });
    return machine.redrive(snapshot, { tasks: router.forTestCase(machineName, testCase), clock, ...this.#observers(live, definition) });
  }

  /** Stops an execution; resolves when it has ended. */
  async stop(live: Live, error?: string, cause?: string): Promise<void> {
    live.abort(error, cause);
    await live.ended;
  }

  /** Remembers the execution of a task token. */
  note(token: string, arn: string): void {
    this.#tokens.set(token, arn);
    const given = this.#given.get(arn);
    if (given === undefined) this.#given.set(arn, [token]);
    else given.push(token);
  }

  /** Throws InvalidToken for a token that was never given out. */
  checkToken(token: string): void {
    if (!this.#tokens.has(token)) throw invalidToken();
  }

  /**
   * Answers a task token: `tell` passes the answer to the execution, and returns whether the task was still waiting. Throws
   * InvalidToken for a token that was never given out, and TaskTimedOut if the task no longer waits.
   */
  answer(token: string, tell: (execution: Execution) => boolean): void {
    const arn = this.#tokens.get(token);
    if (arn === undefined) throw invalidToken();
    const execution = this.#live.get(arn)?.execution;
    if (execution === undefined || !tell(execution))
      throw new ApiError("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'");
  }

  /** Stops and removes the executions of a machine that is being deleted. */
  async forget(machine: Machine): Promise<void> {
    const running = [...this.#live.values()].filter(({ about }) => about.machineArn === machine.arn);
    await Promise.all(running.map((live) => this.stop(live)));
    const ids: string[] = [];
    for (let before: number | undefined; ;) {
      const page: { items: StoredExecution[]; before?: number } = await this.#service.store.list(
        { machine: machine.arn },
        { before, limit: 1000 },
      );
      ids.push(...page.items.map(({ id }) => id));
      if (page.before === undefined) break;
      before = page.before;
    }
    this.#forgotten(await this.#service.store.prune({ ids }));
  }

  /** Ends all executions with the server, so that nothing keeps the process awake. */
  async abandon(): Promise<void> {
    const running = [...this.#live.values()];
    for (const live of running) live.abort(undefined, "The server was closed");
    await Promise.all(running.map(({ ended }) => ended));
    await this.settle();
  }

  /** Waits for the writes in progress. */
  async settle(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes);
  }

  /** Observes only executions with Distributed Maps: to report an event costs as much as to make it. */
  #observers(live: Live, definition: string): Pick<StartOptions, "onEvent" | "onChild"> {
    if (!definition.includes('"DISTRIBUTED"')) return {};
    const mapRuns = new MapRuns(this.#service, live, definition);
    live.mapRuns = mapRuns;
    return {
      onEvent: (event) => mapRuns.event(event),
      onChild: (child) => this.#track(mapRuns.child(child)),
    };
  }

  #finish(live: Live, execution: Execution, outcome: Outcome): void {
    const { about } = live;
    const driver = driverOf(execution);
    const stopDate = this.#service.now();
    const told = about.events ?? 0;
    const { status } = outcome;
    const again = status !== "SUCCEEDED" && about.type === "STANDARD" && driver.events < FULL;
    const ended = { ...recordedOutcome(driver, outcome), stopDate, events: driver.events, redrivable: again };
    live.about = { ...about, ...ended };
    const batch: Ending = { about: ended };
    try {
      batch.history = { text: driver.historyText(told), count: driver.events - told };
      if (again) batch.snapshot = { seq: 0, text: JSON.stringify(execution.snapshot()) };
      live.mapRuns?.finish(status, stopDate);
    } catch (bug) {
      // The history is lost, but the record still says how the execution has ended.
      this.#service.log("error", () => `${about.id}: ${stackOf(bug)}`);
    }
    release(execution);
    this.#track(this.#write(live, batch));
  }

  async #write(live: Live, batch: Ending): Promise<void> {
    const { store, limits } = this.#service;
    const { id } = live.about;
    const { seq } = (await store.load(id)) ?? { seq: 0 };
    await store.append(id, { expectedSeq: seq, ...batch });
    this.#live.delete(id);
    live.end(live.about);
    this.#service.log("debug", () => `${id} ${live.about.status}`);
    this.#forgotten(await store.prune(limits.retain));
  }

  #forgotten(ids: string[]): void {
    for (const id of ids) {
      for (const token of this.#given.get(id) ?? []) this.#tokens.delete(token);
      this.#given.delete(id);
      const { mapRuns, mapRunsOf, redrives } = this.#service;
      for (const { arn } of mapRunsOf.get(id) ?? []) mapRuns.delete(arn);
      mapRunsOf.delete(id);
      redrives.delete(id);
    }
  }

  #track(promise: Promise<void>): void {
    const watched = promise
      .catch((error: unknown) => this.#service.log("error", () => stackOf(error)))
      .finally(() => this.#writes.delete(watched));
    this.#writes.add(watched);
  }
}

/** The data that is written when an execution has ended. */
type Ending = Omit<Batch, "expectedSeq">;

/** The ARN of a new execution. */
function executionArn({ arn, type }: Machine, name: string): string {
  if (type === "EXPRESS") return `${arn.replace(":stateMachine:", ":express:")}:${name}:${randomUUID()}`;
  return `${arn.replace(":stateMachine:", ":execution:")}:${name}`;
}

/** How an execution has ended, as its record has it. */
function recordedOutcome(
  driver: Driver,
  { status, output, error, cause }: Outcome,
): Pick<StoredExecution, "status" | "output" | "error" | "cause"> {
  const [last] = status === "SUCCEEDED" ? driver.history(driver.events - 1) : [];
  return {
    status,
    // In the history, numbers have all of their digits.
    ...(status === "SUCCEEDED" && {
      output: last?.type === "ExecutionSucceeded" ? last.executionSucceededEventDetails.output : JSON.stringify(output),
    }),
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause }),
  };
}

function notRedrivable(why: string): ApiError {
  return new ApiError("ExecutionNotRedrivable", why);
}
