// @ts-nocheck: has no types yet.
// Executions that tasks start: the machines there are for it, and what the executions of a run share.

import { isTaker } from "../tasks/call.ts";
import { StateMachine, handleOf } from "../execution/machine.ts";
import { engineSettings } from "../execution/settings.ts";
import { Family, Machines, rejoin } from "../execution/nested.ts";
import { bareName } from "../tasks/resource.ts";
import { repeat } from "./editing.ts";
import { detailsOf } from "../history/events.ts";
import { eventAt, isEntering, visitOf as visitAtEntry } from "./view.ts";

/** So deep may executions start each other, and so many may one run have: a machine that starts itself ends there. */
const DEEPEST = 32;
const MOST = 10_000;

/** The machines that tasks may start, of definitions and machines by name or ARN. */
export function machinesOf(given) {
  if (given === undefined) return undefined;
  const isMachine = (value) => value instanceof StateMachine;
  if (Array.isArray(given) || typeof given !== "object" || given === null) return new Machines(given, isMachine);
  const machine = (name, value) => (isMachine(value) ? value : new StateMachine(value, { name: bareName(String(name), ":stateMachine:") }));
  return new Machines(new Map((given instanceof Map ? [...given] : Object.entries(given)).map(([name, value]) => [name, machine(name, value)])), isMachine);
}

/** What its family knows of an execution. */
export interface Relation {
  named?: boolean;
  stopDate?: number;
  toJSON(): Record<string, unknown>;
}

/** What the executions of a run know of each other. `begin` makes one of them. */
export class Relatives {
  #run;
  #begin;
  #family;
  #drivers = new Map();
  /** The call that is about to start one, and whose it is. */
  #starting;

  constructor(run, begin) {
    this.#run = run;
    this.#begin = begin;
  }

  /** Lets something else than a function do a task of an execution: an activity's workers, a machine. */
  hand(execution, call, taker) {
    // Workers may come at any time; a machine says itself how long it takes.
    call.pending = isTaker(taker);
    this.#starting = { execution, call };
    try {
      taker.take(this.#handedOver(execution, call), this.driver(execution));
    } catch (thrown) {
      execution.reject(call, thrown);
    }
  }

  /** A task whose execution runs already, or has ended. */
  rejoin(execution, call, started) {
    rejoin(started.record, this.#handedOver(execution, call), this.driver(execution));
  }

  #handedOver(execution, call) {
    [, call.task] = this.#run.host.given(call, execution);
    return call;
  }

  /** What those who take calls know as the driver of an execution. */
  driver(execution) {
    const known = this.#drivers.get(execution);
    if (known !== undefined) return known;
    this.#family ??= this.#newFamily();
    const driver = {
      family: this.#family,
      seed: execution.seed,
      execution: { name: execution.name, arn: execution.arn, abort: (error, cause) => this.#abort(execution, error, cause) },
      depth: execution.depth,
      now: () => execution.now(),
      post: (...fact) => tell(execution, ...fact),
      complete: (...what) => complete(execution, ...what),
      findCall: (token) => execution.callOf(token),
    };
    this.#drivers.set(execution, driver);
    if (!execution.ended) this.#family.drivers.add(driver);
    if (execution.parent === undefined) this.#family.found({ name: execution.name, arn: execution.arn, machineName: execution.info.stateMachineName, input: execution.input, startDate: execution.start }).begun(driver.execution);
    return driver;
  }

  /** Takes in one that was begun before: of a fork, or a saved session. */
  again(execution, data) {
    this.driver(this.#run.first);
    const { record, ended } = this.#family.again(data, this.driver(execution).execution, execution.outcome, data.stopDate ?? execution.now());
    execution.record = record;
    execution.onEnd = ended;
  }

  /** One has ended. */
  left(execution) {
    const driver = this.#drivers.get(execution);
    if (driver !== undefined) this.#family.drivers.delete(driver);
    execution.onEnd?.(execution.outcome, execution.now());
  }

  #abort(execution, error, cause) {
    execution.stop(error, cause);
    this.#run.host.changed(this.#run);
  }

  #newFamily() {
    const run = this.#run;
    return new Family({
      launch: (machine, { text, seed, info, onFinish, record }) => {
        const { execution: parent, call } = this.#starting;
        const execution = this.#begin({
          definition: machine, machine: handleOf(machine), settings: engineSettings(run.host.limits, machine.type), type: machine.type,
          info, seed, input: text, start: run.now(), parent, task: call.command.task, visit: visitOf(parent, call.command), awaited: call.resource.pattern.startsWith("sync") || call.resource.name.endsWith("startSyncExecution"), record,
        });
        execution.onEnd = onFinish;
        if (call.twin) repeat(execution, call.twin);
        return this.driver(execution).execution;
      },
      refuses: ({ depth }) => {
        if (depth >= DEEPEST) return ["ExecutionLimitExceeded", `The debugger lets executions start each other at most ${DEEPEST} levels deep`];
        if (run.executions.length > MOST) return ["ExecutionLimitExceeded", `The debugger lets one run start at most ${MOST} executions`];
        return undefined;
      },
      // All of them can be looked at.
      keeps: true,
    });
  }
}

/** A taker's fact. */
function tell(execution, method, task, ...rest) {
  const call = execution.calls.get(task);
  // A fork goes on after the request.
  if (call === undefined || (method === "submitted" && call.submitted)) return;
  if (method === "submitted" && call.resource.pattern === "waitForTaskToken") call.asked ??= "token";
  execution.post([method, task, ...rest]);
  execution.changed();
}

/** A taker's answer. Whether it still counted. */
function complete(execution, call, method, ...rest) {
  if (call.ended || call.finishing) return false;
  if (method !== "heartbeat") {
    call.finishing = true;
    call.pending = false;
  }
  tell(execution, method, call.command.task, ...rest);
  return true;
}

/** The executions of a run as far as they were seen, its own first: `{id, name, arn, machine, depth, parent, state, visit, event, …}`. */
export function listOf(run) {
  return run.executions.filter((execution) => execution.number === 0 || execution === run.focus || execution.frontier > 0).map((execution) => {
    const { number: id, name, arn, info, parent, visit, depth, recording, frontier, outcome } = execution;
    const caller = parent?.recording.visit(visit);
    return {
      id, name, arn, machine: info.stateMachineName, depth, current: execution === run.focus,
      ...(parent && { parent: parent.number }),
      ...(caller && { state: caller.state, visit, event: eventAt(parent.recording, caller.strand.eventAt[caller.enter - 1] + 1), iterations: caller.strand.iterationsOf(caller.thread) }),
      status: "RUNNING", ...(frontier === recording.length && outcome), events: eventAt(recording, frontier),
    };
  });
}

/** Those that tasks have started: `{name, arn, machine, parent, status, output, error, cause, events}`. */
export function startedIn({ executions }) {
  return executions.slice(1).map(({ name, arn, info, parent, outcome, recording }) => ({ name, arn, machine: info.stateMachineName, parent: parent.name, status: "RUNNING", ...outcome, events: recording.events.length }));
}

/** The visit in which an execution invokes a command that it performs now; -1 where it cannot be told. */
function visitOf({ recording, performed }, { state, iterations = [] }) {
  const { tape, facts } = recording;
  for (let i = (facts[performed + 1]?.tape ?? tape.length) - 1; i >= 0; i--) {
    const entry = tape[i];
    if (!isEntering(entry) || detailsOf(entry.event).name !== state) continue;
    const { strand, id, thread } = visitAtEntry(recording, entry);
    if (String(strand.iterationsOf(thread)) === String(iterations)) return strand.numbered(id);
  }
  return -1;
}
