// Nested executions: the machines that tasks may start, and what the executions of a run share.

import type { ChildExecution, DebugExecution, DebugOptions } from "../../core/api/debug.d.ts";
import type { Definition, InvokeCommand, StateMachine as PublicMachine } from "../../core/api/index.d.ts";
import type { Fact } from "../../core/border/facts.ts";
import { StateMachine, handleOf } from "../../core/execution/machine.ts";
import { Family, type FamilyDriver, type Launch, Machines, type Member, rejoin } from "../../core/execution/nested.ts";
import { engineSettings } from "../../core/execution/settings.ts";
import { detailsOf } from "../../core/history/events.ts";
import { type Completion, type EndedCall, type Taker, type TaskCall, isTaker } from "../../core/tasks/call.ts";
import { bareName } from "../../core/tasks/resource.ts";
import { repeat } from "./editing.ts";
import type { Call, Execution } from "./execution.ts";
import type { NestedData } from "./model.ts";
import type { Begin, Nested, Run } from "./run.ts";
import { isEntering } from "./entries.ts";
import { eventAt, visitOf } from "./view.ts";

/** Maximum nesting depth of executions, and maximum number of them in a run. They end a machine that starts itself. */
const DEEPEST = 32;
const MOST = 10_000;

const isMachine = (value: unknown): value is StateMachine => value instanceof StateMachine;

/** Returns the machines that tasks may start, from definitions or machines by name or ARN. */
export function machinesOf(given: DebugOptions["machines"]): Machines | undefined {
  if (given === undefined) return undefined;
  if (Array.isArray(given) || typeof given !== "object" || given === null) return new Machines(given, isMachine);
  const entries: Iterable<[string, Definition | PublicMachine]> = given instanceof Map ? given : Object.entries(given);
  const machine = (name: string, value: Definition | PublicMachine): StateMachine => {
    return isMachine(value) ? value : new StateMachine(value, { name: bareName(String(name), ":stateMachine:") });
  };
  return new Machines(new Map(Array.from(entries, ([name, value]) => [name, machine(name, value)])), isMachine);
}

/** What the executions of a run need from their host. */
export interface Surroundings {
  /** The limits that apply to all executions. */
  readonly limits: Parameters<typeof engineSettings>[0];
  /** Returns the arguments of a handler for a call. */
  given(call: Call, execution: Execution): [input: unknown, task: unknown];
  changed(run: Run): void;
}

/** The parent-child relations of a run's executions. `begin` creates an execution. */
export class NestedExecutions implements Nested {
  #host: Surroundings;
  #run: Run;
  #begin: Begin;
  #family: Family | undefined;
  #drivers = new Map<Execution, FamilyDriver>();
  /** The call that is about to start an execution, and the execution of that call. */
  #starting: { execution: Execution; call: Call } | undefined;

  constructor(host: Surroundings, run: Run, begin: Begin) {
    this.#host = host;
    this.#run = run;
    this.#begin = begin;
  }

  /** Passes a task to a taker instead of a function: the workers of an activity, or a machine. */
  handOver(execution: Execution, call: Call, taker: Taker): void {
    // Workers may take a task at any time. A machine reports its own duration.
    call.pending = isTaker(taker);
    this.#starting = { execution, call };
    try {
      taker.take(this.#handedOver(execution, call), this.driver(execution));
    } catch (thrown) {
      execution.reject(call, thrown);
    }
  }

  /** Connects a task to its execution, which is running already or has ended. */
  rejoin(execution: Execution, call: Call, started: Execution): void {
    if (started.record) rejoin(started.record, this.#handedOver(execution, call), this.driver(execution));
  }

  #handedOver(execution: Execution, call: Call): TaskCall {
    const [, task] = this.#host.given(call, execution);
    return Object.assign(call, { task });
  }

  /** Returns the driver that represents an execution to takers. */
  driver(execution: Execution): FamilyDriver {
    const known = this.#drivers.get(execution);
    if (known !== undefined) return known;
    const family = this.#known();
    const driver: FamilyDriver = {
      family,
      seed: execution.seed,
      execution: {
        name: execution.name,
        arn: execution.arn,
        abort: (error?: string, cause?: string) => this.#abort(execution, error, cause),
      },
      depth: execution.depth,
      now: () => execution.now(),
      post: (...fact) => postFact(execution, fact),
      complete: (call, ...completion) => complete(execution, call, completion),
      findCall: (token) => execution.callOf(token),
    };
    this.#drivers.set(execution, driver);
    if (!execution.ended) family.drivers.add(driver);
    if (execution.parent === undefined) {
      const { name, arn, info, input, start } = execution;
      family.found({ name, arn, machineName: info.stateMachineName, input, startDate: start }).begun(driver.execution);
    }
    return driver;
  }

  /** Registers an execution that was begun earlier, in a run that was forked or in a saved session. */
  restore(execution: Execution, data: NestedData): void {
    this.driver(this.#run.first);
    const { record, ended } = this.#known().again(
      data,
      this.driver(execution).execution,
      execution.outcome,
      data.stopDate ?? execution.now(),
    );
    execution.record = record;
    execution.onEnd = ended;
  }

  /** Unregisters an execution that has ended. */
  unregister(execution: Execution): void {
    const driver = this.#drivers.get(execution);
    if (driver !== undefined) this.#family?.drivers.delete(driver);
    if (execution.outcome) execution.onEnd?.(execution.outcome, execution.now());
  }

  #abort(execution: Execution, error: string | undefined, cause: string | undefined): void {
    execution.stop(error, cause);
    this.#host.changed(this.#run);
  }

