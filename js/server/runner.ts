// @ts-nocheck: has no types yet.
// Runs executions: from a record in the store to its end and, where it failed, on from there.

import { randomUUID } from "node:crypto";
import { StateMachine, seedOf } from "../execution/machine.ts";
import { driverOf, release } from "../execution/execution.ts";
import { ApiError, invalidToken } from "./errors.ts";
import { MapRuns } from "./mapruns.ts";

// A history with as many events cannot go on (AWS).
const FULL = 24_999;

/** An execution that runs, and what waits for its end. */
class Live {
  mapRuns;

  constructor(about) {
    this.about = about;
    this.ended = new Promise((resolve) => (this.end = resolve));
  }
}

export class Runner {
  #service;
  #live = new Map();
  // Which execution gave out a token, and the tokens of each.
  #tokens = new Map();
  #given = new Map();
  // Appends under way: what a graceful end waits for.
  #writes = new Set();
  // Executions that a redrive is about to take up.
  #redriving = new Set();

  constructor(service) {
    this.#service = service;
  }

  /** How many executions run. */
  get running() {
    return this.#live.size;
  }

  /** The execution with this ARN, if it runs. */
  find(arn) {
    return this.#live.get(arn);
  }

  /**
   * Starts an execution: `{about, live}`, where `live` is missing for one that was started before with the same name and
   * input. Throws ExecutionAlreadyExists.
   */
  async start({ machine, revision, versionArn, aliasArn, testCase }, { name = randomUUID(), input, traceHeader }) {
    const service = this.#service;
    const express = machine.type === "EXPRESS";
    const arn = express ? `${machine.arn.replace(":stateMachine:", ":express:")}:${name}:${randomUUID()}` : `${machine.arn.replace(":stateMachine:", ":execution:")}:${name}`;
    if (this.#live.size >= service.limits.running) throw new ApiError("ExecutionLimitExceeded", `The limit of ${service.limits.running} running executions is reached`);
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
      revision: revision.document(),
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
      live.execution = StateMachine.launch(
        compiled,
        { handlers, clock: service.clock, options: this.#observers(live, revision.definition) },
        {
          text: input,
          info: { name, arn, stateMachineName: machine.name, stateMachineArn: machine.arn },
          seed: seedOf(undefined),
          onFinish: () => this.#finish(live),
        },
      );
    } catch (bug) {
      // A record without an execution would run for ever.
      await this.#write(live, { about: { status: "FAILED", stopDate: service.now(), error: "States.Runtime", cause: String(bug?.message) } });
      throw bug;
    }
    return { about, live };
  }

  /** Takes up an execution that did not succeed; returns when it did. Throws ExecutionNotRedrivable. */
  async redrive(about) {
    const refuse = (why) => {
      throw new ApiError("ExecutionNotRedrivable", why);
    };
    if (about.status === "RUNNING" || about.status === "SUCCEEDED") refuse(`Execution is ${about.status} and cannot be redriven`);
    if (this.#live.has(about.id) || this.#redriving.has(about.id)) refuse("Execution is RUNNING and cannot be redriven");
    // Of two requests at once one takes it up.
    this.#redriving.add(about.id);
    try {
      return await this.#redrive(about, refuse);
    } finally {
      this.#redriving.delete(about.id);
    }
  }

  async #redrive(about, refuse) {
    const service = this.#service;
    const { snapshot } = await service.store.load(about.id);
    if (snapshot === undefined) refuse("Execution history event limit exceeded, the execution cannot be redriven");
    const definition = await service.store.getDefinition(about.revision.hash);
    const machine = new StateMachine(definition, { name: about.machineName, arn: about.machineArn, type: about.type, roleArn: about.revision.roleArn });
    const redriveDate = service.now();
    const changed = { status: "RUNNING", redriveCount: about.redriveCount + 1, redriveDate, stopDate: undefined, output: undefined, error: undefined, cause: undefined };
    const { seq } = await service.store.load(about.id);
    const live = new Live({ ...about, ...changed });
    // Said before it happens: what happens may end at once.
    this.#live.set(about.id, live);
    await service.store.append(about.id, { expectedSeq: seq, about: changed });
    try {
      live.execution = machine.redrive(JSON.parse(snapshot.text), {
        tasks: service.router.forTestCase(about.machineName, about.testCase),
        clock: service.clock,
        ...this.#observers(live, definition),
      });
    } catch (error) {
      this.#live.delete(about.id);
      const { status, stopDate, redriveCount, redriveDate, output, error: name, cause } = about;
      await service.store.append(about.id, { expectedSeq: seq, about: { status, stopDate, redriveCount, redriveDate, output, error: name, cause } });
      live.end(about);
      if (error?.code === "NOT_REDRIVABLE") refuse(error.message);
      throw error;
    }
    this.#track(live.execution.result.then(() => this.#finish(live)));
    return redriveDate;
  }

  /** Stops an execution; resolves when it has ended. */
  async stop(live, error, cause) {
    live.execution.abort(error, cause);
    await live.ended;
  }

  /** Remembers who gave out a token. */
  note(token, arn) {
    this.#tokens.set(token, arn);
    const given = this.#given.get(arn);
    if (given === undefined) this.#given.set(arn, [token]);
    else given.push(token);
  }

  /** Throws InvalidToken for a token that was never given out. */
  checkToken(token) {
    if (!this.#tokens.has(token)) throw invalidToken();
  }

  /**
   * Answers a task token; returns whether the task still counted. Throws InvalidToken for one that was never given out.
   */
  answer(token, method, ...rest) {
    this.checkToken(token);
    const live = this.#live.get(this.#tokens.get(token));
    if (live === undefined || !live.execution[method](token, ...rest)) {
      throw new ApiError("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'");
    }
  }

  /** A machine is deleted: its executions are stopped and forgotten. */
  async forget(machine) {
    const running = [...this.#live.values()].filter(({ about }) => about.machineArn === machine.arn);
    await Promise.all(running.map((live) => this.stop(live)));
    const ids = [];
    for (let before; ; ) {
      const page = await this.#service.store.list({ machine: machine.arn }, { before, limit: 1000 });
      ids.push(...page.items.map(({ id }) => id));
      if (page.before === undefined) break;
      before = page.before;
    }
    this.#forgotten(await this.#service.store.prune({ ids }));
  }

  /** The server ends, and what runs with it: nothing is left that would keep the process awake. */
  async abandon() {
    const running = [...this.#live.values()].filter(({ execution }) => execution !== undefined);
    for (const { execution } of running) execution.abort(undefined, "The server was closed");
    await Promise.all(running.map(({ ended }) => ended));
    await this.settle();
  }

  /** Waits for what is being written. */
  async settle() {
    while (this.#writes.size > 0) await Promise.all(this.#writes);
  }

  /** Only what is looked at is observed: telling of every event costs as much as making it. */
  #observers(live, definition) {
    if (!definition.includes('"DISTRIBUTED"')) return {};
    live.mapRuns = new MapRuns(this.#service, live, definition);
    return {
      onEvent: (event) => live.mapRuns.event(event),
      onChild: (child) => this.#track(live.mapRuns.child(child)),
    };
  }

  #finish(live) {
    const { about, execution } = live;
    const driver = driverOf(execution);
    const { status, output, error, cause } = driver.outcome;
    const stopDate = this.#service.now();
    const told = about.events ?? 0;
    const again = status !== "SUCCEEDED" && about.type === "STANDARD" && driver.events < FULL;
    const ended = {
      status,
      stopDate,
      events: driver.events,
      redrivable: again,
      // The history has it with the digits of its numbers.
      ...(status === "SUCCEEDED" && { output: driver.history(driver.events - 1)[0]?.executionSucceededEventDetails.output ?? JSON.stringify(output) }),
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause }),
    };
    live.about = { ...about, ...ended };
    const batch = { about: ended };
    try {
      batch.history = { text: driver.historyText(told), count: driver.events - told };
      if (again) batch.snapshot = { seq: 0, text: JSON.stringify(execution.snapshot()) };
      live.mapRuns?.finish(status, stopDate);
    } catch (bug) {
      // What it was is lost; how it ended is not.
      this.#service.log("error", () => `${about.id}: ${bug.stack}`);
    }
    release(execution);
    this.#track(this.#write(live, batch));
  }

  async #write(live, batch) {
    const { store, limits } = this.#service;
    const { id } = live.about;
    const { seq } = await store.load(id);
    await store.append(id, { expectedSeq: seq, ...batch });
    this.#live.delete(id);
    live.end(live.about);
    this.#service.log("debug", () => `${id} ${live.about.status}`);
    this.#forgotten(await store.prune(limits.retain));
  }

  #forgotten(ids) {
    for (const id of ids) {
      for (const token of this.#given.get(id) ?? []) this.#tokens.delete(token);
      this.#given.delete(id);
      const { mapRuns, mapRunsOf, redrives } = this.#service;
      for (const { arn } of mapRunsOf.get(id) ?? []) mapRuns.delete(arn);
      mapRunsOf.delete(id);
      redrives.delete(id);
    }
  }

  #track(promise) {
    const watched = promise.catch((error) => this.#service.log("error", () => error.stack)).finally(() => this.#writes.delete(watched));
    this.#writes.add(watched);
  }
}