  #known(): Family {
    this.#family ??= new Family({
      // The registered machines are instances of the class, because machinesOf() checks it.
      launch: (machine, how) => this.#launch(machine as StateMachine, how),
      refuses: ({ depth = 0 }) => {
        if (depth >= DEEPEST)
          return ["ExecutionLimitExceeded", `In the debugger, executions can start each other at most ${DEEPEST} levels deep`];
        if (this.#run.executions.length > MOST)
          return ["ExecutionLimitExceeded", `In the debugger, a run can start at most ${MOST} executions`];
        return undefined;
      },
      // The debugger can show every execution, so none is dropped.
      keeps: true,
    });
    return this.#family;
  }

  #launch(machine: StateMachine, { text = "{}", seed, info, onFinish, record }: Launch): Member {
    // `hand` has set the call that starts the machine.
    const { execution: parent, call } = this.#starting!;
    const { command, resource } = call;
    const execution = this.#begin({
      definition: machine,
      machine: handleOf(machine),
      settings: engineSettings(this.#host.limits, machine.type),
      type: machine.type,
      info: { ...info, stateMachineName: info.stateMachineName ?? machine.name },
      seed,
      input: text,
      start: this.#run.now(),
      parent,
      task: command.task,
      visit: callingVisit(parent, command),
      awaited: resource.pattern.startsWith("sync") || resource.name?.endsWith("startSyncExecution") === true,
      record,
    });
    execution.onEnd = onFinish;
    if (call.earlierExecution) repeat(execution, call.earlierExecution);
    return this.driver(execution).execution;
  }
}

/** Posts a fact of a taker about a task. */
function postFact(execution: Execution, fact: Fact): void {
  const [method, task] = fact;
  const call = typeof task === "number" ? execution.calls.get(task) : undefined;
  // The request of this call was already submitted before the fork.
  if (call === undefined || (method === "submitted" && call.submitted)) return;
  if (method === "submitted" && call.resource.pattern === "waitForTaskToken") call.asked ??= "token";
  execution.post(fact);
  execution.changed();
}

/** Applies the answer of a taker. Returns false if the call has ended or is answered already. */
function complete(execution: Execution, taken: TaskCall | EndedCall, [method, ...rest]: Completion): boolean {
  const call = "command" in taken ? execution.calls.get(taken.command.task) : undefined;
  if (call === undefined || call.ended || call.finishing) return false;
  if (method !== "heartbeat") {
    call.finishing = true;
    call.pending = false;
  }
  // A completion is a fact without the number of the task.
  postFact(execution, [method, call.command.task, ...rest] as Fact);
  return true;
}

/** Returns the executions that a run has reached, the main execution first. */
export function executionsOf(run: Run): DebugExecution[] {
  return run.executions
    .filter((execution) => execution.number === 0 || execution === run.focus || execution.frontier > 0)
    .map((execution) => {
      const { number: id, name, arn, info, parent, depth, recording, frontier, outcome } = execution;
      return {
        id,
        name,
        arn,
        machine: info.stateMachineName,
        depth,
        current: execution === run.focus,
        ...(parent && { parent: parent.number, ...callOf(parent, execution.visit) }),
        status: "RUNNING",
        ...(frontier === recording.length && outcome),
        events: eventAt(recording, frontier),
      };
    });
}

/** Returns the visit whose task has started an execution. */
function callOf(
  { recording }: Execution,
  visit: number | undefined,
): Pick<DebugExecution, "state" | "visit" | "event" | "iterations"> | undefined {
  const caller = visit === undefined ? undefined : recording.visit(visit);
  if (caller === undefined) return undefined;
  const { state, history, enter, thread } = caller;
  return { state, visit, event: eventAt(recording, (history.eventAt[enter - 1] ?? -1) + 1), iterations: history.iterationsOf(thread) };
}

/** Returns the executions that tasks have started. */
export function startedIn({ executions }: Run): ChildExecution[] {
  return executions.slice(1).map(({ name, arn, info, parent, outcome, recording }) => ({
    name,
    arn,
    machine: info.stateMachineName,
    parent: parent?.name ?? "",
    status: "RUNNING",
    ...outcome,
    events: recording.events.length,
  }));
}

/** Returns the visit that invokes the command which is being performed, or -1 if it cannot be determined. */
function callingVisit({ recording, performed }: Execution, { state, iterations = [] }: InvokeCommand): number {
  const { entries, facts } = recording;
  for (let i = (facts[performed + 1]?.entries ?? entries.length) - 1; i >= 0; i--) {
    const entry = entries[i];
    if (entry?.event === undefined || !isEntering(entry) || detailsOf(entry.event).name !== state) continue;
    const visit = visitOf(recording, entry);
    if (visit !== undefined && String(visit.history.iterationsOf(visit.thread)) === String(iterations))
      return visit.history.numbered(visit.id);
  }
  return -1;
}
